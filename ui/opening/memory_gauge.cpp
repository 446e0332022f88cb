// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/memory_gauge.h"

#include "ui/base/text_scale.h"
#include "ui/job/trace_session.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace rankscope::ui {

namespace {

constexpr int kBarHeight = 12;
constexpr int kOverhang = 4; // of the marker, beyond the bar
constexpr qreal kRadius = 4;

} // namespace

MemoryGauge::MemoryGauge(const TraceSession& session, QWidget* parent) : QWidget(parent), m_session(session) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setToolTip(tr("Memory that is needed while loading; the mark is at what may be used"));
}

void MemoryGauge::setFigures(std::uint64_t needed, std::uint64_t space, std::uint64_t scaleMax) {
  m_needed = needed;
  m_available = space;
  m_max = std::max({needed, space, scaleMax, std::uint64_t{1}});
  update();
}

QSize MemoryGauge::sizeHint() const {
  return {200, scaledToText(kBarHeight) + 2 * kOverhang};
}

void MemoryGauge::paintEvent(QPaintEvent*) {
  const Theme& theme = m_session.theme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF bar(0, kOverhang, width(), scaledToText(kBarHeight));
  const auto x = [&](std::uint64_t bytes) {
    return bar.width() * static_cast<double>(bytes) / static_cast<double>(m_max);
  };
  QPainterPath shape;
  shape.addRoundedRect(bar, kRadius, kRadius);
  painter.fillPath(shape, theme.raised);
  painter.setClipPath(shape);
  const qreal fits = x(std::min(m_needed, m_available));
  painter.fillRect(QRectF(0, bar.top(), fits, bar.height()), theme.accent);
  painter.fillRect(QRectF(fits, bar.top(), x(m_needed) - fits, bar.height()), theme.bad);
  painter.setClipping(false);
  const qreal mark = std::clamp(x(m_available), 1.0, bar.width() - 1.0);
  painter.fillRect(QRectF(mark - 1, 0, 2, height()), theme.text);
}

} // namespace rankscope::ui
