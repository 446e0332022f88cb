// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/sql_query.h"

#include "core/base/sqlite.h"
#include "core/sql/result_collector.h"
#include "core/sql/sql_functions.h"
#include "core/sql/sql_problem.h"
#include "core/sql/sql_text_functions.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sqlite3.h>
#include <utility>

namespace rankscope {

namespace {

bool isOneOf(const char* text, std::initializer_list<std::string_view> words) {
  return text != nullptr && std::ranges::find(words, std::string_view(text)) != words.end();
}

// What a statement may do. first and second depend on the action; base is "main" or "temp".
// readsOther: set where it reads a table of the other job.
int authorize(void* readsOther, int action, const char* first, const char* second, const char* base,
              const char*) {
  const bool temporary = isOneOf(base, {"temp"});
  switch (action) {
  case SQLITE_SELECT:
  case SQLITE_RECURSIVE:
  case SQLITE_CREATE_TEMP_TABLE:
  case SQLITE_CREATE_TEMP_VIEW:
  case SQLITE_CREATE_TEMP_INDEX:
  case SQLITE_DROP_TEMP_TABLE:
  case SQLITE_DROP_TEMP_VIEW:
  case SQLITE_DROP_TEMP_INDEX:
    return SQLITE_OK;
  case SQLITE_READ:
    if (isOneOf(base, {kOtherJob})) *static_cast<bool*>(readsOther) = true;
    return isOneOf(first, {"dbstat", "sqlite_dbpage", "sqlite_stmt", "bytecode", "tables_used"}) ? SQLITE_DENY
                                                                                                 : SQLITE_OK;
  case SQLITE_UPDATE:
    // SQLite asks this when a virtual table is declared; it never lets a statement do it.
    return temporary || isOneOf(first, {"sqlite_master"}) ? SQLITE_OK : SQLITE_DENY;
  case SQLITE_INSERT:
  case SQLITE_DELETE:
  case SQLITE_REINDEX: // by CREATE INDEX
    return temporary ? SQLITE_OK : SQLITE_DENY;
  case SQLITE_FUNCTION:
    return second != nullptr && isSafeFunction(second) ? SQLITE_OK : SQLITE_DENY;
  case SQLITE_PRAGMA:
    return isOneOf(first, {"table_info", "table_xinfo", "table_list"}) ? SQLITE_OK : SQLITE_DENY;
  default:
    return SQLITE_DENY;
  }
}

// Whether only white space, semicolons and comments are left.
bool isBlank(std::string_view sql) {
  while (!sql.empty()) {
    if (sql.starts_with("--")) {
      sql.remove_prefix(std::min(sql.find('\n'), sql.size()));
    } else if (sql.starts_with("/*")) {
      const std::size_t end = sql.find("*/", 2);
      sql.remove_prefix(end == std::string_view::npos ? sql.size() : end + 2);
    } else if (std::string_view(" \t\r\n\f;").find(sql.front()) != std::string_view::npos) {
      sql.remove_prefix(1);
    } else {
      return false;
    }
  }
  return true;
}

class Query {
 public:
  Query(const SqlJobs& jobs, const SqlLimits& limits, SqlSink& sink)
      : m_jobs(jobs), m_limits(limits), m_sink(sink) {}

  SqlAnswer run(std::string_view sql, const Progress* progress) {
    // SQLite would take it for the end.
    if (sql.find('\0') != std::string_view::npos)
      return failed({SqlProblem::Kind::Wrong, "there is a zero byte in the SQL"});
    limitSqliteMemory(m_limits.memoryBytes);
    auto opened = SqliteConnection::inMemory();
    if (!opened) return failed({SqlProblem::Kind::Limit, opened.error().text()});
    m_connection.emplace(std::move(*opened));
    sqlite3* const handle = m_connection->handle();
    if (auto error = m_jobs.a.addTo(*m_connection, std::string(kAskedJob)))
      return failed(problemOf(*error, 0));
    if (m_jobs.b != nullptr) {
      if (auto error = m_jobs.b->addTo(*m_connection, std::string(kOtherJob)))
        return failed(problemOf(*error, 0));
    }
    if (addSqlFunctions(handle) != SQLITE_OK || addTextFunctions(*m_connection) != SQLITE_OK)
      return failed(problemOf(m_connection->lastError(), 0));
    sqlite3_set_authorizer(handle, &authorize, &m_answer.readsOther);
    m_connection->limitTo(progress, m_limits.time);
    m_sql = sql;
    return runAll();
  }

 private:
  SqlAnswer failed(SqlProblem problem) {
    m_answer.problem = std::move(problem);
    return m_answer;
  }
  [[nodiscard]] SqlProblem problemOf(const Error& error, std::size_t statementAt) const {
    if (m_connection->stoppedBy() == SqliteStop::Time && m_limits.time)
      return {SqlProblem::Kind::Limit, fmt::format("stopped after {} s; ask for less, or for more time",
                                                   static_cast<double>(m_limits.time->count()) / 1000)};
    return sqlProblem(m_jobs, error, m_sql, statementAt);
  }

  SqlAnswer runAll() {
    std::string_view rest = m_sql;
    bool any = false;
    while (!isBlank(rest)) {
      const auto at = static_cast<std::size_t>(rest.data() - m_sql.data());
      auto statement = SqliteStatement::prepare(*m_connection, rest, &rest);
      if (!statement) return failed(problemOf(statement.error(), at));
      if (statement->empty()) continue;
      const bool last = isBlank(rest);
      any = true;
      if (statement->columnCount() == 0) {
        if (last)
          return failed({SqlProblem::Kind::Wrong, "the last statement gives no rows: end with a SELECT"});
        if (statement->step() == SqliteStatement::Step::Failed)
          return failed(problemOf(m_connection->lastError(), at));
      } else if (last) {
        return give(*statement, at);
      } // the rows of an earlier SELECT are dropped
    }
    return any ? m_answer : failed({SqlProblem::Kind::Wrong, "there is no statement"});
  }

  SqlAnswer give(SqliteStatement& statement, std::size_t at) {
    const int count = statement.columnCount();
    std::vector<SqlResultColumn> columns;
    columns.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      std::string name(statement.columnName(i));
      const auto unit = unitOfResult(statement.declaredType(i), name);
      columns.push_back({std::move(name), unit, holdsEvents(statement.declaredType(i))});
    }
    m_sink.begin(std::move(columns));
    std::vector<Cell> cells(static_cast<std::size_t>(count));
    std::vector<std::string> blobs(static_cast<std::size_t>(count));
    for (;;) {
      const SqliteStatement::Step step = statement.step();
      if (step == SqliteStatement::Step::Failed) return failed(problemOf(m_connection->lastError(), at));
      if (step == SqliteStatement::Step::Done) return m_answer;
      if (m_answer.rows == m_limits.rows) {
        m_answer.cut = true;
        return m_answer;
      }
      for (int i = 0; i < count; ++i)
        cells[static_cast<std::size_t>(i)] = cellOf(statement, i, blobs[static_cast<std::size_t>(i)]);
      ++m_answer.rows;
      if (auto problem = m_sink.row(cells)) return failed(std::move(*problem));
    }
  }

  static Cell cellOf(const SqliteStatement& statement, int column, std::string& blob) {
    switch (statement.type(column)) {
    case SqliteType::Integer:
      return statement.integer(column);
    case SqliteType::Real:
      return statement.real(column);
    case SqliteType::Text:
      return statement.text(column);
    case SqliteType::Blob:
      blob = fmt::format("{} bytes", statement.bytes(column).size());
      return std::string_view(blob);
    case SqliteType::Null:
      break;
    }
    return {};
  }

  const SqlJobs& m_jobs;
  const SqlLimits& m_limits;
  SqlSink& m_sink;
  std::optional<SqliteConnection> m_connection;
  std::string_view m_sql;
  SqlAnswer m_answer;
};

} // namespace

SqlAnswer runSql(const SqlJobs& jobs, std::string_view sql, const SqlLimits& limits, const Progress* progress,
                 SqlSink& sink) {
  return Query(jobs, limits, sink).run(sql, progress);
}

SqlResult sqlResult(const SqlJobs& jobs, std::string_view sql, const SqlLimits& limits,
                    const Progress* progress) {
  ResultCollector collector(limits.cells);
  SqlResult result;
  result.answer = runSql(jobs, sql, limits, progress, collector);
  if (result.answer.problem) return result;
  result.eventColumns = collector.eventColumns();
  result.table.emplace(collector.take());
  return result;
}

} // namespace rankscope
