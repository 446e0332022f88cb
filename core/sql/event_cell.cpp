// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/event_cell.h"

#include "core/export/json.h"
#include "core/sql/event_filter.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sqlite3.h>
#include <string>
#include <string_view>

namespace rankscope {

namespace {

void give(sqlite3_context* context, std::int64_t value) {
  sqlite3_result_int64(context, value);
}

void give(sqlite3_context* context, const std::optional<std::int64_t>& value) {
  if (value)
    sqlite3_result_int64(context, *value);
  else
    sqlite3_result_null(context);
}

// A text of the trace, which outlives the connection.
void giveText(sqlite3_context* context, std::string_view text) {
  sqlite3_result_text64(context, text.data() == nullptr ? "" : text.data(), text.size(), SQLITE_STATIC,
                        SQLITE_UTF8);
}

void giveTextOrNull(sqlite3_context* context, std::string_view text) {
  if (text.empty())
    sqlite3_result_null(context);
  else
    giveText(context, text);
}

void giveCopy(sqlite3_context* context, const std::string& text) {
  if (text.empty())
    sqlite3_result_null(context);
  else
    sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void giveEvent(sqlite3_context* context, RankIndex rank, EventIndex event) {
  if (event.valid())
    give(context, EventSource::idOf({rank, event}));
  else
    sqlite3_result_null(context);
}

void giveMeasure(sqlite3_context* context, float value) {
  if (value < 0)
    sqlite3_result_null(context);
  else
    sqlite3_result_double(context, static_cast<double>(value));
}

std::vector<EventField> fieldsOf(const EventSource& source, EventRef event) {
  const auto fields =
      source.trace().rank(event.rank).details->fields(source.traceOf(event.rank).events.source[event.event]);
  return fields ? *fields : std::vector<EventField>();
}

std::string argumentsJson(const EventSource& source, EventRef event) {
  std::string json = "{";
  for (const EventField& field : fieldsOf(source, event)) {
    if (json.size() > 1) json += ", ";
    json += jsonString(field.key);
    json += ": ";
    json += jsonString(field.value);
  }
  json += '}';
  return json;
}

std::string argument(const EventSource& source, EventRef event, std::string_view key) {
  for (const EventField& field : fieldsOf(source, event)) {
    if (field.key == key) return field.value;
  }
  return {};
}

std::optional<std::int64_t> sequenceOf(const EventSource& source, EventRef event) {
  const std::string text = argument(source, event, "Sequence number");
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc()) return std::nullopt;
  return number;
}

EventIndex launchOf(const RankTrace& trace, EventIndex event) {
  return trace.isDeviceEvent(event) ? trace.deviceDetail(event).launch : EventIndex();
}

std::optional<std::int64_t> launchDelay(const RankTrace& trace, EventIndex event) {
  const EventIndex launch = launchOf(trace, event);
  if (!launch.valid()) return std::nullopt;
  return std::max<TimeNs>(0, stoppingSum(trace.events.begin[event], -trace.events.range(launch).end));
}

EventIndex operatorOf(const EventSource& source, EventRef event) {
  const RankTrace& trace = source.traceOf(event.rank);
  if (!trace.isDeviceEvent(event.event)) return {};
  return source.analysis().operatorTree(event.rank).workOf(trace, event.event);
}

std::optional<std::int64_t> exposedTime(const EventSource& source, EventRef event) {
  const RankTrace& trace = source.traceOf(event.rank);
  if (trace.events.kind[event.event] != EventKind::Collective) return std::nullopt;
  return source.analysis().wholeActivity(event.rank).exposed.coveredWithin(trace.events.range(event.event));
}

void giveDeviceCell(sqlite3_context* context, const EventSource& source, EventRef event, EventColumn column) {
  const RankTrace& trace = source.traceOf(event.rank);
  if (!trace.isDeviceEvent(event.event)) return sqlite3_result_null(context);
  const DeviceDetail& detail = trace.deviceDetail(event.event);
  switch (column) {
  case EventColumn::BlocksPerSm:
    return giveMeasure(context, detail.blocksPerSm);
  case EventColumn::Occupancy:
    return giveMeasure(context, detail.occupancyPct);
  case EventColumn::Bytes:
    return detail.bytes < 0 ? sqlite3_result_null(context) : give(context, detail.bytes);
  case EventColumn::IsCommunication:
    return give(context, std::int64_t{trace.events.kind[event.event] == EventKind::Collective ? 1 : 0});
  case EventColumn::LaunchDelay:
    return give(context, launchDelay(trace, event.event));
  case EventColumn::Exposed:
    return give(context, exposedTime(source, event));
  case EventColumn::Operator:
    return giveEvent(context, event.rank, operatorOf(source, event));
  default:
    sqlite3_result_null(context);
  }
}

// What is found by walking the calls around an event, or by reading its file.
void giveFound(sqlite3_context* context, const EventSource& source, EventRef event, EventColumn column) {
  const EventFacts& facts = source.facts(event.rank);
  switch (column) {
  case EventColumn::Self:
    return give(context, facts.selfTime(event.event));
  case EventColumn::OperatorSelf:
    return give(context, facts.operatorSelfTime(event.event));
  case EventColumn::DeviceTotal:
    return give(context, facts.deviceTotalTime(event.event));
  case EventColumn::DeviceSelf:
    return give(context, facts.deviceSelfTime(event.event));
  case EventColumn::Step:
    return give(context, facts.stepOf(event.event));
  case EventColumn::Phase:
    return giveTextOrNull(context, facts.phaseOf(event.event));
  case EventColumn::Module:
    return giveTextOrNull(context, facts.moduleOf(event.event));
  case EventColumn::Layer:
    return giveTextOrNull(context, facts.layerOf(event.event));
  case EventColumn::Source:
    return giveTextOrNull(context, facts.sourceOf(event.event));
  case EventColumn::Args:
    return giveCopy(context, argumentsJson(source, event));
  case EventColumn::Shapes:
    return giveCopy(context, argument(source, event, "Input Dims"));
  case EventColumn::Sequence:
    return give(context, sequenceOf(source, event));
  default:
    giveDeviceCell(context, source, event, column);
  }
}

} // namespace

void giveEventCell(sqlite3_context* context, const EventSource& source, EventRef event, RowIndex row,
                   EventColumn column) {
  const RankTrace& trace = source.traceOf(event.rank);
  const EventColumns& events = trace.events;
  const EventIndex at = event.event;
  const auto rowOf = [&] { return row.valid() ? row : trace.rowOf(at); };
  switch (column) {
  case EventColumn::Id:
    return give(context, EventSource::idOf(event));
  case EventColumn::Rank:
    return give(context, std::int64_t{source.trace().rank(event.rank).rank});
  case EventColumn::Capture:
    return give(context, std::int64_t{source.trace().rank(event.rank).capture});
  case EventColumn::Track:
    return give(context, source.trackId(event.rank, trace.rows[rowOf().value].track));
  case EventColumn::Depth: {
    const RowIndex own = rowOf();
    return give(context,
                std::int64_t{own.value} - trace.tracks[trace.rows[own.value].track.value].firstRow.value);
  }
  case EventColumn::Begin:
    return give(context, source.sinceBegin(event.rank, events.begin[at]));
  case EventColumn::End:
    return give(context, source.sinceBegin(event.rank, events.range(at).end));
  case EventColumn::Duration:
    return give(context, events.duration[at]);
  case EventColumn::NameNumber:
    return events.name[at].valid() ? give(context, std::int64_t{events.name[at].value})
                                   : sqlite3_result_null(context);
  case EventColumn::Name:
    return giveText(context, source.trace().names()[events.name[at]]);
  case EventColumn::Kind:
    return giveText(context, kindText(events.kind[at]));
  case EventColumn::Parent:
    return giveEvent(context, event.rank, trace.parentOf(at));
  case EventColumn::Launch:
    return giveEvent(context, event.rank, launchOf(trace, at));
  case EventColumn::Link:
    return events.link[at] == 0 ? sqlite3_result_null(context) : give(context, std::int64_t{events.link[at]});
  case EventColumn::Device:
    return give(context, deviceOf(trace, at));
  case EventColumn::Stream:
    return give(context, streamOf(trace, at));
  default:
    giveFound(context, source, event, column);
  }
}

} // namespace rankscope
