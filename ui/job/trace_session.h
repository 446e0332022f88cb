// SPDX-License-Identifier: GPL-3.0-or-later
// The view state of a job: open trace, visible window, selection, hover. Widgets keep no copies and follow
// its signals. Theme and highlights are in an Appearance, which sessions may share. UI thread only. The
// trace is on the job's clock. Bare times are as drawn: job time plus the rank's shift, with long gaps
// folded; they are displayed as recorded(), relative to trace()->extent().begin. Invariant: the window is at
// least kMinWindow long and lies within limits() while a trace is open.
#pragma once

#include "core/base/time_range.h"
#include "core/model/trace_set.h"
#include "core/query/range_statistics.h"
#include "ui/base/appearance.h"
#include "ui/base/pending_work.h"
#include "ui/job/marks.h"
#include "ui/job/time_folds.h"
#include "ui/job/timeline_choice.h"

#include <QObject>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

class QUndoStack;

namespace rankscope {
class Analysis;
}

namespace rankscope::ui {

class Acceptances;
class JobHighlights;
class LinkChoice;

class TraceSession : public QObject {
  Q_OBJECT

 public:
  static constexpr TimeNs kMinWindow = 10;

  // With its own appearance. Its background work counts as pending work of `whole` too.
  explicit TraceSession(QObject* parent = nullptr, PendingWork* whole = nullptr);
  // The appearance outlives the session.
  explicit TraceSession(Appearance& appearance, QObject* parent = nullptr, PendingWork* whole = nullptr);
  ~TraceSession() override;

  // Background work of all views of the job.
  [[nodiscard]] PendingWork& pending() const { return *m_pending; }

  // Null while nothing is open.
  [[nodiscard]] const std::shared_ptr<const TraceSet>& trace() const { return m_trace; }
  // Changes with every setTrace.
  [[nodiscard]] std::uint64_t traceRevision() const { return m_traceRevision; }
  // Of the same trace; null while nothing is open.
  [[nodiscard]] const std::shared_ptr<const Analysis>& analysis() const { return m_analysis; }
  // Opens a job, or shows more ranks of the open one: if the two share a rank's recording, window, history,
  // range and selection are preserved, and a window that showed everything still does. Another job resets
  // them. Without an analysis a new one reuses the current results of the same recordings; nothing is
  // computed here.
  void setTrace(std::shared_ptr<const TraceSet> trace, std::shared_ptr<const Analysis> analysis = {});

  [[nodiscard]] TimeRange window() const { return m_window; }
  // The time of the recordings that are shown.
  [[nodiscard]] TimeRange extentShown() const;
  // The limits of the window: that time with a margin.
  [[nodiscard]] TimeRange limits() const;
  // The window is clamped to the limits, preserving its length if possible. `remember` adds the current one
  // to the history; continuous motion calls rememberWindow() once at its start.
  void setWindow(TimeRange window, bool remember = true);
  void rememberWindow();
  void back();
  void forward();
  [[nodiscard]] bool canGoBack() const { return !m_past.empty(); }
  [[nodiscard]] bool canGoForward() const { return !m_future.empty(); }
  void fitAll();
  // Centers the selected event (else the range), or fits it if already centered.
  void focusSelection();

  [[nodiscard]] EventRef selection() const { return m_selection; }
  void select(EventRef event);
  // Links of the selection, and which of them the keys follow.
  [[nodiscard]] LinkChoice& links() { return *m_links; }
  // Selects it, moves the window so that it is visible and large enough, and requests its row.
  void reveal(EventRef event);

  // Highlights of the open job; null until computed, and after the trace changes.
  [[nodiscard]] const std::shared_ptr<const JobHighlights>& highlights() const { return m_highlights; }
  void setHighlights(std::shared_ptr<const JobHighlights> highlights);
  // Changes with them.
  [[nodiscard]] std::uint64_t highlightsRevision() const { return m_highlightsRevision; }
  // Selecting a gap deselects the event, and vice versa.
  [[nodiscard]] std::optional<GapRef> gap() const { return m_gap; }
  void selectGap(std::optional<GapRef> gap);

  // Fits a range with a margin and requests that rank to be shown, without selecting; an invalid rank: any.
  void revealPlace(RankIndex rank, JobRange range);

  [[nodiscard]] std::optional<TimeRange> range() const { return m_range; }
  // Tracks of the range; empty: the whole job.
  [[nodiscard]] const std::vector<RankTracks>& rangeTracks() const { return m_rangeTracks; }
  void setRange(std::optional<TimeRange> range, std::vector<RankTracks> tracks = {});

  // Regions of the open job; cleared for another job.
  [[nodiscard]] Marks& marks() { return *m_marks; }
  [[nodiscard]] const Marks& marks() const { return *m_marks; }
  // Accepted findings of the open job; cleared for another job.
  [[nodiscard]] Acceptances& acceptances() { return *m_acceptances; }
  [[nodiscard]] const Acceptances& acceptances() const { return *m_acceptances; }
  // Undo stack of the open job.
  [[nodiscard]] QUndoStack& undoStack() { return *m_undo; }

  // The name whose events are highlighted; invalid: none.
  [[nodiscard]] NameId hoveredName() const { return m_hoveredName; }
  void setHoveredName(NameId name);

  // The time range hovered in another view; empty: none.
  [[nodiscard]] std::optional<JobRange> pointedPlace() const { return m_pointedPlace; }
  void pointAt(std::optional<JobRange> place);

  [[nodiscard]] Appearance& appearance() const { return m_appearance; }
  [[nodiscard]] ThemeName themeName() const { return m_appearance.themeName(); }
  [[nodiscard]] const Theme& theme() const { return m_appearance.theme(); }
  void setTheme(ThemeName theme) { m_appearance.setTheme(theme); }
  // Which highlights are drawn.
  [[nodiscard]] const HighlightOptions& highlightOptions() const { return m_appearance.highlights(); }
  void setHighlightOptions(const HighlightOptions& options) { m_appearance.setHighlights(options); }

  // View options of the timeline. Another job keeps colors, unit and lane height only.
  [[nodiscard]] const TimelineChoice& choice() const { return m_choice; }
  void setChoice(TimelineChoice choice);
  void editChoice(const std::function<void(TimelineChoice&)>& edit);
  // The same with the ranks that the timeline has expanded or collapsed by itself, as if by the user: to be
  // stored, so that the job is shown as it was left whatever the height of the next window.
  [[nodiscard]] TimelineChoice choiceAsShown() const;
  // By the timeline as it lays out.
  void setRanksOpenByThemselves(std::map<TrackKey, bool> open) { m_openByThemselves = std::move(open); }

  // Added to a rank's times when drawing: so that a step starts at the same position on all ranks, if one is
  // aligned (drawn times of different ranks are not comparable then), else what folds before it remove.
  [[nodiscard]] TimeNs shiftOf(RankIndex rank) const {
    return rank.value < m_shifts.size() ? m_shifts[rank.value] : 0;
  }
  [[nodiscard]] bool shifted() const { return !m_shifts.empty(); }
  // Converts a range of a rank (or of the job if the rank is invalid) to drawn time, and back.
  [[nodiscard]] TimeRange drawn(RankIndex rank, JobRange place) const;
  [[nodiscard]] JobRange placeOf(RankIndex rank, TimeRange drawn) const;
  [[nodiscard]] const std::vector<TimeNs>& shifts() const { return m_shifts; }
  // Folded gaps of the job; none while a step is aligned.
  [[nodiscard]] const TimeFolds& folds() const { return m_folds; }
  // The job's time at a drawn time, and the other way round: they differ by the folds before it.
  [[nodiscard]] TimeNs recorded(TimeNs drawn) const { return m_folds.toJob(drawn); }
  [[nodiscard]] TimeRange recorded(TimeRange drawn) const {
    return {recorded(drawn.begin), recorded(drawn.end)};
  }
  [[nodiscard]] TimeNs drawnAt(TimeNs time) const { return m_folds.toDrawn(time); }
  [[nodiscard]] TimeRange drawnAt(TimeRange range) const {
    return {drawnAt(range.begin), drawnAt(range.end)};
  }
  // Changes with them.
  [[nodiscard]] std::uint64_t shiftsRevision() const { return m_shiftsRevision; }
  // To align a step, by rank; empty: none. The window stays.
  void setShifts(std::vector<TimeNs> shifts);

  // Where the timeline is scrolled to; empty: to the top.
  [[nodiscard]] const std::optional<ScrollPlace>& scrollPlace() const { return m_scrollPlace; }
  // By the timeline as it scrolls.
  void setScrollPlace(std::optional<ScrollPlace> place);
  void requestScroll(const ScrollPlace& place) { emit scrollRequested(place); }

  // Range of an event in drawn time.
  [[nodiscard]] TimeRange rangeOf(EventRef event) const;

 signals:
  void traceChanged();
  void windowChanged();
  void selectionChanged();
  void gapChanged();
  void highlightsChanged();
  void highlightOptionsChanged();
  void rangeChanged();
  void hoverChanged();
  void pointedPlaceChanged();
  void themeChanged();
  void choiceChanged();
  void shiftsChanged();
  void scrollPlaceChanged();
  void scrollRequested(const rankscope::ui::ScrollPlace& place);
  void revealRequested(rankscope::EventRef event);
  void revealRankRequested(rankscope::RankIndex rank);

 private:
  [[nodiscard]] TimeRange limited(TimeRange window) const;
  void moveWindow(TimeRange window);
  void showCaptureOf(RankIndex rank);
  void foldAgain();
  void moveWithFolds(const TimeFolds& before);
  void translateRangeTracks(const TraceSet& older);
  void followLinks();

  Appearance& m_appearance;
  std::unique_ptr<PendingWork> m_pending;
  std::shared_ptr<const TraceSet> m_trace;
  std::uint64_t m_traceRevision = nextRevision();
  std::shared_ptr<const Analysis> m_analysis;
  TimeRange m_window;
  std::vector<TimeRange> m_past;
  std::vector<TimeRange> m_future;
  std::shared_ptr<const JobHighlights> m_highlights;
  std::uint64_t m_highlightsRevision = nextRevision();
  EventRef m_selection;
  LinkChoice* m_links;
  std::optional<GapRef> m_gap;
  std::optional<TimeRange> m_range;
  std::vector<RankTracks> m_rangeTracks; // by rank
  QUndoStack* m_undo;
  Marks* m_marks;
  Acceptances* m_acceptances;
  NameId m_hoveredName;
  std::optional<JobRange> m_pointedPlace;
  TimelineChoice m_choice;
  std::map<TrackKey, bool> m_openByThemselves;
  std::vector<TimeNs> m_shifts; // by rank; empty: none
  TimeRange m_shiftedExtent;
  bool m_aligned = false; // the shifts align a step
  TimeFolds m_folds;
  std::optional<ScrollPlace> m_scrollPlace;
  std::uint64_t m_shiftsRevision = nextRevision();
};

} // namespace rankscope::ui
