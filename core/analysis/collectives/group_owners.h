// SPDX-License-Identifier: GPL-3.0-or-later
// Matching in several processes: the calls of a group go to the process that owns it, by a hash of its
// members, wherever they were recorded. Each owner then has all calls of its groups and matches them as one
// process would match all. The bytes are for processes of one program. Pure functions. O(calls).
#pragma once

#include "core/analysis/collectives/call_match.h"
#include "core/analysis/collectives/job_collectives.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// What every owner has to know of the job.
struct GroupedJob {
  std::vector<CallingRank> ranks; // by RankIndex
  std::vector<JobGroup> groups;
};

[[nodiscard]] std::string packedJob(const GroupedJob& job);
[[nodiscard]] std::optional<GroupedJob> unpackedJob(std::string_view bytes);

// The process, of so many, that owns the group. A group of unknown members is one of its name and operation.
[[nodiscard]] std::size_t ownerOf(const JobGroup& group, std::size_t processes);

// Calls of one rank.
struct GroupedCalls {
  RankIndex rank; // in the job
  const std::vector<CollectiveCall>* calls = nullptr;
  std::span<const GroupIndex> groups; // of each call
};

// What each process has to be sent of these ranks. names: of the calls.
[[nodiscard]] std::vector<std::string> packedForOwners(std::span<const GroupedCalls> ranks,
                                                       std::span<const JobGroup> groups,
                                                       const StringTable& names, std::size_t processes);

// The calls of the groups of one owner.
class OwnedCalls {
 public:
  // parts: what each process sent to this one. Empty if they are something else.
  [[nodiscard]] static std::optional<OwnedCalls> of(GroupedJob job, std::span<const std::string> parts);

  // As matchedCalls of the whole job, but for the calls of these groups alone.
  [[nodiscard]] std::vector<CallMatch> matches(const ClockAlignment& clocks,
                                               ComparableClocks comparable) const;

 private:
  std::vector<CallingRank> m_ranks;
  ProcessGroups m_groups;
  StringTable m_names;
  std::vector<std::vector<CollectiveCall>> m_calls; // by RankIndex
  std::vector<std::vector<std::uint32_t>> m_places; // of each in all calls of the rank
};

// Either part may be empty.
[[nodiscard]] std::string packedTold(const ToldCollectives& told);
[[nodiscard]] std::optional<ToldCollectives> unpackedTold(std::string_view bytes);

} // namespace rankscope
