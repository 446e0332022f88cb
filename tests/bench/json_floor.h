// SPDX-License-Identifier: GPL-3.0-or-later
// The least that reading a trace can cost: a bare simdjson On-Demand pass that looks at seven fields of each
// event and keeps nothing. Loading is measured against it, on the same bytes in the same run.
#pragma once

#include <cstdint>
#include <string>

namespace rankscope::bench {

struct FloorPass {
  double seconds = 0;
  double cpuSeconds = 0; // of this thread
  std::uint64_t events = 0;
  std::uint64_t fields = 0; // bytes of those found; keeps the pass from being optimized away
};

// Reads the file into padded memory first; only the parsing is timed, the best of `runs`. All 0 for
// a file without events.
[[nodiscard]] FloorPass floorPass(const std::string& path, int runs);

} // namespace rankscope::bench
