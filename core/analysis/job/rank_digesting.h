// SPDX-License-Identifier: GPL-3.0-or-later
// The results of a recording for its digest: those of Analysis for the whole recording, within bounds.
#pragma once

#include "core/analysis/digest/digest_bounds.h"
#include "core/analysis/job/analysis.h"

namespace rankscope {

// REQUIRES: analysis is of whole recordings, and has the events of the rank.
[[nodiscard]] DigestedResults digestedResults(const Analysis& analysis, RankIndex rank,
                                              const DigestBounds& bounds = {});

} // namespace rankscope
