// SPDX-License-Identifier: GPL-3.0-or-later
// Which steps of a comparison may be laid beside each other, and one pair of them with its calls aligned.
// Pure; a pass over the calls of both steps.
#pragma once

#include "core/analysis/compare/comparison.h"
#include "ui/tabs/compare/aligned_lanes.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace rankscope::ui {

struct StepPairs {
  std::vector<std::int64_t> ranks; // that have steps on both sides
  std::size_t positions = 0;       // of the chosen rank
  AlignedPair pair;                // invalid without any
};

// rank: -1: the first; position: among the kept steps, from 1. a, b: analyses of the sides.
[[nodiscard]] StepPairs stepPairs(const Comparison& comparison, const std::shared_ptr<const Analysis>& a,
                                  const std::shared_ptr<const Analysis>& b, std::int64_t rank,
                                  std::size_t position);

// The pair, from 1, in which these parts of the account differ by as much as they do in the median pair; 0
// without pairs. parts: classLeaf.
[[nodiscard]] std::size_t typicalPair(const Comparison& comparison, std::span<const std::size_t> parts);

} // namespace rankscope::ui
