// SPDX-License-Identifier: GPL-3.0-or-later
// Every collective of the job as one thing: the calls of all participants that belong together, on the job's
// clock. Matched by the recorded sequence number; else by the order of signatures (operation, type, elements)
// within a group and step; else, where the number of calls differs and the ranks' clocks can be compared, by
// which calls ran at the same time. A call that finds no partner stays, alone. Point-to-point transfers match
// a send with its receive. Constant after it was made. O(calls) when all ranks recorded the same ones.
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

using InstanceIndex = StrongIndex<struct InstanceTag>; // of a CollectiveMatch

enum class MatchedBy : std::uint8_t { Nothing, Sequence, Order, Time };

// "sequence", "order", "time"; empty when the call found no partner.
[[nodiscard]] std::string_view matchedByText(MatchedBy matchedBy);

// One rank's part. wait: until the last participant began, clipped to the duration; transfer: the rest of it,
// so that wait + transfer = duration. A call without a partner waits for nobody that is known: both are 0.
struct Participant {
  RankIndex rank;
  std::uint32_t call = 0; // position in the rank's calls
  // False when the rank recorded other calls than the rest and only their order says which this is.
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
  std::optional<std::int64_t> bytes; // S of the definitions; the largest where ranks move different amounts
  MatchedBy matchedBy = MatchedBy::Nothing;
  std::uint32_t first = 0; // participants are [first, first + count), by rank
  std::uint32_t count = 0;
  JobTime firstBegin;
  JobTime lastBegin;
  JobTime end;         // of the last
  RankIndex lastRank;  // the one that began last; the lowest of those; invalid when alone
  TimeNs transfer = 0; // the least duration of any participant; 0 when alone

  [[nodiscard]] bool matched() const { return count > 1; }
  [[nodiscard]] TimeNs skew() const { return lastBegin - firstBegin; }
};

// What of a match is certain.
struct MatchCounts {
  std::uint64_t complete = 0;  // every known member of the group that was recorded takes part
  std::uint64_t partial = 0;   // some are missing
  std::uint64_t unmatched = 0; // calls that are alone although others should be there
  std::uint64_t bySequence = 0, byOrder = 0, byTime = 0;
};

class CollectiveMatch {
 public:
  std::vector<JobGroup> groups;
  std::vector<CollectiveInstance> instances;              // by first begin
  std::vector<Participant> participants;                  // by instance
  std::vector<std::vector<InstanceIndex>> instanceOfCall; // by RankIndex and position in its calls
  std::vector<std::vector<std::pair<EventIndex, InstanceIndex>>> instanceOfEvent; // by RankIndex, then event
  MatchCounts counts;

  [[nodiscard]] std::span<const Participant> of(const CollectiveInstance& instance) const {
    return std::span(participants).subspan(instance.first, instance.count);
  }
  // The instance that an event of a rank takes part in; null for an event that is no collective's. Binary
  // search.
  [[nodiscard]] const CollectiveInstance* instanceAt(RankIndex rank, EventIndex event) const;
  [[nodiscard]] const CollectiveInstance& instance(InstanceIndex index) const {
    return instances[index.value];
  }
  [[nodiscard]] const JobGroup& group(const CollectiveInstance& instance) const {
    return groups[instance.group.value];
  }
};

// S of one rank's call; groupSize as JobGroup::size.
[[nodiscard]] std::optional<std::int64_t> bytesOfCall(const CollectiveCall& call, std::int64_t groupSize,
                                                      const StringTable& names);

// Calls, by rank, of one capture each; all recordings of a TraceSet.
using CallsByRank = std::span<const std::vector<CollectiveCall>* const>;

// clocks: the ranks' clocks as far as they are known; comparable(a, b) says whether times of two ranks may be
// compared at all.
[[nodiscard]] CollectiveMatch matchCollectives(const TraceSet& trace, CallsByRank calls,
                                               const ClockAlignment& clocks,
                                               const std::function<bool(RankIndex, RankIndex)>& comparable);

} // namespace rankscope
