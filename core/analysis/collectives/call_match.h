// SPDX-License-Identifier: GPL-3.0-or-later
// Which calls of the ranks of a group are one collective: by sequence number if recorded; else by the order
// of signatures (operation, type, elements) within a step; else, if the numbers of calls differ and clocks
// are comparable, by overlapping times. A send matches its receive. Each group is matched alone, so that
// groups can be matched in different processes. Pure functions. O(calls) if all ranks recorded the same
// calls.
#pragma once

#include "core/analysis/collectives/process_groups.h"
#include "core/model/clock_alignment.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

enum class MatchedBy : std::uint8_t { Nothing, Sequence, Order, Time };
[[nodiscard]] constexpr bool isValid(MatchedBy value) {
  return value <= MatchedBy::Time;
}

// "sequence", "order", "time"; empty for unmatched calls.
[[nodiscard]] std::string_view matchedByText(MatchedBy matchedBy);

// Calls by rank, for all recordings of a job. Each recording is one capture.
using CallsByRank = std::span<const std::vector<CollectiveCall>* const>;

struct CallRef {
  std::uint32_t rank = 0; // RankIndex
  std::uint32_t call = 0; // index in the rank's calls
  // False if the rank recorded other calls than the rest and only their order determines the match.
  bool certain = true;
};

// Calls of one collective, by rank and call. One that has no partner stands alone.
struct CallMatch {
  std::vector<CallRef> calls; // not empty
  MatchedBy by = MatchedBy::Nothing;
};

// Which ranks' times may be compared.
enum class ComparableClocks : std::uint8_t {
  OfHost, // those of one known host: whether ranks without one share a clock is unknown
  All
};

// What matching has to know of a recording.
struct CallingRank {
  int rank = 0;
  std::string host;
  bool byNsight = false; // TraceSet::recordedByNsight
};

[[nodiscard]] std::vector<CallingRank> callingRanks(const TraceSet& trace);

// S of one rank's call. groupSize: as in JobGroup::size.
[[nodiscard]] std::optional<std::int64_t> bytesOfCall(const CollectiveCall& call, std::int64_t groupSize,
                                                      const StringTable& names);

// Every call is in one match; the order of matches says nothing. ranks, calls and groups.groupOfCall: by
// RankIndex; all calls of a group that has any. clocks: known corrections of the ranks' clocks.
[[nodiscard]] std::vector<CallMatch> matchedCalls(std::span<const CallingRank> ranks, CallsByRank calls,
                                                  const ProcessGroups& groups, const StringTable& names,
                                                  const ClockAlignment& clocks, ComparableClocks comparable);

} // namespace rankscope
