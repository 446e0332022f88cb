// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/picture/search_marks.h"

#include "ui/job/event_finder.h"

#include <algorithm>

namespace rankscope::ui {
namespace {

constexpr int kDimAlpha = 165; // of 255: how much events that are not hits are dimmed

// The first hit that does not begin before t, searched near `from`.
template <class TimeOf>
std::size_t exponentialSearch(std::size_t count, std::size_t from, TimeNs t, const TimeOf& timeOf) {
  std::size_t step = 1;
  std::size_t low = from;
  while (low + step <= count && timeOf(low + step - 1) < t) {
    low += step;
    step *= 2;
  }
  std::size_t high = std::min(count, low + step);
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (timeOf(middle) < t)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void addSpan(std::vector<MarkSpan>& spans, std::int32_t begin, std::int32_t end, std::int32_t width) {
  begin = std::max(begin, 0);
  end = std::min(end, width);
  if (begin >= end) return;
  if (!spans.empty() && begin <= spans.back().end)
    spans.back().end = std::max(spans.back().end, end);
  else
    spans.push_back({begin, end});
}

} // namespace

void markSpans(const RankTrace& trace, std::span<const EventIndex> hits, const PixelScale& scale,
               std::vector<MarkSpan>& spans) {
  spans.clear();
  const auto begins = trace.events.begin.span();
  const auto durations = trace.events.duration.span();
  const auto beginOf = [&](std::size_t i) { return begins[hits[i].value]; };
  const auto width = static_cast<std::int32_t>(scale.width());
  const auto add = [&](std::size_t i) {
    const TimeNs begin = beginOf(i);
    const std::int32_t column = scale.pixelAt(begin);
    const std::int32_t end = std::max(scale.pixelAt(begin + durations[hits[i].value]), column + 1);
    addSpan(spans, column, end, width);
    return std::max(end, column + 1);
  };
  std::size_t i = exponentialSearch(hits.size(), 0, scale.columnBegin(0), beginOf);
  if (i > 0) add(i - 1);
  while (i < hits.size()) {
    if (scale.pixelAt(beginOf(i)) >= width) break;
    const std::int32_t end = add(i);
    // Hits that begin within the marked pixels; only the last of them can extend beyond.
    const std::size_t next =
        std::max(i + 1, exponentialSearch(hits.size(), i, scale.columnBegin(end), beginOf));
    if (next - 1 > i) add(next - 1);
    i = next;
  }
}

void paintMarks(SpanRaster& raster, const Theme& theme, int top, int height, int width, int lineHeight,
                std::span<const MarkSpan> spans) {
  QColor veil = theme.background;
  veil.setAlpha(kDimAlpha);
  std::int32_t from = 0;
  for (const MarkSpan& span : spans) {
    raster.blend(top, height, from, span.begin, veil.rgba());
    raster.blend(top, lineHeight, span.begin, span.end, theme.text.rgba());
    from = span.end;
  }
  raster.blend(top, height, from, width, veil.rgba());
}

void paintHitTimes(QPainter& painter, const Theme& theme, const EventFinder& finder, TimeRange limits,
                   const PixelScale& scale, const QRectF& box) {
  if (!finder.active() || finder.sums().count == 0 || limits.empty()) return;
  const auto width = static_cast<std::int32_t>(scale.width());
  const double ratio = box.width() / std::max(1, scale.width());
  const auto tick = [&](std::int32_t begin, std::int32_t end) {
    painter.fillRect(QRectF(box.left() + begin * ratio, box.top(), (end - begin) * ratio, box.height()),
                     theme.text);
  };
  std::int32_t drawnFrom = -1;
  std::int32_t drawnTo = -1;
  const auto add = [&](std::int32_t column, std::int32_t end) {
    if (column > drawnTo) {
      if (drawnTo > drawnFrom) tick(drawnFrom, drawnTo);
      drawnFrom = column;
    }
    drawnTo = std::max(drawnTo, end);
  };
  if (const auto begins = finder.begins(); !begins.empty()) {
    const auto beginOf = [&](std::size_t i) { return begins[i]; };
    std::size_t i = exponentialSearch(begins.size(), 0, scale.columnBegin(0), beginOf);
    while (i < begins.size()) {
      const std::int32_t column = scale.pixelAt(begins[i]);
      if (column >= width) break;
      add(column, column + 1);
      i = std::max(i + 1, exponentialSearch(begins.size(), i, scale.columnBegin(column + 1), beginOf));
    }
  } else {
    const auto density = finder.density();
    const auto timeOf = [&](std::size_t part) {
      const double share = static_cast<double>(part) / static_cast<double>(density.size());
      return limits.begin + static_cast<TimeNs>(share * static_cast<double>(limits.length()));
    };
    for (std::size_t part = 0; part < density.size(); ++part) {
      if (density[part] == 0) continue;
      const std::int32_t column = scale.pixelAt(timeOf(part));
      const std::int32_t end = std::max(scale.pixelAt(timeOf(part + 1)), column + 1);
      if (end > 0 && column < width) add(std::max(column, 0), std::min(end, width));
    }
  }
  if (drawnTo > drawnFrom) tick(drawnFrom, drawnTo);
}

} // namespace rankscope::ui
