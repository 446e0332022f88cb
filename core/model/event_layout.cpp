// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/event_layout.h"

#include "core/base/parallel_for.h"
#include "core/base/raw_array.h"
#include "core/base/sort_runs.h"
#include "core/model/event_links.h"
#include "core/model/lane_layout.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace rankscope {

namespace {

// Units of parallel work.
constexpr std::size_t kMaxGroups = 64;
constexpr std::size_t kChunk = std::size_t{1} << 16;

bool earlier(const RawEvent& a, const RawEvent& b) {
  if (a.begin != b.begin) return a.begin < b.begin;
  if (a.duration != b.duration) return a.duration > b.duration;
  return a.sourceBits < b.sourceBits;
}

template <class T> Column<T> columnOf(RawArray<T> values) {
  auto owner = std::make_shared<const RawArray<T>>(std::move(values));
  const std::span<const T> span = owner->span();
  return Column<T>(span, std::move(owner));
}

class Layout {
 public:
  Layout(FileEvents& file, const NameMaps& nameMaps, const std::vector<std::vector<std::uint32_t>>& trackMaps,
         unsigned threadCount, RankTrace& trace)
      : m_slices(file.slices), m_nameMaps(nameMaps), m_trackMaps(trackMaps), m_threadCount(threadCount),
        m_onlyLaunchedFrom(file.onlyLaunchedFrom), m_trace(trace) {}

  void findLaunches();
  void gather();
  void layOutTracks();
  void findDeviceRange();
  void fillColumns();
  void fillMemory();

 private:
  // By track: position of its next event.
  using Places = std::vector<std::size_t>;

  template <class Use> void eachEvent(const SliceEvents& slice, Use&& use) const {
    const auto useWanted = [&](const RawEvent& event) {
      if (!m_onlyLaunchedFrom || event.begin < *m_onlyLaunchedFrom || wasLaunched(slice, event)) use(event);
    };
    for (const RawEvent& event : slice.stored.events.values) useWanted(event);
    for (const RawEvent& event : slice.events) useWanted(event);
  }
  // True for all events other than device events.
  [[nodiscard]] bool wasLaunched(const SliceEvents& slice, const RawEvent& event) const;
  [[nodiscard]] std::pair<std::size_t, std::size_t> slicesOf(std::size_t group, std::size_t groups) const {
    return {m_slices.size() * group / groups, m_slices.size() * (group + 1) / groups};
  }
  void gatherSlice(SliceEvents& slice, std::size_t index, Places& next);
  void layOutTrack(std::size_t track);
  // By row of a track: position of the next event, starting at the track's event `at`.
  [[nodiscard]] Places placesAt(std::size_t track, std::size_t at) const;

  std::vector<SliceEvents>& m_slices;
  const NameMaps& m_nameMaps;
  const std::vector<std::vector<std::uint32_t>>& m_trackMaps;
  unsigned m_threadCount;
  std::optional<TimeNs> m_onlyLaunchedFrom;
  std::vector<std::uint64_t> m_launches; // correlations of the calls, ascending; only with m_onlyLaunchedFrom
  RankTrace& m_trace;

  RawArray<RawEvent> m_events; // by track, then by time; RawEvent::track becomes the row within its track
  std::vector<std::size_t> m_trackBegin;            // index into m_events; one more than tracks
  std::vector<std::vector<std::size_t>> m_rowSizes; // per track
  // Per track: number of events of each row before each multiple of kChunk inside the track.
  std::vector<std::vector<std::vector<std::size_t>>> m_rowsBefore;

  // Records of all slices in order; RawEvent::link is the index of an event's record.
  RawArray<RawDevice> m_device;
  RawArray<MemoryEvent> m_memory;          // times and events are set last
  std::vector<std::size_t> m_deviceBefore; // per slice
  std::vector<std::size_t> m_memoryBefore;
};

void Layout::findLaunches() {
  if (!m_onlyLaunchedFrom) return;
  std::uint64_t late = 0;
  for (const SliceEvents& slice : m_slices) {
    for (const std::span<const RawEvent> events : {slice.stored.events.values, std::span(slice.events)}) {
      for (const RawEvent& event : events) {
        if (static_cast<EventKind>(event.kind) == EventKind::Runtime && event.link != 0)
          m_launches.push_back(event.link);
      }
    }
  }
  std::ranges::sort(m_launches);
  for (const SliceEvents& slice : m_slices) {
    for (const std::span<const RawEvent> events : {slice.stored.events.values, std::span(slice.events)}) {
      late += static_cast<std::uint64_t>(std::ranges::count_if(events, [&](const RawEvent& event) {
        return event.begin >= *m_onlyLaunchedFrom && !wasLaunched(slice, event);
      }));
    }
  }
  m_trace.leftOut += late;
}

bool Layout::wasLaunched(const SliceEvents& slice, const RawEvent& event) const {
  if (!isDeviceActivity(static_cast<EventKind>(event.kind))) return true;
  const std::size_t stored = slice.stored.device.values.size();
  const RawDevice& record =
      event.link < stored ? slice.stored.device.values[event.link] : slice.device[event.link - stored];
  return record.correlation != 0 && std::ranges::binary_search(m_launches, record.correlation);
}

void Layout::gather() {
  const std::size_t tracks = m_trace.tracks.size();
  const std::size_t groups = std::min(m_slices.size(), kMaxGroups);
  std::vector<Places> counts(groups, Places(tracks));
  parallelFor(groups, m_threadCount, [&](std::size_t group) {
    const auto [first, last] = slicesOf(group, groups);
    for (std::size_t s = first; s < last; ++s) {
      const auto& map = m_trackMaps[m_slices[s].tables];
      eachEvent(m_slices[s], [&](const RawEvent& event) { ++counts[group][map[event.track]]; });
    }
  });
  // Convert counts to positions: events of earlier groups come first within a track.
  m_trackBegin.assign(tracks + 1, 0);
  std::size_t at = 0;
  for (std::size_t track = 0; track < tracks; ++track) {
    m_trackBegin[track] = at;
    for (Places& group : counts) at += std::exchange(group[track], at);
  }
  m_trackBegin[tracks] = at;
  m_events = RawArray<RawEvent>(at);

  std::size_t device = 0, memory = 0;
  for (const SliceEvents& slice : m_slices) {
    m_deviceBefore.push_back(device);
    m_memoryBefore.push_back(memory);
    device += slice.stored.device.values.size() + slice.device.size();
    memory += slice.stored.memory.values.size() + slice.memory.size();
  }
  m_device = RawArray<RawDevice>(device);
  m_memory = RawArray<MemoryEvent>(memory);
  parallelFor(groups, m_threadCount, [&](std::size_t group) {
    const auto [first, last] = slicesOf(group, groups);
    for (std::size_t s = first; s < last; ++s) gatherSlice(m_slices[s], s, counts[group]);
  });
}

// Renumbers names and tracks. The slice is empty afterwards.
void Layout::gatherSlice(SliceEvents& slice, std::size_t index, Places& next) {
  const auto& tracks = m_trackMaps[slice.tables];
  const auto& names = m_nameMaps[slice.tables];
  const auto firstDevice = static_cast<std::uint32_t>(m_deviceBefore[index]);
  const auto firstMemory = static_cast<std::uint32_t>(m_memoryBefore[index]);
  eachEvent(slice, [&](RawEvent event) {
    event.name = names[event.name].value;
    const auto kind = static_cast<EventKind>(event.kind);
    if (isDeviceActivity(kind)) event.link += firstDevice;
    if (kind == EventKind::Instant && event.link != kNoRecord) event.link += firstMemory;
    m_events[next[tracks[event.track]]++] = event;
  });
  std::size_t device = firstDevice;
  std::size_t memory = firstMemory;
  const auto takeRecords = [&](std::span<const RawDevice> ofDevice, std::span<const RawMemory> ofMemory) {
    for (const RawDevice& raw : ofDevice) m_device[device++] = raw;
    for (const RawMemory& raw : ofMemory) {
      m_memory[memory++] = {
          0, {}, raw.bytes, raw.address, raw.totalAllocated, raw.totalReserved, raw.deviceType, raw.device};
    }
  };
  takeRecords(slice.stored.device.values, slice.stored.memory.values);
  takeRecords(slice.device, slice.memory);
  slice.stored = {};
  slice.events = {};
  slice.device = {};
  slice.memory = {};
}

void Layout::layOutTrack(std::size_t track) {
  const std::size_t begin = m_trackBegin[track];
  const std::size_t end = m_trackBegin[track + 1];
  sortRuns(m_events.span().subspan(begin, end - begin), earlier);
  LaneLayout layout;
  std::vector<std::size_t>& sizes = m_rowSizes[track];
  for (std::size_t i = begin; i < end; ++i) {
    if (i % kChunk == 0 && i > begin) m_rowsBefore[track].push_back(sizes);
    RawEvent& event = m_events[i];
    event.track = layout.place({event.begin, event.begin + event.duration});
    if (event.track == sizes.size()) sizes.push_back(0);
    ++sizes[event.track];
  }
}

void Layout::layOutTracks() {
  const std::size_t tracks = m_trace.tracks.size();
  m_rowSizes.resize(tracks);
  m_rowsBefore.resize(tracks);
  // Longest tracks first; otherwise a long last track would occupy one thread while the others wait.
  std::vector<std::size_t> order(tracks);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>{},
                           [&](std::size_t t) { return m_trackBegin[t + 1] - m_trackBegin[t]; });
  parallelFor(tracks, m_threadCount, [&](std::size_t i) { layOutTrack(order[i]); });
  std::size_t event = 0;
  for (std::size_t t = 0; t < tracks; ++t) {
    Track& track = m_trace.tracks[t];
    track.firstRow = RowIndex(m_trace.rows.size());
    track.firstEvent = EventIndex(event);
    for (const std::size_t size : m_rowSizes[t]) {
      m_trace.rows.push_back({TrackIndex(t), EventIndex(event), EventIndex(event + size)});
      event += size;
    }
    track.rowCount = static_cast<std::uint32_t>(m_rowSizes[t].size());
    track.endEvent = EventIndex(event);
  }
}

// Device tracks are contiguous, and so are their events: DeviceDetail is dense over this range.
void Layout::findDeviceRange() {
  const auto isStream = [](const Track& track) { return track.kind == TrackKind::Stream; };
  const auto first = std::ranges::find_if(m_trace.tracks, isStream);
  if (first == m_trace.tracks.end()) return;
  const auto last = std::find_if_not(first, m_trace.tracks.end(), isStream);
  assert(std::none_of(last, m_trace.tracks.end(), isStream));
  m_trace.deviceBegin = first->firstEvent;
  m_trace.deviceEnd = std::prev(last)->endEvent;
}

Layout::Places Layout::placesAt(std::size_t track, std::size_t at) const {
  Places next;
  const std::uint32_t firstRow = m_trace.tracks[track].firstRow.value;
  for (std::uint32_t row = 0; row < m_trace.tracks[track].rowCount; ++row)
    next.push_back(m_trace.rows[firstRow + row].firstEvent.value);
  if (at > m_trackBegin[track]) { // inside the track, so `at` is a multiple of kChunk
    const std::size_t before = at / kChunk - m_trackBegin[track] / kChunk - 1;
    const std::vector<std::size_t>& rows = m_rowsBefore[track][before];
    for (std::size_t row = 0; row < rows.size(); ++row) next[row] += rows[row];
  }
  return next;
}

void Layout::fillColumns() {
  const std::size_t count = m_events.size();
  RawArray<TimeNs> begin(count), duration(count);
  RawArray<NameId> name(count);
  RawArray<EventKind> kind(count);
  RawArray<std::uint32_t> link(count);
  RawArray<SourceRef> source(count);
  std::vector<DeviceDetail> details(m_trace.deviceEnd.value - m_trace.deviceBegin.value);
  const TimeNs base = m_trace.metadata.baseTime;

  const auto put = [&](const RawEvent& event, std::size_t i) {
    begin[i] = event.begin + base;
    duration[i] = event.duration;
    name[i] = NameId(event.name);
    kind[i] = static_cast<EventKind>(event.kind);
    source[i] = event.source();
    link[i] = event.link;
    if (m_trace.isDeviceEvent(EventIndex(i))) {
      const RawDevice& raw = m_device[event.link];
      details[i - m_trace.deviceBegin.value] = {.launch = {},
                                                .externalId = narrowId(raw.externalId),
                                                .device = raw.device,
                                                .evidence = CommunicationEvidence::None,
                                                .stream = raw.stream,
                                                .bytes = raw.bytes,
                                                .blocksPerSm = raw.blocksPerSm,
                                                .occupancyPct = raw.occupancyPct};
      link[i] = narrowId(raw.correlation);
    } else if (kind[i] == EventKind::Instant) {
      link[i] = 0;
      if (event.link != kNoRecord) {
        m_memory[event.link].time = begin[i];
        m_memory[event.link].event = EventIndex(i);
      }
    }
  };
  // Copies events [first, last) of one track; next: position of the next event of each row.
  const auto putAll = [&](std::size_t first, std::size_t last, Places& next) {
    for (std::size_t i = first; i < last; ++i) put(m_events[i], next[m_events[i].track]++);
  };
  parallelFor((count + kChunk - 1) / kChunk, m_threadCount, [&](std::size_t chunk) {
    const std::size_t first = chunk * kChunk;
    const std::size_t last = std::min(count, first + kChunk);
    auto track =
        static_cast<std::size_t>(std::ranges::upper_bound(m_trackBegin, first) - m_trackBegin.begin() - 1);
    for (std::size_t at = first; at < last; ++track) {
      const std::size_t end = std::min(last, m_trackBegin[track + 1]);
      if (at == end) continue;
      Places next = placesAt(track, at);
      putAll(at, end, next);
      at = end;
    }
    m_events.giveBack(first, last);
  });
  m_trace.events = {columnOf(std::move(begin)), columnOf(std::move(duration)), columnOf(std::move(name)),
                    columnOf(std::move(kind)),  columnOf(std::move(link)),     columnOf(std::move(source))};
  m_trace.deviceDetails = Column(std::move(details));
  m_events = {};
  m_device = {};
}

void Layout::fillMemory() {
  sortRuns(m_memory.span(), [](const MemoryEvent& a, const MemoryEvent& b) {
    return std::pair(a.time, a.event) < std::pair(b.time, b.event);
  });
  m_trace.memory = columnOf(std::move(m_memory));
}

} // namespace

void layOutEvents(FileEvents& file, const NameMaps& nameMaps,
                  const std::vector<std::vector<std::uint32_t>>& trackMaps, unsigned threadCount,
                  RankTrace& trace) {
  Layout layout(file, nameMaps, trackMaps, threadCount, trace);
  layout.findLaunches();
  layout.gather();
  layout.layOutTracks();
  layout.findDeviceRange();
  layout.fillColumns();
  layout.fillMemory();
}

} // namespace rankscope
