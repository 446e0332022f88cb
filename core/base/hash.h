// SPDX-License-Identifier: GPL-3.0-or-later
// One hash of several numbers (XXH3), for hash tables and to compare sequences of such groups. The same in
// every run. Names are hashed by StringInterner, which has a seed. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace rankscope {

[[nodiscard]] std::uint64_t hashOfNumbers(std::span<const std::uint64_t> numbers);

template <class... Number> [[nodiscard]] std::uint64_t hashOf(Number... numbers) {
  return hashOfNumbers(std::array{static_cast<std::uint64_t>(numbers)...});
}

} // namespace rankscope
