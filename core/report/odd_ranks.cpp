// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/odd_ranks.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace rankscope {

namespace {

constexpr double kSpreads = 5;
// Turns the median distance into the standard deviation of a normal distribution.
constexpr double kSpreadOfMedianDistance = 1.4826;

} // namespace

TimeNs medianOf(std::vector<TimeNs> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<OddValue> oddValues(std::span<const TimeNs> values, double leastShare) {
  std::vector<OddValue> odd;
  if (values.size() < 3) return odd;
  const TimeNs median = medianOf({values.begin(), values.end()});
  std::vector<TimeNs> distances;
  distances.reserve(values.size());
  for (const TimeNs value : values) distances.push_back(std::abs(value - median));
  const double spread = kSpreadOfMedianDistance * static_cast<double>(medianOf(distances));
  const double scale = std::max(1.0, std::abs(static_cast<double>(median)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto distance = static_cast<double>(distances[i]);
    if (distance > kSpreads * spread && distance >= leastShare * scale && distance > 0)
      odd.push_back({i, distance / scale});
  }
  std::sort(odd.begin(), odd.end(), [](const OddValue& a, const OddValue& b) {
    return std::tuple(-a.excess, a.index) < std::tuple(-b.excess, b.index);
  });
  return odd;
}

} // namespace rankscope
