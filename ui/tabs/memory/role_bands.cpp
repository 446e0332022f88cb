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

std::vector<RoleLevel> thinnedRoles(const RoleBytes& start, std::span<const RoleChange> changes,
                                    std::size_t buckets) {
  std::vector<RoleLevel> levels;
  if (changes.empty()) return levels;
  levels.reserve(buckets + 2);
  std::array<ExactSum, kMemoryRoleCount> level{};
  for (std::size_t r = 0; r < kMemoryRoleCount; ++r) level[r] = start[r];
  const auto begin = static_cast<double>(changes.front().time);
  const double length = std::max(1.0, static_cast<double>(changes.back().time) - begin);
  levels.push_back({begin, start});
  std::size_t i = 0;
  for (std::size_t bucket = 0; bucket < buckets && i < changes.size(); ++bucket) {
    const double end = begin + length * static_cast<double>(bucket + 1) / static_cast<double>(buckets);
    // The level that a bucket begins with, its highest and its lowest: peaks and valleys stay, and a level
    // that holds for long is no slope.
    RoleLevel highest{-1, {}};
    RoleLevel lowest{-1, {}};
    std::int64_t most = -1;
    std::int64_t least = INT64_MAX;
    if (static_cast<double>(changes[i].time) <= end && static_cast<double>(changes[i].time) > levels.back().x)
      levels.push_back({static_cast<double>(changes[i].time), shown(level)});
    while (i < changes.size() && (static_cast<double>(changes[i].time) <= end || bucket + 1 == buckets)) {
      const std::int64_t time = changes[i].time;
      while (i < changes.size() && changes[i].time == time) {
        level[static_cast<std::size_t>(changes[i].role)] += changes[i].bytes;
        ++i;
      }
      const RoleLevel now{static_cast<double>(time), shown(level)};
      const std::int64_t sum = sumOf(now.bytes);
      if (sum > most) highest = now;
      if (sum < least) lowest = now;
      most = std::max(most, sum);
      least = std::min(least, sum);
    }
    if (most < 0) continue;
    const bool falls = highest.x < lowest.x;
    if (most != least) levels.push_back(falls ? highest : lowest);
    levels.push_back(falls ? lowest : highest);
  }
  const auto last = static_cast<double>(changes.back().time);
  if (levels.back().x < last || sumOf(levels.back().bytes) != sumOf(shown(level)))
    levels.push_back({last, shown(level)});
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
  std::vector<RoleLevel> levels;
  const std::size_t step = std::max<std::size_t>(1, timeline.points.size() / buckets);
  for (std::size_t i = 0; i < timeline.points.size(); i += step) {
    // The fullest of each part, so that peaks stay.
    const auto begin = timeline.points.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end =
        timeline.points.begin() + static_cast<std::ptrdiff_t>(std::min(i + step, timeline.points.size()));
    const auto fullest = std::max_element(
        begin, end, [](const TimelinePoint& a, const TimelinePoint& b) { return a.total() < b.total(); });
    RoleLevel level{static_cast<double>(fullest->time), {}};
    for (std::size_t c = 0; c < kTimelineCategories; ++c)
      level.bytes[static_cast<std::size_t>(roles[c])] = std::max<std::int64_t>(fullest->bytes[c], 0);
    levels.push_back(level);
  }
  return levels;
}

void addRoleBands(std::span<const RoleLevel> levels, Curves& to, std::vector<LegendItem>& legend) {
  std::vector<double> base(levels.size(), 0.0);
  for (const MemoryRole role : kOrder) {
    const auto r = static_cast<std::size_t>(role);
    const bool any = std::ranges::any_of(levels, [&](const RoleLevel& level) { return level.bytes[r] > 0; });
    if (!any) continue;
    Band band{roleName(role), {}, {}, roleColor(role), kStrength};
    for (std::size_t i = 0; i < levels.size(); ++i) {
      band.lower << QPointF(levels[i].x, base[i]);
      base[i] += static_cast<double>(levels[i].bytes[r]);
      band.upper << QPointF(levels[i].x, base[i]);
    }
    legend.push_back({band.name, band.color});
    to.bands.push_back(std::move(band));
  }
}

} // namespace rankscope::ui
