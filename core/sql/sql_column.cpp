// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/sql_column.h"

#include <array>
#include <sqlite3.h>
#include <utility>

namespace rankscope {

namespace {

constexpr std::array<std::pair<Unit, std::string_view>, 8> kTypes{{{Unit::Text, "TEXT"},
                                                                   {Unit::Identity, "INTEGER ID"},
                                                                   {Unit::Count, "INTEGER COUNT"},
                                                                   {Unit::Nanoseconds, "REAL US"},
                                                                   {Unit::Bytes, "INTEGER BYTES"},
                                                                   {Unit::Percent, "REAL PCT"},
                                                                   {Unit::GigabytesPerSecond, "REAL GB_S"},
                                                                   {Unit::Ratio, "REAL RATIO"}}};
constexpr std::string_view kEvent = "INTEGER EVENT";
constexpr std::array<std::string_view, 8> kEventColumns{"id",      "parent_id", "launch_id", "operator_id",
                                                        "host_id", "next_id",   "from_id",   "to_id"};
// Nanoseconds of raw tables are whole numbers in results too.
constexpr std::string_view kNanoseconds = "INTEGER NS";

constexpr std::array<std::pair<std::string_view, Unit>, 5> kSuffixes{{{"_us", Unit::Nanoseconds},
                                                                      {"_ns", Unit::Count},
                                                                      {"_bytes", Unit::Bytes},
                                                                      {"_pct", Unit::Percent},
                                                                      {"_gb_s", Unit::GigabytesPerSecond}}};

constexpr std::array<std::string_view, 12> kIdentities{"id",       "rank",      "capture",   "step",
                                                       "device",   "stream",    "track_id",  "name_id",
                                                       "instance", "parent_id", "launch_id", "operator_id"};

} // namespace

bool inMicroseconds(const SqlColumn& column) {
  return column.unit == Unit::Nanoseconds && !column.name.ends_with("_ns");
}

std::string declaredType(const SqlColumn& column) {
  if (column.unit == Unit::Nanoseconds && !inMicroseconds(column)) return std::string(kNanoseconds);
  if (column.event) return std::string(kEvent);
  for (const auto& [unit, type] : kTypes) {
    if (unit == column.unit) return std::string(type);
  }
  return {};
}

std::string quotedName(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  quoted += '"';
  return quoted;
}

std::string declarationOf(std::span<const SqlColumn> columns, bool leads) {
  std::string text = "CREATE TABLE x(";
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) text += ", ";
    text += quotedName(columns[i].name);
    text += ' ';
    SqlColumn column = columns[i];
    column.event = column.event && leads;
    text += declaredType(column);
    if (column.hidden) text += " HIDDEN";
  }
  text += ')';
  return text;
}

std::optional<Unit> unitOfResult(std::string_view declared, std::string_view name) {
  if (declared == kNanoseconds) return Unit::Count;
  if (declared == kEvent) return Unit::Identity;
  for (const auto& [unit, type] : kTypes) {
    if (type == declared && unit != Unit::Text) return unit;
  }
  for (const auto& [suffix, unit] : kSuffixes) {
    if (name.ends_with(suffix)) return unit;
  }
  for (const std::string_view identity : kIdentities) {
    if (name == identity) return Unit::Identity;
  }
  return std::nullopt;
}

bool holdsEvents(std::string_view declared) {
  return declared == kEvent;
}

void markEventColumns(std::span<SqlColumn> columns) {
  for (SqlColumn& column : columns) {
    for (const std::string_view name : kEventColumns) column.event = column.event || column.name == name;
  }
}

void giveCell(sqlite3_context* context, const Cell& cell, const SqlColumn& column) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
    if (inMicroseconds(column))
      sqlite3_result_double(context, static_cast<double>(*whole) / 1000);
    else
      sqlite3_result_int64(context, *whole);
  } else if (const auto* real = std::get_if<double>(&cell)) {
    sqlite3_result_double(context, *real);
  } else if (const auto* text = std::get_if<std::string_view>(&cell)) {
    sqlite3_result_text64(context, text->data() == nullptr ? "" : text->data(), text->size(), SQLITE_STATIC,
                          SQLITE_UTF8);
  } else {
    sqlite3_result_null(context);
  }
}

} // namespace rankscope
