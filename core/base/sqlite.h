// SPDX-License-Identifier: GPL-3.0-or-later
// A connection to SQLite with limits on time and memory, and its statements. What a file or a statement asks
// for is not trusted: no extensions, no triggers or views of a file, no change of its schema by other means
// than SQL. A connection and its statements belong to one thread at a time; only Progress::cancel may be set
// by another one. Errors are values.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace rankscope {

// Why a statement was stopped before its end.
enum class SqliteStop : std::uint8_t { None, Cancelled, Time, Memory };

class SqliteConnection {
 public:
  // Empty, private to this connection; nothing is written to disk.
  [[nodiscard]] static Result<SqliteConnection> inMemory();
  // A file that is not written meanwhile: takes no locks and creates no files beside it.
  [[nodiscard]] static Result<SqliteConnection> readOnly(const std::string& path);
  // A new file, without a journal: if writing fails, the file is to be deleted.
  [[nodiscard]] static Result<SqliteConnection> newFile(const std::string& path);

  [[nodiscard]] sqlite3* handle() const { return m_handle.get(); }

  // Adds an empty database in memory, whose tables are found below this name. At most two.
  [[nodiscard]] std::optional<Error> attachMemory(std::string_view schema);
  // Runs statements that have no result.
  [[nodiscard]] std::optional<Error> run(const std::string& sql);
  // The error of the last call; kind Cancelled or OutOfMemory if that was the reason.
  [[nodiscard]] Error lastError() const;

  // From now on, statements stop when progress is cancelled or after this time. progress must outlive the
  // connection's statements; null: none.
  void limitTo(const Progress* progress, std::optional<std::chrono::milliseconds> time);
  [[nodiscard]] SqliteStop stoppedBy() const { return m_watch->stop; }
  // Steps of SQLite's machine since limitTo, in units of kStepsBetweenLooks.
  [[nodiscard]] std::uint64_t looks() const { return m_watch->looks; }
  // Also for functions that work long on their own: whether the limits say stop.
  [[nodiscard]] bool mustStop() const { return m_watch->mustStop(); }

  static constexpr int kStepsBetweenLooks = 10'000;

 private:
  struct Closer {
    void operator()(sqlite3* handle) const;
  };
  struct Watch {
    const Progress* progress = nullptr;
    std::optional<std::chrono::steady_clock::time_point> end;
    SqliteStop stop = SqliteStop::None;
    std::uint64_t looks = 0;

    bool mustStop();
    static int look(void* watch);
  };

  SqliteConnection(std::unique_ptr<sqlite3, Closer> handle, std::string file);
  [[nodiscard]] static Result<SqliteConnection> open(const std::string& name, const std::string& file,
                                                     int flags);

  std::string m_file;
  std::unique_ptr<Watch> m_watch; // outlives the handle, which points to it
  std::unique_ptr<sqlite3, Closer> m_handle;
};

// Memory that all connections of the process may use together. Statements beyond it fail.
void limitSqliteMemory(std::int64_t bytes);

enum class SqliteType : std::uint8_t { Null, Integer, Real, Text, Blob };

class SqliteStatement {
 public:
  enum class Step : std::uint8_t { Row, Done, Failed };

  // The first statement of sql; rest is set to what follows it. Without a statement (white space, comments),
  // the result is empty() and has no steps. The connection must outlive the statement.
  [[nodiscard]] static Result<SqliteStatement> prepare(SqliteConnection& connection, std::string_view sql,
                                                       std::string_view* rest = nullptr);

  [[nodiscard]] bool empty() const { return m_statement == nullptr; }
  // Whether it changes no table.
  [[nodiscard]] bool isReadOnly() const;
  [[nodiscard]] bool explains() const;

  // After Failed: SqliteConnection::lastError.
  [[nodiscard]] Step step();
  // Makes it ready for another run; bound values stay.
  void reset();

  // Parameters count from 1.
  void bind(int parameter, std::int64_t value);
  void bind(int parameter, double value);
  void bind(int parameter, std::string_view text); // copied
  void bindNull(int parameter);

  // Columns count from 0.
  [[nodiscard]] int columnCount() const;
  [[nodiscard]] std::string_view columnName(int column) const;
  // As declared by the table that the column comes from; empty for an expression.
  [[nodiscard]] std::string_view declaredType(int column) const;
  // Of the row at hand. Texts and bytes are valid until the next step.
  [[nodiscard]] SqliteType type(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string_view text(int column) const;
  [[nodiscard]] std::span<const std::byte> bytes(int column) const;

 private:
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalizer> m_statement;
};

} // namespace rankscope
