// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/parallelism/parallelism_charts.h"

#include "core/analysis/parallel/bucket_times.h"
#include "core/analysis/parallel/dimension_times.h"
#include "core/analysis/parallel/expert_traffic.h"
#include "core/analysis/parallel/fsdp_units.h"
#include "core/analysis/parallel/recomputed_work.h"
#include "core/analysis/parallel/tp_layers.h"
#include "core/base/unit_text.h"
#include "ui/base/ui_text.h"

#include <QStringList>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>

namespace rankscope::ui {

namespace {

constexpr std::size_t kMostBoxes = 4000;   // of a chart
constexpr double kFinest = 800;            // stretches of computation closer than this share are drawn as one
constexpr std::size_t kMostLayers = 128;   // rows of bars
constexpr std::size_t kMostExperts = 1024; // ranks of the matrix

QString time(TimeNs value) {
  return textOf(durationText(value));
}

QString stepTitle(const Analysis& analysis, RankIndex rank, std::size_t step) {
  const std::int64_t number = analysis.wholeStepWindows(rank).steps[step].number;
  const QString of = tr("rank %1").arg(analysis.trace().rank(rank).rank);
  return number == Step::kUnknownNumber ? of : tr("%1 · step %2").arg(of).arg(number);
}

// Boxes of a lane for intervals, those that no pixel would separate as one.
void addStretches(LaneContents& chart, int lane, const IntervalSet& set, TimeRange window, ThemeColor color,
                  const QString& tip) {
  const auto least = static_cast<TimeNs>(static_cast<double>(window.length()) / kFinest);
  const IntervalSet clipped = set.clippedTo(window);
  std::optional<TimeRange> open;
  const auto close = [&] {
    if (!open || chart.boxes.size() >= kMostBoxes) return;
    LaneBox box;
    box.lane = lane;
    box.begin = static_cast<double>(open->begin - window.begin);
    box.end = static_cast<double>(open->end - window.begin);
    box.color = color;
    box.tip = tip;
    chart.boxes.push_back(std::move(box));
  };
  for (const TimeRange& range : clipped.ranges()) {
    if (open && range.begin - open->end <= least) {
      open->end = range.end;
      continue;
    }
    close();
    open = range;
  }
  close();
}

// Over what was computed: what checkpointing ran again.
void addRecomputation(RankChart& made, const Analysis& analysis, RankIndex rank, TimeRange window, int lane) {
  std::vector<TimeRange> ranges;
  for (const RecomputedWork& work : recomputedWork(analysis, rank)) {
    if (work.range.begin < window.end && work.range.end > window.begin) ranges.push_back(work.range);
  }
  if (ranges.empty()) return;
  const std::size_t first = made.contents.boxes.size();
  addStretches(made.contents, lane, IntervalSet(std::move(ranges)), window, &Theme::backward,
               tr("Recomputation: forward work run again"));
  for (std::size_t i = first; i < made.contents.boxes.size(); ++i) made.contents.boxes[i].hatched = true;
  made.legend.push_back({tr("recomputation"), &Theme::backward, true});
}

// What the rank computed: its kernels, or on hosts alone the phases.
void addComputation(RankChart& made, const Analysis& analysis, RankIndex rank, TimeRange window) {
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  LaneContents& chart = made.contents;
  const int lane = static_cast<int>(chart.lanes.size());
  const bool onDevice = trace.hasDeviceEvents();
  chart.lanes << (onDevice ? tr("Computation") : tr("Host"));
  if (onDevice) {
    addStretches(chart, lane, analysis.wholeActivity(rank).compute, window, &Theme::gemm, tr("Kernels"));
    made.legend = {{tr("computation"), &Theme::gemm}};
    return addRecomputation(made, analysis, rank, window, lane);
  }
  const HostPhases& phases = analysis.wholePhases(rank);
  addStretches(chart, lane, phases.forward, window, &Theme::forward, tr("Forward"));
  addStretches(chart, lane, phases.backward, window, &Theme::backward, tr("Backward"));
  addStretches(chart, lane, phases.optimizer, window, &Theme::optimizer, tr("Optimizer"));
  made.legend = {{tr("forward"), &Theme::forward},
                 {tr("backward"), &Theme::backward},
                 {tr("optimizer"), &Theme::optimizer}};
  addRecomputation(made, analysis, rank, window, lane);
}

// With its computation; what is communicated comes below.
RankChart chartOf(const Analysis& analysis, RankIndex rank, TimeRange window) {
  RankChart made;
  made.rank = analysis.trace().rank(rank).rank;
  made.contents.length = static_cast<double>(window.length());
  addComputation(made, analysis, rank, window);
  made.legend.push_back({tr("overlapped"), &Theme::communication});
  made.legend.push_back({tr("mostly exposed"), &Theme::exposed, true});
  return made;
}

LaneBox boxAt(int lane, TimeRange range, TimeRange window, TimeNs exposed) {
  LaneBox box;
  box.lane = lane;
  const auto place = [&](TimeNs t) {
    return static_cast<double>(std::clamp<TimeNs>(t, window.begin, window.end) - window.begin);
  };
  box.begin = place(range.begin);
  box.end = place(range.end);
  // What is mostly exposed is drawn so: most collectives are exposed for a moment.
  const bool isExposed = 2 * exposed > range.length();
  box.color = isExposed ? &Theme::exposed : &Theme::communication;
  box.hatched = isExposed;
  return box;
}

QString zeroText(ZeroStage stage) {
  switch (stage) {
  case ZeroStage::Parameters:
    return tr("ZeRO-3: gathered again for backward");
  case ZeroStage::Gradients:
    return tr("ZeRO-2: gathered once a step");
  case ZeroStage::OptimizerStates:
    return tr("ZeRO-1");
  case ZeroStage::Unknown:
    break;
  }
  return {};
}

std::optional<RankChart> fsdpChart(const Analysis& analysis, RankIndex rank, const JobParallel& parallel) {
  const FsdpUnits units =
      fsdpUnits(analysis, rank, parallel.uses[rank.value], parallel.dimensions.ofCall[rank.value]);
  std::set<std::size_t> steps;
  for (const FsdpUnit& unit : units.units) steps.insert(unit.step);
  const std::optional<std::size_t> step = shownStep(analysis, rank, steps);
  if (!step) return std::nullopt;
  const TimeRange window = analysis.wholeStepWindows(rank).steps[*step].range;
  RankChart made = chartOf(analysis, rank, window);
  LaneContents& chart = made.contents;
  const int gathers = static_cast<int>(chart.lanes.size());
  chart.lanes << tr("AllGather") << tr("ReduceScatter");
  qsizetype count = 0;
  for (const FsdpUnit& unit : units.units) count += unit.step == *step ? 1 : 0;
  for (const FsdpCall& call : units.calls) {
    if (call.step != *step || chart.boxes.size() >= kMostBoxes) continue;
    const FsdpUnit& unit = units.units[call.unit];
    LaneBox box = boxAt(call.gather ? gathers : gathers + 1, call.range, window, call.exposed);
    box.text = textOf(unit.unit);
    box.group = static_cast<int>(call.unit);
    box.tip = tr("<b>%1 of unit %2</b> in %3<br>%4, exposed %5")
                  .arg(call.gather ? tr("AllGather") : tr("ReduceScatter"), textOf(unit.unit).toHtmlEscaped(),
                       call.backward ? tr("backward") : tr("forward"), time(call.range.length()),
                       time(call.exposed));
    if (call.gather && unit.prefetchLead)
      box.tip += tr("<br>smallest prefetch lead of the unit %1").arg(time(*unit.prefetchLead));
    chart.boxes.push_back(std::move(box));
  }
  made.caption = stepTitle(analysis, rank, *step);
  made.caption += count == 1 ? tr(" · 1 unit") : tr(" · %1 units").arg(count);
  const QString stage = zeroText(zeroStageOf(units));
  if (!stage.isEmpty()) made.caption += QStringLiteral(" · ") + stage;
  return made;
}

// Rows for the collectives of a step in which none covers another, by place in times.
std::vector<int> rowsOf(const std::vector<BucketTime>& times, std::size_t step) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < times.size(); ++i)
    if (times[i].bucket.step == step) order.push_back(i);
  std::ranges::sort(order, {}, [&](std::size_t i) { return times[i].range.begin; });
  std::vector<int> rows(times.size());
  std::vector<TimeNs> ends; // of rows
  for (const std::size_t i : order) {
    const auto free = std::ranges::find_if(ends, [&](TimeNs end) { return end <= times[i].range.begin; });
    rows[i] = static_cast<int>(free - ends.begin());
    if (free == ends.end()) ends.emplace_back();
    ends[static_cast<std::size_t>(rows[i])] = times[i].range.end;
  }
  return rows;
}

std::optional<RankChart> bucketChart(const Analysis& analysis, RankIndex rank) {
  const std::vector<BucketTime> times = bucketTimes(analysis, rank);
  std::set<std::size_t> steps;
  for (const BucketTime& of : times) steps.insert(of.bucket.step);
  const std::optional<std::size_t> step = shownStep(analysis, rank, steps);
  if (!step) return std::nullopt;
  const TimeRange window = analysis.wholeStepWindows(rank).steps[*step].range;
  RankChart made = chartOf(analysis, rank, window);
  LaneContents& chart = made.contents;
  // The host may have launched all of them before the device began the step.
  const bool fills = std::ranges::any_of(times, [&](const BucketTime& of) {
    return of.bucket.step == *step && of.ready && of.readyAt > window.begin;
  });
  const int fill = static_cast<int>(chart.lanes.size());
  const bool copied =
      std::ranges::any_of(times, [&](const BucketTime& of) { return of.bucket.step == *step && of.copied; });
  if (fills) chart.lanes << (copied ? tr("Gradients ready") : tr("Launched"));
  const int sent = static_cast<int>(chart.lanes.size());
  const std::vector<int> row = rowsOf(times, *step);
  chart.lanes << tr("AllReduce");
  // Buckets that run at once are below each other.
  for (int i = *std::ranges::max_element(row); i > 0; --i) chart.lanes << tr("at the same time");
  std::optional<TimeNs> before;
  ExactSum bytes;
  qsizetype count = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const BucketTime& of = times[i];
    if (of.bucket.step != *step || chart.boxes.size() + 2 > kMostBoxes) continue;
    ++count;
    bytes += of.bucket.bytes.value_or(0);
    const QString name = QString::number(of.bucket.index);
    if (of.ready && fills) {
      LaneBox box = boxAt(fill, {before.value_or(of.readyAt - *of.ready), of.readyAt}, window, 0);
      box.color = &Theme::annotation;
      box.text = name;
      box.group = static_cast<int>(of.bucket.index);
      box.tip = of.copied ? tr("<b>Gradients of bucket %1</b><br>the last is ready %2 into the backward pass")
                          : tr("<b>Bucket %1</b><br>launched %2 into the backward pass of the host");
      box.tip = box.tip.arg(name, time(*of.ready));
      if (box.end > box.begin) chart.boxes.push_back(std::move(box));
      before = of.readyAt;
    }
    LaneBox box = boxAt(sent + row[i], of.range, window, of.exposed);
    box.text = name;
    box.group = static_cast<int>(of.bucket.index);
    box.tip = tr("<b>Bucket %1</b> · %2<br>%3, exposed %4")
                  .arg(name, of.bucket.bytes ? textOf(bytesText(*of.bucket.bytes)) : tr("size unknown"),
                       time(of.range.length()), time(of.exposed));
    box.tip += of.parts ? tr(", waits %1 for other ranks").arg(time(of.parts->wait))
                        : tr("<br>wait unknown: no other rank of it was recorded");
    chart.boxes.push_back(std::move(box));
  }
  made.caption = stepTitle(analysis, rank, *step);
  made.caption += count == 1 ? tr(" · 1 bucket") : tr(" · %1 buckets").arg(count);
  std::vector<BucketTime> ofStep;
  std::ranges::copy_if(times, std::back_inserter(ofStep),
                       [&](const BucketTime& of) { return of.bucket.step == *step; });
  if (bytes > 0) made.caption += QStringLiteral(" · ") + textOf(bytesText(static_cast<std::int64_t>(bytes)));
  if (const std::optional<double> efficiency = overlapEfficiencyPct(ofStep))
    made.caption += tr(" · overlap efficiency %1").arg(textOf(percentText(*efficiency)));
  return made;
}

} // namespace

std::optional<std::size_t> shownStep(const Analysis& analysis, RankIndex rank,
                                     const std::set<std::size_t>& steps) {
  if (steps.empty()) return std::nullopt;
  const KeptSteps& kept = analysis.keptSteps();
  for (const std::size_t step : steps) {
    if (rank.value >= kept.stepOfRank.size() || step >= kept.stepOfRank[rank.value].size()) continue;
    if (kept.status(rank.value, step) == StepStatus::Kept) return step;
  }
  return *steps.begin();
}

std::vector<RankChart> fsdpCharts(const Analysis& analysis, const JobParallel& parallel) {
  std::vector<RankChart> charts;
  for (const RankIndex rank : analysis.ranks()) {
    if (charts.size() >= kMostRankCharts) break;
    if (std::optional<RankChart> chart = fsdpChart(analysis, rank, parallel))
      charts.push_back(std::move(*chart));
  }
  return charts;
}

std::vector<RankChart> bucketCharts(const Analysis& analysis) {
  std::vector<RankChart> charts;
  for (const RankIndex rank : analysis.ranks()) {
    if (charts.size() >= kMostRankCharts) break;
    if (std::optional<RankChart> chart = bucketChart(analysis, rank)) charts.push_back(std::move(*chart));
  }
  return charts;
}

BarRows layerBars(const Analysis& analysis, const JobParallel& parallel) {
  struct Sums {
    double computation = 0, exposed = 0, covered = 0;
  };
  std::map<std::int64_t, Sums> layers;
  std::set<std::pair<RankIndex, std::size_t>> steps;
  bool computes = false;
  for (const RankIndex rank : analysis.ranks()) {
    for (const TpLayerCall& call :
         tpLayers(analysis, rank, parallel.uses[rank.value], parallel.dimensions.ofCall[rank.value])) {
      steps.emplace(rank, call.step);
      if (!call.layer) continue;
      Sums& of = layers[*call.layer];
      of.computation += static_cast<double>(call.computeBefore);
      of.exposed += static_cast<double>(call.exposed);
      of.covered += static_cast<double>(std::max<TimeNs>(call.duration - call.exposed, 0));
      computes |= call.computeBefore > 0;
    }
  }
  BarRows bars;
  if (layers.empty()) return bars;
  if (computes) bars.parts.push_back({tr("computation before"), &Theme::gemm, false, 0.7});
  bars.parts.push_back({tr("exposed"), &Theme::exposed, true, 1});
  bars.parts.push_back({tr("overlapped"), &Theme::communication, false, 0.55});
  const auto n = static_cast<double>(steps.size());
  bars.rows.reserve(std::min(layers.size(), kMostLayers));
  for (const auto& [layer, of] : layers) {
    if (bars.rows.size() >= kMostLayers) break;
    BarRow row;
    row.label = tr("Layer %1").arg(layer);
    if (computes) row.amounts.push_back(of.computation / n);
    row.amounts.push_back(of.exposed / n);
    row.amounts.push_back(of.covered / n);
    bars.rows.push_back(std::move(row));
  }
  return bars;
}

SendMatrix sendMatrix(const Analysis& analysis, const JobParallel& parallel) {
  SendMatrix matrix;
  std::map<std::pair<int, int>, ExactSum> sums; // from, to
  std::set<int> ranks;
  std::map<int, std::set<std::size_t>> steps; // by rank
  for (const RankIndex rank : analysis.ranks()) {
    const int from = analysis.trace().rank(rank).rank;
    const RankExperts experts = rankExperts(analysis, rank, parallel.uses[rank.value], parallel.dimensions);
    for (const ExpertCall& call : experts.calls) {
      if (call.direction != ExpertDirection::Dispatch || !isInScope(analysis, rank, call.step) ||
          call.sent.empty() || call.sent.size() > experts.members.size())
        continue;
      steps[from].insert(call.step);
      ranks.insert(from);
      for (std::size_t to = 0; to < call.sent.size(); ++to) {
        ranks.insert(experts.members[to]);
        sums[{from, experts.members[to]}] += call.sent[to];
      }
    }
  }
  if (ranks.empty() || ranks.size() > kMostExperts) return matrix;
  matrix.ranks.assign(ranks.begin(), ranks.end());
  auto cells = std::make_shared<HeatCells>();
  cells->rows = cells->columns = matrix.ranks.size();
  cells->values.assign(cells->rows * cells->columns, -1);
  const auto placeOf = [&](int rank) {
    return static_cast<std::size_t>(std::ranges::lower_bound(matrix.ranks, rank) - matrix.ranks.begin());
  };
  for (const auto& [pair, sum] : sums) {
    const double perStep = static_cast<double>(sum) / static_cast<double>(steps[pair.first].size());
    cells->values[placeOf(pair.second) * cells->rows + placeOf(pair.first)] = static_cast<float>(perStep);
    matrix.heat.largest = std::max(matrix.heat.largest, perStep);
  }
  for (std::size_t i = 0; i < matrix.ranks.size(); ++i) {
    matrix.heat.rowNames << tr("from rank %1").arg(matrix.ranks[i]);
    matrix.heat.outlierRows.push_back(false);
    matrix.heat.marks.push_back({i, tr("to %1").arg(matrix.ranks[i])});
  }
  matrix.heat.cells = std::move(cells);
  matrix.heat.unit = Unit::Count;
  matrix.heat.top = std::max(matrix.heat.largest, 1.0);
  return matrix;
}

} // namespace rankscope::ui
