// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/memory/snapshot_data.h"

#include "core/report/memory_role_tables.h"
#include "core/report/memory_view.h"
#include "ui/tabs/memory/roles_section.h"

#include <algorithm>

namespace rankscope::ui {

namespace {

constexpr std::size_t kSnapshotBuckets = 600; // of a curve

// What the recording says of the same device, while the snapshot was recorded.
QList<QPointF> recordedCurve(const Analysis& analysis, RankIndex rank, const SnapshotDevice& device) {
  QList<QPointF> points;
  const std::int64_t first = device.entries.front().time * 1000;
  const std::int64_t last = device.entries.back().time * 1000;
  for (const DeviceMemory& memory : analysis.memory(rank).devices) {
    if (memory.device.onHost || memory.device.id != device.device || last <= first) continue;
    for (const MemoryLevel& level :
         thinnedLevels(memory.levels, TimeRange{first, last + 1}, kSnapshotBuckets)) {
      const auto x = static_cast<double>(level.time - first);
      if (!points.isEmpty()) points << QPointF(x, points.back().y());
      points << QPointF(x, static_cast<double>(level.allocated));
    }
  }
  return points;
}

// Whether times of the entries can be nanoseconds.
bool hasTimes(const SnapshotDevice& device) {
  constexpr std::int64_t kMost = INT64_MAX / 4000;
  return !device.entries.empty() && device.entries.front().time > 0 && device.entries.front().time < kMost &&
         device.entries.back().time > 0 && device.entries.back().time < kMost;
}

} // namespace

SnapshotsData snapshotsData(const JobReport& report, const EfficiencySettings& settings) {
  SnapshotsData data;
  data.results = report.sharedSide();
  for (std::size_t s = 0; s < data.results->snapshots.size(); ++s) {
    const SnapshotResults& result = data.results->snapshots[s];
    for (std::size_t d = 0; d < result.devices.size(); ++d) {
      const DeviceReplay& replay = result.devices[d];
      SnapshotPlace& place = data.places.emplace_back();
      place.snapshot = s;
      place.device = d;
      if (replay.last() < 0) continue;
      const ExpectedMemory expected = expectedOf(result, replay, settings);
      place.expected = expectedTable(expected);
      place.advice = QString::fromStdString(expected.advice);
      if (!hasTimes(*replay.device)) continue;
      place.clock = snapshotClock(report.analysis(), *result.snapshot, *replay.device);
      if (!place.clock || !place.clock->isSame()) continue;
      const RankTime first(replay.device->entries.front().time * 1000);
      place.begin = report.analysis().clocks().of(place.clock->rank).toJob(first);
      place.recorded = recordedCurve(report.analysis(), place.clock->rank, *replay.device);
    }
  }
  return data;
}

} // namespace rankscope::ui
