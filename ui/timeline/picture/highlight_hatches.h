// SPDX-License-Identifier: GPL-3.0-or-later
// The patterns of the highlights, each distinguishable without its color: idle time wide stripes on
// nothing, exposed communication wide stripes on full color, waiting in a collective fine stripes on paler
// ground. The lanes and the legend paint with the same ones. Pure functions.
#pragma once

#include "ui/base/theme.h"
#include "ui/timeline/picture/span_raster.h"

namespace rankscope::ui {

// scale: device pixels of a logical one. phase: see Hatch.
[[nodiscard]] Hatch idleHatch(const Theme& theme, qreal scale);
[[nodiscard]] Hatch exposedHatch(const Theme& theme, qreal scale);
// Of the part of a collective that waits for the last rank; exposed: nothing hides it either.
[[nodiscard]] Hatch waitHatch(const Theme& theme, qreal scale, bool exposed);

// The stripes' place in a window, so that they move with what they lie on when it is panned.
[[nodiscard]] Hatch anchoredTo(Hatch hatch, TimeRange window, int width);

} // namespace rankscope::ui
