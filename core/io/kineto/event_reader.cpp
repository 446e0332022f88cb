// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/kineto/event_reader.h"

#include "core/io/json/json_text.h"
#include "core/io/json/json_walk.h"
#include "core/io/kineto/event_intake.h"
#include "core/io/kineto/event_parser.h"
#include "core/model/cut_text.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace rankscope {

namespace {

// An event longer than this is considered damaged if another event seems to begin inside it. Otherwise the
// search for its end could scan the rest of the file again for each event.
constexpr std::ptrdiff_t kLongEvent = std::ptrdiff_t{64} << 10;
// Approximate size of an event in the densest layout; used to reserve memory.
constexpr std::size_t kBytesPerEvent = 250;

// Appends the events of a single-event read to the slice.
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
  move(to.syncs, from.syncs);
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
  JsonStructure eventStructure; // for single events, so that the slice's structure stays valid
  std::string padded;
  bool onlyOne = false; // whether a second event in an array is an error, because its position would be wrong
  SliceEvents recycled; // empty, but keeps its memory
  SliceReading* out = nullptr;

  // Reads an array of `length` bytes at textAt. False if anything in it is invalid; part of it may have been
  // read.
  bool readArray(JsonStructure& parsed, const char* text, std::size_t length, std::uint64_t textAt);
  bool readSlice(const TextSlice& slice);
  bool readSingle(std::string_view text, std::uint64_t textAt);
  bool tryRead(std::string_view text, std::uint64_t textAt);
  bool readOrRepair(std::string_view text, std::uint64_t textAt);
  const char* readUpTo(const char* at, const char* stop, const char* whole, std::uint64_t textAt);
  void skip(std::uint64_t textAt, std::string_view what);
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
    if (onlyOne && at > 1) return false;
    if (!readEventFields(event, categories, fields)) return false;
    intake.take(fields, SourceRef(textAt + at), out->events);
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

// Reads one event as an array of one, so that text after it is an error.
bool EventReader::State::readSingle(std::string_view text, std::uint64_t textAt) {
  padded.assign(1, '[');
  padded += text;
  padded += ']';
  const std::size_t length = padded.size();
  padded.resize(length + JsonStructure::kPadding, ' ');
  return readArray(eventStructure, padded.data(), length, textAt - 1);
}

// Reads one event; changes nothing if that fails.
bool EventReader::State::tryRead(std::string_view text, std::uint64_t textAt) {
  SliceReading before = std::move(*out);
  *out = {};
  const bool read = readSingle(text, textAt);
  SliceReading single = std::exchange(*out, std::move(before));
  if (read) append(out->events, std::move(single.events));
  return read;
}

bool EventReader::State::readOrRepair(std::string_view text, std::uint64_t textAt) {
  if (tryRead(text, textAt)) return true;
  onlyOne = true;
  const bool repaired = tryRead(repairedEvent(text, Repair::Bytes), textAt) ||
                        tryRead(repairedEvent(text, Repair::NameQuotes), textAt);
  onlyOne = false;
  if (!repaired) return false;
  out->events.diagnostics.add(DiagnosticKind::Repaired, SourceRef(textAt), "damaged text was repaired");
  return true;
}

// Reads the event at `at` up to `stop`, else up to `whole`; returns the end used, or null.
const char* EventReader::State::readUpTo(const char* at, const char* stop, const char* whole,
                                         std::uint64_t textAt) {
  const auto readable = [&](const char* to) {
    return *at == '{' && readOrRepair({at, static_cast<std::size_t>(to - at)}, textAt);
  };
  if (readable(stop)) return stop;
  return whole < stop && readable(whole) ? whole : nullptr;
}

void EventReader::State::skip(std::uint64_t textAt, std::string_view what) {
  ++out->events.objects;
  out->events.diagnostics.add(DiagnosticKind::Skipped, SourceRef(textAt), std::string(what));
}

SliceReading EventReader::read(const TextSlice& slice, const EventBoundary& boundary) {
  SliceReading reading;
  bool read = false;
  if (slice.whole) {
    reading.events = std::exchange(m_state->recycled, {});
    m_state->out = &reading;
    read = m_state->readSlice(slice);
  }
  // Restore the original bytes, because the text may be read again.
  *slice.begin = slice.firstByte;
  if (!slice.last) slice.end[-1] = slice.lastByte;
  if (read) return reading;
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

namespace {

// Limits the searches for missing ends; beyond it, events end where the next one seems to begin.
constexpr std::ptrdiff_t kMaxLookups = 16;

// Moves behind spaces and commas, and gives the number of commas.
std::size_t skipSeparators(const char*& at, const char* end) {
  std::size_t commas = 0;
  while (at < end && (isJsonSpace(*at) || *at == ',')) commas += *at++ == ',';
  return commas;
}

} // namespace

SliceReading EventReader::readCarefully(std::string_view text, std::uint64_t textAt, std::uint64_t openFrom,
                                        bool last, const EventBoundary& boundary) {
  SliceReading reading;
  m_state->out = &reading;
  const char* const begin = text.data();
  const char* end = begin + text.size();
  // Exclude the array's bracket; it would look like part of an incomplete last event.
  bool closed = last && trimmedToken(text).ends_with(']');
  if (closed) end = begin + text.rfind(']');
  const auto position = [&](const char* at) { return textAt + static_cast<std::uint64_t>(at - begin); };
  const auto repaired = [&](const char* at, std::string_view what) {
    reading.events.diagnostics.add(DiagnosticKind::Repaired, SourceRef(position(at)), std::string(what));
  };
  const char* comma = begin;
  bool cutOff = false;
  bool afterEvent = false; // the last event was complete
  std::ptrdiff_t looks = kMaxLookups * (end - begin) + kMaxLookups * kLongEvent;
  for (const char* at = begin;;) {
    const bool first = at == begin;
    const char* const space = at;
    const std::size_t commas = skipSeparators(at, end);
    if (commas > (first || at == end ? 0U : 1U)) repaired(space, "an extra comma between events");
    if (at == end) break;
    // If the boundary found earlier is still ahead, it is also the first one after this position.
    if (comma <= at) comma = boundary.find(at, at + 1, end);
    if (*at == ']' || *at == '}') {
      if (*at == ']' && last && comma == end) {
        closed = true;
        break;
      }
      repaired(at++, "an unmatched closing bracket");
      continue;
    }
    if (commas == 0 && afterEvent && *at == '{') repaired(at, "a comma is missing between events");
    const char* reach = std::max(comma, at + std::min(looks > 0 ? kLongEvent : 0, end - at));
    const char* whole = *at == '{' ? skipJsonValue(at, reach) : reach + 1;
    const bool complete = whole <= reach;
    if (!complete) looks -= reach - at;
    if (complete && m_state->tryRead({at, static_cast<std::size_t>(whole - at)}, position(at))) {
      at = whole;
      afterEvent = true;
      continue;
    }
    if (!complete && reach == end && !last && position(at) >= openFrom) {
      reading.unfinishedAt = position(at);
      return reading;
    }
    const char* const stop = boundary.findBrace(at, at + 1, comma < end ? comma : complete ? whole : end);
    const char* const readTo = m_state->readUpTo(at, stop, complete ? whole : stop, position(at));
    if (readTo == nullptr) {
      cutOff = stop == end && !complete;
      m_state->skip(position(at), cutOff ? kEndsInsideAnEvent : std::string_view("an unreadable event"));
    }
    at = readTo != nullptr ? readTo : stop;
    afterEvent = false;
  }
  if (last && !closed && !cutOff) repaired(end, kEndOfArrayIsMissing);
  return reading;
}

} // namespace rankscope
