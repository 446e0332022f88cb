// SPDX-License-Identifier: GPL-3.0-or-later
// Where each rank's time went, side by side: computation and communication, and of the time in collectives
// what was waiting and what moved data. Sums are those of the `ranks` table, means those of the `steps`
// table; the parts of one kind sum to its whole. Of many ranks some are chosen to stand for all. Pure
// functions of finished results; O(ranks + steps + participants · log).
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/base/exact_sum.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankscope {

struct RankShare {
  RankIndex rank;
  bool straggler = false;
  bool onDevice = true; // else of its operators and host collectives, over its steps
  // Over the GPU span, or a mean over the steps: together the whole of it.
  TimeNs computeOnly = 0;
  TimeNs overlapped = 0;
  TimeNs exposed = 0;
  TimeNs other = 0;
  // Sums over the matched collectives, or those by the number of steps.
  bool matched = false;
  ExactSum waitHidden = 0; // computation runs beside it
  ExactSum waitExposed = 0;
  ExactSum transfer = 0;

  [[nodiscard]] TimeNs compute() const { return computeOnly + overlapped; }
  [[nodiscard]] TimeNs wait() const { return waitHidden + waitExposed; }
};

enum class ShareOver : std::uint8_t { Sum, StepMean };

// By analysis.ranks(). A rank without steps has its sums in either case.
[[nodiscard]] std::vector<RankShare> rankShares(const Analysis& analysis, ShareOver over);
// The most steps that a rank has in scope; 0: no steps.
[[nodiscard]] std::size_t maxSteps(const Analysis& analysis);

// Why a rank is shown.
enum class RankRole : std::uint8_t { Plain, Outlier, Min, Low, Median, High, Max };

struct ChosenRank {
  std::size_t index = 0; // of the values
  RankRole role = RankRole::Plain;

  bool operator==(const ChosenRank&) const = default;
};

// At most `most` of them (>= 8): all in their order when there are no more; else the outliers in their order,
// then those whose values are the least, the 10th percentile, the median, the 90th percentile and the largest
// of the rest. outliers: positions, the largest deviation first, each once.
[[nodiscard]] std::vector<ChosenRank>
chosenRanks(std::span<const TimeNs> values, std::span<const std::size_t> outliers, std::size_t maxCount);

// Positions of the ranks that stand out: stragglers, then by what they compute or wait.
[[nodiscard]] std::vector<std::size_t> outlierRanks(std::span<const RankShare> shares);

} // namespace rankscope
