// SPDX-License-Identifier: GPL-3.0-or-later
// A generated job on two hosts whose clocks differ by seconds and drift apart, and what any time of it is on
// each clock: whatever forgets a correction, or makes it twice, is seconds off.
#pragma once

#include "core/analysis/job/analysis.h"
#include "tests/support/job_generator.h"

#include <memory>

namespace rankscope {

struct TwoHostJob {
  static constexpr int kRanksOfHost = 2;
  static constexpr TimeNs kAhead = 5'000'000'000; // of the second host
  static constexpr TimeNs kDriftPpb = 20'000;
  // What estimated clocks may be off; a time on the wrong clock is off by kAhead.
  static constexpr TimeNs kTolerance = 10'000;
  static constexpr int kStraggler = 3; // a rank of the second host

  TwoHostJob();

  test::JobTruth truth;
  std::shared_ptr<const Analysis> analysis;

  // Of a time on the clock by which the truth has the collectives.
  [[nodiscard]] JobTime jobTime(TimeNs time) const; // the job's clock is the first host's
  [[nodiscard]] RankTime rankTime(int rank, TimeNs time) const;
  // The other way round, of a time as a file of the rank has it.
  [[nodiscard]] TimeNs trueTime(int rank, RankTime time) const;
  // Of a collective over all of its participants, from the first begin to the last end.
  [[nodiscard]] JobRange placeOf(const test::CollectiveTruth& collective) const;
};

// Whether both ends are as wanted, to the tolerance.
template <class Range> [[nodiscard]] bool isNear(Range range, Range wanted) {
  const auto off = [](TimeNs by) { return by < 0 ? -by : by; };
  return off(range.begin - wanted.begin) <= TwoHostJob::kTolerance &&
         off(range.end - wanted.end) <= TwoHostJob::kTolerance;
}

} // namespace rankscope
