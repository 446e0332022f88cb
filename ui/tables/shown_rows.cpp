// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/shown_rows.h"

namespace rankscope::ui {

ShownRows::ShownRows(ResultTableModel& model, QObject* parent) : QAbstractProxyModel(parent), m_model(model) {
  setSourceModel(&model);
  connect(&model, &QAbstractItemModel::modelAboutToBeReset, this, [this] { beginResetModel(); });
  connect(&model, &QAbstractItemModel::modelReset, this, [this] {
    // The columns may differ; the caller sorts again.
    m_sortColumn = -1;
    m_order.setTable(m_model.table());
    endResetModel();
  });
  connect(&model, &QAbstractItemModel::headerDataChanged, this, &ShownRows::headerDataChanged);
  connect(&model, &QAbstractItemModel::dataChanged, this, [this] {
    if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
  });
}

void ShownRows::setWords(const QString& text) {
  beginResetModel();
  m_order.setWords(text.split(QLatin1Char(' '), Qt::SkipEmptyParts));
  endResetModel();
}

void ShownRows::setRank(std::optional<qint64> rank) {
  beginResetModel();
  m_order.setRank(rank ? std::optional<std::int64_t>(*rank) : std::nullopt);
  endResetModel();
}

void ShownRows::sort(int column, Qt::SortOrder order) {
  if (column >= columnCount()) column = -1;
  emit layoutAboutToBeChanged({}, VerticalSortHint);
  const QModelIndexList before = persistentIndexList();
  QModelIndexList after;
  std::vector<int> rows;
  for (const QModelIndex& shown : before) rows.push_back(tableRow(shown.row()));
  m_sortColumn = column;
  m_sortOrder = order;
  m_order.sortBy(column < 0 ? std::nullopt : std::optional(m_model.sourceOf(column)),
                 order == Qt::DescendingOrder);
  for (qsizetype i = 0; i < before.size(); ++i)
    after.append(index(m_order.placeOf(rows[static_cast<std::size_t>(i)]), before[i].column()));
  changePersistentIndexList(before, after);
  emit layoutChanged({}, VerticalSortHint);
  if (columnCount() > 0) emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
}

int ShownRows::tableRow(int place) const {
  return place >= 0 && place < rowCount() ? static_cast<int>(m_order.rows()[static_cast<std::size_t>(place)])
                                          : -1;
}

QModelIndex ShownRows::mapToSource(const QModelIndex& shown) const {
  return shown.isValid() ? m_model.index(tableRow(shown.row()), shown.column()) : QModelIndex();
}

QModelIndex ShownRows::mapFromSource(const QModelIndex& source) const {
  return source.isValid() ? index(m_order.placeOf(source.row()), source.column()) : QModelIndex();
}

QModelIndex ShownRows::index(int row, int column, const QModelIndex& parent) const {
  if (parent.isValid() || row < 0 || row >= rowCount() || column < 0 || column >= columnCount()) return {};
  return createIndex(row, column);
}

QModelIndex ShownRows::parent(const QModelIndex&) const {
  return {};
}

int ShownRows::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_order.rows().size());
}

int ShownRows::columnCount(const QModelIndex& parent) const {
  return m_model.columnCount(parent);
}

QVariant ShownRows::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  const QVariant data = m_model.headerData(section, orientation, role);
  if (role != Qt::DisplayRole || section != m_sortColumn) return data;
  // The arrow is part of the title, so that screen readers read it.
  return data.toString() + (m_sortOrder == Qt::DescendingOrder ? QStringLiteral(" ↓") : QStringLiteral(" ↑"));
}

} // namespace rankscope::ui
