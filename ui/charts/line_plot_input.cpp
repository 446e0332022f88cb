// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse and keyboard input of a line plot.
#include "ui/charts/line_plot.h"

#include <QKeyEvent>
#include <QMouseEvent>

#include <algorithm>

namespace rankscope::ui {

void LinePlot::markCurve(int curve) {
  if (m_marked == curve) return;
  m_marked = curve;
  repaintCurves();
}

void LinePlot::setCursor(std::optional<double> x) {
  m_cursor = x;
  viewport()->update();
}

void LinePlot::hover(int curve) {
  if (m_hovered == curve) return;
  m_hovered = curve;
  repaintCurves();
  emit curveHovered(curve);
}

void LinePlot::point(std::optional<double> x) {
  if (m_pointer == x) return;
  m_pointer = x;
  emit placeHovered(x);
}

void LinePlot::mouseMoveEvent(QMouseEvent* event) {
  point(plot().contains(event->position()) ? std::optional(xAt(event->position().x())) : std::nullopt);
  hover(plot().contains(event->position()) ? curveNear(event->position()) : -1);
  viewport()->update();
}

void LinePlot::leaveEvent(QEvent* event) {
  PlotView::leaveEvent(event);
  point(std::nullopt);
  hover(-1);
  viewport()->update();
}

void LinePlot::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && plot().contains(event->position()))
    emit clicked(curveNear(event->position()), xAt(event->position().x()));
}

void LinePlot::moveAlong(int points) {
  if (m_curves.curves.empty()) return;
  if (m_hovered < 0) hover(0);
  // Dots of the same x are next to each other.
  if (m_curves.curves[static_cast<std::size_t>(m_hovered)].points.size() == 1) {
    hover(std::clamp(m_hovered + points, 0, static_cast<int>(m_curves.curves.size()) - 1));
    point(m_curves.curves[static_cast<std::size_t>(m_hovered)].points.front().x());
    return;
  }
  const QList<QPointF>& along = m_curves.curves[static_cast<std::size_t>(m_hovered)].points;
  if (along.isEmpty()) return;
  const auto from = std::ranges::lower_bound(along, m_pointer.value_or(along.front().x()), {}, &QPointF::x);
  const auto place = (from - along.begin()) + (m_pointer ? points : 0);
  point(along[std::clamp<qsizetype>(place, 0, along.size() - 1)].x());
}

void LinePlot::moveAcross(int curves) {
  if (m_curves.curves.empty()) return;
  hover(std::clamp(m_hovered + curves, 0, static_cast<int>(m_curves.curves.size()) - 1));
  if (!m_pointer) moveAlong(0);
}

void LinePlot::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
  case Qt::Key_Left:
  case Qt::Key_Right:
    moveAlong(event->key() == Qt::Key_Left ? -1 : 1);
    break;
  case Qt::Key_Up:
  case Qt::Key_Down:
    moveAcross(event->key() == Qt::Key_Up ? -1 : 1);
    break;
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (m_hovered >= 0 && m_pointer) emit clicked(m_hovered, *m_pointer);
    return;
  default:
    return event->ignore();
  }
  viewport()->update();
  if (m_hovered < 0 || !m_pointer) return;
  if (const auto value = valueAt(m_curves.curves[static_cast<std::size_t>(m_hovered)], *m_pointer))
    showTip(placeOf(*m_pointer, *value));
}

} // namespace rankscope::ui
