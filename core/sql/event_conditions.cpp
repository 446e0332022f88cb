// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/event_conditions.h"

#include "core/base/text_pattern.h"
#include "core/base/whole_number.h"
#include "core/sql/sql_text_functions.h"
#include "core/sql/virtual_table.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

namespace rankscope {

namespace {

bool isComparison(char op) {
  return op == '=' || op == '<' || op == 'l' || op == '>' || op == 'g';
}

// The values that a number may have, which SQLite may give as an integer or a real. False if it is neither.
bool limitBounds(EventFilter::Bounds& bounds, char op, sqlite3_value* value) {
  std::int64_t low = 0;
  std::int64_t high = 0;
  if (const auto whole = wholeValue(value)) {
    low = high = *whole;
  } else if (sqlite3_value_type(value) == SQLITE_FLOAT) {
    low = rounded(std::floor(sqlite3_value_double(value)));
    high = rounded(std::ceil(sqlite3_value_double(value)));
  } else {
    return false;
  }
  if (op != '<' && op != 'l') bounds.min = std::max(bounds.min, low);
  if (op != '>' && op != 'g') bounds.max = std::min(bounds.max, high);
  return true;
}

void limitName(EventFilter& filter, const EventSource& source, char op, sqlite3_value* value) {
  if (sqlite3_value_type(value) != SQLITE_TEXT) return;
  const std::string text(textValue(value));
  const StringTable& names = source.trace().names();
  TextWork work(nullptr);
  if (op == '=') {
    // An event without a name has an empty text.
    if (!text.empty()) filter.takeName(source.nameOf(text));
  } else if (op == 'L') {
    filter.takeNames(names, [&](std::string_view name) { return isLike(name, text, 0, work); });
  } else if (op == 'G') {
    filter.takeNames(names, [&](std::string_view name) { return isGlob(name, text, work); });
  } else if (const auto pattern = TextPattern::parse(text)) {
    filter.takeNames(names, [&](std::string_view name) { return pattern->foundIn(name); });
  }
}

void limitKind(EventFilter& filter, sqlite3_value* value) {
  if (sqlite3_value_type(value) != SQLITE_TEXT) return;
  std::uint32_t kinds = 0;
  for (int kind = 0; kind < kEventKindCount; ++kind) {
    if (kindText(static_cast<EventKind>(kind)) == textValue(value))
      kinds |= 1U << static_cast<unsigned>(kind);
  }
  filter.kinds &= kinds;
}

void limitNumber(EventFilter& filter, const EventSource& source, EventColumn column, std::int64_t value) {
  switch (column) {
  case EventColumn::Id:
    return filter.take(filter.id, value);
  case EventColumn::Rank:
    return filter.take(filter.rank, value);
  case EventColumn::Capture:
    return filter.take(filter.capture, value);
  case EventColumn::Track:
    return filter.take(filter.track, value);
  case EventColumn::Device:
    return filter.take(filter.device, value);
  case EventColumn::Stream:
    return filter.take(filter.stream, value);
  case EventColumn::Launch:
    return filter.take(filter.launch, value);
  case EventColumn::NameNumber: {
    const bool known = value >= 0 && static_cast<std::uint64_t>(value) < source.trace().names().size();
    return filter.takeName(known ? std::optional(NameId(static_cast<std::size_t>(value))) : std::nullopt);
  }
  default:
    return;
  }
}

constexpr std::uint32_t kDeviceKinds = 0b1111; // Kernel, Collective, Copy and Set

} // namespace

char conditionOf(unsigned char op) {
  switch (op) {
  case SQLITE_INDEX_CONSTRAINT_EQ:
    return '=';
  case SQLITE_INDEX_CONSTRAINT_LT:
    return '<';
  case SQLITE_INDEX_CONSTRAINT_LE:
    return 'l';
  case SQLITE_INDEX_CONSTRAINT_GT:
    return '>';
  case SQLITE_INDEX_CONSTRAINT_GE:
    return 'g';
  case SQLITE_INDEX_CONSTRAINT_LIKE:
    return 'L';
  case SQLITE_INDEX_CONSTRAINT_GLOB:
    return 'G';
  case SQLITE_INDEX_CONSTRAINT_REGEXP:
    return 'R';
  default:
    return 0;
  }
}

bool isUsed(EventColumn column, char op) {
  switch (column) {
  case EventColumn::Begin:
  case EventColumn::End:
  case EventColumn::Duration:
    return isComparison(op);
  case EventColumn::Name:
    return op == '=' || op == 'L' || op == 'G' || op == 'R';
  case EventColumn::Id:
  case EventColumn::Rank:
  case EventColumn::Capture:
  case EventColumn::Track:
  case EventColumn::Kind:
  case EventColumn::NameNumber:
  case EventColumn::Device:
  case EventColumn::Stream:
  case EventColumn::Launch:
    return op == '=';
  default:
    return false;
  }
}

double shareLeft(const EventSource& source, EventColumn column, char op, sqlite3_value* value) {
  const auto one = 1 / std::max(1.0, static_cast<double>(source.eventCount()));
  switch (column) {
  case EventColumn::Id:
    return one;
  case EventColumn::Launch:
    return 2 * one;
  case EventColumn::Rank:
    return 1 / std::max<double>(1, static_cast<double>(source.trace().ranks().size()));
  case EventColumn::Capture:
    return 0.9;
  case EventColumn::Track:
    return 0.05;
  case EventColumn::Kind:
  case EventColumn::Device:
  case EventColumn::Stream:
    return 0.2;
  case EventColumn::Name:
  case EventColumn::NameNumber:
    return op == '=' ? 0.01 : 0.1;
  case EventColumn::Duration:
    return op == '<' || op == 'l' ? 0.9 : 0.05;
  case EventColumn::Begin:
  case EventColumn::End: {
    if (op == '=') return one;
    const auto length = static_cast<double>(std::max<TimeNs>(1, source.analysis().extent().length()));
    if (value == nullptr || sqlite3_value_numeric_type(value) == SQLITE_TEXT) return 0.1;
    const double before = std::clamp(sqlite3_value_double(value) / length, 0.0, 1.0);
    return std::max(one, op == '<' || op == 'l' ? before : 1 - before);
  }
  default:
    return 1;
  }
}

EventFilter filterOf(EventRows rows) {
  EventFilter filter;
  if (rows == EventRows::Device) filter.kinds = kDeviceKinds;
  if (rows == EventRows::Operators) {
    filter.onlyOperators = true;
    filter.kinds = (1U << static_cast<unsigned>(EventKind::CpuOp)) |
                   (1U << static_cast<unsigned>(EventKind::HostCollective));
  }
  return filter;
}

void limit(EventFilter& filter, const EventSource& source, EventColumn column, char op,
           sqlite3_value* value) {
  if (sqlite3_value_type(value) == SQLITE_NULL) {
    filter.nothing = true; // no comparison with NULL is true
    return;
  }
  switch (column) {
  case EventColumn::Begin:
    limitBounds(filter.begin, op, value);
    return;
  case EventColumn::End:
    limitBounds(filter.end, op, value);
    return;
  case EventColumn::Duration:
    limitBounds(filter.duration, op, value);
    return;
  case EventColumn::Name:
    return limitName(filter, source, op, value);
  case EventColumn::Kind:
    return limitKind(filter, value);
  default:
    if (const auto whole = wholeValue(value)) limitNumber(filter, source, column, *whole);
  }
}

} // namespace rankscope
