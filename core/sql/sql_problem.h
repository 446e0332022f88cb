// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong with a query, for its author: where, and which table or column was meant.
#pragma once

#include "core/base/result.h"
#include "core/sql/sql_database.h"
#include "core/sql/sql_sink.h"

#include <cstddef>
#include <string_view>

namespace rankscope {

// error: of the statement that begins at statementAt of sql.
[[nodiscard]] SqlProblem sqlProblem(const SqlJobs& jobs, const Error& error, std::string_view sql,
                                    std::size_t statementAt);

// Number of characters to insert, delete, replace or swap to make one text the other; at most `limit` + 1.
[[nodiscard]] std::size_t editDistance(std::string_view a, std::string_view b, std::size_t limit);

} // namespace rankscope
