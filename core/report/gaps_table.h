// SPDX-License-Identifier: GPL-3.0-or-later
// The `gaps` table: idle gaps of devices (empty `stream`) and streams with their causes. Sorted by rank, then
// longest first. `cpu_event`: what the host did; a call is preceded by its operator; for a dependency, the
// work that the stream waited for. `leaf`: the leaf of the account with the largest part of the gap; empty if
// the stream was idle while its device was busy.
#pragma once

#include "core/analysis/account/attribution.h"
#include "core/analysis/job/analysis.h"
#include "core/export/result_table.h"

namespace rankscope {

// account: jobAccount of the analysis.
[[nodiscard]] ResultTable gapsTable(const Analysis& analysis, const JobAccount& account);

} // namespace rankscope
