// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/process_groups_table.h"

#include "core/base/exact_sum.h"
#include "core/report/job_totals.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace rankscope {

namespace {

struct GroupSums {
  std::int64_t collectives = 0;
  std::optional<ExactSum> bytes;
  ExactSum wait;
  std::set<RankIndex> ranks; // in scope

  [[nodiscard]] TimeNs meanWait() const {
    const auto count = static_cast<TimeNs>(ranks.size());
    return count == 0 ? 0 : (wait + count / 2) / count;
  }
};

// Collectives whose group was not recorded are told apart by their operation; for a reader they are of one.
std::vector<std::size_t> standsFor(const std::vector<JobGroup>& groups) {
  std::vector<std::size_t> first(groups.size());
  using Key = std::tuple<int, std::int64_t, std::span<const std::int32_t>>;
  const auto less = [](const Key& a, const Key& b) {
    const auto& [captureA, sizeA, membersA] = a;
    const auto& [captureB, sizeB, membersB] = b;
    if (captureA != captureB) return captureA < captureB;
    if (sizeA != sizeB) return sizeA < sizeB;
    return std::ranges::lexicographical_compare(membersA, membersB);
  };
  std::map<Key, std::size_t, decltype(less)> nameless(less);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const JobGroup& group = groups[i];
    first[i] =
        group.name.empty()
            ? nameless.try_emplace({group.capture, group.size, std::span(group.members)}, i).first->second
            : i;
  }
  return first;
}

std::vector<GroupSums> sumsByGroup(const Analysis& analysis) {
  const CollectiveMatch& match = analysis.collectives().match;
  std::vector<GroupSums> sums(match.groups.size());
  const std::vector<std::size_t> first = standsFor(match.groups);
  for (const CollectiveInstance& instance : match.instances) {
    GroupSums& group = sums[first[instance.group.value]];
    bool counted = false;
    for (const Participant& part : match.of(instance)) {
      const CollectiveCall& call = analysis.collectiveCalls(part.rank)[part.call];
      if (!analysis.window(part.rank).contains(call.range.begin)) continue;
      group.wait += part.wait;
      group.ranks.insert(part.rank);
      counted = true;
    }
    if (!counted) continue;
    ++group.collectives;
    if (instance.bytes) group.bytes = group.bytes.value_or(0) + *instance.bytes;
  }
  return sums;
}

// As one of its ranks recorded it, else the rank's own.
std::string backendOf(const Analysis& analysis, const JobGroup& group, const GroupSums& sums) {
  for (const RankIndex rank : sums.ranks) {
    const TraceMetadata& metadata = analysis.trace().rank(rank).trace->metadata;
    for (const ProcessGroup& recorded : metadata.processGroups)
      if (!group.name.empty() && recorded.name == group.name && !recorded.backend.empty())
        return recorded.backend;
    if (!metadata.backend.empty()) return metadata.backend;
  }
  return {};
}

std::string ranksText(const Analysis& analysis, const JobGroup& group, const GroupSums& sums) {
  if (!group.members.empty()) return numberRangesText({group.members.begin(), group.members.end()});
  if (!group.name.empty()) return {};
  // What is not recorded is taken together over those who took part.
  std::set<int> ranks;
  for (const RankIndex rank : sums.ranks) ranks.insert(analysis.trace().rank(rank).rank);
  return numberRangesText({ranks.begin(), ranks.end()});
}

} // namespace

ResultTable processGroupsTable(const Analysis& analysis) {
  ResultTable table("process_groups", {{"name", Unit::Text},
                                       {"description", Unit::Text},
                                       {"dimension", Unit::Text},
                                       {"capture", Unit::Identity},
                                       {"group_size", Unit::Count},
                                       {"ranks", Unit::Text},
                                       {"backend", Unit::Text},
                                       {"collectives", Unit::Count},
                                       {"bytes", Unit::Bytes},
                                       {"wait_us", Unit::Nanoseconds}});
  const std::vector<JobGroup>& groups = analysis.collectives().match.groups;
  const std::vector<GroupSums> sums = sumsByGroup(analysis);
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return sums[i].meanWait(); });
  for (const std::size_t i : order) {
    const JobGroup& group = groups[i];
    if (sums[i].collectives == 0) continue;
    const std::string label = group.name.empty() ? group.label() : group.name;
    const std::string ranks = ranksText(analysis, group, sums[i]);
    const std::string backend = backendOf(analysis, group, sums[i]);
    table.addRow({textCell(label), textCell(group.description), textCell(dimensionText(group.dimension)),
                  Cell(std::int64_t{group.capture}), group.size > 0 ? Cell(group.size) : Cell(),
                  textCell(ranks), textCell(backend), Cell(sums[i].collectives), cellOf(sums[i].bytes),
                  Cell(sums[i].meanWait())});
  }
  return table;
}

} // namespace rankscope
