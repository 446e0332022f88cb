// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/memory_view.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace rankscope {
namespace {

std::vector<MemoryLevel> randomLevels(std::size_t count, TimeNs end) {
  std::mt19937_64 random(7);
  std::vector<MemoryLevel> levels(count);
  for (MemoryLevel& level : levels)
    level = {static_cast<TimeNs>(random() % static_cast<std::uint64_t>(end)),
             static_cast<std::int64_t>(random() % 1'000'000), -1};
  std::ranges::stable_sort(levels, {}, &MemoryLevel::time);
  return levels;
}

TEST(ThinnedLevels, KeepTheEndsAndTheExtremesAndInventNothing) {
  const std::vector<MemoryLevel> levels = randomLevels(10'000, 1'000'003);
  const std::vector<MemoryLevel> thinned = thinnedLevels(levels, {0, 1'000'003}, 50);
  EXPECT_LE(thinned.size(), 200U);
  EXPECT_GE(thinned.size(), 150U);
  EXPECT_TRUE(std::ranges::is_sorted(thinned, {}, &MemoryLevel::time));
  for (const MemoryLevel& level : thinned) EXPECT_NE(std::ranges::find(levels, level), levels.end());
  EXPECT_EQ(thinned.front(), levels.front());
  EXPECT_EQ(thinned.back(), levels.back());
  const auto byLevel = [](const MemoryLevel& level) { return level.allocated; };
  EXPECT_EQ(std::ranges::max(thinned, {}, byLevel).allocated,
            std::ranges::max(levels, {}, byLevel).allocated);
  EXPECT_EQ(std::ranges::min(thinned, {}, byLevel).allocated,
            std::ranges::min(levels, {}, byLevel).allocated);
}

TEST(ThinnedLevels, FewLevelsStayAsTheyAre) {
  const std::vector<MemoryLevel> levels{{10, 5, -1}, {10, 9, -1}, {11, 1, -1}, {400, 3, -1}};
  EXPECT_EQ(thinnedLevels(levels, {0, 1000}, 100), levels);
}

TEST(ThinnedLevels, WhatLiesOutsideOfTheRangeIsLeftOut) {
  const std::vector<MemoryLevel> levels{{10, 5, -1}, {20, 9, -1}, {30, 1, -1}};
  EXPECT_EQ(thinnedLevels(levels, {20, 30}, 4), (std::vector<MemoryLevel>{{20, 9, -1}}));
  EXPECT_TRUE(thinnedLevels(levels, {31, 90}, 4).empty());
  EXPECT_TRUE(thinnedLevels({}, {0, 90}, 4).empty());
}

TEST(ThinnedLevels, MorePartsThanNanosecondsAreNoneTooMany) {
  const std::vector<MemoryLevel> levels{{1, 5, -1}, {2, 9, -1}, {3, 1, -1}};
  EXPECT_EQ(thinnedLevels(levels, {1, 4}, 1000), levels);
}

} // namespace
} // namespace rankscope
