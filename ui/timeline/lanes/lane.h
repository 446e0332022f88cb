// SPDX-License-Identifier: GPL-3.0-or-later
// What the timeline is made of, top to bottom: lanes, the sections that their labels stand beside, and the
// items of a rank that are yet to be laid out as such. Plain data; what to do with one is known by its kind.
#pragma once

#include "ui/job/timeline_choice.h"

#include <QString>

#include <cstdint>

namespace rankscope::ui {

class LaneKind;

struct Lane {
  const LaneKind* kind = nullptr; // never null within a layout
  bool thin = false;              // no room for text
  RankIndex rank;                 // invalid for what is about the whole job
  TrackIndex track;               // that it belongs to, if any
  RowIndex row;                   // whose events it shows one by one; invalid where it does not
  std::uint32_t number = 0;       // distinguishes the lanes of its kind within a rank
  int top = 0;                    // logical pixels from the top of the content
  int height = 0;

  [[nodiscard]] int bottom() const { return top + height; }
};

// What one label stands beside: a rank's header, or all lanes of an item.
struct Section {
  const LaneKind* kind = nullptr; // never null within a layout
  RankIndex rank;
  TrackIndex track;
  int top = 0;
  int height = 0;
  bool foldable = false;
  bool folded = false;
  QString label;
  QString hint; // the part that does not fit into the label
  TrackKey key; // what it is called in a TimelineChoice

  [[nodiscard]] int bottom() const { return top + height; }
};

// Where an item stands within its rank, top to bottom.
enum class LanePlace : std::uint8_t {
  AboveCounters, // what counters belong to: main thread, busy threads, streams
  Counters,
  BelowCounters, // Python stacks and threads that mostly wait
  More,          // what few people ask for, folded away together
};

// A track, a counter or something else of a rank, or of the whole job, that gets a section.
struct LaneItem {
  const LaneKind* kind = nullptr;
  LanePlace place = LanePlace::AboveCounters;
  TrackKey key;
  QString label;
  QString hint;
  TrackIndex track;
  std::uint32_t number = 0; // what its kind means by it
};

} // namespace rankscope::ui
