// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/compare/significance.h"

#include "core/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace rankscope {

namespace {

constexpr std::size_t kMaxExact = 40; // values together
constexpr double kTail = 0.025;

// Sum of squares around the mean.
double squaresOf(std::span<const double> values, double mean) {
  return std::accumulate(values.begin(), values.end(), 0.0,
                         [&](double sum, double value) { return sum + (value - mean) * (value - mean); });
}

double varianceOf(std::span<const double> values) {
  return squaresOf(values, meanOf(values)) / static_cast<double>(values.size() - 1);
}

// The continued fraction of the incomplete beta function, by Lentz's method.
double betaFraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  const auto away = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / away(1 - (a + b) * x / (a + 1));
  double result = d;
  for (int i = 1; i <= 10'000; ++i) {
    const double m = i;
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    result *= d * c;
    if (std::abs(d * c - 1) < 1e-15) break;
  }
  return result;
}

// The regularized incomplete beta function I_x(a, b).
double incompleteBeta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * betaFraction(a, b, x) / a;
  return 1 - front * betaFraction(b, a, 1 - x) / b;
}

// In how many of the orders of n and m values U has each value, from 0 to n m: the coefficients of the
// Gaussian binomial.
std::vector<double> orderCounts(std::size_t n, std::size_t m) {
  std::vector<double> counts{1.0};
  counts.resize(n * m + 1);
  for (std::size_t i = 1; i <= n; ++i) {
    const std::size_t raised = m + i;
    for (std::size_t u = counts.size(); u-- > raised;) counts[u] -= counts[u - raised];
    for (std::size_t u = i; u < counts.size(); ++u) counts[u] += counts[u - i];
  }
  return counts;
}

// Sum over groups of equal values of t^3 - t.
double tiesOf(std::vector<double> all) {
  std::ranges::sort(all);
  double ties = 0;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i;
    while (end < all.size() && all[end] == all[i]) ++end;
    const auto t = static_cast<double>(end - i);
    ties += t * t * t - t;
    i = end;
  }
  return ties;
}

WelchTest testOf(double difference, double squaredError, double degrees) {
  WelchTest test;
  test.difference = difference;
  test.degrees = degrees;
  if (squaredError <= 0) {
    test.noSpread = true;
    test.t = difference == 0 ? 0 : std::copysign(std::numeric_limits<double>::infinity(), difference);
    test.p = difference == 0 ? 1 : 0;
    test.low = test.high = difference;
    return test;
  }
  const double error = std::sqrt(squaredError);
  test.t = difference / error;
  test.p = studentP(test.t, degrees);
  const double half = studentLimit95(degrees) * error;
  test.low = difference - half;
  test.high = difference + half;
  return test;
}

// The k-th least and the k-th largest difference bound the shift; 0: none do.
std::size_t boundPlace(std::size_t n, std::size_t m) {
  const auto pairs = static_cast<double>(n * m);
  if (n + m > kMaxExact) {
    constexpr double kNormalLimit = 1.959963984540054;
    const double spread = std::sqrt(pairs * static_cast<double>(n + m + 1) / 12);
    return static_cast<std::size_t>(std::max(0.0, std::floor(pairs / 2 - kNormalLimit * spread)));
  }
  const std::vector<double> counts = orderCounts(n, m);
  const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
  double below = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    below += counts[k];
    if (below / all > kTail) return k;
  }
  return 0;
}

} // namespace

double SampleSummary::effectiveCount() const {
  const auto n = static_cast<double>(count);
  const double r = autocorrelation.value_or(0);
  return r > 0 ? n * (1 - r) / (1 + r) : n;
}

SampleSummary summaryOf(std::span<const double> values) {
  SampleSummary summary;
  summary.count = values.size();
  if (values.empty()) return summary;
  summary.mean = meanOf(values);
  summary.median = median(std::vector<double>(values.begin(), values.end()));
  if (values.size() < 2) return summary;
  const double squares = squaresOf(values, summary.mean);
  summary.stddev = std::sqrt(squares / static_cast<double>(values.size() - 1));
  if (values.size() < 3 || squares <= 0) return summary;
  double together = 0;
  for (std::size_t i = 1; i < values.size(); ++i)
    together += (values[i - 1] - summary.mean) * (values[i] - summary.mean);
  summary.autocorrelation = together / squares;
  return summary;
}

std::optional<WelchTest> welchTest(std::span<const double> a, std::span<const double> b) {
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  const auto n = static_cast<double>(a.size());
  const auto m = static_cast<double>(b.size());
  const double ofA = varianceOf(a) / n;
  const double ofB = varianceOf(b) / m;
  const double squared = ofA + ofB;
  const double degrees =
      squared > 0 ? squared * squared / (ofA * ofA / (n - 1) + ofB * ofB / (m - 1)) : n + m - 2;
  return testOf(meanOf(b) - meanOf(a), squared, degrees);
}

std::optional<WelchTest> pairedTest(std::span<const double> differences) {
  if (differences.size() < 2) return std::nullopt;
  const auto n = static_cast<double>(differences.size());
  return testOf(meanOf(differences), varianceOf(differences) / n, n - 1);
}

std::optional<RankTest> rankTest(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty()) return std::nullopt;
  RankTest test;
  // Sorted, so that each value of B costs two binary searches.
  std::vector<double> sorted(a.begin(), a.end());
  std::ranges::sort(sorted);
  for (const double value : b) {
    const auto [low, high] = std::equal_range(sorted.begin(), sorted.end(), value);
    test.u += static_cast<double>(low - sorted.begin()) + 0.5 * static_cast<double>(high - low);
  }
  const auto n = static_cast<double>(a.size());
  const auto m = static_cast<double>(b.size());
  test.probability = test.u / (n * m);
  sorted.insert(sorted.end(), b.begin(), b.end());
  const double ties = tiesOf(sorted);
  const double least = std::min(test.u, n * m - test.u);
  test.exact = ties == 0 && a.size() + b.size() <= kMaxExact;
  if (test.exact) {
    const std::vector<double> counts = orderCounts(a.size(), b.size());
    const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
    const auto end = counts.begin() + static_cast<std::ptrdiff_t>(least) + 1;
    test.p = std::min(1.0, 2 * std::accumulate(counts.begin(), end, 0.0) / all);
    return test;
  }
  const double total = n + m;
  const double variance = n * m / 12 * ((total + 1) - ties / (total * (total - 1)));
  if (variance <= 0) return test; // all values are equal
  const double z = (n * m / 2 - least - 0.5) / std::sqrt(variance);
  test.p = std::min(1.0, std::erfc(z / std::sqrt(2.0)));
  return test;
}

std::optional<RankShift> rankShift(std::span<const double> a, std::span<const double> b) {
  // All pairs of long samples would not fit; the shift of so many is that of their means.
  constexpr std::size_t kMaxPairs = 25'000'000;
  if (a.empty() || b.empty() || a.size() > kMaxPairs / b.size()) return std::nullopt;
  std::vector<double> differences;
  differences.reserve(a.size() * b.size());
  for (const double value : b) {
    for (const double base : a) differences.push_back(value - base);
  }
  std::ranges::sort(differences);
  RankShift shift;
  const std::size_t count = differences.size();
  shift.estimate = (differences[(count - 1) / 2] + differences[count / 2]) / 2;
  const std::size_t place = boundPlace(a.size(), b.size());
  if (place == 0) return shift;
  shift.low = differences[place - 1];
  shift.high = differences[count - place];
  return shift;
}

std::optional<double> hedgesG(std::span<const double> a, std::span<const double> b) {
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  const double meanA = meanOf(a);
  const double meanB = meanOf(b);
  const auto degrees = static_cast<double>(a.size() + b.size() - 2);
  const double pooled = (squaresOf(a, meanA) + squaresOf(b, meanB)) / degrees;
  if (pooled <= 0) return std::nullopt;
  return (1 - 3 / (4 * degrees - 1)) * (meanB - meanA) / std::sqrt(pooled);
}

std::vector<double> falseDiscoveryRates(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> rates(p.size());
  double least = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    least = std::min(least, p[order[i]] * static_cast<double>(p.size()) / static_cast<double>(i + 1));
    rates[order[i]] = least;
  }
  return rates;
}

double studentP(double t, double degrees) {
  if (std::isinf(t)) return 0;
  return incompleteBeta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double studentLimit95(double degrees) {
  double low = 0;
  double high = 2;
  while (studentP(high, degrees) > 2 * kTail) high *= 2;
  for (int i = 0; i < 200 && low < high; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (studentP(middle, degrees) > 2 * kTail ? low : high) = middle;
  }
  return high;
}

} // namespace rankscope
