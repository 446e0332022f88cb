// SPDX-License-Identifier: GPL-3.0-or-later
// A fixed row below a table: sums and similar values of the shown rows, aligned with their columns at any
// width and scroll position; the first column has the number of rows. Values are computed when rows change,
// not when painting. UI thread only.
#pragma once

#include <QStringList>
#include <QWidget>

namespace rankscope::ui {

class ResultTableModel;
class TableView;

class TableFooter : public QWidget {
  Q_OBJECT
 public:
  TableFooter(TableView& view, const ResultTableModel& model, QWidget* parent = nullptr);

  // Call after rows or columns have changed.
  void countAgain();
  // Text below a column; the row count is below the first visible one.
  [[nodiscard]] QString text(int column) const;

  [[nodiscard]] QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  [[nodiscard]] int spaceFor(int column) const;
  void paintText(QPainter& painter, int column, int left) const;

  TableView& m_view;
  const ResultTableModel& m_model;
  QStringList m_texts; // by column of the model
  int m_ranks = 0;     // that sums per step are means over; 0: they are sums
};

} // namespace rankscope::ui
