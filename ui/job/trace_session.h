// SPDX-License-Identifier: GPL-3.0-or-later
// The document: which job is open, what of it is visible, selected and hovered. It owns these facts, widgets
// keep no copies and hear of changes by its signals; there is no other hub. How it looks is in an Appearance,
// which several sessions may share. UI thread only. The trace is on the job's clock. Bare times are as drawn,
// which for a rank is its job's time and its shift; people read them relative to trace()->extent().begin.
// Invariant: the window is at least kMinWindow long and lies within limits() while a trace is open.
#pragma once

#include "core/base/time_range.h"
#include "core/model/trace_set.h"
#include "core/query/range_statistics.h"
#include "ui/base/appearance.h"
#include "ui/base/pending_work.h"
#include "ui/job/marks.h"
#include "ui/job/timeline_choice.h"

#include <QObject>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

class QUndoStack;

namespace rankscope {
class Analysis;
}

namespace rankscope::ui {

class JobHighlights;
class LinkChoice;

class TraceSession : public QObject {
  Q_OBJECT

 public:
  static constexpr TimeNs kMinWindow = 10;

  // With an appearance of its own. What is worked out for somebody who looks is pending work of the whole's
  // too.
  explicit TraceSession(QObject* parent = nullptr, PendingWork* whole = nullptr);
  // The appearance outlives the session.
  explicit TraceSession(Appearance& appearance, QObject* parent = nullptr, PendingWork* whole = nullptr);
  ~TraceSession() override;

  // Of all that is shown of the job.
  [[nodiscard]] PendingWork& pending() const { return *m_pending; }

  // Null while nothing is open.
  [[nodiscard]] const std::shared_ptr<const TraceSet>& trace() const { return m_trace; }
  // Another one with every setTrace.
  [[nodiscard]] std::uint64_t traceRevision() const { return m_traceRevision; }
  // Of the same trace; null while nothing is open.
  [[nodiscard]] const std::shared_ptr<const Analysis>& analysis() const { return m_analysis; }
  // Opens a job, or shows more ranks of the one that is open: when the two share a rank's recording, the
  // window, its history, the range and the selection stay where they are, and a window that showed everything
  // goes on doing so. Another job starts afresh. Without an analysis one is made that takes over what the
  // present one knows of the same recordings; nothing is computed here.
  void setTrace(std::shared_ptr<const TraceSet> trace, std::shared_ptr<const Analysis> analysis = {});

  [[nodiscard]] TimeRange window() const { return m_window; }
  // What the window can reach: the trace's extent and a little on both sides.
  [[nodiscard]] TimeRange limits() const;
  // The window is brought into the limits, keeping its length where it can. With remember the present one can
  // be gone back to; continuous motion remembers once, at its start, by rememberWindow().
  void setWindow(TimeRange window, bool remember = true);
  void rememberWindow();
  void back();
  void forward();
  [[nodiscard]] bool canGoBack() const { return !m_past.empty(); }
  [[nodiscard]] bool canGoForward() const { return !m_future.empty(); }
  void fitAll();
  // Centers the selected event (else the range), or fits it when it is centered already.
  void focusSelection();

  [[nodiscard]] EventRef selection() const { return m_selection; }
  void select(EventRef event);
  // What the selection is linked to, and which of it the keys follow.
  [[nodiscard]] LinkChoice& links() { return *m_links; }
  // Selects it, brings it into the window, large enough to be seen, and asks the timeline to show its row.
  void reveal(EventRef event);

  // What stands out of the open job; null until it is worked out, and again when the trace changes.
  [[nodiscard]] const std::shared_ptr<const JobHighlights>& highlights() const { return m_highlights; }
  void setHighlights(std::shared_ptr<const JobHighlights> highlights);
  // Another one with every change of them.
  [[nodiscard]] std::uint64_t highlightsRevision() const { return m_highlightsRevision; }
  // A selected gap takes the place of a selected event, and the other way round.
  [[nodiscard]] std::optional<GapRef> gap() const { return m_gap; }
  void selectGap(std::optional<GapRef> gap);

  // Fits a range with a margin and asks the timeline to show that rank, without selecting; an invalid rank:
  // any.
  void revealPlace(RankIndex rank, JobRange range);

  [[nodiscard]] std::optional<TimeRange> range() const { return m_range; }
  // What the range is about; none: all of the job.
  [[nodiscard]] const std::vector<RankTracks>& rangeTracks() const { return m_rangeTracks; }
  void setRange(std::optional<TimeRange> range, std::vector<RankTracks> tracks = {});

  // Regions of the open job; another job starts without any.
  [[nodiscard]] Marks& marks() { return *m_marks; }
  [[nodiscard]] const Marks& marks() const { return *m_marks; }
  // What was done to the open job, step by step.
  [[nodiscard]] QUndoStack& undoStack() { return *m_undo; }

  // The name whose events stand out; invalid: none.
  [[nodiscard]] NameId hoveredName() const { return m_hoveredName; }
  void setHoveredName(NameId name);

  // A time that something beside the timeline points at while the mouse is over it; none: nothing.
  [[nodiscard]] std::optional<JobRange> pointedPlace() const { return m_pointedPlace; }
  void pointAt(std::optional<JobRange> place);

  [[nodiscard]] Appearance& appearance() const { return m_appearance; }
  [[nodiscard]] ThemeName themeName() const { return m_appearance.themeName(); }
  [[nodiscard]] const Theme& theme() const { return m_appearance.theme(); }
  void setTheme(ThemeName theme) { m_appearance.setTheme(theme); }
  // Which highlights are drawn.
  [[nodiscard]] const HighlightOptions& highlightOptions() const { return m_appearance.highlights(); }
  void setHighlightOptions(const HighlightOptions& options) { m_appearance.setHighlights(options); }

  // How the timeline shows the job. Another job starts with the present colors, unit and lane height, and
  // nothing else of it.
  [[nodiscard]] const TimelineChoice& choice() const { return m_choice; }
  void setChoice(TimelineChoice choice);
  void editChoice(const std::function<void(TimelineChoice&)>& edit);

  // Added to the times of a rank's events where they are drawn, so that a step begins at one place on all
  // ranks; 0 unless the choice aligns a step. Times on screen of different ranks do not compare then.
  [[nodiscard]] TimeNs shiftOf(RankIndex rank) const {
    return rank.value < m_shifts.size() ? m_shifts[rank.value] : 0;
  }
  [[nodiscard]] bool shifted() const { return !m_shifts.empty(); }
  // Where a place of a rank, or of the job where the rank is invalid, is drawn; and of which place this is.
  [[nodiscard]] TimeRange drawn(RankIndex rank, JobRange place) const;
  [[nodiscard]] JobRange placeOf(RankIndex rank, TimeRange drawn) const;
  [[nodiscard]] const std::vector<TimeNs>& shifts() const { return m_shifts; }
  // Another one with every change of them.
  [[nodiscard]] std::uint64_t shiftsRevision() const { return m_shiftsRevision; }
  // By rank; empty: none. The window stays.
  void setShifts(std::vector<TimeNs> shifts);

  // Wall range of an event of the open trace, where it is drawn.
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
  void revealRequested(rankscope::EventRef event);
  void revealRankRequested(rankscope::RankIndex rank);

 private:
  [[nodiscard]] TimeRange limited(TimeRange window) const;
  void moveWindow(TimeRange window);
  [[nodiscard]] EventRef translated(EventRef event, const TraceSet& older) const;
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
  NameId m_hoveredName;
  std::optional<JobRange> m_pointedPlace;
  TimelineChoice m_choice;
  std::vector<TimeNs> m_shifts; // by rank; empty: none
  TimeRange m_shiftedExtent;
  std::uint64_t m_shiftsRevision = nextRevision();
};

} // namespace rankscope::ui
