// SPDX-License-Identifier: GPL-3.0-or-later
// A card with a title and a ResultTable: sorted by clicking a header, filtered by its own field or from
// outside, copied with Ctrl+C, exported as CSV, with bars for shares and a footer with sums. Columns are
// chosen in the header's context menu. Without rows it shows the reason. Rows are identified by their index
// in the table, independent of the order. UI thread only; O(visible cells).
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
class WrappedLabel;

class TableCard : public QFrame, public TableExport {
  Q_OBJECT
 public:
  // The session provides the theme.
  TableCard(const QString& title, std::vector<ShownColumn> columns, const TraceSession& session,
            QWidget* parent = nullptr);

  // The column that gets the remaining width; without one, all columns share it.
  void setStretchColumn(const std::string& source) { m_columns->setStretchColumn(source); }
  // Initial sort column of a new table, until the user clicks a header.
  void setDefaultSort(const std::string& source, Qt::SortOrder order) {
    m_columns->setDefaultSort(source, order);
  }
  // Colors bars by the kind in this column ("communication", "memory").
  void setKindColumn(const std::string& source);
  void setBarColor(RowColor color);
  // Highlights rows by a tint and the color of their numbers; an invalid color: none.
  void setRowColor(RowColor color) { m_view->setRowColor(std::move(color)); }
  // Stores the user's columns, widths and order under this key, and loads them.
  void setMemoryKey(QSettings& settings, const QString& key) { m_columns->setMemory(settings, key); }
  // Adds a filter field next to the title.
  void setFilterHint(const QString& placeholder);

  // emptyText: shown if the table has no rows or is null.
  void setTable(std::shared_ptr<const ResultTable> table, const QString& emptyText);
  // Text at the right of the title, after "12 of 412" while the card's own field filters.
  void setCaption(const QString& caption);
  // Adds a control at the right of the title.
  void addControl(QWidget* control);
  // Without frame, title and caption: for a panel that has its own.
  void setPlain();
  void setFilterWords(const QString& words);
  // Shows only this rank's rows, or all; shares are of the shown rank.
  void setFilterRank(std::optional<qint64> rank);

  [[nodiscard]] const ResultTableModel& model() const { return *m_model; }
  [[nodiscard]] TableView& view() { return *m_view; }
  [[nodiscard]] TableColumns& columns() { return *m_columns; }
  [[nodiscard]] TableFooter& footer() { return *m_footer; }
  // Null without a hint.
  [[nodiscard]] QLineEdit* filterField() const { return m_field; }
  [[nodiscard]] int shownRows() const { return m_rows->rowCount(); }
  // Number of rows of the chosen rank, ignoring the filter; all rows without a rank.
  [[nodiscard]] int rowsOfRank() const { return m_rows->order().rowsOfRank(); }
  // The row of the table at this position from the top; -1 if there is none.
  [[nodiscard]] int tableRow(int place) const { return m_rows->tableRow(place); }
  [[nodiscard]] int selectedRow() const { return m_view->selectedRow(); }
  // The height that shows this many rows, or all if there are fewer, without scrolling.
  [[nodiscard]] int heightFor(int rows) const;

  // The selected rows, or all shown rows if none is selected: as tab-separated exact values with a header
  // line; as in the exported CSV; and as a Markdown table of the shown columns.
  [[nodiscard]] QString rowsAsText() const;
  [[nodiscard]] QString rowsAsCsv() const;
  [[nodiscard]] QString rowsAsMarkdown() const;
  void copyRows() const;
  // Selected rows of the table, ascending.
  [[nodiscard]] std::vector<int> selectedRows() const;
  [[nodiscard]] bool canExport() const override { return m_model->table() != nullptr; }
  // Includes rows that a filter hides.
  void exportCsv() override;

 public slots:
  // Selects only this row and scrolls to it, without a signal; -1: none.
  void selectRow(int tableRow);
  // Marks a row that is hovered in a chart; -1: none.
  void markRow(int tableRow) { m_view->markRow(tableRow); }
  // Clears the filter.
  void clearFilter();

 signals:
  // A row of the table was activated by double click or Enter.
  void rowActivated(int tableRow);
  // The selected row changed, by mouse or keyboard; -1: none.
  void rowSelected(int tableRow);
  // The row under the mouse changed; -1: none.
  void rowHovered(int tableRow);
  void shownRowsChanged();
  // The text of an outside filter field should be cleared.
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
  WrappedLabel* m_caption = nullptr;
  QLineEdit* m_field = nullptr;
  QStackedWidget* m_stack;
  QLabel* m_empty = nullptr;
  QPushButton* m_clear = nullptr;
  QString m_emptyText;
  QString m_captionText;
  int m_emittedRow = -1; // selected row, as last emitted
  bool m_quiet = false;  // while the program itself selects or replaces rows
};

} // namespace rankscope::ui
