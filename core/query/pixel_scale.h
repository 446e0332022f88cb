// SPDX-License-Identifier: GPL-3.0-or-later
// The mapping between time and pixels, in integers. A window of L ns over W pixels is drawn at exactly L/W ns
// per pixel. Time is divided into columns at multiples of L/W from time 0, not from the window; pixel 0 shows
// the column that contains the begin of the window. So an event is in the same column wherever the window is,
// and panning does not change how it is drawn. Immutable; every call is O(1) and exact for windows up to 2^62
// ns and widths up to 16384.
#pragma once

#include "core/base/time_range.h"

#include <cstdint>

namespace rankscope {

class PixelScale {
 public:
  static constexpr int kMaxWidth = 16384;
  static constexpr TimeNs kMaxLength = TimeNs{1} << 62;
  // Positions further outside are clamped to this.
  static constexpr std::int32_t kFarPixel = 1 << 29;

  // An empty window counts as 1 ns; a window longer than kMaxLength is cut at its end; the width is clamped
  // to [1, kMaxWidth].
  PixelScale(TimeRange window, int width);

  [[nodiscard]] TimeRange window() const { return {m_begin, m_begin + m_length}; }
  [[nodiscard]] int width() const { return static_cast<int>(m_width); }
  // Whether a nanosecond is wider than a pixel.
  [[nodiscard]] bool magnifies() const { return m_length < m_width; }

  // The pixel whose column contains t: 0 at the window's begin, negative before it, clamped to ±kFarPixel.
  [[nodiscard]] std::int32_t pixelAt(TimeNs t) const;
  // First nanosecond of the pixel's column: pixelAt(t) < pixel for earlier t, >= pixel from it on. pixel in
  // [-kFarPixel, kFarPixel]. Times beyond 64 bits are clamped.
  [[nodiscard]] TimeNs columnBegin(std::int32_t pixel) const;
  // Nanoseconds of the pixel's column. If magnifies(), many columns are empty.
  [[nodiscard]] TimeRange column(std::int32_t pixel) const {
    return {columnBegin(pixel), columnBegin(pixel + 1)};
  }
  // The time under a pixel: first nanosecond of its column, or the nanosecond drawn across it if the column
  // is empty.
  [[nodiscard]] TimeNs timeAt(std::int32_t pixel) const;
  // The window moved by this number of pixel columns: its pixel 0 is pixel `pixels` of this one. Accurate to
  // a nanosecond if magnifies(), else exact.
  [[nodiscard]] TimeRange windowPannedBy(std::int32_t pixels) const;

 private:
  TimeNs m_begin;
  std::int64_t m_length;
  std::int64_t m_width;
  // Distance of the window's begin from the begin of pixel 0's column, in 1/width ns; in [0, length).
  std::int64_t m_phase;
};

} // namespace rankscope
