// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/natural_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace rankscope {
namespace {

TEST(NaturalOrder, sortsNumbersByTheirValueAndFoldersBeforeLongerNames) {
  const std::vector<std::string> expected = {"",
                                             "a/rank0",
                                             "a/rank2",
                                             "a/rank10",
                                             "a-b/rank1",
                                             "rank",
                                             "rank0",
                                             "rank01",
                                             "rank1a",
                                             "rank1b",
                                             "rank2",
                                             "rank10",
                                             "rank18446744073709551616",
                                             "rank18446744073709551617",
                                             "rankx"};
  std::vector<std::string> names = expected;
  std::mt19937 random(7);
  for (int i = 0; i < 20; ++i) {
    std::ranges::shuffle(names, random);
    std::ranges::sort(names, naturalLess);
    EXPECT_EQ(names, expected);
  }
}

TEST(NaturalOrder, callsOnlyEqualTextsEqual) {
  EXPECT_TRUE(naturalOrder("rank01", "rank1") != 0);
  EXPECT_TRUE(naturalOrder("rank1", "rank01") < 0);
  EXPECT_TRUE(naturalOrder("rank1", "rank1") == 0);
  EXPECT_TRUE(naturalOrder("a1b02", "a01b1") > 0);
}

} // namespace
} // namespace rankscope
