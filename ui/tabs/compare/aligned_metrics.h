// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes of the aligned steps, in logical pixels before the size of texts. Constant data.
#pragma once

namespace rankscope::ui {

inline constexpr int kAlignedRuler = 20;
inline constexpr int kAlignedLane = 15;
inline constexpr int kAlignedLaneGap = 2;
inline constexpr int kAlignedSideGap = 10;
inline constexpr int kAlignedDifference = 30;
inline constexpr int kAlignedLabel = 136;

} // namespace rankscope::ui
