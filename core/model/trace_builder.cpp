// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/trace_builder.h"

#include "core/base/exact_sum.h"
#include "core/base/parallel_for.h"
#include "core/model/begin_end_pairs.h"
#include "core/model/device_ids.h"
#include "core/model/event_layout.h"
#include "core/model/event_links.h"
#include "core/model/track_order.h"

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>
#include <unordered_map>

namespace rankscope {

namespace {

// An event at time 0 was clamped by the writer, because its time was before the base time. If all other
// events are this much later, it is invalid and must not extend the time axis.
constexpr TimeNs kMinClampDistance = 60'000'000'000;

// The state shared by the steps of building one rank.
struct Build {
  FileEvents file;
  RankTrace trace;
  std::vector<std::vector<std::uint32_t>> trackMaps; // per table and local track: index into trace.tracks
};

void fillCollectives(Build& build, const NameMaps& nameMaps) {
  std::vector<CollectiveDetail> collectives;
  std::unordered_map<SourceRef, std::size_t> bySource;
  for (const SliceEvents& slice : build.file.slices) {
    const auto name = [&](std::uint32_t local) {
      return local == kNoRecord ? NameId() : nameMaps[slice.tables][local];
    };
    for (const RawCollective& raw : slice.collectives) {
      bySource.emplace(raw.source, collectives.size());
      collectives.push_back({{},
                             name(raw.operation),
                             name(raw.dtype),
                             name(raw.groupName),
                             name(raw.groupDescription),
                             name(raw.groupRanks),
                             raw.inElements,
                             raw.outElements,
                             raw.groupSize,
                             raw.rankStart,
                             raw.rankStride,
                             raw.sequence,
                             raw.rank,
                             raw.peer,
                             raw.commsId});
    }
  }
  if (bySource.empty()) return;
  const RankTrace& trace = build.trace;
  for (EventIndex e(0); e.value < trace.events.size(); ++e.value) {
    const EventKind kind = trace.events.kind[e];
    if (kind != EventKind::Collective && kind != EventKind::HostCollective) continue;
    const auto found = bySource.find(trace.events.source[e]);
    if (found != bySource.end()) collectives[found->second].event = e;
  }
  std::erase_if(collectives, [](const CollectiveDetail& c) { return !c.event.valid(); });
  std::ranges::sort(collectives, {}, &CollectiveDetail::event);
  build.trace.collectives = Column(std::move(collectives));
}

void fillCounters(Build& build) {
  using Key = std::pair<std::string_view, std::string_view>;
  std::vector<std::pair<Key, std::pair<TimeNs, double>>> samples;
  for (const SliceEvents& slice : build.file.slices) {
    const StringInterner& names = build.file.tables[slice.tables]->names;
    for (const RawCounter& counter : slice.counters) {
      samples.push_back(
          {{names[NameId(counter.process)], names[NameId(counter.name)]}, {counter.time, counter.value}});
    }
  }
  std::ranges::stable_sort(samples, {}, [](const auto& s) { return std::tuple(s.first, s.second.first); });
  Key last;
  for (const auto& [key, sample] : samples) {
    if (build.trace.counters.empty() || key != last) {
      build.trace.counters.push_back({std::string(key.second), std::string(key.first), {}, {}});
      last = key;
    }
    build.trace.counters.back().times.push_back(sample.first + build.trace.metadata.baseTime);
    build.trace.counters.back().values.push_back(sample.second);
  }
}

void findExtent(RankTrace& trace) {
  const TimeNs zero = trace.metadata.baseTime;
  TimeRange atZero;
  std::optional<SourceRef> zeroAt; // the first such event in the file
  for (const Row& row : trace.rows) {
    const TrackKind kind = trace.tracks[row.track.value].kind;
    if (kind == TrackKind::Instants || kind == TrackKind::Overhead || row.size() == 0) continue;
    for (EventIndex e = row.firstEvent; e < row.endEvent; ++e.value) {
      if (trace.events.kind[e] == EventKind::Span) continue;
      const TimeRange range = trace.events.range(e);
      // Begins and ends of a row both ascend: after the first event that counts, only the last one matters
      // for the extent.
      if (range.begin == zero) {
        atZero = atZero.unitedWith({range.begin, std::max(range.end, range.begin + 1)});
        zeroAt = std::min(zeroAt.value_or(trace.events.source[e]), trace.events.source[e]);
        continue;
      }
      const TimeRange whole{range.begin, trace.events.range(EventIndex(row.endEvent.value - 1)).end};
      trace.extent = trace.extent.unitedWith({whole.begin, std::max(whole.end, whole.begin + 1)});
      break;
    }
  }
  if (atZero.empty()) return;
  if (trace.extent.empty() || trace.extent.begin - atZero.begin < kMinClampDistance) {
    trace.extent = trace.extent.unitedWith(atZero);
  } else {
    trace.diagnostics.add(DiagnosticKind::Suspicious, *zeroAt,
                          "events at time 0 are far before all others; excluded from the span");
  }
}

void decideStreamRoles(RankTrace& trace) {
  for (Track& track : trace.tracks) {
    if (track.kind != TrackKind::Stream) continue;
    ExactSum compute, communication, copies;
    for (std::size_t i = track.firstEvent.value; i < track.endEvent.value; ++i) {
      const EventIndex event(i);
      const TimeNs weight = trace.events.duration[event] + 1;
      switch (trace.events.kind[event]) {
      case EventKind::Kernel:
        compute += weight;
        break;
      case EventKind::Collective:
        communication += weight;
        break;
      default:
        copies += weight;
        break;
      }
    }
    track.role = communication > compute && communication >= copies ? StreamRole::Communication
                 : compute > 0                                      ? StreamRole::Compute
                                                                    : StreamRole::Copy;
  }
}

// In file order, with their positions as text.
Diagnostics published(const Diagnostics& diagnostics, std::string (*placeText)(SourceRef)) {
  std::vector<Diagnostic> items = diagnostics.items();
  if (placeText != nullptr) {
    for (Diagnostic& item : items) item.where = placeText(item.at);
  }
  std::ranges::stable_sort(items, {}, &Diagnostic::at);
  return {diagnostics.counts(), std::move(items)};
}

void reportCommonTracks(RankTrace& trace, std::span<const TrackIndex> common) {
  for (const TrackIndex index : common) {
    const Track& track = trace.tracks[index.value];
    for (EventIndex e = track.firstEvent; e < track.endEvent; ++e.value)
      trace.diagnostics.add(DiagnosticKind::Repaired, trace.events.source[e],
                            "of a thread or stream beyond the maximum number of tracks: on a shared track");
  }
}

} // namespace

NameMaps mergeNames(std::span<const std::unique_ptr<ReaderTables>> tables, StringInterner& names) {
  struct Appearance {
    SourceRef firstAt;
    std::uint32_t table;
    std::uint32_t local;
  };
  std::vector<Appearance> all;
  NameMaps maps(tables.size());
  for (std::uint32_t t = 0; t < tables.size(); ++t) {
    maps[t].resize(tables[t]->names.size());
    for (std::uint32_t n = 0; n < maps[t].size(); ++n) all.push_back({tables[t]->nameFirstAt[n], t, n});
  }
  // Two names may first appear at the same position (an event and its argument); then their text decides.
  std::ranges::sort(all, [&](const Appearance& a, const Appearance& b) {
    if (a.firstAt != b.firstAt) return a.firstAt < b.firstAt;
    return tables[a.table]->names[NameId(a.local)] < tables[b.table]->names[NameId(b.local)];
  });
  for (const Appearance& name : all) {
    const StringInterner& from = tables[name.table]->names;
    maps[name.table][name.local] =
        names.internHashed(from[NameId(name.local)], from.hashAt(NameId(name.local)));
  }
  return maps;
}

std::uint64_t eventCount(const FileEvents& file) {
  std::uint64_t count = 0;
  for (const SliceEvents& slice : file.slices) {
    count += slice.stored.events.values.size() + slice.events.size();
    count += static_cast<std::uint64_t>(std::ranges::count_if(slice.halves, &RawHalf::begins));
  }
  return count;
}

std::shared_ptr<const RankTrace> buildRankTrace(FileEvents file, const NameMaps& nameMaps,
                                                const StringTable& names, unsigned threadCount) {
  Build build{std::move(file), {}, {}};
  RankTrace& trace = build.trace;
  trace.metadata = std::move(build.file.metadata);
  trace.diagnostics = std::move(build.file.diagnostics);
  pairHalves(build.file, trace.diagnostics);
  for (const SliceEvents& slice : build.file.slices) {
    trace.fileEvents += slice.objects;
    trace.leftOut += slice.leftOut;
    trace.diagnostics.append(slice.diagnostics);
  }
  OrderedTracks tracks = orderTracks(build.file);
  trace.tracks = std::move(tracks.tracks);
  build.trackMaps = std::move(tracks.maps);
  layOutEvents(build.file, nameMaps, build.trackMaps, threadCount, trace);
  reportCommonTracks(trace, tracks.common);
  // Each part fills different members, from results that are complete at this point.
  const std::array<std::function<void()>, 5> parts{
      [&] { linkLaunches(trace); },
      [&] { linkForwardBackward(build.file, build.trackMaps, trace); },
      [&] { trace.pyramid = LongestPyramid(trace.events.duration.span()); },
      [&] { fillCollectives(build, nameMaps); },
      [&] { fillCounters(build); },
  };
  parallelFor(parts.size(), threadCount, [&](std::size_t part) { parts[part](); });
  linkWaits(build.file, trace);
  weighCommunicationEvidence(trace, names);
  findExtent(trace);
  decideStreamRoles(trace);
  findDevices(trace);
  nameMainThread(trace, names);
  trace.diagnostics = published(trace.diagnostics, build.file.placeText);
  return std::make_shared<const RankTrace>(std::move(trace));
}

} // namespace rankscope
