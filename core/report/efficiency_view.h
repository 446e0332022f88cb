// SPDX-License-Identifier: GPL-3.0-or-later
// FLOPs and efficiency of a job for people: MFU and HFU over ranks and kept steps, the mean step from peak to
// achieved, and the points of all ranks together. Pure; O(steps + calls).
#pragma once

#include "core/analysis/efficiency/flop_points.h"
#include "core/export/result_table.h"
#include "core/report/job_report.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

// Of several ranks together; times and counts are sums.
struct JobPoint {
  std::string operatorName;
  std::string shapes;
  std::string kernel; // the longest
  RankIndex rank;     // that the longest is of
  FlopPoint point;
};

struct EfficiencyView {
  bool areSteps = false;
  std::size_t steps = 0; // kept
  std::size_t ranks = 0;
  double stepTime = 0; // mean, ns; the parts add up to it
  std::array<double, kEfficiencyPartCount> parts{};
  bool partsKnown = false; // beyond the first three
  // Over ranks and kept steps.
  std::optional<double> mfuPct;
  std::optional<double> hfuPct;
  std::optional<double> busyHfuPct;
  std::optional<double> coveragePct;
  std::optional<double> tflopsPerGpu;  // FLOPs over step time
  std::optional<double> flopsPerStep;  // of the recorded ranks
  std::optional<double> recomputedPct; // of the FLOPs
  double computeTime = 0;              // ns of a mean step of a rank
  double peak = 0;                     // mean over the ranks' mixes, 10^12 operations a second; 0 not known
  NumberFormat format = NumberFormat::Unknown;
  RankPeaks peaks;        // of the first rank that has any
  std::string convention; // of the model's FLOPs; empty: MFU is from shapes
  bool fromModel = false;
  bool hasShapes = false;
  bool hasKernels = false;
  std::vector<JobPoint> points;     // of operators and shapes, by device time
  std::vector<JobPoint> gemms;      // by shape
  std::optional<double> bestTflops; // the fastest product of the main number format with 1 % of their time
  std::optional<std::int64_t> parameters; // from the gradient buckets of DDP

  [[nodiscard]] double part(EfficiencyPart of) const { return parts[static_cast<std::size_t>(of)]; }
};

[[nodiscard]] EfficiencyView efficiencyView(const JobReport& report, const EfficiencySettings& settings);

// operator, shapes, dtype, calls, flops, device_us, tflops, peak_pct, intensity, bound, efficiency_pct,
// lost_us, tile, waves, advice, tier: one row for each point, of all ranks and steps together. byShape: GEMMs
// by m, n, k and batch, else every operator with its shapes.
[[nodiscard]] ResultTable pointsTable(const EfficiencyView& view, bool byShape);

// Why there is no MFU; empty when there is one.
[[nodiscard]] std::string whyNoMfu(const EfficiencyView& view);

} // namespace rankscope
