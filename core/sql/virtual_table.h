// SPDX-License-Identifier: GPL-3.0-or-later
// Makes an SQL table of any type that has the members below, without copying its rows. The table must outlive
// the connection; it is only read, and may serve several connections of several threads at once. Only for
// sources in core/sql: includes SQLite's header.
//
//   class Table {
//     std::span<const SqlColumn> columns() const;
//     int plan(sqlite3_index_info&) const;                  // SQLITE_OK or SQLITE_CONSTRAINT
//     class Cursor {
//       explicit Cursor(const Table&);
//       void filter(int plan, const char* text, std::span<sqlite3_value* const>);
//       void next();
//       bool atEnd() const;
//       void column(sqlite3_context*, int) const;
//       sqlite3_int64 rowId() const;
//     };
//   };
#pragma once

#include "core/sql/sql_column.h"

#include <exception>
#include <new>
#include <span>
#include <sqlite3.h>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rankscope {

// A reason for the user why a table gives no rows.
class SqlTableError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class Table> class VirtualTable {
 public:
  // REQUIRES: table outlives the connection; schema is attached and has no table of this name.
  static int add(sqlite3* connection, const std::string& schema, const std::string& name,
                 const Table& table) {
    // A module of its own for each table: it knows the rows.
    std::string module = schema;
    module += '.';
    module += name;
    const int code =
        sqlite3_create_module_v2(connection, module.c_str(), &kModule, const_cast<Table*>(&table), nullptr);
    if (code != SQLITE_OK) return code;
    std::string sql = "CREATE VIRTUAL TABLE ";
    sql += quotedName(schema);
    sql += '.';
    sql += quotedName(name);
    sql += " USING ";
    sql += quotedName(module);
    return sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr);
  }

 private:
  struct Opened : sqlite3_vtab {
    const Table* table;
  };
  struct Cursor : sqlite3_vtab_cursor {
    explicit Cursor(const Table& table) : sqlite3_vtab_cursor{}, rows(table) {}
    typename Table::Cursor rows;
  };

  static const Table& tableOf(sqlite3_vtab* opened) { return *static_cast<Opened*>(opened)->table; }
  static auto& rowsOf(sqlite3_vtab_cursor* cursor) { return static_cast<Cursor*>(cursor)->rows; }

  // Exceptions must not pass through SQLite.
  template <class Act> static int guarded(char** message, Act&& act) noexcept {
    try {
      return act();
    } catch (const std::bad_alloc&) {
      return SQLITE_NOMEM;
    } catch (const std::exception& error) {
      *message = sqlite3_mprintf("%s", error.what());
      return SQLITE_ERROR;
    }
  }

  // arguments: the module, the schema, the table.
  static int connect(sqlite3* connection, void* table, int, const char* const* arguments,
                     sqlite3_vtab** result, char** message) {
    return guarded(message, [&] {
      const auto& source = *static_cast<const Table*>(table);
      const bool ofOther = std::string_view(arguments[1]) == kOtherJob;
      const int declared =
          sqlite3_declare_vtab(connection, declarationOf(source.columns(), !ofOther).c_str());
      if (declared != SQLITE_OK) {
        *message = sqlite3_mprintf("%s", sqlite3_errmsg(connection));
        return declared;
      }
      sqlite3_vtab_config(connection, SQLITE_VTAB_DIRECTONLY);
      auto* const opened = new Opened{};
      opened->table = &source;
      *result = opened;
      return SQLITE_OK;
    });
  }
  // Another address than connect: with the same one, the name of the module would be a table too.
  static int create(sqlite3* connection, void* table, int count, const char* const* arguments,
                    sqlite3_vtab** result, char** message) {
    return connect(connection, table, count, arguments, result, message);
  }
  static int disconnect(sqlite3_vtab* opened) {
    delete static_cast<Opened*>(opened);
    return SQLITE_OK;
  }
  static int bestIndex(sqlite3_vtab* opened, sqlite3_index_info* info) {
    return guarded(&opened->zErrMsg, [&] { return tableOf(opened).plan(*info); });
  }
  static int open(sqlite3_vtab* opened, sqlite3_vtab_cursor** result) {
    return guarded(&opened->zErrMsg, [&] {
      *result = new Cursor(tableOf(opened));
      return SQLITE_OK;
    });
  }
  static int close(sqlite3_vtab_cursor* cursor) {
    delete static_cast<Cursor*>(cursor);
    return SQLITE_OK;
  }
  static int filter(sqlite3_vtab_cursor* cursor, int plan, const char* text, int count,
                    sqlite3_value** values) {
    return guarded(&cursor->pVtab->zErrMsg, [&] {
      rowsOf(cursor).filter(plan, text,
                            std::span<sqlite3_value* const>(values, static_cast<std::size_t>(count)));
      return SQLITE_OK;
    });
  }
  static int next(sqlite3_vtab_cursor* cursor) {
    rowsOf(cursor).next();
    return SQLITE_OK;
  }
  static int eof(sqlite3_vtab_cursor* cursor) { return rowsOf(cursor).atEnd() ? 1 : 0; }
  static int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int index) {
    return guarded(&cursor->pVtab->zErrMsg, [&] {
      rowsOf(cursor).column(context, index);
      return SQLITE_OK;
    });
  }
  static int rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
    *id = rowsOf(cursor).rowId();
    return SQLITE_OK;
  }

  static constexpr sqlite3_module moduleOf() {
    sqlite3_module module{};
    module.iVersion = 0;
    module.xCreate = create;
    module.xConnect = connect;
    module.xBestIndex = bestIndex;
    module.xDisconnect = disconnect;
    module.xDestroy = disconnect;
    module.xOpen = open;
    module.xClose = close;
    module.xFilter = filter;
    module.xNext = next;
    module.xEof = eof;
    module.xColumn = column;
    module.xRowid = rowid;
    return module;
  }
  static constexpr sqlite3_module kModule = moduleOf();
};

// The value as an integer. Empty for all other types, which a table then does not compare itself.
inline std::optional<std::int64_t> wholeValue(sqlite3_value* value) {
  if (sqlite3_value_type(value) != SQLITE_INTEGER) return std::nullopt;
  return sqlite3_value_int64(value);
}

inline std::string_view textValue(sqlite3_value* value) {
  const auto* const text = sqlite3_value_text(value);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

} // namespace rankscope
