// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/index/interval_set.h"

#include <bitset>
#include <random>

#include <gtest/gtest.h>

namespace rankscope {

namespace {

constexpr int kInstants = 64;
using Instants = std::bitset<kInstants>;

// The set said the slow way: one bit for each nanosecond in [0, 64).
Instants instantsOf(const std::vector<TimeRange>& ranges) {
  Instants instants;
  for (const TimeRange range : ranges) {
    for (TimeNs t = range.begin; t < range.end; ++t) instants.set(static_cast<std::size_t>(t));
  }
  return instants;
}

Instants instantsOf(const IntervalSet& set) {
  return instantsOf(std::vector<TimeRange>(set.ranges().begin(), set.ranges().end()));
}

void expectCanonical(const IntervalSet& set) {
  TimeNs total = 0;
  for (std::size_t i = 0; i < set.size(); ++i) {
    EXPECT_FALSE(set.ranges()[i].empty());
    if (i > 0) {
      EXPECT_LT(set.ranges()[i - 1].end, set.ranges()[i].begin);
    }
    total += set.ranges()[i].length();
  }
  EXPECT_EQ(set.totalLength(), total);
}

std::vector<TimeRange> randomRanges(std::mt19937& random) {
  std::vector<TimeRange> ranges(random() % 12);
  for (TimeRange& range : ranges) {
    range.begin = static_cast<TimeNs>(random() % kInstants);
    range.end = std::min<TimeNs>(kInstants, range.begin + static_cast<TimeNs>(random() % 10));
  }
  return ranges;
}

} // namespace

TEST(IntervalSet, joinsTouchingAndDropsEmptyRanges) {
  const IntervalSet set({{30, 40}, {10, 20}, {20, 30}, {50, 50}, {60, 55}, {12, 13}, {70, 71}});
  ASSERT_EQ(set.size(), 2U);
  EXPECT_EQ(set.ranges()[0], (TimeRange{10, 40}));
  EXPECT_EQ(set.ranges()[1], (TimeRange{70, 71}));
  EXPECT_EQ(set.totalLength(), 31);
  EXPECT_EQ(set.hull(), (TimeRange{10, 71}));
}

TEST(IntervalSet, anEmptySetCoversNothing) {
  const IntervalSet none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.totalLength(), 0);
  EXPECT_EQ(none.coveredWithin({-100, 100}), 0);
  EXPECT_EQ(none.lowerBound(0), 0U);
  EXPECT_FALSE(none.contains(0));
  EXPECT_EQ(none.gapsWithin({3, 9}), (std::vector<TimeRange>{{3, 9}}));
  EXPECT_EQ(unionOf(none, none), none);
  EXPECT_EQ(differenceOf(IntervalSet({{1, 2}}), none), IntervalSet({{1, 2}}));
}

TEST(IntervalSet, bordersAreHalfOpen) {
  const IntervalSet set({{10, 20}, {30, 40}});
  EXPECT_EQ(set.indexAt(10), 0U);
  EXPECT_EQ(set.indexAt(19), 0U);
  EXPECT_EQ(set.indexAt(20), std::nullopt);
  EXPECT_EQ(set.lowerBound(20), 1U);
  EXPECT_EQ(set.lowerBound(40), 2U);
  EXPECT_EQ(set.coveredWithin({20, 30}), 0);
  EXPECT_EQ(set.coveredWithin({19, 31}), 2);
  EXPECT_EQ(set.coveredWithin({31, 19}), 0);
}

TEST(IntervalSet, keepsTimesSinceTheEpochExact) {
  constexpr TimeNs kEpoch = 1'700'000'000'123'456'789;
  const IntervalSet set({{kEpoch, kEpoch + 1}, {kEpoch + 2, kEpoch + 5}});
  EXPECT_EQ(set.totalLength(), 4);
  EXPECT_EQ(set.coveredWithin({kEpoch, kEpoch + 4}), 3);
}

TEST(IntervalSet, agreesWithOneBitPerInstant) {
  std::mt19937 random(20240229);
  for (int round = 0; round < 2000; ++round) {
    const std::vector<TimeRange> rangesA = randomRanges(random);
    const std::vector<TimeRange> rangesB = randomRanges(random);
    const IntervalSet a(rangesA);
    const IntervalSet b(rangesB);
    const Instants bitsA = instantsOf(rangesA);
    const Instants bitsB = instantsOf(rangesB);
    ASSERT_EQ(instantsOf(a), bitsA);
    ASSERT_EQ(instantsOf(unionOf(a, b)), bitsA | bitsB);
    ASSERT_EQ(instantsOf(intersectionOf(a, b)), bitsA & bitsB);
    ASSERT_EQ(instantsOf(differenceOf(a, b)), bitsA & ~bitsB);
    ASSERT_EQ(commonLength(a, b), static_cast<TimeNs>((bitsA & bitsB).count()));
    for (const IntervalSet& set : {a, unionOf(a, b), intersectionOf(a, b), differenceOf(a, b)}) {
      expectCanonical(set);
    }

    const auto from = static_cast<TimeNs>(random() % kInstants);
    const TimeRange window{
        from, from + static_cast<TimeNs>(random() % static_cast<unsigned>(kInstants - from + 1))};
    const Instants inWindow = instantsOf({window});
    ASSERT_EQ(a.coveredWithin(window), static_cast<TimeNs>((bitsA & inWindow).count()));
    ASSERT_EQ(instantsOf(a.gapsWithin(window)), inWindow & ~bitsA);
    ASSERT_EQ(a.gapsWithin(window).size(), differenceOf(IntervalSet({window}), a).size());
    ASSERT_EQ(instantsOf(a.clippedTo(window)), bitsA & inWindow);
    ASSERT_EQ(a.hullWithin(window), a.clippedTo(window).hull());
    for (TimeNs t = 0; t < kInstants; ++t) ASSERT_EQ(a.contains(t), bitsA[static_cast<std::size_t>(t)]);
    for (TimeNs t = 0; t < kInstants; ++t) {
      for (std::size_t minimum = 0; minimum <= a.lowerBound(t); ++minimum) {
        for (std::size_t guess = 0; guess <= a.size() + 2; ++guess)
          ASSERT_EQ(a.lowerBound(t, minimum, guess), a.lowerBound(t))
              << "from " << minimum << ", at " << guess;
      }
    }
    for (std::size_t first = 0; first <= a.size(); ++first) {
      TimeNs length = 0;
      for (std::size_t last = first; last <= a.size(); length += a.ranges()[last++].length()) {
        ASSERT_EQ(a.lengthOf(first, last), length);
        if (last == a.size()) break;
      }
    }
  }
}

} // namespace rankscope
