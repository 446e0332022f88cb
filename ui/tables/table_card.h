// SPDX-License-Identifier: GPL-3.0-or-later
// A titled card with one ResultTable in it: sorted by clicking a header, filtered in its own field or from
// outside, copied with Ctrl+C, exported as CSV, with bars for shares, figures of equal width and sums under
// them. Columns are chosen by a right click on the header. Without rows it shows the reason. Rows are
// identified by their index in the table, whatever the order. UI thread only; costs what is visible.
#pragma once

#include "ui/tables/result_table_model.h"
#include "ui/tables/shown_rows.h"
#include "ui/tables/table_columns.h"
#include "ui/tables/table_export.h"
#include "ui/tables/table_view.h"

#include <QFrame>

#include <memory>
#include <vector>

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QMenu;
class QPushButton;
class QScrollBar;
class QSettings;
class QStackedWidget;

namespace rankscope::ui {

class TableFooter;
class TraceSession;

class TableCard : public QFrame, public TableExport {
  Q_OBJECT
 public:
  // The session lends the theme.
  TableCard(const QString& title, std::vector<ShownColumn> columns, const TraceSession& session,
            QWidget* parent = nullptr);

  // The column whose texts take the width that is left; without one all columns share it.
  void setStretchColumn(const std::string& source) { m_columns->setStretchColumn(source); }
  // Sorted by this column when a table comes, until the user clicks a header; tables come sorted otherwise.
  void setDefaultSort(const std::string& source, Qt::SortOrder order) {
    m_columns->setDefaultSort(source, order);
  }
  // Bars of rows whose column has one of a kind's words ("communication", "memory") get that kind's color.
  void setKindColumn(const std::string& source);
  void setBarColor(RowColor color);
  // Rows that stand out: a tinted row with figures in this color; an invalid color: none.
  void setRowColor(RowColor color) { m_view->setRowColor(std::move(color)); }
  // Columns, widths and order that one chooses are remembered under this key, and taken over from it.
  void setMemoryKey(QSettings& settings, const QString& key) { m_columns->setMemory(settings, key); }
  // Shows a field beside the title that filters as one types.
  void setFilterHint(const QString& placeholder);

  // emptyText: text when the table has no rows, or when there is no table.
  void setTable(std::shared_ptr<const ResultTable> table, const QString& emptyText);
  // Stands at the right of the title, after "12 of 412" while the card's own field filters.
  void setCaption(const QString& caption);
  // A widget at the right of the title line: a choice of what is shown.
  void addControl(QWidget* control);
  // Without frame, title and caption: for a panel that has its own.
  void setPlain();
  void setFilterWords(const QString& words);
  // Shows this rank's rows, or all; shares follow.
  void setFilterRank(std::optional<qint64> rank);

  [[nodiscard]] const ResultTableModel& model() const { return *m_model; }
  [[nodiscard]] TableView& view() { return *m_view; }
  [[nodiscard]] TableColumns& columns() { return *m_columns; }
  [[nodiscard]] TableFooter& footer() { return *m_footer; }
  // Null without a hint.
  [[nodiscard]] QLineEdit* filterField() const { return m_field; }
  [[nodiscard]] int shownRows() const { return m_rows->rowCount(); }
  // Rows of the rank that is filtered by, whatever the words; all rows without one.
  [[nodiscard]] int rowsOfRank() const { return m_rows->order().rowsOfRank(); }
  // The row of the table that is shown there, counted from the top; -1 when none is.
  [[nodiscard]] int tableRow(int place) const { return m_rows->tableRow(place); }
  [[nodiscard]] int selectedRow() const { return m_view->selectedRow(); }
  // What it takes to show so many rows, or all if there are fewer, without scrolling.
  [[nodiscard]] int heightFor(int rows) const;

  // The selected rows (all shown ones when none is selected) as tab-separated exact values with a header
  // line; as the exported CSV has them; and as a Markdown table of the columns that are shown.
  [[nodiscard]] QString rowsAsText() const;
  [[nodiscard]] QString rowsAsCsv() const;
  [[nodiscard]] QString rowsAsMarkdown() const;
  void copyRows() const;
  // Rows of the table that are selected, ascending.
  [[nodiscard]] std::vector<int> selectedRows() const;
  [[nodiscard]] bool canExport() const override { return m_model->table() != nullptr; }
  // Also the rows that a filter hides.
  void exportCsv() override;

 public slots:
  // Selects that row alone and scrolls to it, without a signal; -1: none.
  void selectRow(int tableRow);
  // Points at a row that is hovered in a chart; -1: none.
  void markRow(int tableRow) { m_view->markRow(tableRow); }
  // Shows all rows again, whatever words they were filtered by.
  void clearFilter();

 signals:
  // A row of the table was activated by double click or Enter.
  void rowActivated(int tableRow);
  // Another row is selected, by mouse or by key; -1: none is.
  void rowSelected(int tableRow);
  // Another row is under the mouse; -1: none is.
  void rowHovered(int tableRow);
  void shownRowsChanged();
  // What was typed into a field outside is to be forgotten.
  void filterCleared();
  // Before the context menu of a row appears (-1: of none); more actions may be added.
  void menuAboutToShow(QMenu* menu, int tableRow);

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void makeTop(const QString& title);
  void makeEmptyPage();
  void filterAgain();
  void showRowsOrReason();
  void showCaption();
  void emitSelection();
  [[nodiscard]] std::vector<std::uint32_t> rowsToCopy() const;

  ResultTableModel* m_model;
  ShownRows* m_rows;
  TableView* m_view;
  TableColumns* m_columns;
  TableFooter* m_footer;
  QScrollBar* m_sideways; // under the footer
  QHBoxLayout* m_top = nullptr;
  QLabel* m_heading = nullptr;
  QLabel* m_caption = nullptr;
  QLineEdit* m_field = nullptr;
  QStackedWidget* m_stack;
  QLabel* m_empty = nullptr;
  QPushButton* m_clear = nullptr;
  QString m_emptyText;
  QString m_captionText;
  int m_emittedRow = -1; // selected row, as last emitted
  bool m_quiet = false;  // while rows are selected or replaced by the program
};

} // namespace rankscope::ui
