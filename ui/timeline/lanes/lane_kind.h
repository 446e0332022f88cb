// SPDX-License-Identifier: GPL-3.0-or-later
// A kind of lane: what it shows of a rank, how high it is, how it is painted, what lies under a pixel of it
// and its texts. The layout, the picture, the headers and the mouse know lanes only through this; a
// new kind is a class in a file of its own and one line in lane_kinds.cpp. Constant objects without a state:
// what belongs to a job is in the arguments. UI thread.
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

// Which events a lane stands for where tracks are meant: when a range is dragged over it, when an event is
// looked for.
enum class LaneShows : std::uint8_t {
  Words,       // none: the header of what is below
  Row,         // those of its row
  OtherTracks, // those of all tracks that have no lane of their own
  WholeRank,   // those of its rank
  Counter,     // none; it is about all of its rank
};

struct LaneTraits {
  std::string_view id; // a word of its own
  LaneShows shows = LaneShows::Counter;
  bool rankHeader = false;   // its section is the rank itself
  bool movable = true;       // can be pinned, hidden and dragged
  bool hasNamesakes = false; // other ranks have sections of the same name
};

// What lies under a pixel.
struct LaneHit {
  const Lane* lane = nullptr;    // null between lanes
  EventRef event;                // invalid where none is drawn
  std::uint32_t count = 0;       // of the events folded into this pixel, 1 when it shows just this one
  std::optional<TimeRange> idle; // the device's idle gap, where a lane shows it
};

// What is written over a section's lanes without being part of the picture.
struct LaneNote {
  QString text; // empty: nothing
  bool warns = false;
};

// Where the lanes of a section go.
class LaneStack {
 public:
  // Lanes are added from this line on. percent: of the usual height of rows.
  LaneStack(std::vector<Lane>& lanes, int top, int percent)
      : m_lanes(lanes), m_bottom(top), m_percent(percent) {}

  // So many logical pixels at the usual size of texts, as they become with larger ones and taller rows.
  [[nodiscard]] int scaled(int height) const;
  // Below all lanes so far; the stack sets where.
  void add(Lane lane, int height, int gap = 0);
  [[nodiscard]] int bottom() const { return m_bottom; }

 private:
  std::vector<Lane>& m_lanes;
  int m_bottom;
  int m_percent;
};

inline constexpr int kThinLaneHeight = 3; // of a row without text

class LaneKind {
 public:
  explicit LaneKind(LaneTraits traits) : m_traits(traits) {}
  virtual ~LaneKind() = default;
  LaneKind(const LaneKind&) = delete;
  LaneKind& operator=(const LaneKind&) = delete;

  [[nodiscard]] const LaneTraits& traits() const { return m_traits; }

  // --- where it stands ---
  // Adds what a rank has of this kind, in the order of display; of an invalid rank what is about the job.
  virtual void addItems(const TraceSet& traces, RankIndex rank, std::vector<LaneItem>& items) const;
  [[nodiscard]] virtual bool foldable(const TraceSet& traces, RankIndex rank, const LaneItem& item) const;
  // One lane of height(), unless the kind overrides it.
  virtual void addLanes(const TraceSet& traces, RankIndex rank, const LaneItem& item, bool folded,
                        LaneStack& stack) const;
  // Logical pixels at the usual size of texts and rows.
  [[nodiscard]] virtual int height() const { return 20; }

  // --- the picture ---
  // Computes what the lane shows if that has not been requested yet.
  virtual void prepare(const RankSummaries& summaries, const Lane& lane) const;
  virtual void paint(LanePicture& picture, const Lane& lane) const;
  // Lays what a search found over it; once all lanes have their texts.
  virtual void paintHits(LanePicture& picture, const Lane& lane) const;

  // --- under the mouse ---
  // y: from the lane's top.
  [[nodiscard]] virtual LaneHit hitAt(const LaneFacts& facts, const Lane& lane, const PixelScale& scale,
                                      std::int32_t column, int y) const;
  // The tooltip where no event and no gap lies; the first line is a name. column: a pixel's time, on the
  // rank's own clock; never empty.
  [[nodiscard]] virtual QString textAt(const LaneFacts& facts, const Lane& lane, TimeRange column) const;

  // --- the header ---
  // labelTop: the line from which its label is seen.
  virtual void paintHeader(HeaderPicture& picture, const Section& section, const QRect& box,
                           int labelTop) const;
  // What it is called.
  [[nodiscard]] virtual QString title(const TraceSet& traces, const Section& section) const;
  // The same with what the header shows beside it, for those who do not see it.
  [[nodiscard]] virtual QString inWords(const LaneFacts& facts, const Section& section) const;
  // All that is known of it, for a tooltip.
  [[nodiscard]] virtual QString describe(const LaneFacts& facts, const Section& section) const;
  [[nodiscard]] virtual LaneNote note(const LaneFacts& facts, const Section& section) const;

 private:
  LaneTraits m_traits;
};

} // namespace rankscope::ui
