// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/result_table_model.h"

#include "core/base/unit_text.h"

#include <utility>

namespace rankscope::ui {

namespace {

QString fromUtf8(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

const QString kEmpty = QStringLiteral("–");

std::optional<double> numberOf(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  return std::nullopt;
}

QString wholeText(std::int64_t value, Unit unit) {
  switch (unit) {
  case Unit::Count:
    return fromUtf8(groupedText(value));
  case Unit::Nanoseconds:
    return fromUtf8(durationText(value));
  case Unit::Bytes:
    return fromUtf8(bytesText(value));
  default:
    return QString::number(value);
  }
}

QString numberText(double value, Unit unit) {
  switch (unit) {
  case Unit::Percent:
    return fromUtf8(percentText(value));
  case Unit::GigabytesPerSecond:
    return fromUtf8(rateText(value * 1e9));
  default:
    return QString::number(value, 'f', 1);
  }
}

} // namespace

QString cellText(const ResultTable& table, std::size_t row, std::size_t column) {
  const Cell cell = table.at(row, column);
  const Unit unit = table.columns()[column].unit;
  if (const auto* text = std::get_if<std::string_view>(&cell)) return fromUtf8(*text);
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return wholeText(*whole, unit);
  if (const auto* number = std::get_if<double>(&cell)) return numberText(*number, unit);
  return kEmpty;
}

ResultTableModel::ResultTableModel(std::vector<ShownColumn> columns, QObject* parent)
    : QAbstractTableModel(parent), m_wanted(std::move(columns)) {}

void ResultTableModel::setTable(std::shared_ptr<const ResultTable> table) {
  beginResetModel();
  m_table = std::move(table);
  m_shown.clear();
  for (const ShownColumn& wanted : m_wanted) {
    const auto source = m_table ? m_table->columnNamed(wanted.source) : std::nullopt;
    if (source && !saysNothing(*source, wanted.hide)) m_shown.push_back({wanted, *source, 0});
  }
  sumShares();
  endResetModel();
}

bool ResultTableModel::saysNothing(std::size_t column, Hide hide) const {
  const std::size_t rows = m_table->rowCount();
  if (hide == Hide::Never || rows == 0) return false;
  for (std::size_t row = 0; row < rows; ++row) {
    const bool dull = hide == Hide::AllEmpty ? m_table->isEmpty(row, column)
                                             : m_table->at(row, column) == m_table->at(0, column);
    if (!dull) return false;
  }
  return true;
}

void ResultTableModel::setShareRank(std::optional<qint64> rank) {
  m_shareRank = rank;
  sumShares();
  if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void ResultTableModel::sumShares() {
  const auto rankColumn = m_table ? m_table->columnNamed("rank") : std::nullopt;
  for (Shown& shown : m_shown) {
    shown.sum = 0;
    for (std::size_t row = 0; shown.column.share && row < m_table->rowCount(); ++row) {
      if (m_shareRank && rankColumn && m_table->at(row, *rankColumn) != Cell(std::int64_t{*m_shareRank}))
        continue;
      shown.sum += numberOf(m_table->at(row, shown.source)).value_or(0);
    }
  }
}

int ResultTableModel::columnOf(std::string_view source) const {
  for (std::size_t i = 0; i < m_shown.size(); ++i)
    if (m_shown[i].column.source == source && !m_shown[i].column.share) return static_cast<int>(i);
  return -1;
}

QString ResultTableModel::textOf(int row, std::string_view source) const {
  const auto column = m_table ? m_table->columnNamed(source) : std::nullopt;
  return column ? fromUtf8(exactText(*m_table, static_cast<std::size_t>(row), *column)) : QString();
}

int ResultTableModel::rowCount(const QModelIndex& parent) const {
  return m_table && !parent.isValid() ? static_cast<int>(m_table->rowCount()) : 0;
}

int ResultTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

std::optional<double> ResultTableModel::shareOf(std::size_t row, const Shown& shown) const {
  const auto value = numberOf(m_table->at(row, shown.source));
  if (!value || shown.sum <= 0) return std::nullopt;
  return *value / shown.sum;
}

QVariant ResultTableModel::sortValue(std::size_t row, const Shown& shown) const {
  const Cell cell = m_table->at(row, shown.source);
  if (const auto* text = std::get_if<std::string_view>(&cell)) return fromUtf8(*text);
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return QVariant::fromValue<qint64>(*whole);
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  return {};
}

QVariant ResultTableModel::alignment(const Shown& shown) const {
  // What names something is read from the left, what measures something from the right.
  const TableColumn& column = m_table->columns()[shown.source];
  const bool right = column.alignsRight() && column.unit != Unit::Identity;
  return QVariant::fromValue((right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

QVariant ResultTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !m_table) return {};
  const auto row = static_cast<std::size_t>(index.row());
  const Shown& shown = m_shown[static_cast<std::size_t>(index.column())];
  switch (role) {
  case Qt::DisplayRole:
    if (!shown.column.share) {
      const QString text = cellText(*m_table, row, shown.source);
      return shown.column.display ? shown.column.display(text) : text;
    }
    if (const auto share = shareOf(row, shown)) return fromUtf8(percentText(100 * *share));
    return kEmpty;
  case Qt::ToolTipRole: {
    const QString exact = fromUtf8(exactText(*m_table, row, shown.source));
    if (exact.isEmpty() || shown.column.share) return {};
    return m_table->columns()[shown.source].unit == Unit::Nanoseconds ? exact + QStringLiteral(" µs") : exact;
  }
  case Qt::TextAlignmentRole:
    return alignment(shown);
  case kSortRole:
    return sortValue(row, shown);
  case kShareRole: {
    const auto share = shown.column.share ? shareOf(row, shown) : std::nullopt;
    return share ? QVariant(*share) : QVariant();
  }
  case kElideStartRole:
    return shown.column.elideStart;
  case kFigureRole:
    return m_table->columns()[shown.source].alignsRight();
  default:
    return {};
  }
}

QVariant ResultTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section >= static_cast<int>(m_shown.size())) return {};
  const Shown& shown = m_shown[static_cast<std::size_t>(section)];
  switch (role) {
  case Qt::DisplayRole:
    return shown.column.title;
  case Qt::ToolTipRole:
    return shown.column.tip.isEmpty() ? shown.column.title : shown.column.tip;
  case Qt::TextAlignmentRole:
    return alignment(shown);
  // What is large is what is looked for.
  case Qt::InitialSortOrderRole:
    return m_table->columns()[shown.source].alignsRight() ? Qt::DescendingOrder : Qt::AscendingOrder;
  default:
    return {};
  }
}

ResultTableFilter::ResultTableFilter(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(ResultTableModel::kSortRole);
}

void ResultTableFilter::setWords(const QString& text) {
  m_words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  invalidateFilter();
}

void ResultTableFilter::setRank(std::optional<qint64> rank) {
  m_rank = rank;
  invalidateFilter();
}

QVariant ResultTableFilter::headerData(int section, Qt::Orientation orientation, int role) const {
  const QVariant data = QSortFilterProxyModel::headerData(section, orientation, role);
  if (role != Qt::DisplayRole || orientation != Qt::Horizontal || section != sortColumn()) return data;
  return data.toString() + (sortOrder() == Qt::DescendingOrder ? QStringLiteral(" ↓") : QStringLiteral(" ↑"));
}

int ResultTableFilter::rowsOfRank() const {
  int rows = 0;
  for (int row = 0; row < sourceModel()->rowCount(); ++row) rows += isOfRank(row) ? 1 : 0;
  return rows;
}

bool ResultTableFilter::isOfRank(int row) const {
  if (!m_rank) return true;
  const ResultTable& table = *static_cast<const ResultTableModel&>(*sourceModel()).table();
  const auto column = table.columnNamed("rank");
  return column && table.at(static_cast<std::size_t>(row), *column) == Cell(std::int64_t{*m_rank});
}

bool ResultTableFilter::filterAcceptsRow(int row, const QModelIndex&) const {
  const auto& model = static_cast<const ResultTableModel&>(*sourceModel());
  if (!model.table() || !isOfRank(row)) return false;
  const ResultTable& table = *model.table();
  const auto at = static_cast<std::size_t>(row);
  for (const QString& word : m_words) {
    bool found = false;
    for (std::size_t column = 0; column < table.columns().size() && !found; ++column) {
      if (table.columns()[column].unit != Unit::Text) continue;
      found = cellText(table, at, column).contains(word, Qt::CaseInsensitive);
    }
    if (!found) return false;
  }
  return true;
}

bool ResultTableFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const QVariant a = left.data(ResultTableModel::kSortRole);
  const QVariant b = right.data(ResultTableModel::kSortRole);
  // A descending sort asks the question the other way round; empty cells come last in both.
  if (!a.isValid() || !b.isValid())
    return sortOrder() == Qt::AscendingOrder ? a.isValid() && !b.isValid() : !a.isValid() && b.isValid();
  if (a.typeId() == QMetaType::QString) return QString::localeAwareCompare(a.toString(), b.toString()) < 0;
  if (a.typeId() == QMetaType::LongLong) return a.toLongLong() < b.toLongLong();
  return a.toDouble() < b.toDouble();
}

} // namespace rankscope::ui
