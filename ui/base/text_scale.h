// SPDX-License-Identifier: GPL-3.0-or-later
// The text scale from the desktop's font: the factor for fonts and everything that holds a line of text.
// Set once, before the first window is created. UI thread.
#pragma once

#include <QtGlobal>

class QFont;

namespace rankscope::ui {

inline constexpr qreal kMaxTextScale = 2.5;

// 1 if the desktop's font has the default size or is smaller.
[[nodiscard]] qreal textScaleOf(const QFont& desktop);

[[nodiscard]] qreal textScale();
// Clamped to [1, kMaxTextScale].
void setTextScale(qreal scale);

// Logical pixels of an element that needs `pixels` at scale 1.
[[nodiscard]] int scaledToText(int pixels);

} // namespace rankscope::ui
