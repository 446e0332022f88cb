// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/trace_builder.h"

#include "core/base/parallel_for.h"
#include "core/model/begin_end_pairs.h"
#include "core/model/event_links.h"
#include "core/model/lane_layout.h"
#include "core/model/track_order.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace rankscope {

namespace {

// An event at time 0 was clamped by the writer (its true time lay before the base time); with the others this
// much later it is junk that must not stretch the axis.
constexpr TimeNs kJunkDistance = 60'000'000'000;

bool earlier(const RawEvent& a, const RawEvent& b) {
  if (a.begin != b.begin) return a.begin < b.begin;
  if (a.duration != b.duration) return a.duration > b.duration;
  return a.textAt < b.textAt;
}

// The state that the steps of building one rank hand to each other.
struct Build {
  FileEvents file;
  unsigned threadCount;
  RankTrace trace;
  std::vector<std::vector<std::uint32_t>> trackMaps; // per table and local track: index into trace.tracks
  std::vector<RawEvent> sorted;                      // by track, then as laid out
  std::vector<std::size_t> trackBegin;               // into sorted; one more than tracks
  std::vector<RawDevice> device; // of all slices; RawEvent::link of device events points here
  std::vector<RawMemory> memory;
};

// Events of all slices side by side per track, names and tracks renumbered, slices freed as they are drained.
void gatherByTrack(Build& build, const NameMaps& nameMaps) {
  std::vector<SliceEvents>& slices = build.file.slices;
  build.trackBegin.assign(build.trace.tracks.size() + 1, 0);
  for (const SliceEvents& slice : slices) {
    const auto& tracks = build.trackMaps[slice.tables];
    for (const RawEvent& event : slice.events) ++build.trackBegin[tracks[event.track] + 1];
  }
  std::partial_sum(build.trackBegin.begin(), build.trackBegin.end(), build.trackBegin.begin());
  build.sorted.resize(build.trackBegin.back());
  std::vector<std::size_t> next(build.trackBegin.begin(), build.trackBegin.end() - 1);
  for (SliceEvents& slice : slices) {
    const auto& tracks = build.trackMaps[slice.tables];
    const auto& names = nameMaps[slice.tables];
    const auto firstDevice = static_cast<std::uint32_t>(build.device.size());
    const auto firstMemory = static_cast<std::uint32_t>(build.memory.size());
    for (RawEvent event : slice.events) {
      const std::uint32_t track = tracks[event.track];
      event.name = names[event.name].value;
      const auto kind = static_cast<EventKind>(event.kind);
      if (isDeviceActivity(kind)) event.link += firstDevice;
      if (kind == EventKind::Instant && event.link != kNoRecord) event.link += firstMemory;
      build.sorted[next[track]++] = event;
    }
    build.device.insert(build.device.end(), slice.device.begin(), slice.device.end());
    build.memory.insert(build.memory.end(), slice.memory.begin(), slice.memory.end());
    slice.events = {};
    slice.device = {};
    slice.memory = {};
  }
}

// Sorts one track and orders it by row; returns how many events each row has.
std::vector<std::size_t> layOutTrack(std::span<RawEvent> events) {
  if (!std::is_sorted(events.begin(), events.end(), earlier))
    std::sort(events.begin(), events.end(), earlier);
  LaneLayout layout;
  std::vector<std::uint32_t> rowOf(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    rowOf[i] = layout.place({events[i].begin, events[i].begin + events[i].duration});
  }
  std::vector<std::size_t> rowSizes(layout.rowCount(), 0);
  for (const std::uint32_t row : rowOf) ++rowSizes[row];
  if (rowSizes.size() > 1) {
    std::vector<std::size_t> next(rowSizes.size(), 0);
    std::partial_sum(rowSizes.begin(), rowSizes.end() - 1, next.begin() + 1);
    std::vector<RawEvent> byRow(events.size());
    for (std::size_t i = 0; i < events.size(); ++i) byRow[next[rowOf[i]]++] = events[i];
    std::copy(byRow.begin(), byRow.end(), events.begin());
  }
  return rowSizes;
}

void layOutTracks(Build& build) {
  RankTrace& trace = build.trace;
  std::vector<std::vector<std::size_t>> rowSizes(trace.tracks.size());
  parallelFor(trace.tracks.size(), build.threadCount, [&](std::size_t t) {
    rowSizes[t] = layOutTrack(
        std::span(build.sorted).subspan(build.trackBegin[t], build.trackBegin[t + 1] - build.trackBegin[t]));
  });
  std::size_t event = 0;
  for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
    Track& track = trace.tracks[t];
    track.firstRow = RowIndex(trace.rows.size());
    track.firstEvent = EventIndex(event);
    for (const std::size_t size : rowSizes[t]) {
      trace.rows.push_back({TrackIndex(t), EventIndex(event), EventIndex(event + size)});
      event += size;
    }
    track.rowCount = static_cast<std::uint32_t>(rowSizes[t].size());
    track.endEvent = EventIndex(event);
  }
}

// Device tracks lie together, so their events do: the range that DeviceDetail is dense over.
void findDeviceRange(Build& build) {
  RankTrace& trace = build.trace;
  const auto isStream = [](const Track& track) { return track.kind == TrackKind::Stream; };
  const auto first = std::ranges::find_if(trace.tracks, isStream);
  if (first == trace.tracks.end()) return;
  const auto last = std::find_if_not(first, trace.tracks.end(), isStream);
  assert(std::none_of(last, trace.tracks.end(), isStream));
  trace.deviceBegin = first->firstEvent;
  trace.deviceEnd = std::prev(last)->endEvent;
}

void fillColumns(Build& build) {
  RankTrace& trace = build.trace;
  const std::size_t count = build.sorted.size();
  std::vector<TimeNs> begin(count), duration(count);
  std::vector<NameId> name(count);
  std::vector<EventKind> kind(count);
  std::vector<std::uint32_t> link(count);
  std::vector<std::uint64_t> textAt(count);
  std::vector<DeviceDetail> details(trace.deviceEnd.value - trace.deviceBegin.value);
  const TimeNs base = trace.metadata.baseTime;
  constexpr std::size_t kChunk = std::size_t{1} << 16;
  parallelFor((count + kChunk - 1) / kChunk, build.threadCount, [&](std::size_t chunk) {
    const std::size_t end = std::min(count, (chunk + 1) * kChunk);
    for (std::size_t i = chunk * kChunk; i < end; ++i) {
      const RawEvent& event = build.sorted[i];
      begin[i] = event.begin + base;
      duration[i] = event.duration;
      name[i] = NameId(event.name);
      kind[i] = static_cast<EventKind>(event.kind);
      textAt[i] = event.textAt;
      link[i] = event.link;
      if (trace.isDeviceEvent(EventIndex(i))) {
        const RawDevice& raw = build.device[event.link];
        details[i - trace.deviceBegin.value] = {
            {},        narrowId(raw.externalId), raw.device,       raw.stream,
            raw.bytes, raw.blocksPerSm,          raw.occupancyPct, CommunicationEvidence::None};
        link[i] = narrowId(raw.correlation);
      } else if (kind[i] == EventKind::Instant) {
        link[i] = 0;
      }
    }
  });
  trace.events = {Column(std::move(begin)), Column(std::move(duration)), Column(std::move(name)),
                  Column(std::move(kind)),  Column(std::move(link)),     Column(std::move(textAt))};
  trace.deviceDetails = Column(std::move(details));
  trace.pyramid = LongestPyramid(trace.events.duration.span());
}

void fillMemory(Build& build) {
  RankTrace& trace = build.trace;
  std::vector<MemoryEvent> memory;
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Instants) continue;
    for (std::size_t i = track.firstEvent.value; i < track.endEvent.value; ++i) {
      const RawEvent& event = build.sorted[i];
      if (event.link == kNoRecord) continue;
      const RawMemory& raw = build.memory[event.link];
      memory.push_back({event.begin + trace.metadata.baseTime, EventIndex(i), raw.bytes, raw.address,
                        raw.totalAllocated, raw.totalReserved, raw.deviceType, raw.device});
    }
  }
  std::ranges::sort(memory, {}, [](const MemoryEvent& m) { return std::pair(m.time, m.event); });
  trace.memory = Column(std::move(memory));
}

void fillCollectives(Build& build, const NameMaps& nameMaps) {
  std::vector<CollectiveDetail> collectives;
  std::unordered_map<std::uint64_t, std::size_t> byText;
  for (const SliceEvents& slice : build.file.slices) {
    const auto name = [&](std::uint32_t local) {
      return local == kNoRecord ? NameId() : nameMaps[slice.tables][local];
    };
    for (const RawCollective& raw : slice.collectives) {
      byText.emplace(raw.textAt, collectives.size());
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
  if (byText.empty()) return;
  for (std::size_t i = 0; i < build.sorted.size(); ++i) {
    const auto kind = static_cast<EventKind>(build.sorted[i].kind);
    if (kind != EventKind::Collective && kind != EventKind::HostCollective) continue;
    const auto found = byText.find(build.sorted[i].textAt);
    if (found != byText.end()) collectives[found->second].event = EventIndex(i);
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
  for (const Row& row : trace.rows) {
    const TrackKind kind = trace.tracks[row.track.value].kind;
    if (kind == TrackKind::Instants || kind == TrackKind::Overhead || row.size() == 0) continue;
    for (EventIndex e = row.firstEvent; e < row.endEvent; ++e.value) {
      if (trace.events.kind[e] == EventKind::Span) continue;
      const TimeRange range = trace.events.range(e);
      // Begins and ends of a row both rise: after the first event that counts, the last one closes the
      // extent.
      if (range.begin == zero) {
        atZero = atZero.unitedWith(range);
        continue;
      }
      const TimeRange whole{range.begin, trace.events.range(EventIndex(row.endEvent.value - 1)).end};
      trace.extent = trace.extent.unitedWith({whole.begin, std::max(whole.end, whole.begin + 1)});
      break;
    }
  }
  if (atZero.empty()) return;
  if (trace.extent.empty() || trace.extent.begin - atZero.begin < kJunkDistance) {
    trace.extent = trace.extent.unitedWith(atZero);
  } else {
    trace.diagnostics.add(DiagnosticKind::Doubted, 0,
                          "events at time 0 lie far before all others; they do not count to the span");
  }
}

void decideStreamRoles(RankTrace& trace) {
  for (Track& track : trace.tracks) {
    if (track.kind != TrackKind::Stream) continue;
    TimeNs compute = 0, communication = 0, copies = 0;
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

void findDevices(RankTrace& trace) {
  for (const DeviceDetail& detail : trace.deviceDetails) {
    if (std::ranges::find(trace.devices, detail.device) == trace.devices.end())
      trace.devices.push_back(detail.device);
  }
  std::ranges::sort(trace.devices);
}

} // namespace

NameMaps mergeNames(std::span<const std::unique_ptr<ReaderTables>> tables, StringInterner& names) {
  struct Appearance {
    std::uint64_t firstAt;
    std::uint32_t table;
    std::uint32_t local;
  };
  std::vector<Appearance> all;
  NameMaps maps(tables.size());
  for (std::uint32_t t = 0; t < tables.size(); ++t) {
    maps[t].resize(tables[t]->names.size());
    for (std::uint32_t n = 0; n < maps[t].size(); ++n) all.push_back({tables[t]->nameFirstAt[n], t, n});
  }
  // Two names can be met at one place (an event and its argument); their text decides then.
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

std::shared_ptr<const RankTrace> buildRankTrace(FileEvents file, const NameMaps& nameMaps,
                                                const StringTable& names, unsigned threadCount) {
  Build build{std::move(file), threadCount, {}, {}, {}, {}, {}, {}};
  RankTrace& trace = build.trace;
  trace.metadata = std::move(build.file.metadata);
  trace.diagnostics = std::move(build.file.diagnostics);
  pairHalves(build.file, trace.diagnostics);
  for (const SliceEvents& slice : build.file.slices) {
    trace.fileEvents += slice.objects;
    trace.diagnostics.append(slice.diagnostics);
  }
  std::tie(trace.tracks, build.trackMaps) = orderTracks(build.file);
  gatherByTrack(build, nameMaps);
  layOutTracks(build);
  findDeviceRange(build);
  fillColumns(build);
  fillMemory(build);
  fillCollectives(build, nameMaps);
  fillCounters(build);
  linkLaunches(trace);
  weighCommunicationEvidence(trace, names);
  linkForwardBackward(build.file, build.trackMaps, trace);
  findExtent(trace);
  decideStreamRoles(trace);
  findDevices(trace);
  nameMainThread(trace, names);
  return std::make_shared<const RankTrace>(std::move(trace));
}

namespace {

// The recording with every time replaced by what toNew makes of it. toNew rises.
template <class ToNew> std::shared_ptr<RankTrace> retimed(const RankTrace& trace, ToNew toNew) {
  auto moved = std::make_shared<RankTrace>(trace);
  std::vector<TimeNs> begin(trace.events.size()), duration(trace.events.size());
  for (EventIndex e(0); e.value < trace.events.size(); ++e.value) {
    const TimeRange range = trace.events.range(e);
    begin[e.value] = toNew(range.begin);
    duration[e.value] = toNew(range.end) - begin[e.value];
  }
  moved->events.begin = Column(std::move(begin));
  moved->events.duration = Column(std::move(duration));
  moved->pyramid = LongestPyramid(moved->events.duration.span());
  std::vector<MemoryEvent> memory = moved->memory.take();
  for (MemoryEvent& event : memory) event.time = toNew(event.time);
  moved->memory = Column(std::move(memory));
  for (CounterSeries& series : moved->counters) {
    for (TimeNs& time : series.times) time = toNew(time);
  }
  if (!moved->extent.empty()) moved->extent = {toNew(trace.extent.begin), toNew(trace.extent.end)};
  return moved;
}

} // namespace

std::shared_ptr<const RankTrace> movedInTime(const RankTrace& trace, TimeNs shift) {
  auto moved = retimed(trace, [&](TimeNs time) { return time + shift; });
  moved->metadata.baseTime += shift;
  return moved;
}

std::shared_ptr<const RankTrace> timedBy(const RankTrace& trace, const ClockCorrection& correction) {
  return retimed(trace, [&](TimeNs time) { return correction.toJob(time); });
}

} // namespace rankscope
