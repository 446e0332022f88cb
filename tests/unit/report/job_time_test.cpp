// SPDX-License-Identifier: GPL-3.0-or-later
// Where things of a job on two hosts are said to be, against where they are: whatever is told of the job is
// on the job's clock, whatever is told of a rank is on its own.
#include "core/analysis/job/analysis.h"

#include "core/analysis/findings/findings.h"
#include "core/analysis/job/late_arrival.h"
#include "core/report/step_means.h"
#include "core/report/steps_table.h"
#include "tests/unit/two_host_job.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <optional>
#include <vector>

namespace rankscope {

namespace {

const TwoHostJob& job() {
  static const TwoHostJob made;
  return made;
}

const Analysis& analysis() {
  return *job().analysis;
}

RankIndex straggler() {
  return RankIndex(TwoHostJob::kStraggler);
}

// Where the first step of a rank begins, as its file has it.
RankTime firstStep(RankIndex rank) {
  return RankTime(job().truth.files[rank.value].steps.front().beginNs);
}

JobTime jobTimeOf(RankIndex rank, RankTime time) {
  return job().jobTime(job().trueTime(static_cast<int>(rank.value), time));
}

JobRange jobRangeOf(RankIndex rank, TimeRange own) {
  return {jobTimeOf(rank, RankTime(own.begin)), jobTimeOf(rank, RankTime(own.end))};
}

std::optional<Finding> findingOf(FindingKind kind) {
  const std::vector<Finding> findings = findingsOf(analysis(), jobAccount(analysis(), 1));
  const auto found = std::ranges::find(findings, kind, &Finding::kind);
  return found == findings.end() ? std::nullopt : std::optional(*found);
}

} // namespace

TEST(JobTime, countsFromTheFirstEventOfTheJobOnEveryRank) {
  const JobTime begin = analysis().extent().begin;
  for (const RankIndex rank : analysis().ranks()) {
    const TimeNs wanted = jobTimeOf(rank, firstStep(rank)) - begin;
    EXPECT_NEAR(static_cast<double>(sinceJobBegin(analysis(), rank, firstStep(rank))),
                static_cast<double>(wanted), TwoHostJob::kTolerance);
  }
}

TEST(JobTime, extentHoldsAllRanksAndNoDistanceOfClocks) {
  const JobRange extent = analysis().extent();
  EXPECT_LT(extent.length(), TwoHostJob::kAhead);
  for (const RankIndex rank : analysis().ranks()) {
    JobRange own = jobRangeOf(rank, analysis().trace().rank(rank).trace->extent);
    own = {own.begin + TwoHostJob::kTolerance, own.end - TwoHostJob::kTolerance};
    EXPECT_EQ(own.clippedTo(extent), own);
  }
}

TEST(JobTime, collectivesAreWhereTheirParticipantsMet) {
  const CollectiveMatch& match = analysis().collectives().match;
  ASSERT_EQ(match.instances.size(), job().truth.collectives.size());
  std::vector<test::CollectiveTruth> truths = job().truth.collectives;
  std::ranges::sort(truths, {}, [](const test::CollectiveTruth& c) { return job().placeOf(c).begin; });
  for (std::size_t i = 0; i < truths.size(); ++i) {
    const CollectiveInstance& instance = match.instances[i];
    EXPECT_TRUE(isNear(JobRange{instance.firstBegin, instance.end}, job().placeOf(truths[i])));
    for (const Participant& part : match.of(instance)) {
      const test::ParticipantTruth& truth = truths[i].participants[part.rank.value];
      EXPECT_TRUE(isNear(part.range, JobRange{job().jobTime(truth.beginNs), job().jobTime(truth.endNs)}));
      const RankRange own = analysis().collectiveCalls(part.rank)[part.call].range;
      EXPECT_TRUE(isNear(own, RankRange{job().rankTime(truth.rank, truth.beginNs),
                                        job().rankTime(truth.rank, truth.endNs)}));
    }
  }
}

TEST(JobTime, stepsOfRanksLieBesideEachOther) {
  for (const RankIndex rank : analysis().ranks()) {
    const RankStep& step = analysis().stragglers().ranks[rank.value].steps.front();
    EXPECT_TRUE(isNear(step.range, jobRangeOf(rank, analysis().stepWindows(rank).steps.front().range)));
    EXPECT_TRUE(isNear(JobRange{step.range.begin, step.range.end},
                       JobRange{jobTimeOf(rank, firstStep(rank)), step.range.end}));
  }
  for (const StepMean& mean : stepMeans(analysis())) {
    EXPECT_EQ(mean.ranks, 4U);
    EXPECT_LT(mean.place.length(), 2 * mean.longest);
    EXPECT_EQ(mean.place.clippedTo(analysis().extent()), mean.place);
  }
}

TEST(JobTime, aLateArrivalIsTimedByTheJobAndLookedAtByItsRank) {
  const CollectiveMatch& match = analysis().collectives().match;
  const auto late = std::ranges::find_if(match.instances, [](const CollectiveInstance& instance) {
    return instance.lastRank == straggler() && instance.skew() > 1'000'000;
  });
  ASSERT_NE(late, match.instances.end());
  const auto arrival = lateArrivalOf(analysis(), *late);
  ASSERT_TRUE(arrival);
  EXPECT_EQ(arrival->rank, straggler());
  EXPECT_LE(arrival->late, late->skew());
  const Participant& own = match.of(*late)[straggler().value];
  const TimeNs called = analysis().collectiveCalls(straggler())[own.call].range.begin.ns();
  EXPECT_NEAR(static_cast<double>(arrival->before.end.ns()), static_cast<double>(called), 1);
  EXPECT_LT(arrival->before.length(), TwoHostJob::kAhead);
}

TEST(JobTime, findingsOfTheSecondHostAreWhereItHappened) {
  const auto late = findingOf(FindingKind::Straggler);
  ASSERT_TRUE(late);
  ASSERT_EQ(late->rank, straggler());
  EXPECT_TRUE(std::ranges::any_of(job().truth.collectives, [&](const test::CollectiveTruth& collective) {
    return collective.lastRank == TwoHostJob::kStraggler && isNear(late->place, job().placeOf(collective));
  }));
}

TEST(JobTime, tablesHaveItToo) {
  const ResultTable steps = stepsTable(analysis());
  const std::size_t rankColumn = *steps.columnNamed("rank");
  const std::size_t beginColumn = *steps.columnNamed("begin_us");
  std::vector<bool> seen(4, false);
  for (std::size_t row = 0; row < steps.rowCount(); ++row) {
    const auto rank = static_cast<std::size_t>(std::get<std::int64_t>(steps.at(row, rankColumn)));
    if (seen[rank]) continue;
    seen[rank] = true;
    const JobTime begin = analysis().extent().begin + std::get<std::int64_t>(steps.at(row, beginColumn));
    const JobTime wanted = jobTimeOf(RankIndex(rank), firstStep(RankIndex(rank)));
    EXPECT_TRUE(isNear(JobRange{begin, begin}, JobRange{wanted, wanted})) << rank;
  }
  EXPECT_EQ(seen, std::vector<bool>(4, true));
}

} // namespace rankscope
