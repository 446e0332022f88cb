// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/transfer_curve.h"

#include "core/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace rankscope {

namespace {

constexpr std::int64_t kMinSizes = 4;
constexpr double kMinSizeRatio = 16;
constexpr std::int64_t kMinBetaSizes = 2;
constexpr double kMinBetaRatio = 4;
constexpr double kMaxDroppedShare = 0.2;
constexpr double kOutlier = 3 * 1.4826; // medians of absolute deviations
constexpr double kGoodPct = 10;
constexpr double kUsablePct = 25;
constexpr std::size_t kMinForPieces = 12;
constexpr std::size_t kMaxForPieces = 2000;
constexpr std::size_t kMinOfPiece = 3;
constexpr double kExtrapolation = 2;

// Sums of the normal equations of Σ w ((α + S/β - T) / T)².
struct Sums {
  double a = 0, b = 0, c = 0, d = 0, e = 0, w = 0;

  void add(const CurvePoint& point) {
    const double t = point.us;
    const double s = point.bytes;
    a += point.weight / (t * t);
    b += point.weight * s / (t * t);
    c += point.weight * s * s / (t * t);
    d += point.weight / t;
    e += point.weight * s / t;
    w += point.weight;
  }
  [[nodiscard]] Sums without(const Sums& first) const {
    return {a - first.a, b - first.b, c - first.c, d - first.d, e - first.e, w - first.w};
  }
};

struct Line {
  double alpha = 0;   // µs
  double inverse = 0; // µs per byte
};

Line lineOf(const Sums& sums) {
  const double determinant = sums.a * sums.c - sums.b * sums.b;
  Line line;
  if (determinant > 0) {
    line.alpha = (sums.d * sums.c - sums.b * sums.e) / determinant;
    line.inverse = (sums.a * sums.e - sums.b * sums.d) / determinant;
  } else if (sums.a > 0) {
    line.alpha = sums.d / sums.a;
  }
  if (line.alpha < 0) {
    line.alpha = 0;
    line.inverse = sums.c > 0 ? sums.e / sums.c : 0;
  }
  if (line.inverse < 0) {
    line.inverse = 0;
    line.alpha = sums.a > 0 ? sums.d / sums.a : 0;
  }
  return line;
}

void judge(std::span<const CurvePoint> points, const Line& line, CurveFit& fit) {
  double mean = 0;
  for (const CurvePoint& point : points) mean += point.us / static_cast<double>(points.size());
  double off = 0, spread = 0, errors = 0;
  for (const CurvePoint& point : points) {
    const double predicted = line.alpha + point.bytes * line.inverse;
    off += (point.us - predicted) * (point.us - predicted);
    spread += (point.us - mean) * (point.us - mean);
    const double error = 100 * std::abs(predicted - point.us) / point.us;
    errors += error;
    if (error > fit.maxErrorPct) {
      fit.maxErrorPct = error;
      fit.maxErrorBytes = point.bytes;
    }
  }
  fit.r2 = spread > 0 ? 1 - off / spread : 1;
  fit.meanErrorPct = errors / static_cast<double>(points.size());
}

void describe(std::span<const CurvePoint> points, CurveFit& fit) {
  fit.sizes = static_cast<std::int64_t>(points.size());
  if (points.empty()) return;
  fit.minBytes = points.front().bytes;
  fit.maxBytes = points.back().bytes;
}

CurveFit withLine(std::span<const CurvePoint> points, const Line& line) {
  CurveFit fit;
  describe(points, fit);
  fit.alphaUs = line.alpha;
  fit.betaGbS = line.inverse > 0 ? 1e-3 / line.inverse : 0;
  fit.model = line.inverse > 0 ? FitModel::AlphaBeta : FitModel::LatencyOnly;
  judge(points, line, fit);
  return fit;
}

// Points without the worst ones; the smallest and the largest size stay.
std::vector<CurvePoint> withoutOutliers(std::span<const CurvePoint> points, const CurveFit& fit,
                                        std::vector<double>& dropped) {
  std::vector<double> residuals;
  residuals.reserve(points.size());
  for (const CurvePoint& point : points)
    residuals.push_back((fit.at(point.bytes).value_or(0) - point.us) / point.us);
  const double middle = median(residuals);
  std::vector<double> distances;
  distances.reserve(points.size());
  for (const double residual : residuals) distances.push_back(std::abs(residual - middle));
  const double limit = kOutlier * median(std::move(distances));
  std::vector<std::size_t> worst;
  for (std::size_t i = 1; i + 1 < points.size(); ++i)
    if (std::abs(residuals[i]) > limit && limit > 0) worst.push_back(i);
  std::ranges::sort(worst, std::greater<>(), [&](std::size_t i) { return std::abs(residuals[i]); });
  const auto most = static_cast<std::size_t>(kMaxDroppedShare * static_cast<double>(points.size()));
  if (worst.size() > most) worst.resize(most);
  std::vector<CurvePoint> kept;
  kept.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (std::ranges::find(worst, i) == worst.end())
      kept.push_back(points[i]);
    else
      dropped.push_back(points[i].bytes);
  }
  return kept;
}

// The sum of squares that a line leaves: w ((α + S/β - T) / T)², multiplied out.
double errorOf(const Sums& sums, const Line& line) {
  const double alpha = line.alpha, inverse = line.inverse;
  return std::max(0.0, alpha * alpha * sums.a + 2 * alpha * inverse * sums.b + inverse * inverse * sums.c -
                           2 * alpha * sums.d - 2 * inverse * sums.e + sums.w);
}

Line lineOf(std::span<const CurvePoint> points) {
  Sums sums;
  for (const CurvePoint& point : points) sums.add(point);
  return lineOf(sums);
}

} // namespace

std::string_view fitModelText(FitModel model) {
  switch (model) {
  case FitModel::None:
    return "none";
  case FitModel::LatencyOnly:
    return "latency_only";
  case FitModel::BetaOnly:
    return "beta_only";
  case FitModel::AlphaBeta:
    return "alpha_beta";
  }
  return {};
}

std::optional<double> CurveFit::at(double bytes) const {
  if (model == FitModel::None) return std::nullopt;
  return alphaUs + (betaGbS > 0 ? bytes / (betaGbS * 1e3) : 0);
}

CurveFit relativeFit(std::span<const CurvePoint> points) {
  if (points.empty()) return {};
  return withLine(points, lineOf(points));
}

CurveFit fitOf(std::span<const CurvePoint> points, bool robust) {
  CurveFit fit;
  describe(points, fit);
  if (points.empty()) return fit;
  const double ratio = fit.maxBytes / fit.minBytes;
  if (fit.sizes >= kMinSizes && ratio >= kMinSizeRatio) {
    fit = relativeFit(points);
    if (!robust || fit.model == FitModel::None) return fit;
    std::vector<double> dropped;
    const std::vector<CurvePoint> kept = withoutOutliers(points, fit, dropped);
    if (dropped.empty()) return fit;
    fit = relativeFit(kept);
    describe(points, fit);
    fit.dropped = std::move(dropped);
    return fit;
  }
  if (fit.sizes >= kMinBetaSizes && ratio >= kMinBetaRatio) {
    Sums sums;
    for (const CurvePoint& point : points) sums.add(point);
    fit = withLine(points, {0, sums.e / sums.c});
    fit.model = FitModel::BetaOnly;
  }
  return fit;
}

std::string_view fitVerdict(const CurveFit& fit) {
  switch (fit.model) {
  case FitModel::None:
    return fit.sizes < kMinBetaSizes ? "too few sizes" : "sizes too similar";
  case FitModel::BetaOnly:
    return "bound";
  case FitModel::LatencyOnly:
  case FitModel::AlphaBeta:
    break;
  }
  if (fit.meanErrorPct <= kGoodPct) return "good";
  return fit.meanErrorPct <= kUsablePct ? "usable" : "curve only";
}

std::vector<CurvePiece> threePieces(std::span<const CurvePoint> points) {
  // Points are few: sizes of a job, or powers of two of a table.
  if (points.size() < kMinForPieces || points.size() > kMaxForPieces) return {};
  double best = std::numeric_limits<double>::infinity();
  std::size_t firstCut = 0, secondCut = 0;
  std::vector<Sums> upTo(points.size() + 1); // of the points before a place
  for (std::size_t i = 0; i < points.size(); ++i) {
    upTo[i + 1] = upTo[i];
    upTo[i + 1].add(points[i]);
  }
  const auto error = [&](std::size_t from, std::size_t to) {
    const Sums sums = upTo[to].without(upTo[from]);
    return errorOf(sums, lineOf(sums));
  };
  for (std::size_t i = kMinOfPiece; i + 2 * kMinOfPiece <= points.size(); ++i) {
    const double head = error(0, i);
    if (head >= best) continue;
    for (std::size_t j = i + kMinOfPiece; j + kMinOfPiece <= points.size(); ++j) {
      const double all = head + error(i, j) + error(j, points.size());
      if (all >= best) continue;
      best = all;
      firstCut = i;
      secondCut = j;
    }
  }
  std::vector<CurvePiece> pieces;
  pieces.reserve(3);
  for (const auto& [from, to] : {std::pair(std::size_t{0}, firstCut), std::pair(firstCut, secondCut),
                                 std::pair(secondCut, points.size())}) {
    const Line line = lineOf(points.subspan(from, to - from));
    pieces.push_back(
        {points[from].bytes, points[to - 1].bytes, line.alpha, line.inverse > 0 ? 1e-3 / line.inverse : 0});
  }
  return pieces;
}

TransferCurve::TransferCurve(std::vector<CurvePoint> points, CurveFit fit)
    : m_points(std::move(points)), m_fit(std::move(fit)) {
  // Isotonic regression of the logarithms: neighbors that decrease share their mean.
  struct Level {
    double log = 0;
    std::size_t points = 0;
  };
  std::vector<Level> levels;
  levels.reserve(m_points.size());
  for (const CurvePoint& point : m_points) {
    levels.push_back({std::log(point.us), 1});
    while (levels.size() > 1 && levels[levels.size() - 2].log > levels.back().log) {
      const Level last = levels.back();
      levels.pop_back();
      Level& into = levels.back();
      const auto all = static_cast<double>(into.points + last.points);
      into.log =
          (into.log * static_cast<double>(into.points) + last.log * static_cast<double>(last.points)) / all;
      into.points += last.points;
    }
  }
  m_rising.reserve(m_points.size());
  for (const Level& level : levels) m_rising.insert(m_rising.end(), level.points, std::exp(level.log));
}

std::optional<double> TransferCurve::interpolationErrorPct() const {
  if (m_points.size() < 3) return std::nullopt;
  double errors = 0;
  for (std::size_t i = 1; i + 1 < m_points.size(); ++i) {
    const CurvePoint& before = m_points[i - 1];
    const CurvePoint& after = m_points[i + 1];
    const double share = std::log(m_points[i].bytes / before.bytes) / std::log(after.bytes / before.bytes);
    const double us = std::exp(std::log(before.us) * (1 - share) + std::log(after.us) * share);
    errors += 100 * std::abs(us - m_points[i].us) / m_points[i].us;
  }
  return errors / static_cast<double>(m_points.size() - 2);
}

std::optional<CurveTime> TransferCurve::at(double bytes) const {
  if (m_points.empty() || !(bytes > 0)) return std::nullopt;
  const auto last = m_points.size() - 1;
  const bool below = bytes < m_points.front().bytes;
  if (below || bytes > m_points[last].bytes) {
    // A bandwidth alone says nothing of small messages, which are latency.
    if (below && m_fit.model == FitModel::BetaOnly) return std::nullopt;
    const std::optional<double> fitted = m_fit.at(bytes);
    const double edge = below ? m_rising.front() : m_rising[last];
    const double range = below ? m_points.front().bytes / bytes : bytes / m_points[last].bytes;
    if (!fitted) return std::nullopt;
    // The model joins the curve at its end.
    const double atEdge = m_fit.at(below ? m_points.front().bytes : m_points[last].bytes).value_or(0);
    double us = below ? std::min(edge, *fitted) : std::max(edge, *fitted);
    if (!below && atEdge > 0) us = std::max(edge, edge * *fitted / atEdge);
    return CurveTime{us, range > kExtrapolation};
  }
  const auto above = std::ranges::lower_bound(m_points, bytes, {}, &CurvePoint::bytes);
  const auto at = static_cast<std::size_t>(above - m_points.begin());
  if (above->bytes == bytes || at == 0 || m_rising[at - 1] == m_rising[at])
    return CurveTime{m_rising[at], false};
  const double share =
      std::log(bytes / m_points[at - 1].bytes) / std::log(m_points[at].bytes / m_points[at - 1].bytes);
  return CurveTime{std::exp(std::log(m_rising[at - 1]) * (1 - share) + std::log(m_rising[at]) * share),
                   false};
}

std::vector<CurvePoint> curvePoints(std::vector<CurveSample> samples, std::size_t few) {
  std::erase_if(samples, [](const CurveSample& sample) { return sample.bytes <= 0 || !(sample.us > 0); });
  std::ranges::sort(samples, {},
                    [](const CurveSample& sample) { return std::pair(sample.bytes, sample.us); });
  std::vector<CurvePoint> points;
  for (std::size_t from = 0, to = 0; from < samples.size(); from = to) {
    std::vector<double> times;
    for (to = from; to < samples.size() && samples[to].bytes == samples[from].bytes; ++to)
      times.push_back(samples[to].us);
    CurvePoint point;
    point.bytes = static_cast<double>(samples[from].bytes);
    point.weight = times.size() < few ? 0.5 : 1;
    point.us = median(std::move(times));
    points.push_back(point);
  }
  return points;
}

} // namespace rankscope
