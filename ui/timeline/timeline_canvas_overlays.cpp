// SPDX-License-Identifier: GPL-3.0-or-later
// The overlays of TimelineCanvas that tell of highlights: the selected idle gap.
#include "ui/timeline/timeline_canvas.h"

#include <QPainter>

#include <algorithm>

namespace rankscope::ui {

void TimelineCanvas::paintGap(QPainter& painter, const Theme& theme) const {
  const auto gap = m_session.gap();
  if (!gap) return;
  const TimeNs shift = m_session.shiftOf(gap->rank);
  const TimeRange drawn{gap->range.begin + shift, gap->range.end + shift};
  if (!drawn.overlaps(m_session.window())) return;
  const RankTrace& trace = *m_session.trace()->rank(gap->rank).trace;
  const TrackIndex stream = mainStreamOf(trace);
  if (!stream.valid()) return;
  const Lane* const lane = m_layout.laneOf({gap->rank, trace.tracks[stream.value].firstEvent});
  if (!lane) return;
  const double left = std::clamp(xOf(drawn.begin), -20.0, width() + 20.0);
  const double right = std::clamp(xOf(drawn.end), left + 1, std::max(left + 1, width() + 20.0));
  const QRectF box(left, lane->top - m_scrollTop, right - left, lane->height);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme.background, 1));
  painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
  painter.setPen(QPen(theme.bad, 2));
  painter.drawRect(box.adjusted(-1, -1, 1, 1));
}

} // namespace rankscope::ui
