// SPDX-License-Identifier: GPL-3.0-or-later
// The questions that a recording answers (core/model/rank_trace and its event columns, and core/model/track),
// against looking at every event. Covers how a recording is built: core/model/trace_builder and
// core/model/event_layout.
#include "core/model/rank_trace.h"
#include "core/model/row_cursors.h"
#include "tests/unit/hand_made_job.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace rankscope {

namespace {

// Nested operators on two threads, kernels that some of them launch.
std::shared_ptr<const RankTrace> randomTrace(unsigned seed) {
  std::mt19937 random(seed);
  const auto upTo = [&](TimeNs maximum) { return static_cast<TimeNs>(random()) % (maximum + 1); };
  HandMadeRank rank;
  for (const char* thread : {"1", "2"}) {
    TimeNs at = upTo(50);
    for (int i = 0; i < 60; ++i) {
      const TimeNs length = 1 + upTo(200);
      rank.op(at, length, "outer", thread);
      TimeNs inner = at;
      while (upTo(2) != 0 && inner < at + length) {
        const TimeNs part = std::min(1 + upTo(40), at + length - inner);
        rank.op(inner, part, "inner", thread);
        if (upTo(1) != 0) rank.op(inner, 1 + upTo(part - 1), "innermost", thread);
        inner += part + upTo(10);
      }
      if (upTo(1) != 0)
        rank.launched(at, 7, 100 * static_cast<TimeNs>(i) + (*thread == '2' ? 50 : 0), 40, "kernel", thread);
      at += length + upTo(30);
    }
  }
  StringInterner names;
  return rank.build(names);
}

std::vector<EventIndex> allEvents(const RankTrace& trace) {
  std::vector<EventIndex> events;
  for (std::size_t i = 0; i < trace.events.size(); ++i) events.emplace_back(i);
  return events;
}

bool holds(const Row& row, EventIndex event) {
  return row.firstEvent <= event && event < row.endEvent;
}

} // namespace

TEST(RankTrace, knowsTheRowAndTheTrackOfEveryEvent) {
  const auto trace = randomTrace(1);
  ASSERT_GT(trace->events.size(), 200U);
  for (const EventIndex event : allEvents(*trace)) {
    const auto row = std::ranges::find_if(trace->rows, [&](const Row& r) { return holds(r, event); });
    ASSERT_NE(row, trace->rows.end());
    EXPECT_EQ(trace->rowOf(event).value, row - trace->rows.begin());
    EXPECT_EQ(trace->trackOf(event), row->track);
  }
}

TEST(RankTrace, rowsHoldNothingThatOverlaps) {
  const auto trace = randomTrace(2);
  for (const Row& row : trace->rows) {
    for (EventIndex e(row.firstEvent.value + 1); e < row.endEvent; ++e.value)
      EXPECT_LE(trace->events.range(EventIndex(e.value - 1)).end, trace->events.begin[e]);
  }
}

TEST(RankTrace, findsTheParentInTheRowsAbove) {
  const auto trace = randomTrace(3);
  int children = 0;
  for (const EventIndex event : allEvents(*trace)) {
    const RowIndex row = trace->rowOf(event);
    const Track& track = trace->tracks[trace->trackOf(event).value];
    const TimeRange range = trace->events.range(event);
    EventIndex expected;
    for (std::uint32_t upper = track.firstRow.value; upper < row.value; ++upper) {
      const Row& candidates = trace->rows[upper];
      for (EventIndex c = candidates.firstEvent; c < candidates.endEvent; ++c.value) {
        const TimeRange other = trace->events.range(c);
        if (other.begin <= range.begin && other.end >= range.end) expected = c;
      }
    }
    EXPECT_EQ(trace->parentOf(event), expected);
    children += expected.valid() ? 1 : 0;
  }
  EXPECT_GT(children, 50);
}

TEST(RankTrace, findsWhatACallLaunched) {
  const auto trace = randomTrace(4);
  std::size_t launched = 0;
  for (const EventIndex event : allEvents(*trace)) {
    std::vector<EventIndex> expected;
    for (EventIndex d = trace->deviceBegin; d < trace->deviceEnd; ++d.value) {
      if (trace->deviceDetail(d).launch == event) expected.push_back(d);
    }
    const auto found = trace->launchedBy(event);
    EXPECT_EQ(std::vector<EventIndex>(found.begin(), found.end()), expected);
    launched += expected.size();
    EXPECT_EQ(trace->isDeviceEvent(event), isDeviceActivity(trace->events.kind[event]));
  }
  EXPECT_GT(launched, 20U);
  EXPECT_EQ(trace->collectiveOf(trace->deviceBegin), nullptr);
}

TEST(RankTrace, andRowCursorsFindTheLastThatBegan) {
  const auto trace = randomTrace(5);
  for (const Track& track : trace->tracks) {
    RowCursors cursors(*trace, track, track.rowCount);
    ASSERT_EQ(cursors.rowCount(), track.rowCount);
    // Finer and in leaps: both must give what a search gives.
    for (const TimeNs step : {1, 7, 1000}) {
      cursors.restart();
      for (TimeNs t = -5; t < 9000; t += step) {
        for (std::uint32_t row = 0; row < track.rowCount; ++row) {
          const RowIndex index(track.firstRow.value + row);
          const EventIndex searched = trace->lastBeginningBy(index, t);
          ASSERT_EQ(cursors.lastBeginningBy(row, t), searched);
          if (searched.valid()) {
            ASSERT_LE(trace->events.begin[searched], t);
          }
          const EventIndex next =
              searched.valid() ? EventIndex(searched.value + 1) : trace->rows[index.value].firstEvent;
          if (next < trace->rows[index.value].endEvent) {
            ASSERT_GT(trace->events.begin[next], t);
          }
        }
      }
    }
  }
}

} // namespace rankscope
