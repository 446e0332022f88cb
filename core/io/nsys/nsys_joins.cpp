// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_joins.h"

#include "core/base/exact_sum.h"
#include "core/base/raw_array.h"
#include "core/base/sort_runs.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace rankscope {

namespace {

constexpr std::string_view kReservedCounter = "Reserved memory (device allocations) [bytes]";
constexpr std::string_view kPinnedCounter = "Pinned host memory [bytes]";

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
    addReserved();
    addFlows();
    release();
  }

 private:
  void gather();
  void release();
  void nameDomains();
  void addRange(const PendingRange& range, const NsysProcessPart& to);
  void addSync(const PendingSync& sync, const NsysProcessPart& to);
  void addReserved();
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

// How much is reserved after each change. What was reserved before the capture is not known: the level is
// never below 0.
void ProcessJoin::addReserved() {
  std::vector<std::pair<const ReservedChange*, const NsysProcessPart*>> changes;
  for (const NsysProcessPart& of : m_parts) {
    for (const ReservedChange& change : of.part->pending.reserved) changes.emplace_back(&change, &of);
  }
  std::ranges::sort(changes, {}, [](const auto& of) { return std::tuple(of.first->time, of.first->source); });
  struct Level {
    ExactSum sum;
    ExactSum lowest;
  };
  std::map<std::pair<bool, std::int64_t>, Level> levels;
  for (const auto& [change, part] : changes) {
    Level& level = levels[{change->onHost, change->device}];
    level.sum += change->bytes;
    level.lowest = std::min(level.lowest, level.sum);
  }
  for (auto& [of, level] : levels) level.sum = ExactSum();
  for (const auto& [change, part] : changes) {
    Level& level = levels[{change->onHost, change->device}];
    level.sum += change->bytes;
    const std::string where =
        change->onHost || change->device < 0 ? "host" : "GPU " + std::to_string(change->device);
    part->part->slice.counters.push_back(
        {part->tables->intern(change->onHost ? kPinnedCounter : kReservedCounter, change->source),
         part->tables->intern(where, change->source), change->time,
         static_cast<double>(static_cast<std::int64_t>(level.sum - level.lowest))});
  }
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
    pending.reserved = {};
    pending.sequences = {};
    pending.storedSequences = {};
  }
}

// Numbers the threads of a process as its readers' tracks name them.
class ThreadNumbers {
 public:
  [[nodiscard]] std::size_t of(const ReaderTables& tables, std::uint32_t track) {
    std::vector<std::size_t>& known = m_ofTrack[&tables];
    if (known.size() <= track) known.resize(tables.tracks.size(), kUnknown);
    if (known[track] == kUnknown) {
      const RawTrack& named = tables.tracks[track];
      known[track] = m_threads.try_emplace({named.process, named.thread}, m_threads.size()).first->second;
    }
    return known[track];
  }
  [[nodiscard]] std::size_t count() const { return m_threads.size(); }

 private:
  static constexpr std::size_t kUnknown = SIZE_MAX;
  std::map<std::pair<std::string, std::string>, std::size_t> m_threads;
  std::map<const ReaderTables*, std::vector<std::size_t>> m_ofTrack;
};

// A range with a sequence number, or of a node.
struct NumberedRange {
  TimeNs begin;
  TimeNs end;
  std::int64_t sequence;
  std::uint32_t part;
  std::uint32_t track;

  [[nodiscard]] bool isNode() const { return sequence == SequenceNumber::kNode; }
  // Nodes come before the operators that they hold, also if both begin at once.
  [[nodiscard]] auto inThread() const { return std::tuple(begin, -end, !isNode()); }
  [[nodiscard]] auto inProcess() const { return std::tuple(sequence, begin); }
};

template <class Use> void eachSequence(std::span<const NsysProcessPart> parts, Use&& use) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const SliceEvents& slice = parts[i].part->slice;
    const std::span<const RawEvent> stored = slice.stored.events.values;
    const NsysPending& pending = parts[i].part->pending;
    for (const auto& own : {pending.storedSequences.values, std::span(pending.sequences)}) {
      for (const SequenceNumber& number : own)
        use(i, number.sequence,
            number.event < stored.size() ? stored[number.event] : slice.events[number.event - stored.size()]);
    }
  }
}

// Operators outside a node are forward ones; of those in a node the first is the backward one.
void divideThread(std::span<const NumberedRange> ranges, std::vector<NumberedRange>& forward,
                  std::vector<NumberedRange>& backward) {
  struct Node {
    TimeNs end = 0;
    bool taken = false; // its first operator was seen
  };
  std::vector<Node> open; // nodes that hold the current range
  for (const NumberedRange& range : ranges) {
    while (!open.empty() && open.back().end <= range.begin) open.pop_back();
    if (range.isNode()) {
      open.push_back({range.end, false});
    } else if (open.empty()) {
      forward.push_back(range);
    } else if (!open.back().taken) {
      open.back().taken = true;
      backward.push_back(range);
    }
  }
}

void ProcessJoin::addFlows() {
  ThreadNumbers threads;
  std::vector<std::size_t> counts; // by thread
  std::size_t numbered = 0;
  std::size_t nodes = 0;
  const auto threadOf = [&](std::size_t part, const RawEvent& event) {
    return threads.of(*m_parts[part].tables->tables, event.track);
  };
  eachSequence(m_parts, [&](std::size_t part, std::int64_t sequence, const RawEvent& event) {
    const std::size_t thread = threadOf(part, event);
    if (counts.size() <= thread) counts.resize(thread + 1);
    ++counts[thread];
    ++numbered;
    nodes += sequence == SequenceNumber::kNode ? 1 : 0;
  });
  if (nodes == 0) return;
  const RawArray<NumberedRange> ranges(numbered);
  std::vector<std::size_t> next(counts.size()); // place of a thread's next range
  std::exclusive_scan(counts.begin(), counts.end(), next.begin(), std::size_t{0});
  eachSequence(m_parts, [&](std::size_t part, std::int64_t sequence, const RawEvent& event) {
    ranges[next[threadOf(part, event)]++] = {event.begin, event.begin + event.duration, sequence,
                                             static_cast<std::uint32_t>(part), event.track};
  });
  std::vector<NumberedRange> forward;
  std::vector<NumberedRange> backward;
  forward.reserve(numbered - nodes);
  backward.reserve(nodes);
  for (std::size_t thread = 0; thread < counts.size(); ++thread) {
    const auto own = ranges.span().subspan(next[thread] - counts[thread], counts[thread]);
    // Rows of a thread are almost in the order of their begins.
    sortRuns(own, [](const NumberedRange& a, const NumberedRange& b) { return a.inThread() < b.inThread(); });
    divideThread(own, forward, backward);
  }
  sortRuns(forward,
           [](const NumberedRange& a, const NumberedRange& b) { return a.inProcess() < b.inProcess(); });
  std::uint64_t id = 0;
  for (const NumberedRange& of : backward) {
    // The last forward operator of the number that does not begin later.
    const auto after = std::ranges::lower_bound(forward, of.inProcess(), {}, &NumberedRange::inProcess);
    if (after == forward.begin() || std::prev(after)->sequence != of.sequence) continue;
    ++id;
    const auto add = [&](const NumberedRange& range, bool start) {
      m_parts[range.part].part->slice.flows.push_back({id, range.begin, range.track, start});
    };
    add(*std::prev(after), true);
    add(of, false);
  }
}

} // namespace

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
