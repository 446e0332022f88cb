// SPDX-License-Identifier: GPL-3.0-or-later
// The view of a table card: whole rows are hovered, selected, marked and colored; the current row has the
// focus ring; Home and End go to the first and last row, Left and Right scroll. A column of names can be
// pinned: it stays at the left edge when the table scrolls sideways. Rows are identified by their index in
// the table, which sorting and filtering do not change. UI thread only; a frame is O(visible cells).
#pragma once

#include "ui/tables/table_cells.h"

#include <QTableView>

namespace rankscope::ui {

class ShownRows;
class TraceSession;

class TableView : public QTableView {
  Q_OBJECT
 public:
  TableView(ShownRows& rows, const TraceSession& session, QWidget* parent = nullptr);

  [[nodiscard]] const ShownRows& rows() const { return m_rows; }
  [[nodiscard]] const Theme& theme() const;
  [[nodiscard]] TableCells& cells() { return *m_cells; }

  void setRowColor(RowColor color);
  [[nodiscard]] QColor rowColor(int tableRow) const { return m_cells->rowColor(tableRow); }
  // Marks a row that is hovered elsewhere, for example in a chart; -1: none.
  void markRow(int tableRow);
  [[nodiscard]] int markedRow() const { return m_marked; }
  // The row under the mouse; -1: none.
  [[nodiscard]] int hoveredRow() const { return m_hovered; }
  // The current row if it is selected, else a selected row; -1: none.
  [[nodiscard]] int selectedRow() const;
  // Selects only this row and scrolls to it; -1, or a row that is not shown: clears the selection.
  void selectRow(int tableRow);

  // The column widths changed.
  void placeBars() { updateGeometries(); }

  // The column that stays visible when the table scrolls sideways; -1: none.
  void setPinnedColumn(int column);
  [[nodiscard]] int pinnedColumn() const { return m_pinned; }
  // Width of the pinned column at the left edge; 0 unless the table has scrolled so far that it would leave.
  [[nodiscard]] int pinnedWidth() const;

  // Where the pinned column covers others, its cell.
  [[nodiscard]] QModelIndex indexAt(const QPoint& at) const override;

  void scrollTo(const QModelIndex& index, ScrollHint hint = EnsureVisible) override;
  void keyboardSearch(const QString&) override {}

 signals:
  void rowHovered(int tableRow);
  void rowActivated(int tableRow);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;
  void updateGeometries() override;
  [[nodiscard]] QModelIndex moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) override;

 private:
  void paintRows(QPainter& painter, QRect dirty) const;
  void paintPinned(QPainter& painter, QRect dirty) const;
  void hover(QPoint at);
  void setHovered(int tableRow);
  void updateRow(int tableRow);
  [[nodiscard]] QRect rowRect(int place) const;
  [[nodiscard]] int firstColumn() const;

  ShownRows& m_rows;
  const TraceSession& m_session;
  TableCells* m_cells;
  int m_hovered = -1;
  int m_marked = -1;
  int m_pinned = -1;
};

} // namespace rankscope::ui
