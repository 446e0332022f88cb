// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a job on two hosts: the window of each rank is on its own clock. Covers
// core/analysis/steps/kept_windows too.
#include "core/analysis/job/scope.h"

#include "tests/unit/hand_made_job.h"
#include "tests/unit/two_host_job.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

const TwoHostJob& job() {
  static const TwoHostJob made;
  return made;
}

} // namespace

TEST(Scope, ofEverythingHasNoLimit) {
  const AnalysisScope scope = wholeScope(*job().analysis);
  EXPECT_EQ(scope.ranks, job().analysis->ranks());
  EXPECT_EQ(scope.windows, std::vector<RankRange>(4, kWholeRecording));
}

TEST(Scope, ofARangeOfTheJobIsTheSameMomentOnEveryClock) {
  for (const std::size_t at : {std::size_t{0}, job().truth.collectives.size() - 1}) {
    const JobRange place = job().placeOf(job().truth.collectives[at]);
    const AnalysisScope scope = scopeOfRange(*job().analysis, place);
    ASSERT_EQ(scope.ranks.size(), 4U);
    for (const RankIndex rank : scope.ranks) {
      const int number = job().analysis->trace().rank(rank).rank;
      const RankRange wanted{job().rankTime(number, place.begin.ns()),
                             job().rankTime(number, place.end.ns())};
      EXPECT_TRUE(isNear(scope.windows[rank.value], wanted)) << number;
    }
  }
}

TEST(Scope, ofACollectiveHasTheCallOfEveryRank) {
  const test::CollectiveTruth& middle = job().truth.collectives[job().truth.collectives.size() / 2];
  JobRange place = job().placeOf(middle);
  place.begin = place.begin - TwoHostJob::kTolerance;
  const Analysis part(*job().analysis, scopeOfRange(*job().analysis, place));
  for (const RankIndex rank : part.ranks()) EXPECT_EQ(part.arrivals(rank).collectives, 1) << rank.value;
}

// Steps of 10 us, the first one of 30, each with a kernel of a tenth of it.
TEST(Scope, ofKeptStepsLeavesOutTheFirst) {
  HandMadeJob made;
  for (const int rank : {0, 1}) {
    HandMadeRank events;
    TimeNs begin = 0;
    for (int step = 1; step <= 4; ++step) {
      const TimeNs duration = step == 1 ? 30'000 : 10'000;
      events.annotation(begin, duration, "ProfilerStep#" + std::to_string(step));
      events.launched(begin + 100, 7, begin + 1000, duration / 10, "gemm");
      begin += duration;
    }
    made.add(rank, std::move(events));
  }
  const Analysis analysis(made.build());
  ASSERT_EQ(analysis.stepStatus(RankIndex(0)).front(), StepStatus::WarmUp);
  const std::shared_ptr<const Analysis>& kept = analysis.ofKeptSteps();
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(kept->ranks(), analysis.ranks());
  for (const RankIndex rank : kept->ranks()) {
    EXPECT_EQ(kept->window(rank).ns(), (TimeRange{30'000, 60'000}));
    EXPECT_EQ(kept->stepWindows(rank).steps.size(), 3U);
    ASSERT_EQ(kept->kernels(rank).size(), 1U);
    EXPECT_EQ(std::int64_t{kept->kernels(rank).front().total}, 3'000);
    EXPECT_EQ(kept->kernels(rank).front().calls, 3);
  }
  // A range in which only the first step begins is of that one.
  const Analysis first(analysis, scopeOfRange(analysis, JobRange{JobTime(0), JobTime(20'000)}));
  ASSERT_NE(first.ofKeptSteps(), nullptr);
  EXPECT_EQ(first.ofKeptSteps()->window(RankIndex(0)).ns(), (TimeRange{0, 30'000}));
  // A range within a step has none.
  const Analysis inside(analysis, scopeOfRange(analysis, JobRange{JobTime(1'000), JobTime(20'000)}));
  EXPECT_EQ(inside.ofKeptSteps(), nullptr);
}

TEST(Scope, ofStepsIsThatOfEachRanksSteps) {
  const auto& steps = job().analysis->stepWindows(RankIndex(0)).steps;
  const AnalysisScope scope = scopeOfSteps(*job().analysis, steps[1].number, steps[2].number);
  ASSERT_EQ(scope.ranks.size(), 4U);
  for (const RankIndex rank : scope.ranks) {
    const auto& own = job().analysis->stepWindows(rank).steps;
    EXPECT_EQ(scope.windows[rank.value].ns(), (TimeRange{own[1].range.begin, own[2].range.end}));
  }
  EXPECT_TRUE(scopeOfSteps(*job().analysis, steps.back().number + 1, steps.back().number + 9).ranks.empty());
}

TEST(Scope, isCutByRanksAndByAnotherOne) {
  const JobRange all = job().analysis->extent();
  const AnalysisScope first = scopeOfRange(*job().analysis, {all.begin, all.begin + all.length() / 2});
  const std::vector<int> numbers{1, 3, 17};
  const AnalysisScope some = onlyRanks(*job().analysis, first, numbers);
  EXPECT_EQ(some.ranks, (std::vector{RankIndex(1), RankIndex(3)}));
  EXPECT_EQ(some.windows, (std::vector{first.windows[1], first.windows[3]}));
  const AnalysisScope later = scopeOfRange(*job().analysis, {all.begin + all.length() / 4, all.end});
  const AnalysisScope common = commonScope(later, some);
  EXPECT_EQ(common.ranks, some.ranks);
  EXPECT_EQ(common.windows[1], (RankRange{later.windows[3].begin, first.windows[3].end}));
}

} // namespace rankscope
