// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/reduced_trace.h"

#include <algorithm>
#include <utility>

namespace rankscope {

namespace {

EventIndex countBefore(std::span<const EventIndex> kept, EventIndex event) {
  return EventIndex(static_cast<std::size_t>(std::ranges::lower_bound(kept, event) - kept.begin()));
}

template <class T> Column<T> only(const Column<T>& column, std::span<const EventIndex> kept) {
  std::vector<T> values;
  values.reserve(kept.size());
  for (const EventIndex event : kept) values.push_back(column[event]);
  return Column<T>(std::move(values));
}

// Tracks keep their first row, which passes over the outermost events rely on; other rows without events go.
void reduceRows(const RankTrace& trace, std::span<const EventIndex> kept, RankTrace& reduced) {
  reduced.tracks = trace.tracks;
  for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
    const Track& from = trace.tracks[t];
    Track& track = reduced.tracks[t];
    track.firstRow = RowIndex(reduced.rows.size());
    for (std::uint32_t r = 0; r < from.rowCount; ++r) {
      const Row& row = trace.rows[from.firstRow.value + r];
      const EventIndex first = countBefore(kept, row.firstEvent);
      const EventIndex end = countBefore(kept, row.endEvent);
      if (first == end && r > 0) continue;
      reduced.rows.push_back({TrackIndex(t), first, end});
    }
    track.rowCount = static_cast<std::uint32_t>(reduced.rows.size() - track.firstRow.value);
    track.firstEvent = countBefore(kept, from.firstEvent);
    track.endEvent = countBefore(kept, from.endEvent);
  }
}

void reduceDevices(const RankTrace& trace, std::span<const EventIndex> kept, RankTrace& reduced) {
  reduced.deviceBegin = countBefore(kept, trace.deviceBegin);
  reduced.deviceEnd = countBefore(kept, trace.deviceEnd);
  const std::size_t count = reduced.deviceEnd.value - reduced.deviceBegin.value;
  std::vector<DeviceDetail> details;
  std::vector<EventIndex> byLaunch;
  details.reserve(count);
  byLaunch.reserve(count);
  for (const EventIndex event : kept.subspan(reduced.deviceBegin.value, count)) {
    DeviceDetail& detail = details.emplace_back(trace.deviceDetail(event));
    detail.launch = reducedIndex(kept, detail.launch);
    if (detail.launch.valid()) byLaunch.emplace_back(reduced.deviceBegin.value + details.size() - 1);
  }
  std::ranges::stable_sort(byLaunch, {}, [&](EventIndex event) {
    return details[event.value - reduced.deviceBegin.value].launch;
  });
  reduced.deviceDetails = Column(std::move(details));
  reduced.byLaunch = Column(std::move(byLaunch));
}

} // namespace

std::vector<EventIndex> withLaunches(const RankTrace& trace, std::vector<EventIndex> events) {
  EventIndex first, last; // of a row the first begins first, and the last ends last
  for (const Row& row : trace.rows) {
    if (row.size() == 0 || !trace.isDeviceEvent(row.firstEvent)) continue;
    const EventIndex end(row.endEvent.value - 1);
    if (!first.valid() || trace.events.begin[row.firstEvent] < trace.events.begin[first])
      first = row.firstEvent;
    if (!last.valid() || trace.events.range(end).end > trace.events.range(last).end) last = end;
  }
  if (first.valid()) events.insert(events.end(), {first, last});
  const std::size_t asked = events.size();
  for (std::size_t i = 0; i < asked; ++i) {
    if (!trace.isDeviceEvent(events[i])) continue;
    const EventIndex launch = trace.deviceDetail(events[i]).launch;
    if (launch.valid()) events.push_back(launch);
  }
  std::ranges::sort(events);
  events.erase(std::unique(events.begin(), events.end()), events.end());
  return events;
}

EventIndex reducedIndex(std::span<const EventIndex> kept, EventIndex event) {
  const auto found = std::ranges::lower_bound(kept, event);
  if (!event.valid() || found == kept.end() || *found != event) return {};
  return EventIndex(static_cast<std::size_t>(found - kept.begin()));
}

RankTrace reducedTrace(const RankTrace& trace, std::span<const EventIndex> kept) {
  RankTrace reduced;
  reduced.metadata = trace.metadata;
  reduced.events.begin = only(trace.events.begin, kept);
  reduced.events.duration = only(trace.events.duration, kept);
  reduced.events.name = only(trace.events.name, kept);
  reduced.events.kind = only(trace.events.kind, kept);
  reduced.events.link = only(trace.events.link, kept);
  reduced.events.source = only(trace.events.source, kept);
  reduceRows(trace, kept, reduced);
  reduced.pyramid = LongestPyramid(reduced.events.duration.span());
  reduceDevices(trace, kept, reduced);
  reduced.diagnostics = trace.diagnostics;
  reduced.fileEvents = trace.fileEvents;
  reduced.leftOut = trace.leftOut;
  reduced.extent = trace.extent;
  reduced.devices = trace.devices;
  return reduced;
}

} // namespace rankscope
