// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/line_plot.h"

#include "ui/base/contrast.h"
#include "ui/base/text_scale.h"
#include "ui/charts/axis_text.h"

#include <QAreaSeries>
#include <QChart>
#include <QFontMetrics>
#include <QLineF>
#include <QLineSeries>
#include <QPainter>
#include <QValueAxis>

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kPlotBottom = 24; // height of the x axis labels
constexpr int kPlotTop = 8;
constexpr int kRight = 14;
constexpr int kGap = 10;
constexpr int kRowGap = 46;       // minimum distance of the y axis marks in pixels
constexpr int kTextGap = 18;      // between texts of the x axis
constexpr qreal kMarkTextGap = 8; // between texts of marks
constexpr int kColumnGap = 90;    // minimum distance of the x axis marks
constexpr qreal kNear = 12;       // maximum distance of the mouse to a curve in pixels
constexpr float kQuiet = 0.55F;   // opacity of curves that are not highlighted, among many
constexpr std::size_t kMany = 4;
constexpr double kSamePlace = 0.5; // maximum distance in x of dots at the same step
constexpr qreal kMaxDotRadius = 4.5;
constexpr qreal kMinDotRadius = 2;

int rowsThatFit(qreal height) {
  return std::max(1, static_cast<int>(height) / scaledToText(kRowGap));
}

// Minimum distance of the x axis marks: short texts may be nearer to each other than numbers.
int columnGap(const QStringList& texts) {
  const auto longest = std::ranges::max_element(texts, {}, &QString::size);
  if (longest == texts.end()) return scaledToText(kColumnGap);
  const int text = QFontMetrics(numberFont(11)).horizontalAdvance(*longest);
  return std::min(text + scaledToText(kTextGap), scaledToText(kColumnGap));
}

} // namespace

LinePlot::LinePlot(const TraceSession& session, QWidget* parent) : PlotView(session, parent) {}

void LinePlot::setCurves(Curves curves) {
  m_curves = std::move(curves);
  m_hovered = m_marked = -1;
  measure();
  restyle();
  placePlot();
  viewport()->update();
}

void LinePlot::measure() {
  double least = std::numeric_limits<double>::max();
  double most = std::numeric_limits<double>::lowest();
  const auto take = [&](const QList<QPointF>& points) {
    for (const QPointF& point : points) {
      least = std::min(least, point.y());
      most = std::max(most, point.y());
    }
  };
  for (const Curve& curve : m_curves.curves) take(curve.points);
  for (const Band& band : m_curves.bands) {
    take(band.upper);
    take(band.lower);
  }
  const bool any = least <= most;
  m_low = any && least < 0 ? -spaceAbove(-least) : 0;
  m_high = any && most <= 0 && least < 0 ? 0 : spaceAbove(any ? most : 0);
  if (m_curves.fromZero || !any) return;
  const double space = std::max((most - least) * 0.15, std::abs(most) * 0.005);
  m_low = least < 0 ? least - space : std::max(0.0, least - space);
  m_high = most + space;
}

bool LinePlot::lit(std::size_t curve) const {
  const int index = static_cast<int>(curve);
  return m_curves.curves[curve].outlier || m_hovered == index || m_marked == index;
}

QPen LinePlot::penOf(std::size_t index) const {
  const Curve& curve = m_curves.curves[index];
  QColor color = curve.outlier ? theme().bad : theme().*curve.color;
  if (!lit(index) && m_curves.curves.size() > kMany) color.setAlphaF(kQuiet);
  return {color, lit(index) ? 2.4 : 1.4, curve.dashed ? Qt::DashLine : Qt::SolidLine};
}

void LinePlot::addCurve(std::size_t index) {
  const Curve& curve = m_curves.curves[index];
  if (curve.points.size() < 2) return;
  auto* line = new QLineSeries;
  m_lines[index] = line;
  line->append(curve.points);
  line->setPen(penOf(index));
  if (!curve.filled) return chart()->addSeries(line);
  auto* area = new QAreaSeries(line);
  line->setParent(area);
  QColor color = penOf(index).color();
  color.setAlphaF(0.32F);
  area->setBrush(color);
  area->setPen(line->pen());
  chart()->addSeries(area);
}

// Only the highlight changed, so the lines are reused.
void LinePlot::repaintCurves() {
  for (std::size_t i = 0; i < m_lines.size(); ++i)
    if (m_lines[i] != nullptr && !m_curves.curves[i].filled) m_lines[i]->setPen(penOf(i));
  viewport()->update();
}

void LinePlot::restyle() {
  chart()->removeAllSeries();
  m_lines.assign(m_curves.curves.size(), nullptr);
  for (QAbstractAxis* axis : chart()->axes()) {
    chart()->removeAxis(axis);
    delete axis;
  }
  for (const Band& band : m_curves.bands) {
    auto* upper = new QLineSeries;
    auto* lower = new QLineSeries;
    upper->append(band.upper);
    lower->append(band.lower);
    auto* area = new QAreaSeries(upper, lower);
    upper->setParent(area);
    lower->setParent(area);
    area->setBrush(chartFill(theme(), band.color, band.strength));
    area->setPen(Qt::NoPen);
    chart()->addSeries(area);
  }
  // Highlighted curves are drawn last.
  for (const bool outlier : {false, true})
    for (std::size_t i = 0; i < m_curves.curves.size(); ++i)
      if (m_curves.curves[i].outlier == outlier) addCurve(i);
  addAxes();
}

void LinePlot::addAxes() {
  auto* across = new QValueAxis;
  across->setRange(m_curves.xBegin, m_curves.xEnd);
  auto* up = new QValueAxis;
  up->setRange(m_low, m_high);
  for (auto& [axis, side] : {std::pair(across, Qt::AlignBottom), std::pair(up, Qt::AlignLeft)}) {
    axis->setVisible(false);
    chart()->addAxis(axis, side);
    for (QAbstractSeries* series : chart()->series()) series->attachAxis(axis);
  }
}

void LinePlot::placePlot() {
  PlotView::placePlot();
  const QFontMetrics figures(numberFont(11));
  const AxisMarks marks = unitAxisMarks(m_curves.yUnit, m_low, m_high, rowsThatFit(height()));
  int widest = 0;
  for (const double at : marks.at)
    widest = std::max(widest, figures.horizontalAdvance(amountText(m_curves.yUnit, at, marks.step)));
  const QRectF space = QRectF(QPointF(), size())
                           .adjusted(widest + kGap, scaledToText(kPlotTop) + markHeight(), -kRight,
                                     -scaledToText(kPlotBottom));
  if (space != plot()) chart()->setPlotArea(space);
}

QPointF LinePlot::placeOf(double x, double y) const {
  return {plot().left() + (x - m_curves.xBegin) / (m_curves.xEnd - m_curves.xBegin) * plot().width(),
          plot().bottom() - (y - m_low) / (m_high - m_low) * plot().height()};
}

double LinePlot::xAt(qreal place) const {
  return m_curves.xBegin + (place - plot().left()) / plot().width() * (m_curves.xEnd - m_curves.xBegin);
}

std::optional<double> LinePlot::valueAt(const Curve& curve, double x) const {
  const auto after = std::ranges::lower_bound(curve.points, x, {}, &QPointF::x);
  if (curve.points.size() == 1) {
    const QPointF only = curve.points.front();
    const double perPixel = (m_curves.xEnd - m_curves.xBegin) / std::max(1.0, plot().width());
    const double near =
        m_curves.xUnit == Unit::Identity ? kSamePlace : std::max(kSamePlace, kNear * perPixel);
    return std::abs(only.x() - x) <= near ? std::optional(only.y()) : std::nullopt;
  }
  if (after == curve.points.end() || (after == curve.points.begin() && after->x() > x)) return std::nullopt;
  if (after->x() == x || after == curve.points.begin()) return after->y();
  const QPointF before = *(after - 1);
  return before.y() + (x - before.x()) / (after->x() - before.x()) * (after->y() - before.y());
}

int LinePlot::curveNear(QPointF place) const {
  const double x = std::clamp(xAt(place.x()), m_curves.xBegin, m_curves.xEnd);
  int nearest = -1;
  qreal distance = kNear;
  for (std::size_t i = 0; i < m_curves.curves.size(); ++i) {
    const Curve& curve = m_curves.curves[i];
    const auto value = valueAt(curve, x);
    if (!value) continue;
    const qreal away =
        curve.points.size() == 1
            ? QLineF(placeOf(curve.points.front().x(), curve.points.front().y()), place).length()
            : std::abs(placeOf(x, *value).y() - place.y());
    if (away > distance || (away == distance && !m_curves.curves[i].outlier)) continue;
    nearest = static_cast<int>(i);
    distance = away;
  }
  return nearest;
}

QString LinePlot::xText(double x, double step) const {
  const auto index = static_cast<qsizetype>(std::llround(x - std::ceil(m_curves.xBegin)));
  if (!m_curves.xTexts.isEmpty())
    return index >= 0 && index < m_curves.xTexts.size() ? m_curves.xTexts[index] : QString();
  return m_curves.xPrefix + amountText(m_curves.xUnit, x, step);
}

QString LinePlot::tipAt(QPointF place) const {
  if (!plot().adjusted(-kNear, -kNear, kNear, kNear).contains(place)) return {};
  double x = xAt(place.x());
  if (m_curves.xUnit == Unit::Identity) x = std::round(x);
  QStringList lines{xText(x, (m_curves.xEnd - m_curves.xBegin) / 1000)};
  const int near = curveNear(place);
  for (std::size_t i = 0; i < m_curves.curves.size(); ++i) {
    const Curve& curve = m_curves.curves[i];
    const bool shown = m_curves.curves.size() <= kMany || curve.outlier || static_cast<int>(i) == near;
    auto value = shown ? valueAt(curve, x) : std::nullopt;
    // There is nothing between two steps, or where one is missing.
    const bool there = std::ranges::binary_search(curve.points, x, {}, &QPointF::x);
    if (m_curves.xUnit == Unit::Identity && curve.points.size() > 1 && !there) value.reset();
    if (value) lines << tr("%1: %2").arg(curve.name.toHtmlEscaped(), amountText(m_curves.yUnit, *value));
  }
  if (m_tip) lines << m_tip(x);
  lines.removeAll(QString());
  return lines.join(QStringLiteral("<br>"));
}

void LinePlot::drawBackground(QPainter* painter, const QRectF& rect) {
  PlotView::drawBackground(painter, rect);
  painter->setRenderHint(QPainter::Antialiasing, false);
  paintAxes(*painter);
  painter->setRenderHint(QPainter::Antialiasing);
}

void LinePlot::paintAxes(QPainter& painter) const {
  const AxisMarks rows = unitAxisMarks(m_curves.yUnit, m_low, m_high, rowsThatFit(height()));
  for (const double at : rows.at) {
    const qreal y = placeOf(0, at).y();
    painter.setPen(theme().line);
    painter.drawLine(QPointF(plot().left(), y), QPointF(plot().right(), y));
    paintText(painter, QRectF(0, y - scaledToText(10), plot().left() - kGap + 2, scaledToText(20)),
              Qt::AlignRight | Qt::AlignVCenter, amountText(m_curves.yUnit, at, rows.step), theme().muted);
  }
  const bool whole = m_curves.xUnit == Unit::Identity || m_curves.xUnit == Unit::Count;
  const int most = std::max(1, static_cast<int>(plot().width()) / columnGap(m_curves.xTexts));
  const AxisMarks columns = axisMarks(m_curves.xBegin, m_curves.xEnd, most, whole);
  for (const double at : columns.at) {
    const qreal x = placeOf(at, 0).x();
    const QRectF box(x - scaledToText(kColumnGap) / 2.0, plot().bottom() + 4, scaledToText(kColumnGap),
                     scaledToText(kPlotBottom) - 4);
    const QRectF inside =
        box.translated(std::max(0.0, -box.left()) - std::max(0.0, box.right() - width()), 0);
    const int side = inside.left() > box.left()   ? Qt::AlignLeft
                     : inside.left() < box.left() ? Qt::AlignRight
                                                  : Qt::AlignHCenter;
    paintText(painter, inside, side | Qt::AlignTop, xText(at, columns.step), theme().muted);
  }
}

void LinePlot::drawForeground(QPainter* painter, const QRectF& rect) {
  PlotView::drawForeground(painter, rect);
  paintDots(*painter);
  paintMarks(*painter);
  paintNames(*painter);
  paintCursors(*painter);
  paintFocus(*painter, plot());
}

qreal LinePlot::dotRadius() const {
  const qreal share =
      plot().width() / static_cast<qreal>(std::max<std::size_t>(1, m_curves.curves.size())) / 2;
  return std::clamp(share, kMinDotRadius, kMaxDotRadius);
}

void LinePlot::paintDots(QPainter& painter) const {
  for (const bool outlier : {false, true}) {
    for (std::size_t i = 0; i < m_curves.curves.size(); ++i) {
      const Curve& curve = m_curves.curves[i];
      if (curve.points.size() != 1 || curve.outlier != outlier) continue;
      const QPointF center = placeOf(curve.points.front().x(), curve.points.front().y());
      const qreal radius = dotRadius() + (lit(i) ? 1.5 : 0);
      QColor color = curve.outlier ? theme().bad : theme().*curve.color;
      painter.setPen(QPen(theme().panel, 1));
      painter.setBrush(color);
      painter.drawEllipse(center, radius, radius);
    }
  }
}

void LinePlot::paintCursors(QPainter& painter) const {
  for (const auto& [x, color] : {std::pair(m_pointer, theme().faint), std::pair(m_cursor, theme().bad)}) {
    if (!x || *x < m_curves.xBegin || *x > m_curves.xEnd) continue;
    const qreal at = placeOf(*x, 0).x();
    painter.setPen(QPen(color, 1));
    painter.drawLine(QPointF(at, plot().top()), QPointF(at, plot().bottom()));
  }
}

int LinePlot::markHeight() const {
  const bool any =
      std::ranges::any_of(m_curves.marks, [](const PlotMark& mark) { return !mark.text.isEmpty(); });
  return any ? QFontMetrics(numberFont(11)).height() : 0;
}

// Above the plot, where they cover no curve.
std::vector<LinePlot::MarkText> LinePlot::markTexts() const {
  const QFontMetricsF figures(numberFont(11));
  std::vector<MarkText> texts;
  for (const bool plain : {false, true})
    for (std::size_t i = 0; i < m_curves.marks.size(); ++i) {
      const PlotMark& mark = m_curves.marks[i];
      const qreal x = placeOf(mark.x, 0).x();
      if ((mark.color == &Theme::faint) != plain || mark.text.isEmpty() || !isInPlot(x)) continue;
      const qreal wide = figures.horizontalAdvance(mark.text) + 2;
      const QRectF box(x + 4, plot().top() - markHeight(), wide, figures.height());
      const auto isTaken = [&](const MarkText& other) {
        return box.intersects(other.box.adjusted(-kMarkTextGap, 0, kMarkTextGap, 0));
      };
      if (box.right() <= plot().right() && std::ranges::none_of(texts, isTaken)) texts.push_back({i, box});
    }
  return texts;
}

bool LinePlot::isInPlot(qreal x) const {
  return x >= plot().left() - 1 && x <= plot().right() + 1;
}

void LinePlot::paintMarks(QPainter& painter) const {
  for (const PlotMark& mark : m_curves.marks) {
    const qreal x = placeOf(mark.x, 0).x();
    if (!isInPlot(x)) continue;
    painter.setPen(QPen(theme().*mark.color, 1, Qt::DotLine));
    painter.drawLine(QPointF(x, plot().top() - markHeight()), QPointF(x, plot().bottom()));
  }
  for (const MarkText& text : markTexts()) {
    const PlotMark& mark = m_curves.marks[text.mark];
    paintText(painter, text.box, Qt::AlignLeft, mark.text,
              mark.color == &Theme::faint ? theme().muted : readableOn(theme().*mark.color, theme().panel));
  }
}

// Above the end of the curve, below it, or next to the dot: wherever it covers no other name or dot.
std::optional<QRectF> LinePlot::nameBox(std::size_t index, const QList<QRectF>& taken) const {
  const Curve& curve = m_curves.curves[index];
  const QFontMetricsF metrics(textFont(12));
  const QPointF end = placeOf(curve.points.back().x(), curve.points.back().y());
  const qreal wide = metrics.horizontalAdvance(curve.name) + 4;
  const qreal high = metrics.height();
  const bool dot = curve.points.size() == 1;
  const qreal clear = dot ? dotRadius() + 4 : 4;
  const qreal left = std::min(end.x(), plot().right()) - wide;
  std::vector<QPointF> corners{{left, end.y() - high - clear}, {left, end.y() + clear}};
  if (dot)
    for (const qreal x : {end.x() - wide / 2, end.x()})
      for (const qreal y : {end.y() - high - clear, end.y() + clear}) corners.emplace_back(x, y);
  corners.emplace_back(end.x() - wide - clear, end.y() - high / 2);
  for (const QPointF corner : corners) {
    const QRectF box(corner, QSizeF(wide, high));
    if (box.top() < plot().top() - 2 || box.bottom() > plot().bottom() + high / 2) continue;
    if (box.left() < plot().left() || box.right() > width()) continue;
    if (std::ranges::any_of(taken, [&](const QRectF& other) { return other.intersects(box); })) continue;
    const QRectF around = box.adjusted(-dotRadius(), -dotRadius(), dotRadius(), dotRadius());
    const bool covers = std::ranges::any_of(m_curves.curves, [&](const Curve& other) {
      return other.points.size() == 1 && &other != &curve &&
             around.contains(placeOf(other.points.front().x(), other.points.front().y()));
    });
    if (!covers) return box;
  }
  return std::nullopt;
}

void LinePlot::paintNames(QPainter& painter) const {
  QList<QRectF> taken;
  for (std::size_t i = 0; i < m_curves.curves.size(); ++i) {
    const Curve& curve = m_curves.curves[i];
    if (!lit(i) || curve.points.isEmpty() || curve.name.isEmpty()) continue;
    const auto box = nameBox(i, taken);
    if (!box) continue;
    taken << *box;
    // Hides lines under the text.
    paintGround(painter, box->adjusted(-3, 0, 3, 0));
    paintText(painter, *box, Qt::AlignRight, curve.name,
              readableOn(curve.outlier ? theme().bad : theme().*curve.color, theme().panel), false);
  }
}

void LinePlot::paintGround(QPainter& painter, QRectF box) const {
  QColor ground = theme().panel;
  ground.setAlphaF(0.82F);
  painter.fillRect(box, ground);
}

} // namespace rankscope::ui
