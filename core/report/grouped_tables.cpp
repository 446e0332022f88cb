// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/grouped_tables.h"

#include "core/analysis/efficiency/flop_points.h"
#include "core/analysis/memory/memory_profile.h"
#include "core/report/kernels_table.h"
#include "core/report/operator_rows.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr std::array<std::string_view, 7> kTables{"operators",   "kernels", "memory", "gaps",
                                                  "collectives", "flops",   "gemms"};
constexpr std::string_view kShortGaps = "short";

// What one row is of: a recording (none: all), texts that tell it from others, and its sums.
struct Part {
  std::optional<RankIndex> rank;
  std::vector<std::string> texts;
  bool operator<(const Part& other) const {
    return std::tie(rank, texts) < std::tie(other.rank, other.texts);
  }
};

template <class Sums> using Parts = std::map<Part, Sums>;

// Of the same recording the heaviest first.
template <class Sums, class WeightOf>
std::vector<const std::pair<const Part, Sums>*> sorted(const Parts<Sums>& parts, WeightOf&& weightOf) {
  std::vector<const std::pair<const Part, Sums>*> order;
  order.reserve(parts.size());
  for (const auto& part : parts) order.push_back(&part);
  std::ranges::stable_sort(order, [&](const auto* a, const auto* b) {
    return std::pair(a->first.rank, -weightOf(a->second)) < std::pair(b->first.rank, -weightOf(b->second));
  });
  return order;
}

std::vector<TableColumn> columnsOf(const RecordingRows& rows, std::vector<TableColumn> columns) {
  if (rows.each && !rows.joined) columns.insert(columns.begin(), {"capture", Unit::Identity});
  if (rows.each) columns.insert(columns.begin(), {"rank", Unit::Identity});
  return columns;
}

std::vector<Cell> firstCells(const Analysis& analysis, const RecordingRows& rows, const Part& part) {
  std::vector<Cell> cells;
  if (part.rank) {
    const RankEntry& entry = analysis.trace().rank(*part.rank);
    cells.emplace_back(std::int64_t{entry.rank});
    if (!rows.joined) cells.emplace_back(std::int64_t{entry.capture});
  }
  for (const std::string& text : part.texts) cells.push_back(textCell(text));
  return cells;
}

class Grouped {
 public:
  Grouped(const JobReport& report, CallGrouping grouping, const RecordingRows& rows, unsigned threadCount)
      : m_report(report), m_analysis(report.analysis()), m_grouping(grouping), m_rows(rows),
        m_threadCount(threadCount), m_key(callGroupingText(grouping)) {}

  [[nodiscard]] std::shared_ptr<const ResultTable> operators() const {
    const auto groupsOf = [&](RankIndex rank) {
      return std::make_shared<const OperatorGroups>(operatorGroups(*m_analysis.trace().rank(rank).trace,
                                                                   m_analysis.trace().names(),
                                                                   callGroups(m_analysis, rank, m_grouping)));
    };
    return operatorRows(m_analysis, m_rows, detailOf(m_grouping), groupsOf).table;
  }

  [[nodiscard]] ResultTable kernels() const {
    const KernelDetails details = launchingGroups(m_analysis, m_grouping, m_threadCount);
    return kernelRowsTable(m_analysis, m_rows, &details);
  }

  [[nodiscard]] ResultTable memory() const {
    struct Sums {
      std::int64_t allocations = 0;
      ExactSum allocated, increase;
    };
    Parts<Sums> parts;
    forEachRank([&](RankIndex rank, const CallGroups& groups, const std::vector<std::string>& texts) {
      const RankTrace& trace = *m_analysis.trace().rank(rank).trace;
      const std::vector<EventIndex>& owners = m_analysis.memoryOwners(rank);
      for (std::size_t i = 0; i < owners.size(); ++i) {
        const MemoryEvent& record = trace.memory[i];
        if (!m_analysis.window(rank).ns().contains(record.time)) continue;
        const std::string_view name =
            owners[i].valid() ? m_analysis.trace().names()[trace.events.name[owners[i]]] : std::string_view();
        Sums& sums = parts[part(
            rank, {MemoryDevice::of(record).name(), std::string(name), texts[groups.of(trace, owners[i])]})];
        sums.increase += record.bytes;
        if (record.bytes <= 0) continue;
        ++sums.allocations;
        sums.allocated += record.bytes;
      }
    });
    ResultTable table("memory_by_" + m_key, columnsOf(m_rows, {{"device", Unit::Text},
                                                               {"operator", Unit::Text},
                                                               {m_key, Unit::Text},
                                                               {"self_allocations", Unit::Count},
                                                               {"self_allocation_bytes", Unit::Bytes},
                                                               {"self_size_increase_bytes", Unit::Bytes}}));
    for (const auto* row : sorted(parts, [](const Sums& sums) { return std::int64_t{sums.allocated}; })) {
      std::vector<Cell> cells = firstCells(m_analysis, m_rows, row->first);
      const Sums& sums = row->second;
      for (const Cell& cell :
           {Cell(sums.allocations), Cell(std::int64_t{sums.allocated}), Cell(std::int64_t{sums.increase})})
        cells.push_back(cell);
      table.addRow(cells);
    }
    return table;
  }

  // Of devices; gaps that are too short for a cause are one row, so that all add up to the idle time.
  [[nodiscard]] ResultTable gaps() const {
    Parts<GapTotal> parts;
    forEachRank([&](RankIndex rank, const CallGroups& groups, const std::vector<std::string>& texts) {
      const RankTrace& trace = *m_analysis.trace().rank(rank).trace;
      const IdleGaps& all = m_analysis.gaps(rank);
      for (const IdleGap& gap : all.ofDevices) {
        GapTotal& sums =
            parts[part(rank, {texts[groups.of(trace, gap.hostEvent)], std::string(gapCauseText(gap.cause))})];
        ++sums.count;
        sums.time += gap.range.length();
      }
      if (all.shorter.count == 0) return;
      GapTotal& sums = parts[part(rank, {texts.front(), std::string(kShortGaps)})];
      sums.count += all.shorter.count;
      sums.time += all.shorter.time;
    });
    ResultTable table("gaps_by_" + m_key, columnsOf(m_rows, {{m_key, Unit::Text},
                                                             {"cause", Unit::Text},
                                                             {"gaps", Unit::Count},
                                                             {"idle_us", Unit::Nanoseconds}}));
    for (const auto* row : sorted(parts, [](const GapTotal& sums) { return std::int64_t{sums.time}; })) {
      std::vector<Cell> cells = firstCells(m_analysis, m_rows, row->first);
      cells.emplace_back(row->second.count);
      cells.emplace_back(std::int64_t{row->second.time});
      table.addRow(cells);
    }
    return table;
  }

  [[nodiscard]] ResultTable collectives() const {
    struct Sums {
      std::int64_t calls = 0;
      std::int64_t matched = 0;
      std::optional<ExactSum> bytes;
      ExactSum total, wait, transfer, exposed;
    };
    Parts<Sums> parts;
    const CollectiveMatch& match = m_analysis.collectives().match;
    forEachRank([&](RankIndex rank, const CallGroups& groups, const std::vector<std::string>& texts) {
      const RankTrace& trace = *m_analysis.trace().rank(rank).trace;
      const std::vector<CollectiveCall>& calls = m_analysis.collectiveCalls(rank);
      const IntervalSet& exposed = m_analysis.exposedCommunication(rank);
      for (std::size_t i = 0; i < calls.size(); ++i) {
        const CollectiveCall& call = calls[i];
        if (!m_analysis.window(rank).contains(call.range.begin)) continue;
        const CollectiveInstance& instance = match.instance(match.instanceOfCall[rank.value][i]);
        Sums& sums = parts[part(
            rank, {texts[groups.of(trace, call.event)], std::string(operationText(call.operation))})];
        const TimeRange range = trace.events.range(call.event);
        ++sums.calls;
        sums.total += range.length();
        sums.exposed += exposed.coveredWithin(range);
        if (instance.bytes) sums.bytes = sums.bytes.value_or(ExactSum()) + *instance.bytes;
        for (const Participant& participant : match.of(instance)) {
          if (!instance.matched() || participant.rank != rank || participant.call != i) continue;
          ++sums.matched;
          sums.wait += participant.wait;
          sums.transfer += participant.transfer;
        }
      }
    });
    ResultTable table("collectives_by_" + m_key, columnsOf(m_rows, {{m_key, Unit::Text},
                                                                    {"operation", Unit::Text},
                                                                    {"calls", Unit::Count},
                                                                    {"bytes", Unit::Bytes},
                                                                    {"total_us", Unit::Nanoseconds},
                                                                    {"wait_us", Unit::Nanoseconds},
                                                                    {"transfer_us", Unit::Nanoseconds},
                                                                    {"exposed_us", Unit::Nanoseconds}}));
    for (const auto* row : sorted(parts, [](const Sums& sums) { return std::int64_t{sums.total}; })) {
      std::vector<Cell> cells = firstCells(m_analysis, m_rows, row->first);
      const Sums& sums = row->second;
      for (const Cell& cell :
           {Cell(sums.calls), sums.bytes ? Cell(std::int64_t{*sums.bytes}) : Cell(),
            Cell(std::int64_t{sums.total}), sums.matched > 0 ? Cell(std::int64_t{sums.wait}) : Cell(),
            sums.matched > 0 ? Cell(std::int64_t{sums.transfer}) : Cell(), Cell(std::int64_t{sums.exposed})})
        cells.push_back(cell);
      table.addRow(cells);
    }
    return table;
  }

  // Points of the roofline, or matrix products by shape; of each recording, whose peaks they are held
  // against.
  [[nodiscard]] ResultTable points(bool products) const {
    std::vector<TableColumn> columns{
        {"rank", Unit::Identity}, {"capture", Unit::Identity}, {m_key, Unit::Text}};
    if (products)
      columns.insert(columns.end(),
                     {{"m", Unit::Count}, {"n", Unit::Count}, {"k", Unit::Count}, {"batch", Unit::Count}});
    else
      columns.insert(columns.end(), {{"operator", Unit::Text}, {"shapes", Unit::Text}});
    columns.insert(columns.end(), {{"dtype", Unit::Text},
                                   {"calls", Unit::Count},
                                   {"flops", Unit::Count},
                                   {"device_us", Unit::Nanoseconds},
                                   {"tflops", Unit::Ratio},
                                   {"efficiency_pct", Unit::Percent},
                                   {"lost_us", Unit::Nanoseconds}});
    ResultTable table((products ? "gemms_by_" : "flops_by_") + m_key, columns);
    static_cast<void>(m_report.flops(m_threadCount));
    forEachRank([&](RankIndex rank, const CallGroups& groups, const std::vector<std::string>& texts) {
      addPoints(table, rank, groups, texts, products);
    });
    return table;
  }

 private:
  template <class Visit> void forEachRank(Visit&& visit) const {
    const JobCallGroups groups = jobCallGroups(m_analysis, m_grouping, m_threadCount);
    for (const RankIndex rank : ranksFor(m_analysis, m_rows))
      visit(rank, groups.ofRank[rank.value], groups.texts);
  }
  [[nodiscard]] Part part(RankIndex rank, std::vector<std::string> texts) const {
    if (!m_rows.each) return {std::nullopt, std::move(texts)};
    // What captures have in common is in the row of the first.
    const TraceSet& traces = m_analysis.trace();
    while (m_rows.joined && rank.value > 0 &&
           traces.rank(RankIndex(rank.value - 1)).rank == traces.rank(rank).rank)
      --rank.value;
    return {rank, std::move(texts)};
  }

  void addPoints(ResultTable& table, RankIndex rank, const CallGroups& groups,
                 const std::vector<std::string>& texts, bool products) const {
    const RankEntry& entry = m_analysis.trace().rank(rank);
    const JobFlops::Rank& of = m_report.flops().of(rank);
    std::map<std::uint32_t, RankFlops> byGroup;
    for (const FlopCall& call : of.flops.calls)
      byGroup[groups.of(*entry.trace, call.op)].calls.push_back(call);
    std::vector<std::pair<std::uint32_t, FlopPoint>> points;
    for (const auto& [group, flops] : byGroup) {
      const FlopWindow window = flopWindow(m_analysis, rank);
      for (const FlopPoint& point : products ? gemmPoints(*entry.trace, flops, of.peaks, window)
                                             : flopPoints(*entry.trace, flops, of.peaks, window))
        points.emplace_back(group, point);
    }
    std::ranges::stable_sort(points, [](const auto& a, const auto& b) {
      return std::pair<std::int64_t, std::int64_t>(a.second.deviceTime, a.second.flops) >
             std::pair<std::int64_t, std::int64_t>(b.second.deviceTime, b.second.flops);
    });
    for (const auto& [group, point] : points) {
      std::vector<Cell> cells{Cell(std::int64_t{entry.rank}), Cell(std::int64_t{entry.capture}),
                              textCell(texts[group])};
      if (products) {
        for (const std::int64_t size : {point.work.m, point.work.n, point.work.k, point.work.batch})
          cells.emplace_back(size);
      } else {
        cells.push_back(textCell(m_analysis.trace().names()[point.operatorName]));
        cells.push_back(textCell(of.flops.shapes[point.shapes]));
      }
      for (const Cell& cell :
           {textCell(numberFormatText(point.work.format)), Cell(point.calls + (products ? 0 : point.notRun)),
            point.work.known() ? Cell(std::int64_t{point.flops}) : Cell(),
            Cell(std::int64_t{point.deviceTime}), cellOf(point.tflops), cellOf(point.efficiencyPct),
            cellOf(point.lost)})
        cells.push_back(cell);
      table.addRow(cells);
    }
  }

  const JobReport& m_report;
  const Analysis& m_analysis;
  CallGrouping m_grouping;
  RecordingRows m_rows;
  unsigned m_threadCount;
  std::string m_key;
};

} // namespace

std::span<const std::string_view> groupableTables() {
  return kTables;
}

std::shared_ptr<const ResultTable> groupedTable(const JobReport& report, std::string_view table,
                                                CallGrouping grouping, const RecordingRows& rows,
                                                unsigned threadCount) {
  const Grouped grouped(report, grouping, rows, threadCount);
  const auto shared = [](ResultTable made) { return std::make_shared<const ResultTable>(std::move(made)); };
  if (table == "operators") return grouped.operators();
  if (table == "kernels") return shared(grouped.kernels());
  if (table == "memory") return shared(grouped.memory());
  if (table == "gaps") return shared(grouped.gaps());
  if (table == "collectives") return shared(grouped.collectives());
  if (table == "flops" || table == "gemms") return shared(grouped.points(table == "gemms"));
  return nullptr;
}

} // namespace rankscope
