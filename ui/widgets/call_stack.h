// SPDX-License-Identifier: GPL-3.0-or-later
// The call stack of an event: annotations, operators and Python frames of its thread that were open when it
// began; for a device event, those of its launch. And the source line of a frame. Pure functions; a binary
// search per row of the thread.
#pragma once

#include "core/model/trace_set.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::ui {

struct SourcePlace {
  std::string file;
  int line = 0;

  bool operator==(const SourcePlace&) const = default;
};

// From a Python frame's name: "train.py(118): main", "File \"train.py\", line 118"; nothing for a native
// frame.
[[nodiscard]] std::optional<SourcePlace> sourcePlaceOf(std::string_view name);

struct StackFrame {
  EventRef event;
  std::optional<SourcePlace> place;
};

// Innermost first, without the event itself. REQUIRES: ref is valid in traces.
[[nodiscard]] std::vector<StackFrame> callStackOf(const TraceSet& traces, EventRef ref);

// Whether the rank's recording has Python frames at all.
[[nodiscard]] bool hasPythonStacks(const RankTrace& trace);

} // namespace rankscope::ui
