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

// Whether a step is included in means. Finds steps of a window among those of the whole recording.
class KeptOfRank {
 public:
  KeptOfRank(const Analysis& analysis, RankIndex rank)
      : m_whole(analysis.wholeStepWindows(rank).steps), m_kept(analysis.keptSteps()),
        m_stepOfRank(m_kept.stepOfRank[rank.value]) {}

  // REQUIRES: called in time order.
  [[nodiscard]] Cell cellOf(const StepWindow& step) {
    while (m_at < m_whole.size() && m_whole[m_at].range != step.range) ++m_at;
    if (m_at >= m_stepOfRank.size()) return {};
    return Cell(std::int64_t{m_kept.steps[m_stepOfRank[m_at]].kept() ? 1 : 0});
  }

 private:
  const std::vector<StepWindow>& m_whole;
  const KeptSteps& m_kept;
  const std::vector<std::size_t>& m_stepOfRank;
  std::size_t m_at = 0;
};

} // namespace

ResultTable stepsTable(const Analysis& analysis) {
  ResultTable table("steps", stepsColumns());
  const TraceSet& trace = analysis.trace();
  std::vector<Cell> cells;
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = trace.rank(rank);
    const std::vector<StepWindow>& steps = analysis.stepWindows(rank).steps;
    const std::vector<StepBreakdown>& breakdown = analysis.stepBreakdown(rank);
    KeptOfRank kept(analysis, rank);
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
      cells.push_back(kept.cellOf(step));
      table.addRow(cells);
    }
  }
  return table;
}

} // namespace rankscope
