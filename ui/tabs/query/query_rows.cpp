// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/query/query_rows.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace rankscope::ui {

namespace {

std::optional<std::size_t> firstOf(const ResultTable& table, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto column = table.columnNamed(name);
    if (column && isWhole(table.columns()[*column].unit)) return column;
  }
  return std::nullopt;
}

std::optional<std::int64_t> numberAt(const ResultTable& table, std::size_t row,
                                     std::optional<std::size_t> column) {
  if (!column) return std::nullopt;
  const Cell cell = table.at(row, *column);
  const auto* const number = std::get_if<std::int64_t>(&cell);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

} // namespace

RowPlaces rowPlaces(const ResultTable& table, const std::vector<std::size_t>& eventColumns, bool readsOther) {
  RowPlaces places;
  for (const std::size_t column : eventColumns) {
    // The event itself rather than its launch or parent.
    if (!places.event || table.columns()[column].name == "id") places.event = column;
  }
  if (readsOther) return places;
  places.begin = firstOf(table, {"begin_ns", "begin_us", "first_begin_us", "time_ns"});
  places.end = firstOf(table, {"end_ns", "end_us"});
  places.duration = firstOf(table, {"duration_ns", "duration_us"});
  places.rank = firstOf(table, {"rank"});
  return places;
}

std::optional<EventRef> eventOfRow(const SqlDatabase& database, const ResultTable& table,
                                   const RowPlaces& places, std::size_t row) {
  const auto id = numberAt(table, row, places.event);
  return id ? database.events().eventOf(*id) : std::nullopt;
}

std::optional<JobRange> rangeOfRow(const SqlDatabase& database, const ResultTable& table,
                                   const RowPlaces& places, std::size_t row) {
  const Analysis& analysis = database.events().analysis();
  const auto begin = numberAt(table, row, places.begin);
  if (begin) {
    const JobTime from = analysis.extent().begin.movedBy(*begin);
    if (const auto end = numberAt(table, row, places.end); end && *end >= *begin)
      return JobRange{from, analysis.extent().begin.movedBy(*end)};
    if (const auto duration = numberAt(table, row, places.duration); duration && *duration >= 0)
      return JobRange{from, from.movedBy(*duration)};
  }
  const auto event = eventOfRow(database, table, places, row);
  if (!event)
    return begin ? std::optional(JobRange{analysis.extent().begin.movedBy(*begin),
                                          analysis.extent().begin.movedBy(*begin)})
                 : std::nullopt;
  const TimeRange own = database.events().traceOf(event->rank).events.range(event->event);
  return analysis.clocks().of(event->rank).toJob(RankRange::of(own));
}

RankIndex rankOfRow(const SqlDatabase& database, const ResultTable& table, const RowPlaces& places,
                    std::size_t row) {
  if (const auto event = eventOfRow(database, table, places, row)) return event->rank;
  const auto rank = numberAt(table, row, places.rank);
  if (!rank) return {};
  for (const RankIndex index : database.events().analysis().ranks()) {
    if (database.events().trace().rank(index).rank == *rank) return index;
  }
  return {};
}

std::string nameOfRow(const ResultTable& table, std::size_t row) {
  for (std::size_t column = 0; column < table.columns().size(); ++column) {
    if (table.columns()[column].unit == Unit::Text && !table.isEmpty(row, column))
      return exactText(table, row, column);
  }
  return "Row " + std::to_string(row + 1);
}

} // namespace rankscope::ui
