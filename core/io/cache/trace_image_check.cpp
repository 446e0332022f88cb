// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/index/best_levels.h"
#include "core/io/cache/trace_image.h"
#include "core/model/track_kind.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace rankscope {

namespace {

// Whether an index is below end; isNoneOrBelow also allows invalid.
template <class Tag> bool isBelow(StrongIndex<Tag> index, std::size_t end) {
  return index.value < end;
}

template <class Tag> bool isNoneOrBelow(StrongIndex<Tag> index, std::size_t end) {
  return !index.valid() || index.value < end;
}

bool columnsFit(const EventColumns& events) {
  const std::size_t count = events.size();
  return count < EventIndex::kNone && events.duration.size() == count && events.name.size() == count &&
         events.kind.size() == count && events.link.size() == count && events.source.size() == count;
}

// Whether rows cover all events and tracks cover all rows.
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

bool isTime(TimeRange range) {
  return kAllTime.begin <= range.begin && range.begin <= range.end && range.end <= kAllTime.end;
}

bool countersFit(const RankTrace& trace) {
  return std::ranges::all_of(trace.counters, [](const CounterSeries& series) {
    return series.times.size() == series.values.size() && std::ranges::is_sorted(series.times) &&
           (series.times.empty() || isTime({series.times.front(), series.times.back()}));
  });
}

// Kind of track for each value of a kind byte; invalid bytes have none.
using TrackKindOfByte = std::array<std::uint8_t, 256>;

TrackKindOfByte trackKindOfByte() {
  TrackKindOfByte kinds;
  kinds.fill(0xff);
  for (std::size_t kind = 0; kind < kEventKindCount; ++kind)
    kinds[kind] = static_cast<std::uint8_t>(trackKindOf(static_cast<EventKind>(kind)));
  return kinds;
}

// Number of events whose columns are checked together, so that they stay in the CPU cache.
constexpr std::size_t kStretch = 4096;

bool namesFit(std::span<const NameId> names, std::size_t nameCount) {
  std::uint32_t largest = 0;
  for (const NameId name : names) largest = std::max(largest, name.value);
  return largest < nameCount;
}

bool kindsFit(std::span<const EventKind> kinds, TrackKind track, const TrackKindOfByte& trackKindOf) {
  int wrong = 0;
  if (track == TrackKind::Other) {
    // A lane of its own, also for events that usually stand among a thread's calls.
    for (const EventKind kind : kinds)
      wrong |= static_cast<int>(kind != EventKind::Other && kind != EventKind::Span);
    return wrong == 0;
  }
  for (const EventKind kind : kinds)
    wrong |= trackKindOf[static_cast<std::uint8_t>(kind)] ^ static_cast<std::uint8_t>(track);
  return wrong == 0;
}

// before: end of the previous event, relative to kAllTime.begin.
bool timesFit(std::span<const TimeNs> begins, std::span<const TimeNs> durations, std::uint64_t& before) {
  // Relative to kAllTime.begin, times and durations are valid if their highest bit is 0.
  static_assert(static_cast<std::uint64_t>(kAllTime.end) - static_cast<std::uint64_t>(kAllTime.begin) ==
                std::numeric_limits<std::uint64_t>::max() >> 1);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const std::uint64_t begin =
        static_cast<std::uint64_t>(begins[i]) - static_cast<std::uint64_t>(kAllTime.begin);
    const auto duration = static_cast<std::uint64_t>(durations[i]);
    bits |= begin | duration | (begin + duration) | (begin - before);
    before = begin + duration;
  }
  return bits >> 63 == 0;
}

// Compares the prefix sums of a pyramid with the durations passed so far.
class SumCheck {
 public:
  explicit SumCheck(std::span<const std::uint64_t> before) : m_before(before) {}

  bool fit(std::span<const TimeNs> durations) {
    bool fit = true;
    for (std::size_t i = 0; i < durations.size();) {
      if (m_count % kLevelFanout == 0) fit &= m_before[m_count / kLevelFanout] == m_sum;
      const std::size_t more = std::min(durations.size() - i, kLevelFanout - m_count % kLevelFanout);
      for (const std::size_t end = i + more; i < end; ++i) m_sum += static_cast<std::uint64_t>(durations[i]);
      m_count += more;
    }
    return fit;
  }

 private:
  std::span<const std::uint64_t> m_before;
  std::size_t m_count = 0;
  std::uint64_t m_sum = 0;
};

// Checks that names and kinds are valid, each kind is on its kind of track, events of a row do not overlap
// and are within kAllTime, and the sums of the pyramid match the durations. Determines the time to open a
// cached job, so loops over events have no branches and work on cached blocks. REQUIRES: columnsFit, rowsFit,
// and a pyramid over the same number of events.
bool eventsFit(const RankTrace& trace, std::size_t nameCount) {
  const EventColumns& events = trace.events;
  const TrackKindOfByte trackKinds = trackKindOfByte();
  SumCheck sums(trace.pyramid.busyBeforeBlock().span());
  for (const Row& row : trace.rows) {
    const TrackKind kind = trace.tracks[row.track.value].kind;
    std::uint64_t before = 0;
    for (std::size_t from = row.firstEvent.value, count = 0; from < row.endEvent.value; from += count) {
      count = std::min(kStretch, row.endEvent.value - from);
      const std::span<const TimeNs> durations = events.duration.span().subspan(from, count);
      if (!timesFit(events.begin.span().subspan(from, count), durations, before) || !sums.fit(durations) ||
          !namesFit(events.name.span().subspan(from, count), nameCount) ||
          !kindsFit(events.kind.span().subspan(from, count), kind, trackKinds))
        return false;
    }
  }
  return true;
}

// Whether byLaunch contains launched device events, sorted by launch.
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
  // Stream tracks contain all device activity and nothing else; launches are on host threads.
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

// Whether records are sorted by time and valid.
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
         std::ranges::is_sorted(trace.forwardBackward, {}, &EventFlow::from) && memoryFits(trace);
}

} // namespace

bool isSound(const RankTrace& trace, std::size_t nameCount) {
  return columnsFit(trace.events) && rowsFit(trace) && trace.pyramid.wasBuiltOver(trace.events.size()) &&
         isTime(trace.extent) && countersFit(trace) && eventsFit(trace, nameCount) && deviceFits(trace) &&
         detailsFit(trace, nameCount);
}

} // namespace rankscope
