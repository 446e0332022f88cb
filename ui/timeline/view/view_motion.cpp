// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/view/view_motion.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {
namespace {

constexpr double kStepPixels = 50;    // distance of one key press
constexpr double kStepFactor = 0.85;  // zoom factor of one key press
constexpr double kStepsPerSecond = 9; // initial speed of a held key
constexpr double kMaxSpeed = 4;       // maximum speed of a held key, as a factor
constexpr double kSecondsToFastest = 1.2;
constexpr int kTickMs = 8;

} // namespace

ViewMotion::ViewMotion(QObject* parent) : QObject(parent) {
  m_timer.setTimerType(Qt::PreciseTimer);
  m_timer.setInterval(kTickMs);
  connect(&m_timer, &QTimer::timeout, this, &ViewMotion::tick);
}

void ViewMotion::press(Direction direction) {
  bool& held = m_held[static_cast<std::size_t>(direction)];
  if (held) return;
  if (!m_timer.isActive()) {
    emit started();
    m_sinceStart.start();
    m_sinceTick.start();
    m_timer.start();
  }
  held = true;
  const double zoom = direction == Direction::ZoomIn ? 1 : direction == Direction::ZoomOut ? -1 : 0;
  const double pan = direction == Direction::Right ? 1 : direction == Direction::Left ? -1 : 0;
  move(zoom, pan);
}

void ViewMotion::release(Direction direction) {
  m_held[static_cast<std::size_t>(direction)] = false;
  if (std::none_of(m_held.begin(), m_held.end(), [](bool held) { return held; })) m_timer.stop();
}

void ViewMotion::stop() {
  m_held.fill(false);
  m_timer.stop();
}

double ViewMotion::heldSign(Direction plus, Direction minus) const {
  return (m_held[static_cast<std::size_t>(plus)] ? 1 : 0) - (m_held[static_cast<std::size_t>(minus)] ? 1 : 0);
}

void ViewMotion::tick() {
  // A stall (a slow frame, a suspended machine) must not cause a jump.
  const double seconds = std::min(static_cast<double>(m_sinceTick.restart()) / 1000, 0.1);
  const double heldFor = static_cast<double>(m_sinceStart.elapsed()) / 1000;
  const double speed = stepsPerSecond(heldFor);
  move(heldSign(Direction::ZoomIn, Direction::ZoomOut) * speed * seconds,
       heldSign(Direction::Right, Direction::Left) * speed * seconds);
}

double ViewMotion::stepsPerSecond(double secondsHeld) {
  return kStepsPerSecond * (1 + (kMaxSpeed - 1) * std::min(secondsHeld / kSecondsToFastest, 1.0));
}

void ViewMotion::move(double zoomSteps, double panSteps) {
  if (zoomSteps != 0) emit zoomed(std::pow(kStepFactor, zoomSteps));
  if (panSteps != 0) emit panned(panSteps * kStepPixels);
}

} // namespace rankscope::ui
