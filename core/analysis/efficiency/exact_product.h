// SPDX-License-Identifier: GPL-3.0-or-later
// Products and sums of whole numbers that files may choose: what does not fit 64 bits is not known.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace rankscope {

class ExactProduct {
 public:
  constexpr ExactProduct(std::int64_t value) : m_value(value), m_fits(value >= 0) {}

  constexpr ExactProduct& operator*=(ExactProduct factor) {
    m_fits = m_fits && factor.m_fits && !__builtin_mul_overflow(m_value, factor.m_value, &m_value);
    return *this;
  }
  constexpr ExactProduct& operator+=(ExactProduct summand) {
    m_fits = m_fits && summand.m_fits && !__builtin_add_overflow(m_value, summand.m_value, &m_value);
    return *this;
  }
  friend constexpr ExactProduct operator*(ExactProduct a, ExactProduct b) { return a *= b; }
  friend constexpr ExactProduct operator+(ExactProduct a, ExactProduct b) { return a += b; }

  [[nodiscard]] constexpr std::optional<std::int64_t> value() const {
    return m_fits ? std::optional(m_value) : std::nullopt;
  }

 private:
  std::int64_t m_value;
  bool m_fits;
};

[[nodiscard]] constexpr ExactProduct productOf(std::span<const std::int64_t> factors) {
  ExactProduct product(1);
  for (const std::int64_t factor : factors) product *= factor;
  return product;
}

} // namespace rankscope
