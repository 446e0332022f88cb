// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank spent on each leaf of the account over its kept steps: how much, how often, on what, and where
// most. Plain data; a pass over the pieces of the rank within these steps. Private to the findings.
#pragma once

#include "core/analysis/account/kept_account.h"
#include "core/base/exact_sum.h"

#include <array>
#include <vector>

namespace rankscope {

struct LeafUse {
  ExactSum time;
  std::int64_t count = 0; // stretches of time
  // Of the time, what would not pass anyway: a launch takes its latency, and after the last batch was loaded
  // its first kernel must still be launched.
  ExactSum avoidable;
  ExactSum bytes; // of copies that begin in it
  // Of the avoidable time, what lies before a collective in which this rank began last: the others wait for
  // it; and before any collective of several ranks.
  ExactSum beforeLast;
  ExactSum beforeAny;
  NameId name; // what stands for most of it; invalid when nothing does
  ExactSum nameTime;
  TimeRange worst; // the longest stretch, on the clock of the recording; empty without any
  EventIndex worstEvent;
  std::int64_t worstStep = Step::kUnknownNumber;

  void addWorst(TimeRange range, EventIndex event, std::int64_t step) {
    if (range.length() <= worst.length()) return;
    worst = range;
    worstEvent = event;
    worstStep = step;
  }
};

using LeafUses = std::array<LeafUse, kLeafCount>;

// The Python frame of the main thread that most of a range was spent in, the user's own code before others;
// invalid without stacks.
[[nodiscard]] NameId codeIn(const Analysis& analysis, RankIndex rank, TimeRange range);

// names of the idle time that a blocking call left are those of the operator that made it, of Python those of
// the innermost frame, of all else those of the event that stands for a piece.
[[nodiscard]] LeafUses leafUsesOf(const Analysis& analysis, const JobAccount& account,
                                  const KeptAccount& kept, RankIndex rank);

// Of all leaves that stand under an id.
[[nodiscard]] LeafUse useOf(const LeafUses& uses, std::string_view leaf);

} // namespace rankscope
