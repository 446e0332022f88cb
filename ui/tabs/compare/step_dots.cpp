// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/compare/step_dots.h"

#include "ui/base/text_scale.h"
#include "ui/charts/axis_text.h"
#include "ui/job/trace_session.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kRow = 22;
constexpr int kAxis = 20;
constexpr int kLabel = 22;
constexpr int kInterval = 12;
constexpr int kLegend = 18;
constexpr int kDotTickDistance = 80;
constexpr int kDotLabelGap = 6;
constexpr qreal kDot = 8;
constexpr double kMostForInterval = 1; // room for it on each side, in widths of what the steps take
constexpr qreal kReach = 7;            // of a click around a center

} // namespace

StepDots::StepDots(const TraceSession& session, QWidget* parent) : QWidget(parent), m_session(session) {
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Steps"));
  connect(&session, &TraceSession::themeChanged, this, qOverload<>(&QWidget::update));
}

void StepDots::setRows(StepDotRows rows) {
  m_rows = std::move(rows);
  std::vector<double> all;
  all.reserve(m_rows.a.size() + m_rows.b.size());
  for (const auto* side : {&m_rows.a, &m_rows.b}) {
    for (const StepDot& dot : *side) all.push_back(dot.duration);
  }
  m_from = 0;
  m_to = 1;
  if (!all.empty()) {
    const auto [low, high] = std::ranges::minmax(all);
    // Steps of one duration still need a scale.
    const double margin = std::max((high - low) * 0.06, high * 0.01);
    m_from = std::max(0.0, low - margin);
    m_to = high + margin;
    // The interval too, unless the steps would be squeezed beside it.
    const double most = kMostForInterval * (m_to - m_from);
    if (m_rows.low) m_from = std::max(std::min(m_from, *m_rows.low - margin), m_from - most);
    if (m_rows.high) m_to = std::min(std::max(m_to, *m_rows.high + margin), m_to + most);
  }
  setAccessibleDescription(tr("%1 steps of A, %2 steps of B").arg(m_rows.a.size()).arg(m_rows.b.size()));
  update();
}

QSize StepDots::sizeHint() const {
  return {scaledToText(320),
          2 * scaledToText(kRow) + scaledToText(kInterval) + scaledToText(kAxis) + scaledToText(kLegend)};
}

QSize StepDots::minimumSizeHint() const {
  return {scaledToText(180), sizeHint().height()};
}

QRectF StepDots::plot() const {
  const int left = scaledToText(kLabel);
  return {qreal(left), 0, qreal(std::max(1, width() - left - 6)),
          qreal(height() - scaledToText(kAxis) - scaledToText(kLegend))};
}

qreal StepDots::xOf(double duration) const {
  const QRectF box = plot();
  return box.left() + (duration - m_from) / (m_to - m_from) * box.width();
}

qreal StepDots::rowCenter(bool ofB) const {
  return scaledToText(kRow) * (ofB ? 1.5 : 0.5);
}

QPointF StepDots::centerOf(bool ofB, std::size_t dot) const {
  return {xOf((ofB ? m_rows.b : m_rows.a)[dot].duration), rowCenter(ofB)};
}

std::optional<StepDots::Hit> StepDots::hitAt(QPointF place) const {
  std::optional<Hit> nearest;
  qreal least = kReach * textScale();
  for (const bool ofB : {false, true}) {
    const std::vector<StepDot>& dots = ofB ? m_rows.b : m_rows.a;
    for (std::size_t i = 0; i < dots.size(); ++i) {
      const QPointF away = centerOf(ofB, i) - place;
      const qreal distance = std::hypot(away.x(), away.y());
      if (distance > least) continue;
      least = distance;
      nearest = Hit{ofB, i};
    }
  }
  return nearest;
}

void StepDots::paintAxis(QPainter& painter) const {
  const Theme& theme = m_session.theme();
  const QRectF box = plot();
  const int most = std::max(2, static_cast<int>(box.width()) / scaledToText(kDotTickDistance));
  const AxisMarks marks = readableAxisMarks(m_from, m_to, most);
  const QFont font = numberFont(10);
  painter.setFont(font);
  qreal labeled = 0; // up to here
  for (const double mark : marks.at) {
    const qreal x = xOf(mark);
    painter.setPen(theme.line);
    painter.drawLine(QPointF(x, 0), QPointF(x, box.bottom() + 3));
    const QString text = amountText(Unit::Nanoseconds, mark, marks.step);
    const qreal wide = QFontMetrics(font).horizontalAdvance(text) + 2;
    const qreal left = std::clamp(x - wide / 2, box.left(), std::max(box.left(), box.right() - wide + 6));
    if (left < labeled) continue;
    labeled = left + wide + scaledToText(kDotLabelGap);
    painter.setPen(theme.muted);
    painter.drawText(QRectF(left, box.bottom() + 3, wide, scaledToText(kAxis) - 3),
                     Qt::AlignLeft | Qt::AlignVCenter, text);
  }
}

void StepDots::paintSide(QPainter& painter, bool ofB) const {
  const Theme& theme = m_session.theme();
  const qreal center = rowCenter(ofB);
  painter.setFont(textFont(12, QFont::DemiBold));
  painter.setPen(theme.text);
  painter.drawText(QRectF(0, center - 10 * textScale(), scaledToText(kLabel), 20 * textScale()),
                   Qt::AlignLeft | Qt::AlignVCenter, ofB ? QStringLiteral("B") : QStringLiteral("A"));
  painter.setPen(theme.line);
  painter.drawLine(QPointF(plot().left(), center), QPointF(plot().right(), center));
  const qreal dot = kDot * textScale();
  const std::vector<StepDot>& dots = ofB ? m_rows.b : m_rows.a;
  for (std::size_t i = 0; i < dots.size(); ++i) {
    QColor ink = dots[i].kept ? theme.text : theme.faint;
    painter.setPen(QPen(ink, 1.4));
    QColor fill = ink;
    fill.setAlphaF(dots[i].kept ? 0.75F : 0.35F);
    painter.setBrush(ofB ? QBrush(fill) : QBrush(Qt::NoBrush));
    painter.drawEllipse(centerOf(ofB, i), dot / 2, dot / 2);
  }
  const std::optional<double>& median = ofB ? m_rows.medianB : m_rows.medianA;
  if (!median) return;
  painter.setPen(QPen(theme.accent, 2));
  painter.drawLine(QPointF(xOf(*median), center - dot), QPointF(xOf(*median), center + dot));
}

// The figures beside the chart are means; its strokes are not.
QString StepDots::legendWithin(int width) const {
  const auto isPale = [](const StepDot& dot) { return !dot.kept; };
  const bool pale = std::ranges::any_of(m_rows.a, isPale) || std::ranges::any_of(m_rows.b, isPale);
  const bool bar = m_rows.low && m_rows.high;
  const QFontMetrics metrics(textFont(11));
  QString legend;
  for (const bool whole : {true, false}) {
    QStringList parts{pale && whole ? tr("dots: steps (pale: left out of means)") : tr("dots: steps")};
    if (m_rows.medianA || m_rows.medianB) parts << tr("strokes: medians");
    if (bar)
      parts << (whole ? tr("bar: 95 % interval of B's mean, seen from A's") : tr("bar: 95 % CI of B's mean"));
    legend = parts.join(QStringLiteral(" · "));
    if (metrics.horizontalAdvance(legend) <= width) return legend;
  }
  return metrics.elidedText(legend, Qt::ElideRight, width);
}

void StepDots::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  if (m_rows.a.empty() && m_rows.b.empty()) return;
  const Theme& theme = m_session.theme();
  painter.setFont(textFont(11));
  painter.setPen(theme.muted);
  painter.drawText(QRect(0, height() - scaledToText(kLegend), width(), scaledToText(kLegend)),
                   Qt::AlignLeft | Qt::AlignVCenter, legendWithin(width()));
  paintAxis(painter);
  paintSide(painter, false);
  paintSide(painter, true);
  if (!m_rows.low || !m_rows.high) return;
  // 95 % of the difference, seen from A's mean.
  const qreal y = 2 * scaledToText(kRow) + scaledToText(kInterval) / 2.0;
  const QRectF box = plot();
  const qreal left = std::clamp(xOf(*m_rows.low), box.left(), box.right());
  const qreal right = std::clamp(xOf(*m_rows.high), box.left(), box.right());
  painter.setPen(QPen(theme.accent, 3, Qt::SolidLine, Qt::FlatCap));
  painter.drawLine(QPointF(left, y), QPointF(right, y));
  // It goes on beyond the scale.
  const qreal tip = 5 * textScale();
  painter.setBrush(theme.accent);
  painter.setPen(Qt::NoPen);
  const auto arrow = [&](qreal x, qreal to) {
    painter.drawPolygon(QPolygonF({QPointF(x + to, y), QPointF(x, y - tip), QPointF(x, y + tip)}));
  };
  if (*m_rows.low < m_from) arrow(left + tip, -tip);
  if (*m_rows.high > m_to) arrow(right - tip, tip);
}

bool StepDots::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto hit = hitAt(help->pos());
    if (hit)
      QToolTip::showText(help->globalPos(), (hit->ofB ? m_rows.b : m_rows.a)[hit->dot].tip, this);
    else if (m_rows.low)
      QToolTip::showText(help->globalPos(),
                         tr("One dot per step. Blue strokes: the medians. Blue bar: the 95 % confidence "
                            "interval of B's mean."),
                         this);
    return true;
  }
  return QWidget::event(event);
}

void StepDots::mouseMoveEvent(QMouseEvent* event) {
  setCursor(hitAt(event->position()) ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void StepDots::mouseReleaseEvent(QMouseEvent* event) {
  const auto hit = hitAt(event->position());
  if (event->button() != Qt::LeftButton || !hit) return event->ignore();
  const std::vector<StepDot>& dots = hit->ofB ? m_rows.b : m_rows.a;
  emit dotClicked(hit->ofB, static_cast<int>(dots[hit->dot].place));
}

} // namespace rankscope::ui
