// SPDX-License-Identifier: GPL-3.0-or-later
// What is typical of some values, how far they spread and how they grow: each word has one definition, here.
// - The median of an odd number of values is the middle one, of an even number the mean of the two in the
// middle.
// - A percentile is the least of the values that so many percent of them do not exceed (nearest rank): always
//   one of them. The 50th is the lower of two middle ones, where a value that was measured is wanted.
// Pure functions; none may be given NaN. O(n), unless noted otherwise.
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
  T upper; // the same one when the number is odd
};

// REQUIRES: not empty. The values are left in another order.
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

// The same to a whole number: exact for all, a half is rounded away from zero. REQUIRES: not empty.
[[nodiscard]] std::int64_t wholeMedian(std::vector<std::int64_t> values);

// Where the percentile is among so many sorted values. REQUIRES: count > 0, percent <= 100.
[[nodiscard]] constexpr std::size_t percentilePlace(std::size_t count, std::size_t percent) {
  return percent == 0 ? 0 : (count * percent + 99) / 100 - 1;
}

// Where the median element is among so many sorted ones, where one of them is wanted (a rank, a call): the
// middle one, of an even number the lower of two, as the 50th percentile. REQUIRES: count > 0.
[[nodiscard]] constexpr std::size_t medianPlace(std::size_t count) {
  return percentilePlace(count, 50);
}

// REQUIRES: not empty, percent <= 100. The values are left in another order.
template <class T> [[nodiscard]] T percentile(std::vector<T>& values, std::size_t percent) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(percentilePlace(values.size(), percent));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// The median distance from the median: a measure of dispersion robust against outliers. REQUIRES: not empty.
[[nodiscard]] double medianAbsoluteDeviation(std::span<const double> values);
// Turns it into the standard deviation of values that are distributed normally.
inline constexpr double kDeviationOfMedianDistance = 1.4826;

struct SlopePoint {
  std::int64_t x = 0;
  std::int64_t y = 0;
};

// Theil-Sen: the median of (y[j] - y[i]) * scale / (x[j] - x[i]) over all pairs whose x differ, which a few
// outliers cannot move; nothing where no pair does. O(n^2): of many points, a sample is enough.
[[nodiscard]] std::optional<double> theilSenSlope(std::span<const SlopePoint> points, double scale = 1);

// A mean weighted by what each value stands for (a duration), which falls back to the plain one when there is
// no weight at all.
class WeightedMean {
 public:
  void add(double value, double weight) {
    m_weighted += value * weight;
    m_weight += weight;
    m_plain += value;
    ++m_count;
  }
  // Nothing without a value.
  [[nodiscard]] std::optional<double> value() const;

 private:
  double m_weighted = 0;
  double m_weight = 0;
  double m_plain = 0;
  std::int64_t m_count = 0;
};

} // namespace rankscope
