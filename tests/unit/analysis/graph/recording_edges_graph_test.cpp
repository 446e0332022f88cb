// SPDX-License-Identifier: GPL-3.0-or-later
// A recording without steps that begins while the device works off what was launched before: the host is done
// long before the device, which may begin no earlier.
#include "core/analysis/graph/path_summary.h"
#include "core/analysis/graph/what_if.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/report_of.h"

#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace rankscope {

namespace {

constexpr int kKernels = 3;

// The host launches three kernels of 20 ms within 2 ms; the first one begins after `firstUs`.
void writeRecording(const std::filesystem::path& path, int firstUs) {
  std::string text = R"({"distributedInfo":{"rank":0,"world_size":1},"traceEvents":[)";
  for (int i = 0; i < kKernels; ++i) {
    const int call = 1'000 + 300 * i;
    fmt::format_to(
        std::back_inserter(text),
        R"({{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":{},"dur":50}},)"
        R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{},"dur":10,"args":{{"correlation":{}}}}},)"
        R"({{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":{},"dur":20000,"args":{{"device":0,"stream":7,"correlation":{}}}}},)",
        call, call + 20, 10 + i, firstUs + 20'000 * i, 10 + i);
  }
  text += R"({"ph":"X","cat":"cpu_op","name":"aten::view","pid":1,"tid":1,"ts":0,"dur":5}]})";
  std::ofstream(path) << text;
}

struct Recording {
  explicit Recording(int firstUs) {
    const test::TemporaryFolder folder;
    writeRecording(folder.path() / "rank0.json", firstUs);
    report = reportOf(folder.path());
  }
  [[nodiscard]] const WhatIf& whatIf() const { return report->whatIf(1); }
  [[nodiscard]] double gainMs(const char* scenario) const {
    const WhatIfAnswer answer = whatIf().answer(*scenarioFromText(scenario), false);
    EXPECT_EQ(answer.refused, "") << scenario;
    return answer.gain / 1e6;
  }
  [[nodiscard]] double onPathMs(PathCategory category) const {
    double sum = 0;
    for (const WindowPath& path : whatIf().path().windows)
      sum += static_cast<double>(categoryTimes(path.segments)[category]);
    return sum / 1e6;
  }

  std::unique_ptr<JobReport> report;
};

} // namespace

TEST(RecordingEdgesGraph, aDeviceThatWasBusyBeforeKeepsItsBegin) {
  const Recording recording(100'000);
  const MaxPlusGraph& graph = recording.whatIf().graph().graph;
  EXPECT_EQ(replayedTimes(graph, graph.lags), graph.time);
  EXPECT_NEAR(recording.onPathMs(PathCategory::Compute), 60, 0.1);
  EXPECT_NEAR(recording.onPathMs(PathCategory::Untraced), 100, 0.1);
  EXPECT_EQ(recording.onPathMs(PathCategory::Unexplained), 0);
  EXPECT_NEAR(recording.gainMs("kernel=0.5"), 30, 0.1);
  EXPECT_NEAR(recording.gainMs("zero_host"), 0, 0.1);
}

TEST(RecordingEdgesGraph, aDeviceThatWasIdleWaitsForTheHost) {
  const Recording recording(1'040);
  EXPECT_NEAR(recording.onPathMs(PathCategory::Compute), 60, 0.1);
  EXPECT_NEAR(recording.gainMs("kernel=0.5"), 30, 0.1);
  EXPECT_NEAR(recording.gainMs("zero_host"), 1, 0.1);
}

} // namespace rankscope
