// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_json_tables.h"

#include "core/base/sqlite.h"
#include "core/io/json/json_text.h"
#include "core/io/nsys/nsys_json_lines.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr std::size_t kLinesBetweenLooks = 4096;
constexpr std::int64_t kFirstInline = std::int64_t{1} << 40; // ids of texts that stand in their line
bool isStringColumn(std::string_view column) {
  return column == "nameId" || column == "textId" || column == "demangledName" || column == "shortName";
}

// Where an absent number is not 0.
bool isNullIfAbsent(std::string_view column) {
  return column == "text" || column == "textId" || column == "endGlobalTid" || column == "category" ||
         column == "binaryData" || column == "graphNodeId" || column == "timestamp";
}

// CUPTI's number of a kind of copy or memory that is written as a word.
std::optional<std::int64_t> kindOfWord(std::string_view column, std::string_view word) {
  std::string lower;
  for (const char c : word) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  static constexpr std::array<std::string_view, 9> kCopies{"unknown", "htod", "dtoh", "htoa", "atoh",
                                                           "atoa",    "atod", "dtoa", "dtod"};
  static constexpr std::array<std::string_view, 5> kMemories{"pageable", "pinned", "device", "array",
                                                             "managed"};
  const auto placeIn = [&](const auto& words) -> std::optional<std::int64_t> {
    for (std::size_t i = 0; i < words.size(); ++i)
      if (lower.ends_with(words[i])) return static_cast<std::int64_t>(i);
    return std::nullopt;
  };
  if (column == "copyKind") return placeIn(kCopies);
  if (column == "srcKind" || column == "dstKind" || column == "memKind") return placeIn(kMemories);
  return std::nullopt;
}

std::vector<std::string_view> columnsOf(const NsysTableSpec& spec) {
  std::vector<std::string_view> columns;
  for (const std::string_view column : spec.columns)
    if (std::ranges::find(columns, column) == columns.end()) columns.push_back(column);
  return columns;
}

// Tables that lines can fill.
constexpr std::array kFilled{NsysTable::Kernel,    NsysTable::Memcpy,   NsysTable::Memset,
                             NsysTable::Runtime,   NsysTable::Nvtx,     NsysTable::Sync,
                             NsysTable::CudaEvent, NsysTable::OsRuntime};

class TableWriter {
 public:
  explicit TableWriter(SqliteConnection& file) : m_file(file) {}

  std::optional<Error> open() {
    std::string sql = "BEGIN;"
                      "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
                      "CREATE TABLE ThreadNames (nameId INTEGER, globalTid INTEGER);"
                      "CREATE TABLE PROCESSES (globalPid INTEGER, name TEXT);"
                      "CREATE TABLE DIAGNOSTIC_EVENT (severity INTEGER, text TEXT);";
    for (const NsysTable table : kFilled) {
      const NsysTableSpec& spec = nsysTable(table);
      sql.append("CREATE TABLE ").append(spec.name).append(" (");
      const char* comma = "";
      for (const std::string_view column : columnsOf(spec))
        sql.append(std::exchange(comma, ", ")).append("\"").append(column).append("\""); // any type of value
      sql += ");";
    }
    return m_file.run(sql);
  }

  std::optional<Error> add(NsysTable table, std::uint64_t offset, const NsysJsonLine& line) {
    Inserted* const into = insertedOf(table);
    if (into == nullptr) return m_file.lastError();
    into->statement.bind(1, static_cast<std::int64_t>(offset));
    for (std::size_t i = 0; i < into->columns.size(); ++i)
      bind(into->statement, static_cast<int>(i) + 2, into->columns[i], line);
    const bool written = into->statement.step() == SqliteStatement::Step::Done;
    into->statement.reset();
    if (!written) return m_file.lastError();
    if (const std::int64_t thread = line.integer({"globaltid"}); thread != 0) m_threads.insert(thread);
    return std::nullopt;
  }

  void addProcess(const NsysJsonLine& line) {
    m_processes[line.integer({"globalpid"})] = unescapedToken(line.token({"commname", "name"}));
  }
  void addThreadName(std::int64_t thread, std::int64_t name) { m_threadNames[thread] = name; }
  void addMessage(const NsysJsonLine& line) {
    const auto level = numberOfToken(line.token({"level", "severity"}));
    if (level) m_messages.emplace_back(*level, unescapedToken(line.token({"text"})));
  }

  // Strings, names and messages, once all events are known.
  std::optional<Error> finish(std::string_view text) {
    for (const auto& [thread, name] : m_threadNames)
      if (m_threads.contains(thread)) m_wanted.insert(name);
    for (auto& [id, string] : stringsOfLines(text, m_wanted))
      m_strings.insert_or_assign(id, std::move(string));
    auto error = insert("INSERT INTO StringIds VALUES (?, ?)", m_strings);
    if (!error) error = insert("INSERT INTO PROCESSES VALUES (?, ?)", m_processes);
    if (!error) error = insert("INSERT INTO DIAGNOSTIC_EVENT VALUES (?, ?)", m_messages);
    if (!error) error = insert("INSERT INTO ThreadNames (globalTid, nameId) VALUES (?, ?)", m_threadNames);
    return error ? error : m_file.run("COMMIT");
  }

 private:
  struct Inserted {
    std::vector<std::string_view> columns;
    SqliteStatement statement;
  };

  static std::string unescapedToken(std::string_view token) { return unescaped(insideQuotes(token)); }

  Inserted* insertedOf(NsysTable table) {
    if (const auto known = m_inserted.find(table); known != m_inserted.end()) return &known->second;
    const NsysTableSpec& spec = nsysTable(table);
    std::vector<std::string_view> columns = columnsOf(spec);
    std::string sql = "INSERT OR REPLACE INTO ";
    sql.append(spec.name).append(" (rowid");
    for (const std::string_view column : columns) sql.append(", \"").append(column).append("\"");
    sql += ") VALUES (?";
    for (std::size_t i = 0; i < columns.size(); ++i) sql += ", ?";
    auto statement = SqliteStatement::prepare(m_file, sql.append(")"));
    if (!statement) return nullptr;
    return &m_inserted.emplace(table, Inserted{std::move(columns), std::move(statement).value()})
                .first->second;
  }

  void bind(SqliteStatement& statement, int parameter, std::string_view column, const NsysJsonLine& line) {
    const std::string_view token = tokenOfColumn(line, column);
    if (column == "text" && !token.empty()) {
      statement.bind(parameter, std::string_view(unescapedToken(token)));
    } else if (token.empty()) {
      const bool open = column == "end" && line.holds("nvtxevent");
      if (open || isNullIfAbsent(column))
        statement.bindNull(parameter);
      else
        statement.bind(parameter, std::int64_t{0});
      if (!open && isStringColumn(column) && column != "textId") m_wanted.insert(0);
    } else if (const auto number = numberOfToken(token)) {
      statement.bind(parameter, *number);
      if (isStringColumn(column)) m_wanted.insert(*number);
    } else if (const auto kind = kindOfWord(column, insideQuotes(token))) {
      statement.bind(parameter, *kind);
    } else if (isStringColumn(column)) {
      statement.bind(parameter, inlineString(unescapedToken(token)));
    } else {
      statement.bindNull(parameter);
    }
  }

  std::int64_t inlineString(std::string text) {
    const auto [known, isNew] =
        m_inline.try_emplace(std::move(text), kFirstInline + static_cast<std::int64_t>(m_inline.size()));
    if (isNew) m_strings.emplace(known->second, known->first);
    return known->second;
  }

  template <class Rows> std::optional<Error> insert(std::string_view sql, const Rows& rows) {
    auto statement = SqliteStatement::prepare(m_file, sql);
    if (!statement) return statement.error();
    for (const auto& [number, value] : rows) {
      statement->bind(1, std::int64_t{number});
      if constexpr (std::is_integral_v<std::decay_t<decltype(value)>>)
        statement->bind(2, std::int64_t{value});
      else
        statement->bind(2, std::string_view(value));
      if (statement->step() != SqliteStatement::Step::Done) return m_file.lastError();
      statement->reset();
    }
    return std::nullopt;
  }

  SqliteConnection& m_file;
  std::map<NsysTable, Inserted> m_inserted;
  std::set<std::int64_t> m_wanted, m_threads;
  std::map<std::int64_t, std::string> m_strings, m_processes;
  std::map<std::string, std::int64_t> m_inline;
  std::map<std::int64_t, std::int64_t> m_threadNames;
  std::vector<std::pair<std::int64_t, std::string>> m_messages;
};

// Names of threads in a list: {"data":[{"nameIdx":"14","globalTid":"..."}]}.
void addThreadNames(std::string_view list, std::string_view text, TableWriter& writer) {
  NsysJsonLine item;
  NsysJsonLine::eachItem(list, [&](std::string_view token) {
    if (!token.starts_with('{') || !item.read(token, text)) return;
    if (!item.token({"globaltid"}).empty())
      writer.addThreadName(item.integer({"globaltid"}), item.integer({"nameidx", "nameid"}));
  });
}

} // namespace

Result<NsysJsonCounts> writeLinesAsTables(std::string_view text, const std::string& path,
                                          const std::atomic<bool>& cancel,
                                          const std::function<void(std::uint64_t)>& done) {
  auto file = SqliteConnection::newFile(path);
  if (!file) return file.error();
  TableWriter writer(*file);
  if (auto error = writer.open()) return *error;
  NsysJsonCounts counts;
  std::optional<Error> failed;
  NsysJsonLine parsed;
  std::uint64_t lines = 0, told = 0;
  eachLine(text, [&](std::uint64_t offset, std::string_view line) {
    if (++lines % kLinesBetweenLooks == 0) {
      done(offset - told);
      told = offset;
      if (cancel.load(std::memory_order_relaxed)) return false;
    }
    if (!parsed.read(line, text)) {
      if (counts.damaged++ == 0) counts.firstDamaged = offset;
      return true;
    }
    if (const auto table = tableOfLine(parsed)) {
      ++counts.events;
      failed = writer.add(*table, offset, parsed);
      return !failed;
    }
    const std::string_view list = parsed.token({"data"});
    if (parsed.holds("commevent"))
      writer.addProcess(parsed);
    else if (parsed.holds("diagnosticevent"))
      writer.addMessage(parsed);
    else if (list.starts_with('['))
      addThreadNames(list, text, writer);
    else if (insideQuotes(parsed.token({"type"})) == "ThreadName")
      writer.addThreadName(parsed.integer({"globaltid"}), parsed.integer({"nameid", "nameidx"}));
    else if (insideQuotes(parsed.token({"type"})) != "String")
      ++counts.unused;
    return true;
  });
  done(text.size() - told);
  if (failed) return *failed;
  if (cancel.load(std::memory_order_relaxed))
    return Error{ErrorKind::Cancelled, "cancelled", path, std::nullopt};
  if (auto error = writer.finish(text)) return *error;
  return counts;
}

} // namespace rankscope
