// SPDX-License-Identifier: GPL-3.0-or-later
// A titled card with one ResultTable in it: sorted by clicking a header, filtered from outside, copied with
// Ctrl+C, exported as CSV, with bars for shares and right-aligned figures of equal width. Without rows it
// says why, in a sentence. UI thread only; costs what is visible.
#pragma once

#include "ui/models/result_table_model.h"
#include "ui/theme.h"

#include <QFrame>

#include <memory>
#include <vector>

class QLabel;
class QStackedWidget;
class QTableView;

namespace rankscope::ui {

class TraceSession;

class TableCard : public QFrame {
  Q_OBJECT
 public:
  // The session lends the theme.
  TableCard(const QString& title, std::vector<ShownColumn> columns, const TraceSession& session,
            QWidget* parent = nullptr);

  // The column whose texts take the width that is left; without one all columns share it.
  void setStretchColumn(const std::string& source);
  // Sorted by this column when a table comes, until the user clicks a header; tables come sorted otherwise.
  void setDefaultSort(const std::string& source, Qt::SortOrder order);
  // Rows whose column has one of a kind's words ("communication", "memory") get that kind's bar colour.
  void setKindColumn(const std::string& source) { m_kindColumn = source; }

  // emptyText: what to say when the table has no rows, or when there is no table.
  void setTable(std::shared_ptr<const ResultTable> table, const QString& emptyText);
  void setCaption(const QString& caption);
  // Without frame, title and caption: for a panel that has its own.
  void setPlain();
  void setFilterWords(const QString& words);
  // Shows this rank's rows, or all; shares follow.
  void setFilterRank(std::optional<qint64> rank);

  [[nodiscard]] const ResultTableModel& model() const { return *m_model; }
  [[nodiscard]] QTableView& view() { return *m_view; }
  [[nodiscard]] int shownRows() const { return m_filter->rowCount(); }
  // Rows of the rank that is filtered by, whatever the words; all rows without one.
  [[nodiscard]] int rowsOfRank() const { return m_filter->rowsOfRank(); }
  // What it takes to show so many rows, or all if there are fewer, without scrolling.
  [[nodiscard]] int heightFor(int rows) const;

  // The selected rows (all shown ones when none is selected) as tab-separated exact values with a header
  // line.
  [[nodiscard]] QString rowsAsText() const;
  void copyRows() const;
  // Asks where to, and writes the whole table.
  void exportCsv();

 signals:
  // A row of the table was activated by double click or Enter.
  void rowActivated(int tableRow);
  void shownRowsChanged();

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void measureColumns();
  void spreadColumns();
  void showRowsOrReason();

  ResultTableModel* m_model;
  ResultTableFilter* m_filter;
  QLabel* m_heading;
  QLabel* m_caption;
  QStackedWidget* m_stack;
  QTableView* m_view;
  QLabel* m_empty;
  QString m_emptyText;
  std::string m_stretch;
  std::vector<int> m_widths; // that the columns need
  std::string m_kindColumn;
  std::string m_sortSource;
  Qt::SortOrder m_sortOrder = Qt::DescendingOrder;
  bool m_userSorted = false;

  friend class TableCellPainter;
};

} // namespace rankscope::ui
