// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a table has rows summed over recordings or rows for each recording. Plain data.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/model/recorded_once.h"

#include <optional>
#include <vector>

namespace rankscope {

struct RecordingRows {
  bool each = false;       // one row for each recording, with the columns rank and capture first
  std::optional<int> rank; // only this rank's recordings

  bool operator==(const RecordingRows&) const = default;
};

// The selected recordings in scope, ascending. Sums have once what two profilers recorded.
[[nodiscard]] inline std::vector<RankIndex> ranksFor(const Analysis& analysis, const RecordingRows& rows) {
  std::vector<RankIndex> chosen;
  for (const RankIndex rank : analysis.ranks()) {
    if (!rows.rank || analysis.trace().rank(rank).rank == *rows.rank) chosen.push_back(rank);
  }
  return rows.each ? chosen : recordedOnce(analysis.trace(), chosen);
}

} // namespace rankscope
