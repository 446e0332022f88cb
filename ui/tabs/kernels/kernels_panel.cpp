// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/kernels/kernels_panel.h"
#include "ui/tables/table_figures.h"

#include "core/analysis/job/recording_advice.h"
#include "core/analysis/job/scope.h"
#include "core/analysis/job/step_notes.h"
#include "core/base/thread_team.h"
#include "core/base/unit_text.h"
#include "core/model/rank_digest.h"
#include "ui/base/counted.h"
#include "ui/base/readable_kernel.h"
#include "ui/base/text_scale.h"
#include "ui/charts/histogram.h"
#include "ui/charts/line_plot.h"
#include "ui/charts/stacked_bars.h"
#include "ui/job/reveal_step.h"
#include "ui/job/trace_session.h"
#include "ui/tables/model_parts.h"
#include "ui/tables/occurrence_bar.h"
#include "ui/tables/table_rows.h"
#include "ui/tabs/kernels/kernel_charts.h"
#include "ui/tabs/kernels/kernel_columns.h"
#include "ui/tabs/kernels/launch_shapes.h"
#include "ui/widgets/choice_row.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/rank_choice.h"
#include "ui/widgets/reading_note.h"
#include "ui/widgets/tab_context.h"
#include "ui/widgets/wrapped_label.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kMargin = 16;
constexpr int kWide = 1500;  // minimum width for three charts side by side
constexpr int kNarrow = 600; // below this width, charts are below each other
QString nothingInRange() {
  return KernelsPanel::tr(
      "No kernel begins in the range. Select a longer range, or press Ctrl+R for the whole "
      "trace.");
}

constexpr int kMinRows = 7; // minimum number of visible table rows
constexpr int kMinChartHeight = 230;

std::string textAt(const TableCard& card, int row, const char* column) {
  return row < 0 ? std::string() : card.model().textOf(row, column).toStdString();
}

DeviceClass classNamed(std::string_view text) {
  for (const DeviceClass known : {DeviceClass::Communication, DeviceClass::Memory})
    if (text == deviceClassText(known)) return known;
  return DeviceClass::Compute;
}

} // namespace

KernelsPanel::KernelsPanel(TraceSession& session, QSettings& settings, QWidget* parent)
    : AnalysisPage(session.pending(), parent), m_session(session), m_calls(new Occurrences(session, this)) {
  m_card = new TableCard(tr("Kernels"), kernelColumns(), session);
  m_card->setStretchColumn("kernel");
  m_card->setKindColumn("kind");
  m_card->setDefaultSort("total_us", Qt::DescendingOrder);
  m_card->setMemoryKey(settings, QStringLiteral("kernels"));
  layCards();
  connectAll();
  ask();
  showData(nullptr);
}

KernelsPanel::~KernelsPanel() {
  m_reading->giveUp();
}

QWidget* KernelsPanel::makeBar() {
  m_filter = new QLineEdit;
  m_filter->setPlaceholderText(tr("Filter kernels …"));
  m_filter->setClearButtonEnabled(true);
  m_filter->setAcceptDrops(false);
  m_filter->setMaximumWidth(scaledToText(420));
  m_ranks = new RankChoice;
  m_grouping = new ChoiceRow(tr("Group kernels"), {tr("By name"), tr("By operator"), tr("By grid and block"),
                                                   tr("By part of the model")});
  m_grouping->setTip(0, tr("One row per name"));
  m_grouping->setTip(1, tr("One row per name and launching operator"));
  m_grouping->setTip(2, tr("One row per name, grid and block size"));
  m_grouping->setTip(3, tr("One row per name and module, layer, phase or compiled graph"));
  m_part = new ModelPartChoice;
  m_part->hide();
  m_reading = new ReadingNote;
  auto* bar = new QWidget;
  auto* row = new FlowLayout(bar, 12);
  row->addFilling(m_filter);
  row->addWidget(m_grouping);
  row->addWidget(m_part);
  row->addWidget(m_ranks);
  row->addWidget(m_reading);
  m_fallback = new WrappedLabel;
  m_fallback->setObjectName(QStringLiteral("groupingNote"));
  m_fallback->hide();
  return bar;
}

QWidget* KernelsPanel::makeCharts() {
  m_durations = new Histogram(m_session);
  m_durationsCard = new ChartCard(tr("Duration histogram"), m_durations, m_session);
  m_walk = new OccurrenceBar(*m_calls);
  m_durationsCard->addControl(m_walk);
  m_kinds = new StackedBars(m_session);
  m_kindsCard = new ChartCard(tr("Time by category"), m_kinds, m_session);
  m_perStep = new LinePlot(m_session);
  m_perStepCard = new ChartCard(tr("Kernels per step"), m_perStep, m_session);
  auto* charts = new QWidget;
  m_grid = new QGridLayout(charts);
  m_grid->setContentsMargins(0, 0, 0, 0);
  m_grid->setSpacing(kMargin);
  for (ChartCard* card : {m_durationsCard, m_kindsCard, m_perStepCard})
    card->setMinimumHeight(scaledToText(kMinChartHeight));
  placeCharts();
  return charts;
}

void KernelsPanel::layCards() {
  m_splitter = new QSplitter(Qt::Vertical);
  m_splitter->setChildrenCollapsible(false);
  m_splitter->setHandleWidth(kMargin);
  m_splitter->setObjectName(QStringLiteral("airSplitter"));
  m_splitter->addWidget(m_card);
  m_splitter->addWidget(makeCharts());
  m_splitter->setSizes({600, 400});
  m_splitter->setStretchFactor(0, 3);
  m_splitter->setStretchFactor(1, 2);
  auto* content = new QWidget;
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(kMargin, kMargin, kMargin, kMargin);
  column->setSpacing(12);
  column->addWidget(makeBar());
  column->addWidget(m_fallback);
  column->addWidget(m_splitter, 1);
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(content);
  scroll->viewport()->setAutoFillBackground(false);
  content->setAutoFillBackground(false);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(scroll);
}

void KernelsPanel::placeCharts() {
  const bool wide = width() >= scaledToText(kWide);
  const bool narrow = width() < scaledToText(kNarrow);
  m_grid->addWidget(m_durationsCard, 0, 0, 1, narrow ? 2 : 1);
  m_grid->addWidget(m_kindsCard, narrow ? 1 : 0, narrow ? 0 : 1, 1, narrow ? 2 : 1);
  m_grid->addWidget(m_perStepCard, wide ? 0 : narrow ? 2 : 1, wide ? 2 : 0, 1, wide ? 1 : 2);
  for (int i = 0; i < 3; ++i) m_grid->setColumnStretch(i, i < 2 || wide ? 1 : 0);
}

void KernelsPanel::connectAll() {
  connect(m_filter, &QLineEdit::textChanged, m_card, &TableCard::setFilterWords);
  connect(m_card, &TableCard::filterCleared, m_filter, &QLineEdit::clear);
  connect(m_ranks, &RankChoice::rowsChanged, this, &KernelsPanel::ask);
  connect(&TableFigures::ofProgram(), &TableFigures::perStepChanged, this, &KernelsPanel::ask);
  connect(m_grouping, &ChoiceRow::chosenChanged, this, [this](int chosen) {
    m_fallback->hide();
    m_part->setVisible(chosen == static_cast<int>(GroupBy::Part));
    ask();
  });
  connect(m_part, &ModelPartChoice::groupingChanged, this, &KernelsPanel::ask);
  connect(m_reading, &ReadingNote::cancelWanted, this, [this] { m_grouping->choose(0); });
  connect(m_card, &TableCard::shownRowsChanged, this, &KernelsPanel::updateCaption);
  connect(m_card, &TableCard::rowActivated, this, &KernelsPanel::activate);
  connect(m_card, &TableCard::rowSelected, this, &KernelsPanel::chooseRow);
  m_walk->serve(*m_card);
  connect(m_calls, &Occurrences::changed, this, &KernelsPanel::showDurations);
  connect(m_calls, &Occurrences::timelineWanted, this, &KernelsPanel::timelineWanted);
  connect(m_durations, &Histogram::binClicked, this, &KernelsPanel::showCallOf);
  connectCharts();
  connect(&m_session, &TraceSession::selectionChanged, this, &KernelsPanel::followSelection);
}

void KernelsPanel::connectCharts() {
  connect(m_kinds, &StackedBars::partClicked, this, [this](int row, int) {
    const RankIndex rank = m_data.charts->ranks[static_cast<std::size_t>(row)];
    m_ranks->setCurrentIndex(m_ranks->findData(qint64{m_data.of->trace().rank(rank).rank}));
  });
  connect(m_kinds, &StackedBars::rowHovered, this, [this](int row) {
    markRank(row < 0 ? RankIndex() : m_data.charts->ranks[static_cast<std::size_t>(row)]);
  });
  connect(m_perStep, &LinePlot::curveHovered, this, [this](int curve) {
    m_hoveredCurve = curve;
    markRank(m_data.charts ? m_data.charts->rankAt(curve) : RankIndex());
  });
  connect(m_perStep, &LinePlot::placeHovered, this, &KernelsPanel::pointAtStep);
  connect(m_perStep, &LinePlot::clicked, this, &KernelsPanel::showStep);
  connect(m_card, &TableCard::rowHovered, this, [this](int row) {
    const QString rank = row < 0 ? QString() : m_card->model().textOf(row, "rank");
    const QString capture = row < 0 ? QString() : m_card->model().textOf(row, "capture");
    RankIndex of;
    if (m_data.of && !rank.isEmpty())
      for (const RankIndex index : m_data.of->ranks()) {
        const RankEntry& entry = m_data.of->trace().rank(index);
        const bool same = capture.isEmpty() ? !of.valid() : entry.capture == capture.toInt();
        if (entry.rank == rank.toInt() && same) of = index;
      }
    markRank(of);
  });
}

void KernelsPanel::markRank(RankIndex rank) {
  if (!m_data.charts) return;
  m_kinds->markRow(m_data.charts->barOf(rank));
  m_perStep->markCurve(m_data.charts->curveOf(rank));
}

void KernelsPanel::pointAtStep(std::optional<double> x) {
  std::optional<JobRange> place;
  if (x && m_data.charts && m_data.of && (!m_data.charts->perRank || m_hoveredCurve >= 0)) {
    const std::int64_t step = m_data.charts->stepAt(*m_data.of, m_hoveredCurve, *x);
    const RankIndex rank = m_data.charts->rankAt(m_hoveredCurve);
    place = placeOfStep(*m_data.of, rank.valid() ? rank : longestRankIn(*m_data.of, step), step);
  }
  m_session.pointAt(place);
}

// For a curve of several ranks, the rank with the longest step is shown.
void KernelsPanel::showStep(int curve, double x) {
  if (!m_data.charts || !m_data.of) return;
  const std::int64_t step = m_data.charts->stepAt(*m_data.of, curve, x);
  const RankIndex rank = m_data.charts->rankAt(curve);
  if (revealStep(m_session, *m_data.of, rank.valid() ? rank : longestRankIn(*m_data.of, step), step))
    emit timelineWanted();
}

void KernelsPanel::showOnly(const QString& words) {
  m_filter->setText(words);
}

void KernelsPanel::showEvent(QShowEvent* event) {
  AnalysisPage::showEvent(event);
  followSelection();
}

void KernelsPanel::resizeEvent(QResizeEvent* event) {
  AnalysisPage::resizeEvent(event);
  placeCharts();
}

void KernelsPanel::ask() {
  const Before before{m_data.of, m_data.of ? m_data.of->sharedTrace() : nullptr, m_data.grouping,
                      m_data.details, m_data.charts};
  setSharedContents<Data>(
      [rows = m_ranks->rows(),
       grouping =
           Grouping{static_cast<GroupBy>(m_grouping->chosen()),
                    m_part->grouping().value_or(CallGrouping::Module), TableFigures::ofProgram().perStep()},
       before, progress = m_reading->watchNew()](const std::shared_ptr<const Analysis>& analysis) {
        return made(analysis, rows, grouping, before, *progress);
      },
      [this](const std::shared_ptr<const Data>& shown) { showData(shown); });
}

// Charts cover all ranks, independent of the row choice; details read from files cover the job, independent
// of the scope.
KernelsPanel::Data KernelsPanel::made(const std::shared_ptr<const Analysis>& analysis,
                                      const RecordingRows& rows, Grouping grouping, const Before& before,
                                      Progress& progress) {
  const bool same = before.of.lock() == analysis;
  const bool sameJob = before.trace.lock() == analysis->sharedTrace();
  const std::shared_ptr<const Analysis> sums = analysisOfSums(analysis, grouping.perStep);
  Data shown;
  shown.rows = rows;
  shown.grouping = grouping;
  if (before.grouping == grouping && (grouping.by == GroupBy::GridAndBlock ? sameJob : same))
    shown.details = before.details.lock();
  if (!shown.details && grouping.by == GroupBy::Part)
    shown.details =
        std::make_shared<const KernelDetails>(launchingGroups(*sums, grouping.part, defaultThreadCount()));
  if (!shown.details && grouping.by == GroupBy::Operator)
    shown.details = std::make_shared<const KernelDetails>(launchingOperators(*sums));
  if (!shown.details && grouping.by == GroupBy::GridAndBlock)
    shown.details = std::make_shared<const KernelDetails>(launchShapes(sums->trace(), progress));
  if (!shown.details || shown.details->known())
    shown.table = std::make_shared<const ResultTable>(kernelRowsTable(*sums, rows, shown.details.get()));
  if (same) shown.charts = before.charts.lock();
  if (!shown.charts) shown.charts = std::make_shared<const KernelCharts>(kernelCharts(*analysis));
  return shown;
}

void KernelsPanel::showData(const std::shared_ptr<const Data>& shown) {
  // The same row stays selected in the new table.
  const int selected = m_card->selectedRow();
  const std::string name = textAt(*m_card, selected, "kernel");
  const std::string kind = textAt(*m_card, selected, "kind");
  m_data = shown ? *shown : Data();
  if (shown) {
    m_data.of = analysis();
    m_ranks->setRanks(analysis().get());
    const TableFigures& figures = TableFigures::ofProgram();
    m_ranks->setPerStep(figures.perStep() && figures.steps().all > 0);
    // Of single calls, which a digest has not.
    m_grouping->setVisible(!isDigest());
    if (isDigest() && m_grouping->chosen() != 0) m_grouping->choose(0);
  }
  m_row = -1;
  m_reading->stop();
  if (fallsBack()) return;
  m_card->setTable(m_data.table, whyEmpty());
  m_card->setMinimumHeight(m_card->heightFor(kMinRows));
  if (m_data.table && selected >= 0)
    m_card->selectRow(
        findRow(*m_data.table, {{"kernel", std::string_view(name)}, {"kind", std::string_view(kind)}}));
  showCharts();
  if (isVisible()) followSelection();
  if (m_row < 0) lookAt(m_card->selectedRow() >= 0 ? m_card->selectedRow() : m_card->tableRow(0));
}

// Where nothing was recorded to group by, the names are shown, with the reason. Not for one part of the
// model, where the others remain to be chosen.
bool KernelsPanel::fallsBack() {
  const GroupBy by = m_data.grouping.by;
  const bool none = !m_data.table || m_data.table->rowCount() == 0;
  const bool others = m_data.charts && m_data.charts->any;
  if (!others || !none || by == GroupBy::Name || by == GroupBy::Part) return false;
  const QString reason = whyEmpty();
  m_grouping->choose(static_cast<int>(GroupBy::Name));
  m_fallback->setText(tr("%1 Grouped by name.").arg(reason));
  m_fallback->show();
  return true;
}

bool KernelsPanel::isDigest() const {
  return m_data.of && hasDigests(m_data.of->trace());
}

QString KernelsPanel::whyEmpty() const {
  if (!m_data.charts) return tr("Computing …");
  if (!m_data.charts->any && isOfRange(*m_data.of)) return nothingInRange();
  if (!m_data.charts->any)
    return tr("No device activity in this job. If it ran on a GPU, profile with %1.")
        .arg(QString::fromStdString(optionFor(Recordable::Device, m_data.of->trace())));
  if (m_data.grouping.by == GroupBy::Part) return whyNoModelParts(m_data.grouping.part, m_data.of->trace());
  if (m_data.grouping.by == GroupBy::Operator)
    return tr("Launching operators were not recorded: profile with %1.")
        .arg(QString::fromStdString(
            optionFor(recordedByNsight(m_data.of->trace()) ? Recordable::Operators : Recordable::Device,
                      m_data.of->trace())));
  if (m_data.grouping.by == GroupBy::GridAndBlock)
    return tr("No grid and block sizes were recorded, or the files have been moved.");
  return tr("No kernels were recorded.");
}

void KernelsPanel::showCharts() {
  const QString wait = m_data.charts ? QString() : tr("Computing …");
  const bool ofRange = m_data.of && isOfRange(*m_data.of);
  const QString none = ofRange ? nothingInRange() : tr("No device activity was recorded.");
  // The table says why there is nothing to draw.
  m_splitter->widget(1)->setVisible(!m_data.charts || m_data.charts->any);
  m_kinds->setBars(m_data.charts ? m_data.charts->kinds : BarRows());
  m_perStep->setCurves(m_data.charts ? m_data.charts->perStep : Curves());
  std::vector<LegendItem> legend;
  for (const BarPart& part : m_kinds->bars().parts) legend.push_back({part.name, part.color});
  m_kindsCard->setLegend(std::move(legend));
  const bool any = m_data.charts && m_data.charts->any;
  const bool steps = m_data.charts && !m_data.charts->perStep.curves.empty();
  // For one rank and one step a single dot is useless.
  const bool oneStep = steps && m_data.charts->perRank && m_data.charts->perStep.curves.size() == 1;
  const double only = oneStep ? m_data.charts->perStep.curves.front().points.front().y() : 0;
  m_kindsCard->setCaption(!any      ? QString()
                          : ofRange ? tr("whole kernels that begin in the range")
                                    : m_data.charts->kindsCaption);
  m_perStepCard->setCaption(!steps || oneStep ? QString() : m_data.charts->perStepCaption);
  m_kindsCard->setEmptyText(any ? QString() : m_data.charts ? none : wait);
  m_perStepCard->setEmptyText(
      !m_data.charts ? wait
      : oneStep ? (ofRange ? tr("Only one step is in the range: %1.") : tr("Only one step was recorded: %1."))
                      .arg(counted(std::llround(only), tr("1 kernel"), tr("%1 kernels")))
      : steps      ? QString()
      : !any       ? none
      : isDigest() ? tr("A digest has no single kernels. Expand a rank on the timeline to load its events.")
                   : QString::fromStdString(whyNoSteps(*m_data.of)));
}

void KernelsPanel::updateCaption() {
  const auto& table = m_card->model().table();
  if (!table || table->rowCount() == 0) return m_card->setCaption({});
  const qint64 shown = m_card->shownRows();
  const auto total = static_cast<qint64>(table->rowCount());
  const bool names = !m_data.rows.each && !m_data.details;
  const QString all =
      names ? counted(total, tr("1 name"), tr("%1 names")) : counted(total, tr("1 row"), tr("%1 rows"));
  m_card->setCaption((shown == total ? all : tr("%1 of %2").arg(shown).arg(all)) +
                     tr(" · double-click a row to see its calls"));
}

void KernelsPanel::chooseRow(int tableRow) {
  if (tableRow >= 0) lookAt(tableRow);
}

void KernelsPanel::lookAt(int tableRow) {
  if (tableRow == m_row && tableRow >= 0) return;
  m_row = tableRow;
  if (!m_data.of || tableRow < 0) return m_calls->clear();
  std::vector<RankIndex> ranks = ranksFor(*m_data.of, m_data.rows);
  const QString rank = m_card->model().textOf(tableRow, "rank");
  const QString capture = m_card->model().textOf(tableRow, "capture");
  std::erase_if(ranks, [&](RankIndex index) {
    const RankEntry& entry = m_data.of->trace().rank(index);
    return (!rank.isEmpty() && rank.toInt() != entry.rank) ||
           (!capture.isEmpty() && capture.toInt() != entry.capture);
  });
  // Of collectives a digest has all calls, of other kernels the few that results name.
  if (textAt(*m_card, tableRow, "kind") != deviceClassText(DeviceClass::Communication))
    ranks = withEvents(m_data.of->trace(), std::move(ranks));
  m_calls->search(
      m_data.of,
      [ranks, name = textAt(*m_card, tableRow, "kernel"), of = classNamed(textAt(*m_card, tableRow, "kind")),
       detail = m_data.details ? textAt(*m_card, tableRow, m_data.details->column.c_str()) : std::string(),
       details = m_data.details](const Analysis& analysis, const Progress& progress) {
        if (!details) return deviceCalls(analysis, ranks, name, of, {}, &progress);
        const auto number =
            static_cast<std::uint32_t>(std::ranges::find(details->texts, detail) - details->texts.begin());
        const auto isOne = [&](RankIndex index, EventIndex event) {
          const RankTrace& trace = *analysis.trace().rank(index).trace;
          return details->ofEvents[index.value][event.value - trace.deviceBegin.value] == number;
        };
        return deviceCalls(analysis, ranks, name, of, isOne, &progress);
      });
}

void KernelsPanel::activate(int tableRow) {
  if (tableRow < 0) return;
  lookAt(tableRow);
  m_calls->showCurrent();
}

void KernelsPanel::followSelection() {
  const EventRef selected = m_session.selection();
  if (!isVisible() || !m_data.table || !m_data.of || !selected.valid()) return;
  const TraceSet& traces = m_data.of->trace();
  if (selected.rank.value >= traces.ranks().size()) return;
  const RankEntry& entry = traces.rank(selected.rank);
  if (!entry.trace->isDeviceEvent(selected.event)) return;
  if (m_data.rows.rank && *m_data.rows.rank != entry.rank) return;
  const EventKind kind = entry.trace->events.kind[selected.event];
  Cell detail;
  if (m_data.details && !m_data.details->ofEvents[selected.rank.value].empty()) {
    const std::size_t place = selected.event.value - entry.trace->deviceBegin.value;
    detail = textCell(m_data.details->texts[m_data.details->ofEvents[selected.rank.value][place]]);
  }
  const std::string_view column = m_data.details ? std::string_view(m_data.details->column) : "operator";
  const int row =
      findRow(*m_data.table, {{"rank", std::int64_t{entry.rank}},
                              {"capture", std::int64_t{entry.capture}},
                              {"kernel", traces.names()[entry.trace->events.name[selected.event]]},
                              {"kind", deviceClassText(deviceClassOf(kind))},
                              {column, detail}});
  if (row < 0 || row == m_card->selectedRow()) return;
  m_card->selectRow(row);
  lookAt(row);
}

void KernelsPanel::showDurations() {
  const auto& calls = m_calls->calls();
  if (calls != m_shownDurations || !calls) {
    m_shownDurations = calls;
    const std::string kind = m_row >= 0 ? textAt(*m_card, m_row, "kind") : std::string();
    const DeviceClass of = classNamed(kind);
    m_durations->setBins(calls ? calls->durations : DurationBins(),
                         of == DeviceClass::Communication ? &Theme::communication
                         : of == DeviceClass::Memory      ? &Theme::memoryCopy
                                                          : &Theme::gemm);
    m_durationsCard->setCaption(m_row >= 0 ? readableKernel(m_card->model().textOf(m_row, "kernel"))
                                           : QString());
    const bool any = calls && calls->calls.size() > 1;
    // A histogram of one call would be a block.
    const bool one = calls && calls->calls.size() == 1 && m_data.of;
    QString onlyCall;
    if (one) {
      const EventRef call = calls->calls.front();
      const RankTrace& trace = *m_data.of->trace().rank(call.rank).trace;
      onlyCall = QString::fromStdString(durationText(trace.events.duration[call.event]));
    }
    m_durationsCard->setEmptyText(any                    ? QString()
                                  : one                  ? tr("One call of %1.").arg(onlyCall)
                                  : m_calls->searching() ? tr("Computing …")
                                  : m_row >= 0 && isDigest()
                                      ? tr("A digest has the sums of these calls only.")
                                      : tr("No kernel selected."));
  }
  const auto at = m_calls->position();
  std::optional<TimeNs> marked;
  if (calls && at && m_data.of) {
    const EventRef call = calls->calls[*at];
    marked = m_data.of->trace().rank(call.rank).trace->events.duration[call.event];
  }
  m_durations->markDuration(marked);
}

// The next one after the current position, so that repeated clicks show further calls.
void KernelsPanel::showCallOf(int bin) {
  const auto& list = m_calls->calls();
  if (!list || list->calls.empty() || !m_data.of) return;
  const std::size_t count = list->calls.size();
  const std::size_t from = m_calls->position() ? *m_calls->position() + 1 : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const EventRef call = list->calls[(from + i) % count];
    const TimeNs duration = m_data.of->trace().rank(call.rank).trace->events.duration[call.event];
    if (list->durations.binOf(duration) != static_cast<std::size_t>(bin)) continue;
    m_calls->select(call);
    emit timelineWanted();
    return;
  }
}

namespace tabs {

TabPage* kernels(const TabContext& context) {
  return new KernelsPanel(context.session, context.settings);
}

} // namespace tabs

} // namespace rankscope::ui
