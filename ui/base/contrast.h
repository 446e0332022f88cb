// SPDX-License-Identifier: GPL-3.0-or-later
// How well a text is read on its ground: the contrast ratio of WCAG 2.1, from 1 to 21. Pure functions.
#pragma once

#include <QColor>

namespace rankscope::ui {

inline constexpr double kReadable = 4.5;         // least contrast of a text
inline constexpr double kDisabledReadable = 3.5; // of one that is disabled

[[nodiscard]] double contrast(QColor a, QColor b);

// The color of a translucent one on an opaque ground.
[[nodiscard]] QColor onGround(QColor color, QColor ground, double share);

// The color, or its nearest shade that is read on the ground. Colors of events and curves are made for areas
// and lines; this is for texts in them.
[[nodiscard]] QColor readableOn(QColor color, QColor ground);

} // namespace rankscope::ui
