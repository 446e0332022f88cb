// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/lane_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace rankscope {
namespace {

std::vector<std::uint32_t> rowsOf(const std::vector<TimeRange>& events) {
  LaneLayout layout;
  std::vector<std::uint32_t> rows;
  for (const TimeRange event : events) rows.push_back(layout.place(event));
  return rows;
}

using Rows = std::vector<std::uint32_t>;

TEST(LaneLayout, nestsWhatNests) {
  EXPECT_EQ(rowsOf({{0, 100}, {0, 50}, {10, 20}, {20, 30}, {60, 90}, {100, 110}}), (Rows{0, 1, 2, 2, 1, 0}));
}

TEST(LaneLayout, givesAnOverlapARowOfItsOwnWithoutMakingItAChild) {
  // The second crosses the first's end; the third nests in both and lies below the second, which is below the
  // first.
  EXPECT_EQ(rowsOf({{0, 100}, {50, 150}, {60, 90}}), (Rows{0, 1, 2}));
  // When the first has ended its row is free again.
  EXPECT_EQ(rowsOf({{0, 100}, {50, 150}, {100, 120}}), (Rows{0, 1, 2}));
  EXPECT_EQ(rowsOf({{0, 100}, {50, 150}, {100, 170}}), (Rows{0, 1, 0}));
}

TEST(LaneLayout, givesEqualEventsARowEach) {
  EXPECT_EQ(rowsOf({{5, 9}, {5, 9}, {5, 9}}), (Rows{0, 1, 2}));
}

TEST(LaneLayout, putsEventsWithoutDurationInsideWhatContainsThem) {
  EXPECT_EQ(rowsOf({{0, 10}, {5, 5}, {5, 5}, {10, 10}}), (Rows{0, 1, 1, 0}));
}

TEST(LaneLayout, survivesAStackOfManyThousandFrames) {
  std::vector<TimeRange> events;
  for (TimeNs i = 0; i < 20000; ++i) events.push_back({i, 100000 - i});
  const Rows rows = rowsOf(events);
  EXPECT_EQ(rows.front(), 0u);
  EXPECT_EQ(rows.back(), 19999u);
}

TEST(LaneLayout, neverLetsTwoEventsOfARowOverlapWhateverComes) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<TimeRange> events;
    for (int i = 0; i < 60; ++i) {
      const TimeNs begin = static_cast<TimeNs>(random() % 200);
      events.push_back({begin, begin + static_cast<TimeNs>(random() % 40)});
    }
    std::ranges::sort(events, [](TimeRange a, TimeRange b) {
      return a.begin != b.begin ? a.begin < b.begin : a.length() > b.length();
    });
    const Rows rows = rowsOf(events);
    std::vector<TimeNs> ends(events.size(), INT64_MIN);
    for (std::size_t i = 0; i < events.size(); ++i) {
      ASSERT_LE(ends[rows[i]], events[i].begin) << "round " << round << " event " << i;
      ends[rows[i]] = events[i].end;
    }
  }
}

// The rule by which rows are found, walked along all rows.
Rows walkedRowsOf(const std::vector<TimeRange>& events) {
  std::vector<TimeNs> ends;
  Rows rows;
  for (const TimeRange event : events) {
    std::size_t open = ends.size();
    while (open > 0 && ends[open - 1] <= event.begin) --open;
    std::size_t row = open;
    while (row > 0 && (ends[row - 1] <= event.begin || ends[row - 1] < event.end)) --row;
    while (row < ends.size() && ends[row] > event.begin) ++row;
    if (row == ends.size()) ends.push_back(0);
    ends[row] = event.end;
    rows.push_back(static_cast<std::uint32_t>(row));
  }
  return rows;
}

TEST(LaneLayout, findsTheSameRowsAmongHundredsAsByAWalk) {
  std::mt19937 random(5);
  for (int round = 0; round < 30; ++round) {
    std::vector<TimeRange> events;
    const auto longest = static_cast<TimeNs>(1 + random() % 2000);
    for (int i = 0; i < 1000; ++i) {
      const auto begin = static_cast<TimeNs>(random() % 1500);
      events.push_back({begin, begin + static_cast<TimeNs>(random()) % longest});
    }
    std::ranges::sort(events, [](TimeRange a, TimeRange b) {
      return a.begin != b.begin ? a.begin < b.begin : a.length() > b.length();
    });
    ASSERT_EQ(rowsOf(events), walkedRowsOf(events)) << "round " << round;
  }
}

TEST(LaneLayout, stacksWhatOverlapsWithoutNesting) {
  std::vector<TimeRange> events;
  for (TimeNs i = 0; i < 100'000; ++i) events.push_back({i, 200'000 + i});
  events.push_back({200'000, 200'001}); // nests in the innermost, although the first row is free
  const Rows rows = rowsOf(events);
  for (std::uint32_t i = 0; i < 100'000; ++i) ASSERT_EQ(rows[i], i);
  EXPECT_EQ(rows.back(), 100'000U);
}

} // namespace
} // namespace rankscope
