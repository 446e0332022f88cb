// SPDX-License-Identifier: GPL-3.0-or-later
// Where rows of a query's result are in the job: the event whose id a row has, or its range of time. Pure.
#pragma once

#include "core/model/clock_times.h"
#include "core/model/trace_set.h"
#include "core/sql/sql_database.h"
#include "core/sql/sql_query.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::ui {

// Columns that tell where rows are. Without any, rows lead nowhere.
struct RowPlaces {
  std::optional<std::size_t> event; // an id
  std::optional<std::size_t> begin;
  std::optional<std::size_t> end;
  std::optional<std::size_t> duration;
  std::optional<std::size_t> rank;

  [[nodiscard]] bool lead() const { return event.has_value() || begin.has_value(); }
};

// readsOther: times and ranks may be of another job, so only ids of events lead.
[[nodiscard]] RowPlaces rowPlaces(const ResultTable& table, const std::vector<std::size_t>& eventColumns,
                                  bool readsOther = false);

[[nodiscard]] std::optional<EventRef> eventOfRow(const SqlDatabase& database, const ResultTable& table,
                                                 const RowPlaces& places, std::size_t row);
// On the job's clock: of the event, else of the row's begin and end.
[[nodiscard]] std::optional<JobRange> rangeOfRow(const SqlDatabase& database, const ResultTable& table,
                                                 const RowPlaces& places, std::size_t row);
// The rank that a row is about; invalid if it does not say.
[[nodiscard]] RankIndex rankOfRow(const SqlDatabase& database, const ResultTable& table,
                                  const RowPlaces& places, std::size_t row);
// A name for a region: the first text of the row, else its number.
[[nodiscard]] std::string nameOfRow(const ResultTable& table, std::size_t row);

} // namespace rankscope::ui
