// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/table_figures.h"

#include "core/analysis/job/analysis.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>
#include <variant>

namespace rankscope::ui {

namespace {

// Of one device of a recording, which it does not name.
constexpr std::string_view kOfARecording = "memory_operators";

// Their times are means over ranks, their calls those of the job.
bool isOverRanks(std::string_view table) {
  return table == "collective_totals" || table == "process_groups";
}

} // namespace

TableFigures& TableFigures::ofProgram() {
  static TableFigures figures;
  return figures;
}

void TableFigures::setPerStep(bool perStep) {
  if (perStep == m_perStep) return;
  m_perStep = perStep;
  emit changed();
  emit perStepChanged();
}

void TableFigures::setSteps(StepCounts steps) {
  if (steps == m_steps) return;
  m_steps = std::move(steps);
  emit changed();
}

void TableFigures::setOfRange(bool ofRange) {
  if (ofRange == m_ofRange) return;
  m_ofRange = ofRange;
  emit changed();
}

double StepCounts::ofRow(const ResultTable& table, std::size_t row) const {
  const auto shared = [this](std::size_t parts) {
    return parts == 0 ? 0 : static_cast<double>(all) / static_cast<double>(parts);
  };
  if (table.name() == kOfARecording) return shared(ofRecording.size());
  if (isOverRanks(table.name())) {
    std::set<std::int64_t> ranks;
    for (const auto& [recording, steps] : ofRecording) ranks.insert(recording.first);
    return shared(ranks.size());
  }
  const auto numberAt = [&](std::string_view name) -> std::optional<std::int64_t> {
    const auto column = table.columnNamed(name);
    if (!column || table.isEmpty(row, *column)) return std::nullopt;
    return std::get<std::int64_t>(table.at(row, *column));
  };
  const auto rank = numberAt("rank");
  if (!rank) return static_cast<double>(all);
  const auto capture = numberAt("capture");
  std::int64_t sum = 0;
  for (const auto& [recording, steps] : ofRecording)
    if (recording.first == *rank && (!capture || recording.second == *capture)) sum += steps;
  return static_cast<double>(sum);
}

std::shared_ptr<const Analysis> analysisOfSums(const std::shared_ptr<const Analysis>& analysis,
                                               bool perStep) {
  return perStep && analysis->ofKeptSteps() ? analysis->ofKeptSteps() : analysis;
}

StepCounts stepCounts(const Analysis& all) {
  StepCounts counts;
  const Analysis& analysis = all.ofKeptSteps() ? *all.ofKeptSteps() : all;
  for (const RankIndex rank : analysis.ranks()) {
    const StepWindows& steps = analysis.stepWindows(rank);
    if (steps.found == StepSource::Whole) continue;
    const RankEntry& entry = analysis.trace().rank(rank);
    const auto count = static_cast<std::int64_t>(steps.steps.size());
    counts.ofRecording[{entry.rank, entry.capture}] += count;
    counts.all += count;
  }
  for (const RankIndex rank : all.ranks())
    if (all.stepWindows(rank).areSteps()) counts.kept += std::ssize(all.countedSteps(rank));
  return counts;
}

bool isSumColumn(std::string_view table, std::string_view column) {
  // "kernels", "kernel_totals", "kernels_by_module" ...
  constexpr std::array<std::string_view, 7> kTables{"operator", "kernel", "collective",    "memory",
                                                    "ranks",    "gap",    "process_groups"};
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

bool isCutByRange(std::string_view column) {
  constexpr std::array<std::string_view, 8> kCut{
      "gpu_busy_us", "compute_us", "communication_us", "overlap_us", "exposed_communication_us",
      "exposed_us",  "memory_us",  "idle_us"};
  return std::ranges::find(kCut, column) != kCut.end();
}

} // namespace rankscope::ui
