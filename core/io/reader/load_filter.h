// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a job to exclude if memory is short: the Python stack, host operators, everything outside of some
// steps, or other ranks. Excluded events are counted and reported in the files table. Steps are those marked
// by the profiler in each recording. Files of other ranks are not read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
  std::vector<int> ranks = {}; // ascending; empty: all

  [[nodiscard]] bool everything() const { return !skipPython && !skipCpuOps && !steps && ranks.empty(); }
  // Equal filters have the same text; empty if nothing is excluded.
  [[nodiscard]] std::string text() const;
  bool operator==(const LoadFilter&) const = default;
};

} // namespace rankscope
