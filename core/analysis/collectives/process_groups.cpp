// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/process_groups.h"

#include "core/analysis/collectives/group_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <tuple>

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
    const auto mostly = [&](std::int64_t n) { return 2 * n > total; };
    if (mostly(of(Send) + of(Recv) + of(SendRecv)) && group.operation == Unknown)
      return ParallelDimension::Pipeline;
    if (group.operation != Unknown) return ParallelDimension::Unknown;
    // Mostly all-to-alls may be experts, embeddings or sequences: the traffic alone does not say.
    if (of(AllGather) > 0 && of(ReduceScatter) > 0) return ParallelDimension::Data;
    if (mostly(of(AllReduce)) && !group.members.empty() &&
        static_cast<std::int64_t>(group.members.size()) == worldSize)
      return ParallelDimension::Data;
    return ParallelDimension::Unknown;
  }
};

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
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::uint32_t> m_ofRange;
};

class GroupFinder {
 public:
  explicit GroupFinder(const TraceSet& trace) : m_trace(trace) {}

  [[nodiscard]] GroupIndex groupOf(const RankEntry& entry, const CollectiveCall& call) {
    const auto text = [&](NameId id) {
      return id.valid() ? std::string(m_trace.names()[id]) : std::string();
    };
    // Calls of a group repeat the same names, so cache the group per rank and name.
    const auto known = std::tuple(&entry, call.groupName, call.groupDescription, call.groupRanks,
                                  call.groupSize, call.rankStart, call.rankStride,
                                  call.hasGroup ? CollectiveOperation::Unknown : call.operation);
    if (const auto found = m_known.find(known); found != m_known.end()) return counted(found->second, call);
    JobGroup group;
    group.capture = entry.capture;
    group.name = text(call.groupName);
    group.description = text(call.groupDescription);
    group.size = call.groupSize;
    std::uint32_t members = MemberLists::kUnknown;
    if (call.hasGroup) {
      members = membersOf(entry, group.name, call);
      const auto count = static_cast<std::int64_t>(m_lists.list(members).size());
      if (count > 0) group.size = count;
    } else {
      // A send and its receive belong to the same group.
      group.operation = isPointToPoint(call.operation) ? CollectiveOperation::SendRecv : call.operation;
      if (group.size < 0) group.size = entry.trace->metadata.worldSize.value_or(-1);
      if (isPointToPoint(call.operation)) group.size = -1;
    }
    const auto key = std::tuple(group.capture, members, group.name, group.description,
                                members == MemberLists::kUnknown ? group.size : 0, group.operation);
    const auto [place, isNew] = m_groups.try_emplace(key, GroupIndex(m_result.size()));
    if (isNew) {
      m_memberCount += m_lists.list(members).size();
      if (m_memberCount <= kMaxMembers) group.members = m_lists.list(members);
      m_result.push_back(std::move(group));
      m_mixes.emplace_back();
    }
    m_known.emplace(known, place->second);
    return counted(place->second, call);
  }

  [[nodiscard]] std::vector<JobGroup> finished() {
    for (std::size_t i = 0; i < m_result.size(); ++i) {
      JobGroup& group = m_result[i];
      group.dimension = dimensionOfName(group.description);
      if (group.dimension == ParallelDimension::Unknown) group.dimension = dimensionOfName(group.name);
      if (group.dimension == ParallelDimension::Unknown)
        group.dimension = m_mixes[i].dimension(group, m_trace.worldSize().value_or(0));
    }
    return std::move(m_result);
  }

 private:
  GroupIndex counted(GroupIndex group, const CollectiveCall& call) {
    ++m_mixes[group.value].calls[static_cast<std::size_t>(call.operation)];
    return group;
  }

  // As recorded; else from start and stride; else from the rank's own list of groups; else all ranks, if the
  // size equals the world size.
  [[nodiscard]] std::uint32_t membersOf(const RankEntry& entry, const std::string& name,
                                        const CollectiveCall& call) {
    if (call.groupRanks.valid()) {
      const std::uint32_t listed = m_lists.ofText(call.groupRanks, m_trace.names()[call.groupRanks]);
      if (listed != MemberLists::kUnknown) return listed;
    }
    const std::uint32_t regular = m_lists.ofRange(call.rankStart, call.rankStride, call.groupSize);
    if (regular != MemberLists::kUnknown) return regular;
    const TraceMetadata& metadata = entry.trace->metadata;
    const auto [first, last] = configsOf(metadata).equal_range(name);
    for (auto config = first; config != last; ++config) {
      std::vector<std::int32_t> ranks = config->second->ranks;
      if (call.groupSize >= 0 && static_cast<std::int64_t>(ranks.size()) != call.groupSize) continue;
      std::ranges::sort(ranks);
      return m_lists.kept(std::move(ranks));
    }
    if (call.groupSize > 0 && call.groupSize == metadata.worldSize.value_or(-1))
      return m_lists.ofRange(0, 1, call.groupSize);
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
  MemberLists m_lists;
  std::size_t m_memberCount = 0; // over all groups
  std::map<const TraceMetadata*, Configs> m_configs;
  std::map<std::tuple<int, std::uint32_t, std::string, std::string, std::int64_t, CollectiveOperation>,
           GroupIndex>
      m_groups;
  std::map<std::tuple<const RankEntry*, NameId, NameId, NameId, std::int64_t, std::int64_t, std::int64_t,
                      CollectiveOperation>,
           GroupIndex>
      m_known;
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
  return "all ranks";
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
  result.groups = finder.finished();
  return result;
}

} // namespace rankscope
