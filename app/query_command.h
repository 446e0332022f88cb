// SPDX-License-Identifier: GPL-3.0-or-later
// rankscope-cli query: answers to questions in SQL, tables as an SQLite file, the schema.
#pragma once

#include "core/report/job_report.h"
#include "core/sql/sql_query.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct QueryOptions {
  std::string file;   // with the SQL
  std::string format; // empty: table, or sqlite if `out` is named so
  std::string out;
  double timeout = 0; // seconds; 0: none
  std::uint64_t limit = 0;
  std::optional<std::string> schema; // table; empty: all
  std::vector<std::string> tables;
};

void addQueryOptions(CLI::App& command, QueryOptions& options);

// What to ask, taken from the arguments.
struct QueryRequest {
  std::string sql;
  std::vector<std::string> paths;
  std::string problem; // if not empty, nothing else is set
};

// The SQL is the first or last argument, or in a file.
[[nodiscard]] QueryRequest queryRequest(const QueryOptions& options, std::vector<std::string> arguments);

struct QueryOutcome {
  enum class Kind : std::uint8_t { Answered, Wrong, Limit, NotWritten };
  Kind kind = Kind::Answered;
  std::string problem;
  std::string note; // rows were cut off
};

// write: to standard output; false if that fails.
[[nodiscard]] QueryOutcome answerQuery(const JobReport& report, const QueryOptions& options,
                                       const std::string& sql, unsigned threadCount,
                                       const std::function<bool(std::string_view)>& write);

} // namespace rankscope
