// SPDX-License-Identifier: GPL-3.0-or-later
// Animates the zoom of a wheel notch: part of it is applied immediately, the rest over the next tenth of a
// second. Notches in quick succession add up. No widget. UI thread.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

namespace rankscope::ui {

class ZoomAnimation : public QObject {
  Q_OBJECT

 public:
  explicit ZoomAnimation(QObject* parent = nullptr);

  // Zooms at this position; the rest of an animation at another position is dropped. steps: in notches,
  // positive zooms in.
  void add(double x, double steps);
  // Drops the rest of the animation.
  void stop();
  [[nodiscard]] bool animating() const { return m_timer.isActive(); }

 signals:
  void zoomed(double x, double steps);

 private:
  void tick();

  QTimer m_timer;
  QElapsedTimer m_sinceTick;
  double m_x = 0;
  double m_left = 0; // remaining steps
};

} // namespace rankscope::ui
