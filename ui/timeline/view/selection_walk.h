// SPDX-License-Identifier: GPL-3.0-or-later
// From the selected event to another one by keyboard: along its row, up and down its stack, to the
// next of its name. Pure functions of const data. Binary searches, but for names: those look through
// the rank's rows from the event on, and stop at the first that matches in each.
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

// Invalid where the way ends. REQUIRES: from is valid.
[[nodiscard]] EventRef walked(const TraceSet& traces, EventRef from, Walk walk);

} // namespace rankscope::ui
