// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_database.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <system_error>
#include <utility>

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

  [[nodiscard]] bool row() {
    m_code = m_statement != nullptr ? sqlite3_step(m_statement) : SQLITE_ERROR;
    return m_code == SQLITE_ROW;
  }
  // The last row could not be read, as opposed to: there is none.
  [[nodiscard]] bool failed() const { return m_code != SQLITE_ROW && m_code != SQLITE_DONE; }
  [[nodiscard]] bool prepared() const { return m_statement != nullptr; }
  [[nodiscard]] sqlite3_stmt* get() const { return m_statement; }

 private:
  sqlite3_stmt* m_statement = nullptr;
  int m_code = SQLITE_DONE;
};

// SQLite refuses a file that is shorter than its header says, and schemas with a damaged part, unless the
// schema may be repaired. The connection reads only, so this changes nothing.
void allowDamage(sqlite3* handle) {
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
}

// "the file is cut: 60 of its 100 pages are there"; empty if its length is what the header says.
std::string cutText(const std::string& path) {
  constexpr std::size_t kHeader = 100;
  std::array<unsigned char, kHeader> header{};
  std::error_code failed;
  const auto bytes = std::filesystem::file_size(path, failed);
  std::ifstream file(path, std::ios::binary);
  if (failed || bytes < kHeader || !file.read(reinterpret_cast<char*>(header.data()), kHeader)) return {};
  const auto number = [&](std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) value = value << 8 | header[at + i];
    return value;
  };
  std::uint64_t pageBytes = number(16, 2);
  if (pageBytes == 1) pageBytes = 65536;
  const std::uint64_t pages = number(28, 4);
  // A number of pages that an old SQLite left behind is not valid.
  if (pageBytes == 0 || number(24, 4) != number(92, 4) || bytes / pageBytes >= pages) return {};
  return "the file is cut: " + std::to_string(bytes / pageBytes) + " of its " + std::to_string(pages) +
         " pages are there; what is missing follows by table";
}

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
  file.m_damage = cutText(path);
  if (!file.m_damage.empty()) allowDamage(handle);
  std::optional<std::string> error = file.readTables();
  if (error && (cancel == nullptr || !cancel->load())) {
    allowDamage(handle);
    const std::optional<std::string> again = file.readTables();
    if (again && file.m_tables.empty()) return failed("the list of tables cannot be read: " + *error);
    if (file.m_damage.empty())
      file.m_damage = "the list of tables is damaged (" + *error + "): tables may be missing";
  }
  for (auto& [name, table] : file.m_tables) {
    Query columns(handle, "PRAGMA table_info(" + quotedIdentifier(name) + ")");
    while (columns.row()) table.columns.push_back(textOf(columns.get(), 1));
  }
  return file;
}

std::optional<std::string> SqliteFile::readTables() {
  // Views have no root page, virtual tables neither.
  Query tables(handle(), "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0");
  while (tables.prepared() && m_tables.size() < kMaxTables && tables.row()) {
    std::string name = textOf(tables.get(), 0);
    if (name.find('\0') != std::string::npos) continue;
    m_tables.emplace(name, SqliteTable{name, {}});
  }
  if (tables.prepared() && !tables.failed()) return std::nullopt;
  return std::string(sqlite3_errmsg(handle()));
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

namespace {

// The first rowid in this order up to a limit: found, none, or not readable.
struct EndRow {
  std::optional<std::int64_t> row;
  bool failed = false;
};

EndRow endRow(sqlite3* handle, const SqliteTable& table, std::string_view order, std::int64_t most) {
  const std::string id = rowidOf(table);
  if (id.empty()) return {};
  std::string sql = "SELECT " + id;
  sql += " FROM " + quotedIdentifier(table.name);
  sql += " NOT INDEXED WHERE " + id;
  sql.append(" <= ?1 ORDER BY ").append(id).append(order).append(" LIMIT 1");
  Query query(handle, sql);
  if (!query.prepared()) return {};
  sqlite3_bind_int64(query.get(), 1, most);
  if (query.row()) return {sqlite3_column_int64(query.get(), 0), false};
  return {std::nullopt, query.failed()};
}

} // namespace

SqliteFile::RowRange SqliteFile::rowsOf(const SqliteTable& table) const {
  const EndRow first = endRow(handle(), table, " ASC", kLastRow);
  const EndRow last = endRow(handle(), table, " DESC", kLastRow);
  if (!first.row && !first.failed && !last.failed) return {};
  // A damaged page hides the lowest or highest rowid, not the other rows.
  const std::int64_t least = last.row ? std::min(kFirstRow, *last.row) : kFirstRow;
  return {first.row.value_or(least), last.row.value_or(kLastRow)};
}

std::optional<std::int64_t> SqliteFile::lastReadable(const SqliteTable& table) const {
  std::int64_t good = kFirstRow;
  std::int64_t bad = kLastRow;
  std::optional<std::int64_t> found;
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    const EndRow end = endRow(handle(), table, " DESC", middle);
    if (end.failed) {
      bad = middle;
    } else {
      good = middle;
      if (end.row) found = end.row;
    }
  }
  return found;
}

bool SqliteFile::hasRowids(const SqliteTable& table) const {
  const std::string id = rowidOf(table);
  return !id.empty() && Query(handle(), "SELECT " + id + " FROM " + quotedIdentifier(table.name)).prepared();
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

SqliteScan::SqliteScan(SqliteRows& rows, SqliteFile::RowRange range)
    : m_rows(rows), m_next(range.first), m_last(range.last) {
  m_rows.restrictTo({m_next, m_last});
}

bool SqliteScan::next() {
  while (!m_ended) {
    switch (m_rows.next()) {
    case SqliteRows::Step::Row:
      // At the last rowid that there can be, nothing follows.
      if (m_rows.rowid() == std::numeric_limits<std::int64_t>::max())
        m_ended = true;
      else
        m_next = m_rows.rowid() + 1;
      return true;
    case SqliteRows::Step::Done:
      m_ended = true;
      break;
    case SqliteRows::Step::Damaged:
      skipDamage();
      break;
    }
  }
  return false;
}

// Whether the rows from here on begin with one that can be read, or end.
bool SqliteScan::goesOn(std::int64_t from) {
  m_rows.restrictTo({from, m_last});
  return m_rows.next() != SqliteRows::Step::Damaged;
}

// Looks for the next readable rowid in steps that double, then halves the last step.
void SqliteScan::skipDamage() {
  constexpr std::size_t kMostRanges = 10'000;
  const std::int64_t bad = m_next;
  std::uint64_t left = static_cast<std::uint64_t>(m_last) - static_cast<std::uint64_t>(bad);
  const auto at = [&](std::uint64_t step) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(bad) + step);
  };
  if (m_damaged.size() >= kMostRanges || bad > m_last) left = 0;
  std::uint64_t unreadable = 0;
  std::uint64_t readable = 1;
  bool found = false;
  while (readable <= left && !(found = goesOn(at(readable)))) {
    unreadable = readable;
    if (readable == left) break;
    readable = readable > left / 2 ? left : readable * 2;
  }
  if (!found) {
    if (bad <= m_last) m_damaged.push_back({bad, m_last});
    m_ended = true;
    return;
  }
  while (readable - unreadable > 1) {
    const std::uint64_t middle = unreadable + (readable - unreadable) / 2;
    (goesOn(at(middle)) ? readable : unreadable) = middle;
  }
  m_damaged.push_back({bad, at(readable - 1)});
  m_next = at(readable);
  m_rows.restrictTo({m_next, m_last});
}

std::string damagedRowsText(SqliteFile::RowRange rows) {
  const bool toTheEnd = rows.last == SqliteFile::kLastRow;
  if (toTheEnd && rows.first <= SqliteFile::kFirstRow) return "no row can be read: its pages are damaged";
  std::string text = rows.first == rows.last ? "row " : "rows ";
  text += std::to_string(rows.first);
  if (toTheEnd)
    text += " and later";
  else if (rows.first != rows.last)
    text.append(" to ").append(std::to_string(rows.last));
  return text += " cannot be read: a damaged page";
}

void joinRows(std::vector<SqliteFile::RowRange>& ranges) {
  std::ranges::sort(ranges, {}, &SqliteFile::RowRange::first);
  std::vector<SqliteFile::RowRange> joined;
  for (const SqliteFile::RowRange& range : ranges) {
    if (!joined.empty() &&
        (joined.back().last == SqliteFile::kLastRow || range.first <= joined.back().last + 1))
      joined.back().last = std::max(joined.back().last, range.last);
    else
      joined.push_back(range);
  }
  ranges = std::move(joined);
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
