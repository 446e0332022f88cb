// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/statistics.h"

#include <cmath>
#include <utility>

namespace rankscope {

namespace {

// b - a; also correct if it overflows int64.
double differenceOf(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(b, a, &difference)) return static_cast<double>(difference);
  return static_cast<double>(b) - static_cast<double>(a);
}

} // namespace

std::int64_t wholeMedian(std::vector<std::int64_t> values) {
  const auto [lower, upper] = detail::middleTwo(std::span<std::int64_t>(values));
  // Unsigned arithmetic modulo 2^64, in which the difference is exact.
  const std::uint64_t apart = static_cast<std::uint64_t>(upper) - static_cast<std::uint64_t>(lower);
  const auto below = static_cast<std::int64_t>(static_cast<std::uint64_t>(lower) + apart / 2);
  return apart % 2 == 1 && below >= 0 ? below + 1 : below;
}

double medianAbsoluteDeviation(std::span<const double> values) {
  const double middle = median(std::vector<double>(values.begin(), values.end()));
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - middle));
  return median(std::move(distances));
}

std::optional<double> theilSenSlope(std::span<const SlopePoint> points, double scale) {
  std::vector<double> slopes;
  slopes.reserve(points.size() * points.size() / 2);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const double run = differenceOf(points[i].x, points[j].x);
      if (run != 0) slopes.push_back(differenceOf(points[i].y, points[j].y) * scale / run);
    }
  }
  if (slopes.empty()) return std::nullopt;
  return median(std::move(slopes));
}

std::optional<double> WeightedMean::value() const {
  if (m_count == 0) return std::nullopt;
  return m_weight > 0 ? m_weighted / m_weight : m_plain / static_cast<double>(m_count);
}

} // namespace rankscope
