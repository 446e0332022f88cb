// SPDX-License-Identifier: GPL-3.0-or-later
// The recordings of each rank: a rank may have been recorded several times, as captures.
#pragma once

#include "core/model/trace_set.h"

#include <cstddef>
#include <span>
#include <vector>

namespace rankscope {

// Which rank each of several recordings is of: ranks have rows in the order in which they come first.
struct RankRows {
  std::vector<RankIndex> first;   // of each row the first recording
  std::vector<std::size_t> rowOf; // of each recording

  [[nodiscard]] std::size_t count() const { return first.size(); }
  // Whether a rank has several of the recordings.
  [[nodiscard]] bool joins() const { return first.size() < rowOf.size(); }
};

// O(n log n).
[[nodiscard]] RankRows rankRows(const TraceSet& traces, std::span<const RankIndex> recordings);

// One entry per rank with its recordings, which is never empty, in the order of the job. O(n log n).
[[nodiscard]] std::vector<std::vector<RankIndex>> recordingsByRank(const TraceSet& traces);

} // namespace rankscope
