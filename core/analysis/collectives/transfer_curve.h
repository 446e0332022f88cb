// SPDX-License-Identifier: GPL-3.0-or-later
// How long a transfer takes by size: T = alpha + S / beta by relative least squares with its errors, refused
// where sizes do not tell; and interpolation between measured sizes, which errs less inside the range. Times
// in microseconds. Pure; O(points), the pieces O(points^2).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace rankscope {

// Median of the samples of a size.
struct CurvePoint {
  double bytes = 0;
  double us = 0;
  double weight = 1;
};

enum class FitModel : std::uint8_t { None, LatencyOnly, BetaOnly, AlphaBeta };
[[nodiscard]] std::string_view fitModelText(FitModel model); // "alpha_beta"

struct CurveFit {
  FitModel model = FitModel::None;
  double alphaUs = 0;
  double betaGbS = 0; // of algorithm bandwidth; 0 without a bandwidth term
  double r2 = 0;
  double meanErrorPct = 0, maxErrorPct = 0;
  double maxErrorBytes = 0;
  std::int64_t sizes = 0;
  double minBytes = 0, maxBytes = 0;
  std::vector<double> dropped; // sizes left out as outliers

  // Of the model; empty without one.
  [[nodiscard]] std::optional<double> at(double bytes) const;
};

// Conditions of both parameters: 4 sizes over a factor of 16; of beta alone: 2 sizes over a factor of 4.
// robust: leaves out outliers once, at most a fifth of the sizes. REQUIRES: points by size, each size once.
[[nodiscard]] CurveFit fitOf(std::span<const CurvePoint> points, bool robust);
// The same without conditions: relative least squares of T = alpha + S / beta.
[[nodiscard]] CurveFit relativeFit(std::span<const CurvePoint> points);

// "good", "usable", "curve only"; "too few sizes" or "sizes too similar" without a model.
[[nodiscard]] std::string_view fitVerdict(const CurveFit& fit);

// Lines for parts of the range, for at least 12 sizes: NCCL changes its protocol with size.
struct CurvePiece {
  double fromBytes = 0, toBytes = 0;
  double alphaUs = 0, betaGbS = 0;
};
[[nodiscard]] std::vector<CurvePiece> threePieces(std::span<const CurvePoint> points);

// A prediction and how far it may be off.
struct CurveTime {
  double us = 0;
  bool extrapolated = false; // beyond twice the measured range
};

// Interpolates between measured sizes on a log-log scale; beyond them by the fit.
class TransferCurve {
 public:
  TransferCurve() = default;
  // REQUIRES: points by size, each size once, bytes and times above 0.
  TransferCurve(std::vector<CurvePoint> points, CurveFit fit);

  [[nodiscard]] bool empty() const { return m_points.empty(); }
  [[nodiscard]] const std::vector<CurvePoint>& points() const { return m_points; }
  [[nodiscard]] const CurveFit& fit() const { return m_fit; }
  // Mean error of the interpolation at each size but the first and last, if that size had not been measured.
  // Empty with less than three sizes.
  [[nodiscard]] std::optional<double> interpolationErrorPct() const;
  // Never decreases with size. Empty outside of the range without a model.
  [[nodiscard]] std::optional<CurveTime> at(double bytes) const;

 private:
  std::vector<CurvePoint> m_points;
  std::vector<double> m_rising; // times, so that larger transfers never take less
  CurveFit m_fit;
};

// Medians by size of times at sizes, in any order; sizes of 0 are left out. few: sizes with fewer samples get
// half weight.
struct CurveSample {
  std::int64_t bytes = 0;
  double us = 0;
};
[[nodiscard]] std::vector<CurvePoint> curvePoints(std::vector<CurveSample> samples, std::size_t few = 1);

} // namespace rankscope
