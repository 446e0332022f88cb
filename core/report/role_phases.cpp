// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/role_phases.h"

#include "core/analysis/job/analysis.h"
#include "core/base/exact_sum.h"
#include "core/report/overview_figures.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

namespace {

// The whole step first.
constexpr std::array kParts{Phase::Step, Phase::DataLoader, Phase::Forward,
                            Phase::Loss, Phase::Backward,   Phase::Optimizer};

struct Fullest {
  std::int64_t sum = -1; // -1: not recorded
  RoleBytes bytes{};
};

// The fullest moment of ranges that ascend without overlap.
class PeakSweep {
 public:
  explicit PeakSweep(const DeviceRoles& device) : m_changes(device.changes) {
    for (std::size_t r = 0; r < kMemoryRoleCount; ++r) m_level[r] = device.start[r];
  }

  void take(TimeRange range, Fullest& to) {
    while (m_next < m_changes.size() && m_changes[m_next].time < range.begin) apply(m_changes[m_next++]);
    compare(to);
    while (m_next < m_changes.size() && m_changes[m_next].time < range.end) {
      const TimeNs time = m_changes[m_next].time;
      while (m_next < m_changes.size() && m_changes[m_next].time == time) apply(m_changes[m_next++]);
      compare(to);
    }
  }

 private:
  void apply(const RoleChange& change) { m_level[static_cast<std::size_t>(change.role)] += change.bytes; }

  void compare(Fullest& to) const {
    ExactSum sum;
    for (const ExactSum& level : m_level) sum += std::max<std::int64_t>(level, 0);
    if (std::int64_t{sum} <= to.sum) return;
    to.sum = sum;
    for (std::size_t r = 0; r < kMemoryRoleCount; ++r) to.bytes[r] = std::max<std::int64_t>(m_level[r], 0);
  }

  const std::vector<RoleChange>& m_changes;
  std::size_t m_next = 0;
  std::array<ExactSum, kMemoryRoleCount> m_level{};
};

} // namespace

ResultTable rolesByPhaseTable(const Analysis& analysis, RankIndex rank, const DeviceRoles& device) {
  std::vector<TableColumn> columns{
      {"step", Unit::Identity}, {"phase", Unit::Text}, {"peak_bytes", Unit::Bytes}};
  for (std::size_t r = 0; r < kMemoryRoleCount; ++r) {
    std::string name(memoryRoleId(static_cast<MemoryRole>(r)));
    name += "_bytes";
    columns.push_back({std::move(name), Unit::Bytes});
  }
  ResultTable table("roles_by_phase", std::move(columns));
  const StepWindows& windows = analysis.stepWindows(rank);
  std::vector<StepWindow> steps = windows.steps;
  if (steps.empty()) {
    const RankRange window = analysis.window(rank);
    const TimeRange extent = analysis.trace().rank(rank).trace->extent;
    StepWindow whole;
    whole.range = {std::max(extent.begin, window.begin.ns()), std::min(extent.end, window.end.ns())};
    steps.push_back(whole);
  }
  const HostPhases& phases = analysis.phases(rank);
  std::vector<std::array<Fullest, kParts.size()>> found(steps.size());
  for (std::size_t p = 0; p < kParts.size(); ++p) {
    PeakSweep sweep(device);
    for (std::size_t s = 0; s < steps.size(); ++s) {
      if (kParts[p] == Phase::Step) {
        sweep.take(steps[s].range, found[s][p]);
        continue;
      }
      const IntervalSet within = phases.of(kParts[p]).clippedTo(steps[s].range);
      for (const TimeRange& range : within.ranges()) sweep.take(range, found[s][p]);
    }
  }
  std::vector<Cell> row;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    for (std::size_t p = 0; p < kParts.size(); ++p) {
      const Fullest& fullest = found[s][p];
      if (fullest.sum < 0) continue;
      const bool whole = kParts[p] == Phase::Step;
      row = {windows.areSteps() ? Cell(steps[s].number) : Cell(),
             Cell(whole ? std::string_view("step") : phaseTitle(kParts[p])), Cell(fullest.sum)};
      for (const std::int64_t bytes : fullest.bytes) row.emplace_back(bytes);
      table.addRow(row);
    }
  }
  return table;
}

} // namespace rankscope
