// SPDX-License-Identifier: GPL-3.0-or-later
// What memory of a device is used for in each step and in each of its phases: levels of all roles at the
// fullest moment. Steps are those of the selection. Pure; O(changes · phases + steps).
#pragma once

#include "core/analysis/memory/trace_roles.h"
#include "core/base/strong_index.h"
#include "core/export/result_table.h"

namespace rankscope {

class Analysis;

// A row per step ("step") and per phase of it that was recorded: peak and all roles in bytes at its fullest
// moment, phases on the clock of the host, which allocates. Without steps: phases of the whole recording.
[[nodiscard]] ResultTable rolesByPhaseTable(const Analysis& analysis, RankIndex rank,
                                            const DeviceRoles& device);

} // namespace rankscope
