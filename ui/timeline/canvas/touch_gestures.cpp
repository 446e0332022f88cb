// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/canvas/touch_gestures.h"

#include <QTouchEvent>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {
namespace {

constexpr double kTapRadius = 10;
constexpr double kMinDistance = 20; // fingers closer than this would zoom too fast

double lengthOf(QPointF vector) {
  return std::hypot(vector.x(), vector.y());
}

} // namespace

std::optional<TouchGestures::Motion> TouchGestures::follow(const QTouchEvent& event) {
  QPointF sum;
  int down = 0;
  QPointF ends[2];
  for (const QEventPoint& point : event.points()) {
    if (point.state() == QEventPoint::Released) continue;
    if (down < 2) ends[down] = point.position();
    sum += point.position();
    ++down;
  }
  if (down == 0 || event.type() == QEvent::TouchEnd || event.type() == QEvent::TouchCancel) {
    const bool tapped = event.type() == QEvent::TouchEnd && !m_moved && m_fingers == 1;
    m_fingers = 0;
    m_moved = false;
    if (!tapped) return std::nullopt;
    return Motion{{}, 1, m_touchedAt, false, true};
  }
  const QPointF center = sum / down;
  const double distance = down >= 2 ? std::max(lengthOf(ends[1] - ends[0]), kMinDistance) : 0;
  Motion motion;
  motion.center = center;
  const bool same = down == m_fingers; // adding or lifting a finger moves the center, not the content
  if (m_fingers == 0) m_touchedAt = center;
  if (same) motion.moved = center - m_center;
  if (same && down >= 2) motion.stretch = distance / m_distance;
  const bool began = m_moved;
  m_moved = m_moved || down > 1 || lengthOf(center - m_touchedAt) > kTapRadius;
  motion.begins = m_moved && !began;
  // The first pixels might still be a tap, so their movement is applied later.
  if (motion.begins && same) motion.moved = center - m_touchedAt;
  m_fingers = down;
  m_center = center;
  m_distance = distance;
  return m_moved && same ? std::optional(motion) : std::nullopt;
}

} // namespace rankscope::ui
