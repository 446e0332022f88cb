// SPDX-License-Identifier: GPL-3.0-or-later
// Finds files that hold what other files hold: copies, and other exports of one report. Internal to
// placeFiles.
#pragma once

#include "core/io/placement/rank_candidate.h"

#include <vector>

namespace rankscope {

// The file closest to the top is the original; copies are in subfolders.
void leaveOutDuplicates(std::vector<RankCandidate>& candidates);

// Exports of one report hold the same events of a process, even if their files differ. The one with most
// events is kept, with what any of them says of its rank: copies have other names, and older exporters leave
// out the environment. Captures of one session, one after the other, are no copies.
void leaveOutOtherExports(std::vector<RankCandidate>& candidates);

} // namespace rankscope
