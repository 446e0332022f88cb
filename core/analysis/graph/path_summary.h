// SPDX-License-Identifier: GPL-3.0-or-later
// The critical path of the kept steps summed by category, rank, operator, kernel, phase or part of the model,
// as means per step that add up to the mean window; with how much of the same lies beside the path. Pure;
// O(segments + activities).
#pragma once

#include "core/analysis/graph/what_if.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

enum class PathKey : std::uint8_t { Category, Rank, Operator, Module, Kernel, Class, Layer, Phase };

inline constexpr std::size_t kPathKeyCount = static_cast<std::size_t>(PathKey::Phase) + 1;

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

// What part of the model a segment belongs to; empty: none.
using PathPartText = std::function<std::string(const PathSegment&)>;

// The largest first. partOf: of keys that are parts of the model.
[[nodiscard]] std::vector<PathSum> pathSummary(const WhatIf& whatIf, PathKey key,
                                               const PathPartText& partOf = {});
// Module, Class and Layer.
[[nodiscard]] constexpr bool isModelPart(PathKey key) {
  return key == PathKey::Module || key == PathKey::Class || key == PathKey::Layer;
}

} // namespace rankscope
