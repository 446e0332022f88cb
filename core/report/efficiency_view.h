// SPDX-License-Identifier: GPL-3.0-or-later
// FLOPs and efficiency of a job for people: MFU and HFU over ranks and kept steps, the mean step from peak to
// achieved, and the points of all ranks together. Pure; O(steps + calls).
#pragma once

#include "core/analysis/efficiency/mfu_difference.h"
#include "core/analysis/efficiency/plausibility.h"
#include "core/export/result_table.h"
#include "core/report/efficiency_points.h"
#include "core/report/job_report.h"
#include "core/report/model_guesses.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

struct EfficiencyView {
  bool areSteps = false;
  bool isRange = false;  // of a part of a recording in which no step begins
  std::size_t steps = 0; // kept
  std::size_t ranks = 0;
  double stepTime = 0; // mean, ns; the parts add up to it
  std::array<double, kEfficiencyPartCount> parts{};
  bool partsKnown = false;  // beyond the first three
  MfuDifference difference; // ns of the mean step, as the parts
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
  std::string shapesOption; // what records them
  bool hasKernels = false;
  std::vector<JobPoint> points;     // of operators and shapes, by device time
  std::vector<JobPoint> gemms;      // by shape
  std::vector<JobPoint> modules;    // of operators and shapes by module; empty without Python frames
  bool shortened = false;           // the points, see JobPoints
  std::optional<double> bestTflops; // the fastest product of the main number format with 1 % of their time
  // What the job would reach if each operator were as fast as the fastest product of its number format: their
  // FLOPs over the time that they would take.
  std::optional<double> bestMixTflops;
  ModelGuesses guesses; // of the model, for the user to take

  // MFU as a share of that instead of the peak.
  [[nodiscard]] std::optional<double> mfuOfBestPct() const;
  [[nodiscard]] double part(EfficiencyPart of) const { return parts[static_cast<std::size_t>(of)]; }
};

// Whether it can be made: a digest answers for the nominal peaks and no model.
[[nodiscard]] bool knowsEfficiency(const JobReport& report, const EfficiencySettings& settings);
[[nodiscard]] EfficiencyView efficiencyView(const JobReport& report, const EfficiencySettings& settings);
// Without points and guesses.
[[nodiscard]] EfficiencyView efficiencyFigures(const JobReport& report, const EfficiencySettings& settings);

// Its value, and what it is a share of, or why it is not known or cannot be.
struct MfuText {
  std::string value; // empty: not known, or not possible
  std::string note;
};
[[nodiscard]] MfuText mfuText(const EfficiencyView& view);

// "MFU 35.2 % of 989 TFLOP/s (bf16, H100, nominal), HFU 38.1 %; 84.8 % of kernel time has FLOPs", or why it
// is not known. Bounds as in the window: "≥" below 70 % coverage.
[[nodiscard]] std::string efficiencyText(const EfficiencyView& view);
// "MFU is 3.5 points more: ...": by cause, why it is not the share of the part "FLOPs at the peak"; empty
// below 0.05 points.
[[nodiscard]] std::string mfuDifferenceText(const EfficiencyView& view);
// By what MFU counts: "shapes", "6Ψ + 12LHS", "inference: ...".
[[nodiscard]] std::string conventionOf(const JobEfficiency& efficiency, const ModelSettings& model);
// Below this coverage FLOPs are a lower bound.
inline constexpr double kGoodCoveragePct = 70;

enum class PointGroups : std::uint8_t { Shapes, Operators, Modules };

// module, pass, operator, shapes, dtype, calls, flops, device_us, tflops, peak_pct, intensity, bound,
// efficiency_pct, lost_us, tile, waves, advice, tier: one row for each point, of all ranks and steps
// together: GEMMs by m, n, k and batch; every operator with its shapes; the same by module.
[[nodiscard]] ResultTable pointsTable(const EfficiencyView& view, PointGroups by);
[[nodiscard]] const std::vector<JobPoint>& pointsOf(const EfficiencyView& view, PointGroups by);

// As of the figures alone. What cannot be is no headline.
[[nodiscard]] std::string whyImplausible(const EfficiencyView& view);
// Why there is no MFU, and no HFU, which a model gives no figure for; empty when there is one.
[[nodiscard]] std::string whyNoMfu(const EfficiencyView& view);
[[nodiscard]] std::string whyNoHfu(const EfficiencyView& view);

} // namespace rankscope
