// SPDX-License-Identifier: GPL-3.0-or-later
// The picture of the timeline's lanes without anything that follows the mouse: backgrounds, grid, lanes as
// their kinds paint them, labels, what a search found. Kept until one of the things that it shows changes;
// hover and selection are none of them. Cost of a picture: visible lanes x width. UI thread.
#pragma once

#include "ui/timeline/lanes/lane_picture.h"
#include "ui/timeline/lanes/span_labels.h"
#include "ui/timeline/tracks/track_layout.h"

#include <QImage>

#include <optional>
#include <span>

namespace rankscope::ui {

class TimelineContent {
 public:
  TimelineContent(const TrackLayout& layout, const RankSummaries& summaries);

  // The picture of this view, painted again only when its key is another one than before.
  const QImage& picture(const ContentView& view);

  // Spans of the visible lanes as last painted, top to bottom, in device pixels.
  [[nodiscard]] std::span<const LaneSpans> laneSpans() const {
    return std::span(m_buffers.laneSpans).first(m_buffers.laneSpanCount);
  }
  // Device lines that a lane covers in the last picture. REQUIRES: there is one.
  [[nodiscard]] std::pair<int, int> linesOf(const Lane& lane) const { return m_key->linesOf(lane); }
  // How many pictures were painted so far.
  [[nodiscard]] std::uint64_t paintCount() const { return m_paintCount; }

 private:
  void paint(const ContentView& view);

  const TrackLayout& m_layout;
  const RankSummaries& m_summaries;
  std::optional<ContentKey> m_key; // of the picture
  QImage m_image;
  SpanColors m_colors;
  std::optional<SpanLabels> m_labels;
  LaneBuffers m_buffers;
  std::uint64_t m_paintCount = 0;
};

} // namespace rankscope::ui
