// SPDX-License-Identifier: GPL-3.0-or-later
// Determines which files form a job. Splits files that must be separate (different folder, role, profile id,
// world size, job name, kind); then groups in which a rank occurs twice at the same time; then joins groups
// that complement each other (nodes of one job). A job has each rank only once at any time, but for
// ranks that two profilers recorded. Pure, except that
// it changes ranks and notes of candidates. Cost: O(n log n), plus jobs squared for joining.
#pragma once

#include "core/io/placement/rank_candidate.h"

#include <vector>

namespace rankscope {

// Candidates that may form one job by names, folders and metadata, regardless of ranks and times.
[[nodiscard]] std::vector<RankCandidates> splitByIdentity(const RankCandidates& candidates);

// The recordings of one process: the captures of one (possibly unknown) rank.
struct RankUnit {
  RankCandidates files; // in time order
  [[nodiscard]] std::optional<int> rank() const { return files.front()->rank; }
};
using JobCandidate = std::vector<RankUnit>;

// Splits candidates of one identity until no rank occurs twice at the same time.
[[nodiscard]] std::vector<JobCandidate> splitByRankAndTime(const RankCandidates& candidates);

// Joins jobs of sibling folders or similar names whose ranks complement each other.
[[nodiscard]] std::vector<JobCandidate> joinComplementaryJobs(std::vector<JobCandidate> jobs);

// Joins jobs that PyTorch's profiler and another one recorded of the same ranks: the same job if times agree,
// and hosts or the number of ranks. Each rank then has recordings of both.
[[nodiscard]] std::vector<JobCandidate> joinProfilers(std::vector<JobCandidate> jobs);

} // namespace rankscope
