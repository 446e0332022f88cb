// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/efficiency/efficiency_panel.h"

#include "core/analysis/job/recording_advice.h"
#include "ui/base/capitalized.h"
#include "ui/base/readable_kernel.h"
#include "ui/base/text_scale.h"
#include "ui/job/occurrences.h"
#include "ui/job/trace_session.h"
#include "ui/tables/occurrence_bar.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/efficiency/efficiency_columns.h"
#include "ui/tabs/efficiency/model_box.h"
#include "ui/widgets/choice_row.h"
#include "ui/widgets/tab_context.h"
#include "ui/widgets/wrapped_label.h"

#include <QFrame>
#include <QGridLayout>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace rankscope::ui {

namespace {

constexpr int kMargin = 16;
constexpr int kWide = 1250; // minimum width for two cards side by side
constexpr int kNoRooflineHeight = 30;
constexpr int kRooflineHeight = 320;
constexpr int kTableRows = 14;
constexpr int kAroundChart = 110; // title and legend

} // namespace

EfficiencyPanel::EfficiencyPanel(TraceSession& session, QSettings& settings, QWidget* parent)
    : AnalysisPage(session.pending(), parent), m_session(session), m_figureRow(new FigureRow),
      m_model(new ModelBox(settings)), m_peaks(new WrappedLabel), m_account(new Waterfall(session)),
      m_accountCard(new ChartCard(tr("From peak to achieved"), m_account, session)),
      m_roofline(new Roofline(session)), m_rooflineCard(new ChartCard(tr("Roofline"), m_roofline, session)),
      m_checklist(new TableCard(tr("Why MFU is low"), checkColumns(), session)),
      m_points(new TableCard(tr("GEMM, convolution, attention"), pointColumns(), session)),
      m_grouping(new ChoiceRow(tr("Group operators"), {tr("GEMM shapes"), tr("Operators"), tr("Modules")})),
      m_calls(new Occurrences(session, this)), m_walk(new OccurrenceBar(*m_calls)),
      m_iterations(new TableCard(tr("Iterations of inference"), iterationColumns(), session)),
      m_iterationGrouping(
          new ChoiceRow(tr("Group iterations"), {tr("By phase"), tr("By batch"), tr("Each")})) {
  m_peaks->setObjectName(QStringLiteral("figureNote"));
  m_checklist->setStretchColumn("measured");
  m_checklist->setMemoryKey(settings, QStringLiteral("efficiency.checklist"));
  m_checklist->setRowColor([this](int row, const Theme& theme) {
    if (!m_data || row < 0 || static_cast<std::size_t>(row) >= m_data->checks.size()) return QColor();
    return m_data->checks[static_cast<std::size_t>(row)].answer == CheckAnswer::Bad ? theme.warn : QColor();
  });
  m_points->setStretchColumn("advice");
  m_points->setDefaultSort("lost_us", Qt::DescendingOrder);
  m_points->setMemoryKey(settings, QStringLiteral("efficiency.points"));
  m_points->addControl(m_grouping);
  m_points->addControl(m_walk);
  m_iterations->setStretchColumn("gap_leaf");
  m_iterations->setMemoryKey(settings, QStringLiteral("efficiency.iterations"));
  m_iterations->addControl(m_iterationGrouping);
  makeFigures();
  layCards();
  connectAll();
  ask();
  showData(nullptr);
}

void EfficiencyPanel::makeFigures() {
  const std::array<FigureCard*, kEfficiencyFigureCount> cards{
      new FigureCard(tr("MFU"),
                     tr("Model FLOPs utilization: FLOPs without recomputation over step time and peak, "
                        "over all ranks and kept steps")),
      new FigureCard(tr("HFU"), tr("Hardware FLOPs utilization: the same with recomputation")),
      new FigureCard(tr("HFU in kernels"),
                     tr("FLOPs over the time of compute kernels and the peak: the difference to "
                        "HFU is idle time and communication")),
      new FigureCard(tr("FLOPs"),
                     tr("Of GEMM, convolution and attention, from the shapes of their operators")),
      new FigureCard(tr("Throughput"),
                     tr("Tokens when their number per step is known, else FLOPs over the step")),
      new FigureCard(tr("Coverage"),
                     tr("Share of the kernels' time that belongs to operators with known FLOPs; below "
                        "70 % FLOPs are a lower bound"))};
  m_figures = cards;
  for (FigureCard* card : m_figures) m_figureRow->addCard(card);
}

void EfficiencyPanel::layCards() {
  auto* model = new QFrame;
  model->setObjectName(QStringLiteral("card"));
  auto* texts = new QVBoxLayout(model);
  texts->setContentsMargins(18, 12, 18, 12);
  texts->setSpacing(8);
  texts->addWidget(m_peaks);
  texts->addWidget(m_model);
  auto* charts = new QWidget;
  m_grid = new QGridLayout(charts);
  m_grid->setContentsMargins(0, 0, 0, 0);
  m_grid->setSpacing(12);
  auto* inner = new QWidget;
  inner->setObjectName(QStringLiteral("page"));
  auto* column = new QVBoxLayout(inner);
  column->setContentsMargins(kMargin, kMargin, kMargin, kMargin);
  column->setSpacing(12);
  column->addWidget(m_figureRow);
  column->addWidget(charts, 3);
  column->addWidget(m_iterations, 1);
  column->addWidget(m_points, 2);
  column->addWidget(model);
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

void EfficiencyPanel::placeCards() {
  // Without dots the card is a line that says why.
  const bool drawn = !m_data || m_data->whyEmpty.isEmpty();
  const bool wide = drawn && width() >= scaledToText(kWide);
  m_rooflineCard->setLeastChartHeight(scaledToText(drawn ? kRooflineHeight : kNoRooflineHeight));
  m_rooflineCard->setMaximumHeight(drawn ? QWIDGETSIZE_MAX
                                         : scaledToText(kNoRooflineHeight) + scaledToText(kAroundChart));
  m_checklist->setMaximumHeight(
      wide ? QWIDGETSIZE_MAX
           : std::max(m_checklist->minimumHeight(), m_checklist->heightFor(m_checklist->shownRows())));
  m_grid->addWidget(m_rooflineCard, 0, 0, 1, wide ? 1 : 2);
  m_grid->addWidget(m_checklist, wide ? 0 : 1, wide ? 1 : 0, 1, wide ? 1 : 2);
  m_grid->addWidget(m_accountCard, wide ? 1 : 2, 0, 1, 2);
  // What was measured is a sentence; the roofline can be read at any width.
  m_grid->setColumnStretch(0, wide ? 2 : 1);
  m_grid->setColumnStretch(1, wide ? 3 : 0);
}

void EfficiencyPanel::resizeEvent(QResizeEvent* event) {
  AnalysisPage::resizeEvent(event);
  placeCards();
}

void EfficiencyPanel::connectAll() {
  connect(m_model, &ModelBox::changed, this, &EfficiencyPanel::ask);
  connect(m_grouping, &ChoiceRow::chosenChanged, this, &EfficiencyPanel::showPoints);
  connect(m_roofline, &Roofline::dotClicked, this, &EfficiencyPanel::chooseDot);
  connect(m_roofline, &Roofline::dotHovered, this, [this](int dot) {
    const bool known = m_data && dot >= 0 && m_grouping->chosen() == 1;
    m_points->markRow(known ? m_data->pointOfDot[static_cast<std::size_t>(dot)] : -1);
  });
  const auto markDotOf = [this](int row) {
    int dot = -1;
    if (m_data && row >= 0 && m_grouping->chosen() == 1) {
      const auto found = std::ranges::find(m_data->pointOfDot, row);
      if (found != m_data->pointOfDot.end()) dot = static_cast<int>(found - m_data->pointOfDot.begin());
    }
    m_roofline->markDot(dot);
  };
  connect(m_points, &TableCard::rowHovered, this, markDotOf);
  connect(m_points, &TableCard::rowSelected, this, markDotOf);
  connect(m_points, &TableCard::rowSelected, this, &EfficiencyPanel::lookAt);
  connect(m_calls, &Occurrences::timelineWanted, this, &EfficiencyPanel::timelineWanted);
  m_walk->serve(*m_points);
  connect(m_points, &TableCard::rowActivated, this, &EfficiencyPanel::openPoint);
  connect(m_checklist, &TableCard::rowActivated, this, &EfficiencyPanel::openCheck);
  connect(m_iterationGrouping, &ChoiceRow::chosenChanged, this, &EfficiencyPanel::showIterations);
  connect(m_iterations, &TableCard::rowActivated, this, &EfficiencyPanel::openIteration);
}

void EfficiencyPanel::showOnly(const QString& words) {
  m_points->setFilterWords(words);
}

void EfficiencyPanel::ask() {
  setReportContents<EfficiencyData>(
      [settings = m_model->values()](const JobReport& report) { return efficiencyData(report, settings); },
      [this](const std::shared_ptr<const EfficiencyData>& made) { showData(made); });
}

void EfficiencyPanel::showData(const std::shared_ptr<const EfficiencyData>& made) {
  m_data = made;
  const QString wait = tr("Computing …");
  if (made && m_session.trace()) {
    m_model->setJob(QString::fromStdString(m_session.trace()->jobName()));
    if (!made->ofDigest && m_model->values() != made->settings) return ask();
    m_model->setVisible(!made->ofDigest);
    m_model->setGuesses(made->view.peaks, made->view.format, made->view.guesses);
  }
  for (std::size_t i = 0; i < kEfficiencyFigureCount; ++i)
    m_figures[i]->setFigure(made ? made->figures[i] : Figure{});
  m_peaks->setText(made ? made->peaksText : wait);
  m_rooflineCard->setEmptyText(made ? made->whyEmpty : wait);
  m_roofline->setContents(made ? made->roofline : RooflineContents());
  m_rooflineCard->setLegend(made ? made->rooflineLegend : std::vector<LegendItem>());
  if (made && made->whyEmpty.isEmpty())
    m_rooflineCard->setCaption(made->aboveRoof.isEmpty() ? tr("area of a dot: time")
                                                         : tr("area: time · %1").arg(made->aboveRoof),
                               tr("click a dot for its row"));
  else
    m_rooflineCard->setCaption({});
  placeCards();
  const bool split = made && !made->account.rows.empty();
  m_accountCard->setEmptyText(!made ? wait
                              : split
                                  ? QString()
                                  : tr("%1.").arg(capitalized(QString::fromStdString(whyNoMfu(made->view)))));
  m_account->setRows(made ? made->account : WaterfallRows());
  m_accountCard->setLeastChartHeight(m_account->sizeHint().height());
  m_accountCard->setMaximumHeight(m_account->largestHeight() + scaledToText(kAroundChart));
  m_accountCard->setCaption(split && made->view.areSteps ? tr("mean over ranks and kept steps") : QString());
  m_checklist->setTable(made ? made->checklist : nullptr, wait);
  m_checklist->setMinimumHeight(
      m_checklist->heightFor(made ? static_cast<int>(made->checks.size()) : kTableRows));
  placeCards();
  m_checklist->setCaption(
      !made            ? QString()
      : made->captured ? tr("CUDA graph capture: most launches did not run, so shares say little of the job")
                       : tr("double-click a row to open its finding"));
  showIterations();
  showPoints();
}

const IterationRows* EfficiencyPanel::chosenIterations() const {
  if (!m_data || m_data->iterations.empty()) return nullptr;
  const IterationView& view = m_data->iterations;
  const int chosen = m_iterationGrouping->chosen();
  return chosen == 0 ? &view.byPhase : chosen == 1 ? &view.byRequests : &view.each;
}

void EfficiencyPanel::showIterations() {
  const IterationRows* const rows = chosenIterations();
  m_iterations->setVisible(rows != nullptr);
  m_iterations->setTable(rows == nullptr ? nullptr : rows->table, {});
  m_iterations->setCaption(rows == nullptr ? QString() : m_data->iterationsText);
  m_iterations->setMinimumHeight(m_iterations->heightFor(kTableRows));
  m_iterations->setMaximumHeight(
      std::max(m_iterations->minimumHeight(), m_iterations->heightFor(m_iterations->shownRows())));
}

void EfficiencyPanel::openIteration(int row) {
  const IterationRows* const rows = chosenIterations();
  if (rows == nullptr || row < 0 || static_cast<std::size_t>(row) >= rows->places.size()) return;
  const IterationRows::Place& place = rows->places[static_cast<std::size_t>(row)];
  reveal(place.rank, place.event);
}

void EfficiencyPanel::reveal(RankIndex rank, EventIndex event) {
  if (!analysis() || !rank.valid() || !event.valid()) return;
  const RankTrace& trace = *analysis()->trace().rank(rank).trace;
  m_session.select({rank, event});
  m_session.revealPlace(rank, analysis()->clocks().of(rank).toJob(RankRange::of(trace.events.range(event))));
  emit timelineWanted();
}

void EfficiencyPanel::showPoints() {
  const auto chosen = static_cast<std::size_t>(m_grouping->chosen());
  const bool byModule = static_cast<PointGroups>(chosen) == PointGroups::Modules;
  const QString empty =
      !m_data                       ? tr("Computing …")
      : !m_data->whyEmpty.isEmpty() ? m_data->whyEmpty
      : byModule                    ? tr("No module was recorded: profile with %1.")
                       .arg(QString::fromStdString(optionFor(Recordable::Stacks, analysis()->trace())))
      : m_data->ofRange ? tr("No GEMM with known shapes ran in the range.")
                        : tr("No GEMM has known shapes.");
  m_points->setTable(m_data ? m_data->points[chosen] : nullptr, empty);
  m_points->setMinimumHeight(m_points->heightFor(kTableRows));
  m_points->setMaximumHeight(std::max(m_points->minimumHeight(), m_points->heightFor(m_points->shownRows())));
  m_points->setCaption(pointsCaption());
  m_calls->clear();
  m_walk->hide();
}

QString EfficiencyPanel::pointsCaption() const {
  if (!m_data) return {};
  if (m_data->view.shortened) return tr("all steps, of each rank the costliest that its digest has");
  if (m_data->ofDigest) return tr("all ranks and steps");
  return m_data->ofRange ? tr("run in the range, all ranks · double-click a row to see its longest call")
                         : tr("all ranks and steps · double-click a row to see its longest call");
}

void EfficiencyPanel::chooseDot(int dot) {
  if (!m_data || dot < 0 || static_cast<std::size_t>(dot) >= m_data->pointOfDot.size()) return;
  m_grouping->choose(static_cast<int>(PointGroups::Operators));
  const int row = m_data->pointOfDot[static_cast<std::size_t>(dot)];
  m_points->selectRow(row);
  lookAt(row);
}

const JobPoint* EfficiencyPanel::pointAt(int row) const {
  if (!m_data || row < 0) return nullptr;
  const std::vector<JobPoint>& points =
      pointsOf(m_data->view, static_cast<PointGroups>(m_grouping->chosen()));
  return static_cast<std::size_t>(row) < points.size() ? &points[static_cast<std::size_t>(row)] : nullptr;
}

void EfficiencyPanel::lookAt(int row) {
  const JobPoint* const point = pointAt(row);
  const bool none = point == nullptr || point->calls.empty() || !report();
  m_walk->setVisible(!none); // a narrow window has no room for what leads nowhere
  if (none) return m_calls->clear();
  m_calls->search(report()->sharedAnalysis(),
                  [calls = point->calls](const Analysis&, const Progress&) { return calls; });
}

// The longest kernel, or the operator where it launched none.
void EfficiencyPanel::openPoint(int row) {
  const JobPoint* const of = pointAt(row);
  if (of == nullptr) return;
  lookAt(row);
  reveal(of->rank, of->point.longestKernel.valid() ? of->point.longestKernel : of->point.first);
}

void EfficiencyPanel::openCheck(int row) {
  if (!m_data || !report() || row < 0 || static_cast<std::size_t>(row) >= m_data->checks.size()) return;
  const std::optional<std::size_t>& finding = m_data->checks[static_cast<std::size_t>(row)].finding;
  if (finding && *finding < report()->findings().size()) emit findingOpened(report()->findings()[*finding]);
}

namespace tabs {

TabPage* efficiency(const TabContext& context) {
  return new EfficiencyPanel(context.session, context.settings);
}

} // namespace tabs

} // namespace rankscope::ui
