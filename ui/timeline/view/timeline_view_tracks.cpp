// SPDX-License-Identifier: GPL-3.0-or-later
// Tracks of TimelineView: layout according to the session's choice, and actions that change the choice.
#include "core/model/rank_digest.h"
#include "core/model/rank_recordings.h"
#include "ui/actions/actions.h"
#include "ui/job/path_choice.h"
#include "ui/timeline/canvas/timeline_canvas.h"
#include "ui/timeline/headers/track_headers.h"
#include "ui/timeline/ranks/step_alignment.h"
#include "ui/timeline/strips/figures_column.h"
#include "ui/timeline/strips/overview_strip.h"
#include "ui/timeline/strips/time_ruler.h"
#include "ui/timeline/strips/view_chips.h"
#include "ui/timeline/tracks/track_edits.h"
#include "ui/timeline/view/timeline_view.h"
#include "ui/widgets/compare_menu.h"

#include <QMenu>
#include <QScrollBar>

#include <algorithm>
#include <map>
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
  // Scrolls to the first ranks after sorting, but not after dragging or regrouping.
  const bool sorted = choice.sort != m_laidOut.sort && choice.sort != RankSort::ByHand;
  m_sortPending = m_sortPending || sorted;
  const bool rearranged = std::exchange(m_groups, groups) != groups;
  const std::optional<Anchor> anchor = placeToKeep();
  m_laidOut = choice;
  // What is expanded stays so while the window is resized. A job may come before the view has its place.
  m_fitPending = m_fitPending || m_layout.trace() != trace.get();
  if (m_fitPending)
    m_layout.updateFor(m_canvas->height() - TrackLayout::headerHeight(), trace, choice, groups, stragglers());
  else
    m_layout.update(trace, choice, groups);
  m_pinnedLayout.update(trace, choice);
  noteRanksOpen();
  m_chips->refresh();
  arrange();
  if (rearranged && m_sortPending && !(anchor && anchor->selected))
    m_scrollBar->setValue(0);
  else if (anchor)
    returnTo(*anchor);
  if (rearranged) m_sortPending = false;
  m_canvas->layoutChanged();
  m_pinnedCanvas->layoutChanged();
  m_headers->update();
  m_pinnedHeaders->update();
  m_figuresColumn->refresh();
  if (trace && needsFigures(choice) && !m_figures) askForFigures();
}

// A filter expands all of them, for as long as it stands.
void TimelineView::noteRanksOpen() {
  const auto& trace = m_session.trace();
  const TimelineChoice& choice = m_session.choice();
  if (!trace || !choice.filter.isEmpty()) return;
  std::map<TrackKey, bool> open;
  for (std::size_t i = 0; i < trace->ranks().size(); ++i) {
    const RankIndex rank(i);
    const TrackKey key = keyOf(*trace, rank);
    // Only the first rank is expanded unless there is no room.
    const bool told = m_layout.rankExpanded(rank) || (i == 0 && digestOf(*trace, rank) == nullptr);
    if (told && !choice.open.contains(key)) open[key] = m_layout.rankExpanded(rank);
  }
  m_session.setRanksOpenByThemselves(std::move(open));
}

// What stays where it is on the screen when the layout changes: the selection if it is in sight, else the
// first visible section. At the very top the top stays.
std::optional<TimelineView::Anchor> TimelineView::placeToKeep() const {
  const int top = m_scrollBar->value();
  const TraceSet* const laidOut = m_layout.trace();
  if (laidOut == nullptr) return std::nullopt;
  const EventRef selected = m_session.selection();
  // Positions in a job that has been replaced say nothing.
  if (selected.valid() && laidOut == m_session.trace().get()) {
    const Lane* const lane = m_layout.laneOf(selected);
    if (lane && lane->bottom() > top && lane->top < top + m_canvas->height())
      return Anchor{keyOf(*laidOut, selected.rank), lane->top - top, true, selected};
  }
  const Section* const first = firstInSight();
  if (!first) return std::nullopt;
  return Anchor{first->key, first->top - top, false, {}};
}

// Null at the very top.
const Section* TimelineView::firstInSight() const {
  const int top = m_scrollBar->value();
  if (top == 0) return nullptr;
  return m_layout.sectionAt(top + (m_layout.stickyRank(top).valid() ? TrackLayout::headerHeight() : 0));
}

void TimelineView::noteScrollPlace() {
  // While another job is laid out, the scroll bar is still that of the one before.
  if (m_layout.trace() == nullptr || m_layout.trace() != m_session.trace().get()) return;
  const Section* const first = firstInSight();
  m_session.setScrollPlace(first ? std::optional(ScrollPlace{first->key, first->top - m_scrollBar->value()})
                                 : std::nullopt);
}

void TimelineView::returnTo(const Anchor& anchor) {
  const Lane* const lane = anchor.selected ? m_layout.laneOf(anchor.event) : nullptr;
  const Section* const same = m_layout.sectionOf(anchor.key);
  if (lane)
    m_scrollBar->setValue(lane->top - anchor.offset);
  else if (same)
    m_scrollBar->setValue(same->top - anchor.offset);
  else if (const Section* const rank = m_layout.sectionOf({anchor.key.rank, anchor.key.capture, {}}))
    m_scrollBar->setValue(rank->top);
  else if (const auto group =
               m_session.trace() ? m_layout.groupOf(rankOf(*m_session.trace(), anchor.key)) : std::nullopt)
    if (const Section* const folded = m_layout.sectionOf(*group))
      m_scrollBar->setValue(folded->top - anchor.offset);
}

void TimelineView::choiceChanged() {
  applyAlignment();
  layOut();
  m_ruler->summariesChanged(); // its steps are those of a rank of the chosen capture
}

// A rank that is open by default stays open when others arrive, if something in it was selected or opened.
void TimelineView::keepUsedRanksOpen() {
  const auto& trace = m_session.trace();
  if (!trace || m_layout.trace() == nullptr || m_layout.trace() == trace.get()) return;
  const TraceSet& before = *m_layout.trace();
  const TimelineChoice& choice = m_session.choice();
  std::vector<TrackKey> used;
  for (std::size_t i = 0; i < before.ranks().size(); ++i) {
    const TrackKey key = keyOf(before, RankIndex(i));
    const RankIndex now = rankOf(*trace, key);
    if (!m_layout.rankExpanded(RankIndex(i)) || choice.open.contains(key) || !now.valid()) continue;
    const bool opened = std::ranges::any_of(choice.open, [&](const auto& entry) {
      return entry.first.rank == key.rank && entry.first.capture == key.capture;
    });
    if (opened || (m_session.selection().valid() && m_session.selection().rank == now)) used.push_back(key);
  }
  // So does the track of the selection.
  if (const EventRef selected = m_session.selection(); selected.valid()) {
    const RankTrace& of = *trace->rank(selected.rank).trace;
    const TrackKey key = keyOf(*trace, selected.rank, of.trackOf(selected.event));
    const Section* const section = m_layout.sectionOf(key);
    if (section && section->foldable && !section->folded && !choice.open.contains(key)) used.push_back(key);
  }
  if (used.empty()) return;
  m_session.editChoice([&](TimelineChoice& edited) {
    for (const TrackKey& key : used) edited.open[key] = true;
  });
}

// Whatever groupings need is known by then, and the list of groupings is asked for at once.
void TimelineView::highlightsChanged() {
  if (m_session.highlights() && m_session.trace()->ranks().size() > 1) prepareGroupings();
  arrangeMany();
  expandStragglers();
}

std::vector<RankIndex> TimelineView::stragglers() const {
  std::vector<RankIndex> found;
  const auto& highlights = m_session.highlights();
  if (!highlights || !m_session.trace()) return found;
  for (std::size_t i = 0; i < m_session.trace()->ranks().size(); ++i)
    if (highlights->straggler(RankIndex(i)) != nullptr) found.emplace_back(i);
  return found;
}

// Stragglers are known after the first picture. They take the room of other ranks only as long as nothing in
// the timeline was used.
void TimelineView::expandStragglers() {
  const TimelineChoice& choice = m_session.choice();
  const bool used = !choice.open.empty() || m_session.selection().valid() || m_session.range() ||
                    m_session.window() != m_session.limits() || m_scrollBar->value() != 0;
  const std::vector<RankIndex> late = stragglers();
  if (used || std::ranges::all_of(late, [&](RankIndex rank) { return m_layout.rankExpanded(rank); })) return;
  m_fitPending = true;
  layOut();
}

// Once for each job: of many ranks, outliers come first and like ones are folded. The chip undoes it.
void TimelineView::arrangeMany() {
  const auto& trace = m_session.trace();
  if (!trace || !m_session.highlights() || m_session.choice().arranged ||
      recordingsByRank(*trace).size() < kRanksToArrange)
    return;
  m_session.editChoice([](TimelineChoice& choice) {
    choice.arranged = true;
    if (choice.sort != RankSort::Rank || !choice.grouping.isEmpty() || !choice.filter.isEmpty()) return;
    choice.sort = RankSort::Outliers;
    choice.grouping = kSimilarGrouping;
  });
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
        // The folded ranks of a large job leave room.
        m_fitPending = m_fitPending || (!m_figures && m_session.choice().grouping == kSimilarGrouping);
        m_figures = std::move(figures);
        layOut();
      });
}

void TimelineView::prepareGroupings() {
  if (!m_figures && !m_figuresTask.pending() && m_session.analysis()) askForFigures();
}

std::vector<QString> TimelineView::groupings() const {
  std::vector<QString> groupings{kHostGrouping, kSimilarGrouping};
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
    // Events of digests are loaded for single ranks only.
    for (std::size_t i = 0; i < trace->ranks().size(); ++i)
      if (!expanded || digestOf(*trace, RankIndex(i)) == nullptr)
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
    if (auto key = headers->current()) return key;
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
  openGroupOf(m_session, m_layout, rank);
  m_scrollBar->setValue(m_layout.rankLane(rank).top);
}

// As little as needed, without zooming; a rank in a folded group is shown by itself.
void TimelineView::revealSegment() {
  const PathChoice& path = PathChoice::of(m_session);
  const PathSegment* const segment = path.selectedSegment();
  if (!segment) return;
  openGroupOf(m_session, m_layout, segment->rank);
  const TimeRange wanted = m_session.drawn(segment->rank, JobRange::of(segment->range));
  const TimeRange window = m_session.window();
  if (!window.contains(wanted.begin) || (wanted.end > window.end && wanted.length() < window.length())) {
    m_canvas->beginGesture();
    const TimeNs begin = wanted.begin + wanted.length() / 2 - window.length() / 2;
    m_session.setWindow({begin, begin + window.length()}, false);
  }
  const Lane* const lane = laneOfSegment(*path.path(), *segment, m_layout);
  if (!lane) return;
  const int top = m_scrollBar->value();
  const int head = TrackLayout::headerHeight();
  if (lane->top - head < top)
    m_scrollBar->setValue(lane->top - head);
  else if (lane->bottom() > top + m_canvas->height())
    m_scrollBar->setValue(lane->bottom() - m_canvas->height() + head);
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
  menu->setObjectName(QStringLiteral("trackMenu"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const Section* section = m_layout.sectionOf(key);
  if (!section) section = m_pinnedLayout.sectionOf(key);
  if (section) fillTrackMenu(*menu, m_session, *section);
  if (section && section->rank.valid() && m_session.trace()) {
    QAction* const separator = menu->addSeparator();
    addCompareEntriesOfRank(*menu, m_session, section->rank);
    if (menu->actions().constLast() == separator) menu->removeAction(separator); // there is one rank only
  }
  if (!menu->isEmpty()) menu->addSeparator();
  m_actions->fillMenu(*menu, tr("Arrange"));
  menu->popup(globalPosition);
}

} // namespace rankscope::ui
