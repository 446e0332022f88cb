// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a table has rows summed over recordings, or rows for each recording or rank. Plain data.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/model/recorded_once.h"

#include <optional>
#include <vector>

namespace rankscope {

struct RecordingRows {
  bool each = false;       // one row for each recording, with the columns rank and capture first
  std::optional<int> rank; // only this rank's recordings
  bool joined = false;     // of each: for each rank, its captures together, without the column capture

  bool operator==(const RecordingRows&) const = default;
};

// The selected recordings in scope, ascending. Sums have once what two profilers recorded.
[[nodiscard]] inline std::vector<RankIndex> ranksFor(const Analysis& analysis, const RecordingRows& rows) {
  std::vector<RankIndex> chosen;
  for (const RankIndex rank : analysis.ranks()) {
    if (!rows.rank || analysis.trace().rank(rank).rank == *rows.rank) chosen.push_back(rank);
  }
  return rows.each && !rows.joined ? chosen : recordedOnce(analysis.trace(), chosen);
}

// The same by row: those that one row is over, of which there is none without recordings.
[[nodiscard]] inline std::vector<std::vector<RankIndex>> rowsFor(const Analysis& analysis,
                                                                 const RecordingRows& rows) {
  std::vector<std::vector<RankIndex>> parts;
  for (const RankIndex rank : ranksFor(analysis, rows)) {
    const auto numberOf = [&](RankIndex of) { return analysis.trace().rank(of).rank; };
    const bool same =
        !parts.empty() && (!rows.each || (rows.joined && numberOf(parts.back().front()) == numberOf(rank)));
    if (!same) parts.emplace_back();
    parts.back().push_back(rank);
  }
  return parts;
}

} // namespace rankscope
