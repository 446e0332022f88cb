// SPDX-License-Identifier: GPL-3.0-or-later
// Steps of A and B as lanes of their own events, and the calls of both that are pairs. Pure, except that it
// uses Qt's texts; made on a worker.
#pragma once

#include "core/analysis/compare/call_alignment.h"
#include "core/analysis/job/analysis.h"

#include <QString>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace rankscope::ui {

// Rows of one track, drawn over each other.
struct AlignedLane {
  QString title;
  std::vector<RowIndex> rows;
  bool communication = false; // of a stream that mostly communicates
};

// A step of one rank.
struct AlignedSide {
  std::shared_ptr<const Analysis> analysis; // null: none
  RankIndex rank;
  TimeRange range; // on the clock of its recording
  QString title;
  std::vector<AlignedLane> lanes;
  std::size_t notShown = 0; // further streams with activity in the step

  [[nodiscard]] const RankTrace& trace() const { return *analysis->trace().rank(rank).trace; }
};

struct AlignedPair {
  AlignedSide a;
  AlignedSide b;
  std::shared_ptr<const CallAlignment> calls; // null: not made

  [[nodiscard]] const AlignedSide& side(bool ofB) const { return ofB ? b : a; }
  [[nodiscard]] bool valid() const {
    return a.analysis && b.analysis && !a.range.empty() && !b.range.empty();
  }
};

// A call of either side, with its partner where it has one.
struct AlignedCall {
  EventIndex a; // invalid: only the other side has it
  EventIndex b;
  std::optional<RowMatch> match; // nothing: only one side has it
  bool chosenInB = false;

  [[nodiscard]] EventIndex of(bool ofB) const { return ofB ? b : a; }
  bool operator==(const AlignedCall&) const = default;
};

// Outermost operators of the main thread, and the streams with the most activity in the step.
void fillLanes(AlignedSide& side);

// An event of a side as a call of both. Without alignment, or for what is not aligned, it has no partner.
[[nodiscard]] AlignedCall alignedCallOf(const AlignedPair& pair, bool ofB, EventIndex event);

// Whether alignment looks at an event at all: operators and device activity.
[[nodiscard]] bool isAligned(const AlignedSide& side, EventIndex event);

// The call before (-1) or after (1) this one in its lane; nothing at the ends.
[[nodiscard]] std::optional<EventIndex> callBeside(const AlignedSide& side, EventIndex event, int by);

// Both calls with their times, and the difference, as rich text.
[[nodiscard]] QString alignedCallText(const AlignedPair& pair, const AlignedCall& call);
// "412 calls of both, 3 only in A, 5 only in B"; why not, where there are too many.
[[nodiscard]] QString alignedCountsText(const AlignedPair& pair);

} // namespace rankscope::ui
