// SPDX-License-Identifier: GPL-3.0-or-later
// Steps that a program marked with NVTX ranges or marks, without reading events: for the choice of steps to
// load. Names are those of named_steps.h, without what emit_nvtx appends. One pass over the rows of NVTX, one
// over the times of device work.
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
  std::map<std::int64_t, std::map<std::int64_t, TimeRange>> ofProcess; // the same of each
  bool numberedByOrder = false;                                        // their ranges have no numbers

  [[nodiscard]] std::optional<LoadFilter::Steps> numbers() const;
  // From the first to the last of these steps; empty if none of them is marked.
  [[nodiscard]] std::optional<TimeRange> window(LoadFilter::Steps steps) const;
  // The same by process, of those that mark any of them: the steps of other ranks begin and end at other
  // times.
  [[nodiscard]] std::map<std::int64_t, TimeRange> windows(LoadFilter::Steps steps) const;
};

// Of the profiler's own marks if there are any, else of the names that cover most of each process.
[[nodiscard]] NsysSteps nsysSteps(const SqliteFile& file, const NsysExport& facts,
                                  const std::atomic<bool>& cancel);

} // namespace rankscope
