// SPDX-License-Identifier: GPL-3.0-or-later
// How each rank's clock is turned into the job's: ranks of a host share an offset and a drift against the
// host of the first rank, whose clock is the job's. How good that is stands beside it. Plain data, constant
// after it was made.
#pragma once

#include "core/base/strong_index.h"
#include "core/base/whole_number.h"
#include "core/model/clock_times.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace rankscope {

struct ClockCorrection {
  TimeNs offset = 0;   // added to a time at `reference`
  double driftPpb = 0; // nanoseconds more for each second after it
  RankTime reference;

  [[nodiscard]] JobTime toJob(RankTime time) const {
    const JobTime moved(movedTime(time.ns(), offset));
    if (driftPpb == 0) return moved;
    return moved.movedBy(rounded(static_cast<double>(time - reference) * driftPpb * 1e-9));
  }
  [[nodiscard]] JobRange toJob(RankRange range) const { return {toJob(range.begin), toJob(range.end)}; }
  // The time on the rank's clock that toJob converts to this one, to a nanosecond.
  [[nodiscard]] RankTime fromJob(JobTime time) const {
    const RankTime moved(movedTime(time.ns(), -offset));
    if (driftPpb == 0) return moved;
    return reference.movedBy(rounded(static_cast<double>(moved - reference) / (1 + driftPpb * 1e-9)));
  }
  [[nodiscard]] RankRange fromJob(JobRange range) const { return {fromJob(range.begin), fromJob(range.end)}; }
  // How much more the rank's clock shows than the job's at this time of it.
  [[nodiscard]] TimeNs aheadOfJob(RankTime time) const { return time.ns() - toJob(time).ns(); }
  [[nodiscard]] bool changesNothing() const { return offset == 0 && driftPpb == 0; }
  bool operator==(const ClockCorrection&) const = default;
};

struct RankClock {
  ClockCorrection correction;
  std::uint32_t domain = 0; // ranks of one domain share a clock
  // 95 % of this rank's ends of blocking collectives lie within this of the median rank's; nothing without
  // any.
  std::optional<TimeNs> residual;
  // What causality allows the domain's offset to be around `correction`, given the one it was compared with:
  // no rank ends a blocking collective before the last one began. Nothing for the first domain.
  std::optional<TimeRange> bounds;
  bool feasible = true; // the bounds allow the correction
};

struct ClockAlignment {
  std::vector<RankClock> ranks; // by RankIndex
  std::uint32_t domains = 0;
  std::uint64_t samples = 0;            // blocking collectives that were compared between domains
  std::uint32_t unconnectedDomains = 0; // share no collective with the first one: their clock is as recorded

  [[nodiscard]] const ClockCorrection& of(RankIndex rank) const { return ranks[rank.value].correction; }
};

} // namespace rankscope
