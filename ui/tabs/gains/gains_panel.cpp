// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/gains/gains_panel.h"

#include "core/model/rank_digest.h"
#include "ui/base/highlight_choice.h"
#include "ui/base/text_scale.h"
#include "ui/base/ui_text.h"
#include "ui/findings/finding_target.h"
#include "ui/job/acceptances.h"
#include "ui/job/trace_session.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/gains/gap_card.h"
#include "ui/tabs/gains/slowdown_cards.h"
#include "ui/tabs/gains/what_if_cards.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/tab_context.h"
#include "ui/widgets/wrapped_label.h"

#include <QComboBox>
#include <QFrame>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <optional>

namespace rankscope::ui {

namespace {

constexpr int kTableRows = 12;
constexpr int kChoiceLetters = 18; // "Mean of kept steps"
constexpr int kAroundChart = 110;  // title and legend
constexpr TimeNs kInstant = 1'000; // shorter than any useful view
constexpr TimeNs kAroundInstant = 50'000;

std::vector<ShownColumn> leafColumns() {
  return {
      {.source = "title", .title = tr("Part")},
      {.source = "leaf",
       .title = tr("Name in tables"),
       .tip = tr("As in the column leaf of tables, queries and --ignore"),
       .hidden = true},
      {.source = "time_us",
       .title = tr("Time"),
       .tip = tr("Time per step; of the range or the recording if no kept step begins in it. All parts add "
                 "up to it"),
       .footer = Footer::Sum},
      {.source = "share_pct",
       .title = tr("Share"),
       .tip = tr("Share of the sum of all parts"),
       .share = true,
       .footer = Footer::Sum},
      {.source = "gain_low_us",
       .title = tr("Gain at least"),
       .tip = tr("Lower bound of what fixing the finding saves of this part, at most its time; the whole "
                 "gain is in the "
                 "finding"),
       .hide = Hide::AllEmpty},
      {.source = "gain_high_us",
       .title = tr("Gain at most"),
       .tip = tr("Upper bound of what fixing the finding saves of this part, at most its time; the whole "
                 "gain is in the "
                 "finding"),
       .hide = Hide::AllEmpty},
      {.source = "finding", .title = tr("Finding"), .hide = Hide::AllEmpty},
      {.source = "class",
       .title = tr("Category"),
       .tip = tr("compute: a compute kernel runs; exposed communication: a collective and no compute kernel; "
                 "memcpy: memcpy or memset alone; idle: nothing runs on the device")},
      {.source = "min_us",
       .title = tr("Min over ranks"),
       .tip = tr("Mean over the same steps, of the rank with the least"),
       .hide = Hide::AllEmpty},
      {.source = "max_us",
       .title = tr("Max over ranks"),
       .tip = tr("Mean over the same steps, of the rank with the most"),
       .hide = Hide::AllEmpty},
      {.source = "max_rank",
       .title = tr("Rank with max"),
       .tip = tr("The rank with the most"),
       .hide = Hide::AllEmpty},
  };
}

} // namespace

GainsPanel::GainsPanel(TraceSession& session, QSettings& settings, QWidget* parent)
    : AnalysisPage(session.pending(), parent), m_session(session), m_sentence(new WrappedLabel),
      m_notes(new WrappedLabel), m_waterfall(new Waterfall(session)),
      m_chart(new ChartCard(tr("Where the step goes"), m_waterfall, session)),
      m_table(new TableCard(tr("Time by cause"), leafColumns(), session)),
      m_whatIf(new WhatIfCards(session, settings)), m_slowdown(new SlowdownCards(session, settings)),
      m_gaps(new GapCard(session, settings)), m_rank(new QComboBox), m_step(new QComboBox) {
  m_sentence->setObjectName(QStringLiteral("cardTitle"));
  m_notes->setObjectName(QStringLiteral("figureNote"));
  m_rank->setToolTip(tr("Rank"));
  m_step->setToolTip(tr("Step"));
  m_rank->setAccessibleName(tr("Rank"));
  m_step->setAccessibleName(tr("Step"));
  makeTable();
  m_table->setMemoryKey(settings, QStringLiteral("gains.account"));
  auto* head = new QFrame;
  head->setObjectName(QStringLiteral("card"));
  auto* texts = new QVBoxLayout(head);
  texts->setContentsMargins(18, 12, 18, 12);
  texts->setSpacing(6);
  texts->addWidget(m_sentence);
  texts->addWidget(m_notes);
  auto* choices = new FlowLayout(nullptr, 8);
  for (QComboBox* choice : {m_rank, m_step}) {
    choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    choice->setMinimumContentsLength(kChoiceLetters);
    choices->addWidget(choice);
  }
  texts->addLayout(choices);
  auto* inner = new QWidget;
  inner->setObjectName(QStringLiteral("page"));
  auto* column = new QVBoxLayout(inner);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(12);
  column->addWidget(head);
  column->addWidget(m_chart, 2);
  column->addWidget(m_table, 1);
  column->addWidget(m_gaps);
  column->addWidget(m_whatIf, 1);
  column->addWidget(m_slowdown, 1);
  column->addStretch();
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(inner);
  auto* page = new QVBoxLayout(this);
  page->setContentsMargins(0, 0, 0, 0);
  page->addWidget(scroll);
  connect(m_whatIf, &WhatIfCards::timelineWanted, this, &GainsPanel::timelineWanted);
  connect(m_slowdown, &SlowdownCards::timelineWanted, this, &GainsPanel::timelineWanted);
  connect(m_gaps, &GapCard::timelineWanted, this, &GainsPanel::timelineWanted);
  connect(&m_session.acceptances(), &Acceptances::changed, this, &GainsPanel::showBars);
  connect(m_waterfall, &Waterfall::rowClicked, this, &GainsPanel::chooseBar);
  connect(m_waterfall, &Waterfall::rowHovered, this, [this](int row) {
    const bool one = row >= 0 && m_bars[static_cast<std::size_t>(row)].leaves.size() == 1;
    m_table->markRow(one ? static_cast<int>(m_bars[static_cast<std::size_t>(row)].leaves.front()) : -1);
  });
  for (QComboBox* choice : {m_rank, m_step}) connect(choice, &QComboBox::activated, this, &GainsPanel::ask);
  setReportContents<GainsData>([](const JobReport& report) { return gainsData(report, {}); },
                               [this](const std::shared_ptr<const GainsData>& made) { showData(made); });
  showData(nullptr);
}

void GainsPanel::makeTable() {
  m_table->setStretchColumn("finding");
  m_table->setCaption(tr("double-click a row to see where it lasts longest"));
  m_table->setBarColor([this](int row, const Theme& theme) {
    const auto leaf = leafNamed(m_table->model().textOf(row, "leaf").toStdString());
    return leaf ? theme.*fillOf(leafGroup(*leaf)).color : theme.accent;
  });
  connect(m_table, &TableCard::rowActivated, this, [this](int row) {
    if (row >= 0) openLeaf(static_cast<std::size_t>(row));
  });
  connect(m_table, &TableCard::rowHovered, this, [this](int row) { m_waterfall->markRow(barOfLeaf(row)); });
  connect(m_table, &TableCard::rowSelected, this, [this](int row) { m_waterfall->markRow(barOfLeaf(row)); });
}

void GainsPanel::showOnly(const QString& words) {
  m_table->setFilterWords(words);
}

// Another choice: the same report, other content.
void GainsPanel::ask() {
  if (!m_data) return;
  const int rank = m_rank->currentIndex() - 1;
  const int step = m_step->currentIndex() - 1;
  GainsChoice choice;
  if (rank >= 0 && static_cast<std::size_t>(rank) < m_data->ranks.size())
    choice.rank = m_data->ranks[static_cast<std::size_t>(rank)].what;
  if (step >= 0 && static_cast<std::size_t>(step) < m_data->steps.size())
    choice.step = m_data->steps[static_cast<std::size_t>(step)].what;
  if (choice == m_choice) return;
  m_choice = choice;
  setReportContents<GainsData>([choice](const JobReport& report) { return gainsData(report, choice); },
                               [this](const std::shared_ptr<const GainsData>& made) { showData(made); });
}

void GainsPanel::showData(const std::shared_ptr<const GainsData>& made) {
  m_data = made;
  listChoices();
  const QString wait = tr("Computing …");
  m_sentence->setText(!made ? wait : made->sentence.isEmpty() ? made->whyEmpty : made->sentence);
  m_notes->setText(made ? made->notes : QString());
  m_notes->setVisible(made && !made->notes.isEmpty());
  const bool step = !made || made->whole.isEmpty();
  m_chart->setTitle(step ? tr("Where the step goes") : tr("Where the %1 goes").arg(made->whole));
  m_chart->setEmptyText(made ? made->whyEmpty : wait);
  m_table->setTable(made ? made->table : nullptr, made ? made->whyEmpty : wait);
  m_table->setMinimumHeight(m_table->heightFor(kTableRows));
  m_table->setMaximumHeight(m_table->heightFor(m_table->shownRows()));
  showBars();
  if (!made || m_gapsOf != report()) {
    m_gapsOf = made ? report() : nullptr;
    m_gaps->setReport(m_gapsOf);
  }
  // After the account, which does not wait for the graph of the job.
  // It replays events, which a digest has not.
  const bool replayable = made && !hasDigests(report()->analysis().trace());
  m_whatIf->setReport(replayable ? report() : nullptr);
  m_whatIf->setVisible(!made || replayable);
  m_slowdown->setReport(replayable ? report() : nullptr);
  m_slowdown->setVisible(!made || replayable);
}

void GainsPanel::listChoices() {
  const QSignalBlocker quietRank(m_rank);
  const QSignalBlocker quietStep(m_step);
  m_rank->clear();
  m_step->clear();
  m_rank->addItem(m_data ? tr("Mean of %1").arg(m_data->ranksText) : tr("Mean of all ranks"));
  m_step->addItem(tr("Mean of kept steps"));
  if (m_data) {
    for (const auto& rank : m_data->ranks) {
      m_rank->addItem(rank.title);
      if (m_data->chosen.rank == rank.what) m_rank->setCurrentIndex(m_rank->count() - 1);
    }
    for (const auto& step : m_data->steps) {
      m_step->addItem(step.title);
      if (m_data->chosen.step == step.what) m_step->setCurrentIndex(m_step->count() - 1);
    }
  }
  m_rank->setVisible(m_rank->count() > 2);
  m_step->setVisible(m_step->count() > 2);
}

void GainsPanel::showBars() {
  m_bars = m_data ? accountBars(m_data->view, m_expanded) : std::vector<AccountBar>();
  m_waterfall->setRows(
      m_data && report()
          ? waterfallRows(*m_data, m_bars, acceptedLeaves(*m_data, *report(), m_session.acceptances().all()))
          : WaterfallRows());
  m_chart->setLegend(gainsLegend(m_bars));
  m_chart->setLeastChartHeight(m_waterfall->sizeHint().height());
  m_chart->setMaximumHeight(m_waterfall->largestHeight() + scaledToText(kAroundChart));
  m_chart->setCaption({},
                      m_data && !m_bars.empty()
                          ? tr("click a row to open its finding, or its longest occurrence on the timeline")
                          : QString());
}

int GainsPanel::barOfLeaf(int leaf) const {
  if (leaf < 0) return -1;
  const auto found = std::ranges::find_if(m_bars, [&](const AccountBar& bar) {
    return std::ranges::find(bar.leaves, static_cast<std::size_t>(leaf)) != bar.leaves.end();
  });
  return found == m_bars.end() ? -1 : static_cast<int>(found - m_bars.begin());
}

void GainsPanel::chooseBar(int row) {
  if (row < 0 || static_cast<std::size_t>(row) >= m_bars.size()) return;
  const AccountBar bar = m_bars[static_cast<std::size_t>(row)];
  if (bar.leaves.size() == 1) return openLeaf(bar.leaves.front());
  m_expanded[static_cast<std::size_t>(bar.group)] = true;
  showBars();
}

// Of a chosen rank or step, the finding may speak of another one.
void GainsPanel::openLeaf(std::size_t at) {
  if (!m_data || !report() || at >= m_data->view.leaves.size()) return;
  const AccountLeaf& leaf = m_data->view.leaves[at];
  const std::vector<Finding>& findings = report()->findings();
  const bool means = m_data->view.part == AccountPart();
  if (means && !leaf.findings.empty() && !leaf.ofBranch && leaf.findings.front() < findings.size()) {
    emit findingOpened(findings[leaf.findings.front()]);
    return;
  }
  revealLongest(leaf);
}

void GainsPanel::revealLongest(const AccountLeaf& leaf) {
  const LongestPiece& piece = leaf.longest;
  if (!piece.rank.valid() || !m_session.trace()) return;
  JobRange place = analysis()->clocks().of(piece.rank).toJob(RankRange::of(piece.range));
  if (leaf.timeClass == TimeClass::Idle)
    m_session.selectGap(GapRef{piece.rank, gapAround(*analysis(), piece.rank, place)});
  else if (piece.event.valid())
    m_session.select({piece.rank, piece.event});
  if (place.length() < kInstant) place = {place.begin - kAroundInstant, place.end + kAroundInstant};
  m_session.revealPlace(piece.rank, place);
  emit timelineWanted();
}

namespace tabs {

TabPage* gains(const TabContext& context) {
  return new GainsPanel(context.session, context.settings);
}

} // namespace tabs

} // namespace rankscope::ui
