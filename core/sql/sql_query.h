// SPDX-License-Identifier: GPL-3.0-or-later
// Runs SQL over a job: reads only, touches no files, and ends within its limits. Several statements may
// prepare the last one with temporary views and tables; the last one gives the result. A query runs on the
// calling thread; several may run at once.
#pragma once

#include "core/base/progress.h"
#include "core/sql/sql_database.h"
#include "core/sql/sql_sink.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rankscope {

struct SqlLimits {
  std::optional<std::chrono::milliseconds> time;
  std::uint64_t rows = UINT64_MAX;                  // more are cut off
  std::uint64_t cells = 100'000'000;                // of a result that is kept
  std::int64_t memoryBytes = std::int64_t{1} << 30; // of all queries of the process together
};

struct SqlAnswer {
  std::uint64_t rows = 0;
  bool cut = false;        // the query has more rows than the limit
  bool readsOther = false; // tables of the other job: times may be of it
  std::optional<SqlProblem> problem;
};

// progress: may be null.
[[nodiscard]] SqlAnswer runSql(const SqlJobs& jobs, std::string_view sql, const SqlLimits& limits,
                               const Progress* progress, SqlSink& sink);

struct SqlResult {
  std::optional<ResultTable> table;      // empty if there is a problem
  std::vector<std::size_t> eventColumns; // columns with ids of events
  SqlAnswer answer;
};

// The result as a table. Columns that come from a table have its units, others those of their names' ends.
[[nodiscard]] SqlResult sqlResult(const SqlJobs& jobs, std::string_view sql, const SqlLimits& limits,
                                  const Progress* progress = nullptr);

} // namespace rankscope
