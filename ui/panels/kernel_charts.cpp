// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/kernel_charts.h"

#include "ui/event_palette.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr std::size_t kMostRanks = 32;
constexpr std::size_t kMostCurves = 8;

QString tr(const char* text) {
  return QCoreApplication::translate("KernelCharts", text);
}

QString rankName(const Analysis& analysis, RankIndex rank) {
  const RankEntry& entry = analysis.trace().rank(rank);
  const QString name = tr("Rank %1").arg(entry.rank);
  return analysis.trace().severalCaptures() ? tr("%1, capture %2").arg(name).arg(entry.capture) : name;
}

bool isStraggler(const Analysis& analysis, RankIndex rank) {
  return analysis.stragglers().ranks[rank.value].straggler;
}

enum class Kind : std::uint8_t { Gemm, Attention, Other, Communication, Memory };
constexpr std::size_t kKinds = 5;

Kind kindOf(const KernelStatistics& kernel, const StringTable& names) {
  if (kernel.deviceClass == DeviceClass::Communication) return Kind::Communication;
  if (kernel.deviceClass == DeviceClass::Memory) return Kind::Memory;
  const ThemeColour role = colourRole(EventKind::Kernel, names[kernel.name]);
  if (role == &Theme::gemm) return Kind::Gemm;
  return role == &Theme::attention ? Kind::Attention : Kind::Other;
}

std::vector<double> kindTimes(const Analysis& analysis, RankIndex rank) {
  std::array<TimeNs, kKinds> times{};
  for (const KernelStatistics& kernel : analysis.kernels(rank))
    times[static_cast<std::size_t>(kindOf(kernel, analysis.trace().names()))] += kernel.total;
  return {times.begin(), times.end()};
}

void addKinds(const Analysis& analysis, KernelCharts& charts) {
  charts.kinds.parts = {{tr("matrix products"), &Theme::gemm},
                        {tr("attention"), &Theme::attention},
                        {tr("other compute"), &Theme::kernel},
                        {tr("communication"), &Theme::communication},
                        {tr("memory"), &Theme::memoryCopy}};
  const std::size_t count = std::min(analysis.ranks().size(), kMostRanks);
  for (std::size_t i = 0; i < count; ++i) {
    const RankIndex rank = analysis.ranks()[i];
    charts.kinds.rows.push_back({.label = rankName(analysis, rank),
                                 .amounts = kindTimes(analysis, rank),
                                 .odd = isStraggler(analysis, rank)});
    charts.ranks.push_back(rank);
  }
  charts.kindsCaption = count < analysis.ranks().size()
                            ? tr("the first %1 of %2 ranks").arg(count).arg(analysis.ranks().size())
                            : tr("sum over streams");
}

using StepCounts = std::map<std::int64_t, std::int64_t>; // by the step's number

StepCounts kernelsOfSteps(const Analysis& analysis, RankIndex rank) {
  StepCounts counts;
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
    counts[number == Step::kUnknownNumber ? static_cast<std::int64_t>(i) : number] += ofStep[i];
  }
  return counts;
}

Curve curveOf(const StepCounts& counts, const QString& name, bool odd) {
  Curve curve{.name = name, .odd = odd};
  for (const auto& [step, count] : counts)
    curve.points << QPointF(static_cast<double>(step), static_cast<double>(count));
  return curve;
}

// The median of many ranks and how far they spread.
void addSpread(const std::vector<StepCounts>& ranks, Curves& curves) {
  std::map<std::int64_t, std::vector<std::int64_t>> bySteps;
  for (const StepCounts& counts : ranks)
    for (const auto& [step, count] : counts) bySteps[step].push_back(count);
  Curve median{.name = tr("median")};
  Band band{.name = tr("least to most")};
  for (auto& [step, counts] : bySteps) {
    std::ranges::sort(counts);
    const auto x = static_cast<double>(step);
    median.points << QPointF(x, static_cast<double>(counts[(counts.size() - 1) / 2]));
    band.lower << QPointF(x, static_cast<double>(counts.front()));
    band.upper << QPointF(x, static_cast<double>(counts.back()));
  }
  curves.bands.push_back(std::move(band));
  curves.curves.push_back(std::move(median));
}

void addSteps(const Analysis& analysis, KernelCharts& charts) {
  Curves& curves = charts.perStep;
  curves.yUnit = Unit::Count;
  std::vector<StepCounts> ranks;
  std::vector<RankIndex> shown;
  for (const RankIndex rank : analysis.ranks()) {
    StepCounts counts = kernelsOfSteps(analysis, rank);
    if (counts.empty()) continue;
    ranks.push_back(std::move(counts));
    shown.push_back(rank);
  }
  if (ranks.empty()) return;
  curves.xBegin = static_cast<double>(ranks.front().begin()->first);
  for (const StepCounts& counts : ranks) {
    curves.xBegin = std::min(curves.xBegin, static_cast<double>(counts.begin()->first));
    curves.xEnd = std::max(curves.xEnd, static_cast<double>(counts.rbegin()->first));
  }
  curves.xEnd = std::max(curves.xEnd, curves.xBegin + 1);
  const bool many = ranks.size() > kMostCurves;
  if (many) addSpread(ranks, curves);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const bool odd = ranks.size() > 1 && isStraggler(analysis, shown[i]);
    if (!many || odd) curves.curves.push_back(curveOf(ranks[i], rankName(analysis, shown[i]), odd));
  }
  charts.perStepCaption = many               ? tr("median of %1 ranks, least to most").arg(ranks.size())
                          : ranks.size() > 1 ? tr("a line is a rank")
                                             : QString();
}

} // namespace

KernelCharts kernelCharts(const Analysis& analysis) {
  KernelCharts charts;
  charts.any =
      std::ranges::any_of(analysis.ranks(), [&](RankIndex rank) { return !analysis.kernels(rank).empty(); });
  addKinds(analysis, charts);
  addSteps(analysis, charts);
  return charts;
}

} // namespace rankscope::ui
