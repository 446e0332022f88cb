// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/transfer_fit.h"

#include "core/analysis/collectives/transfer_curve.h"
#include "core/base/whole_number.h"

#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr std::size_t kFewSamples = 3; // of a size; they weigh half

} // namespace

std::optional<TransferFit> transferFit(std::span<const TransferPoint> points) {
  std::vector<CurveSample> samples;
  samples.reserve(points.size());
  for (const TransferPoint& point : points)
    samples.push_back({point.bytes, static_cast<double>(point.time) / 1e3});
  const CurveFit fit = fitOf(curvePoints(std::move(samples), kFewSamples), true);
  if (fit.model != FitModel::AlphaBeta) return std::nullopt;
  return TransferFit{rounded(fit.alphaUs * 1e3), fit.betaGbS, fit.r2};
}

} // namespace rankscope
