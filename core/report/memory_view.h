// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of one device of one recording for display: available devices, key figures, the curve reduced to
// screen resolution, and a table of blocks. Times are relative to the job's first event. Pure functions of an
// Analysis; thread-safe.
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
  std::uint32_t device = 0; // index into MemoryProfile::devices

  bool operator==(const MemoryPlace&) const = default;
};

// Devices with memory data in scope: GPUs before hosts, highest peak first, then by rank.
[[nodiscard]] std::vector<MemoryPlace> memoryPlaces(const Analysis& analysis);

// Whether the rank has a device, and allocations only of its host: it ran without PyTorch's caching
// allocator, which is what the profiler hears of.
[[nodiscard]] bool lacksDeviceMemory(const Analysis& analysis, RankIndex rank);

// Peak of the rank's fullest device; of the host only for a rank without a device.
[[nodiscard]] std::optional<std::int64_t> peakAllocatedOf(const Analysis& analysis, RankIndex rank);

struct MemoryFigures {
  std::optional<MemoryLevel> peakAllocated;
  std::optional<MemoryLevel> peakReserved;
  std::optional<std::int64_t> unused;      // reserved minus allocated at the peak of allocated memory
  std::optional<std::int64_t> deviceBytes; // of the whole device, as recorded
  std::optional<std::int64_t> peakStep;    // number of the step with the peak of allocated memory
  std::optional<MemoryGrowth> growth;      // over the steps in scope
};

[[nodiscard]] MemoryFigures memoryFigures(const Analysis& analysis, MemoryPlace place);

// First, minimum, maximum and last level of each of `buckets` equal parts of the range, exact and in time
// order. Levels outside of the range are omitted. REQUIRES: levels are sorted by time; buckets > 0.
[[nodiscard]] std::vector<MemoryLevel> thinnedLevels(std::span<const MemoryLevel> levels, TimeRange range,
                                                     std::size_t buckets);

// Rows of the `memory` table for one device, without the identifying columns.
[[nodiscard]] ResultTable memoryOperatorsTable(const Analysis& analysis, MemoryPlace place);

// One row per block in the given order: bytes, operator, source, allocated_us, freed_us, held_us. Times
// before or after the recording are empty. sourceOf: source line that allocated a block, or empty.
[[nodiscard]] ResultTable blocksTable(const Analysis& analysis, RankIndex rank,
                                      std::span<const MemoryBlock> blocks,
                                      const std::function<std::string(const MemoryBlock&)>& sourceOf);

} // namespace rankscope
