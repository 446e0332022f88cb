// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/query_command.h"

#include "app/job_run.h"
#include "core/base/text_pattern.h"
#include "core/base/unit_text.h"
#include "core/export/csv.h"
#include "core/export/json.h"
#include "core/export/whole_file.h"
#include "core/report/text_table.h"
#include "core/sql/json_lines.h"
#include "core/sql/schema_text.h"
#include "core/sql/sql_query.h"
#include "core/sql/sqlite_export.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <utility>

namespace rankscope {

namespace {

constexpr std::size_t kWidestCell = 120;

struct QueryOptions {
  std::string file;   // with the SQL
  std::string format; // empty: table, or sqlite if `out` is named so
  std::string out;
  double timeout = 0; // seconds; 0: none
  std::uint64_t limit = 0;
  std::optional<std::string> schema; // table; empty: all
  std::vector<std::string> tables;
  std::vector<std::string> with; // paths of the other job
};

// What to ask, taken from the arguments.
struct QueryRequest {
  std::string sql;
  std::vector<std::string> paths;
  std::string problem; // if not empty, nothing else is set
};

struct QueryOutcome {
  enum class Kind : std::uint8_t { Answered, Wrong, Limit, NotWritten };
  Kind kind = Kind::Answered;
  std::string problem;
  std::string note; // rows were cut off
};

bool looksLikeSql(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return false;
  const std::string word = folded(text.substr(begin, 16));
  for (const std::string_view known : {"select", "with", "values", "explain", "create", "pragma", "insert ",
                                       "update ", "delete ", "drop ", "alter ", "attach ", "--", "/*"}) {
    if (word.starts_with(known)) return true;
  }
  return false;
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool isSqliteFile(std::string_view path) {
  return path.ends_with(".sqlite") || path.ends_with(".sqlite3") || path.ends_with(".db");
}

std::string formatOf(const QueryOptions& options) {
  if (!options.format.empty()) return options.format;
  return isSqliteFile(options.out) ? "sqlite" : "table";
}

std::string tableText(const ResultTable& table) {
  std::vector<std::string> titles;
  titles.reserve(table.columns().size());
  for (const TableColumn& column : table.columns())
    titles.push_back((column.alignsRight() ? "" : "<") + column.name);
  TextTable text(std::move(titles));
  for (std::size_t row = 0; row < table.rowCount(); ++row) {
    std::vector<std::string> cells;
    cells.reserve(table.columns().size());
    for (std::size_t i = 0; i < table.columns().size(); ++i)
      cells.push_back(printableText(exactText(table, row, i), kWidestCell));
    text.addRow(std::move(cells));
  }
  return text.text();
}

QueryOutcome outcomeOf(const SqlAnswer& answer) {
  QueryOutcome outcome;
  if (answer.cut)
    outcome.note = answer.rows == 1 ? std::string("only the first row is shown (--limit)")
                                    : fmt::format("only the first {} rows are shown (--limit)",
                                                  groupedText(static_cast<std::int64_t>(answer.rows)));
  if (!answer.problem) return outcome;
  outcome.problem = answer.problem->text;
  outcome.kind =
      answer.problem->kind == SqlProblem::Kind::Limit ? QueryOutcome::Kind::Limit : QueryOutcome::Kind::Wrong;
  return outcome;
}

QueryOutcome notWritten(const std::optional<Error>& error) {
  if (!error) return {};
  return {QueryOutcome::Kind::NotWritten, error->text(), {}};
}

SqlLimits limitsOf(const QueryOptions& options) {
  SqlLimits limits;
  if (options.timeout > 0) limits.time = std::chrono::milliseconds(static_cast<long>(options.timeout * 1000));
  if (options.limit > 0) limits.rows = options.limit;
  return limits;
}

QueryOutcome writeTables(const SqlDatabase& database, const QueryOptions& options) {
  for (const std::string& name : options.tables) {
    const SqlDatabase::Table* const table = database.table(name);
    if (table == nullptr)
      return {QueryOutcome::Kind::Wrong, "--tables: there is no table '" + name + "'", {}};
    if (table->isCalled)
      return {QueryOutcome::Kind::Wrong, "--tables: '" + name + "' has no rows without parameters", {}};
  }
  const std::vector<std::string> tables =
      options.tables.empty() ? exportedByDefault(database) : options.tables;
  return notWritten(writeSqlite(database, tables, options.out));
}

QueryOutcome streamLines(const SqlJobs& jobs, const QueryOptions& options, const std::string& sql) {
  std::string whole;
  bool written = true;
  JsonLines lines([&](std::string_view text) {
    if (options.out.empty())
      written = written && print(text) == kSuccess;
    else
      whole += text;
    return written;
  });
  QueryOutcome outcome = outcomeOf(runSql(jobs, sql, limitsOf(options), nullptr, lines));
  if (!written) return {QueryOutcome::Kind::NotWritten, {}, {}};
  if (outcome.kind != QueryOutcome::Kind::Answered) return outcome;
  lines.end(!outcome.note.empty());
  if (!options.out.empty()) return notWritten(writeWholeFile(options.out, whole));
  return outcome;
}

void addQueryOptions(CLI::App& command, QueryOptions& options) {
  command.add_option("--file", options.file, "read the SQL from this file");
  command
      .add_option("--format", options.format,
                  "table (for people), csv (RFC 4180), json, jsonl (one row a line) or sqlite")
      ->check(CLI::IsMember({"table", "csv", "json", "jsonl", "sqlite"}));
  command.add_option("--out", options.out,
                     "write into this file; without SQL, tables of the job as an SQLite file");
  command.add_option("--tables", options.tables, "tables to write without SQL, comma-separated")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option("--with", options.with,
                  "another job, whole: its tables are b.events and so on, those of PATH a.events or events")
      ->allow_extra_args(false);
  command.add_option("--timeout", options.timeout, "give up after this many seconds")
      ->check(numberIn(0.001, 1e6));
  command.add_option("--limit", options.limit, "at most this many rows")
      ->check(CLI::Range(std::uint64_t{1}, UINT64_MAX).description(""));
  command
      .add_option_function<std::string>(
          "--schema", [&options](const std::string& table) { options.schema = table; },
          "print the tables, functions and examples, or the columns of a table")
      ->expected(0, 1)
      ->default_str("");
}

// The SQL is the first or last argument, or in a file.
QueryRequest queryRequest(const QueryOptions& options, std::vector<std::string> arguments) {
  QueryRequest request;
  const bool alone = options.schema.has_value() || (formatOf(options) == "sqlite" && options.file.empty());
  if (formatOf(options) == "sqlite" && options.out.empty()) {
    request.problem = "--format sqlite: wants --out";
    return request;
  }
  if (!options.file.empty()) {
    std::ifstream file(options.file, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) {
      request.problem = options.file + ": cannot read";
      return request;
    }
    request.sql = text.str();
  } else if (!arguments.empty() && looksLikeSql(arguments.front()) && !exists(arguments.front())) {
    request.sql = arguments.front();
    arguments.erase(arguments.begin());
  } else if (!arguments.empty() && (looksLikeSql(arguments.back()) || !alone) && !exists(arguments.back())) {
    request.sql = arguments.back();
    arguments.pop_back();
  } else if (!alone) {
    request.problem = "there is no SQL: give it in quotes, or --file";
    return request;
  }
  if (arguments.empty() && !options.schema) request.problem = "PATH is required (see --help)";
  request.paths = std::move(arguments);
  return request;
}

// other: null if there is none.
QueryOutcome answerQuery(const JobReport& report, const JobReport* other, const QueryOptions& options,
                         const std::string& sql, unsigned threadCount) {
  const SqlDatabase database(report, threadCount);
  std::optional<SqlDatabase> otherDatabase;
  if (other != nullptr) otherDatabase.emplace(*other, threadCount);
  const SqlJobs jobs(database, otherDatabase ? &*otherDatabase : nullptr);
  if (options.schema) {
    QueryOutcome outcome;
    const std::string text = schemaText(database, *options.schema, outcome.problem);
    if (!outcome.problem.empty())
      outcome.kind = QueryOutcome::Kind::Wrong;
    else if (print(text) != kSuccess)
      outcome.kind = QueryOutcome::Kind::NotWritten;
    return outcome;
  }
  const std::string format = formatOf(options);
  if (sql.empty()) return writeTables(database, options);
  if (format == "jsonl") return streamLines(jobs, options, sql);
  const SqlResult result = sqlResult(jobs, sql, limitsOf(options));
  QueryOutcome outcome = outcomeOf(result.answer);
  if (!result.table) return outcome;
  if (format == "sqlite") return notWritten(writeSqlite(*result.table, options.out));
  const std::string text = format == "csv"    ? toCsv(*result.table)
                           : format == "json" ? toJson(*result.table)
                                              : tableText(*result.table);
  if (!options.out.empty()) return notWritten(writeWholeFile(options.out, text));
  if (print(text) != kSuccess) outcome.kind = QueryOutcome::Kind::NotWritten;
  return outcome;
}

ExitCode reported(const QueryOutcome& outcome) {
  if (!outcome.problem.empty()) printError(outcome.problem);
  if (!outcome.note.empty()) printError(outcome.note);
  if (outcome.kind == QueryOutcome::Kind::Limit) return kNoAnswer;
  return outcome.kind == QueryOutcome::Kind::Answered ? kSuccess : kWrongUsage;
}

// The schema is that of any job; none has to be read.
ExitCode printSchema(const QueryOptions& options) {
  const JobReport report(std::make_shared<const Analysis>(jobWithoutEvents()));
  return reported(answerQuery(report, nullptr, options, {}, 1));
}

ExitCode runQuery(const JobOptions& job, const QueryOptions& options) {
  QueryRequest request = queryRequest(options, job.paths);
  if (!request.problem.empty()) {
    printError(request.problem);
    return kWrongUsage;
  }
  if (options.schema) return printSchema(options);
  JobOptions own = job;
  own.paths = std::move(request.paths);
  std::optional<JobReport> other;
  if (!options.with.empty()) {
    WholeJob with = loadedJob(own, options.with);
    if (with.analysis == nullptr) return with.code;
    other.emplace(std::move(with.analysis));
  }
  const auto answer = [&](const JobReport& report) {
    return reported(answerQuery(report, other ? &*other : nullptr, options, request.sql, own.threadCount()));
  };
  return withJob(own, answer, &kNoTable);
}

} // namespace

Command addQueryCommand(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("query", "answer a question in SQL, or write tables for it");
  const auto job = std::make_shared<JobOptions>();
  const auto options = std::make_shared<QueryOptions>();
  addJobOptions(*command, *job, false);
  job->events = EventUse::Chosen;
  job->purpose = "query";
  addQueryOptions(*command, *options);
  return {command, job, [=]() -> int { return runQuery(*job, *options); }};
}

} // namespace rankscope
