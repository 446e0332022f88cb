// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/operator_rows.h"

#include "core/base/parallel_for.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

std::vector<TableColumn> columnsFor(const RecordingRows& rows, std::string_view detail) {
  std::vector<TableColumn> columns;
  if (rows.each) columns.push_back({"rank", Unit::Identity});
  if (rows.each && !rows.joined) columns.push_back({"capture", Unit::Identity});
  columns.push_back({"operator", Unit::Text});
  if (!detail.empty()) columns.push_back({std::string(detail), Unit::Text});
  for (const TableColumn& column : {TableColumn{"calls", Unit::Count},
                                    {"host_self_us", Unit::Nanoseconds},
                                    {"host_total_us", Unit::Nanoseconds},
                                    {"device_self_us", Unit::Nanoseconds},
                                    {"device_total_us", Unit::Nanoseconds},
                                    {"tensor_core_eligible", Unit::Identity},
                                    {"tensor_core_self_pct", Unit::Percent},
                                    {"tensor_core_total_pct", Unit::Percent}})
    columns.push_back(column);
  return columns;
}

void addTo(OperatorStatistics& sum, const OperatorStatistics& of) {
  sum.calls += of.calls;
  sum.hostSelf += of.hostSelf;
  sum.hostTotal += of.hostTotal;
  sum.deviceSelf += of.deviceSelf;
  sum.deviceTotal += of.deviceTotal;
  sum.tensorCoreSelf += of.tensorCoreSelf;
  sum.tensorCoreTotal += of.tensorCoreTotal;
  sum.tensorCoreEligible = sum.tensorCoreEligible || of.tensorCoreEligible;
}

// Sums operators of several recordings by name and detail.
class Sums {
 public:
  void add(std::vector<OperatorStatistics> operators) {
    for (OperatorStatistics& op : operators) {
      const auto found = m_places.find(std::pair(op.name, std::string_view(op.detail)));
      if (found != m_places.end()) {
        addTo(*found->second, op);
        continue;
      }
      m_sums.push_back(std::make_unique<OperatorStatistics>(std::move(op)));
      OperatorStatistics* sum = m_sums.back().get();
      m_places.emplace(std::pair(sum->name, std::string_view(sum->detail)), sum);
    }
  }
  // In the order of operatorProfile.
  [[nodiscard]] std::vector<OperatorStatistics> taken(const StringTable& names) {
    m_places.clear();
    std::vector<OperatorStatistics> operators;
    operators.reserve(m_sums.size());
    for (const auto& sum : m_sums) operators.push_back(std::move(*sum));
    m_sums.clear();
    std::ranges::sort(operators, [&](const OperatorStatistics& a, const OperatorStatistics& b) {
      return std::tuple(-a.deviceSelf, -a.hostSelf, names[a.name], std::string_view(a.detail)) <
             std::tuple(-b.deviceSelf, -b.hostSelf, names[b.name], std::string_view(b.detail));
    });
    return operators;
  }

 private:
  std::vector<std::unique_ptr<OperatorStatistics>> m_sums; // stable addresses for m_places
  std::map<std::pair<NameId, std::string_view>, OperatorStatistics*> m_places;
};

class Rows {
 public:
  Rows(const RecordingRows& rows, OperatorDetail of, const StringTable& names)
      : m_table(std::string(rows.each ? "operators" : "operator_totals") +
                    (of == OperatorDetail::None ? "" : "_by_") + std::string(detailColumn(of)),
                columnsFor(rows, detailColumn(of))),
        m_rows(rows), m_detailed(of != OperatorDetail::None), m_names(names) {
    if (const auto grouping = groupingOf(of)) m_unknown = noGroupText(*grouping);
  }

  void add(const std::vector<OperatorStatistics>& operators, const RankEntry* of) {
    for (const OperatorStatistics& op : operators) {
      m_cells.clear();
      if (m_rows.each) m_cells.emplace_back(std::int64_t{of->rank});
      if (m_rows.each && !m_rows.joined) m_cells.emplace_back(std::int64_t{of->capture});
      m_cells.emplace_back(m_names[op.name]);
      if (m_detailed) m_cells.push_back(textCell(op.detail));
      m_known = m_known || (!op.detail.empty() && op.detail != m_unknown);
      for (const Cell& cell : {Cell(op.calls), Cell(op.hostSelf), Cell(op.hostTotal), Cell(op.deviceSelf),
                               Cell(op.deviceTotal), Cell(std::int64_t{op.tensorCoreEligible}),
                               cellOf(op.tensorCoreSelfPct()), cellOf(op.tensorCoreTotalPct())})
        m_cells.push_back(cell);
      m_table.addRow(m_cells);
    }
  }
  [[nodiscard]] OperatorRows taken() {
    return {std::make_shared<const ResultTable>(std::move(m_table)), m_known || !m_detailed};
  }

 private:
  ResultTable m_table;
  RecordingRows m_rows;
  bool m_detailed;
  std::string_view m_unknown; // the detail of calls that have none
  const StringTable& m_names;
  std::vector<Cell> m_cells;
  bool m_known = false;
};

std::vector<OperatorStatistics> operatorsOf(const Analysis& analysis, RankIndex rank,
                                            const GroupsOfRank& groupsOf) {
  if (!groupsOf) return analysis.operators(rank).operators;
  const auto groups = groupsOf(rank);
  if (groups == nullptr) return analysis.operators(rank).operators;
  return operatorProfile(*analysis.trace().rank(rank).trace, analysis.operatorTree(rank),
                         analysis.trace().names(), *groups, analysis.window(rank).ns())
      .operators;
}

} // namespace

std::string_view detailColumn(OperatorDetail detail) {
  switch (detail) {
  case OperatorDetail::Shapes:
    return "input_shapes";
  case OperatorDetail::Stack:
    return "call_stack";
  case OperatorDetail::SourceLine:
    return "source_line";
  default:
    break;
  }
  const auto grouping = groupingOf(detail);
  return grouping ? callGroupingText(*grouping) : std::string_view();
}

std::optional<CallGrouping> groupingOf(OperatorDetail detail) {
  if (detail < OperatorDetail::Module) return std::nullopt;
  return kCallGroupings[static_cast<std::size_t>(detail) - static_cast<std::size_t>(OperatorDetail::Module)];
}

OperatorDetail detailOf(CallGrouping grouping) {
  return static_cast<OperatorDetail>(static_cast<std::size_t>(OperatorDetail::Module) +
                                     static_cast<std::size_t>(grouping));
}

OperatorRows operatorRows(const Analysis& analysis, const RecordingRows& rows, OperatorDetail detail,
                          const GroupsOfRank& groupsOf, const Progress* progress) {
  const TraceSet& trace = analysis.trace();
  const GroupsOfRank asked = detail == OperatorDetail::None ? GroupsOfRank() : groupsOf;
  Rows made(rows, detail, trace.names());
  Sums sums;
  const std::vector<RankIndex> ranks = ranksFor(analysis, rows);
  // Process only as many ranks at once as there are threads: details are long and repeated on every rank.
  const std::size_t atOnce = defaultThreadCount();
  for (std::size_t first = 0; first < ranks.size(); first += atOnce) {
    const std::size_t count = std::min(atOnce, ranks.size() - first);
    std::vector<std::vector<OperatorStatistics>> operators(count);
    parallelFor(count, defaultThreadCount(), [&](std::size_t i) {
      if (progress != nullptr && progress->cancelled()) return;
      operators[i] = operatorsOf(analysis, ranks[first + i], asked);
    });
    for (std::size_t i = 0; i < count; ++i) {
      const RankEntry& of = trace.rank(ranks[first + i]);
      if (rows.each && !rows.joined) {
        made.add(operators[i], &of);
        continue;
      }
      sums.add(std::move(operators[i]));
      const bool last = first + i + 1 == ranks.size();
      if (last || (rows.each && trace.rank(ranks[first + i + 1]).rank != of.rank))
        made.add(sums.taken(trace.names()), &of);
    }
  }
  return made.taken();
}

} // namespace rankscope
