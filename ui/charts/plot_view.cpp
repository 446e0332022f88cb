// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/plot_view.h"

#include "ui/job/trace_session.h"

#include <QChart>
#include <QHelpEvent>
#include <QLegend>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {

constexpr qreal kTextSize = 11;
constexpr qreal kHatchPeriod = 6; // distance of the stripes in pixels
constexpr qreal kHatchStroke = 1.6;

} // namespace

QColor chartFill(const Theme& theme, ThemeColor color, qreal strength) {
  QColor shade = theme.*color;
  shade.setAlphaF(static_cast<float>(strength));
  return shade;
}

void paintHatch(QPainter& painter, QRectF box, QColor color) {
  painter.setPen(QPen(color.darker(165), kHatchStroke));
  // A stripe is where x + y is a multiple of the period; clipped manually, as drawings do not support
  // clipping.
  const qreal end = box.right() + box.bottom();
  for (qreal at = std::ceil((box.left() + box.top()) / kHatchPeriod) * kHatchPeriod; at < end;
       at += kHatchPeriod) {
    const qreal left = std::max(box.left(), at - box.bottom());
    const qreal right = std::min(box.right(), at - box.top());
    if (right > left) painter.drawLine(QPointF(left, at - left), QPointF(right, at - right));
  }
}

PlotView::PlotView(const TraceSession& session, QWidget* parent) : QChartView(parent), m_session(session) {
  setFrameShape(QFrame::NoFrame);
  setRenderHint(QPainter::Antialiasing);
  setMouseTracking(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::TabFocus);
  setBackgroundBrush(Qt::NoBrush);
  viewport()->setAutoFillBackground(false);
  chart()->setBackgroundVisible(false);
  chart()->setMargins({});
  chart()->legend()->hide();
  chart()->setAnimationOptions(QChart::NoAnimation);
  connect(&session, &TraceSession::themeChanged, this, [this] {
    restyle();
    viewport()->update();
  });
}

const Theme& PlotView::theme() const {
  return m_session.theme();
}

void PlotView::setGutters(QMargins gutters) {
  m_gutters = gutters;
  placePlot();
}

void PlotView::placePlot() {
  chart()->setPlotArea(QRectF(QPointF(), size()).marginsRemoved(m_gutters));
}

void PlotView::paintText(QPainter& painter, QRectF box, int flags, const QString& text, QColor color,
                         bool figures) const {
  const QFont font = figures ? numberFont(kTextSize) : textFont(kTextSize + 1);
  painter.setFont(font);
  painter.setPen(color);
  painter.drawText(box, flags, QFontMetricsF(font).elidedText(text, Qt::ElideRight, box.width() + 1));
}

void PlotView::resizeEvent(QResizeEvent* event) {
  QChartView::resizeEvent(event);
  placePlot();
}

void PlotView::focusInEvent(QFocusEvent* event) {
  QChartView::focusInEvent(event);
  viewport()->update();
}

void PlotView::focusOutEvent(QFocusEvent* event) {
  QChartView::focusOutEvent(event);
  QToolTip::hideText();
  viewport()->update();
}

void PlotView::paintFocus(QPainter& painter, QRectF box) const {
  if (!hasFocus()) return;
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme().accent, 1, Qt::DotLine));
  painter.drawRect(box.adjusted(0, 0, -1, -1));
  painter.setRenderHint(QPainter::Antialiasing);
}

void PlotView::showTip(QPointF place) {
  const QPoint at = viewport()->mapToGlobal(place.toPoint() + QPoint(10, 10));
  QToolTip::showText(at, tipAt(place), viewport()); // an empty one hides what is shown
}

bool PlotView::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QChartView::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  QToolTip::showText(help->globalPos(), tipAt(help->pos()), viewport());
  return true;
}

// Wheel events scroll the page.
void PlotView::wheelEvent(QWheelEvent* event) {
  event->ignore();
}

} // namespace rankscope::ui
