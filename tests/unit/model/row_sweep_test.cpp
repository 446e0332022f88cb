// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/row_sweep.h"

#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace rankscope {

namespace {

// Operators of one thread that nest, cross and begin together.
std::shared_ptr<const RankTrace> crossingRank(std::mt19937_64& random, StringInterner& names) {
  HandMadeRank rank;
  const auto longest = 1 + random() % 300;
  for (int i = 0; i < 150; ++i)
    rank.op(static_cast<TimeNs>(random() % 200), static_cast<TimeNs>(random() % longest), "operator");
  return rank.build(names);
}

// Some may be found, by whatever does not go with their place.
bool mayBeFound(EventIndex event) {
  return event.value * 2'654'435'761U % 3 != 0;
}

// The last event of each row above that begins by `begin`, from the lowest row up.
EventIndex walkedUp(const RankTrace& trace, const Track& track, std::uint32_t row, TimeNs begin, TimeNs end) {
  for (std::uint32_t upper = row; upper-- > 0;) {
    const EventIndex event =
        trace.lastBeginningBy(RowIndex(std::size_t{track.firstRow.value} + upper), begin);
    if (event.valid() && mayBeFound(event) && trace.events.range(event).end >= end) return event;
  }
  return {};
}

} // namespace

TEST(RowSweep, findsAboveEachEventWhatAWalkUpTheRowsFinds) {
  std::mt19937_64 random(17);
  for (int round = 0; round < 40; ++round) {
    StringInterner names;
    const auto trace = crossingRank(random, names);
    const Track& track = trace->tracks.front();
    RowSweep sweep(*trace, track);
    EXPECT_EQ(sweep.rowCount(), track.rowCount);
    std::vector<bool> seen(trace->events.size(), false);
    TimeNs before = kAllTime.begin;
    while (sweep.next(mayBeFound)) {
      ASSERT_FALSE(sweep.begun().empty());
      for (const auto& [event, row] : sweep.begun()) {
        const TimeRange range = trace->events.range(event);
        EXPECT_GT(range.begin, before);
        EXPECT_FALSE(seen[event.value]);
        seen[event.value] = true;
        EXPECT_EQ(trace->rowOf(event).value - track.firstRow.value, row);
        for (const TimeNs end : {range.begin + 1, range.end, range.end + 10})
          EXPECT_EQ(sweep.lowestUntil(row, end), walkedUp(*trace, track, row, range.begin, end));
      }
      before = trace->events.begin[sweep.begun().front().event];
    }
    EXPECT_TRUE(std::ranges::all_of(seen, [](bool s) { return s; }));
  }
}

TEST(RowSweep, advancesToAnyTime) {
  std::mt19937_64 random(18);
  StringInterner names;
  const auto trace = crossingRank(random, names);
  const Track& track = trace->tracks.front();
  RowSweep sweep(*trace, track);
  for (TimeNs t = -5; t < 400; t += 1 + static_cast<TimeNs>(random() % 7)) {
    sweep.advance(t, mayBeFound);
    EXPECT_EQ(sweep.lowestUntil(track.rowCount, t + 1), walkedUp(*trace, track, track.rowCount, t, t + 1));
    for (std::uint32_t row = 0; row < track.rowCount; ++row)
      EXPECT_EQ(sweep.last(row),
                trace->lastBeginningBy(RowIndex(std::size_t{track.firstRow.value} + row), t));
  }
}

TEST(RowSweep, ofAPartOfTheRowsKnowsOnlyThat) {
  HandMadeRank rank;
  rank.op(0, 100, "outer").op(10, 5, "early").op(20, 5, "late");
  StringInterner names;
  const auto trace = rank.build(names);
  const Row& top = trace->rows[0];
  const Row& below = trace->rows[1];
  const std::vector<RowSweep::Part> parts{
      {top.endEvent, top.endEvent}, {EventIndex(std::size_t{below.firstEvent.value} + 1), below.endEvent}};
  RowSweep sweep(trace->events, parts);
  ASSERT_TRUE(sweep.next([](EventIndex) { return true; }));
  ASSERT_EQ(sweep.begun().size(), 1U);
  EXPECT_EQ(trace->events.begin[sweep.begun().front().event], 20);
  EXPECT_FALSE(sweep.lowestUntil(1, 21).valid());
  EXPECT_FALSE(sweep.next([](EventIndex) { return true; }));
}

} // namespace rankscope
