// SPDX-License-Identifier: GPL-3.0-or-later
// What of a recording is not to be loaded, chosen when memory would not suffice for all of it: the Python
// stack, the operators of the host, everything outside of some steps. What is left out is counted, and the
// files table reports it. Steps are those that the profiler marked, of each recording by itself.
#pragma once

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

} // namespace rankscope
