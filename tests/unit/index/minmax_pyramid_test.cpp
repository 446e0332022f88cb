// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/index/minmax_pyramid.h"

#include <algorithm>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace rankscope {

TEST(MinMaxPyramid, agreesWithAScan) {
  std::mt19937_64 random(9);
  for (const std::size_t count : {1U, 16U, 33U, 300U, 5000U}) {
    std::vector<std::int64_t> values(count);
    for (std::int64_t& value : values) value = static_cast<std::int64_t>(random()) >> (random() % 60);
    const MinMaxPyramid<std::int64_t> pyramid(values);
    for (int round = 0; round < 500; ++round) {
      const std::size_t first = random() % count;
      const std::size_t last = first + 1 + random() % (count - first);
      const auto [low, high] = std::minmax_element(values.begin() + static_cast<std::ptrdiff_t>(first),
                                                   values.begin() + static_cast<std::ptrdiff_t>(last));
      ASSERT_EQ(pyramid.over(values, first, last), (MinMax<std::int64_t>{*low, *high}))
          << first << " to " << last;
    }
  }
}

TEST(MinMaxPyramid, holdsTheExtremesOfTheType) {
  std::vector<std::int64_t> values(40, 0);
  values[20] = std::numeric_limits<std::int64_t>::min();
  values[21] = std::numeric_limits<std::int64_t>::max();
  const MinMaxPyramid<std::int64_t> pyramid(values);
  EXPECT_EQ(pyramid.over(values, 0, 40), (MinMax<std::int64_t>{values[20], values[21]}));
  EXPECT_EQ(pyramid.over(values, 0, 20), (MinMax<std::int64_t>{0, 0}));
}

TEST(MinMaxPyramid, takesFractions) {
  std::vector<double> values(50);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.25 * static_cast<double>((i * 37) % 50);
  const MinMaxPyramid<double> pyramid(values);
  EXPECT_EQ(pyramid.over(values, 0, 50), (MinMax<double>{0, 12.25}));
}

} // namespace rankscope
