// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/peers/peer_file.h"

#include "core/io/json/json_scan.h"
#include "core/io/json/json_text.h"
#include "tests/support/trace_facts.h"

#include <algorithm>
#include <utility>

namespace rankscope::peers {

namespace {

constexpr std::size_t kMaxStoredFaults = 20;

// Calls visit(key, token) for the members of the object that begins at `at`; returns where it ends.
template <class Visit> const char* forEachMember(const char* at, const char* end, Visit&& visit) {
  ++at;
  for (;;) {
    while (at < end && (isJsonSpace(*at) || *at == ',')) ++at;
    if (at >= end || *at != '"') return at < end ? at + 1 : end;
    const char* keyEnd = skipJsonString(at, end);
    if (keyEnd == nullptr) return end;
    const std::string_view key(at + 1, static_cast<std::size_t>(keyEnd - at) - 2);
    at = skipJsonSpace(keyEnd, end);
    if (at < end && *at == ':') at = skipJsonSpace(at + 1, end);
    const char* valueEnd = std::min(skipJsonValue(at, end), end);
    visit(key, trimmedToken({at, static_cast<std::size_t>(valueEnd - at)}));
    at = valueEnd;
  }
}

struct RawEntry {
  std::string_view phase, name, category, id, ts;
  PeerEvent arguments;
};

void takeArguments(std::string_view object, PeerEvent& to) {
  const std::pair<std::string_view, std::string_view PeerEvent::*> kTaken[] = {
      {"stream", &PeerEvent::stream},
      {"correlation", &PeerEvent::correlation},
      {"device", &PeerEvent::device},
      {"blocks per SM", &PeerEvent::blocksPerSm},
      {"est. achieved occupancy %", &PeerEvent::occupancy},
      {"Input type", &PeerEvent::inputType},
      {"Python module id", &PeerEvent::moduleId},
  };
  std::string_view oldId, newId, oldDims, newDims;
  forEachMember(object.data(), object.data() + object.size(),
                [&](std::string_view key, std::string_view token) {
                  if (token == "null") return;
                  for (const auto& [name, member] : kTaken)
                    if (key == name) to.*member = token;
                  if (key == "external id") oldId = token;
                  if (key == "External id") newId = token;
                  if (key == "Input dims") oldDims = token;
                  if (key == "Input Dims") newDims = token;
                });
  to.externalId = oldId.empty() ? newId : oldId;
  to.inputDims = newDims.empty() ? oldDims : newDims;
}

const char* readEntry(const char* at, const char* end, RawEntry& to) {
  return forEachMember(at, end, [&](std::string_view key, std::string_view token) {
    if (key == "ph") to.phase = insideQuotes(token);
    if (key == "name") to.name = insideQuotes(token);
    if (key == "cat") to.category = insideQuotes(token);
    if (key == "id") to.id = insideQuotes(token);
    if (key == "ts") to.ts = insideQuotes(token);
    if (key == "args" && token.starts_with('{')) takeArguments(token, to.arguments);
  });
}

// The first entry of the file's event array, or null.
const char* eventArray(const std::string& text) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* at = skipJsonSpace(begin, end);
  if (text.starts_with("\xef\xbb\xbf")) at = skipJsonSpace(begin + 3, end);
  if (at < end && *at == '[') return at + 1;
  const char* array = nullptr;
  forEachMember(at, end, [&](std::string_view key, std::string_view token) {
    if (key == "traceEvents" && token.starts_with('[') && array == nullptr) array = token.data() + 1;
  });
  return array;
}

class Reader {
 public:
  Reader(PeerFile& file, const StringTable& names) : m_file(file), m_names(names), m_trace(*file.trace) {
    for (const Track& track : m_trace.tracks)
      for (EventIndex e = track.firstEvent; e < track.endEvent; ++e.value) m_tracks.push_back(&track);
    for (std::uint32_t e = 0; e < m_trace.events.size(); ++e)
      m_byText.emplace_back(m_trace.events.source[EventIndex(e)].readerBits(), EventIndex(e));
    std::ranges::sort(m_byText);
    for (const MemoryEvent& record : m_trace.memory) m_memory.emplace(record.event.value, &record);
  }

  void read() {
    const char* at = eventArray(m_file.text);
    const char* const end = m_file.text.data() + m_file.text.size();
    for (std::size_t position = 0; at != nullptr; ++position) {
      while (at < end && (isJsonSpace(*at) || *at == ',')) ++at;
      if (at >= end || *at != '{') break;
      RawEntry entry;
      const auto textAt = static_cast<std::uint64_t>(at - m_file.text.data());
      at = readEntry(at, end, entry);
      entry.arguments.position = position;
      take(entry, textAt);
    }
    if (m_next != m_byText.size() && m_file.faults.empty())
      fault(m_byText[m_next].first, "holds an event that is not among the file's");
  }

 private:
  void take(RawEntry& entry, std::uint64_t textAt) {
    while (m_next < m_byText.size() && m_byText[m_next].first < textAt) {
      fault(m_byText[m_next].first, "begins an event where the file has none");
      ++m_next;
    }
    const bool known = m_next < m_byText.size() && m_byText[m_next].first == textAt;
    if (entry.category == "fwdbwd" && (entry.phase == "s" || entry.phase == "f")) takeArrow(entry);
    if (!known) return;
    const EventIndex event = m_byText[m_next++].second;
    // Without a duration it is an instant to us, and nothing to the others.
    if ((entry.phase == "X" || entry.phase == "B") && m_trace.events.kind[event] != EventKind::Instant)
      takeDuration(entry, event, textAt);
    if (const auto record = m_memory.find(event.value); record != m_memory.end() && entry.phase == "i")
      m_file.memory.push_back({fileTime(event), exactTime(event), m_tracks[event.value]->process,
                               m_tracks[event.value]->thread, *record->second});
  }

  void takeArrow(const RawEntry& entry) {
    const TimeNs time = nanosecondsFromMicroseconds(entry.ts).value_or(0);
    m_file.arrows.push_back({entry.phase == "s", entry.id, microsecondsOf(time),
                             time + m_trace.metadata.baseTime - m_file.origin});
  }

  void takeDuration(RawEntry& entry, EventIndex event, std::uint64_t textAt) {
    PeerEvent& to = m_file.events.emplace_back(entry.arguments);
    const Track& track = *m_tracks[event.value];
    to.event = event;
    to.kind = m_trace.events.kind[event];
    to.ts = fileTime(event);
    to.exactTs = exactTime(event);
    to.exactDur = m_trace.events.duration[event];
    to.fromHalves = entry.phase == "B";
    to.dur = microsecondsOf(m_trace.events.duration[event]);
    to.nameId = m_trace.events.name[event];
    to.name = m_names[to.nameId];
    to.category = entry.category;
    to.process = track.process;
    to.thread = track.thread;
    check(to, entry, textAt);
  }

  void check(const PeerEvent& event, const RawEntry& entry, std::uint64_t textAt) {
    if (entry.name.find('\\') == std::string_view::npos && entry.name != event.name)
      fault(textAt, "has another name");
    if (numberOf(entry.ts).value_or(0) - event.ts > 0.001) fault(textAt, "begins at another time");
    const auto id = [](std::string_view token) {
      const auto number = integerOf(token).value_or(0);
      return number > 0 && number < std::int64_t{EventIndex::kNone} ? static_cast<std::uint32_t>(number) : 0;
    };
    const bool byCorrelation = event.kind == EventKind::Runtime || isDeviceActivity(event.kind);
    const std::uint32_t link = m_trace.events.link[event.event];
    if (byCorrelation && link != id(event.correlation)) fault(textAt, "has another correlation");
    const bool hostKind = event.kind == EventKind::CpuOp || event.kind == EventKind::Annotation;
    if (hostKind && link != id(event.externalId)) fault(textAt, "has another External id");
  }

  [[nodiscard]] double fileTime(EventIndex event) const {
    return microsecondsOf(m_trace.events.begin[event] - m_trace.metadata.baseTime);
  }

  [[nodiscard]] TimeNs exactTime(EventIndex event) const {
    return m_trace.events.begin[event] - m_file.origin;
  }

  void fault(std::uint64_t textAt, const char* what) {
    if (m_file.faults.size() < kMaxStoredFaults)
      m_file.faults.push_back(m_file.path + ": byte " + std::to_string(textAt) + ": the recording " + what);
  }

  PeerFile& m_file;
  const StringTable& m_names;
  const RankTrace& m_trace;
  std::vector<const Track*> m_tracks; // by event
  std::vector<std::pair<std::uint64_t, EventIndex>> m_byText;
  std::unordered_map<std::uint32_t, const MemoryEvent*> m_memory;
  std::size_t m_next = 0;
};

} // namespace

double microsecondsOf(TimeNs nanoseconds) {
  return static_cast<double>(static_cast<long double>(nanoseconds) / 1000);
}

std::optional<double> numberOf(std::string_view token) {
  return doubleFromToken(token);
}

std::optional<std::int64_t> integerOf(std::string_view token) {
  return signedFromToken(token);
}

PeerFile readPeerFile(const TraceSet& job, RankIndex rank) {
  PeerFile file;
  file.rank = rank;
  file.job = &job;
  file.trace = job.rank(rank).trace.get();
  file.origin = file.trace->extent.begin;
  file.path = job.file(job.rank(rank).file).path;
  file.text = test::readText(file.path);
  Reader(file, job.names()).read();
  return file;
}

} // namespace rankscope::peers
