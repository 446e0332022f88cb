// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/hash.h"

#include <bit>
#include <cstdint>
#include <set>

#include <gtest/gtest.h>

namespace rankscope {

TEST(Hash, isOfTheNumbersAndTheirOrder) {
  EXPECT_EQ(hashOf(1, 2), hashOf(std::uint64_t{1}, std::int64_t{2}));
  EXPECT_NE(hashOf(1, 2), hashOf(2, 1));
  EXPECT_NE(hashOf(1), hashOf(1, 0));
  EXPECT_EQ(hashOf(-1), hashOf(~std::uint64_t{0}));
}

TEST(Hash, ofSmallNumbersIsNeverTheSame) {
  std::set<std::uint64_t> seen;
  for (std::uint32_t a = 0; a < 300; ++a)
    for (std::uint32_t b = 0; b < 300; ++b) seen.insert(hashOf(a, b));
  EXPECT_EQ(seen.size(), 300u * 300u);
}

// Hash tables take low bits, masks of other tables high ones.
TEST(Hash, everyBitOfANumberChangesAboutHalfOfTheHash) {
  for (int bit = 0; bit < 64; ++bit) {
    int changed = 0;
    for (std::uint64_t number = 0; number < 64; ++number)
      changed += std::popcount(hashOf(number, 7) ^ hashOf(number ^ (std::uint64_t{1} << bit), 7));
    EXPECT_NEAR(changed / 64.0, 32, 4) << bit;
  }
}

} // namespace rankscope
