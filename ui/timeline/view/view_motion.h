// SPDX-License-Identifier: GPL-3.0-or-later
// Keys that are held become smooth motion: the first press moves at once by a step, holding on moves on with
// growing speed, by the time that passed and not by the number of ticks. Knows no widget; it computes how far
// to pan and by which factor to zoom. UI thread.
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
  // Speed of what has been held for so long, in the steps of single presses.
  [[nodiscard]] static double stepsPerSecond(double secondsHeld);

 signals:
  // A key went down while none was: what is shown now may be gone back to.
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
