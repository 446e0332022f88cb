// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/index/best_levels.h"
#include "core/io/trace_image.h"
#include "core/model/track_kind.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace rankscope {

namespace {

// Whether all of them are below end, or none at all where that is allowed.
template <class Tag> bool isBelow(StrongIndex<Tag> index, std::size_t end) {
  return index.value < end;
}

template <class Tag> bool isNoneOrBelow(StrongIndex<Tag> index, std::size_t end) {
  return !index.valid() || index.value < end;
}

bool columnsFit(const EventColumns& events, std::size_t nameCount) {
  const std::size_t count = events.size();
  if (count >= EventIndex::kNone || events.duration.size() != count || events.name.size() != count ||
      events.kind.size() != count || events.link.size() != count || events.textAt.size() != count)
    return false;
  std::uint32_t largestName = 0;
  for (const NameId name : events.name) largestName = std::max(largestName, name.value);
  std::uint8_t largestKind = 0;
  for (const EventKind kind : events.kind)
    largestKind = std::max(largestKind, static_cast<std::uint8_t>(kind));
  return (count == 0 || largestName < nameCount) && largestKind < kEventKindCount;
}

// Rows tile the events, and tracks the rows.
bool rowsFit(const RankTrace& trace) {
  std::size_t row = 0, event = 0;
  for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
    const Track& track = trace.tracks[t];
    if (track.kind > TrackKind::Other || track.role > StreamRole::Copy || track.firstRow.value != row ||
        track.rowCount > trace.rows.size() - row || track.firstEvent.value != event)
      return false;
    for (const std::size_t end = row + track.rowCount; row < end; ++row) {
      const Row& of = trace.rows[row];
      if (of.track.value != t || of.firstEvent.value != event || of.endEvent < of.firstEvent) return false;
      event = of.endEvent.value;
    }
    if (track.endEvent.value != event) return false;
  }
  return row == trace.rows.size() && event == trace.events.size();
}

// A kept job opens in the time that it takes to look at every event here: no loop over events has a branch.

// REQUIRES: columnsFit and rowsFit.
bool kindsFit(const RankTrace& trace) {
  std::array<TrackKind, kEventKindCount> trackOf{};
  for (std::size_t kind = 0; kind < trackOf.size(); ++kind)
    trackOf[kind] = trackKindOf(static_cast<EventKind>(kind));
  const std::span<const EventKind> kinds = trace.events.kind.span();
  bool fit = true;
  for (const Track& track : trace.tracks) {
    for (std::size_t i = track.firstEvent.value; i < track.endEvent.value; ++i)
      fit &= trackOf[static_cast<std::size_t>(kinds[i])] == track.kind;
  }
  return fit;
}

bool isTime(TimeRange range) {
  return kAllTime.begin <= range.begin && range.begin <= range.end && range.end <= kAllTime.end;
}

// The sums of a pyramid are those of its durations.
bool sumsFit(const LongestPyramid& pyramid, std::span<const TimeNs> durations) {
  std::uint64_t sum = 0;
  const std::span<const std::uint64_t> before = pyramid.busyBeforeBlock().span();
  for (std::size_t block = 0; block < before.size(); ++block) {
    if (before[block] != sum) return false;
    const std::size_t end = std::min(durations.size(), (block + 1) * kLevelFanout);
    for (std::size_t i = block * kLevelFanout; i < end; ++i) sum += static_cast<std::uint64_t>(durations[i]);
  }
  return true;
}

// Events of a row follow one another, none lies outside of all time, and sums of them are what they say.
bool timesFit(const RankTrace& trace) {
  const std::span<const TimeNs> begins = trace.events.begin.span();
  const std::span<const TimeNs> durations = trace.events.duration.span();
  // Unsigned, what lies before all time is as far away as what lies behind it.
  constexpr auto kBegin = static_cast<std::uint64_t>(kAllTime.begin);
  constexpr auto kLength = static_cast<std::uint64_t>(kAllTime.end) - kBegin;
  bool fit = true;
  for (const Row& row : trace.rows) {
    std::uint64_t before = 0;
    for (std::size_t i = row.firstEvent.value; i < row.endEvent.value; ++i) {
      const std::uint64_t begin = static_cast<std::uint64_t>(begins[i]) - kBegin;
      const auto duration = static_cast<std::uint64_t>(durations[i]);
      fit &= (begin >= before) & (begin <= kLength) & (duration <= kLength - begin);
      before = begin + duration;
    }
  }
  return fit && isTime(trace.extent) && sumsFit(trace.pyramid, durations) &&
         std::ranges::all_of(trace.counters, [](const CounterSeries& series) {
           return std::ranges::is_sorted(series.times) &&
                  (series.times.empty() || isTime({series.times.front(), series.times.back()}));
         });
}

// Device events that were launched, by launch.
bool launchesFit(const RankTrace& trace) {
  EventIndex before(0);
  for (const EventIndex event : trace.byLaunch) {
    if (!trace.isDeviceEvent(event)) return false;
    const EventIndex launch = trace.deviceDetail(event).launch;
    if (!launch.valid() || launch < before) return false;
    before = launch;
  }
  return true;
}

bool deviceFits(const RankTrace& trace) {
  const std::size_t count = trace.events.size();
  if (trace.deviceBegin > trace.deviceEnd || trace.deviceEnd.value > count ||
      trace.deviceDetails.size() != trace.deviceEnd.value - trace.deviceBegin.value)
    return false;
  // Streams hold device activity and nothing else does; what launches it is on a thread.
  std::size_t threadsEnd = 0;
  for (const Track& track : trace.tracks) {
    if (track.firstEvent == track.endEvent) continue;
    const bool inside = trace.deviceBegin <= track.firstEvent && track.endEvent <= trace.deviceEnd;
    const bool outside = track.endEvent <= trace.deviceBegin || trace.deviceEnd <= track.firstEvent;
    if (track.kind == TrackKind::Stream ? !inside : !outside) return false;
    if (track.kind == TrackKind::Thread) threadsEnd = track.endEvent.value;
  }
  return std::ranges::is_sorted(trace.devices) &&
         std::ranges::all_of(trace.deviceDetails,
                             [&](const DeviceDetail& detail) {
                               return isNoneOrBelow(detail.launch, threadsEnd) &&
                                      detail.evidence <= CommunicationEvidence::Name &&
                                      std::ranges::binary_search(trace.devices, detail.device);
                             }) &&
         launchesFit(trace);
}

// By time, all within it.
bool memoryFits(const RankTrace& trace) {
  bool fit = true;
  TimeNs before = kAllTime.begin;
  for (const MemoryEvent& event : trace.memory) {
    fit &= (event.time >= before) & (event.time <= kAllTime.end) & (event.event.value < trace.events.size());
    before = event.time;
  }
  return fit;
}

bool detailsFit(const RankTrace& trace, std::size_t nameCount) {
  const std::size_t count = trace.events.size();
  return std::ranges::all_of(
             trace.forwardBackward,
             [&](const EventFlow& flow) { return isBelow(flow.from, count) && isBelow(flow.to, count); }) &&
         std::ranges::all_of(trace.waits,
                             [&](const EventWait& wait) {
                               return isBelow(wait.sync, count) && isNoneOrBelow(wait.call, count) &&
                                      isNoneOrBelow(wait.record, count) &&
                                      isNoneOrBelow(wait.before, count) && isNoneOrBelow(wait.after, count);
                             }) &&
         std::ranges::all_of(trace.collectives,
                             [&](const CollectiveDetail& detail) {
                               return isBelow(detail.event, count) &&
                                      isNoneOrBelow(detail.operation, nameCount) &&
                                      isNoneOrBelow(detail.dtype, nameCount) &&
                                      isNoneOrBelow(detail.groupName, nameCount) &&
                                      isNoneOrBelow(detail.groupDescription, nameCount) &&
                                      isNoneOrBelow(detail.groupRanks, nameCount);
                             }) &&
         std::ranges::is_sorted(trace.collectives, {}, &CollectiveDetail::event) &&
         std::ranges::is_sorted(trace.waits, {}, &EventWait::sync) &&
         std::ranges::is_sorted(trace.forwardBackward, {}, &EventFlow::from) && memoryFits(trace) &&
         std::ranges::all_of(trace.counters, [](const CounterSeries& series) {
           return series.times.size() == series.values.size();
         });
}

} // namespace

bool isSound(const RankTrace& trace, std::size_t nameCount) {
  return columnsFit(trace.events, nameCount) && rowsFit(trace) && kindsFit(trace) &&
         trace.pyramid.wasBuiltOver(trace.events.size()) && timesFit(trace) && deviceFits(trace) &&
         detailsFit(trace, nameCount);
}

} // namespace rankscope
