// SPDX-License-Identifier: GPL-3.0-or-later
// The one mapping between time and pixels, in integers. A window of L ns over W pixels draws at the exact
// resolution of L/W ns a pixel. Time is cut into columns at the multiples of L/W counted from time 0, not
// from the window: pixel 0 shows the column that holds the window's begin. So the same event falls into the
// same column wherever the window stands, and panning moves columns without redrawing them differently.
// Immutable; every call is O(1) and exact for windows up to 2^62 ns and widths up to 16384.
#pragma once

#include "core/base/time_range.h"

#include <cstdint>

namespace rankscope {

class PixelScale {
 public:
  static constexpr int kMaxWidth = 16384;
  static constexpr TimeNs kMaxLength = TimeNs{1} << 62;
  // Pixels this far outside stand for everything farther.
  static constexpr std::int32_t kFarPixel = 1 << 29;

  // An empty window counts as one nanosecond long, one longer than kMaxLength is cut at its end;
  // the width is brought into [1, kMaxWidth].
  PixelScale(TimeRange window, int width);

  [[nodiscard]] TimeRange window() const { return {m_begin, m_begin + m_length}; }
  [[nodiscard]] int width() const { return static_cast<int>(m_width); }
  // Whether a nanosecond is more than one pixel wide.
  [[nodiscard]] bool magnifies() const { return m_length < m_width; }

  // The pixel whose column holds t: 0 for the window's begin, negative left of it, at most kFarPixel from 0.
  [[nodiscard]] std::int32_t pixelAt(TimeNs t) const;
  // The first nanosecond of pixel's column: pixelAt(t) < pixel for all t before it and >= pixel from it on.
  // pixel in [-kFarPixel, kFarPixel]; a time beyond 64 bits becomes the last one that fits.
  [[nodiscard]] TimeNs columnBegin(std::int32_t pixel) const;
  // The nanoseconds of pixel's column; when it magnifies many columns hold none.
  [[nodiscard]] TimeRange column(std::int32_t pixel) const {
    return {columnBegin(pixel), columnBegin(pixel + 1)};
  }
  // The time under a pixel: the first nanosecond of its column, or the one drawn across it when that holds
  // none.
  [[nodiscard]] TimeNs timeAt(std::int32_t pixel) const;
  // The window of the same length whose columns lie exactly so many pixels further on: pixel 0 of it is this
  // one's pixel `pixels`. When it magnifies: to within a nanosecond.
  [[nodiscard]] TimeRange windowPannedBy(std::int32_t pixels) const;

 private:
  TimeNs m_begin;
  std::int64_t m_length;
  std::int64_t m_width;
  // How far the window's begin lies behind the begin of pixel 0's column, in 1/width ns; in [0, length).
  std::int64_t m_phase;
};

} // namespace rankscope
