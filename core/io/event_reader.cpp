// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/event_reader.h"

#include "core/io/event_intake.h"
#include "core/io/event_parser.h"
#include "core/io/json_text.h"
#include "core/io/json_walk.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace rankscope {

namespace {

// An event that goes on for longer than this although another one seems to begin within it is taken for
// damaged: the search for its end must not run to the end of the file again and again.
constexpr std::ptrdiff_t kLongEvent = std::ptrdiff_t{64} << 10;
// About what an event takes in the densest layout; a guess that saves growing.
constexpr std::size_t kBytesPerEvent = 250;

// Adds what one event became to what its slice already holds.
void append(SliceEvents& to, SliceEvents&& from) {
  const auto firstDevice = static_cast<std::uint32_t>(to.device.size());
  const auto firstMemory = static_cast<std::uint32_t>(to.memory.size());
  for (RawEvent& event : from.events) {
    const auto kind = static_cast<EventKind>(event.kind);
    if (isDeviceActivity(kind)) event.link += firstDevice;
    if (kind == EventKind::Instant && event.link != kNoRecord) event.link += firstMemory;
  }
  const auto move = [](auto& target, auto& source) {
    target.insert(target.end(), std::make_move_iterator(source.begin()),
                  std::make_move_iterator(source.end()));
  };
  move(to.events, from.events);
  move(to.device, from.device);
  move(to.memory, from.memory);
  move(to.collectives, from.collectives);
  move(to.flows, from.flows);
  move(to.halves, from.halves);
  move(to.counters, from.counters);
  move(to.threadFacts, from.threadFacts);
  to.diagnostics.append(from.diagnostics);
  to.objects += from.objects;
  to.leftOut += from.leftOut;
}

} // namespace

struct EventReader::State {
  State(ReaderTables& tables, const EventFilter& filter) : intake(tables, filter) {}

  EventIntake intake;
  CategoryNames categories;
  EventFields fields;
  JsonStructure structure;
  JsonStructure eventStructure; // of single events, so that a slice's own stays valid
  std::string padded;
  SliceEvents recycled; // empty, with memory
  SliceReading* out = nullptr;

  // The events of an array of length bytes, whose first byte lies at textAt. False when anything in it is not
  // as it should be: it may have been read in part.
  bool readArray(JsonStructure& parsed, const char* text, std::size_t length, std::uint64_t textAt);
  bool readSlice(const TextSlice& slice);
  bool readSingle(std::string_view text, std::uint64_t textAt);
  bool tryRead(std::string_view text, std::uint64_t textAt);
  bool readOrMend(std::string_view text, std::uint64_t textAt);
};

EventReader::EventReader(ReaderTables& tables, const EventFilter& filter)
    : m_state(std::make_unique<State>(tables, filter)) {}
EventReader::~EventReader() = default;
EventReader::EventReader(EventReader&&) noexcept = default;

bool EventReader::State::readArray(JsonStructure& parsed, const char* text, std::size_t length,
                                   std::uint64_t textAt) {
  if (!parsed.index(text, length)) return false;
  JsonCursor cursor = parsed.cursor();
  const bool whole = cursor.eachItem([&](JsonCursor& event) {
    const auto at = static_cast<std::uint64_t>(event.place() - text);
    if (!readEventFields(event, categories, fields)) return false;
    intake.take(fields, textAt + at, out->events);
    return true;
  });
  return whole && cursor.atEnd();
}

bool EventReader::State::readSlice(const TextSlice& slice) {
  const auto length = static_cast<std::size_t>(slice.end - slice.begin);
  out->events.events.reserve(length / kBytesPerEvent);
  if (!readArray(structure, slice.begin, length, slice.textAt)) return false;
  if (slice.tailEnd == slice.end) return true;
  return readSingle({slice.end, static_cast<std::size_t>(slice.tailEnd - slice.end)},
                    slice.textAt + static_cast<std::uint64_t>(slice.end - slice.begin));
}

// One event by itself, as an array of one so that what follows it counts as an error.
bool EventReader::State::readSingle(std::string_view text, std::uint64_t textAt) {
  padded.assign(1, '[');
  padded += text;
  padded += ']';
  const std::size_t length = padded.size();
  padded.resize(length + JsonStructure::kPadding, ' ');
  return readArray(eventStructure, padded.data(), length, textAt - 1);
}

// Reads one event or leaves everything as it was.
bool EventReader::State::tryRead(std::string_view text, std::uint64_t textAt) {
  SliceReading before = std::move(*out);
  *out = {};
  const bool read = readSingle(text, textAt);
  SliceReading single = std::exchange(*out, std::move(before));
  if (read) append(out->events, std::move(single.events));
  return read;
}

bool EventReader::State::readOrMend(std::string_view text, std::uint64_t textAt) {
  if (tryRead(text, textAt)) return true;
  if (!tryRead(mendedEvent(text, Mending::Bytes), textAt) &&
      !tryRead(mendedEvent(text, Mending::NameQuotes), textAt))
    return false;
  out->events.diagnostics.add(DiagnosticKind::Repaired, textAt, "damaged text was mended");
  return true;
}

SliceReading EventReader::read(const TextSlice& slice, const EventBoundary& boundary) {
  if (slice.whole) {
    SliceReading reading;
    reading.events = std::exchange(m_state->recycled, {});
    m_state->out = &reading;
    if (m_state->readSlice(slice)) return reading;
  }
  *slice.begin = slice.firstByte;
  if (!slice.last) slice.end[-1] = slice.lastByte;
  const char* from = slice.begin + 1;
  return readCarefully({from, static_cast<std::size_t>(slice.tailEnd - from)}, slice.textAt + 1, slice.textAt,
                       slice.last, boundary);
}

void EventReader::recycle(SliceEvents& events) {
  const auto take = [](auto& to, auto& from) {
    from.clear();
    to = std::exchange(from, {});
  };
  take(m_state->recycled.events, events.events);
  take(m_state->recycled.device, events.device);
  take(m_state->recycled.memory, events.memory);
}

SliceReading EventReader::readCarefully(std::string_view text, std::uint64_t textAt, std::uint64_t openFrom,
                                        bool last, const EventBoundary& boundary) {
  SliceReading reading;
  m_state->out = &reading;
  const char* const begin = text.data();
  const char* end = begin + text.size();
  // The array's own bracket would pass for a part of a last event that does not close.
  if (last && trimmedToken(text).ends_with(']')) end = begin + text.rfind(']');
  const auto position = [&](const char* at) { return textAt + static_cast<std::uint64_t>(at - begin); };
  for (const char* at = begin;;) {
    while (at < end && (isJsonSpace(*at) || *at == ',')) ++at;
    if (at == end || *at == ']') break;
    const char* comma = boundary.find(at, at + 1, end);
    const char* reach = std::min(end, std::max(comma, at + std::min<std::ptrdiff_t>(kLongEvent, end - at)));
    const char* whole = *at == '{' ? skipJsonValue(at, reach) : reach + 1;
    const bool complete = whole <= reach;
    if (complete && m_state->tryRead({at, static_cast<std::size_t>(whole - at)}, position(at))) {
      at = whole;
      continue;
    }
    if (!complete && reach == end && !last && position(at) >= openFrom) {
      reading.unfinishedAt = position(at);
      break;
    }
    const char* stop = comma < end ? comma : complete ? whole : end;
    if (*at != '{' || !m_state->readOrMend({at, static_cast<std::size_t>(stop - at)}, position(at))) {
      ++reading.events.objects;
      reading.events.diagnostics.add(DiagnosticKind::Skipped, position(at),
                                     stop == end && !complete ? "the file ends inside an event"
                                                              : "an event that is not readable");
    }
    at = stop;
  }
  return reading;
}

} // namespace rankscope
