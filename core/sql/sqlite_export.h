// SPDX-License-Identifier: GPL-3.0-or-later
// Writes tables of a job, or the result of a query, as one SQLite file that any program can read. Written
// completely or not at all. About 2 microseconds a row.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/sql/sql_database.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace rankscope {

// Names of the tables that are written if none are chosen: all but events, kernel_events, operator_events,
// event_links and memory_events, which are as large as the recording, and those with parameters.
[[nodiscard]] std::vector<std::string> exportedByDefault(const SqlDatabase& database);

// events is written with numbers of names, and as a view of that name with the names. REQUIRES: the tables
// exist and take no parameters.
[[nodiscard]] std::optional<Error> writeSqlite(const SqlDatabase& database,
                                               std::span<const std::string> tables, const std::string& path,
                                               const Progress* progress = nullptr);

// One table named `query`.
[[nodiscard]] std::optional<Error> writeSqlite(const ResultTable& result, const std::string& path);

} // namespace rankscope
