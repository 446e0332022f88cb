// SPDX-License-Identifier: GPL-3.0-or-later
// Positions of all lanes, top to bottom: those of the job, then per rank a header and its tracks by
// relevance: main thread, GPU streams, communication, memory copies, counters, others. Hidden and filtered
// tracks are left out; sorting, grouping and dragging apply. A second layout holds pinned tracks. The kinds
// determine which lanes there are. No widget; positions are logical pixels from the top of the content.
// Invariant: lanes and sections are sorted by top and do not overlap. Building is O(lanes of expanded ranks);
// lookups are binary searches.
#pragma once

#include "core/model/trace_set.h"
#include "ui/job/timeline_choice.h"
#include "ui/timeline/lanes/lane_kinds.h"

#include <QString>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace rankscope::ui {

enum class LayoutPart : std::uint8_t {
  All,    // every rank that is not hidden
  Pinned, // only pinned tracks
};

class TrackLayout {
 public:
  [[nodiscard]] static int headerHeight();

  // kinds: must outlive the layout.
  explicit TrackLayout(LayoutPart part = LayoutPart::All,
                       std::span<const LaneKind* const> kinds = laneKinds())
      : m_part(part), m_kinds(kinds) {}

  // Rebuilds the layout. Without groups, ranks are in recorded order. Ranks that the user has neither
  // expanded nor collapsed use a default: a single rank is expanded, of a few ranks the first one, of many
  // ranks none.
  void update(std::shared_ptr<const TraceSet> trace, const TimelineChoice& choice,
              std::span<const RankGroup> groups = {});

  // Like update, but ranks of `first` (stragglers) are expanded too if they fit; one that is above all
  // others, if most of it does. In a tall view, as many rows of captures, then ranks, those of `first` before
  // others, then tracks are expanded by default as fit, each track on all of its ranks. Rows, then counters
  // grow into the lines that are left. All this stays so until the next call.
  void updateFor(int lines, std::shared_ptr<const TraceSet> trace, const TimelineChoice& choice,
                 std::span<const RankGroup> groups = {}, std::span<const RankIndex> first = {});

  // Null without a job.
  [[nodiscard]] const TraceSet* trace() const { return m_trace.get(); }
  [[nodiscard]] std::span<const Lane> lanes() const { return m_lanes; }
  [[nodiscard]] std::span<const Section> sections() const { return m_sections; }
  [[nodiscard]] int height() const { return m_height; }
  // Changes with every update.
  [[nodiscard]] std::uint64_t revision() const { return m_revision; }
  // Number of hidden or filtered tracks of shown, expanded ranks, and of hidden ranks.
  [[nodiscard]] int hiddenCount() const { return m_hiddenCount; }

  // Lanes that intersect lines [top, bottom).
  [[nodiscard]] std::span<const Lane> lanesWithin(int top, int bottom) const;
  [[nodiscard]] std::span<const Section> sectionsWithin(int top, int bottom) const;
  // Null between lanes and outside.
  [[nodiscard]] const Lane* laneAt(int y) const;
  [[nodiscard]] const Section* sectionAt(int y) const;
  // The section of this track, counter or rank; null if it is not shown.
  [[nodiscard]] const Section* sectionOf(const TrackKey& key) const;
  // The rank with a header or track at this line.
  [[nodiscard]] RankIndex rankAt(int y) const;
  // The rank whose header is sticky if this is the first visible line: the header is above it, its tracks are
  // not. Invalid if there is none.
  [[nodiscard]] RankIndex stickyRank(int scrollTop) const;
  // The header of a rank; an empty lane at the top if the rank is not shown.
  [[nodiscard]] const Lane& rankLane(RankIndex rank) const;
  // First line below this rank.
  [[nodiscard]] int rankBottom(RankIndex rank) const;
  // The key of the group that a rank is in; nothing without groups.
  [[nodiscard]] std::optional<TrackKey> groupOf(RankIndex rank) const;
  // Shown ranks, top to bottom.
  [[nodiscard]] std::vector<RankIndex> shownRanks() const;
  // The lane that shows this event: its row, or if that is collapsed, its rank's header, the row of its
  // captures or the lane of the collapsed tracks. Null for no event or a hidden one.
  [[nodiscard]] const Lane* laneOf(EventRef event) const;
  [[nodiscard]] bool rankExpanded(RankIndex rank) const {
    return rank.value < m_expanded.size() && m_expanded[rank.value];
  }

  // Name and key of every track and counter of a rank, in display order, including hidden ones.
  struct NamedTrack {
    QString label;
    TrackKey key;
  };
  [[nodiscard]] std::vector<NamedTrack> tracksOf(RankIndex rank);

 private:
  struct Block { // a rank, a group's header, a section of the job or a pinned track, starting at this line
    int top;
    RankIndex rank; // invalid if it belongs to no rank
    std::size_t lane;
  };
  static constexpr std::size_t kNowhere = SIZE_MAX;

  void addJob(const TimelineChoice& choice);
  void addGroup(const RankGroup& group, const TimelineChoice& choice);
  void addRank(RankIndex rank, const TimelineChoice& choice, bool capture = false);
  void addRankHeader(RankIndex rank, int height, bool foldable, bool folded, bool capture = false);
  void addPinned(const TrackKey& key, const TimelineChoice& choice);
  void addItem(RankIndex rank, const LaneItem& item, const TimelineChoice& choice);
  // In display order; collapsed ones follow the item that represents them. Invalid rank: those of the job.
  [[nodiscard]] const std::vector<LaneItem>& itemsOf(RankIndex rank);
  // The ones that the choice shows, in its order.
  [[nodiscard]] std::vector<const LaneItem*> arranged(RankIndex rank, const TimelineChoice& choice);
  void beginBlock(RankIndex rank);
  [[nodiscard]] int rowPercent(const TimelineChoice& choice, LanePlace place) const;
  [[nodiscard]] bool startsOpen(RankIndex rank) const;
  [[nodiscard]] bool startsOpen(const TrackKey& key) const { return m_openSections.contains(key.id); }
  using Fits = std::function<bool()>; // lays out again
  void fill(bool tall, std::span<const RankIndex> first, const Fits& fits);
  void expandRanks(std::span<const RankIndex> first, bool others, const Fits& fits);
  void expandFirst(std::span<const RankIndex> stragglers, int lines, const Fits& fits);
  void expandSections(bool ofCaptures, const Fits& fits);
  // Id of the first collapsed row of captures, or track of an expanded rank, that is none of these.
  [[nodiscard]] std::optional<std::string> foldedSection(bool ofCaptures,
                                                         const std::set<std::string>& without) const;

  LayoutPart m_part;
  std::span<const LaneKind* const> m_kinds;
  std::shared_ptr<const TraceSet> m_trace;
  std::vector<std::optional<std::vector<LaneItem>>> m_items; // by rank, computed on demand; last: the job's
  std::vector<RankGroup> m_groups;                           // lanes and sections point at them
  std::vector<Lane> m_lanes;
  std::vector<Section> m_sections;
  std::vector<Block> m_blocks;
  std::vector<std::size_t> m_blockOfRank;              // by rank: index in m_blocks, or kNowhere
  std::vector<std::size_t> m_capturesLane;             // by rank: the closed row of its captures, or kNowhere
  std::vector<bool> m_expanded;                        // by rank
  std::set<std::pair<RankIndex, TrackIndex>> m_inMore; // shown by the lane of the rank's collapsed tracks
  int m_height = 0;
  int m_hiddenCount = 0;
  std::uint64_t m_revision = 0;
  std::optional<std::vector<bool>> m_startOpen; // by rank: expanded by default, if that was fitted
  std::set<std::string> m_openSections;         // ids of those that are expanded by default
  int m_growth = 100;                           // row height relative to the chosen one, percent
  int m_counterGrowth = 100;                    // height of counters relative to that of rows, percent
};

// Whether a filter shows a track of this name: the filter has comma-separated terms; all words of at least
// one term must be in the name. An empty filter shows everything.
[[nodiscard]] bool passesFilter(const QString& filter, const QString& label);

} // namespace rankscope::ui
