// SPDX-License-Identifier: GPL-3.0-or-later
// Positions of the ranks' parts of one collective in the timeline, for drawing it across ranks. Computed when
// the selection or the layout changes: O(participants · log).
#pragma once

#include "core/model/trace_set.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace rankscope::ui {

class JobHighlights;
class TrackLayout;

struct CollectiveLabel {
  EventRef event;
  TimeRange range; // in drawn time
  TimeNs wait = 0;
  TimeNs late = 0; // after the first begin
  int top = 0;     // logical pixels from the top of the content
  int height = 0;
};

struct CollectiveLabels {
  std::vector<CollectiveLabel> marks; // by top
  // Indices of the first to begin, the last, and the median (medianPlace).
  std::size_t first = 0;
  std::size_t median = 0;
  std::size_t last = 0;
};

// Of the collective with this event; empty if it has no other participant. Ranks that the layout does not
// show are left out.
[[nodiscard]] std::optional<CollectiveLabels> collectiveMarks(const JobHighlights& highlights,
                                                              const TrackLayout& layout, EventRef event);

} // namespace rankscope::ui
