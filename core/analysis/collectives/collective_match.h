// SPDX-License-Identifier: GPL-3.0-or-later
// Matches the calls of all ranks that belong to one collective, on the job's clock. By sequence number if
// recorded; else by the order of signatures (operation, type, elements) within a group and step; else, if the
// numbers of calls differ and clocks are comparable, by overlapping times. Unmatched calls are kept as single
// participants. Point-to-point: a send matches its receive. Immutable. O(calls) if all ranks recorded the
// same calls.
#pragma once

#include "core/analysis/activity/device_activity.h"
#include "core/analysis/collectives/process_groups.h"
#include "core/model/clock_alignment.h"

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace rankscope {

using InstanceIndex = StrongIndex<struct InstanceTag>; // into CollectiveMatch::instances

enum class MatchedBy : std::uint8_t { Nothing, Sequence, Order, Time };

// "sequence", "order", "time"; empty for unmatched calls.
[[nodiscard]] std::string_view matchedByText(MatchedBy matchedBy);

// A rank's part in a collective. wait: until the last participant began, limited to the duration; transfer:
// the rest, so wait + transfer = duration. Both are 0 for unmatched calls.
struct Participant {
  RankIndex rank;
  std::uint32_t call = 0; // index in the rank's calls
  // False if the rank recorded other calls than the rest and only their order determines the match.
  bool certain = true;
  JobRange range;
  TimeNs wait = 0;
  TimeNs transfer = 0;
};

struct CollectiveInstance {
  GroupIndex group;
  CollectiveOperation operation = CollectiveOperation::Unknown;
  NameId dtype;
  std::int64_t sequence = -1; // as recorded
  std::int64_t step = CollectiveCall::kNoStep;
  std::optional<std::int64_t> bytes; // S of the definitions; the maximum if ranks transfer different amounts
  MatchedBy matchedBy = MatchedBy::Nothing;
  std::uint32_t first = 0; // participants are [first, first + count), sorted by rank
  std::uint32_t count = 0;
  JobTime firstBegin;
  JobTime lastBegin;
  JobTime end;         // of the last participant
  RankIndex lastRank;  // rank that began last, the lowest of several; invalid if alone
  TimeNs transfer = 0; // minimum duration over participants; 0 if alone

  [[nodiscard]] bool matched() const { return count > 1; }
  [[nodiscard]] TimeNs skew() const { return lastBegin - firstBegin; }
};

// Completeness of the match.
struct MatchCounts {
  std::uint64_t complete = 0;  // every recorded member of the group takes part
  std::uint64_t partial = 0;   // some members are missing
  std::uint64_t unmatched = 0; // calls without a partner although the group has others
  std::uint64_t bySequence = 0, byOrder = 0, byTime = 0;
};

class CollectiveMatch {
 public:
  std::vector<JobGroup> groups;
  std::vector<CollectiveInstance> instances;              // by first begin
  std::vector<Participant> participants;                  // by instance
  std::vector<std::vector<InstanceIndex>> instanceOfCall; // by RankIndex and index of the call
  std::vector<std::vector<std::pair<EventIndex, InstanceIndex>>> instanceOfEvent; // by RankIndex, then event
  MatchCounts counts;

  [[nodiscard]] std::span<const Participant> of(const CollectiveInstance& instance) const {
    return std::span(participants).subspan(instance.first, instance.count);
  }
  // The collective that an event takes part in; null for events of no collective. Binary search.
  [[nodiscard]] const CollectiveInstance* instanceAt(RankIndex rank, EventIndex event) const;
  [[nodiscard]] const CollectiveInstance& instance(InstanceIndex index) const {
    return instances[index.value];
  }
  [[nodiscard]] const JobGroup& group(const CollectiveInstance& instance) const {
    return groups[instance.group.value];
  }
};

// S of one rank's call. groupSize: as in JobGroup::size.
[[nodiscard]] std::optional<std::int64_t> bytesOfCall(const CollectiveCall& call, std::int64_t groupSize,
                                                      const StringTable& names);

// Calls by rank, for all recordings of a TraceSet. Each recording is one capture.
using CallsByRank = std::span<const std::vector<CollectiveCall>* const>;

// clocks: known corrections of the ranks' clocks. comparable(a, b): whether times of two ranks may be
// compared.
[[nodiscard]] CollectiveMatch matchCollectives(const TraceSet& trace, CallsByRank calls,
                                               const ClockAlignment& clocks,
                                               const std::function<bool(RankIndex, RankIndex)>& comparable);

} // namespace rankscope
