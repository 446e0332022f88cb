// SPDX-License-Identifier: GPL-3.0-or-later
// The stacks of several ranks as one tree: equal stacks are one. The tree is of everything that was recorded;
// what of it a part of the job weighs is summed again without building it anew. Pure; O(events) to make,
// O(entries of the part) to weigh.
#pragma once

#include "core/analysis/stacks/rank_stacks.h"
#include "core/base/progress.h"

#include <cstdint>
#include <vector>

namespace rankscope {

struct JobStacks {
  StackWeight weight = StackWeight::HostSelf;
  StackTree tree;
  std::vector<RankIndex> ranks;                   // those of the analysis that it was made from
  std::vector<RankStacks> ofRank;                 // by position in ranks
  std::vector<std::vector<std::uint32_t>> nodeOf; // by position in ranks: nodes of `tree` by theirs
  std::int64_t joinedBackward = 0;
  std::int64_t looseBackward = 0;
};

// Of the ranks of the analysis; empty when cancelled.
[[nodiscard]] JobStacks jobStacks(const Analysis& analysis, StackWeight weight, const StackOptions& options,
                                  unsigned threadCount, const Progress* progress = nullptr);

// What the part weighs, by node of the tree. REQUIRES: part is of the same trace.
[[nodiscard]] StackSums weighed(const JobStacks& stacks, const Analysis& part, unsigned threadCount);

// Merged stacks and their weights, as they are written to files.
struct WeighedStacks {
  StackWeight weight = StackWeight::HostSelf;
  StackTree tree;
  StackSums sums;
};

// Of the part that the analysis is about. bySteps: the outermost frame is the step.
[[nodiscard]] WeighedStacks weighedStacks(const Analysis& analysis, StackWeight weight,
                                          const StackOptions& options, bool bySteps, unsigned threadCount);

} // namespace rankscope
