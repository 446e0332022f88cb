// SPDX-License-Identifier: GPL-3.0-or-later
// Read access to one untrusted SQLite file: immutable (no locks, no journal, nothing is written),
// ordinary tables only, no views, triggers, functions of the schema or extensions, values no longer than the
// file. Rows are read in the order of their rowid; a row that does not ascend is damage, so that a file
// cannot make a scan endless. A file that was cut, or whose pages are damaged, is read as far as it is there.
// A database is used by one thread at a time; open several for several threads.
#pragma once

#include "core/base/result.h"
#include "core/base/sqlite.h"

#include <atomic>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3_value;

namespace rankscope {

struct SqliteTable {
  std::string name;
  std::vector<std::string> columns;

  [[nodiscard]] bool has(std::string_view column) const;
};

class SqliteFile {
 public:
  // Error if the file is no database or its list of tables cannot be read. cancel: interrupts all later
  // reads once true; it outlives the file.
  [[nodiscard]] static Result<SqliteFile> open(const std::string& path,
                                               const std::atomic<bool>* cancel = nullptr);

  // By name; of tables with a version at the end of their name ("X_V2") the highest is also found as "X".
  [[nodiscard]] const SqliteTable* table(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> tableNames() const;

  struct RowRange {
    std::int64_t first = 0;
    std::int64_t last = -1; // inclusive
    [[nodiscard]] bool empty() const { return last < first; }
  };
  // From the lowest to the highest rowid; empty if the table has no rows or no rowids. An end that cannot be
  // read is kFirstRow or kLastRow.
  [[nodiscard]] RowRange rowsOf(const SqliteTable& table) const;
  static constexpr std::int64_t kFirstRow = 0; // of what nsys writes
  static constexpr std::int64_t kLastRow = std::numeric_limits<std::int64_t>::max();
  // The highest rowid that can be read, of a table whose last one cannot.
  [[nodiscard]] std::optional<std::int64_t> lastReadable(const SqliteTable& table) const;
  [[nodiscard]] bool hasRowids(const SqliteTable& table) const;

  // What is wrong with the file as a whole; empty if nothing is.
  [[nodiscard]] const std::string& damage() const { return m_damage; }

  [[nodiscard]] sqlite3* handle() const { return m_connection->handle(); }

 private:
  // Error of SQLite if some cannot be read.
  [[nodiscard]] std::optional<std::string> readTables();

  std::optional<SqliteConnection> m_connection; // always set in an open file
  std::map<std::string, SqliteTable, std::less<>> m_tables;
  std::string m_damage;
};

// The rows of a table, column by column. Missing columns read as NULL.
class SqliteRows {
 public:
  // columns: up to 64 names. readable() is false if the table cannot be scanned.
  SqliteRows(const SqliteFile& file, const SqliteTable& table, std::span<const std::string_view> columns);

  [[nodiscard]] bool readable() const { return m_statement != nullptr; }
  void restrictTo(SqliteFile::RowRange rows);

  enum class Step : std::uint8_t {
    Row,
    Done,
    Damaged, // the rest of the range cannot be read from here
  };
  [[nodiscard]] Step next();

  // Of the current row. Text and blobs are valid until next().
  [[nodiscard]] std::int64_t rowid() const { return m_rowid; }
  [[nodiscard]] bool isNull(int column) const;
  // Whole numbers of any type of value: real ones are rounded, texts parsed. 0 if NULL.
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::optional<std::int64_t> optionalInteger(int column) const;
  [[nodiscard]] double real(int column) const;
  // All bytes of a text or blob, as they are in the file.
  [[nodiscard]] std::string_view bytes(int column) const;
  [[nodiscard]] bool isBlob(int column) const;
  [[nodiscard]] bool isText(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  [[nodiscard]] sqlite3_value* valueOf(int column) const;

  std::unique_ptr<sqlite3_stmt, Finalize> m_statement;
  std::int64_t m_rowid = 0;
  std::int64_t m_after = 0; // rows must have a higher rowid
  bool m_first = true;
};

// Reads a range of rows. Where a row cannot be read, it goes on with the next one that can, which it finds in
// O(log n) steps.
class SqliteScan {
 public:
  SqliteScan(SqliteRows& rows, SqliteFile::RowRange range);
  explicit SqliteScan(SqliteRows& rows) : SqliteScan(rows, {kLeast, SqliteFile::kLastRow}) {}

  // False at the end.
  [[nodiscard]] bool next();
  // Rowids that cannot be read, ascending.
  [[nodiscard]] const std::vector<SqliteFile::RowRange>& damaged() const { return m_damaged; }

 private:
  static constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

  [[nodiscard]] bool goesOn(std::int64_t from);
  void skipDamage();

  SqliteRows& m_rows;
  std::int64_t m_next;
  std::int64_t m_last;
  bool m_ended = false;
  std::vector<SqliteFile::RowRange> m_damaged;
};

// "rows 17 to 90 cannot be read: a damaged page".
[[nodiscard]] std::string damagedRowsText(SqliteFile::RowRange rows);
// Joins ranges that touch. Sorts them.
void joinRows(std::vector<SqliteFile::RowRange>& ranges);

// A name in double quotes for SQL.
[[nodiscard]] std::string quotedIdentifier(std::string_view name);

// Whether the bytes begin like an SQLite database.
[[nodiscard]] bool isSqlite(std::string_view start);

} // namespace rankscope
