// SPDX-License-Identifier: GPL-3.0-or-later
// Memory as a person looks at it: one device of one recording at a time. Which there are, what its figures
// are, its curve thinned to what a screen can show, and its blocks as a table. Points of time count from the
// job's first event. Pure functions of an Analysis; any thread.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/analysis/memory/memory_blocks.h"
#include "core/analysis/memory/memory_growth.h"
#include "core/export/result_table.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope {

struct MemoryPlace {
  RankIndex rank;
  std::uint32_t device = 0; // index of MemoryProfile::devices

  bool operator==(const MemoryPlace&) const = default;
};

// Devices of which anything is known in the part that is asked about: GPUs before hosts, the highest peak
// first, then by rank.
[[nodiscard]] std::vector<MemoryPlace> memoryPlaces(const Analysis& analysis);

struct MemoryFigures {
  std::optional<MemoryLevel> peakAllocated;
  std::optional<MemoryLevel> peakReserved;
  std::optional<std::int64_t> unused;      // reserved and not allocated at the peak of the allocated
  std::optional<std::int64_t> deviceBytes; // of the whole device, as recorded
  std::optional<std::int64_t> peakStep;    // number of the step that holds the peak of the allocated
  std::optional<MemoryGrowth> growth;      // over the steps of the part that is asked about
};

[[nodiscard]] MemoryFigures memoryFigures(const Analysis& analysis, MemoryPlace place);

// The levels of each of so many equal parts of the range: the first, the lowest, the highest and the last of
// it, each exact and in order of time. What lies outside of the range is left out.
// REQUIRES: by time; buckets > 0.
[[nodiscard]] std::vector<MemoryLevel> thinnedLevels(std::span<const MemoryLevel> levels, TimeRange range,
                                                     std::size_t buckets);

// The rows of `memory` of one device, without the identifying columns.
[[nodiscard]] ResultTable memoryOperatorsTable(const Analysis& analysis, MemoryPlace place);

// One row a block, as they stand: bytes, operator, source, allocated_us, freed_us, held_us; empty is what
// lies before or after the recording. sourceOf: where in the program it was allocated, or nothing.
[[nodiscard]] ResultTable blocksTable(const Analysis& analysis, RankIndex rank,
                                      std::span<const MemoryBlock> blocks,
                                      const std::function<std::string(const MemoryBlock&)>& sourceOf);

} // namespace rankscope
