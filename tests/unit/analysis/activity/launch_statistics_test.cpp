// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/activity/launch_statistics.h"

#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>
#include <random>

namespace rankscope {

namespace {

RawDevice launchedBy(std::uint64_t correlation) {
  RawDevice detail;
  detail.correlation = correlation;
  return detail;
}

std::shared_ptr<const RankTrace> traceOf(HandMadeRank rank) {
  StringInterner names;
  return rank.build(names);
}

TrackIndex streamOf(const RankTrace& trace) {
  return trace.trackOf(trace.deviceBegin);
}

// Three launches ahead of a stream that works them off.
HandMadeRank hostAhead() {
  HandMadeRank rank;
  for (std::uint32_t i = 1; i <= 3; ++i) rank.runtime(i * 10, 5, "cudaLaunchKernel", i);
  rank.device(EventKind::Kernel, 7, 20, 100, "a", launchedBy(1))
      .device(EventKind::Copy, 7, 120, 100, "Memcpy HtoD", launchedBy(2))
      .device(EventKind::Kernel, 7, 220, 2, "b", launchedBy(3));
  return rank;
}

} // namespace

TEST(LaunchStatistics, delaysRunFromTheEndOfTheCallAndAreNeverNegative) {
  HandMadeRank rank = hostAhead();
  rank.runtime(300, 50, "cudaLaunchKernel", 9);
  rank.device(EventKind::Collective, 8, 310, 60, "nccl", launchedBy(9)); // began before its call returned
  rank.kernel(7, 500, 10, "launched before the recording");
  const LaunchStatistics s = launchStatistics(*traceOf(std::move(rank)), {});
  EXPECT_EQ(s.kernels, 4);
  EXPECT_EQ(s.launched, 3);
  EXPECT_EQ(s.delayTotal, 5 + 185 + 0);
  EXPECT_EQ(s.delayMedian, 5);
  EXPECT_EQ(s.callTotal, 5 + 5 + 50);
  EXPECT_EQ(s.shorterThanCall, 1);
  EXPECT_NEAR(s.shorterThanCallPct().value(), 100.0 / 3, 1e-9);
}

TEST(LaunchStatistics, kernelsOfOneGraphAreWeighedTogetherAgainstItsLaunch) {
  HandMadeRank rank;
  rank.runtime(0, 50, "cudaGraphLaunch", 1).runtime(100, 50, "cudaGraphLaunch", 2);
  for (int i = 0; i < 10; ++i) rank.device(EventKind::Kernel, 7, 200 + i * 10, 6, "k", launchedBy(1));
  for (int i = 0; i < 5; ++i) rank.device(EventKind::Kernel, 7, 400 + i * 10, 6, "k", launchedBy(2));
  const LaunchStatistics s = launchStatistics(*traceOf(std::move(rank)), {});
  EXPECT_EQ(s.shorterThanCall, 5);
  EXPECT_EQ(s.callTotal, 100);
}

TEST(LaunchStatistics, depthIsWhatWasLaunchedAndHasNotBegun) {
  const auto trace = traceOf(hostAhead());
  EXPECT_EQ(queueLevels(*trace, streamOf(*trace)),
            (std::vector<QueueLevel>{{10, 1}, {20, 1}, {30, 2}, {120, 1}, {220, 0}}));
  const LaunchStatistics s = launchStatistics(*trace, {});
  ASSERT_EQ(s.queues.size(), 1U);
  EXPECT_EQ(s.queues[0].launches, 3);
  EXPECT_EQ(s.queues[0].maxDepth, 2);
  EXPECT_DOUBLE_EQ(s.queues[0].meanDepth, (20 * 1 + 90 * 2 + 100 * 1) / 210.0);
}

TEST(LaunchStatistics, anEventBeforeItsLaunchLeavesNoNegativeDepth) {
  HandMadeRank rank;
  rank.runtime(100, 5, "cudaLaunchKernel", 1).device(EventKind::Kernel, 7, 90, 5, "k", launchedBy(1));
  const auto trace = traceOf(std::move(rank));
  EXPECT_EQ(queueLevels(*trace, streamOf(*trace)), (std::vector<QueueLevel>{{90, 0}}));
}

TEST(LaunchStatistics, kernelsPerStepAreThoseThatBeginInIt) {
  HandMadeRank rank;
  rank.kernel(7, 0, 150, "a").kernel(7, 160, 10, "b").kernel(8, 199, 50, "c").kernel(7, 350, 10, "between");
  rank.device(EventKind::Copy, 9, 20, 5, "Memcpy");
  const auto trace = traceOf(std::move(rank));
  const std::vector<TimeRange> steps{{0, 100}, {50, 120}, {100, 200}, {200, 300}};
  EXPECT_DOUBLE_EQ(launchStatistics(*trace, steps).kernelsPerStep.value(), 1.0);
  EXPECT_FALSE(launchStatistics(*trace, {}).kernelsPerStep);
}

TEST(LaunchStatistics, aWindowHoldsTheKernelsThatBeginInItAndItsPartOfTheQueue) {
  const LaunchStatistics s = launchStatistics(*traceOf(hostAhead()), {}, {100, 230});
  EXPECT_EQ(s.kernels, 1);
  EXPECT_EQ(s.delayTotal, 185);
  ASSERT_EQ(s.queues.size(), 1U);
  EXPECT_EQ(s.queues[0].launches, 2);
  EXPECT_DOUBLE_EQ(s.queues[0].meanDepth, (20 * 2 + 100 * 1) / 120.0);
}

TEST(LaunchStatistics, levelsAgreeWithCountingAtEveryTime) {
  std::mt19937 random(2);
  HandMadeRank rank;
  std::vector<std::pair<TimeNs, TimeNs>> pairs; // issue, begin
  for (std::uint32_t i = 1; i <= 300; ++i) {
    const TimeNs issue = random() % 2000;
    const TimeNs begin = issue + static_cast<TimeNs>(random() % 200) - 20;
    rank.runtime(issue, 1, "cudaLaunchKernel", i)
        .device(EventKind::Kernel, 7, begin, 1 + random() % 30, "k", launchedBy(i));
    pairs.emplace_back(std::min(issue, begin), begin);
  }
  const auto trace = traceOf(std::move(rank));
  const std::vector<QueueLevel> levels = queueLevels(*trace, streamOf(*trace));
  for (std::size_t i = 0; i < levels.size(); ++i) {
    std::int64_t depth = 0;
    for (const auto& [issue, begin] : pairs) depth += issue <= levels[i].time && begin > levels[i].time;
    ASSERT_EQ(levels[i].depth, depth);
    if (i > 0) {
      ASSERT_LT(levels[i - 1].time, levels[i].time);
    }
  }
  EXPECT_EQ(levels.back().depth, 0);
}

} // namespace rankscope
