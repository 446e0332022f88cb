// SPDX-License-Identifier: GPL-3.0-or-later
// The cached picture of the lanes without anything that follows the mouse: backgrounds, grid, lanes as
// painted by their kinds, labels, search hits. Repainted only if one of these changes; hover and selection
// are not part of it. O(visible lanes x width). UI thread.
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

  // The picture of this view, repainted only if its key has changed.
  const QImage& picture(const ContentView& view);

  // Spans of the visible lanes as last painted, top to bottom, in device pixels.
  [[nodiscard]] std::span<const LaneSpans> laneSpans() const {
    return std::span(m_buffers.laneSpans).first(m_buffers.laneSpanCount);
  }
  // Device lines of a lane in the last picture. REQUIRES: there is one.
  [[nodiscard]] std::pair<int, int> linesOf(const Lane& lane) const { return m_key->linesOf(lane); }
  // Number of pictures painted so far.
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
