// SPDX-License-Identifier: GPL-3.0-or-later
// Where the timeline shows the ranks' parts of one collective, for drawing it across all of them. Worked out
// when the selection or the layout changes, not in every frame: O(participants · log).
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
  TimeRange range; // of the drawn trace
  TimeNs wait = 0;
  TimeNs late = 0; // after the first begin
  int top = 0;     // logical pixels from the top of the content
  int height = 0;
};

struct CollectiveLabels {
  std::vector<CollectiveLabel> marks; // by top
  // Positions: of the first and the last to begin, and of the median (medianPlace).
  std::size_t first = 0;
  std::size_t median = 0;
  std::size_t last = 0;
};

// Of the collective that the event takes part in; nothing when it has no partners or stands alone. Ranks that
// the layout does not show are left out.
[[nodiscard]] std::optional<CollectiveLabels> collectiveMarks(const JobHighlights& highlights,
                                                              const TrackLayout& layout, EventRef event);

} // namespace rankscope::ui
