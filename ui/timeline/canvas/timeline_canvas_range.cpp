// SPDX-License-Identifier: GPL-3.0-or-later
// How TimelineCanvas marks and draws a range of time on some tracks.
#include "ui/timeline/canvas/timeline_canvas.h"
#include "ui/timeline/strips/region_band.h"
#include "ui/timeline/tracks/range_tracks.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {
namespace {

constexpr int kTintOfTracks = 44; // alpha over the lanes of the range
constexpr int kTintOfOthers = 9;

} // namespace

std::vector<RankTracks> TimelineCanvas::tracksBetween(double from, double to) const {
  const auto line = [this](double y) { return static_cast<int>(std::floor(y)) + m_scrollTop; };
  return tracksWithin(*m_session.trace(), m_layout, line(std::min(from, to)), line(std::max(from, to)) + 1);
}

void TimelineCanvas::dragRange(QPointF position, Qt::KeyboardModifiers modifiers) {
  const TimeNs t = snapped(position, modifiers);
  m_session.setRange(TimeRange{std::min(t, m_rangeAnchor), std::max(t, m_rangeAnchor)},
                     tracksBetween(m_pressedAt.y(), position.y()));
  emit cursorMoved(t);
}

// Extends the range, or the selected slice, to the clicked slice or point in time.
void TimelineCanvas::extendRange(QPointF position, Qt::KeyboardModifiers modifiers) {
  const TraceSet& traces = *m_session.trace();
  const LaneHit hit = hitAtPosition(position);
  const EventRef selection = m_session.selection();
  const auto range = m_session.range();
  TimeRange clicked;
  if (hit.event.valid() && !(modifiers & Qt::AltModifier)) clicked = m_session.rangeOf(hit.event);
  if (clicked.empty()) {
    const TimeNs t = snapped(position, modifiers);
    clicked = {t, t + 1};
  }
  const std::vector<RankTracks> tracks = tracksBetween(position.y(), position.y());
  if (range) {
    // A range of all tracks stays a range of all tracks.
    const auto& before = m_session.rangeTracks();
    m_session.setRange(range->unitedWith(clicked), before.empty() ? before : unitedTracks(before, tracks));
  } else if (selection.valid()) {
    m_session.setRange(m_session.rangeOf(selection).unitedWith(clicked),
                       unitedTracks(trackOfEvent(traces, selection), tracks));
  } else if (hit.event.valid()) {
    m_session.setRange(clicked, tracks);
  }
}

void TimelineCanvas::paintRange(QPainter& painter, const Theme& theme) const {
  paintRegionEdges(
      painter, theme, m_session.marks(), m_session.recorded(m_session.window()),
      [this](TimeNs t) { return xOf(m_session.drawnAt(t)); }, rect());
  const auto range = m_session.range();
  if (!range || !range->overlaps(m_session.window())) return;
  const double left = std::clamp(xOf(range->begin), -10.0, width() + 10.0);
  const double right = std::clamp(xOf(range->end), -10.0, width() + 10.0);
  const auto& tracks = m_session.rangeTracks();
  const bool all = tracks.empty();
  painter.fillRect(QRectF(left, 0, right - left, height()),
                   withAlpha(theme.accent, all ? 26 : kTintOfOthers));
  if (!all) {
    for (const Lane& lane : m_layout.lanesWithin(m_scrollTop, m_scrollTop + height())) {
      if (!showsAny(*m_session.trace(), tracks, lane)) continue;
      painter.fillRect(QRectF(left, lane.top - m_scrollTop, right - left, lane.height),
                       withAlpha(theme.accent, kTintOfTracks));
    }
  }
  QPen pen(withAlpha(theme.accent, 210), 1);
  pen.setDashPattern({3, 3});
  painter.setPen(pen);
  for (const double x : {left, right})
    painter.drawLine(QPointF(std::floor(x) + 0.5, 0), QPointF(std::floor(x) + 0.5, height()));
}

} // namespace rankscope::ui
