// SPDX-License-Identifier: GPL-3.0-or-later
// What to draw in the pixels of a row. Events at least a pixel wide are exact. Events that begin and end
// within one pixel column are merged into one span with their longest event, their number and their share of
// the column's time. Columns are those of PixelScale, so panning does not change the merging. Cost: at most
// O(width log n), independent of the number of events. Pure functions; thread-safe.
#pragma once

#include "core/index/interval_set.h"
#include "core/model/rank_trace.h"
#include "core/query/pixel_scale.h"

#include <cstdint>
#include <vector>

namespace rankscope {

// Pixels [begin, end), not empty, within [0, width) of the scale.
struct RowSpan {
  std::int32_t begin = 0;
  std::int32_t end = 0;
  EventIndex event;         // the longest event of the span
  std::uint32_t count = 0;  // number of events, including those cut by the window's begin
  std::uint8_t busy = 0xff; // of 255: share of the pixels' time covered by events

  [[nodiscard]] bool folded() const { return count > 1 && end - begin == 1; }
  bool operator==(const RowSpan&) const = default;
};

// Replaces `spans` by the row's spans, which ascend and do not overlap.
void rowSpans(const RankTrace& trace, RowIndex row, const PixelScale& scale, std::vector<RowSpan>& spans);

// The span that rowSpans returns for this pixel; count is 0 if there is none.
[[nodiscard]] RowSpan spanAt(const RankTrace& trace, RowIndex row, const PixelScale& scale,
                             std::int32_t pixel);

// Pixels [begin, end), not empty. A range cut by the window extends beyond it, so that drawing that depends
// on the length is the same wherever the cut is.
struct CoverSpan {
  std::int32_t begin = 0;
  std::int32_t end = 0;
  std::uint8_t busy = 0xff;

  bool operator==(const CoverSpan&) const = default;
};

// rowSpans for an interval set: ranges at least a pixel wide are exact, others are merged.
void coverSpans(const IntervalSet& set, const PixelScale& scale, std::vector<CoverSpan>& spans);

} // namespace rankscope
