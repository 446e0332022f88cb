// SPDX-License-Identifier: GPL-3.0-or-later
// What fingers on a touch screen mean: one moves the content with it, two also stretch it between them, a
// short touch that does not move is a tap. Knows no widget. UI thread.
#pragma once

#include <QPointF>

#include <optional>

class QTouchEvent;

namespace rankscope::ui {

class TouchGestures {
 public:
  struct Motion {
    QPointF moved;       // logical pixels since the last one
    double stretch = 1;  // of the distance between two fingers since the last one
    QPointF center;      // of the fingers
    bool begins = false; // the first of a gesture
    bool tapped = false; // instead of a motion
  };

  // What a touch event asks for; nothing when it asks for nothing yet.
  [[nodiscard]] std::optional<Motion> follow(const QTouchEvent& event);

 private:
  int m_fingers = 0; // of the last event
  QPointF m_center;
  double m_distance = 0;
  QPointF m_touchedAt;
  bool m_moved = false;
};

} // namespace rankscope::ui
