// SPDX-License-Identifier: GPL-3.0-or-later
// Covers core/analysis/kernels/kernel_kind.
#include "core/analysis/kernels/contention.h"

#include "core/analysis/activity/device_activity.h"
#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>

namespace rankscope {

namespace {

RawDevice grid(float blocks) {
  RawDevice detail;
  detail.blocksPerSm = blocks;
  return detail;
}

Contention contentionOf(HandMadeRank events) {
  const auto job = HandMadeJob().add(0, std::move(events)).build();
  const RankTrace& trace = *job->ranks().at(0).trace;
  return contention(trace, deviceActivity(trace).communication);
}

} // namespace

TEST(Contention, comparesKernelsWithThemselves) {
  HandMadeRank rank;
  rank.collective(20, 100'000, 100'000, "ncclDevKernel_AllReduce");
  for (int i = 0; i < 3; ++i) rank.device(EventKind::Kernel, 7, i * 20'000, 10'000, "gemm", grid(2));
  for (int i = 0; i < 4; ++i)
    rank.device(EventKind::Kernel, 7, 100'000 + i * 20'000, 12'000, "gemm", grid(2));
  // Of another grid: no kernel of its own kind to be compared with.
  for (int i = 0; i < 3; ++i) rank.device(EventKind::Kernel, 8, 300'000 + i * 20'000, 1'000, "gemm", grid(1));
  const Contention found = contentionOf(std::move(rank));
  ASSERT_TRUE(found.factor());
  EXPECT_DOUBLE_EQ(*found.factor(), 1.2);
  ASSERT_EQ(found.kernels.size(), 4U);
  EXPECT_EQ(found.kernels.front().free, 10'000);
}

TEST(Contention, needsThreeOfEach) {
  HandMadeRank rank;
  rank.collective(20, 100'000, 100'000, "ncclDevKernel_AllReduce");
  for (int i = 0; i < 2; ++i) rank.device(EventKind::Kernel, 7, i * 20'000, 10'000, "gemm", grid(2));
  for (int i = 0; i < 4; ++i)
    rank.device(EventKind::Kernel, 7, 100'000 + i * 20'000, 12'000, "gemm", grid(2));
  EXPECT_FALSE(contentionOf(std::move(rank)).factor());
}

TEST(Contention, isNotKnownWithoutGrids) {
  HandMadeRank rank;
  rank.collective(20, 100'000, 100'000, "ncclDevKernel_AllReduce");
  for (int i = 0; i < 9; ++i) rank.kernel(7, i * 20'000, 10'000, "gemm");
  EXPECT_FALSE(contentionOf(std::move(rank)).factor());
}

} // namespace rankscope
