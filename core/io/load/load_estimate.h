// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates the memory and the events of a job before it is loaded, from samples of its files. A few
// milliseconds per file. Measured on real files: the number of entries is within 5 % where a file is not
// compressed or all of it was sampled, and between a third and five quarters of what there is in compressed
// files of more than 2 MiB, whose text cannot be sampled but at the front.
#pragma once

#include "core/io/reader/load_filter.h"
#include "core/model/trace_set.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace rankscope {

struct LoadEstimate {
  std::uint64_t textBytes = 0; // decompressed
  std::uint64_t entries = 0;   // before filtering: events as the open job counts them
  std::uint64_t events = 0;    // after filtering
  std::uint64_t keptBytes = 0; // memory of the loaded job
  std::uint64_t peakBytes = 0; // memory during the load
  bool fromFrontOnly = false;  // for some file; the rest of that file may differ
};

// Estimates files after filtering, but ignores the filter's steps, whose share is unknown. threadCount:
// number of files loaded at the same time.
[[nodiscard]] LoadEstimate estimateLoad(std::span<const std::string> files, const LoadFilter& filter,
                                        unsigned threadCount);

// Approximate memory that is freed when the job is closed; 0 for a job mapped from the cache.
[[nodiscard]] std::uint64_t heldBytes(const TraceSet& traces);

// Memory available to this process: free and reclaimable memory, within the limit of its control group. Empty
// if the system does not report it.
[[nodiscard]] std::optional<std::uint64_t> availableMemory();

} // namespace rankscope
