// SPDX-License-Identifier: GPL-3.0-or-later
// Jobs without a device, whose collectives run on threads of gloo: the thread that waits goes on when the
// last rank began, so what a late rank costs is what it is late. Compared with times that the job measured
// itself.
#include "core/analysis/graph/path_summary.h"
#include "core/analysis/graph/what_if.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/report_of.h"

#include <array>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

WhatIfAnswer answered(const WhatIf& whatIf, const char* scenario) {
  return whatIf.answer(*scenarioFromText(scenario), false);
}

std::vector<double> recordedSteps(const WhatIf& whatIf) {
  std::vector<double> lengths;
  for (const std::size_t window : whatIf.keptWindows())
    lengths.push_back(static_cast<double>(whatIf.graph().windows[window].range.length()));
  return lengths;
}

// How a thread learns that a collective is done.
enum class Wait : std::uint8_t {
  InHole,     // records nothing until it goes on
  BeforeEnd,  // the same, but goes on before the end that gloo records
  InOperator, // in an operator that waits
};

constexpr double kStepUs = 120'000;
constexpr double kLateUs = 50'000;

// Of three steps: forward takes 10 ms, on rank 1 kLateUs more; then all wait for an AllReduce.
void writeRank(const fs::path& folder, int rank, Wait wait) {
  std::ofstream file(folder / fmt::format("rank{}.json", rank));
  file << R"({"distributedInfo":{"backend":"gloo","rank":)" << rank << R"(,"world_size":2},"traceEvents":[)";
  const auto add = [&](const char* category, const char* name, int thread, double begin, double duration) {
    file << fmt::format(
        R"({{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{}}}},)",
        category, name, 100 + rank, thread, begin, duration);
  };
  for (int step = 0; step < 3; ++step) {
    const double begin = 1e9 + kStepUs * step;
    const double forward = 10'000 + (rank == 1 ? kLateUs : 0);
    const double started = begin + 100 + forward + 100;
    const double done = begin + 100 + 10'000 + kLateUs + 100 + 1'000;
    const double resumed = wait == Wait::BeforeEnd ? done - 30 : done + 30;
    add("user_annotation", fmt::format("ProfilerStep#{}", step).c_str(), 1, begin, resumed + 8'000 - begin);
    add("cpu_op", "aten::addmm", 1, begin + 100, forward);
    add("cpu_op", "c10d::allreduce_", 1, started, 80);
    add("user_annotation", "gloo:all_reduce", 2, started + 40, done - started - 40);
    if (wait == Wait::InOperator)
      add("cpu_op", "_c10d_functional::wait_tensor", 1, started + 90, resumed - started - 90);
    add("cpu_op", "aten::add_", 1, resumed, 7'900);
  }
  file << R"({"ph":"i","name":"end","pid":0,"tid":0,"ts":0}]})";
}

class HostCollectivesGraph : public testing::TestWithParam<Wait> {};

} // namespace

TEST_P(HostCollectivesGraph, aLateRankCostsWhatItIsLate) {
  const test::TemporaryFolder folder;
  for (const int rank : {0, 1}) writeRank(folder.path(), rank, GetParam());
  const auto report = reportOf(folder.path());
  const WhatIf& whatIf = report->whatIf(1);
  const MaxPlusGraph& graph = whatIf.graph().graph;
  EXPECT_EQ(replayedTimes(graph, graph.lags), graph.time);
  ASSERT_EQ(whatIf.graph().joins.size(), 3U);

  const WhatIfAnswer asPeers = answered(whatIf, "rank_as_peers=1");
  ASSERT_EQ(asPeers.refused, "");
  EXPECT_NEAR(asPeers.gain, kLateUs * 1e3, 200e3);
  EXPECT_NEAR(answered(whatIf, "rank_as_peers=0").gain, 0, 200e3);
  EXPECT_NEAR(answered(whatIf, "host=1").gain, 0, 1);
  // The transfer: gloo's end after the begin of the last rank.
  EXPECT_NEAR(answered(whatIf, "transfer_zero").gain, 960e3, 100e3);
  // What is left is the work of the late rank.
  EXPECT_NEAR(answered(whatIf, "perfect_overlap").gain, 1'000e3, 150e3);
  // The host is what computes.
  for (const char* const scenario : {"zero_host", "no_gap=host.input"})
    EXPECT_EQ(answered(whatIf, scenario).refused,
              "no device activity was recorded; if the job ran on a GPU, record with "
              "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]");
}

INSTANTIATE_TEST_SUITE_P(Waits, HostCollectivesGraph,
                         testing::Values(Wait::InHole, Wait::BeforeEnd, Wait::InOperator));

// Its forward sleeps 60 ms and multiplies more; ground_truth.json has the times of each step.
TEST(HostCollectivesOfCaptures, theStragglerCostsTheExcessOfItsForward) {
  constexpr std::array<double, 5> kExcessMs{166.0, 161.1, 167.5, 170.9, 244.1};
  const auto report = reportOf(test::captureFolder("torch-2.6.0/ddp4_straggler"));
  const WhatIf& whatIf = report->whatIf(1);
  const std::vector<double> recorded = recordedSteps(whatIf);
  const WhatIfAnswer asPeers = answered(whatIf, "rank_as_peers=2");
  ASSERT_EQ(recorded.size(), kExcessMs.size());
  ASSERT_EQ(asPeers.windowTimes.size(), kExcessMs.size());
  for (std::size_t i = 0; i < recorded.size(); ++i)
    EXPECT_NEAR((recorded[i] - asPeers.windowTimes[i]) / 1e6, kExcessMs[i], 0.15 * kExcessMs[i]) << i;

  // The path is its work, not the waiting of others.
  double own = 0, all = 0;
  for (const WindowPath& path : whatIf.path().windows) {
    for (const PathSegment& segment : path.segments) {
      all += static_cast<double>(segment.duration());
      if (report->analysis().trace().rank(segment.rank).rank == 2)
        own += static_cast<double>(segment.duration());
    }
  }
  EXPECT_GT(own, 0.85 * all);
}

// Each rank runs the same; the machine has fewer cores than ranks.
TEST(HostCollectivesOfCaptures, aHealthyJobHasLittleToGainFromItsRanks) {
  const auto report = reportOf(test::captureFolder("torch-2.6.0/ddp4_healthy"));
  const WhatIfAnswer answer = answered(report->whatIf(1), "no_stragglers");
  EXPECT_LT(std::abs(answer.gain), 0.1 * answer.base);
}

} // namespace rankscope
