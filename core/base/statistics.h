// SPDX-License-Identifier: GPL-3.0-or-later
// Median, percentile, dispersion, slope, mean and weighted mean. Each term has exactly one definition, here:
// - The median is the middle value; for an even number of values, the mean of the two middle ones.
// - A percentile is the smallest value that is at least as large as this percentage of values (nearest rank).
// It is always one of the values; the 50th is the lower of the two middle ones.
// Pure functions. Values must not be NaN. O(n), unless noted otherwise.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankscope {

namespace detail {

template <class T> struct MiddleTwo {
  T lower;
  T upper; // equal to lower if the number of values is odd
};

// REQUIRES: not empty. Reorders the values.
template <class T> MiddleTwo<T> middleTwo(std::span<T> values) {
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  return {values.size() % 2 == 1 ? *upper : *std::max_element(values.begin(), upper), *upper};
}

} // namespace detail

// REQUIRES: not empty. Integers beyond 2^53 are rounded.
template <class T> [[nodiscard]] double median(std::vector<T> values) {
  const auto [lower, upper] = detail::middleTwo(std::span<T>(values));
  return (static_cast<double>(upper) + static_cast<double>(lower)) / 2;
}

// Of doubles, one after the other; 0 of no values.
[[nodiscard]] inline double meanOf(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// The median rounded to an integer, halves away from zero. Exact for all values. REQUIRES: not empty.
[[nodiscard]] std::int64_t wholeMedian(std::vector<std::int64_t> values);

// Index of the percentile among `count` sorted values. REQUIRES: count > 0, percent <= 100.
[[nodiscard]] constexpr std::size_t percentilePlace(std::size_t count, std::size_t percent) {
  return percent == 0 ? 0 : (count * percent + 99) / 100 - 1;
}

// Index of the median element among `count` sorted ones, if one of them is needed (a rank, a call). For an
// even number the lower of the two middle ones, like the 50th percentile. REQUIRES: count > 0.
[[nodiscard]] constexpr std::size_t medianPlace(std::size_t count) {
  return percentilePlace(count, 50);
}

// REQUIRES: not empty, percent <= 100. Reorders the values.
template <class T> [[nodiscard]] T percentile(std::vector<T>& values, std::size_t percent) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(percentilePlace(values.size(), percent));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// Median absolute deviation (MAD), a dispersion that is robust against outliers. REQUIRES: not empty.
[[nodiscard]] double medianAbsoluteDeviation(std::span<const double> values);
// Factor from the MAD to the standard deviation of normally distributed values.
inline constexpr double kDeviationOfMedianDistance = 1.4826;

struct SlopePoint {
  std::int64_t x = 0;
  std::int64_t y = 0;
};

// Theil-Sen slope: the median of (y[j] - y[i]) * scale / (x[j] - x[i]) over all pairs with different x.
// Robust against outliers. Empty if all x are equal. O(n^2): sample if there are many points.
[[nodiscard]] std::optional<double> theilSenSlope(std::span<const SlopePoint> points, double scale = 1);

// A weighted mean, for example by duration. If all weights are zero, the unweighted mean.
class WeightedMean {
 public:
  void add(double value, double weight) {
    m_weighted += value * weight;
    m_weight += weight;
    m_plain += value;
    ++m_count;
  }
  // Empty if no value was added.
  [[nodiscard]] std::optional<double> value() const;

 private:
  double m_weighted = 0;
  double m_weight = 0;
  double m_plain = 0;
  std::int64_t m_count = 0;
};

// Adds each value to the sum at its place; the sums grow to as many as there are values.
inline void addValues(std::vector<double>& sums, std::span<const double> values) {
  if (sums.size() < values.size()) sums.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) sums[i] += values[i];
}

} // namespace rankscope
