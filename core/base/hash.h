// SPDX-License-Identifier: GPL-3.0-or-later
// Hashes several numbers with XXH3, for hash tables and for comparing sequences. The result is the same in
// every run. StringInterner hashes names separately, with a random seed. Pure functions.
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
