// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/index/longest_pyramid.h"

#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace rankscope {

namespace {

std::vector<TimeNs> randomDurations(std::mt19937_64& random, std::size_t count, std::uint64_t below) {
  std::vector<TimeNs> durations(count);
  for (TimeNs& duration : durations) duration = static_cast<TimeNs>(random() % below);
  return durations;
}

void expectAnswersOfAScan(const LongestPyramid& pyramid, const std::vector<TimeNs>& durations,
                          std::size_t first, std::size_t last) {
  const auto begin = durations.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = durations.begin() + static_cast<std::ptrdiff_t>(last);
  ASSERT_EQ(pyramid.busyIn(durations, first, last), std::accumulate(begin, end, TimeNs{0}));
  if (first < last) {
    // max_element finds the first of equals, as the pyramid promises.
    ASSERT_EQ(pyramid.longestIn(durations, first, last),
              static_cast<std::size_t>(std::max_element(begin, end) - durations.begin()))
        << first << " to " << last;
  }
}

} // namespace

TEST(LongestPyramid, anEmptyColumnIsIdle) {
  const LongestPyramid pyramid{std::span<const TimeNs>()};
  EXPECT_EQ(pyramid.busyIn({}, 0, 0), 0);
}

TEST(LongestPyramid, agreesWithAScanOverEveryRangeOfAShortColumn) {
  std::mt19937_64 random(7);
  for (const std::size_t count : {1U, 15U, 16U, 17U, 100U}) {
    // Few different durations, so that most ranges have ties.
    const std::vector<TimeNs> durations = randomDurations(random, count, 4);
    const LongestPyramid pyramid(durations);
    for (std::size_t first = 0; first <= count; ++first) {
      for (std::size_t last = first; last <= count; ++last) {
        expectAnswersOfAScan(pyramid, durations, first, last);
      }
    }
  }
}

TEST(LongestPyramid, agreesWithAScanAcrossAllLevels) {
  std::mt19937_64 random(8);
  for (const std::size_t count : {255U, 256U, 4096U, 4097U, 70'000U}) {
    for (const std::uint64_t below : {3U, 1'000'000U}) {
      const std::vector<TimeNs> durations = randomDurations(random, count, below);
      const LongestPyramid pyramid(durations);
      expectAnswersOfAScan(pyramid, durations, 0, count);
      for (int round = 0; round < 200; ++round) {
        const std::size_t a = random() % (count + 1);
        const std::size_t b = random() % (count + 1);
        expectAnswersOfAScan(pyramid, durations, std::min(a, b), std::max(a, b));
      }
    }
  }
}

TEST(LongestPyramid, busyStaysRightWhenTheSumOverAllRowsDoesNotFit) {
  // Each row's events fit into time; a rank of many rows adds up to more than 64 bits.
  const std::vector<TimeNs> durations(64, TimeNs{1} << 59);
  const LongestPyramid pyramid(durations);
  EXPECT_EQ(pyramid.busyIn(durations, 60, 64), TimeNs{1} << 61);
}

TEST(LongestPyramid, costsLessThanAByteAnEvent) {
  const std::vector<TimeNs> durations(1'000'000, 1);
  EXPECT_LT(LongestPyramid(durations).memoryBytes(), durations.size());
}

} // namespace rankscope
