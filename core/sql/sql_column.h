// SPDX-License-Identifier: GPL-3.0-or-later
// A column of an SQL table: name, unit and meaning. The declared type carries the unit, so that a column of a
// query's result that comes straight from a table is shown as in that table. Columns in nanoseconds end in
// _ns and are integers; columns in microseconds end in _us and are real numbers, as in CSV files.
#pragma once

#include "core/export/result_table.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

struct sqlite3_context;

namespace rankscope {

// Short, for tables of columns.
inline constexpr Unit kNs = Unit::Nanoseconds;
inline constexpr Unit kId = Unit::Identity;

struct SqlColumn {
  std::string name;
  Unit unit = Unit::Text;
  std::string_view meaning = {}; // one sentence; may be empty
  bool hidden = false;           // a parameter, or only given when named
  bool event = false;            // holds ids of events
};

// The schemas of the job that is asked, and of another one beside it.
inline constexpr std::string_view kAskedJob = "a";
inline constexpr std::string_view kOtherJob = "b";

// "INTEGER NS", "REAL US", "TEXT", ...
[[nodiscard]] std::string declaredType(const SqlColumn& column);
// "CREATE TABLE x(...)", as SQLite wants a virtual table described. leads: ids of events are those of the job
// that is asked; results of them can be followed.
[[nodiscard]] std::string declarationOf(std::span<const SqlColumn> columns, bool leads = true);
// Name in double quotes.
[[nodiscard]] std::string quotedName(std::string_view name);

// Whether values are given in microseconds.
[[nodiscard]] bool inMicroseconds(const SqlColumn& column);

// Unit of a result column with this declared type and name; empty if neither tells.
[[nodiscard]] std::optional<Unit> unitOfResult(std::string_view declared, std::string_view name);

// Whether a result column with this declared type holds ids of events.
[[nodiscard]] bool holdsEvents(std::string_view declared);
// Marks the columns that hold ids of events, in a table that is not a result table.
void markEventColumns(std::span<SqlColumn> columns);

// Hands a value of this column to SQLite. Texts must stay valid as long as the connection.
void giveCell(sqlite3_context* context, const Cell& cell, const SqlColumn& column);

} // namespace rankscope
