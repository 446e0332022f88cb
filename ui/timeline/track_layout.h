// SPDX-License-Identifier: GPL-3.0-or-later
// Where every lane of the timeline stands, top to bottom: per rank a header, then what the rank did, in the
// order in which a person asks: main thread, GPU streams, communication, copies, counters, then the rest. No
// widget; all positions are logical pixels from the top of the content. What the user folded or unfolded is
// remembered by (rank, capture) and track, so it survives ranks that arrive later.
// Invariant: lanes and sections are sorted by top and do not overlap. Building costs the lanes of the
// expanded ranks; every look-up is a binary search.
#pragma once

#include "core/model/trace_set.h"
#include "ui/timeline/track_plan.h"

#include <QString>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace rankscope::ui {

enum class LaneKind : std::uint8_t {
  Rank,   // header of a rank; collapsed it carries the rank's summary
  Row,    // events of one row
  Busy,   // how busy the rank's devices are
  Memory, // allocated memory
  More,   // tracks that few people ask for, folded away together
};

struct Lane {
  LaneKind kind = LaneKind::Row;
  bool thin = false; // no room for text
  RankIndex rank;
  TrackIndex track; // of a Row
  RowIndex row;     // of a Row
  int top = 0;
  int height = 0;

  [[nodiscard]] int bottom() const { return top + height; }
};

// What one label stands beside: a rank's header or all rows of a track.
struct Section {
  LaneKind kind = LaneKind::Row; // Row: a track
  RankIndex rank;
  TrackIndex track;
  int top = 0;
  int height = 0;
  bool foldable = false;
  bool folded = false;
  QString label;
  QString hint; // what the label has no room for; of a track asked for when needed

  [[nodiscard]] int bottom() const { return top + height; }
};

class TrackLayout {
 public:
  static constexpr int kHeaderHeight = 24;

  // Keeps what was folded. Ranks that are new start as a person would want them: one rank open, of a few
  // ranks the first one, of many none.
  void setTrace(std::shared_ptr<const TraceSet> trace);

  [[nodiscard]] std::span<const Lane> lanes() const { return m_lanes; }
  [[nodiscard]] std::span<const Section> sections() const { return m_sections; }
  [[nodiscard]] int height() const { return m_height; }
  // Grows with every change.
  [[nodiscard]] std::uint64_t revision() const { return m_revision; }

  // Those that reach into lines [top, bottom).
  [[nodiscard]] std::span<const Lane> lanesWithin(int top, int bottom) const;
  [[nodiscard]] std::span<const Section> sectionsWithin(int top, int bottom) const;
  // Null between lanes and beyond them.
  [[nodiscard]] const Lane* laneAt(int y) const;
  [[nodiscard]] const Section* sectionAt(int y) const;
  // The rank whose header or tracks hold this line.
  [[nodiscard]] RankIndex rankAt(int y) const;
  // The rank whose header stays in sight while this line is the first one visible: its own header is above,
  // its tracks are not. Invalid when there is none.
  [[nodiscard]] RankIndex stickyRank(int scrollTop) const;
  [[nodiscard]] const Lane& rankLane(RankIndex rank) const;
  // First line below everything of this rank.
  [[nodiscard]] int rankBottom(RankIndex rank) const;
  // The lane that shows this event: its row, or what it is folded away in: its rank's header, or the tracks
  // shown together as more. Null for no event.
  [[nodiscard]] const Lane* laneOf(EventRef event) const;

  [[nodiscard]] bool rankExpanded(RankIndex rank) const;
  void setRankExpanded(RankIndex rank, bool expanded);
  void setAllRanksExpanded(bool expanded);
  // Unfolds or folds a track: all rows at full height, or the deeper ones thin.
  void toggleTrack(RankIndex rank, TrackIndex track);
  // Shows or hides the tracks that start folded away together.
  void toggleMore(RankIndex rank);

 private:
  using RankKey = std::pair<int, int>; // rank, capture
  using TrackKey = std::tuple<int, int, TrackKind, std::string, std::string>;

  void rebuild();
  void addRank(RankIndex rank);
  [[nodiscard]] const std::vector<PlannedTrack>& planOf(RankIndex rank);
  void addTrack(RankIndex rank, const PlannedTrack& planned);
  void addMore(RankIndex rank, std::span<const PlannedTrack> tracks);
  void addCounter(LaneKind kind, RankIndex rank, int height, const QString& label, const QString& hint);
  void endSection(Section section, int gap);
  [[nodiscard]] RankKey keyOf(RankIndex rank) const;
  [[nodiscard]] TrackKey keyOf(RankIndex rank, TrackIndex track) const;
  [[nodiscard]] bool trackFolded(RankIndex rank, TrackIndex track) const;
  [[nodiscard]] bool startsExpanded(RankIndex rank) const;

  std::shared_ptr<const TraceSet> m_trace;
  std::map<RankKey, bool> m_rankExpanded; // only what differs from how it started
  std::map<TrackKey, bool> m_trackFolded; // what was chosen; tracks start folded
  std::set<RankKey> m_moreShown;
  std::unordered_map<const RankTrace*, std::vector<PlannedTrack>> m_plans; // of ranks unfolded so far
  std::vector<Lane> m_lanes;
  std::vector<Section> m_sections;
  std::vector<std::size_t> m_rankLanes; // by rank: its header's position in m_lanes
  int m_height = 0;
  std::uint64_t m_revision = 0;
};

} // namespace rankscope::ui
