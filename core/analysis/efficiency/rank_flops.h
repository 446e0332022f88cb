// SPDX-License-Identifier: GPL-3.0-or-later
// What the operators of one rank computed: every call of an operator with a formula, each product counted
// once, with the device work that it launched. On a rank with kernels, an operator that launched none did not
// run: shapes for a compiler, warm-up under capture, the operator at which checkpointing stops. Reads the
// arguments of these operators again from the file, of no others: seconds for a large file, not for a UI
// thread. O(operators + device events).
#pragma once

#include "core/analysis/efficiency/flop_formula.h"
#include "core/analysis/job/analysis.h"
#include "core/base/exact_sum.h"
#include "core/base/progress.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope {

struct FlopCall {
  EventIndex op; // on the host; of a captured operator the launch of its graph
  NameId name;   // of the operator
  FlopWork work;
  std::uint32_t shapes = 0; // a place in RankFlops::shapes
  bool ran = true;
  bool recomputed = false;
  std::int64_t kernels = 0;
  ExactSum deviceTime = 0;  // of its kernels, summed
  EventIndex longestKernel; // invalid without kernels

  [[nodiscard]] bool counts() const { return ran && work.known(); }
  // When it counts: of a step the begin of its operator; of a range of the recording its longest kernel,
  // because what ran in it may have been launched before.
  [[nodiscard]] TimeNs time(const RankTrace& trace, bool byDevice) const {
    return trace.events.begin[byDevice && longestKernel.valid() ? longestKernel : op];
  }
};

struct RankFlops {
  std::vector<FlopCall> calls;      // by operator
  std::vector<std::string> shapes;  // texts: "[[32, 48], [48, 64]]"
  std::vector<std::int32_t> callOf; // by device event: a place in `calls`, -1 of none
  bool hasKernels = false;
  bool hasShapes = false;     // of any operator with a formula
  std::int64_t operators = 0; // with a formula, counted or not

  // Null when the device event belongs to none.
  [[nodiscard]] const FlopCall* callOfDevice(const RankTrace& trace, EventIndex event) const;
};

// Of the whole recording.
[[nodiscard]] RankFlops rankFlops(const Analysis& analysis, RankIndex rank,
                                  const Progress* progress = nullptr);

} // namespace rankscope
