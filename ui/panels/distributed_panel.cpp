// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/distributed_panel.h"

#include "core/report/collectives_table.h"
#include "core/report/tables.h"
#include "ui/charts/line_plot.h"
#include "ui/charts/stacked_bars.h"
#include "ui/panels/rank_columns.h"
#include "ui/trace_session.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

struct DistributedData {
  BarRows shares;
  Curves stepTimes;
  std::shared_ptr<const ResultTable> ranks;
  std::shared_ptr<const ResultTable> collectives;
};

namespace {

QString tr(const char* text) {
  return DistributedPanel::tr(text);
}

BarRows sharesOf(const Analysis& analysis) {
  BarRows bars;
  bars.parts = {{tr("compute only"), &Theme::gemm},
                {tr("overlapped"), &Theme::communication},
                {tr("exposed communication"), &Theme::exposed, true},
                {tr("other"), &Theme::faint}};
  for (const RankIndex rank : analysis.ranks()) {
    const RankStatistics& of = analysis.statistics(rank);
    const TimeNs known = of.compute + of.exposedCommunication;
    BarRow row{tr("Rank %1").arg(analysis.trace().rank(rank).rank), {}};
    for (const TimeNs amount :
         {of.compute - of.overlap, of.overlap, of.exposedCommunication, of.gpuSpan - known})
      row.amounts.push_back(static_cast<double>(amount));
    bars.rows.push_back(std::move(row));
  }
  return bars;
}

Curves stepTimesOf(const Analysis& analysis) {
  Curves curves;
  curves.fromZero = false;
  double first = 0;
  double last = 0;
  for (const RankIndex rank : analysis.ranks()) {
    Curve curve{tr("rank %1").arg(analysis.trace().rank(rank).rank)};
    for (const StepWindow& step : analysis.stepWindows(rank).steps)
      curve.points << QPointF(static_cast<double>(step.number), static_cast<double>(step.range.length()));
    if (curve.points.isEmpty()) continue;
    first = curves.curves.empty() ? curve.points.front().x() : std::min(first, curve.points.front().x());
    last = std::max(last, curve.points.back().x());
    curves.curves.push_back(std::move(curve));
  }
  curves.xBegin = first;
  curves.xEnd = std::max(last, first + 1);
  return curves;
}

DistributedData distributedOf(const Analysis& analysis) {
  return {sharesOf(analysis), stepTimesOf(analysis),
          std::make_shared<const ResultTable>(ranksTable(analysis)),
          std::make_shared<const ResultTable>(collectivesTable(analysis))};
}

std::vector<ShownColumn> collectiveColumns() {
  return {
      {.source = "rank", .title = tr("Rank")},
      {.source = "operation", .title = tr("Operation")},
      {.source = "group", .title = tr("Group")},
      {.source = "group_size", .title = tr("Ranks"), .hide = Hide::AllEmpty},
      {.source = "calls", .title = tr("Calls")},
      {.source = "bytes", .title = tr("Bytes"), .hide = Hide::AllEmpty},
      {.source = "total_us", .title = tr("Total")},
      {.source = "wait_us", .title = tr("Wait"), .hide = Hide::AllEmpty},
      {.source = "transfer_us", .title = tr("Transfer"), .hide = Hide::AllEmpty},
      {.source = "exposed_us", .title = tr("Exposed"), .hide = Hide::AllEmpty},
      {.source = "algbw_gb_s", .title = tr("algbw"), .hide = Hide::AllEmpty},
      {.source = "busbw_gb_s", .title = tr("busbw"), .hide = Hide::AllEmpty},
  };
}

} // namespace

DistributedPanel::DistributedPanel(TraceSession& session, QWidget* parent)
    : AnalysisPage(parent), m_session(session), m_shares(new StackedBars(session)),
      m_stepTimes(new LinePlot(session)) {
  m_sharesCard = new ChartCard(tr("Computation and communication"), m_shares, session);
  m_stepTimesCard = new ChartCard(tr("Step time by rank"), m_stepTimes, session);
  m_ranks = new TableCard(tr("Ranks"), rankColumns(), session);
  m_ranks->setCaption(tr("double click a row to see it in the timeline"));
  m_collectives = new TableCard(tr("Collectives"), collectiveColumns(), session);
  auto* charts = new QHBoxLayout;
  charts->setSpacing(16);
  charts->addWidget(m_sharesCard, 1);
  charts->addWidget(m_stepTimesCard, 1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(16);
  column->addLayout(charts, 3);
  column->addWidget(m_ranks, 2);
  column->addWidget(m_collectives, 2);
  connect(m_ranks, &TableCard::rowActivated, this, &DistributedPanel::revealRank);
  connect(m_shares, &StackedBars::partClicked, this, [this](int row, int) { revealRank(row); });
  setContents<DistributedData>(
      distributedOf, [this](const std::shared_ptr<const DistributedData>& made) { showData(made.get()); });
  showData(nullptr);
}

void DistributedPanel::showData(const DistributedData* made) {
  const QString wait = made == nullptr ? tr("Being computed …") : QString();
  m_shares->setBars(made != nullptr ? made->shares : BarRows());
  m_stepTimes->setCurves(made != nullptr ? made->stepTimes : Curves());
  std::vector<LegendItem> legend;
  for (const BarPart& part : m_shares->bars().parts) legend.push_back({part.name, part.colour, part.hatched});
  m_sharesCard->setLegend(std::move(legend));
  m_sharesCard->setEmptyText(wait);
  m_stepTimesCard->setEmptyText(wait);
  m_ranks->setTable(made != nullptr ? made->ranks : nullptr, wait);
  m_collectives->setTable(made != nullptr ? made->collectives : nullptr,
                          made == nullptr ? wait : tr("No collective was recorded."));
}

// Rows stand as the analysis has its ranks.
void DistributedPanel::revealRank(int tableRow) {
  if (!analysis() || tableRow < 0 || !m_session.trace()) return;
  const RankIndex rank = analysis()->ranks()[static_cast<std::size_t>(tableRow)];
  m_session.revealRange(rank, m_session.trace()->rank(rank).trace->extent);
  emit timelineWanted();
}

} // namespace rankscope::ui
