// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/index/time_tree.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace rankscope {
namespace {

TEST(TimeTree, findsWhatAWalkFindsWhileItGrowsAndChanges) {
  std::mt19937_64 random(3);
  const auto time = [&] { return static_cast<TimeNs>(random() % 30) - 15; };
  for (int round = 0; round < 50; ++round) {
    TimeTree tree;
    std::vector<TimeNs> times;
    for (int change = 0; change < 80; ++change) {
      if (times.empty() || random() % 3 == 0) {
        times.push_back(time());
        tree.push(times.back());
      } else {
        const std::size_t at = random() % times.size();
        times[at] = time();
        tree.set(at, times[at]);
      }
      ASSERT_EQ(tree.size(), times.size());
      const TimeNs wanted = time();
      const std::size_t place = random() % (times.size() + 1);
      std::size_t last = place;
      while (last > 0 && times[last - 1] < wanted) --last;
      EXPECT_EQ(tree.lastFrom(place, wanted), last == 0 ? TimeTree::kNone : last - 1);
      std::size_t first = place;
      while (first < times.size() && times[first] > wanted) ++first;
      EXPECT_EQ(tree.firstUntil(place, wanted), first);
    }
    for (std::size_t i = 0; i < times.size(); ++i) EXPECT_EQ(tree[i], times[i]);
  }
}

TEST(TimeTree, ofNothingFindsNothing) {
  const TimeTree tree;
  EXPECT_EQ(tree.lastFrom(0, 0), TimeTree::kNone);
  EXPECT_EQ(tree.firstUntil(0, 0), 0U);
}

} // namespace
} // namespace rankscope
