// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/table_view.h"

#include "ui/job/trace_session.h"
#include "ui/tables/shown_rows.h"
#include "ui/tables/table_header.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

namespace {

using namespace table_look;

constexpr int kScrollByKey = 60;
constexpr qreal kCorner = 4;

QColor faded(QColor color, float alpha) {
  color.setAlphaF(alpha);
  return color;
}

} // namespace

TableView::TableView(ShownRows& rows, const TraceSession& session, QWidget* parent)
    : QTableView(parent), m_rows(rows), m_session(session), m_cells(new TableCells(rows, session, this)) {
  setObjectName(QStringLiteral("resultTable"));
  setModel(&rows);
  setItemDelegate(m_cells);
  auto* const header = new TableHeader(rows, session, this);
  header->setPinned([this] { return std::pair(m_pinned, pinnedWidth()); });
  setHorizontalHeader(header);
  setSelectionBehavior(SelectRows);
  setSelectionMode(ExtendedSelection);
  setEditTriggers(NoEditTriggers);
  setShowGrid(false);
  setMouseTracking(true);
  setWordWrap(false);
  setHorizontalScrollMode(ScrollPerPixel);
  setVerticalScrollMode(ScrollPerPixel);
  setCornerButtonEnabled(false);
  setTabKeyNavigation(false);
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  verticalHeader()->setMinimumSectionSize(table_look::rowHeight());
  verticalHeader()->setDefaultSectionSize(table_look::rowHeight());
  setSortingEnabled(true);
  horizontalHeader()->setSortIndicatorShown(false); // the title has the arrow
  verticalScrollBar()->setSingleStep(table_look::rowHeight());
  // When scrolling, visible content is moved instead of repainted.
  viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
}

const Theme& TableView::theme() const {
  return m_session.theme();
}

void TableView::setRowColor(RowColor color) {
  m_cells->setRowColor(std::move(color));
  viewport()->update();
}

void TableView::markRow(int tableRow) {
  if (tableRow == m_marked) return;
  updateRow(std::exchange(m_marked, tableRow));
  updateRow(m_marked);
}

int TableView::selectedRow() const {
  const QItemSelection& chosen = selectionModel()->selection();
  if (chosen.isEmpty()) return -1;
  const QModelIndex current = currentIndex();
  const int place =
      current.isValid() && selectionModel()->isSelected(current) ? current.row() : chosen.last().top();
  return m_rows.tableRow(place);
}

void TableView::selectRow(int tableRow) {
  const QModelIndex index = m_rows.index(m_rows.order().placeOf(tableRow), firstColumn());
  if (!index.isValid()) {
    selectionModel()->clear();
    return;
  }
  selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
  scrollTo(index);
}

void TableView::scrollTo(const QModelIndex& index, ScrollHint hint) {
  // Whole rows are current, so there is no reason to scroll sideways.
  const int sideways = horizontalScrollBar()->value();
  QTableView::scrollTo(index, hint);
  horizontalScrollBar()->setValue(sideways);
}

void TableView::paintEvent(QPaintEvent* event) {
  {
    QPainter painter(viewport());
    painter.fillRect(event->rect(), theme().panel);
    paintRows(painter, event->rect());
  }
  QTableView::paintEvent(event);
  if (const QRect pinned = event->rect() & QRect(0, 0, pinnedWidth(), viewport()->height());
      !pinned.isEmpty()) {
    QPainter painter(viewport());
    paintPinned(painter, pinned);
  }
  if (!hasFocus() || !currentIndex().isValid()) return;
  const QRect row = rowRect(currentIndex().row());
  if (!row.intersects(event->rect())) return;
  QPainter painter(viewport());
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme().accent, 1.5));
  painter.drawRoundedRect(QRectF(row).adjusted(1, 1, -1, -1), kCorner, kCorner);
}

void TableView::paintRows(QPainter& painter, QRect dirty) const {
  const int count = m_rows.rowCount();
  const int first = std::max(0, rowAt(dirty.top()));
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  for (int place = first; place < count && rowViewportPosition(place) <= dirty.bottom(); ++place) {
    const int row = m_rows.tableRow(place);
    const QRectF area = rowRect(place);
    const QColor own = rowColor(row);
    if (own.isValid()) {
      painter.setBrush(faded(own, kRowTint));
      painter.drawRoundedRect(area, kCorner, kCorner);
      painter.fillRect(QRectF(area.left(), area.top() + 5, 3, area.height() - 10), own);
    }
    if (selectionModel()->isSelected(m_rows.index(place, 0))) {
      painter.setBrush(faded(theme().accent, kSelectedTint));
      painter.drawRoundedRect(area, kCorner, kCorner);
    } else if (row == m_hovered || row == m_marked) {
      painter.setBrush(own.isValid() ? faded(own, 0.10F) : theme().raised);
      painter.drawRoundedRect(area, kCorner, kCorner);
    }
    if (row == m_marked)
      painter.fillRect(QRectF(area.left(), area.top() + 5, 3, area.height() - 10), theme().accent);
  }
}

void TableView::paintPinned(QPainter& painter, QRect dirty) const {
  painter.setClipRect(dirty);
  painter.fillRect(dirty, theme().panel);
  paintRows(painter, dirty);
  QStyleOptionViewItem option;
  initViewItemOption(&option);
  const int count = m_rows.rowCount();
  for (int place = std::max(0, rowAt(dirty.top()));
       place < count && rowViewportPosition(place) <= dirty.bottom(); ++place) {
    option.rect = QRect(0, rowViewportPosition(place), pinnedWidth(), table_look::rowHeight());
    m_cells->paint(&painter, option, m_rows.index(place, m_pinned));
  }
  painter.fillRect(QRect(pinnedWidth() - 1, dirty.top(), 1, dirty.height()), theme().line);
}

void TableView::setPinnedColumn(int column) {
  if (column == m_pinned) return;
  m_pinned = column;
  viewport()->update();
  horizontalHeader()->viewport()->update();
}

int TableView::pinnedWidth() const {
  if (m_pinned < 0 || m_pinned >= m_rows.columnCount() || isColumnHidden(m_pinned) ||
      columnViewportPosition(m_pinned) >= 0)
    return 0;
  // A column wider than this would leave no room for those that one scrolls to.
  const int most = viewport()->width() / 2;
  return std::min(columnWidth(m_pinned), most);
}

QModelIndex TableView::indexAt(const QPoint& at) const {
  if (at.x() < 0 || at.x() >= pinnedWidth()) return QTableView::indexAt(at);
  return m_rows.index(rowAt(at.y()), m_pinned);
}

void TableView::keyPressEvent(QKeyEvent* event) {
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (enter && !(event->modifiers() & ~Qt::KeypadModifier) && selectedRow() >= 0) {
    emit rowActivated(selectedRow());
    event->accept();
    return;
  }
  QTableView::keyPressEvent(event);
}

void TableView::mouseDoubleClickEvent(QMouseEvent* event) {
  QTableView::mouseDoubleClickEvent(event);
  const QModelIndex index = indexAt(event->position().toPoint());
  if (event->button() == Qt::LeftButton && index.isValid()) emit rowActivated(m_rows.tableRow(index.row()));
}

bool TableView::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::MouseMove) hover(static_cast<QMouseEvent*>(event)->position().toPoint());
  if (event->type() == QEvent::Leave) setHovered(-1);
  return QTableView::viewportEvent(event);
}

void TableView::scrollContentsBy(int dx, int dy) {
  QTableView::scrollContentsBy(dx, dy);
  if (dx != 0) { // the ends of colored rows and the pinned column stay at the edges
    viewport()->update();
    horizontalHeader()->viewport()->update();
  }
  // Another row is now below the mouse.
  if (viewport()->underMouse()) hover(viewport()->mapFromGlobal(QCursor::pos()));
}

// A scroll bar that appears or disappears changes the available width, and with it the columns that fill it.
void TableView::updateGeometries() {
  const int before = horizontalHeader()->length();
  QTableView::updateGeometries();
  if (horizontalHeader()->length() != before) QTableView::updateGeometries();
}

QModelIndex TableView::moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) {
  QScrollBar* sideways = horizontalScrollBar();
  switch (action) {
  case MoveHome:
    return m_rows.index(0, firstColumn());
  case MoveEnd:
    return m_rows.index(m_rows.rowCount() - 1, firstColumn());
  case MoveLeft:
  case MoveRight:
    sideways->setValue(sideways->value() + (action == MoveLeft ? -kScrollByKey : kScrollByKey));
    return currentIndex();
  default:
    return QTableView::moveCursor(action, modifiers);
  }
}

void TableView::hover(QPoint at) {
  setHovered(viewport()->rect().contains(at) ? m_rows.tableRow(rowAt(at.y())) : -1);
}

void TableView::setHovered(int tableRow) {
  if (tableRow == m_hovered) return;
  updateRow(std::exchange(m_hovered, tableRow));
  updateRow(m_hovered);
  emit rowHovered(tableRow);
}

void TableView::updateRow(int tableRow) {
  const int place = m_rows.order().placeOf(tableRow);
  if (place >= 0) viewport()->update(rowRect(place));
}

QRect TableView::rowRect(int place) const {
  return {0, rowViewportPosition(place), viewport()->width(), table_look::rowHeight()};
}

int TableView::firstColumn() const {
  int column = 0;
  while (column + 1 < m_rows.columnCount() && isColumnHidden(column)) ++column;
  return column;
}

} // namespace rankscope::ui
