// SPDX-License-Identifier: GPL-3.0-or-later
// The weaker evidence for ranks, which only a group of files together gives: numbers within a node,
// coordinates of a parallel layout, devices, process groups, and last the order. What is derived here is
// noted in the file's note. Cost: n log n.
#pragma once

#include "core/io/placement/job_split.h"

namespace rankscope {

// Ranks that count within a node only (by the name, or when the folders of several nodes hold the same ones)
// become ranks of the job: node × ranks a node + local. Files of one identity.
void resolveLocalRanks(const RankCandidates& candidates);

// Ranks from indices like TP-1-PP-0, where all files have them and none states a rank. Files of one identity.
void resolveCoordinates(const RankCandidates& candidates);

// Gives every recording of the job a rank; ranks already known stay, and none is given twice.
void fillRanks(JobCandidate& job);

} // namespace rankscope
