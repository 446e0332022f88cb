// SPDX-License-Identifier: GPL-3.0-or-later
// Steps that a program marked with numbered NVTX ranges, without reading events: for the choice of steps to
// load. One pass over the rows of NVTX.
#pragma once

#include "core/base/time_range.h"
#include "core/io/nsys/nsys_export.h"
#include "core/io/reader/load_filter.h"

#include <atomic>
#include <map>
#include <optional>
#include <string>

namespace rankscope {

struct NsysSteps {
  std::map<std::int64_t, TimeRange> byNumber; // time of the file after subtraction of the shift

  [[nodiscard]] std::optional<LoadFilter::Steps> numbers() const;
  // From the first to the last of these steps; empty if none of them is marked.
  [[nodiscard]] std::optional<TimeRange> window(LoadFilter::Steps steps) const;
};

// Of the profiler's own marks if there are any, else of the names with most ranges.
[[nodiscard]] NsysSteps nsysSteps(const SqliteFile& file, const NsysExport& facts,
                                  const std::atomic<bool>& cancel);

} // namespace rankscope
