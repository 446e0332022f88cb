// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks whose kernels may be compared, because they do the same work as far as communication tells. Ranks
// that send to each other are stages of a pipeline (or of a ring) and do not; the same stage of other
// pipelines does, which a collective of one rank of each pipeline tells. A pure function of the job's match.
// O(calls).
#pragma once

#include "core/analysis/job/analysis.h"

#include <cstdint>
#include <vector>

namespace rankscope {

// By RankIndex: ranks of equal number are peers.
[[nodiscard]] std::vector<std::uint32_t> workPeers(const Analysis& analysis);

} // namespace rankscope
