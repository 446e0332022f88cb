// SPDX-License-Identifier: GPL-3.0-or-later
// Smooth motion of held keys: the first press moves immediately by a step, holding accelerates, depending on
// elapsed time and not on the number of ticks. Computes pan distances and zoom factors; no widget. UI thread.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <array>

namespace rankscope::ui {

class ViewMotion : public QObject {
  Q_OBJECT

 public:
  enum class Direction { ZoomIn, ZoomOut, Left, Right };

  explicit ViewMotion(QObject* parent = nullptr);

  void press(Direction direction);
  void release(Direction direction);
  void stop();
  [[nodiscard]] bool moving() const { return m_timer.isActive(); }
  // Speed after holding for this time, in single steps per second.
  [[nodiscard]] static double stepsPerSecond(double secondsHeld);

 signals:
  // A key was pressed while none was held: the current window is added to the view history.
  void started();
  // Logical pixels, positive to the right.
  void panned(double pixels);
  // Factor of the window's length; below 1 zooms in.
  void zoomed(double factor);

 private:
  void tick();
  void move(double zoomSteps, double panSteps);
  [[nodiscard]] double heldSign(Direction plus, Direction minus) const;

  std::array<bool, 4> m_held{};
  QTimer m_timer;
  QElapsedTimer m_sinceStart;
  QElapsedTimer m_sinceTick;
};

} // namespace rankscope::ui
