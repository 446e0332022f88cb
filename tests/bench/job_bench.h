// SPDX-License-Identifier: GPL-3.0-or-later
// Whole jobs: what it costs to analyse one beside what it costs to load it, in one run.
#pragma once

#include <cstdint>
#include <string>

namespace rankscope::bench {

struct JobRow {
  std::string name;
  std::uint64_t events = 0;
  std::size_t ranks = 0;
  double load = 0;     // seconds, median of the runs
  double analysis = 0; // everything that tables are made of
};

// Loads and analyses the folder `runs` times on `threads` threads. Throws when nothing can be read.
[[nodiscard]] JobRow measureJob(const std::string& folder, int runs, unsigned threads);

} // namespace rankscope::bench
