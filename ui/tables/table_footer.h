// SPDX-License-Identifier: GPL-3.0-or-later
// The row under a table that stays where it is: sums and the like over the rows that are shown, each under
// its column, whatever the widths and however far the table is scrolled sideways; the first column counts
// the rows. Figures are computed when rows change, not when they are painted. UI thread only.
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

  // REQUIRES: after rows or columns have changed.
  void countAgain();
  // Under a shown column, hidden or not; the row count under the first column that is not.
  [[nodiscard]] QString text(int column) const;

  [[nodiscard]] QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  [[nodiscard]] int spaceFor(int column) const;

  TableView& m_view;
  const ResultTableModel& m_model;
  QStringList m_texts; // by column of the model
};

} // namespace rankscope::ui
