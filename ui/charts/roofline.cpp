// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/roofline.h"

#include "ui/base/contrast.h"
#include "ui/base/text_scale.h"
#include "ui/job/trace_session.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kLeftGutter = 52;
constexpr int kBottomGutter = 36;
constexpr int kTopGutter = 24;
constexpr int kRightGutter = 12;
constexpr qreal kLeastRadius = 3;
constexpr qreal kMostRadius = 13;
constexpr qreal kNearPoint = 5; // pixels around a dot that belong to it

// "0.1", "1 000".
QString powerText(int power) {
  if (power < 0) return QString::number(std::pow(10.0, power), 'f', -power);
  QString text = QString::number(static_cast<qulonglong>(std::llround(std::pow(10.0, std::min(power, 18)))));
  for (qsizetype i = text.size() - 3; i > 0; i -= 3) text.insert(i, QChar(0x202f));
  return text;
}

} // namespace

Roofline::Roofline(const TraceSession& session, QWidget* parent) : QWidget(parent), m_session(session) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  connect(&session, &TraceSession::themeChanged, this, qOverload<>(&QWidget::update));
}

void Roofline::setContents(RooflineContents contents) {
  m_contents = std::move(contents);
  m_hovered = m_marked = -1;
  measure();
  setAccessibleDescription(tr("%1 operators").arg(m_contents.dots.size()));
  updateGeometry();
  update();
}

// Whole powers of ten around all dots, levels and the ridges.
void Roofline::measure() {
  double left = 1;
  double right = 100;
  double bottom = 1;
  double top = 10;
  bool first = true;
  m_most = 1;
  for (const RooflineDot& dot : m_contents.dots) {
    left = first ? dot.intensity : std::min(left, dot.intensity);
    right = first ? dot.intensity : std::max(right, dot.intensity);
    bottom = first ? dot.tflops : std::min(bottom, dot.tflops);
    top = first ? dot.tflops : std::max(top, dot.tflops);
    m_most = std::max(m_most, dot.time);
    first = false;
  }
  for (const RooflineLevel& level : m_contents.levels) {
    top = std::max(top, level.tflops);
    if (m_contents.gigabytes <= 0) continue;
    right = std::max(right, 4 * level.tflops * 1e3 / m_contents.gigabytes);
    left = std::min(left, 0.5 * level.tflops * 1e3 / m_contents.gigabytes);
  }
  // A few tiny products would otherwise squeeze all others into a corner.
  constexpr double kMostDecades = 8;
  m_right = std::ceil(std::log10(right));
  m_left = std::max(std::floor(std::log10(left)), m_right - kMostDecades);
  m_top = std::log10(top * 1.6);
  m_bottom = std::max(std::floor(std::log10(bottom)), std::ceil(m_top) - kMostDecades);
  if (m_right - m_left < 2) m_left = m_right - 2;
  if (m_top - m_bottom < 2) m_bottom = m_top - 2;
}

QRectF Roofline::plot() const {
  return QRectF(rect()).adjusted(scaledToText(kLeftGutter), scaledToText(kTopGutter),
                                 -scaledToText(kRightGutter), -scaledToText(kBottomGutter));
}

QPointF Roofline::at(double intensity, double tflops) const {
  const QRectF box = plot();
  const double x = std::clamp(std::log10(std::max(intensity, 1e-30)), m_left, m_right);
  const double y = std::clamp(std::log10(std::max(tflops, 1e-30)), m_bottom, m_top);
  return {box.left() + (x - m_left) / (m_right - m_left) * box.width(),
          box.bottom() - (y - m_bottom) / (m_top - m_bottom) * box.height()};
}

QPointF Roofline::placeOf(int dot) const {
  const RooflineDot& shown = m_contents.dots[static_cast<std::size_t>(dot)];
  return at(shown.intensity, shown.tflops);
}

qreal Roofline::radiusOf(int dot) const {
  const double share = m_contents.dots[static_cast<std::size_t>(dot)].time / m_most;
  return std::max(kLeastRadius, kMostRadius * std::sqrt(std::clamp(share, 0.0, 1.0)));
}

// Small dots lie on top of large ones.
int Roofline::dotAt(QPointF place) const {
  int found = -1;
  qreal nearest = 0;
  for (int dot = 0; dot < static_cast<int>(m_contents.dots.size()); ++dot) {
    const QPointF away = placeOf(dot) - place;
    const qreal distance = std::hypot(away.x(), away.y()) - radiusOf(dot);
    if (distance > kNearPoint || (found >= 0 && distance > std::max<qreal>(nearest, 0))) continue;
    found = dot;
    nearest = distance;
  }
  return found;
}

void Roofline::markDot(int dot) {
  if (m_marked == dot) return;
  m_marked = dot;
  update();
}

void Roofline::paintAxes(QPainter& painter) const {
  const Theme& theme = m_session.theme();
  const QRectF box = plot();
  const QFont figures = numberFont(11);
  const QFontMetrics metrics(figures);
  painter.setFont(figures);
  // Labels of powers keep their distance.
  const auto stepOf = [](double powers, qreal room, int needed) {
    return std::max(1, static_cast<int>(std::ceil(powers * needed / std::max<qreal>(room, 1))));
  };
  const int xStep = stepOf(m_right - m_left, box.width(), scaledToText(64));
  const int yStep = stepOf(m_top - m_bottom, box.height(), scaledToText(24));
  for (int power = static_cast<int>(m_left); power <= static_cast<int>(m_right); power += xStep) {
    const qreal x = at(std::pow(10.0, power), 1).x();
    painter.setPen(theme.line);
    painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()));
    const QString text = powerText(power);
    const int wide = metrics.horizontalAdvance(text) + 2;
    const qreal left = std::clamp<qreal>(x - wide / 2.0, 0, std::max(0, width() - wide));
    painter.setPen(theme.muted);
    painter.drawText(QRectF(left, box.bottom() + 2, wide, scaledToText(16)), Qt::AlignCenter, text);
  }
  for (int power = static_cast<int>(std::ceil(m_bottom)); power <= static_cast<int>(m_top); power += yStep) {
    const qreal y = at(1, std::pow(10.0, power)).y();
    painter.setPen(theme.line);
    painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y));
    painter.setPen(theme.muted);
    painter.drawText(QRectF(0, y - scaledToText(8), box.left() - 8, scaledToText(16)),
                     Qt::AlignRight | Qt::AlignVCenter, powerText(power));
  }
  painter.setFont(textFont(11));
  painter.drawText(QRectF(0, 0, width() / 2.0, scaledToText(kTopGutter) - 6),
                   Qt::AlignLeft | Qt::AlignVCenter, tr("TFLOP/s"));
  painter.drawText(QRectF(box.left(), box.bottom() + scaledToText(18), box.width(), scaledToText(16)),
                   Qt::AlignRight | Qt::AlignVCenter, tr("FLOP per byte"));
}

void Roofline::paintRoofs(QPainter& painter) const {
  const Theme& theme = m_session.theme();
  const QRectF box = plot();
  painter.save();
  painter.setClipRect(box.adjusted(-1, -scaledToText(18), 1, 1));
  double highest = 0;
  QLineF memory;
  for (const RooflineLevel& level : m_contents.levels) {
    if (!level.dashed) highest = std::max(highest, level.tflops);
  }
  if (m_contents.gigabytes > 0 && highest > 0) {
    const double ridge = highest * 1e3 / m_contents.gigabytes;
    const double from =
        std::max(std::pow(10.0, m_left), std::pow(10.0, m_bottom) * 1e3 / m_contents.gigabytes);
    const QPointF low = at(from, from * m_contents.gigabytes / 1e3);
    const QPointF high = at(ridge, highest);
    painter.setPen(QPen(theme.text, 1.6));
    painter.drawLine(low, high);
    memory = QLineF(low, high);
  }
  for (const RooflineLevel& level : m_contents.levels) {
    const double ridge = m_contents.gigabytes > 0 ? level.tflops * 1e3 / m_contents.gigabytes : 0;
    const QPointF begin = at(level.dashed || ridge <= 0 ? std::pow(10.0, m_left) : ridge, level.tflops);
    painter.setPen(
        QPen(theme.*level.color, level.dashed ? 1 : 1.6, level.dashed ? Qt::DashLine : Qt::SolidLine));
    painter.drawLine(begin, QPointF(box.right(), begin.y()));
  }
  if (!memory.isNull()) paintMemoryText(painter, memory);
  painter.restore();
}

// Along the line of the memory; other lines end beside it.
void Roofline::paintMemoryText(QPainter& painter, QLineF line) const {
  const Theme& theme = m_session.theme();
  const QString text = tr("memory %1 GB/s").arg(std::llround(m_contents.gigabytes));
  painter.setFont(textFont(11));
  const qreal wide = QFontMetrics(painter.font()).horizontalAdvance(text) + 4;
  if (line.length() <= 1.6 * wide) return;
  painter.translate(line.pointAt(0.45));
  painter.rotate(-line.angle());
  const QRectF place(-wide / 2, -scaledToText(18), wide, scaledToText(16));
  painter.fillRect(place, theme.panel);
  painter.setPen(theme.muted);
  painter.drawText(place, Qt::AlignCenter, text);
}

// Right of the ridge, away from the line of the memory and its text.
std::vector<Roofline::LevelText> Roofline::levelTexts() const {
  const QRectF box = plot();
  const QFontMetricsF metrics(textFont(11));
  const qreal high = scaledToText(15);
  constexpr int kMostAway = 4; // halves of a line
  std::vector<LevelText> texts;
  for (std::size_t i = 0; i < m_contents.levels.size(); ++i) {
    const qreal y = at(1, m_contents.levels[i].tflops).y();
    const qreal wide = metrics.horizontalAdvance(m_contents.levels[i].text) + 4;
    // Texts of near levels would lie on each other.
    qreal top = y - high - 1;
    const qreal last = texts.empty() ? -1e9 : texts.back().box.top();
    if (top < last + high) top = y + 2;
    if (top < last + high - 2) continue;
    const QRectF place(std::round(box.right() - 6 - wide), std::round(top), std::ceil(wide), high);
    // Where dots lie all along the line, somewhat above or below it.
    std::optional<QRectF> free = besideDots(place);
    for (int away = 1; away <= kMostAway && !free; ++away) {
      for (const int sign : {-1, 1}) {
        const QRectF moved = place.translated(0, sign * away * high / 2);
        const auto overlaps = [&](const LevelText& of) { return of.box.intersects(moved); };
        if (!free && box.contains(moved) && std::ranges::none_of(texts, overlaps)) free = besideDots(moved);
      }
    }
    texts.push_back({i, free.value_or(place)});
  }
  return texts;
}

// The place moved left along its line until it covers no dot, but not over the line of the memory.
std::optional<QRectF> Roofline::besideDots(QRectF place) const {
  constexpr qreal kAway = 2;
  double highest = 0;
  for (const RooflineLevel& level : m_contents.levels)
    if (!level.dashed) highest = std::max(highest, level.tflops);
  const bool ridge = m_contents.gigabytes > 0 && highest > 0;
  const qreal least = ridge ? at(highest * 1e3 / m_contents.gigabytes, highest).x() : plot().left();
  QRectF found = place;
  for (bool moved = true; moved;) {
    moved = false;
    for (int dot = 0; dot < static_cast<int>(m_contents.dots.size()); ++dot) {
      const qreal around = radiusOf(dot) + kAway;
      const QPointF center = placeOf(dot);
      if (!found.adjusted(-around, -around, around, around).contains(center)) continue;
      found.moveRight(std::floor(center.x() - around) - 1);
      if (found.left() < least + kAway) return std::nullopt;
      moved = true;
    }
  }
  return found;
}

// Above the dots, which often are where the levels are.
void Roofline::paintLevelTexts(QPainter& painter) const {
  const Theme& theme = m_session.theme();
  painter.setFont(textFont(11));
  for (const LevelText& text : levelTexts()) {
    const RooflineLevel& level = m_contents.levels[text.level];
    painter.fillRect(text.box, theme.panel);
    painter.setPen(readableOn(theme.*level.color, theme.panel));
    painter.drawText(text.box, Qt::AlignCenter, level.text);
  }
}

void Roofline::paintDots(QPainter& painter) const {
  const Theme& theme = m_session.theme();
  for (int dot = 0; dot < static_cast<int>(m_contents.dots.size()); ++dot) {
    QColor fill = theme.*m_contents.dots[static_cast<std::size_t>(dot)].color;
    painter.setPen(QPen(fill, 1));
    fill.setAlphaF(0.72F);
    painter.setBrush(fill);
    painter.drawEllipse(placeOf(dot), radiusOf(dot), radiusOf(dot));
  }
  for (const int dot : {m_marked, m_hovered}) {
    if (dot < 0 || dot >= static_cast<int>(m_contents.dots.size())) continue;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.accent, 2));
    painter.drawEllipse(placeOf(dot), radiusOf(dot) + 3, radiusOf(dot) + 3);
  }
}

void Roofline::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  paintAxes(painter);
  paintRoofs(painter);
  paintDots(painter);
  paintLevelTexts(painter);
}

bool Roofline::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int dot = dotAt(help->pos());
  if (dot >= 0)
    QToolTip::showText(help->globalPos(), m_contents.dots[static_cast<std::size_t>(dot)].tip, this);
  else
    QToolTip::hideText();
  return true;
}

void Roofline::hover(int dot) {
  setCursor(dot >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (m_hovered == dot) return;
  m_hovered = dot;
  update();
  emit dotHovered(dot);
}

void Roofline::mouseMoveEvent(QMouseEvent* event) {
  hover(dotAt(event->position()));
}

void Roofline::leaveEvent(QEvent* event) {
  QWidget::leaveEvent(event);
  hover(-1);
}

void Roofline::mouseReleaseEvent(QMouseEvent* event) {
  const int dot = dotAt(event->position());
  if (event->button() == Qt::LeftButton && dot >= 0) emit dotClicked(dot);
}

void Roofline::keyPressEvent(QKeyEvent* event) {
  const int dots = static_cast<int>(m_contents.dots.size());
  if (dots == 0) return event->ignore();
  switch (event->key()) {
  case Qt::Key_Left:
  case Qt::Key_Right:
    hover(std::clamp(m_hovered + (event->key() == Qt::Key_Left ? -1 : 1), 0, dots - 1));
    break;
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (m_hovered >= 0) emit dotClicked(m_hovered);
    return;
  default:
    return event->ignore();
  }
  QToolTip::showText(mapToGlobal(placeOf(m_hovered).toPoint()),
                     m_contents.dots[static_cast<std::size_t>(m_hovered)].tip, this);
}

} // namespace rankscope::ui
