// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/table_figures.h"

#include "core/analysis/job/analysis.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <variant>

namespace rankscope::ui {

namespace {

// Its times are means over ranks, its calls those of the job.
constexpr std::string_view kMeansOverRanks = "collective_totals";

} // namespace

TableFigures& TableFigures::ofProgram() {
  static TableFigures figures;
  return figures;
}

void TableFigures::setPerStep(bool perStep) {
  if (perStep == m_perStep) return;
  m_perStep = perStep;
  emit changed();
}

void TableFigures::setSteps(StepCounts steps) {
  if (steps == m_steps) return;
  m_steps = std::move(steps);
  emit changed();
}

double StepCounts::ofRow(const ResultTable& table, std::size_t row) const {
  if (table.name() == kMeansOverRanks) {
    std::set<std::int64_t> ranks;
    for (const auto& [recording, steps] : ofRecording) ranks.insert(recording.first);
    return ranks.empty() ? 0 : static_cast<double>(all) / static_cast<double>(ranks.size());
  }
  const auto together = static_cast<double>(all);
  const auto rank = table.columnNamed("rank");
  const auto capture = table.columnNamed("capture");
  if (!rank || !capture) return together;
  const Cell numbers[] = {table.at(row, *rank), table.at(row, *capture)};
  if (!std::holds_alternative<std::int64_t>(numbers[0]) || !std::holds_alternative<std::int64_t>(numbers[1]))
    return together;
  const auto found =
      ofRecording.find({std::get<std::int64_t>(numbers[0]), std::get<std::int64_t>(numbers[1])});
  return found == ofRecording.end() ? 0 : static_cast<double>(found->second);
}

StepCounts stepCounts(const Analysis& analysis) {
  StepCounts counts;
  for (const RankIndex rank : analysis.ranks()) {
    const StepWindows& steps = analysis.stepWindows(rank);
    if (steps.found == StepSource::Whole) continue;
    const RankEntry& entry = analysis.trace().rank(rank);
    const auto count = static_cast<std::int64_t>(steps.steps.size());
    counts.ofRecording[{entry.rank, entry.capture}] += count;
    counts.all += count;
  }
  return counts;
}

bool isSumColumn(std::string_view table, std::string_view column) {
  // "kernels", "kernel_totals", "kernels_by_module" ...
  constexpr std::array<std::string_view, 6> kTables{"operator", "kernel", "collective",
                                                    "memory",   "ranks",  "gap"};
  constexpr std::array<std::string_view, 3> kNoSums{"collective_instances", "memory_curve", "memory_blocks"};
  constexpr std::array<std::string_view, 25> kSums{"calls",
                                                   "total_us",
                                                   "host_self_us",
                                                   "host_total_us",
                                                   "device_self_us",
                                                   "device_total_us",
                                                   "wait_us",
                                                   "transfer_us",
                                                   "exposed_us",
                                                   "allocations",
                                                   "allocation_bytes",
                                                   "self_allocations",
                                                   "self_allocation_bytes",
                                                   "size_increase_bytes",
                                                   "self_size_increase_bytes",
                                                   "gpu_busy_us",
                                                   "compute_us",
                                                   "communication_us",
                                                   "overlap_us",
                                                   "exposed_communication_us",
                                                   "memory_us",
                                                   "idle_us",
                                                   "collectives",
                                                   "gaps",
                                                   "bytes"};
  return std::ranges::any_of(kTables, [&](std::string_view begin) { return table.starts_with(begin); }) &&
         std::ranges::find(kNoSums, table) == kNoSums.end() &&
         std::ranges::find(kSums, column) != kSums.end();
}

} // namespace rankscope::ui
