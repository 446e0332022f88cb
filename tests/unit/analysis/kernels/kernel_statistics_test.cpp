// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/kernels/kernel_statistics.h"

#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>
#include <limits>

namespace rankscope {

namespace {

struct Computed {
  StringTable names;
  std::vector<KernelStatistics> kernels;
};

Computed statisticsOf(HandMadeRank rank) {
  StringInterner names;
  const auto trace = rank.build(names);
  return {names.snapshot(), kernelStatistics(*trace, names.snapshot())};
}

RawDevice reporting(float blocksPerSm, float occupancyPct) {
  RawDevice detail;
  detail.blocksPerSm = blocksPerSm;
  detail.occupancyPct = occupancyPct;
  return detail;
}

} // namespace

TEST(KernelStatistics, sumsCallsOfANameOverStreams) {
  HandMadeRank rank;
  rank.kernel(7, 0, 10, "a").kernel(8, 5, 20, "a").kernel(7, 30, 60, "a");
  const Computed result = statisticsOf(std::move(rank));
  ASSERT_EQ(result.kernels.size(), 1U);
  const KernelStatistics& a = result.kernels[0];
  EXPECT_EQ(a.calls, 3);
  EXPECT_EQ(a.total, 90);
  EXPECT_EQ(a.min, 10);
  EXPECT_EQ(a.max, 60);
  EXPECT_DOUBLE_EQ(a.meanNs, 30);
  // Of the sample: sqrt((400 + 100 + 900) / 2).
  ASSERT_TRUE(a.stddevNs);
  EXPECT_NEAR(*a.stddevNs, 26.457513110645906, 1e-9);
}

TEST(KernelStatistics, recordingsTogetherAreAsOneThatHeldAllCalls) {
  HandMadeRank first;
  first.kernel(7, 0, 10, "a").kernel(7, 20, 5, "only here");
  HandMadeRank second;
  second.kernel(7, 0, 40, "a").kernel(8, 5, 100, "a");
  HandMadeRank all;
  all.kernel(7, 0, 10, "a").kernel(7, 20, 5, "only here").kernel(7, 50, 40, "a").kernel(8, 5, 100, "a");
  const Computed expected = statisticsOf(std::move(all));

  StringInterner interner;
  const auto one = first.build(interner);
  const auto two = second.build(interner);
  const StringTable names = interner.snapshot();
  const std::vector<WindowOfTrace> recordings{{one.get(), kAllTime}, {two.get(), kAllTime}};
  const std::vector<KernelStatistics> together = kernelStatistics(recordings, names);
  ASSERT_EQ(together.size(), expected.kernels.size());
  for (std::size_t i = 0; i < together.size(); ++i) {
    const KernelStatistics& a = together[i];
    const KernelStatistics& b = expected.kernels[i];
    EXPECT_EQ(names[a.name], expected.names[b.name]);
    EXPECT_EQ(a.calls, b.calls);
    EXPECT_EQ(a.total, b.total);
    EXPECT_EQ(a.min, b.min);
    EXPECT_EQ(a.max, b.max);
    EXPECT_EQ(a.meanNs, b.meanNs);
    EXPECT_EQ(a.stddevNs.has_value(), b.stddevNs.has_value());
    EXPECT_NEAR(a.stddevNs.value_or(0), b.stddevNs.value_or(0), 1e-9);
  }
}

TEST(KernelStatistics, theSpreadOfOneCallIsNotKnown) {
  HandMadeRank rank;
  rank.kernel(7, 0, 10, "once");
  EXPECT_FALSE(statisticsOf(std::move(rank)).kernels[0].stddevNs);
}

TEST(KernelStatistics, theSpreadOfLongEqualCallsIsZero) {
  HandMadeRank rank;
  for (int i = 0; i < 1000; ++i) rank.kernel(7, i * 4'000'000'000, 3'999'999'999, "long");
  EXPECT_EQ(statisticsOf(std::move(rank)).kernels[0].stddevNs, 0.0);
}

TEST(KernelStatistics, isSortedByTotalThenByName) {
  HandMadeRank rank;
  rank.kernel(7, 0, 10, "z").kernel(7, 20, 10, "b").kernel(7, 40, 50, "m");
  const Computed result = statisticsOf(std::move(rank));
  std::string order;
  for (const KernelStatistics& kernel : result.kernels) order += result.names[kernel.name];
  EXPECT_EQ(order, "mbz");
}

TEST(KernelStatistics, oneNameInTwoClassesIsTwoEntries) {
  HandMadeRank rank;
  rank.kernel(7, 0, 10, "x")
      .collective(8, 0, 20, "x")
      .device(EventKind::Copy, 9, 0, 5, "x")
      .device(EventKind::Set, 9, 9, 6, "x");
  const Computed result = statisticsOf(std::move(rank));
  ASSERT_EQ(result.kernels.size(), 3U);
  EXPECT_EQ(result.kernels[0].deviceClass, DeviceClass::Communication);
  EXPECT_EQ(result.kernels[1].deviceClass, DeviceClass::Memory);
  EXPECT_EQ(result.kernels[1].total, 11);
  EXPECT_EQ(deviceClassText(result.kernels[2].deviceClass), "compute");
}

TEST(KernelStatistics, meansAreWeightedByDurationOverCallsThatReport) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  HandMadeRank rank;
  rank.device(EventKind::Kernel, 7, 0, 10, "a", reporting(1, 0))
      .device(EventKind::Kernel, 7, 20, 30, "a", reporting(2, 50))
      .device(EventKind::Kernel, 7, 60, 1000, "a", reporting(-1, -1))
      .device(EventKind::Kernel, 7, 2000, 1000, "a", reporting(kInfinity, kInfinity));
  const KernelStatistics a = statisticsOf(std::move(rank)).kernels[0];
  EXPECT_EQ(a.blocksPerSm, 1.75);
  EXPECT_EQ(a.occupancyPct, 37.5);
}

TEST(KernelStatistics, meansAreUnknownWhenNoCallReports) {
  HandMadeRank rank;
  rank.kernel(7, 0, 10, "a").device(EventKind::Kernel, 7, 20, 0, "b", reporting(3, 4));
  const Computed result = statisticsOf(std::move(rank));
  EXPECT_FALSE(result.kernels[0].blocksPerSm);
  EXPECT_FALSE(result.kernels[0].occupancyPct);
  EXPECT_EQ(result.kernels[1].blocksPerSm, 3.0) << "a call without duration still reports";
}

} // namespace rankscope
