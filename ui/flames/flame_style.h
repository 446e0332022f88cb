// SPDX-License-Identifier: GPL-3.0-or-later
// Texts and colors of the frames of a flame graph. Pure; UI thread, because of translated texts.
#pragma once

#include "core/analysis/stacks/stack_weight.h"
#include "ui/flames/flame_layout.h"

#include <QColor>
#include <QString>

#include <cstdint>
#include <string_view>

namespace rankscope::ui {

struct Theme;

// The weight as people read it: a duration, a size, a count.
[[nodiscard]] QString weightText(StackWeight weight, std::int64_t value);
// A frame without what all of its kind have: kernels and Python frames in short.
[[nodiscard]] QString frameLabel(const StackTree::Frame& frame);
[[nodiscard]] QColor frameColor(const Theme& theme, const StackTree::Frame& frame);
// By the class of the innermost module around a frame: the same class has the same color everywhere. Gray
// outside of modules.
[[nodiscard]] QColor moduleColor(const Theme& theme, std::string_view moduleClass);
// Gray without a change, in full color from 5 % of the whole on: orange for more, blue for less.
[[nodiscard]] QColor changeColor(const Theme& theme, double share);
// "1.2 ms more in B", "only in A", "no change" of a node of a difference.
[[nodiscard]] QString changeText(StackWeight weight, const FlameLayout& difference, std::uint32_t node);
// alpha: of `with`, 0 to 255.
[[nodiscard]] QColor mixedColor(const QColor& color, const QColor& with, std::uint32_t alpha);

} // namespace rankscope::ui
