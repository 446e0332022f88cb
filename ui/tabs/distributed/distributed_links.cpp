// SPDX-License-Identifier: GPL-3.0-or-later
// Signals between the charts and tables of the distributed tab and the timeline.
#include "core/report/collective_totals_table.h"
#include "ui/job/reveal_step.h"
#include "ui/job/trace_session.h"
#include "ui/tables/model_parts.h"
#include "ui/tabs/distributed/distributed_panel.h"
#include "ui/widgets/compare_menu.h"

#include <QCoreApplication>
#include <QKeySequence>
#include <QMenu>
#include <QShortcut>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace rankscope::ui {

namespace {

// Two selected ranks are compared with each other; one with any other.
void addRankEntries(QMenu& menu, TraceSession& session, const std::vector<RankIndex>& selected,
                    RankIndex clicked) {
  const auto partOf = [&](RankIndex rank) {
    return JobPart{JobPart::Kind::Rank, session.trace()->rank(rank).rank, 0, {}};
  };
  if (selected.size() != 2 || partOf(selected[0]) == partOf(selected[1]))
    return addCompareEntriesOfRank(menu, session, clicked);
  ComparedParts& parts = ComparedParts::of(session);
  const JobPart a = partOf(selected[0]);
  const JobPart b = partOf(selected[1]);
  menu.addAction(QCoreApplication::translate("Compare", "Compare %1 with %2").arg(partTitle(a), partTitle(b)),
                 &parts, [&parts, a, b] { parts.compare(a, b); });
}

} // namespace

void DistributedPanel::connectCharts() {
  for (StackedBars* bars : {m_shares, m_waits}) {
    connect(bars, &StackedBars::rowHovered, this,
            [this](int row) { markRank(m_data ? m_data->rankOfBar(row) : RankIndex()); });
    connect(bars, &StackedBars::partClicked, this, [this](int row, int) {
      if (m_data) revealRank(m_data->rankOfBar(row));
    });
  }
  connect(m_stepTimes, &LinePlot::curveHovered, this, [this](int curve) {
    if (!m_data) return;
    const auto& ranks = shownSteps().rankOfCurve;
    markRank(curve < 0 ? RankIndex() : ranks[static_cast<std::size_t>(curve)]);
  });
  connect(m_stepTimes, &LinePlot::clicked, this, &DistributedPanel::clickSteps);
  connect(m_arrivals, &HeatMap::rowHovered, this, [this](int row) {
    if (!m_data || !m_data->arrivals) return;
    markRank(row < 0 ? RankIndex() : m_data->arrivals->rows()[static_cast<std::size_t>(row)]);
  });
  connect(m_arrivals, &HeatMap::cellPicked, this, &DistributedPanel::clickArrival);
}

void DistributedPanel::connectTables() {
  connect(m_ranks, &TableCard::rowActivated, this, [this](int row) {
    if (m_data && row >= 0) revealRank(m_data->sums[static_cast<std::size_t>(row)].rank);
  });
  connect(m_ranks, &TableCard::rowHovered, this, [this](int row) {
    markRank(m_data && row >= 0 ? m_data->sums[static_cast<std::size_t>(row)].rank : RankIndex());
  });
  connect(m_ranks, &TableCard::menuAboutToShow, this, [this](QMenu* menu, int row) {
    if (!m_data || row < 0 || !m_session.trace()) return;
    std::vector<RankIndex> selected;
    for (const int at : m_ranks->selectedRows())
      selected.push_back(m_data->sums[static_cast<std::size_t>(at)].rank);
    menu->addSeparator();
    addRankEntries(*menu, m_session, selected, m_data->sums[static_cast<std::size_t>(row)].rank);
  });
  connect(m_collectives, &TableCard::rowActivated, this,
          [this](int row) { revealOccurrence(row, Occurrence::First); });
  connect(m_collectives, &TableCard::menuAboutToShow, this, [this](QMenu* menu, int row) {
    if (row < 0) return;
    menu->addSeparator();
    const auto add = [&](const QString& text, Occurrence which) {
      menu->addAction(text, this, [this, row, which] { revealOccurrence(row, which); });
    };
    add(tr("Show the first call in the timeline"), Occurrence::First);
    add(tr("Next call (N)"), Occurrence::Next);
    add(tr("Previous call (Shift+N)"), Occurrence::Previous);
  });
  const auto walk = [this](const QKeySequence& keys, Occurrence which) {
    auto* shortcut = new QShortcut(keys, m_collectives);
    shortcut->setContext(Qt::WidgetWithChildrenShortcut);
    connect(shortcut, &QShortcut::activated, this,
            [this, which] { revealOccurrence(m_collectives->selectedRow(), which); });
  };
  walk(QKeySequence(Qt::Key_N), Occurrence::Next);
  walk(QKeySequence(Qt::SHIFT | Qt::Key_N), Occurrence::Previous);
}

void DistributedPanel::stepCalls(int by) {
  revealOccurrence(m_collectives->selectedRow(), by > 0 ? Occurrence::Next : Occurrence::Previous);
}

bool DistributedPanel::canStepCalls() {
  return m_data && m_collectives->selectedRow() >= 0;
}

const StepCurves& DistributedPanel::shownSteps() const {
  return stepFigure() == StepFigure::Duration ? m_data->durations : m_data->timesExcludingCommunication;
}

void DistributedPanel::markRank(RankIndex rank) {
  if (!m_data || m_marked == rank) return;
  m_marked = rank;
  m_shares->markRow(rank.valid() ? m_data->barOf(rank) : -1);
  m_waits->markRow(rank.valid() ? m_data->barOf(rank) : -1);
  m_ranks->markRow(rank.valid() ? m_data->rowOf(rank) : -1);
  const auto& curves = shownSteps().rankOfCurve;
  const auto curve = std::ranges::find(curves, rank);
  m_stepTimes->markCurve(rank.valid() && curve != curves.end() ? static_cast<int>(curve - curves.begin())
                                                               : -1);
  if (!m_data->arrivals) return;
  const std::optional<std::size_t> row = rank.valid() ? m_data->arrivals->rowOf(rank) : std::nullopt;
  m_arrivals->markRow(row ? static_cast<int>(*row) : -1);
}

void DistributedPanel::revealRank(RankIndex rank) {
  if (!rank.valid() || !m_session.trace()) return;
  m_session.revealPlace(rank, JobRange::of(m_session.trace()->rank(rank).trace->extent));
  emit timelineWanted();
}

void DistributedPanel::showStep(RankIndex rank, std::int64_t number) {
  if (m_data && revealStep(m_session, *m_data->analysis, rank, number)) emit timelineWanted();
}

void DistributedPanel::revealEvent(EventRef event) {
  if (!event.valid() || !m_session.trace()) return;
  m_session.reveal(event);
  emit timelineWanted();
}

// A click on the median selects the rank with the longest step.
void DistributedPanel::clickSteps(int curve, double x) {
  if (!m_data || curve < 0) return;
  const StepCurves& shown = shownSteps();
  const RankIndex rank = shown.rankOfCurve[static_cast<std::size_t>(curve)];
  if (shown.perRank && rank.valid())
    return showStep(rank, m_data->analysis->stepWindows(rank).steps.front().number);
  const auto number = static_cast<std::int64_t>(std::llround(x));
  showStep(rank.valid() ? rank : longestRankIn(*m_data->analysis, number), number);
}

void DistributedPanel::clickArrival(int column, int row) {
  if (!m_data || !m_data->arrivals) return;
  const Analysis& analysis = *m_data->analysis;
  const auto place = m_data->arrivals->placeOf(analysis.collectives().match, static_cast<std::size_t>(column),
                                               static_cast<std::size_t>(row));
  if (!place) return;
  const Participant& part = *place->part;
  revealEvent({part.rank, analysis.collectiveCalls(part.rank)[part.call].event});
}

void DistributedPanel::revealOccurrence(int tableRow, Occurrence which) {
  const auto& table = m_collectives->model().table();
  if (!m_data || !table || tableRow < 0) return;
  const auto all =
      occurrencesOf(*m_data->analysis, collectiveRowKey(*table, static_cast<std::size_t>(tableRow)));
  if (all.empty()) return;
  const auto count = static_cast<std::ptrdiff_t>(all.size());
  const auto selected = std::ranges::find_if(all, [&](const CollectiveOccurrence& at) {
    return m_session.selection() == EventRef{at.rank, at.event};
  });
  std::ptrdiff_t place = 0;
  if (which != Occurrence::First && selected != all.end())
    place = (selected - all.begin() + (which == Occurrence::Next ? 1 : count - 1)) % count;
  else if (which == Occurrence::Previous)
    place = count - 1;
  const CollectiveOccurrence& at = all[static_cast<std::size_t>(place)];
  revealEvent({at.rank, at.event});
}

} // namespace rankscope::ui
