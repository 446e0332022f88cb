// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/kernels/kernel_charts.h"

#include "core/base/statistics.h"
#include "core/model/rank_digest.h"
#include "core/model/rank_recordings.h"
#include "core/report/outlier_ranks.h"
#include "ui/base/event_palette.h"
#include "ui/base/ui_text.h"
#include "ui/widgets/rank_names.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr std::size_t kMaxCurves = 8;
constexpr double kPad = 0.3;          // of a step, before the first and after the last one
constexpr double kOutlierShare = 0.2; // deviation from the median that makes a rank an outlier

bool isStraggler(const Analysis& analysis, RankIndex rank) {
  return analysis.stragglers().ranks[rank.value].straggler;
}

enum class Kind : std::uint8_t { Gemm, Attention, Other, Communication, Memory };
constexpr std::size_t kKinds = 5;

Kind kindOf(const KernelStatistics& kernel, const StringTable& names) {
  if (kernel.deviceClass == DeviceClass::Communication) return Kind::Communication;
  if (kernel.deviceClass == DeviceClass::Memory) return Kind::Memory;
  const ThemeColor role = colorRole(EventKind::Kernel, names[kernel.name]);
  if (role == &Theme::gemm) return Kind::Gemm;
  return role == &Theme::attention ? Kind::Attention : Kind::Other;
}

std::vector<double> kindTimes(const Analysis& analysis, RankIndex rank) {
  std::array<TimeNs, kKinds> times{};
  for (const KernelStatistics& kernel : analysis.kernels(rank))
    times[static_cast<std::size_t>(kindOf(kernel, analysis.trace().names()))] += kernel.total;
  return {times.begin(), times.end()};
}

// Indices of outlier ranks: stragglers, then by kernel time.
std::vector<std::size_t> outliersOf(const Analysis& analysis, std::span<const RankIndex> ranks,
                                    std::span<const TimeNs> times) {
  std::vector<std::size_t> outlier;
  for (std::size_t i = 0; i < times.size(); ++i)
    if (isStraggler(analysis, ranks[i])) outlier.push_back(i);
  for (const OutlierValue& value : outlierValues(times, kOutlierShare))
    if (std::ranges::find(outlier, value.index) == outlier.end()) outlier.push_back(value.index);
  return outlier;
}

void addKinds(const Analysis& analysis, KernelCharts& charts) {
  const std::vector<BarPart> kinds{{tr("GEMM, convolution"), &Theme::gemm},
                                   {tr("attention"), &Theme::attention},
                                   {tr("other compute"), &Theme::kernel},
                                   {tr("communication"), &Theme::communication},
                                   {tr("memcpy, memset"), &Theme::memoryCopy}};
  const std::vector<RankIndex>& recordings = analysis.ranks();
  const RankRows rows = rankRows(analysis.trace(), recordings);
  const std::vector<RankIndex>& ranks = rows.first;
  std::vector<std::vector<double>> ofRanks(rows.count(), std::vector<double>(kKinds, 0.0));
  std::array<bool, kKinds> any{};
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    const std::vector<double> times = kindTimes(analysis, recordings[i]);
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      ofRanks[rows.rowOf[i]][kind] += times[kind];
      any[kind] = any[kind] || times[kind] > 0;
    }
  }
  std::vector<TimeNs> sums;
  sums.reserve(ofRanks.size());
  for (const std::vector<double>& times : ofRanks)
    sums.push_back(static_cast<TimeNs>(std::accumulate(times.begin(), times.end(), 0.0)));
  for (std::size_t kind = 0; kind < kKinds; ++kind)
    if (any[kind]) charts.kinds.parts.push_back(kinds[kind]);
  const std::size_t all = ofRanks.size();
  for (const ChosenRank& chosen :
       chosenRanks(sums, outliersOf(analysis, ranks, sums), all <= kMaxBars ? kMaxBars : kChosenBars)) {
    const RankIndex rank = ranks[chosen.index];
    const bool outlier = isStraggler(analysis, rank) || (all > kMaxBars && chosen.role == RankRole::Outlier);
    BarRow row{.label = chosenRankName(analysis, rank, chosen.role, rows.joins()),
               .amounts = {},
               .outlier = outlier};
    for (std::size_t kind = 0; kind < kKinds; ++kind)
      if (any[kind]) row.amounts.push_back(ofRanks[chosen.index][kind]);
    charts.kinds.rows.push_back(std::move(row));
    charts.ranks.push_back(rank);
  }
  charts.kindsCaption = tr("in total over streams; overlap counts twice");
  if (charts.ranks.size() < all)
    charts.kindsCaption =
        tr("in total, %1 of %2 ranks, selected by their kernel time").arg(charts.ranks.size()).arg(all);
}

using KernelsOfSteps = std::map<std::int64_t, std::int64_t>; // by the step's number

KernelsOfSteps kernelsOfSteps(const Analysis& analysis, RankIndex rank) {
  KernelsOfSteps counts;
  const StepWindows& windows = analysis.stepWindows(rank);
  if (!windows.areSteps()) return counts;
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  std::vector<std::int64_t> ofStep(windows.steps.size(), 0);
  for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
    const EventKind kind = trace.events.kind[event];
    if (kind != EventKind::Kernel && kind != EventKind::Collective) continue;
    if (const auto step = windows.indexAt(trace.events.begin[event])) ++ofStep[*step];
  }
  for (std::size_t i = 0; i < ofStep.size(); ++i) {
    const std::int64_t number = windows.steps[i].number;
    counts[number] += ofStep[i];
  }
  return counts;
}

Curve curveOf(const KernelsOfSteps& counts, const QString& name, bool outlier) {
  Curve curve{.name = name, .outlier = outlier};
  for (const auto& [step, count] : counts)
    curve.points << QPointF(static_cast<double>(step), static_cast<double>(count));
  return curve;
}

// Median and range of many ranks.
void addSpread(const std::vector<KernelsOfSteps>& ranks, Curves& curves) {
  std::map<std::int64_t, std::vector<std::int64_t>> bySteps;
  for (const KernelsOfSteps& counts : ranks)
    for (const auto& [step, count] : counts) bySteps[step].push_back(count);
  Curve median{.name = tr("median")};
  Band band{.name = tr("min … max")};
  for (auto& [step, counts] : bySteps) {
    std::ranges::sort(counts);
    const auto x = static_cast<double>(step);
    median.points << QPointF(x, rankscope::median(counts));
    band.lower << QPointF(x, static_cast<double>(counts.front()));
    band.upper << QPointF(x, static_cast<double>(counts.back()));
  }
  curves.bands.push_back(std::move(band));
  curves.curves.push_back(std::move(median));
}

// A line through one step would not be visible, so each rank is a point.
void addPoints(const Analysis& analysis, const std::vector<KernelsOfSteps>& ranks,
               const std::vector<RankIndex>& shown, KernelCharts& charts) {
  Curves& curves = charts.perStep;
  charts.perRank = true;
  const RankRows rows = rankRows(analysis.trace(), shown);
  curves.xBegin = -0.5;
  curves.xEnd = static_cast<double>(rows.count()) - 0.5;
  for (const RankIndex rank : rows.first) curves.xTexts << rankName(analysis, rank, rows.joins());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    curves.curves.push_back({.name = rankName(analysis, shown[i]),
                             .points = {QPointF(static_cast<double>(rows.rowOf[i]),
                                                static_cast<double>(ranks[i].begin()->second))},
                             .outlier = isStraggler(analysis, shown[i])});
    charts.rankOfCurve.push_back(shown[i]);
  }
  charts.perStepCaption =
      rows.joins() ? tr("one dot per rank and capture") : tr("one step · one dot per rank");
}

// Whether a step of a rank has the number of a step of another of its captures.
bool stepsRepeat(const Analysis& analysis, std::span<const RankIndex> shown,
                 std::span<const KernelsOfSteps> counts) {
  std::set<std::pair<int, std::int64_t>> seen;
  for (std::size_t i = 0; i < shown.size(); ++i)
    for (const auto& [step, count] : counts[i])
      if (!seen.emplace(analysis.trace().rank(shown[i]).rank, step).second) return true;
  return false;
}

void addSteps(const Analysis& analysis, KernelCharts& charts) {
  Curves& curves = charts.perStep;
  curves.yUnit = Unit::Count;
  std::vector<KernelsOfSteps> ranks;
  std::vector<RankIndex> shown;
  for (const RankIndex rank : withEvents(analysis.trace(), analysis.ranks())) {
    KernelsOfSteps counts = kernelsOfSteps(analysis, rank);
    const auto some = [](const auto& step) { return step.second > 0; };
    if (std::ranges::none_of(counts, some)) continue;
    ranks.push_back(std::move(counts));
    shown.push_back(rank);
  }
  if (ranks.empty()) return;
  if (std::ranges::all_of(ranks, [](const KernelsOfSteps& counts) { return counts.size() == 1; }))
    return addPoints(analysis, ranks, shown, charts);
  curves.xPrefix = QStringLiteral("#");
  curves.xBegin = static_cast<double>(ranks.front().begin()->first);
  for (const KernelsOfSteps& counts : ranks) {
    curves.xBegin = std::min(curves.xBegin, static_cast<double>(counts.begin()->first));
    curves.xEnd = std::max(curves.xEnd, static_cast<double>(counts.rbegin()->first));
  }
  curves.xBegin -= kPad;
  curves.xEnd += kPad;
  const std::size_t count = rankRows(analysis.trace(), shown).count();
  const bool many = count > kMaxCurves;
  if (many) {
    addSpread(ranks, curves);
    charts.rankOfCurve.emplace_back();
  }
  // The captures of a rank have lines of one name, with nothing between them, unless their steps have the
  // same numbers.
  const bool together = !stepsRepeat(analysis, shown, ranks);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const bool outlier = count > 1 && isStraggler(analysis, shown[i]);
    if (many && !outlier) continue;
    curves.curves.push_back(curveOf(ranks[i], rankName(analysis, shown[i], together), outlier));
    charts.rankOfCurve.push_back(shown[i]);
  }
  charts.perStepCaption = many ? tr("median of %1 ranks, min … max").arg(count)
                          : !together && count < ranks.size() ? tr("one line per rank and capture")
                          : count > 1                         ? tr("one line per rank")
                                                              : QString();
}

} // namespace

int KernelCharts::barOf(RankIndex rank) const {
  const auto found = std::ranges::find(ranks, rank);
  return rank.valid() && found != ranks.end() ? static_cast<int>(found - ranks.begin()) : -1;
}

int KernelCharts::curveOf(RankIndex rank) const {
  const auto found = std::ranges::find(rankOfCurve, rank);
  return rank.valid() && found != rankOfCurve.end() ? static_cast<int>(found - rankOfCurve.begin()) : -1;
}

RankIndex KernelCharts::rankAt(int curve) const {
  return curve < 0 ? RankIndex() : rankOfCurve[static_cast<std::size_t>(curve)];
}

std::int64_t KernelCharts::stepAt(const Analysis& analysis, int curve, double x) const {
  if (!perRank) return std::llround(x);
  const RankIndex rank = rankAt(curve);
  const bool has = rank.valid() && !analysis.stepWindows(rank).steps.empty();
  return has ? analysis.stepWindows(rank).steps.front().number : Step::kUnknownNumber;
}

KernelCharts kernelCharts(const Analysis& analysis) {
  KernelCharts charts;
  charts.any =
      std::ranges::any_of(analysis.ranks(), [&](RankIndex rank) { return !analysis.kernels(rank).empty(); });
  addKinds(analysis, charts);
  addSteps(analysis, charts);
  return charts;
}

} // namespace rankscope::ui
