// SPDX-License-Identifier: GPL-3.0-or-later
// All that is measured of one job, each figure beside its floor: in every run the same bytes are passed over
// by bare simdjson, loaded by one thread and by two, decompressed, and loaded compressed, one after the
// other, so that a noisy machine hits all alike. Ratios are medians of the runs' own ratios, seconds are
// medians.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::bench {

struct Figures {
  std::string name;
  std::size_t files = 0;
  std::uint64_t jsonBytes = 0;
  std::uint64_t events = 0; // objects of the event arrays

  double floor = 0;   // bare On-Demand pass over the decompressed text, seconds
  double inflate = 0; // bare ISA-L
  double load1 = 0;   // paths to a finished TraceSet, one thread
  double load2 = 0;   // two threads
  double loadGz = 0;  // compressed, one thread
  double loadPerFloor = 0;
  double loadPerFloorCpu = 0; // the same of processor time, which other programs disturb less
  double twoThreads = 0;      // times faster than one
  double gzPerFloor = 0;      // loadGz / (inflate + floor)

  double analysis = 0; // everything that tables are made of, one thread
  double cacheWrite = 0;
  double cacheOpen = 0; // its pages in memory, one thread
  std::uint64_t cacheBytes = 0;

  double peakBytesPerEvent = 0;    // of a load by one thread, beside the mapped files
  double keptBytesPerEvent = 0;    // afterwards
  std::uint64_t residentBytes = 0; // at most, mapped files included
};

struct MeasureOptions {
  int runs = 5;
  bool compressed = true; // measure .gz as well, which needs room for a compressed copy
  bool floor = true;
  bool cache = true;
};

// paths: trace files or folders that are one job. Throws std::runtime_error when nothing can be read.
[[nodiscard]] Figures measure(const std::string& name, const std::vector<std::string>& paths,
                              const MeasureOptions& options);

} // namespace rankscope::bench
