// SPDX-License-Identifier: GPL-3.0-or-later
// Shows a ResultTable to Qt's views: the one table model of the program. It holds the table by shared pointer
// and copies nothing; what a cell looks like follows from its column's unit. A column of shares can be
// derived from a column of amounts (each row's part of the sum). Empty cells are an en dash. Rows are the
// table's; ShownRows sorts and filters them. UI thread only; a cell costs O(1).
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

// When a column is uninformative and hidden. Empty cells are like any other, and like 0.
enum class Hide : std::uint8_t { Never, AllEmpty, AllSame, AllZero };

// What stands under a column, over the rows that are shown. Empty cells take no part.
enum class Footer : std::uint8_t { None, Sum, Mean, Min, Max };

// A column as it is shown: which of the table, under which title.
struct ShownColumn {
  std::string source; // name in the table
  QString title;
  QString tip = {};
  Hide hide = Hide::Never;
  std::string needs = {};  // a column of the table; where that is 0 or empty in all rows, this one stays away
  bool share = false;      // the row's part of the column's sum, or the percentage it has, drawn as a bar
  bool elideStart = false; // the end of the text distinguishes rows
  // Makes a text shorter for reading; the tooltip keeps it whole.
  std::function<QString(const QString&)> display = {};
  Footer footer = Footer::None;
  bool hidden = false; // until one chooses it
  // What a cell is called, numbers too, in place of what its unit makes of it; the tooltip explains it.
  QString (*words)(const Cell&) = nullptr;
};

// For `words` of columns of 0 and 1: "yes", "no", and an en dash where it is not known.
[[nodiscard]] QString yesOrNo(const Cell& cell);

class ResultTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Role {
    kSortRole = Qt::UserRole, // number or text; invalid for an empty cell
    kShareRole,               // double 0 to 1 of a share column, else invalid
    kBarRole,                 // how long its bar is, 0 to 1: of sums as part of the largest share
    kElideStartRole,          // bool
    kFigureRole,              // bool: digits that should have one width
  };

  explicit ResultTableModel(std::vector<ShownColumn> columns, QObject* parent = nullptr);

  // Columns that the table lacks are hidden, and uninformative ones.
  void setTable(std::shared_ptr<const ResultTable> table);
  [[nodiscard]] const std::shared_ptr<const ResultTable>& table() const { return m_table; }
  // Shares are of this rank's rows alone, or of all.
  void setShareRank(std::optional<qint64> rank);
  // The shown column with this source (shares aside); -1 when it is not shown.
  [[nodiscard]] int columnOf(std::string_view source) const;
  // REQUIRES: 0 <= column < columnCount().
  [[nodiscard]] const ShownColumn& column(int column) const {
    return m_shown[static_cast<std::size_t>(column)].column;
  }
  // Its column in the table.
  [[nodiscard]] std::size_t sourceOf(int column) const {
    return m_shown[static_cast<std::size_t>(column)].source;
  }
  // Tells the columns of a card apart, whatever table they show.
  [[nodiscard]] QString keyOf(int column) const;
  // What stands under a column when these rows of the table are shown; empty without a footer or figures.
  [[nodiscard]] QString footerText(int column, std::span<const std::uint32_t> rows) const;
  [[nodiscard]] bool hasFooter() const;
  // The text of a row's cell in a column of the table, shown or not; empty when there is none.
  [[nodiscard]] QString textOf(int row, std::string_view source) const;

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Shown {
    ShownColumn column;
    std::size_t source;
    double sum = 0;  // of a share column
    double most = 0; // the largest of it
  };

  [[nodiscard]] bool isEmptyColumn(std::size_t column, Hide hide) const;
  void sumShares();
  [[nodiscard]] std::optional<double> shareOf(std::size_t row, const Shown& shown) const;
  [[nodiscard]] QVariant sortValue(std::size_t row, const Shown& shown) const;
  [[nodiscard]] QString shownText(std::size_t row, const Shown& shown) const;
  [[nodiscard]] QVariant alignment(const Shown& shown) const;

  std::vector<ShownColumn> m_wanted;
  std::vector<Shown> m_shown;
  std::optional<qint64> m_shareRank;
  std::shared_ptr<const ResultTable> m_table;
};

// A cell for people, by its column's unit.
[[nodiscard]] QString cellText(const ResultTable& table, std::size_t row, std::size_t column);
// The same to the last digit, with its unit: "1 625 483.125 µs". Nothing for an empty cell.
[[nodiscard]] QString exactCellText(const ResultTable& table, std::size_t row, std::size_t column);

} // namespace rankscope::ui
