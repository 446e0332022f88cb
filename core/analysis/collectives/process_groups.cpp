// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/process_groups.h"

#include "core/analysis/collectives/group_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

// Larger groups are damage, and their members would exhaust memory.
constexpr std::int64_t kMaxGroupSize = 1 << 17;
// Limit of members over all groups; members of later groups are dropped.
constexpr std::size_t kMaxMembers = 1 << 23;

bool isInformative(std::string_view description) {
  return !description.empty() && description != "undefined";
}

// What kind of communication a group has, by its name. Shards and replicas of experts communicate like
// replicas.
ParallelDimension dimensionOfName(std::string_view text) {
  switch (dimensionOfGroupName(text)) {
  case RankDimension::Data:
  case RankDimension::Sharded:
  case RankDimension::ExpertData:
    return ParallelDimension::Data;
  case RankDimension::Tensor:
  case RankDimension::ExpertTensor:
    return ParallelDimension::Tensor;
  case RankDimension::Pipeline:
    return ParallelDimension::Pipeline;
  case RankDimension::Expert:
    return ParallelDimension::Expert;
  case RankDimension::Context:
    return ParallelDimension::Context;
  default:
    return ParallelDimension::Unknown;
  }
}

// Nsight Systems records no names of groups but the hashes of NCCL's communicators, each of one group of
// ranks.
bool isCommunicator(const JobGroup& group) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const std::string_view name = group.name;
  return name.size() > 2 && name.starts_with("0x") && group.description.empty() &&
         name.find_first_not_of(kHex, 2) == std::string_view::npos;
}

std::vector<std::int32_t> regularRanks(std::int64_t start, std::int64_t stride, std::int64_t size) {
  std::vector<std::int32_t> ranks;
  if (start < 0 || stride <= 0 || size <= 0 || size > kMaxGroupSize || start > INT32_MAX ||
      stride > INT32_MAX || start + stride * size > INT32_MAX)
    return ranks;
  ranks.reserve(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i) ranks.push_back(static_cast<std::int32_t>(start + stride * i));
  return ranks;
}

// Derives the dimension of a group without a name from its operations.
struct OperationMix {
  std::array<std::int64_t, 16> calls{};

  [[nodiscard]] std::int64_t of(CollectiveOperation operation) const {
    return calls[static_cast<std::size_t>(operation)];
  }
  [[nodiscard]] ParallelDimension dimension(const JobGroup& group, std::int64_t worldSize) const {
    using enum CollectiveOperation;
    std::int64_t total = 0;
    for (const std::int64_t n : calls) total += n;
    if (total == 0) return ParallelDimension::Unknown;
    // Tensor parallelism reduces and gathers like replicas and shards do; a hash does not tell them apart.
    if (isCommunicator(group)) return ParallelDimension::Unknown;
    const auto mostly = [&](std::int64_t n) { return 2 * n > total; };
    // In the group of all ranks sends may be of anything; what they are is recognized with their neighbors.
    if (mostly(of(Send) + of(Recv) + of(SendRecv)) && group.operation == Unknown)
      return dimensionOfGroupName(group.description) == RankDimension::World ? ParallelDimension::Unknown
                                                                             : ParallelDimension::Pipeline;
    if (group.operation != Unknown) return ParallelDimension::Unknown;
    // Mostly all-to-alls may be experts, embeddings or sequences: the traffic alone does not say.
    if (of(AllGather) > 0 && of(ReduceScatter) > 0) return ParallelDimension::Data;
    if (mostly(of(AllReduce)) && !group.members.empty() &&
        static_cast<std::int64_t>(group.members.size()) == worldSize)
      return ParallelDimension::Data;
    return ParallelDimension::Unknown;
  }
};

// Whether a rank's own list has groups of several ranks that differ in their members.
bool isInSeveralGroups(const TraceMetadata& metadata) {
  std::set<std::vector<std::int32_t>> groups;
  for (const ProcessGroup& group : metadata.processGroups)
    if (group.ranks.size() > 1) groups.insert(group.ranks.sorted());
  return groups.size() > 1;
}

// Lists of members, stored and parsed once each, because every call names its group's list.
class MemberLists {
 public:
  static constexpr std::uint32_t kUnknown = 0; // id of the empty list

  [[nodiscard]] std::uint32_t ofText(NameId id, std::string_view text) {
    const auto [known, isNew] = m_ofText.try_emplace(id, kUnknown);
    if (isNew) known->second = kept(ranksOfList(text).value_or(std::vector<std::int32_t>()));
    return known->second;
  }
  [[nodiscard]] std::uint32_t ofRange(std::int64_t start, std::int64_t stride, std::int64_t size) {
    const auto [known, isNew] = m_ofRange.try_emplace({start, stride, size}, kUnknown);
    if (isNew) known->second = kept(regularRanks(start, stride, size));
    return known->second;
  }
  [[nodiscard]] std::uint32_t ofConfig(const RankList& ranks) {
    const auto [known, isNew] = m_ofConfig.try_emplace(ranks.span().data(), kUnknown);
    if (isNew) known->second = kept(ranks.sorted());
    return known->second;
  }
  [[nodiscard]] std::uint32_t kept(std::vector<std::int32_t> ranks) {
    const auto [place, isNew] =
        m_ids.try_emplace(std::move(ranks), static_cast<std::uint32_t>(m_lists.size()));
    if (isNew) m_lists.push_back(&place->first);
    return place->second;
  }
  [[nodiscard]] const std::vector<std::int32_t>& list(std::uint32_t id) const { return *m_lists[id]; }

 private:
  std::map<std::vector<std::int32_t>, std::uint32_t> m_ids{{{}, kUnknown}};
  std::vector<const std::vector<std::int32_t>*> m_lists{&m_ids.begin()->first}; // by id
  std::map<NameId, std::uint32_t> m_ofText;
  std::map<const std::int32_t*, std::uint32_t> m_ofConfig; // equal lists are one
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::uint32_t> m_ofRange;
};

class GroupFinder {
 public:
  explicit GroupFinder(const TraceSet& trace) : m_trace(trace) {}

  [[nodiscard]] GroupIndex groupOf(const RankEntry& entry, const CollectiveCall& call) {
    const auto text = [&](NameId id) {
      return id.valid() ? std::string(m_trace.names()[id]) : std::string();
    };
    // Calls of a group share their parties, so cache the group per rank and parties.
    const CallParties& parties = *call.parties;
    const auto known =
        std::tuple(&entry, &parties, parties.hasGroup ? CollectiveOperation::Unknown : call.operation);
    if (const auto found = m_known.find(known); found != m_known.end())
      return counted(found->second, entry, call);
    JobGroup group;
    group.capture = entry.capture;
    group.name = text(parties.groupName);
    group.description = text(parties.groupDescription);
    group.size = parties.groupSize;
    std::uint32_t members = MemberLists::kUnknown;
    if (parties.hasGroup) {
      members = membersOf(entry, group.name, parties);
      const auto count = static_cast<std::int64_t>(m_lists.list(members).size());
      if (count > 0) group.size = count;
    } else {
      // A send and its receive belong to the same group.
      group.operation = isPointToPoint(call.operation) ? CollectiveOperation::SendRecv : call.operation;
      if (group.size < 0) group.size = entry.trace->metadata.worldSize.value_or(-1);
      if (isPointToPoint(call.operation)) group.size = -1;
      if (!isPointToPoint(call.operation) && isInSeveralGroups(entry.trace->metadata)) {
        group.size = -1;
        group.mayBeSeveral = true;
      }
    }
    const auto key =
        std::tuple(group.capture, members, group.name, group.description,
                   members == MemberLists::kUnknown ? group.size : 0, group.operation, group.mayBeSeveral);
    const auto [place, isNew] = m_groups.try_emplace(key, GroupIndex(m_result.size()));
    if (isNew) {
      m_memberCount += m_lists.list(members).size();
      if (m_memberCount <= kMaxMembers) group.members = m_lists.list(members);
      m_result.push_back(std::move(group));
      m_mixes.emplace_back();
      m_users.emplace_back();
    }
    m_known.emplace(known, place->second);
    return counted(place->second, entry, call);
  }

  struct Finished {
    std::vector<JobGroup> groups;
    std::vector<GroupIndex> placeOf; // of each group as it was found
  };
  [[nodiscard]] Finished finished() {
    findMembers();
    const std::vector<std::size_t> joined = joinRecorders();
    for (std::size_t i = 0; i < m_result.size(); ++i) {
      JobGroup& group = m_result[i];
      group.dimension = dimensionOfName(group.description);
      if (group.dimension == ParallelDimension::Unknown) group.dimension = dimensionOfName(group.name);
      if (group.dimension == ParallelDimension::Unknown)
        group.dimension = m_mixes[i].dimension(group, m_trace.worldSize().value_or(0));
    }
    Finished all;
    for (std::size_t i = 0; i < m_result.size(); ++i) {
      all.placeOf.emplace_back(all.groups.size());
      if (joined[i] == i) all.groups.push_back(std::move(m_result[i]));
    }
    for (std::size_t i = 0; i < joined.size(); ++i) all.placeOf[i] = all.placeOf[joined[i]];
    return all;
  }

 private:
  GroupIndex counted(GroupIndex group, const RankEntry& entry, const CollectiveCall& call) {
    ++m_mixes[group.value].calls[static_cast<std::size_t>(call.operation)];
    m_users[group.value].insert(entry.rank);
    return group;
  }

  // Members of a communicator are the ranks that use it, if as many do as it has, or if all ranks of the job
  // were recorded.
  void findMembers() {
    std::map<int, std::set<std::int32_t>> recorded; // by capture
    for (const RankEntry& entry : m_trace.ranks()) recorded[entry.capture].insert(entry.rank);
    for (std::size_t i = 0; i < m_result.size(); ++i) {
      JobGroup& group = m_result[i];
      if (!group.members.empty() || !isCommunicator(group)) continue;
      const auto users = static_cast<std::int64_t>(m_users[i].size());
      const bool all = static_cast<std::int64_t>(recorded[group.capture].size()) == m_trace.worldSize();
      if (group.size >= 0 ? users != group.size : !all) continue;
      m_memberCount += m_users[i].size();
      if (m_memberCount > kMaxMembers) return;
      group.members.assign(m_users[i].begin(), m_users[i].end());
      group.size = users;
    }
  }

  // Where another recorder names groups, a communicator of ranks that it did not record is the only named
  // group that it can be: of the same members or size, with the same operations. Likewise collectives without
  // a recorded group. The result is the group that each belongs to, mostly itself.
  [[nodiscard]] std::vector<std::size_t> joinRecorders() const {
    std::vector<std::size_t> joined(m_result.size());
    for (std::size_t i = 0; i < joined.size(); ++i) joined[i] = i;
    if (!severalRecorders()) return joined;
    std::map<std::size_t, std::vector<std::size_t>> ofNamed;
    for (std::size_t i = 0; i < m_result.size(); ++i) {
      if (!isAnonymous(m_result[i])) continue;
      std::vector<std::size_t> fitting;
      for (std::size_t named = 0; named < m_result.size(); ++named) {
        if (!isAnonymous(m_result[named]) && mayBe(i, named)) fitting.push_back(named);
      }
      if (fitting.size() == 1) ofNamed[fitting.front()].push_back(i);
    }
    for (const auto& [named, groups] : ofNamed) {
      // A rank has one communicator of a group; several are others with the same members.
      std::map<std::int32_t, int> communicators;
      for (const std::size_t group : groups) {
        if (!isCommunicator(m_result[group])) continue;
        for (const std::int32_t rank : m_users[group]) ++communicators[rank];
      }
      const bool unique = std::ranges::all_of(communicators, [](const auto& of) { return of.second == 1; });
      for (const std::size_t group : groups) {
        if (unique) joined[group] = named;
      }
    }
    return joined;
  }

  [[nodiscard]] bool severalRecorders() const {
    for (std::size_t r = 1; r < m_trace.ranks().size(); ++r) {
      if (m_trace.recordedByNsight(RankIndex(r)) != m_trace.recordedByNsight(RankIndex(0))) return true;
    }
    return false;
  }

  static bool isAnonymous(const JobGroup& group) {
    return isCommunicator(group) || group.operation != CollectiveOperation::Unknown;
  }

  [[nodiscard]] bool mayBe(std::size_t anonymous, std::size_t named) const {
    const JobGroup& group = m_result[anonymous];
    const JobGroup& of = m_result[named];
    const auto isMember = [&](std::int32_t rank) { return std::ranges::binary_search(of.members, rank); };
    if (group.capture != of.capture || of.members.empty() ||
        group.operation == CollectiveOperation::SendRecv ||
        !std::ranges::all_of(m_users[anonymous], isMember))
      return false;
    // Of the same recorder, it would have the name.
    if (std::ranges::any_of(m_users[anonymous],
                            [&](std::int32_t rank) { return m_users[named].contains(rank); }))
      return false;
    if (!group.members.empty() && group.members != of.members) return false;
    if (isCommunicator(group) && group.size >= 0 && group.size != of.size) return false;
    const auto& own = m_mixes[anonymous].calls;
    const auto& others = m_mixes[named].calls;
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (own[i] > 0 && others[i] == 0) return false;
    }
    return true;
  }

  // As recorded; else from start and stride; else from the rank's own list of groups; else all ranks, if the
  // size equals the world size.
  [[nodiscard]] std::uint32_t membersOf(const RankEntry& entry, const std::string& name,
                                        const CallParties& parties) {
    if (parties.groupRanks.valid()) {
      const std::uint32_t listed = m_lists.ofText(parties.groupRanks, m_trace.names()[parties.groupRanks]);
      if (listed != MemberLists::kUnknown) return listed;
    }
    const std::uint32_t regular = m_lists.ofRange(parties.rankStart, parties.rankStride, parties.groupSize);
    if (regular != MemberLists::kUnknown) return regular;
    const TraceMetadata& metadata = entry.trace->metadata;
    const auto [first, last] = configsOf(metadata).equal_range(name);
    for (auto config = first; config != last; ++config) {
      const RankList& ranks = config->second->ranks;
      if (parties.groupSize >= 0 && static_cast<std::int64_t>(ranks.size()) != parties.groupSize) continue;
      return m_lists.ofConfig(ranks);
    }
    if (parties.groupSize > 0 && parties.groupSize == metadata.worldSize.value_or(-1))
      return m_lists.ofRange(0, 1, parties.groupSize);
    return MemberLists::kUnknown;
  }

  using Configs = std::multimap<std::string_view, const ProcessGroup*>; // groups with a list of ranks

  [[nodiscard]] const Configs& configsOf(const TraceMetadata& metadata) {
    const auto [known, isNew] = m_configs.try_emplace(&metadata);
    if (isNew) {
      for (const ProcessGroup& config : metadata.processGroups) {
        if (!config.ranks.empty()) known->second.emplace(config.name, &config);
      }
    }
    return known->second;
  }

  const TraceSet& m_trace;
  std::vector<JobGroup> m_result;
  std::vector<OperationMix> m_mixes;
  std::vector<std::set<std::int32_t>> m_users; // ranks with calls of each group
  MemberLists m_lists;
  std::size_t m_memberCount = 0; // over all groups
  std::map<const TraceMetadata*, Configs> m_configs;
  std::map<std::tuple<int, std::uint32_t, std::string, std::string, std::int64_t, CollectiveOperation, bool>,
           GroupIndex>
      m_groups;
  std::map<std::tuple<const RankEntry*, const CallParties*, CollectiveOperation>, GroupIndex> m_known;
};

} // namespace

std::string_view dimensionText(ParallelDimension dimension) {
  switch (dimension) {
  case ParallelDimension::Unknown:
    return {};
  case ParallelDimension::Data:
    return "dp";
  case ParallelDimension::Tensor:
    return "tp";
  case ParallelDimension::Pipeline:
    return "pp";
  case ParallelDimension::Expert:
    return "ep";
  case ParallelDimension::Context:
    return "cp";
  }
  return {};
}

std::string JobGroup::label() const {
  if (isInformative(description)) return description;
  if (!name.empty()) return name;
  return mayBeSeveral ? "group not recorded" : "all ranks";
}

std::optional<std::vector<std::int32_t>> ranksOfList(std::string_view text) {
  if (text.size() < 3 || text.front() != '[' || text.back() != ']') return std::nullopt;
  std::vector<std::int32_t> ranks;
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size() - 1;
  while (at < end) {
    while (at < end && (*at == ' ' || *at == ',')) ++at;
    if (at == end) break;
    std::int32_t rank = 0;
    const auto [after, error] = std::from_chars(at, end, rank);
    if (error != std::errc() || rank < 0) return std::nullopt;
    ranks.push_back(rank);
    at = after;
  }
  if (ranks.empty()) return std::nullopt;
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

ProcessGroups processGroupsOf(const TraceSet& trace,
                              std::span<const std::vector<CollectiveCall>* const> calls) {
  ProcessGroups result;
  GroupFinder finder(trace);
  for (std::size_t r = 0; r < calls.size(); ++r) {
    std::vector<GroupIndex>& groups = result.groupOfCall.emplace_back();
    groups.reserve(calls[r]->size());
    for (const CollectiveCall& call : *calls[r]) groups.push_back(finder.groupOf(trace.ranks()[r], call));
  }
  GroupFinder::Finished finished = finder.finished();
  result.groups = std::move(finished.groups);
  for (std::vector<GroupIndex>& groups : result.groupOfCall) {
    for (GroupIndex& group : groups) group = finished.placeOf[group.value];
  }
  return result;
}

} // namespace rankscope
