// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace rankscope {

std::uint64_t hashOfNumbers(std::span<const std::uint64_t> numbers) {
  return XXH3_64bits(numbers.data(), numbers.size_bytes());
}

} // namespace rankscope
