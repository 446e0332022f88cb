// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/event_reader.h"

#include "core/io/json_text.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <utility>

namespace rankscope {

namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::size_t kTrackCacheSlots = 64;
// An event that goes on for longer than this although another one seems to begin within it is taken for
// damaged: the search for its end must not run to the end of the file again and again.
constexpr std::ptrdiff_t kLongEvent = std::ptrdiff_t{64} << 10;

// The members of an event that do not depend on what it is, as raw tokens without quotes.
struct Fields {
  char phase = '\0';
  std::optional<EventCategory> category;
  std::string_view name;
  std::string_view process;
  std::string_view thread;
  std::string_view time;
  std::string_view duration;
  std::string_view id;
  bool hasArguments = false;
};

// The arguments that become columns, whatever event they came from.
struct Arguments {
  RawDevice device;
  RawMemory memory;
  RawCollective collective;
  std::string_view text; // of a metadata event
  bool hasCollective = false;
  bool hasBytes = false;
};

TrackKind trackKindOf(EventKind kind) {
  switch (kind) {
  case EventKind::Kernel:
  case EventKind::Collective:
  case EventKind::Copy:
  case EventKind::Set:
    return TrackKind::Stream;
  case EventKind::Annotation:
    return TrackKind::Annotations;
  case EventKind::GpuAnnotation:
    return TrackKind::GpuAnnotations;
  case EventKind::Python:
    return TrackKind::Python;
  case EventKind::Sync:
    return TrackKind::Sync;
  case EventKind::Overhead:
    return TrackKind::Overhead;
  case EventKind::Instant:
    return TrackKind::Instants;
  case EventKind::Span:
    return TrackKind::Other;
  default:
    return TrackKind::Thread;
  }
}

std::string_view rawToken(ondemand::value& value) {
  return trimmedToken(value.raw_json_token());
}

bool atEnd(ondemand::document& document) {
  return document.current_location().error() == simdjson::OUT_OF_BOUNDS;
}

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
}

bool keyIs(const char* raw, std::string_view key) {
  return std::memcmp(raw, key.data(), key.size()) == 0 && raw[key.size()] == '"';
}

} // namespace

struct EventReader::State {
  explicit State(ReaderTables& t) : tables(t) {}

  ReaderTables& tables;
  ondemand::parser parser;
  ondemand::parser eventParser; // of single events, so that a slice's document stays valid
  std::string padded;
  SliceReading* out = nullptr;

  struct CachedTrack {
    std::string process;
    std::string thread;
    TrackKind kind = TrackKind::Other;
    std::uint32_t track = kNoRecord;
  };
  std::array<CachedTrack, kTrackCacheSlots> trackCache;
  std::vector<std::pair<std::string, EventCategory>> categories;
  std::array<std::vector<std::optional<EventKind>>, 3> kindsByName;

  void note(DiagnosticKind kind, std::uint64_t at, std::string text) {
    out->events.diagnostics.add(kind, at, std::move(text));
  }

  // The spellings of a file are few, and neighbours share theirs.
  EventCategory category(std::string_view text) {
    for (const auto& [known, meaning] : categories) {
      if (known == text) return meaning;
    }
    const EventCategory meaning = categoryFromText(text);
    if (categories.size() < kTrackCacheSlots) categories.emplace_back(text, meaning);
    return meaning;
  }

  // kindOf, remembered per name: the searches in it are for names, not for events.
  EventKind knownKind(EventCategory category, std::uint32_t name, bool hasCollective) {
    const std::size_t slot = category == EventCategory::Kernel           ? 0
                             : category == EventCategory::CpuOp          ? 1
                             : category == EventCategory::UserAnnotation ? 2
                                                                         : kindsByName.size();
    if (slot == kindsByName.size() || hasCollective)
      return kindOf(category, tables.names[NameId(name)], hasCollective);
    std::vector<std::optional<EventKind>>& kinds = kindsByName[slot];
    if (name >= kinds.size()) kinds.resize(std::max<std::size_t>(name + 1, kinds.size() * 2));
    if (!kinds[name]) kinds[name] = kindOf(category, tables.names[NameId(name)], false);
    return *kinds[name];
  }

  std::uint32_t intern(std::string_view token, std::uint64_t at) {
    std::string plain;
    if (!token.empty() && std::memchr(token.data(), '\\', token.size()) != nullptr) {
      plain = unescaped(token);
      token = plain;
    }
    const std::uint32_t id = tables.names.intern(token).value;
    if (id == tables.nameFirstAt.size()) tables.nameFirstAt.push_back(at);
    tables.nameFirstAt[id] = std::min(tables.nameFirstAt[id], at);
    return id;
  }

  std::uint32_t track(std::string_view process, std::string_view thread, TrackKind kind, int device = -1) {
    const auto tail = [](std::string_view text) {
      return text.empty() ? 0u : static_cast<unsigned char>(text.back());
    };
    CachedTrack& cached =
        trackCache[(tail(process) * 5u + tail(thread) * 3u + static_cast<unsigned>(kind)) % kTrackCacheSlots];
    if (cached.track == kNoRecord || cached.kind != kind || cached.thread != thread ||
        cached.process != process) {
      cached = {std::string(process), std::string(thread), kind, lookUpTrack(process, thread, kind)};
    }
    int& known = tables.tracks[cached.track].device;
    known = std::max(known, device);
    return cached.track;
  }

  std::uint32_t lookUpTrack(std::string_view process, std::string_view thread, TrackKind kind) {
    std::string key(process);
    key += '\n';
    key += thread;
    key += static_cast<char>('a' + static_cast<int>(kind));
    const auto [found, isNew] =
        tables.trackByKey.try_emplace(key, static_cast<std::uint32_t>(tables.tracks.size()));
    if (isNew) tables.tracks.push_back({std::string(process), std::string(thread), kind, -1});
    return found->second;
  }

  simdjson::error_code readFields(ondemand::object& object, Fields& fields, Arguments& arguments,
                                  std::uint64_t textAt);
  simdjson::error_code readArguments(ondemand::object& arguments, const Fields& fields, Arguments& to,
                                     std::uint64_t textAt);
  simdjson::error_code readAllArguments(ondemand::object& arguments, Arguments& to, std::uint64_t textAt);
  simdjson::error_code readHostArguments(ondemand::object& arguments, Arguments& to);
  simdjson::error_code readMetadataArguments(ondemand::object& arguments, Arguments& to);
  simdjson::error_code readCounter(ondemand::object& arguments, const Fields& fields, std::uint64_t textAt);
  void takeCollectiveArgument(const char* key, std::string_view token, RawCollective& to,
                              std::uint64_t textAt);
  simdjson::error_code readEvent(ondemand::value value, std::uint64_t textAt);
  void takeEvent(const Fields& fields, const Arguments& arguments, std::uint64_t textAt);
  void takeDuration(const Fields& fields, const Arguments& arguments, std::uint64_t textAt);
  void takeHalf(const Fields& fields, const Arguments& arguments, std::uint64_t textAt);
  void takeInstant(const Fields& fields, const Arguments& arguments, std::uint64_t textAt);
  void takeFlow(const Fields& fields, std::uint64_t textAt);
  void takeMetadata(const Fields& fields, const Arguments& arguments);
  std::optional<RawEvent> rawEvent(const Fields& fields, const Arguments& arguments, std::uint64_t textAt);

  simdjson::error_code readSlice(const TextSlice& slice);
  simdjson::error_code readSingle(std::string_view text, std::uint64_t textAt);
  bool tryRead(std::string_view text, std::uint64_t textAt);
  bool readOrMend(std::string_view text, std::uint64_t textAt);
};

EventReader::EventReader(ReaderTables& tables) : m_state(std::make_unique<State>(tables)) {}
EventReader::~EventReader() = default;
EventReader::EventReader(EventReader&&) noexcept = default;

// --- arguments ---

void EventReader::State::takeCollectiveArgument(const char* key, std::string_view token, RawCollective& to,
                                                std::uint64_t textAt) {
  const auto name = [&] { return intern(insideQuotes(token), textAt); };
  const auto number = [&] { return signedFromToken(token).value_or(-1); };
  if (keyIs(key, "Collective name"))
    to.operation = name();
  else if (keyIs(key, "dtype"))
    to.dtype = name();
  else if (keyIs(key, "In msg nelems") || keyIs(key, "In msg size"))
    to.inElements = number();
  else if (keyIs(key, "Out msg nelems") || keyIs(key, "Out msg size"))
    to.outElements = number();
  else if (keyIs(key, "Group size"))
    to.groupSize = number();
  else if (keyIs(key, "Process Group Name") || keyIs(key, "Process Group ID"))
    to.groupName = name();
  else if (keyIs(key, "Process Group Description"))
    to.groupDescription = name();
  else if (keyIs(key, "Process Group Ranks"))
    to.groupRanks = name();
  else if (keyIs(key, "Seq"))
    to.sequence = number();
  else if (keyIs(key, "Rank"))
    to.rank = number();
  else if (keyIs(key, "Src Rank") || keyIs(key, "Dst Rank"))
    to.peer = number();
}

simdjson::error_code EventReader::State::readAllArguments(ondemand::object& arguments, Arguments& to,
                                                          std::uint64_t textAt) {
  for (auto field : arguments) {
    ondemand::raw_json_string key;
    if (auto error = field.key().get(key)) return error;
    ondemand::value value;
    if (auto error = field.value().get(value)) return error;
    const std::string_view token = rawToken(value);
    const char* k = key.raw();
    switch (*k) {
    case 'c':
      if (keyIs(k, "correlation")) to.device.correlation = unsignedFromToken(token).value_or(0);
      break;
    case 'd':
      if (keyIs(k, "device"))
        to.device.device = static_cast<std::int32_t>(signedFromToken(token).value_or(-1));
      else
        takeCollectiveArgument(k, token, to.collective, textAt);
      break;
    case 's':
      if (keyIs(k, "stream"))
        to.device.stream = signedFromToken(token).value_or(-1);
      else if (keyIs(k, "size") && to.device.bytes < 0)
        to.device.bytes = signedFromToken(token).value_or(-1);
      break;
    case 'b':
      if (keyIs(k, "bytes"))
        to.device.bytes = signedFromToken(token).value_or(-1);
      else if (keyIs(k, "blocks per SM"))
        to.device.blocksPerSm = static_cast<float>(doubleFromToken(token).value_or(-1));
      break;
    case 'e':
      if (keyIs(k, "est. achieved occupancy %")) {
        to.device.occupancyPct = static_cast<float>(doubleFromToken(token).value_or(-1));
      } else if (keyIs(k, "external id")) {
        to.device.externalId = unsignedFromToken(token).value_or(0);
      }
      break;
    case 'E':
      if (keyIs(k, "External id")) to.device.externalId = unsignedFromToken(token).value_or(0);
      break;
    case 'B':
      if (keyIs(k, "Bytes")) {
        to.memory.bytes = signedFromToken(token).value_or(0);
        to.hasBytes = true;
      }
      break;
    case 'A':
      if (keyIs(k, "Addr")) to.memory.address = unsignedFromToken(token).value_or(0);
      break;
    case 'T':
      if (keyIs(k, "Total Allocated"))
        to.memory.totalAllocated = signedFromToken(token).value_or(-1);
      else if (keyIs(k, "Total Reserved"))
        to.memory.totalReserved = signedFromToken(token).value_or(-1);
      break;
    case 'D':
      if (keyIs(k, "Device Type"))
        to.memory.deviceType = static_cast<std::int32_t>(signedFromToken(token).value_or(-1));
      else if (keyIs(k, "Device Id"))
        to.memory.device = static_cast<std::int32_t>(signedFromToken(token).value_or(-1));
      else
        takeCollectiveArgument(k, token, to.collective, textAt);
      break;
    case 'C':
    case 'G':
    case 'I':
    case 'O':
    case 'P':
    case 'R':
    case 'S':
      takeCollectiveArgument(k, token, to.collective, textAt);
      break;
    default:
      break;
    }
  }
  to.hasCollective = to.collective.operation != kNoRecord;
  return simdjson::SUCCESS;
}

// Host events have many arguments and only their ids become columns; those stand first.
simdjson::error_code EventReader::State::readHostArguments(ondemand::object& arguments, Arguments& to) {
  for (auto field : arguments) {
    ondemand::raw_json_string key;
    if (auto error = field.key().get(key)) return error;
    const char* k = key.raw();
    if (!keyIs(k, "External id") && !keyIs(k, "external id")) continue;
    ondemand::value value;
    if (auto error = field.value().get(value)) return error;
    to.device.externalId = unsignedFromToken(rawToken(value)).value_or(0);
    return simdjson::SUCCESS;
  }
  return simdjson::SUCCESS;
}

simdjson::error_code EventReader::State::readMetadataArguments(ondemand::object& arguments, Arguments& to) {
  for (auto field : arguments) {
    ondemand::raw_json_string key;
    if (auto error = field.key().get(key)) return error;
    ondemand::value value;
    if (auto error = field.value().get(value)) return error;
    if (keyIs(key.raw(), "name") || keyIs(key.raw(), "labels")) to.text = insideQuotes(rawToken(value));
  }
  return simdjson::SUCCESS;
}

simdjson::error_code EventReader::State::readCounter(ondemand::object& arguments, const Fields& fields,
                                                     std::uint64_t textAt) {
  const auto time = nanosecondsFromMicroseconds(fields.time);
  if (!time) {
    note(DiagnosticKind::Skipped, textAt, "a counter without a time");
    return simdjson::SUCCESS;
  }
  for (auto field : arguments) {
    std::string_view key;
    if (auto error = field.unescaped_key().get(key)) return error;
    const std::string counter =
        key.empty() ? unescaped(fields.name) : unescaped(fields.name) + " " + std::string(key);
    ondemand::value value;
    if (auto error = field.value().get(value)) return error;
    const auto number = doubleFromToken(rawToken(value));
    if (!number) continue;
    out->events.counters.push_back({intern(counter, textAt), intern(fields.process, textAt), *time, *number});
  }
  return simdjson::SUCCESS;
}

simdjson::error_code EventReader::State::readArguments(ondemand::object& arguments, const Fields& fields,
                                                       Arguments& to, std::uint64_t textAt) {
  switch (fields.phase) {
  case 'M':
    return readMetadataArguments(arguments, to);
  case 'C':
    return readCounter(arguments, fields, textAt);
  case 's':
  case 't':
  case 'f':
    return simdjson::SUCCESS;
  default:
    break;
  }
  switch (fields.category.value_or(EventCategory::None)) {
  case EventCategory::Python:
  case EventCategory::Trace:
  case EventCategory::Overhead:
    return simdjson::SUCCESS;
  case EventCategory::CpuOp:
  case EventCategory::UserAnnotation:
    if (fields.name != "record_param_comms") return readHostArguments(arguments, to);
    [[fallthrough]];
  default:
    return readAllArguments(arguments, to, textAt);
  }
}

// --- one event ---

simdjson::error_code EventReader::State::readFields(ondemand::object& object, Fields& fields,
                                                    Arguments& arguments, std::uint64_t textAt) {
  bool argumentsLate = false; // they stood before the members that say how to read them
  for (auto field : object) {
    ondemand::raw_json_string key;
    if (auto error = field.key().get(key)) return error;
    ondemand::value value;
    if (auto error = field.value().get(value)) return error;
    const char* k = key.raw();
    const auto inside = [&] { return insideQuotes(rawToken(value)); };
    switch (*k) {
    case 'p':
      if (keyIs(k, "ph")) {
        const std::string_view phase = inside();
        fields.phase = phase.size() == 1 ? phase.front() : '?';
      } else if (keyIs(k, "pid")) {
        fields.process = inside();
      }
      break;
    case 'c':
      if (keyIs(k, "cat")) fields.category = category(inside());
      break;
    case 'n':
      if (keyIs(k, "name")) fields.name = inside();
      break;
    case 't':
      if (keyIs(k, "ts"))
        fields.time = inside();
      else if (keyIs(k, "tid"))
        fields.thread = inside();
      break;
    case 'd':
      if (keyIs(k, "dur")) fields.duration = inside();
      break;
    case 'i':
      if (keyIs(k, "id")) fields.id = inside();
      break;
    case 'a':
      if (keyIs(k, "args") && rawToken(value).starts_with('{')) {
        fields.hasArguments = true;
        if (fields.phase == '\0' || fields.name.data() == nullptr || fields.time.data() == nullptr ||
            (!fields.category && fields.phase == 'X')) {
          argumentsLate = true;
          break;
        }
        ondemand::object inner;
        if (auto error = value.get_object().get(inner)) return error;
        if (auto error = readArguments(inner, fields, arguments, textAt)) return error;
      }
      break;
    default:
      break;
    }
  }
  if (!argumentsLate) return simdjson::SUCCESS;
  if (auto error = object.reset().error()) return error;
  ondemand::object inner;
  if (auto error = object.find_field_unordered("args").get_object().get(inner)) return error;
  return readArguments(inner, fields, arguments, textAt);
}

simdjson::error_code EventReader::State::readEvent(ondemand::value value, std::uint64_t textAt) {
  ondemand::object object;
  if (auto error = value.get_object().get(object)) return error;
  Fields fields;
  Arguments arguments;
  if (auto error = readFields(object, fields, arguments, textAt)) return error;
  takeEvent(fields, arguments, textAt);
  return simdjson::SUCCESS;
}

void EventReader::State::takeEvent(const Fields& fields, const Arguments& arguments, std::uint64_t textAt) {
  ++out->events.objects;
  switch (fields.phase) {
  case 'X':
    takeDuration(fields, arguments, textAt);
    break;
  case 'B':
  case 'E':
    takeHalf(fields, arguments, textAt);
    break;
  case 'i':
  case 'I':
  case 'R':
    takeInstant(fields, arguments, textAt);
    break;
  case 's':
  case 'f':
    takeFlow(fields, textAt);
    break;
  case 'M':
    takeMetadata(fields, arguments);
    break;
  case 't':
  case 'C':
    break; // a counter's samples were taken with its arguments; a flow's middle adds nothing
  default:
    note(DiagnosticKind::Skipped, textAt, "an event of a phase that is not known");
  }
}

std::optional<RawEvent> EventReader::State::rawEvent(const Fields& fields, const Arguments& arguments,
                                                     std::uint64_t textAt) {
  const auto time = nanosecondsFromMicroseconds(fields.time);
  if (!time) {
    note(DiagnosticKind::Skipped, textAt, "an event without a readable time");
    return std::nullopt;
  }
  RawEvent event{};
  event.begin = *time;
  event.textAt = textAt & ((std::uint64_t{1} << 56) - 1);
  event.name = intern(fields.name, textAt);
  const EventKind kind = fields.process == "-1" ? EventKind::Overhead
                                                : knownKind(fields.category.value_or(EventCategory::None),
                                                            event.name, arguments.hasCollective);
  event.kind = static_cast<std::uint8_t>(kind);
  return event;
}

void EventReader::State::takeDuration(const Fields& fields, const Arguments& arguments,
                                      std::uint64_t textAt) {
  auto event = rawEvent(fields, arguments, textAt);
  if (!event) return;
  if (fields.duration.data() == nullptr) {
    note(DiagnosticKind::Repaired, textAt, "a duration event without a duration: shown as an instant");
    takeInstant(fields, arguments, textAt);
    return;
  }
  const auto duration = nanosecondsFromMicroseconds(fields.duration);
  if (!duration) {
    note(DiagnosticKind::Repaired, textAt, "a duration that is no number: shown as an instant");
    takeInstant(fields, arguments, textAt);
    return;
  }
  if (*duration < 0) note(DiagnosticKind::Repaired, textAt, "a negative duration: taken as 0");
  event->duration = std::max<TimeNs>(*duration, 0);
  TimeNs end = 0;
  if (__builtin_add_overflow(event->begin, event->duration, &end)) {
    note(DiagnosticKind::Skipped, textAt, "an event that ends beyond what 64 bits of nanoseconds hold");
    return;
  }
  const auto kind = static_cast<EventKind>(event->kind);
  if (kind == EventKind::Instant) {
    takeInstant(fields, arguments, textAt);
    return;
  }
  const bool onDevice = isDeviceActivity(kind);
  int device = -1;
  if (onDevice) {
    RawDevice raw = arguments.device;
    if (raw.device < 0) raw.device = static_cast<std::int32_t>(signedFromToken(fields.process).value_or(-1));
    device = raw.device;
    event->link = static_cast<std::uint32_t>(out->events.device.size());
    out->events.device.push_back(raw);
  } else {
    const std::uint64_t id =
        kind == EventKind::Runtime ? arguments.device.correlation : arguments.device.externalId;
    event->link = id < kNoRecord ? static_cast<std::uint32_t>(id) : 0;
  }
  event->track = track(fields.process, fields.thread, trackKindOf(kind), device);
  if (arguments.hasCollective && (kind == EventKind::Collective || kind == EventKind::HostCollective)) {
    out->events.collectives.push_back(arguments.collective);
    out->events.collectives.back().textAt = event->textAt;
  }
  out->events.events.push_back(*event);
}

void EventReader::State::takeHalf(const Fields& fields, const Arguments& arguments, std::uint64_t textAt) {
  auto event = rawEvent(fields, arguments, textAt);
  if (!event) return;
  const auto kind = static_cast<EventKind>(event->kind);
  // A device event in halves has no details row; it is shown on its stream's thread like a host event.
  if (isDeviceActivity(kind) || kind == EventKind::Instant)
    event->kind = static_cast<std::uint8_t>(EventKind::Other);
  event->track = track(fields.process, fields.thread, trackKindOf(static_cast<EventKind>(event->kind)));
  const std::uint64_t id =
      kind == EventKind::Runtime ? arguments.device.correlation : arguments.device.externalId;
  event->link = id < kNoRecord ? static_cast<std::uint32_t>(id) : 0;
  out->events.halves.push_back({*event, fields.phase == 'B', event->track});
}

void EventReader::State::takeInstant(const Fields& fields, const Arguments& arguments, std::uint64_t textAt) {
  auto event = rawEvent(fields, arguments, textAt);
  if (!event) return;
  event->kind = static_cast<std::uint8_t>(EventKind::Instant);
  event->track = track(fields.process, fields.thread, TrackKind::Instants);
  event->link = kNoRecord;
  if (arguments.hasBytes) {
    event->link = static_cast<std::uint32_t>(out->events.memory.size());
    out->events.memory.push_back(arguments.memory);
  }
  out->events.events.push_back(*event);
}

void EventReader::State::takeFlow(const Fields& fields, std::uint64_t textAt) {
  if (fields.category != EventCategory::ForwardBackward) return;
  const auto time = nanosecondsFromMicroseconds(fields.time);
  const auto id = unsignedFromToken(fields.id);
  if (!time || !id) {
    note(DiagnosticKind::Skipped, textAt, "an arrow without an id or a time");
    return;
  }
  out->events.flows.push_back(
      {*id, *time, track(fields.process, fields.thread, TrackKind::Thread), fields.phase == 's'});
}

void EventReader::State::takeMetadata(const Fields& fields, const Arguments& arguments) {
  const auto take = [&](ThreadFact fact) {
    out->events.threadFacts.push_back(
        {fact, std::string(fields.process), std::string(fields.thread), unescaped(arguments.text)});
  };
  if (fields.name == "thread_name")
    take(ThreadFact::ThreadName);
  else if (fields.name == "process_name")
    take(ThreadFact::ProcessName);
  else if (fields.name == "process_labels")
    take(ThreadFact::ProcessLabel);
}

// --- slices ---

simdjson::error_code EventReader::State::readSlice(const TextSlice& slice) {
  const auto length = static_cast<std::size_t>(slice.end - slice.begin);
  ondemand::document document;
  if (auto error = parser.iterate(slice.begin, length, length + simdjson::SIMDJSON_PADDING).get(document))
    return error;
  ondemand::array array;
  if (auto error = document.get_array().get(array)) return error;
  out->events.events.reserve(length / 250);
  for (auto element : array) {
    ondemand::value value;
    if (auto error = element.get(value)) return error;
    const char* at = value.raw_json_token().data();
    if (auto error = readEvent(value, slice.textAt + static_cast<std::uint64_t>(at - slice.begin)))
      return error;
  }
  if (!atEnd(document)) return simdjson::TRAILING_CONTENT;
  if (slice.tailEnd == slice.end) return simdjson::SUCCESS;
  return readSingle({slice.end, static_cast<std::size_t>(slice.tailEnd - slice.end)},
                    slice.textAt + static_cast<std::uint64_t>(slice.end - slice.begin));
}

// One event by itself, as an array of one so that what follows it counts as an error.
simdjson::error_code EventReader::State::readSingle(std::string_view text, std::uint64_t textAt) {
  padded.assign(1, '[');
  padded += text;
  padded += ']';
  const std::size_t length = padded.size();
  padded.resize(length + simdjson::SIMDJSON_PADDING, ' ');
  ondemand::document document;
  if (auto error = eventParser.iterate(padded.data(), length, padded.size()).get(document)) return error;
  ondemand::array array;
  if (auto error = document.get_array().get(array)) return error;
  for (auto element : array) {
    ondemand::value value;
    if (auto error = element.get(value)) return error;
    const auto at = static_cast<std::uint64_t>(value.raw_json_token().data() - padded.data()) - 1;
    if (auto error = readEvent(value, textAt + at)) return error;
  }
  return atEnd(document) ? simdjson::SUCCESS : simdjson::TRAILING_CONTENT;
}

// Reads one event or leaves everything as it was.
bool EventReader::State::tryRead(std::string_view text, std::uint64_t textAt) {
  SliceReading before = std::move(*out);
  *out = {};
  const bool read = readSingle(text, textAt) == simdjson::SUCCESS;
  SliceReading single = std::exchange(*out, std::move(before));
  if (read) append(out->events, std::move(single.events));
  return read;
}

bool EventReader::State::readOrMend(std::string_view text, std::uint64_t textAt) {
  if (tryRead(text, textAt)) return true;
  if (!tryRead(mendedEvent(text, Mending::Bytes), textAt) &&
      !tryRead(mendedEvent(text, Mending::NameQuotes), textAt))
    return false;
  note(DiagnosticKind::Repaired, textAt, "damaged text was mended");
  return true;
}

SliceReading EventReader::read(const TextSlice& slice, const EventBoundary& boundary) {
  if (slice.whole) {
    SliceReading reading;
    m_state->out = &reading;
    if (m_state->readSlice(slice) == simdjson::SUCCESS) return reading;
  }
  *slice.begin = slice.firstByte;
  if (!slice.last) slice.end[-1] = slice.lastByte;
  const char* from = slice.begin + 1;
  return readCarefully({from, static_cast<std::size_t>(slice.tailEnd - from)}, slice.textAt + 1, slice.textAt,
                       slice.last, boundary);
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
      m_state->note(DiagnosticKind::Skipped, position(at),
                    stop == end && !complete ? "the file ends inside an event"
                                             : "an event that is not readable");
    }
    at = stop;
  }
  return reading;
}

} // namespace rankscope
