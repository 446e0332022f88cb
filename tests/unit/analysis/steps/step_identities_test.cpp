// SPDX-License-Identifier: GPL-3.0-or-later
// What must hold of the steps of every recording, and what another program computes on the same files.
#include "core/analysis/job/analysis.h"
#include "core/io/load/trace_loader.h"
#include "tests/support/shared_data.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

std::shared_ptr<const TraceSet> loaded(const fs::path& file) {
  Progress progress;
  auto result = loadTraces({file.string()}, {}, progress);
  return result.ok() ? *result : nullptr;
}

void expectIdentities(const Analysis& analysis, RankIndex rank) {
  const DeviceActivity& activity = analysis.activity(rank);
  const TimeNs busyComputing = unionOf(activity.compute, activity.memory).totalLength();
  EXPECT_LE(activity.compute.totalLength(), busyComputing);
  EXPECT_LE(busyComputing, activity.busy.totalLength());
  EXPECT_LE(activity.busy.totalLength(), activity.span.length());
  const IdleGaps& gaps = analysis.gaps(rank);
  TimeNs idle = gaps.shorter.time;
  for (const GapTotal& total : gaps.totals) idle += total.time;
  if (analysis.trace().rank(rank).trace->devices.size() == 1) {
    EXPECT_EQ(idle, activity.busy.hull().length() - activity.busy.totalLength());
  }
  const std::vector<StepWindow>& steps = analysis.stepWindows(rank).steps;
  const std::vector<StepBreakdown>& breakdown = analysis.stepBreakdown(rank);
  ASSERT_EQ(steps.size(), breakdown.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const StepBreakdown& b = breakdown[i];
    const TimeNs length = steps[i].range.length();
    EXPECT_EQ(std::accumulate(b.categories.begin(), b.categories.end(), TimeNs{0}), length);
    for (const TimeNs category : b.categories) EXPECT_GE(category, 0);
    EXPECT_LE(b.compute, length);
    EXPECT_LE(b.communication, length);
    EXPECT_EQ(b.overlap + b.exposedCommunication, b.communication);
    EXPECT_GE(b.exposedCommunication, 0);
    EXPECT_GE(b.idle.value_or(0), 0);
    EXPECT_LE(b.idle.value_or(0) + b.compute, length + (b.idle ? 0 : b.compute));
    if (i == 0) continue;
    EXPECT_LE(steps[i - 1].range.end, steps[i].range.begin);
  }
}

void expectIdentitiesOfAll(const std::vector<fs::path>& files) {
  ASSERT_FALSE(files.empty());
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.string());
    const auto trace = loaded(file);
    ASSERT_NE(trace, nullptr);
    const Analysis analysis(trace);
    for (const RankIndex rank : analysis.ranks()) expectIdentities(analysis, rank);
  }
}

class StepIdentities : public testing::TestWithParam<std::string> {};

using FieldsByName = std::map<std::string, std::string>;

std::vector<FieldsByName> csvOf(const fs::path& path) {
  std::ifstream stream(path);
  std::vector<std::string> titles;
  std::vector<FieldsByName> rows;
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::vector<std::string> cells;
    std::istringstream rest(line);
    for (std::string cell; std::getline(rest, cell, ',');) cells.push_back(cell);
    if (titles.empty()) {
      titles = cells;
      continue;
    }
    FieldsByName& row = rows.emplace_back();
    for (std::size_t i = 0; i < std::min(titles.size(), cells.size()); ++i) row[titles[i]] = cells[i];
  }
  return rows;
}

constexpr const char* kCategoryColumns[] = {"kernel_us",  "memcpy_us",     "memset_us",   "communication_us",
                                            "runtime_us", "dataloader_us", "cpu_exec_us", "other_us"};

void expectTime(TimeNs ours, const FieldsByName& row, const std::string& column) {
  EXPECT_NEAR(static_cast<double>(ours) / 1000, std::stod(row.at(column)), 0.01) << column;
}

} // namespace

TEST_P(StepIdentities, holdOfEveryRecording) {
  RANKSCOPE_SKIP_UNLESS(!GetParam().empty(), test::kNoRecordings);
  expectIdentitiesOfAll(test::recordingsBelow(test::sharedFolder() / "traces" / GetParam()));
}

INSTANTIATE_TEST_SUITE_P(All, StepIdentities, testing::ValuesIn(test::sharedTraceSets()),
                         [](const auto& set) { return test::testNameOf(set.param); });

TEST(StepIdentitiesOfCaptures, holdOfEveryRecording) {
  expectIdentitiesOfAll(test::recordingsBelow(test::captureFolder("")));
}

TEST(StepIdentitiesOfCaptures, holdOfJobsInTwoDimensions) {
  const fs::path folder = test::sharedFolder() / "captures" / "parallel";
  RANKSCOPE_SKIP_UNLESS(fs::exists(folder), test::kNoRecordings);
  expectIdentitiesOfAll(test::recordingsBelow(folder));
}

namespace {

// "key": number of each line of a ground_truth.json, by rank and step.
using PhaseTruth = std::map<std::pair<int, int>, std::map<std::string, TimeNs>>;

PhaseTruth phaseTruthOf(const fs::path& path) {
  PhaseTruth truth;
  std::ifstream stream(path);
  int rank = -1;
  int step = -1;
  for (std::string line; std::getline(stream, line);) {
    const std::size_t open = line.find('"');
    const std::size_t close = line.find("\": ", open + 1);
    if (open == std::string::npos || close == std::string::npos) continue;
    const std::string key = line.substr(open + 1, close - open - 1);
    const std::string value = line.substr(close + 3);
    if (value.find_first_not_of("0123456789,") != std::string::npos) continue;
    if (key == "rank")
      rank = std::stoi(value);
    else if (key == "step")
      step = std::stoi(value);
    else if (key.ends_with("_ns"))
      truth[{rank, step}][key] = std::stoll(value);
  }
  return truth;
}

} // namespace

// The job took the time of its phases itself, outside the profiler.
TEST(StepsOfCaptures, areAsLongAsTheJobSaysItsPhasesWere) {
  const fs::path folder = test::captureFolder("torch-2.6.0/ddp4_straggler");
  const PhaseTruth truth = phaseTruthOf(folder / "ground_truth.json");
  const auto trace = loaded(folder);
  ASSERT_NE(trace, nullptr);
  const Analysis analysis(trace);
  constexpr double kTolerance = 150'000; // ns; the profiler's own work lies between the two clocks' readings
  int compared = 0;
  for (const RankIndex rank : analysis.ranks()) {
    const std::vector<StepWindow>& steps = analysis.stepWindows(rank).steps;
    for (std::size_t i = 0; i < steps.size(); ++i, ++compared) {
      const auto& phases = truth.at({trace->rank(rank).rank, static_cast<int>(steps[i].number)});
      const StepBreakdown& ours = analysis.stepBreakdown(rank)[i];
      const auto near = [&](TimeNs time, TimeNs expected, const char* what) {
        EXPECT_NEAR(static_cast<double>(time), static_cast<double>(expected), kTolerance) << what;
      };
      near(steps[i].range.length(), phases.at("step_ns"), "step");
      near(ours.forward, phases.at("forward_ns"), "forward");
      near(ours.loss, phases.at("loss_ns"), "loss");
      near(ours.backward, phases.at("backward_ns"), "backward");
      near(ours.optimizer, phases.at("optimizer_ns") + phases.at("zero_grad_ns"), "optimizer");
      near(ours.dataLoader, phases.at("data_ns"), "dataloader");
    }
  }
  EXPECT_EQ(compared, 20);
}

// Sets in which none of the plugin's quirks touches the steps; in the first of them none the categories.
TEST(StepsOfThePlugin, areOursWhenItsTailIsDroppedToo) {
  const fs::path oracles = test::sharedFolder() / "oracles";
  RANKSCOPE_SKIP_UNLESS(fs::exists(oracles), "no figures of other programs at " + oracles.string());
  for (const std::string set :
       {"resnet50-v100-workers0", "resnet50-v100-workers4", "cpu-only-rank34of300", "a100-rank3of8",
        "h100-owlv2", "h100-qwen", "mi250-minitoy", "v100-rank1of2"}) {
    SCOPED_TRACE(set);
    const std::vector<FieldsByName> rows = csvOf(oracles / set / "tb_steps.csv");
    const bool compareCategories = set.starts_with("resnet") || set.starts_with("cpu");
    std::size_t row = 0;
    for (const fs::path& file : test::recordingsBelow(test::sharedFolder() / "traces" / set)) {
      const auto trace = loaded(file);
      ASSERT_NE(trace, nullptr);
      const RankTrace& rank = *trace->ranks().front().trace;
      const StepWindows steps =
          stepWindows(rank, trace->names(), stepsOf(rank, trace->names()), kAllTime, {.dropTail = true});
      const HostActivity host = hostActivity(rank, trace->names(), steps);
      const auto breakdown = stepBreakdown(rank, steps, deviceActivity(rank), host, {});
      for (std::size_t i = 0; i < steps.steps.size(); ++i, ++row) {
        ASSERT_LT(row, rows.size());
        EXPECT_EQ(std::to_string(steps.steps[i].number), rows[row].at("step"));
        expectTime(steps.steps[i].range.length(), rows[row], "total_us");
        for (std::size_t c = 0; compareCategories && c < kStepCategoryCount; ++c)
          expectTime(breakdown[i].categories[c], rows[row], kCategoryColumns[c]);
      }
    }
    if (set == "resnet50-v100-workers4") continue; // one of its two files is not there
    EXPECT_EQ(row, rows.size());
  }
}

} // namespace rankscope
