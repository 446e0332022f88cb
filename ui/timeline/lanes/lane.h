// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of the timeline, top to bottom: lanes, sections with labels, and the items of a rank before layout.
// Plain data; the kind implements the behavior.
#pragma once

#include "ui/job/timeline_choice.h"

#include <QString>

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::ui {

class LaneKind;

// A group of ranks in display order. Without a label and alike it has no header.
struct RankGroup {
  QString label;
  std::vector<RankIndex> ranks;
  std::string id = {};    // identifies it; empty: its label does
  bool alike = false;     // drawn as one lane until it is opened
  bool captures = false;  // recordings of one rank, at different times
  bool startsOpen = true; // until it is opened or closed by hand

  [[nodiscard]] bool hasHeader() const { return alike || !label.isEmpty(); }
  // "node-1  ·  8 ranks", "57 similar ranks", "Rank 3  ·  4 captures"
  [[nodiscard]] QString title(const TraceSet& traces) const;
  bool operator==(const RankGroup&) const = default;
};

struct Lane {
  const LaneKind* kind = nullptr;   // never null in a layout
  bool thin = false;                // no space for text
  RankIndex rank;                   // invalid: belongs to the whole job
  TrackIndex track;                 // its track, if any
  RowIndex row;                     // the row whose events it shows individually, if any
  std::uint32_t number = 0;         // distinguishes lanes of one kind within a rank
  const RankGroup* group = nullptr; // of the layout, if it stands for a group
  int top = 0;                      // logical pixels from the top of the content
  int height = 0;

  [[nodiscard]] int bottom() const { return top + height; }
};

// The part with one label: a rank's header, or all lanes of an item.
struct Section {
  const LaneKind* kind = nullptr; // never null in a layout
  RankIndex rank;
  TrackIndex track;
  int top = 0;
  int height = 0;
  bool foldable = false;
  bool folded = false;
  QString label;
  QString hint;                     // the part that does not fit into the label
  TrackKey key;                     // its name in a TimelineChoice
  const RankGroup* group = nullptr; // of the layout, if it stands for a group
  bool capture = false;             // a recording below the row of its rank

  [[nodiscard]] int bottom() const { return top + height; }
};

// Position of an item within its rank, top to bottom.
enum class LanePlace : std::uint8_t {
  AboveCounters, // the tracks that counters describe: main thread, busy threads, streams
  Counters,
  BelowCounters, // Python stacks and threads that mostly wait
  More,          // less used tracks, collapsed together
};

// A track, a counter or another item of a rank or of the job that gets a section.
struct LaneItem {
  const LaneKind* kind = nullptr;
  LanePlace place = LanePlace::AboveCounters;
  TrackKey key;
  QString label;
  QString hint;
  TrackIndex track;
  std::uint32_t number = 0; // meaning depends on the kind
};

} // namespace rankscope::ui
