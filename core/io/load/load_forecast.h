// SPDX-License-Identifier: GPL-3.0-or-later
// Checks before a load whether the job fits into memory, and with which filters. Compares estimates for all
// combinations of filters with the available memory, which is passed in for tests. Costs up to four times as
// much as estimateLoad.
#pragma once

#include "core/io/files/trace_folder.h"
#include "core/io/load/load_estimate.h"
#include "core/io/reader/load_filter.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace rankscope {

// availableMemory, or a replacement in tests.
using MemoryFunction = std::function<std::optional<std::uint64_t>()>;

// Part of the available memory that a load must not use, so that the machine stays responsive: a tenth, but
// at least 512 MB and at most a quarter.
[[nodiscard]] std::uint64_t memoryReserve(std::uint64_t available);

struct LoadForecast {
  std::size_t files = 0;
  std::uint64_t fileBytes = 0;
  std::uint64_t available = 0;
  std::array<LoadEstimate, 4> estimates = {}; // [skipPython + 2 * skipCpuOps]

  [[nodiscard]] const LoadEstimate& of(const LoadFilter& filter) const {
    return estimates[(filter.skipPython ? 1U : 0U) + (filter.skipCpuOps ? 2U : 0U)];
  }
  [[nodiscard]] std::uint64_t space() const { return available - memoryReserve(available); }
  // Ignores the filter's steps, whose share is unknown; with steps less memory is needed.
  [[nodiscard]] bool fits(const LoadFilter& filter) const { return of(filter).peakBytes <= space(); }
  // Adds the fewest exclusions to `filter` that make the job fit; all possible ones if it cannot fit.
  [[nodiscard]] LoadFilter fitting(LoadFilter filter) const;
};

[[nodiscard]] LoadForecast forecastLoad(std::span<const DiscoveredFile> files, unsigned threadCount,
                                        std::uint64_t available);

// The forecast of a job that does not fit; empty if it fits. Small files return immediately. Also empty for a
// filter of steps, because their share is unknown and the user has already limited the load.
[[nodiscard]] std::optional<LoadForecast> forecastShortage(std::span<const DiscoveredFile> files,
                                                           const LoadFilter& filter, unsigned threadCount,
                                                           std::uint64_t available);

} // namespace rankscope
