// SPDX-License-Identifier: GPL-3.0-or-later
// What a load leaves out. Covers core/io/kineto/event_filter, core/io/kineto/event_sample and
// core/io/kineto/step_marks and core/io/reader/steps_text.
#include "core/io/reader/load_filter.h"

#include "core/analysis/job/analysis.h"
#include "core/export/csv.h"
#include "core/io/load/load_estimate.h"
#include "core/io/load/trace_loader.h"
#include "core/report/steps_table.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

namespace rankscope {
namespace {

std::shared_ptr<const TraceSet> load(const std::string& path, const LoadFilter& filter,
                                     unsigned threads = 1) {
  LoadOptions options;
  options.threadCount = threads;
  options.filter = filter;
  Progress progress;
  auto loaded = loadTraces({path}, options, progress);
  EXPECT_TRUE(loaded.ok());
  return loaded.ok() ? *loaded : nullptr;
}

std::map<std::string, int> namesIn(const TraceSet& set) {
  std::map<std::string, int> names;
  for (const RankEntry& rank : set.ranks()) {
    for (const NameId name : rank.trace->events.name) ++names[std::string(set.names()[name])];
  }
  return names;
}

// Two steps of 1000 ns; each launches a kernel that runs late, and a Python frame spans both.
std::string twoSteps() {
  test::TraceText text;
  text.addPython(100, 0, 2000, "train.py(1): main", 1)
      .addStep(1, 0, 1000)
      .addStep(2, 1000, 1000)
      .addPython(100, 100, 200, "model.py(7): forward", 2, 1)
      .addPython(100, 1100, 200, "model.py(7): forward", 3, 1)
      .addCpuOp(100, 120, 100, "aten::mm")
      .addRuntime(100, 150, 10, "cudaLaunchKernel", 11)
      .addCpuOp(100, 1120, 100, "aten::add")
      .addRuntime(100, 1150, 10, "cudaLaunchKernel", 12)
      .addCpuOp(100, 1300, 100, "nccl:all_reduce")
      .addKernel(0, 7, 1200, 300, "gemm", 11)
      .addKernel(0, 7, 1500, 300, "vectorized_add", 12)
      .addMemory(100, 130, 512, 512, 1024)
      .addMemory(100, 1130, 512, 1024, 1024);
  return text.text();
}

class LoadFilters : public testing::Test {
 protected:
  void SetUp() override { test::writeTraceFile(m_path, twoSteps()); }

  test::TemporaryFolder m_folder;
  std::string m_path = m_folder / "rank0.json";
};

TEST_F(LoadFilters, withoutPythonEverythingElseIsThere) {
  const auto set = load(m_path, {.skipPython = true});
  auto expected = namesIn(*load(m_path, {}));
  expected.erase("train.py(1): main");
  expected.erase("model.py(7): forward");
  EXPECT_EQ(namesIn(*set), expected);
  EXPECT_EQ(set->ranks()[0].trace->leftOut, 3U);
  EXPECT_EQ(set->files()[0].note, "3 events were filtered out, as requested");
}

TEST_F(LoadFilters, withoutOperatorsLaunchesAndCommunicationStay) {
  const auto names = namesIn(*load(m_path, {.skipCpuOps = true}));
  EXPECT_FALSE(names.contains("aten::mm"));
  EXPECT_FALSE(names.contains("aten::add"));
  EXPECT_TRUE(names.contains("nccl:all_reduce"));
  EXPECT_EQ(names.at("cudaLaunchKernel"), 2);
  EXPECT_EQ(names.at("gemm"), 1);
}

TEST_F(LoadFilters, aStepBringsTheKernelsThatItLaunchedHoweverLate) {
  const auto set = load(m_path, {.steps = LoadFilter::Steps{1, 1}});
  const auto names = namesIn(*set);
  EXPECT_TRUE(names.contains("ProfilerStep#1"));
  EXPECT_FALSE(names.contains("ProfilerStep#2"));
  EXPECT_EQ(names.at("gemm"), 1) << "launched within the step, run behind it";
  EXPECT_FALSE(names.contains("vectorized_add"));
  EXPECT_EQ(names.at("train.py(1): main"), 1) << "what spans more than the step stays whole";
  EXPECT_EQ(names.at("model.py(7): forward"), 1);
  EXPECT_EQ(set->ranks()[0].trace->memory.size(), 1U);
  EXPECT_EQ(set->ranks()[0].trace->leftOut, 7U);
}

TEST_F(LoadFilters, compressedFilesGiveTheSameSteps) {
  const std::string packed = m_folder / "packed/rank0.json.gz";
  test::writeTraceFile(packed, twoSteps());
  const LoadFilter filter{.steps = LoadFilter::Steps{2, 2}};
  EXPECT_EQ(namesIn(*load(packed, filter)), namesIn(*load(m_path, filter)));
}

TEST_F(LoadFilters, stepsThatNobodyMarkedLeaveNothingOut) {
  const auto set = load(m_path, {.steps = LoadFilter::Steps{7, 9}});
  EXPECT_EQ(namesIn(*set), namesIn(*load(m_path, {})));
  const std::vector<Diagnostic>& told = set->files()[0].diagnostics.items();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].text,
            "no ProfilerStep marks steps 7 to 9: everything was loaded; marked are steps 1 to 2");
  EXPECT_EQ(set->files()[0].note, "no events were filtered out; " + told[0].text);
}

TEST(LoadFilter, differentFiltersHaveDifferentTexts) {
  EXPECT_EQ(LoadFilter{}.text(), "");
  const LoadFilter steps{.steps = LoadFilter::Steps{1, 2}};
  const LoadFilter otherSteps{.steps = LoadFilter::Steps{1, 3}};
  const LoadFilter all{true, true, LoadFilter::Steps{1, 2}};
  const LoadFilter python{.skipPython = true};
  EXPECT_NE(steps.text(), otherSteps.text());
  EXPECT_NE(all.text(), python.text());
}

// The rows of a table that concern one of these steps, without the columns of time from the job's begin.
std::vector<std::string> rowsOfSteps(const TraceSet& set, int first, int last) {
  const ResultTable table = stepsTable(Analysis(std::make_shared<const TraceSet>(set)));
  std::istringstream csv(toCsv(table));
  std::vector<std::string> rows;
  for (std::string line; std::getline(csv, line);) {
    std::vector<std::string> cells(1);
    for (const char c : line) {
      if (c == ',') {
        cells.emplace_back();
      } else {
        cells.back() += c;
      }
    }
    if (cells[2] == "step" || std::stoi(cells[2]) < first || std::stoi(cells[2]) > last) continue;
    std::string row;
    for (std::size_t i = 0; i < cells.size(); ++i) row += i == 3 ? "," : cells[i] + ",";
    rows.push_back(row);
  }
  return rows;
}

TEST(LoadFilter, theFiguresOfLoadedStepsAreThoseOfTheWholeJob) {
  test::JobOptions options;
  options.ranks = 2;
  options.steps = 6;
  const test::TemporaryFolder folder;
  (void)test::generateJob(options, folder.path());
  const auto whole = load(folder.path().string(), {}, 2);
  int firstStep = 0;
  {
    const auto steps = Analysis(whole).steps(RankIndex(0));
    ASSERT_EQ(steps.size(), 6U);
    firstStep = static_cast<int>(steps[0].number);
  }
  const LoadFilter filter{.steps = LoadFilter::Steps{firstStep + 2, firstStep + 3}};
  const auto part = load(folder.path().string(), filter, 2);
  const auto rows = rowsOfSteps(*part, firstStep, firstStep + 5);
  EXPECT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows, rowsOfSteps(*whole, firstStep + 2, firstStep + 3));
  EXPECT_EQ(namesIn(*load(folder.path().string(), filter, 8)), namesIn(*part));
}

// Writes a job of two ranks and about 60,000 events.
std::vector<std::string> filesOfJob(const test::TemporaryFolder& folder) {
  test::JobOptions options;
  options.ranks = 2;
  options.targetEvents = 60'000;
  const test::JobTruth truth = test::generateJob(options, folder.path());
  std::vector<std::string> files;
  for (const auto& file : truth.files) files.push_back(folder / file.file);
  return files;
}

TEST(LoadEstimate, isNearWhatIsThereAndWhatAFilterLeaves) {
  const test::TemporaryFolder folder;
  const std::vector<std::string> files = filesOfJob(folder);
  for (const LoadFilter& filter : {LoadFilter{}, LoadFilter{.skipCpuOps = true}}) {
    const LoadEstimate estimate = estimateLoad(files, filter, 1);
    const auto set = load(folder.path().string(), filter);
    std::size_t events = 0;
    for (const RankEntry& rank : set->ranks()) events += rank.trace->events.size();
    EXPECT_NEAR(static_cast<double>(estimate.events), static_cast<double>(events),
                0.15 * static_cast<double>(events));
    EXPECT_GT(estimate.keptBytes, 33 * estimate.events);
    EXPECT_GT(estimate.peakBytes, estimate.keptBytes);
  }
  EXPECT_LT(estimateLoad(files, {.skipCpuOps = true}, 1).keptBytes, estimateLoad(files, {}, 1).keptBytes);
  EXPECT_LT(estimateLoad(files, {}, 1).peakBytes, estimateLoad(files, {}, 2).peakBytes);
}

// What an estimate says before a job is opened is what the open job says of itself, with and without filter.
TEST(LoadEstimate, countsEntriesAsTheOpenJobDoes) {
  const test::TemporaryFolder folder;
  const std::vector<std::string> files = filesOfJob(folder);
  const auto set = load(folder.path().string(), {});
  const auto events = static_cast<double>(set->eventCount());
  for (const LoadFilter& filter : {LoadFilter{}, LoadFilter{.skipCpuOps = true}})
    EXPECT_NEAR(static_cast<double>(estimateLoad(files, filter, 1).entries), events, 0.05 * events);
}

TEST(LoadEstimate, ofACompressedFileIsThatOfItsText) {
  test::JobOptions options;
  options.ranks = 1;
  options.targetEvents = 30'000;
  const test::TemporaryFolder folder;
  const test::JobTruth truth = test::generateJob(options, folder.path());
  const std::string plain = folder / truth.files.front().file;
  const std::string packed = folder / "packed/rank0.json.gz";
  std::ostringstream text;
  text << std::ifstream(plain, std::ios::binary).rdbuf();
  test::writeTraceFile(packed, text.str());
  const LoadEstimate ofPlain = estimateLoad(std::vector{plain}, {}, 1);
  const LoadEstimate ofPacked = estimateLoad(std::vector{packed}, {}, 1);
  EXPECT_EQ(ofPacked.textBytes, ofPlain.textBytes);
  EXPECT_TRUE(ofPacked.fromFrontOnly);
  EXPECT_GT(ofPacked.events, 0U);
}

TEST(LoadEstimate, ofWhatIsNoTraceIsNothing) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "notes.json";
  test::writeTraceFile(path, "{\"a\": [1, 2, 3]}");
  const LoadEstimate estimate = estimateLoad(std::vector{path, folder / "missing.json"}, {}, 1);
  EXPECT_EQ(estimate.events, 0U);
  EXPECT_EQ(estimate.peakBytes, 0U);
}

} // namespace
} // namespace rankscope
