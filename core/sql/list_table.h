// SPDX-License-Identifier: GPL-3.0-or-later
// SQL tables over rows that are made once, when first asked for. Equality with an integer or a text is
// answered by an index of the column, also made when first needed; SQLite has no indexes of its own for such
// tables. Thread-safe.
#pragma once

#include "core/base/lazy.h"
#include "core/sql/sql_column.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_index_info;

namespace rankscope {

// Rows that are computed when looked at.
class SqlRows {
 public:
  virtual ~SqlRows() = default;
  [[nodiscard]] virtual std::size_t count() const = 0;
  // Texts stay valid as long as the rows.
  [[nodiscard]] virtual Cell at(std::size_t row, std::size_t column) const = 0;
};

// The columns of a result table, with the meanings of those that have one.
[[nodiscard]] std::vector<SqlColumn> sqlColumnsOf(const ResultTable& table);

class ListTable {
 public:
  using Make = std::function<std::unique_ptr<const SqlRows>()>;

  ListTable(std::vector<SqlColumn> columns, Make make);
  ~ListTable();
  ListTable(const ListTable&) = delete;
  ListTable& operator=(const ListTable&) = delete;

  [[nodiscard]] std::span<const SqlColumn> columns() const { return m_columns; }
  // Makes the rows at the first call.
  [[nodiscard]] const SqlRows& rows() const;
  // Ascending numbers of the rows whose cell is this integer or text.
  [[nodiscard]] std::span<const std::uint32_t> rowsWith(std::size_t column, std::int64_t value) const;
  [[nodiscard]] std::span<const std::uint32_t> rowsWith(std::size_t column, std::string_view value) const;

  // Makes it a table of the connection, which it must outlive. An SQLite result code.
  int addTo(sqlite3* connection, const std::string& schema, const std::string& name) const;

  // For VirtualTable.
  class Cursor;
  int plan(sqlite3_index_info& info) const;

 private:
  struct ColumnIndex;

  [[nodiscard]] const ColumnIndex& indexOf(std::size_t column) const;

  std::vector<SqlColumn> m_columns;
  Make m_make;
  Lazy<std::unique_ptr<const SqlRows>> m_rows;
  std::vector<Lazy<std::unique_ptr<const ColumnIndex>>> m_indexes; // by column
};

// Rows of a table that is made as a whole.
[[nodiscard]] std::unique_ptr<const SqlRows> rowsOf(ResultTable table);

} // namespace rankscope
