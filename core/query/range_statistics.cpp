// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/range_statistics.h"

#include "core/base/parallel_for.h"
#include "core/index/interval_builder.h"
#include "core/model/row_sweep.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <mutex>
#include <span>
#include <tuple>
#include <utility>

namespace rankscope {
namespace {

constexpr std::uint32_t kBetweenLooks = 1u << 16; // events between two checks of the cancel flag

bool precedes(EventRef a, EventRef b) {
  return std::tie(a.rank, a.event) < std::tie(b.rank, b.event);
}

void add(EventSums& sums, EventRef event, TimeNs length, bool cut) {
  const bool first = sums.count == 0;
  ++sums.count;
  sums.cut += cut ? 1 : 0;
  sums.total += length;
  sums.self += length;
  sums.shortest = first ? length : std::min(sums.shortest, length);
  if (first || length > sums.longest) {
    sums.longest = length;
    sums.longestEvent = event;
  }
}

void add(EventSums& to, const EventSums& from) {
  if (from.count == 0) return;
  const bool first = to.count == 0;
  to.count += from.count;
  to.cut += from.cut;
  to.total += from.total;
  to.self += from.self;
  to.shortest = first ? from.shortest : std::min(to.shortest, from.shortest);
  if (first || from.longest > to.longest ||
      (from.longest == to.longest && precedes(from.longestEvent, to.longestEvent))) {
    to.longest = from.longest;
    to.longestEvent = from.longestEvent;
  }
}

// Sums by name and kind. Nearly every name has a single kind.
class NameTable {
 public:
  explicit NameTable(std::size_t names) : m_first(names + 1, kNone) {}

  EventSums& of(NameId name, EventKind kind) {
    std::uint32_t* link = &m_first[name.valid() ? name.value : m_first.size() - 1];
    while (*link != kNone && m_entries[*link].sums.kind != kind) link = &m_entries[*link].next;
    if (*link == kNone) {
      *link = static_cast<std::uint32_t>(m_entries.size());
      m_entries.push_back({{name, kind, {}}, kNone});
      return m_entries.back().sums.sums;
    }
    return m_entries[*link].sums.sums;
  }

  [[nodiscard]] std::size_t size() const { return m_entries.size(); }
  [[nodiscard]] const NameSums& at(std::size_t i) const { return m_entries[i].sums; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  struct Entry {
    NameSums sums;
    std::uint32_t next;
  };

  std::vector<std::uint32_t> m_first; // by name, events without a name last
  std::vector<Entry> m_entries;
};

// Sums of one thread.
struct Tally {
  NameTable names;
  std::array<KindSums, kEventKindCount> kinds;

  explicit Tally(std::size_t nameCount) : names(nameCount) {
    for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i].kind = static_cast<EventKind>(i);
  }
};

TimeNs unionLength(const std::array<IntervalSet, kEventKindCount>& sets, bool (*counts)(EventKind)) {
  IntervalSet all;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (!sets[i].empty() && counts(static_cast<EventKind>(i)))
      all = all.empty() ? sets[i] : unionOf(all, sets[i]);
  }
  return all.totalLength();
}

// Processes a rank's rows one by one, with the part of each event in the range.
class RankWalk {
 public:
  RankWalk(const TraceSet& traces, RankIndex rank, Tally& tally)
      : m_rank(rank), m_trace(*traces.rank(rank).trace), m_events(m_trace.events), m_tally(tally) {
    m_sums.rank = rank;
  }

  void beginTrack() {
    for (IntervalBuilder& builder : m_busy) builder.beginThread();
  }
  void beginRow() {
    for (IntervalBuilder& builder : m_busy) builder.beginRow();
  }
  void add(EventIndex event, TimeRange whole, TimeRange part) {
    const EventKind kind = m_events.kind[event];
    const EventRef ref{m_rank, event};
    const bool cut = part != whole;
    rankscope::add(m_tally.names.of(m_events.name[event], kind), ref, part.length(), cut);
    rankscope::add(m_kinds[static_cast<std::size_t>(kind)], ref, part.length(), cut);
    m_busy[static_cast<std::size_t>(kind)].add(part);
  }
  // Subtracts the time of a nested event from this event's self time.
  void takeSelf(EventIndex event, TimeNs length) {
    const EventKind kind = m_events.kind[event];
    m_tally.names.of(m_events.name[event], kind).self -= length;
    m_kinds[static_cast<std::size_t>(kind)].self -= length;
  }

  RankSums end() {
    std::array<IntervalSet, kEventKindCount> sets;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      sets[i] = m_busy[i].take();
      m_tally.kinds[i].busy += sets[i].totalLength();
      rankscope::add(m_tally.kinds[i].sums, m_kinds[i]);
      rankscope::add(m_sums.sums, m_kinds[i]);
    }
    const auto isHost = [](EventKind kind) {
      return kind == EventKind::CpuOp || kind == EventKind::HostCollective || kind == EventKind::Runtime;
    };
    const IntervalSet& compute = sets[static_cast<std::size_t>(EventKind::Kernel)];
    const IntervalSet& communication = sets[static_cast<std::size_t>(EventKind::Collective)];
    m_sums.host = unionLength(sets, isHost);
    m_sums.busy = unionLength(
        sets, [](EventKind kind) { return isDeviceActivity(kind) || kind <= EventKind::Runtime; });
    if (m_sums.busy == 0) m_sums.busy = unionLength(sets, [](EventKind) { return true; });
    m_sums.device = unionLength(sets, isDeviceActivity);
    m_sums.compute = compute.totalLength();
    m_sums.communication = communication.totalLength();
    m_sums.exposed = m_sums.communication - commonLength(communication, compute);
    return m_sums;
  }

 private:
  RankIndex m_rank;
  const RankTrace& m_trace;
  const EventColumns& m_events;
  Tally& m_tally;
  std::array<EventSums, kEventKindCount> m_kinds;
  std::array<IntervalBuilder, kEventKindCount> m_busy;
  RankSums m_sums;
};

bool nests(TrackKind kind) {
  return kind == TrackKind::Thread || kind == TrackKind::Python || kind == TrackKind::Annotations ||
         kind == TrackKind::GpuAnnotations;
}

// Subtracts nested times from self times: from the lowest open event above each event that begins. False if
// cancelled.
bool takeSelves(const RankTrace& trace, std::span<const RowSweep::Part> rows, TimeRange range, RankWalk& walk,
                const std::atomic<bool>& cancel) {
  RowSweep sweep(trace.events, rows);
  for (std::uint32_t times = 0; sweep.next([](EventIndex) { return true; }); ++times) {
    if (times % kBetweenLooks == 0 && cancel) return false;
    for (const auto& [event, row] : sweep.begun()) {
      const TimeRange whole = trace.events.range(event);
      const EventIndex parent = sweep.lowestUntil(row, whole.begin + 1);
      if (parent.valid())
        walk.takeSelf(parent, whole.clippedTo(range).clippedTo(trace.events.range(parent)).length());
    }
  }
  return true;
}

// Adds a track's events; false if cancelled.
bool addTrack(const RankTrace& trace, const Track& track, TimeRange range, RankWalk& walk,
              const std::atomic<bool>& cancel) {
  std::vector<RowSweep::Part> rows;
  walk.beginTrack();
  for (std::uint32_t i = 0; i < track.rowCount; ++i) {
    const auto [first, end] = eventsWithin(trace, trace.rows[track.firstRow.value + i], range);
    rows.push_back({first, end});
    walk.beginRow();
    for (EventIndex event = first; event < end; ++event.value) {
      if ((event.value - first.value) % kBetweenLooks == 0 && cancel) return false;
      const TimeRange whole = trace.events.range(event);
      walk.add(event, whole, whole.clippedTo(range));
    }
  }
  return !nests(track.kind) || track.rowCount < 2 || takeSelves(trace, rows, range, walk, cancel);
}

RangeStatistics merged(RangeScope scope, const std::vector<Tally>& tallies, std::vector<RankSums> ranks,
                       std::size_t nameCount) {
  RangeStatistics statistics;
  statistics.scope = std::move(scope);
  NameTable names(nameCount);
  std::array<KindSums, kEventKindCount> kinds;
  for (const Tally& tally : tallies) {
    for (std::size_t i = 0; i < tally.names.size(); ++i) {
      const NameSums& part = tally.names.at(i);
      add(names.of(part.name, part.kind), part.sums);
    }
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      kinds[i].kind = static_cast<EventKind>(i);
      kinds[i].busy += tally.kinds[i].busy;
      add(kinds[i].sums, tally.kinds[i].sums);
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i) statistics.names.push_back(names.at(i));
  std::ranges::sort(statistics.names, [](const NameSums& a, const NameSums& b) {
    return std::tie(b.sums.total, a.name, a.kind) < std::tie(a.sums.total, b.name, b.kind);
  });
  std::ranges::copy_if(kinds, std::back_inserter(statistics.kinds),
                       [](const KindSums& kind) { return kind.sums.count > 0; });
  statistics.ranks = std::move(ranks);
  for (const RankSums& rank : statistics.ranks) add(statistics.sums, rank.sums);
  return statistics;
}

// Calls walkRank(position, tally) for every position on several threads, each with its own tally.
template <class WalkRank>
std::vector<Tally> tallied(std::size_t count, std::size_t names, unsigned threads, WalkRank&& walkRank) {
  const std::size_t workers = std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(count, 1));
  std::vector<Tally> tallies(workers, Tally(names));
  std::atomic<std::size_t> next{0};
  parallelFor(workers, static_cast<unsigned>(workers), [&](std::size_t worker) {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) walkRank(i, tallies[worker]);
  });
  return tallies;
}

} // namespace

TimeNs EventSums::mean() const {
  if (count == 0) return 0;
  const auto n = static_cast<TimeNs>(count);
  const TimeNs rest = total % n;
  return total / n + (rest >= n - rest ? 1 : 0);
}

std::pair<EventIndex, EventIndex> eventsWithin(const RankTrace& trace, const Row& row, TimeRange range) {
  if (range.empty()) return {row.firstEvent, row.firstEvent};
  const auto begins = trace.events.begin.span().subspan(row.firstEvent.value, row.size());
  const auto durations = trace.events.duration.span().subspan(row.firstEvent.value, row.size());
  std::size_t low = 0;
  std::size_t high = begins.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (begins[middle] >= range.begin || begins[middle] + durations[middle] > range.begin)
      high = middle;
    else
      low = middle + 1;
  }
  const auto end =
      std::lower_bound(begins.begin() + static_cast<std::ptrdiff_t>(low), begins.end(), range.end);
  return {EventIndex(row.firstEvent.value + low),
          EventIndex(row.firstEvent.value + static_cast<std::size_t>(end - begins.begin()))};
}

std::optional<RangeStatistics> rangeStatistics(const TraceSet& traces, RangeScope scope, unsigned threads,
                                               const std::atomic<bool>& cancel) {
  std::vector<RankTracks> wanted = scope.tracks;
  if (wanted.empty()) {
    for (std::size_t i = 0; i < traces.ranks().size(); ++i) {
      RankTracks& all = wanted.emplace_back();
      all.rank = RankIndex(i);
      const std::size_t tracks = traces.rank(all.rank).trace->tracks.size();
      for (std::size_t track = 0; track < tracks; ++track) all.tracks.emplace_back(track);
    }
  }
  const std::size_t names = traces.names().size();
  std::vector<RankSums> ranks(wanted.size());
  const std::vector<Tally> tallies = tallied(wanted.size(), names, threads, [&](std::size_t i, Tally& tally) {
    const RankTrace& trace = *traces.rank(wanted[i].rank).trace;
    RankWalk walk(traces, wanted[i].rank, tally);
    const std::size_t rank = wanted[i].rank.value;
    const TimeNs shift = rank < scope.shifts.size() ? scope.shifts[rank] : 0;
    const TimeRange range{movedTime(scope.range.begin, -shift), movedTime(scope.range.end, -shift)};
    for (const TrackIndex track : wanted[i].tracks) {
      if (cancel || !addTrack(trace, trace.tracks[track.value], range, walk, cancel)) return;
    }
    ranks[i] = walk.end();
  });
  if (cancel) return std::nullopt;
  return merged(std::move(scope), tallies, std::move(ranks), names);
}

std::optional<RangeStatistics> hitStatistics(const TraceSet& traces, const SearchHits& hits, unsigned threads,
                                             const std::atomic<bool>& cancel) {
  const std::size_t names = traces.names().size();
  std::vector<RankSums> ranks(hits.ranks.size());
  std::vector<TimeRange> extents(hits.ranks.size());
  const auto walkRank = [&](std::size_t i, Tally& tally) {
    if (!hits.ranks[i]) return;
    const RankIndex rank(i);
    RankWalk walk(traces, rank, tally);
    const RankTrace& trace = *traces.rank(rank).trace;
    std::uint32_t rowEnd = 0;
    for (const EventIndex event : hits.ranks[i]->events) {
      if (cancel) return;
      if (event.value >= rowEnd) {
        walk.beginTrack();
        walk.beginRow();
        rowEnd = trace.rows[trace.rowOf(event).value].endEvent.value;
      }
      const TimeRange whole = trace.events.range(event);
      walk.add(event, whole, whole);
      extents[i] = extents[i].unitedWith({whole.begin, std::max(whole.end, whole.begin + 1)});
    }
    ranks[i] = walk.end();
  };
  const std::vector<Tally> tallies = tallied(hits.ranks.size(), names, threads, walkRank);
  if (cancel) return std::nullopt;
  RangeScope scope;
  for (const TimeRange& extent : extents) scope.range = scope.range.unitedWith(extent);
  std::erase_if(ranks, [](const RankSums& rank) { return rank.sums.count == 0; });
  return merged(std::move(scope), tallies, std::move(ranks), names);
}

} // namespace rankscope
