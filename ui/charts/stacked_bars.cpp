// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/stacked_bars.h"

#include "ui/base/text_scale.h"
#include "ui/charts/axis_text.h"

#include <QBarCategoryAxis>
#include <QBarSet>
#include <QChart>
#include <QFontMetrics>
#include <QHorizontalStackedBarSeries>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QValueAxis>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kMinStackHeight = 15;
constexpr int kUsualRow = 30;
constexpr int kMaxStackHeight = 300;
constexpr int kStackGap = 12;
constexpr int kMaxLabelWidth = 220;
constexpr qreal kBarShare = 0.66; // of the row's height, limited to
constexpr int kMaxBarHeight = 34; // pixels, or little more
constexpr int kTextPadding = 6;
constexpr qreal kFaded = 0.35;

double sumOf(const BarRow& row) {
  return std::accumulate(row.amounts.begin(), row.amounts.end(), 0.0);
}

// The opaque color that a color with this alpha has on a background.
QColor blendOver(QColor ground, QColor color, qreal strength) {
  const auto mix = [&](float under, float above) {
    return under + (above - under) * static_cast<float>(strength);
  };
  return QColor::fromRgbF(mix(ground.redF(), color.redF()), mix(ground.greenF(), color.greenF()),
                          mix(ground.blueF(), color.blueF()));
}

QString noteOf(const BarRow& row, Unit unit) {
  return row.note.isEmpty() ? amountText(unit, sumOf(row)) : row.note;
}

} // namespace

StackedBars::StackedBars(const TraceSession& session, QWidget* parent) : PlotView(session, parent) {}

void StackedBars::setBars(BarRows bars) {
  m_bars = std::move(bars);
  m_hovered = m_marked = m_part = -1;
  m_longest = 0;
  m_labelWidth = m_noteWidth = 0;
  const QFontMetrics labels(textFont(12));
  const QFontMetrics notes(numberFont(12));
  for (const BarRow& row : m_bars.rows) {
    m_longest = std::max(m_longest, sumOf(row));
    m_labelWidth = std::max(m_labelWidth,
                            std::min(scaledToText(kMaxLabelWidth), labels.horizontalAdvance(row.label) + 2));
    m_noteWidth = std::max(m_noteWidth, notes.horizontalAdvance(noteOf(row, m_bars.unit)) + 2);
  }
  if (m_longest <= 0) m_longest = 1;
  QStringList said;
  for (const BarRow& row : m_bars.rows) said << tr("%1: %2").arg(row.label, noteOf(row, m_bars.unit));
  setAccessibleDescription(said.join(QStringLiteral("; ")));
  restyle();
  makeRoom();
  // Qt Charts sets a minimum size, which takes precedence blendOver the size hint.
  setMinimumHeight(minimumSizeHint().height());
  updateGeometry();
  viewport()->update();
}

void StackedBars::restyle() {
  m_series = nullptr;
  chart()->removeAllSeries();
  for (QAbstractAxis* axis : chart()->axes()) {
    chart()->removeAxis(axis);
    delete axis;
  }
  auto* series = new QHorizontalStackedBarSeries;
  series->setBarWidth(barShare());
  for (std::size_t part = 0; part < m_bars.parts.size(); ++part) {
    const BarPart& shown = m_bars.parts[part];
    auto* set = new QBarSet(shown.name);
    set->setBrush(chartFill(theme(), shown.color, shown.strength));
    set->setPen(QPen(theme().panel, 1));
    // Chart rows are numbered from the bottom.
    for (auto row = m_bars.rows.rbegin(); row != m_bars.rows.rend(); ++row) set->append(row->amounts[part]);
    series->append(set);
  }
  chart()->addSeries(series);
  m_series = series;
  auto* along = new QValueAxis;
  along->setRange(0, m_longest);
  auto* rows = new QBarCategoryAxis;
  QStringList names;
  for (std::size_t row = 0; row < m_bars.rows.size(); ++row) names << QString::number(row);
  rows->append(names);
  const std::array<std::pair<QAbstractAxis*, Qt::Alignment>, 2> axes{
      {{along, Qt::AlignBottom}, {rows, Qt::AlignLeft}}};
  for (const auto& [axis, side] : axes) {
    axis->setVisible(false);
    chart()->addAxis(axis, side);
    series->attachAxis(axis);
  }
}

qreal StackedBars::rowHeight() const {
  return m_bars.rows.empty() ? scaledToText(kMinStackHeight)
                             : plot().height() / static_cast<qreal>(m_bars.rows.size());
}

qreal StackedBars::barShare() const {
  const qreal row = std::max<qreal>(1, rowHeight());
  const qreal usual = scaledToText(kMaxBarHeight);
  return std::min(kBarShare, (usual + std::max(0.0, row - usual / kBarShare) / 6) / row);
}

int StackedBars::largestHeight() const {
  return static_cast<int>(m_bars.rows.size()) * scaledToText(kMaxStackHeight);
}

// If there are few rows, they are at the top with a limited height.
void StackedBars::makeRoom() {
  setGutters({m_labelWidth + kStackGap, 0, m_noteWidth + kStackGap, std::max(0, height() - largestHeight())});
  if (m_series != nullptr) m_series->setBarWidth(barShare());
}

void StackedBars::resizeEvent(QResizeEvent* event) {
  PlotView::resizeEvent(event);
  makeRoom();
}

QSize StackedBars::sizeHint() const {
  return {480, static_cast<int>(m_bars.rows.size()) * scaledToText(kUsualRow)};
}

QSize StackedBars::minimumSizeHint() const {
  return {240, static_cast<int>(m_bars.rows.size()) * scaledToText(kMinStackHeight)};
}

QRectF StackedBars::boxOf(int row, int part) const {
  const auto& amounts = m_bars.rows[static_cast<std::size_t>(row)].amounts;
  const double before = std::accumulate(amounts.begin(), amounts.begin() + part, 0.0);
  const qreal scale = plot().width() / m_longest;
  const qreal height = rowHeight();
  const qreal share = barShare();
  return {plot().left() + before * scale, plot().top() + (row + (1 - share) / 2) * height,
          amounts[static_cast<std::size_t>(part)] * scale, height * share};
}

StackedBars::Place StackedBars::placeAt(QPointF at) const {
  const int row = static_cast<int>(std::floor((at.y() - plot().top()) / rowHeight()));
  if (at.y() < plot().top() || row >= static_cast<int>(m_bars.rows.size())) return {};
  Place place{row, -1};
  for (int part = 0; part < static_cast<int>(m_bars.parts.size()); ++part) {
    const QRectF box = boxOf(row, part);
    if (box.left() <= at.x() && at.x() < box.right()) place.part = part;
  }
  return place;
}

QString StackedBars::tipAt(QPointF at) const {
  const Place place = placeAt(at);
  if (place.row < 0) return {};
  const BarRow& row = m_bars.rows[static_cast<std::size_t>(place.row)];
  const double sum = sumOf(row);
  QStringList lines{row.label.toHtmlEscaped() + QStringLiteral(" · ") + amountText(m_bars.unit, sum)};
  // A single part is the sum.
  for (std::size_t part = 0; m_bars.parts.size() > 1 && part < m_bars.parts.size(); ++part) {
    if (row.amounts[part] <= 0) continue;
    const QString share = sum > 0 ? amountText(Unit::Percent, 100 * row.amounts[part] / sum) : QString();
    QString line =
        tr("%1: %2 (%3)")
            .arg(m_bars.parts[part].name.toHtmlEscaped(), amountText(m_bars.unit, row.amounts[part]), share);
    if (static_cast<int>(part) == place.part) line = QStringLiteral("<b>%1</b>").arg(line);
    lines << line;
  }
  if (!row.why.isEmpty()) lines << row.why.toHtmlEscaped();
  return lines.join(QStringLiteral("<br>"));
}

void StackedBars::drawBackground(QPainter* painter, const QRectF& rect) {
  PlotView::drawBackground(painter, rect);
  for (const int row : {m_hovered, m_marked}) {
    if (row < 0) continue;
    painter->fillRect(QRectF(0, plot().top() + row * rowHeight(), width(), rowHeight()), theme().raised);
  }
}

void StackedBars::drawForeground(QPainter* painter, const QRectF& rect) {
  PlotView::drawForeground(painter, rect);
  for (int row = 0; row < static_cast<int>(m_bars.rows.size()); ++row) {
    const BarRow& shown = m_bars.rows[static_cast<std::size_t>(row)];
    const qreal top = plot().top() + row * rowHeight();
    const QColor color = shown.outlier ? theme().bad : shown.faded ? theme().muted : theme().text;
    paintText(*painter, QRectF(0, top, m_labelWidth, rowHeight()), Qt::AlignVCenter | Qt::AlignLeft,
              shown.label, color, false);
    paintText(*painter, QRectF(width() - m_noteWidth, top, m_noteWidth, rowHeight()),
              Qt::AlignVCenter | Qt::AlignRight, noteOf(shown, m_bars.unit), color);
    paintAmounts(*painter, row);
  }
  paintFocus(*painter, plot());
}

void StackedBars::paintAmounts(QPainter& painter, int row) const {
  const QFontMetricsF figures(numberFont(11));
  const BarRow& shown = m_bars.rows[static_cast<std::size_t>(row)];
  // The only part is the sum, which stands beside it.
  if (m_bars.parts.size() == 1 && shown.note.isEmpty() && !shown.faded && !m_bars.parts.front().hatched)
    return;
  const qreal strength = shown.faded ? kFaded : 1;
  for (int part = 0; part < static_cast<int>(m_bars.parts.size()); ++part) {
    const QRectF box = boxOf(row, part);
    const BarPart& of = m_bars.parts[static_cast<std::size_t>(part)];
    const QColor ground = blendOver(theme().panel, theme().*of.color, of.strength * strength);
    if (shown.faded && box.width() > 2) painter.fillRect(box.adjusted(1, 1, -1, -1), ground);
    if (of.hatched && box.width() > 2) paintHatch(painter, box.adjusted(1, 1, -1, -1), ground);
    const QString text = amountText(m_bars.unit, shown.amounts[static_cast<std::size_t>(part)]);
    const bool fits =
        figures.horizontalAdvance(text) + 2 * kTextPadding <= box.width() && figures.ascent() <= box.height();
    if (!fits) continue;
    if (of.hatched) {
      // Text on stripes is unreadable.
      const qreal half = figures.horizontalAdvance(text) / 2 + 3;
      const qreal high = std::min(figures.height(), box.height());
      painter.fillRect(QRectF(box.center().x() - half, box.center().y() - high / 2, 2 * half, high), ground);
    }
    paintText(painter, box, Qt::AlignCenter, text, textOn(theme(), ground));
  }
}

void StackedBars::markRow(int row) {
  if (m_marked == row) return;
  m_marked = row;
  viewport()->update();
}

void StackedBars::hover(int row) {
  if (m_hovered == row) return;
  m_hovered = row;
  viewport()->update();
  emit rowHovered(row);
}

void StackedBars::mouseMoveEvent(QMouseEvent* event) {
  hover(placeAt(event->position()).row);
}

void StackedBars::leaveEvent(QEvent* event) {
  PlotView::leaveEvent(event);
  hover(-1);
}

void StackedBars::mouseReleaseEvent(QMouseEvent* event) {
  const Place place = placeAt(event->position());
  if (event->button() == Qt::LeftButton && place.row >= 0) emit partClicked(place.row, place.part);
}

void StackedBars::keyPressEvent(QKeyEvent* event) {
  const int rows = static_cast<int>(m_bars.rows.size());
  const int parts = static_cast<int>(m_bars.parts.size());
  if (rows == 0) return event->ignore();
  switch (event->key()) {
  case Qt::Key_Up:
  case Qt::Key_Down:
    hover(std::clamp(m_hovered + (event->key() == Qt::Key_Up ? -1 : 1), 0, rows - 1));
    break;
  case Qt::Key_Left:
  case Qt::Key_Right:
    hover(std::max(0, m_hovered));
    m_part = std::clamp(m_part + (event->key() == Qt::Key_Left ? -1 : 1), 0, parts - 1);
    break;
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (m_hovered >= 0) emit partClicked(m_hovered, m_part);
    return;
  default:
    return event->ignore();
  }
  showTip(boxOf(m_hovered, std::max(0, m_part)).center());
}

} // namespace rankscope::ui
