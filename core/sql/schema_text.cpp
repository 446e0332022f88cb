// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/schema_text.h"

#include "core/report/text_table.h"
#include "core/sql/canned_queries.h"
#include "core/sql/sql_functions.h"

#include <fmt/format.h>

namespace rankscope {

std::string schemaText(const SqlDatabase& database, const std::string& name, std::string& problem) {
  std::string text;
  if (!name.empty()) {
    const SqlDatabase::Table* const table = database.table(name);
    if (table == nullptr) {
      problem = "there is no table '" + name + "'; --schema alone lists all";
      return {};
    }
    TextTable columns({"<column", "<type", "<meaning"});
    for (const SqlColumn& column : table->columns)
      columns.addRow(
          {column.name, declaredType(column),
           (column.hidden ? "(parameter, or only when named) " : "") + std::string(column.meaning)});
    if (!table->meaning.empty()) text = table->name + ": " + table->meaning + "\n\n";
    return text + columns.text();
  }
  TextTable tables({"<table", "<meaning", "<columns"});
  for (const SqlDatabase::Table& table : database.tables()) {
    std::string columns;
    for (const SqlColumn& column : table.columns) {
      if (!columns.empty()) columns += ", ";
      columns += column.name;
    }
    tables.addRow({table.name, table.isResult ? "As the CSV of this name." : table.meaning, columns});
  }
  TextTable functions({"<function", "<meaning"});
  for (const SqlFunction& function : sqlFunctions())
    functions.addRow({std::string(function.call), std::string(function.meaning)});
  text = tables.text() + "\n" + functions.text() + "\nExamples\n";
  for (const CannedQuery& query : cannedQueries())
    text += fmt::format("\n-- {}: {}\n{};\n", query.title, query.meaning, query.sql);
  return text;
}

} // namespace rankscope
