// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/odd_ranks.h"

#include "core/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace rankscope {

namespace {

constexpr double kSpreads = 5;

} // namespace

std::vector<OddValue> oddValues(std::span<const TimeNs> values, double leastShare) {
  std::vector<OddValue> odd;
  if (values.size() < 3) return odd;
  const std::vector<double> figures(values.begin(), values.end());
  const double middle = median(figures);
  const double spread = kDeviationOfMedianDistance * medianAbsoluteDeviation(figures);
  const double scale = std::max(1.0, std::abs(middle));
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const double distance = std::abs(figures[i] - middle);
    if (distance > kSpreads * spread && distance >= leastShare * scale && distance > 0)
      odd.push_back({i, distance / scale});
  }
  std::sort(odd.begin(), odd.end(), [](const OddValue& a, const OddValue& b) {
    return std::tuple(-a.excess, a.index) < std::tuple(-b.excess, b.index);
  });
  return odd;
}

} // namespace rankscope
