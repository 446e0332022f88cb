// SPDX-License-Identifier: GPL-3.0-or-later
// The `gaps` table: when a device (`stream` empty) or a stream stood still, and why. By rank, then the
// longest first. `cpu_event` is what the host did; of a call, the operator it was made from stands before it;
// of a dependency, it is what the stream waited for. `leaf` is what most of it is in the account; a stream
// that stood still while its device did not has none.
#pragma once

#include "core/analysis/account/attribution.h"
#include "core/analysis/job/analysis.h"
#include "core/export/result_table.h"

namespace rankscope {

// account: jobAccount of the analysis.
[[nodiscard]] ResultTable gapsTable(const Analysis& analysis, const JobAccount& account);

} // namespace rankscope
