// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/steps_table.h"

#include "core/analysis/job/analysis.h"

#include <array>
#include <vector>

namespace rankscope {

namespace {

std::vector<TableColumn> stepsColumns() {
  std::vector<TableColumn> columns{
      {"rank", Unit::Identity}, {"capture", Unit::Identity}, {"step", Unit::Identity}};
  for (const char* name :
       {"begin_us", "duration_us", "kernel_us", "memcpy_us", "memset_us", "communication_us", "runtime_us",
        "dataloader_us", "cpu_exec_us", "other_us", "forward_us", "backward_us", "optimizer_us", "compute_us",
        "overlap_us", "exposed_communication_us", "idle_us"})
    columns.push_back({name, Unit::Nanoseconds});
  columns.push_back({"kept", Unit::Count});
  return columns;
}

} // namespace

ResultTable stepsTable(const Analysis& analysis) {
  ResultTable table("steps", stepsColumns());
  const TraceSet& trace = analysis.trace();
  std::vector<Cell> cells;
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = trace.rank(rank);
    const std::vector<StepWindow>& steps = analysis.stepWindows(rank).steps;
    const std::vector<StepBreakdown>& breakdown = analysis.stepBreakdown(rank);
    const std::vector<StepStatus> status = analysis.stepStatus(rank);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const StepWindow& step = steps[i];
      const StepBreakdown& b = breakdown[i];
      cells.assign({Cell(std::int64_t{entry.rank}), Cell(std::int64_t{entry.capture}),
                    step.number == Step::kUnknownNumber ? Cell() : Cell(step.number),
                    Cell(sinceJobBegin(analysis, rank, RankTime(step.range.begin))),
                    Cell(step.range.length())});
      for (const TimeNs time : b.categories) cells.emplace_back(time);
      for (const TimeNs time :
           {b.forward, b.backward, b.optimizer, b.compute, b.overlap, b.exposedCommunication})
        cells.emplace_back(time);
      cells.push_back(cellOf(b.idle));
      cells.emplace_back(std::int64_t{status[i] == StepStatus::Kept ? 1 : 0});
      table.addRow(cells);
    }
  }
  return table;
}

} // namespace rankscope
