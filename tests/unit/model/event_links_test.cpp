// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/event_links.h"

#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

// Of those of the thread that contain the time, the outermost that begins there, else the innermost; calls of
// the runtime are none.
EventIndex pointedAt(const RankTrace& trace, const std::string& thread, TimeNs time) {
  EventIndex innermost;
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Thread || track.thread != thread) continue;
    for (std::uint32_t r = 0; r < track.rowCount; ++r) {
      const EventIndex e = trace.lastBeginningBy(RowIndex(std::size_t{track.firstRow.value} + r), time);
      if (!e.valid() || trace.events.kind[e] == EventKind::Runtime) continue;
      if (trace.events.begin[e] == time) return e;
      if (trace.events.range(e).contains(time)) innermost = e;
    }
  }
  return innermost;
}

} // namespace

TEST(EventLinks, arrowsPointAtTheOperatorsThatAreOpen) {
  std::mt19937_64 random(23);
  for (int round = 0; round < 40; ++round) {
    HandMadeRank rank;
    const auto threadOf = [&] { return std::to_string(1 + random() % 2); };
    for (int i = 0; i < 120; ++i) {
      const auto begin = static_cast<TimeNs>(random() % 150), duration = static_cast<TimeNs>(random() % 60);
      if (random() % 4 == 0)
        rank.runtime(begin, duration, "cudaLaunchKernel", 0, threadOf());
      else
        rank.op(begin, duration, "operator", threadOf());
    }
    struct Arrow {
      TimeNs from, to;
      std::string fromThread, toThread;
    };
    std::vector<Arrow> arrows;
    for (int i = 0; i < 80; ++i) {
      arrows.push_back(
          {static_cast<TimeNs>(random() % 160), static_cast<TimeNs>(random() % 160), threadOf(), threadOf()});
      rank.arrow(arrows.back().from, arrows.back().fromThread, arrows.back().to, arrows.back().toThread);
    }
    StringInterner names;
    const auto trace = rank.build(names);
    std::vector<std::pair<EventIndex, EventIndex>> expected, found;
    for (const Arrow& arrow : arrows) {
      const EventIndex from = pointedAt(*trace, arrow.fromThread, arrow.from);
      const EventIndex to = pointedAt(*trace, arrow.toThread, arrow.to);
      if (from.valid() && to.valid()) expected.emplace_back(from, to);
    }
    for (const EventFlow& flow : trace->forwardBackward) found.emplace_back(flow.from, flow.to);
    std::ranges::sort(expected);
    EXPECT_EQ(found, expected) << "round " << round;
  }
}

} // namespace rankscope
