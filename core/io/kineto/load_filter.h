// SPDX-License-Identifier: GPL-3.0-or-later
// What of a recording is not to be loaded, chosen when memory would not suffice for all of it: the Python
// stack, the operators of the host, everything outside of some steps. What is left out is counted, and the
// files table says so. Steps are those that the profiler marked (ProfilerStep#N), of each file by itself.
#pragma once

#include "core/base/time_range.h"
#include "core/io/files/file_bytes.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

namespace rankscope {

struct LoadFilter {
  struct Steps {
    std::int64_t first = 0;
    std::int64_t last = 0; // included
    bool operator==(const Steps&) const = default;
  };

  bool skipPython = false;
  bool skipCpuOps = false; // not those that communicate, and not the runtime calls that launch
  std::optional<Steps> steps = {};

  [[nodiscard]] bool everything() const { return !skipPython && !skipCpuOps && !steps; }
  // The same text for the same filter, empty for everything.
  [[nodiscard]] std::string text() const;
  bool operator==(const LoadFilter&) const = default;
};

// The filter as the readers of one file apply it. An event of the host stays when it overlaps the window, one
// of a device also when it began later and a launch that stays launched it. Nothing is clipped.
struct EventFilter {
  bool skipPython = false;
  bool skipCpuOps = false;
  std::optional<TimeRange> window = {}; // on the file's clock, without its base time
};

// From the begin of the first to the end of the last of these steps that the file has marked, on the file's
// clock; nothing when it marked none of them. Looks through the whole text: a plain file at the speed of
// memory, a compressed one at that of its inflation.
[[nodiscard]] std::optional<TimeRange> markedSteps(const FileBytes& file, LoadFilter::Steps steps);

// The lowest and the highest step that the file has marked, at the same cost; nothing when it marked none, or
// `cancel` was set from another thread before all was seen.
[[nodiscard]] std::optional<LoadFilter::Steps> stepNumbers(const FileBytes& file,
                                                           const std::atomic<bool>& cancel);

} // namespace rankscope
