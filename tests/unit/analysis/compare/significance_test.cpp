// SPDX-License-Identifier: GPL-3.0-or-later
// The tests of two samples against values that SciPy 1.10 gives, and against what their definitions say.
#include "core/analysis/compare/significance.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace rankscope {

namespace {

const std::vector<double> kA = {187948, 175153, 179733, 174564, 182172, 165983};
const std::vector<double> kB = {171772, 149553, 149803, 149532, 154343, 154465};

// U counted pair by pair, and its distribution by all ways to deal the ranks.
double exactP(std::size_t n, std::size_t m, double u) {
  std::vector<bool> isB(n + m, false);
  std::fill(isB.begin() + static_cast<std::ptrdiff_t>(n), isB.end(), true);
  double all = 0;
  double below = 0;
  do {
    std::size_t seen = 0;
    std::size_t larger = 0;
    for (const bool b : isB) {
      if (b)
        larger += seen;
      else
        ++seen;
    }
    all += 1;
    const auto value = static_cast<double>(larger);
    const auto pairs = static_cast<double>(n * m);
    if (value <= std::min(u, pairs - u)) below += 1;
  } while (std::next_permutation(isB.begin(), isB.end()));
  return std::min(1.0, 2 * below / all);
}

} // namespace

TEST(Significance, summariesHaveMeanMedianAndDrift) {
  const SampleSummary summary = summaryOf(kA);
  EXPECT_EQ(summary.count, 6U);
  EXPECT_NEAR(summary.mean, 177592.16666666666, 1e-9 * 177592);
  EXPECT_EQ(summary.median, 177443);
  EXPECT_NEAR(summary.stddev.value(), 7519.2207400, 1e-4);
  const std::vector<double> drifting = {1, 2, 3, 4, 5, 6, 7, 8};
  const SampleSummary drift = summaryOf(drifting);
  EXPECT_NEAR(drift.autocorrelation.value(), 0.625, 1e-12);
  EXPECT_NEAR(drift.effectiveCount(), 8 * 0.375 / 1.625, 1e-12);
  EXPECT_EQ(summaryOf({}).count, 0U);
  EXPECT_FALSE(summaryOf(std::vector<double>{3, 3, 3}).autocorrelation.has_value());
}

TEST(Significance, welchIsThatOfSciPy) {
  const WelchTest test = welchTest(kA, kB).value();
  EXPECT_NEAR(test.t, -4.86797706, 5e-9);
  EXPECT_NEAR(test.degrees, 9.8291705, 5e-8);
  EXPECT_NEAR(test.p, 0.000686944666, 5e-13);
  EXPECT_NEAR(test.low, -33086.6656, 5e-5);
  EXPECT_NEAR(test.high, -12275.0011, 5e-5);
  // Known quantiles of Student's distribution.
  EXPECT_NEAR(studentLimit95(1), 12.706204736432095, 1e-9);
  EXPECT_NEAR(studentLimit95(2), 0.95 * std::sqrt(2 / (1 - 0.95 * 0.95)), 1e-13);
  // In closed form, with 40 digits; SciPy's quantile is off by 2e-11.
  EXPECT_NEAR(studentLimit95(10), 2.2281388519862739, 1e-13);
  EXPECT_NEAR(studentP(2.2281388519649385, 10), 0.0500000000018086731, 1e-15);
  EXPECT_NEAR(studentP(1, 1), 0.5, 1e-13);
}

TEST(Significance, samplesWithoutSpreadDifferOrDoNot) {
  const std::vector<double> three = {3, 3};
  const std::vector<double> four = {4, 4, 4};
  const WelchTest equal = welchTest(three, three).value();
  EXPECT_TRUE(equal.noSpread);
  EXPECT_EQ(equal.p, 1);
  const WelchTest other = welchTest(three, four).value();
  EXPECT_EQ(other.p, 0);
  EXPECT_EQ(other.low, 1);
  EXPECT_EQ(other.high, 1);
  EXPECT_EQ(rankTest(three, three)->p, 1);
  EXPECT_FALSE(hedgesG(three, four).has_value());
  EXPECT_FALSE(welchTest(std::vector<double>{3}, four).has_value());
}

TEST(Significance, mannWhitneyIsExactWithoutTies) {
  const RankTest test = rankTest(kA, kB).value();
  EXPECT_TRUE(test.exact);
  EXPECT_EQ(test.u, 1);
  EXPECT_NEAR(test.p, 0.00432900433, 5e-12);
  EXPECT_NEAR(test.probability, 1.0 / 36, 1e-15);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> values(0, 1);
  for (int trial = 0; trial < 40; ++trial) {
    std::vector<double> a(1 + random() % 6);
    std::vector<double> b(1 + random() % 6);
    for (double& value : a) value = values(random);
    for (double& value : b) value = values(random);
    const RankTest one = rankTest(a, b).value();
    EXPECT_NEAR(one.p, exactP(a.size(), b.size(), one.u), 1e-12);
  }
  // Twenty each: 137,846,528,820 orders, counted exactly.
  std::vector<double> low(20);
  std::vector<double> high(20);
  for (std::size_t i = 0; i < 20; ++i) {
    low[i] = static_cast<double>(i);
    high[i] = static_cast<double>(100 + i);
  }
  EXPECT_NEAR(rankTest(low, high)->p, 2.0 / 137846528820.0, 1e-24);
}

TEST(Significance, tiesAndLongSamplesTakeTheNormalApproximation) {
  // scipy.stats.mannwhitneyu([1,2,2,3,5], [2,4,5,6,7], method="asymptotic")
  const RankTest test =
      rankTest(std::vector<double>{1, 2, 2, 3, 5}, std::vector<double>{2, 4, 5, 6, 7}).value();
  EXPECT_FALSE(test.exact);
  EXPECT_EQ(test.u, 20.5);
  const double variance = 25.0 / 12 * (11 - (24.0 + 6.0) / 90);
  EXPECT_NEAR(test.p, std::erfc((8 - 0.5) / std::sqrt(variance) / std::sqrt(2.0)), 1e-15);
  std::vector<double> a(30);
  std::vector<double> b(30);
  for (std::size_t i = 0; i < 30; ++i) {
    a[i] = static_cast<double>(2 * i);
    b[i] = static_cast<double>(2 * i + 1);
  }
  EXPECT_FALSE(rankTest(a, b)->exact);
  EXPECT_GT(rankTest(a, b)->p, 0.8);
}

TEST(Significance, theShiftHasAnIntervalByRanks) {
  const RankShift shift = rankShift(kA, kB).value();
  EXPECT_EQ(shift.estimate, -25150);
  EXPECT_EQ(shift.low.value(), -32640);
  EXPECT_EQ(shift.high.value(), -11518);
  // Three each cannot have one.
  const RankShift few = rankShift(std::vector<double>{1, 2, 3}, std::vector<double>{4, 5, 6}).value();
  EXPECT_FALSE(few.low.has_value());
  EXPECT_EQ(few.estimate, 3);
}

TEST(Significance, swappedSamplesNegate) {
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> a(5 + random() % 9);
    std::vector<double> b(5 + random() % 9);
    for (double& value : a) value = static_cast<double>(random() % 50);
    for (double& value : b) value = static_cast<double>(random() % 60);
    const auto forth = welchTest(a, b).value();
    const auto back = welchTest(b, a).value();
    EXPECT_NEAR(forth.difference, -back.difference, 1e-9);
    EXPECT_NEAR(forth.p, back.p, 1e-12);
    EXPECT_NEAR(forth.low, -back.high, 1e-9);
    EXPECT_NEAR(rankTest(a, b)->p, rankTest(b, a)->p, 1e-12);
    EXPECT_NEAR(rankTest(a, b)->probability, 1 - rankTest(b, a)->probability, 1e-12);
    EXPECT_NEAR(rankShift(a, b)->estimate, -rankShift(b, a)->estimate, 1e-9);
    EXPECT_NEAR(hedgesG(a, b).value_or(0), -hedgesG(b, a).value_or(0), 1e-9);
  }
}

TEST(Significance, falseDiscoveryRatesGrowWithTheNumberOfTests) {
  const std::vector<double> rates = falseDiscoveryRates(std::vector<double>{0.01, 0.04, 0.03, 0.5});
  EXPECT_NEAR(rates[0], 0.04, 1e-15);
  EXPECT_NEAR(rates[1], 0.04 * 4 / 3, 1e-15);
  EXPECT_NEAR(rates[2], 0.04 * 4 / 3, 1e-15);
  EXPECT_NEAR(rates[3], 0.5, 1e-15);
  EXPECT_TRUE(falseDiscoveryRates({}).empty());
}

} // namespace rankscope
