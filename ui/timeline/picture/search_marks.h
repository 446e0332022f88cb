// SPDX-License-Identifier: GPL-3.0-or-later
// What a search leaves on the timeline: hits keep their colors and carry a line over them, everything else
// steps back behind a veil; ruler and overview show where in time hits begin. Cost: lanes x width, and a
// binary search a mark, however many hits there are. UI thread.
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

// Pixels [begin, end) under hits.
struct MarkSpan {
  std::int32_t begin = 0;
  std::int32_t end = 0;

  bool operator==(const MarkSpan&) const = default;
};

// Of hits that ascend in time: exactly where those of one row are drawn, of several rows where some are.
// Rising, apart, inside [0, width).
void markSpans(const RankTrace& trace, std::span<const EventIndex> hits, const PixelScale& scale,
               std::vector<MarkSpan>& spans);

// Veils lines [top, top + height) but for the spans, and draws the line over these.
void paintMarks(SpanRaster& raster, const Theme& theme, int top, int height, int width, int lineHeight,
                std::span<const MarkSpan> spans);

// Where hits begin, as ticks over a window of time that is drawn in the box; device pixels of a painter are
// scale's.
void paintHitTimes(QPainter& painter, const Theme& theme, const EventFinder& finder, TimeRange limits,
                   const PixelScale& scale, const QRectF& box);

} // namespace rankscope::ui
