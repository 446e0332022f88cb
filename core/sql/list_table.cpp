// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/list_table.h"

#include "core/sql/virtual_table.h"

#include <unordered_map>
#include <utility>

namespace rankscope {

namespace {

class TableRows : public SqlRows {
 public:
  explicit TableRows(ResultTable table) : m_table(std::move(table)) {}
  [[nodiscard]] std::size_t count() const override { return m_table.rowCount(); }
  [[nodiscard]] Cell at(std::size_t row, std::size_t column) const override {
    return m_table.at(row, column);
  }

 private:
  ResultTable m_table;
};

// Rows of a table are not known before it is made; only their proportions matter.
constexpr double kRows = 10'000;

} // namespace

// All rows, or those of an index.
class ListTable::Cursor {
 public:
  explicit Cursor(const ListTable& table) : m_table(table), m_columns(table.columns()) {}

  void filter(int plan, const char*, std::span<sqlite3_value* const> values) {
    m_rows = &m_table.rows();
    m_at = 0;
    m_some = false;
    m_end = m_rows->count();
    if (plan == 0 || values.empty()) return;
    const auto column = static_cast<std::size_t>(plan) - 1;
    const int type = sqlite3_value_type(values[0]);
    if (type == SQLITE_NULL)
      m_end = 0;
    else if (type == SQLITE_INTEGER && isWhole(m_columns[column].unit))
      take(m_table.rowsWith(column, std::int64_t{sqlite3_value_int64(values[0])}));
    else if (type == SQLITE_TEXT && m_columns[column].unit == Unit::Text)
      take(m_table.rowsWith(column, textValue(values[0])));
  }
  void next() { ++m_at; }
  [[nodiscard]] bool atEnd() const { return m_at >= m_end; }
  void column(sqlite3_context* context, int index) const {
    const auto column = static_cast<std::size_t>(index);
    giveCell(context, m_rows->at(row(), column), m_columns[column]);
  }
  [[nodiscard]] sqlite3_int64 rowId() const { return static_cast<sqlite3_int64>(row()); }

 private:
  [[nodiscard]] std::size_t row() const { return m_some ? m_chosen[m_at] : m_at; }
  void take(std::span<const std::uint32_t> rows) {
    m_some = true;
    m_chosen = rows;
    m_end = rows.size();
  }

  const ListTable& m_table;
  std::span<const SqlColumn> m_columns;
  const SqlRows* m_rows = nullptr;
  std::size_t m_at = 0;
  std::size_t m_end = 0;
  bool m_some = false;
  std::span<const std::uint32_t> m_chosen;
};

struct ListTable::ColumnIndex {
  std::unordered_map<std::int64_t, std::vector<std::uint32_t>> numbers;
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> texts;
};

std::vector<SqlColumn> sqlColumnsOf(const ResultTable& table) {
  std::vector<SqlColumn> columns;
  columns.reserve(table.columns().size());
  for (const TableColumn& column : table.columns()) columns.push_back({column.name, column.unit});
  return columns;
}

ListTable::ListTable(std::vector<SqlColumn> columns, Make make)
    : m_columns(std::move(columns)), m_make(std::move(make)), m_indexes(m_columns.size()) {}

ListTable::~ListTable() = default;

const SqlRows& ListTable::rows() const {
  return *m_rows.get(m_make);
}

const ListTable::ColumnIndex& ListTable::indexOf(std::size_t column) const {
  return *m_indexes[column].get([&] {
    auto index = std::make_unique<ColumnIndex>();
    const SqlRows& all = rows();
    for (std::size_t row = 0; row < all.count(); ++row) {
      const Cell cell = all.at(row, column);
      const auto number = static_cast<std::uint32_t>(row);
      if (const auto* whole = std::get_if<std::int64_t>(&cell)) index->numbers[*whole].push_back(number);
      if (const auto* text = std::get_if<std::string_view>(&cell)) index->texts[*text].push_back(number);
    }
    return std::unique_ptr<const ColumnIndex>(std::move(index));
  });
}

std::span<const std::uint32_t> ListTable::rowsWith(std::size_t column, std::int64_t value) const {
  const auto& numbers = indexOf(column).numbers;
  const auto found = numbers.find(value);
  return found == numbers.end() ? std::span<const std::uint32_t>() : found->second;
}

std::span<const std::uint32_t> ListTable::rowsWith(std::size_t column, std::string_view value) const {
  const auto& texts = indexOf(column).texts;
  const auto found = texts.find(value);
  return found == texts.end() ? std::span<const std::uint32_t>() : found->second;
}

int ListTable::plan(sqlite3_index_info& info) const {
  info.estimatedCost = kRows;
  info.estimatedRows = static_cast<sqlite3_int64>(kRows);
  info.idxNum = 0;
  for (int i = 0; i < info.nConstraint; ++i) {
    const auto& constraint = info.aConstraint[i];
    if (constraint.usable == 0 || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ || constraint.iColumn < 0)
      continue;
    const Unit unit = m_columns[static_cast<std::size_t>(constraint.iColumn)].unit;
    const bool identity = unit == Unit::Identity;
    if (!identity && unit != Unit::Text && !isWhole(unit)) continue;
    if (inMicroseconds(m_columns[static_cast<std::size_t>(constraint.iColumn)])) continue;
    if (unit == Unit::Text && std::string_view(sqlite3_vtab_collation(&info, i)) != "BINARY") continue;
    // Ranks, steps and captures have many rows; ids and the rest are taken to tell rows apart.
    const std::string& name = m_columns[static_cast<std::size_t>(constraint.iColumn)].name;
    const double rows = name == "rank" || name == "capture" ? kRows / 8 : name == "step" ? kRows / 32 : 10;
    if (info.idxNum != 0 && rows >= info.estimatedCost) continue;
    for (int other = 0; other < info.nConstraint; ++other) info.aConstraintUsage[other].argvIndex = 0;
    info.aConstraintUsage[i].argvIndex = 1;
    info.idxNum = constraint.iColumn + 1;
    info.estimatedCost = rows;
    info.estimatedRows = static_cast<sqlite3_int64>(rows);
  }
  return SQLITE_OK;
}

int ListTable::addTo(sqlite3* connection, const std::string& schema, const std::string& name) const {
  return VirtualTable<ListTable>::add(connection, schema, name, *this);
}

std::unique_ptr<const SqlRows> rowsOf(ResultTable table) {
  return std::make_unique<const TableRows>(std::move(table));
}

} // namespace rankscope
