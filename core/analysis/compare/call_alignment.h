// SPDX-License-Identifier: GPL-3.0-or-later
// The single calls of a step of one rank laid beside those of another step: operators by their place in the
// program, and what ran on devices by the operator that launched it. For two steps that are looked at; the
// tables need sums only. Operators are aligned from the outside in: those of a thread in their order, with as
// many equal names as possible, then the callees of each pair. Every call is in a pair or in one of the lists
// of what only one side has. Pure. O(n) for equal steps, O(n · differences) among siblings.
#pragma once

#include "core/analysis/compare/compared_rows.h"
#include "core/analysis/job/analysis.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankscope {

// So many calls of a side; with more, only the tables are compared.
inline constexpr std::size_t kMaxAlignedCalls = 200'000;

// A step, or any range, of one rank.
struct StepOfRank {
  const Analysis* analysis = nullptr;
  RankIndex rank;
  TimeRange range; // on the clock of its recording
};

struct CallPair {
  EventIndex a;
  EventIndex b;
  RowMatch match = RowMatch::Name; // Name of operators; of device events as in ComparedKernel
};

struct CallAlignment {
  std::vector<CallPair> pairs;    // ascending by a
  std::vector<std::uint32_t> byB; // positions in pairs, ascending by b
  std::vector<EventIndex> onlyA;  // ascending
  std::vector<EventIndex> onlyB;
  bool tooMany = false; // more than kMaxAlignedCalls: nothing was aligned

  // The pair of an event of A, or of B; null where it has none.
  [[nodiscard]] const CallPair* pairOf(bool ofB, EventIndex event) const;
};

// Calls that begin in the steps: operators of all threads, and activity of all devices.
[[nodiscard]] CallAlignment alignedCalls(const StepOfRank& a, const StepOfRank& b);

} // namespace rankscope
