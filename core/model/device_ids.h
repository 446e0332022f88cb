// SPDX-License-Identifier: GPL-3.0-or-later
// Which devices a rank's recording knows. More of them than any host has are damage: tables have rows for
// each of them and the window lanes, so the ids beyond the lowest kMaxDevices count as not recorded, each
// time with a word in the diagnostics.
#pragma once

#include "core/model/rank_trace.h"

namespace rankscope {

inline constexpr std::size_t kMaxDevices = 1024;

// Sets trace.devices; bounds the devices of device activity, of memory and of their tracks. REQUIRES:
// whatever depends on the recorded devices of streams.
void findDevices(RankTrace& trace);

} // namespace rankscope
