// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/efficiency_view.h"
#include "core/analysis/job/cut_ranks.h"

#include "core/analysis/digest/rank_answers.h"
#include "core/analysis/efficiency/gemm_advice.h"
#include "core/analysis/job/recording_advice.h"
#include "core/base/unit_text.h"
#include "core/model/rank_digest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace rankscope {

namespace {

// Sums over kept steps and ranks; times in ns.
struct EfficiencySums {
  double flops = 0;
  double recomputed = 0;
  double model = 0; // FLOPs of the model
  double time = 0;
  double atPeak = 0;     // step time × peak, 10^12 operations a second times ns
  double busyAtPeak = 0; // compute time × peak
  double compute = 0;
  double covered = 0;
  std::array<double, kNumberFormatCount> byFormat{};
  std::int64_t calls = 0;
  bool peakMissing = false; // of a step with FLOPs
};

void addStep(const StepEfficiency& step, const std::optional<double>& modelFlops, EfficiencySums& sums) {
  const auto time = static_cast<double>(step.duration());
  sums.time += time;
  sums.calls += step.calls;
  sums.flops += static_cast<double>(step.flops);
  sums.recomputed += static_cast<double>(step.recomputed);
  sums.model += modelFlops.value_or(0);
  sums.compute += static_cast<double>(step.compute);
  sums.covered += static_cast<double>(step.covered);
  sums.atPeak += time * step.peak;
  sums.busyAtPeak += static_cast<double>(step.compute) * step.peak;
  sums.peakMissing = sums.peakMissing || step.peak <= 0;
  for (std::size_t i = 0; i < kNumberFormatCount; ++i) sums.byFormat[i] += step.flopsOf[i];
  // Without FLOPs the format is that of the product kernels.
  if (step.calls == 0) sums.byFormat[static_cast<std::size_t>(step.format)] += 1e-6;
}

bool isKept(const std::vector<KeptWindow>& kept, const StepEfficiency& step) {
  return std::ranges::any_of(kept, [&](const KeptWindow& window) { return window.range == step.range; });
}

// What is asked about the operators of a rank.
struct RankFigures {
  bool hasShapes = false;
  bool hasKernels = false;
  std::vector<std::optional<MfuDifference>> differences; // by step
};

} // namespace

template <class Archive, Described<MfuDifference> T> void describe(Archive& archive, T& of) {
  auto& [causal, fastKernels, fewerFlops, overlapped, anotherStep] = of;
  archive(causal, fastKernels, fewerFlops, overlapped, anotherStep);
}
template <class Archive, Described<RankFigures> T> void describe(Archive& archive, T& of) {
  auto& [hasShapes, hasKernels, differences] = of;
  archive(hasShapes, hasKernels, differences);
}

namespace {

// By RankIndex.
std::vector<RankFigures> figuresOfRanks(const JobReport& report, const JobEfficiency& efficiency,
                                        const EfficiencySettings& settings) {
  const Analysis& analysis = report.analysis();
  std::vector<RankFigures> figures(analysis.trace().ranks().size());
  for (const RankIndex rank : analysis.ranks()) {
    const bool asDigested = analysis.window(rank) == kWholeRecording && settings == EfficiencySettings();
    figures[rank.value] = argumentAnswer<RankFigures>(
        analysis.trace(), rank, asDigested, "figures of operators with FLOPs", [&] {
          const RankFlops& flops = report.flops().of(rank).flops;
          return RankFigures{flops.hasShapes, flops.hasKernels,
                             mfuDifferences(analysis, rank, report.account().of(rank), flops,
                                            efficiency.peaks[rank.value], efficiency.of(rank))};
        });
  }
  return figures;
}

void addParts(const JobReport& report, const JobEfficiency& efficiency,
              const std::vector<RankFigures>& figures, EfficiencyView& view) {
  // Mean over steps of the mean over their ranks, as the account's.
  std::map<std::pair<int, std::int64_t>, std::int64_t> ranksOfStep;
  const Analysis& analysis = report.analysis();
  const KeptAccount& kept = report.keptAccount();
  const auto keyOf = [&](RankIndex rank, const StepEfficiency& step) {
    return std::pair(analysis.trace().rank(rank).capture, step.number);
  };
  const auto forEachKept = [&](const auto& visit) {
    for (const RankIndex rank : analysis.ranks()) {
      for (const StepEfficiency& step : efficiency.of(rank)) {
        if (isKept(kept.windows[rank.value], step)) visit(rank, step);
      }
    }
  };
  forEachKept([&](RankIndex rank, const StepEfficiency& step) { ++ranksOfStep[keyOf(rank, step)]; });
  view.partsKnown = !ranksOfStep.empty();
  const auto weightOf = [&](RankIndex rank, const StepEfficiency& step) {
    return 1 /
           (static_cast<double>(ranksOfStep[keyOf(rank, step)]) * static_cast<double>(ranksOfStep.size()));
  };
  forEachKept([&](RankIndex rank, const StepEfficiency& step) {
    const double weight = weightOf(rank, step);
    view.stepTime += weight * static_cast<double>(step.duration());
    view.computeTime += weight * static_cast<double>(step.compute);
    for (std::size_t i = 0; i < kEfficiencyPartCount; ++i) {
      view.partsKnown = view.partsKnown && step.parts[i].has_value();
      view.parts[i] += weight * static_cast<double>(step.parts[i].value_or(0));
    }
  });
  view.steps = ranksOfStep.size();
  for (const RankIndex rank : analysis.ranks()) {
    const std::vector<StepEfficiency>& steps = efficiency.of(rank);
    const auto& differences = figures[rank.value].differences;
    for (std::size_t i = 0; i < std::min(steps.size(), differences.size()); ++i) {
      if (!differences[i] || !isKept(kept.windows[rank.value], steps[i])) continue;
      const double weight = weightOf(rank, steps[i]);
      view.difference.causal += weight * differences[i]->causal;
      view.difference.fastKernels += weight * differences[i]->fastKernels;
      view.difference.fewerFlops += weight * differences[i]->fewerFlops;
      view.difference.overlapped += weight * differences[i]->overlapped;
      view.difference.anotherStep += weight * differences[i]->anotherStep;
    }
  }
}

void addShares(const EfficiencySums& sums, bool fromModel, std::size_t recordings, EfficiencyView& view) {
  const bool known = sums.calls > 0;
  if (sums.compute > 0) view.coveragePct = 100 * sums.covered / sums.compute;
  if (known && sums.time > 0) view.tflopsPerGpu = sums.flops / sums.time / 1e3;
  if (known && view.steps > 0) view.flopsPerStep = sums.flops / static_cast<double>(view.steps);
  if (known && sums.flops > 0) view.recomputedPct = 100 * sums.recomputed / sums.flops;
  view.format = static_cast<NumberFormat>(std::ranges::max_element(sums.byFormat) - sums.byFormat.begin());
  if (sums.peakMissing || sums.atPeak <= 0 || recordings == 0) return;
  view.peak = sums.atPeak / sums.time;
  if (known) {
    view.hfuPct = 100 * sums.flops / (sums.atPeak * 1e3);
    if (sums.busyAtPeak > 0) view.busyHfuPct = 100 * sums.flops / (sums.busyAtPeak * 1e3);
    view.mfuPct = 100 * (sums.flops - sums.recomputed) / (sums.atPeak * 1e3);
  }
  if (fromModel) view.mfuPct = 100 * sums.model / (sums.atPeak * 1e3);
}

// "8 944 × 1 024 × 2 816", with the batch in front where there is one.
std::string gemmText(const FlopWork& work) {
  std::string text;
  if (work.batch > 1) text = groupedText(work.batch).append(" · ");
  text += groupedText(work.m);
  for (const std::int64_t side : {work.n, work.k}) text.append(" × ").append(groupedText(side));
  return text;
}

std::optional<double> bestProduct(const EfficiencyView& view, NumberFormat format) {
  double all = 0;
  for (const JobPoint& of : view.points) all += static_cast<double>(of.point.deviceTime);
  std::optional<double> best;
  for (const JobPoint& of : view.points) {
    const bool counts = of.point.work.format == format && of.point.tflops &&
                        static_cast<double>(of.point.deviceTime) >= 0.01 * all;
    if (counts && *of.point.tflops > best.value_or(0)) best = of.point.tflops;
  }
  return best;
}

// Over all number formats, because a product in 16 bits is no measure for one in 32. What is faster than the
// fastest, in short products or by what a causal mask leaves out, stays as it is.
std::optional<double> bestMix(const EfficiencyView& view) {
  std::map<NumberFormat, double> best; // 10^12 operations a second
  double flops = 0;
  double time = 0; // ns
  for (const JobPoint& of : view.points) {
    const auto taken = static_cast<double>(of.point.deviceTime);
    const auto done = static_cast<double>(of.point.flops);
    if (!of.point.work.known() || taken <= 0 || done <= 0) continue;
    const NumberFormat format = of.point.work.format;
    const auto [place, isNew] = best.try_emplace(format);
    if (isNew) place->second = bestProduct(view, format).value_or(0);
    flops += done;
    time += place->second > 0 ? std::min(taken, done / place->second / 1e3) : taken;
  }
  return time > 0 ? std::optional(flops / time / 1e3) : std::nullopt;
}

// A lower bound where much has no FLOPs; two digits of what is small.
std::string shareText(const EfficiencyView& view, double pct, bool exact) {
  const bool isLow = !exact && view.coveragePct && *view.coveragePct < kGoodCoveragePct;
  const std::string text = pct > 0 && pct < 0.1 ? fmt::format("{:.2g} %", pct) : percentText(pct);
  return (isLow ? "≥ " : "") + text;
}

// REQUIRES: MFU is known.
MfuText mfuFigure(const EfficiencyView& view) {
  MfuText text;
  text.value = shareText(view, *view.mfuPct, view.fromModel);
  const std::string_view format = numberFormatText(view.format);
  text.note = fmt::format("of {:.4g} TFLOP/s ({}{}{}{})", view.peak, format, format.empty() ? "" : ", ",
                          view.peaks.from, view.peaks.from == "given" ? "" : ", nominal");
  if (view.fromModel) text.note += fmt::format(" by the model, {}", view.convention);
  return text;
}

} // namespace

bool knowsEfficiency(const JobReport& report, const EfficiencySettings& settings) {
  const Analysis& analysis = report.analysis();
  return !hasDigests(analysis.trace(), analysis.ranks()) ||
         (hasAnswers(analysis.trace(), analysis.ranks()) && analysis.options().alignClocks &&
          settings == EfficiencySettings());
}

EfficiencyView efficiencyFigures(const JobReport& report, const EfficiencySettings& settings) {
  EfficiencyView view;
  const Analysis& analysis = report.analysis();
  const KeptAccount& kept = report.keptAccount();
  const bool asReported = settings == report.efficiencySettings();
  const JobEfficiency own =
      asReported ? JobEfficiency() : jobEfficiency(analysis, report.account(), report.flops(), settings);
  const JobEfficiency& efficiency = asReported ? report.efficiency() : own;
  view.areSteps = kept.areSteps;
  view.shapesOption = optionFor(Recordable::Shapes, analysis.trace());
  EfficiencySums sums;
  const std::vector<RankFigures> figures = figuresOfRanks(report, efficiency, settings);
  for (const RankIndex rank : analysis.ranks()) {
    view.hasShapes = view.hasShapes || figures[rank.value].hasShapes;
    view.hasKernels = view.hasKernels || figures[rank.value].hasKernels;
    if (!view.peaks.known()) view.peaks = efficiency.peaks[rank.value];
    view.isRange = view.isRange || analysis.window(rank) != kWholeRecording;
    for (const StepEfficiency& step : efficiency.of(rank)) {
      if (isKept(kept.windows[rank.value], step)) addStep(step, efficiency.modelFlops, sums);
    }
  }
  view.isRange = view.isRange && !view.areSteps;
  std::set<int> ranks; // a step has one capture of each
  for (const RankIndex rank : wholeRanks(analysis)) ranks.insert(analysis.trace().rank(rank).rank);
  view.ranks = ranks.size();
  view.fromModel = efficiency.modelFlops.has_value();
  if (view.fromModel) view.convention = conventionOf(efficiency, settings.model);
  addParts(report, efficiency, figures, view);
  addShares(sums, view.fromModel, view.ranks, view);
  return view;
}

EfficiencyView efficiencyView(const JobReport& report, const EfficiencySettings& settings) {
  EfficiencyView view = efficiencyFigures(report, settings);
  JobPoints points = jobPoints(report, view.peaks);
  view.points = std::move(points.operators);
  view.gemms = std::move(points.products);
  view.modules = std::move(points.modules);
  view.shortened = points.shortened;
  // The costliest products alone say neither.
  if (!view.shortened) {
    view.bestTflops = bestProduct(view, view.format);
    view.bestMixTflops = bestMix(view);
  }
  view.guesses = modelGuesses(report);
  return view;
}

const std::vector<JobPoint>& pointsOf(const EfficiencyView& view, PointGroups by) {
  return by == PointGroups::Shapes ? view.gemms : by == PointGroups::Operators ? view.points : view.modules;
}

ResultTable pointsTable(const EfficiencyView& view, PointGroups by) {
  const bool byShape = by == PointGroups::Shapes;
  ResultTable table("points", {{"module", Unit::Text},
                               {"pass", Unit::Text},
                               {"operator", Unit::Text},
                               {"shapes", Unit::Text},
                               {"dtype", Unit::Text},
                               {"calls", Unit::Count},
                               {"flops", Unit::Count},
                               {"device_us", Unit::Nanoseconds},
                               {"tflops", Unit::Ratio},
                               {"peak_pct", Unit::Percent},
                               {"intensity", Unit::Ratio},
                               {"bound", Unit::Text},
                               {"efficiency_pct", Unit::Percent},
                               {"lost_us", Unit::Nanoseconds},
                               {"tile", Unit::Text},
                               {"waves", Unit::Ratio},
                               {"advice", Unit::Text},
                               {"tier", Unit::Text}});
  for (const JobPoint& of : pointsOf(view, by)) {
    const FlopPoint& point = of.point;
    const FlopWork& work = point.work;
    const bool isGemm = work.kind == FlopKind::Product && work.batch > 0;
    const bool asProduct = byShape || (by == PointGroups::Modules && isGemm);
    const std::string shapes = asProduct ? gemmText(work) : of.shapes;
    const auto tile = isGemm ? tileOfKernel(of.kernel) : std::nullopt;
    const auto waves = isGemm ? wavesOf(work, tile, of.grid, view.peaks.multiprocessors) : std::nullopt;
    const std::string tileText =
        tile ? std::to_string(tile->m).append("x").append(std::to_string(tile->n)) : std::string();
    std::string advice = isGemm && point.kernels > 0 ? gemmAdvice(point, view.peaks, waves) : of.why;
    if (advice.empty()) advice = whyAboveRoof(point, of.kernel);
    if (advice.empty() && isFastConvolution(of.kernel))
      advice = "Winograd or FFT: computes less than counted";
    const bool known = work.known();
    table.addRow({textCell(of.module), textCell(of.pass), textCell(of.operatorName), textCell(shapes),
                  textCell(numberFormatText(work.format)), Cell(point.calls + point.notRun),
                  known ? Cell(static_cast<std::int64_t>(point.flops)) : Cell(),
                  point.kernels > 0 ? Cell(static_cast<std::int64_t>(point.deviceTime)) : Cell(),
                  cellOf(point.tflops), cellOf(point.peakPct), cellOf(point.intensity),
                  textCell(flopBoundText(point.bound)), cellOf(point.efficiencyPct), cellOf(point.lost),
                  textCell(tileText), waves ? Cell(waves->waves) : Cell(), textCell(advice),
                  textCell(flopTierText(work.tier))});
  }
  return table;
}

std::optional<double> EfficiencyView::mfuOfBestPct() const {
  if (!mfuPct || peak <= 0 || bestMixTflops.value_or(0) <= 0) return std::nullopt;
  return *mfuPct * peak / *bestMixTflops;
}

MfuText mfuText(const EfficiencyView& view) {
  if (!view.mfuPct) return {{}, whyNoMfu(view)};
  MfuText text = mfuFigure(view);
  if (const std::string why = whyImplausible(view); !why.empty())
    return {{}, text.value + " " + text.note + ": " + why};
  return text;
}

std::string efficiencyText(const EfficiencyView& view) {
  const MfuText mfu = view.mfuPct ? mfuFigure(view) : MfuText{{}, whyNoMfu(view)};
  std::string text = mfu.value.empty() ? "MFU unknown: " + mfu.note : "MFU " + mfu.value + " " + mfu.note;
  if (view.hfuPct)
    text += ", HFU " + shareText(view, *view.hfuPct, false);
  else if (view.mfuPct)
    text += ", HFU unknown: " + whyNoHfu(view);
  if (const std::string why = whyImplausible(view); !why.empty()) text += "; " + why;
  if (view.hfuPct && view.coveragePct)
    text += fmt::format("; {} of kernel time has FLOPs", percentText(*view.coveragePct));
  return text;
}

std::string conventionOf(const JobEfficiency& efficiency, const ModelSettings& model) {
  const std::optional<ModelFlops> known = modelFlopsPerToken(model, efficiency.use);
  if (!efficiency.modelFlops || !known) return "shapes";
  const bool isGiven = known->convention == "given";
  return efficiency.use == ModelUse::Inference && !isGiven
             ? "inference: 2 FLOPs a parameter and token, " + known->convention
             : known->convention;
}

std::string mfuDifferenceText(const EfficiencyView& view) {
  constexpr double kLeastPoints = 0.05;
  if (!view.mfuPct || !view.partsKnown || view.stepTime <= 0) return {};
  const auto points = [&](double time) { return 100 * time / view.stepTime; };
  const double all = *view.mfuPct - points(view.part(EfficiencyPart::ModelFlops));
  if (std::abs(all) < kLeastPoints) return {};
  const MfuDifference& of = view.difference;
  const double byShapes = view.hfuPct.value_or(0) * (1 - view.recomputedPct.value_or(0) / 100);
  const double model = view.fromModel ? *view.mfuPct - byShapes : 0;
  // What remains is also of ranks and steps whose time weighs differently.
  const double rest = all - model - points(of.causal + of.fastKernels + of.overlapped);
  const std::array<std::pair<double, std::string_view>, 6> causes{{
      {model, "the model instead of shapes"},
      {points(of.fewerFlops), "convolutions by Winograd or FFT, which compute less than counted"},
      {points(of.fastKernels - of.fewerFlops), "kernels faster than the peak"},
      {points(of.causal), "attention behind the causal mask, which is not computed"},
      {points(of.overlapped), "kernels beside others"},
      {rest, "kernels that run in another step"},
  }};
  std::string text = fmt::format("MFU is {:.1f} points {}: ", std::abs(all), all > 0 ? "more" : "less");
  bool first = true;
  for (const auto& [share, cause] : causes) {
    if (std::abs(share) < kLeastPoints) continue;
    text += fmt::format("{}{:.1f} from {}", first ? "" : "; ", share, cause);
    first = false;
  }
  return text;
}

std::string whyImplausible(const EfficiencyView& view) {
  return whyImplausible(view.mfuPct, view.hfuPct, view.fromModel);
}

std::string whyNoMfu(const EfficiencyView& view) {
  if (view.mfuPct) return {};
  if (!view.fromModel) return whyNoHfu(view);
  if (!view.peaks.known()) return "the peak of the device is not known";
  return "the peak of a number format is not known";
}

std::string whyNoHfu(const EfficiencyView& view) {
  if (view.hfuPct) return {};
  if (!view.hasKernels) return "no compute kernel was recorded";
  if (!view.hasShapes) return "shapes were not recorded: profile with " + view.shapesOption;
  if (!view.flopsPerStep)
    return fmt::format("no operator with known FLOPs ran{}", view.isRange    ? " in the range"
                                                             : view.areSteps ? " in the steps"
                                                                             : "");
  if (!view.peaks.known()) return "the peak of the device is not known";
  return "the peak of a number format is not known";
}

} // namespace rankscope
