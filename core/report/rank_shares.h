// SPDX-License-Identifier: GPL-3.0-or-later
// Time of each rank, for comparison: compute and communication, and within collectives wait and transfer.
// Sums are those of the `ranks` table, means those of the kept steps in the `steps` table; parts add up to
// their whole. If there are many ranks, representative ones are chosen. Pure functions of finished results;
// O(ranks + steps + participants · log).
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/base/exact_sum.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankscope {

struct RankShare {
  RankIndex rank;         // its first recording, where several are taken together
  std::int64_t steps = 0; // that its means are over
  bool kept = false;      // whether these are kept; else none is, and its means are over all
  bool straggler = false;
  bool truncated = false; // its file is: its times are no measure for others
  bool onDevice = true;   // else from operators and host collectives, over its steps
  // Over the GPU span, or means over the steps; together the whole time.
  TimeNs computeOnly = 0;
  TimeNs overlapped = 0;
  TimeNs exposed = 0;
  TimeNs other = 0;
  // Sums over matched collectives; for means those that begin in kept steps, divided by their number.
  bool matched = false;
  ExactSum waitHidden = 0; // overlapped by compute
  ExactSum waitExposed = 0;
  ExactSum transfer = 0;
  // The part of waitExposed that is start skew of the recordings, no cost of the job.
  ExactSum waitStart = 0;

  [[nodiscard]] TimeNs compute() const { return computeOnly + overlapped; }
  [[nodiscard]] TimeNs wait() const { return waitHidden + waitExposed; }
};

enum class ShareOver : std::uint8_t { Sum, StepMean };

// By analysis.ranks(). Ranks without steps always have sums.
[[nodiscard]] std::vector<RankShare> rankShares(const Analysis& analysis, ShareOver over);
// One share per rank: the recordings of a rank taken together, means weighed by their steps; where some have
// kept steps, of these. By first recording.
[[nodiscard]] std::vector<RankShare> joinedRecordings(const TraceSet& traces,
                                                      std::span<const RankShare> shares, ShareOver over);
// Whether a step in scope is kept. Where none is, means are over all steps.
[[nodiscard]] bool keepsSteps(const Analysis& analysis, RankIndex rank);
// Maximum number of steps that a rank's means are over; 0 without steps.
[[nodiscard]] std::size_t maxSteps(const Analysis& analysis);

// Why a rank was chosen.
enum class RankRole : std::uint8_t { Plain, Outlier, Min, Low, Median, High, Max };

struct ChosenRank {
  std::size_t index = 0; // into the values
  RankRole role = RankRole::Plain;

  bool operator==(const ChosenRank&) const = default;
};

// At most maxCount (>= 8) ranks: all if there are no more; else the outliers in order, then the minimum, 10th
// percentile, median, 90th percentile and maximum of the remaining values. outliers: unique indices, largest
// deviation first.
[[nodiscard]] std::vector<ChosenRank>
chosenRanks(std::span<const TimeNs> values, std::span<const std::size_t> outliers, std::size_t maxCount);

// Indices of outlying ranks: stragglers, then by compute or waiting time.
[[nodiscard]] std::vector<std::size_t> outlierRanks(std::span<const RankShare> shares);

} // namespace rankscope
