// SPDX-License-Identifier: GPL-3.0-or-later
// Limits of a rank's digest, so that its size depends on steps and calls of collectives, not on the length
// of the recording. Pure functions; O(n log n) over the results.
#pragma once

#include "core/analysis/digest/digested_results.h"

#include <cstddef>

namespace rankscope {

struct DigestBounds {
  std::size_t names = 2'000;     // of kernels, operators and operators with memory: the costliest
  std::size_t gaps = 500;        // of devices and streams together: the longest
  std::size_t levels = 4'000;    // of a memory curve; beyond that the lowest and highest of equal parts
  std::size_t intervals = 1'024; // of a set of times; beyond that short pauses are closed
  std::size_t dumpBytes = std::size_t{128} << 20; // of all Flight Recorder dumps, compressed
  std::size_t rows = 20'000;                      // of a table about steps, shapes or files beside the traces
  std::size_t points = 500;                       // of a roofline, of each grouping: the costliest
};

// Leaves out what exceeds the bounds, and names the tables that it shortens. Sums over all gaps stay. Sets of
// times get coarser, the forward pass last; exposed communication keeps its time in every call and step, from
// which the job is computed. Of host activity only the communication without compute of a rank without a
// device is kept.
void boundResults(DigestedResults& results, bool onHost, const DigestBounds& bounds = {});

} // namespace rankscope
