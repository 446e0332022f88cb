// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/disjoint_sets.h"

#include <gtest/gtest.h>

namespace rankscope {

TEST(DisjointSets, areNamedByTheirLowestNumber) {
  DisjointSets sets(6);
  sets.join(4, 2);
  sets.join(5, 4);
  sets.join(1, 1);
  EXPECT_EQ(sets.of(0), 0U);
  EXPECT_EQ(sets.of(1), 1U);
  for (const std::size_t number : {2, 4, 5}) EXPECT_EQ(sets.of(number), 2U);
  sets.join(5, 0);
  for (const std::size_t number : {0, 2, 4, 5}) EXPECT_EQ(sets.of(number), 0U);
  EXPECT_EQ(sets.of(3), 3U);
}

} // namespace rankscope
