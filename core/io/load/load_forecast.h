// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a job will fit into memory, and which parts of it would, before it is read: the estimates of all
// that a filter can leave out beside the memory that was free. Free memory is the caller's figure, so that
// nothing here depends on the machine. Costs what estimateLoad does, up to four times.
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

// availableMemory, or what a test puts in its place.
using MemoryFunction = std::function<std::optional<std::uint64_t>()>;

// What of the free memory is not for a load: a tenth, but at least 512 MB where that is not much. A load that
// comes to the end of the rest is better given up than the machine brought to its knees.
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
  // Without looking at the filter's steps, whose share is not known: with some it needs less.
  [[nodiscard]] bool fits(const LoadFilter& filter) const { return of(filter).peakBytes <= space(); }
  // What has to be left out besides what the filter leaves out for it to fit, as little as possible; all that
  // can be when nothing does.
  [[nodiscard]] LoadFilter fitting(LoadFilter filter) const;
};

[[nodiscard]] LoadForecast forecastLoad(std::span<const DiscoveredFile> files, unsigned threadCount,
                                        std::uint64_t available);

// The forecast of a job that will not fit; nothing when it will, and at once when its files are small.
// Nothing either for a filter of steps: it is not known what they leave, and whoever set it thought of it.
[[nodiscard]] std::optional<LoadForecast> forecastShortage(std::span<const DiscoveredFile> files,
                                                           const LoadFilter& filter, unsigned threadCount,
                                                           std::uint64_t available);

} // namespace rankscope
