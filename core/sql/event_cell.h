// SPDX-License-Identifier: GPL-3.0-or-later
// The value of one column of one event, handed to SQLite. Only for sources in core/sql.
#pragma once

#include "core/sql/event_columns.h"
#include "core/sql/event_source.h"

struct sqlite3_context;

namespace rankscope {

// row: of the event, if known.
void giveEventCell(sqlite3_context* context, const EventSource& source, EventRef event, RowIndex row,
                   EventColumn column);

} // namespace rankscope
