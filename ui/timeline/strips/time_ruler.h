// SPDX-License-Identifier: GPL-3.0-or-later
// The time axis above the lanes and, below it, the band of profiler steps. The left margin is above the track
// headers and shows the window's begin and length. Dragging selects a range; a click on a step selects its
// annotation, a double click fits it; a click on the lower edge of the axis adds a note.
#pragma once

#include "core/query/pixel_scale.h"
#include "ui/base/text_scale.h"
#include "ui/job/trace_session.h"
#include "ui/timeline/ranks/rank_summaries.h"

#include <QWidget>

#include <optional>
#include <vector>

namespace rankscope::ui {

class EventFinder;

class TimeRuler : public QWidget {
  Q_OBJECT

 public:
  [[nodiscard]] static int ticksHeight() { return scaledToText(17) + 10; }
  [[nodiscard]] static int stepsHeight() { return scaledToText(15) + 5; }

  TimeRuler(TraceSession& session, const RankSummaries& summaries, QWidget* parent = nullptr);

  // Width of the parts left and right of the axis, in logical pixels.
  void setMargins(int left, int right);
  void setCursorTime(std::optional<TimeNs> time);
  // The time under the mouse, here or over the lanes.
  [[nodiscard]] std::optional<TimeNs> cursorTime() const { return m_cursor; }
  // The rank whose steps the band shows; any rank if invalid.
  void setStepRank(RankIndex rank);
  // On the screen's clock, by begin; of all captures of the rank. Steps that were detected may have no event.
  struct RankStep : Step {
    RankIndex rank;      // the recording that it is of
    TimeNs withDevice{}; // step time: until its device work ends; 0: it has none
    StepSource found = StepSource::Marked;
  };
  [[nodiscard]] const std::vector<RankStep>& steps() const { return m_steps; }
  // The rank whose steps are shown; invalid if there are none.
  [[nodiscard]] RankIndex stepRank() const { return m_stepRank; }
  [[nodiscard]] bool hasSteps() const { return !m_steps.empty(); }
  // "ProfilerStep#3", or "step 3" of one that was detected.
  [[nodiscard]] QString stepName(const RankStep& step) const;
  // The tooltip of a step.
  [[nodiscard]] QString stepText(const RankStep& step) const;
  // "21.3 ms from +5.20 ms": length and begin of the visible range.
  [[nodiscard]] QString windowText() const;
  // Height of ticks, steps and regions.
  [[nodiscard]] int wantedHeight() const;
  void summariesChanged();
  // The search whose hits are marked.
  void setFinder(const EventFinder* finder) { m_finder = finder; }

 signals:
  void stepsShownChanged();
  void noteWanted(rankscope::TimeNs time);
  // Context menu of a region or note; position: its index among the session's marks.
  void regionMenuWanted(std::size_t position, QPoint globalPosition);
  // A click selected this step.
  void stepClicked(rankscope::EventRef step);
  // Context menu of a step, which is selected.
  void stepMenuWanted(rankscope::EventRef step, QPoint globalPosition);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  [[nodiscard]] QRect axis() const;
  [[nodiscard]] PixelScale pixelScale() const;
  [[nodiscard]] double xOf(TimeNs t) const;
  [[nodiscard]] TimeNs timeAt(double x) const;
  [[nodiscard]] const RankStep* stepAt(QPointF position) const;
  void takeSteps();
  // Of a recording, in its own time.
  [[nodiscard]] std::vector<RankStep> stepsOf(RankIndex recording) const;
  void choose(const RankStep& step);
  void paintCorner(QPainter& painter) const;
  [[nodiscard]] QRectF rangeBar() const;
  [[nodiscard]] QRectF rangeBox() const;
  [[nodiscard]] TimeNs pixelStep() const;
  // part: the area to repaint.
  void paintTicks(QPainter& painter, const Theme& theme, const QRect& part) const;
  void paintSteps(QPainter& painter, const Theme& theme, const QRect& part) const;
  void paintRange(QPainter& painter, const Theme& theme) const;
  [[nodiscard]] QRect regionBand() const; // empty without regions
  [[nodiscard]] std::optional<std::size_t> regionUnder(QPointF position) const;
  void regionsChanged();
  [[nodiscard]] QString cursorText() const;
  [[nodiscard]] QRect cursorLabel() const;
  [[nodiscard]] bool isCursorVisible() const;
  [[nodiscard]] QRect cursorArea() const;
  void paintCursor(QPainter& painter, const Theme& theme) const;
  // Whether a click at this position adds a note.
  [[nodiscard]] bool isNoteEdge(QPointF position) const;
  void chooseRegion(std::size_t position);
  struct FoldPlate {
    std::size_t fold = 0;
    QRectF band;
    QRectF box; // of the label, or the band without one
    QString label;
  };
  [[nodiscard]] std::vector<FoldPlate> foldPlates() const;
  [[nodiscard]] std::optional<TimeRange> recordedRange() const;

  TraceSession& m_session;
  const RankSummaries& m_summaries;
  const EventFinder* m_finder = nullptr;
  int m_bandHeight = 0; // height of the region band
  int m_leftMargin = 0;
  int m_rightMargin = 0;
  std::optional<TimeNs> m_cursor;
  RankIndex m_stepRank;
  std::vector<RankStep> m_steps; // of m_stepRank and its other captures, in drawn time, one per mark
  std::optional<TimeNs> m_dragFrom;
  double m_pressedX = 0;
  bool m_overNoteEdge = false;
};

} // namespace rankscope::ui
