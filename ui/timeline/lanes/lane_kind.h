// SPDX-License-Identifier: GPL-3.0-or-later
// A kind of lane: its items per rank, height, painting, hit test and texts. The layout, the picture, the
// headers and the mouse handling use lanes only through this interface; a new kind is a class in its own file
// and a line in lane_kinds.cpp. Constant objects without state: everything about a job is in the arguments.
// UI thread.
#pragma once

#include "core/query/pixel_scale.h"
#include "ui/timeline/lanes/lane.h"
#include "ui/timeline/lanes/lane_facts.h"

#include <QRect>
#include <QString>

#include <optional>
#include <string_view>
#include <vector>

namespace rankscope::ui {

struct HeaderPicture;
struct LanePicture;

// The events that a lane represents, for selecting a range by dragging and for revealing an event.
enum class LaneShows : std::uint8_t {
  Words,       // none: the header of the lanes below
  Row,         // the events of its row
  OtherTracks, // those of all tracks without a lane of their own
  WholeRank,   // those of its rank
  Counter,     // none; belongs to the whole rank
};

struct LaneTraits {
  std::string_view id; // unique identifier
  LaneShows shows = LaneShows::Counter;
  bool rankHeader = false;   // its section is the rank's header
  bool movable = true;       // can be pinned, hidden and dragged
  bool hasNamesakes = false; // other ranks have sections with the same name
};

// Result of a hit test.
struct LaneHit {
  const Lane* lane = nullptr;    // null between lanes
  EventRef event;                // invalid if there is none
  std::uint32_t count = 0;       // number of events at this pixel; 1 if it shows only this one
  std::optional<TimeRange> idle; // the idle gap, if the lane shows idle time
};

// Text drawn over a section's lanes, not part of the cached picture.
struct LaneNote {
  QString text; // empty: none
  bool warns = false;
};

// Collects the lanes of a section.
class LaneStack {
 public:
  // Starts at this line. percent: row height relative to the default.
  LaneStack(std::vector<Lane>& lanes, int top, int percent)
      : m_lanes(lanes), m_bottom(top), m_percent(percent) {}

  // Converts logical pixels at the default size to the current text size and row height.
  [[nodiscard]] int scaled(int height) const;
  // Adds a lane below all others; sets its top.
  void add(Lane lane, int height, int gap = 0);
  [[nodiscard]] int bottom() const { return m_bottom; }

 private:
  std::vector<Lane>& m_lanes;
  int m_bottom;
  int m_percent;
};

inline constexpr int kThinLaneHeight = 3; // height of a row without text

class LaneKind {
 public:
  explicit LaneKind(LaneTraits traits) : m_traits(traits) {}
  virtual ~LaneKind() = default;
  LaneKind(const LaneKind&) = delete;
  LaneKind& operator=(const LaneKind&) = delete;

  [[nodiscard]] const LaneTraits& traits() const { return m_traits; }

  // --- layout ---
  // Adds the items of a rank in display order; with an invalid rank, those of the job.
  virtual void addItems(const TraceSet& traces, RankIndex rank, std::vector<LaneItem>& items) const;
  [[nodiscard]] virtual bool foldable(const TraceSet& traces, RankIndex rank, const LaneItem& item) const;
  // One lane of height(), unless overridden.
  virtual void addLanes(const TraceSet& traces, RankIndex rank, const LaneItem& item, bool folded,
                        LaneStack& stack) const;
  // Logical pixels at the default text size and row height.
  [[nodiscard]] virtual int height() const { return 20; }

  // --- picture ---
  // Starts computing the lane's data if that has not happened yet.
  virtual void prepare(const RankSummaries& summaries, const Lane& lane) const;
  virtual void paint(LanePicture& picture, const Lane& lane) const;
  // Draws search hits over the lane, after all lanes have their texts.
  virtual void paintHits(LanePicture& picture, const Lane& lane) const;

  // --- mouse ---
  // y: from the lane's top.
  [[nodiscard]] virtual LaneHit hitAt(const LaneFacts& facts, const Lane& lane, const PixelScale& scale,
                                      std::int32_t column, int y) const;
  // The tooltip where there is no event and no gap; the first line is a name. column: the time of a pixel on
  // the rank's own clock; never empty.
  [[nodiscard]] virtual QString textAt(const LaneFacts& facts, const Lane& lane, TimeRange column) const;

  // --- header ---
  // labelTop: the first visible line of the label.
  virtual void paintHeader(HeaderPicture& picture, const Section& section, const QRect& box,
                           int labelTop) const;
  // The label.
  [[nodiscard]] virtual QString title(const TraceSet& traces, const Section& section) const;
  // The label and the other texts of the header, for screen readers.
  [[nodiscard]] virtual QString inWords(const LaneFacts& facts, const Section& section) const;
  // Everything known about it, for a tooltip.
  [[nodiscard]] virtual QString describe(const LaneFacts& facts, const Section& section) const;
  [[nodiscard]] virtual LaneNote note(const LaneFacts& facts, const Section& section) const;

 private:
  LaneTraits m_traits;
};

} // namespace rankscope::ui
