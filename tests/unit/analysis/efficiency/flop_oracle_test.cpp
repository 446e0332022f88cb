// SPDX-License-Identifier: GPL-3.0-or-later
// FLOPs of real recordings against those of an independent script (oracles/flops of the shared folder): per
// operator and shapes, per step, bytes and device time. Covers core/analysis/efficiency/rank_flops,
// core/analysis/efficiency/step_efficiency, core/analysis/efficiency/job_efficiency.
#include "core/analysis/efficiency/job_efficiency.h"
#include "core/export/csv.h"
#include "core/io/load/trace_loader.h"
#include "core/report/job_report.h"
#include "core/report/tables.h"
#include "tests/support/shared_data.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> cellsOf(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else if (c != '\r')
      cells.back() += c;
  }
  return cells;
}

using OracleRow = std::map<std::string, std::string>;

std::vector<OracleRow> rowsOf(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::vector<std::string> header;
  std::vector<OracleRow> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = cellsOf(line);
    if (header.empty()) {
      header = cells;
      continue;
    }
    OracleRow& row = rows.emplace_back();
    for (std::size_t i = 0; i < header.size() && i < cells.size(); ++i) row[header[i]] = cells[i];
  }
  return rows;
}

std::string withoutSpaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

// The sets with oracles, and where their recordings are: "capture-NAME-VERSION" is one of captures/parallel.
std::vector<std::string> oracleSets() {
  std::vector<std::string> sets;
  const fs::path folder = test::sharedFolder() / "oracles" / "flops";
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_directory()) sets.push_back(entry.path().filename().string());
  }
  std::sort(sets.begin(), sets.end());
  if (sets.empty()) sets.emplace_back();
  return sets;
}

fs::path recordingsOf(const std::string& set) {
  if (!set.starts_with("capture-")) return test::sharedFolder() / "traces" / set;
  const std::size_t dash = set.rfind('-');
  return test::sharedFolder() / "captures" / "parallel" / ("torch-" + set.substr(dash + 1)) /
         set.substr(8, dash - 8);
}

struct Sums {
  std::int64_t calls = 0;
  std::int64_t flops = 0;
  std::int64_t executed = 0;
  std::int64_t bytes = 0;
  std::int64_t kernels = 0;
  TimeNs device = 0;
};

// The files of a set that the script was given, each loaded by itself: a folder may hold several jobs.
class FlopOracle : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    RANKSCOPE_SKIP_UNLESS(!GetParam().empty(), test::kNoRecordings);
    m_operators = rowsOf(test::sharedFolder() / "oracles" / "flops" / GetParam() / "flops_operators.csv");
    m_steps = rowsOf(test::sharedFolder() / "oracles" / "flops" / GetParam() / "flops_steps.csv");
    std::set<std::string> files;
    for (OracleRow& row : m_steps) files.insert(row["file"]);
    for (const fs::path& path : test::recordingsBelow(recordingsOf(GetParam()))) {
      if (!files.contains(path.filename().string())) continue;
      Progress progress;
      auto loaded = loadTraces({path.string()}, {}, progress);
      ASSERT_TRUE(loaded.ok()) << loaded.error().text();
      m_reports.emplace(path.filename().string(),
                        std::make_unique<JobReport>(std::make_shared<const Analysis>(*loaded)));
    }
    EXPECT_EQ(m_reports.size(), files.size());
  }

  std::vector<OracleRow> m_operators;
  std::vector<OracleRow> m_steps;
  std::map<std::string, std::unique_ptr<JobReport>> m_reports; // by file
};

// The script leaves products with vectors to PyTorch's counter, which has none for them, and does not read
// annotations.
bool countsInScript(const FlopCall& call) {
  return call.work.known() && call.work.kind != FlopKind::Vector && call.work.tier != FlopTier::Annotation;
}

// Operators that did not run count here: the script does not leave them out.
Sums sumsOf(const FlopCall& call) {
  const TimeNs device = static_cast<std::int64_t>(call.deviceTime);
  return {
      1,     call.work.flops, call.work.executed, std::max<std::int64_t>(call.work.bytes, 0), call.kernels,
      device};
}

void add(Sums& to, const Sums& of) {
  to.calls += of.calls;
  to.flops += of.flops;
  to.executed += of.executed;
  to.bytes += of.bytes;
  to.kernels += of.kernels;
  to.device += of.device;
}

} // namespace

TEST_P(FlopOracle, operatorsAreCountedAsByTheScript) {
  using Key = std::tuple<std::string, std::string, std::string>; // file, operator, shapes
  std::map<Key, Sums> sums;
  for (const auto& [file, report] : m_reports) {
    const TraceSet& trace = report->analysis().trace();
    const RankFlops& flops = report->flops().of(RankIndex(0)).flops;
    for (const FlopCall& call : flops.calls) {
      if (!countsInScript(call)) continue;
      const std::string name(trace.names()[trace.ranks().front().trace->events.name[call.op]]);
      const bool byParent = name.find("convolution_backward_") != std::string::npos;
      add(sums[{file, name, byParent ? "" : withoutSpaces(flops.shapes[call.shapes])}], sumsOf(call));
    }
  }
  std::map<Key, Sums> expected;
  std::set<Key> withoutBytes;
  for (OracleRow& row : m_operators) {
    const Key key(row["file"], row["operator"], row["input_dims"]);
    const bool known = !row["bytes"].empty();
    if (!known) withoutBytes.insert(key);
    add(expected[key], {std::stoll(row["calls"]), std::stoll(row["flops"]), std::stoll(row["executed_flops"]),
                        known ? std::stoll(row["bytes"]) : 0, std::stoll(row["kernels"]),
                        static_cast<TimeNs>(std::llround(std::stod(row["device_us"]) * 1e3))});
  }
  EXPECT_FALSE(expected.empty());
  for (const auto& [key, of] : expected) {
    const auto& [file, name, shapes] = key;
    SCOPED_TRACE(file + " " + name + " " + shapes);
    const auto found = sums.find(key);
    if (found == sums.end()) {
      ADD_FAILURE() << "not counted";
      continue;
    }
    EXPECT_EQ(found->second.calls, of.calls);
    EXPECT_EQ(found->second.flops, of.flops);
    EXPECT_EQ(found->second.executed, of.executed);
    if (!withoutBytes.contains(key)) {
      EXPECT_EQ(found->second.bytes, of.bytes);
    }
    EXPECT_EQ(found->second.kernels, of.kernels);
    EXPECT_NEAR(static_cast<double>(found->second.device), static_cast<double>(of.device), 10.0);
  }
  for (const auto& [key, of] : sums) {
    if (of.flops == 0) continue;
    EXPECT_TRUE(expected.contains(key)) << std::get<1>(key) << " " << std::get<2>(key) << ": " << of.flops;
  }
}

TEST_P(FlopOracle, stepsHaveTheFlopsOfOperatorsThatBeginInThem) {
  std::map<std::pair<std::string, std::string>, OracleRow> expected;
  for (OracleRow& row : m_steps) expected[{row["file"], row["step"]}] = row;
  std::size_t compared = 0;
  for (const auto& [file, report] : m_reports) {
    const RankTrace& trace = *report->analysis().trace().ranks().front().trace;
    for (const Step& step : report->analysis().steps(RankIndex(0))) {
      const auto found = expected.find({file, "ProfilerStep#" + std::to_string(step.number)});
      if (found == expected.end()) continue;
      ++compared;
      Sums sums;
      for (const FlopCall& call : report->flops().of(RankIndex(0)).flops.calls) {
        if (countsInScript(call) && step.range.contains(trace.events.begin[call.op])) add(sums, sumsOf(call));
      }
      SCOPED_TRACE(file + " " + found->first.second);
      EXPECT_EQ(sums.calls, std::stoll(found->second["operators"]));
      EXPECT_EQ(sums.flops, std::stoll(found->second["flops"]));
      EXPECT_EQ(sums.executed, std::stoll(found->second["executed_flops"]));
      EXPECT_NEAR(static_cast<double>(sums.device), std::stod(found->second["device_us"]) * 1e3, 10.0);
    }
  }
  std::size_t steps = 0;
  for (const auto& [key, row] : expected) steps += key.second == "all" ? 0 : 1;
  EXPECT_EQ(compared, steps);
}

// FlopCounterMode's own figures of the run, by operator: with (hardware) and without (model) recomputation.
// It does not know the attention of the CPU, and never saw the operators at which checkpointing stopped.
TEST(FlopTruth, recomputationIsWhatTheCounterSawTwice) {
  const fs::path folder = test::sharedFolder() / "captures" / "parallel" / "torch-2.6.0" / "recompute_causal";
  RANKSCOPE_SKIP_UNLESS(fs::exists(folder), test::kNoRecordings);
  Progress progress;
  auto loaded = loadTraces({folder.string()}, {}, progress);
  ASSERT_TRUE(loaded.ok());
  const JobReport report(std::make_shared<const Analysis>(*loaded));
  const RankEntry& entry = (*loaded)->ranks().front();
  std::int64_t hardware = 0;
  std::int64_t model = 0;
  std::int64_t stopped = 0;
  for (const FlopCall& call : report.flops().of(RankIndex(0)).flops.calls) {
    const bool isAttention =
        call.work.kind == FlopKind::Attention || call.work.kind == FlopKind::AttentionBackward;
    if (!report.analysis().steps(RankIndex(0)).front().range.contains(entry.trace->events.begin[call.op]))
      continue;
    if (!call.ran) ++stopped;
    if (!call.counts() || isAttention) continue;
    hardware += call.work.flops;
    if (!call.recomputed) model += call.work.flops;
  }
  EXPECT_EQ(hardware, 122'241'024);
  EXPECT_EQ(model, 103'366'656);
  EXPECT_EQ(stopped, 3);
}

// 19 of 20 convolutions of a step run again.
TEST(FlopTruth, checkpointedConvolutionsAreRecomputed) {
  const fs::path folder = test::sharedFolder() / "traces" / "mi300-resnet-checkpoint";
  RANKSCOPE_SKIP_UNLESS(fs::exists(folder), test::kNoRecordings);
  Progress progress;
  auto loaded = loadTraces({folder.string()}, {}, progress);
  ASSERT_TRUE(loaded.ok());
  const JobReport report(std::make_shared<const Analysis>(*loaded));
  const std::vector<FlopCall>& calls = report.flops().of(RankIndex(0)).flops.calls;
  EXPECT_EQ(std::ranges::count_if(calls,
                                  [](const FlopCall& call) {
                                    return call.recomputed && call.work.kind == FlopKind::Convolution;
                                  }),
            57);
}

INSTANTIATE_TEST_SUITE_P(All, FlopOracle, testing::ValuesIn(oracleSets()),
                         [](const auto& set) { return test::testNameOf(set.param); });

} // namespace rankscope
