// SPDX-License-Identifier: GPL-3.0-or-later
// All tables of a job for SQL: raw tables over the loaded columns, and every result table under its own name,
// made when a query first reads it, by the same function as the CSV. Shared by all queries; thread-safe.
#pragma once

#include "core/base/sqlite.h"
#include "core/report/job_report.h"
#include "core/sql/called_table.h"
#include "core/sql/event_table.h"
#include "core/sql/list_table.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// A job of one rank that recorded nothing, for the schema alone.
[[nodiscard]] std::shared_ptr<const TraceSet> jobWithoutEvents();

class SqlDatabase {
 public:
  struct Table {
    std::string name;
    std::string meaning; // one sentence; empty for result tables, which the guide explains
    std::span<const SqlColumn> columns;
    bool isResult = false; // a result table, in microseconds
    bool isCalled = false; // takes parameters
  };

  // report must outlive this.
  SqlDatabase(const JobReport& report, unsigned threadCount);
  ~SqlDatabase();
  SqlDatabase(const SqlDatabase&) = delete;
  SqlDatabase& operator=(const SqlDatabase&) = delete;

  [[nodiscard]] const EventSource& events() const { return m_source; }
  // Raw tables first.
  [[nodiscard]] const std::vector<Table>& tables() const { return m_tables; }
  // Null if there is none with this name.
  [[nodiscard]] const Table* table(std::string_view name) const;

  // Makes all tables part of a connection, in a schema of this name. This must outlive the connection.
  [[nodiscard]] std::optional<Error> addTo(SqliteConnection& connection, const std::string& schema) const;

 private:
  const JobReport& m_report;
  EventSource m_source;
  EventTable m_events;
  EventTable m_kernels;
  EventTable m_operators;
  CalledTable m_args;
  CalledTable m_sums;
  std::vector<std::unique_ptr<const ListTable>> m_lists;
  std::vector<std::string> m_listNames;
  std::vector<Table> m_tables;
};

// What a query may read: tables of a job in the schema a, where names without a schema are found too, and
// those of another one in the schema b.
struct SqlJobs {
  SqlJobs(const SqlDatabase& only) : a(only) {} // NOLINT(google-explicit-constructor): mostly there is one
  SqlJobs(const SqlDatabase& first, const SqlDatabase* second) : a(first), b(second) {}

  const SqlDatabase& a;
  const SqlDatabase* b = nullptr; // null: none
};

} // namespace rankscope
