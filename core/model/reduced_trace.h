// SPDX-License-Identifier: GPL-3.0-or-later
// A recording with a part of its events, in which all indices of tracks stay valid. For digests, which keep
// the events that results name. Pure functions; O(kept · log events).
#pragma once

#include "core/model/rank_trace.h"

#include <span>
#include <vector>

namespace rankscope {

// The events with the launches of device events, and the device events that begin first and end last: without
// any, the rank would be taken for one that has no device, and its device time says how much of a truncated
// file is missing. Ascending, each once.
[[nodiscard]] std::vector<EventIndex> withLaunches(const RankTrace& trace, std::vector<EventIndex> events);

// Tracks, metadata and diagnostics stay as they are; records of memory, counters, flows, waits and arguments
// of collectives are left out. REQUIRES: kept is a result of withLaunches.
[[nodiscard]] RankTrace reducedTrace(const RankTrace& trace, std::span<const EventIndex> kept);

// Where an event stands in the reduced trace; invalid if it was not kept.
[[nodiscard]] EventIndex reducedIndex(std::span<const EventIndex> kept, EventIndex event);

} // namespace rankscope
