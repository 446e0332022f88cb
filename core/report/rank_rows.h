// SPDX-License-Identifier: GPL-3.0-or-later
// Whose rows a table has: the sums of some recordings together, or each of them by itself. Plain data.
#pragma once

#include "core/analysis/job/analysis.h"

#include <optional>
#include <vector>

namespace rankscope {

struct RankRows {
  bool each = false;       // a row for each recording, with rank and capture in front
  std::optional<int> rank; // of this rank's recordings alone

  bool operator==(const RankRows&) const = default;
};

// The recordings in scope that are asked for, ascending.
[[nodiscard]] inline std::vector<RankIndex> ranksFor(const Analysis& analysis, const RankRows& rows) {
  std::vector<RankIndex> chosen;
  for (const RankIndex rank : analysis.ranks()) {
    if (!rows.rank || analysis.trace().rank(rank).rank == *rows.rank) chosen.push_back(rank);
  }
  return chosen;
}

} // namespace rankscope
