// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/sqlite_export.h"

#include "core/base/sqlite.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

constexpr std::array<std::string_view, 5> kLarge{"events", "kernel_events", "operator_events", "event_links",
                                                 "memory_events"};

// A new file beside the final one, removed unless it is put in its place.
class PartFile {
 public:
  explicit PartFile(std::string path) : m_path(std::move(path)), m_part(m_path + ".part") { remove(); }
  ~PartFile() { remove(); }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  [[nodiscard]] const std::string& part() const { return m_part; }
  [[nodiscard]] std::optional<Error> commit() {
    if (std::rename(m_part.c_str(), m_path.c_str()) == 0) return std::nullopt;
    return Error{ErrorKind::Io, std::strerror(errno), m_path, {}};
  }

 private:
  void remove() const {
    std::error_code ignored;
    std::filesystem::remove(m_part, ignored);
  }

  std::string m_path;
  std::string m_part;
};

std::string plainType(const SqlColumn& column) {
  const std::string type = declaredType(column);
  return type.substr(0, type.find(' '));
}

// "a" TEXT, "b" INTEGER of the visible columns.
std::string definitions(std::span<const SqlColumn> columns, std::string_view without) {
  std::string text;
  for (const SqlColumn& column : columns) {
    if (column.hidden || column.name == without) continue;
    if (!text.empty()) text += ", ";
    text += quotedName(column.name);
    text += ' ';
    text += plainType(column);
  }
  return text;
}

std::string nameList(std::span<const SqlColumn> columns, std::string_view without) {
  std::string text;
  for (const SqlColumn& column : columns) {
    if (column.hidden || column.name == without) continue;
    if (!text.empty()) text += ", ";
    text += quotedName(column.name);
  }
  return text;
}

bool hasColumn(std::span<const SqlColumn> columns, std::string_view name) {
  return std::ranges::find(columns, name, &SqlColumn::name) != columns.end();
}

constexpr std::string_view kSchema = "job";

// Statements that write one table.
std::string statementsFor(const SqlDatabase::Table& table) {
  const bool events = table.name == "events";
  const std::string_view without = events ? "name" : "";
  const std::string stored = quotedName(events ? "events_rows" : table.name);
  std::string sql = "CREATE TABLE main.";
  sql += stored;
  sql += '(';
  sql += definitions(table.columns, without);
  sql += "); INSERT INTO main.";
  sql += stored;
  sql += " SELECT ";
  sql += nameList(table.columns, without);
  sql += " FROM ";
  sql += kSchema;
  sql += '.';
  sql += quotedName(table.name);
  sql += "; ";
  const std::string indexName = quotedName("index_" + table.name);
  for (const std::string_view begin : {"begin_ns", "begin_us"}) {
    if (!hasColumn(table.columns, "rank") || !hasColumn(table.columns, begin)) continue;
    sql += "CREATE INDEX main.";
    sql += indexName;
    sql += " ON ";
    sql += stored;
    sql += "(rank, ";
    sql += begin;
    sql += "); ";
  }
  if (events)
    sql += "CREATE VIEW main.events AS SELECT e.*, n.name FROM events_rows AS e LEFT JOIN names AS n USING "
           "(name_id); ";
  return sql;
}

std::optional<Error> writeTables(const SqlDatabase& database, std::span<const std::string> tables,
                                 const std::string& path, const Progress* progress) {
  auto file = SqliteConnection::newFile(path);
  if (!file) return file.error();
  if (auto error = database.addTo(*file, std::string(kSchema))) return error;
  file->limitTo(progress, std::nullopt);
  if (auto error = file->run("BEGIN")) return error;
  for (const SqlDatabase::Table& table : database.tables()) {
    if (std::ranges::find(tables, table.name) == tables.end()) continue;
    if (auto error = file->run(statementsFor(table))) return error;
  }
  return file->run("COMMIT");
}

void bindCell(SqliteStatement& insert, int parameter, const Cell& cell, const SqlColumn& column) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
    if (inMicroseconds(column))
      insert.bind(parameter, static_cast<double>(*whole) / 1000);
    else
      insert.bind(parameter, *whole);
  } else if (const auto* real = std::get_if<double>(&cell)) {
    insert.bind(parameter, *real);
  } else if (const auto* text = std::get_if<std::string_view>(&cell)) {
    insert.bind(parameter, *text);
  } else {
    insert.bindNull(parameter);
  }
}

// Names of a result's columns may repeat; a table's may not.
std::vector<SqlColumn> distinctColumns(const ResultTable& result) {
  std::vector<SqlColumn> columns = sqlColumnsOf(result);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string name = columns[i].name;
    for (int number = 2; std::any_of(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(i),
                                     [&](const SqlColumn& c) { return c.name == columns[i].name; });
         ++number)
      columns[i].name = fmt::format("{}_{}", name, number);
  }
  return columns;
}

std::optional<Error> writeResult(const ResultTable& result, const std::string& path) {
  auto file = SqliteConnection::newFile(path);
  if (!file) return file.error();
  const std::vector<SqlColumn> columns = distinctColumns(result);
  if (auto error = file->run("BEGIN; CREATE TABLE query(" + definitions(columns, "") + ")")) return error;
  std::string sql = "INSERT INTO query VALUES (?";
  for (std::size_t i = 1; i < columns.size(); ++i) sql += ", ?";
  sql += ')';
  auto insert = SqliteStatement::prepare(*file, sql);
  if (!insert) return insert.error();
  for (std::size_t row = 0; row < result.rowCount(); ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      bindCell(*insert, static_cast<int>(i) + 1, result.at(row, i), columns[i]);
    if (insert->step() == SqliteStatement::Step::Failed) return file->lastError();
    insert->reset();
  }
  return file->run("COMMIT");
}

} // namespace

std::vector<std::string> exportedByDefault(const SqlDatabase& database) {
  std::vector<std::string> names;
  for (const SqlDatabase::Table& table : database.tables()) {
    const bool large = std::ranges::find(kLarge, table.name) != kLarge.end();
    if (!large && !table.isCalled) names.push_back(table.name);
  }
  return names;
}

std::optional<Error> writeSqlite(const SqlDatabase& database, std::span<const std::string> tables,
                                 const std::string& path, const Progress* progress) {
  std::vector<std::string> wanted(tables.begin(), tables.end());
  // The view of events reads names.
  if (std::ranges::find(wanted, "events") != wanted.end() &&
      std::ranges::find(wanted, "names") == wanted.end())
    wanted.emplace_back("names");
  PartFile file(path);
  if (auto error = writeTables(database, wanted, file.part(), progress)) {
    error->file = path;
    return error;
  }
  return file.commit();
}

std::optional<Error> writeSqlite(const ResultTable& result, const std::string& path) {
  PartFile file(path);
  if (auto error = writeResult(result, file.part())) {
    error->file = path;
    return error;
  }
  return file.commit();
}

} // namespace rankscope
