// SPDX-License-Identifier: GPL-3.0-or-later
// Tracks of TimelineView: layout according to the session's choice, and actions that change the choice.
#include "ui/actions/actions.h"
#include "ui/timeline/canvas/timeline_canvas.h"
#include "ui/timeline/headers/track_headers.h"
#include "ui/timeline/ranks/step_alignment.h"
#include "ui/timeline/strips/figures_column.h"
#include "ui/timeline/strips/overview_strip.h"
#include "ui/timeline/strips/time_ruler.h"
#include "ui/timeline/strips/view_chips.h"
#include "ui/timeline/tracks/track_edits.h"
#include "ui/timeline/view/timeline_view.h"

#include <QMenu>
#include <QScrollBar>

#include <utility>

namespace rankscope::ui {

void TimelineView::connectCanvas(TimelineCanvas& canvas, TimelineCanvas& other) {
  connect(&canvas, &TimelineCanvas::cursorMoved, m_ruler, &TimeRuler::setCursorTime);
  connect(&canvas, &TimelineCanvas::cursorMoved, &other, &TimelineCanvas::setGuestCursor);
  connect(&canvas, &TimelineCanvas::rankToggled, this,
          [this](RankIndex rank) { setRankExpanded(rank, !m_layout.rankExpanded(rank)); });
  connect(&canvas, &TimelineCanvas::eventWanted, this, &TimelineView::goTo);
  connect(&canvas, &TimelineCanvas::eventClicked, this, &TimelineView::eventClicked);
  connect(&canvas, &TimelineCanvas::eventMenuWanted, this, &TimelineView::eventMenuWanted);
  const TrackLayout& layout = &canvas == m_canvas ? m_layout : m_pinnedLayout;
  connect(&canvas, &TimelineCanvas::laneMenuWanted, this, [this, &layout](int contentY, QPoint position) {
    if (const Section* const section = layout.sectionAt(contentY)) showTrackMenu(section->key, position);
  });
  connect(&canvas, &TimelineCanvas::otherRankWanted, this, [this](bool next) {
    m_actions->run(next ? QStringLiteral("collective.nextRank") : QStringLiteral("collective.previousRank"));
  });
}

void TimelineView::connectHeaders(TrackHeaders& headers) {
  const bool pinned = &headers == m_pinnedHeaders;
  connect(&headers, &TrackHeaders::toggled, this, &TimelineView::toggle);
  connect(&headers, &TrackHeaders::menuWanted, this, &TimelineView::showTrackMenu);
  connect(&headers, &TrackHeaders::pinToggled, this,
          [this](const TrackKey& key) { togglePinned(m_session, key); });
  connect(&headers, &TrackHeaders::hideWanted, this, [this, pinned](const TrackKey& key) {
    if (pinned)
      togglePinned(m_session, key);
    else
      hideTrack(m_session, key);
  });
  connect(&headers, &TrackHeaders::moved, this,
          [this, pinned](const TrackKey& key, const std::optional<TrackKey>& before) {
            move(key, before, pinned);
          });
  if (pinned) return;
  connect(&headers, &TrackHeaders::focusMoved, this, [this](int top, int bottom) {
    const int first = m_scrollBar->value();
    if (top < first + TrackLayout::headerHeight())
      m_scrollBar->setValue(top - TrackLayout::headerHeight());
    else if (bottom > first + m_canvas->height())
      m_scrollBar->setValue(bottom - m_canvas->height());
  });
}

void TimelineView::layOut() {
  const auto& trace = m_session.trace();
  const TimelineChoice& choice = m_session.choice();
  std::vector<RankGroup> groups;
  if (trace) groups = arrangeRanks(*trace, m_figures.get(), choice);
  // Scrolls to the first ranks after sorting, but not after dragging.
  const bool rearranged = std::exchange(m_groups, groups) != groups && choice.sort != RankSort::ByHand;
  m_layout.update(trace, choice, groups);
  m_pinnedLayout.update(trace, choice);
  m_chips->refresh();
  arrange();
  m_canvas->layoutChanged();
  m_pinnedCanvas->layoutChanged();
  m_headers->update();
  m_pinnedHeaders->update();
  m_figuresColumn->update();
  if (rearranged) m_scrollBar->setValue(0);
  if (trace && needsFigures(choice) && !m_figures) askForFigures();
}

// Keeps the first visible line in place, or its rank's header if the line is gone.
void TimelineView::choiceChanged() {
  const int top = m_scrollBar->value();
  const Section* const first =
      m_layout.sectionAt(top + (m_layout.stickyRank(top).valid() ? TrackLayout::headerHeight() : 0));
  const auto key = first ? std::optional(first->key) : std::nullopt;
  const int offset = first ? first->top - top : 0;
  const std::vector<RankGroup> groups = m_groups;
  applyAlignment();
  layOut();
  if (!key || top == 0 || (groups != m_groups && m_scrollBar->value() == 0)) return;
  if (const Section* const same = m_layout.sectionOf(*key))
    m_scrollBar->setValue(same->top - offset);
  else if (const Section* const rank = m_layout.sectionOf({key->rank, key->capture, {}}))
    m_scrollBar->setValue(rank->top);
}

void TimelineView::applyAlignment() {
  const auto& step = m_session.choice().alignedStep;
  m_session.setShifts(step && m_session.trace() ? shiftsToStep(*m_session.trace(), m_summaries, *step)
                                                : std::vector<TimeNs>());
}

void TimelineView::askForFigures() {
  m_figuresTask.ask(
      [analysis = m_session.analysis()] {
        return std::make_shared<const RankFiguresForOrder>(figuresForOrder(*analysis));
      },
      [this](std::shared_ptr<const RankFiguresForOrder> figures) {
        m_figures = std::move(figures);
        layOut();
      });
}

void TimelineView::prepareGroupings() {
  if (!m_figures && !m_figuresTask.pending() && m_session.analysis()) askForFigures();
}

std::vector<QString> TimelineView::groupings() const {
  std::vector<QString> groupings{QStringLiteral("host")};
  if (m_figures)
    for (const auto& division : m_figures->divisions)
      groupings.push_back(QStringLiteral("group:") + division.name);
  return groupings;
}

void TimelineView::setRankExpanded(RankIndex rank, bool expanded) {
  const auto& trace = m_session.trace();
  if (!trace || !rank.valid() || m_layout.rankExpanded(rank) == expanded) return;
  m_session.editChoice([&](TimelineChoice& choice) { choice.open[keyOf(*trace, rank)] = expanded; });
  // A sticky header stays at the top.
  const int top = m_layout.rankLane(rank).top;
  if (top < m_scrollBar->value()) m_scrollBar->setValue(top);
}

void TimelineView::setAllRanksExpanded(bool expanded) {
  const auto& trace = m_session.trace();
  if (!trace) return;
  const RankIndex first = m_layout.rankAt(m_scrollBar->value());
  m_session.editChoice([&](TimelineChoice& choice) {
    for (std::size_t i = 0; i < trace->ranks().size(); ++i)
      choice.open[keyOf(*trace, RankIndex(i))] = expanded;
  });
  if (first.valid()) m_scrollBar->setValue(m_layout.rankLane(first).top);
}

void TimelineView::toggle(const TrackKey& key) {
  const auto& trace = m_session.trace();
  if (!trace) return;
  if (key.isRank()) {
    const RankIndex rank = rankOf(*trace, key);
    return setRankExpanded(rank, !m_layout.rankExpanded(rank));
  }
  const Section* section = m_layout.sectionOf(key);
  if (!section) section = m_pinnedLayout.sectionOf(key);
  if (!section) return;
  const bool folded = section->folded;
  m_session.editChoice([&](TimelineChoice& choice) { choice.open[key] = folded; });
}

void TimelineView::move(const TrackKey& key, const std::optional<TrackKey>& before, bool pinned) {
  if (pinned) return movePinned(m_session, key, before);
  if (key.isRank()) {
    std::vector<TrackKey> ranks;
    for (const RankIndex rank : m_layout.shownRanks()) ranks.push_back(keyOf(*m_session.trace(), rank));
    return moveRank(m_session, std::move(ranks), key, before);
  }
  std::vector<TrackKey> tracks;
  for (const Section& section : m_layout.sections())
    if (!section.key.isRank() && section.key.rank == key.rank && section.key.capture == key.capture)
      tracks.push_back(section.key);
  moveTrack(m_session, std::move(tracks), key, before);
}

std::optional<TrackKey> TimelineView::currentTrack() const {
  for (const TrackHeaders* const headers : {m_headers, m_pinnedHeaders})
    if (const auto key = headers->current()) return key;
  const auto& trace = m_session.trace();
  if (!trace) return std::nullopt;
  if (const EventRef selected = m_session.selection(); selected.valid())
    return keyOf(*trace, selected.rank, trace->rank(selected.rank).trace->trackOf(selected.event));
  for (const auto& [canvas, layout] :
       {std::pair(m_canvas, &m_layout), std::pair(m_pinnedCanvas, &m_pinnedLayout)}) {
    const Lane* const lane = canvas->laneUnderMouse();
    const Section* const section = lane ? layout->sectionAt(lane->top) : nullptr;
    if (section) return section->key;
  }
  return std::nullopt;
}

void TimelineView::revealTrack(const TrackKey& key) {
  showTrack(m_session, m_layout, key);
  const Section* const section = m_layout.sectionOf(key);
  if (!section) return;
  const int head = key.isRank() ? 0 : TrackLayout::headerHeight() + 8;
  m_scrollBar->setValue(section->top - head);
}

void TimelineView::revealEvent(EventRef event) {
  const TraceSet& trace = *m_session.trace();
  const TrackKey key = keyOf(trace, event.rank, trace.rank(event.rank).trace->trackOf(event.event));
  const Lane* const lane = m_layout.rankExpanded(event.rank) ? m_layout.laneOf(event) : nullptr;
  if (!lane || !lane->row.valid()) showTrack(m_session, m_layout, key);
  bringIntoView(event);
}

void TimelineView::revealRank(RankIndex rank) {
  if (!rank.valid()) return;
  const TrackKey key = keyOf(*m_session.trace(), rank);
  m_session.editChoice([&](TimelineChoice& choice) {
    choice.setHidden(key, false);
    choice.open[key] = true;
  });
  m_scrollBar->setValue(m_layout.rankLane(rank).top);
}

bool TimelineView::showStep(int direction) {
  const RankIndex rank = m_ruler->stepRank();
  const StepWindows* const steps = m_summaries.stepWindowsOf(rank);
  const TimeNs shift = m_session.shiftOf(rank);
  const TimeRange window = m_session.window();
  const StepWindow* const step =
      steps ? stepBeside(*steps, {window.begin - shift, window.end - shift}, direction) : nullptr;
  if (!step) return false;
  const TimeNs margin = step->range.length() / 50 + 1;
  m_session.setWindow({step->range.begin + shift - margin, step->range.end + shift + margin});
  return true;
}

std::optional<std::int64_t> TimelineView::stepShown() const {
  const RankIndex rank = m_ruler->stepRank();
  const StepWindows* const steps = m_summaries.stepWindowsOf(rank);
  if (!steps) return std::nullopt;
  const TimeRange window = m_session.window();
  const StepWindow* const step =
      stepNear(*steps, window.begin + window.length() / 2 - m_session.shiftOf(rank));
  if (!step || step->number == Step::kUnknownNumber) return std::nullopt;
  return step->number;
}

void TimelineView::showTrackMenu(const TrackKey& key, QPoint globalPosition) {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const Section* section = m_layout.sectionOf(key);
  if (!section) section = m_pinnedLayout.sectionOf(key);
  if (section) fillTrackMenu(*menu, m_session, *section);
  menu->addSeparator();
  m_actions->fillMenu(*menu, tr("Arrange"));
  menu->popup(globalPosition);
}

} // namespace rankscope::ui
