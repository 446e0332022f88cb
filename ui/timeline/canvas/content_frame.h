// SPDX-License-Identifier: GPL-3.0-or-later
// What lasts for one picture of the timeline's lanes, shared by the parts that paint it.
#pragma once

#include "core/query/pixel_scale.h"
#include "ui/timeline/canvas/timeline_content.h"
#include "ui/timeline/picture/span_raster.h"

#include <QRect>
#include <QStringList>

#include <cmath>
#include <vector>

namespace rankscope::ui {

inline constexpr int kContentLabelPadding = 4; // logical pixels left and right of a label

struct TimelineContent::Frame {
  struct Note { // text over a hatch or beside a label, in device pixels
    QRect box;
    QStringList texts; // the longest first; the first that fits is drawn
    QColor colour;
  };

  const ContentView& view;
  const Theme& theme;
  PixelScale scale;
  SpanRaster raster;
  std::vector<Note> notes;

  // From now on the scale is that of a rank's own times, where ranks are shifted.
  void turnTo(RankIndex rank) {
    if (!view.shifts || rank.value >= view.shifts->size()) return;
    const TimeNs shift = (*view.shifts)[rank.value];
    scale = PixelScale({view.window.begin - shift, view.window.end - shift}, view.size.width());
  }
  // A span with the pixels it had before the window cut it: what goes by its length or its end must not come
  // and go with where the cut is.
  [[nodiscard]] RowSpan whole(const RankTrace& trace, RowSpan span) const {
    if (span.begin > 0 && span.end < scale.width()) return span;
    const TimeRange range = trace.events.range(span.event);
    const std::int32_t begin = scale.pixelAt(range.begin);
    const std::int32_t end = scale.pixelAt(range.end);
    if (end > begin) {
      span.begin = begin;
      span.end = end;
    }
    return span;
  }
  [[nodiscard]] int px(int logical) const { return static_cast<int>(std::lround(logical * view.scale)); }
};

} // namespace rankscope::ui
