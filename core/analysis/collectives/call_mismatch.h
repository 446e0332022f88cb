// SPDX-License-Identifier: GPL-3.0-or-later
// What members of a group call differently though it should be the same: the first collective that not all
// completed, and the two ends of sends and receives that wait for each other. Pure.
#pragma once

#include "core/analysis/collectives/flight_groups.h"

#include <span>

namespace rankscope {

// Operations, sizes and types of the call `group.firstUnfinished`: sets group.mismatch and group.mismatched.
// O(entries of the group).
void compareCalls(HangGroup& group, std::span<const FlightRecord> records);

// Elements and types of sends and of their receives. The n-th send of a rank to another is received by the
// n-th receive there from it. Where a dump does not begin with the first call of its process, it is not known
// which is the n-th: then only ends are named of which no numbering makes a pair. Sets the same members,
// which may be set already. O(entries of the group), and for ends that differ the product of their calls.
void compareTransfers(HangGroup& group, std::span<const FlightRecord> records);

} // namespace rankscope
