// SPDX-License-Identifier: GPL-3.0-or-later
// The critical path of the kept steps summed by category, rank, operator, module or kernel, as means per step
// that add up to the mean window; with how much of the same lies beside the path. Pure; O(segments +
// activities).
#pragma once

#include "core/analysis/graph/what_if.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

enum class PathKey : std::uint8_t { Category, Rank, Operator, Module, Kernel };

inline constexpr std::size_t kPathKeyCount = static_cast<std::size_t>(PathKey::Kernel) + 1;

struct PathSum {
  std::string key;             // empty: of none, as time of the host outside of operators
  double onPath = 0;           // per step, nanoseconds
  double share = 0;            // of the step, 0 to 1
  std::optional<TimeNs> slack; // median of the activities of this key
  // What the path has of it above the mean over the ranks: what balancing it could win at most.
  std::optional<double> imbalance;
  std::int64_t steps = 0; // in which it is on the path
  PathSegment longest;    // what to look at
};

// The largest first.
[[nodiscard]] std::vector<PathSum> pathSummary(const WhatIf& whatIf, PathKey key);

// The innermost module around the launch or the host time; empty where modules were not recorded.
[[nodiscard]] std::string moduleOfSegment(const Analysis& analysis, const PathSegment& segment);

} // namespace rankscope
