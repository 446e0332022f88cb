// SPDX-License-Identifier: GPL-3.0-or-later
// The part of the critical path that is in a window: a row for each segment, and the time of each category.
// Pure; made on a worker. O(segments in the window).
#pragma once

#include "core/export/result_table.h"
#include "ui/job/timeline_path.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace rankscope::ui {

struct PathRows {
  std::shared_ptr<const ResultTable> table; // by time
  std::vector<std::size_t> segments;        // by row
  std::size_t inView = 0;                   // the longest of them have rows
  std::size_t jumps = 0;                    // between ranks
  TimeNs clockError = 0;
  CategoryTimes times; // within the window
};

// window: as drawn. shifts: added to a rank's times when drawing; empty: none.
[[nodiscard]] PathRows pathRows(const TimelinePath& path, TimeRange window, const std::vector<TimeNs>& shifts,
                                std::size_t mostRows);

} // namespace rankscope::ui
