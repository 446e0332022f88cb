// SPDX-License-Identifier: GPL-3.0-or-later
// Shows a ResultTable to Qt's views: the one table model of the program. It holds the table by shared pointer
// and copies nothing; what a cell looks like follows from its column's unit. A column of shares can be
// derived from a column of amounts (each row's part of the sum). Empty cells are an en dash and sort last
// both ways. UI thread only; a cell costs O(1).
#pragma once

#include "core/export/result_table.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::ui {

// When a column says nothing and stays away.
enum class Hide : std::uint8_t { Never, AllEmpty, AllSame };

// A column as it is shown: which of the table, under which title.
struct ShownColumn {
  std::string source; // name in the table
  QString title;
  QString tip = {};
  Hide hide = Hide::Never;
  bool share = false;      // the row's part of the column's sum, drawn as a bar
  bool elideStart = false; // the end of the text is what tells rows apart
  // Makes a text shorter for reading; the tooltip keeps it whole.
  QString (*display)(const QString&) = nullptr;
};

class ResultTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Role {
    kSortRole = Qt::UserRole, // number or text; invalid for an empty cell
    kShareRole,               // double 0 to 1 of a share column, else invalid
    kElideStartRole,          // bool
    kFigureRole,              // bool: digits that should have one width
  };

  explicit ResultTableModel(std::vector<ShownColumn> columns, QObject* parent = nullptr);

  // Columns that the table lacks stay away, and those that say nothing.
  void setTable(std::shared_ptr<const ResultTable> table);
  [[nodiscard]] const std::shared_ptr<const ResultTable>& table() const { return m_table; }
  // Shares are of this rank's rows alone, or of all.
  void setShareRank(std::optional<qint64> rank);
  // The shown column with this source (shares aside); -1 when it is not shown.
  [[nodiscard]] int columnOf(std::string_view source) const;
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
    double sum = 0; // of a share column
  };

  [[nodiscard]] bool saysNothing(std::size_t column, Hide hide) const;
  void sumShares();
  [[nodiscard]] std::optional<double> shareOf(std::size_t row, const Shown& shown) const;
  [[nodiscard]] QVariant sortValue(std::size_t row, const Shown& shown) const;
  [[nodiscard]] QVariant alignment(const Shown& shown) const;

  std::vector<ShownColumn> m_wanted;
  std::vector<Shown> m_shown;
  std::optional<qint64> m_shareRank;
  std::shared_ptr<const ResultTable> m_table;
};

// A cell for people, by its column's unit.
[[nodiscard]] QString cellText(const ResultTable& table, std::size_t row, std::size_t column);

// Rows whose texts hold every word of the filter, case aside, and whose rank is the one asked for, if any.
class ResultTableFilter : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  explicit ResultTableFilter(QObject* parent = nullptr);

  void setWords(const QString& text);
  void setRank(std::optional<qint64> rank);
  // Rows of the rank asked for, whatever the words; all rows without one.
  [[nodiscard]] int rowsOfRank() const;
  // Titles carry the arrow of the column that the rows are sorted by.
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 protected:
  [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  [[nodiscard]] bool isOfRank(int row) const;

  QStringList m_words;
  std::optional<qint64> m_rank;
};

} // namespace rankscope::ui
