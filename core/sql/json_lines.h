// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of a query as JSON, one line each, while the query runs. The first line names the columns with
// their units, each further line is an array of values, the last one an object with the number of rows.
#pragma once

#include "core/sql/sql_sink.h"

#include <functional>
#include <string>
#include <string_view>

namespace rankscope {

// "us", "bytes", "count", ...; how values of JSON lines are to be read.
[[nodiscard]] std::string_view unitWord(Unit unit);
// A value as JSON: a number with all digits, a string or null.
[[nodiscard]] std::string jsonValue(const Cell& cell);

class JsonLines : public SqlSink {
 public:
  // write: takes whole lines; false ends the query.
  explicit JsonLines(std::function<bool(std::string_view)> write) : m_write(std::move(write)) {}

  void begin(std::vector<SqlResultColumn> columns) override;
  std::optional<SqlProblem> row(std::span<const Cell> cells) override;
  // After the query. cut: whether it has more rows.
  void end(bool cut);

 private:
  void flush();

  std::function<bool(std::string_view)> m_write;
  std::string m_lines;
  std::uint64_t m_rows = 0;
  bool m_good = true;
};

} // namespace rankscope
