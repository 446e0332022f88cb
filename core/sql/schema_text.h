// SPDX-License-Identifier: GPL-3.0-or-later
// The tables, columns, functions and examples of SQL as text.
#pragma once

#include "core/sql/sql_database.h"

#include <string>

namespace rankscope {

// Of all tables, or of the columns of one; if there is no such table, problem says so.
[[nodiscard]] std::string schemaText(const SqlDatabase& database, const std::string& table,
                                     std::string& problem);

} // namespace rankscope
