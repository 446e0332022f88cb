// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/distributed/distributed_data.h"
#include "ui/tables/table_figures.h"

#include "core/analysis/job/scope.h"
#include "core/analysis/job/step_notes.h"
#include "core/base/unit_text.h"
#include "core/report/collective_totals_table.h"
#include "core/report/joined_ranks_table.h"
#include "core/report/one_rank.h"
#include "core/report/process_groups.h"
#include "core/report/summary_parts.h"
#include "ui/base/counted.h"
#include "ui/base/ui_text.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace rankscope::ui {

namespace {

QString duration(TimeNs time) {
  return QString::fromStdString(durationText(time));
}

std::vector<ChosenRank> chosenOf(const std::vector<RankShare>& shares, std::span<const std::size_t> outlier) {
  const bool waits = std::ranges::any_of(shares, &RankShare::matched);
  std::vector<TimeNs> values;
  values.reserve(shares.size());
  for (const RankShare& share : shares) values.push_back(waits ? share.wait() : share.compute());
  return chosenRanks(values, outlier, values.size() <= kMaxBars ? kMaxBars : kChosenBars);
}

template <class AmountsOf>
BarRows barsOf(const DistributedData& data, ShareOver over, std::vector<BarPart> parts,
               AmountsOf&& amountsOf) {
  BarRows bars;
  bars.parts = std::move(parts);
  const std::vector<RankShare>& shares = over == ShareOver::Sum ? data.sums : data.means;
  for (const ChosenRank& chosen : data.chosen) {
    const RankShare& share = shares[chosen.index];
    const QString name = chosenRankName(*data.analysis, share.rank, chosen.role, data.captures > 1);
    BarRow row{.label = share.truncated ? tr("%1 (truncated)").arg(name) : name,
               .amounts = {},
               .outlier = share.straggler ||
                          (chosen.role == RankRole::Outlier && data.chosen.size() < shares.size())};
    for (const TimeNs amount : amountsOf(share)) row.amounts.push_back(static_cast<double>(amount));
    bars.rows.push_back(std::move(row));
  }
  return bars;
}

std::size_t capturesIn(const Analysis& analysis) {
  std::set<int> captures;
  for (const RankIndex rank : analysis.ranks()) captures.insert(analysis.trace().rank(rank).capture);
  return captures.size();
}

} // namespace

int DistributedData::barOf(RankIndex rank) const {
  const TraceSet& traces = analysis->trace();
  const auto found = std::ranges::find(chosen, traces.rank(rank).rank, [&](const ChosenRank& row) {
    return traces.rank(sums[row.index].rank).rank;
  });
  return found == chosen.end() ? -1 : static_cast<int>(found - chosen.begin());
}

int DistributedData::rowOf(RankIndex rank) const {
  const TraceSet& traces = analysis->trace();
  const auto found = std::ranges::find(sums, traces.rank(rank).rank,
                                       [&](const RankShare& share) { return traces.rank(share.rank).rank; });
  return found == sums.end() ? -1 : static_cast<int>(found - sums.begin());
}

RankIndex DistributedData::rankOfBar(int row) const {
  if (row < 0 || row >= static_cast<int>(chosen.size())) return {};
  return sums[chosen[static_cast<std::size_t>(row)].index].rank;
}

DistributedData distributedData(const std::shared_ptr<const Analysis>& analysis, const QString& category,
                                bool perStep) {
  DistributedData data;
  data.analysis = analysis;
  QStringList contradicted;
  for (const std::string& text : contradictedGroups(*analysis)) contradicted << textOf(text);
  data.contradictedGroups = contradicted.join(QStringLiteral("; "));
  data.steps = maxSteps(*analysis);
  data.captures = capturesIn(*analysis);
  data.ofRange = isOfRange(*analysis);
  const auto sharesOver = [&](ShareOver over) {
    return joinedRecordings(analysis->trace(), rankShares(*analysis, over), over);
  };
  data.sums = sharesOver(ShareOver::Sum);
  data.means = data.steps > 0 ? sharesOver(ShareOver::StepMean) : data.sums;
  data.outlier = outlierRanks(data.sums);
  data.chosen = chosenOf(data.sums, data.outlier);
  std::vector<RankIndex> outlier;
  outlier.reserve(data.outlier.size());
  for (const std::size_t position : data.outlier) outlier.push_back(data.sums[position].rank);
  data.durations = stepCurves(*analysis, outlier, StepFigure::Duration);
  data.timesExcludingCommunication = stepCurves(*analysis, outlier, StepFigure::ExcludingCommunication);
  data.categories = groupCategories(*analysis);
  if (!data.categories.empty()) {
    const auto asked = std::ranges::find(data.categories, category, groupCategoryName);
    data.arrivals = std::make_shared<const ArrivalMatrix>(
        *analysis, asked == data.categories.end() ? data.categories.front() : *asked);
    data.heat = heatOf(*analysis, *data.arrivals);
  }
  const std::shared_ptr<const Analysis> sums = analysisOfSums(analysis, perStep);
  data.ranksTable = std::make_shared<const ResultTable>(joinedRanksTable(*sums));
  data.totals = std::make_shared<const ResultTable>(collectiveTotalsTable(*sums));
  data.byRank = std::make_shared<const ResultTable>(collectivesByRankTable(*sums));
  data.groups = std::make_shared<const ResultTable>(processGroupsTable(*sums));
  return data;
}

QString groupCategoryName(const GroupCategory& category) {
  const std::string_view dimension = dimensionText(category.dimension);
  QString name = QString::fromStdString(category.label);
  if (!dimension.empty() && category.groupCount > 1)
    name = QString::fromUtf8(dimension.data(), static_cast<qsizetype>(dimension.size()));
  if (category.recorded && category.groupCount > 1)
    name += QStringLiteral(" · ") +
            (category.size == 1 ? tr("%1 groups of 1 rank").arg(category.groupCount)
                                : tr("%1 groups of %2 ranks").arg(category.groupCount).arg(category.size));
  else if (category.size > 0)
    name += QStringLiteral(" · ") + counted(category.size, tr("1 rank"), tr("%1 ranks"));
  if (category.pointToPoint) name += QStringLiteral(" · ") + tr("send/recv");
  return name;
}

BarRows shareBars(const DistributedData& data, ShareOver over) {
  return barsOf(data, over,
                {{tr("compute only"), &Theme::gemm},
                 {tr("overlapped"), &Theme::communication},
                 {tr("exposed communication"), &Theme::exposed, true},
                 {tr("other"), &Theme::faint}},
                [](const RankShare& share) {
                  return std::array{share.computeOnly, share.overlapped, share.exposed, share.other};
                });
}

BarRows waitBars(const DistributedData& data, ShareOver over) {
  return barsOf(data, over,
                {{tr("exposed wait"), &Theme::exposed, true, kWaitStrength},
                 {tr("overlapped wait"), &Theme::communication, false, kWaitStrength},
                 {tr("transfer"), &Theme::communication}},
                [](const RankShare& share) {
                  return std::array{share.waitExposed, share.waitHidden, share.transfer};
                });
}

HeatContents heatOf(const Analysis& analysis, const ArrivalMatrix& matrix) {
  HeatContents heat;
  auto cells = std::make_shared<HeatCells>();
  cells->rows = matrix.rows().size();
  cells->columns = matrix.columnCount();
  cells->values = matrix.lateness();
  heat.top = matrix.scaleTop();
  for (const float value : cells->values) heat.largest = std::max(heat.largest, double{value});
  heat.cells = std::move(cells);
  heat.missing = tr("no call recorded");
  const bool joined = capturesIn(analysis) > 1;
  heat.outlierRows.resize(matrix.rows().size());
  for (const RankIndex rank : matrix.rows()) heat.rowNames << rankName(analysis, rank, joined);
  for (const RankIndex rank : analysis.ranks())
    if (const auto row = matrix.rowOf(rank); row && analysis.stragglers().ranks[rank.value].straggler)
      heat.outlierRows[*row] = true;
  const CollectiveMatch& match = analysis.collectives().match;
  std::int64_t step = CollectiveCall::kNoStep;
  for (std::size_t column = 0; column < matrix.columnCount(); ++column) {
    const CollectiveInstance& instance = match.instance(matrix.instances(column).front());
    if (instance.step == step || instance.step == CollectiveCall::kNoStep) continue;
    step = instance.step;
    heat.marks.push_back({column, tr("#%1").arg(step)});
  }
  return heat;
}

QString arrivalTip(const Analysis& analysis, const ArrivalMatrix& matrix, std::size_t column,
                   std::size_t row) {
  const CollectiveMatch& match = analysis.collectives().match;
  const auto place = matrix.placeOf(match, column, row);
  if (!place) return {};
  const CollectiveInstance& instance = *place->instance;
  const std::string_view operation = operationText(instance.operation);
  QStringList title{QString::fromUtf8(operation.data(), static_cast<qsizetype>(operation.size())),
                    QString::fromStdString(match.group(instance).label()).toHtmlEscaped()};
  if (instance.sequence >= 0) title << tr("sequence %1").arg(instance.sequence);
  if (instance.step != CollectiveCall::kNoStep) title << tr("step %1").arg(instance.step);
  QStringList lines{QStringLiteral("<b>%1</b>").arg(title.join(QStringLiteral(" · ")))};
  const TimeNs late = place->part->range.begin - instance.firstBegin;
  lines << tr("%1 arrived %2 after the first").arg(rankName(analysis, place->part->rank), duration(late));
  lines << tr("wait %1 · transfer %2").arg(duration(place->part->wait), duration(place->part->transfer));
  if (place->ofStart)
    lines << tr("start skew of the recordings: the first collective of its group, no cost of the job");
  if (instance.lastRank.valid() && instance.skew() > 0)
    lines << (instance.lastRank == place->part->rank
                  ? tr("last of %1 ranks").arg(instance.count)
                  : tr("last of %1 ranks: %2, %3 after the first")
                        .arg(instance.count)
                        .arg(rankName(analysis, instance.lastRank), duration(instance.skew())));
  return lines.join(QStringLiteral("<br>"));
}

QString whyNoWaits(const DistributedData& data) {
  if (data.arrivals) return {};
  if (data.analysis->collectives().match.instances.empty()) {
    const bool onDevice = std::ranges::any_of(data.sums, &RankShare::onDevice);
    if (!onDevice && callsUnrecordedCollectives(*data.analysis)) return textOf(kUnrecordedCollectivesText);
    if (!onDevice)
      return tr("No collective was recorded. Collectives are recorded with ProfilerActivity.CUDA, and on CPU "
                "with the gloo backend.");
    return data.sums.size() == 1 ? tr("One rank was recorded, and no collective.")
                                 : tr("No collective was recorded.");
  }
  if (data.sums.size() < 2)
    return tr("Only one rank was recorded, so wait and transfer cannot be separated. Open the folder with "
              "the traces of all ranks.");
  return data.ofRange ? tr("No collective of two ranks begins in the range.")
                      : tr("No collective was found on two ranks.");
}

QString sameArrivals(const DistributedData& data) {
  if (!data.arrivals || data.heat.largest > 0) return {};
  const ClockAlignment& clocks = data.analysis->clocks();
  TimeNs residual = 0;
  for (const RankClock& clock : clocks.ranks) residual = std::max(residual, clock.residual.value_or(0));
  QString text = tr("All ranks arrived at the same time at each of these collectives.");
  if (clocks.domains > 1)
    text += tr(" Clocks were aligned by collectives, with a residual of %1.")
                .arg(residual > 0 ? tr("at most %1").arg(duration(residual)) : duration(0));
  return text;
}

QString whyNoArrivals(const DistributedData& data) {
  if (data.arrivals) return {};
  if (data.analysis->collectives().match.instances.empty())
    return tr("No arrivals: %1.").arg(textOf(noCollectivesNote(callsUnrecordedCollectives(*data.analysis))));
  if (data.sums.size() < 2)
    return tr("Arrivals at collectives are compared between ranks, and only one was recorded.");
  return data.ofRange ? tr("No arrivals: no collective of two ranks begins in the range.")
                      : tr("No arrivals: no collective was found on two ranks.");
}

QString startSkewOf(const DistributedData& data, const std::vector<RankShare>& shares) {
  constexpr std::int64_t kShown = 200; // one part in so many
  ExactSum sum;
  ExactSum waits;
  for (const RankShare& share : shares) {
    sum += share.waitStart;
    waits += share.waitExposed;
  }
  if (sum == 0 || sum < waits / kShown) return {};
  const auto most = std::ranges::max_element(
      shares, {}, [](const RankShare& share) { return std::int64_t{share.waitStart}; });
  if (shares.size() == 1)
    return tr("%1 of the exposed wait is start skew of the recordings").arg(duration(sum));
  return tr("of the exposed wait, %1 is start skew of the recordings (mean of ranks; rank %2: %3)")
      .arg(duration(sum / static_cast<std::int64_t>(shares.size())))
      .arg(data.analysis->trace().rank(most->rank).rank)
      .arg(duration(most->waitStart));
}

QString whyNoSteps(const DistributedData& data) {
  return data.steps > 0 ? QString() : QString::fromStdString(rankscope::whyNoSteps(*data.analysis));
}

} // namespace rankscope::ui
