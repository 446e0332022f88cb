// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/rank_cells.h"

#include "ui/base/text_scale.h"
#include "ui/charts/axis_text.h"

#include <QFontMetrics>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kRowHeight = 34;
constexpr int kMinRowHeight = 14;
constexpr int kThinRowHeight = 6; // of very many
constexpr int kMostHeight = 544;  // of all rows, unless they are thinner then
constexpr int kMaxRowHeight = 46;
constexpr int kMaxColumnWidth = 150;
constexpr int kHeadHeight = 18;
constexpr int kCellGap = 10;
constexpr double kPalest = 0.25; // shade of the least value
// Of the largest value, what the shades span at least: ranks that hardly differ look alike.
constexpr double kLeastRange = 0.05;

// The opaque color that a color with this alpha has on a background.
QColor over(QColor ground, QColor color, double strength) {
  const auto mix = [&](float under, float above) {
    return under + (above - under) * static_cast<float>(strength);
  };
  return QColor::fromRgbF(mix(ground.redF(), color.redF()), mix(ground.greenF(), color.greenF()),
                          mix(ground.blueF(), color.blueF()));
}

} // namespace

std::size_t rankGridColumns(std::size_t ranks) {
  constexpr std::size_t kLeast = 16;
  const auto side = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(ranks))));
  return std::max(kLeast, std::bit_ceil(side));
}

RankCells::RankCells(const TraceSession& session, QWidget* parent) : PlotView(session, parent) {
  setFocusPolicy(Qt::StrongFocus);
}

void RankCells::setContents(RankCellsContents contents) {
  m_contents = std::move(contents);
  m_focused = -1;
  m_nameWidth = 0;
  const QFontMetrics names(textFont(12));
  for (const QString& name : m_contents.rowNames)
    m_nameWidth = std::max(m_nameWidth, names.horizontalAdvance(name) + 2);
  m_least = m_most = 0;
  bool any = false;
  for (const RankCell& cell : m_contents.cells) {
    if (!cell.value) continue;
    m_least = any ? std::min(m_least, *cell.value) : *cell.value;
    m_most = any ? std::max(m_most, *cell.value) : *cell.value;
    any = true;
  }
  setGutters(
      {m_nameWidth + kCellGap, m_contents.columnNames.isEmpty() ? 0 : scaledToText(kHeadHeight), 2, 0});
  setAccessibleDescription(tr("%n ranks", nullptr, static_cast<int>(m_contents.cells.size())));
  setMinimumHeight(minimumSizeHint().height());
  updateGeometry();
  viewport()->update();
}

// The height of all rows if each may have `each`.
int RankCells::heightOfRows(int each) const {
  const auto rows = static_cast<int>(m_contents.rowNames.size());
  return scaledToText(std::clamp(kMostHeight / std::max(rows, 1), kThinRowHeight, each)) * rows +
         scaledToText(kHeadHeight);
}

QSize RankCells::sizeHint() const {
  return {480, heightOfRows(kRowHeight)};
}

QSize RankCells::minimumSizeHint() const {
  return {240, heightOfRows(m_contents.rowNames.size() > 12 ? kMinRowHeight : kRowHeight)};
}

QSizeF RankCells::cellSize() const {
  const auto rows = std::max<qreal>(1, static_cast<qreal>(m_contents.rowNames.size()));
  const auto columns = std::max<qreal>(1, static_cast<qreal>(m_contents.columnNames.size()));
  return {std::min<qreal>(scaledToText(kMaxColumnWidth), plot().width() / columns),
          std::min<qreal>(scaledToText(kMaxRowHeight), plot().height() / rows)};
}

QRectF RankCells::boxOf(int cell) const {
  const RankCell& of = m_contents.cells[static_cast<std::size_t>(cell)];
  const QSizeF size = cellSize();
  const qreal gap = std::min(size.width(), size.height()) > 8 ? 1 : 0;
  return QRectF(plot().left() + of.column * size.width(), plot().top() + of.row * size.height(), size.width(),
                size.height())
      .adjusted(gap, gap, -gap, -gap);
}

int RankCells::cellAt(QPointF place) const {
  for (int i = 0; i < static_cast<int>(m_contents.cells.size()); ++i) {
    if (boxOf(i).contains(place)) return i;
  }
  return -1;
}

QString RankCells::tipAt(QPointF place) const {
  const int cell = cellAt(place);
  return cell < 0 ? QString() : m_contents.cells[static_cast<std::size_t>(cell)].tip;
}

double RankCells::shadeOf(double value) const {
  const double range = std::max(m_most - m_least, kLeastRange * m_most);
  return range > 0 ? kPalest + (1 - kPalest) * (value - m_least) / range : kPalest;
}

void RankCells::drawForeground(QPainter* painter, const QRectF& rect) {
  PlotView::drawForeground(painter, rect);
  paintNames(*painter);
  for (int i = 0; i < static_cast<int>(m_contents.cells.size()); ++i) paintCell(*painter, i);
  paintFocus(*painter, plot());
}

void RankCells::paintNames(QPainter& painter) const {
  const QSizeF size = cellSize();
  const QFontMetricsF figures(numberFont(11));
  qreal below = plot().top();
  for (int row = 0; row < m_contents.rowNames.size(); ++row) {
    const qreal high = std::max(size.height(), figures.height());
    const qreal top = plot().top() + row * size.height() + (size.height() - high) / 2;
    if (row > 0 && top < below) continue;
    paintText(painter, {0, top, static_cast<qreal>(m_nameWidth), high}, Qt::AlignVCenter | Qt::AlignLeft,
              m_contents.rowNames[row], theme().muted, false);
    below = top + high;
  }
  qreal free = plot().left();
  for (int column = 0; column < m_contents.columnNames.size(); ++column) {
    const QString& name = m_contents.columnNames[column];
    const qreal width = figures.horizontalAdvance(name) + 4;
    const qreal left = plot().left() + column * size.width() + (size.width() - width) / 2;
    if (left < free) continue;
    paintText(painter, {left, 0, width, plot().top()}, Qt::AlignCenter, name, theme().muted);
    free = left + width + kCellGap / 2.0;
  }
}

void RankCells::paintCell(QPainter& painter, int cell) const {
  const RankCell& of = m_contents.cells[static_cast<std::size_t>(cell)];
  const QRectF box = boxOf(cell);
  painter.fillRect(box, theme().raised);
  QColor text = theme().muted;
  if (of.value) {
    const double shade = shadeOf(*of.value);
    const QColor fill = over(theme().raised, theme().*m_contents.color, shade);
    painter.fillRect(box, fill);
    text = textOn(theme(), fill);
  }
  const bool marked = m_selected == of.rank || (cell == m_focused && hasFocus());
  if (of.outlier || marked) {
    painter.setPen(QPen(marked ? theme().accent : theme().bad, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box.adjusted(1, 1, -1, -1));
  }
  const QFontMetricsF figures(numberFont(11));
  const QString rank = QString::number(of.rank);
  const QString value = of.value ? amountText(m_contents.unit, *of.value) : QString();
  const bool both = !value.isEmpty() && box.height() >= 2 * figures.ascent() + 6 &&
                    figures.horizontalAdvance(value) + 4 <= box.width();
  if (both) {
    paintText(painter, {box.left(), box.top() + 1, box.width(), box.height() / 2}, Qt::AlignCenter, rank,
              text);
    paintText(painter, {box.left(), box.center().y() - 1, box.width(), box.height() / 2}, Qt::AlignCenter,
              value, text);
  } else if (figures.horizontalAdvance(rank) + 2 <= box.width() && figures.ascent() <= box.height()) {
    paintText(painter, box, Qt::AlignCenter, rank, text);
  }
}

void RankCells::select(std::optional<int> rank) {
  if (m_selected == rank) return;
  m_selected = rank;
  viewport()->update();
  emit selectionChanged();
}

void RankCells::toggle(int cell) {
  const int rank = m_contents.cells[static_cast<std::size_t>(cell)].rank;
  select(m_selected == rank ? std::nullopt : std::optional(rank));
}

void RankCells::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const int cell = cellAt(event->position());
  if (cell < 0) return;
  m_focused = cell;
  toggle(cell);
}

void RankCells::keyPressEvent(QKeyEvent* event) {
  const auto count = static_cast<int>(m_contents.cells.size());
  if (count == 0) return event->ignore();
  switch (event->key()) {
  case Qt::Key_Left:
  case Qt::Key_Right:
    m_focused = std::clamp(m_focused + (event->key() == Qt::Key_Left ? -1 : 1), 0, count - 1);
    break;
  case Qt::Key_Up:
  case Qt::Key_Down:
    m_focused = cellBeside(event->key() == Qt::Key_Up ? -1 : 1);
    break;
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (m_focused >= 0) toggle(m_focused);
    return;
  default:
    return event->ignore();
  }
  viewport()->update();
  showTip(boxOf(m_focused).center());
}

// The cell in the row above or below, in the same column or the last before.
int RankCells::cellBeside(int by) const {
  if (m_focused < 0) return 0;
  const RankCell& from = m_contents.cells[static_cast<std::size_t>(m_focused)];
  int found = m_focused;
  for (int i = 0; i < static_cast<int>(m_contents.cells.size()); ++i) {
    const RankCell& of = m_contents.cells[static_cast<std::size_t>(i)];
    if (of.row == from.row + by && of.column <= from.column) found = i;
  }
  return found;
}

} // namespace rankscope::ui
