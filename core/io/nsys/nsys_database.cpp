// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_database.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <system_error>

#include <sqlite3.h>

namespace rankscope {

namespace {

constexpr std::int64_t kMaxValueBytes = std::int64_t{1} << 30;
constexpr std::int64_t kMinValueBytes = std::int64_t{1} << 20;
constexpr std::size_t kMaxTables = 10'000;
constexpr int kStepsBetweenCancelChecks = 20'000;

int isCancelled(void* cancel) {
  return static_cast<const std::atomic<bool>*>(cancel)->load(std::memory_order_relaxed) ? 1 : 0;
}

// No value is longer than its file.
void limitValues(sqlite3* handle, const std::string& path) {
  std::error_code failed;
  const auto bytes = std::filesystem::file_size(path, failed);
  const std::int64_t longest = failed || bytes > static_cast<std::uintmax_t>(kMaxValueBytes)
                                   ? kMaxValueBytes
                                   : std::max(static_cast<std::int64_t>(bytes), kMinValueBytes);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, static_cast<int>(longest));
}

std::string textOf(sqlite3_stmt* statement, int column) {
  const void* const bytes = sqlite3_column_blob(statement, column);
  const int length = sqlite3_column_bytes(statement, column);
  if (bytes == nullptr || length <= 0) return {};
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(length)};
}

// A statement that is finished in any case.
class Query {
 public:
  Query(sqlite3* handle, const std::string& sql) {
    sqlite3_prepare_v2(handle, sql.c_str(), static_cast<int>(sql.size()), &m_statement, nullptr);
  }
  ~Query() { sqlite3_finalize(m_statement); }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  [[nodiscard]] bool row() const { return m_statement != nullptr && sqlite3_step(m_statement) == SQLITE_ROW; }
  [[nodiscard]] bool prepared() const { return m_statement != nullptr; }
  [[nodiscard]] sqlite3_stmt* get() const { return m_statement; }

 private:
  sqlite3_stmt* m_statement = nullptr;
};

// The number in "X_V2"; 0 for other names.
int versionOf(std::string_view name) {
  const std::size_t at = name.rfind("_V");
  if (at == std::string_view::npos || at + 2 == name.size()) return 0;
  int version = 0;
  const auto [end, error] = std::from_chars(name.data() + at + 2, name.data() + name.size(), version);
  return error == std::errc() && end == name.data() + name.size() && version > 0 ? version : 0;
}

// The name of the rowid that no column hides; a statement with an empty one cannot be prepared.
std::string rowidOf(const SqliteTable& table) {
  for (const char* const name : {"rowid", "_rowid_", "oid"}) {
    const bool hidden = std::ranges::any_of(
        table.columns, [&](const std::string& column) { return sqlite3_stricmp(column.c_str(), name) == 0; });
    if (!hidden) return name;
  }
  return {};
}

} // namespace

bool isSqlite(std::string_view start) {
  return start.starts_with(std::string_view("SQLite format 3\0", 16));
}

std::string quotedIdentifier(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted += '"';
}

bool SqliteTable::has(std::string_view column) const {
  return std::ranges::find(columns, column) != columns.end();
}

Result<SqliteFile> SqliteFile::open(const std::string& path, const std::atomic<bool>* cancel) {
  SqliteFile file;
  std::error_code unknown;
  const std::string absolute = std::filesystem::absolute(path, unknown).string();
  const auto failed = [&](const std::string& why) {
    return Error{ErrorKind::Format, why, path, std::nullopt};
  };
  auto opened = SqliteConnection::readOnly(unknown ? path : absolute);
  if (!opened) return failed("the database cannot be opened: " + opened.error().message);
  file.m_connection.emplace(std::move(opened).value());
  sqlite3* const handle = file.handle();
  limitValues(handle, path);
  // Read-only atomics are not written by the handler; its parameter has no const.
  if (cancel != nullptr)
    sqlite3_progress_handler(handle, kStepsBetweenCancelChecks, &isCancelled,
                             const_cast<std::atomic<bool>*>(cancel));
  {
    // Views have no root page, virtual tables neither.
    const Query tables(handle, "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0");
    if (!tables.prepared())
      return failed(std::string("the list of tables cannot be read: ") + sqlite3_errmsg(handle));
    while (file.m_tables.size() < kMaxTables && tables.row()) {
      std::string name = textOf(tables.get(), 0);
      if (name.find('\0') != std::string::npos) continue;
      file.m_tables.emplace(name, SqliteTable{name, {}});
    }
  }
  for (auto& [name, table] : file.m_tables) {
    const Query columns(handle, "PRAGMA table_info(" + quotedIdentifier(name) + ")");
    while (columns.row()) table.columns.push_back(textOf(columns.get(), 1));
  }
  return file;
}

const SqliteTable* SqliteFile::table(std::string_view name) const {
  if (const auto found = m_tables.find(name); found != m_tables.end()) return &found->second;
  const SqliteTable* best = nullptr;
  int version = 0;
  for (auto at = m_tables.lower_bound(name); at != m_tables.end() && at->first.starts_with(name); ++at) {
    const int own =
        at->first.size() > name.size() && at->first.rfind("_V") == name.size() ? versionOf(at->first) : 0;
    if (own <= version) continue;
    version = own;
    best = &at->second;
  }
  return best;
}

std::vector<std::string> SqliteFile::tableNames() const {
  std::vector<std::string> names;
  names.reserve(m_tables.size());
  for (const auto& [name, table] : m_tables) names.push_back(name);
  return names;
}

SqliteFile::RowRange SqliteFile::rowsOf(const SqliteTable& table) const {
  RowRange rows;
  const std::string id = rowidOf(table);
  const auto end = [&](std::string_view order) {
    std::string sql = "SELECT " + id;
    sql += " FROM " + quotedIdentifier(table.name);
    sql += " NOT INDEXED ORDER BY " + id;
    sql += order;
    sql += " LIMIT 1";
    const Query query(handle(), sql);
    return query.row() ? std::optional(sqlite3_column_int64(query.get(), 0)) : std::nullopt;
  };
  const auto first = end(" ASC");
  const auto last = end(" DESC");
  if (!first) return rows;
  // A damaged last page hides the highest rowid, not the rows before it.
  return {*first, last.value_or(std::numeric_limits<std::int64_t>::max())};
}

void SqliteRows::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

SqliteRows::SqliteRows(const SqliteFile& file, const SqliteTable& table,
                       std::span<const std::string_view> columns) {
  const std::string id = rowidOf(table);
  std::string sql = "SELECT " + id;
  for (const std::string_view column : columns)
    sql.append(", ").append(table.has(column) ? quotedIdentifier(column) : "NULL");
  sql += " FROM " + quotedIdentifier(table.name);
  sql += " NOT INDEXED WHERE " + id;
  sql += " BETWEEN ?1 AND ?2";
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(file.handle(), sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr);
  m_statement.reset(statement);
  if (readable())
    restrictTo({std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()});
}

void SqliteRows::restrictTo(SqliteFile::RowRange rows) {
  sqlite3_reset(m_statement.get());
  sqlite3_bind_int64(m_statement.get(), 1, rows.first);
  sqlite3_bind_int64(m_statement.get(), 2, rows.last);
  m_first = true;
}

SqliteRows::Step SqliteRows::next() {
  const int step = sqlite3_step(m_statement.get());
  if (step == SQLITE_DONE) return Step::Done;
  if (step != SQLITE_ROW) return Step::Damaged;
  m_rowid = sqlite3_column_int64(m_statement.get(), 0);
  if (!m_first && m_rowid <= m_after) return Step::Damaged;
  m_first = false;
  m_after = m_rowid;
  return Step::Row;
}

// Values of a connection that one thread uses; they need no locks, as the functions of columns do.
sqlite3_value* SqliteRows::valueOf(int column) const {
  return sqlite3_column_value(m_statement.get(), column + 1);
}

bool SqliteRows::isNull(int column) const {
  return sqlite3_value_type(valueOf(column)) == SQLITE_NULL;
}

bool SqliteRows::isBlob(int column) const {
  return sqlite3_value_type(valueOf(column)) == SQLITE_BLOB;
}

bool SqliteRows::isText(int column) const {
  return sqlite3_value_type(valueOf(column)) == SQLITE_TEXT;
}

std::int64_t SqliteRows::integer(int column) const {
  return optionalInteger(column).value_or(0);
}

std::optional<std::int64_t> SqliteRows::optionalInteger(int column) const {
  sqlite3_value* const value = valueOf(column);
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_NULL) return std::nullopt;
  if (type != SQLITE_FLOAT) return sqlite3_value_int64(value);
  const double real = sqlite3_value_double(value);
  constexpr double kLimit = 9.2e18;
  return std::abs(real) < kLimit ? std::llround(real) : 0;
}

double SqliteRows::real(int column) const {
  return sqlite3_column_double(m_statement.get(), column + 1);
}

std::string_view SqliteRows::bytes(int column) const {
  sqlite3_value* const value = valueOf(column);
  const void* const begin = sqlite3_value_blob(value);
  const int length = sqlite3_value_bytes(value);
  if (begin == nullptr || length <= 0) return {};
  return {static_cast<const char*>(begin), static_cast<std::size_t>(length)};
}

} // namespace rankscope
