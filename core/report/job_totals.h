// SPDX-License-Identifier: GPL-3.0-or-later
// The job as a whole in a few numbers, for the head of a summary. Sums over recordings (rank and capture);
// O(recordings + steps) once the Analysis has its results.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/base/exact_sum.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rankscope {

struct JobTotals {
  std::uint64_t bytes = 0;     // on disk, of the recordings' files
  std::uint64_t textBytes = 0; // of the same, decompressed
  std::uint64_t events = 0;    // objects in the files' event arrays
  std::uint64_t repaired = 0;
  std::uint64_t skipped = 0;
  std::size_t filesRead = 0;
  std::size_t filesLeftOut = 0;
  std::int64_t distinctRanks = 0;
  // Different ProfilerStep names over all ranks; where there are none, the most steps found in one recording.
  std::int64_t steps = 0;
  ExactSum gpuSpan;
  ExactSum gpuBusy;
  ExactSum compute;
  ExactSum communication;
  ExactSum overlap;
  ExactSum exposedCommunication;
  ExactSum memory;
  ExactSum idle;
  bool hasDeviceActivity = false;
  std::map<std::string, std::vector<int>> ranksByHost; // ascending, each once
};

[[nodiscard]] JobTotals jobTotals(const Analysis& analysis);

// "0-3, 5, 8-15" of ascending numbers.
[[nodiscard]] std::string numberRangesText(const std::vector<int>& numbers);

} // namespace rankscope
