// SPDX-License-Identifier: GPL-3.0-or-later
// What a launch and a change of kernels cost on a device when nothing else is in the way, and up to where a
// longer pause still counts as one. Read off the recording: launches on an idle stream, and kernels that were
// launched long before the one ahead of them ended. Plain data.
#pragma once

#include "core/base/time_range.h"

#include <vector>

namespace rankscope {

struct LaunchLags {
  TimeNs launch = 5'000; // L: from the begin of a call to the begin on an idle stream
  TimeNs launchCap = 30'000;
  TimeNs stream = 1'000; // G: between two kernels of a stream
  TimeNs streamCap = 10'000;
};

// A launch must have ended so long before the kernel ahead did for their distance to be G.
inline constexpr TimeNs kQueuedBefore = 20'000;

class LaunchLagSamples {
 public:
  void addLaunch(TimeNs delay) { m_launches.push_back(delay); }
  void addStream(TimeNs distance) { m_streams.push_back(distance); }
  [[nodiscard]] LaunchLags lags() const;

 private:
  std::vector<TimeNs> m_launches;
  std::vector<TimeNs> m_streams;
};

} // namespace rankscope
