// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/called_table.h"

#include "core/query/range_statistics.h"
#include "core/sql/virtual_table.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace rankscope {

namespace {

std::vector<TableColumn> visibleColumns(const std::vector<SqlColumn>& columns) {
  std::vector<TableColumn> visible;
  visible.reserve(columns.size());
  for (const SqlColumn& column : columns) {
    if (!column.hidden) visible.push_back({column.name, column.unit});
  }
  return visible;
}

const std::vector<SqlColumn> kArgs{{"key", Unit::Text, "name of the field as recorded"},
                                   {"value", Unit::Text, "value as recorded"},
                                   {"id", kId, "id of the event", true}};

const std::vector<SqlColumn> kSums{{"rank", kId, "rank"},
                                   {"capture", kId, "profiling cycle of the rank"},
                                   {"name_id", kId, "number of the name"},
                                   {"name", Unit::Text, "name as recorded"},
                                   {"kind", Unit::Text, "kind of the events"},
                                   {"calls", Unit::Count, "events in the range"},
                                   {"total_ns", kNs, "sum of the parts in the range"},
                                   {"self_ns", kNs, "the same without nested events"},
                                   {"min_ns", kNs, "shortest part"},
                                   {"max_ns", kNs, "longest part"},
                                   {"from_ns", kNs, "begin of the range, from the job's begin", true},
                                   {"to_ns", kNs, "end of the range", true},
                                   {"of_rank", kId, "only this rank", true}};

// All tracks of one recording.
RangeScope scopeOf(const EventSource& source, RankIndex rank, std::optional<std::int64_t> from,
                   std::optional<std::int64_t> to) {
  const Analysis& analysis = source.analysis();
  RangeScope scope;
  const ClockCorrection& clock = analysis.clocks().of(rank);
  const auto own = [&](TimeNs time) { return clock.fromJob(analysis.extent().begin.movedBy(time)).ns(); };
  const RankRange window = analysis.window(rank);
  scope.range = window.ns();
  if (from) scope.range.begin = std::max(scope.range.begin, own(*from));
  if (to) scope.range.end = std::min(scope.range.end, own(*to));
  RankTracks& tracks = scope.tracks.emplace_back();
  tracks.rank = rank;
  const std::size_t count = source.traceOf(rank).tracks.size();
  tracks.tracks.reserve(count);
  for (std::size_t i = 0; i < count; ++i) tracks.tracks.emplace_back(i);
  return scope;
}

} // namespace

class CalledTable::Cursor {
 public:
  explicit Cursor(const CalledTable& table) : m_called(table), m_columns(table.columns()) {}

  void filter(int given, const char*, std::span<sqlite3_value* const> values) {
    m_at = 0;
    m_table.reset();
    m_parameters.assign(m_columns.size() - m_called.firstParameter(), std::nullopt);
    std::size_t used = 0;
    for (std::size_t i = 0; i < m_parameters.size(); ++i) {
      if ((static_cast<unsigned>(given) & (1U << i)) == 0) continue;
      sqlite3_value* const value = values[used++];
      if (sqlite3_value_type(value) == SQLITE_NULL) return; // equal to nothing: no rows
      if (sqlite3_value_numeric_type(value) == SQLITE_TEXT)
        throw SqlTableError("the parameter " + m_columns[m_called.firstParameter() + i].name +
                            " is not a number");
      m_parameters[i] = sqlite3_value_int64(value);
    }
    m_table.emplace(m_called.make(m_parameters));
  }
  void next() { ++m_at; }
  [[nodiscard]] bool atEnd() const { return !m_table || m_at >= m_table->rowCount(); }
  void column(sqlite3_context* context, int index) const {
    const auto column = static_cast<std::size_t>(index);
    if (column >= m_called.firstParameter()) {
      const auto& value = m_parameters[column - m_called.firstParameter()];
      return giveCell(context, cellOf(value), m_columns[column]);
    }
    // Copied: the rows end with the cursor's next filter.
    const Cell cell = m_table->at(m_at, column);
    if (const auto* text = std::get_if<std::string_view>(&cell))
      sqlite3_result_text64(context, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    else
      giveCell(context, cell, m_columns[column]);
  }
  [[nodiscard]] sqlite3_int64 rowId() const { return static_cast<sqlite3_int64>(m_at); }

 private:
  const CalledTable& m_called;
  std::span<const SqlColumn> m_columns;
  Parameters m_parameters;
  std::optional<ResultTable> m_table;
  std::size_t m_at = 0;
};

CalledTable::CalledTable(std::vector<SqlColumn> columns, std::size_t required, Make make)
    : m_columns(std::move(columns)), m_required(required), m_make(std::move(make)) {
  const auto hidden = std::ranges::find(m_columns, true, &SqlColumn::hidden);
  m_firstParameter = static_cast<std::size_t>(hidden - m_columns.begin());
}

int CalledTable::addTo(sqlite3* connection, const std::string& schema, const std::string& name) const {
  return VirtualTable<CalledTable>::add(connection, schema, name, *this);
}

int CalledTable::plan(sqlite3_index_info& info) const {
  std::vector<int> chosen(m_columns.size() - m_firstParameter, -1);
  for (int i = 0; i < info.nConstraint; ++i) {
    const auto& constraint = info.aConstraint[i];
    const auto column = static_cast<std::size_t>(std::max(0, constraint.iColumn));
    if (constraint.iColumn < 0 || column < m_firstParameter || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ)
      continue;
    const std::size_t parameter = column - m_firstParameter;
    // A value from a table that comes later in this plan: another plan is wanted.
    if (constraint.usable == 0) {
      if (parameter < m_required) return SQLITE_CONSTRAINT;
      continue;
    }
    if (chosen[parameter] < 0) chosen[parameter] = i;
  }
  int arguments = 0;
  unsigned given = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i] < 0) {
      if (i < m_required) throw SqlTableError("wants a value for " + m_columns[m_firstParameter + i].name);
      continue;
    }
    info.aConstraintUsage[chosen[i]].argvIndex = ++arguments;
    info.aConstraintUsage[chosen[i]].omit = 1;
    given |= 1U << i;
  }
  info.idxNum = static_cast<int>(given);
  info.estimatedCost = 1e5;
  info.estimatedRows = 100;
  return SQLITE_OK;
}

CalledTable argsTable(const EventSource& source) {
  const auto make = [&source](const CalledTable::Parameters& parameters) {
    ResultTable table("args", visibleColumns(kArgs));
    const auto event = source.eventOf(parameters[0].value_or(-1));
    if (!event) return table;
    const auto fields = source.trace()
                            .rank(event->rank)
                            .details->fields(source.traceOf(event->rank).events.source[event->event]);
    if (!fields) throw SqlTableError(fields.error().text());
    for (const EventField& field : *fields)
      table.addRow({Cell(std::string_view(field.key)), Cell(std::string_view(field.value))});
    return table;
  };
  return {kArgs, 1, make};
}

CalledTable nameSumsTable(const EventSource& source) {
  const auto make = [&source](const CalledTable::Parameters& parameters) {
    ResultTable table("name_sums", visibleColumns(kSums));
    const std::atomic<bool> goOn{false};
    for (const RankIndex rank : source.analysis().ranks()) {
      const RankEntry& entry = source.trace().rank(rank);
      if (parameters[2] && *parameters[2] != entry.rank) continue;
      const RangeScope scope = scopeOf(source, rank, parameters[0], parameters[1]);
      const auto statistics = rangeStatistics(source.trace(), scope, 1, goOn);
      for (const NameSums& sums : statistics->names) {
        table.addRow({Cell(std::int64_t{entry.rank}), Cell(std::int64_t{entry.capture}),
                      sums.name.valid() ? Cell(std::int64_t{sums.name.value}) : Cell(),
                      Cell(source.trace().names()[sums.name]), Cell(kindText(sums.kind)),
                      Cell(static_cast<std::int64_t>(sums.sums.count)), Cell(std::int64_t{sums.sums.total}),
                      Cell(std::int64_t{sums.sums.self}), Cell(sums.sums.shortest), Cell(sums.sums.longest)});
      }
    }
    return table;
  };
  return {kSums, 0, make};
}

} // namespace rankscope
