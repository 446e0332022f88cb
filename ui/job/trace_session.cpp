// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/trace_session.h"

#include "ui/job/acceptances.h"
#include "ui/job/job_highlights.h"
#include "ui/job/later_trace.h"
#include "ui/job/link_choice.h"

#include <QUndoStack>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr std::size_t kHistoryLength = 200;

void pushLimited(std::vector<TimeRange>& history, TimeRange window) {
  if (!history.empty() && history.back() == window) return;
  if (history.size() == kHistoryLength) history.erase(history.begin());
  history.push_back(window);
}

TimeNs middleOf(TimeRange range) {
  return range.begin + range.length() / 2;
}

TimeRange centeredOn(TimeNs middle, TimeNs length) {
  const TimeNs begin = middle - length / 2;
  return {begin, begin + length};
}

// A range with a margin on both sides, so that its ends are visible.
TimeRange withMargin(TimeRange range) {
  const TimeNs margin = range.length() / 8 + 1;
  return {range.begin - margin, range.end + margin};
}

} // namespace

TraceSession::TraceSession(QObject* parent, PendingWork* whole)
    : TraceSession(*new Appearance, parent, whole) {
  m_appearance.setParent(this);
}

TraceSession::TraceSession(Appearance& appearance, QObject* parent, PendingWork* whole)
    : QObject(parent), m_appearance(appearance), m_pending(std::make_unique<PendingWork>(whole)),
      m_links(new LinkChoice(*m_pending, this)), m_undo(new QUndoStack(this)),
      m_marks(new Marks(*m_undo, this)), m_acceptances(new Acceptances(*m_undo, this)) {
  // Connected first, before other listeners.
  for (const auto signal :
       {&TraceSession::traceChanged, &TraceSession::selectionChanged, &TraceSession::highlightsChanged})
    connect(this, signal, this, &TraceSession::followLinks);
  connect(&m_appearance, &Appearance::themeChanged, this, &TraceSession::themeChanged);
  connect(&m_appearance, &Appearance::highlightsChanged, this, &TraceSession::highlightOptionsChanged);
}

TraceSession::~TraceSession() = default;

void TraceSession::setTrace(std::shared_ptr<const TraceSet> trace, std::shared_ptr<const Analysis> analysis) {
  const bool showedEverything = m_window == limits();
  const TimeRange windowBefore = m_window;
  const EventRef selectionBefore = m_selection;
  const auto rangeBefore = m_range;
  const auto older = std::exchange(m_trace, std::move(trace));
  const bool sameTrace = older == m_trace;
  m_traceRevision = nextRevision();
  if (!analysis && m_trace) analysis = std::make_shared<const Analysis>(m_trace, m_analysis.get());
  m_analysis = std::move(analysis);
  const TimeFolds foldsBefore = m_folds;
  m_aligned = false;
  const TimelineChoice choiceBefore = m_choice;
  const auto gapBefore = std::exchange(m_gap, std::nullopt);

  if (older && m_trace && sharesARecording(*older, *m_trace)) {
    m_selection = eventInLater(*older, m_selection, *m_trace);
    // Gaps are found by their time.
    if (const RankIndex rank = gapBefore ? rankInLater(*older, gapBefore->rank, *m_trace) : RankIndex();
        rank.valid())
      m_gap = GapRef{rank, gapBefore->range};
    translateRangeTracks(*older);
    foldAgain();
    moveWithFolds(foldsBefore);
    m_window = showedEverything ? limits() : limited(m_window);
  } else {
    m_past.clear();
    m_future.clear();
    m_selection = {};
    m_range.reset();
    m_rangeTracks.clear();
    m_marks->setRegions({});
    m_acceptances->set({});
    m_undo->clear();
    m_choice = {};
    m_choice.colorBy = choiceBefore.colorBy;
    m_choice.rulerUnit = choiceBefore.rulerUnit;
    m_choice.lanePercent = choiceBefore.lanePercent;
    m_scrollPlace.reset();
    m_openByThemselves.clear();
    foldAgain();
    m_window = limits();
  }
  m_hoveredName = {};
  m_pointedPlace.reset();
  if (!sameTrace) {
    m_highlights.reset();
    m_highlightsRevision = nextRevision();
  }
  emit traceChanged();
  if (m_choice != choiceBefore) emit choiceChanged();
  if (m_window != windowBefore) emit windowChanged();
  if (m_selection != selectionBefore) emit selectionChanged();
  if (m_range != rangeBefore) emit rangeChanged();
  if (m_gap != gapBefore) emit gapChanged();
}

void TraceSession::followLinks() {
  if (m_trace)
    m_links->follow(m_trace, m_highlights, m_selection);
  else
    m_links->clear();
}

void TraceSession::setHighlights(std::shared_ptr<const JobHighlights> highlights) {
  m_highlights = std::move(highlights);
  m_highlightsRevision = nextRevision();
  emit highlightsChanged();
}

void TraceSession::selectGap(std::optional<GapRef> gap) {
  if (gap == m_gap) return;
  if (gap) select({});
  m_gap = gap;
  emit gapChanged();
}

TimeRange TraceSession::extentShown() const {
  if (shifted()) return m_shiftedExtent;
  if (m_choice.capture == 0) return m_trace->extent();
  std::optional<TimeRange> shown;
  for (const RankEntry& entry : m_trace->ranks())
    if (m_choice.shows(entry) && !entry.trace->extent.empty())
      shown = shown ? shown->unitedWith(entry.trace->extent) : entry.trace->extent;
  return shown.value_or(m_trace->extent());
}

TimeRange TraceSession::limits() const {
  if (!m_trace || m_trace->extent().empty()) return {};
  const TimeRange extent = extentShown();
  const TimeNs gutter = std::max(extent.length() / 100, kMinWindow);
  return {extent.begin - gutter, extent.end + gutter};
}

TimeRange TraceSession::limited(TimeRange window) const {
  const TimeRange all = limits();
  if (all.empty()) return {};
  const TimeNs length = std::clamp(window.length(), kMinWindow, all.length());
  if (window.length() < kMinWindow) window.begin = centeredOn(middleOf(window), length).begin;
  const TimeNs begin = std::clamp(window.begin, all.begin, all.end - length);
  return {begin, begin + length};
}

void TraceSession::moveWindow(TimeRange window) {
  const TimeRange next = limited(window);
  if (next == m_window) return;
  m_window = next;
  emit windowChanged();
}

void TraceSession::setWindow(TimeRange window, bool remember) {
  if (limited(window) == m_window) return;
  if (remember) rememberWindow();
  moveWindow(window);
}

void TraceSession::rememberWindow() {
  if (m_window.empty()) return;
  pushLimited(m_past, m_window);
  m_future.clear();
}

void TraceSession::back() {
  while (!m_past.empty()) {
    const TimeRange window = m_past.back();
    m_past.pop_back();
    if (window == m_window) continue;
    pushLimited(m_future, m_window);
    moveWindow(window);
    return;
  }
}

void TraceSession::forward() {
  while (!m_future.empty()) {
    const TimeRange window = m_future.back();
    m_future.pop_back();
    if (window == m_window) continue;
    pushLimited(m_past, m_window);
    moveWindow(window);
    return;
  }
}

void TraceSession::fitAll() {
  setWindow(limits());
}

void TraceSession::focusSelection() {
  if (!m_selection.valid() && !m_range) return;
  const TimeRange wanted = m_selection.valid() ? rangeOf(m_selection) : *m_range;
  const TimeRange centered = limited(centeredOn(middleOf(wanted), m_window.length()));
  // A difference of half a percent of the window is not visible.
  const bool isCentered = std::abs(middleOf(centered) - middleOf(m_window)) <= m_window.length() / 200;
  setWindow(isCentered ? withMargin(wanted) : centered);
}

void TraceSession::select(EventRef event) {
  if (event.valid()) {
    selectGap({});
    m_marks->chooseNote({});
  }
  if (event == m_selection) return;
  m_selection = event;
  emit selectionChanged();
}

void TraceSession::reveal(EventRef event) {
  if (!m_trace || !event.valid()) return;
  showCaptureOf(event.rank);
  select(event);
  const TimeRange wanted = rangeOf(event);
  const bool inside = m_window.begin <= wanted.begin && wanted.end <= m_window.end;
  constexpr TimeNs kMinWindowShare = 200; // an event below a two-hundredth of the window is hard to see
  if (!inside || wanted.length() < m_window.length() / kMinWindowShare) {
    const TimeNs length = std::clamp(m_window.length(), wanted.length() * 5 / 4, wanted.length() * 20);
    setWindow(centeredOn(middleOf(wanted), std::max(length, kMinWindow)));
  }
  emit revealRequested(event);
}

void TraceSession::revealPlace(RankIndex rank, JobRange range) {
  if (!m_trace) return;
  showCaptureOf(rank);
  setWindow(withMargin(drawn(rank, range)));
  emit revealRankRequested(rank);
}

void TraceSession::setRange(std::optional<TimeRange> range, std::vector<RankTracks> tracks) {
  if (range && range->empty()) range.reset();
  if (!range) tracks.clear();
  m_marks->chooseNote({});
  if (range == m_range && tracks == m_rangeTracks) return;
  m_range = range;
  m_rangeTracks = std::move(tracks);
  emit rangeChanged();
}

void TraceSession::pointAt(std::optional<JobRange> place) {
  if (m_pointedPlace == place) return;
  m_pointedPlace = place;
  emit pointedPlaceChanged();
}

void TraceSession::setHoveredName(NameId name) {
  if (name == m_hoveredName) return;
  m_hoveredName = name;
  emit hoverChanged();
}

void TraceSession::setChoice(TimelineChoice choice) {
  // A stored choice may be of another recording of the job.
  if (m_trace && std::ranges::none_of(m_trace->ranks(), [&](const RankEntry& e) { return choice.shows(e); }))
    choice.capture = 0;
  if (choice == m_choice) return;
  const bool otherCapture = choice.capture != m_choice.capture;
  const bool otherFolds = otherCapture || choice.foldGaps != m_choice.foldGaps;
  const bool showedEverything = m_window == limits();
  const TimeFolds foldsBefore = m_folds;
  const TimeRange windowBefore = m_window;
  const auto rangeBefore = m_range;
  m_choice = std::move(choice);
  if (otherFolds) {
    foldAgain();
    moveWithFolds(foldsBefore);
    m_window = showedEverything ? limits() : limited(m_window);
  }
  emit choiceChanged();
  if (!otherFolds) return;
  emit shiftsChanged();
  if (m_window != windowBefore) emit windowChanged();
  if (m_range != rangeBefore) emit rangeChanged();
  if (otherCapture) fitAll();
}

void TraceSession::showCaptureOf(RankIndex rank) {
  if (!rank.valid() || m_choice.shows(m_trace->rank(rank))) return;
  editChoice([&](TimelineChoice& choice) { choice.capture = m_trace->rank(rank).capture; });
}

void TraceSession::editChoice(const std::function<void(TimelineChoice&)>& edit) {
  TimelineChoice choice = m_choice;
  edit(choice);
  setChoice(std::move(choice));
}

TimelineChoice TraceSession::choiceAsShown() const {
  TimelineChoice shown = m_choice;
  shown.open.insert(m_openByThemselves.begin(), m_openByThemselves.end()); // what the user chose stays
  return shown;
}

void TraceSession::setShifts(std::vector<TimeNs> shifts) {
  if (!m_trace || std::ranges::all_of(shifts, [](TimeNs shift) { return shift == 0; })) shifts.clear();
  if (shifts.empty() ? !m_aligned : shifts == m_shifts) return;
  const bool showedEverything = m_window == limits();
  const TimeFolds foldsBefore = m_folds;
  const TimeRange windowBefore = m_window;
  const auto rangeBefore = m_range;
  m_aligned = !shifts.empty();
  m_shifts = std::move(shifts);
  foldAgain();
  moveWithFolds(foldsBefore);
  m_window = showedEverything ? limits() : limited(m_window);
  emit shiftsChanged();
  if (m_window != windowBefore) emit windowChanged();
  if (m_range != rangeBefore) emit rangeChanged();
}

// Derives folds and shifts from the trace and the choice, or the folds from the shifts that align a step.
void TraceSession::foldAgain() {
  m_folds = m_trace && !m_aligned ? foldsOf(*m_trace, m_choice) : TimeFolds();
  if (!m_aligned) m_shifts.clear();
  if (!m_folds.empty()) {
    m_shifts.reserve(m_trace->ranks().size());
    for (const RankEntry& entry : m_trace->ranks()) {
      const TimeRange extent = entry.trace->extent;
      m_shifts.push_back(extent.empty() ? 0 : drawnAt(extent.begin) - extent.begin);
    }
  }
  m_shiftsRevision = nextRevision();
  m_shiftedExtent = {};
  for (std::size_t i = 0; i < m_shifts.size(); ++i) {
    const RankEntry& entry = m_trace->rank(RankIndex(i));
    const TimeRange extent = entry.trace->extent;
    if (m_choice.shows(entry) && !extent.empty())
      m_shiftedExtent = m_shiftedExtent.unitedWith({extent.begin + m_shifts[i], extent.end + m_shifts[i]});
  }
}

// Where it is of the recording, everything stays; what other folds change is where that is drawn.
void TraceSession::moveWithFolds(const TimeFolds& before) {
  if (before == m_folds) return;
  const auto move = [&](TimeRange& drawn) {
    drawn = drawnAt(TimeRange{before.toJob(drawn.begin), before.toJob(drawn.end)});
  };
  move(m_window);
  if (m_range) move(*m_range);
  for (std::vector<TimeRange>* const history : {&m_past, &m_future}) std::ranges::for_each(*history, move);
}

void TraceSession::setScrollPlace(std::optional<ScrollPlace> place) {
  if (place == m_scrollPlace) return;
  m_scrollPlace = std::move(place);
  emit scrollPlaceChanged();
}

// Without a rank it is of the whole job, whose time has folds but no shift.
TimeRange TraceSession::drawn(RankIndex rank, JobRange place) const {
  if (!rank.valid()) return drawnAt(place.ns());
  const TimeNs shift = shiftOf(rank);
  return {movedTime(place.begin.ns(), shift), movedTime(place.end.ns(), shift)};
}

JobRange TraceSession::placeOf(RankIndex rank, TimeRange drawn) const {
  if (!rank.valid()) return JobRange::of(recorded(drawn));
  const TimeNs shift = shiftOf(rank);
  return JobRange::of({movedTime(drawn.begin, -shift), movedTime(drawn.end, -shift)});
}

TimeRange TraceSession::rangeOf(EventRef event) const {
  return drawn(event.rank, JobRange::of(m_trace->rank(event.rank).trace->events.range(event.event)));
}

void TraceSession::translateRangeTracks(const TraceSet& older) {
  for (RankTracks& tracks : m_rangeTracks) tracks.rank = rankInLater(older, tracks.rank, *m_trace);
  std::erase_if(m_rangeTracks, [](const RankTracks& tracks) { return !tracks.rank.valid(); });
  std::ranges::sort(m_rangeTracks, {}, &RankTracks::rank);
}

} // namespace rankscope::ui
