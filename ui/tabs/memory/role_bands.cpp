// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/memory/role_bands.h"

#include "core/base/exact_sum.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace rankscope::ui {

namespace {

constexpr qreal kStrength = 0.8; // of areas: what is behind them does not matter

// From the bottom: what stays for long, then what comes and goes.
constexpr std::array kOrder{MemoryRole::BeforeRecording, MemoryRole::Parameter,  MemoryRole::OptimizerState,
                            MemoryRole::Gradient,        MemoryRole::Activation, MemoryRole::AutogradDetail,
                            MemoryRole::Input,           MemoryRole::FsdpBuffer, MemoryRole::BackwardOrNative,
                            MemoryRole::Temporary,       MemoryRole::Other,      MemoryRole::Unknown};

std::int64_t sumOf(const RoleBytes& bytes) {
  ExactSum sum;
  for (const std::int64_t one : bytes) sum += one;
  return sum;
}

RoleBytes shown(const std::array<ExactSum, kMemoryRoleCount>& level) {
  RoleBytes bytes{};
  for (std::size_t r = 0; r < kMemoryRoleCount; ++r) bytes[r] = std::max<std::int64_t>(level[r], 0);
  return bytes;
}

} // namespace

ThemeColor roleColor(MemoryRole role) {
  switch (role) {
  case MemoryRole::Parameter:
    return &Theme::forward;
  case MemoryRole::Gradient:
    return &Theme::backward;
  case MemoryRole::OptimizerState:
    return &Theme::optimizer;
  case MemoryRole::Activation:
    return &Theme::gemm;
  case MemoryRole::AutogradDetail:
    return &Theme::attention;
  case MemoryRole::Input:
    return &Theme::dataLoader;
  case MemoryRole::Temporary:
    return &Theme::memoryCopy;
  case MemoryRole::FsdpBuffer:
    return &Theme::communication;
  case MemoryRole::BackwardOrNative:
    return &Theme::runtime;
  case MemoryRole::BeforeRecording:
    return &Theme::faint;
  case MemoryRole::Other:
    return &Theme::cpuOp;
  case MemoryRole::Unknown:
    break;
  }
  return &Theme::muted;
}

QString roleName(MemoryRole role) {
  const std::string_view text = memoryRoleText(role);
  return QCoreApplication::translate("MemoryPanel", std::string(text).c_str());
}

QString roleNamed(const QString& id) {
  for (std::size_t r = 0; r < kMemoryRoleCount; ++r) {
    const auto role = static_cast<MemoryRole>(r);
    if (id.toStdString() == memoryRoleId(role)) return roleName(role);
  }
  return id;
}

// A level that a part begins with counts for it too: it was there for at least an instant.
std::vector<RoleLevel> thinnedRoles(const RoleBytes& start, std::span<const RoleChange> changes,
                                    std::size_t buckets) {
  std::vector<RoleLevel> levels;
  if (changes.empty()) return levels;
  std::array<ExactSum, kMemoryRoleCount> level{};
  for (std::size_t r = 0; r < kMemoryRoleCount; ++r) level[r] = start[r];
  const auto begin = static_cast<double>(changes.front().time);
  const double length = std::max(1.0, static_cast<double>(changes.back().time) - begin);
  const auto placeOf = [&](std::size_t bucket) {
    return begin + length * static_cast<double>(bucket) / static_cast<double>(buckets);
  };
  std::size_t i = 0;
  for (std::size_t bucket = 0; bucket < buckets && i < changes.size(); ++bucket) {
    const double end = placeOf(bucket + 1);
    const bool isLast = bucket + 1 == buckets;
    if (static_cast<double>(changes[i].time) > end && !isLast) continue;
    RoleLevel fullest{placeOf(bucket), shown(level)};
    while (i < changes.size() && (static_cast<double>(changes[i].time) <= end || isLast)) {
      const std::int64_t time = changes[i].time;
      while (i < changes.size() && changes[i].time == time) {
        level[static_cast<std::size_t>(changes[i].role)] += changes[i].bytes;
        ++i;
      }
      const RoleBytes now = shown(level);
      if (sumOf(now) > sumOf(fullest.bytes)) fullest.bytes = now;
    }
    if (!levels.empty() && levels.back().x >= fullest.x) levels.pop_back(); // it lasts no time
    levels.push_back(fullest);
    levels.push_back({end, shown(level)});
  }
  return levels;
}

std::vector<RoleLevel> levelsWithin(const DeviceRoles& device, TimeRange window, std::size_t buckets) {
  const TimeRange shown = window.clippedTo(device.extent);
  if (shown == device.extent) return thinnedRoles(device.start, device.changes, buckets);
  if (shown.empty()) return {};
  const auto first = std::ranges::lower_bound(device.changes, shown.begin, {}, &RoleChange::time);
  const auto last = std::ranges::lower_bound(device.changes, shown.end, {}, &RoleChange::time);
  const RoleBytes start = device.at(shown.begin - 1);
  std::vector<RoleLevel> levels = thinnedRoles(start, {first, last}, buckets);
  const auto begin = static_cast<double>(shown.begin);
  const auto end = static_cast<double>(shown.end);
  if (levels.empty() || levels.front().x > begin) levels.insert(levels.begin(), {begin, start});
  levels.push_back({end, device.at(shown.end - 1)});
  return levels;
}

std::vector<RoleLevel> timelineLevels(const MemoryTimeline& timeline, std::size_t buckets) {
  std::array<MemoryRole, kTimelineCategories> roles{};
  for (std::size_t c = 0; c < kTimelineCategories; ++c) {
    for (std::size_t r = 0; r < kMemoryRoleCount; ++r) {
      if (memoryRoleId(static_cast<MemoryRole>(r)) == kTimelineCategoryNames[c])
        roles[c] = static_cast<MemoryRole>(r);
    }
  }
  RoleBytes start{};
  RoleBytes before{};
  std::vector<RoleChange> changes;
  for (std::size_t i = 0; i < timeline.points.size(); ++i) {
    const TimelinePoint& point = timeline.points[i];
    for (std::size_t c = 0; c < kTimelineCategories; ++c) {
      const auto role = static_cast<std::size_t>(roles[c]);
      const std::int64_t bytes = std::max<std::int64_t>(point.bytes[c], 0);
      if (i == 0) start[role] = before[role] = bytes;
      // The first and the last point say from where to where it goes.
      const bool isEnd = i == 0 || i + 1 == timeline.points.size();
      if (isEnd || bytes != before[role]) changes.push_back({point.time, bytes - before[role], roles[c]});
      before[role] = bytes;
    }
  }
  return thinnedRoles(start, changes, buckets);
}

QList<QPointF> stairsOf(std::span<const RoleLevel> levels, const std::vector<double>& heights) {
  QList<QPointF> points;
  points.reserve(2 * static_cast<qsizetype>(levels.size()));
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (i > 0) points << QPointF(levels[i].x, heights[i - 1]);
    points << QPointF(levels[i].x, heights[i]);
  }
  return points;
}

void addRoleBands(std::span<const RoleLevel> levels, Curves& to, std::vector<LegendItem>& legend) {
  std::vector<double> base(levels.size(), 0.0);
  for (const MemoryRole role : kOrder) {
    const auto r = static_cast<std::size_t>(role);
    const bool any = std::ranges::any_of(levels, [&](const RoleLevel& level) { return level.bytes[r] > 0; });
    if (!any) continue;
    Band band{roleName(role), {}, {}, roleColor(role), kStrength};
    band.lower = stairsOf(levels, base);
    for (std::size_t i = 0; i < levels.size(); ++i) base[i] += static_cast<double>(levels[i].bytes[r]);
    band.upper = stairsOf(levels, base);
    legend.push_back({band.name, band.color});
    to.bands.push_back(std::move(band));
  }
}

} // namespace rankscope::ui
