// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/collective_totals_table.h"

#include "core/analysis/collectives/transfer_fit.h"
#include "core/base/exact_sum.h"
#include "core/model/rank_recordings.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace rankscope {

namespace {

// Over matched instances of known size.
struct Speed {
  double bytes = 0, busBytes = 0, time = 0;

  // Whether it counts.
  bool add(const CollectiveInstance& instance, const JobGroup& group) {
    if (!instance.matched() || !instance.bytes || instance.transfer <= 0) return false;
    const auto size = static_cast<double>(*instance.bytes);
    // More may take part than the metadata lists.
    const std::int64_t ranks = std::max<std::int64_t>(group.size, instance.count);
    bytes += size;
    busBytes += size * busFactor(instance.operation, ranks).value_or(0);
    time += static_cast<double>(instance.transfer);
    return true;
  }
  [[nodiscard]] Cell algbw() const { return time > 0 ? Cell(bytes / time) : Cell(); }
  [[nodiscard]] Cell busbw() const { return time > 0 && busBytes > 0 ? Cell(busBytes / time) : Cell(); }
};

struct CollectiveSums {
  std::int64_t calls = 0; // number of instances; of one rank its calls
  std::set<int> ranks;    // whatever the number of their captures
  std::optional<ExactSum> bytes;
  ExactSum total, wait, transfer, exposed;
  std::int64_t matched = 0;
  Speed speed;
  std::vector<TransferPoint> transfers;

  void addTimes(const CollectiveStatistics& of) {
    total += of.total;
    wait += of.wait;
    transfer += of.transfer;
    exposed += of.exposed;
    matched += of.matched;
  }
};

using SumsKey = std::tuple<std::string, std::int64_t, CollectiveOperation>;

SumsKey keyOf(const JobGroup& group, CollectiveOperation operation) {
  return {group.label(), group.size, operation};
}

Cell meanCell(std::optional<std::int64_t> sum, std::int64_t count) {
  return sum && count > 0 ? Cell((*sum + count / 2) / count) : Cell();
}

Cell overlapCell(TimeNs total, TimeNs exposed) {
  if (total <= 0) return {};
  return 100.0 * static_cast<double>(std::max<TimeNs>(0, total - exposed)) / static_cast<double>(total);
}

std::vector<TableColumn> totalsColumns() {
  return {{"operation", Unit::Text},
          {"group", Unit::Text},
          {"group_size", Unit::Count},
          {"ranks", Unit::Count},
          {"calls", Unit::Count},
          {"bytes", Unit::Bytes},
          {"mean_bytes", Unit::Bytes},
          {"total_us", Unit::Nanoseconds},
          {"wait_us", Unit::Nanoseconds},
          {"transfer_us", Unit::Nanoseconds},
          {"exposed_us", Unit::Nanoseconds},
          {"overlap_pct", Unit::Percent},
          {"algbw_gb_s", Unit::GigabytesPerSecond},
          {"busbw_gb_s", Unit::GigabytesPerSecond}};
}

// Visits an instance once for each operation that its participants in scope recorded.
template <class Visit> void forEachInScope(const Analysis& analysis, Visit&& visit) {
  const CollectiveMatch& match = analysis.collectives().match;
  for (std::size_t i = 0; i < match.instances.size(); ++i) {
    std::optional<CollectiveOperation> before;
    for (const Participant& part : match.of(match.instances[i])) {
      const CollectiveCall& call = analysis.collectiveCalls(part.rank)[part.call];
      if (!analysis.window(part.rank).contains(call.range.begin) || before == call.operation) continue;
      before = call.operation;
      visit(InstanceIndex(i), part, call);
    }
  }
}

std::map<SumsKey, CollectiveSums> totalsOf(const Analysis& analysis) {
  std::map<SumsKey, CollectiveSums> totals;
  const CollectiveMatch& match = analysis.collectives().match;
  for (const RankIndex rank : analysis.ranks())
    for (const CollectiveStatistics& s : analysis.collectiveStatistics(rank)) {
      CollectiveSums& sums = totals[keyOf(match.groups[s.group.value], s.operation)];
      sums.ranks.insert(analysis.trace().rank(rank).rank);
      sums.addTimes(s);
    }
  forEachInScope(analysis, [&](InstanceIndex index, const Participant&, const CollectiveCall& call) {
    const CollectiveInstance& instance = match.instance(index);
    const JobGroup& group = match.group(instance);
    CollectiveSums& sums = totals[keyOf(group, call.operation)];
    ++sums.calls;
    if (instance.bytes) sums.bytes = sums.bytes.value_or(0) + *instance.bytes;
    if (sums.speed.add(instance, group)) sums.transfers.push_back({*instance.bytes, instance.transfer});
  });
  return totals;
}

// Each capture has its own groups. Groups of a rank with the same members are the same group in all captures.
using RankSumsKey = std::tuple<std::string, std::int64_t, std::vector<std::int32_t>, CollectiveOperation>;
using RankSums = std::map<RankSumsKey, CollectiveSums>;

void addRecording(const Analysis& analysis, RankIndex rank, RankSums& sums) {
  const CollectiveMatch& match = analysis.collectives().match;
  const auto sumsOf = [&](const JobGroup& group, CollectiveOperation operation) -> CollectiveSums& {
    return sums[{group.label(), group.size, group.members, operation}];
  };
  for (const CollectiveStatistics& s : analysis.collectiveStatistics(rank)) {
    CollectiveSums& of = sumsOf(match.groups[s.group.value], s.operation);
    of.addTimes(s);
    of.calls += s.calls;
    if (s.bytes) of.bytes = of.bytes.value_or(0) + *s.bytes;
  }
  const std::vector<CollectiveCall>& calls = analysis.collectiveCalls(rank);
  for (std::size_t c = 0; c < calls.size(); ++c) {
    if (!analysis.window(rank).contains(calls[c].range.begin)) continue;
    const CollectiveInstance& instance = match.instance(match.instanceOfCall[rank.value][c]);
    const JobGroup& group = match.group(instance);
    sumsOf(group, calls[c].operation).speed.add(instance, group);
  }
}

std::vector<bool> groupsOfKey(const CollectiveMatch& match, const CollectiveRowKey& key) {
  std::vector<bool> asked;
  asked.reserve(match.groups.size());
  for (const JobGroup& group : match.groups)
    asked.push_back(group.label() == key.group &&
                    (group.size == key.size || (group.size <= 0 && key.size < 0)));
  return asked;
}

} // namespace

ResultTable collectiveTotalsTable(const Analysis& analysis) {
  std::vector<TableColumn> columns = totalsColumns();
  for (const TableColumn& column :
       {TableColumn{"latency_us", Unit::Nanoseconds}, TableColumn{"bandwidth_gb_s", Unit::GigabytesPerSecond},
        TableColumn{"fit_r2", Unit::Ratio}})
    columns.push_back(column);
  ResultTable table("collective_totals", std::move(columns));
  const std::map<SumsKey, CollectiveSums> totals = totalsOf(analysis);
  std::vector<std::pair<const SumsKey*, const CollectiveSums*>> rows;
  rows.reserve(totals.size());
  for (const auto& [key, sums] : totals) rows.emplace_back(&key, &sums);
  std::ranges::stable_sort(rows, std::greater<>(), [](const auto& row) { return row.second->total; });
  for (const auto& [key, sums] : rows) {
    const auto& [label, size, operation] = *key;
    const bool matched = sums->matched > 0;
    const auto ranks = static_cast<std::int64_t>(sums->ranks.size());
    const auto fit = transferFit(sums->transfers);
    table.addRow({Cell(operationText(operation)), textCell(label), size > 0 ? Cell(size) : Cell(),
                  Cell(ranks), Cell(sums->calls), cellOf(sums->bytes), meanCell(sums->bytes, sums->calls),
                  meanCell(sums->total, ranks), matched ? meanCell(sums->wait, ranks) : Cell(),
                  matched ? meanCell(sums->transfer, ranks) : Cell(), meanCell(sums->exposed, ranks),
                  overlapCell(sums->total, sums->exposed), sums->speed.algbw(), sums->speed.busbw(),
                  fit ? Cell(fit->latency) : Cell(), fit ? Cell(fit->bytesPerNs) : Cell(),
                  fit ? Cell(fit->determination) : Cell()});
  }
  return table;
}

ResultTable collectivesByRankTable(const Analysis& analysis) {
  std::vector<TableColumn> columns{{"rank", Unit::Identity}};
  for (TableColumn& column : totalsColumns())
    if (column.name != "ranks") columns.push_back(std::move(column));
  ResultTable table("collectives_by_rank", std::move(columns));
  const RankRows ranks = rankRows(analysis.trace(), analysis.ranks());
  std::vector<RankSums> sums(ranks.count());
  for (std::size_t i = 0; i < analysis.ranks().size(); ++i)
    addRecording(analysis, analysis.ranks()[i], sums[ranks.rowOf[i]]);
  for (std::size_t row = 0; row < ranks.count(); ++row) {
    const std::int64_t rank = analysis.trace().rank(ranks.first[row]).rank;
    std::vector<std::pair<const RankSumsKey*, const CollectiveSums*>> rows;
    for (const auto& [key, of] : sums[row]) rows.emplace_back(&key, &of);
    std::ranges::stable_sort(rows, std::greater<>(), [](const auto& each) { return each.second->total; });
    for (const auto& [key, of] : rows) {
      const auto& [label, size, members, operation] = *key;
      const bool matched = of->matched > 0;
      table.addRow({Cell(rank), Cell(operationText(operation)), textCell(label),
                    size > 0 ? Cell(size) : Cell(), Cell(of->calls), cellOf(of->bytes),
                    meanCell(of->bytes, of->calls), Cell(of->total), matched ? Cell(of->wait) : Cell(),
                    matched ? Cell(of->transfer) : Cell(), Cell(of->exposed),
                    overlapCell(of->total, of->exposed), of->speed.algbw(), of->speed.busbw()});
    }
  }
  return table;
}

CollectiveRowKey collectiveRowKey(const ResultTable& table, std::size_t row) {
  const auto number = [&](std::string_view column) -> std::optional<std::int64_t> {
    const auto at = table.columnNamed(column);
    if (!at || table.isEmpty(row, *at)) return std::nullopt;
    return std::get<std::int64_t>(table.at(row, *at));
  };
  CollectiveRowKey key{.group = exactText(table, row, *table.columnNamed("group")),
                       .size = number("group_size").value_or(-1),
                       .operation = exactText(table, row, *table.columnNamed("operation")),
                       .rank = {}};
  if (const auto rank = number("rank")) key.rank = static_cast<int>(*rank);
  return key;
}

std::vector<CollectiveOccurrence> occurrencesOf(const Analysis& analysis, const CollectiveRowKey& key) {
  std::vector<CollectiveOccurrence> found;
  const CollectiveMatch& match = analysis.collectives().match;
  const std::vector<bool> asked = groupsOfKey(match, key);
  const auto wanted = [&](GroupIndex group, const CollectiveCall& call) {
    return asked[group.value] && operationText(call.operation) == key.operation;
  };
  if (!key.rank) {
    forEachInScope(analysis, [&](InstanceIndex index, const Participant& part, const CollectiveCall& call) {
      if (wanted(match.instance(index).group, call)) found.push_back({index, part.rank, call.event});
    });
    return found;
  }
  for (const RankIndex rank : analysis.ranks()) {
    if (analysis.trace().rank(rank).rank != *key.rank) continue;
    const std::vector<CollectiveCall>& calls = analysis.collectiveCalls(rank);
    for (std::size_t c = 0; c < calls.size(); ++c) {
      const InstanceIndex index = match.instanceOfCall[rank.value][c];
      if (analysis.window(rank).contains(calls[c].range.begin) &&
          wanted(match.instance(index).group, calls[c]))
        found.push_back({index, rank, calls[c].event});
    }
  }
  return found;
}

} // namespace rankscope
