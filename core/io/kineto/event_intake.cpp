// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/kineto/event_intake.h"

#include "core/io/json/json_text.h"
#include "core/model/track_kind.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace rankscope {

namespace {

// The event's time; empty if it is invalid or out of range.
std::optional<TimeNs> timeOf(const EventFields& fields) {
  const auto time = nanosecondsFromMicroseconds(fields.time);
  if (!time || *time > kMaxTime || *time < -kMaxTime) return std::nullopt;
  return time;
}

// The autograd profiler wrote no categories. Its operators have a namespace or are autograd nodes; all other
// events are user annotations.
EventCategory legacyCategory(const EventFields& fields) {
  if (fields.process == "CUDA functions") return EventCategory::Kernel;
  if (fields.process != "CPU functions") return EventCategory::None;
  const bool isOperator = fields.name.find("::") != std::string_view::npos ||
                          fields.name.find("Backward") != std::string_view::npos;
  return isOperator && !isBackendCollectiveName(fields.name) ? EventCategory::CpuOp
                                                             : EventCategory::UserAnnotation;
}

// Ids are stored in 32 bits; see narrowId.
std::uint32_t linkOf(EventKind kind, const RawDevice& ids) {
  const std::uint64_t id = kind == EventKind::Runtime ? ids.correlation : ids.externalId;
  return id < kNoRecord ? static_cast<std::uint32_t>(id) : 0;
}

RawSync syncOf(const EventFields& fields, SourceRef at) {
  RawSync sync = fields.sync;
  sync.source = at;
  sync.correlation = fields.device.correlation;
  sync.device = fields.device.device;
  // "No stream" is written as -1 or as the largest 32-bit number.
  if (fields.device.stream < std::int64_t{0xffffffff}) sync.stream = fields.device.stream;
  return sync;
}

} // namespace

void EventIntake::take(const EventFields& fields, SourceRef at, SliceEvents& to) {
  ++to.objects;
  const auto fact = [&](ThreadFact what) {
    // Some writers repeat it with every event; only the first one counts.
    constexpr std::size_t kMaxRecentFacts = 4;
    const std::span<const RawThreadFact> facts(to.threadFacts);
    const bool known =
        std::ranges::any_of(facts.last(std::min(kMaxRecentFacts, facts.size())), [&](const auto& f) {
          return f.fact == what && f.text == fields.metadataText && f.process == fields.process &&
                 f.thread == fields.thread;
        });
    if (known) return;
    to.threadFacts.push_back(
        {what, std::string(fields.process), std::string(fields.thread), unescaped(fields.metadataText)});
  };
  switch (fields.phase) {
  case 'X':
    takeDuration(fields, at, to);
    break;
  case 'B':
  case 'E':
    takeHalf(fields, at, to);
    break;
  case 'i':
  case 'I':
  case 'R':
    takeInstant(fields, at, to);
    break;
  case 's':
  case 'f':
    takeFlow(fields, at, to);
    break;
  case 't':
    break; // a step of a flow has no information
  case 'C':
    takeCounters(fields, at, to);
    break;
  case 'M':
    if (fields.name == "thread_name") fact(ThreadFact::ThreadName);
    if (fields.name == "process_name") fact(ThreadFact::ProcessName);
    if (fields.name == "process_labels") fact(ThreadFact::ProcessLabel);
    break;
  default:
    to.diagnostics.add(DiagnosticKind::Skipped, at, "an event of an unknown phase");
  }
  if (fields.oddNumber)
    to.diagnostics.add(DiagnosticKind::Repaired, at, "an invalid number: treated as not recorded");
  if (m_loneBackslash) {
    m_loneBackslash = false;
    to.diagnostics.add(DiagnosticKind::Repaired, at,
                       "an invalid escape sequence: backslash left in the name");
  }
}

std::optional<RawEvent> EventIntake::startEvent(const EventFields& fields, SourceRef at, SliceEvents& to) {
  const auto time = timeOf(fields);
  if (!time) {
    to.diagnostics.add(DiagnosticKind::Skipped, at, "an event without a readable time");
    return std::nullopt;
  }
  RawEvent event{};
  event.begin = *time;
  event.setSource(at);
  event.name = intern(fields.name, at);
  const EventKind kind = fields.process == "-1"
                             ? EventKind::Overhead
                             : kindOfName(fields.category ? *fields.category : legacyCategory(fields),
                                          event.name, fields.hasCollective());
  event.kind = static_cast<std::uint8_t>(kind);
  return event;
}

bool EventIntake::wanted(EventKind kind, TimeRange range) const {
  if (kind == EventKind::CpuOp && m_filter.skipCpuOps) return false;
  if (!m_filter.window) return true;
  // Device events after the window may belong to it; this is only known after all launches have been read.
  if (range.begin >= m_filter.window->end) return isDeviceActivity(kind);
  return range.end > m_filter.window->begin || (range.empty() && range.begin >= m_filter.window->begin);
}

void EventIntake::takeDuration(const EventFields& fields, SourceRef at, SliceEvents& to) {
  if (m_filter.skipPython && fields.category == EventCategory::Python) {
    ++to.leftOut;
    return;
  }
  auto event = startEvent(fields, at, to);
  if (!event) return;
  const auto kind = static_cast<EventKind>(event->kind);
  const auto duration = nanosecondsFromMicroseconds(fields.duration);
  if (!duration || kind == EventKind::Instant) {
    if (!duration) {
      to.diagnostics.add(DiagnosticKind::Repaired, at,
                         "a duration event without a readable duration: shown as an instant");
    }
    takeInstant(fields, at, to);
    return;
  }
  if (*duration < 0) to.diagnostics.add(DiagnosticKind::Repaired, at, "a negative duration: treated as 0");
  event->duration = std::max<TimeNs>(*duration, 0);
  if (event->duration > kMaxDuration || event->begin + event->duration > kMaxTime) {
    to.diagnostics.add(DiagnosticKind::Skipped, at, "an event that ends beyond the time range");
    return;
  }
  if (!wanted(kind, {event->begin, event->begin + event->duration})) {
    ++to.leftOut;
    return;
  }
  int device = -1;
  if (isDeviceActivity(kind)) {
    RawDevice raw = fields.device;
    if (raw.device < 0) {
      const auto process = deviceNumber(signedFromToken(fields.process).value_or(-1));
      // Report only once if the number is wrong in several members of an event.
      if (!process && !fields.oddNumber)
        to.diagnostics.add(DiagnosticKind::Repaired, at,
                           "a device row of a process that is not a device: device treated as not recorded");
      raw.device = process.value_or(-1);
    }
    device = raw.device;
    event->link = static_cast<std::uint32_t>(to.device.size());
    to.device.push_back(raw);
  } else {
    event->link = linkOf(kind, fields.device);
  }
  event->track = track(fields.process, fields.thread, trackKindOf(kind), device);
  if (fields.hasCollective() && (kind == EventKind::Collective || kind == EventKind::HostCollective)) {
    to.collectives.push_back(collective(fields.collective, event->source()));
  }
  if (kind == EventKind::Sync) to.syncs.push_back(syncOf(fields, event->source()));
  to.events.push_back(*event);
}

void EventIntake::takeHalf(const EventFields& fields, SourceRef at, SliceEvents& to) {
  auto event = startEvent(fields, at, to);
  if (!event) return;
  auto kind = static_cast<EventKind>(event->kind);
  // Device columns cannot be split into a begin and an end event, so such a pair gets its own track.
  if (isDeviceActivity(kind) || kind == EventKind::Instant) kind = EventKind::Other;
  event->kind = static_cast<std::uint8_t>(kind);
  event->track = track(fields.process, fields.thread, trackKindOf(kind));
  event->link = linkOf(kind, fields.device);
  to.halves.push_back({*event, fields.phase == 'B', event->track});
}

void EventIntake::takeInstant(const EventFields& fields, SourceRef at, SliceEvents& to) {
  auto event = startEvent(fields, at, to);
  if (!event) return;
  event->kind = static_cast<std::uint8_t>(EventKind::Instant);
  if (!wanted(EventKind::Instant, {event->begin, event->begin})) {
    ++to.leftOut;
    return;
  }
  event->track = track(fields.process, fields.thread, TrackKind::Instants);
  event->link = kNoRecord;
  if (fields.hasMemory) {
    event->link = static_cast<std::uint32_t>(to.memory.size());
    to.memory.push_back(fields.memory);
  }
  to.events.push_back(*event);
}

void EventIntake::takeFlow(const EventFields& fields, SourceRef at, SliceEvents& to) {
  if (fields.category != EventCategory::ForwardBackward) return;
  const auto time = timeOf(fields);
  const auto id = unsignedFromToken(fields.id);
  if (!time || !id) {
    to.diagnostics.add(DiagnosticKind::Skipped, at, "a flow event without an id or a time");
    return;
  }
  to.flows.push_back(
      {*id, *time, track(fields.process, fields.thread, TrackKind::Thread), fields.phase == 's'});
}

void EventIntake::takeCounters(const EventFields& fields, SourceRef at, SliceEvents& to) {
  const auto time = timeOf(fields);
  if (!time) {
    to.diagnostics.add(DiagnosticKind::Skipped, at, "a counter without a readable time");
    return;
  }
  for (const auto& [key, value] : fields.counters) {
    std::string name(fields.name);
    if (!key.empty()) name.append(" ").append(key);
    to.counters.push_back({intern(name, at), intern(fields.process, at), *time, value});
  }
}

RawCollective EventIntake::collective(const CollectiveFields& fields, SourceRef at) {
  RawCollective record = fields.numbers;
  const auto name = [&](std::string_view token) { return token.data() ? intern(token, at) : kNoRecord; };
  record.source = at;
  record.operation = name(fields.operation);
  record.dtype = name(fields.dtype);
  record.groupName = name(fields.groupName);
  record.groupDescription = name(fields.groupDescription);
  record.groupRanks = name(fields.groupRanks);
  return record;
}

std::uint32_t EventIntake::intern(std::string_view token, SourceRef at) {
  std::string plain;
  if (!token.empty() && std::memchr(token.data(), '\\', token.size()) != nullptr) {
    plain = unescaped(token, &m_loneBackslash);
    token = plain;
  }
  const std::uint32_t id = m_tables.names.intern(token).value;
  if (id == m_tables.nameFirstAt.size()) m_tables.nameFirstAt.push_back(at);
  m_tables.nameFirstAt[id] = std::min(m_tables.nameFirstAt[id], at);
  return id;
}

// kindOf, cached by name, because it searches in the name.
EventKind EventIntake::kindOfName(EventCategory category, std::uint32_t name, bool hasCollective) {
  const std::size_t slot = category == EventCategory::Kernel           ? 0
                           : category == EventCategory::CpuOp          ? 1
                           : category == EventCategory::UserAnnotation ? 2
                                                                       : m_kindsByName.size();
  const std::string_view text = m_tables.names[NameId(name)];
  if (slot == m_kindsByName.size() || hasCollective) return kindOf(category, text, hasCollective);
  std::vector<std::optional<EventKind>>& kinds = m_kindsByName[slot];
  if (name >= kinds.size()) kinds.resize(std::max<std::size_t>(name + 1, kinds.size() * 2));
  if (!kinds[name]) kinds[name] = kindOf(category, text, false);
  return *kinds[name];
}

std::uint32_t EventIntake::track(std::string_view process, std::string_view thread, TrackKind kind,
                                 int device) {
  const auto tail = [](std::string_view text) {
    return text.empty() ? 0u : static_cast<unsigned char>(text.back());
  };
  CachedTrack& cached =
      m_trackCache[(tail(process) * 5u + tail(thread) * 3u + static_cast<unsigned>(kind)) % kTrackCacheSlots];
  if (cached.track == kNoRecord || cached.kind != kind || cached.thread != thread ||
      cached.process != process) {
    cached = {std::string(process), std::string(thread), kind, lookUpTrack(process, thread, kind)};
  }
  int& known = m_tables.tracks[cached.track].device;
  known = std::max(known, device);
  return cached.track;
}

std::uint32_t EventIntake::lookUpTrack(std::string_view process, std::string_view thread, TrackKind kind) {
  std::string key(process);
  key += '\n';
  key += thread;
  key += static_cast<char>('a' + static_cast<int>(kind));
  const auto [found, isNew] =
      m_tables.trackByKey.try_emplace(key, static_cast<std::uint32_t>(m_tables.tracks.size()));
  if (isNew) m_tables.tracks.push_back({std::string(process), std::string(thread), kind, -1});
  return found->second;
}

} // namespace rankscope
