// SPDX-License-Identifier: GPL-3.0-or-later
// Roles of memory over time as stacked areas, with a color for each role. Pure functions.
#pragma once

#include "core/analysis/memory/memory_role.h"
#include "core/analysis/memory/trace_roles.h"
#include "core/model/memory_timeline.h"
#include "ui/charts/chart_card.h"
#include "ui/charts/line_plot.h"

#include <span>
#include <vector>

namespace rankscope::ui {

[[nodiscard]] ThemeColor roleColor(MemoryRole role);
// "optimizer state"
[[nodiscard]] QString roleName(MemoryRole role);
[[nodiscard]] QString roleNamed(const QString& id); // of "optimizer_state"

// Levels of all roles from one place of the x axis to the next.
struct RoleLevel {
  double x = 0;
  RoleBytes bytes{};
};

// Changes of roles by time, thinned: each of `buckets` parts of the range in which something changes has its
// fullest moment for all of it, so that a peak is seen however short it was. REQUIRES: changes are by time.
[[nodiscard]] std::vector<RoleLevel> thinnedRoles(const RoleBytes& start, std::span<const RoleChange> changes,
                                                  std::size_t buckets);
// The same of a device within a window, from its begin to its end.
[[nodiscard]] std::vector<RoleLevel> levelsWithin(const DeviceRoles& device, TimeRange window,
                                                  std::size_t buckets);

// The same of a timeline that PyTorch wrote; x is its time.
[[nodiscard]] std::vector<RoleLevel> timelineLevels(const MemoryTimeline& timeline, std::size_t buckets);

// A line that holds each height until the next level.
[[nodiscard]] QList<QPointF> stairsOf(std::span<const RoleLevel> levels, const std::vector<double>& heights);

// Adds an area per role that has memory, the first at the bottom, and its legend.
void addRoleBands(std::span<const RoleLevel> levels, Curves& to, std::vector<LegendItem>& legend);

} // namespace rankscope::ui
