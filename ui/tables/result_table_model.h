// SPDX-License-Identifier: GPL-3.0-or-later
// The model of a ResultTable for Qt's views. It shares the table and copies nothing; formatting follows from
// a column's unit. A column of shares can be derived from a column of amounts (each row's share of the sum).
// Empty cells are an en dash. Rows are the table's; ShownRows sorts and filters them. UI thread only; a cell
// is O(1).
#pragma once

#include "core/export/result_table.h"

#include <QAbstractTableModel>
#include <QString>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::ui {

// When a column is hidden because it is uninformative. Empty cells count as equal, and as 0.
enum class Hide : std::uint8_t { Never, AllEmpty, AllSame, AllZero };

// Footer of a column, over the shown rows without empty cells.
enum class Footer : std::uint8_t { None, Sum, Mean, Min, Max };

// How a column of the table is displayed.
struct ShownColumn {
  std::string source; // name in the table
  QString title;
  QString tip = {};
  Hide hide = Hide::Never;
  std::string needs = {};  // a column of the table; if it is 0 or empty in all rows, this column is hidden
  bool share = false;      // the row's share of the column's sum, or its percentage, drawn as a bar
  bool elideStart = false; // elides the start, because the end of the text distinguishes rows
  bool elideSame = false;  // elides what the text has in common with that of another row
  // Shortens a text; the tooltip has the full text.
  std::function<QString(const QString&)> display = {};
  Footer footer = Footer::None;
  bool hidden = false; // by default
  // Formats a cell, including numbers, instead of its unit; the tooltip explains it.
  QString (*words)(const Cell&) = nullptr;
  QString longTitle = {}; // where it is not beside the column that says what it is: in menus and copies

  [[nodiscard]] const QString& wholeTitle() const { return longTitle.isEmpty() ? title : longTitle; }
};

// For `words` of columns of 0 and 1: "yes", "no", and an en dash if unknown.
[[nodiscard]] QString yesOrNo(const Cell& cell);

class ResultTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Role {
    kSortRole = Qt::UserRole, // number or text; invalid for an empty cell
    kShareRole,               // double 0 to 1 of a share column, else invalid
    kBarRole,                 // length of its bar, 0 to 1; the largest share of a sum has length 1
    kElideStartRole,          // bool
    kSameStartRole,           // int: characters at the start that the text of another row has too
    kFigureRole,              // bool: use digits of equal width
  };

  explicit ResultTableModel(std::vector<ShownColumn> columns, QObject* parent = nullptr);

  // Hides columns that the table lacks, and uninformative ones.
  void setTable(std::shared_ptr<const ResultTable> table);
  [[nodiscard]] const std::shared_ptr<const ResultTable>& table() const { return m_table; }
  // Computes shares over this rank's rows, or over all.
  void setShareRank(std::optional<qint64> rank);
  // The shown column with this source (not a share); -1 if it is not shown.
  [[nodiscard]] int columnOf(std::string_view source) const;
  // REQUIRES: 0 <= column < columnCount().
  [[nodiscard]] const ShownColumn& column(int column) const {
    return m_shown[static_cast<std::size_t>(column)].column;
  }
  // The column's index in the table.
  [[nodiscard]] std::size_t sourceOf(int column) const {
    return m_shown[static_cast<std::size_t>(column)].source;
  }
  // Identifies a column of a card, independent of the table.
  [[nodiscard]] QString keyOf(int column) const;
  // Number of ranks that sums per step in the footer are means over when these rows are shown; 0: they are
  // sums.
  [[nodiscard]] std::size_t ranksOfMeans(std::span<const std::uint32_t> rows) const;
  // Footer text of a column when these rows are shown; empty without a footer or values.
  [[nodiscard]] QString footerText(int column, std::span<const std::uint32_t> rows) const;
  [[nodiscard]] bool hasFooter() const;
  // The text of a cell in a column of the table, shown or not; empty if there is no such column.
  [[nodiscard]] QString textOf(int row, std::string_view source) const;

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Shown {
    ShownColumn column;
    std::size_t source;
    double sum = 0;                  // of a share column
    double most = 0;                 // largest share
    std::vector<int> sameStart = {}; // by row, of a column that elides what is the same
  };

  [[nodiscard]] bool isEmptyColumn(std::size_t column, Hide hide) const;
  void sumShares();
  void measureSameStarts();
  [[nodiscard]] std::optional<double> shareOf(std::size_t row, const Shown& shown) const;
  [[nodiscard]] QVariant sortValue(std::size_t row, const Shown& shown) const;
  [[nodiscard]] QString shownText(std::size_t row, const Shown& shown) const;
  [[nodiscard]] QVariant alignment(const Shown& shown) const;

  std::vector<ShownColumn> m_wanted;
  std::vector<Shown> m_shown;
  std::optional<qint64> m_shareRank;
  std::shared_ptr<const ResultTable> m_table;
};

// Formats a cell by its column's unit.
[[nodiscard]] QString cellText(const ResultTable& table, std::size_t row, std::size_t column);
// The same with all digits and the unit: "1 625 483.125 µs". Empty for an empty cell.
[[nodiscard]] QString exactCellText(const ResultTable& table, std::size_t row, std::size_t column);

} // namespace rankscope::ui
