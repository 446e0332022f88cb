// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/distributed/distributed_panel.h"
#include "ui/tables/table_figures.h"

#include "core/base/thread_team.h"
#include "core/base/unit_text.h"
#include "core/report/grouped_tables.h"
#include "core/report/one_rank.h"
#include "ui/base/capitalized.h"
#include "ui/base/text_scale.h"
#include "ui/base/ui_text.h"
#include "ui/job/trace_session.h"
#include "ui/tables/model_parts.h"
#include "ui/tables/rank_columns.h"
#include "ui/tabs/distributed/distributed_columns.h"
#include "ui/widgets/tab_context.h"

#include <QComboBox>
#include <QGridLayout>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr TimeNs kMuchNs = 1000; // more than rounding
constexpr int kMargin = 16;
constexpr int kNarrow = 760; // below this width the charts are stacked
constexpr int kMaxChoiceWidth = 240;
constexpr int kBarRow = 26;
constexpr int kTightBarRow = 15;
constexpr int kMinChartHeight = 190;
constexpr int kMaxMinChartHeight = 500;
constexpr int kManyRows = 330; // height of a matrix with more rows than row labels
constexpr int kAroundCells = 52;
constexpr int kMinRows = 10;
constexpr int kMaxRows = 40;

QString countText(std::size_t count) {
  return QString::fromStdString(rankscope::countText(static_cast<std::int64_t>(count)));
}

// Whether collectives of a rank take longer than there is communication: some run at once.
bool countsTwice(const std::vector<RankShare>& shares) {
  return std::ranges::any_of(shares, [](const RankShare& share) {
    const std::int64_t sum = std::int64_t{share.waitHidden} + share.waitExposed + share.transfer;
    return share.matched && sum > share.overlapped + share.exposed + kMuchNs;
  });
}

QString twiceText() {
  return DistributedPanel::tr("concurrent collectives count twice");
}

} // namespace

DistributedPanel::DistributedPanel(TraceSession& session, QSettings& settings, QWidget* parent)
    : AnalysisPage(session.pending(), parent), m_session(session), m_scroll(new QScrollArea),
      m_charts(new QGridLayout), m_shares(new StackedBars(session)), m_waits(new StackedBars(session)),
      m_stepTimes(new LinePlot(session)), m_arrivals(new HeatMap(session)), m_over(new QComboBox),
      m_figure(new QComboBox), m_category(new QComboBox), m_byRank(new QComboBox) {
  makeCards();
  makeControls();
  m_ranks->setMemoryKey(settings, QStringLiteral("distributed.ranks"));
  m_collectives->setMemoryKey(settings, QStringLiteral("distributed.collectives"));
  m_groups->setMemoryKey(settings, QStringLiteral("distributed.groups"));
  layCards();
  connectCharts();
  connectTables();
  ask();
  showData(nullptr);
}

void DistributedPanel::makeCards() {
  m_sharesCard = new ChartCard(tr("Computation and communication"), m_shares, m_session);
  m_waitsCard = new ChartCard(tr("Wait and transfer"), m_waits, m_session);
  m_stepTimesCard = new ChartCard(tr("Step time by rank"), m_stepTimes, m_session);
  m_arrivalsCard = new ChartCard(tr("Arrival at collectives"), m_arrivals, m_session);
  m_ranks = new TableCard(tr("Ranks"), rankColumns(), m_session);
  m_ranks->setRowColor([this](int row, const Theme& theme) {
    if (!m_data) return QColor();
    return m_data->sums[static_cast<std::size_t>(row)].straggler ? theme.bad : QColor();
  });
  m_collectives = new TableCard(tr("Collectives"), collectiveColumns(), m_session);
  m_groups = new TableCard(tr("Process groups"), groupColumns(), m_session);
  m_groups->setStretchColumn("ranks");
}

void DistributedPanel::makeControls() {
  m_over->addItems({tr("mean step"), tr("sum")});
  m_over->setToolTip(tr("Mean per step, or sum over the recording"));
  m_over->setAccessibleName(tr("Mean per step or total"));
  m_sharesCard->addControl(m_over);
  m_figure->addItems({tr("step time"), tr("excl. communication")});
  m_figure->setToolTip(tr("Excluding communication: step time minus the exposed communication of the rank, "
                          "waiting and transfer"));
  m_figure->setAccessibleName(tr("Step time with or without communication"));
  m_stepTimesCard->addControl(m_figure);
  m_category->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  m_category->setMaximumWidth(scaledToText(kMaxChoiceWidth));
  m_category->setToolTip(tr("Filter by process group"));
  m_category->setAccessibleName(tr("Process group"));
  m_arrivalsCard->addControl(m_category);
  m_byRank->addItems({tr("mean over ranks"), tr("by rank")});
  m_byRank->setMinimumWidth(scaledToText(70));
  m_byRank->setAccessibleName(tr("Mean over ranks or by rank"));
  m_collectives->addControl(m_byRank);
  m_parts = new ModelPartRows(m_session.pending(), this);
  m_collectives->addControl(&m_parts->choice());
  connect(m_parts, &ModelPartRows::changed, this, &DistributedPanel::showCollectives);
  connect(m_over, &QComboBox::currentIndexChanged, this, &DistributedPanel::showShares);
  connect(m_figure, &QComboBox::currentIndexChanged, this, &DistributedPanel::showSteps);
  connect(m_category, &QComboBox::currentIndexChanged, this, &DistributedPanel::ask);
  connect(&TableFigures::ofProgram(), &TableFigures::perStepChanged, this, &DistributedPanel::ask);
  connect(m_byRank, &QComboBox::currentIndexChanged, this, &DistributedPanel::showCollectives);
}

void DistributedPanel::layCards() {
  auto* content = new QWidget;
  content->setObjectName(QStringLiteral("pageContent"));
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(kMargin, kMargin, kMargin, kMargin);
  column->setSpacing(kMargin);
  m_charts->setSpacing(kMargin);
  column->addLayout(m_charts, 1);
  for (TableCard* card : {m_ranks, m_collectives, m_groups}) column->addWidget(card);
  m_scroll->setFrameShape(QFrame::NoFrame);
  m_scroll->setFocusPolicy(Qt::NoFocus);
  m_scroll->setWidgetResizable(true);
  m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_scroll->setWidget(content);
  m_scroll->viewport()->setAutoFillBackground(false);
  content->setAutoFillBackground(false);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(m_scroll);
  placeCharts();
}

void DistributedPanel::placeCharts() {
  const bool narrow = width() < scaledToText(kNarrow);
  const std::array cards{m_sharesCard, m_stepTimesCard, m_waitsCard, m_arrivalsCard};
  for (int i = 0; i < static_cast<int>(cards.size()); ++i)
    m_charts->addWidget(cards[static_cast<std::size_t>(i)], narrow ? i : i / 2, narrow ? 0 : i % 2);
  for (int row = 0; row < 4; ++row) m_charts->setRowStretch(row, narrow || row < 2 ? 1 : 0);
  m_charts->setColumnStretch(0, 1);
  m_charts->setColumnStretch(1, narrow ? 0 : 1);
}

void DistributedPanel::resizeEvent(QResizeEvent* event) {
  AnalysisPage::resizeEvent(event);
  placeCharts();
}

ChartCard& DistributedPanel::card(const QWidget& chart) const {
  for (ChartCard* card : {m_sharesCard, m_waitsCard, m_stepTimesCard})
    if (card->isAncestorOf(&chart)) return *card;
  return *m_arrivalsCard;
}

void DistributedPanel::ask() {
  setSharedContents<DistributedData>(
      [category = m_category->currentData().toString(),
       perStep = TableFigures::ofProgram().perStep()](const std::shared_ptr<const Analysis>& analysis) {
        return distributedData(analysis, category, perStep);
      },
      [this](const std::shared_ptr<const DistributedData>& made) { showData(made); });
}

void DistributedPanel::setShareOver(ShareOver over) {
  m_over->setCurrentIndex(over == ShareOver::StepMean ? 0 : 1);
}

void DistributedPanel::setStepFigure(StepFigure figure) {
  m_figure->setCurrentIndex(figure == StepFigure::Duration ? 0 : 1);
}

StepFigure DistributedPanel::stepFigure() const {
  return m_figure->currentIndex() == 0 ? StepFigure::Duration : StepFigure::ExcludingCommunication;
}

void DistributedPanel::setCollectivesByRank(bool byRank) {
  m_byRank->setCurrentIndex(byRank ? 1 : 0);
}

void DistributedPanel::setGroupCategory(const QString& name) {
  m_category->setCurrentIndex(m_category->findData(name));
}

void DistributedPanel::showData(std::shared_ptr<const DistributedData> made) {
  m_data = std::move(made);
  m_marked = {};
  showShares();
  showSteps();
  showArrivals();
  showTables();
}

void DistributedPanel::showShares() {
  const QString wait = m_data ? QString() : tr("Computing …");
  const bool means = m_data && m_data->steps > 0 && m_over->currentIndex() == 0;
  const ShareOver over = means ? ShareOver::StepMean : ShareOver::Sum;
  m_over->setVisible(m_data && m_data->steps > 0);
  m_shares->setBars(m_data ? shareBars(*m_data, over) : BarRows());
  m_waits->setBars(m_data ? waitBars(*m_data, over) : BarRows());
  QString caption;
  if (m_data && m_data->chosen.size() < m_data->sums.size())
    caption = tr("%1 of %2 ranks, selected by wait: outliers, then min to max of the others · ")
                  .arg(countText(m_data->chosen.size()), countText(m_data->sums.size()));
  for (const auto& [card, bars] : {std::pair(m_sharesCard, m_shares), std::pair(m_waitsCard, m_waits)}) {
    std::vector<LegendItem> legend;
    for (const BarPart& part : bars->bars().parts)
      legend.push_back({part.name, part.color, part.hatched, false, part.strength});
    card->setLegend(std::move(legend));
    const int rows = static_cast<int>(bars->bars().rows.size());
    card->setLeastChartHeight(
        std::clamp(rows * (rows > 16 ? scaledToText(kTightBarRow) : scaledToText(kBarRow)),
                   scaledToText(kMinChartHeight), scaledToText(kMaxMinChartHeight)));
  }
  m_sharesCard->setEmptyText(wait);
  m_waitsCard->setEmptyText(m_data ? whyNoWaits(*m_data) : wait);
  const bool host = m_data && !m_data->sums.empty() && !m_data->sums.front().onDevice &&
                    !TableFigures::ofProgram().perStep();
  const QString sum = host ? tr("sum over host operators and collectives") : tr("sum over the GPU span");
  const std::size_t steps = m_data ? m_data->steps : 0;
  const bool captures = m_data && m_data->captures > 1;
  const QString mean = captures     ? tr("mean step of all captures")
                       : steps == 1 ? tr("one step")
                                    : tr("mean of %1 steps").arg(steps);
  m_sharesCard->setCaption(!m_data ? QString() : caption + (means ? mean : sum));
  QString waits = caption + (means                       ? mean
                             : m_data && m_data->ofRange ? tr("whole collectives that begin in the range")
                                                         : tr("sum over the collectives"));
  if (m_data && countsTwice(means ? m_data->means : m_data->sums))
    waits += QStringLiteral(" · ") + twiceText();
  if (m_data)
    if (const QString skew = startSkewOf(*m_data, means ? m_data->means : m_data->sums); !skew.isEmpty())
      waits += QStringLiteral(" · ") + skew;
  if (const std::uint64_t unmatched = m_data ? m_data->analysis->collectives().match.counts.unmatched : 0;
      unmatched > 0)
    waits += unmatched == 1 ? tr(" · without 1 unmatched call")
                            : tr(" · without %1 unmatched calls").arg(countText(unmatched));
  m_waitsCard->setCaption(m_data ? waits : QString());
}

void DistributedPanel::showSteps() {
  const StepCurves* const shown = m_data ? &shownSteps() : nullptr;
  m_stepTimes->setCurves(shown != nullptr ? shown->curves : Curves());
  std::vector<LegendItem> legend;
  QString caption;
  if (shown != nullptr && !shown->curves.bands.empty()) {
    legend = {{tr("median"), &Theme::accent, true, true},
              {shown->curves.bands.front().name, &Theme::accent, false, false, 0.35}};
    caption = tr("%1 ranks").arg(shown->ranks);
  } else if (shown != nullptr) {
    const bool alone = shown->ranks == shown->recordings || shown->together;
    if (shown->perRank)
      caption = alone ? tr("one step · one dot per rank") : tr("one dot per rank and capture");
    else
      caption = alone ? tr("one line per rank") : tr("one line per rank and capture");
  }
  m_stepTimesCard->setLegend(std::move(legend));
  m_stepTimesCard->setCaption(caption);
  m_stepTimesCard->setLeastChartHeight(scaledToText(kMinChartHeight));
  const QString empty = !m_data                          ? tr("Computing …")
                        : !whyNoSteps(*m_data).isEmpty() ? whyNoSteps(*m_data)
                        : shown->ranks == 0              ? tr("Wait times are unknown.")
                                                         : QString();
  m_stepTimesCard->setEmptyText(empty);
}

void DistributedPanel::showArrivals() {
  const QSignalBlocker quiet(m_category);
  const QString chosen = m_category->currentData().toString();
  m_category->clear();
  if (m_data)
    for (const GroupCategory& category : m_data->categories)
      m_category->addItem(groupCategoryName(category), groupCategoryName(category));
  m_category->setCurrentIndex(std::max(0, m_category->findData(chosen)));
  m_category->setVisible(m_category->count() > 1);
  m_arrivals->setContents(m_data ? m_data->heat : HeatContents());
  m_arrivals->setTipOf([data = m_data](std::size_t column, std::size_t row) {
    return arrivalTip(*data->analysis, *data->arrivals, column, row);
  });
  const std::size_t rows = m_data && m_data->arrivals ? m_data->arrivals->rows().size() : 0;
  const int wanted = rows > kMaxBars
                         ? scaledToText(kManyRows)
                         : static_cast<int>(rows) * scaledToText(kTightBarRow) + scaledToText(kAroundCells);
  m_arrivalsCard->setLeastChartHeight(std::max(scaledToText(kMinChartHeight) + 20, wanted));
  m_arrivalsCard->setEmptyText(!m_data            ? tr("Computing …")
                               : m_data->arrivals ? sameArrivals(*m_data)
                                                  : whyNoArrivals(*m_data));
  QString caption;
  if (m_data && m_data->arrivals) {
    caption = tr("delay since the first rank arrived · collectives: %1")
                  .arg(countText(m_data->arrivals->columnCount()));
    if (m_category->count() == 1) caption += QStringLiteral(" · ") + m_category->itemText(0);
    if (const TimeNs skew = m_data->arrivals->startSkew(); skew > 0)
      caption += tr(" · at the first up to %1, start skew of the recordings").arg(textOf(durationText(skew)));
  }
  m_arrivalsCard->setCaption(caption);
}

void DistributedPanel::showTables() {
  const QString wait = m_data ? QString() : tr("Computing …");
  // For many ranks, slow ranks are sorted to the top.
  m_ranks->setDefaultSort(m_data && m_data->sums.size() > kMaxBars ? "slowdown" : std::string(),
                          Qt::DescendingOrder);
  // Waits of concurrent collectives may add up to more than the recording.
  const QString twice = m_data && countsTwice(m_data->sums) ? twiceText() + QStringLiteral(" · ") : QString();
  // In total: also outside of the steps that the mean step and GPU busy are of.
  const bool both = m_data && m_data->steps > 0 && !m_data->sums.empty() && m_data->sums.front().onDevice;
  const QString between = both ? tr("in total: over the GPU span, also outside of steps · ") : QString();
  QString skew = m_data ? startSkewOf(*m_data, m_data->sums) : QString();
  if (!skew.isEmpty()) skew += tr(", which lateness includes as well · ");
  m_ranks->setCaption(
      twice + between + skew +
      (m_data && m_data->captures > 1
           ? tr("%1 captures of each rank together · double-click a row to show it in the timeline")
                 .arg(m_data->captures)
           : tr("double-click a row to show it in the timeline")));
  m_collectives->setCaption(twice + tr("N / Shift+N: next / previous call"));
  QStringList ofGroups;
  if (!twice.isEmpty()) ofGroups << twiceText();
  if (m_data && !m_data->contradictedGroups.isEmpty()) ofGroups << m_data->contradictedGroups;
  m_groups->setCaption(ofGroups.join(QStringLiteral(" · ")));
  m_ranks->setTable(m_data ? m_data->ranksTable : nullptr, wait);
  m_groups->setTable(m_data ? m_data->groups : nullptr, m_data ? noCollectives() : wait);
  m_parts->setSource(m_data ? report() : nullptr, [perStep = TableFigures::ofProgram().perStep()](
                                                      const JobReport& report, CallGrouping grouping) {
    const JobReport sums(analysisOfSums(report.sharedAnalysis(), perStep));
    const RecordingRows rows{.each = true, .rank = {}, .joined = report.analysis().trace().severalCaptures()};
    return groupedTable(sums, "collectives", grouping, rows, defaultThreadCount());
  });
  showCollectives();
  for (TableCard* card : {m_ranks, m_collectives, m_groups}) fitTable(*card);
}

QString DistributedPanel::noCollectives() const {
  if (m_data->ofRange) return tr("No collective begins in the range.");
  return capitalized(textOf(noCollectivesNote(callsUnrecordedCollectives(*m_data->analysis)))) +
         QLatin1Char('.');
}

void DistributedPanel::showCollectives() {
  const bool byRank = m_byRank->currentIndex() == 1;
  const bool parts = m_parts->wanted();
  m_byRank->setVisible(m_data && m_data->sums.size() > 1 && !parts);
  m_collectives->setTable(!m_data  ? nullptr
                          : parts  ? m_parts->table()
                          : byRank ? m_data->byRank
                                   : m_data->totals,
                          m_data && (!parts || m_parts->table()) ? noCollectives() : tr("Computing …"));
  fitTable(*m_collectives);
}

// A few rows fit without scrolling; the remaining space is for the charts.
void DistributedPanel::fitTable(TableCard& card) const {
  card.setMinimumHeight(card.heightFor(kMinRows));
  card.setMaximumHeight(card.heightFor(kMaxRows));
}

namespace tabs {

TabPage* distributed(const TabContext& context) {
  return new DistributedPanel(context.session, context.settings);
}

} // namespace tabs

} // namespace rankscope::ui
