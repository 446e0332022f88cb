// SPDX-License-Identifier: GPL-3.0-or-later
// Moves the selection by keyboard: along the row, up and down the stack, to the next event with the same
// name. Pure functions. Binary searches, except by name: these search the rank's rows from the event on and
// stop at the first match in each.
#pragma once

#include "core/model/trace_set.h"

#include <cstdint>

namespace rankscope::ui {

enum class Walk : std::uint8_t {
  Next,           // in the row
  Previous,       // in the row
  Parent,         // the event around it
  Child,          // the first event within it
  NextOfName,     // by begin, on the same rank
  PreviousOfName, // by begin, on the same rank
};

// Invalid if there is no such event. REQUIRES: from is valid.
[[nodiscard]] EventRef walked(const TraceSet& traces, EventRef from, Walk walk);

} // namespace rankscope::ui
