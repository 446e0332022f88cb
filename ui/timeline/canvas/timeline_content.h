// SPDX-License-Identifier: GPL-3.0-or-later
// The picture of the timeline's lanes without anything that follows the mouse: backgrounds, grid, spans, idle
// and exposed hatches, counters, labels. Kept until one of the things that it shows changes; hover and
// selection are none of them. Cost of a picture: visible lanes x width. UI thread.
#pragma once

#include "core/query/event_search.h"
#include "core/query/row_spans.h"
#include "ui/job/job_highlights.h"
#include "ui/timeline/picture/label_cache.h"
#include "ui/timeline/picture/span_colours.h"
#include "ui/timeline/picture/span_raster.h"
#include "ui/timeline/ranks/rank_summaries.h"
#include "ui/timeline/tracks/track_layout.h"

#include <QImage>
#include <QPainter>

#include <memory>
#include <optional>
#include <span>
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
  ColourBy colourBy = ColourBy::Kind;
  TimeUnit rulerUnit = TimeUnit::Fitting; // which decides on the grid

  bool operator==(const ContentKey&) const = default;
};

// The same, and where it is read from while the picture is painted. None of these pointers is kept.
struct ContentView : ContentKey {
  const TraceSet* trace = nullptr;
  const Theme* theme = &Theme::of(ThemeName::Dark);
  const JobHighlights* highlights = nullptr;   // causes and waits are known once it is there
  const SearchHits* hits = nullptr;            // what stands out; there when hitsRevision is not 0
  const std::vector<TimeNs>* shifts = nullptr; // by rank, added to its times; null or empty: none
};

class TimelineContent {
 public:
  TimelineContent(const TrackLayout& layout, const RankSummaries& summaries);

  // The picture of this view, painted anew only when its key is another one than before.
  const QImage& picture(const ContentView& view);

  // Spans of the visible lanes as last painted, top to bottom, in device pixels.
  struct LaneSpans {
    Lane lane;
    std::vector<RowSpan> spans;
    std::vector<QRgb> colours; // of the spans
    struct Striped {           // pixels under stripes, and the colour to write on between them
      std::int32_t begin;
      std::int32_t end;
      QRgb ground;
    };
    std::vector<Striped> hatched; // rising
  };
  [[nodiscard]] std::span<const LaneSpans> laneSpans() const {
    return std::span(m_laneSpans).first(m_laneSpanCount);
  }
  // Device lines that a lane covers in the picture: first, and one past the last.
  [[nodiscard]] std::pair<int, int> linesOf(const Lane& lane) const;
  // How many pictures were painted so far.
  [[nodiscard]] std::uint64_t paintCount() const { return m_paintCount; }

 private:
  struct Frame; // what lasts for one picture

  void paint(const ContentView& view);
  void paintRank(Frame& frame, const Lane& lane);
  void paintRow(Frame& frame, const Lane& lane);
  void paintIdle(Frame& frame, const Lane& lane);
  void paintRankHighlights(Frame& frame, RankIndex rank, int upper, int lower, int height);
  void paintCollectiveParts(Frame& frame, LaneSpans& laneSpans);
  void paintBusy(Frame& frame, const Lane& lane);
  void paintMemory(Frame& frame, const Lane& lane);
  void paintLevels(Frame& frame, const Lane& lane, const LevelCurve* curve, QColor colour);
  void paintGroup(Frame& frame, const Lane& lane);
  void paintLabels(QPainter& painter, Frame& frame);
  void paintCollectiveNote(QPainter& painter, Frame& frame, EventRef event, QRgb ground, const QRect& room);
  void paintHits(Frame& frame, std::span<const Lane> lanes);
  void paintLaneLabels(QPainter& painter, Frame& frame, const LaneSpans& laneSpans);
  [[nodiscard]] std::int32_t waitEndOf(const Frame& frame, RankIndex rank, const RowSpan& span) const;

  const TrackLayout& m_layout;
  const RankSummaries& m_summaries;
  std::optional<ContentKey> m_key; // of the picture
  QImage m_image;
  SpanColours m_colours;
  std::optional<LabelCache> m_labels;      // of operators and kernels
  std::optional<LabelCache> m_phaseLabels; // of the taller rows
  std::optional<TextCache> m_notes;        // texts that follow a label
  std::uint64_t m_paintCount = 0;
  std::vector<LaneSpans> m_laneSpans; // reused: only the first m_laneSpanCount are of this picture
  std::size_t m_laneSpanCount = 0;
  std::vector<InkSpan> m_ink;
  std::vector<CoverSpan> m_cover;
  std::vector<std::uint8_t> m_values;
  std::vector<std::uint8_t> m_lowValues;
};

} // namespace rankscope::ui
