// SPDX-License-Identifier: GPL-3.0-or-later
// The sum of times or bytes of events. It is exact for any number of values and any order, because it uses
// 128 bits. Conversion to an integer clamps it to ±kMax, so that two such sums can be added, subtracted or
// doubled without overflow of 64 bits.
#pragma once

#include <algorithm>
#include <cstdint>

namespace rankscope {

class ExactSum {
 public:
  static constexpr std::int64_t kMax = (std::int64_t{1} << 62) - 1;

  constexpr ExactSum() = default;
  // Not explicit, so that structs with an ExactSum can be initialized from numbers.
  constexpr ExactSum(std::int64_t value) : m_sum(value) {}

  constexpr ExactSum& operator+=(std::int64_t value) {
    m_sum += value;
    return *this;
  }
  constexpr ExactSum& operator-=(std::int64_t value) {
    m_sum -= value;
    return *this;
  }
  // Adds the partial sum of another thread.
  constexpr ExactSum& operator+=(const ExactSum& part) {
    m_sum += part.m_sum;
    return *this;
  }

  constexpr operator std::int64_t() const {
    return static_cast<std::int64_t>(std::clamp<Wide>(m_sum, -kMax, kMax));
  }
  // For shares and means; not clamped.
  explicit constexpr operator double() const { return static_cast<double>(m_sum); }

 private:
  __extension__ using Wide = __int128;
  Wide m_sum = 0;
};

} // namespace rankscope
