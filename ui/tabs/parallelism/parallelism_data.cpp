// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/parallelism/parallelism_data.h"

#include "core/analysis/job/cut_ranks.h"
#include "core/analysis/job/scope.h"
#include "core/analysis/job/step_notes.h"
#include "core/analysis/parallel/dimension_times.h"
#include "core/analysis/parallel/expert_traffic.h"
#include "core/analysis/parallel/job_parallel.h"
#include "core/base/unit_text.h"
#include "core/model/rank_digest.h"
#include "core/report/memory_view.h"
#include "core/report/one_rank.h"
#include "core/report/overview_figures.h"
#include "core/report/parallel_parts_tables.h"
#include "core/report/parallel_tables.h"
#include "core/report/pipeline_tables.h"
#include "core/report/reported_part.h"
#include "core/report/summary_parts.h"
#include "ui/base/capitalized.h"
#include "ui/base/ui_text.h"

#include <QStringList>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr double kUnequalExperts = 1.2; // largest load over the mean, as of the finding
constexpr std::int64_t kMostCells = 8192;
constexpr double kUnknownPart = 0.75; // opacity of what is exposed and may be a wait or a transfer

QString percent(double value) {
  return textOf(percentText(value));
}

QString titleOf(RankDimension dimension) {
  switch (dimension) {
  case RankDimension::Unknown:
    return tr("Other");
  case RankDimension::Embedding:
    return tr("Embedding");
  case RankDimension::Model:
    return tr("Model");
  case RankDimension::World:
    return tr("World");
  default:
    return textOf(dimensionText(dimension)).toUpper();
  }
}

// Means of a rank over its steps in scope.
struct RankFigures {
  double step = 0;
  double excluding = 0;
  double idle = -1; // of its devices
  double exposed = 0;
  double waiting = -1; // unknown where no other rank of its collectives was recorded
  double bubblePct = -1;
  double memory = -1;
  std::int64_t steps = 0;
};

// Of a dimension.
struct BarAmounts {
  double transfer = 0, wait = 0; // exposed, of calls whose other ranks were recorded
  double unknown = 0;            // exposed, of the others
  double covered = 0;

  void add(const DimensionTime& time, double weight) {
    transfer += weight * static_cast<double>(time.exposedTransfer);
    wait += weight * static_cast<double>(time.exposedWait);
    unknown += weight * static_cast<double>(time.exposed - time.exposedWait - time.exposedTransfer);
    covered += weight * static_cast<double>(time.total - time.exposed);
  }
  [[nodiscard]] double exposed() const { return transfer + wait + unknown; }
};

class DataMaker {
 public:
  DataMaker(const JobReport& report, const LayoutSettings& layout)
      : m_report(report), m_analysis(report.analysis()), m_whole(wholeRanks(m_analysis)),
        m_parallel(report.parallel()) {
    m_data.layout = layout;
  }

  [[nodiscard]] ParallelismData made() {
    m_data.divided = m_parallel.layout.divided();
    m_data.oneRank = hasOneRank(m_analysis);
    m_data.ofRange = isOfRange(m_analysis);
    addTimes();
    addPipeline();
    addLayout();
    addGrids();
    m_data.fsdp = fsdpCharts(m_analysis, m_parallel);
    m_data.buckets = bucketCharts(m_analysis);
    m_data.layers = layerBars(m_analysis, m_parallel);
    m_data.traffic = sendMatrix(m_analysis, m_parallel);
    addTables();
    return std::move(m_data);
  }

 private:
  Figure& figure(ParallelismFigure of) { return m_data.figures[static_cast<std::size_t>(of)]; }

  // The files describe their groups, and there is no other.
  [[nodiscard]] bool hasOnlyTheWorld() const {
    const std::vector<ParallelGroup>& groups = m_parallel.dimensions.groups;
    return !groups.empty() && std::ranges::all_of(groups, [](const ParallelGroup& group) {
      return group.dimension == RankDimension::World && !group.members.empty();
    });
  }

  void addLayout() {
    const JobLayout& layout = m_parallel.layout;
    Figure& shown = figure(ParallelismFigure::Layout);
    shown.level = m_data.divided ? FigureLevel::Fine : FigureLevel::Unknown;
    if (!m_data.divided) {
      const bool onlyWorld = hasOnlyTheWorld();
      shown.note = m_data.oneRank ? tr("one rank")
                   : onlyWorld ? tr("only the group of all ranks; no label or traffic says how it is divided")
                               : tr("no group, label or traffic says how the job is divided");
      m_data.whyUndivided =
          m_data.oneRank ? tr("The job has one rank.")
          : onlyWorld ? tr("How the job is divided was not recognized: its only process group is that of all "
                           "ranks, and neither labels nor traffic tell more. Type the layout below.")
                      : tr("How the job is divided was not recognized. Record all ranks with PyTorch 2.3 or "
                           "later, whose files describe their process groups, or type the layout below.");
      return;
    }
    shown.value = textOf(layoutText(layout.degrees));
    shown.note = (layout.complete ? tr("%1 ranks")
                  : layout.given  ? tr("does not fit %1 ranks")
                                  : tr("incomplete: %1 ranks"))
                     .arg(layout.world);
    const auto missing = static_cast<qint64>(layout.missing.size());
    if (layout.complete && missing > 0)
      shown.note = tr("%1 of %2 ranks recorded").arg(layout.world - missing).arg(layout.world);
    if (!layout.complete) shown.level = FigureLevel::Warning;
    if (!contradictedGroups(m_analysis).empty())
      shown.note += tr("; more ranks took part in a group than are its members");
    QStringList notes;
    for (const LayoutAxis axis : kLayoutAxes) {
      const std::string& evidence = layout.evidence[static_cast<std::size_t>(axis)];
      if (!evidence.empty())
        notes << QStringLiteral("%1: %2").arg(textOf(axisText(axis)).toUpper(), textOf(evidence));
    }
    if (missing > 0) notes << tr("%1 of %2 ranks recorded").arg(layout.world - missing).arg(layout.world);
    // Sizes of groups are those of the metadata.
    for (const std::string& contradicted : contradictedGroups(m_analysis)) notes << textOf(contradicted);
    m_data.layoutNote = notes.join(QStringLiteral(" · "));
  }

  // A step of a rank counts as one of so many ranks that recorded it: each step counts the same, as in the
  // Overview. Truncated ranks are left out.
  [[nodiscard]] std::map<std::pair<int, std::int64_t>, double> ranksOfSteps() const {
    std::map<std::pair<int, std::int64_t>, double> ranks;
    for (const RankIndex rank : m_whole) {
      const std::vector<StepWindow>& steps = m_analysis.wholeStepWindows(rank).steps;
      for (std::size_t step = 0; step < steps.size(); ++step)
        if (isKeptInScope(m_analysis, rank, step)) ++ranks[keyOf(rank, steps[step])];
    }
    return ranks;
  }

  [[nodiscard]] std::pair<int, std::int64_t> keyOf(RankIndex rank, const StepWindow& step) const {
    return {m_analysis.trace().rank(rank).capture, step.number};
  }

  // Exposed time by dimension, per step and rank, of kept steps.
  void addTimes() {
    std::map<RankDimension, BarAmounts> sums;
    const std::map<std::pair<int, std::int64_t>, double> ranksOf = ranksOfSteps();
    const auto steps = static_cast<double>(ranksOf.size());
    double stepTime = 0;
    for (const RankIndex rank : m_analysis.ranks()) {
      const bool isWhole = std::ranges::binary_search(m_whole, rank);
      RankFigures& of = m_ranks[m_analysis.trace().rank(rank).rank];
      const std::vector<StepWindow>& windows = m_analysis.wholeStepWindows(rank).steps;
      for (const DimensionTime& time :
           dimensionTimes(m_analysis, rank, m_parallel.dimensions.ofCall[rank.value])) {
        if (!isKeptInScope(m_analysis, rank, time.step)) continue;
        if (isWhole) sums[time.dimension].add(time, 1 / ranksOf.at(keyOf(rank, windows[time.step])));
        of.exposed += static_cast<double>(time.exposed);
        if (time.partsKnown) of.waiting = std::max(of.waiting, 0.0) + static_cast<double>(time.wait);
      }
      for (std::size_t step = 0; step < windows.size(); ++step) {
        if (!isKeptInScope(m_analysis, rank, step)) continue;
        const TimeRange range = scopedRange(m_analysis, rank, step);
        const auto length = static_cast<double>(range.length());
        m_data.partOfStep |= range != windows[step].range;
        m_data.areSteps |= m_analysis.wholeStepWindows(rank).areSteps();
        ++of.steps;
        of.step += length;
        addIdle(rank, range, of);
        if (isWhole) stepTime += length / ranksOf.at(keyOf(rank, windows[step]));
      }
    }
    for (auto& [rank, of] : m_ranks) {
      if (of.steps == 0) continue;
      for (double* value : {&of.step, &of.exposed}) *value /= static_cast<double>(of.steps);
      for (double* value : {&of.idle, &of.waiting})
        if (*value >= 0) *value /= static_cast<double>(of.steps);
      of.excluding = of.step - of.exposed;
    }
    if (ranksOf.empty()) {
      m_data.whyNoTimes = textOf(whyNoSteps(m_analysis));
      figure(ParallelismFigure::Exposed).note = m_data.whyNoTimes;
      return;
    }
    const double exposed = addBars(sums, steps, stepTime);
    const QString noCollectives = textOf(noCollectivesNote(callsUnrecordedCollectives(m_analysis)));
    m_data.whyNoCollectives = capitalized(noCollectives) + QLatin1Char('.');
    Figure& shown = figure(ParallelismFigure::Exposed);
    // Nothing was measured: that is no zero.
    if (!m_data.partOfStep && m_analysis.collectives().match.instances.empty()) {
      shown.note = noCollectives;
      return;
    }
    shown.value = textOf(durationText(static_cast<TimeNs>(exposed / steps)));
    const QString share = percent(100 * exposed / stepTime);
    const bool ofRange = m_data.partOfStep;
    const bool differ = m_data.areSteps && ranksDifferInSteps(m_analysis);
    shown.note = (ofRange           ? tr("%1 of the range, mean over ranks")
                  : differ          ? tr("%1 of the step, mean of all steps")
                  : m_data.areSteps ? tr("%1 of the step, mean over ranks")
                                    : tr("%1 of the recording, mean over ranks"))
                     .arg(share);
    if (const std::optional<TimeNs> skew = startSkew(overviewFigures(m_analysis, m_report.account())))
      shown.note += tr("; %1 of it start skew of the recordings").arg(textOf(durationText(*skew)));
    m_data.dimensionsNote =
        ofRange && m_data.areSteps ? tr("in the range within a step, mean over ranks; exposed parts add up")
        : ofRange                  ? tr("in the range, mean over ranks; exposed parts add up")
        : differ          ? tr("mean of all steps, which ranks recorded in part; exposed parts add up")
        : m_data.areSteps ? tr("per step, mean over ranks; exposed parts add up")
                          : tr("of the recording, mean over ranks; exposed parts add up");
  }

  // A bar of each dimension; gives what is exposed of all.
  double addBars(const std::map<RankDimension, BarAmounts>& sums, double steps, double stepTime) {
    BarAmounts all;
    for (const auto& [dimension, sum] : sums) {
      all.transfer += sum.transfer;
      all.wait += sum.wait;
      all.unknown += sum.unknown;
    }
    // Parts of no dimension need no place in the legend.
    const bool splits = all.transfer > 0 || all.wait > 0;
    const bool unknown = all.unknown > 0 || !splits;
    std::vector<BarPart>& parts = m_data.dimensions.parts;
    if (splits) {
      parts.push_back({tr("exposed transfer"), &Theme::exposed, true, 1});
      parts.push_back({tr("exposed wait"), &Theme::exposed, true, kWaitStrength});
    }
    if (unknown)
      parts.push_back({all.unknown > 0 ? tr("exposed, wait unknown") : tr("exposed"), &Theme::exposed, true,
                       kUnknownPart});
    parts.push_back({tr("overlapped"), &Theme::communication, false, 0.55});
    for (const RankDimension dimension : exposureOrder()) {
      const auto sum = sums.find(dimension);
      if (sum == sums.end()) continue;
      const BarAmounts& of = sum->second;
      BarRow row;
      row.label = titleOf(dimension);
      if (splits) row.amounts = {of.transfer / steps, of.wait / steps};
      if (unknown) row.amounts.push_back(of.unknown / steps);
      row.amounts.push_back(of.covered / steps);
      row.note =
          QStringLiteral("%1 · %2").arg(textOf(durationText(static_cast<TimeNs>(of.exposed() / steps))),
                                        percent(100 * of.exposed() / stepTime));
      m_data.dimensions.rows.push_back(std::move(row));
    }
    return all.exposed();
  }

  // Time without any device activity.
  void addIdle(RankIndex rank, TimeRange range, RankFigures& of) const {
    const RankTrace& trace = *m_analysis.trace().rank(rank).trace;
    if (trace.deviceBegin == trace.deviceEnd) return;
    const TimeNs busy = m_analysis.wholeActivity(rank).busy.coveredWithin(range);
    of.idle = std::max(of.idle, 0.0) + static_cast<double>(range.length() - busy);
  }

  void addPipeline() {
    Figure& shown = figure(ParallelismFigure::Bubble);
    shown.level = FigureLevel::Unknown;
    shown.note = tr("no pipeline was recognized");
    m_data.pipelines = pipelineCharts(m_analysis, m_parallel.pipelines);
    if (m_data.pipelines.empty()) return;
    double bubbles = 0;
    double over = 0;
    for (const PipelineChart& chart : m_data.pipelines) {
      for (const StageTime& stage : chart.times.stages)
        m_ranks[m_analysis.trace().rank(stage.rank).rank].bubblePct = stage.bubblePct;
      bubbles += chart.times.bubblePct;
      over = std::max(over, chart.times.bubblePct - chart.times.idealPct.value_or(chart.times.bubblePct));
    }
    shown.level = over > kLargeBubblePoints ? FigureLevel::Warning : FigureLevel::Fine;
    shown.value = percent(bubbles / static_cast<double>(m_data.pipelines.size()));
    const QString schedule = textOf(scheduleText(m_parallel.pipelines.pipelines.front().schedule));
    const std::optional<double> ideal = m_data.pipelines.front().times.idealPct;
    shown.note = ideal ? tr("ideal %1 for %2").arg(percent(*ideal), schedule) : schedule;
  }

  // Rows are the pipeline where there is one, else the innermost axis; columns all others. Ranks that are
  // divided along one axis fill rows by host, or of equal length.
  void addGrids() {
    const JobLayout& layout = m_parallel.layout;
    if (!m_data.divided) return;
    for (const RankIndex rank : m_analysis.ranks()) {
      const auto peak = peakAllocatedOf(m_analysis, rank);
      if (peak) m_ranks[m_analysis.trace().rank(rank).rank].memory = static_cast<double>(*peak);
      if (m_analysis.stragglers().ranks[rank.value].straggler)
        m_stragglers.insert(m_analysis.trace().rank(rank).rank);
      if (!std::ranges::binary_search(m_whole, rank)) m_truncated.insert(m_analysis.trace().rank(rank).rank);
    }
    std::vector<LayoutAxis> axes;
    for (const LayoutAxis axis : {LayoutAxis::Pipeline, LayoutAxis::Tensor, LayoutAxis::Context,
                                  LayoutAxis::Sharded, LayoutAxis::Data, LayoutAxis::Expert}) {
      if (layout.degrees[axis] > 1) axes.push_back(axis);
    }
    GridRows rows;
    const bool all = layout.world <= kMostCells;
    std::size_t place = 0;
    for (const RankPlace& of : layout.ranks) {
      if (!of.recorded && !all) continue;
      rows[rowOf(of, axes, place++)].push_back(&of);
    }
    if (axes.size() > 1) {
      QStringList others;
      for (std::size_t i = 1; i < axes.size(); ++i) others << textOf(axisText(axes[i])).toUpper();
      m_data.gridNote = tr("rows: %1 · columns: %2, counted from 0")
                            .arg(textOf(axisText(axes.front())).toUpper(), others.join(QStringLiteral(", ")));
    } else if (rows.size() > 1) {
      m_data.gridNote = tr("columns: place in the row, counted from 0");
    }
    for (std::size_t f = 0; f < kGridFigureCount; ++f) addGrid(static_cast<GridFigure>(f), rows);
  }

  static ThemeColor colorOf(GridFigure of) {
    switch (of) {
    case GridFigure::Step:
    case GridFigure::Excluding:
      return &Theme::gemm;
    case GridFigure::Memory:
      return &Theme::memoryCopy;
    case GridFigure::Bubble:
    case GridFigure::Idle:
      return &Theme::bad;
    default:
      return &Theme::exposed;
    }
  }

  // Key and title of a row.
  using GridRows = std::map<std::pair<std::int64_t, QString>, std::vector<const RankPlace*>>;

  [[nodiscard]] GridRows::key_type rowOf(const RankPlace& of, const std::vector<LayoutAxis>& axes,
                                         std::size_t place) const {
    if (axes.size() > 1) {
      const std::int64_t at = of.along(axes.front()).value_or(-1);
      const QString axis = textOf(axisText(axes.front())).toUpper();
      return {at, at < 0 ? axis : QStringLiteral("%1 %2").arg(axis).arg(at)};
    }
    const auto world = static_cast<std::size_t>(m_parallel.layout.world);
    const std::size_t length = rankGridColumns(world);
    if (world <= length) return {0, {}};
    const std::size_t first = place / length * length;
    return {static_cast<std::int64_t>(first),
            tr("%1 to %2").arg(first).arg(std::min(first + length, world) - 1)};
  }

  void addGrid(GridFigure of, const GridRows& rows) {
    RankCellsContents& grid = m_data.grids[static_cast<std::size_t>(of)];
    grid.unit = of == GridFigure::Bubble   ? Unit::Percent
                : of == GridFigure::Memory ? Unit::Bytes
                                           : Unit::Nanoseconds;
    grid.color = colorOf(of);
    std::size_t most = 0;
    for (const auto& [row, places] : rows) {
      grid.rowNames << row.second;
      most = std::max(most, places.size());
      int column = 0;
      for (const RankPlace* place : places) {
        RankCell cell;
        cell.rank = place->rank;
        cell.row = static_cast<int>(grid.rowNames.size()) - 1;
        cell.column = column++;
        cell.value = valueOf(of, place->rank);
        cell.outlier = m_stragglers.contains(place->rank);
        cell.tip = tipOf(*place, grid.unit, cell.value);
        if (cell.outlier) cell.tip += tr("<br>straggler");
        if (m_truncated.contains(place->rank))
          cell.tip += tr("<br>truncated file: of the steps that are whole");
        m_data.gridKnown[static_cast<std::size_t>(of)] |= cell.value.has_value();
        grid.cells.push_back(std::move(cell));
      }
    }
    // In a single row they would repeat the ranks.
    const bool numbered = grid.rowNames.size() > 1;
    for (std::size_t column = 0; column < most; ++column)
      grid.columnNames << (numbered ? QString::number(column) : QString());
  }

  [[nodiscard]] std::optional<double> valueOf(GridFigure of, int rank) const {
    const auto known = m_ranks.find(rank);
    if (known == m_ranks.end() || known->second.steps == 0) return std::nullopt;
    const RankFigures& figures = known->second;
    switch (of) {
    case GridFigure::Step:
      return figures.step;
    case GridFigure::Idle:
      return figures.idle < 0 ? std::nullopt : std::optional(figures.idle);
    case GridFigure::Excluding:
      return figures.excluding;
    case GridFigure::Exposed:
      return figures.exposed;
    case GridFigure::Waiting:
      return figures.waiting < 0 ? std::nullopt : std::optional(figures.waiting);
    case GridFigure::Bubble:
      return figures.bubblePct < 0 ? std::nullopt : std::optional(figures.bubblePct);
    case GridFigure::Memory:
      return figures.memory < 0 ? std::nullopt : std::optional(figures.memory);
    }
    return std::nullopt;
  }

  [[nodiscard]] QString tipOf(const RankPlace& place, Unit unit, std::optional<double> value) const {
    QStringList places;
    for (const LayoutAxis axis : kLayoutAxes) {
      if (const auto at = place.along(axis))
        places << QStringLiteral("%1 %2").arg(textOf(axisText(axis)).toUpper()).arg(*at);
    }
    QString text = tr("<b>Rank %1</b> · %2").arg(place.rank).arg(places.join(QStringLiteral(", ")));
    if (!place.host.empty()) text += QStringLiteral("<br>") + textOf(place.host).toHtmlEscaped();
    text += QStringLiteral("<br>");
    if (value) return text + amount(unit, *value);
    return text + (place.recorded && m_data.ofRange ? tr("no step in the range") : tr("not recorded"));
  }

  static QString amount(Unit unit, double value) {
    if (unit == Unit::Percent) return percent(value);
    if (unit == Unit::Bytes) return textOf(bytesText(static_cast<std::int64_t>(value)));
    return textOf(durationText(static_cast<TimeNs>(value)));
  }

  void addTables() {
    const auto add = [&](ParallelTable of, ResultTable table) {
      m_data.tables[static_cast<std::size_t>(of)] = std::make_shared<const ResultTable>(std::move(table));
    };
    add(ParallelTable::Groups, parallelGroupsTable(m_report));
    add(ParallelTable::Buckets, ddpBucketsTable(m_report));
    add(ParallelTable::Units, fsdpUnitsTable(m_report));
    add(ParallelTable::Zero, zeroStagesTable(m_report));
    add(ParallelTable::Layers, tpLayersTable(m_report));
    add(ParallelTable::Stages, pipelineStagesTable(m_report));
    add(ParallelTable::Experts, expertRanksTable(m_report));
    add(ParallelTable::Traffic, expertTrafficTable(m_report));
    Figure& shown = figure(ParallelismFigure::Experts);
    shown.level = FigureLevel::Unknown;
    shown.note = tr("no traffic of experts");
    double most = 0;
    for (const ExpertRankStep& of : expertRankSteps(m_analysis, m_parallel.uses, m_parallel.dimensions))
      most = std::max(most, of.imbalance.value_or(0));
    if (most <= 0) return;
    shown.value = QString::number(most, 'f', 2);
    shown.note = tr("largest load of a rank over the mean");
    shown.level = most >= kUnequalExperts ? FigureLevel::Warning : FigureLevel::Fine;
  }

  const JobReport& m_report;
  const Analysis& m_analysis;
  const std::vector<RankIndex> m_whole; // without truncated ranks
  const JobParallel& m_parallel;
  ParallelismData m_data;
  std::map<int, RankFigures> m_ranks; // by rank
  std::set<int> m_stragglers;         // ranks
  std::set<int> m_truncated;
};

} // namespace

ParallelismData parallelismData(const JobReport& report, const LayoutSettings& layout) {
  if (isDigest(report.analysis().trace())) {
    ParallelismData data = DataMaker(report, report.layoutSettings()).made();
    data.ofDigest = true;
    return data;
  }
  if (layout == report.layoutSettings()) return DataMaker(report, layout).made();
  const JobReport given(report.sharedAnalysis(), report.efficiencySettings(), GainMethod::Formula,
                        NetworkInput(), layout);
  return DataMaker(given, layout).made();
}

} // namespace rankscope::ui
