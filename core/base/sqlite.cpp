// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/sqlite.h"

#include <array>
#include <limits>
#include <sqlite3.h>
#include <utility>

namespace rankscope {

namespace {

constexpr int kMaxTextBytes = 64 << 20;
constexpr int kMaxFileTextBytes = 1 << 30; // of a value in a file
constexpr int kMaxSqlBytes = 1 << 20;
constexpr int kMostAttached = 2;

// A file name as SQLite's URI.
std::string uriOf(const std::string& path) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '?' || c == '#' || c == '%') {
      const auto byte = static_cast<unsigned char>(c);
      uri += '%';
      uri += kDigits[byte >> 4];
      uri += kDigits[byte & 15];
    } else {
      uri += c;
    }
  }
  return uri;
}

void secure(sqlite3* handle, bool file) {
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, file ? 0 : 1, nullptr);
  constexpr std::array<std::pair<int, int>, 6> kLimits{{{SQLITE_LIMIT_SQL_LENGTH, kMaxSqlBytes},
                                                        {SQLITE_LIMIT_COLUMN, 500},
                                                        {SQLITE_LIMIT_EXPR_DEPTH, 200},
                                                        {SQLITE_LIMIT_VDBE_OP, 25'000'000},
                                                        {SQLITE_LIMIT_ATTACHED, 0},
                                                        {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000}}};
  for (const auto& [limit, value] : kLimits) sqlite3_limit(handle, limit, value);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, file ? kMaxFileTextBytes : kMaxTextBytes);
}

} // namespace

void SqliteConnection::Closer::operator()(sqlite3* handle) const {
  sqlite3_close_v2(handle);
}

bool SqliteConnection::Watch::mustStop() {
  if (stop != SqliteStop::None) return true;
  if (progress != nullptr && progress->cancelled()) stop = SqliteStop::Cancelled;
  if (end && std::chrono::steady_clock::now() >= *end) stop = SqliteStop::Time;
  return stop != SqliteStop::None;
}

int SqliteConnection::Watch::look(void* watch) {
  auto& self = *static_cast<Watch*>(watch);
  ++self.looks;
  return self.mustStop() ? 1 : 0;
}

SqliteConnection::SqliteConnection(std::unique_ptr<sqlite3, Closer> handle, std::string file)
    : m_file(std::move(file)), m_watch(std::make_unique<Watch>()), m_handle(std::move(handle)) {}

Result<SqliteConnection> SqliteConnection::open(const std::string& name, const std::string& file, int flags) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &opened, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  std::unique_ptr<sqlite3, Closer> handle(opened);
  if (handle == nullptr) return Error{ErrorKind::OutOfMemory, "not enough memory", file, {}};
  if (code != SQLITE_OK) return Error{ErrorKind::Io, sqlite3_errmsg(opened), file, {}};
  secure(opened, !file.empty());
  return SqliteConnection(std::move(handle), file);
}

Result<SqliteConnection> SqliteConnection::inMemory() {
  auto opened = open(":memory:", {}, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY);
  if (!opened) return opened;
  if (const auto error = opened->run("PRAGMA temp_store=MEMORY; PRAGMA cache_size=-65536")) return *error;
  return opened;
}

Result<SqliteConnection> SqliteConnection::readOnly(const std::string& path) {
  auto opened = open(uriOf(path) + "?immutable=1", path, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  if (!opened) return opened;
  if (const auto error = opened->run("PRAGMA temp_store=MEMORY; PRAGMA query_only=1")) return *error;
  return opened;
}

Result<SqliteConnection> SqliteConnection::newFile(const std::string& path) {
  auto opened = open(uriOf(path), path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI);
  if (!opened) return opened;
  sqlite3_db_config(opened->handle(), SQLITE_DBCONFIG_ENABLE_VIEW, 1, nullptr);
  if (const auto error =
          opened->run("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA temp_store=MEMORY"))
    return *error;
  return opened;
}

std::optional<Error> SqliteConnection::attachMemory(std::string_view schema) {
  std::string sql = "ATTACH ':memory:' AS ";
  sql += schema;
  // Statements of others attach nothing.
  sqlite3_limit(handle(), SQLITE_LIMIT_ATTACHED, kMostAttached);
  auto error = run(sql);
  sqlite3_limit(handle(), SQLITE_LIMIT_ATTACHED, 0);
  return error;
}

std::optional<Error> SqliteConnection::run(const std::string& sql) {
  if (sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return std::nullopt;
  return lastError();
}

Error SqliteConnection::lastError() const {
  Error error{ErrorKind::Format, sqlite3_errmsg(handle()), m_file, {}};
  const int code = sqlite3_errcode(handle());
  if (m_watch->stop == SqliteStop::Cancelled) {
    error.kind = ErrorKind::Cancelled;
    error.message = "cancelled";
  } else if (code == SQLITE_NOMEM) {
    m_watch->stop = SqliteStop::Memory;
    error.kind = ErrorKind::OutOfMemory;
    error.message = "not enough memory";
  } else if (code == SQLITE_IOERR || code == SQLITE_FULL || code == SQLITE_CANTOPEN) {
    error.kind = ErrorKind::Io;
  }
  return error;
}

void SqliteConnection::limitTo(const Progress* progress, std::optional<std::chrono::milliseconds> time) {
  *m_watch = Watch{};
  m_watch->progress = progress;
  if (time) m_watch->end = std::chrono::steady_clock::now() + *time;
  sqlite3_progress_handler(handle(), kStepsBetweenLooks, &Watch::look, m_watch.get());
}

void limitSqliteMemory(std::int64_t bytes) {
  sqlite3_hard_heap_limit64(bytes);
}

void SqliteStatement::Finalizer::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Result<SqliteStatement> SqliteStatement::prepare(SqliteConnection& connection, std::string_view sql,
                                                 std::string_view* rest) {
  if (sql.size() > kMaxSqlBytes)
    return Error{ErrorKind::Format, "the statement is longer than 1 MiB", {}, {}};
  sqlite3_stmt* prepared = nullptr;
  const char* tail = nullptr;
  const int code =
      sqlite3_prepare_v2(connection.handle(), sql.data(), static_cast<int>(sql.size()), &prepared, &tail);
  SqliteStatement statement;
  statement.m_statement.reset(prepared);
  if (code != SQLITE_OK) {
    Error error = connection.lastError();
    if (const int offset = sqlite3_error_offset(connection.handle()); offset >= 0)
      error.byteOffset = static_cast<std::uint64_t>(offset);
    return error;
  }
  if (rest != nullptr)
    *rest = tail == nullptr ? std::string_view() : sql.substr(static_cast<std::size_t>(tail - sql.data()));
  return statement;
}

bool SqliteStatement::isReadOnly() const {
  return sqlite3_stmt_readonly(m_statement.get()) != 0;
}

bool SqliteStatement::explains() const {
  return sqlite3_stmt_isexplain(m_statement.get()) != 0;
}

SqliteStatement::Step SqliteStatement::step() {
  const int code = sqlite3_step(m_statement.get());
  if (code == SQLITE_ROW) return Step::Row;
  return code == SQLITE_DONE ? Step::Done : Step::Failed;
}

void SqliteStatement::reset() {
  sqlite3_reset(m_statement.get());
}

void SqliteStatement::bind(int parameter, std::int64_t value) {
  sqlite3_bind_int64(m_statement.get(), parameter, value);
}

void SqliteStatement::bind(int parameter, double value) {
  sqlite3_bind_double(m_statement.get(), parameter, value);
}

void SqliteStatement::bind(int parameter, std::string_view text) {
  sqlite3_bind_text64(m_statement.get(), parameter, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void SqliteStatement::bindNull(int parameter) {
  sqlite3_bind_null(m_statement.get(), parameter);
}

int SqliteStatement::columnCount() const {
  return sqlite3_column_count(m_statement.get());
}

std::string_view SqliteStatement::columnName(int column) const {
  const char* const name = sqlite3_column_name(m_statement.get(), column);
  return name == nullptr ? std::string_view() : name;
}

std::string_view SqliteStatement::declaredType(int column) const {
  const char* const type = sqlite3_column_decltype(m_statement.get(), column);
  return type == nullptr ? std::string_view() : type;
}

SqliteType SqliteStatement::type(int column) const {
  switch (sqlite3_column_type(m_statement.get(), column)) {
  case SQLITE_INTEGER:
    return SqliteType::Integer;
  case SQLITE_FLOAT:
    return SqliteType::Real;
  case SQLITE_TEXT:
    return SqliteType::Text;
  case SQLITE_BLOB:
    return SqliteType::Blob;
  default:
    return SqliteType::Null;
  }
}

std::int64_t SqliteStatement::integer(int column) const {
  return sqlite3_column_int64(m_statement.get(), column);
}

double SqliteStatement::real(int column) const {
  return sqlite3_column_double(m_statement.get(), column);
}

std::string_view SqliteStatement::text(int column) const {
  const auto* const text = sqlite3_column_text(m_statement.get(), column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<std::size_t>(sqlite3_column_bytes(m_statement.get(), column))};
}

std::span<const std::byte> SqliteStatement::bytes(int column) const {
  const void* const bytes = sqlite3_column_blob(m_statement.get(), column);
  if (bytes == nullptr) return {};
  return {static_cast<const std::byte*>(bytes),
          static_cast<std::size_t>(sqlite3_column_bytes(m_statement.get(), column))};
}

} // namespace rankscope
