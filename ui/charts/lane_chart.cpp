// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/lane_chart.h"

#include "core/base/unit_text.h"
#include "ui/base/text_scale.h"
#include "ui/charts/axis_text.h"

#include <QFontMetrics>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kLaneHeight = 34;
constexpr int kMinLaneHeight = 22;
constexpr int kTickHeight = 18;
constexpr int kLaneGap = 12;
constexpr qreal kLaneShare = 0.74;
constexpr qreal kPale = 0.25;

// The opaque color that a translucent one has on a panel.
QColor onPanel(const Theme& theme, QColor fill) {
  const float strength = fill.alphaF();
  const auto mix = [&](float under, float above) { return under + (above - under) * strength; };
  return QColor::fromRgbF(mix(theme.panel.redF(), fill.redF()), mix(theme.panel.greenF(), fill.greenF()),
                          mix(theme.panel.blueF(), fill.blueF()));
}

} // namespace

LaneChart::LaneChart(const TraceSession& session, QWidget* parent) : PlotView(session, parent) {
  setFocusPolicy(Qt::StrongFocus);
}

void LaneChart::setContents(LaneContents contents) {
  m_contents = std::move(contents);
  m_group = m_focused = -1;
  m_labelWidth = 0;
  const QFontMetrics labels(textFont(12));
  for (const QString& lane : m_contents.lanes)
    m_labelWidth = std::max(m_labelWidth, labels.horizontalAdvance(lane) + 2);
  setGutters({m_labelWidth + kLaneGap, scaledToText(kTickHeight), 2, 0});
  setAccessibleDescription(m_contents.lanes.join(QStringLiteral("; ")));
  setMinimumHeight(minimumSizeHint().height());
  updateGeometry();
  viewport()->update();
}

QSize LaneChart::sizeHint() const {
  return {480,
          static_cast<int>(m_contents.lanes.size()) * scaledToText(kLaneHeight) + scaledToText(kTickHeight)};
}

QSize LaneChart::minimumSizeHint() const {
  return {240, static_cast<int>(m_contents.lanes.size()) * scaledToText(kMinLaneHeight) +
                   scaledToText(kTickHeight)};
}

int LaneChart::largestHeight() const {
  return static_cast<int>(m_contents.lanes.size()) * scaledToText(2 * kLaneHeight) +
         scaledToText(kTickHeight);
}

QRectF LaneChart::laneBox(int lane) const {
  const qreal most = scaledToText(2 * kLaneHeight);
  const qreal height =
      std::min(most, plot().height() / std::max<qreal>(1, static_cast<qreal>(m_contents.lanes.size())));
  return {plot().left(), plot().top() + lane * height, plot().width(), height};
}

QRectF LaneChart::boxOf(int box) const {
  const LaneBox& of = m_contents.boxes[static_cast<std::size_t>(box)];
  const QRectF lane = laneBox(of.lane);
  const qreal scale = m_contents.length > 0 ? plot().width() / m_contents.length : 0;
  const qreal margin = lane.height() * (1 - kLaneShare) / 2;
  return {lane.left() + of.begin * scale, lane.top() + margin,
          std::max<qreal>(1, (of.end - of.begin) * scale), lane.height() * kLaneShare};
}

int LaneChart::boxAt(QPointF place) const {
  for (int i = static_cast<int>(m_contents.boxes.size()); i-- > 0;) {
    if (boxOf(i).contains(place)) return i;
  }
  return -1;
}

QString LaneChart::tipAt(QPointF place) const {
  const int box = boxAt(place);
  if (box >= 0) return m_contents.boxes[static_cast<std::size_t>(box)].tip;
  const qreal scale = plot().width() / std::max(1.0, m_contents.length);
  const auto fold = plot().contains(place) ? foldAt((place.x() - plot().left()) / scale) : std::nullopt;
  if (!fold) return {};
  return tr("Nothing recorded for %1").arg(foldText(*fold));
}

void LaneChart::highlight(int group) {
  m_group = group;
  viewport()->update();
}

void LaneChart::drawForeground(QPainter* painter, const QRectF& rect) {
  PlotView::drawForeground(painter, rect);
  if (m_contents.lanes.isEmpty()) return;
  paintTicks(*painter);
  paintFolds(*painter);
  paintLanes(*painter);
  paintBoxes(*painter);
  paintLines(*painter);
  paintFocus(*painter, plot());
}

void LaneChart::paintTicks(QPainter& painter) const {
  const QFontMetrics figures(numberFont(11));
  const int wide = figures.horizontalAdvance(QStringLiteral("000.0 ms")) * 2;
  const int most = std::max(2, static_cast<int>(plot().width()) / std::max(wide, 1));
  const AxisMarks marks = axisMarks(0, m_contents.length, most);
  const std::vector<FoldLabel> folds = foldLabels();
  qreal free = plot().left();
  for (const double at : marks.at) {
    if (foldAt(at)) continue;
    // Folded times are long: milliseconds would have six digits.
    const QString text = m_contents.folds.empty()
                             ? amountText(Unit::Nanoseconds, at, marks.step)
                             : QString::fromStdString(timeText(m_contents.folds.toJob(std::llround(at)),
                                                               std::llround(marks.step), TimeUnit::Seconds));
    const qreal x = plot().left() + at * plot().width() / m_contents.length;
    const qreal width = figures.horizontalAdvance(text) + 4;
    const qreal left =
        std::clamp(x - width / 2, plot().left(), std::max(plot().left(), plot().right() - width));
    painter.fillRect(
        QRectF(x, plot().top(), 1, laneBox(static_cast<int>(m_contents.lanes.size())).top() - plot().top()),
        theme().line);
    const QRectF place(left, 0, width, plot().top());
    const bool isTaken = left < free || std::ranges::any_of(folds, [&](const FoldLabel& fold) {
                           return fold.box.adjusted(-kLaneGap, 0, kLaneGap, 0).intersects(place);
                         });
    if (isTaken) continue;
    paintText(painter, place, Qt::AlignCenter, text, theme().muted);
    free = left + width + kLaneGap;
  }
}

std::optional<std::size_t> LaneChart::foldAt(double drawn) const {
  for (std::size_t i = 0; i < m_contents.folds.all().size(); ++i) {
    const TimeRange at = m_contents.folds.drawnOf(i);
    if (drawn > static_cast<double>(at.begin) && drawn < static_cast<double>(at.end)) return i;
  }
  return std::nullopt;
}

QString LaneChart::foldText(std::size_t fold) const {
  return QString::fromStdString(durationText(m_contents.folds.all()[fold].gap.length()));
}

QRectF LaneChart::foldBand(std::size_t fold) const {
  const TimeRange at = m_contents.folds.drawnOf(fold);
  const qreal scale = plot().width() / std::max(1.0, m_contents.length);
  const qreal bottom = laneBox(static_cast<int>(m_contents.lanes.size())).top();
  return {plot().left() + static_cast<double>(at.begin) * scale, plot().top(),
          std::max<qreal>(3, static_cast<double>(at.length()) * scale), bottom - plot().top()};
}

// The tooltip has the length where the label before leaves no room for it.
std::vector<LaneChart::FoldLabel> LaneChart::foldLabels() const {
  const QFontMetrics figures(numberFont(11));
  std::vector<FoldLabel> labels;
  for (std::size_t i = 0; i < m_contents.folds.all().size(); ++i) {
    const QString text = tr("%1 gap").arg(foldText(i));
    const qreal width = figures.horizontalAdvance(text) + 4;
    const QRectF box(foldBand(i).center().x() - width / 2, 0, width, plot().top());
    if (labels.empty() || box.left() >= labels.back().box.right()) labels.push_back({text, box});
  }
  return labels;
}

// A band between two dashed edges, with the length that was left out above it.
void LaneChart::paintFolds(QPainter& painter) const {
  for (std::size_t i = 0; i < m_contents.folds.all().size(); ++i) {
    const QRectF band = foldBand(i);
    painter.fillRect(band, theme().panel);
    painter.setPen(QPen(theme().faint, 1, Qt::DashLine));
    painter.drawLine(band.topLeft(), band.bottomLeft());
    painter.drawLine(band.topRight(), band.bottomRight());
  }
  for (const FoldLabel& label : foldLabels())
    paintText(painter, label.box, Qt::AlignCenter, label.text, theme().muted);
}

void LaneChart::paintLanes(QPainter& painter) const {
  for (int lane = 0; lane < static_cast<int>(m_contents.lanes.size()); ++lane) {
    const QRectF box = laneBox(lane);
    const auto place = static_cast<std::size_t>(lane);
    const bool outlier = place < m_contents.outliers.size() && m_contents.outliers[place];
    paintText(painter, {0, box.top(), static_cast<qreal>(m_labelWidth), box.height()},
              Qt::AlignVCenter | Qt::AlignLeft, m_contents.lanes[lane], outlier ? theme().bad : theme().text,
              false);
    if (!m_contents.emptyIsIdle) continue;
    const qreal margin = box.height() * (1 - kLaneShare) / 2;
    const QRectF inner = box.adjusted(0, margin, 0, -margin);
    painter.fillRect(inner, chartFill(theme(), &Theme::bad, 0.1));
    paintHatch(painter, inner, chartFill(theme(), &Theme::bad, 0.3));
  }
}

void LaneChart::paintBoxes(QPainter& painter) const {
  const QFontMetricsF figures(numberFont(11));
  for (std::size_t i = 0; i < m_contents.boxes.size(); ++i) {
    const LaneBox& of = m_contents.boxes[i];
    const QRectF box = boxOf(static_cast<int>(i));
    const bool pale = m_group >= 0 && of.group != m_group;
    const QColor fill = chartFill(theme(), of.color, of.strength * (pale ? kPale : 1));
    painter.fillRect(box, theme().panel);
    painter.fillRect(box.width() > 3 ? box.adjusted(0.5, 0, -0.5, 0) : box, fill);
    if (of.hatched && box.width() > 3) paintHatch(painter, box.adjusted(1, 1, -1, -1), theme().*of.color);
    if (static_cast<int>(i) == m_focused) {
      painter.setPen(QPen(theme().text, 1.5));
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(box);
    }
    if (of.text.isEmpty() || figures.horizontalAdvance(of.text) + 4 > box.width() ||
        figures.ascent() > box.height())
      continue;
    const QColor ground = onPanel(theme(), fill);
    if (of.hatched && box.width() > 3) {
      // Text on stripes is unreadable.
      const qreal half = std::min(figures.horizontalAdvance(of.text) / 2 + 3, box.width() / 2 - 1);
      const qreal high = std::min(figures.height(), box.height() - 2);
      painter.fillRect(QRectF(box.center().x() - half, box.center().y() - high / 2, 2 * half, high), ground);
    }
    paintText(painter, box, Qt::AlignCenter, of.text, pale ? theme().muted : textOn(theme(), ground));
  }
}

void LaneChart::paintLines(QPainter& painter) const {
  if (m_group < 0) return;
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme().text, 1.2));
  for (const LaneLine& line : m_contents.lines) {
    if (m_contents.boxes[static_cast<std::size_t>(line.from)].group != m_group) continue;
    const QRectF from = boxOf(line.from);
    const QRectF to = boxOf(line.to);
    painter.drawLine(QPointF(from.right(), from.center().y()), QPointF(to.left(), to.center().y()));
  }
  painter.setRenderHint(QPainter::Antialiasing, false);
}

void LaneChart::toggle(int box) {
  const int group = box < 0 ? -1 : m_contents.boxes[static_cast<std::size_t>(box)].group;
  highlight(group == m_group ? -1 : group);
}

void LaneChart::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || std::exchange(m_doubleClicked, false)) return;
  m_focused = boxAt(event->position());
  toggle(m_focused);
}

void LaneChart::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  m_doubleClicked = true;
  const int box = boxAt(event->position());
  if (box >= 0) emit boxActivated(box);
}

void LaneChart::keyPressEvent(QKeyEvent* event) {
  const int count = static_cast<int>(m_contents.boxes.size());
  if (count == 0) return event->ignore();
  switch (event->key()) {
  case Qt::Key_Left:
  case Qt::Key_Right:
    m_focused = std::clamp(m_focused + (event->key() == Qt::Key_Left ? -1 : 1), 0, count - 1);
    break;
  case Qt::Key_Space:
    if (m_focused >= 0) toggle(m_focused);
    return;
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (m_focused >= 0) emit boxActivated(m_focused);
    return;
  default:
    return event->ignore();
  }
  viewport()->update();
  showTip(boxOf(m_focused).center());
}

} // namespace rankscope::ui
