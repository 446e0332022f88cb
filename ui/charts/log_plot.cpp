// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/log_plot.h"

#include "core/base/byte_units.h"
#include "ui/base/contrast.h"
#include "ui/base/text_scale.h"
#include "ui/charts/axis_text.h"

#include <QAreaSeries>
#include <QChart>
#include <QFontMetrics>
#include <QLineF>
#include <QLineSeries>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QValueAxis>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kBottom = 42; // labels and title of the x axis
constexpr int kTop = 26;    // title of the y axis
constexpr int kLogRight = 14;
constexpr int kLogGap = 10;
constexpr int kLogColumnGap = 74; // minimum distance of labels
constexpr int kLogRowGap = 26;
constexpr qreal kRadius = 3.5;
constexpr qreal kLogNear = 10;         // pixels around a point that belong to it
constexpr qsizetype kNamedPoints = 12; // of a curve, that its name may stand at
constexpr std::array<qreal, 4> kNameDistances{8, 14, 22, 32};
constexpr double kMostDecades = 9;
constexpr double kFewDecades = 3;
constexpr double kLeastSizes = 1.5; // decades

QPointF logOf(QPointF point) {
  return {std::log10(point.x()), std::log10(point.y())};
}

QList<QPointF> logsOf(const QList<QPointF>& points) {
  QList<QPointF> logs;
  logs.reserve(points.size());
  for (const QPointF& point : points) logs << logOf(point);
  return logs;
}

// "1 KiB": of a power of the unit of bytes without digits after the point.
QString sizeText(double bytes) {
  const bool binary = byteUnits() == ByteUnits::Binary;
  const double base = binary ? 1024 : 1000;
  static const char* const kBinary[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  static const char* const kDecimal[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (bytes >= base * 0.999 && unit + 1 < std::size(kBinary)) {
    bytes /= base;
    ++unit;
  }
  return QString::number(std::llround(bytes)) + QChar(0x202f) +
         QString::fromLatin1(binary ? kBinary[unit] : kDecimal[unit]);
}

// Powers at which the axis of sizes has labels: whole steps of 2^5, 2^10, ... or of tens.
std::vector<double> sizeMarks(double left, double right, double width) {
  const int most = std::max(1, static_cast<int>(width) / scaledToText(kLogColumnGap));
  const bool binary = byteUnits() == ByteUnits::Binary;
  const double base = binary ? std::log10(2.0) : 1;
  static constexpr std::array kBinarySteps{1, 2, 5, 10, 20}, kDecimalSteps{1, 2, 3, 6, 12};
  double step = base;
  for (const int times : binary ? kBinarySteps : kDecimalSteps) {
    step = base * times;
    if ((right - left) / step <= most) break;
  }
  std::vector<double> marks;
  marks.reserve(static_cast<std::size_t>(std::max(0.0, (right - left) / step)) + 2);
  for (double at = std::ceil(left / step - 1e-9) * step; at <= right + 1e-9; at += step) marks.push_back(at);
  return marks;
}

// Powers of ten, fewer where there is little room; over few of them twos and fives too.
std::vector<double> rowMarks(double low, double high, double height) {
  const int most = std::max(1, static_cast<int>(height) / scaledToText(kLogRowGap));
  const int step = std::max(1, static_cast<int>(std::ceil((high - low) / most)));
  const bool between = 3 * (high - low) < most && high - low < kFewDecades;
  std::vector<double> marks;
  for (int power = static_cast<int>(std::floor(low)); power <= static_cast<int>(std::floor(high));
       power += step)
    for (const int times : {1, 2, 5}) {
      const double at = power + std::log10(times);
      if (at >= low && at <= high && (between || times == 1)) marks.push_back(std::pow(10.0, at));
    }
  return marks;
}

// Whether a part of a line is inside of a box.
bool crosses(const QLineF& line, const QRectF& box) {
  qreal from = 0, to = 1;
  const auto clip = [&](qreal start, qreal along, qreal low, qreal high) {
    if (along == 0) return start >= low && start <= high;
    const qreal a = (low - start) / along, b = (high - start) / along;
    from = std::max(from, std::min(a, b));
    to = std::min(to, std::max(a, b));
    return from <= to;
  };
  return clip(line.x1(), line.dx(), box.left(), box.right()) &&
         clip(line.y1(), line.dy(), box.top(), box.bottom());
}

qreal distanceOf(const QRectF& box, QPointF point) {
  return std::hypot(std::max({box.left() - point.x(), point.x() - box.right(), 0.0}),
                    std::max({box.top() - point.y(), point.y() - box.bottom(), 0.0}));
}

} // namespace

bool LogCurves::empty() const {
  return std::ranges::all_of(curves, [](const LogCurve& curve) { return curve.points.isEmpty(); });
}

LogPlot::LogPlot(const TraceSession& session, QWidget* parent) : PlotView(session, parent) {
  setFocusPolicy(Qt::StrongFocus);
}

void LogPlot::setCurves(LogCurves curves) {
  m_curves = std::move(curves);
  m_hovered = {};
  m_namesFor = {};
  measure();
  restyle();
  placePlot();
  viewport()->update();
}

void LogPlot::measure() {
  double left = 1e300, right = 0, low = 1e300, high = 0;
  const auto take = [&](const QList<QPointF>& points) {
    for (const QPointF& point : points) {
      left = std::min(left, point.x());
      right = std::max(right, point.x());
      low = std::min(low, point.y());
      high = std::max(high, point.y());
    }
  };
  for (const LogCurve& curve : m_curves.curves) take(curve.points);
  for (const LogBand& band : m_curves.bands) {
    take(band.upper);
    take(band.lower);
  }
  if (!(right > 0) || !(high > 0)) {
    m_left = m_low = 0;
    m_right = m_high = 1;
    return;
  }
  // A level far above the curves would press them into a corner.
  for (const LogLevel& level : m_curves.levels)
    if (level.y < 100 * high) high = std::max(high, level.y);
  m_left = std::log10(left) - 0.1;
  m_right = std::log10(right) + 0.15;
  if (m_right - m_left < kLeastSizes) {
    const double middle = (m_left + m_right) / 2;
    m_left = middle - kLeastSizes / 2;
    m_right = middle + kLeastSizes / 2;
  }
  m_high = std::log10(high) + 0.12;
  m_low = std::max(std::log10(low) - 0.12, m_high - kMostDecades);
  if (m_high - m_low < 1) {
    const double middle = (m_high + m_low) / 2;
    m_low = middle - 0.5;
    m_high = middle + 0.5;
  }
}

void LogPlot::restyle() {
  chart()->removeAllSeries();
  for (QAbstractAxis* axis : chart()->axes()) {
    chart()->removeAxis(axis);
    delete axis;
  }
  for (const LogBand& band : m_curves.bands) {
    auto* upper = new QLineSeries;
    auto* lower = new QLineSeries;
    upper->append(logsOf(band.upper));
    lower->append(logsOf(band.lower));
    auto* area = new QAreaSeries(upper, lower);
    upper->setParent(area);
    lower->setParent(area);
    area->setBrush(chartFill(theme(), band.color, 0.18));
    area->setPen(Qt::NoPen);
    chart()->addSeries(area);
  }
  for (const LogCurve& curve : m_curves.curves) {
    if (curve.points.size() < 2 || curve.loose) continue;
    auto* line = new QLineSeries;
    line->append(logsOf(curve.points));
    line->setPen(QPen(theme().*curve.color, 1.5, curve.dashed ? Qt::DashLine : Qt::SolidLine));
    chart()->addSeries(line);
  }
  auto* across = new QValueAxis;
  across->setRange(m_left, m_right);
  auto* up = new QValueAxis;
  up->setRange(m_low, m_high);
  for (auto& [axis, side] : {std::pair(across, Qt::AlignBottom), std::pair(up, Qt::AlignLeft)}) {
    axis->setVisible(false);
    chart()->addAxis(axis, side);
    for (QAbstractSeries* series : chart()->series()) series->attachAxis(axis);
  }
}

QString LogPlot::yText(double y) const {
  if (m_curves.yUnit == Unit::Nanoseconds) return amountText(Unit::Nanoseconds, y);
  if (y >= 1) return QString::number(std::llround(y));
  return QString::number(y, 'g', 3);
}

void LogPlot::placePlot() {
  PlotView::placePlot();
  const QFontMetrics figures(numberFont(11));
  int widest = 0;
  for (const double mark : rowMarks(m_low, m_high, height()))
    widest = std::max(widest, figures.horizontalAdvance(yText(mark)));
  const QRectF space =
      QRectF(QPointF(), size())
          .adjusted(widest + kLogGap, scaledToText(kTop), -kLogRight, -scaledToText(kBottom));
  if (space != plot()) chart()->setPlotArea(space);
}

QPointF LogPlot::placeOf(QPointF point) const {
  const QPointF logs = logOf(point);
  return {plot().left() + (logs.x() - m_left) / (m_right - m_left) * plot().width(),
          plot().bottom() - (logs.y() - m_low) / (m_high - m_low) * plot().height()};
}

void LogPlot::drawBackground(QPainter* painter, const QRectF& rect) {
  PlotView::drawBackground(painter, rect);
  if (m_curves.empty()) return;
  painter->setRenderHint(QPainter::Antialiasing, false);
  for (const double mark : rowMarks(m_low, m_high, plot().height())) {
    const qreal y = placeOf({1, mark}).y();
    painter->setPen(theme().line);
    painter->drawLine(QPointF(plot().left(), y), QPointF(plot().right(), y));
    paintText(*painter, QRectF(0, y - scaledToText(10), plot().left() - kLogGap + 2, scaledToText(20)),
              Qt::AlignRight | Qt::AlignVCenter, yText(mark), theme().muted);
  }
  for (const double at : sizeMarks(m_left, m_right, plot().width())) {
    const double bytes = std::pow(10.0, at);
    const qreal x = placeOf({bytes, 1}).x();
    painter->setPen(theme().line);
    painter->drawLine(QPointF(x, plot().top()), QPointF(x, plot().bottom()));
    const qreal wide = scaledToText(kLogColumnGap);
    const qreal left = std::clamp<qreal>(x - wide / 2, 0, std::max<qreal>(0, width() - wide));
    const int side = left > x - wide / 2   ? Qt::AlignLeft
                     : left < x - wide / 2 ? Qt::AlignRight
                                           : Qt::AlignHCenter;
    paintText(*painter, QRectF(left, plot().bottom() + 3, wide, scaledToText(18)), side | Qt::AlignTop,
              sizeText(bytes), theme().muted);
  }
  paintText(*painter, QRectF(0, 0, width() / 2.0, scaledToText(kTop) - 6), Qt::AlignLeft | Qt::AlignVCenter,
            m_curves.yTitle, theme().muted, false);
  paintText(*painter, QRectF(plot().left(), height() - scaledToText(19), plot().width(), scaledToText(18)),
            Qt::AlignRight | Qt::AlignVCenter, m_curves.xTitle, theme().muted, false);
  painter->setRenderHint(QPainter::Antialiasing);
}

void LogPlot::drawForeground(QPainter* painter, const QRectF& rect) {
  PlotView::drawForeground(painter, rect);
  if (!m_curves.empty()) {
    paintLevels(*painter);
    paintDots(*painter);
    paintNames(*painter);
  }
  paintFocus(*painter, plot());
}

std::vector<LogPlot::LevelPlace> LogPlot::levelPlaces() const {
  std::vector<LevelPlace> places;
  const QFontMetricsF metrics(textFont(12));
  const qreal high = scaledToText(16);
  for (std::size_t i = 0; i < m_curves.levels.size(); ++i) {
    const LogLevel& level = m_curves.levels[i];
    if (!(level.y > 0) || std::log10(level.y) > m_high || std::log10(level.y) < m_low) continue;
    const qreal y = placeOf({1, level.y}).y();
    const qreal wide = std::min(metrics.horizontalAdvance(level.text) + 4, plot().width() - 12);
    LevelPlace place{i, y, {}};
    // Texts of near levels would lie on each other.
    for (const qreal top : {y - high, y + 1}) {
      const QRectF box(plot().left() + 6, top, wide, high);
      const auto meets = [&](const LevelPlace& other) { return other.text.intersects(box); };
      if (std::ranges::any_of(places, meets)) continue;
      place.text = box;
      break;
    }
    places.push_back(place);
  }
  return places;
}

void LogPlot::paintLevels(QPainter& painter) const {
  for (const LevelPlace& place : levelPlaces()) {
    const LogLevel& level = m_curves.levels[place.level];
    painter.setPen(QPen(theme().*level.color, 1.2));
    painter.drawLine(QPointF(plot().left(), place.y), QPointF(plot().right(), place.y));
    if (!place.text.isNull())
      paintText(painter, place.text, Qt::AlignLeft | Qt::AlignVCenter, level.text, theme().*level.color,
                false);
  }
}

void LogPlot::paintDots(QPainter& painter) const {
  for (std::size_t i = 0; i < m_curves.curves.size(); ++i) {
    const LogCurve& curve = m_curves.curves[i];
    if (curve.dashed) continue;
    for (qsizetype k = 0; k < curve.points.size(); ++k) {
      const bool warned =
          static_cast<std::size_t>(k) < curve.warned.size() && curve.warned[static_cast<std::size_t>(k)];
      const bool hovered = m_hovered == Place{static_cast<int>(i), static_cast<int>(k)};
      painter.setPen(QPen(theme().panel, 1));
      painter.setBrush(warned ? theme().warn : theme().*curve.color);
      const qreal radius = kRadius + (hovered ? 2 : 0) + (warned ? 1 : 0) - (curve.loose ? 1 : 0);
      painter.drawEllipse(placeOf(curve.points[k]), radius, radius);
    }
  }
}

std::vector<QRectF> LogPlot::freeNameBoxes() const {
  QList<QRectF> taken;
  QList<QLineF> lines;
  for (const LevelPlace& level : levelPlaces()) {
    if (!level.text.isNull()) taken << level.text;
    lines << QLineF(plot().left(), level.y, plot().right(), level.y);
  }
  constexpr qreal kDot = kRadius + 3;
  for (const LogCurve& curve : m_curves.curves) {
    QPointF before;
    for (qsizetype i = 0; i < curve.points.size(); ++i) {
      const QPointF at = placeOf(curve.points[i]);
      if (!curve.dashed) taken << QRectF(at.x() - kDot, at.y() - kDot, 2 * kDot, 2 * kDot);
      if (i > 0 && !curve.loose) lines << QLineF(before, at);
      before = at;
    }
  }
  const auto isFree = [&](const QRectF& box) {
    return plot().contains(box) &&
           std::ranges::none_of(taken, [&](const QRectF& other) { return other.intersects(box); }) &&
           std::ranges::none_of(lines, [&](const QLineF& line) { return crosses(line, box); });
  };
  // A name beside another curve would be taken for its name.
  const auto isNearest = [&](const QRectF& box, std::size_t own) {
    qreal nearest = std::numeric_limits<qreal>::infinity(), mine = nearest;
    for (std::size_t i = 0; i < m_curves.curves.size(); ++i) {
      const LogCurve& curve = m_curves.curves[i];
      if (curve.dashed || curve.loose) continue;
      for (const QPointF& point : curve.points) {
        const qreal away = distanceOf(box, placeOf(point));
        (i == own ? mine : nearest) = std::min(i == own ? mine : nearest, away);
      }
    }
    return mine <= nearest;
  };
  const QFontMetricsF metrics(textFont(12));
  const qreal high = metrics.height();
  std::vector<QRectF> boxes(m_curves.curves.size());
  for (std::size_t i = 0; i < m_curves.curves.size(); ++i) {
    const LogCurve& curve = m_curves.curves[i];
    if (curve.name.isEmpty()) continue;
    const qreal wide = metrics.horizontalAdvance(curve.name) + 4;
    // Near its end first; a name that is far from its curve would belong to another one.
    const qsizetype last = curve.points.size() - 1;
    for (qsizetype back = 0; back < std::min(kNamedPoints, last + 1) && boxes[i].isNull(); ++back) {
      const QPointF at = placeOf(curve.points[last - back]);
      for (const qreal away : kNameDistances) {
        const QRectF candidates[] = {{at.x() + away, at.y() - high / 2, wide, high},
                                     {at.x() - wide + away, at.y() - high - away, wide, high},
                                     {at.x() + away / 2, at.y() + away / 2, wide, high},
                                     {at.x() - wide / 2, at.y() + away, wide, high},
                                     {at.x() - wide - away, at.y() - high / 2, wide, high}};
        const auto* const found = std::ranges::find_if(
            candidates, [&](const QRectF& box) { return isFree(box) && isNearest(box, i); });
        if (found == std::end(candidates)) continue;
        boxes[i] = *found;
        taken << *found;
        break;
      }
    }
  }
  return boxes;
}

QRectF LogPlot::nameBox(std::size_t curve) const {
  if (m_namesFor != plot()) {
    m_nameBoxes = freeNameBoxes();
    m_namesFor = plot();
  }
  return curve < m_nameBoxes.size() ? m_nameBoxes[curve] : QRectF();
}

// Where nothing is, else not at all: the legend has them all.
void LogPlot::paintNames(QPainter& painter) const {
  for (std::size_t i = 0; i < m_curves.curves.size(); ++i) {
    const QRectF box = nameBox(i);
    if (box.isNull()) continue;
    const LogCurve& curve = m_curves.curves[i];
    paintText(painter, box, Qt::AlignCenter, curve.name, readableOn(theme().*curve.color, theme().panel),
              false);
  }
}

std::optional<LogPlot::Place> LogPlot::pointNear(QPointF place) const {
  std::optional<Place> nearest;
  qreal distance = kLogNear;
  for (std::size_t i = 0; i < m_curves.curves.size(); ++i) {
    const LogCurve& curve = m_curves.curves[i];
    if (curve.dashed) continue;
    for (qsizetype k = 0; k < curve.points.size(); ++k) {
      const qreal away = QLineF(placeOf(curve.points[k]), place).length();
      if (away >= distance) continue;
      distance = away;
      nearest = Place{static_cast<int>(i), static_cast<int>(k)};
    }
  }
  return nearest;
}

QString LogPlot::tipAt(QPointF place) const {
  const auto near = pointNear(place);
  if (!near) return {};
  const LogCurve& curve = m_curves.curves[static_cast<std::size_t>(near->curve)];
  const auto point = static_cast<std::size_t>(near->point);
  return point < curve.tips.size() ? curve.tips[point] : QString();
}

void LogPlot::hover(Place place) {
  setCursor(place.curve >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (m_hovered == place) return;
  m_hovered = place;
  viewport()->update();
}

void LogPlot::mouseMoveEvent(QMouseEvent* event) {
  PlotView::mouseMoveEvent(event);
  hover(pointNear(event->position()).value_or(Place{}));
}

void LogPlot::mouseReleaseEvent(QMouseEvent* event) {
  PlotView::mouseReleaseEvent(event);
  if (event->button() != Qt::LeftButton) return;
  if (const auto near = pointNear(event->position())) emit pointClicked(near->curve, near->point);
}

void LogPlot::leaveEvent(QEvent* event) {
  PlotView::leaveEvent(event);
  hover({});
}

void LogPlot::keyPressEvent(QKeyEvent* event) {
  std::vector<int> curves;
  for (std::size_t i = 0; i < m_curves.curves.size(); ++i)
    if (!m_curves.curves[i].dashed && !m_curves.curves[i].points.isEmpty())
      curves.push_back(static_cast<int>(i));
  if (curves.empty()) return event->ignore();
  Place place = m_hovered;
  const auto at = std::ranges::find(curves, place.curve);
  const auto order = at == curves.end() ? 0 : at - curves.begin();
  const auto count = static_cast<std::ptrdiff_t>(curves.size());
  switch (event->key()) {
  case Qt::Key_Left:
  case Qt::Key_Right:
    place.point += event->key() == Qt::Key_Left ? -1 : 1;
    break;
  case Qt::Key_Up:
  case Qt::Key_Down:
    place.curve =
        curves[static_cast<std::size_t>((order + (event->key() == Qt::Key_Up ? count - 1 : 1)) % count)];
    break;
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (place.curve >= 0) emit pointClicked(place.curve, place.point);
    return;
  default:
    return event->ignore();
  }
  if (place.curve < 0) place.curve = curves.front();
  const LogCurve& curve = m_curves.curves[static_cast<std::size_t>(place.curve)];
  place.point = std::clamp(place.point, 0, static_cast<int>(curve.points.size()) - 1);
  hover(place);
  showTip(placeOf(curve.points[place.point]));
}

} // namespace rankscope::ui
