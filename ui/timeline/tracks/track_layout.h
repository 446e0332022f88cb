// SPDX-License-Identifier: GPL-3.0-or-later
// Where every lane of the timeline stands, top to bottom: what is about the whole job, then per rank a header
// and what the rank did, in the order in which a person asks: main thread, GPU streams, communication,
// copies, counters, then the rest; less what was hidden or filtered away, and as it was sorted, grouped and
// dragged. A second one holds what is pinned. Which lanes there are is known by their kinds. No widget; all
// positions are logical pixels from the top of the content.
// Invariant: lanes and sections are sorted by top and do not overlap. Building costs the lanes of the
// expanded ranks; every look-up is a binary search.
#pragma once

#include "core/model/trace_set.h"
#include "ui/job/timeline_choice.h"
#include "ui/timeline/lanes/lane_kinds.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace rankscope::ui {

// Ranks that stand together, in this order. A label that is empty has no header.
struct RankGroup {
  QString label;
  std::vector<RankIndex> ranks;

  bool operator==(const RankGroup&) const = default;
};

enum class LayoutPart : std::uint8_t {
  All,    // every rank that is not hidden
  Pinned, // what is pinned, and nothing else
};

class TrackLayout {
 public:
  [[nodiscard]] static int headerHeight();

  // kinds: outlive the layout.
  explicit TrackLayout(LayoutPart part = LayoutPart::All,
                       std::span<const LaneKind* const> kinds = laneKinds())
      : m_part(part), m_kinds(kinds) {}

  // Lays out again. Without groups the ranks stand as recorded. Where nothing was chosen, ranks start as a
  // person would want them: one rank open, of a few ranks the first one, of many none.
  void update(std::shared_ptr<const TraceSet> trace, const TimelineChoice& choice,
              std::span<const RankGroup> groups = {});

  [[nodiscard]] std::span<const Lane> lanes() const { return m_lanes; }
  [[nodiscard]] std::span<const Section> sections() const { return m_sections; }
  [[nodiscard]] int height() const { return m_height; }
  // Another one with every change.
  [[nodiscard]] std::uint64_t revision() const { return m_revision; }
  // Tracks that the choice hides or filters away, of ranks that are shown and open; and ranks.
  [[nodiscard]] int hiddenCount() const { return m_hiddenCount; }

  // Those that reach into lines [top, bottom).
  [[nodiscard]] std::span<const Lane> lanesWithin(int top, int bottom) const;
  [[nodiscard]] std::span<const Section> sectionsWithin(int top, int bottom) const;
  // Null between lanes and beyond them.
  [[nodiscard]] const Lane* laneAt(int y) const;
  [[nodiscard]] const Section* sectionAt(int y) const;
  // The section of this track, counter or rank; null when it is not shown.
  [[nodiscard]] const Section* sectionOf(const TrackKey& key) const;
  // The rank whose header or tracks hold this line.
  [[nodiscard]] RankIndex rankAt(int y) const;
  // The rank whose header stays in sight while this line is the first one visible: its own header is above,
  // its tracks are not. Invalid when there is none.
  [[nodiscard]] RankIndex stickyRank(int scrollTop) const;
  // The header of a rank; of one that is not shown an empty lane at the top.
  [[nodiscard]] const Lane& rankLane(RankIndex rank) const;
  // First line below everything of this rank.
  [[nodiscard]] int rankBottom(RankIndex rank) const;
  // Ranks that are shown, top to bottom.
  [[nodiscard]] std::vector<RankIndex> shownRanks() const;
  // The lane that shows this event: its row, or what it is folded away in: its rank's header, or the tracks
  // shown together as more. Null for no event, and for one that is hidden.
  [[nodiscard]] const Lane* laneOf(EventRef event) const;
  [[nodiscard]] bool rankExpanded(RankIndex rank) const {
    return rank.value < m_expanded.size() && m_expanded[rank.value];
  }

  // Of every track and counter of a rank: its name and key, in the order of display, hidden ones too.
  struct NamedTrack {
    QString label;
    TrackKey key;
  };
  [[nodiscard]] std::vector<NamedTrack> tracksOf(RankIndex rank);

 private:
  struct Block { // a rank, a group's header, something of the job or a pinned track, from this line on
    int top;
    RankIndex rank; // invalid for what is of no rank
    std::size_t lane;
  };
  static constexpr std::size_t kNowhere = SIZE_MAX;

  void addJob(const TimelineChoice& choice);
  void addGroup(const RankGroup& group, const TimelineChoice& choice);
  void addRank(RankIndex rank, const TimelineChoice& choice);
  void addRankHeader(RankIndex rank, int height, bool foldable, bool folded);
  void addPinned(const TrackKey& key, const TimelineChoice& choice);
  void addItem(RankIndex rank, const LaneItem& item, const TimelineChoice& choice);
  // In the order of display, those folded away together after the one that stands for them. Invalid: of the
  // job.
  [[nodiscard]] const std::vector<LaneItem>& itemsOf(RankIndex rank);
  // Those of them that the choice shows, as it sorts them.
  [[nodiscard]] std::vector<const LaneItem*> arranged(RankIndex rank, const TimelineChoice& choice);
  void beginBlock(RankIndex rank);

  LayoutPart m_part;
  std::span<const LaneKind* const> m_kinds;
  std::shared_ptr<const TraceSet> m_trace;
  std::vector<std::optional<std::vector<LaneItem>>> m_items; // by rank, unfolded so far; last: the job's
  std::vector<Lane> m_lanes;
  std::vector<Section> m_sections;
  std::vector<Block> m_blocks;
  std::vector<std::size_t> m_blockOfRank;              // by rank: position in m_blocks, or kNowhere
  std::vector<bool> m_expanded;                        // by rank
  std::set<std::pair<RankIndex, TrackIndex>> m_inMore; // shown by the lane of their rank's other tracks
  int m_height = 0;
  int m_hiddenCount = 0;
  std::uint64_t m_revision = 0;
};

// Whether a rank starts open when nothing was chosen.
[[nodiscard]] bool startsExpanded(const TraceSet& traces, RankIndex rank);
// Whether a track of this name is shown by a filter: comma-separated terms, of which one must have all its
// words in the name; no filter shows everything.
[[nodiscard]] bool passesFilter(const QString& filter, const QString& label);

} // namespace rankscope::ui
