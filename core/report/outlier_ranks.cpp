// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/outlier_ranks.h"

#include "core/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace rankscope {

namespace {

constexpr double kSpreads = 5;

} // namespace

std::vector<OutlierValue> outlierValues(std::span<const TimeNs> values, double minShare) {
  std::vector<OutlierValue> outliers;
  if (values.size() < 3) return outliers;
  const std::vector<double> figures(values.begin(), values.end());
  const double middle = median(figures);
  const double spread = kDeviationOfMedianDistance * medianAbsoluteDeviation(figures);
  const double scale = std::max(1.0, std::abs(middle));
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const double distance = std::abs(figures[i] - middle);
    if (distance > kSpreads * spread && distance >= minShare * scale && distance > 0)
      outliers.push_back({i, distance / scale});
  }
  std::sort(outliers.begin(), outliers.end(), [](const OutlierValue& a, const OutlierValue& b) {
    return std::tuple(-a.excess, a.index) < std::tuple(-b.excess, b.index);
  });
  return outliers;
}

} // namespace rankscope
