// SPDX-License-Identifier: GPL-3.0-or-later
// The calls around an event: annotations, operators and Python frames of its thread that were open when it
// began; of a device event those around its launch. And the place in a source file that a frame names. Pure
// functions; a binary search for each row of the thread.
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

// Of a Python frame's name: "train.py(118): main", "File \"train.py\", line 118"; nothing for a native one.
[[nodiscard]] std::optional<SourcePlace> sourcePlaceOf(std::string_view name);

struct StackFrame {
  EventRef event;
  std::optional<SourcePlace> place;
};

// Innermost first; the event itself is not among them. REQUIRES: ref is valid in traces.
[[nodiscard]] std::vector<StackFrame> callStackOf(const TraceSet& traces, EventRef ref);

// Whether the rank's recording has Python frames at all.
[[nodiscard]] bool hasPythonStacks(const RankTrace& trace);

} // namespace rankscope::ui
