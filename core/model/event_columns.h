// SPDX-License-Identifier: GPL-3.0-or-later
// The event store of one rank: parallel columns, sorted once by (track, row, begin) and never moved. Inside a
// row no two events overlap, so begins and ends both increase and one binary search answers nearly every
// question. Constant after TraceBuilder made it; readable from all threads.
#pragma once

#include "core/base/column.h"
#include "core/base/strong_index.h"
#include "core/base/time_range.h"
#include "core/model/event_kind.h"
#include "core/model/source_ref.h"

#include <cstddef>
#include <cstdint>

namespace rankscope {

struct EventColumns {
  Column<TimeNs> begin;    // wall time: the file's time plus its base time
  Column<TimeNs> duration; // never negative
  Column<NameId> name;
  Column<EventKind> kind;
  Column<std::uint32_t> link; // correlation of runtime and device events, External id of host ones; 0 none
  Column<SourceRef> source;   // what the recording's DetailSource knows the event by

  [[nodiscard]] std::size_t size() const { return begin.size(); }
  [[nodiscard]] TimeRange range(EventIndex event) const {
    return {begin[event], begin[event] + duration[event]};
  }
};

} // namespace rankscope
