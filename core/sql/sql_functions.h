// SPDX-License-Identifier: GPL-3.0-or-later
// Functions of SQL beyond SQLite's own: union_ns and busy_ns, overlaps, median, percentile, stddev, regexp,
// short_name, ms, gb_s.
#pragma once

#include <span>
#include <string_view>

struct sqlite3;

namespace rankscope {

struct SqlFunction {
  std::string_view name;
  std::string_view call;    // "union_ns(begin_ns, end_ns)"
  std::string_view meaning; // one sentence
};

[[nodiscard]] std::span<const SqlFunction> sqlFunctions();

// Makes them functions of the connection. An SQLite result code.
int addSqlFunctions(sqlite3* connection);

// Whether a query may call this function: ours, and those of SQLite that touch nothing but their arguments.
[[nodiscard]] bool isSafeFunction(std::string_view name);

} // namespace rankscope
