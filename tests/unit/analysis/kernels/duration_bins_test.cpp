// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/kernels/duration_bins.h"

#include "core/base/statistics.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace rankscope {

namespace {

std::vector<TimeNs> someDurations(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> spread(9, 2);
  std::vector<TimeNs> durations(count);
  for (TimeNs& duration : durations) duration = static_cast<TimeNs>(spread(random));
  return durations;
}

// The least value that `percent` of all do not exceed, by its definition.
TimeNs percentileOf(std::vector<TimeNs> durations, std::size_t percent) {
  std::ranges::sort(durations);
  for (std::size_t i = 0; i < durations.size(); ++i) {
    if ((i + 1) * 100 >= durations.size() * percent) return durations[i];
  }
  return durations.back();
}

} // namespace

TEST(DurationBins, everyDurationIsInTheOneBinWhoseBoundsHoldIt) {
  for (const std::size_t count : {1U, 2U, 7U, 400U, 20'000U}) {
    const std::vector<TimeNs> durations = someDurations(count, static_cast<unsigned>(count));
    const DurationBins bins = durationBins(durations);
    ASSERT_EQ(bins.bounds.size(), bins.counts.size() + 1);
    EXPECT_LE(bins.counts.size(), 60U);
    EXPECT_TRUE(std::ranges::is_sorted(bins.bounds, std::less_equal()));
    EXPECT_EQ(std::accumulate(bins.counts.begin(), bins.counts.end(), std::int64_t{0}), bins.calls);
    EXPECT_GT(bins.counts.front(), 0);
    EXPECT_GT(bins.counts.back(), 0);
    for (std::size_t bin = 0; bin < bins.counts.size(); ++bin) {
      EXPECT_EQ(bins.counts[bin], std::ranges::count_if(durations, [&](TimeNs duration) {
                  return bins.bounds[bin] <= duration && duration < bins.bounds[bin + 1];
                }));
    }
    for (const TimeNs duration : durations) ASSERT_TRUE(bins.binOf(duration));
    EXPECT_EQ(bins.p50, wholeMedian(durations));
    EXPECT_EQ(bins.p90, percentileOf(durations, 90));
    EXPECT_EQ(bins.p99, percentileOf(durations, 99));
  }
}

TEST(DurationBins, equalDurationsShareOneBin) {
  const DurationBins bins = durationBins({5000, 5000, 5000});
  EXPECT_EQ(bins.bounds, (std::vector<TimeNs>{5000, 5001}));
  EXPECT_EQ(bins.counts, std::vector<std::int64_t>{3});
  EXPECT_FALSE(bins.binOf(4999));
  EXPECT_FALSE(bins.binOf(5001));
}

// As in the tables and in the summary.
TEST(DurationBins, theMedianOfAnEvenNumberIsBetweenTheMiddleTwo) {
  EXPECT_EQ(durationBins({10, 20, 40, 1000}).p50, 30);
  EXPECT_EQ(durationBins({10, 20, 40}).p50, 20);
}

TEST(DurationBins, callsWithoutDurationCountToo) {
  const DurationBins bins = durationBins({0, 0, 1, 1'000'000'000});
  EXPECT_EQ(bins.bounds.front(), 0);
  EXPECT_EQ(bins.shortest, 0);
  EXPECT_EQ(std::accumulate(bins.counts.begin(), bins.counts.end(), std::int64_t{0}), 4);
  EXPECT_TRUE(durationBins({}).bounds.empty());
}

TEST(DurationBins, boundsAreOfEqualRatio) {
  std::vector<TimeNs> durations(10'000);
  for (std::size_t i = 0; i < durations.size(); ++i) durations[i] = 1000 + static_cast<TimeNs>(i) * 100;
  const DurationBins bins = durationBins(durations, 10);
  ASSERT_EQ(bins.counts.size(), 10U);
  const auto ratio = [&](std::size_t i) {
    return static_cast<double>(bins.bounds[i + 1]) / static_cast<double>(bins.bounds[i]);
  };
  for (std::size_t i = 1; i < 10; ++i) EXPECT_NEAR(ratio(i), ratio(0), 0.01);
}

} // namespace rankscope
