// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a recording to exclude if memory is short: the Python stack, host operators, or everything outside
// of some steps. Excluded events are counted and reported in the files table. Steps are those marked by the
// profiler in each recording.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rankscope {

struct LoadFilter {
  struct Steps {
    std::int64_t first = 0;
    std::int64_t last = 0; // inclusive
    bool operator==(const Steps&) const = default;
  };

  bool skipPython = false;
  bool skipCpuOps = false; // keeps collectives and the runtime calls that launch
  std::optional<Steps> steps = {};

  [[nodiscard]] bool everything() const { return !skipPython && !skipCpuOps && !steps; }
  // Equal filters have the same text; empty if nothing is excluded.
  [[nodiscard]] std::string text() const;
  bool operator==(const LoadFilter&) const = default;
};

} // namespace rankscope
