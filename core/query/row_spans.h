// SPDX-License-Identifier: GPL-3.0-or-later
// What some pixels of a row show. An event at least a pixel wide is given exactly; those that begin and end
// within one pixel column are folded into one span that keeps the longest of them, their number and the share
// of the column's time that they take. Columns are those of PixelScale, so panning folds nothing differently.
// Cost: O(width log n) at most, never the number of events. Pure functions; any thread.
#pragma once

#include "core/index/interval_set.h"
#include "core/model/rank_trace.h"
#include "core/query/pixel_scale.h"

#include <cstdint>
#include <vector>

namespace rankscope {

// Pixels [begin, end), not empty, inside [0, width) of the scale.
struct RowSpan {
  std::int32_t begin = 0;
  std::int32_t end = 0;
  EventIndex event;         // the longest of those it stands for
  std::uint32_t count = 0;  // how many of them; events cut by the window's begin count too
  std::uint8_t busy = 0xff; // of 255: the share of these pixels' time that events take

  [[nodiscard]] bool folded() const { return count > 1 && end - begin == 1; }
  bool operator==(const RowSpan&) const = default;
};

// Replaces spans by those of the row, ascending and without overlap.
void rowSpans(const RankTrace& trace, RowIndex row, const PixelScale& scale, std::vector<RowSpan>& spans);

// The span that rowSpans draws over this pixel; count 0 when there is none.
[[nodiscard]] RowSpan spanAt(const RankTrace& trace, RowIndex row, const PixelScale& scale,
                             std::int32_t pixel);

// Pixels [begin, end), not empty. Of a range that the window cuts they reach out of it, so that what goes by
// the length does not change where the cut is.
struct CoverSpan {
  std::int32_t begin = 0;
  std::int32_t end = 0;
  std::uint8_t busy = 0xff;

  bool operator==(const CoverSpan&) const = default;
};

// The same for a set of instants: ranges at least a pixel wide exactly, the others folded into shares.
void coverSpans(const IntervalSet& set, const PixelScale& scale, std::vector<CoverSpan>& spans);

} // namespace rankscope
