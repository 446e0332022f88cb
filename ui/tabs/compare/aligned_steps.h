// SPDX-License-Identifier: GPL-3.0-or-later
// A step of A above a step of B under one ruler that counts from their begins: phases of the host, operators
// of the main thread and what ran on each stream, with a band of where B was busier or less busy than A
// below. Pan and zoom are common. A click chooses a call together with its partner on the other side; both
// are outlined and joined by a line. Calls that only one side has are underlined. UI thread; O(pixels log
// events) a frame.
#pragma once

#include "core/query/pixel_scale.h"
#include "ui/base/event_palette.h"
#include "ui/base/theme.h"
#include "ui/tabs/compare/aligned_lanes.h"

#include <QString>
#include <QWidget>

#include <array>
#include <optional>

namespace rankscope::ui {

class TraceSession;

class AlignedSteps : public QWidget {
  Q_OBJECT
 public:
  explicit AlignedSteps(const TraceSession& session, QWidget* parent = nullptr);

  // The view stays where the steps are the same.
  void setPair(AlignedPair pair);
  [[nodiscard]] const AlignedPair& pair() const { return m_pair; }
  // What of the steps is visible, from their begins.
  [[nodiscard]] TimeRange view() const { return m_view; }
  void showAll();
  void zoomTo(TimeRange view);

  // An event of a side and its partner; an invalid one: none. Moves the view where neither is in it.
  void choose(bool ofB, EventIndex event);
  [[nodiscard]] const std::optional<AlignedCall>& chosen() const { return m_chosen; }
  // Where an event is drawn; empty if it is in no lane or not in view.
  [[nodiscard]] QRectF boxOf(bool ofB, EventIndex event) const;

  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 signals:
  // chosen() changed.
  void callChosen();
  // The chosen call, or this time from the steps' begins, is wanted on the timeline.
  void placeWanted(bool ofB, qint64 time);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct PhaseLane;
  struct Hit {
    bool ofB = false;
    EventIndex event;
  };

  [[nodiscard]] TimeRange whole() const;
  [[nodiscard]] int plotLeft() const;
  [[nodiscard]] int plotWidth() const;
  [[nodiscard]] qreal xOf(double time) const;
  [[nodiscard]] TimeNs timeAt(qreal x) const;
  [[nodiscard]] int sideTop(bool ofB) const;
  [[nodiscard]] int sideHeight(bool ofB) const;
  [[nodiscard]] int laneTop(bool ofB, std::size_t lane) const; // 0: the phases
  [[nodiscard]] PixelScale scaleOf(const AlignedSide& side) const;
  [[nodiscard]] std::optional<Hit> hitAt(QPointF place) const;
  void zoomAround(qreal x, double factor);
  void walk(int by);
  void bringIntoView();
  void setChosen(std::optional<AlignedCall> call);
  [[nodiscard]] QString tipAt(QPointF place) const;
  void paintRuler(QPainter& painter) const;
  void paintSide(QPainter& painter, bool ofB);
  void paintPhases(QPainter& painter, const AlignedSide& side, int top) const;
  void paintPhase(QPainter& painter, const AlignedSide& side, const PhaseLane& lane, int top) const;
  void paintLane(QPainter& painter, bool ofB, std::size_t lane, int top);
  void paintExposed(QPainter& painter, const AlignedSide& side, int top) const;
  void paintDifference(QPainter& painter) const;
  void paintChosen(QPainter& painter) const;

  const TraceSession& m_session;
  AlignedPair m_pair;
  std::optional<std::array<EventPalette, 2>> m_colors; // of the names of A and of B; made when painting
  std::optional<AlignedCall> m_chosen;
  TimeRange m_view{0, 1};
  int m_mouse = -1;     // x; -1: not over the widget
  int m_pressedAt = -1; // x of the button's press
  TimeRange m_pressedView;
  bool m_dragged = false;
};

} // namespace rankscope::ui
