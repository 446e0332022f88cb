// SPDX-License-Identifier: GPL-3.0-or-later
// The stacks of two jobs side by side: one tree of the frames of both, and what each job's stacks weigh in
// it. Frames are compared by their normalized names, so that another line number or address is not another
// frame. Weights of A are scaled to as many steps as B has, not to equal totals: what got slower in all
// places is seen. Pure; O(nodes).
#pragma once

#include "core/analysis/stacks/job_stacks.h"

#include <cstdint>
#include <string>

namespace rankscope {

struct StackDifference {
  StackWeight weight = StackWeight::HostSelf;
  StackTree tree;
  StackSums a; // by node; scaled, and rounded to whole numbers
  StackSums b; // by node

  // What the stacks that end in a node weigh more in B.
  [[nodiscard]] std::int64_t change(std::uint32_t node) const;
};

// The name by which a frame is compared with those of another job.
[[nodiscard]] std::string comparedFrame(const StackTree::Frame& frame);

// scale: what weights of A are multiplied by.
[[nodiscard]] StackDifference stackDifference(const WeighedStacks& a, const WeighedStacks& b, double scale);

// Steps of a part that are marked or detected, summed over its ranks; 0 without any.
[[nodiscard]] std::int64_t stepsOfRanks(const Analysis& part);
// Steps of B for each of A; 1 where a job has none.
[[nodiscard]] double stepScale(const Analysis& a, const Analysis& b);

} // namespace rankscope
