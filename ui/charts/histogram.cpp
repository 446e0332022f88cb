// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/histogram.h"

#include "core/base/unit_text.h"
#include "ui/base/counted.h"
#include "ui/charts/axis_text.h"

#include <QChart>
#include <QFontMetrics>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kBottom = 24; // for the durations
constexpr int kTop = 20;    // for the percentiles' names
constexpr int kGap = 10;
constexpr int kRowGap = 46;
constexpr int kMarkGap = 76;
constexpr qreal kMinBarWidth = 2; // pixels: one call among thousands is still there

QString duration(TimeNs time) {
  return QString::fromStdString(durationText(time));
}

double ratioPlace(TimeNs time) {
  return std::log(static_cast<double>(std::max<TimeNs>(1, time)));
}

int rowsThatFit(qreal height) {
  return std::max(1, static_cast<int>(height) / kRowGap);
}

} // namespace

std::vector<TimeNs> ratioMarks(TimeNs from, TimeNs to, int most) {
  static constexpr std::array<TimeNs, 1> kTens{1};
  static constexpr std::array<TimeNs, 2> kThrees{1, 3};
  static constexpr std::array<TimeNs, 3> kFives{1, 2, 5};
  std::vector<TimeNs> marks;
  for (const std::span<const TimeNs> factors :
       {std::span<const TimeNs>(kFives), std::span<const TimeNs>(kThrees), std::span<const TimeNs>(kTens)}) {
    marks.clear();
    for (TimeNs ten = 1; ten <= to && ten < TimeNs{1} << 58; ten *= 10) {
      for (const TimeNs factor : factors) {
        if (ten * factor >= from && ten * factor <= to) marks.push_back(ten * factor);
      }
    }
    if (static_cast<int>(marks.size()) <= most) break;
  }
  if (marks.size() >= 2) return marks;
  // Within less than a decade, linear steps are more readable.
  marks.clear();
  for (const double at : axisMarks(static_cast<double>(from), static_cast<double>(to), most, true).at)
    marks.push_back(std::llround(at));
  return marks;
}

Histogram::Histogram(const TraceSession& session, QWidget* parent) : PlotView(session, parent) {
  setFocusPolicy(Qt::TabFocus);
}

void Histogram::setBins(DurationBins bins, ThemeColor color) {
  m_bins = std::move(bins);
  m_color = color;
  m_hovered = -1;
  m_marked.reset();
  m_max = m_bins.counts.empty() ? 1 : std::ranges::max(m_bins.counts);
  placePlot();
  viewport()->update();
}

void Histogram::markDuration(std::optional<TimeNs> duration) {
  if (m_marked == duration) return;
  m_marked = duration;
  viewport()->update();
}

void Histogram::placePlot() {
  const QFontMetrics figures(numberFont(11));
  const int wide = figures.horizontalAdvance(amountText(Unit::Count, static_cast<double>(m_max)));
  chart()->setPlotArea(QRectF(QPointF(), size()).adjusted(wide + kGap, kTop, -kGap, -kBottom));
}

qreal Histogram::placeOf(TimeNs time) const {
  const double from = ratioPlace(m_bins.bounds.front());
  const double to = ratioPlace(m_bins.bounds.back());
  if (to <= from) return plot().left();
  const double share = std::clamp((ratioPlace(time) - from) / (to - from), 0.0, 1.0);
  return plot().left() + share * plot().width();
}

QRectF Histogram::boxOf(std::size_t bin) const {
  const std::int64_t count = m_bins.counts[bin];
  const qreal share = static_cast<qreal>(count) / static_cast<qreal>(m_max);
  const qreal height = count > 0 ? std::max(kMinBarWidth, share * plot().height()) : 0;
  const qreal left = placeOf(m_bins.bounds[bin]);
  const qreal right = bin + 1 < m_bins.counts.size() ? placeOf(m_bins.bounds[bin + 1]) : plot().right();
  return {left, plot().bottom() - height, right - left, height};
}

int Histogram::binAt(QPointF place) const {
  if (place.y() < plot().top() || place.y() > plot().bottom() + 2) return -1;
  for (std::size_t bin = 0; bin < m_bins.counts.size(); ++bin) {
    const QRectF box = boxOf(bin);
    if (box.left() <= place.x() && place.x() < box.right()) return static_cast<int>(bin);
  }
  return -1;
}

QString Histogram::tipAt(QPointF place) const {
  const int at = binAt(place);
  if (at < 0) return {};
  const auto bin = static_cast<std::size_t>(at);
  const std::int64_t count = m_bins.counts[bin];
  const double share = 100.0 * static_cast<double>(count) / static_cast<double>(m_bins.calls);
  return tr("%1 to %2<br>%3 (%4)")
      .arg(duration(m_bins.bounds[bin]), duration(m_bins.bounds[bin + 1] - 1),
           counted(count, tr("1 call"), tr("%1 calls")), QString::fromStdString(percentText(share)));
}

void Histogram::drawForeground(QPainter* painter, const QRectF& rect) {
  PlotView::drawForeground(painter, rect);
  if (m_bins.counts.empty()) return;
  painter->setRenderHint(QPainter::Antialiasing, false);
  paintRows(*painter);
  painter->setRenderHint(QPainter::Antialiasing);
  paintBars(*painter);
  painter->setRenderHint(QPainter::Antialiasing, false);
  paintDurations(*painter);
  paintPercentiles(*painter);
  painter->setRenderHint(QPainter::Antialiasing);
}

void Histogram::paintRows(QPainter& painter) const {
  const AxisMarks rows = axisMarks(0, static_cast<double>(m_max), rowsThatFit(plot().height()), true);
  for (const double at : rows.at) {
    const qreal y = plot().bottom() - at / static_cast<double>(m_max) * plot().height();
    painter.setPen(theme().line);
    painter.drawLine(QPointF(plot().left(), y), QPointF(plot().right(), y));
    paintText(painter, QRectF(0, y - 10, plot().left() - kGap + 2, 20), Qt::AlignRight | Qt::AlignVCenter,
              amountText(Unit::Count, at), theme().muted);
  }
}

void Histogram::paintBars(QPainter& painter) const {
  const QColor color = theme().*m_color;
  const auto marked = m_marked ? m_bins.binOf(*m_marked) : std::nullopt;
  painter.setPen(Qt::NoPen);
  for (std::size_t bin = 0; bin < m_bins.counts.size(); ++bin) {
    QRectF box = boxOf(bin);
    if (box.height() <= 0) continue;
    if (box.width() > 4) box.adjust(1, 0, -1, 0);
    const bool lit = static_cast<int>(bin) == m_hovered;
    painter.setBrush(marked == bin ? theme().accent : lit ? color.lighter(125) : color);
    if (box.width() > 6 && box.height() > 6)
      painter.drawRoundedRect(box, 2, 2);
    else
      painter.drawRect(box);
  }
}

void Histogram::paintDurations(QPainter& painter) const {
  const int most = std::max(1, static_cast<int>(plot().width()) / kMarkGap);
  painter.setPen(theme().line);
  painter.drawLine(plot().bottomLeft(), plot().bottomRight());
  for (const TimeNs mark : ratioMarks(m_bins.bounds.front(), m_bins.bounds.back(), most)) {
    const qreal x = placeOf(mark);
    QRectF box(x - kMarkGap / 2.0, plot().bottom() + 4, kMarkGap, kBottom - 4);
    box.translate(std::max(0.0, -box.left()) - std::max(0.0, box.right() - width()), 0);
    const int side = box.center().x() > x + 1   ? Qt::AlignLeft
                     : box.center().x() < x - 1 ? Qt::AlignRight
                                                : Qt::AlignHCenter;
    paintText(painter, box, side | Qt::AlignTop, duration(mark), theme().muted);
  }
}

// A name that would run into the one before it stays away; its line stays.
void Histogram::paintPercentiles(QPainter& painter) const {
  if (m_bins.calls < 2) return;
  const QFontMetricsF figures(numberFont(11));
  qreal taken = plot().left() - 1;
  for (const auto& [name, time] :
       {std::pair("p50", m_bins.p50), std::pair("p90", m_bins.p90), std::pair("p99", m_bins.p99)}) {
    const qreal x = std::round(placeOf(time));
    painter.setPen(QPen(theme().muted, 1, Qt::DotLine));
    painter.drawLine(QPointF(x, plot().top() - 4), QPointF(x, plot().bottom()));
    const QString text = QStringLiteral("%1 %2").arg(QLatin1String(name), duration(time));
    const qreal wide = figures.horizontalAdvance(text) + 4;
    const qreal left = std::clamp(x - wide / 2, 0.0, std::max(0.0, width() - wide));
    if (left <= taken) continue;
    paintText(painter, QRectF(left, 0, wide, kTop - 4), Qt::AlignHCenter | Qt::AlignVCenter, text,
              theme().text);
    taken = left + wide + 4;
  }
}

void Histogram::hover(int bin) {
  if (m_hovered == bin) return;
  m_hovered = bin;
  viewport()->update();
}

void Histogram::mouseMoveEvent(QMouseEvent* event) {
  hover(binAt(event->position()));
}

void Histogram::leaveEvent(QEvent* event) {
  PlotView::leaveEvent(event);
  hover(-1);
}

void Histogram::mouseReleaseEvent(QMouseEvent* event) {
  const int bin = event->button() == Qt::LeftButton ? binAt(event->position()) : -1;
  if (bin >= 0 && m_bins.counts[static_cast<std::size_t>(bin)] > 0) emit binClicked(bin);
}

void Histogram::keyPressEvent(QKeyEvent* event) {
  const int last = static_cast<int>(m_bins.counts.size()) - 1;
  const int by = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  const bool picks = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (last < 0 || (by == 0 && !picks)) return PlotView::keyPressEvent(event);
  if (by != 0) return hover(std::clamp(m_hovered + by, 0, last));
  if (m_hovered >= 0 && m_bins.counts[static_cast<std::size_t>(m_hovered)] > 0) emit binClicked(m_hovered);
}

} // namespace rankscope::ui
