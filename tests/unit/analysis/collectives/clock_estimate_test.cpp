// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/clock_estimate.h"

#include "tests/unit/times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

// Blocking collectives of ranks that have a host, and so a clock, each.
class Meetings {
 public:
  explicit Meetings(std::size_t ranks) : m_calls(ranks) {
    m_before.domains = static_cast<std::uint32_t>(ranks);
    for (std::uint32_t r = 0; r < ranks; ++r) {
      m_before.ranks.emplace_back();
      m_before.ranks.back().domain = r;
    }
  }

  Meetings& add(const std::vector<std::pair<std::size_t, TimeRange>>& members) {
    CollectiveInstance instance;
    instance.operation = CollectiveOperation::AllReduce;
    instance.first = static_cast<std::uint32_t>(m_match.participants.size());
    instance.count = static_cast<std::uint32_t>(members.size());
    for (const auto& [rank, range] : members) {
      Participant participant;
      participant.rank = RankIndex(rank);
      participant.call = static_cast<std::uint32_t>(m_calls[rank].size());
      participant.range = JobRange::of(range); // on clocks that are not aligned yet
      m_match.participants.push_back(participant);
      CollectiveCall call;
      call.operation = instance.operation;
      call.range = RankRange::of(range);
      m_calls[rank].push_back(call);
    }
    m_match.instances.push_back(instance);
    return *this;
  }

  [[nodiscard]] ClockAlignment clocks() const {
    std::vector<const std::vector<CollectiveCall>*> calls;
    for (const auto& own : m_calls) calls.push_back(&own);
    return estimateClocks(m_match, calls, m_before);
  }

  // By how much somebody ends before somebody else has begun, at worst, among ranks that are feasible.
  [[nodiscard]] TimeNs contradiction(const ClockAlignment& clocks) const {
    TimeNs worst = 0;
    for (const CollectiveInstance& instance : m_match.instances) {
      TimeNs lastBegin = kAllTime.begin, firstEnd = kAllTime.end;
      for (const Participant& p : m_match.of(instance)) {
        if (!clocks.ranks[p.rank.value].feasible) continue;
        const TimeRange job = clocks.of(p.rank).toJob(m_calls[p.rank.value][p.call].range).ns();
        lastBegin = std::max(lastBegin, job.begin);
        firstEnd = std::min(firstEnd, job.end);
      }
      worst = std::max(worst, lastBegin - firstEnd);
    }
    return worst;
  }

 private:
  CollectiveMatch m_match;
  std::vector<std::vector<CollectiveCall>> m_calls;
  ClockAlignment m_before;
};

// Rank 0 meets each of the others in long collectives, whose ends say that all clocks agree.
void meetTheFirst(Meetings& meetings, std::size_t ranks) {
  for (TimeNs i = 0; i < 5; ++i) {
    for (std::size_t r = 1; r < ranks; ++r) {
      const TimeRange range{i * kMs, i * kMs + kMs / 2};
      meetings.add({{0, range}, {r, range}});
    }
  }
}

} // namespace

// Rank 2 began 3 after rank 1 had ended. If one of them moves by that all is well; if both do, rank 1 begins
// their other collective after rank 2 has ended it.
TEST(ClockEstimate, twoClocksThatContradictEachOtherDoNotBothMove) {
  Meetings meetings(3);
  meetTheFirst(meetings, 3);
  meetings.add({{1, {10, 20}}, {2, {23, 30}}}).add({{1, {150, 160}}, {2, {140, 154}}});
  const ClockAlignment clocks = meetings.clocks();
  EXPECT_EQ(clocks.of(RankIndex(1)).offset, 0);
  EXPECT_EQ(clocks.of(RankIndex(2)).offset, -3);
  EXPECT_EQ(meetings.contradiction(clocks), 0);
  for (const RankClock& clock : clocks.ranks) EXPECT_TRUE(clock.feasible);
  // What is left after the moves: rank 2 may go on by 1 until their other collective contradicts.
  ASSERT_TRUE(clocks.ranks[2].bounds.has_value());
  EXPECT_EQ(*clocks.ranks[2].bounds, (TimeRange{-1, 0}));
  EXPECT_EQ(*clocks.ranks[1].bounds, (TimeRange{0, 1}));
}

TEST(ClockEstimate, aClockThatNothingBringsIntoLineMovesNoOther) {
  Meetings meetings(4);
  meetTheFirst(meetings, 4);
  // Rank 2 cannot be both after and before rank 1; rank 3 ended before rank 2 began.
  meetings.add({{1, {10, 20}}, {2, {25, 30}}}).add({{1, {125, 130}}, {2, {110, 120}}});
  meetings.add({{2, {210, 220}}, {3, {100, 200}}});
  const ClockAlignment clocks = meetings.clocks();
  EXPECT_FALSE(clocks.ranks[2].feasible);
  ASSERT_TRUE(clocks.ranks[2].bounds.has_value());
  EXPECT_EQ(clocks.ranks[2].bounds->begin - clocks.ranks[2].bounds->end, 15);
  for (const std::size_t r : {0, 1, 3}) {
    EXPECT_TRUE(clocks.ranks[r].feasible) << r;
    EXPECT_EQ(clocks.ranks[r].correction.offset, 0) << r;
  }
}

TEST(ClockEstimate, clocksThatAreCalledFeasibleAgreeWhateverTheyRecorded) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 200; ++round) {
    const std::size_t ranks = 2 + random() % 6;
    Meetings meetings(ranks);
    for (TimeNs i = 0; i < 40; ++i) {
      std::vector<std::pair<std::size_t, TimeRange>> members;
      for (std::size_t r = 0; r < ranks; ++r) {
        const TimeNs begin = i * 1000 + static_cast<TimeNs>(random() % 100);
        if (random() % 3 > 0)
          members.push_back({r, {begin, begin + 80 + static_cast<TimeNs>(random() % 60)}});
      }
      if (members.size() > 1) meetings.add(members);
    }
    const ClockAlignment clocks = meetings.clocks();
    EXPECT_EQ(meetings.contradiction(clocks), 0) << round;
    for (const RankClock& clock : clocks.ranks) {
      if (!clock.bounds) continue;
      EXPECT_EQ(clock.feasible, clock.bounds->begin <= 0 && clock.bounds->end >= 0) << round;
    }
  }
}

// Clocks as far apart as times can be.
TEST(ClockEstimate, differencesOfTheFarthestTimesFit) {
  Meetings meetings(3);
  for (TimeNs i = 0; i < 20; ++i) {
    const TimeNs early = kAllTime.begin + i * kMs, late = kAllTime.end - (20 - i) * kMs;
    meetings.add({{0, {early, early + 5}}, {1, {late, late + 5}}, {2, {i * kMs, i * kMs + 5}}});
  }
  const ClockAlignment clocks = meetings.clocks();
  EXPECT_EQ(clocks.of(RankIndex(1)).toJob(RankTime(kAllTime.end - 20 * kMs)).ns(), kAllTime.begin);
  EXPECT_EQ(clocks.of(RankIndex(2)).toJob(RankTime(0)).ns(), kAllTime.begin);
  // What lies beyond all time on the job's clock stops at its end, and the way back does not leave it either.
  EXPECT_EQ(clocks.of(RankIndex(1)).toJob(RankTime(kAllTime.begin)).ns(), kAllTime.begin);
  EXPECT_EQ(clocks.of(RankIndex(1)).fromJob(JobTime(kAllTime.end)).ns(), kAllTime.end);
  EXPECT_TRUE(clocks.ranks[1].feasible);
}

} // namespace rankscope
