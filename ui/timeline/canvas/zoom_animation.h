// SPDX-License-Identifier: GPL-3.0-or-later
// A notch of a wheel becomes a short glide: part of its zoom at once, so that it is felt at once, the rest
// over the next tenth of a second, by the time that passed. Notches in quick succession add up. Knows no
// widget. UI thread.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

namespace rankscope::ui {

class ZoomAnimation : public QObject {
  Q_OBJECT

 public:
  explicit ZoomAnimation(QObject* parent = nullptr);

  // About this place; what is left of a glide about another place is dropped. steps: in notches, positive
  // zooms in.
  void add(double x, double steps);
  // What is left is not done.
  void stop();
  [[nodiscard]] bool animating() const { return m_timer.isActive(); }

 signals:
  void zoomed(double x, double steps);

 private:
  void tick();

  QTimer m_timer;
  QElapsedTimer m_sinceTick;
  double m_x = 0;
  double m_left = 0; // steps still to be done
};

} // namespace rankscope::ui
