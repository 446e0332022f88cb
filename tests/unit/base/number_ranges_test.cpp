// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/number_ranges.h"

#include <gtest/gtest.h>

#include <vector>

namespace rankscope {
namespace {

TEST(NumberRanges, numbersInARowAreOneRange) {
  EXPECT_EQ(numberRangesText({}), "");
  EXPECT_EQ(numberRangesText({4}), "4");
  EXPECT_EQ(numberRangesText({0, 1, 3, 4, 5, 9}), "0, 1, 3-5, 9");
  EXPECT_EQ(numbersInRanges("0, 1, 3-5, 9"), (std::vector{0, 1, 3, 4, 5, 9}));
  EXPECT_EQ(numbersInRanges("5,2 - 3,2"), (std::vector{2, 3, 5}));
  for (const char* const text : {"", " ", "a", "3-", "-3", "5-2", "1,,2", "1;2", "99999999999", "0x3"})
    EXPECT_FALSE(numbersInRanges(text)) << text;
}

} // namespace
} // namespace rankscope
