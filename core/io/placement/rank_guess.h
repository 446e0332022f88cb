// SPDX-License-Identifier: GPL-3.0-or-later
// Derives ranks from weaker evidence over a group of files: ranks within a node, coordinates of a parallel
// layout, devices, process groups, and finally the file order. Derived ranks are mentioned in the file's
// note. Cost: O(n log n).
#pragma once

#include "core/io/placement/job_split.h"

namespace rankscope {

// Converts ranks within a node (known from names, or because folders of several nodes have the same ranks) to
// ranks of the job: node × ranks per node + local rank. For files of one identity.
void resolveLocalRanks(const RankCandidates& candidates);

// Ranks from coordinates like TP-1-PP-0 if all files of one identity have them and none has a rank.
void resolveCoordinates(const RankCandidates& candidates);

// Assigns a rank to every recording of the job. Known ranks are kept, and each rank is assigned once.
void fillRanks(JobCandidate& job);

} // namespace rankscope
