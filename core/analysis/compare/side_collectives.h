// SPDX-License-Identifier: GPL-3.0-or-later
// Collectives of one rank within its kept steps as rows of a side: sums by group, operation and size, and
// apart the first, second, ... call of each row in a step with its place among the calls of its group, so
// that the sequences of two sides can be aligned. O(calls log rows).
#pragma once

#include "core/analysis/compare/row_window.h"
#include "core/analysis/compare/side_facts.h"
#include "core/analysis/job/analysis.h"

#include <span>
#include <vector>

namespace rankscope {

struct RankCollectives {
  std::vector<SideCollective> rows; // by group, operation and size
  double waited = 0;                // over all windows
};

// windows: of the rank, ascending.
[[nodiscard]] RankCollectives rankCollectives(const Analysis& analysis, RankIndex rank,
                                              std::span<const RowWindow> windows);

} // namespace rankscope
