// SPDX-License-Identifier: GPL-3.0-or-later
// How much memory a job will take before it is loaded, from what the files' readers find in samples of them.
// Costs a few milliseconds a file.
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
  std::uint64_t events = 0;    // to be kept
  std::uint64_t keptBytes = 0; // of memory, by the loaded job
  std::uint64_t peakBytes = 0; // while loading
  bool fromFrontOnly = false;  // of some file: what stands further back may differ
};

// Of files with what the filter leaves; steps are not looked for: their share is not known. threadCount: as
// many files are held at a time.
[[nodiscard]] LoadEstimate estimateLoad(std::span<const std::string> files, const LoadFilter& filter,
                                        unsigned threadCount);

// What comes free, about, when nobody holds the job any more: nothing of one that lies mapped in the cache.
[[nodiscard]] std::uint64_t heldBytes(const TraceSet& traces);

// What this process may still use: free memory and what the system would give back for it, within the limit
// that is set for its group. Nothing where the system does not report it.
[[nodiscard]] std::optional<std::uint64_t> availableMemory();

} // namespace rankscope
