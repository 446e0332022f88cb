// SPDX-License-Identifier: GPL-3.0-or-later
// A step of A above a step of B under one ruler that counts from their begins: phases of the host, and what
// ran on the devices, with a band of where B was busier or less busy than A below. Pan and zoom are common;
// the time under the mouse is marked in both. A click asks for the place of both. UI thread; O(pixels log
// intervals) a frame.
#pragma once

#include "core/analysis/job/analysis.h"
#include "ui/base/theme.h"

#include <QString>
#include <QWidget>

#include <memory>

namespace rankscope::ui {

class TraceSession;

// A step of one rank.
struct AlignedSide {
  std::shared_ptr<const Analysis> analysis; // null: none
  RankIndex rank;
  TimeRange range; // on the clock of its recording
  QString title;
};

struct AlignedPair {
  AlignedSide a;
  AlignedSide b;

  [[nodiscard]] bool valid() const {
    return a.analysis && b.analysis && !a.range.empty() && !b.range.empty();
  }
};

class AlignedSteps : public QWidget {
  Q_OBJECT
 public:
  explicit AlignedSteps(const TraceSession& session, QWidget* parent = nullptr);

  void setPair(AlignedPair pair);
  [[nodiscard]] const AlignedPair& pair() const { return m_pair; }
  // What of the steps is visible, from their begins.
  [[nodiscard]] TimeRange view() const { return m_view; }
  void showAll();
  void zoomTo(TimeRange view);

  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 signals:
  // A time from the steps' begins.
  void placeClicked(bool ofB, qint64 time);

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
  struct Lane;

  [[nodiscard]] TimeRange whole() const;
  [[nodiscard]] int plotLeft() const;
  [[nodiscard]] int plotWidth() const;
  [[nodiscard]] qreal xOf(double time) const;
  [[nodiscard]] TimeNs timeAt(qreal x) const;
  [[nodiscard]] int sideTop(bool ofB) const;
  void zoomAround(qreal x, double factor);
  void paintRuler(QPainter& painter) const;
  void paintSide(QPainter& painter, bool ofB) const;
  void paintLane(QPainter& painter, const AlignedSide& side, const Lane& lane, int top, int high) const;
  void paintDifference(QPainter& painter) const;

  const TraceSession& m_session;
  AlignedPair m_pair;
  TimeRange m_view{0, 1};
  int m_mouse = -1;     // x; -1: not over the widget
  int m_pressedAt = -1; // x of the button's press
  TimeRange m_pressedView;
  bool m_dragged = false;
};

} // namespace rankscope::ui
