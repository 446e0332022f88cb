// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of a ResultTableModel, sorted and filtered by a TableOrder. Columns are the model's. The selection
// is kept when sorting; a filter resets the model. UI thread only; a cell costs as much as in the model.
#pragma once

#include "ui/tables/result_table_model.h"
#include "ui/tables/table_order.h"

#include <QAbstractProxyModel>

#include <optional>

namespace rankscope::ui {

class ShownRows : public QAbstractProxyModel {
  Q_OBJECT
 public:
  explicit ShownRows(ResultTableModel& model, QObject* parent = nullptr);

  void setWords(const QString& text);
  void setRank(std::optional<qint64> rank);
  // By a shown column of the model; -1: the table's order.
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;
  [[nodiscard]] int sortColumn() const { return m_sortColumn; }
  [[nodiscard]] Qt::SortOrder sortOrder() const { return m_sortOrder; }

  [[nodiscard]] const TableOrder& order() const { return m_order; }
  // The row of the table at this position; -1 if there is none.
  [[nodiscard]] int tableRow(int place) const;

  [[nodiscard]] QModelIndex mapToSource(const QModelIndex& shown) const override;
  [[nodiscard]] QModelIndex mapFromSource(const QModelIndex& source) const override;
  [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  ResultTableModel& m_model;
  TableOrder m_order;
  int m_sortColumn = -1;
  Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

} // namespace rankscope::ui
