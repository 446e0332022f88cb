// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/trace_image.h"

#include <algorithm>
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
  for (const NameId name : events.name) largestName = std::max(largestName, name.value + 1);
  std::uint8_t largestKind = 0;
  for (const EventKind kind : events.kind)
    largestKind = std::max(largestKind, static_cast<std::uint8_t>(kind));
  return largestName <= nameCount && largestKind < kEventKindCount;
}

// Rows tile the events, and tracks the rows.
bool rowsFit(const RankTrace& trace) {
  std::size_t event = 0;
  for (const Row& row : trace.rows) {
    if (!isBelow(row.track, trace.tracks.size()) || row.firstEvent.value != event ||
        row.endEvent.value < event)
      return false;
    event = row.endEvent.value;
  }
  if (event != trace.events.size()) return false;
  return std::ranges::all_of(trace.tracks, [&](const Track& track) {
    return track.kind <= TrackKind::Other && track.role <= StreamRole::Copy &&
           std::size_t{track.firstRow.value} + track.rowCount <= trace.rows.size() &&
           track.firstEvent <= track.endEvent && track.endEvent.value <= trace.events.size();
  });
}

bool deviceFits(const RankTrace& trace) {
  const std::size_t count = trace.events.size();
  if (trace.deviceBegin > trace.deviceEnd || trace.deviceEnd.value > count ||
      trace.deviceDetails.size() != trace.deviceEnd.value - trace.deviceBegin.value)
    return false;
  return std::ranges::all_of(trace.deviceDetails,
                             [&](const DeviceDetail& detail) {
                               return isNoneOrBelow(detail.launch, count) &&
                                      detail.evidence <= CommunicationEvidence::Name;
                             }) &&
         std::ranges::all_of(trace.byLaunch, [&](EventIndex event) { return trace.isDeviceEvent(event); });
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
         std::ranges::all_of(trace.memory,
                             [&](const MemoryEvent& event) { return isBelow(event.event, count); }) &&
         std::ranges::all_of(trace.counters, [](const CounterSeries& series) {
           return series.times.size() == series.values.size();
         });
}

} // namespace

bool isSound(const RankTrace& trace, std::size_t nameCount) {
  return columnsFit(trace.events, nameCount) && rowsFit(trace) && deviceFits(trace) &&
         detailsFit(trace, nameCount) && trace.pyramid.wasBuiltOver(trace.events.size());
}

} // namespace rankscope
