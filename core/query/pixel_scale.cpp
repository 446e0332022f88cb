// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/pixel_scale.h"

#include <algorithm>
#include <limits>

namespace rankscope {

namespace {

__extension__ using Int128 = __int128;

template <class Int> constexpr Int floorDiv(Int a, Int b) {
  const Int quotient = a / b;
  return a % b < 0 ? quotient - 1 : quotient;
}

template <class Int> constexpr Int ceilDiv(Int a, Int b) {
  const Int quotient = a / b;
  return a % b > 0 ? quotient + 1 : quotient;
}

// Times or lengths below this, multiplied by a width or by a pixel of the window, fit into 64 bits. It is
// three days, so drawing does not need 128-bit divisions.
constexpr std::int64_t kSmall = std::int64_t{1} << 48;

constexpr TimeNs clampToTime(Int128 time) {
  constexpr Int128 lowest = std::numeric_limits<TimeNs>::min();
  constexpr Int128 highest = std::numeric_limits<TimeNs>::max();
  return static_cast<TimeNs>(std::clamp(time, lowest, highest));
}

std::int64_t lengthOf(TimeRange window) {
  if (window.end <= window.begin) return 1;
  const std::uint64_t length =
      static_cast<std::uint64_t>(window.end) - static_cast<std::uint64_t>(window.begin);
  return static_cast<std::int64_t>(std::min(length, static_cast<std::uint64_t>(PixelScale::kMaxLength)));
}

} // namespace

PixelScale::PixelScale(TimeRange window, int width)
    : m_begin(std::min(window.begin, std::numeric_limits<TimeNs>::max() - lengthOf(window))),
      m_length(lengthOf(window)), m_width(std::clamp(width, 1, kMaxWidth)) {
  const Int128 position = Int128{m_begin} * m_width;
  m_phase = static_cast<std::int64_t>(position - floorDiv<Int128>(position, m_length) * m_length);
}

std::int32_t PixelScale::pixelAt(TimeNs t) const {
  std::int64_t sinceBegin = 0;
  const bool fits = !__builtin_sub_overflow(t, m_begin, &sinceBegin);
  if (fits && m_length <= kSmall && -kSmall <= sinceBegin && sinceBegin <= kSmall) {
    const std::int64_t pixel = floorDiv(sinceBegin * m_width + m_phase, m_length);
    return static_cast<std::int32_t>(
        std::clamp<std::int64_t>(pixel, -std::int64_t{kFarPixel}, std::int64_t{kFarPixel}));
  }
  const Int128 pixel = floorDiv<Int128>((Int128{t} - m_begin) * m_width + m_phase, m_length);
  return static_cast<std::int32_t>(std::clamp<Int128>(pixel, -kFarPixel, kFarPixel));
}

TimeNs PixelScale::columnBegin(std::int32_t pixel) const {
  if (m_length <= kSmall && -kMaxWidth <= pixel && pixel <= kMaxWidth) {
    const std::int64_t sinceBegin = ceilDiv(pixel * m_length - m_phase, m_width);
    std::int64_t time = 0;
    if (!__builtin_add_overflow(m_begin, sinceBegin, &time)) return time;
  }
  return clampToTime(m_begin + ceilDiv<Int128>(Int128{pixel} * m_length - m_phase, m_width));
}

TimeNs PixelScale::timeAt(std::int32_t pixel) const {
  const TimeRange held = column(pixel);
  if (!held.empty() || held.begin == std::numeric_limits<TimeNs>::min()) return held.begin;
  return held.begin - 1;
}

TimeRange PixelScale::windowPannedBy(std::int32_t pixels) const {
  const Int128 wanted = Int128{pixels} * m_length;
  Int128 delta = floorDiv<Int128>(wanted, m_width);
  if (!magnifies() && delta * m_width + m_phase < wanted) ++delta;
  constexpr Int128 highest = std::numeric_limits<TimeNs>::max();
  const TimeNs begin = clampToTime(std::min(m_begin + delta, highest - m_length));
  return {begin, begin + m_length};
}

} // namespace rankscope
