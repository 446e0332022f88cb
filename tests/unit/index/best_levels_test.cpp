// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/index/best_levels.h"

#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace rankscope {

namespace {

template <class Better>
std::size_t bestByLooking(const std::vector<int>& values, std::size_t first, std::size_t last,
                          Better better) {
  std::size_t best = first;
  for (std::size_t i = first + 1; i < last; ++i) {
    if (better(values[i], values[best])) best = i;
  }
  return best;
}

// Few different values, so that equals are common.
std::vector<int> randomValues(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> values(size);
  for (int& value : values) value = static_cast<int>(random() % 50);
  return values;
}

template <class Better> void expectAsByLooking(std::size_t size, Better better) {
  const std::vector<int> values = randomValues(size, static_cast<unsigned>(size));
  const std::vector<std::uint32_t> levels = buildBestLevels(std::span<const int>(values), better);
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const std::size_t first = random() % size;
    const std::size_t last = first + 1 + random() % (size - first);
    ASSERT_EQ(bestIn(std::span<const int>(values), levels, first, last, better),
              bestByLooking(values, first, last, better))
        << size << ": " << first << " to " << last;
  }
}

} // namespace

TEST(BestLevels, findTheFirstOfTheBestInAnyRange) {
  for (const std::size_t size : {1U, 2U, 15U, 16U, 17U, 255U, 256U, 257U, 4095U, 4096U, 4097U, 70'000U}) {
    expectAsByLooking(size, std::greater<>());
    expectAsByLooking(size, std::less<>());
  }
}

TEST(BestLevels, ofEqualsTheLowestIndexWins) {
  const std::vector<int> values(5000, 3);
  const auto levels = buildBestLevels(std::span<const int>(values), std::greater<>());
  for (const std::size_t first : {0U, 1U, 15U, 16U, 17U, 300U, 4999U})
    EXPECT_EQ(bestIn(std::span<const int>(values), levels, first, values.size(), std::greater<>()), first);
}

TEST(BestLevels, ofFewElementsAreNone) {
  EXPECT_TRUE(buildBestLevels(std::span<const int>(), std::less<>()).empty());
  EXPECT_TRUE(buildBestLevels(std::span<const int>(std::vector<int>(15, 1)), std::less<>()).empty());
}

} // namespace rankscope
