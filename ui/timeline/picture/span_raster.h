// SPDX-License-Identifier: GPL-3.0-or-later
// Spans become pixels: one scanline is composed per lane and copied down the lane's height. No widget, no
// QPainter, no antialiasing; every pixel is a function of the arguments. All positions are device pixels of
// the image, which is Format_RGB32; what reaches out of it is cut. Cost: lanes x width, and the copying.
#pragma once

#include "core/query/row_spans.h"

#include <QColor>
#include <QImage>
#include <QRgb>

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope::ui {

// Pixels [begin, end) in one color; less ink where only part of them is busy.
struct ColorSpan {
  std::int32_t begin = 0;
  std::int32_t end = 0;
  QRgb color = 0;
  std::uint8_t busy = 0xff;
};

// Diagonal stripes: of every period pixels along a line the first `stripe` ones are painted in color.
struct Hatch {
  QRgb ground = 0; // between the stripes, with its alpha
  QRgb color = 0;  // the stripes, with its alpha
  std::int32_t period = 6;
  std::int32_t stripe = 2;
  std::int32_t phase = 0; // moves the pattern to the right
};

// The same color, letting through what is under it.
[[nodiscard]] inline QColor withAlpha(QColor color, int alpha) {
  color.setAlpha(alpha);
  return color;
}

// alpha of 255 parts of over, the rest of under.
[[nodiscard]] QRgb mixed(QRgb under, QRgb over, std::uint32_t alpha);
// How strongly a span that is busy for this share is painted: never invisible, full at 255.
[[nodiscard]] std::uint32_t spanAlpha(std::uint8_t busy);

class SpanRaster {
 public:
  // image outlives the raster.
  explicit SpanRaster(QImage& image);

  // Every line becomes the background with a grid line at these columns.
  void clear(QRgb background, QRgb grid, std::span<const std::int32_t> gridColumns);
  // Lines [top, top + height) become one color.
  void fillLines(int top, int height, QRgb color);
  // The spans of a lane over what clear() laid there, or over one ground color. A span of at least
  // separatedFrom pixels keeps its last pixel darker, so that neighbors of one color are distinguishable.
  void drawLane(int top, int height, std::span<const ColorSpan> spans, int separatedFrom = 3);
  void drawLaneOn(QRgb ground, int top, int height, std::span<const ColorSpan> spans, int separatedFrom = 3);
  // Stripes over pixels [begin, end) of lines [top, top + height).
  void hatch(int top, int height, std::int32_t begin, std::int32_t end, const Hatch& hatch);
  // One color, with its alpha, over pixels [begin, end) of lines [top, top + height).
  void blend(int top, int height, std::int32_t begin, std::int32_t end, QRgb color);
  // An area: in every column the lowest values[x] of 255 parts of the lane's height, never less than a pixel
  // where the value is not 0. Its upper edge is drawn in edge.
  void drawArea(int top, int height, std::span<const std::uint8_t> values, QRgb fill, QRgb edge);

 private:
  void composeSpans(std::span<const ColorSpan> spans, int separatedFrom);
  void copyDown(int top, int height);
  [[nodiscard]] QRgb* line(int y);

  QImage& m_image;
  std::int32_t m_width;
  std::int32_t m_height;
  std::vector<QRgb> m_base; // what clear() laid, one line of it
  std::vector<QRgb> m_line;
};

} // namespace rankscope::ui
