// SPDX-License-Identifier: GPL-3.0-or-later
// The points of the roofline: all calls of a rank that did the same (operator, shapes, number format), with
// what they reached and what the device could do at their ratio of operations to bytes. Pure; O(calls log
// calls).
#pragma once

#include "core/analysis/efficiency/rank_flops.h"
#include "core/analysis/efficiency/rank_peaks.h"
#include "core/base/exact_sum.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// Which roof is lower at the point: within 1.5 times of the ridge it is both.
// Which calls are asked about: those that count in a range, see FlopCall::time.
struct FlopWindow {
  TimeRange range = kAllTime;
  bool byDevice = false;
};

[[nodiscard]] FlopWindow flopWindow(const Analysis& analysis, RankIndex rank);

enum class FlopBound : std::uint8_t { Unknown, Memory, Both, Compute };

// "memory", "both", "compute"; empty of Unknown.
[[nodiscard]] std::string_view flopBoundText(FlopBound bound);

struct FlopPoint {
  NameId operatorName;
  std::uint32_t shapes = 0; // a place in RankFlops::shapes
  std::uint32_t group = 0;  // as groupedPoints was told
  FlopWork work;            // of one call
  std::int64_t calls = 0;   // that ran
  std::int64_t notRun = 0;
  ExactSum flops = 0;
  ExactSum executed = 0;
  std::optional<ExactSum> bytes;
  ExactSum deviceTime = 0;
  std::int64_t kernels = 0;
  EventIndex first;               // the call that took longest
  std::vector<EventIndex> events; // of each call that ran its longest kernel, or its operator
  EventIndex longestKernel;       // of all its calls; invalid without device work

  // With a device time; empty without.
  std::optional<double> tflops;    // 10^12 executed operations a second
  std::optional<double> gigabytes; // 10^9 bytes a second
  std::optional<double> intensity; // executed operations per byte
  // With a peak as well.
  FlopBound bound = FlopBound::Unknown;
  std::optional<double> efficiencyPct; // of the lower roof
  std::optional<double> peakPct;       // of the format's peak
  std::optional<TimeNs> lost;          // device time beyond what the lower roof needs; >= 0
};

// Of the calls whose operator begins in the window; by device time, then FLOPs, then operator.
[[nodiscard]] std::vector<FlopPoint> flopPoints(const RankTrace& trace, const RankFlops& flops,
                                                const RankPeaks& peaks, FlopWindow window = {});

// The same by shape alone, of matrix products that ran: m, n, k, batch and number format.
[[nodiscard]] std::vector<FlopPoint> gemmPoints(const RankTrace& trace, const RankFlops& flops,
                                                const RankPeaks& peaks, FlopWindow window = {});

// Points of operators and shapes within groups of calls: one for each call of `flops`, by place.
[[nodiscard]] std::vector<FlopPoint> groupedPoints(const RankTrace& trace, const RankFlops& flops,
                                                   const RankPeaks& peaks, const FlopWindow& window,
                                                   const std::vector<std::uint32_t>& groups);

// How a point can be above the peak of its number format, or above the lower roof; empty where it is not.
// kernel: its longest.
[[nodiscard]] std::string whyAboveRoof(const FlopPoint& point, std::string_view kernel);

// Fills in rates, bound and loss of a point whose sums are known.
void ratePoint(FlopPoint& point, const RankPeaks& peaks);

// The lower roof in 10^12 operations a second; 0 when none is known.
[[nodiscard]] double roofAt(const RankPeaks& peaks, NumberFormat format, std::optional<double> intensity);

} // namespace rankscope
