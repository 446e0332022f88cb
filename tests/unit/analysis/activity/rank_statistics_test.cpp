// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/activity/rank_statistics.h"
#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>

namespace rankscope {

namespace {

RankStatistics statisticsOf(HandMadeRank rank) {
  StringInterner names;
  const auto trace = rank.build(names);
  const StringTable table = names.snapshot();
  const StepWindows steps = stepWindows(*trace, table, stepsOf(*trace, table));
  return rankStatistics(*trace, deviceActivity(*trace), steps);
}

} // namespace

TEST(RankStatistics, addUpToTheSpan) {
  HandMadeRank rank;
  // compute 100..300, communication 250..400, copy 600..650; idle 400..600.
  rank.kernel(7, 100, 200, "gemm")
      .collective(20, 250, 150, "allreduce")
      .device(EventKind::Copy, 9, 600, 50, "copy");
  const RankStatistics r = statisticsOf(std::move(rank));
  EXPECT_TRUE(r.hasDeviceActivity);
  EXPECT_EQ(r.gpuSpan, 550);
  EXPECT_EQ(r.gpuBusy, 350);
  EXPECT_EQ(r.idle, 200);
  EXPECT_EQ(r.gpuBusy + r.idle, r.gpuSpan);
  EXPECT_EQ(r.compute, 200);
  EXPECT_EQ(r.communication, 150);
  EXPECT_EQ(r.overlap, 50);
  EXPECT_EQ(r.exposedCommunication, 100);
  EXPECT_EQ(r.memory, 50);
  ASSERT_TRUE(r.overlapPct);
  EXPECT_DOUBLE_EQ(*r.overlapPct, 100.0 / 3);
}

TEST(RankStatistics, ofAHostAloneSayNothingOfADevice) {
  HandMadeRank rank;
  rank.op(0, 100, "aten::mm");
  const RankStatistics r = statisticsOf(std::move(rank));
  EXPECT_FALSE(r.hasDeviceActivity);
  EXPECT_EQ(r.gpuSpan, 0);
  EXPECT_EQ(r.idle, 0);
  EXPECT_EQ(r.overlapPct, std::nullopt);
  EXPECT_EQ(r.steps, 0);
}

} // namespace rankscope
