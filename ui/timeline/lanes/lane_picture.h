// SPDX-License-Identifier: GPL-3.0-or-later
// State of painting one picture of the lanes: the view of the job, where its pixels go, and the tools of the
// lane kinds. Everything is in device pixels of the picture. UI thread.
#pragma once

#include "core/query/pixel_scale.h"
#include "core/query/row_spans.h"
#include "core/query/search_hits.h"
#include "ui/base/theme.h"
#include "ui/job/job_highlights.h"
#include "ui/job/time_folds.h"
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

// Identifies the content of a picture: equal keys have equal pictures. Large inputs are represented by their
// revision numbers.
struct ContentKey {
  TimeRange window;
  QSize size;        // device pixels
  qreal scale = 1;   // device pixels per logical pixel
  int scrollTop = 0; // logical pixels of the content above the picture
  std::uint64_t traceRevision = 0;
  std::uint64_t themeRevision = 0;
  std::uint64_t layoutRevision = 0;
  std::uint64_t summariesRevision = 0;
  std::uint64_t highlightsRevision = 0;
  std::uint64_t shiftsRevision = 0;
  std::uint64_t hitsRevision = 0; // 0: no search
  HighlightOptions shown;
  ColorBy colorBy = ColorBy::Kind;
  TimeUnit rulerUnit = TimeUnit::Fitting; // determines the grid

  bool operator==(const ContentKey&) const = default;

  // Device lines of a lane in the picture: first, and one past the last.
  [[nodiscard]] std::pair<int, int> linesOf(const Lane& lane) const {
    const auto line = [&](int y) { return static_cast<int>(std::lround((y - scrollTop) * scale)); };
    return {line(lane.top), line(lane.bottom())};
  }
};

// The key with the data to paint. Only the theme must stay valid after painting, until it is replaced.
struct ContentView : ContentKey {
  const TraceSet* trace = nullptr;
  const Theme* theme = &Theme::of(ThemeName::Dark);
  const JobHighlights* highlights = nullptr;   // has causes and waits; null until computed
  const SearchHits* hits = nullptr;            // highlighted hits; not null if hitsRevision is not 0
  const std::vector<TimeNs>* shifts = nullptr; // by rank, added to its times; null or empty: none
  const TimeFolds* folds = nullptr;            // null: none; they change with the shifts
};

// Painted spans of a lane, for labels and mouse handling.
struct LaneSpans {
  Lane lane;
  std::vector<RowSpan> spans;
  std::vector<QRgb> colors; // by span
  struct Striped {          // hatched pixels, and the color of text on them
    std::int32_t begin;
    std::int32_t end;
    QRgb ground;
  };
  std::vector<Striped> hatched; // ascending
};

// Buffers reused from picture to picture, so that painting allocates almost nothing.
struct LaneBuffers {
  std::vector<ColorSpan> ink;
  std::vector<CoverSpan> cover;
  std::vector<MarkSpan> marks;
  std::vector<std::uint8_t> values;
  std::vector<std::uint8_t> lowValues;
  std::vector<LaneSpans> laneSpans; // only the first laneSpanCount belong to this picture
  std::size_t laneSpanCount = 0;
};

struct LanePicture {
  struct Note { // text over a hatch or next to a label
    QRect box;
    QStringList texts; // longest first; the first one that fits is drawn
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

  // Converts the scale to the rank's own times, if ranks are shifted.
  void turnTo(RankIndex rank);
  // A span with the pixels that it has without clipping to the window, so that effects at its ends or
  // depending on its length do not change while panning.
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
  // A new empty entry for the spans of this lane.
  [[nodiscard]] LaneSpans& addSpans(const Lane& lane);
  // Colored spans of the times of a set.
  void cover(const IntervalSet& set, QColor color);
  // One value per column, all 0.
  void clearValues();
  // Number of columns of values that begin before a time.
  [[nodiscard]] std::size_t columnsUntil(TimeNs end) const;
};

inline constexpr int kLabelPadding = 4; // logical pixels left and right of a label

} // namespace rankscope::ui
