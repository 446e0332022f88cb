// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/event_table.h"

#include "core/sql/event_cell.h"
#include "core/sql/event_columns.h"
#include "core/sql/event_conditions.h"
#include "core/sql/event_filter.h"
#include "core/sql/longest_first.h"
#include "core/sql/virtual_table.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

// How rows come, in idxNum; from kKeyed on, ordered by keys.
enum Arrangement : int { kRecorded = 0, kByBegin = 1, kLongestFirst = 2, kKeyed = 16 };
// Beyond it, sorting all rows takes less memory than looking for the longest ones.
constexpr sqlite3_int64 kMostLongest = 100'000;

int keyedArrangement(EventKeys keys) {
  int code = 0;
  for (std::size_t i = keys.size(); i-- > 0;) code = code * kEventKeyCount + static_cast<int>(keys[i]);
  return kKeyed + code;
}

EventKeys keysOf(int arrangement) {
  EventKeys keys{};
  int code = arrangement - kKeyed;
  for (EventKey& key : keys) {
    key = static_cast<EventKey>(code % kEventKeyCount);
    code /= kEventKeyCount;
  }
  return keys;
}

// The tests in idxStr: a column and a condition for each argument.
constexpr char kFirstColumn = 'A';

// Whether the query ends after few rows. SQLite says so only where this table is the only one.
bool wantsFew(sqlite3_index_info& info) {
  for (int i = 0; i < info.nConstraint; ++i) {
    if (info.aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_LIMIT) continue;
    sqlite3_value* value = nullptr;
    if (sqlite3_vtab_rhs_value(&info, i, &value) != SQLITE_OK || value == nullptr) return false;
    return sqlite3_value_int64(value) >= 0 && sqlite3_value_int64(value) <= kMostLongest;
  }
  return false;
}

// What the rows would be ordered by; empty if they cannot.
std::optional<int> arrangementFor(const EventTable& table, sqlite3_index_info& info) {
  const int distinct = sqlite3_vtab_distinct(&info);
  const bool anyOrder = distinct == 1 || distinct == 2;
  EventKeys keys{};
  if (info.nOrderBy < 1 || info.nOrderBy > static_cast<int>(keys.size())) return std::nullopt;
  std::vector<EventColumn> columns;
  columns.reserve(keys.size());
  if (info.nOrderBy == 1 && info.aOrderBy[0].iColumn >= 0 && info.aOrderBy[0].desc != 0 && distinct == 0 &&
      table.column(info.aOrderBy[0].iColumn) == EventColumn::Duration && wantsFew(info))
    return kLongestFirst;
  for (int i = 0; i < info.nOrderBy; ++i) {
    if (info.aOrderBy[i].iColumn < 0 || (info.aOrderBy[i].desc != 0 && !anyOrder)) return std::nullopt;
    columns.push_back(table.column(info.aOrderBy[i].iColumn));
  }
  const auto are = [&](std::initializer_list<EventColumn> wanted) {
    return std::ranges::equal(columns, wanted);
  };
  if (are({EventColumn::Id}) || are({EventColumn::Rank}) || are({EventColumn::Track}) ||
      are({EventColumn::Rank, EventColumn::Capture}) || are({EventColumn::Rank, EventColumn::Track}))
    return kRecorded;
  if (are({EventColumn::Begin})) return kByBegin;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] == EventColumn::Rank)
      keys[i] = EventKey::Rank;
    else if (columns[i] == EventColumn::Name || (columns[i] == EventColumn::NameNumber && anyOrder))
      keys[i] = EventKey::Name;
    else if (columns[i] == EventColumn::Kind)
      keys[i] = EventKey::Kind;
    else if (columns[i] == EventColumn::Step)
      keys[i] = EventKey::Step;
    else
      return std::nullopt;
  }
  // Ranks of several captures are not adjacent by their index after other keys.
  const auto rank = std::ranges::find(keys, EventKey::Rank);
  if (rank != keys.end() && table.source().trace().severalCaptures()) return std::nullopt;
  return keyedArrangement(keys);
}

} // namespace

// Walks slices of rows, or a list of events.
class EventTable::Cursor {
 public:
  explicit Cursor(const EventTable& table) : m_table(table), m_source(table.source()) {}

  void filter(int arrangement, const char* tests, std::span<sqlite3_value* const> values) {
    m_filter = filterOf(m_table.rows());
    for (std::size_t i = 0; i < values.size(); ++i)
      limit(m_filter, m_source, static_cast<EventColumn>(tests[2 * i] - kFirstColumn), tests[2 * i + 1],
            values[i]);
    m_slices.clear();
    m_list.clear();
    m_order.reset();
    m_heap.clear();
    m_longest = LongestFirst();
    m_row = RowIndex();
    m_mode = Mode::List;
    m_at = 0;
    m_end = false;
    if (m_filter.id || m_filter.launch)
      listChosen();
    else
      arrange(arrangement);
  }
  void next() {
    switch (m_mode) {
    case Mode::Slices:
      ++m_event.event.value;
      return findInSlices();
    case Mode::List:
      ++m_at;
      return takeListed();
    case Mode::Order:
      ++m_at;
      return findInOrder();
    case Mode::Begin:
      return advanceByBegin();
    case Mode::Longest:
      return takeLongest();
    }
  }
  [[nodiscard]] bool atEnd() const { return m_end; }
  void column(sqlite3_context* context, int index) const {
    giveEventCell(context, m_source, m_event, m_row, m_table.column(index));
  }
  [[nodiscard]] sqlite3_int64 rowId() const { return EventSource::idOf(m_event); }

 private:
  enum class Mode : std::uint8_t { Slices, List, Order, Begin, Longest };
  struct Next { // of a slice, by begin
    TimeNs begin;
    std::uint32_t slice;
    EventIndex event;
    auto operator<=>(const Next&) const = default;
  };

  void listChosen() {
    const auto add = [&](EventRef event) {
      if (matchesAll(m_source, m_filter, event)) m_list.push_back(event);
    };
    if (m_filter.id) {
      const auto event = m_source.eventOf(*m_filter.id);
      if (event && isLaunchedBy(*event)) add(*event);
    } else if (const auto launch = m_source.eventOf(*m_filter.launch)) {
      for (const EventIndex event : m_source.traceOf(launch->rank).launchedBy(launch->event))
        add({launch->rank, event});
    }
    takeListed();
  }
  [[nodiscard]] bool isLaunchedBy(EventRef event) const {
    if (!m_filter.launch) return true;
    const RankTrace& trace = m_source.traceOf(event.rank);
    if (!trace.isDeviceEvent(event.event)) return false;
    const EventIndex launch = trace.deviceDetail(event.event).launch;
    return launch.valid() && EventSource::idOf({event.rank, launch}) == *m_filter.launch;
  }

  void arrange(int arrangement) {
    m_slices = slicesOf(m_source, m_filter);
    std::uint64_t events = 0;
    for (const EventSlice& slice : m_slices) events += slice.end.value - slice.first.value;
    if (arrangement == kByBegin) return beginByBegin();
    if (arrangement == kLongestFirst) {
      m_mode = Mode::Longest;
      m_longest = LongestFirst(m_source, m_filter, m_slices);
      return takeLongest();
    }
    if (arrangement >= kKeyed) {
      // Sorting a part is cheaper than walking all events in order.
      if (events > m_source.eventCount() / 8) m_order = m_source.ordered(keysOf(arrangement));
      if (m_order != nullptr) {
        m_mode = Mode::Order;
        return findInOrder();
      }
      return sortEvents(keysOf(arrangement), events);
    }
    m_mode = Mode::Slices;
    beginSlice();
    findInSlices();
  }

  void beginSlice() {
    if (m_at >= m_slices.size()) {
      m_end = true;
      return;
    }
    const EventSlice& slice = m_slices[m_at];
    m_event = {slice.rank, slice.first};
    m_row = slice.row;
    const RankTrace& trace = m_source.traceOf(slice.rank);
    m_all = matchesTracks(m_filter, m_source.kindsOf(slice.rank, trace.rows[slice.row.value].track));
  }
  void findInSlices() {
    while (!m_end) {
      const EventSlice& slice = m_slices[m_at];
      if (m_event.event >= slice.end) {
        ++m_at;
        beginSlice();
        continue;
      }
      if (m_all || matches(m_source, m_filter, m_event)) return;
      skipShort(slice);
    }
  }
  // To the next event, or past a block of events that are all too short.
  void skipShort(const EventSlice& slice) {
    constexpr std::uint32_t kBlock = 256;
    const TimeNs shortest = m_filter.duration.min;
    const std::uint32_t end = std::min(slice.end.value, (m_event.event.value / kBlock + 1) * kBlock);
    ++m_event.event.value;
    if (shortest <= 0 || end - m_event.event.value < kBlock / 4) return;
    const RankTrace& trace = m_source.traceOf(slice.rank);
    const auto durations = trace.events.duration.span();
    if (durations[trace.pyramid.longestIn(durations, m_event.event.value, end)] < shortest)
      m_event.event.value = end;
  }

  void takeListed() {
    m_end = m_at >= m_list.size();
    if (!m_end) m_event = m_list[m_at];
  }
  void sortEvents(EventKeys keys, std::uint64_t events) {
    struct Keyed {
      std::array<std::uint32_t, 3> values;
      EventRef event;
    };
    std::vector<Keyed> found;
    found.reserve(events);
    for (const EventSlice& slice : m_slices) {
      for (EventIndex index = slice.first; index < slice.end; ++index.value) {
        const EventRef event{slice.rank, index};
        if (!matches(m_source, m_filter, event)) continue;
        Keyed& keyed = found.emplace_back(Keyed{{}, event});
        for (std::size_t i = 0; i < keys.size(); ++i) keyed.values[i] = m_source.keyOf(keys[i], event);
      }
    }
    std::ranges::stable_sort(found, {}, &Keyed::values);
    m_list.reserve(found.size());
    for (const Keyed& keyed : found) m_list.push_back(keyed.event);
    takeListed();
  }
  void findInOrder() {
    const EventSource::Order& order = *m_order;
    for (; m_at < order.size(); ++m_at) {
      m_event = m_source.numbered(order[m_at], m_event.rank);
      if (matchesAll(m_source, m_filter, m_event)) return;
    }
    m_end = true;
  }

  void beginByBegin() {
    m_mode = Mode::Begin;
    for (std::size_t i = 0; i < m_slices.size(); ++i)
      pushNext(static_cast<std::uint32_t>(i), m_slices[i].first);
    advanceByBegin();
  }
  void pushNext(std::uint32_t slice, EventIndex event) {
    const EventSlice& part = m_slices[slice];
    while (event < part.end && !matches(m_source, m_filter, {part.rank, event})) ++event.value;
    if (!(event < part.end)) return;
    const TimeNs begin = m_source.sinceBegin(part.rank, m_source.traceOf(part.rank).events.begin[event]);
    m_heap.push_back({begin, slice, event});
    std::ranges::push_heap(m_heap, std::greater<>());
  }
  void advanceByBegin() {
    m_end = m_heap.empty();
    if (m_end) return;
    const Next first = m_heap.front();
    std::ranges::pop_heap(m_heap, std::greater<>());
    m_heap.pop_back();
    m_event = {m_slices[first.slice].rank, first.event};
    m_row = m_slices[first.slice].row;
    pushNext(first.slice, EventIndex(std::size_t{first.event.value} + 1));
  }

  void takeLongest() {
    const auto found = m_longest.next();
    m_end = !found;
    if (m_end) return;
    m_event = {m_slices[found->slice].rank, found->event};
    m_row = m_slices[found->slice].row;
  }

  const EventTable& m_table;
  const EventSource& m_source;
  EventFilter m_filter;
  Mode m_mode = Mode::List;
  bool m_end = true;
  bool m_all = false; // all events of the slice match
  EventRef m_event;
  RowIndex m_row; // if known
  std::size_t m_at = 0;
  std::vector<EventSlice> m_slices;
  std::vector<EventRef> m_list;
  std::shared_ptr<const EventSource::Order> m_order;
  std::vector<Next> m_heap;
  LongestFirst m_longest;
};

EventTable::EventTable(const EventSource& source, EventRows rows) : m_source(source), m_rows(rows) {
  const std::span<const EventColumnText> described = eventColumns(rows);
  m_columns.reserve(described.size());
  m_kinds.reserve(described.size());
  for (const EventColumnText& column : described) {
    m_columns.push_back({column.name, column.unit, column.meaning, column.column == EventColumn::Args});
    m_kinds.push_back(column.column);
  }
  markEventColumns(m_columns);
}

int EventTable::addTo(sqlite3* connection, const std::string& schema, const std::string& name) const {
  return VirtualTable<EventTable>::add(connection, schema, name, *this);
}

int EventTable::plan(sqlite3_index_info& info) const {
  std::string tests;
  auto rows = static_cast<double>(m_source.eventCount());
  if (m_rows != EventRows::All) rows /= 4;
  int arguments = 0;
  for (int i = 0; i < info.nConstraint; ++i) {
    const auto& constraint = info.aConstraint[i];
    const char op = conditionOf(constraint.op);
    if (constraint.usable == 0 || constraint.iColumn < 0 || op == 0) continue;
    const EventColumn what = column(constraint.iColumn);
    if (!isUsed(what, op)) continue;
    const bool text = what == EventColumn::Name || what == EventColumn::Kind;
    if (text && op == '=' && std::string_view(sqlite3_vtab_collation(&info, i)) != "BINARY") continue;
    info.aConstraintUsage[i].argvIndex = ++arguments;
    tests += static_cast<char>(kFirstColumn + static_cast<char>(what));
    tests += op;
    sqlite3_value* value = nullptr;
    if (sqlite3_vtab_rhs_value(&info, i, &value) != SQLITE_OK) value = nullptr;
    rows *= shareLeft(m_source, what, op, value);
  }
  info.idxNum = kRecorded;
  if (const auto arrangement = arrangementFor(*this, info)) {
    info.idxNum = *arrangement;
    info.orderByConsumed = 1;
  }
  info.idxStr = sqlite3_mprintf("%s", tests.c_str());
  info.needToFreeIdxStr = 1;
  if (info.idxStr == nullptr) return SQLITE_NOMEM;
  rows = std::max(1.0, rows);
  info.estimatedRows = static_cast<sqlite3_int64>(rows);
  info.estimatedCost = rows * 2 + 10;
  // Columns from the file are read for as few rows as possible.
  for (std::size_t i = 0; i < m_kinds.size(); ++i) {
    const bool fromFile = m_kinds[i] == EventColumn::Args || m_kinds[i] == EventColumn::Shapes ||
                          m_kinds[i] == EventColumn::Sequence;
    if (fromFile && (info.colUsed & (sqlite3_uint64{1} << std::min<std::size_t>(i, 63))) != 0)
      info.estimatedCost *= 1e3;
  }
  return SQLITE_OK;
}

} // namespace rankscope
