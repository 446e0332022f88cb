// SPDX-License-Identifier: GPL-3.0-or-later
// How much larger than usual a person wants texts, as the desktop's own font says it: the one factor by which
// fonts grow, and with them whatever has to hold a line of text. Set once, before the first window is built;
// sizes are kept from then on. UI thread.
#pragma once

#include <QtGlobal>

class QFont;

namespace rankscope::ui {

inline constexpr qreal kMaxTextScale = 2.5;

// 1 where the desktop's font is of the usual size or smaller.
[[nodiscard]] qreal textScaleOf(const QFont& desktop);

[[nodiscard]] qreal textScale();
// Brought into [1, kMaxTextScale].
void setTextScale(qreal scale);

// Logical pixels of something that holds text which is as high as usual with `pixels`.
[[nodiscard]] int scaledToText(int pixels);

} // namespace rankscope::ui
