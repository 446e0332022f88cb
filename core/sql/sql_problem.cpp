// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/sql_problem.h"

#include "core/base/text_pattern.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace rankscope {

namespace {

// "line 2, column 7: " of a position.
std::string placeText(std::string_view sql, std::size_t at) {
  at = std::min(at, sql.size());
  const std::string_view before = sql.substr(0, at);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t begin = before.rfind('\n');
  const std::size_t column = begin == std::string_view::npos ? at + 1 : at - begin;
  return fmt::format("line {}, column {}: ", line, column);
}

std::string nearestOf(const std::set<std::string_view>& names, std::string_view wanted) {
  if (wanted.size() < 3) return {};
  // Of short words nearly all are two letters apart.
  const std::size_t limit = wanted.size() < 5 ? 1 : std::max<std::size_t>(2, wanted.size() / 3);
  std::string_view best;
  std::size_t least = limit + 1;
  for (const std::string_view name : names) {
    std::size_t distance = editDistance(name, wanted, limit);
    // "kernel" for "kernels", "begin" for "begin_ns".
    if (std::min(wanted.size(), name.size()) >= 3 && (name.starts_with(wanted) || wanted.starts_with(name)))
      distance = std::min<std::size_t>(distance, 1);
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  return best.empty() ? std::string() : fmt::format("; did you mean {}?", best);
}

// wanted: with its schema, if one was given.
std::string hintOfTable(const SqlJobs& jobs, std::string_view wanted) {
  const std::size_t dot = wanted.rfind('.');
  const std::string_view schema = dot == std::string_view::npos ? std::string_view() : wanted.substr(0, dot);
  wanted.remove_prefix(schema.empty() ? 0 : dot + 1);
  if (schema == "b" && jobs.b == nullptr) return "; there is only one job, so there is no schema b";
  if (jobs.a.table(wanted) != nullptr) return fmt::format("; did you mean {}?", wanted);
  std::set<std::string_view> names;
  for (const SqlDatabase::Table& table : jobs.a.tables()) names.insert(table.name);
  return nearestOf(names, folded(wanted));
}

bool isWordLetter(char letter) {
  return letter == '_' || (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
}

bool hasWord(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !isWordLetter(text[at - 1])) && (end == text.size() || !isWordLetter(text[end])))
      return true;
  }
  return false;
}

// The nearest column of the tables that the query names; of a single one, what it has.
std::string hintOfColumn(const SqlJobs& jobs, std::string_view wanted, std::string_view sql) {
  const std::string query = folded(sql);
  std::vector<const SqlDatabase::Table*> named;
  std::vector<const SqlDatabase::Table*> all;
  for (const SqlDatabase::Table& table : jobs.a.tables()) {
    all.push_back(&table);
    if (hasWord(query, table.name)) named.push_back(&table);
  }
  std::set<std::string_view> names;
  for (const SqlDatabase::Table* const table : named.empty() ? all : named)
    for (const SqlColumn& column : table->columns) names.insert(column.name);
  const std::string word = folded(wanted);
  names.erase(word); // of another table of the query
  if (std::string hint = nearestOf(names, word); !hint.empty() || named.size() != 1) return hint;
  std::string text = fmt::format("; {} has ", named.front()->name);
  bool first = true;
  for (const SqlColumn& column : named.front()->columns) {
    text.append(first ? "" : ", ").append(column.name);
    first = false;
  }
  return text;
}

std::string hintOf(const SqlJobs& jobs, std::string_view message, std::string_view sql) {
  constexpr std::string_view kTable = "no such table: ";
  constexpr std::string_view kColumn = "no such column: ";
  if (message.starts_with(kTable)) return hintOfTable(jobs, message.substr(kTable.size()));
  if (message.starts_with(kColumn)) {
    std::string_view wanted = message.substr(kColumn.size());
    wanted.remove_prefix(std::min(wanted.rfind('.') + 1, wanted.size()));
    return hintOfColumn(jobs, wanted, sql);
  }
  if (message == "not authorized") return "; a query may only read tables of the job";
  return {};
}

} // namespace

std::size_t editDistance(std::string_view a, std::string_view b, std::size_t limit) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > limit) return limit + 1;
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::vector<std::size_t> twoBefore;
  std::iota(before.begin(), before.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], twoBefore[j - 2] + 1);
    }
    twoBefore = before;
    before.swap(row);
  }
  return std::min(before[b.size()], limit + 1);
}

SqlProblem sqlProblem(const SqlJobs& jobs, const Error& error, std::string_view sql,
                      std::size_t statementAt) {
  if (error.kind == ErrorKind::Cancelled) return {SqlProblem::Kind::Cancelled, "cancelled"};
  if (error.kind == ErrorKind::OutOfMemory)
    return {SqlProblem::Kind::Limit, "the query needs more memory than it may use: ask for less, or group"};
  std::string text;
  if (error.byteOffset) text = placeText(sql, statementAt + *error.byteOffset);
  text += error.message;
  text += hintOf(jobs, error.message, sql);
  const bool tooLarge = error.message == "string or blob too big";
  return {tooLarge ? SqlProblem::Kind::Limit : SqlProblem::Kind::Wrong, std::move(text)};
}

} // namespace rankscope
