// SPDX-License-Identifier: GPL-3.0-or-later
// How TimelineCanvas draws the links of the selection, also between the pinned and the scrolling canvas.
#include "ui/job/link_choice.h"
#include "ui/timeline/canvas/timeline_canvas.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace rankscope::ui {
namespace {

constexpr int kFaintAlpha = 150; // for links that the keys do not follow

struct LinkLook {
  QColor color;
  Qt::PenStyle style;
};

LinkLook lookOf(LinkKind kind, const Theme& theme) {
  switch (kind) {
  case LinkKind::Launch:
    return {theme.warn, Qt::SolidLine};
  case LinkKind::Caller:
    return {theme.muted, Qt::SolidLine};
  case LinkKind::Python:
    return {theme.muted, Qt::DotLine};
  case LinkKind::Backward:
    return {theme.accent, Qt::SolidLine};
  case LinkKind::Wait:
    return {theme.bad, Qt::DashLine};
  case LinkKind::Event:
    return {theme.bad, Qt::DotLine};
  }
  return {theme.muted, Qt::SolidLine};
}

struct LinkCurve {
  QRectF from;
  QRectF to;
  bool leavesEnd;  // starts at the end of the first slice instead of its begin
  bool arrivesEnd; // ends at the end of the second slice instead of its begin
};

// chosen: the link that the keys follow.
void paintLink(QPainter& painter, const LinkCurve& curve, LinkLook look, bool chosen, QColor halo) {
  const auto& [from, to, leavesEnd, arrivesEnd] = curve;
  const bool down = from.top() <= to.top();
  const double way = down ? 1 : -1;
  const QPointF start(leavesEnd ? from.right() : from.left() + std::min(2.0, from.width() / 2),
                      down ? from.bottom() : from.top());
  const QPointF tip(arrivesEnd ? to.right() : to.left() + std::min(2.0, to.width() / 2),
                    down ? to.top() : to.bottom());
  const double bend = std::max(14.0, std::abs(tip.y() - start.y()) / 2);
  QPainterPath path(start);
  path.cubicTo(start + QPointF(0, way * bend), tip - QPointF(0, way * bend), tip);
  halo.setAlpha(200);
  if (!chosen) look.color.setAlpha(kFaintAlpha);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(halo, chosen ? 5 : 3.5));
  painter.drawPath(path);
  QPen pen(look.color, chosen ? 2.75 : 1.25);
  pen.setStyle(look.style);
  painter.setPen(pen);
  painter.drawPath(path);
  for (const QRectF& box : {from, to}) {
    painter.setPen(QPen(look.color, chosen ? 2 : 1));
    painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
  }
  const double size = chosen ? 1.4 : 1;
  painter.setPen(Qt::NoPen);
  painter.setBrush(look.color);
  painter.drawEllipse(start, 2.5 * size, 2.5 * size);
  painter.drawPolygon(
      QPolygonF{tip, tip + QPointF(-3.5, -6 * way) * size, tip + QPointF(3.5, -6 * way) * size});
}

} // namespace

void TimelineCanvas::setNeighbor(const TimelineCanvas* neighbor, bool pinned) {
  m_neighbor = neighbor;
  m_pinned = pinned;
}

// Position of an event at the end of a link, in pixels of this canvas; outside of it if the event is in the
// neighbor. If both canvases show the event, the scrolling one is preferred as long as the event is visible
// there and not collapsed. Empty for a hidden event.
QRectF TimelineCanvas::linkEnd(EventRef event) const {
  const QRectF here = outlineOf(event);
  if (!m_neighbor || !m_neighbor->isVisible()) return here;
  const QRectF there = m_neighbor->outlineOf(event).translated(m_neighbor->pos() - pos());
  if (here.isNull() || there.isNull()) return here.isNull() ? there : here;
  const QRectF& scrolls = m_pinned ? there : here;
  const TimelineCanvas& area = m_pinned ? *m_neighbor : *this;
  const QRectF sight = QRectF(area.rect()).translated(area.pos() - pos());
  const bool inSight = scrolls.top() < sight.bottom() && scrolls.bottom() > sight.top() &&
                       area.m_layout.laneOf(event)->row.valid();
  return inSight == m_pinned ? there : here;
}

// Each kind of link has its own line style, with a dot at the cause and an arrow at the effect; linked slices
// get an outline. The links that the keys follow are stronger and drawn over the others.
void TimelineCanvas::paintLinks(QPainter& painter, const Theme& theme) const {
  const LinkChoice& choice = m_session.links();
  if (choice.links().empty() || !m_session.highlightOptions().links) return;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  for (const bool chosen : {false, true}) {
    for (const SelectionLink& link : choice.links()) {
      if ((link == choice.chosen(false) || link == choice.chosen(true)) != chosen) continue;
      QRectF from = outlineOf(link.from);
      QRectF to = outlineOf(link.to);
      if (!m_pinned || from.isNull() || to.isNull()) {
        from = linkEnd(link.from);
        to = linkEnd(link.to);
      }
      if (from.isNull() || to.isNull()) continue;
      // A wait leads from the end of one event to the begin of the other, or to the return of the waiting
      // call.
      const bool waits = link.kind == LinkKind::Wait;
      const bool returns = waits && m_session.rangeOf(link.to).begin < m_session.rangeOf(link.from).end;
      paintLink(painter, {from, to, waits, returns}, lookOf(link.kind, theme), chosen, theme.background);
    }
  }
  painter.restore();
}

} // namespace rankscope::ui
