// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_joins.h"

#include "core/base/sort_runs.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace rankscope {

namespace {

std::string_view syncName(SyncRole role) {
  switch (role) {
  case SyncRole::StreamWait:
    return "Stream Wait Event";
  case SyncRole::StreamSync:
    return "Stream Sync";
  case SyncRole::EventSync:
    return "Event Sync";
  case SyncRole::Record:
    return "Event Record";
  case SyncRole::Other:
    return "Context Sync";
  }
  return "Context Sync";
}

// The file's own numbers of types differ between versions, so the call decides; without one, the ids.
SyncRole roleOf(const PendingSync& sync, const SyncCall* call) {
  if (call != nullptr && call->role != SyncRole::Record) return call->role;
  if (sync.stream < 0) return sync.event < 0 ? SyncRole::Other : SyncRole::EventSync;
  return sync.event < 0 ? SyncRole::StreamSync : SyncRole::StreamWait;
}

class ProcessJoin {
 public:
  ProcessJoin(std::span<const NsysProcessPart> parts, TimeNs lastTime)
      : m_parts(parts), m_lastTime(lastTime) {}

  void run() {
    gather();
    for (const NsysProcessPart& of : m_parts) {
      for (const PendingRange& range : of.part->pending.ranges) addRange(range, of);
      for (const PendingSync& sync : of.part->pending.syncs) addSync(sync, of);
    }
    addFlows();
    release();
  }

 private:
  void gather();
  void release();
  void nameDomains();
  void addRange(const PendingRange& range, const NsysProcessPart& to);
  void addSync(const PendingSync& sync, const NsysProcessPart& to);
  void addFlows();
  [[nodiscard]] const SyncCall* callOf(std::uint64_t correlation) const;
  [[nodiscard]] const RecordedEvent* recordOf(const PendingSync& sync, const SyncCall* call) const;

  // A record with the time of its call.
  struct Recorded {
    std::int64_t context = -1;
    std::int64_t event = -1;
    TimeNs time = 0;
    const RecordedEvent* record = nullptr;
    [[nodiscard]] auto key() const { return std::tuple(context, event, time); }
  };

  std::span<const NsysProcessPart> m_parts;
  TimeNs m_lastTime;
  std::vector<SyncCall> m_calls; // by correlation
  std::map<std::int64_t, std::int64_t> m_deviceOfContext;
  std::map<std::int64_t, const RecordedEvent*> m_recordOfSync; // by id of the recording
  std::vector<Recorded> m_records;                             // by context, event and time
  std::map<std::int64_t, std::string> m_lanes;                 // of library domains
};

void ProcessJoin::gather() {
  for (const NsysProcessPart& of : m_parts) {
    const NsysPending& pending = of.part->pending;
    m_calls.insert(m_calls.end(), pending.calls.begin(), pending.calls.end());
    m_deviceOfContext.insert(pending.contexts.begin(), pending.contexts.end());
  }
  std::ranges::stable_sort(m_calls, {}, &SyncCall::correlation);
  for (const NsysProcessPart& of : m_parts) {
    for (const RecordedEvent& record : of.part->pending.records) {
      if (record.syncId > 0) m_recordOfSync.emplace(record.syncId, &record);
      const SyncCall* const call = callOf(record.correlation);
      if (call != nullptr && record.event >= 0)
        m_records.push_back({record.context, record.event, call->begin, &record});
    }
  }
  std::ranges::sort(m_records, {}, &Recorded::key);
  nameDomains();
}

// Domains of libraries by name; a domain without a name whose ranges all begin with "nccl" is NCCL's.
void ProcessJoin::nameDomains() {
  std::map<std::int64_t, std::string> names;
  std::map<std::int64_t, bool> onlyNccl;
  for (const NsysProcessPart& of : m_parts) {
    for (const auto& [domain, name] : of.part->pending.domains) names.try_emplace(domain, name);
    for (const PendingRange& range : of.part->pending.ranges) {
      if (range.domain == 0) continue;
      const std::string_view name = of.tables->tables->names[NameId(range.name)];
      bool& only = onlyNccl.try_emplace(range.domain, true).first->second;
      only = only && name.starts_with("nccl");
    }
  }
  for (const auto& [domain, only] : onlyNccl) {
    const auto name = names.find(domain);
    if (name != names.end() && isLibraryDomain(name->second))
      m_lanes.emplace(domain, name->second);
    else if (only && (name == names.end() || name->second.empty()))
      m_lanes.emplace(domain, "NCCL");
  }
}

const SyncCall* ProcessJoin::callOf(std::uint64_t correlation) const {
  if (correlation == 0) return nullptr;
  const auto call = std::ranges::lower_bound(m_calls, correlation, {}, &SyncCall::correlation);
  return call != m_calls.end() && call->correlation == correlation ? &*call : nullptr;
}

const RecordedEvent* ProcessJoin::recordOf(const PendingSync& sync, const SyncCall* call) const {
  if (sync.syncId > 0) {
    const auto found = m_recordOfSync.find(sync.syncId);
    if (found != m_recordOfSync.end()) return found->second;
  }
  if (sync.event < 0) return nullptr;
  // Handles of events are reused: the last record before the wait counts.
  const TimeNs time = call != nullptr ? call->begin : sync.begin;
  const auto after =
      std::ranges::upper_bound(m_records, std::tuple(sync.context, sync.event, time), {}, &Recorded::key);
  if (after == m_records.begin()) return nullptr;
  const Recorded& last = *std::prev(after);
  return last.context == sync.context && last.event == sync.event ? last.record : nullptr;
}

void ProcessJoin::addRange(const PendingRange& range, const NsysProcessPart& to) {
  NsysProcess& process = *to.tables;
  RawEvent event{};
  event.begin = range.begin;
  event.duration = std::clamp<TimeNs>(range.end.value_or(m_lastTime) - range.begin, 0, kMaxDuration);
  event.setSource(range.source);
  event.name = range.name;
  EventKind kind = range.kind;
  const auto lane = m_lanes.find(range.domain);
  if (lane != m_lanes.end()) {
    kind = EventKind::Other;
    event.track = NsysTracks::lane(*process.tables, range.thread, lane->second);
  } else if (range.crossesThreads) {
    kind = EventKind::Annotation;
    event.track = NsysTracks::find(*process.tables, std::to_string(pidOf(range.thread)), "NVTX ranges",
                                   TrackKind::Annotations, -1);
  } else {
    if (range.domain != 0) kind = EventKind::Annotation;
    event.track =
        process.tracks.ofThread(*process.tables, range.thread,
                                kind == EventKind::Annotation ? TrackKind::Annotations : TrackKind::Thread);
  }
  event.kind = static_cast<std::uint8_t>(kind);
  to.part->slice.events.push_back(event);
}

void ProcessJoin::addSync(const PendingSync& sync, const NsysProcessPart& to) {
  NsysProcess& process = *to.tables;
  const SyncCall* const call = callOf(sync.correlation);
  RawSync raw;
  raw.source = sync.source;
  raw.role = roleOf(sync, call);
  raw.correlation = sync.correlation;
  raw.stream = sync.stream;
  const auto device = m_deviceOfContext.find(sync.context);
  if (device != m_deviceOfContext.end() && device->second >= 0 &&
      device->second <= std::numeric_limits<std::int32_t>::max())
    raw.device = static_cast<std::int32_t>(device->second);
  if (raw.role == SyncRole::StreamWait || raw.role == SyncRole::EventSync) {
    if (const RecordedEvent* const record = recordOf(sync, call)) {
      raw.recordCorrelation = record->correlation;
      raw.waitedStream = record->stream;
    }
  }
  RawEvent event{};
  event.begin = sync.begin;
  event.duration = sync.duration;
  event.setSource(sync.source);
  event.kind = static_cast<std::uint8_t>(EventKind::Sync);
  event.name = process.intern(syncName(raw.role), sync.source);
  if (sync.stream >= 0 || call == nullptr)
    event.track = process.tracks.ofStream(*process.tables, raw.device, sync.stream, TrackKind::Sync);
  else
    event.track = process.tracks.ofThread(*process.tables, call->thread, TrackKind::Sync);
  to.part->slice.syncs.push_back(raw);
  to.part->slice.events.push_back(event);
}

// What was joined needs no memory while the recording is built.
void ProcessJoin::release() {
  m_records = {};
  m_recordOfSync.clear();
  m_calls = {};
  for (const NsysProcessPart& of : m_parts) {
    NsysPending& pending = of.part->pending;
    pending.ranges = {};
    pending.syncs = {};
    pending.records = {};
    pending.calls = {};
    pending.sequences = {};
  }
}

void ProcessJoin::addFlows() {
  std::vector<SequenceRange> ranges;
  std::vector<std::size_t> owner;
  for (std::size_t i = 0; i < m_parts.size(); ++i) {
    const auto& own = m_parts[i].part->pending.sequences;
    ranges.insert(ranges.end(), own.begin(), own.end());
    owner.insert(owner.end(), own.size(), i);
  }
  std::uint64_t id = 0;
  for (const SequenceLink& link : sequenceLinks(ranges)) {
    ++id;
    const auto add = [&](std::size_t index, bool start) {
      const SequenceRange& range = ranges[index];
      m_parts[owner[index]].part->slice.flows.push_back({id, range.range.begin, range.track, start});
    };
    add(link.forward, true);
    add(link.backward, false);
  }
}

} // namespace

std::vector<SequenceLink> sequenceLinks(std::span<const SequenceRange> ranges) {
  std::map<std::int64_t, std::vector<std::size_t>> threads;
  for (std::size_t i = 0; i < ranges.size(); ++i) threads[ranges[i].thread].push_back(i);
  std::vector<std::size_t> order;
  order.reserve(ranges.size());
  for (auto& [thread, own] : threads) {
    // Rows of a thread are almost in the order of their begins.
    sortRuns(own, [&](std::size_t a, std::size_t b) {
      const auto key = [&](std::size_t i) {
        const SequenceRange& range = ranges[i];
        // A node's range comes before the operator that it holds, also if both begin at once.
        return std::tuple(range.range.begin, -range.range.end, range.sequence.has_value(), i);
      };
      return key(a) < key(b);
    });
    order.insert(order.end(), own.begin(), own.end());
  }
  struct Node {
    TimeNs end = 0;
    bool taken = false; // its first operator was seen
  };
  std::vector<Node> open; // nodes of the current thread that hold the current range
  std::vector<std::size_t> forward, backward;
  const SequenceRange* last = nullptr;
  for (const std::size_t i : order) {
    const SequenceRange& range = ranges[i];
    if (last != nullptr && last->thread != range.thread) open.clear();
    last = &range;
    while (!open.empty() && open.back().end <= range.range.begin) open.pop_back();
    if (!range.sequence) {
      open.push_back({range.range.end, false});
    } else if (open.empty()) {
      forward.push_back(i);
    } else if (!open.back().taken) {
      open.back().taken = true;
      backward.push_back(i);
    }
  }
  const auto key = [&](std::size_t i) { return std::tuple(*ranges[i].sequence, ranges[i].range.begin, i); };
  sortRuns(forward, [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  std::vector<SequenceLink> links;
  links.reserve(backward.size());
  for (const std::size_t i : backward) {
    const auto after = std::ranges::lower_bound(
        forward, std::tuple(*ranges[i].sequence, ranges[i].range.begin, std::size_t{0}), {}, key);
    if (after == forward.begin()) continue;
    const std::size_t before = *std::prev(after);
    if (ranges[before].sequence == ranges[i].sequence) links.push_back({before, i});
  }
  return links;
}

void joinProcess(std::span<const NsysProcessPart> parts, TimeNs lastTime) {
  ProcessJoin(parts, lastTime).run();
}

std::vector<RawThreadFact> namesOfTracks(std::int64_t process, const NsysExport& facts, NsysStrings& strings,
                                         std::span<const NsysProcessPart> parts) {
  std::vector<RawThreadFact> names;
  const std::string pid = std::to_string(pidOf(process));
  std::map<std::int64_t, std::string> threads; // names that the program gave
  for (const NsysProcessPart& of : parts) {
    for (const auto& [thread, name] : of.part->pending.threads) threads[tidOf(thread)] = name;
  }
  const auto nameOf = [&](std::int64_t tid) {
    if (const auto own = threads.find(tid); own != threads.end() && !own->second.empty()) return own->second;
    const auto known = facts.threadNames.find(process | tid);
    if (known == facts.threadNames.end()) return std::string();
    const auto text = strings.text(known->second);
    return text ? displayText(*text) : std::string();
  };
  if (const auto name = facts.processes.find(process); name != facts.processes.end())
    names.push_back({ThreadFact::ProcessName, pid, {}, name->second});
  std::set<std::pair<std::string, std::string>> seen;
  for (const NsysProcessPart& of : parts) {
    for (const RawTrack& track : of.tables->tables->tracks) {
      if (!seen.emplace(track.process, track.thread).second) continue;
      if (track.kind == TrackKind::Stream) {
        const std::int64_t stream = std::strtoll(track.thread.c_str(), nullptr, 10);
        const auto own = facts.streamNames.find({pidOf(process), stream});
        names.push_back({ThreadFact::ThreadName, track.process, track.thread,
                         own != facts.streamNames.end() ? own->second : "stream " + track.thread});
        continue;
      }
      if (track.process != pid || track.device >= 0) continue;
      char* end = nullptr;
      const std::int64_t tid = std::strtoll(track.thread.c_str(), &end, 10);
      if (end == track.thread.c_str()) continue;
      const std::string name = nameOf(tid);
      const std::string_view lane(end); // " NCCL"
      if (name.empty() && lane.empty()) continue;
      std::string text = "thread " + std::to_string(tid);
      if (!name.empty()) text.append(" (").append(name).append(")");
      names.push_back({ThreadFact::ThreadName, track.process, track.thread, text.append(lane)});
    }
  }
  return names;
}

} // namespace rankscope
