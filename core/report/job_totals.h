// SPDX-License-Identifier: GPL-3.0-or-later
// Totals of the job for the header of the summary. Sums over recordings (rank and capture); O(recordings +
// steps) once the Analysis has its results.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/base/exact_sum.h"
#include "core/base/number_ranges.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct JobTotals {
  std::uint64_t bytes = 0;     // size of the recordings' files on disk
  std::uint64_t textBytes = 0; // decompressed size of these files
  std::uint64_t events = 0;    // entries of the files' event arrays
  std::uint64_t repaired = 0;
  std::uint64_t skipped = 0;
  std::size_t filesRead = 0;
  std::size_t filesLeftOut = 0;
  std::int64_t distinctRanks = 0;
  // Number of distinct ProfilerStep names over all ranks, by capture, without steps that two profilers
  // recorded a second time; without any, the most steps found in a recording.
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
  std::map<std::string, std::vector<int>> ranksByHost; // ascending, without duplicates
};

[[nodiscard]] JobTotals jobTotals(const Analysis& analysis);

} // namespace rankscope
