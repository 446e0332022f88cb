// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/picture/highlight_hatches.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {
namespace {

int pixels(qreal logical, qreal scale) {
  return std::max(1, static_cast<int>(std::lround(logical * scale)));
}

} // namespace

Hatch idleHatch(const Theme& theme, qreal scale) {
  return {withAlpha(theme.bad, 26).rgba(), withAlpha(theme.bad, 115).rgba(), pixels(8, scale),
          pixels(2, scale), 0};
}

Hatch exposedHatch(const Theme& theme, qreal scale) {
  return {theme.exposed.rgba(), mixed(theme.exposed.rgb(), qRgb(0, 0, 0), 85), pixels(7, scale),
          pixels(2, scale), 0};
}

Hatch waitHatch(const Theme& theme, qreal scale, bool exposed) {
  const QRgb color = (exposed ? theme.exposed : theme.communication).rgb();
  return {mixed(theme.background.rgb(), color, 84), mixed(theme.background.rgb(), color, 200),
          pixels(4, scale), pixels(1, scale), 0};
}

Hatch anchoredTo(Hatch hatch, TimeRange window, int width) {
  // Column of the window's begin, counted from time 0, modulo the pattern's period.
  const TimeNs length = std::max<TimeNs>(window.length(), 1);
  const std::int64_t windows = window.begin / length;
  const TimeNs rest = window.begin % length;
  const auto part =
      static_cast<std::int64_t>(static_cast<double>(rest) * width / static_cast<double>(length));
  const std::int64_t column = (windows % hatch.period) * (width % hatch.period) + part;
  hatch.phase = -static_cast<std::int32_t>(column % hatch.period);
  return hatch;
}

} // namespace rankscope::ui
