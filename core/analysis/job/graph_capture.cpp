// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/job/graph_capture.h"

#include "core/analysis/classify/name_traits.h"
#include "core/base/unit_text.h"
#include "core/model/rank_digest.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace rankscope {

namespace {

enum class Call : std::uint8_t { Other, BeginCapture, EndCapture, LaunchKernel };

// cudaStreamBeginCapture, hipStreamBeginCapture, cuStreamBeginCapture_v2; cudaLaunchKernelExC,
// hipExtModuleLaunchKernel.
std::uint8_t callAsNumber(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  return static_cast<std::uint8_t>(has("StreamBeginCapture") ? Call::BeginCapture
                                   : has("StreamEndCapture") ? Call::EndCapture
                                   : has("LaunchKernel") || has("LaunchCooperativeKernel")
                                       ? Call::LaunchKernel
                                       : Call::Other);
}

struct CaptureMark {
  TimeNs time = 0;
  bool begins = false;
};

// Of one thread. A capture without an end lasts as long as the recording.
void addRanges(std::vector<CaptureMark> marks, TimeNs end, std::vector<TimeRange>& ranges) {
  std::ranges::stable_sort(marks, {}, &CaptureMark::time);
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (!marks[i].begins) continue;
    ranges.push_back({marks[i].time, i + 1 < marks.size() ? marks[i + 1].time : end});
  }
}

} // namespace

GraphCapture& GraphCapture::operator+=(const GraphCapture& other) {
  captured += other.captured;
  ran += other.ran;
  return *this;
}

std::vector<CapturedGraph> capturedGraphs(const RankTrace& trace, const StringTable& names) {
  NameMemory<std::uint8_t (*)(std::string_view)> callOf(names, &callAsNumber);
  std::vector<TimeRange> ranges;
  std::vector<EventIndex> launches;
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Thread) continue;
    std::vector<CaptureMark> marks;
    for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
      if (trace.events.kind[event] != EventKind::Runtime) continue;
      const auto call = static_cast<Call>(callOf[trace.events.name[event]]);
      if (call == Call::Other) continue;
      if (call == Call::LaunchKernel)
        launches.push_back(event);
      else
        marks.push_back({trace.events.begin[event], call == Call::BeginCapture});
    }
    addRanges(std::move(marks), trace.extent.end, ranges);
  }
  std::vector<CapturedGraph> graphs;
  if (ranges.empty()) return graphs;
  std::ranges::stable_sort(ranges, {}, &TimeRange::begin);
  for (const TimeRange& range : ranges) graphs.push_back({range, {}});
  const auto beginOf = [&](EventIndex event) { return trace.events.begin[event]; };
  std::ranges::stable_sort(launches, {}, beginOf);
  for (const EventIndex launch : launches) {
    // The capture that began last: another thread's may be open as well.
    const auto after = std::ranges::upper_bound(graphs, beginOf(launch), {},
                                                [](const CapturedGraph& of) { return of.range.begin; });
    if (after == graphs.begin() || !std::prev(after)->range.contains(beginOf(launch))) continue;
    if (trace.launchedBy(launch).empty()) std::prev(after)->launches.push_back(launch);
  }
  return graphs;
}

GraphCapture graphCapture(const RankTrace& trace, const StringTable& names, TimeRange range) {
  const std::vector<CapturedGraph> graphs = capturedGraphs(trace, names);
  GraphCapture capture;
  if (graphs.empty()) return capture;
  for (const CapturedGraph& graph : graphs)
    capture.captured += std::ranges::count_if(
        graph.launches, [&](EventIndex launch) { return range.contains(trace.events.begin[launch]); });
  for (const EventIndex event : trace.byLaunch)
    if (range.contains(trace.events.begin[event])) ++capture.ran;
  return capture;
}

GraphCapture graphCapture(const Analysis& analysis) {
  GraphCapture capture;
  for (const RankIndex rank : analysis.ranks()) {
    if (digestOf(analysis.trace(), rank) != nullptr) continue;
    capture += graphCapture(*analysis.trace().rank(rank).trace, analysis.trace().names(),
                            analysis.window(rank).ns());
  }
  return capture;
}

std::string graphCaptureText(const GraphCapture& capture) {
  if (!capture.most()) return {};
  return fmt::format(
      "CUDA graph capture: {} kernel launches were captured into graphs and did not run, so device "
      "times say nothing of the job. Open a recording of steps that replay the graphs.",
      countText(capture.captured));
}

} // namespace rankscope
