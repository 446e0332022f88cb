// SPDX-License-Identifier: GPL-3.0-or-later
// The view inside a table card: whole rows are hovered, selected, marked and colored, one row is current and
// wears the focus ring, Home and End go to the first and the last row, Left and Right scroll. The header's
// titles stand as their columns do, and the one that the rows are sorted by is brighter. Rows are told by
// their place in the table, which sorting and filtering do not change. UI thread only; a frame costs what is
// visible.
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
  // A row that is pointed at elsewhere, as in a chart; -1: none.
  void markRow(int tableRow);
  [[nodiscard]] int markedRow() const { return m_marked; }
  // Under the mouse; -1: none.
  [[nodiscard]] int hoveredRow() const { return m_hovered; }
  // The current row if it is selected, else a selected one; -1: none.
  [[nodiscard]] int selectedRow() const;
  // Selects it alone and scrolls to it; -1, or a row that is not shown: selects nothing.
  void selectRow(int tableRow);

  // The columns have other widths.
  void placeBars() { updateGeometries(); }

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
};

} // namespace rankscope::ui
