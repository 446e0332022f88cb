// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/picture/span_raster.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace rankscope::ui {

QRgb mixed(QRgb under, QRgb over, std::uint32_t alpha) {
  const auto channel = [&](int (*of)(QRgb)) {
    const auto a = static_cast<std::uint32_t>(of(under));
    const auto b = static_cast<std::uint32_t>(of(over));
    return static_cast<int>((a * (255 - alpha) + b * alpha + 127) / 255);
  };
  return qRgb(channel(qRed), channel(qGreen), channel(qBlue));
}

std::uint32_t spanAlpha(std::uint8_t busy) {
  constexpr std::uint32_t kMin = 84; // a single microsecond in a column of a millisecond must be visible
  return kMin + busy * (255 - kMin) / 255;
}

SpanRaster::SpanRaster(QImage& image)
    : m_image(image), m_width(image.width()), m_height(image.height()),
      m_base(static_cast<std::size_t>(image.width())), m_line(m_base.size()) {
  assert(image.format() == QImage::Format_RGB32);
}

QRgb* SpanRaster::line(int y) {
  return reinterpret_cast<QRgb*>(m_image.scanLine(y));
}

void SpanRaster::clear(QRgb background, QRgb grid, std::span<const std::int32_t> gridColumns) {
  std::fill(m_base.begin(), m_base.end(), background);
  for (const std::int32_t column : gridColumns) {
    if (0 <= column && column < m_width) m_base[static_cast<std::size_t>(column)] = grid;
  }
  m_line = m_base;
  copyDown(0, m_height);
}

void SpanRaster::fillLines(int top, int height, QRgb color) {
  std::fill(m_line.begin(), m_line.end(), color);
  copyDown(top, height);
}

void SpanRaster::drawLane(int top, int height, std::span<const ColorSpan> spans, int separatedFrom) {
  m_line = m_base;
  composeSpans(spans, separatedFrom);
  copyDown(top, height);
}

void SpanRaster::drawLaneOn(QRgb ground, int top, int height, std::span<const ColorSpan> spans,
                            int separatedFrom) {
  std::fill(m_line.begin(), m_line.end(), ground);
  composeSpans(spans, separatedFrom);
  copyDown(top, height);
}

void SpanRaster::composeSpans(std::span<const ColorSpan> spans, int separatedFrom) {
  constexpr std::uint32_t kSeparator = 96; // alpha of the pixel that separates neighbors
  for (const ColorSpan& span : spans) {
    const std::int32_t begin = std::max(span.begin, 0);
    const std::int32_t end = std::min(span.end, m_width);
    if (begin >= end) continue;
    const auto first = m_line.begin() + begin;
    const auto last = m_line.begin() + end;
    if (span.busy == 0xff) {
      const QRgb under = *(last - 1);
      std::fill(first, last, span.color);
      if (span.end - span.begin >= separatedFrom && span.end == end)
        *(last - 1) = mixed(under, span.color, kSeparator);
      continue;
    }
    const std::uint32_t ink = spanAlpha(span.busy);
    std::for_each(first, last, [&](QRgb& pixel) { pixel = mixed(pixel, span.color, ink); });
  }
}

void SpanRaster::copyDown(int top, int height) {
  const std::size_t bytes = m_line.size() * sizeof(QRgb);
  for (int y = std::max(top, 0); y < std::min(top + height, m_height); ++y)
    std::memcpy(line(y), m_line.data(), bytes);
}

void SpanRaster::hatch(int top, int height, std::int32_t begin, std::int32_t end, const Hatch& hatch) {
  begin = std::max(begin, 0);
  end = std::min(end, m_width);
  const auto stripeAlpha = static_cast<std::uint32_t>(qAlpha(hatch.color));
  const auto groundAlpha = static_cast<std::uint32_t>(qAlpha(hatch.ground));
  for (int y = std::max(top, 0); y < std::min(top + height, m_height); ++y) {
    QRgb* const pixels = line(y);
    std::int32_t step = (begin + (y - top) - hatch.phase) % hatch.period;
    if (step < 0) step += hatch.period;
    for (std::int32_t x = begin; x < end; ++x) {
      const bool striped = step < hatch.stripe;
      if (striped)
        pixels[x] = mixed(pixels[x], hatch.color, stripeAlpha);
      else if (groundAlpha != 0)
        pixels[x] = mixed(pixels[x], hatch.ground, groundAlpha);
      if (++step == hatch.period) step = 0;
    }
  }
}

void SpanRaster::blend(int top, int height, std::int32_t begin, std::int32_t end, QRgb color) {
  begin = std::max(begin, 0);
  end = std::min(end, m_width);
  const auto over = static_cast<std::uint32_t>(qAlpha(color) + (qAlpha(color) >> 7)); // of 256
  const std::uint32_t under = 256 - over;
  // Red and blue are multiplied in one number and green in another: two multiplications per pixel, which the
  // compiler vectorizes.
  const std::uint32_t redBlue = (color & 0xff00ffu) * over;
  const std::uint32_t green = (color & 0x00ff00u) * over;
  for (int y = std::max(top, 0); y < std::min(top + height, m_height); ++y) {
    QRgb* const pixels = line(y);
    for (std::int32_t x = begin; x < end; ++x) {
      const std::uint32_t pixel = pixels[x];
      pixels[x] = 0xff000000u | ((((pixel & 0xff00ffu) * under + redBlue) >> 8) & 0xff00ffu) |
                  ((((pixel & 0x00ff00u) * under + green) >> 8) & 0x00ff00u);
    }
  }
}

void SpanRaster::drawArea(int top, int height, std::span<const std::uint8_t> values, QRgb fill, QRgb edge) {
  const auto count = std::min<std::int32_t>(m_width, static_cast<std::int32_t>(values.size()));
  // Of each column: its height in lines; 0 where there is nothing.
  std::vector<int> levels(static_cast<std::size_t>(std::max(count, 0)));
  for (std::size_t x = 0; x < levels.size(); ++x)
    levels[x] = values[x] == 0 ? 0 : std::max(1, (values[x] * height + 127) / 255);
  const auto fillAlpha = static_cast<std::uint32_t>(qAlpha(fill));
  // Most of what is under an area has one color, so that the last mixture is most often the next one too.
  QRgb under = 0;
  QRgb filled = mixed(under, fill, fillAlpha);
  const int firstLine = std::max(top, 0);
  const int lastLine = std::min(top + height, m_height);
  for (int y = firstLine; y < lastLine; ++y) {
    QRgb* const pixels = line(y);
    const int above = top + height - y; // 1 on the lowest line
    for (std::size_t x = 0; x < levels.size(); ++x) {
      if (above > levels[x]) continue;
      if (above == levels[x]) {
        pixels[x] = edge;
        continue;
      }
      if (pixels[x] != under) {
        under = pixels[x];
        filled = mixed(under, fill, fillAlpha);
      }
      pixels[x] = filled;
    }
  }
}

} // namespace rankscope::ui
