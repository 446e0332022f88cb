// SPDX-License-Identifier: GPL-3.0-or-later
// Collects the devices of a rank's recording. Because tables and the window have rows per device, more
// devices than a host can have are treated as damage: ids beyond the lowest kMaxDevices count as not recorded
// and are reported in the diagnostics.
#pragma once

#include "core/model/rank_trace.h"

namespace rankscope {

inline constexpr std::size_t kMaxDevices = 1024;

// Sets trace.devices and limits the device ids of device activity, memory events and tracks. REQUIRES: steps
// that need the recorded device ids of streams have run.
void findDevices(RankTrace& trace);

} // namespace rankscope
