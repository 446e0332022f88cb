// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/operators/operators_panel.h"
#include "ui/tables/table_figures.h"

#include "core/analysis/job/scope.h"
#include "core/base/unit_text.h"
#include "core/model/rank_digest.h"
#include "core/report/digest_rows.h"
#include "ui/base/counted.h"
#include "ui/base/text_scale.h"
#include "ui/details/source_opener.h"
#include "ui/job/trace_session.h"
#include "ui/tables/model_parts.h"
#include "ui/tables/occurrence_bar.h"
#include "ui/tables/table_rows.h"
#include "ui/tables/table_view.h"
#include "ui/tabs/operators/operator_columns.h"
#include "ui/tabs/operators/operator_page.h"
#include "ui/widgets/choice_row.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/rank_choice.h"
#include "ui/widgets/reading_note.h"
#include "ui/widgets/tab_context.h"
#include "ui/widgets/wrapped_label.h"

#include <QCursor>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QToolTip>
#include <QVBoxLayout>

#include <array>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kPartOfModel = static_cast<int>(OperatorDetail::Module); // of the grouping's buttons
constexpr int kMargin = 16;
constexpr int kMostCompiled = 6; // rows without scrolling
constexpr int kLeastDetails = 110;
constexpr int kDetailsHeight = 150;
constexpr int kLeastTable = 230; // a few rows; the details get the rest

constexpr double kAllPct = 99.95; // of the device time, as it is shown

// Share of the device time, summed over streams, that operators launched; 100 where it is not known.
double launchedPct(const Analysis& analysis, const RecordingRows& rows, const ResultTable* operators) {
  const auto column = operators != nullptr ? operators->columnNamed("device_self_us") : std::nullopt;
  if (!column || hasDigests(analysis.trace())) return 100;
  double all = 0;
  for (const RankIndex rank : ranksFor(analysis, rows))
    for (const KernelStatistics& kernel : analysis.kernels(rank)) all += static_cast<double>(kernel.total);
  double launched = 0;
  for (std::size_t row = 0; row < operators->rowCount(); ++row) {
    const Cell cell = operators->at(row, *column);
    if (const auto* time = std::get_if<std::int64_t>(&cell)) launched += static_cast<double>(*time);
  }
  return all > 0 ? 100 * launched / all : 100;
}

std::string textAt(const TableCard& card, int row, std::string_view column) {
  return row < 0 ? std::string() : card.model().textOf(row, column).toStdString();
}

} // namespace

OperatorsPanel::OperatorsPanel(TraceSession& session, QSettings& settings, QWidget* parent)
    : AnalysisPage(session.pending(), parent), m_session(session), m_settings(settings),
      m_calls(new Occurrences(session, this)), m_following(session.pending()) {
  m_card = new TableCard(tr("Operators"), operatorColumns(), session);
  m_card->setFilterHint(tr("Filter operators …"));
  m_card->setBarColor([](int, const Theme& theme) { return theme.cpuOp; });
  m_card->setMemoryKey(settings, QStringLiteral("operators"));
  auto* inner = new QWidget;
  inner->setObjectName(QStringLiteral("page"));
  auto* column = new QVBoxLayout(inner);
  column->setContentsMargins(kMargin, kMargin, kMargin, kMargin);
  column->setSpacing(12);
  column->addWidget(makeBar());
  column->addWidget(m_fallback);
  m_card->setMinimumHeight(scaledToText(kLeastTable));
  column->addWidget(m_card, 1);
  m_compiled = new TableCard(tr("torch.compile"), compiledColumns(), session);
  m_compiled->setStretchColumn("eager_after");
  m_compiled->setMemoryKey(settings, QStringLiteral("operators.compiled"));
  m_compiled->hide();
  column->addWidget(m_compiled);
  column->addWidget(makeDetails());
  // Scrolls if the table and the details do not fit.
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(inner);
  auto* page = new QVBoxLayout(this);
  page->setContentsMargins(0, 0, 0, 0);
  page->addWidget(scroll);
  connectAll();
  ask();
  showData(nullptr);
}

OperatorsPanel::~OperatorsPanel() {
  m_reading->giveUp();
}

QWidget* OperatorsPanel::makeBar() {
  m_grouping =
      new ChoiceRow(tr("Group operators"), {tr("By name"), tr("By input shapes"), tr("By call stack"),
                                            tr("By source line"), tr("By part of the model")});
  m_part = new ModelPartChoice;
  m_part->hide();
  m_ranks = new RankChoice;
  m_reading = new ReadingNote;
  auto* bar = new QWidget;
  auto* row = new FlowLayout(bar, 12);
  row->addWidget(m_grouping);
  row->addWidget(m_part);
  row->addWidget(m_ranks);
  row->addWidget(m_reading);
  m_fallback = new WrappedLabel;
  m_fallback->setObjectName(QStringLiteral("groupingNote"));
  m_fallback->hide();
  return bar;
}

QWidget* OperatorsPanel::makeDetails() {
  auto* frame = m_details = new QFrame;
  frame->setObjectName(QStringLiteral("card"));
  frame->setMinimumHeight(scaledToText(kLeastDetails));
  frame->setMaximumHeight(scaledToText(kDetailsHeight));
  auto* title = new QLabel(tr("Selected operator"));
  title->setObjectName(QStringLiteral("cardTitle"));
  m_walk = new OccurrenceBar(*m_calls);
  m_page = new OperatorPage(m_session);
  auto* top = new QHBoxLayout;
  top->addWidget(title);
  top->addStretch();
  top->addWidget(m_walk);
  auto* column = new QVBoxLayout(frame);
  column->setContentsMargins(18, 12, 18, 12);
  column->setSpacing(6);
  column->addLayout(top);
  column->addWidget(m_page, 1);
  return frame;
}

void OperatorsPanel::connectAll() {
  connect(m_grouping, &ChoiceRow::chosenChanged, this, [this] {
    m_fallback->hide();
    m_part->setVisible(m_grouping->chosen() == kPartOfModel);
    ask();
  });
  connect(m_part, &ModelPartChoice::groupingChanged, this, &OperatorsPanel::ask);
  connect(m_ranks, &RankChoice::rowsChanged, this, &OperatorsPanel::ask);
  connect(&TableFigures::ofProgram(), &TableFigures::perStepChanged, this, &OperatorsPanel::ask);
  connect(m_reading, &ReadingNote::cancelWanted, this, [this] { m_grouping->choose(0); });
  connect(m_card, &TableCard::shownRowsChanged, this, &OperatorsPanel::updateCaption);
  connect(m_card, &TableCard::rowActivated, this, &OperatorsPanel::activate);
  connect(m_card, &TableCard::rowSelected, this, &OperatorsPanel::chooseRow);
  m_walk->serve(*m_card);
  connect(m_card, &TableCard::menuAboutToShow, this, &OperatorsPanel::addToMenu);
  connect(m_calls, &Occurrences::timelineWanted, this, &OperatorsPanel::timelineWanted);
  connect(m_page, &OperatorPage::sourceWanted, this, &OperatorsPanel::openPlace);
  connect(&m_session, &TraceSession::selectionChanged, this, &OperatorsPanel::followSelection);
}

void OperatorsPanel::takeFocus() {
  m_card->view().setFocus();
}

void OperatorsPanel::showOnly(const QString& words) {
  m_card->setFilterWords(words);
}

void OperatorsPanel::showEvent(QShowEvent* event) {
  AnalysisPage::showEvent(event);
  followSelection();
}

OperatorDetail OperatorsPanel::wantedDetail() const {
  if (m_grouping->chosen() == kPartOfModel)
    return detailOf(m_part->grouping().value_or(CallGrouping::Module));
  return static_cast<OperatorDetail>(m_grouping->chosen());
}

void OperatorsPanel::ask() {
  const auto progress = m_reading->watchNew();
  setReportContents<Data>(
      [rows = m_ranks->rows(), detail = wantedDetail(), reader = m_reader, progress,
       perStep = TableFigures::ofProgram().perStep()](const JobReport& report) {
        const auto sums = analysisOfSums(report.sharedAnalysis(), perStep);
        const Analysis& analysis = *sums;
        Data shown;
        shown.rows = rows;
        shown.detail = detail;
        shown.made = operatorRows(
            analysis, rows, detail,
            [&](RankIndex rank) { return reader->groupsOf(analysis, rank, detail, *progress); },
            progress.get());
        shown.problem = reader->problem();
        shown.launchedPct = launchedPct(analysis, rows, shown.made.table.get());
        shown.compiled = std::make_shared<const ResultTable>(tableOf(report, *tableSpec("compiled_regions")));
        return shown;
      },
      [this](const std::shared_ptr<const Data>& shown) { showData(shown); });
}

void OperatorsPanel::showData(const std::shared_ptr<const Data>& shown) {
  // The same row stays selected in the new table.
  const int selected = m_card->selectedRow();
  const std::string name = textAt(*m_card, selected, "operator");
  m_following.drop();
  m_data = shown ? *shown : Data();
  m_of = shown ? analysis() : nullptr;
  if (shown) {
    m_ranks->setRanks(analysis().get());
    const TableFigures& figures = TableFigures::ofProgram();
    m_ranks->setPerStep(figures.perStep() && figures.steps().all > 0);
    // Of single calls, which a digest has not.
    const bool digest = hasDigests(m_of->trace());
    m_grouping->setVisible(!digest);
    if (digest && m_grouping->chosen() != 0) m_grouping->choose(0);
  } else {
    m_reader->forget();
  }
  m_row = -1;
  showCompiled();
  setColumns();
  const bool known = m_data.made.known;
  if (fallsBack()) return;
  const bool limited = m_of && isOfRange(*m_of);
  QString empty = !shown || !m_of ? tr("Computing …")
                  : limited
                      ? tr("No operator begins in the range. Select a longer range, or press Ctrl+R for "
                           "the whole trace.")
                      : whyNoOperators(m_data.detail, m_of->trace());
  if (!known && !m_data.problem.empty())
    empty = tr("Cannot read the files again: %1").arg(QString::fromStdString(m_data.problem));
  m_card->setTable(known ? m_data.made.table : nullptr, empty);
  if (known && m_data.made.table && selected >= 0)
    m_card->selectRow(findRow(*m_data.made.table, {{"operator", std::string_view(name)}}));
  m_reading->stop();
  if (isVisible()) followSelection();
  if (m_row < 0) lookAt(m_card->selectedRow());
}

// Where nothing was recorded to group by, the names are shown, with the reason. Not for one part of the
// model, where the others remain to be chosen.
bool OperatorsPanel::fallsBack() {
  const bool none = !m_data.made.known && m_data.problem.empty();
  if (!m_of || !none || m_grouping->chosen() == kPartOfModel || isOfRange(*m_of)) return false;
  const QString reason = whyNoOperators(m_data.detail, m_of->trace());
  m_grouping->choose(0);
  m_fallback->setText(tr("%1 Grouped by name.").arg(reason));
  m_fallback->show();
  return true;
}

// The distinguishing column is stretched.
void OperatorsPanel::setColumns() {
  const std::string_view detail = detailColumn(m_data.detail);
  m_card->setStretchColumn(std::string(detail.empty() ? "operator" : detail));
  bool device = false;
  const auto& table = m_data.made.table;
  const auto column = table ? table->columnNamed("device_self_us") : std::nullopt;
  for (std::size_t row = 0; column && row < table->rowCount() && !device; ++row)
    device = table->at(row, *column) != Cell(std::int64_t{0});
  m_card->setDefaultSort(device ? "device_self_us" : "host_self_us", Qt::DescendingOrder);
}

void OperatorsPanel::showCompiled() {
  const bool any = m_data.compiled && m_data.compiled->rowCount() > 0;
  m_compiled->setVisible(any);
  m_compiled->setTable(any ? m_data.compiled : nullptr, {});
  if (!any) return;
  m_compiled->setMinimumHeight(m_compiled->heightFor(kMostCompiled));
  m_compiled->setMaximumHeight(m_compiled->heightFor(kMostCompiled));
}

void OperatorsPanel::updateCaption() {
  const auto& table = m_card->model().table();
  if (!table || table->rowCount() == 0) return m_card->setCaption({});
  const bool names = !m_data.rows.each && m_data.detail == OperatorDetail::None;
  const auto count = static_cast<qint64>(table->rowCount());
  const QString doubleClick = m_data.detail == OperatorDetail::SourceLine
                                  ? tr("double-click a row to open its source")
                                  : tr("double-click a row to see its calls");
  QStringList caption{names ? counted(count, tr("1 name"), tr("%1 names"))
                            : counted(count, tr("1 row"), tr("%1 rows"))};
  if (m_data.launchedPct < kAllPct)
    caption << tr("operators launched %1 of the device time")
                   .arg(QString::fromStdString(percentText(m_data.launchedPct)));
  m_card->setCaption((caption << doubleClick).join(QStringLiteral(" · ")));
}

void OperatorsPanel::addToMenu(QMenu* menu, int tableRow) {
  if (!sourceOf(tableRow)) return;
  menu->addAction(tr("Jump to source"), this, [this, tableRow] { openSourceOf(tableRow); });
}

void OperatorsPanel::chooseRow(int tableRow) {
  if (tableRow >= 0) lookAt(tableRow);
}

void OperatorsPanel::lookAt(int tableRow) {
  if (tableRow == m_row && tableRow >= 0) return;
  m_row = tableRow;
  // An empty box says nothing; the table gets its room.
  m_details->setVisible(m_of && tableRow >= 0);
  if (!m_of || tableRow < 0) {
    m_calls->clear();
    return m_page->showMessage({});
  }
  const std::string_view detail = detailColumn(m_data.detail);
  m_page->showDetail(m_card->model().textOf(tableRow, "operator"),
                     detail.empty() ? factsOf(tableRow) : m_card->model().textOf(tableRow, detail),
                     m_data.detail);
  m_calls->search(m_of, callsOf(tableRow));
}

// "Calls 12 · Device self 3.2 ms": the row's figures.
QString OperatorsPanel::factsOf(int tableRow) const {
  const ResultTableModel& model = m_card->model();
  QStringList facts;
  for (int column = 0; column < model.columnCount(); ++column) {
    if (model.column(column).share || model.column(column).source == "operator") continue;
    facts << QStringLiteral("%1 %2").arg(model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(),
                                         model.index(tableRow, column).data().toString());
  }
  return facts.join(QStringLiteral(" · "));
}

FindCalls OperatorsPanel::callsOf(int tableRow) const {
  std::vector<RankIndex> ranks = ranksFor(*m_of, m_data.rows);
  const QString rank = m_card->model().textOf(tableRow, "rank");
  const QString capture = m_card->model().textOf(tableRow, "capture");
  std::erase_if(ranks, [&](RankIndex index) {
    const RankEntry& entry = m_of->trace().rank(index);
    return (!rank.isEmpty() && rank.toInt() != entry.rank) ||
           (!capture.isEmpty() && capture.toInt() != entry.capture);
  });
  ranks = withEvents(m_of->trace(), std::move(ranks));
  const std::string name = textAt(*m_card, tableRow, "operator");
  if (m_data.detail == OperatorDetail::None)
    return [ranks, name](const Analysis& analysis, const Progress& progress) {
      return operatorCalls(analysis, ranks, name, {}, &progress);
    };
  return [ranks, name, detail = m_data.detail, reader = m_reader,
          text = textAt(*m_card, tableRow, detailColumn(m_data.detail))](const Analysis& analysis,
                                                                         const Progress& progress) {
    std::vector<EventRef> calls;
    for (const RankIndex of : ranks) {
      if (progress.cancelled()) break;
      Progress reading;
      const auto groups = reader->groupsOf(analysis, of, detail, reading);
      const auto isOne = [&](RankIndex, EventIndex call) {
        return groups == nullptr ? text.empty() : groups->groups[groups->groupOf[call.value]].detail == text;
      };
      const std::array one{of};
      const auto found = operatorCalls(analysis, one, name, isOne, &progress);
      calls.insert(calls.end(), found.begin(), found.end());
    }
    return calls;
  };
}

void OperatorsPanel::activate(int tableRow) {
  if (tableRow < 0) return;
  if (m_data.detail == OperatorDetail::SourceLine && sourceOf(tableRow)) return openSourceOf(tableRow);
  lookAt(tableRow);
  m_calls->showCurrent();
}

// The detail of a call takes long to find, so it is searched on a worker.
void OperatorsPanel::followSelection() {
  m_following.drop();
  const EventRef selected = m_session.selection();
  if (!isVisible() || !m_card->model().table() || !m_of || !selected.valid()) return;
  const TraceSet& traces = m_of->trace();
  if (selected.rank.value >= traces.ranks().size()) return;
  const RankEntry& entry = traces.rank(selected.rank);
  if (m_data.rows.rank && *m_data.rows.rank != entry.rank) return;
  if (!isOperator(*entry.trace, traces.names(), selected.event)) return;
  if (m_data.detail == OperatorDetail::None) return chooseRowOf(selected, {});
  m_following.ask(
      [analysis = m_of, reader = m_reader, selected, detail = m_data.detail]() -> std::optional<std::string> {
        Progress progress;
        const auto groups = reader->groupsOf(*analysis, selected.rank, detail, progress);
        if (!groups) return std::string();
        const std::uint32_t group = groups->groupOf[selected.event.value];
        if (group == OperatorGroups::kNone) return std::nullopt;
        return groups->groups[group].detail;
      },
      [this, selected](const std::optional<std::string>& detail) {
        if (detail && m_session.selection() == selected) chooseRowOf(selected, *detail);
      });
}

void OperatorsPanel::chooseRowOf(EventRef selected, const std::string& detail) {
  const auto& table = m_card->model().table();
  if (!table || !m_of) return;
  const TraceSet& traces = m_of->trace();
  const RankEntry& entry = traces.rank(selected.rank);
  const std::string_view column = detailColumn(m_data.detail);
  const int row =
      findRow(*table, {{"rank", std::int64_t{entry.rank}},
                       {"capture", std::int64_t{entry.capture}},
                       {"operator", traces.names()[entry.trace->events.name[selected.event]]},
                       {column.empty() ? std::string_view("input_shapes") : column, textCell(detail)}});
  if (row < 0 || row == m_card->selectedRow()) return;
  m_card->selectRow(row);
  lookAt(row);
}

std::optional<SourcePlace> OperatorsPanel::sourceOf(int tableRow) const {
  if (tableRow < 0) return std::nullopt;
  const bool stack = m_data.detail == OperatorDetail::Stack;
  if (!stack && m_data.detail != OperatorDetail::SourceLine) return std::nullopt;
  const QString text = m_card->model().textOf(tableRow, detailColumn(m_data.detail));
  // The innermost frame with a source line.
  const QStringList frames = text.split(QLatin1Char('\n'));
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
    if (auto place = sourcePlaceOf(frame->toStdString())) return place;
  return std::nullopt;
}

void OperatorsPanel::openSourceOf(int tableRow) {
  if (const auto place = sourceOf(tableRow)) openPlace(*place);
}

void OperatorsPanel::openPlace(const SourcePlace& place) {
  const QString did = openSource(m_settings, place, this);
  if (!did.isEmpty()) QToolTip::showText(QCursor::pos(), did, this);
}

namespace tabs {

TabPage* operators(const TabContext& context) {
  return new OperatorsPanel(context.session, context.settings);
}

} // namespace tabs

} // namespace rankscope::ui
