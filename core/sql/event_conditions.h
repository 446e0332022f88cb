// SPDX-License-Identifier: GPL-3.0-or-later
// Conditions of a query on events, from what SQLite offers to what a filter can use. Only for sources in
// core/sql: includes SQLite's header.
#pragma once

#include "core/sql/event_columns.h"
#include "core/sql/event_filter.h"

#include <sqlite3.h>

namespace rankscope {

// '=', '<', 'l' (at most), '>', 'g' (at least), 'L' (LIKE), 'G' (GLOB), 'R' (REGEXP); 0 for others.
[[nodiscard]] char conditionOf(unsigned char sqliteOperation);
// Whether a filter can use this condition.
[[nodiscard]] bool isUsed(EventColumn column, char condition);
// The share of rows that it is expected to leave. value: of a constant, else null.
[[nodiscard]] double shareLeft(const EventSource& source, EventColumn column, char condition,
                               sqlite3_value* value);

// What a table holds without conditions.
[[nodiscard]] EventFilter filterOf(EventRows rows);
// Values that a filter cannot use do not limit it: SQLite compares again.
void limit(EventFilter& filter, const EventSource& source, EventColumn column, char condition,
           sqlite3_value* value);

} // namespace rankscope
