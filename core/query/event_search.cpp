// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/event_search.h"

#include "core/base/parallel_for.h"
#include "core/base/sort_runs.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {
namespace {

constexpr std::uint32_t kAllKinds = (1u << kEventKindCount) - 1;
constexpr std::size_t kNamesATask = 2048;
constexpr std::size_t kEventsATask = std::size_t{1} << 18;

bool anyContains(std::span<const TimeRange> ranges, std::int64_t value) {
  return std::ranges::any_of(ranges, [value](TimeRange range) { return range.contains(value); });
}

bool anyAccepts(const SearchTerm& term, std::string_view text) {
  return std::ranges::any_of(term.texts, [text](const WantedText& wanted) { return wanted.accepts(text); });
}

// Words that identify a track; each is tested separately.
std::vector<std::string> wordsOf(const Track& track) {
  std::vector<std::string> words{track.thread, track.threadName};
  const auto add = [&](const char* word) { words.emplace_back(word); };
  switch (track.kind) {
  case TrackKind::Annotations:
    add("annotations");
    break;
  case TrackKind::Thread:
    add("thread operators");
    break;
  case TrackKind::Python:
    add("python stack");
    break;
  case TrackKind::Stream:
    words.push_back("stream " + track.thread);
    break;
  case TrackKind::GpuAnnotations:
    words.push_back("annotations on stream " + track.thread);
    break;
  case TrackKind::Sync:
    words.push_back("sync on stream " + track.thread);
    break;
  case TrackKind::Instants:
    add("instants");
    break;
  case TrackKind::Overhead:
    add("profiler overhead");
    break;
  case TrackKind::Other:
    break;
  }
  if (track.mainThread) words.push_back("main thread " + track.thread);
  switch (track.role) {
  case StreamRole::Compute:
    add("compute");
    break;
  case StreamRole::Communication:
    add("communication nccl");
    break;
  case StreamRole::Copy:
    add("memcpy copies");
    break;
  case StreamRole::None:
    break;
  }
  return words;
}

bool isDeviceTrack(const Track& track) {
  return track.kind == TrackKind::Stream || track.kind == TrackKind::GpuAnnotations ||
         track.kind == TrackKind::Sync;
}

bool isNumber(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// A number must match a thread or stream completely: stream:7 is not stream 17.
bool matchesId(const SearchTerm& term, std::string_view id, std::span<const std::string> words) {
  return std::ranges::any_of(term.texts, [&](const WantedText& wanted) {
    if (wanted.test == TextTest::Holds && isNumber(wanted.text)) return id == wanted.text;
    return std::ranges::any_of(words, [&](const std::string& word) { return wanted.accepts(word); });
  });
}

// For terms that depend on the track only.
bool trackHolds(const SearchTerm& term, const Track& track) {
  switch (term.field) {
  case QueryField::Track:
    return anyAccepts(term, track.processName) ||
           std::ranges::any_of(wordsOf(track),
                               [&](const std::string& word) { return anyAccepts(term, word); });
  case QueryField::Stream:
    return isDeviceTrack(track) && matchesId(term, track.thread, wordsOf(track));
  case QueryField::Thread:
    return !isDeviceTrack(track) && matchesId(term, track.thread, wordsOf(track));
  case QueryField::Process:
    return matchesId(term, track.process, std::vector<std::string>{track.process, track.processName});
  case QueryField::Device:
    return anyContains(term.numbers, track.device);
  default:
    return true;
  }
}

bool decidedByTrack(QueryField field) {
  return field == QueryField::Track || field == QueryField::Stream || field == QueryField::Thread ||
         field == QueryField::Process || field == QueryField::Device;
}

bool decidedByName(QueryField field) {
  return field == QueryField::Name || field == QueryField::Phase;
}

} // namespace

struct EventSearch::Ready {
  const TraceSet& traces;
  SearchQuery query;
  std::vector<std::uint8_t> names; // by NameId: whether an event of this name may be a hit
  bool namelessToo = true;         // likewise for events without a name
  std::uint32_t kinds = kAllKinds;
  std::vector<const SearchTerm*> times; // terms on duration and start
  std::vector<const SearchTerm*> collectives;
  TimeNs origin = 0;

  Ready(const TraceSet& job, SearchQuery wanted) : traces(job), query(std::move(wanted)) {
    origin = job.extent().begin;
    for (const SearchTerm& term : query.terms) {
      if (term.field == QueryField::Kind) kinds &= term.negated ? ~term.kinds : term.kinds;
      if (term.field == QueryField::Duration || term.field == QueryField::Start) times.push_back(&term);
      if (term.field == QueryField::Group || term.field == QueryField::Collective)
        collectives.push_back(&term);
    }
  }

  [[nodiscard]] bool nameHolds(std::string_view name) const {
    std::optional<Phase> phase; // computed on demand
    return std::ranges::all_of(query.terms, [&](const SearchTerm& term) {
      if (term.field == QueryField::Name) return anyAccepts(term, name) != term.negated;
      if (term.field != QueryField::Phase) return true;
      if (!phase) phase = phaseOf(name);
      return ((term.phases >> static_cast<unsigned>(*phase) & 1u) != 0) != term.negated;
    });
  }

  void testNames(unsigned threads) {
    const StringTable& table = traces.names();
    names.assign(table.size(), 1);
    const bool any = std::ranges::any_of(query.terms, decidedByName, &SearchTerm::field);
    if (!any) return;
    namelessToo = nameHolds({});
    const std::size_t tasks = (names.size() + kNamesATask - 1) / kNamesATask;
    parallelFor(tasks, threads, [&](std::size_t task) {
      const std::size_t end = std::min(names.size(), (task + 1) * kNamesATask);
      for (std::size_t i = task * kNamesATask; i < end; ++i) names[i] = nameHolds(table[NameId(i)]) ? 1 : 0;
    });
  }

  [[nodiscard]] bool rankHolds(RankIndex rank) const {
    return std::ranges::all_of(query.terms, [&](const SearchTerm& term) {
      return term.field != QueryField::Rank ||
             anyContains(term.numbers, traces.rank(rank).rank) != term.negated;
    });
  }

  [[nodiscard]] bool trackHoldsAll(const Track& track) const {
    return std::ranges::all_of(query.terms, [&](const SearchTerm& term) {
      return !decidedByTrack(term.field) || trackHolds(term, track) != term.negated;
    });
  }

  [[nodiscard]] bool nameAndKindHold(NameId name, EventKind kind) const {
    return (name.valid() ? names[name.value] != 0 : namelessToo) && (kinds & bit(kind)) != 0;
  }

  // Tests the terms that do not depend on name, kind or track alone.
  [[nodiscard]] bool restHolds(const RankTrace& trace, EventIndex event) const {
    for (const SearchTerm* const term : times) {
      const TimeNs value = term->field == QueryField::Duration ? trace.events.duration[event]
                                                               : trace.events.begin[event] - origin;
      if (anyContains(term->numbers, value) == term->negated) return false;
    }
    if (collectives.empty()) return true;
    const CollectiveDetail* const detail = trace.collectiveOf(event);
    for (const SearchTerm* const term : collectives) {
      const auto accepts = [&](NameId id) { return id.valid() && anyAccepts(*term, traces.names()[id]); };
      const bool holds = detail && (term->field == QueryField::Group
                                        ? accepts(detail->groupName) || accepts(detail->groupDescription)
                                        : accepts(detail->operation));
      if (holds == term->negated) return false;
    }
    return true;
  }

  void scan(const RankTrace& trace, EventIndex first, EventIndex end, std::vector<EventIndex>& hits) const {
    const auto eventNames = trace.events.name.span();
    const auto eventKinds = trace.events.kind.span();
    const bool more = !times.empty() || !collectives.empty();
    for (std::uint32_t i = first.value; i < end.value; ++i) {
      if (!nameAndKindHold(eventNames[i], eventKinds[i])) continue;
      const EventIndex event(i);
      if (!more || restHolds(trace, event)) hits.push_back(event);
    }
  }
};

EventSearch::EventSearch(const TraceSet& traces, const SearchQuery& query, unsigned threads) {
  auto ready = std::make_shared<Ready>(traces, query);
  ready->testNames(threads);
  m_ready = std::move(ready);
}

EventSearch::~EventSearch() = default;

bool EventSearch::matches(EventRef event) const {
  const RankTrace& trace = *m_ready->traces.rank(event.rank).trace;
  return m_ready->rankHolds(event.rank) &&
         m_ready->nameAndKindHold(trace.events.name[event.event], trace.events.kind[event.event]) &&
         m_ready->trackHoldsAll(trace.tracks[trace.trackOf(event.event).value]) &&
         m_ready->restHolds(trace, event.event);
}

namespace {

// A part of a rank's events for one thread.
struct ScanTask {
  RankIndex rank;
  EventIndex first;
  EventIndex end;
  std::vector<EventIndex> hits;
};

void addTasks(RankIndex rank, const Track& track, std::vector<ScanTask>& tasks) {
  for (std::size_t first = track.firstEvent.value; first < track.endEvent.value; first += kEventsATask) {
    const std::size_t end = std::min<std::size_t>(track.endEvent.value, first + kEventsATask);
    // Merge adjacent small tracks into one task.
    if (!tasks.empty() && tasks.back().rank == rank && tasks.back().end.value == first &&
        end - tasks.back().first.value <= kEventsATask)
      tasks.back().end = EventIndex(end);
    else
      tasks.push_back({rank, EventIndex(first), EventIndex(end), {}});
  }
}

std::shared_ptr<const RankHits> merged(const RankTrace& trace, std::span<ScanTask> tasks) {
  auto hits = std::make_shared<RankHits>();
  if (tasks.size() == 1) {
    hits->events = std::move(tasks.front().hits);
  } else {
    std::size_t count = 0;
    for (const ScanTask& task : tasks) count += task.hits.size();
    hits->events.reserve(count);
    for (ScanTask& task : tasks) {
      hits->events.insert(hits->events.end(), task.hits.begin(), task.hits.end());
      task.hits = {};
    }
  }
  hits->events.shrink_to_fit();
  const auto begins = trace.events.begin.span();
  const auto durations = trace.events.duration.span();
  hits->byTime = hits->events;
  sortRuns(hits->byTime, [begins](EventIndex a, EventIndex b) { return begins[a.value] < begins[b.value]; });
  for (const EventIndex event : hits->byTime) {
    const TimeNs duration = durations[event.value];
    hits->total += duration;
    if (!hits->longest.valid() || duration > durations[hits->longest.value]) hits->longest = event;
    if (!hits->shortest.valid() || duration < durations[hits->shortest.value]) hits->shortest = event;
  }
  return hits;
}

} // namespace

void EventSearch::run(unsigned threads, const std::atomic<bool>& cancel, const Found& found) const {
  const Ready& ready = *m_ready;
  const std::size_t ranks = ready.traces.ranks().size();
  std::vector<ScanTask> tasks;
  std::vector<std::size_t> firstTask;
  for (std::size_t i = 0; i < ranks; ++i) {
    firstTask.push_back(tasks.size());
    if (!ready.rankHolds(RankIndex(i)) || ready.kinds == 0) continue;
    for (const Track& track : ready.traces.rank(RankIndex(i)).trace->tracks) {
      if (ready.trackHoldsAll(track)) addTasks(RankIndex(i), track, tasks);
    }
  }
  firstTask.push_back(tasks.size());
  std::vector<std::atomic<std::size_t>> left(ranks);
  std::mutex oneAtATime;
  const auto hand = [&](std::size_t rank, std::shared_ptr<const RankHits> hits) {
    const std::scoped_lock lock(oneAtATime);
    found(RankIndex(rank), std::move(hits));
  };
  for (std::size_t i = 0; i < ranks; ++i) {
    left[i] = firstTask[i + 1] - firstTask[i];
    if (left[i] == 0 && !cancel) hand(i, std::make_shared<RankHits>());
  }
  parallelFor(tasks.size(), threads, [&](std::size_t i) {
    if (cancel) return;
    ScanTask& task = tasks[i];
    const RankTrace& trace = *ready.traces.rank(task.rank).trace;
    ready.scan(trace, task.first, task.end, task.hits);
    const std::size_t rank = task.rank.value;
    if (left[rank].fetch_sub(1) > 1 || cancel) return;
    hand(rank,
         merged(trace, std::span(tasks).subspan(firstTask[rank], firstTask[rank + 1] - firstTask[rank])));
  });
}

SearchHits findEvents(const TraceSet& traces, const SearchQuery& query, unsigned threads,
                      const std::atomic<bool>& cancel) {
  SearchHits hits;
  hits.ranks.resize(traces.ranks().size());
  EventSearch(traces, query, threads).run(threads, cancel, [&](RankIndex rank, auto found) {
    hits.ranks[rank.value] = std::move(found);
  });
  return hits;
}

} // namespace rankscope
