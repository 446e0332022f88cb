// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/kernels_table.h"

#include "core/analysis/classify/tensor_cores.h"
#include "core/base/whole_number.h"
#include "core/model/rank_digest.h"
#include "core/report/tables.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace rankscope {

namespace {

Cell nearestNanosecond(std::optional<double> nanoseconds) {
  return nanoseconds ? Cell(rounded(*nanoseconds)) : Cell();
}

std::vector<TableColumn> columnsFor(const RecordingRows& rows, const KernelDetails* details) {
  std::vector<TableColumn> columns;
  if (rows.each) columns.push_back({"rank", Unit::Identity});
  if (rows.each && !rows.joined) columns.push_back({"capture", Unit::Identity});
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

// Builds a table from what one row is over at a time.
class Rows {
 public:
  Rows(std::string name, const RecordingRows& rows, const StringTable& names, const KernelDetails* details)
      : m_table(std::move(name), columnsFor(rows, details)), m_rows(rows), m_names(names),
        m_details(details) {}

  void add(const KernelStatistics& kernel, std::uint32_t detail, const RankEntry* of) {
    m_cells.clear();
    if (m_rows.each) m_cells.emplace_back(std::int64_t{of->rank});
    if (m_rows.each && !m_rows.joined) m_cells.emplace_back(std::int64_t{of->capture});
    m_cells.emplace_back(m_names[kernel.name]);
    if (m_details != nullptr) m_cells.push_back(textCell(m_details->texts[detail]));
    Cell tensorCores;
    if (kernel.deviceClass == DeviceClass::Compute) {
      if (const std::optional<bool> used = tensorCoresByName(m_names[kernel.name]))
        tensorCores = Cell(std::int64_t{*used});
    }
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
  RecordingRows m_rows;
  const StringTable& m_names;
  const KernelDetails* m_details;
  std::vector<Cell> m_cells;
};

} // namespace

ResultTable kernelsTable(const Analysis& analysis) {
  const TraceSet& trace = analysis.trace();
  Rows rows("kernels", {.each = true, .rank = {}}, trace.names(), nullptr);
  for (const RankIndex rank : analysis.ranks()) {
    for (const KernelStatistics& kernel : analysis.kernels(rank)) rows.add(kernel, 0, &trace.rank(rank));
  }
  return rows.taken();
}

ResultTable kernelTotalsTable(const Analysis& analysis) {
  return kernelRowsTable(analysis, {});
}

namespace {

// Sums over the ranks of what they have by kernel, where not all have their events. Means over calls are
// weighted by the time of each rank.
class MergedKernels {
 public:
  void add(const KernelStatistics& kernel) {
    Sums& sums = m_sums[{kernel.name, kernel.deviceClass}];
    KernelStatistics& all = sums.of;
    const auto calls = static_cast<double>(kernel.calls);
    const auto time = static_cast<double>(kernel.total);
    all.min = all.calls == 0 ? kernel.min : std::min(all.min, kernel.min);
    all.max = std::max(all.max, kernel.max);
    all.calls += kernel.calls;
    all.total += kernel.total;
    const double spread = kernel.stddevNs.value_or(0);
    sums.squares += (calls - 1) * spread * spread + calls * kernel.meanNs * kernel.meanNs;
    const auto weigh = [&](const std::optional<double>& value, double& sum, double& weight) {
      if (!value) return;
      sum += time * *value;
      weight += time;
    };
    weigh(kernel.blocksPerSm, sums.blocks, sums.blocksTime);
    weigh(kernel.occupancyPct, sums.occupancy, sums.occupancyTime);
  }

  // Sorted as kernelStatistics.
  [[nodiscard]] std::vector<KernelStatistics> all(const StringTable& names) const {
    std::vector<KernelStatistics> kernels;
    kernels.reserve(m_sums.size());
    for (const auto& [key, sums] : m_sums) {
      KernelStatistics& kernel = kernels.emplace_back(sums.of);
      std::tie(kernel.name, kernel.deviceClass) = key;
      const auto calls = static_cast<double>(kernel.calls);
      kernel.meanNs = calls > 0 ? static_cast<double>(kernel.total) / calls : 0;
      if (kernel.calls > 1)
        kernel.stddevNs =
            std::sqrt(std::max(0.0, (sums.squares - calls * kernel.meanNs * kernel.meanNs) / (calls - 1)));
      if (sums.blocksTime > 0) kernel.blocksPerSm = sums.blocks / sums.blocksTime;
      if (sums.occupancyTime > 0) kernel.occupancyPct = sums.occupancy / sums.occupancyTime;
    }
    std::ranges::sort(kernels, [&](const KernelStatistics& a, const KernelStatistics& b) {
      return std::tuple(-static_cast<TimeNs>(a.total), names[a.name], a.deviceClass) <
             std::tuple(-static_cast<TimeNs>(b.total), names[b.name], b.deviceClass);
    });
    return kernels;
  }

 private:
  struct Sums {
    KernelStatistics of;
    double squares = 0; // of durations
    double blocks = 0;
    double blocksTime = 0;
    double occupancy = 0;
    double occupancyTime = 0;
  };
  std::map<std::pair<NameId, DeviceClass>, Sums> m_sums;
};

} // namespace

KernelDetails launchingOperators(const Analysis& analysis) {
  KernelDetails details;
  details.column = "operator";
  const TraceSet& trace = analysis.trace();
  details.ofEvents.resize(trace.ranks().size());
  std::unordered_map<NameId, std::uint32_t> numbers;
  for (const RankIndex rank : analysis.ranks()) {
    const RankTrace& recorded = *trace.rank(rank).trace;
    const EventColumns& events = recorded.events;
    std::vector<std::uint32_t>& ofEvents = details.ofEvents[rank.value];
    const OperatorTree& tree = analysis.operatorTree(rank);
    ofEvents.reserve(tree.owners.size());
    for (EventIndex event = recorded.deviceBegin; event < recorded.deviceEnd; ++event.value) {
      const EventIndex owner = tree.workOf(recorded, event);
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

KernelDetails launchingGroups(const Analysis& analysis, CallGrouping grouping, unsigned threadCount) {
  JobCallGroups groups = jobCallGroups(analysis, grouping, threadCount);
  KernelDetails details;
  details.column = callGroupingText(grouping);
  details.texts = std::move(groups.texts);
  details.ofEvents.reserve(groups.ofRank.size());
  for (CallGroups& rank : groups.ofRank) details.ofEvents.push_back(std::move(rank.ofDevice));
  return details;
}

ResultTable kernelRowsTable(const Analysis& analysis, const RecordingRows& rows,
                            const KernelDetails* details) {
  const TraceSet& trace = analysis.trace();
  const bool detailed = details != nullptr;
  Rows made(std::string(rows.each ? "kernels" : "kernel_totals") + (detailed ? "_by_" + details->column : ""),
            rows, trace.names(), details);
  for (const std::vector<RankIndex>& part : rowsFor(analysis, rows)) {
    const RankEntry* const of = &trace.rank(part.front());
    if (!detailed && hasDigests(trace)) {
      MergedKernels merged;
      for (const RankIndex rank : part)
        for (const KernelStatistics& kernel : analysis.kernels(rank)) {
          if (rows.each && !rows.joined)
            made.add(kernel, 0, of);
          else
            merged.add(kernel);
        }
      for (const KernelStatistics& kernel : merged.all(trace.names())) made.add(kernel, 0, of);
      continue;
    }
    std::vector<DetailedWindow> windows;
    for (const RankIndex rank : part) {
      windows.push_back({trace.rank(rank).trace.get(), analysis.window(rank).ns(), {}});
      if (detailed) windows.back().details = details->ofEvents[rank.value];
    }
    for (const auto& [kernel, detail] : kernelStatisticsByDetail(windows, trace.names()))
      made.add(kernel, detail, of);
  }
  return made.taken();
}

} // namespace rankscope
