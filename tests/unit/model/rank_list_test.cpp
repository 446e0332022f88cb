// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/rank_list.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <vector>

namespace rankscope {

namespace {

using Ranks = std::vector<std::int32_t>;

Ranks ranksOf(const RankList& list) {
  return {list.span().begin(), list.span().end()};
}

Ranks count(std::int32_t first, std::size_t ranks) {
  Ranks all(ranks);
  std::iota(all.begin(), all.end(), first);
  return all;
}

TEST(RankList, equalListsShareTheirMemoryAsLongAsOneIsInUse) {
  const RankList a(count(0, 1'000));
  const RankList b(count(0, 1'000));
  const RankList other(count(1, 1'000));
  EXPECT_EQ(a.span().data(), b.span().data());
  EXPECT_EQ(a, b);
  EXPECT_NE(a, other);
  // Lists that are not in use any more are in nobody's way.
  for (std::int32_t i = 0; i < 1'000; ++i) EXPECT_EQ(RankList({i, 7}).span().front(), i);
  EXPECT_EQ(RankList(count(0, 1'000)).span().data(), a.span().data());
}

TEST(RankList, keepsRanksAsRecorded) {
  const RankList list({8, 0, 4});
  EXPECT_EQ(ranksOf(list), (Ranks{8, 0, 4}));
  EXPECT_EQ(list.sorted(), (Ranks{0, 4, 8}));
  EXPECT_TRUE(list.contains(4));
  EXPECT_FALSE(list.contains(5));
  EXPECT_TRUE(RankList().empty());
  EXPECT_TRUE(RankList(Ranks()).empty());
  EXPECT_EQ(RankList(), RankList(Ranks()));
}

TEST(RankList, runsAreAFewNumbersForRegularLists) {
  EXPECT_EQ(runsOf(RankList(count(0, 10'000))), (Ranks{0, 1, 10'000}));
  EXPECT_EQ(runsOf(RankList({3, 11, 19})), (Ranks{3, 8, 3}));
  EXPECT_EQ(runsOf(RankList({5})), (Ranks{5, 0, 1}));
  EXPECT_EQ(runsOf(RankList({0, 1, 2, 8, 9, 10})), (Ranks{0, 1, 3, 8, 1, 3}));
  EXPECT_TRUE(runsOf(RankList()).empty());
}

TEST(RankList, runsGiveTheListBack) {
  constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  std::vector<Ranks> lists{{}, {5}, {3, 3, 3}, {9, 4, 7, 7, 0}, {kMost, kLeast, kMost}, {kLeast, 0, kMost}};
  lists.push_back(count(0, 1 << 20));
  lists.push_back(count(0, (1 << 20) + 1)); // longer than runs may be
  for (const Ranks& ranks : lists) EXPECT_EQ(ranksOf(listOfRuns(runsOf(RankList(ranks)))), ranks);
}

TEST(RankList, damagedRunsAreNoList) {
  EXPECT_TRUE(listOfRuns(Ranks{0, 1}).empty());
  EXPECT_TRUE(listOfRuns(Ranks{0, 1, 0}).empty());
  EXPECT_TRUE(listOfRuns(Ranks{0, 1, -3}).empty());
  EXPECT_TRUE(listOfRuns(Ranks{0, 1, 1'000'000'000}).empty());
  EXPECT_TRUE(listOfRuns(Ranks{0, 1, 1 << 20, 0, 1, 3}).empty());
  EXPECT_TRUE(listOfRuns(Ranks{2'000'000'000, 2'000'000'000, 2}).empty());
}

} // namespace

} // namespace rankscope
