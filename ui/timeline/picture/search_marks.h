// SPDX-License-Identifier: GPL-3.0-or-later
// How search hits are drawn: hits keep their colors and have a line over them, everything else is dimmed;
// ruler and overview show where hits begin. O(lanes x width), and a binary search per mark, independent of
// the number of hits. UI thread.
#pragma once

#include "core/query/pixel_scale.h"
#include "core/query/search_hits.h"
#include "ui/base/theme.h"
#include "ui/timeline/picture/span_raster.h"

#include <QPainter>
#include <QRectF>

#include <span>
#include <vector>

namespace rankscope::ui {

class EventFinder;

// Pixels [begin, end) with hits.
struct MarkSpan {
  std::int32_t begin = 0;
  std::int32_t end = 0;

  bool operator==(const MarkSpan&) const = default;
};

// Of hits in ascending time: of one row, exactly the drawn pixels; of several rows, pixels with any.
// Ascending, disjoint, inside [0, width).
void markSpans(const RankTrace& trace, std::span<const EventIndex> hits, const PixelScale& scale,
               std::vector<MarkSpan>& spans);

// Dims lines [top, top + height) except for the spans, and draws the line over these.
void paintMarks(SpanRaster& raster, const Theme& theme, int top, int height, int width, int lineHeight,
                std::span<const MarkSpan> spans);

// Draws ticks where hits begin, over a window of time drawn in the box; device pixels of the painter are
// those of the scale.
void paintHitTimes(QPainter& painter, const Theme& theme, const EventFinder& finder, TimeRange limits,
                   const PixelScale& scale, const QRectF& box);

} // namespace rankscope::ui
