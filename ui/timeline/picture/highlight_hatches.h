// SPDX-License-Identifier: GPL-3.0-or-later
// Patterns of the highlights, distinguishable without color: idle time has wide stripes on nothing, exposed
// communication wide stripes on full color, waiting in a collective fine stripes on a paler color. Used by
// the lanes and the legend. Pure functions.
#pragma once

#include "ui/base/theme.h"
#include "ui/timeline/picture/span_raster.h"

namespace rankscope::ui {

// scale: device pixels per logical pixel. phase: see Hatch.
[[nodiscard]] Hatch idleHatch(const Theme& theme, qreal scale);
[[nodiscard]] Hatch exposedHatch(const Theme& theme, qreal scale);
// For the part of a collective that waits for the last rank. exposed: not overlapped either.
[[nodiscard]] Hatch waitHatch(const Theme& theme, qreal scale, bool exposed);

// The phase of the stripes in a window, so that they move with the content when panning.
[[nodiscard]] Hatch anchoredTo(Hatch hatch, TimeRange window, int width);

} // namespace rankscope::ui
