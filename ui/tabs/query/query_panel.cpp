// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/query/query_panel.h"

#include "core/base/thread_team.h"
#include "core/base/unit_text.h"
#include "core/sql/canned_queries.h"
#include "core/sql/sql_functions.h"
#include "ui/base/text_scale.h"
#include "ui/base/theme.h"
#include "ui/base/ui_text.h"
#include "ui/job/job_beside.h"
#include "ui/job/marks.h"
#include "ui/job/trace_session.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/query/result_chart.h"
#include "ui/tabs/query/sql_editor.h"
#include "ui/widgets/choice_row.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/tab_context.h"
#include "ui/widgets/wrapped_label.h"

#include <QHeaderView>
#include <QInputDialog>
#include <QKeyEvent>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QSplitter>
#include <QTreeWidget>
#include <QUndoStack>
#include <QVBoxLayout>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace rankscope::ui {

namespace {

constexpr std::uint64_t kMostRows = 1'000'000;
constexpr std::uint64_t kMostCells = 20'000'000;
constexpr std::size_t kMostRegions = 100;
constexpr int kLeastEditorHeight = 30;
constexpr int kLeastTableHeight = 64;

// The LIMIT at the end of a query, which cuts its result; not that of a part in parentheses.
std::optional<std::uint64_t> limitOf(const std::string& sql) {
  static const QRegularExpression kComment(QStringLiteral(R"(--[^\n]*|/\*.*?\*/)"),
                                           QRegularExpression::DotMatchesEverythingOption);
  static const QRegularExpression kLimit(
      QStringLiteral(R"(\bLIMIT\s+(?:\d+\s*,\s*)?(\d+)(?:\s+OFFSET\s+\d+)?[\s;]*$)"),
      QRegularExpression::CaseInsensitiveOption);
  const QRegularExpressionMatch match = kLimit.match(textOf(sql).remove(kComment));
  if (!match.hasMatch()) return std::nullopt;
  return match.captured(1).toULongLong();
}

// Without the unit of the query where cells show their own.
std::string_view titleOf(const TableColumn& column) {
  std::string_view title = column.name;
  if (column.unit != Unit::Nanoseconds) return title;
  for (const std::string_view unit : {"_ns", "_us", "_ms"})
    if (title.size() > unit.size() && title.ends_with(unit)) title.remove_suffix(unit.size());
  return title;
}

std::vector<ShownColumn> columnsOf(const ResultTable& table) {
  std::vector<ShownColumn> columns;
  columns.reserve(table.columns().size());
  for (const TableColumn& column : table.columns()) {
    const std::string_view title = titleOf(column);
    const bool isOne = std::ranges::count(table.columns(), title, titleOf) == 1;
    if (title == column.name || !isOne) {
      columns.push_back({.source = column.name, .title = QString::fromStdString(column.name)});
      continue;
    }
    columns.push_back({.source = column.name,
                       .title = textOf(title),
                       .tip = QueryPanel::tr("%1 in the query; cells show their unit")
                                  .arg(QString::fromStdString(column.name))});
  }
  return columns;
}

// Columns of a table are found by their names, so each needs its own.
std::shared_ptr<const ResultTable> withDistinctNames(ResultTable table) {
  std::set<std::string> names;
  std::vector<TableColumn> columns = table.columns();
  for (TableColumn& column : columns) {
    const std::string name = column.name.empty() ? std::string("column") : column.name;
    column.name = name;
    for (int number = 2; !names.insert(column.name).second; ++number) {
      column.name = name;
      column.name += '_';
      column.name += std::to_string(number);
    }
  }
  if (columns == table.columns()) return std::make_shared<const ResultTable>(std::move(table));
  ResultTable renamed(table.name(), std::move(columns));
  std::vector<Cell> row(renamed.columns().size());
  for (std::size_t i = 0; i < table.rowCount(); ++i) {
    for (std::size_t column = 0; column < row.size(); ++column) row[column] = table.at(i, column);
    renamed.addRow(row);
  }
  return std::make_shared<const ResultTable>(std::move(renamed));
}

} // namespace

QueryPanel::QueryPanel(TraceSession& session, QSettings& settings, QWidget* parent)
    : AnalysisPage(session.pending(), parent), m_session(session), m_saved(settings),
      m_task(std::make_unique<LatestTask<Outcome>>(session.pending())) {
  auto* results = new QWidget;
  m_resultPlace = new QVBoxLayout(results);
  m_resultPlace->setContentsMargins(0, 0, 0, 0);
  m_resultPlace->setSpacing(8);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 12, 16, 16);
  column->setSpacing(8);
  column->addWidget(makeBar());
  m_jobs = new WrappedLabel;
  m_jobs->setObjectName(QStringLiteral("figureNote"));
  m_jobs->hide();
  column->addWidget(m_jobs);
  auto* splitter = new QSplitter(Qt::Vertical);
  splitter->setObjectName(QStringLiteral("airSplitter"));
  splitter->setHandleWidth(12);
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(makeEditor());
  splitter->addWidget(results);
  splitter->setStretchFactor(0, 2);
  splitter->setStretchFactor(1, 3);
  splitter->setSizes({320, 480});
  column->addWidget(splitter, 1);
  m_status = new WrappedLabel;
  m_status->setObjectName(QStringLiteral("figureNote"));
  m_status->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_chart = new ResultChart(session);
  connect(m_chart, &ResultChart::rowActivated, this, &QueryPanel::followRow);
  m_resultPlace->addWidget(m_chart, 1);
  m_resultPlace->addWidget(m_status);
  showResult(nullptr, tr("Write a SELECT and press Ctrl+Enter, or choose an example."));
  fillExamples();
  fillOwn();
  connect(m_editor, &SqlEditor::runWanted, this, &QueryPanel::run);
  connect(m_editor, &SqlEditor::cancelWanted, this, &QueryPanel::cancel);
  const QStringList recent = m_saved.recent();
  m_editor->setPlainText(recent.isEmpty() ? textOf(cannedQueries().front().sql) : recent.front());
  // The columns of tables are collected once, which takes a moment.
  setReportContents<bool>([](const JobReport& report) { return !SqlDatabase(report, 1).tables().empty(); },
                          [this](const std::shared_ptr<const bool>& there) {
                            if (!there) return setSource(nullptr);
                            renewSource();
                          });
  connect(&JobBeside::of(m_session), &JobBeside::changed, this, [this] {
    if (m_source) renewSource();
  });
}

QueryPanel::~QueryPanel() {
  if (m_progress) m_progress->cancel = true;
}

QWidget* QueryPanel::makeBar() {
  m_run = new QPushButton(tr("Run"));
  m_run->setToolTip(tr("Run the query (Ctrl+Enter)"));
  m_run->setEnabled(false);
  m_stop = new QPushButton(tr("Cancel"));
  m_stop->setToolTip(tr("Cancel the query (Esc)"));
  m_stop->setEnabled(false);
  auto* examples = new QPushButton(tr("Examples") + QStringLiteral(" ▾"));
  m_examples = new QMenu(examples);
  m_examples->setToolTipsVisible(true);
  examples->setMenu(m_examples);
  auto* own = new QPushButton(tr("Own queries") + QStringLiteral(" ▾"));
  m_own = new QMenu(own);
  m_own->setToolTipsVisible(true);
  own->setMenu(m_own);
  m_mark = new QPushButton(tr("Mark rows"));
  m_mark->setToolTip(tr("Make regions of the selected rows, or of the first %1").arg(kMostRegions));
  m_mark->setEnabled(false);
  m_form = new ChoiceRow(tr("Result"), {tr("Table"), tr("Chart")});
  m_form->setTip(0, tr("Show the result as a table"));
  m_form->setTip(1, tr("Show two columns of the result as a chart"));
  connect(m_form, &ChoiceRow::chosenChanged, this, &QueryPanel::showForm);
  connect(m_run, &QPushButton::clicked, this, &QueryPanel::run);
  connect(m_stop, &QPushButton::clicked, this, &QueryPanel::cancel);
  connect(m_mark, &QPushButton::clicked, this, &QueryPanel::markRows);
  connect(m_own, &QMenu::aboutToShow, this, &QueryPanel::fillOwn);
  auto* bar = new QWidget;
  auto* row = new FlowLayout(bar, 8);
  for (QWidget* widget : std::initializer_list<QWidget*>{m_run, m_stop, examples, own, m_mark, m_form})
    row->addWidget(widget);
  return bar;
}

QWidget* QueryPanel::makeEditor() {
  m_editor = new SqlEditor(m_session);
  m_editor->setMinimumHeight(scaledToText(kLeastEditorHeight));
  m_schema = new QTreeWidget;
  m_schema->setObjectName(QStringLiteral("sqlSchema"));
  m_schema->setHeaderHidden(true);
  m_schema->setAccessibleName(tr("Tables"));
  m_schema->setMinimumHeight(scaledToText(kLeastEditorHeight));
  connect(m_schema, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
    m_editor->insertPlainText(item->text(0));
    m_editor->setFocus();
  });
  auto* splitter = new QSplitter(Qt::Horizontal);
  splitter->setObjectName(QStringLiteral("airSplitter"));
  splitter->setHandleWidth(12);
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(m_editor);
  m_schema->setFrameShape(QFrame::NoFrame);
  auto* tables = new QFrame;
  tables->setObjectName(QStringLiteral("card"));
  auto* inside = new QVBoxLayout(tables);
  inside->setContentsMargins(8, 8, 8, 8);
  inside->addWidget(m_schema);
  splitter->addWidget(tables);
  splitter->setStretchFactor(0, 4);
  splitter->setStretchFactor(1, 1);
  splitter->setSizes({900, 260});
  return splitter;
}

void QueryPanel::fillExamples() {
  for (const CannedQuery& query : cannedQueries()) {
    QAction* const action = m_examples->addAction(textOf(query.title));
    action->setToolTip(textOf(query.meaning));
    connect(action, &QAction::triggered, this, [this, sql = textOf(query.sql)] {
      m_editor->setPlainText(sql);
      run();
    });
  }
}

void QueryPanel::fillOwn() {
  m_own->clear();
  connect(m_own->addAction(tr("Save …")), &QAction::triggered, this, &QueryPanel::askForName);
  const QStringList names = m_saved.names();
  if (!names.isEmpty()) m_own->addSection(tr("Saved"));
  for (const QString& name : names) {
    QAction* const action = m_own->addAction(name);
    action->setToolTip(m_saved.sql(name));
    connect(action, &QAction::triggered, this, [this, name] { m_editor->setPlainText(m_saved.sql(name)); });
  }
  if (!names.isEmpty()) {
    QMenu* const remove = m_own->addMenu(tr("Delete"));
    for (const QString& name : names)
      connect(remove->addAction(name), &QAction::triggered, this, [this, name] { m_saved.remove(name); });
  }
  const QStringList recent = m_saved.recent();
  if (recent.isEmpty()) return;
  QMenu* const last = m_own->addMenu(tr("Recent"));
  last->setToolTipsVisible(true);
  for (const QString& sql : recent) {
    QAction* const action = last->addAction(sql.simplified().left(60));
    action->setToolTip(sql);
    connect(action, &QAction::triggered, this, [this, sql] { m_editor->setPlainText(sql); });
  }
}

void QueryPanel::fillSchema() {
  m_schema->clear();
  QStringList words;
  for (const SqlDatabase::Table& table : m_source->database->tables()) {
    const QString name = QString::fromStdString(table.name);
    auto* const item = new QTreeWidgetItem(m_schema, {name});
    item->setToolTip(0, table.isResult ? tr("The table of this name, as in CSV files")
                                       : QString::fromStdString(table.meaning));
    words << name;
    for (const SqlColumn& column : table.columns) {
      const QString columnName = QString::fromStdString(column.name);
      auto* const child = new QTreeWidgetItem(item, {columnName});
      child->setToolTip(0, textOf(column.meaning));
      words << columnName;
    }
  }
  for (const SqlFunction& function : sqlFunctions()) words << textOf(function.name);
  for (const char* word : {"SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "LIMIT", "JOIN", "LEFT JOIN",
                           "HAVING", "DISTINCT", "COUNT", "DESC", "BETWEEN", "LIKE", "REGEXP"})
    words << QString::fromLatin1(word);
  words.removeDuplicates();
  words.sort(Qt::CaseInsensitive);
  m_editor->setWords(words);
}

void QueryPanel::renewSource() {
  auto source = std::make_shared<Source>();
  source->report = report();
  source->database = std::make_unique<const SqlDatabase>(*source->report, defaultThreadCount());
  source->other = JobBeside::of(m_session).report();
  if (source->other)
    source->otherDatabase = std::make_unique<const SqlDatabase>(*source->other, defaultThreadCount());
  m_jobs->setVisible(source->other != nullptr);
  if (source->other)
    m_jobs->setText(tr("a: %1, as without a schema · b: %2, as in b.steps")
                        .arg(QString::fromStdString(source->report->analysis().trace().jobName()),
                             QString::fromStdString(source->other->analysis().trace().jobName())));
  setSource(std::move(source));
}

void QueryPanel::setSource(std::shared_ptr<const Source> source) {
  cancel();
  m_source = std::move(source);
  m_run->setEnabled(m_source != nullptr);
  if (!m_source) return;
  m_status->clear();
  if (m_schema->topLevelItemCount() == 0) fillSchema();
  // The first look shows what the page is for.
  if (m_wanted) return run();
  if (!m_table && m_editor->toPlainText() == textOf(cannedQueries().front().sql)) return run();
  // Rows of another job lead nowhere.
  if (m_shownOf && m_shownOf->report != m_source->report) {
    m_shownOf = nullptr;
    showResult(nullptr, tr("The job has changed. Run the query again."));
    m_status->clear();
  }
}

void QueryPanel::run() {
  m_wanted = m_source == nullptr;
  if (m_wanted) return m_status->setText(tr("The query runs when the job is open."));
  cancel();
  const QString sql = m_editor->toPlainText();
  if (sql != textOf(cannedQueries().front().sql)) m_saved.addRecent(sql);
  m_progress = std::make_shared<Progress>();
  m_since.start();
  showRunning(true);
  m_task->ask(
      [source = m_source, progress = m_progress, sql = sql.toStdString()] {
        SqlLimits limits;
        limits.rows = kMostRows;
        limits.cells = kMostCells;
        const SqlJobs jobs(*source->database, source->otherDatabase.get());
        SqlResult result = sqlResult(jobs, sql, limits, progress.get());
        Outcome outcome{source, nullptr, std::move(result.eventColumns), result.answer, limitOf(sql)};
        if (result.table) outcome.table = withDistinctNames(std::move(*result.table));
        return outcome;
      },
      [this](const Outcome& outcome) { showOutcome(outcome); });
}

void QueryPanel::cancel() {
  if (!running()) return;
  m_progress->cancel = true;
  // What comes of the worker is not waited for: it may be in the middle of a table.
  m_task = std::make_unique<LatestTask<Outcome>>(m_session.pending());
  showRunning(false);
  m_status->setText(tr("Canceled."));
}

void QueryPanel::showRunning(bool running) {
  m_stop->setEnabled(running);
  if (running) m_status->setText(tr("Running …"));
}

void QueryPanel::showOutcome(const Outcome& outcome) {
  showRunning(false);
  if (outcome.answer.problem) return showProblem(*outcome.answer.problem);
  if (outcome.source != m_source) return;
  m_shownOf = outcome.source;
  m_places = rowPlaces(*outcome.table, outcome.eventColumns, outcome.answer.readsOther);
  const bool first = m_editor->toPlainText() == textOf(cannedQueries().front().sql);
  showResult(outcome.table,
             first ? tr("The query has no rows: no kernels were recorded in steps. There are others under "
                        "Examples.")
                   : tr("The query has no rows."));
  const auto rows = static_cast<std::int64_t>(outcome.answer.rows);
  QString status = rows == 1 ? tr("1 row") : tr("%1 rows").arg(QString::fromStdString(groupedText(rows)));
  if (rows > 0 && outcome.limit == outcome.answer.rows) status += tr(", as many as LIMIT allows,");
  status += tr(" in %1").arg(QString::fromStdString(durationText(m_since.nsecsElapsed())));
  if (outcome.answer.cut) status += tr(". The query has more; add a LIMIT or group.");
  if (rows > 0 && m_places.lead()) status += tr(". Double-click a row to see it in the timeline.");
  m_status->setText(status);
  m_mark->setEnabled(rows > 0 && m_places.lead());
}

void QueryPanel::showProblem(const SqlProblem& problem) {
  const QString words = QString::fromStdString(problem.text);
  m_status->setText(words);
  static const QRegularExpression kPlace(QStringLiteral("^line (\\d+), column (\\d+):"));
  const QRegularExpressionMatch match = kPlace.match(words);
  if (match.hasMatch()) m_editor->goTo(match.captured(1).toInt(), match.captured(2).toInt());
}

// Another result has other columns, so it gets a card of its own.
void QueryPanel::showResult(std::shared_ptr<const ResultTable> table, const QString& emptyText) {
  delete m_result;
  m_result = new TableCard(tr("Result"), table ? columnsOf(*table) : std::vector<ShownColumn>(), m_session);
  m_result->setMinimumHeight(scaledToText(kLeastTableHeight));
  m_result->setFilterHint(tr("Filter rows"));
  m_result->setTable(table, emptyText);
  m_table = std::move(table);
  m_mark->setEnabled(false);
  connect(m_result, &TableCard::rowActivated, this, &QueryPanel::followRow);
  connect(m_result, &TableCard::shownRowsChanged, this, &QueryPanel::drawRows);
  m_resultPlace->insertWidget(0, m_result, 1);
  m_chart->setTable(m_table, emptyText);
  showForm();
}

void QueryPanel::showForm() {
  const bool chart = m_form->chosen() == 1;
  m_result->setVisible(!chart);
  m_chart->setVisible(chart);
  drawRows();
}

// The rows that the table shows, in its order.
void QueryPanel::drawRows() {
  if (m_form->chosen() != 1) return;
  std::vector<int> rows;
  rows.reserve(static_cast<std::size_t>(m_result->shownRows()));
  for (int place = 0; place < m_result->shownRows(); ++place) rows.push_back(m_result->tableRow(place));
  m_chart->setRows(std::move(rows), m_shownOf && m_places.lead());
}

void QueryPanel::followRow(int row) {
  if (!m_shownOf || !m_table || row < 0 || !m_places.lead()) return;
  const SqlDatabase& database = *m_shownOf->database;
  const auto at = static_cast<std::size_t>(row);
  if (const auto event = eventOfRow(database, *m_table, m_places, at)) {
    m_session.reveal(*event);
  } else if (const auto range = rangeOfRow(database, *m_table, m_places, at)) {
    const RankIndex rank = rankOfRow(database, *m_table, m_places, at);
    m_session.revealPlace(rank, *range);
    if (!range->empty()) m_session.setRange(m_session.drawn(rank, *range));
  } else {
    return;
  }
  emit timelineWanted();
}

void QueryPanel::markRows() {
  if (!m_shownOf || !m_table) return;
  std::vector<int> rows = m_result->selectedRows();
  if (rows.size() < 2) {
    rows.clear();
    for (int place = 0; place < std::min<int>(m_result->shownRows(), kMostRegions); ++place)
      rows.push_back(m_result->tableRow(place));
  }
  if (rows.size() > kMostRegions) rows.resize(kMostRegions);
  m_session.undoStack().beginMacro(tr("Mark rows of a query"));
  int marked = 0;
  for (const int row : rows) {
    const auto at = static_cast<std::size_t>(row);
    const auto range = rangeOfRow(*m_shownOf->database, *m_table, m_places, at);
    if (!range) continue;
    Region region;
    region.name = QString::fromStdString(nameOfRow(*m_table, at)).left(80);
    region.range =
        m_session.recorded(m_session.drawn(rankOfRow(*m_shownOf->database, *m_table, m_places, at), *range));
    region.color = marked++ % kMarkColors;
    m_session.marks().add(region);
  }
  m_session.undoStack().endMacro();
  m_status->setText(marked == 1 ? tr("1 region was marked.") : tr("%1 regions were marked.").arg(marked));
}

void QueryPanel::askForName() {
  bool accepted = false;
  const QString name =
      QInputDialog::getText(this, tr("Save query"), tr("Name"), QLineEdit::Normal, {}, &accepted).trimmed();
  if (accepted && !name.isEmpty()) saveAs(name);
}

void QueryPanel::saveAs(const QString& name) {
  m_saved.save(name, m_editor->toPlainText());
  m_status->setText(tr("Saved as %1.").arg(name));
}

void QueryPanel::takeFocus() {
  m_editor->setFocus();
}

bool QueryPanel::claimsKey(const QKeyEvent& event) const {
  const bool enter = event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter;
  return (enter && event.modifiers().testFlag(Qt::ControlModifier)) ||
         (event.key() == Qt::Key_Escape && running());
}

bool QueryPanel::pressKey(const QKeyEvent& event) {
  if (!claimsKey(event)) return false;
  if (event.key() == Qt::Key_Escape)
    cancel();
  else
    run();
  return true;
}

namespace tabs {

TabPage* query(const TabContext& context) {
  return new QueryPanel(context.session, context.settings);
}

} // namespace tabs

} // namespace rankscope::ui
