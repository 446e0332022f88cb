// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/canvas/zoom_animation.h"

#include <cmath>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr double kAtOnce = 0.4;        // share of the remaining zoom that a notch applies immediately
constexpr double kTimeConstantMs = 35; // time after which a third of the rest remains
constexpr double kDone = 0.01;         // remaining steps that are not visible
constexpr int kTickMs = 8;

} // namespace

ZoomAnimation::ZoomAnimation(QObject* parent) : QObject(parent) {
  m_timer.setTimerType(Qt::PreciseTimer);
  m_timer.setInterval(kTickMs);
  connect(&m_timer, &QTimer::timeout, this, &ZoomAnimation::tick);
}

void ZoomAnimation::add(double x, double steps) {
  if (x != m_x) m_left = 0;
  m_x = x;
  m_left += steps;
  const double now = m_left * kAtOnce;
  m_left -= now;
  if (!m_timer.isActive()) {
    m_sinceTick.start();
    m_timer.start();
  }
  emit zoomed(m_x, now);
}

void ZoomAnimation::stop() {
  m_left = 0;
  m_timer.stop();
}

void ZoomAnimation::tick() {
  const double elapsed = static_cast<double>(m_sinceTick.restart());
  double now = m_left * (1 - std::exp(-elapsed / kTimeConstantMs));
  if (std::abs(m_left - now) < kDone) {
    now = m_left;
    m_timer.stop();
  }
  m_left -= now;
  if (now != 0) emit zoomed(m_x, now);
}

} // namespace rankscope::ui
