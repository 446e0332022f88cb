// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/activity/idle_gaps.h"

#include "core/analysis/activity/gap_causes.h"
#include "core/base/sort_runs.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace rankscope {

namespace {

bool beginsEarlier(const DeviceWork& a, const DeviceWork& b) {
  return a.range.begin < b.range.begin;
}

bool endsEarlier(const DeviceWork& a, const DeviceWork& b) {
  return a.range.end < b.range.end;
}

// The stream of an event without a recorded stream: the thread id of its track.
std::int64_t streamOf(const RankTrace& trace, const DeviceWork& work) {
  const std::int64_t recorded = trace.deviceDetail(work.event).stream;
  if (recorded >= 0) return recorded;
  const std::string& text = trace.tracks[work.stream.value].thread;
  std::int64_t number = recorded;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

class GapFinder {
 public:
  GapFinder(const RankTrace& trace, const StringTable& names, const StepWindows& steps, TimeRange window)
      : m_trace(trace), m_steps(steps), m_window(window), m_causes(trace, names) {}

  IdleGaps find() {
    std::vector<std::vector<DeviceWork>> work = workOfDevices();
    for (std::size_t d = 0; d < work.size(); ++d) {
      const int device = m_trace.devices[d];
      collect(std::move(work[d]));
      m_firstOfDevice = m_gaps.ofDevices.size();
      m_causes.begin(m_byEnd);
      addGaps(m_byBegin, device, false);
      for (std::size_t i = 0; i + 1 < m_streams.size(); ++i) {
        m_causes.begin(m_byEnd);
        m_known = m_firstOfDevice;
        addGaps(std::span(m_ofStreams).subspan(m_streams[i], m_streams[i + 1] - m_streams[i]), device, true);
      }
    }
    return std::move(m_gaps);
  }

 private:
  // By index in trace.devices, grouped by stream.
  [[nodiscard]] std::vector<std::vector<DeviceWork>> workOfDevices() const {
    std::vector<std::vector<DeviceWork>> work(m_trace.devices.size());
    for (std::size_t t = 0; t < m_trace.tracks.size(); ++t) {
      const Track& track = m_trace.tracks[t];
      if (track.kind != TrackKind::Stream) continue;
      for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
        const TimeRange range = m_trace.events.range(event);
        const auto device = std::ranges::lower_bound(m_trace.devices, m_trace.deviceDetail(event).device);
        if (!range.empty())
          work[static_cast<std::size_t>(device - m_trace.devices.begin())].push_back(
              {range, event, TrackIndex(t)});
      }
    }
    return work;
  }

  void collect(std::vector<DeviceWork> work) {
    m_ofStreams = std::move(work);
    m_streams.assign(1, 0);
    for (std::size_t first = 0, end = 0; first < m_ofStreams.size(); first = end) {
      while (end < m_ofStreams.size() && m_ofStreams[end].stream == m_ofStreams[first].stream) ++end;
      sortRuns(std::span(m_ofStreams).subspan(first, end - first), beginsEarlier);
      m_streams.push_back(end);
    }
    m_byBegin = m_ofStreams;
    sortRuns(m_byBegin, beginsEarlier);
    m_byEnd = m_ofStreams;
    sortRuns(m_byEnd, endsEarlier);
  }

  void addGaps(std::span<const DeviceWork> work, int device, bool ofStream) {
    if (work.empty()) return;
    const DeviceWork* last = &work.front(); // event with the latest end so far
    for (const DeviceWork& next : work) {
      const TimeRange range{last->range.end, next.range.begin};
      if (!range.clippedTo(m_window).empty()) addGap(range, *last, next, device, ofStream);
      if (next.range.end > last->range.end) last = &next;
    }
  }

  // range: the whole gap, of which some is in the window.
  void addGap(TimeRange range, const DeviceWork& previous, const DeviceWork& next, int device,
              bool ofStream) {
    const TimeRange inside = range.clippedTo(m_window);
    if (range.length() < kMinGap) {
      if (ofStream) return;
      ++m_gaps.shorter.count;
      m_gaps.shorter.time += inside.length();
      return;
    }
    IdleGap gap;
    if (const IdleGap* const known = ofStream ? sameOfDevice(range, next) : nullptr) {
      gap = *known;
      gap.stream = streamOf(m_trace, next);
      m_gaps.ofStreams.push_back(gap);
      return;
    }
    gap.range = range;
    gap.device = device;
    if (ofStream) gap.stream = streamOf(m_trace, next);
    gap.next = next.event;
    gap.step = m_steps.indexAt(inside.begin);
    m_causes.explain(gap, previous, next);
    gap.range = inside;
    if (!ofStream) {
      GapTotal& total = m_gaps.totals[static_cast<std::size_t>(gap.cause)];
      ++total.count;
      total.time += inside.length();
      m_wholeOfDevices.push_back(range);
    }
    (ofStream ? m_gaps.ofStreams : m_gaps.ofDevices).push_back(gap);
  }

  // Most gaps of a compute stream equal a gap of its device, whose cause is already known.
  const IdleGap* sameOfDevice(TimeRange range, const DeviceWork& next) {
    const std::vector<TimeRange>& known = m_wholeOfDevices;
    while (m_known < known.size() && known[m_known].begin < range.begin) ++m_known;
    if (m_known == known.size() || known[m_known] != range) return nullptr;
    const IdleGap& gap = m_gaps.ofDevices[m_known];
    return gap.next == next.event ? &gap : nullptr;
  }

  const RankTrace& m_trace;
  const StepWindows& m_steps;
  TimeRange m_window;
  GapCauses m_causes;
  IdleGaps m_gaps;
  std::vector<TimeRange> m_wholeOfDevices; // of m_gaps.ofDevices, as long as they are outside the window too
  std::size_t m_firstOfDevice = 0;         // index into m_gaps.ofDevices
  std::size_t m_known = 0;             // likewise: the first one that does not begin before the stream's gap
  std::vector<DeviceWork> m_ofStreams; // of the device, grouped by stream, each sorted by begin
  std::vector<std::size_t> m_streams;  // start of each stream in m_ofStreams, and the end
  std::vector<DeviceWork> m_byBegin;
  std::vector<DeviceWork> m_byEnd;
};

} // namespace

IdleGaps idleGaps(const RankTrace& trace, const StringTable& names, const StepWindows& steps,
                  TimeRange window) {
  if (trace.devices.empty()) return {};
  return GapFinder(trace, names, steps, window).find();
}

} // namespace rankscope
