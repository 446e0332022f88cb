// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace rankscope {

namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

std::vector<std::int64_t> randomValues(std::mt19937_64& random, std::size_t count) {
  std::uniform_int_distribution<std::int64_t> value(-50, 50);
  std::vector<std::int64_t> values(count);
  for (std::int64_t& v : values) v = value(random);
  return values;
}

} // namespace

TEST(Statistics, theMedianIsTheMiddleValueOrTheMeanOfTheTwoInTheMiddle) {
  EXPECT_EQ(median(std::vector<double>{7}), 7);
  EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(median(std::vector<double>{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median(std::vector<std::int64_t>{1, 2}), 1.5);
  EXPECT_EQ(median(std::vector<std::int64_t>{5, 5, 5, 5}), 5);
}

TEST(Statistics, aWholeMedianRoundsAHalfAwayFromZero) {
  EXPECT_EQ(wholeMedian({1, 2}), 2);
  EXPECT_EQ(wholeMedian({-1, -2}), -2);
  EXPECT_EQ(wholeMedian({-1, 0}), -1);
  EXPECT_EQ(wholeMedian({-3, 2}), -1);
  EXPECT_EQ(wholeMedian({10, 1, 4}), 4);
  EXPECT_EQ(wholeMedian({2, 4}), 3);
}

TEST(Statistics, aWholeMedianIsExactHoweverLargeTheValues) {
  EXPECT_EQ(wholeMedian({kMax, kMax - 2}), kMax - 1);
  EXPECT_EQ(wholeMedian({kMin, kMax}), -1);
  EXPECT_EQ(wholeMedian({kMin, kMin}), kMin);
  EXPECT_EQ(wholeMedian({(std::int64_t{1} << 60) + 1, (std::int64_t{1} << 60) + 3}),
            (std::int64_t{1} << 60) + 2);
}

TEST(Statistics, theMedianElementIsTheLowerOfTwoInTheMiddle) {
  EXPECT_EQ(medianPlace(1), 0u);
  EXPECT_EQ(medianPlace(2), 0u);
  EXPECT_EQ(medianPlace(3), 1u);
  EXPECT_EQ(medianPlace(4), 1u);
  std::vector<int> values{4, 1, 3, 2};
  EXPECT_EQ(percentile(values, 50), 2);
}

TEST(Statistics, mediansAgreeWithSorting) {
  std::mt19937_64 random(1);
  for (std::size_t count = 1; count < 60; ++count) {
    std::vector<std::int64_t> values = randomValues(random, count);
    const double found = median(values);
    EXPECT_EQ(wholeMedian(values), std::llround(found));
    std::ranges::sort(values);
    EXPECT_EQ(2 * found, static_cast<double>(values[count / 2] + values[(count - 1) / 2]));
  }
}

TEST(Statistics, aPercentileIsTheLeastValueThatSoManyDoNotExceed) {
  std::mt19937_64 random(2);
  for (std::size_t count = 1; count < 40; ++count) {
    std::vector<std::int64_t> values = randomValues(random, count);
    for (const std::size_t percent : {1U, 10U, 50U, 90U, 95U, 99U, 100U}) {
      const std::int64_t found = percentile(values, percent);
      const auto upTo = std::ranges::count_if(values, [&](std::int64_t v) { return v <= found; });
      const auto below = std::ranges::count_if(values, [&](std::int64_t v) { return v < found; });
      EXPECT_GE(100 * static_cast<std::size_t>(upTo), percent * count);
      EXPECT_LT(100 * static_cast<std::size_t>(below), percent * count);
    }
    EXPECT_EQ(percentile(values, 0), std::ranges::min(values));
    EXPECT_EQ(percentilePlace(count, 50), (count - 1) / 2) << "the lower of two middle ones";
  }
}

TEST(Statistics, theMedianDistanceIsNotStretchedByFewOddValues) {
  EXPECT_EQ(medianAbsoluteDeviation(std::vector<double>{1, 2, 3, 4, 1000}), 1);
  EXPECT_EQ(medianAbsoluteDeviation(std::vector<double>{2, 2, 2, 9}), 0);
}

TEST(Statistics, theSlopeIsTheMedianOverAllPairs) {
  EXPECT_EQ(theilSenSlope({}), std::nullopt);
  EXPECT_EQ(theilSenSlope(std::vector<SlopePoint>{{1, 5}}), std::nullopt);
  EXPECT_EQ(theilSenSlope(std::vector<SlopePoint>{{1, 5}, {1, 9}}), std::nullopt) << "at the same place";
  std::vector<SlopePoint> line;
  for (std::int64_t x = 0; x < 20; ++x) line.push_back({x, 3 * x + 7});
  EXPECT_EQ(theilSenSlope(line), 3);
  EXPECT_EQ(theilSenSlope(line, 1000), 3000);
  line[4].y = 1'000'000;
  line[11].y = -1'000'000;
  EXPECT_EQ(theilSenSlope(line), 3) << "two odd points do not move it";
  // Slopes 1, 2 and 1.5: of an even number of pairs it would be a mean.
  EXPECT_EQ(theilSenSlope(std::vector<SlopePoint>{{0, 0}, {1, 1}, {2, 3}}), 1.5);
}

TEST(Statistics, slopesOfTimesFarFromZeroAreExact) {
  const std::int64_t base = 1'772'366'400'000'000'000;
  const std::vector<SlopePoint> points{{base, base + 1}, {base + 10, base + 21}};
  EXPECT_EQ(theilSenSlope(points), 2);
  const std::vector<SlopePoint> farthest{{kMin, 0}, {kMax, 1}};
  EXPECT_NEAR(*theilSenSlope(farthest), 0, 1e-18) << "the distance is no int64";
}

TEST(Statistics, aWeightedMeanIsThePlainOneWhereNothingWeighs) {
  WeightedMean mean;
  EXPECT_EQ(mean.value(), std::nullopt);
  mean.add(1, 0);
  mean.add(4, 0);
  EXPECT_EQ(mean.value(), 2.5);
  mean.add(10, 2);
  EXPECT_EQ(mean.value(), 10);
  mean.add(4, 1);
  EXPECT_EQ(mean.value(), 8);
}

} // namespace rankscope
