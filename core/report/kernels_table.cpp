// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/kernels_table.h"

#include "core/analysis/classify/tensor_cores.h"
#include "core/base/whole_number.h"
#include "core/report/tables.h"

#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

namespace rankscope {

namespace {

Cell nearestNanosecond(std::optional<double> nanoseconds) {
  return nanoseconds ? Cell(rounded(*nanoseconds)) : Cell();
}

std::vector<TableColumn> columnsFor(bool each, const KernelDetails* details) {
  std::vector<TableColumn> columns;
  if (each) columns = {{"rank", Unit::Identity}, {"capture", Unit::Identity}};
  columns.push_back({"kernel", Unit::Text});
  if (details != nullptr) columns.push_back({details->column, Unit::Text});
  for (const TableColumn& column : {TableColumn{"kind", Unit::Text},
                                    {"calls", Unit::Count},
                                    {"total_us", Unit::Nanoseconds},
                                    {"mean_us", Unit::Nanoseconds},
                                    {"min_us", Unit::Nanoseconds},
                                    {"max_us", Unit::Nanoseconds},
                                    {"stddev_us", Unit::Nanoseconds},
                                    {"blocks_per_sm", Unit::Ratio},
                                    {"occupancy_pct", Unit::Percent},
                                    {"tensor_cores", Unit::Identity}})
    columns.push_back(column);
  return columns;
}

// Builds a table from one recording at a time, or from all at once.
class Rows {
 public:
  Rows(std::string name, bool each, const StringTable& names, const KernelDetails* details)
      : m_table(std::move(name), columnsFor(each, details)), m_names(names), m_details(details) {}

  void add(const KernelStatistics& kernel, std::uint32_t detail, const RankEntry* of) {
    m_cells.clear();
    if (of != nullptr) {
      m_cells.emplace_back(std::int64_t{of->rank});
      m_cells.emplace_back(std::int64_t{of->capture});
    }
    m_cells.emplace_back(m_names[kernel.name]);
    if (m_details != nullptr) m_cells.push_back(textCell(m_details->texts[detail]));
    const Cell tensorCores = kernel.deviceClass == DeviceClass::Compute
                                 ? Cell(std::int64_t{usesTensorCores(m_names[kernel.name])})
                                 : Cell();
    for (const Cell& cell : {Cell(deviceClassText(kernel.deviceClass)), Cell(kernel.calls),
                             Cell(kernel.total), nearestNanosecond(kernel.meanNs), Cell(kernel.min),
                             Cell(kernel.max), nearestNanosecond(kernel.stddevNs), cellOf(kernel.blocksPerSm),
                             cellOf(kernel.occupancyPct), tensorCores})
      m_cells.push_back(cell);
    m_table.addRow(m_cells);
  }
  [[nodiscard]] ResultTable taken() { return std::move(m_table); }

 private:
  ResultTable m_table;
  const StringTable& m_names;
  const KernelDetails* m_details;
  std::vector<Cell> m_cells;
};

} // namespace

ResultTable kernelsTable(const Analysis& analysis) {
  const TraceSet& trace = analysis.trace();
  Rows rows("kernels", true, trace.names(), nullptr);
  for (const RankIndex rank : analysis.ranks()) {
    for (const KernelStatistics& kernel : analysis.kernels(rank)) rows.add(kernel, 0, &trace.rank(rank));
  }
  return rows.taken();
}

ResultTable kernelTotalsTable(const Analysis& analysis) {
  return kernelRowsTable(analysis, {});
}

KernelDetails launchingOperators(const Analysis& analysis) {
  KernelDetails details;
  details.column = "operator";
  const TraceSet& trace = analysis.trace();
  details.ofEvents.resize(trace.ranks().size());
  std::unordered_map<NameId, std::uint32_t> numbers;
  for (const RankIndex rank : analysis.ranks()) {
    const EventColumns& events = trace.rank(rank).trace->events;
    std::vector<std::uint32_t>& ofEvents = details.ofEvents[rank.value];
    const std::vector<EventIndex>& owners = analysis.operatorTree(rank).owners;
    ofEvents.reserve(owners.size());
    for (const EventIndex owner : owners) {
      std::uint32_t number = 0;
      if (owner.valid()) {
        const auto next = static_cast<std::uint32_t>(details.texts.size());
        const auto [place, isNew] = numbers.try_emplace(events.name[owner], next);
        if (isNew) details.texts.emplace_back(trace.names()[place->first]);
        number = place->second;
      }
      ofEvents.push_back(number);
    }
  }
  return details;
}

ResultTable kernelRowsTable(const Analysis& analysis, const RankRows& rows, const KernelDetails* details) {
  const TraceSet& trace = analysis.trace();
  const bool detailed = details != nullptr;
  Rows made(std::string(rows.each ? "kernels" : "kernel_totals") + (detailed ? "_by_" + details->column : ""),
            rows.each, trace.names(), details);
  std::vector<DetailedWindow> parts;
  const auto addParts = [&](const RankEntry* of) {
    for (const auto& [kernel, detail] : kernelStatisticsByDetail(parts, trace.names()))
      made.add(kernel, detail, of);
    parts.clear();
  };
  for (const RankIndex rank : ranksFor(analysis, rows)) {
    parts.push_back({trace.rank(rank).trace.get(), analysis.window(rank).ns(), {}});
    if (detailed) parts.back().details = details->ofEvents[rank.value];
    if (rows.each) addParts(&trace.rank(rank));
  }
  if (!rows.each) addParts(nullptr);
  return made.taken();
}

} // namespace rankscope
