// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/job/cut_ranks.h"
#include "core/base/statistics.h"
#include "core/model/rank_recordings.h"
#include "core/report/outlier_ranks.h"
#include "ui/base/ui_text.h"
#include "ui/tabs/distributed/distributed_data.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace rankscope::ui {

namespace {

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

// Of one recording.
struct RankPoints {
  RankIndex rank;
  int number = 0; // of its rank
  bool outlier = false;
  bool truncated = false;
  std::vector<StepPoint> points;
};

RankRows rowsOf(const Analysis& analysis, const std::vector<RankPoints>& recordings) {
  std::vector<RankIndex> ranks;
  ranks.reserve(recordings.size());
  for (const RankPoints& of : recordings) ranks.push_back(of.rank);
  return rankRows(analysis.trace(), ranks);
}

// Whether a step of a rank has the number of a step of another of its captures.
bool stepsRepeat(const std::vector<RankPoints>& recordings) {
  std::set<std::pair<int, std::int64_t>> seen;
  for (const RankPoints& of : recordings)
    for (const StepPoint& point : of.points)
      if (!seen.emplace(of.number, point.step).second) return true;
  return false;
}

// The captures of a rank have lines of one name, with nothing between them.
void addRankCurve(StepCurves& made, const Analysis& analysis, const RankPoints& of, bool together) {
  Curve curve{.name = rankName(analysis, of.rank, together), .outlier = of.outlier};
  for (const StepPoint& point : of.points) curve.points << at(point.step, point.figure);
  made.curves.curves.push_back(std::move(curve));
  made.rankOfCurve.push_back(of.rank);
}

// A line through one step would not be visible, so each step is a point above its rank.
void addPoints(StepCurves& made, const Analysis& analysis, const std::vector<RankPoints>& recordings) {
  made.perRank = true;
  const RankRows rows = rowsOf(analysis, recordings);
  for (const RankIndex rank : rows.first) made.curves.xTexts << shortRankName(analysis, rank, rows.joins());
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    const RankPoints& of = recordings[i];
    Curve curve{.name = rankName(analysis, of.rank), .outlier = of.outlier};
    curve.points << at(static_cast<std::int64_t>(rows.rowOf[i]), of.points.front().figure);
    made.curves.curves.push_back(std::move(curve));
    made.rankOfCurve.push_back(of.rank);
  }
  made.curves.xBegin = -0.5;
  made.curves.xEnd = static_cast<double>(rows.count()) - 0.5;
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

StepCurves stepCurves(const Analysis& analysis, std::span<const RankIndex> outlier, StepFigure figure) {
  StepCurves made;
  made.curves.fromZero = false;
  made.curves.xPrefix = QStringLiteral("#");
  std::vector<RankPoints> recordings;
  const std::vector<RankIndex> whole = wholeRanks(analysis);
  for (const RankIndex rank : analysis.ranks()) {
    RankPoints of{rank, analysis.trace().rank(rank).rank, analysis.stragglers().ranks[rank.value].straggler,
                  !std::ranges::binary_search(whole, rank), pointsOf(analysis, rank, figure)};
    if (of.points.empty()) continue;
    made.steps = std::max(made.steps, of.points.size());
    recordings.push_back(std::move(of));
  }
  made.ranks = rowsOf(analysis, recordings).count();
  made.recordings = recordings.size();
  if (recordings.empty()) return made;
  if (made.steps == 1) {
    addPoints(made, analysis, recordings);
    return made;
  }
  made.together = made.ranks < made.recordings && !stepsRepeat(recordings);
  if (made.ranks <= kMaxLines) {
    for (const RankPoints& of : recordings) addRankCurve(made, analysis, of, made.together);
  } else {
    addBand(made, recordings);
    for (const RankIndex odd : outlier.first(std::min(outlier.size(), kMaxNamed)))
      for (RankPoints& of : recordings) {
        if (of.number != analysis.trace().rank(odd).rank) continue;
        of.outlier = true;
        addRankCurve(made, analysis, of, made.together);
      }
  }
  std::int64_t first = INT64_MAX;
  std::int64_t last = INT64_MIN;
  for (const RankPoints& of : recordings) {
    first = std::min(first, of.points.front().step);
    last = std::max(last, of.points.back().step);
  }
  made.curves.xBegin = static_cast<double>(first) - kPad;
  made.curves.xEnd = static_cast<double>(last) + kPad;
  return made;
}

} // namespace rankscope::ui
