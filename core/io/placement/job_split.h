// SPDX-License-Identifier: GPL-3.0-or-later
// Which files form one job. Files that must be separate (other folder, role, profile id, world, job name,
// kind) are split first; what then still has one rank twice at the same time is split again; at last,
// groups that complement each other (the nodes of one job) are joined. A job holds each rank once at any
// time. Pure but for the candidates' ranks and notes. Cost: n log n, and jobs squared for the joining.
#pragma once

#include "core/io/placement/rank_candidate.h"

#include <vector>

namespace rankscope {

// Candidates that may be one job according to names, folders and metadata, whatever their ranks and times.
[[nodiscard]] std::vector<RankCandidates> splitByIdentity(const RankCandidates& candidates);

// The recordings of one process: captures of one rank, known or not.
struct RankUnit {
  RankCandidates files; // in order of time
  [[nodiscard]] std::optional<int> rank() const { return files.front()->rank; }
};
using JobCandidate = std::vector<RankUnit>;

// Splits candidates of one identity until no rank occurs twice at a time.
[[nodiscard]] std::vector<JobCandidate> splitByRankAndTime(const RankCandidates& candidates);

// Joins jobs of neighboring folders or names whose ranks complement each other.
[[nodiscard]] std::vector<JobCandidate> joinComplementaryJobs(std::vector<JobCandidate> jobs);

} // namespace rankscope
