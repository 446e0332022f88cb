// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/gains/slowdown_cards.h"

#include "ui/base/text_scale.h"
#include "ui/base/ui_text.h"
#include "ui/charts/chart_card.h"
#include "ui/job/trace_session.h"
#include "ui/tables/table_card.h"

#include <QVBoxLayout>

#include <algorithm>

namespace rankscope::ui {

namespace {

constexpr int kSlowdownRows = 8;
constexpr int kWide = 1100; // from this width on, maps and table are beside each other
constexpr int kRowHeight = 18;
constexpr int kMostHeight = 420;
constexpr int kAroundCells = 60;

std::vector<ShownColumn> columns() {
  return {
      {.source = "key", .title = tr("Part")},
      {.source = "by",
       .title = tr("By"),
       .tip = tr("What the part is: job, step, rank, stage, kind of work")},
      {.source = "slowdown",
       .title = tr("Slowdown"),
       .tip = tr(
           "The step with only this part's times as recorded, divided by the step in which nothing is slow")},
      {.source = "explained_pct",
       .title = tr("Explains"),
       .tip = tr("Share of the loss that goes if these are as others"),
       .hide = Hide::AllEmpty},
  };
}

int heightFor(std::size_t rows) {
  return std::min(scaledToText(kMostHeight),
                  static_cast<int>(rows) * scaledToText(kRowHeight) + scaledToText(kAroundCells));
}

} // namespace

SlowdownCards::SlowdownCards(TraceSession& session, QSettings& settings, QWidget* parent)
    : QWidget(parent), m_session(session), m_columns(new QBoxLayout(QBoxLayout::TopToBottom, this)),
      m_ranks(new HeatMap(session)), m_stages(new HeatMap(session)),
      m_ranksCard(new ChartCard(tr("Slowdown by rank and step"), m_ranks, session)),
      m_stagesCard(new ChartCard(tr("Slowdown by stage and data-parallel rank"), m_stages, session)),
      m_table(new TableCard(tr("Slowdown"), columns(), session)), m_task(session.pending()) {
  m_table->setStretchColumn("key");
  m_table->setMemoryKey(settings, QStringLiteral("gains.slowdown"));
  auto* maps = new QVBoxLayout;
  maps->setSpacing(12);
  maps->addWidget(m_ranksCard);
  maps->addWidget(m_stagesCard);
  maps->addStretch();
  auto* table = new QVBoxLayout;
  table->addWidget(m_table);
  table->addStretch();
  m_columns->setContentsMargins(0, 0, 0, 0);
  m_columns->setSpacing(12);
  m_columns->addLayout(maps, 3);
  m_columns->addLayout(table, 2);
  m_ranks->setTipOf([this](std::size_t column, std::size_t row) {
    const QString step = column < m_view.ranks.marks.size() ? m_view.ranks.marks[column].text : QString();
    return tr("%1, step %2: the step is %3 % longer because of this rank")
        .arg(m_view.ranks.rowNames.value(static_cast<qsizetype>(row)), step)
        .arg(static_cast<double>(m_view.ranks.cells->at(column, row)), 0, 'f', 1);
  });
  m_stages->setTipOf([this](std::size_t column, std::size_t row) {
    return tr("%1, data-parallel rank %2: steps are %3 % longer because of it")
        .arg(m_view.stages.rowNames.value(static_cast<qsizetype>(row)))
        .arg(column)
        .arg(static_cast<double>(m_view.stages.cells->at(column, row)), 0, 'f', 1);
  });
  connect(m_ranks, &HeatMap::cellPicked, this, &SlowdownCards::open);
  setReport(nullptr);
}

void SlowdownCards::setReport(std::shared_ptr<const JobReport> report) {
  if (report && report == m_report) return;
  m_report = std::move(report);
  m_task.drop();
  showView({});
  const QString wait = tr("Computing …");
  m_ranksCard->setEmptyText(wait);
  m_table->setTable(nullptr, wait);
  if (!m_report) return;
  m_task.ask([report = m_report] { return std::make_shared<const SlowdownView>(slowdownView(*report)); },
             [this](const std::shared_ptr<const SlowdownView>& view) { showView(*view); });
}

void SlowdownCards::showView(SlowdownView view) {
  m_view = std::move(view);
  m_ranks->setContents(m_view.ranks);
  m_stages->setContents(m_view.stages);
  m_ranksCard->setLeastChartHeight(heightFor(m_view.recordings.size()));
  m_stagesCard->setLeastChartHeight(heightFor(static_cast<std::size_t>(m_view.stages.rowNames.size())));
  m_ranksCard->setCaption(m_view.caption, tr("click a cell to see the step"));
  m_ranksCard->setEmptyText(m_view.ranks.cells ? QString() : m_view.whyEmpty);
  m_stagesCard->setVisible(m_view.stages.cells != nullptr);
  m_table->setTable(m_view.table, m_view.whyEmpty);
  limitHeight();
}

void SlowdownCards::limitHeight() {
  m_table->setMinimumHeight(m_table->heightFor(kSlowdownRows));
  m_table->setMaximumHeight(
      std::max(m_table->minimumHeight(),
               std::min(m_table->heightFor(m_table->shownRows()), 2 * m_table->heightFor(kSlowdownRows))));
}

void SlowdownCards::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  m_columns->setDirection(width() < scaledToText(kWide) ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
  limitHeight();
}

void SlowdownCards::open(int column, int row) {
  const auto step = static_cast<std::size_t>(column);
  const auto rank = static_cast<std::size_t>(row);
  if (column < 0 || row < 0 || step >= m_view.stepOfColumn.size() || rank >= m_view.recordings.size()) return;
  const RankIndex recording = m_view.recordings[rank][step];
  if (!recording.valid()) return;
  m_session.revealPlace(recording, m_view.stepOfColumn[step]);
  emit timelineWanted();
}

} // namespace rankscope::ui
