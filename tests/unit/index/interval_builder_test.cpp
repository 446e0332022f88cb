// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/index/interval_builder.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace rankscope {

namespace {

std::vector<TimeRange> rangesOf(const IntervalSet& set) {
  return {set.ranges().begin(), set.ranges().end()};
}

using Ranges = std::vector<TimeRange>;

} // namespace

TEST(IntervalBuilder, leavesOutWhatLiesInsideTheRowAbove) {
  IntervalBuilder builder;
  builder.beginThread();
  builder.beginRow();
  builder.add({0, 10});
  builder.add({20, 30});
  builder.beginRow();
  builder.add({1, 9});
  builder.add({20, 30});
  builder.add({25, 35}); // sticks out
  EXPECT_EQ(rangesOf(builder.take()), (Ranges{{0, 10}, {20, 35}}));
}

TEST(IntervalBuilder, joinsThreadsAndForgetsThem) {
  IntervalBuilder builder;
  builder.beginThread();
  builder.beginRow();
  builder.add({0, 10});
  builder.beginThread();
  builder.beginRow();
  builder.add({5, 15});
  builder.add({15, 20}); // touches
  builder.add({40, 40}); // nothing
  EXPECT_EQ(rangesOf(builder.take()), (Ranges{{0, 20}}));
  builder.beginThread();
  builder.beginRow();
  builder.add({100, 101});
  EXPECT_EQ(rangesOf(builder.take()), (Ranges{{100, 101}}));
  EXPECT_TRUE(rangesOf(builder.take()).empty());
}

TEST(IntervalBuilder, makesTheUnionOfWhateverTheRowsHold) {
  std::mt19937 random(3);
  const auto upTo = [&](TimeNs maximum) { return static_cast<TimeNs>(random()) % (maximum + 1); };
  for (int round = 0; round < 500; ++round) {
    IntervalBuilder builder;
    Ranges all;
    for (TimeNs thread = upTo(3); thread >= 0; --thread) {
      builder.beginThread();
      for (TimeNs row = upTo(4); row >= 0; --row) {
        builder.beginRow();
        TimeNs at = upTo(20);
        for (TimeNs count = upTo(12); count > 0; --count) {
          const TimeRange range{at, at + upTo(9)};
          builder.add(range);
          if (!range.empty()) all.push_back(range);
          at = range.end + upTo(6);
        }
      }
    }
    const IntervalSet expected(all);
    ASSERT_EQ(rangesOf(builder.take()), rangesOf(expected)) << "round " << round;
  }
}

} // namespace rankscope
