// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/tracks/range_tracks.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace rankscope::ui {
namespace {

using Chosen = std::map<RankIndex, std::set<TrackIndex>>;

std::vector<RankTracks> listed(const Chosen& chosen) {
  std::vector<RankTracks> tracks;
  for (const auto& [rank, of] : chosen) tracks.push_back({rank, {of.begin(), of.end()}});
  return tracks;
}

void addAll(const TraceSet& traces, RankIndex rank, Chosen& chosen) {
  for (std::size_t i = 0; i < traces.rank(rank).trace->tracks.size(); ++i) chosen[rank].insert(TrackIndex(i));
}

// Tracks without a lane of their own, which are collapsed together.
void addRest(const TraceSet& traces, const TrackLayout& layout, RankIndex rank, Chosen& chosen) {
  std::set<TrackIndex> shown;
  for (const Lane& lane : layout.lanesWithin(layout.rankLane(rank).top, layout.rankBottom(rank)))
    if (lane.row.valid()) shown.insert(lane.track);
  for (std::size_t i = 0; i < traces.rank(rank).trace->tracks.size(); ++i)
    if (!shown.contains(TrackIndex(i))) chosen[rank].insert(TrackIndex(i));
}

const RankTracks* ofRank(const std::vector<RankTracks>& tracks, RankIndex rank) {
  const auto found = std::ranges::find(tracks, rank, &RankTracks::rank);
  return found == tracks.end() ? nullptr : &*found;
}

} // namespace

RankTracks allTracksOf(const TraceSet& traces, RankIndex rank) {
  Chosen chosen;
  addAll(traces, rank, chosen);
  return {rank, {chosen[rank].begin(), chosen[rank].end()}};
}

std::vector<RankTracks> tracksWithin(const TraceSet& traces, const TrackLayout& layout, int top, int bottom) {
  Chosen chosen;
  std::set<RankIndex> headers;
  for (const Lane& lane : layout.lanesWithin(top, bottom)) {
    switch (lane.kind->traits().shows) {
    case LaneShows::Row:
      chosen[lane.rank].insert(lane.track);
      break;
    case LaneShows::OtherTracks:
      addRest(traces, layout, lane.rank, chosen);
      break;
    case LaneShows::Words:
    case LaneShows::WholeRank:
    case LaneShows::Counter:
      headers.insert(lane.rank);
      break;
    }
  }
  for (const RankIndex rank : headers) {
    if (!rank.valid()) continue;
    if (!chosen.contains(rank) || !layout.rankExpanded(rank)) addAll(traces, rank, chosen);
  }
  return listed(chosen);
}

bool showsAny(const TraceSet& traces, const std::vector<RankTracks>& tracks, const Lane& lane) {
  if (tracks.empty()) return true;
  const RankTracks* const of = ofRank(tracks, lane.rank);
  if (!of) return false;
  switch (lane.kind->traits().shows) {
  case LaneShows::Words:
    return false;
  case LaneShows::Row:
    return std::ranges::binary_search(of->tracks, lane.track);
  case LaneShows::WholeRank:
    return true;
  case LaneShows::OtherTracks:
  case LaneShows::Counter:
    break;
  }
  return of->tracks.size() == traces.rank(lane.rank).trace->tracks.size();
}

std::vector<RankTracks> unitedTracks(const std::vector<RankTracks>& a, const std::vector<RankTracks>& b) {
  Chosen chosen;
  for (const auto* const tracks : {&a, &b})
    for (const RankTracks& of : *tracks) chosen[of.rank].insert(of.tracks.begin(), of.tracks.end());
  return listed(chosen);
}

std::vector<RankTracks> trackOfEvent(const TraceSet& traces, EventRef event) {
  return {{event.rank, {traces.rank(event.rank).trace->trackOf(event.event)}}};
}

} // namespace rankscope::ui
