// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/efficiency_tables.h"

#include "core/analysis/efficiency/flop_points.h"
#include "core/analysis/efficiency/gemm_advice.h"
#include "core/analysis/efficiency/kernel_grid.h"
#include "core/report/efficiency_view.h"

#include <optional>
#include <string>
#include <utility>

namespace rankscope {

namespace {

Cell rankCell(const RankEntry& entry) {
  return {std::int64_t{entry.rank}};
}

Cell captureCell(const RankEntry& entry) {
  return {std::int64_t{entry.capture}};
}

Cell sumCell(const ExactSum& sum) {
  return {static_cast<std::int64_t>(sum)};
}

Cell stepCell(const StepEfficiency& step) {
  return step.number == Step::kUnknownNumber ? Cell() : Cell(step.number);
}

Cell knownCell(bool known, std::int64_t value) {
  return known ? Cell(value) : Cell();
}

// Where the peak is from, and what may be wrong with it where the steps of a rank reached more. Single steps
// may: their kernels run in another one.
std::string peakText(const JobEfficiency& efficiency, RankIndex rank, const RankPeaks& peaks) {
  double flops = 0;
  double recomputed = 0;
  double steps = 0;
  double atPeak = 0;
  for (const StepEfficiency& step : efficiency.of(rank)) {
    if (step.peak <= 0) continue;
    flops += static_cast<double>(step.flops);
    recomputed += static_cast<double>(step.recomputed);
    ++steps;
    atPeak += static_cast<double>(step.duration()) * step.peak * 1e3;
  }
  if (atPeak <= 0) return peaks.from;
  const double counted = efficiency.modelFlops ? *efficiency.modelFlops * steps : flops - recomputed;
  const std::string why =
      whyImplausible(100 * counted / atPeak, 100 * flops / atPeak, efficiency.modelFlops.has_value());
  return why.empty() ? peaks.from : peaks.from + "; " + why;
}

std::string tileText(const std::optional<KernelTile>& tile) {
  return tile ? std::to_string(tile->m).append("x").append(std::to_string(tile->n)) : std::string();
}

} // namespace

ResultTable flopsTable(const JobReport& report) {
  ResultTable table("flops", {{"rank", Unit::Identity},
                              {"capture", Unit::Identity},
                              {"operator", Unit::Text},
                              {"shapes", Unit::Text},
                              {"dtype", Unit::Text},
                              {"calls", Unit::Count},
                              {"flops", Unit::Count},
                              {"executed_flops", Unit::Count},
                              {"bytes", Unit::Bytes},
                              {"device_us", Unit::Nanoseconds},
                              {"kernels", Unit::Count},
                              {"tflops", Unit::Ratio},
                              {"gb_s", Unit::GigabytesPerSecond},
                              {"intensity", Unit::Ratio},
                              {"bound", Unit::Text},
                              {"efficiency_pct", Unit::Percent},
                              {"lost_us", Unit::Nanoseconds},
                              {"tier", Unit::Text}});
  const Analysis& analysis = report.analysis();
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = analysis.trace().rank(rank);
    const JobFlops::Rank& of = report.flops().of(rank);
    for (const FlopPoint& point : flopPoints(*entry.trace, of.flops, of.peaks, flopWindow(analysis, rank))) {
      const bool known = point.work.known();
      table.addRow(
          {rankCell(entry), captureCell(entry), textCell(analysis.trace().names()[point.operatorName]),
           textCell(of.flops.shapes[point.shapes]), textCell(numberFormatText(point.work.format)),
           Cell(point.calls + point.notRun), knownCell(known, point.flops), knownCell(known, point.executed),
           point.bytes ? sumCell(*point.bytes) : Cell(), sumCell(point.deviceTime), Cell(point.kernels),
           cellOf(point.tflops), cellOf(point.gigabytes), cellOf(point.intensity),
           textCell(flopBoundText(point.bound)), cellOf(point.efficiencyPct), cellOf(point.lost),
           textCell(flopTierText(point.work.tier))});
    }
  }
  return table;
}

ResultTable gemmsTable(const JobReport& report) {
  ResultTable table("gemms", {{"rank", Unit::Identity},
                              {"capture", Unit::Identity},
                              {"m", Unit::Count},
                              {"n", Unit::Count},
                              {"k", Unit::Count},
                              {"batch", Unit::Count},
                              {"dtype", Unit::Text},
                              {"calls", Unit::Count},
                              {"flops", Unit::Count},
                              {"device_us", Unit::Nanoseconds},
                              {"tflops", Unit::Ratio},
                              {"efficiency_pct", Unit::Percent},
                              {"lost_us", Unit::Nanoseconds},
                              {"tile", Unit::Text},
                              {"waves", Unit::Ratio},
                              {"advice", Unit::Text}});
  const Analysis& analysis = report.analysis();
  const StringTable& names = analysis.trace().names();
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = analysis.trace().rank(rank);
    const JobFlops::Rank& of = report.flops().of(rank);
    const std::vector<FlopPoint> points =
        gemmPoints(*entry.trace, of.flops, of.peaks, flopWindow(analysis, rank));
    std::vector<EventIndex> kernels;
    kernels.reserve(points.size());
    for (const FlopPoint& point : points) kernels.push_back(point.longestKernel);
    const auto grids = kernelGrids(analysis.trace(), rank, kernels, of.peaks.multiprocessors);
    for (const FlopPoint& point : points) {
      std::optional<KernelTile> tile;
      if (point.longestKernel.valid())
        tile = tileOfKernel(names[entry.trace->events.name[point.longestKernel]]);
      const auto found = grids.find(point.longestKernel);
      const auto grid = found == grids.end() ? std::nullopt : std::optional(found->second);
      const auto waves = wavesOf(point.work, tile, grid, of.peaks.multiprocessors);
      const std::string tileName = tileText(tile);
      const std::string advice =
          point.longestKernel.valid() ? gemmAdvice(point, of.peaks, waves) : std::string();
      table.addRow({rankCell(entry), captureCell(entry), Cell(point.work.m), Cell(point.work.n),
                    Cell(point.work.k), Cell(point.work.batch), textCell(numberFormatText(point.work.format)),
                    Cell(point.calls), sumCell(point.flops), sumCell(point.deviceTime), cellOf(point.tflops),
                    cellOf(point.efficiencyPct), cellOf(point.lost), textCell(tileName),
                    waves ? Cell(waves->waves) : Cell(), textCell(advice)});
    }
  }
  return table;
}

ResultTable mfuTable(const JobReport& report) {
  ResultTable table("mfu", {{"rank", Unit::Identity},
                            {"capture", Unit::Identity},
                            {"step", Unit::Identity},
                            {"duration_us", Unit::Nanoseconds},
                            {"flops", Unit::Count},
                            {"recomputed_flops", Unit::Count},
                            {"tflops", Unit::Ratio},
                            {"peak_tflops", Unit::Ratio},
                            {"hfu_pct", Unit::Percent},
                            {"mfu_pct", Unit::Percent},
                            {"busy_hfu_pct", Unit::Percent},
                            {"coverage_pct", Unit::Percent},
                            {"dtype", Unit::Text},
                            {"peak_from", Unit::Text},
                            {"convention", Unit::Text},
                            {"model_pct", Unit::Percent},
                            {"causal_pct", Unit::Percent},
                            {"fast_kernels_pct", Unit::Percent},
                            {"overlapped_pct", Unit::Percent},
                            {"another_step_pct", Unit::Percent}});
  const Analysis& analysis = report.analysis();
  const JobEfficiency& efficiency = report.efficiency();
  const std::string convention = conventionOf(efficiency, report.efficiencySettings().model);
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = analysis.trace().rank(rank);
    const JobFlops::Rank& of = report.flops().of(rank);
    const std::string peak = peakText(efficiency, rank, of.peaks);
    const std::vector<StepEfficiency>& steps = efficiency.of(rank);
    const auto differences =
        mfuDifferences(analysis, rank, report.account().of(rank), of.flops, of.peaks, steps);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const StepEfficiency& step = steps[i];
      const bool known = step.calls > 0;
      const std::optional<double> mfu = efficiency.mfuPct(step);
      const std::optional<MfuDifference>& difference = differences[i];
      const auto points = [&](double time) {
        return difference ? Cell(100 * time / static_cast<double>(step.duration())) : Cell();
      };
      const MfuDifference by = difference.value_or(MfuDifference());
      table.addRow({rankCell(entry),
                    captureCell(entry),
                    stepCell(step),
                    Cell(step.duration()),
                    knownCell(known, step.flops),
                    knownCell(known, step.recomputed),
                    cellOf(step.tflops()),
                    step.peak > 0 ? Cell(step.peak) : Cell(),
                    cellOf(step.hfuPct()),
                    cellOf(mfu),
                    cellOf(step.busyHfuPct()),
                    cellOf(step.coveragePct()),
                    textCell(numberFormatText(step.format)),
                    step.peak > 0 ? textCell(peak) : Cell(),
                    mfu ? textCell(convention) : Cell(),
                    mfu && step.mfuPct() ? Cell(*mfu - *step.mfuPct()) : Cell(),
                    points(by.causal),
                    points(by.fastKernels),
                    points(by.overlapped),
                    points(by.anotherStep)});
    }
  }
  return table;
}

ResultTable efficiencyTable(const JobReport& report) {
  ResultTable table("efficiency", {{"rank", Unit::Identity},
                                   {"capture", Unit::Identity},
                                   {"step", Unit::Identity},
                                   {"part", Unit::Text},
                                   {"time_us", Unit::Nanoseconds},
                                   {"share_pct", Unit::Percent}});
  const Analysis& analysis = report.analysis();
  const JobEfficiency& efficiency = report.efficiency();
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = analysis.trace().rank(rank);
    for (const StepEfficiency& step : efficiency.of(rank)) {
      for (std::size_t i = 0; i < kEfficiencyPartCount; ++i) {
        const std::optional<TimeNs> time = step.parts[i];
        const bool shared = time && step.duration() > 0;
        table.addRow({rankCell(entry), captureCell(entry), stepCell(step),
                      Cell(efficiencyPartText(static_cast<EfficiencyPart>(i))), cellOf(time),
                      shared ? Cell(100 * static_cast<double>(*time) / static_cast<double>(step.duration()))
                             : Cell()});
      }
    }
  }
  return table;
}

namespace {

Cell countCell(std::int64_t count) {
  return count < 0 ? Cell() : Cell(count);
}

} // namespace

JobIterations iterationsOf(const JobReport& report) {
  return jobIterations(report.analysis(), report.account(),
                       [&]() -> const JobFlops& { return report.flops(); });
}

ResultTable iterationsTable(const JobReport& report) {
  ResultTable table("iterations", {{"rank", Unit::Identity},
                                   {"capture", Unit::Identity},
                                   {"iteration", Unit::Identity},
                                   {"label", Unit::Text},
                                   {"phase", Unit::Text},
                                   {"requests", Unit::Count},
                                   {"tokens", Unit::Count},
                                   {"prefill_tokens", Unit::Count},
                                   {"decode_tokens", Unit::Count},
                                   {"context_tokens", Unit::Count},
                                   {"begin_us", Unit::Nanoseconds},
                                   {"duration_us", Unit::Nanoseconds},
                                   {"device_us", Unit::Nanoseconds},
                                   {"gap_before_us", Unit::Nanoseconds},
                                   {"gap_leaf", Unit::Text},
                                   {"tflops", Unit::Ratio},
                                   {"gb_s", Unit::GigabytesPerSecond},
                                   {"bandwidth_pct", Unit::Percent},
                                   {"tpot_us", Unit::Nanoseconds}});
  const Analysis& analysis = report.analysis();
  const JobIterations iterations = iterationsOf(report);
  for (const RankIndex rank : analysis.ranks()) {
    if (iterations.empty()) break;
    const RankEntry& entry = analysis.trace().rank(rank);
    std::int64_t number = 0;
    for (const Iteration& iteration : iterations[rank.value]) {
      const IterationLabel& label = iteration.label;
      table.addRow({rankCell(entry), captureCell(entry), Cell(number++),
                    textCell(analysis.trace().names()[entry.trace->events.name[iteration.event]]),
                    Cell(iterationPhaseText(label.phase)), countCell(label.requests()),
                    countCell(label.tokens), countCell(label.prefill.tokens), countCell(label.decode.tokens),
                    countCell(label.context()),
                    Cell(sinceJobBegin(analysis, rank, RankTime(iteration.range().begin))),
                    Cell(iteration.range().length()), Cell(iteration.deviceTime), cellOf(iteration.gapBefore),
                    iteration.gapLeaf ? Cell(leafText(*iteration.gapLeaf)) : Cell(), cellOf(iteration.tflops),
                    cellOf(iteration.gigabytes), cellOf(iteration.bandwidthPct), cellOf(iteration.perToken)});
    }
  }
  return table;
}

} // namespace rankscope
