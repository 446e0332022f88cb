// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/histogram.h"

#include "core/base/unit_text.h"
#include "ui/base/counted.h"
#include "ui/base/text_scale.h"
#include "ui/charts/axis_text.h"

#include <QAreaSeries>
#include <QCategoryAxis>
#include <QChart>
#include <QFontMetrics>
#include <QKeyEvent>
#include <QLineSeries>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kAxisHeight = 24;    // height of the axis labels
constexpr int kPercentileRow = 16; // height of a label of percentiles
constexpr int kTopMargin = 4;      // between them and the bars
constexpr int kRight = 26;         // half the width of the last axis label
constexpr int kBarGap = 10;
constexpr qreal kPercentileGap = 6; // between labels of percentiles
constexpr int kRowGap = 46;
constexpr int kMarkGap = 76;
constexpr qreal kMinBarWidth = 2; // in pixels: one call among thousands must be visible

QString duration(TimeNs time) {
  return QString::fromStdString(durationText(time));
}

double ratioPlace(TimeNs time) {
  return std::log(static_cast<double>(std::max<TimeNs>(1, time)));
}

// End of the last bin; at least 1, so that calls of duration 0 have a bar.
double endPlace(const DurationBins& bins) {
  const double begin = ratioPlace(bins.bounds.front());
  const double end = ratioPlace(bins.bounds.back());
  return end > begin ? end : begin + 1;
}

int rowsThatFit(qreal height) {
  return std::max(1, static_cast<int>(height) / scaledToText(kRowGap));
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
  restyle();
  placePlot();
  viewport()->update();
}

void Histogram::markDuration(std::optional<TimeNs> duration) {
  if (m_marked == duration) return;
  m_marked = duration;
  showBins();
}

QAreaSeries* Histogram::addBars(QColor color) {
  auto* const upper = new QLineSeries;
  auto* const bars = new QAreaSeries(upper);
  upper->setParent(bars);
  bars->setBrush(color);
  bars->setPen(Qt::NoPen);
  chart()->addSeries(bars);
  return bars;
}

void Histogram::restyle() {
  chart()->removeAllSeries();
  for (QAbstractAxis* axis : chart()->axes()) {
    chart()->removeAxis(axis);
    delete axis;
  }
  m_bars = m_lit = m_pointedAt = nullptr;
  m_across = m_up = nullptr;
  if (m_bins.counts.empty()) return;
  const QColor color = theme().*m_color;
  m_bars = addBars(color);
  m_lit = addBars(color.lighter(125));
  m_pointedAt = addBars(theme().accent);
  addAxes();
  if (m_bins.calls >= 2) {
    for (const TimeNs time : {m_bins.p50, m_bins.p90, m_bins.p99}) {
      auto* const line = new QLineSeries;
      line->append({{ratioPlace(time), 0}, {ratioPlace(time), static_cast<qreal>(m_max)}});
      line->setPen(QPen(theme().muted, 1, Qt::DotLine));
      chart()->addSeries(line);
    }
  }
  for (QAbstractSeries* const series : chart()->series())
    for (QAbstractAxis* const axis : chart()->axes()) series->attachAxis(axis);
  showBins();
  showMarks();
}

void Histogram::addAxes() {
  m_across = new QCategoryAxis;
  m_across->setRange(ratioPlace(m_bins.bounds.front()), endPlace(m_bins));
  m_across->setGridLineVisible(false);
  m_up = new QCategoryAxis;
  m_up->setRange(0, static_cast<qreal>(m_max));
  m_up->setLineVisible(false);
  m_up->setGridLinePen(QPen(theme().line, 1));
  for (QCategoryAxis* const axis : {m_across, m_up}) {
    axis->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
    axis->setLabelsFont(numberFont(11));
    axis->setLabelsColor(theme().muted);
    axis->setLinePen(QPen(theme().line, 1));
    axis->setTruncateLabels(false);
  }
  chart()->addAxis(m_across, Qt::AlignBottom);
  chart()->addAxis(m_up, Qt::AlignLeft);
}

// As many labels as fit.
void Histogram::showMarks() {
  if (m_up == nullptr) return;
  const auto name = [](QCategoryAxis& axis, const std::vector<std::pair<QString, qreal>>& marks) {
    for (const QString& label : axis.categoriesLabels()) axis.remove(label);
    for (const auto& [label, place] : marks) axis.append(label, place);
  };
  std::vector<std::pair<QString, qreal>> marks;
  for (const double at : axisMarks(0, static_cast<double>(m_max), rowsThatFit(plot().height()), true).at)
    marks.emplace_back(amountText(Unit::Count, at), at);
  name(*m_up, marks);
  marks.clear();
  const int most = std::max(1, static_cast<int>(plot().width()) / scaledToText(kMarkGap));
  for (const TimeNs mark : ratioMarks(m_bins.bounds.front(), m_bins.bounds.back(), most))
    marks.emplace_back(duration(mark), ratioPlace(mark));
  name(*m_across, marks);
}

QRectF Histogram::spaceBelow(qreal top) const {
  const QFontMetrics figures(numberFont(11));
  const int wide = figures.horizontalAdvance(amountText(Unit::Count, static_cast<double>(m_max)));
  return QRectF(QPointF(), size())
      .adjusted(wide + 2 * kBarGap, top, -scaledToText(kRight), -scaledToText(kAxisHeight));
}

void Histogram::placePlot() {
  // Labels are placed by the width of the plot, and its height by them.
  qreal labels = scaledToText(kPercentileRow);
  for (const Label& label : labelsAbove(spaceBelow(labels))) labels = std::max(labels, label.box.bottom());
  const QRectF space = spaceBelow(labels + scaledToText(kTopMargin));
  if (space == plot()) return;
  chart()->setPlotArea(space);
  showBins();
  showMarks();
}

// A bar is at least two pixels high, and separated from the next one unless it is thin.
QList<QPointF> Histogram::outlineOf(const std::vector<std::size_t>& bins) const {
  QList<QPointF> points;
  const double least = kMinBarWidth / std::max(1.0, plot().height()) * static_cast<double>(m_max);
  const double pixel = (endPlace(m_bins) - ratioPlace(m_bins.bounds.front())) / std::max(1.0, plot().width());
  for (const std::size_t bin : bins) {
    if (m_bins.counts[bin] == 0) continue;
    const double high = std::max(least, static_cast<double>(m_bins.counts[bin]));
    const double air = boxOf(bin).width() > 4 ? pixel : 0;
    const double left = ratioPlace(m_bins.bounds[bin]) + air;
    const bool isLast = bin + 1 == m_bins.counts.size();
    const double right = (isLast ? endPlace(m_bins) : ratioPlace(m_bins.bounds[bin + 1])) - air;
    points << QPointF(left, 0) << QPointF(left, high) << QPointF(right, high) << QPointF(right, 0);
  }
  return points;
}

void Histogram::showBins() {
  if (m_bars == nullptr) return;
  const auto marked = m_marked ? m_bins.binOf(*m_marked) : std::nullopt;
  std::vector<std::size_t> all;
  std::vector<std::size_t> lit;
  std::vector<std::size_t> pointedAt;
  for (std::size_t bin = 0; bin < m_bins.counts.size(); ++bin)
    (marked == bin ? pointedAt : static_cast<int>(bin) == m_hovered ? lit : all).push_back(bin);
  m_bars->upperSeries()->replace(outlineOf(all));
  m_lit->upperSeries()->replace(outlineOf(lit));
  m_pointedAt->upperSeries()->replace(outlineOf(pointedAt));
  viewport()->update();
}

qreal Histogram::placeIn(const QRectF& plot, TimeNs time) const {
  const double from = ratioPlace(m_bins.bounds.front());
  const double to = ratioPlace(m_bins.bounds.back());
  if (to <= from) return plot.left();
  const double share = std::clamp((ratioPlace(time) - from) / (to - from), 0.0, 1.0);
  return plot.left() + share * plot.width();
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
  paintPercentiles(*painter);
  paintFocus(*painter, plot());
}

// Percentiles of one text share a label. Each label is over its line, as far as the chart is wide enough.
std::vector<Histogram::Label> Histogram::labelsAbove(const QRectF& plot) const {
  std::vector<Label> labels;
  if (m_bins.calls < 2) return labels;
  std::vector<std::pair<QString, TimeNs>> texts; // names by figure
  for (const auto& [name, time] :
       {std::pair("p50", m_bins.p50), std::pair("p90", m_bins.p90), std::pair("p99", m_bins.p99)}) {
    if (texts.empty() || duration(texts.back().second) != duration(time))
      texts.emplace_back(QLatin1String(name), time);
    else
      texts.back().first += QStringLiteral(", ") + QLatin1String(name);
  }
  const QFontMetricsF figures(numberFont(11));
  const qreal high = scaledToText(kPercentileRow);
  for (const auto& [names, time] : texts) {
    const QString text = names + QLatin1Char(' ') + duration(time);
    const qreal wide = figures.horizontalAdvance(text) + 4;
    const qreal left =
        std::clamp(std::round(placeIn(plot, time)) - wide / 2, 0.0, std::max(0.0, width() - wide));
    QRectF box(left, 0, wide, high);
    const auto isInTheWay = [&](const Label& other) {
      return other.box.adjusted(-kPercentileGap, 0, kPercentileGap, 0).intersects(box);
    };
    while (std::ranges::any_of(labels, isInTheWay)) box.translate(0, high);
    labels.push_back({text, box});
  }
  return labels;
}

void Histogram::paintPercentiles(QPainter& painter) const {
  for (const Label& label : percentileLabels())
    paintText(painter, label.box, Qt::AlignHCenter | Qt::AlignVCenter, label.text, theme().text);
}

void Histogram::hover(int bin) {
  if (m_hovered == bin) return;
  m_hovered = bin;
  showBins();
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
