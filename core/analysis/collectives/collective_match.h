// SPDX-License-Identifier: GPL-3.0-or-later
// The collectives of a job: calls that were matched over all ranks, on the job's clock, with what each
// waited. Unmatched calls are kept as single participants. Immutable. O(calls · log calls).
#pragma once

#include "core/analysis/activity/device_activity.h"
#include "core/analysis/collectives/call_match.h"
#include "core/model/clock_alignment.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace rankscope {

using InstanceIndex = StrongIndex<struct InstanceTag>; // into CollectiveMatch::instances

// A rank's part in a collective. wait: until the last participant began, limited to the duration; transfer:
// the rest, so wait + transfer = duration. Both are 0 for unmatched calls.
struct Participant {
  RankIndex rank;
  std::uint32_t call = 0; // index in the rank's calls
  bool certain = true;    // see CallRef
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

// matches: of all calls, in any order. clocks: known corrections of the ranks' clocks.
[[nodiscard]] CollectiveMatch assembledMatch(const TraceSet& trace, CallsByRank calls,
                                             const ProcessGroups& groups, const ClockAlignment& clocks,
                                             std::vector<CallMatch> matches);

} // namespace rankscope
