// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/parallelism/parallelism_panel.h"

#include "core/analysis/job/recording_advice.h"
#include "ui/base/text_scale.h"
#include "ui/charts/axis_text.h"
#include "ui/job/trace_session.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/parallelism/parallelism_columns.h"
#include "ui/widgets/choice_row.h"
#include "ui/widgets/tab_context.h"
#include "ui/widgets/wrapped_label.h"

#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QSettings>
#include <QVBoxLayout>

#include <algorithm>
#include <optional>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kMargin = 16;
constexpr int kWide = 1100;     // minimum width for two cards side by side
constexpr int kMostBeside = 96; // columns of a rank grid that leaves room for a card beside it
constexpr int kTableRows = 12;
constexpr int kFieldWidth = 220;

std::vector<LegendItem> legendOf(const BarRows& bars) {
  std::vector<LegendItem> legend;
  legend.reserve(bars.parts.size());
  for (const BarPart& part : bars.parts)
    legend.push_back({part.name, part.color, part.hatched, false, part.strength});
  return legend;
}

} // namespace

ParallelismPanel::ParallelismPanel(TraceSession& session, QSettings& settings, QWidget* parent)
    : AnalysisPage(session.pending(), parent), m_session(session), m_settings(settings),
      m_figureRow(new FigureRow), m_evidence(new WrappedLabel), m_field(new QLineEdit), m_problem(new QLabel),
      m_grid(new RankCells(session)), m_gridCard(new ChartCard(tr("Rank grid"), m_grid, session)),
      m_coloring(new ChoiceRow(tr("Color ranks by"), {tr("Excl. comm."), tr("Exposed"), tr("Waiting"),
                                                      tr("Step"), tr("Idle"), tr("Bubble"), tr("Memory")})),
      m_dimensions(new StackedBars(session)),
      m_dimensionsCard(new ChartCard(tr("Communication by dimension"), m_dimensions, session)),
      m_pipeline(new LaneChart(session)), m_pipelineCard(new ChartCard(tr("Pipeline"), m_pipeline, session)),
      m_bubble(new StackedBars(session)),
      m_bubbleCard(new ChartCard(tr("Pipeline bubble"), m_bubble, session)), m_fsdp(new LaneChart(session)),
      m_fsdpCard(new ChartCard(tr("FSDP units"), m_fsdp, session)), m_buckets(new LaneChart(session)),
      m_bucketsCard(new ChartCard(tr("Gradient buckets"), m_buckets, session)),
      m_layers(new StackedBars(session)), m_layersCard(new ChartCard(tr("Time by layer"), m_layers, session)),
      m_traffic(new HeatMap(session)),
      m_trafficCard(new ChartCard(tr("Expert dispatch"), m_traffic, session)) {
  m_evidence->setObjectName(QStringLiteral("figureNote"));
  m_problem->setObjectName(QStringLiteral("figureNote"));
  m_problem->setWordWrap(true);
  m_problem->hide();
  m_coloring->setTip(0, tr("Step time excluding communication"));
  m_coloring->setTip(1, tr("Communication not overlapped by compute"));
  m_coloring->setTip(2, tr("Waits for other ranks in collectives"));
  m_coloring->setTip(3, tr("Step time"));
  m_coloring->setTip(4, tr("Time of the step without any activity of the device"));
  m_coloring->setTip(5, tr("Share of the pipeline's window without work"));
  m_coloring->setTip(6, tr("Peak of allocated memory"));
  m_gridCard->addControl(m_coloring);
  makeFigures();
  makeTables(settings);
  layCards();
  connect(m_coloring, &ChoiceRow::chosenChanged, this, &ParallelismPanel::showGrid);
  connect(m_field, &QLineEdit::editingFinished, this, &ParallelismPanel::takeLayout);
  connect(m_pipeline, &LaneChart::boxActivated, this, &ParallelismPanel::openAction);
  connect(m_grid, &RankCells::selectionChanged, this, &ParallelismPanel::chooseRank);
  m_traffic->setTipOf([this](std::size_t column, std::size_t row) { return trafficTip(column, row); });
  ask();
  showData(nullptr);
}

void ParallelismPanel::makeFigures() {
  m_figures = {
      new FigureCard(tr("Layout"), tr("Ranks along each dimension: tp, cp, ep, fsdp, dp, pp")),
      new FigureCard(tr("Exposed communication"),
                     tr("Communication not overlapped by compute, of all dimensions")),
      new FigureCard(tr("Bubble"), tr("Share of the time from the first forward to the last backward action "
                                      "in which a rank of the pipeline does not work")),
      new FigureCard(tr("Expert imbalance"), tr("Load of the fullest rank over the mean"))};
  for (FigureCard* card : m_figures) m_figureRow->addCard(card);
}

void ParallelismPanel::makeTables(QSettings& settings) {
  for (std::size_t i = 0; i < kParallelTableCount; ++i) {
    const auto of = static_cast<ParallelTable>(i);
    m_tables[i] = new TableCard(parallelTableTitle(of), parallelTableColumns(of), m_session);
    m_tables[i]->setMemoryKey(settings, QStringLiteral("parallelism.%1").arg(i));
  }
  table(ParallelTable::Groups).setStretchColumn("evidence");
  table(ParallelTable::Zero)
      .setCaption(tr("state as with Adam in mixed precision; sent by a rank in a step"));
}

QWidget* ParallelismPanel::layoutCard() {
  auto* card = new QFrame;
  card->setObjectName(QStringLiteral("card"));
  auto* column = new QVBoxLayout(card);
  column->setContentsMargins(18, 12, 18, 12);
  column->setSpacing(8);
  auto* row = new QHBoxLayout;
  auto* name = new QLabel(tr("Layout to use instead"));
  name->setBuddy(m_field);
  m_field->setPlaceholderText(QStringLiteral("tp=2,pp=4"));
  m_field->setAccessibleName(tr("Layout"));
  m_field->setToolTip(
      tr("Ranks along each dimension, such as tp=2,pp=4. Consecutive ranks are placed along tp first, then "
         "cp, fsdp, dp and pp. Empty: as recognized."));
  m_field->setMaximumWidth(scaledToText(kFieldWidth));
  row->addWidget(name);
  row->addWidget(m_field, 1);
  row->addStretch(1);
  column->addWidget(m_evidence);
  column->addLayout(row);
  column->addWidget(m_problem);
  return card;
}

void ParallelismPanel::layCards() {
  auto* charts = new QWidget;
  m_cards = new QGridLayout(charts);
  m_cards->setContentsMargins(0, 0, 0, 0);
  m_cards->setSpacing(12);
  auto* inner = new QWidget;
  inner->setObjectName(QStringLiteral("page"));
  auto* column = new QVBoxLayout(inner);
  column->setContentsMargins(kMargin, kMargin, kMargin, kMargin);
  column->setSpacing(12);
  column->addWidget(m_figureRow);
  column->addWidget(charts);
  for (const ParallelTable of :
       {ParallelTable::Stages, ParallelTable::Zero, ParallelTable::Units, ParallelTable::Buckets,
        ParallelTable::Layers, ParallelTable::Experts, ParallelTable::Traffic, ParallelTable::Groups})
    column->addWidget(&table(of), 1);
  column->addWidget(layoutCard());
  column->addStretch();
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(inner);
  auto* page = new QVBoxLayout(this);
  page->setContentsMargins(0, 0, 0, 0);
  page->addWidget(scroll);
  placeCards();
}

void ParallelismPanel::placeCards() {
  // A grid of very many columns takes the whole width.
  const bool wide = width() >= scaledToText(kWide) && m_grid->contents().columnNames.size() <= kMostBeside;
  m_cards->addWidget(m_gridCard, 0, 0, 1, wide ? 1 : 2);
  m_cards->addWidget(m_dimensionsCard, wide ? 0 : 1, wide ? 1 : 0, 1, wide ? 1 : 2);
  m_cards->addWidget(m_pipelineCard, 2, 0, 1, 2);
  m_cards->addWidget(m_bubbleCard, 3, 0, 1, 2);
  m_cards->addWidget(m_fsdpCard, 4, 0, 1, 2);
  m_cards->addWidget(m_bucketsCard, 5, 0, 1, 2);
  m_cards->addWidget(m_layersCard, 6, 0, 1, 2);
  m_cards->addWidget(m_trafficCard, 7, 0, 1, 2);
  m_cards->setColumnStretch(0, 3);
  m_cards->setColumnStretch(1, wide ? 2 : 0);
}

void ParallelismPanel::resizeEvent(QResizeEvent* event) {
  AnalysisPage::resizeEvent(event);
  placeCards();
}

void ParallelismPanel::showOnly(const QString& words) {
  for (TableCard* of : m_tables) of->setFilterWords(words);
}

void ParallelismPanel::ask() {
  setReportContents<ParallelismData>(
      [layout = m_layout](const JobReport& report) { return parallelismData(report, layout); },
      [this](const std::shared_ptr<const ParallelismData>& made) { showData(made); });
}

QString ParallelismPanel::settingsKey() const {
  QString job = m_layoutJob;
  job.replace(QLatin1Char('/'), QLatin1Char('_'));
  return QStringLiteral("parallelism/%1/layout").arg(job);
}

// The layout that was typed for this job before.
void ParallelismPanel::loadLayout() {
  const QString job = m_session.trace() ? QString::fromStdString(m_session.trace()->jobName()) : QString();
  if (job == m_layoutJob) return;
  m_layoutJob = job;
  const QString text = m_settings.value(settingsKey()).toString();
  const Result<LayoutSettings> layout = layoutSettingsOf(text.toStdString());
  m_layout = layout.ok() ? *layout : LayoutSettings();
  m_field->setText(layout.ok() ? text : QString());
  m_problem->hide();
}

void ParallelismPanel::takeLayout() {
  const QString text = m_field->text().simplified().remove(QLatin1Char(' '));
  const Result<LayoutSettings> layout = layoutSettingsOf(text.toStdString());
  m_problem->setVisible(!layout.ok());
  if (!layout.ok()) {
    m_problem->setText(QString::fromStdString(layout.error().message));
    return;
  }
  if (*layout == m_layout) return;
  m_layout = *layout;
  m_settings.setValue(settingsKey(), text);
  ask();
}

void ParallelismPanel::showData(const std::shared_ptr<const ParallelismData>& made) {
  m_data = made;
  if (made) {
    loadLayout();
    m_field->setEnabled(!made->ofDigest);
    m_field->setPlaceholderText(made->ofDigest ? tr("as digested") : QStringLiteral("tp=2,pp=4"));
    if (made->ofDigest) {
      // What was typed for the traces does not hold here.
      m_field->clear();
      m_layoutJob.clear();
    }
    if (!made->ofDigest && made->layout != m_layout) {
      ask();
      prepare(); // also for a picture, while the tab is hidden
      return;
    }
  }
  for (std::size_t i = 0; i < kParallelismFigureCount; ++i)
    m_figures[i]->setFigure(made ? made->figures[i] : Figure{});
  m_evidence->setText(!made                        ? tr("Computing …")
                      : made->layoutNote.isEmpty() ? tr("No dimension was recognized.")
                                                   : made->layoutNote);
  showGrid();
  showDimensions();
  showPipeline();
  showRankCharts();
  showLayers();
  showTraffic();
  showTables();
}

QString ParallelismPanel::whyUnknown(GridFigure of) const {
  switch (of) {
  case GridFigure::Memory:
    return tr("No memory events were recorded: record with %1.")
        .arg(QString::fromStdString(optionFor(Recordable::Memory, analysis()->trace())));
  case GridFigure::Bubble:
    return tr("No pipeline was recognized.");
  case GridFigure::Idle:
    return tr("No device activity was recorded.");
  case GridFigure::Waiting:
    return tr("Waits are unknown: no collective has two of its ranks recorded.");
  default:
    return m_data->whyNoTimes;
  }
}

void ParallelismPanel::showGrid() {
  const auto chosen = static_cast<std::size_t>(m_coloring->chosen());
  if (!m_data) {
    m_gridCard->setEmptyText(tr("Computing …"));
    return;
  }
  const QString unknown =
      !m_data->whyNoTimes.isEmpty() ? m_data->whyNoTimes : whyUnknown(static_cast<GridFigure>(chosen));
  m_gridCard->setEmptyText(!m_data->divided             ? m_data->whyUndivided
                           : !m_data->gridKnown[chosen] ? unknown
                                                        : QString());
  m_grid->setContents(m_data->grids[chosen]);
  placeCards();
  m_gridCard->setLeastChartHeight(m_grid->sizeHint().height());
  QStringList caption;
  if (!m_data->gridNote.isEmpty()) caption << m_data->gridNote;
  const Unit unit = m_grid->contents().unit;
  const QString least = amountText(unit, m_grid->least());
  const QString most = amountText(unit, m_grid->most());
  if (m_data->gridKnown[chosen]) caption << (least == most ? least : tr("%1 to %2").arg(least, most));
  const bool shown = m_gridCard->hasChart();
  m_gridCard->setCaption(shown ? caption.join(QStringLiteral(" · ")) : QString(),
                         shown ? tr("click a rank to see it below") : QString());
}

void ParallelismPanel::chooseRank() {
  const std::optional<int> rank = m_grid->selected();
  const auto of = rank ? std::optional(qint64{*rank}) : std::nullopt;
  for (const ParallelTable chosen : {ParallelTable::Buckets, ParallelTable::Units, ParallelTable::Layers,
                                     ParallelTable::Stages, ParallelTable::Experts})
    table(chosen).setFilterRank(of);
  showPipeline();
  showRankCharts();
}

void ParallelismPanel::showDimensions() {
  m_dimensionsCard->setEmptyText(
      !m_data                         ? tr("Computing …")
      : !m_data->whyNoTimes.isEmpty() ? m_data->whyNoTimes
      : m_data->dimensions.rows.empty()
          ? (m_data->ofRange ? tr("No collective runs in the steps of the range.") : m_data->whyNoCollectives)
          : QString());
  m_dimensions->setBars(m_data ? m_data->dimensions : BarRows());
  m_dimensionsCard->setLegend(legendOf(m_dimensions->bars()));
  m_dimensionsCard->setCaption(m_dimensionsCard->hasChart() ? m_data->dimensionsNote : QString());
  m_dimensionsCard->setLeastChartHeight(m_dimensions->sizeHint().height());
}

const PipelineChart* ParallelismPanel::shownPipeline() const {
  if (!m_data || m_data->pipelines.empty()) return nullptr;
  const std::optional<int> rank = m_grid->selected();
  const auto of = std::ranges::find_if(m_data->pipelines, [&](const PipelineChart& chart) {
    return rank && std::ranges::find(chart.ranks, *rank) != chart.ranks.end();
  });
  return of == m_data->pipelines.end() ? &m_data->pipelines.front() : &*of;
}

void ParallelismPanel::showPipeline() {
  const PipelineChart* const chart = shownPipeline();
  m_pipelineCard->setVisible(chart != nullptr);
  m_bubbleCard->setVisible(chart != nullptr && !chart->bubble.rows.empty());
  if (chart == nullptr) return;
  m_pipeline->setContents(chart->contents);
  m_pipelineCard->setCaption(chart->caption, tr("click to follow a microbatch"));
  m_pipelineCard->setLegend({{tr("forward"), &Theme::forward},
                             {tr("backward"), &Theme::backward},
                             {tr("bubble"), &Theme::bad, true, false, 0.4}});
  m_pipelineCard->setLeastChartHeight(m_pipeline->sizeHint().height());
  m_bubble->setBars(chart->bubble);
  m_bubbleCard->setCaption(chart->bubbleNote);
  m_bubbleCard->setLegend(legendOf(chart->bubble));
  m_bubbleCard->setLeastChartHeight(m_bubble->sizeHint().height());
}

void ParallelismPanel::showRankCharts() {
  const auto show = [&](const std::vector<RankChart>* charts, LaneChart& chart, ChartCard& card,
                        const QString& hint) {
    card.setVisible(charts != nullptr && !charts->empty());
    if (charts == nullptr || charts->empty()) return;
    const std::optional<int> rank = m_grid->selected();
    auto of = std::ranges::find_if(*charts, [&](const RankChart& c) { return rank && c.rank == *rank; });
    if (of == charts->end()) of = charts->begin();
    chart.setContents(of->contents);
    card.setCaption(of->caption, hint);
    card.setLegend(of->legend);
    card.setLeastChartHeight(chart.sizeHint().height());
  };
  show(m_data ? &m_data->fsdp : nullptr, *m_fsdp, *m_fsdpCard, tr("click to follow a unit"));
  show(m_data ? &m_data->buckets : nullptr, *m_buckets, *m_bucketsCard, tr("click to follow a bucket"));
}

void ParallelismPanel::showLayers() {
  const bool any = m_data && !m_data->layers.rows.empty();
  m_layersCard->setVisible(any);
  if (!any) return;
  m_layers->setBars(m_data->layers);
  m_layersCard->setLegend(legendOf(m_data->layers));
  m_layersCard->setCaption(tr("tensor parallelism, per step, mean over ranks"));
  m_layersCard->setLeastChartHeight(m_layers->sizeHint().height());
}

void ParallelismPanel::showTraffic() {
  const bool any = m_data && m_data->traffic.heat.cells;
  m_trafficCard->setVisible(any);
  m_traffic->setContents(any ? m_data->traffic.heat : HeatContents());
  if (!any) return;
  m_trafficCard->setCaption(tr("elements from each rank (row) to each rank (column), mean per step"));
  m_trafficCard->setLeastChartHeight(m_traffic->sizeHint().height());
}

QString ParallelismPanel::trafficTip(std::size_t column, std::size_t row) const {
  if (!m_data || !m_data->traffic.heat.cells) return {};
  const SendMatrix& traffic = m_data->traffic;
  return tr("<b>Rank %1 to rank %2</b><br>%3 elements per step")
      .arg(traffic.ranks[row])
      .arg(traffic.ranks[column])
      .arg(amountText(Unit::Count, static_cast<double>(traffic.heat.cells->at(column, row))));
}

// Only tables of what the job has.
void ParallelismPanel::showTables() {
  for (std::size_t i = 0; i < kParallelTableCount; ++i) {
    const std::shared_ptr<const ResultTable> of = m_data ? m_data->tables[i] : nullptr;
    const bool any = of && of->rowCount() > 0;
    m_tables[i]->setVisible(any);
    m_tables[i]->setTable(of, tr("No process group was recorded."));
    m_tables[i]->setMinimumHeight(m_tables[i]->heightFor(kTableRows));
    m_tables[i]->setMaximumHeight(
        std::max(m_tables[i]->minimumHeight(), m_tables[i]->heightFor(m_tables[i]->shownRows())));
  }
}

void ParallelismPanel::openAction(int box) {
  const PipelineChart* const chart = shownPipeline();
  if (chart == nullptr || box < 0 || static_cast<std::size_t>(box) >= chart->ranges.size()) return;
  const auto place = static_cast<std::size_t>(box);
  const auto lane = static_cast<std::size_t>(chart->contents.boxes[place].lane);
  m_session.revealPlace(chart->places[lane], chart->ranges[place]);
  emit timelineWanted();
}

namespace tabs {

TabPage* parallelism(const TabContext& context) {
  return new ParallelismPanel(context.session, context.settings);
}

} // namespace tabs

} // namespace rankscope::ui
