// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/process_groups.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <tuple>

namespace rankscope {

namespace {

// Larger ones are damage, and their members would fill the memory.
constexpr std::int64_t kLargestGroup = 1 << 17;

std::string lowerCase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool saysSomething(std::string_view description) {
  return !description.empty() && description != "undefined";
}

ParallelDimension dimensionOfName(std::string_view text) {
  struct Mark {
    std::string_view text;
    ParallelDimension dimension;
  };
  static constexpr std::array kMarks{
      Mark{"tensor", ParallelDimension::Tensor},  Mark{"pipeline", ParallelDimension::Pipeline},
      Mark{"expert", ParallelDimension::Expert},  Mark{"context", ParallelDimension::Context},
      Mark{"data", ParallelDimension::Data},      Mark{"shard", ParallelDimension::Data},
      Mark{"replicate", ParallelDimension::Data}, Mark{"fsdp", ParallelDimension::Data},
      Mark{"ddp", ParallelDimension::Data}};
  static constexpr std::array kShort{
      Mark{"tp", ParallelDimension::Tensor}, Mark{"pp", ParallelDimension::Pipeline},
      Mark{"ep", ParallelDimension::Expert}, Mark{"cp", ParallelDimension::Context},
      Mark{"dp", ParallelDimension::Data}};
  const std::string lower = lowerCase(text);
  for (const Mark& mark : kMarks) {
    if (lower.find(mark.text) != std::string::npos) return mark.dimension;
  }
  // Two letters count only as a word of their own: mesh_tp, "dp_cp" (the first one there).
  std::string word;
  for (std::size_t i = 0; i <= lower.size(); ++i) {
    if (i < lower.size() && std::isalpha(static_cast<unsigned char>(lower[i])) != 0) {
      word += lower[i];
      continue;
    }
    for (const Mark& mark : kShort) {
      if (word == mark.text) return mark.dimension;
    }
    word.clear();
  }
  return ParallelDimension::Unknown;
}

std::vector<std::int32_t> regularRanks(std::int64_t start, std::int64_t stride, std::int64_t size) {
  std::vector<std::int32_t> ranks;
  if (start < 0 || stride <= 0 || size <= 0 || size > kLargestGroup || start > INT32_MAX ||
      stride > INT32_MAX || start + stride * size > INT32_MAX)
    return ranks;
  ranks.reserve(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i) ranks.push_back(static_cast<std::int32_t>(start + stride * i));
  return ranks;
}

// How the operations that a group carries give its dimension away when nobody named it.
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
    if (mostly(of(AllToAll))) return ParallelDimension::Expert;
    if (of(AllGather) > 0 && of(ReduceScatter) > 0) return ParallelDimension::Data;
    if (mostly(of(AllReduce)) && !group.members.empty() &&
        static_cast<std::int64_t>(group.members.size()) == worldSize)
      return ParallelDimension::Data;
    return ParallelDimension::Unknown;
  }
};

class GroupFinder {
 public:
  explicit GroupFinder(const TraceSet& trace) : m_trace(trace) {}

  [[nodiscard]] GroupIndex groupOf(const RankEntry& entry, const CollectiveCall& call) {
    const auto text = [&](NameId id) {
      return id.valid() ? std::string(m_trace.names()[id]) : std::string();
    };
    // Calls of a group repeat the same names: judged once per rank and name.
    const auto known = std::tuple(&entry, call.groupName, call.groupDescription, call.groupRanks,
                                  call.groupSize, call.rankStart, call.rankStride,
                                  call.hasGroup ? CollectiveOperation::Unknown : call.operation);
    if (const auto found = m_known.find(known); found != m_known.end()) return counted(found->second, call);
    JobGroup group;
    group.capture = entry.capture;
    group.name = text(call.groupName);
    group.description = text(call.groupDescription);
    group.size = call.groupSize;
    if (call.hasGroup) {
      group.members = membersOf(entry, group, text(call.groupRanks), call);
      if (!group.members.empty()) group.size = static_cast<std::int64_t>(group.members.size());
    } else {
      // A send belongs with its receive.
      group.operation = isPointToPoint(call.operation) ? CollectiveOperation::SendRecv : call.operation;
      if (group.size < 0) group.size = entry.trace->metadata.worldSize.value_or(-1);
      if (isPointToPoint(call.operation)) group.size = -1;
    }
    const auto key = std::tuple(group.capture, group.members, group.name, group.description,
                                group.members.empty() ? group.size : 0, group.operation);
    const auto [place, isNew] = m_groups.try_emplace(key, GroupIndex(m_result.size()));
    if (isNew) {
      m_result.push_back(group);
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

  // As recorded; else by start and stride; else as the rank's own list of groups has it; else everybody, when
  // the size says so.
  std::vector<std::int32_t> membersOf(const RankEntry& entry, const JobGroup& group, const std::string& list,
                                      const CollectiveCall& call) const {
    if (auto ranks = ranksOfList(list)) return *std::move(ranks);
    if (auto ranks = regularRanks(call.rankStart, call.rankStride, call.groupSize); !ranks.empty())
      return ranks;
    const TraceMetadata& metadata = entry.trace->metadata;
    for (const ProcessGroup& config : metadata.processGroups) {
      if (config.name != group.name || config.ranks.empty()) continue;
      std::vector<std::int32_t> ranks = config.ranks;
      std::ranges::sort(ranks);
      if (call.groupSize < 0 || static_cast<std::int64_t>(ranks.size()) == call.groupSize) return ranks;
    }
    if (call.groupSize > 0 && call.groupSize == metadata.worldSize.value_or(-1))
      return regularRanks(0, 1, call.groupSize);
    return {};
  }

  const TraceSet& m_trace;
  std::vector<JobGroup> m_result;
  std::vector<OperationMix> m_mixes;
  std::map<
      std::tuple<int, std::vector<std::int32_t>, std::string, std::string, std::int64_t, CollectiveOperation>,
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
  if (saysSomething(description)) return description;
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
