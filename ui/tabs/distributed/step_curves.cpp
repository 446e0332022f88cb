// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/job/cut_ranks.h"
#include "core/base/statistics.h"
#include "core/report/outlier_ranks.h"
#include "ui/tabs/distributed/distributed_data.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>
#include <utility>

namespace rankscope::ui {

namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("Distributed", text);
}

constexpr double kPad = 0.3; // of a step, before the first and after the last
constexpr std::size_t kMaxNamed = 6;

struct StepPoint {
  std::int64_t step;
  TimeNs figure;
};

// Points of a rank's steps in scope; empty without steps.
std::vector<StepPoint> pointsOf(const Analysis& analysis, RankIndex rank, StepFigure figure) {
  std::vector<StepPoint> points;
  const StepWindows& whole = analysis.wholeStepWindows(rank);
  if (!whole.areSteps()) return points;
  const std::vector<RankStep>& paced = analysis.stragglers().ranks[rank.value].steps;
  for (std::size_t i = 0; i < whole.steps.size(); ++i) {
    const StepWindow& step = whole.steps[i];
    if (!analysis.window(rank).contains(RankTime(step.range.begin))) continue;
    if (figure == StepFigure::ExcludingCommunication && i >= paced.size()) continue;
    points.push_back(
        {step.number, figure == StepFigure::ExcludingCommunication ? paced[i].own : step.range.length()});
  }
  return points;
}

QPointF at(std::int64_t x, TimeNs figure) {
  return {static_cast<double>(x), static_cast<double>(figure)};
}

struct RankPoints {
  RankIndex rank;
  bool outlier = false;
  bool truncated = false;
  std::vector<StepPoint> points;
};

void addRankCurve(StepCurves& made, const Analysis& analysis, const RankPoints& of) {
  Curve curve{.name = rankName(analysis, of.rank), .outlier = of.outlier};
  for (const StepPoint& point : of.points) curve.points << at(point.step, point.figure);
  made.curves.curves.push_back(std::move(curve));
  made.rankOfCurve.push_back(of.rank);
}

// A line through one step would not be visible, so each rank is a point.
void addPoints(StepCurves& made, const Analysis& analysis, const std::vector<RankPoints>& ranks) {
  made.perRank = true;
  made.curves.xBegin = -0.5;
  made.curves.xEnd = static_cast<double>(ranks.size()) - 0.5;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    made.curves.xTexts << shortRankName(analysis, ranks[i].rank);
    Curve curve{.name = rankName(analysis, ranks[i].rank), .outlier = ranks[i].outlier};
    curve.points << at(static_cast<std::int64_t>(i), ranks[i].points.front().figure);
    made.curves.curves.push_back(std::move(curve));
    made.rankOfCurve.push_back(ranks[i].rank);
  }
}

// Most ranks as a band and a median.
void addBand(StepCurves& made, const std::vector<RankPoints>& ranks) {
  std::map<std::int64_t, std::vector<TimeNs>> byStep;
  for (const RankPoints& of : ranks) {
    if (of.truncated) continue;
    for (const StepPoint& point : of.points) byStep[point.step].push_back(point.figure);
  }
  Band band{tr("10 to 90 % of the ranks")};
  Curve median{.name = tr("median"), .dashed = true};
  for (auto& [step, figures] : byStep) {
    band.lower << at(step, percentile(figures, 10));
    band.upper << at(step, percentile(figures, 90));
    median.points << at(step, wholeMedian(std::move(figures)));
  }
  made.curves.bands.push_back(std::move(band));
  made.curves.curves.push_back(std::move(median));
  made.rankOfCurve.emplace_back();
}

} // namespace

StepCurves stepCurves(const Analysis& analysis, std::span<const std::size_t> outlier, StepFigure figure) {
  StepCurves made;
  made.curves.fromZero = false;
  made.curves.xPrefix = QStringLiteral("#");
  std::vector<RankPoints> ranks;
  const std::vector<RankIndex> whole = wholeRanks(analysis);
  for (std::size_t i = 0; i < analysis.ranks().size(); ++i) {
    const RankIndex rank = analysis.ranks()[i];
    RankPoints of{rank, analysis.stragglers().ranks[rank.value].straggler,
                  !std::ranges::binary_search(whole, rank), pointsOf(analysis, rank, figure)};
    if (of.points.empty()) continue;
    made.steps = std::max(made.steps, of.points.size());
    ranks.push_back(std::move(of));
  }
  made.ranks = ranks.size();
  if (ranks.empty()) return made;
  if (made.steps == 1) {
    addPoints(made, analysis, ranks);
    return made;
  }
  if (ranks.size() <= kMaxLines) {
    for (const RankPoints& of : ranks) addRankCurve(made, analysis, of);
  } else {
    addBand(made, ranks);
    for (const std::size_t position : outlier.first(std::min(outlier.size(), kMaxNamed))) {
      const auto of = std::ranges::find(ranks, analysis.ranks()[position], &RankPoints::rank);
      if (of == ranks.end()) continue;
      of->outlier = true;
      addRankCurve(made, analysis, *of);
    }
  }
  std::int64_t first = INT64_MAX;
  std::int64_t last = INT64_MIN;
  for (const RankPoints& of : ranks) {
    first = std::min(first, of.points.front().step);
    last = std::max(last, of.points.back().step);
  }
  made.curves.xBegin = static_cast<double>(first) - kPad;
  made.curves.xEnd = static_cast<double>(last) + kPad;
  return made;
}

} // namespace rankscope::ui
