// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/column.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <ranges>

namespace rankscope {

static_assert(std::ranges::contiguous_range<const Column<int>>);
static_assert(std::ranges::sized_range<const Column<int>>);

TEST(Column, readsLikeTheVectorThatWasMovedIn) {
  const Column<int> column(std::vector<int>{3, 1, 2});
  EXPECT_EQ(column.size(), 3U);
  EXPECT_EQ(column[1], 1);
  EXPECT_EQ(column[EventIndex(2)], 2);
  EXPECT_EQ(column.front(), 3);
  EXPECT_EQ(column.back(), 2);
  EXPECT_EQ(std::accumulate(column.begin(), column.end(), 0), 6);
  EXPECT_EQ(*std::ranges::max_element(column), 3);
  EXPECT_TRUE(Column<int>().empty());
}

TEST(Column, copiesShareTheValuesAndTakingLeavesThemToTheOthers) {
  Column<int> column(std::vector<int>{1, 2, 3});
  const Column<int> copy = column;
  EXPECT_EQ(copy.data(), column.data());
  std::vector<int> mine = column.take();
  EXPECT_TRUE(column.empty());
  mine[0] = 9;
  EXPECT_EQ(copy[0], 1);
}

TEST(Column, takingFromTheOnlyOwnerCopiesNothing) {
  Column<int> column(std::vector<int>{1, 2, 3});
  const int* const before = column.data();
  const std::vector<int> mine = column.take();
  EXPECT_EQ(mine.data(), before);
  EXPECT_TRUE(column.empty());
}

TEST(Column, keepsAForeignOwnerAlive) {
  auto values = std::make_shared<const std::vector<int>>(std::vector<int>{4, 5});
  const std::weak_ptr<const std::vector<int>> watch = values;
  Column<int> column(*values, values);
  values.reset();
  EXPECT_EQ(column[1], 5);
  EXPECT_EQ(column.take(), (std::vector<int>{4, 5}));
  EXPECT_TRUE(watch.expired());
}

} // namespace rankscope
