// SPDX-License-Identifier: GPL-3.0-or-later
// What lasts for one picture of the lanes: which view of the job it is, where its pixels go, and what the
// kinds of lanes paint with. Everything is in device pixels of the picture. UI thread.
#pragma once

#include "core/query/pixel_scale.h"
#include "core/query/row_spans.h"
#include "core/query/search_hits.h"
#include "ui/base/theme.h"
#include "ui/job/job_highlights.h"
#include "ui/timeline/lanes/lane.h"
#include "ui/timeline/picture/search_marks.h"
#include "ui/timeline/picture/span_colors.h"
#include "ui/timeline/picture/span_raster.h"
#include "ui/timeline/ranks/rank_summaries.h"

#include <QColor>
#include <QRect>
#include <QSize>
#include <QStringList>

#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace rankscope::ui {

// What a picture shows, in numbers that are kept with it: equal keys have equal pictures. Whatever is large
// is named by its revision.
struct ContentKey {
  TimeRange window;
  QSize size;        // device pixels
  qreal scale = 1;   // device pixels of a logical one
  int scrollTop = 0; // logical pixels of the content above the picture
  std::uint64_t traceRevision = 0;
  std::uint64_t themeRevision = 0;
  std::uint64_t layoutRevision = 0;
  std::uint64_t summariesRevision = 0;
  std::uint64_t highlightsRevision = 0;
  std::uint64_t shiftsRevision = 0;
  std::uint64_t hitsRevision = 0; // 0: none stand out
  HighlightOptions shown;
  ColorBy colorBy = ColorBy::Kind;
  TimeUnit rulerUnit = TimeUnit::Fitting; // which decides on the grid

  bool operator==(const ContentKey&) const = default;

  // Device lines that a lane covers in the picture: first, and one past the last.
  [[nodiscard]] std::pair<int, int> linesOf(const Lane& lane) const {
    const auto line = [&](int y) { return static_cast<int>(std::lround((y - scrollTop) * scale)); };
    return {line(lane.top), line(lane.bottom())};
  }
};

// The same, and where it is read from while the picture is painted. Only the theme has to outlast that: until
// there is another one.
struct ContentView : ContentKey {
  const TraceSet* trace = nullptr;
  const Theme* theme = &Theme::of(ThemeName::Dark);
  const JobHighlights* highlights = nullptr;   // causes and waits are known once it is there
  const SearchHits* hits = nullptr;            // what stands out; there when hitsRevision is not 0
  const std::vector<TimeNs>* shifts = nullptr; // by rank, added to its times; null or empty: none
};

// Spans of a lane as they were painted, for labels and for what follows the mouse.
struct LaneSpans {
  Lane lane;
  std::vector<RowSpan> spans;
  std::vector<QRgb> colors; // of the spans
  struct Striped {          // pixels under stripes, and the color to write on between them
    std::int32_t begin;
    std::int32_t end;
    QRgb ground;
  };
  std::vector<Striped> hatched; // ascending
};

// Kept from picture to picture, so that painting one allocates next to nothing.
struct LaneBuffers {
  std::vector<ColorSpan> ink;
  std::vector<CoverSpan> cover;
  std::vector<MarkSpan> marks;
  std::vector<std::uint8_t> values;
  std::vector<std::uint8_t> lowValues;
  std::vector<LaneSpans> laneSpans; // only the first laneSpanCount are of this picture
  std::size_t laneSpanCount = 0;
};

struct LanePicture {
  struct Note { // text over a hatch or beside a label
    QRect box;
    QStringList texts; // the longest first; the first that fits is drawn
    QColor color;
  };

  const ContentView& view;
  const RankSummaries& summaries;
  SpanColors& colors;
  LaneBuffers& buffers;
  SpanRaster raster;
  PixelScale scale;
  std::vector<Note> notes = {};

  [[nodiscard]] const Theme& theme() const { return *view.theme; }
  [[nodiscard]] const RankTrace& trace(RankIndex rank) const { return *view.trace->rank(rank).trace; }
  [[nodiscard]] int px(int logical) const { return static_cast<int>(std::lround(logical * view.scale)); }
  [[nodiscard]] std::pair<int, int> linesOf(const Lane& lane) const { return view.linesOf(lane); }

  // From now on the scale is that of a rank's own times, where ranks are shifted.
  void turnTo(RankIndex rank);
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
  // An empty entry for the spans of this lane.
  [[nodiscard]] LaneSpans& addSpans(const Lane& lane);
  // Ink for the times of a set.
  void cover(const IntervalSet& set, QColor color);
  // As many values as the picture has columns, all 0.
  void clearValues();
};

inline constexpr int kLabelPadding = 4; // logical pixels left and right of a label

} // namespace rankscope::ui
