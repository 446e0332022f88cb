// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lanes/track_plan.h"

#include "ui/timeline/lanes/track_label.h"

#include <algorithm>
#include <set>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr int kFirstBelowCounters = 6;
constexpr int kFirstMore = 9;

// Position of a track within its rank. Host threads that only wait (pin-memory threads, watchdogs) and deep
// ones (Python) come after the GPU, so that the GPU is visible without scrolling.
int placeOf(const Track& track, bool busyThread) {
  const bool annotations = track.kind == TrackKind::Annotations;
  switch (track.kind) {
  case TrackKind::Annotations:
  case TrackKind::Thread:
    if (track.mainThread) return annotations ? 0 : 1;
    return busyThread ? 2 : 7;
  case TrackKind::Stream:
    switch (track.role) {
    case StreamRole::Communication:
      return 4;
    case StreamRole::Copy:
      return 5;
    default:
      return 3;
    }
  case TrackKind::Python:
    return track.mainThread ? 6 : 8;
  case TrackKind::GpuAnnotations:
    return 9;
  case TrackKind::Sync:
    return 10;
  case TrackKind::Instants:
    return 11;
  case TrackKind::Overhead:
    return 12;
  case TrackKind::Other:
    break;
  }
  return 13;
}

std::string threadKey(const Track& track) {
  return track.process + '\n' + track.thread;
}

bool isHostTrack(const Track& track) {
  return track.kind == TrackKind::Annotations || track.kind == TrackKind::Thread ||
         track.kind == TrackKind::Python;
}

// Threads other than the main one with a large part of the work, usually autograd's.
std::set<std::string> busyThreadsOf(const RankTrace& trace) {
  std::uint32_t most = 0;
  for (const Track& track : trace.tracks) {
    if (track.kind == TrackKind::Thread) most = std::max(most, track.endEvent.value - track.firstEvent.value);
  }
  std::set<std::string> busy;
  for (const Track& track : trace.tracks) {
    const std::uint32_t count = track.endEvent.value - track.firstEvent.value;
    if (track.kind == TrackKind::Thread && count >= most / 5 + 1) busy.insert(threadKey(track));
  }
  // A rank with many equal threads has no such pair.
  constexpr std::size_t kMaxBusyThreads = 4;
  if (busy.size() > kMaxBusyThreads) busy.clear();
  return busy;
}

// Whether a row contains only ProfilerSteps, which the band under the ruler shows already.
bool holdsOnlySteps(const RankTrace& trace, const StringTable& names, const Row& row) {
  constexpr std::uint32_t kMaxSteps = 10'000;
  if (row.size() == 0 || row.size() > kMaxSteps) return false;
  for (EventIndex event = row.firstEvent; event < row.endEvent; ++event.value) {
    if (phaseOf(names[trace.events.name[event]]) != Phase::Step) return false;
  }
  return true;
}

LanePlace lanePlaceOf(int place) {
  if (place >= kFirstMore) return LanePlace::More;
  return place >= kFirstBelowCounters ? LanePlace::BelowCounters : LanePlace::AboveCounters;
}

} // namespace

TrackIndex mainStreamOf(const RankTrace& trace) {
  TrackIndex best;
  auto bestKey = std::pair(false, 0u);
  for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
    const Track& track = trace.tracks[i];
    if (track.kind != TrackKind::Stream) continue;
    const auto key =
        std::pair(track.role == StreamRole::Compute, track.endEvent.value - track.firstEvent.value);
    if (best.valid() && key <= bestKey) continue;
    best = TrackIndex(i);
    bestKey = key;
  }
  return best;
}

std::vector<PlannedTrack> planTracks(const RankTrace& trace, const StringTable& names) {
  const auto busy = busyThreadsOf(trace);
  std::vector<std::pair<int, TrackIndex>> order;
  for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
    const Track& track = trace.tracks[i];
    if (track.rowCount == 0 || track.firstEvent == track.endEvent) continue;
    order.emplace_back(placeOf(track, busy.contains(threadKey(track))), TrackIndex(i));
  }
  std::ranges::sort(order);

  std::set<std::string> named;
  std::vector<PlannedTrack> plan;
  for (const auto& [place, index] : order) {
    const Track& track = trace.tracks[index.value];
    const bool namesThread = isHostTrack(track) && named.insert(threadKey(track)).second;
    const bool stepsOnTop = track.kind == TrackKind::Annotations && track.rowCount > 1 &&
                            holdsOnlySteps(trace, names, trace.rows[track.firstRow.value]);
    plan.push_back({index, lanePlaceOf(place), stepsOnTop, trackLabel(trace, names, track, namesThread)});
  }
  return plan;
}

} // namespace rankscope::ui
