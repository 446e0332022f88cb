// SPDX-License-Identifier: GPL-3.0-or-later
// SQL tables that are made anew for each set of parameters: args(id) and name_sums(from, to, rank).
// Parameters are hidden columns at the end; in a query they are arguments or conditions of equality.
#pragma once

#include "core/export/result_table.h"
#include "core/sql/event_source.h"
#include "core/sql/sql_column.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

struct sqlite3;
struct sqlite3_index_info;

namespace rankscope {

class CalledTable {
 public:
  // By parameter; empty if not given.
  using Parameters = std::vector<std::optional<std::int64_t>>;
  using Make = std::function<ResultTable(const Parameters&)>;

  // required: how many of the parameters, from the first on, must be given.
  CalledTable(std::vector<SqlColumn> columns, std::size_t required, Make make);

  [[nodiscard]] std::span<const SqlColumn> columns() const { return m_columns; }
  [[nodiscard]] std::size_t firstParameter() const { return m_firstParameter; }
  [[nodiscard]] ResultTable make(const Parameters& parameters) const { return m_make(parameters); }

  // Makes it a table of the connection, which it must outlive. An SQLite result code.
  int addTo(sqlite3* connection, const std::string& schema, const std::string& name) const;

  // For VirtualTable.
  class Cursor;
  int plan(sqlite3_index_info& info) const;

 private:
  std::vector<SqlColumn> m_columns;
  std::size_t m_firstParameter = 0;
  std::size_t m_required;
  Make m_make;
};

// args(id): the fields of an event, read from its file.
[[nodiscard]] CalledTable argsTable(const EventSource& source);
// name_sums(from_ns, to_ns, of_rank): sums by rank, name and kind over the part of each event in the range.
[[nodiscard]] CalledTable nameSumsTable(const EventSource& source);

} // namespace rankscope
