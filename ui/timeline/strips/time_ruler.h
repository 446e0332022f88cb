// SPDX-License-Identifier: GPL-3.0-or-later
// The time axis over the lanes and, under it, the band of profiler steps. Its left margin stands over the
// track headers and shows when the window begins. Dragging selects a range of time; a click on a step selects
// its annotation, a double click fits it; a click on the lower edge of the scale asks for a note there.
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
  [[nodiscard]] static int ticksHeight() { return scaledToText(27); }
  [[nodiscard]] static int stepsHeight() { return scaledToText(20); }

  TimeRuler(TraceSession& session, const RankSummaries& summaries, QWidget* parent = nullptr);

  // Logical pixels left and right of the axis.
  void setMargins(int left, int right);
  void setCursorTime(std::optional<TimeNs> time);
  // The time under the mouse, here or over the lanes.
  [[nodiscard]] std::optional<TimeNs> cursorTime() const { return m_cursor; }
  // Whose steps the band shows; of any rank when invalid.
  void setStepRank(RankIndex rank);
  // The one that they are of; invalid while there are none.
  [[nodiscard]] RankIndex stepRank() const { return m_stepRank; }
  [[nodiscard]] bool hasSteps() const { return !m_steps.empty(); }
  // What it takes to show ticks, steps and regions.
  [[nodiscard]] int wantedHeight() const;
  void summariesChanged();
  // Whose hits are marked.
  void setFinder(const EventFinder* finder) { m_finder = finder; }

 signals:
  void stepsShownChanged();
  void noteWanted(rankscope::TimeNs time);
  // The menu of a region or note, by its position among the session's marks.
  void regionMenuWanted(std::size_t position, QPoint globalPosition);

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
  [[nodiscard]] const Step* stepAt(QPointF position) const;
  void paintCorner(QPainter& painter) const;
  [[nodiscard]] QRectF rangeBar() const;
  [[nodiscard]] QRectF rangeBox() const;
  [[nodiscard]] TimeNs pixelStep() const;
  // part: what is painted again.
  void paintTicks(QPainter& painter, const Theme& theme, const QRect& part) const;
  void paintSteps(QPainter& painter, const Theme& theme, const QRect& part) const;
  void paintRange(QPainter& painter, const Theme& theme) const;
  [[nodiscard]] QRect regionBand() const; // empty without regions
  [[nodiscard]] std::optional<std::size_t> regionUnder(QPointF position) const;
  void regionsChanged();
  [[nodiscard]] QString cursorText() const;
  [[nodiscard]] QRect cursorLabel() const;
  [[nodiscard]] QRect cursorBox() const;
  void paintCursor(QPainter& painter, const Theme& theme) const;
  // Where a click asks for a note.
  [[nodiscard]] bool isNoteEdge(QPointF position) const;
  void chooseRegion(std::size_t position);

  TraceSession& m_session;
  const RankSummaries& m_summaries;
  const EventFinder* m_finder = nullptr;
  int m_bandHeight = 0; // of the regions
  int m_leftMargin = 0;
  int m_rightMargin = 0;
  std::optional<TimeNs> m_cursor;
  RankIndex m_stepRank;
  std::vector<Step> m_steps; // of m_stepRank where they are drawn, one of each mark
  std::optional<TimeNs> m_dragFrom;
  double m_pressedX = 0;
  bool m_overNoteEdge = false;
};

} // namespace rankscope::ui
