// SPDX-License-Identifier: GPL-3.0-or-later
// The text scale: the factor for fonts and everything that holds a line of text, from the desktop's font or
// as the user chose it. Set once, before the first window is created. UI thread.
#pragma once

#include <QtGlobal>

#include <array>

class QFont;
class QSettings;

namespace rankscope::ui {

inline constexpr qreal kMaxTextScale = 2.5;

// Text sizes to choose from, in percent.
inline constexpr std::array kTextSizes{100, 125, 150, 175, 200};

// The chosen text size in percent; 0: that of the desktop.
[[nodiscard]] int savedTextSize(const QSettings& settings);
void saveTextSize(QSettings& settings, int percent);

// 1 if the desktop's font has the default size or is smaller.
[[nodiscard]] qreal textScaleOf(const QFont& desktop);

[[nodiscard]] qreal textScale();
// Clamped to [1, kMaxTextScale].
void setTextScale(qreal scale);

// Logical pixels of an element that needs `pixels` at scale 1.
[[nodiscard]] int scaledToText(int pixels);

} // namespace rankscope::ui
