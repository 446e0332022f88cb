// SPDX-License-Identifier: GPL-3.0-or-later
// Durations written as two halves, a begin (ph B) and an end (ph E), become whole events: per thread the
// innermost open begin meets the next end. A begin without an end lasts until the last event of its thread;
// an end without a begin is skipped; both are reported in the diagnostics.
#pragma once

#include "core/model/diagnostics.h"
#include "core/model/file_events.h"

namespace rankscope {

// Adds the joined events to the slices that hold their begins.
void pairHalves(FileEvents& file, Diagnostics& diagnostics);

} // namespace rankscope
