// SPDX-License-Identifier: GPL-3.0-or-later
// Converts each rank's clock to the job's clock. Ranks of a host share an offset and a drift relative to the
// host of the first rank, whose clock is the job's. The quality of the alignment is included. Plain immutable
// data.
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
  double driftPpb = 0; // additional nanoseconds per second since `reference`
  RankTime reference;

  [[nodiscard]] JobTime toJob(RankTime time) const {
    const JobTime moved(movedTime(time.ns(), offset));
    if (driftPpb == 0) return moved;
    return moved.movedBy(rounded(static_cast<double>(time - reference) * driftPpb * 1e-9));
  }
  [[nodiscard]] JobRange toJob(RankRange range) const { return {toJob(range.begin), toJob(range.end)}; }
  // Inverse of toJob, accurate to a nanosecond.
  [[nodiscard]] RankTime fromJob(JobTime time) const {
    const RankTime moved(movedTime(time.ns(), -offset));
    if (driftPpb == 0) return moved;
    return reference.movedBy(rounded(static_cast<double>(moved - reference) / (1 + driftPpb * 1e-9)));
  }
  [[nodiscard]] RankRange fromJob(JobRange range) const { return {fromJob(range.begin), fromJob(range.end)}; }
  // How far the rank's clock is ahead of the job's clock at this time.
  [[nodiscard]] TimeNs aheadOfJob(RankTime time) const { return time.ns() - toJob(time).ns(); }
  [[nodiscard]] bool changesNothing() const { return offset == 0 && driftPpb == 0; }
  bool operator==(const ClockCorrection&) const = default;
};

struct RankClock {
  ClockCorrection correction;
  std::uint32_t domain = 0; // ranks of one domain share a clock
  // 95 % of this rank's ends of blocking collectives are within this distance of the median rank's end. Empty
  // if there are no blocking collectives.
  std::optional<TimeNs> residual;
  // How far causality allows changing the offset, given the other domains: no rank ends a blocking collective
  // before the last one began. Empty for the first domain.
  std::optional<TimeRange> bounds;
  bool feasible = true; // whether the bounds contain 0
};

struct ClockAlignment {
  std::vector<RankClock> ranks; // by RankIndex
  std::uint32_t domains = 0;
  std::uint64_t samples = 0;            // blocking collectives compared between domains
  std::uint32_t unconnectedDomains = 0; // share no collective with the first one, so are not corrected

  [[nodiscard]] const ClockCorrection& of(RankIndex rank) const { return ranks[rank.value].correction; }
};

} // namespace rankscope
