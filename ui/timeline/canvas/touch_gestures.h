// SPDX-License-Identifier: GPL-3.0-or-later
// Interprets touch events: one finger pans, two also zoom, a short touch without movement is a tap. No
// widget. UI thread.
#pragma once

#include <QPointF>

#include <optional>

class QTouchEvent;

namespace rankscope::ui {

class TouchGestures {
 public:
  struct Motion {
    QPointF moved;       // logical pixels since the last one
    double stretch = 1;  // ratio of the distance of two fingers to the previous one
    QPointF center;      // of the fingers
    bool begins = false; // the first of a gesture
    bool tapped = false; // instead of a motion
  };

  // The gesture of a touch event; nothing if it is not decided yet.
  [[nodiscard]] std::optional<Motion> follow(const QTouchEvent& event);

 private:
  int m_fingers = 0; // of the last event
  QPointF m_center;
  double m_distance = 0;
  QPointF m_touchedAt;
  bool m_moved = false;
};

} // namespace rankscope::ui
