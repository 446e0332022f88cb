// SPDX-License-Identifier: GPL-3.0-or-later
// Joins durations recorded as separate begin (ph B) and end (ph E) events: within a thread, an end belongs to
// the innermost open begin. A begin without an end lasts until the last event of its thread; an end without a
// begin is skipped. Both are reported in the diagnostics.
#pragma once

#include "core/model/diagnostics.h"
#include "core/model/file_events.h"

namespace rankscope {

// Adds the joined events to the slices that contain their begins.
void pairHalves(FileEvents& file, Diagnostics& diagnostics);

} // namespace rankscope
