// SPDX-License-Identifier: GPL-3.0-or-later
// Rings and trees of communicators. A ring comes from the line of rank 0, which NCCL cuts after about 20
// ranks; the rest from the neighbors that each rank names, or from its links: a rank connects its ring before
// its trees. Trees come from the line of every rank. Communicators of one rank have none.
#pragma once

#include "core/analysis/network/communicators.h"

namespace rankscope {

// Communicators with all that is known of them.
[[nodiscard]] NetTopology topologyOf(const NcclLog& log);

} // namespace rankscope
