// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/graph/launch_lags.h"

#include "core/base/statistics.h"

#include <algorithm>

namespace rankscope {

namespace {

constexpr std::size_t kEnough = 5;

} // namespace

LaunchLags LaunchLagSamples::lags() const {
  LaunchLags lags;
  if (m_launches.size() >= kEnough) {
    std::vector<TimeNs> sorted = m_launches;
    lags.launch = std::max<TimeNs>(0, percentile(sorted, 10));
    lags.launchCap = std::max<TimeNs>(lags.launchCap, 3 * wholeMedian(m_launches));
  }
  if (m_streams.size() >= kEnough) {
    lags.stream = std::max<TimeNs>(0, wholeMedian(m_streams));
    lags.streamCap = std::max<TimeNs>(lags.streamCap, 3 * lags.stream);
  }
  lags.launchCap = std::max(lags.launchCap, lags.launch);
  return lags;
}

} // namespace rankscope
