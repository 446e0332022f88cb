// SPDX-License-Identifier: GPL-3.0-or-later
// The links of the selection as TimelineCanvas draws them, also between what is pinned and what scrolls.
#include "ui/job/link_choice.h"
#include "ui/timeline/canvas/timeline_canvas.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace rankscope::ui {
namespace {

constexpr int kFaintAlpha = 150; // of links that no key follows now

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
  bool leavesEnd;  // of the first slice, not its begin
  bool arrivesEnd; // at the end of the second
};

// chosen: a key follows it.
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

// Where a link ends, in pixels of this canvas and beyond its edge when that is in the neighbor. Of an event
// that both show it is the one among the tracks that scroll while that is in sight and not folded. Empty for
// a hidden one.
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

// From cause to what it caused, each kind in its own stroke, with a dot where it begins and an arrow where it
// leads; what is linked has an outline. Those that the keys follow are stronger than the others, and lie over
// them.
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
      // A wait goes from the end of the one to the begin of the other, or to the return of a call that waits.
      const bool waits = link.kind == LinkKind::Wait;
      const bool returns = waits && m_session.rangeOf(link.to).begin < m_session.rangeOf(link.from).end;
      paintLink(painter, {from, to, waits, returns}, lookOf(link.kind, theme), chosen, theme.background);
    }
  }
  painter.restore();
}

} // namespace rankscope::ui
