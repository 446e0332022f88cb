// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/device_ids.h"

#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr int kNotRecorded = -1;

// The occurring ids, ascending.
template <class Records, class DeviceOf> std::set<int> idsOf(const Records& records, DeviceOf deviceOf) {
  std::set<int> ids;
  int last = std::numeric_limits<int>::min(); // consecutive records mostly have the same id
  for (const auto& record : records) {
    if (const int id = deviceOf(record); std::exchange(last, id) != id) ids.insert(id);
  }
  return ids;
}

// The highest id to keep; empty if there are few enough.
std::optional<int> highestOf(const std::set<int>& ids) {
  if (ids.size() <= kMaxDevices) return std::nullopt;
  return *std::next(ids.begin(), kMaxDevices - 1);
}

void reportBeyondLimit(RankTrace& trace, EventIndex event) {
  trace.diagnostics.add(DiagnosticKind::Repaired, trace.events.source[event],
                        "a device beyond the maximum number of devices: treated as not recorded");
}

} // namespace

void findDevices(RankTrace& trace) {
  const auto ofDetail = [](const DeviceDetail& detail) { return detail.device; };
  std::set<int> ids = idsOf(trace.deviceDetails, ofDetail);
  if (const auto highest = highestOf(ids)) {
    std::vector<DeviceDetail> details = trace.deviceDetails.take();
    for (std::size_t i = 0; i < details.size(); ++i) {
      if (details[i].device <= *highest) continue;
      details[i].device = kNotRecorded;
      reportBeyondLimit(trace, EventIndex(trace.deviceBegin.value + i));
    }
    trace.deviceDetails = Column(std::move(details));
    for (Track& track : trace.tracks) {
      if (track.device > *highest) track.device = kNotRecorded;
    }
    ids = idsOf(trace.deviceDetails, ofDetail);
  }
  trace.devices.assign(ids.begin(), ids.end());
  const auto highest = highestOf(idsOf(trace.memory, [](const MemoryEvent& event) { return event.device; }));
  if (!highest) return;
  std::vector<MemoryEvent> memory = trace.memory.take();
  for (MemoryEvent& event : memory) {
    if (event.device <= *highest) continue;
    event.device = kNotRecorded;
    reportBeyondLimit(trace, event.event);
  }
  trace.memory = Column(std::move(memory));
}

} // namespace rankscope
