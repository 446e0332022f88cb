// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/process_groups.h"

#include "core/base/exact_sum.h"
#include "core/report/job_totals.h"
#include "core/report/text_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace rankscope {

namespace {

constexpr std::size_t kGroupsTold = 8;

// "0-3, 8"; empty if the members were not recorded.
std::string membersText(const JobGroup& group) {
  return numberRangesText({group.members.begin(), group.members.end()});
}

struct GroupSums {
  std::int64_t collectives = 0;
  std::optional<ExactSum> bytes;
  ExactSum wait;
  bool matched = false;      // at least one of them; else waits are unknown
  std::set<RankIndex> ranks; // in scope

  [[nodiscard]] std::optional<TimeNs> meanWait(const TraceSet& traces) const {
    if (!matched) return std::nullopt;
    std::set<int> numbers; // whatever the number of their captures
    for (const RankIndex rank : ranks) numbers.insert(traces.rank(rank).rank);
    const auto count = static_cast<TimeNs>(numbers.size());
    return count == 0 ? 0 : (wait + count / 2) / count;
  }
};

// The first of the groups that are one row: captures have groups of their own, and collectives without a
// recorded group are distinguished by operation.
std::vector<std::size_t> firstOfRow(const std::vector<JobGroup>& groups) {
  std::vector<std::size_t> first(groups.size());
  using Key = std::tuple<std::string_view, std::string_view, std::int64_t, std::vector<std::int32_t>>;
  std::map<std::pair<Key, int>, std::size_t> rows;
  std::map<std::pair<Key, int>, int> counts; // of a capture: some are equal where members are not recorded
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const JobGroup& group = groups[i];
    const Key key{group.name, group.description, group.size, group.members};
    const int place = group.name.empty() ? 0 : counts[{key, group.capture}]++;
    first[i] = rows.try_emplace({key, place}, i).first->second;
  }
  return first;
}

std::vector<GroupSums> sumsByGroup(const Analysis& analysis) {
  const CollectiveMatch& match = analysis.collectives().match;
  std::vector<GroupSums> sums(match.groups.size());
  const std::vector<std::size_t> first = firstOfRow(match.groups);
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
    group.matched = group.matched || instance.matched();
    if (instance.bytes) group.bytes = group.bytes.value_or(0) + *instance.bytes;
  }
  return sums;
}

// Backend of the group as recorded by one of its ranks, else that of the rank.
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
  if (!group.members.empty()) return membersText(group);
  if (!group.name.empty()) return {};
  // Collectives without a recorded group are grouped over all participating ranks.
  std::set<int> ranks;
  for (const RankIndex rank : sums.ranks) ranks.insert(analysis.trace().rank(rank).rank);
  return numberRangesText({ranks.begin(), ranks.end()});
}

} // namespace

ResultTable processGroupsTable(const Analysis& analysis) {
  ResultTable table("process_groups", {{"name", Unit::Text},
                                       {"description", Unit::Text},
                                       {"dimension", Unit::Text},
                                       {"group_size", Unit::Count},
                                       {"ranks", Unit::Text},
                                       {"backend", Unit::Text},
                                       {"collectives", Unit::Count},
                                       {"bytes", Unit::Bytes},
                                       {"wait_us", Unit::Nanoseconds}});
  const std::vector<JobGroup>& groups = analysis.collectives().match.groups;
  const std::vector<GroupSums> sums = sumsByGroup(analysis);
  std::vector<std::optional<TimeNs>> waits;
  waits.reserve(sums.size());
  for (const GroupSums& of : sums) waits.push_back(of.meanWait(analysis.trace()));
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return waits[i]; });
  for (const std::size_t i : order) {
    const JobGroup& group = groups[i];
    if (sums[i].collectives == 0) continue;
    const std::string label = group.name.empty() ? group.label() : group.name;
    const std::string ranks = ranksText(analysis, group, sums[i]);
    const std::string backend = backendOf(analysis, group, sums[i]);
    table.addRow({textCell(label), textCell(group.description), textCell(dimensionText(group.dimension)),
                  group.size > 0 ? Cell(group.size) : Cell(), textCell(ranks), textCell(backend),
                  Cell(sums[i].collectives), cellOf(sums[i].bytes), waits[i] ? Cell(*waits[i]) : Cell()});
  }
  return table;
}

namespace {

std::string groupText(const JobGroup& group) {
  std::string text = printableText(group.label());
  if (group.operation != CollectiveOperation::Unknown)
    text += fmt::format(" ({}, group not recorded)", operationText(group.operation));
  if (group.dimension != ParallelDimension::Unknown)
    text += fmt::format(" [{}]", dimensionText(group.dimension));
  if (!group.members.empty())
    text += ": ranks " + membersText(group);
  else if (group.size > 0)
    text += fmt::format(": {} ranks", group.size);
  return text;
}

} // namespace

std::string processGroupsText(std::span<const JobGroup> groups) {
  std::vector<std::string> lines;
  std::map<std::string, std::set<int>> captures; // by line
  for (const JobGroup& group : groups) {
    std::string line = groupText(group);
    std::set<int>& of = captures[line];
    if (of.empty()) lines.push_back(std::move(line));
    of.insert(group.capture);
  }
  std::string text;
  for (const std::string& line : std::span(lines).first(std::min(kGroupsTold, lines.size()))) {
    const std::size_t count = captures[line].size();
    text += "  " + line + (count > 1 ? fmt::format(" (in {} captures)\n", count) : "\n");
  }
  if (lines.size() > kGroupsTold)
    text += fmt::format("  and {} more group{}\n", lines.size() - kGroupsTold,
                        lines.size() == kGroupsTold + 1 ? "" : "s");
  return text;
}

void writeProcessGroups(JsonWriter& json, std::span<const JobGroup> groups) {
  json.beginArray("process_groups");
  for (const JobGroup& group : groups) {
    json.beginObject();
    json.text("name", group.name);
    json.text("description", group.description);
    json.integer("capture", group.capture);
    json.text("dimension", dimensionText(group.dimension));
    group.size > 0 ? json.integer("size", group.size) : json.null("size");
    json.text("ranks", membersText(group));
    json.endObject();
  }
  json.endArray();
}

} // namespace rankscope
