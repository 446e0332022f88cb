// SPDX-License-Identifier: GPL-3.0-or-later
// The SQL tables with a row for each event: events, kernel_events and operator_events. They read the loaded
// columns; conditions on time, rank, track, kind, name, device, stream, duration and id are answered by
// searching, and GROUP BY of rank, name and kind by an order of the events that is made once.
#pragma once

#include "core/sql/event_columns.h"
#include "core/sql/event_source.h"
#include "core/sql/sql_column.h"

#include <span>
#include <string>
#include <vector>

struct sqlite3;
struct sqlite3_index_info;

namespace rankscope {

class EventTable {
 public:
  // source must outlive this.
  EventTable(const EventSource& source, EventRows rows);

  [[nodiscard]] std::span<const SqlColumn> columns() const { return m_columns; }
  [[nodiscard]] EventColumn column(int index) const { return m_kinds[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const EventSource& source() const { return m_source; }
  [[nodiscard]] EventRows rows() const { return m_rows; }

  // Makes it a table of the connection, which it must outlive. An SQLite result code.
  int addTo(sqlite3* connection, const std::string& schema, const std::string& name) const;

  // For VirtualTable.
  class Cursor;
  int plan(sqlite3_index_info& info) const;

 private:
  const EventSource& m_source;
  EventRows m_rows;
  std::vector<SqlColumn> m_columns;
  std::vector<EventColumn> m_kinds;
};

} // namespace rankscope
