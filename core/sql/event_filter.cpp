// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/event_filter.h"

#include <algorithm>
#include <charconv>

namespace rankscope {

namespace {

std::uint32_t bitOf(EventKind kind) {
  return 1U << static_cast<unsigned>(kind);
}

// First event of [first, end) for which reached(event) is true; events before it are not.
template <class Reached> EventIndex firstThat(EventIndex first, EventIndex end, Reached&& reached) {
  while (first < end) {
    const EventIndex middle(first.value + (std::size_t{end.value} - first.value) / 2);
    if (reached(middle))
      end = middle;
    else
      first = EventIndex(std::size_t{middle.value} + 1);
  }
  return first;
}

// The events of a row that begin and end within the bounds. Both ascend in a row on any clock.
EventSlice sliceOf(const EventSource& source, const EventFilter& filter, RankIndex rank, RowIndex row) {
  const RankTrace& trace = source.traceOf(rank);
  const EventColumns& events = trace.events;
  EventSlice slice{rank, row, trace.rows[row.value].firstEvent, trace.rows[row.value].endEvent};
  const RankRange window = source.analysis().window(rank);
  if (window != kWholeRecording) {
    const auto beginsBy = [&](TimeNs time) {
      return firstThat(slice.first, slice.end, [&](EventIndex e) { return events.begin[e] >= time; });
    };
    slice.first = beginsBy(window.begin.ns());
    slice.end = beginsBy(window.end.ns());
  }
  const auto begin = [&](EventIndex e) { return source.sinceBegin(rank, events.begin[e]); };
  const auto end = [&](EventIndex e) { return source.sinceBegin(rank, events.range(e).end); };
  const auto limit = [&](const EventFilter::Bounds& bounds, auto&& timeOf) {
    if (bounds.min != EventFilter::kMin)
      slice.first = firstThat(slice.first, slice.end, [&](EventIndex e) { return timeOf(e) >= bounds.min; });
    if (bounds.max != EventFilter::kMax)
      slice.end = firstThat(slice.first, slice.end, [&](EventIndex e) { return timeOf(e) > bounds.max; });
  };
  limit(filter.begin, begin);
  limit(filter.end, end);
  return slice;
}

bool rankMatches(const EventSource& source, const EventFilter& filter, RankIndex rank) {
  const RankEntry& entry = source.trace().rank(rank);
  return (!filter.rank || *filter.rank == entry.rank) &&
         (!filter.capture || *filter.capture == entry.capture);
}

} // namespace

void EventFilter::take(std::optional<std::int64_t>& member, std::int64_t value) {
  if (member && *member != value) nothing = true;
  member = value;
}

void EventFilter::takeName(std::optional<NameId> wanted) {
  if (!wanted || (name && *name != *wanted)) nothing = true;
  name = wanted;
}

std::optional<std::int64_t> deviceOf(const RankTrace& trace, EventIndex event) {
  if (trace.isDeviceEvent(event)) return trace.deviceDetail(event).device;
  const Track& track = trace.tracks[trace.trackOf(event).value];
  if (track.device < 0) return std::nullopt;
  return track.device;
}

std::optional<std::int64_t> streamOf(const RankTrace& trace, EventIndex event) {
  if (trace.isDeviceEvent(event)) {
    const std::int64_t stream = trace.deviceDetail(event).stream;
    return stream < 0 ? std::nullopt : std::optional(stream);
  }
  const Track& track = trace.tracks[trace.trackOf(event).value];
  if (track.device < 0) return std::nullopt;
  std::int64_t stream = 0;
  const char* const end = track.thread.data() + track.thread.size();
  const auto [read, error] = std::from_chars(track.thread.data(), end, stream);
  if (error != std::errc() || read != end) return std::nullopt;
  return stream;
}

bool matches(const EventSource& source, const EventFilter& filter, EventRef event) {
  const RankTrace& trace = source.traceOf(event.rank);
  const EventColumns& events = trace.events;
  if ((filter.kinds & bitOf(events.kind[event.event])) == 0) return false;
  const NameId name = events.name[event.event];
  if (filter.name && name != *filter.name) return false;
  if (!filter.names.empty() && !(name.valid() && filter.names[name.value])) return false;
  if (!filter.duration.contains(events.duration[event.event])) return false;
  if (filter.onlyOperators && !isOperator(trace, source.trace().names(), event.event)) return false;
  if (filter.device && deviceOf(trace, event.event) != filter.device) return false;
  return !filter.stream || streamOf(trace, event.event) == filter.stream;
}

bool matchesAll(const EventSource& source, const EventFilter& filter, EventRef event) {
  if (filter.nothing || !rankMatches(source, filter, event.rank)) return false;
  const RankTrace& trace = source.traceOf(event.rank);
  if (!source.analysis().window(event.rank).contains(RankTime(trace.events.begin[event.event])) &&
      source.analysis().window(event.rank) != kWholeRecording)
    return false;
  if (!filter.begin.unlimited() &&
      !filter.begin.contains(source.sinceBegin(event.rank, trace.events.begin[event.event])))
    return false;
  if (!filter.end.unlimited() &&
      !filter.end.contains(source.sinceBegin(event.rank, trace.events.range(event.event).end)))
    return false;
  if (filter.track && source.trackId(event.rank, trace.trackOf(event.event)) != *filter.track) return false;
  if (filter.onlyOperators && trace.tracks[trace.trackOf(event.event).value].kind != TrackKind::Thread)
    return false;
  return matches(source, filter, event);
}

bool matchesTracks(const EventFilter& filter, std::uint32_t trackKinds) {
  return (filter.kinds & trackKinds) == trackKinds && !filter.onlyOperators && !filter.name &&
         filter.names.empty() && filter.duration.unlimited() && !filter.device && !filter.stream;
}

std::vector<EventSlice> slicesOf(const EventSource& source, const EventFilter& filter) {
  std::vector<EventSlice> slices;
  if (filter.nothing) return slices;
  for (const RankIndex rank : source.analysis().ranks()) {
    if (!rankMatches(source, filter, rank)) continue;
    const RankTrace& trace = source.traceOf(rank);
    for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
      const TrackIndex index(t);
      const Track& track = trace.tracks[t];
      if (filter.track && source.trackId(rank, index) != *filter.track) continue;
      if (filter.onlyOperators && track.kind != TrackKind::Thread) continue;
      if (filter.kinds != EventFilter::kAllKinds && (source.kindsOf(rank, index) & filter.kinds) == 0)
        continue;
      for (std::uint32_t row = 0; row < track.rowCount; ++row) {
        const EventSlice slice =
            sliceOf(source, filter, rank, RowIndex(std::size_t{track.firstRow.value} + row));
        if (slice.first < slice.end) slices.push_back(slice);
      }
    }
  }
  return slices;
}

} // namespace rankscope
