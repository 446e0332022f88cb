// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/sql_database.h"

#include "core/model/rank_digest.h"
#include "core/model/side_files.h"
#include "core/report/column_texts.h"
#include "core/report/digest_rows.h"
#include "core/report/digest_tables.h"
#include "core/report/summary_json.h"
#include "core/report/tables.h"
#include "core/sql/raw_tables.h"
#include "core/sql/virtual_table.h"

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>

namespace rankscope {

namespace {

using ColumnsByTable = std::map<std::string_view, std::vector<SqlColumn>>;

// The columns of result tables do not depend on the job, so those of one without events are known at no cost.
const ColumnsByTable& resultColumns() {
  static std::deque<std::string> kMeanings; // which the columns refer to
  static const ColumnsByTable kColumns = [] {
    const JobReport report(std::make_shared<const Analysis>(jobWithoutEvents()));
    ColumnsByTable columns;
    for (const TableSpec& spec : tableSpecs()) {
      std::vector<SqlColumn>& own = columns[spec.name];
      own = sqlColumnsOf(spec.make(report));
      for (SqlColumn& column : own) {
        const auto known = std::ranges::find(definitions(), std::string_view(column.name),
                                             [](const auto& definition) { return definition.first; });
        if (known != definitions().end())
          column.meaning = known->second;
        else
          column.meaning = kMeanings.emplace_back(columnDefinition(spec.name, column.name));
      }
    }
    return columns;
  }();
  return kColumns;
}

} // namespace

std::shared_ptr<const TraceSet> jobWithoutEvents() {
  RankEntry rank;
  rank.file = FileIndex(0);
  rank.trace = std::make_shared<const RankTrace>();
  FileRecord file;
  file.rank = 0;
  return std::make_shared<const TraceSet>("", StringTable(), std::vector<RankEntry>{rank},
                                          std::vector<FileRecord>{file});
}

SqlDatabase::SqlDatabase(const JobReport& report, unsigned threadCount)
    : m_report(report), m_source(report.analysis()), m_events(m_source, EventRows::All),
      m_kernels(m_source, EventRows::Device), m_operators(m_source, EventRows::Operators),
      m_args(argsTable(m_source)), m_sums(nameSumsTable(m_source)) {
  m_tables = {{"events", "All events.", m_events.columns(), false, false},
              {"kernel_events", "What ran on devices: kernels, collectives, copies, sets.",
               m_kernels.columns(), false, false},
              {"operator_events", "Calls of operators.", m_operators.columns(), false, false},
              {"name_sums", "Sums by rank, name and kind: name_sums(from_ns, to_ns, of_rank).",
               m_sums.columns(), false, true},
              {"args", "Fields of an event, read from its file: args(id).", m_args.columns(), false, true}};
  const auto add = [&](std::string_view name, std::string_view meaning, std::vector<SqlColumn> columns,
                       bool isResult, ListTable::Make make) {
    m_lists.push_back(std::make_unique<const ListTable>(std::move(columns), std::move(make)));
    m_listNames.emplace_back(name);
    m_tables.push_back({std::string(name), std::string(meaning), m_lists.back()->columns(), isResult, false});
  };
  for (const RawTableSpec& spec : rawTableSpecs())
    add(spec.name, spec.meaning, spec.columns, false,
        [this, make = spec.make] { return make(m_report, m_source); });
  for (const TableSpec& spec : tableSpecs()) {
    const std::vector<SqlColumn>& columns = resultColumns().at(spec.name);
    const auto make = [this, &spec, &columns, threadCount] {
      if (std::string why = whyAbsent(m_report, spec); !why.empty()) throw SqlTableError(std::move(why));
      prepareRows(m_report, spec, threadCount);
      ResultTable table = tableOf(m_report, spec);
      if (table.columns().size() != columns.size())
        throw SqlTableError(std::string(spec.name) + ": its columns depend on the job");
      return rowsOf(std::move(table));
    };
    add(spec.name, {}, columns, true, make);
  }
}

SqlDatabase::~SqlDatabase() = default;

const SqlDatabase::Table* SqlDatabase::table(std::string_view name) const {
  const auto found = std::ranges::find(m_tables, name, &Table::name);
  return found == m_tables.end() ? nullptr : &*found;
}

std::optional<Error> SqlDatabase::addTo(SqliteConnection& connection, const std::string& schema) const {
  const Analysis& analysis = m_report.analysis();
  if (hasDigests(analysis.trace(), analysis.ranks()))
    return Error{ErrorKind::Unsupported,
                 "queries read single events, which a digest has not: open the traces, or ask rankscope-cli "
                 "query, which loads what can be reached",
                 analysis.trace().side().digestFolder, std::nullopt};
  if (auto error = connection.attachMemory(schema)) return error;
  bool added = true;
  const auto add = [&](const auto& table, const std::string& name) {
    added = added && table.addTo(connection.handle(), schema, name) == SQLITE_OK;
  };
  add(m_events, "events");
  add(m_kernels, "kernel_events");
  add(m_operators, "operator_events");
  add(m_sums, "name_sums");
  add(m_args, "args");
  for (std::size_t i = 0; i < m_lists.size(); ++i) add(*m_lists[i], m_listNames[i]);
  return added ? std::nullopt : std::optional(connection.lastError());
}

} // namespace rankscope
