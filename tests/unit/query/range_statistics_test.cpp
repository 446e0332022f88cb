// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/index/interval_set.h"
#include "core/query/event_search.h"
#include "core/query/range_statistics.h"
#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

namespace rankscope {
namespace {

const std::atomic<bool> kGoOn{false};

const NameSums& of(const TraceSet& traces, const RangeStatistics& statistics, std::string_view name) {
  static const NameSums nothing;
  for (const NameSums& sums : statistics.names) {
    if (traces.names()[sums.name] == name) return sums;
  }
  ADD_FAILURE() << name << " is not among the names";
  return nothing;
}

RangeStatistics statisticsOf(const TraceSet& traces, TimeRange range, std::vector<RankTracks> tracks = {}) {
  return rangeStatistics(traces, {range, std::move(tracks)}, 2, kGoOn).value();
}

std::shared_ptr<const TraceSet> oneRank() {
  HandMadeJob job;
  HandMadeRank events;
  events.op(100, 100, "outer")
      .op(110, 30, "inner")
      .op(120, 10, "innermost")
      .op(150, 40, "inner")
      .op(300, 0, "nothing");
  events.kernel(7, 120, 100, "gemm").kernel(7, 240, 20, "relu").collective(20, 180, 80, "allreduce");
  job.add(0, std::move(events));
  return job.build();
}

TEST(RangeStatistics, sumsWhatLiesWithinAndCutsAtTheEdges) {
  const auto job = oneRank();
  const RangeStatistics statistics = statisticsOf(*job, {130, 250});
  EXPECT_EQ(of(*job, statistics, "outer").sums.total, 70);
  EXPECT_EQ(of(*job, statistics, "outer").sums.cut, 1u);
  EXPECT_EQ(of(*job, statistics, "inner").sums.count, 2u);
  EXPECT_EQ(of(*job, statistics, "inner").sums.total, 10 + 40);
  EXPECT_EQ(of(*job, statistics, "inner").sums.shortest, 10);
  EXPECT_EQ(of(*job, statistics, "inner").sums.longest, 40);
  EXPECT_EQ(of(*job, statistics, "inner").sums.mean(), 25);
  // Ends are not within: what ends as the range begins, or begins as it ends, is left out.
  EXPECT_EQ(std::ranges::count(statistics.names, 0u, [](const NameSums& sums) { return sums.sums.count; }),
            0);
  for (const NameSums& sums : statistics.names) {
    EXPECT_NE(job->names()[sums.name], "innermost");
    EXPECT_NE(job->names()[sums.name], "nothing");
  }
  EXPECT_EQ(statistics.names.front().sums.total, 90); // gemm: the largest first
}

TEST(RangeStatistics, selfTimeLeavesOutWhatRunsWithin) {
  const auto job = oneRank();
  const RangeStatistics all = statisticsOf(*job, {0, 1000});
  EXPECT_EQ(of(*job, all, "outer").sums.self, 100 - 30 - 40);
  EXPECT_EQ(of(*job, all, "inner").sums.self, 20 + 40);
  EXPECT_EQ(of(*job, all, "innermost").sums.self, 10);
  EXPECT_EQ(of(*job, all, "gemm").sums.self, 100);
  EXPECT_EQ(of(*job, all, "nothing").sums.count, 1u);
}

TEST(RangeStatistics, busyTimesAreUnions) {
  const auto job = oneRank();
  const RangeStatistics all = statisticsOf(*job, {0, 1000});
  ASSERT_EQ(all.ranks.size(), 1u);
  EXPECT_EQ(all.ranks[0].compute, 120);
  EXPECT_EQ(all.ranks[0].communication, 80);
  EXPECT_EQ(all.ranks[0].exposed, 80 - 40 - 20);
  EXPECT_EQ(all.ranks[0].device, 140);
  EXPECT_EQ(all.ranks[0].host, 100);
  EXPECT_EQ(all.ranks[0].busy, 160);
}

TEST(RangeStatistics, annotationsLieAroundEverythingAndMakeNothingBusy) {
  HandMadeJob job;
  HandMadeRank events;
  events.annotation(0, 1000, "ProfilerStep#1").python(0, 900, "train.py(3): step").op(100, 50, "aten::mm");
  job.add(0, std::move(events));
  HandMadeRank alone;
  alone.annotation(0, 300, "ProfilerStep#1");
  job.add(1, std::move(alone));
  const RangeStatistics all = statisticsOf(*job.build(), {0, 1000});
  EXPECT_EQ(all.ranks[0].busy, 50);
  EXPECT_EQ(all.ranks[0].host, 50);
  EXPECT_EQ(all.ranks[1].busy, 300);
}

TEST(RangeStatistics, onlyTheTracksAskedForCount) {
  const auto job = oneRank();
  const RankTrace& trace = *job->ranks()[0].trace;
  RankTracks streams{RankIndex(0), {}};
  for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
    if (trace.tracks[i].kind == TrackKind::Stream && trace.tracks[i].thread == "7")
      streams.tracks.emplace_back(i);
  }
  const RangeStatistics statistics = statisticsOf(*job, {0, 1000}, {streams});
  EXPECT_EQ(statistics.sums.count, 2u);
  EXPECT_EQ(statistics.kinds.size(), 1u);
  EXPECT_EQ(statistics.kinds[0].kind, EventKind::Kernel);
  EXPECT_EQ(statistics.kinds[0].busy, 120);
}

TEST(RangeStatistics, agreesWithAPlainLoopOverRandomJobsAndDoesNotDependOnThreads) {
  std::mt19937 random(21);
  for (int round = 0; round < 30; ++round) {
    HandMadeJob made;
    for (int rank = 0; rank < 3; ++rank) {
      HandMadeRank events;
      for (int i = 0; i < 150; ++i) {
        const auto begin = static_cast<TimeNs>(random() % 1000);
        const auto length = static_cast<TimeNs>(random() % 60);
        const std::string name(1, static_cast<char>('a' + random() % 6));
        if (random() % 2 == 0)
          events.op(begin, length, name, std::to_string(random() % 2));
        else
          events.kernel(static_cast<int>(random() % 2), begin, length, name);
      }
      made.add(rank, std::move(events));
    }
    const auto job = made.build();
    const auto from = static_cast<TimeNs>(random() % 1000);
    const TimeRange range{from, from + static_cast<TimeNs>(random() % 400)};
    const RangeStatistics statistics = statisticsOf(*job, range);

    std::map<std::pair<std::string, EventKind>, std::pair<std::uint64_t, TimeNs>> wanted;
    std::vector<std::vector<TimeRange>> parts(job->ranks().size());
    for (std::size_t rank = 0; rank < job->ranks().size(); ++rank) {
      const EventColumns& events = job->ranks()[rank].trace->events;
      for (std::size_t i = 0; i < events.size(); ++i) {
        const EventIndex event(i);
        const TimeRange whole = events.range(event);
        if (whole.begin >= range.end || (whole.begin < range.begin && whole.end <= range.begin)) continue;
        if (range.empty()) continue;
        auto& [count, total] = wanted[{std::string(job->names()[events.name[event]]), events.kind[event]}];
        ++count;
        total += whole.clippedTo(range).length();
        parts[rank].push_back(whole.clippedTo(range));
      }
    }
    ASSERT_EQ(statistics.names.size(), wanted.size());
    for (const NameSums& sums : statistics.names) {
      const auto& [count, total] = wanted[{std::string(job->names()[sums.name]), sums.kind}];
      ASSERT_EQ(sums.sums.count, count);
      ASSERT_EQ(sums.sums.total, total);
    }
    for (std::size_t rank = 0; rank < parts.size(); ++rank)
      ASSERT_EQ(statistics.ranks[rank].busy, IntervalSet(parts[rank]).totalLength());
    const RangeStatistics alone = rangeStatistics(*job, {range, {}}, 1, kGoOn).value();
    ASSERT_EQ(alone.sums.longestEvent, statistics.sums.longestEvent);
    ASSERT_TRUE(std::ranges::equal(alone.names, statistics.names, [](const NameSums& a, const NameSums& b) {
      return a.name == b.name && a.kind == b.kind && a.sums.total == b.sums.total &&
             a.sums.self == b.sums.self && a.sums.longestEvent == b.sums.longestEvent;
    }));
  }
}

TEST(RangeStatistics, ofHitsAreThoseOfTheirWholeEvents) {
  const auto job = oneRank();
  const SearchHits hits = findEvents(*job, searchQueryFromText("inner").value(), 1, kGoOn);
  const RangeStatistics statistics = hitStatistics(*job, hits, 2, kGoOn).value();
  EXPECT_EQ(statistics.sums.count, 3u);
  EXPECT_EQ(statistics.sums.total, 30 + 10 + 40);
  EXPECT_EQ(statistics.ranks[0].busy, 30 + 40);
  EXPECT_EQ(statistics.scope.range, (TimeRange{110, 190}));
}

TEST(RangeStatistics, isNothingWhenItWasToldToStop) {
  const std::atomic<bool> stop{true};
  EXPECT_FALSE(rangeStatistics(*oneRank(), {{0, 1000}, {}}, 2, stop).has_value());
}

} // namespace
} // namespace rankscope
