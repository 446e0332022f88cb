// SPDX-License-Identifier: GPL-3.0-or-later
// A sum over events, whose number and lengths a file may choose: of times, of bytes. It is exact whatever is
// added and in whatever order. Read as an integer it is the nearest that a table may work with: within kMax,
// so that two sums can be added, subtracted or doubled without leaving 64 bits.
#pragma once

#include <algorithm>
#include <cstdint>

namespace rankscope {

class ExactSum {
 public:
  static constexpr std::int64_t kMax = (std::int64_t{1} << 62) - 1;

  constexpr ExactSum() = default;
  // Not explicit: a sum begins as a number, and a struct that holds one is made from numbers.
  constexpr ExactSum(std::int64_t value) : m_sum(value) {}

  constexpr ExactSum& operator+=(std::int64_t value) {
    m_sum += value;
    return *this;
  }
  constexpr ExactSum& operator-=(std::int64_t value) {
    m_sum -= value;
    return *this;
  }
  // Parts that threads summed up by themselves.
  constexpr ExactSum& operator+=(const ExactSum& part) {
    m_sum += part.m_sum;
    return *this;
  }

  constexpr operator std::int64_t() const {
    return static_cast<std::int64_t>(std::clamp<Wide>(m_sum, -kMax, kMax));
  }
  // For shares and means, which stay true beyond that.
  explicit constexpr operator double() const { return static_cast<double>(m_sum); }

 private:
  __extension__ using Wide = __int128;
  Wide m_sum = 0;
};

} // namespace rankscope
