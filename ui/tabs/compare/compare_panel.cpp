// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/compare/compare_panel.h"

#include "ui/base/text_scale.h"
#include "ui/charts/chart_card.h"
#include "ui/job/job_beside.h"
#include "ui/job/trace_session.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/compare/compare_columns.h"
#include "ui/tabs/compare/row_choice.h"
#include "ui/widgets/choice_row.h"
#include "ui/widgets/tab_context.h"
#include "ui/widgets/wrapped_label.h"

#include <QComboBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kTableRows = 9;
QStringList droppedPaths(const QMimeData* data) {
  QStringList paths;
  for (const QUrl& url : data->urls()) {
    if (url.isLocalFile()) paths << url.toLocalFile();
  }
  return paths;
}

QComboBox* choiceOf(const QString& name) {
  auto* choice = new QComboBox;
  choice->setToolTip(name);
  choice->setAccessibleName(name);
  choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  return choice;
}

} // namespace

ComparePanel::ComparePanel(const TabContext& context, QWidget* parent)
    : AnalysisPage(context.session.pending(), parent), m_session(context.session),
      m_other(loadTraces, &context.session.pending()), m_stack(new QStackedWidget), m_empty(new WrappedLabel),
      m_emptyPart(choiceOf(tr("Side A"))), m_partA(choiceOf(tr("Side A"))), m_partB(choiceOf(tr("Side B"))),
      m_titleA(new QLabel), m_titleB(new QLabel), m_close(new QPushButton(tr("Close B"))),
      m_sentence(new WrappedLabel), m_verdict(new QLabel), m_explanation(new WrappedLabel),
      m_notes(new WrappedLabel), m_dots(new StepDots(m_session)), m_aligned(new AlignedSteps(m_session)),
      m_alignedCard(new ChartCard(tr("Aligned steps"), m_aligned, m_session)), m_rank(choiceOf(tr("Rank"))),
      m_step(choiceOf(tr("Step pair"))), m_waterfall(new DeltaWaterfall(m_session)),
      m_waterfallCard(new ChartCard(tr("Step time from A to B"), m_waterfall, m_session)),
      m_which(new ChoiceRow(tr("Table"), compareTableTitles())), m_rowOrder(choiceOf(tr("Order of rows"))),
      m_rowFilter(choiceOf(tr("Rows"))), m_tableStack(new QStackedWidget),
      m_across(new QBoxLayout(QBoxLayout::LeftToRight)), m_middle(new QBoxLayout(QBoxLayout::LeftToRight)),
      m_bottom(new QBoxLayout(QBoxLayout::LeftToRight)), m_callStrip(new QFrame), m_call(new QLabel),
      m_export(context.session.pending()) {
  setAcceptDrops(true);
  makeTables(context.settings);
  m_stack->addWidget(makeEmptyPage());
  m_stack->addWidget(makePage());
  auto* page = new QVBoxLayout(this);
  page->setContentsMargins(0, 0, 0, 0);
  page->addWidget(m_stack);
  addActions(context.actions);
  connectOther();
  connect(m_partA, &QComboBox::activated, this, &ComparePanel::chooseParts);
  connect(m_partB, &QComboBox::activated, this, &ComparePanel::chooseParts);
  connect(m_rank, &QComboBox::activated, this, [this](int row) {
    if (!m_data || static_cast<std::size_t>(row) >= m_data->steps.ranks.size()) return;
    m_choice.rank = m_data->steps.ranks[static_cast<std::size_t>(row)];
    askForSteps();
  });
  connect(m_step, &QComboBox::activated, this, [this](int row) {
    m_choice.position = static_cast<std::size_t>(row) + 1;
    askForSteps();
  });
  connectCalls();
  connect(m_dots, &StepDots::dotClicked, this, &ComparePanel::revealDot);
  connect(m_waterfall, &DeltaWaterfall::rowChosen, this, &ComparePanel::chooseRow);
  connect(m_which, &ChoiceRow::chosenChanged, this, &ComparePanel::showTable);
  m_rowOrder->addItems(rowOrderTitles());
  m_rowFilter->addItems(rowFilterTitles());
  connect(m_rowOrder, &QComboBox::activated, this, &ComparePanel::orderRows);
  connect(m_rowFilter, &QComboBox::activated, this, &ComparePanel::showRows);
  m_which->choose(static_cast<int>(CompareTable::Operators));
  ask();
  showWaiting();
}

void ComparePanel::connectOther() {
  connect(&m_other, &JobDocument::analyzed, this, [this] {
    m_problem.clear();
    m_choice.other = m_other.tables().report;
    JobBeside::of(m_session).setReport(m_choice.other);
    ask();
  });
  connect(&m_other, &JobDocument::failed, this, [this](const Error& error, bool) {
    m_problem = QString::fromStdString(error.text());
    showWaiting();
  });
}

void ComparePanel::openBeside(const QStringList& paths, const LoadOptions& options) {
  m_problem.clear();
  m_otherPaths = paths;
  m_choice.a = m_choice.b = SidePart();
  m_choice.swapped = false;
  m_other.open(paths, options);
  showWaiting();
}

void ComparePanel::chooseOther(bool folder) {
  const QString title = tr("Compare with");
  const QStringList paths = folder ? QStringList(QFileDialog::getExistingDirectory(this, title))
                                   : QFileDialog::getOpenFileNames(this, title);
  if (paths.isEmpty() || paths.front().isEmpty()) return;
  openBeside(paths, {});
  showTab();
}

void ComparePanel::closeOther() {
  m_other.close();
  JobBeside::of(m_session).setReport(nullptr);
  m_choice = CompareChoice();
  ask();
}

void ComparePanel::choose(const SidePart& a, const SidePart& b) {
  m_choice.a = a;
  m_choice.b = b;
  m_choice.rank = -1;
  ask();
}

// As the lists stand. Those of exchanged sides are exchanged, too.
void ComparePanel::chooseParts() {
  if (!m_data) return;
  const auto at = [](QComboBox* list, const std::vector<PartOption>& options) {
    const int row = list->currentIndex();
    return row >= 0 && static_cast<std::size_t>(row) < options.size()
               ? options[static_cast<std::size_t>(row)].part
               : JobPart();
  };
  const bool swapped = m_choice.swapped;
  choose(at(swapped ? m_partB : m_partA, m_data->partsA), at(swapped ? m_partA : m_partB, m_data->partsB));
}

void ComparePanel::swapSides() {
  m_choice.swapped = !m_choice.swapped;
  ask();
}

void ComparePanel::ask() {
  m_shownChoice = m_choice;
  setReportContents<CompareData>(
      [choice = m_choice](const JobReport& report) { return compareData(report, choice); },
      [this](const std::shared_ptr<const CompareData>& data) { showData(data); });
}

void ComparePanel::askForSteps() {
  const auto data = m_data;
  if (!data || !data->comparison || !m_choice.sameSides(m_shownChoice)) return ask();
  m_shownChoice = m_choice;
  setReportContents<CompareData>(
      [data, choice = m_choice, of = report()](const JobReport& report) {
        return of.get() == &report ? withSteps(*data, choice) : compareData(report, choice);
      },
      [this](const std::shared_ptr<const CompareData>& shown) { showData(shown); });
}

void ComparePanel::showWaiting() {
  const bool loading = m_other.loading().running();
  const bool compared = m_data && m_data->comparison;
  const QString why = !m_problem.isEmpty() ? tr("The other job could not be opened: %1").arg(m_problem)
                      : loading            ? tr("Opening the other job …")
                      : !m_data            ? tr("Computing …")
                      : m_data->partsA.size() > 2
                          ? tr("Drop the folder of another run here, or choose what to compare: another "
                               "job, or two captures, hosts, ranks or steps of this one.")
                          : tr("Drop the folder of another run here, or choose another job.");
  m_empty->setText(why);
  m_stack->setCurrentIndex(compared && m_problem.isEmpty() ? 1 : 0);
}

void ComparePanel::fillParts() {
  const auto fill = [](QComboBox* list, const std::vector<PartOption>& parts, const SidePart& chosen) {
    const QSignalBlocker quiet(list);
    list->clear();
    for (const PartOption& option : parts) {
      list->addItem(option.title);
      if (option.part == chosen) list->setCurrentIndex(list->count() - 1);
    }
    list->setVisible(list->count() > 1);
  };
  fill(m_choice.swapped ? m_partB : m_partA, m_data->partsA, m_choice.a);
  fill(m_choice.swapped ? m_partA : m_partB, m_data->partsB, m_choice.b);
  const QSignalBlocker quiet(m_emptyPart);
  m_emptyPart->clear();
  m_emptyPart->addItem(tr("Within this job"));
  for (std::size_t i = 1; i < m_data->partsA.size(); ++i) m_emptyPart->addItem(m_data->partsA[i].title);
  m_emptyPart->setVisible(m_emptyPart->count() > 2);
  m_close->setVisible(m_choice.other != nullptr || m_choice.a != m_choice.b);
}

void ComparePanel::fillSteps() {
  const QSignalBlocker quietRank(m_rank);
  const QSignalBlocker quietStep(m_step);
  m_rank->clear();
  m_step->clear();
  for (const std::int64_t rank : m_data->steps.ranks) {
    m_rank->addItem(tr("Rank %1").arg(rank));
    if (rank == m_choice.rank) m_rank->setCurrentIndex(m_rank->count() - 1);
  }
  for (std::size_t i = 1; i <= m_data->steps.positions; ++i) m_step->addItem(tr("Step pair %1").arg(i));
  if (m_choice.position > m_data->steps.positions) m_choice.position = 1;
  m_step->setCurrentIndex(static_cast<int>(m_choice.position) - 1);
  m_rank->setVisible(m_rank->count() > 1);
  m_step->setVisible(m_step->count() > 1);
}

void ComparePanel::showData(const std::shared_ptr<const CompareData>& data) {
  const bool sameSides = data && data->comparison && m_data && m_data->comparison == data->comparison;
  m_data = data;
  if (!data) {
    m_choice.a = m_choice.b = SidePart();
    showWaiting();
    return;
  }
  fillSteps();
  showSteps();
  if (sameSides) return showWaiting();
  fillParts();
  const bool compared = data->comparison != nullptr;
  const auto title = [](QLabel* label, const QString& name, const QString& detail) {
    label->setText(QStringLiteral("<b>%1</b><br>%2").arg(name.toHtmlEscaped(), detail.toHtmlEscaped()));
    label->setToolTip(label->text());
  };
  title(m_titleA, data->titleA, data->detailA);
  title(m_titleB, data->titleB, data->detailB);
  m_sentence->setText(data->sentence);
  m_explanation->setText(data->explanation);
  m_notes->setText(data->notes);
  m_notes->setVisible(!data->notes.isEmpty());
  m_verdict->setVisible(compared);
  if (compared) {
    const Verdict verdict = data->comparison->verdict;
    m_verdict->setProperty("level", verdict == Verdict::Regression    ? QStringLiteral("bad")
                                    : verdict == Verdict::Improvement ? QStringLiteral("good")
                                                                      : QString());
    m_verdict->style()->unpolish(m_verdict);
    m_verdict->style()->polish(m_verdict);
    const std::string_view word = verdictText(data->comparison->verdict);
    m_verdict->setText(QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size()))
                           .replace(QLatin1Char('_'), QLatin1Char(' ')));
  }
  m_dots->setRows(data->dots);
  m_dots->setVisible(!data->dots.a.empty() && !data->dots.b.empty());
  m_waterfall->setRows(data->waterfall);
  m_waterfallCard->setLeastChartHeight(m_waterfall->sizeHint().height());
  showRows();
  for (TableCard* table : m_tables) table->setMinimumHeight(table->heightFor(kTableRows));
  showWaiting();
}

void ComparePanel::showRows() {
  if (!m_data) return;
  const auto filter = static_cast<RowFilter>(m_rowFilter->currentIndex());
  const QString none = filter == RowFilter::All ? tr("Neither side has any.") : tr("There are no such rows.");
  for (std::size_t i = 0; i < kCompareTableCount; ++i)
    m_tables[i]->setTable(filteredRows(m_data->tables[i], filter), none);
  if (m_rowOrder->currentIndex() != static_cast<int>(RowOrder::Largest)) orderRows();
}

// The largest change first is the order of the tables.
void ComparePanel::orderRows() {
  const auto order = static_cast<RowOrder>(m_rowOrder->currentIndex());
  for (TableCard* card : m_tables) {
    if (!card->model().table()) continue;
    const int column = card->model().columnOf(changeColumn(*card->model().table()));
    card->view().horizontalHeader()->setSortIndicator(order == RowOrder::Largest ? -1 : column,
                                                      order == RowOrder::FasterFirst ? Qt::AscendingOrder
                                                                                     : Qt::DescendingOrder);
  }
}

void ComparePanel::showSteps() {
  m_aligned->setPair(m_data->steps.pair);
  m_alignedCard->setVisible(m_data->steps.pair.valid());
  m_alignedCard->setLeastChartHeight(m_aligned->sizeHint().height());
  m_alignedCard->setCaption(
      alignedCountsText(m_data->steps.pair),
      tr("click a call to find it on the other side · Ctrl+wheel zooms, dragging pans"));
  followSelection();
  showCall();
}

void ComparePanel::showTable(int which) {
  m_shown = static_cast<CompareTable>(which);
  m_tableStack->setCurrentIndex(which);
  // One choice for all tables, in the head of the visible one.
  for (QComboBox* choice : {m_rowFilter, m_rowOrder}) {
    table().addControl(choice);
    choice->show();
  }
}

void ComparePanel::showOnly(const QString& words) {
  for (TableCard* card : m_tables) card->setFilterWords(words);
}

QWidget* ComparePanel::visibleTables() {
  return m_tableStack;
}

// The leaves of the chosen row among the classes, and the step pair that shows its difference.
void ComparePanel::chooseRow(int row) {
  if (row < 0 || !m_data || !m_data->comparison) return;
  m_which->choose(static_cast<int>(CompareTable::Classes));
  const auto& rows = m_data->waterfall.rows;
  if (static_cast<std::size_t>(row) >= rows.size()) return;
  const std::size_t pair = typicalPair(*m_data->comparison, rows[static_cast<std::size_t>(row)].parts);
  if (pair == 0 || pair > m_data->steps.positions || pair == m_choice.position) return;
  m_choice.position = pair;
  askForSteps();
}

void ComparePanel::stepPair(int by) {
  if (!m_data || m_data->steps.positions == 0) return;
  const auto next = static_cast<std::int64_t>(m_choice.position) + by;
  if (next < 1 || next > static_cast<std::int64_t>(m_data->steps.positions)) return;
  m_choice.position = static_cast<std::size_t>(next);
  askForSteps();
}

bool ComparePanel::claimsKey(const QKeyEvent& event) const {
  return event.modifiers() == Qt::ControlModifier &&
         (event.key() == Qt::Key_Left || event.key() == Qt::Key_Right);
}

bool ComparePanel::pressKey(const QKeyEvent& event) {
  if (!claimsKey(event)) return false;
  stepPair(event.key() == Qt::Key_Right ? 1 : -1);
  return true;
}

// Side by side as long as both halves can be read. In a very large window the tables, which are longest, have
// the whole width, and the waterfall, whose height is that of a step, is beside the steps.
void ComparePanel::resizeEvent(QResizeEvent* event) {
  AnalysisPage::resizeEvent(event);
  const bool wide = width() >= scaledToText(820);
  m_across->setDirection(wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  const bool veryWide = width() >= scaledToText(1300);
  m_bottom->setDirection(veryWide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  const bool besideSteps = width() >= scaledToText(2000);
  if ((m_middle->indexOf(m_waterfallCard) >= 0) == besideSteps) return;
  (besideSteps ? m_bottom : m_middle)->removeWidget(m_waterfallCard);
  (besideSteps ? m_middle : m_bottom)->insertWidget(0, m_waterfallCard, 2);
}

void ComparePanel::dragEnterEvent(QDragEnterEvent* event) {
  if (m_session.trace() && !droppedPaths(event->mimeData()).isEmpty())
    event->acceptProposedAction();
  else
    event->ignore();
}

void ComparePanel::dropEvent(QDropEvent* event) {
  const QStringList paths = droppedPaths(event->mimeData());
  if (paths.isEmpty()) return event->ignore();
  event->acceptProposedAction();
  openBeside(paths, {});
}

namespace tabs {

TabPage* compare(const TabContext& context) {
  return new ComparePanel(context);
}

} // namespace tabs

} // namespace rankscope::ui
