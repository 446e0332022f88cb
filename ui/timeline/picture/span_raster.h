// SPDX-License-Identifier: GPL-3.0-or-later
// Rasterizes spans: one scanline is composed per lane and copied down the lane's height. No widget, no
// QPainter, no antialiasing; pixels depend only on the arguments. Positions are device pixels of the image,
// which is Format_RGB32; drawing is clipped to it. O(lanes x width), plus copying.
#pragma once

#include "core/query/row_spans.h"

#include <QColor>
#include <QImage>
#include <QRgb>

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope::ui {

// Pixels [begin, end) in one color, with less opacity if only partly busy.
struct ColorSpan {
  std::int32_t begin = 0;
  std::int32_t end = 0;
  QRgb color = 0;
  std::uint8_t busy = 0xff;
};

// Diagonal stripes: the first `stripe` of every `period` pixels along a line have this color.
struct Hatch {
  QRgb ground = 0; // between the stripes, with its alpha
  QRgb color = 0;  // the stripes, with its alpha
  std::int32_t period = 6;
  std::int32_t stripe = 2;
  std::int32_t phase = 0; // moves the pattern to the right
};

// The same color with this opacity.
[[nodiscard]] inline QColor withAlpha(QColor color, int alpha) {
  color.setAlpha(alpha);
  return color;
}

// Blends alpha/255 of over with the rest of under.
[[nodiscard]] QRgb mixed(QRgb under, QRgb over, std::uint32_t alpha);
// Opacity of a span with this busy share: never invisible, full at 255.
[[nodiscard]] std::uint32_t spanAlpha(std::uint8_t busy);

class SpanRaster {
 public:
  // The image must outlive the raster.
  explicit SpanRaster(QImage& image);

  // Fills every line with the background and grid lines at these columns.
  void clear(QRgb background, QRgb grid, std::span<const std::int32_t> gridColumns);
  // Fills lines [top, top + height) with one color.
  void fillLines(int top, int height, QRgb color);
  // Draws the spans of a lane over the cleared background or over one color. The last pixel of a span of at
  // least separatedFrom pixels is darker, so that neighbors of the same color are distinguishable.
  void drawLane(int top, int height, std::span<const ColorSpan> spans, int separatedFrom = 3);
  void drawLaneOn(QRgb ground, int top, int height, std::span<const ColorSpan> spans, int separatedFrom = 3);
  // Draws stripes over pixels [begin, end) of lines [top, top + height).
  void hatch(int top, int height, std::int32_t begin, std::int32_t end, const Hatch& hatch);
  // Draws a color with its alpha over pixels [begin, end) of lines [top, top + height).
  void blend(int top, int height, std::int32_t begin, std::int32_t end, QRgb color);
  // Draws an area: column x is filled up to values[x]/255 of the lane's height, at least one pixel if the
  // value is not 0. The upper edge has the color `edge`.
  void drawArea(int top, int height, std::span<const std::uint8_t> values, QRgb fill, QRgb edge);

 private:
  void composeSpans(std::span<const ColorSpan> spans, int separatedFrom);
  void copyDown(int top, int height);
  [[nodiscard]] QRgb* line(int y);

  QImage& m_image;
  std::int32_t m_width;
  std::int32_t m_height;
  std::vector<QRgb> m_base; // a line as filled by clear()
  std::vector<QRgb> m_line;
};

} // namespace rankscope::ui
