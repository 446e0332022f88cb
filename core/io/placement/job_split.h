// SPDX-License-Identifier: GPL-3.0-or-later
// Which drafts are one job. Files that must belong apart (other folder, role, profile id, world, job name,
// kind) are parted first; what then still gives one rank twice at the same time is parted again; at last,
// groups that complement each other (the nodes of one job) are joined. A job holds each rank once at any
// time. Pure but for the drafts' ranks and notes. Cost: n log n, and jobs squared for the joining.
#pragma once

#include "core/io/placement/rank_draft.h"

#include <vector>

namespace rankscope {

// Drafts that may be one job as far as names, folders and metadata tell, whatever their ranks and times.
[[nodiscard]] std::vector<Drafts> splitByIdentity(const Drafts& drafts);

// The recordings of one process: captures of one rank, known or not.
struct RankUnit {
  Drafts files; // in order of time
  [[nodiscard]] std::optional<int> rank() const { return files.front()->rank; }
};
using JobDraft = std::vector<RankUnit>;

// Parts drafts of one identity until no rank occurs twice at a time.
[[nodiscard]] std::vector<JobDraft> splitByRankAndTime(const Drafts& drafts);

// Joins jobs of neighbouring folders or names whose ranks complement each other.
[[nodiscard]] std::vector<JobDraft> joinComplements(std::vector<JobDraft> jobs);

} // namespace rankscope
