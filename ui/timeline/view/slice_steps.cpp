// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/view/slice_steps.h"

namespace rankscope::ui {

EventIndex nextInRow(const RankTrace& trace, EventIndex event) {
  const EventIndex next(std::size_t{event.value} + 1);
  return next < trace.rows[trace.rowOf(event).value].endEvent ? next : EventIndex();
}

EventIndex previousInRow(const RankTrace& trace, EventIndex event) {
  if (event <= trace.rows[trace.rowOf(event).value].firstEvent) return {};
  return EventIndex(std::size_t{event.value} - 1);
}

EventIndex firstChild(const RankTrace& trace, EventIndex event) {
  const RowIndex row = trace.rowOf(event);
  const Track& track = trace.tracks[trace.rows[row.value].track.value];
  const TimeRange range = trace.events.range(event);
  const std::uint32_t endRow = track.firstRow.value + track.rowCount;
  for (std::uint32_t lower = row.value + 1; lower < endRow; ++lower) {
    const Row& below = trace.rows[lower];
    const EventIndex before = trace.lastBeginningBy(RowIndex(lower), range.begin - 1);
    const EventIndex child = before.valid() ? EventIndex(std::size_t{before.value} + 1) : below.firstEvent;
    if (child < below.endEvent && range.contains(trace.events.begin[child])) return child;
  }
  return {};
}

} // namespace rankscope::ui
