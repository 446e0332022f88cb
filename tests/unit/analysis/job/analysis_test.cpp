// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/job/analysis.h"

#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace rankscope {

namespace {

HandMadeRank rankWithKernel(TimeNs duration) {
  HandMadeRank rank;
  rank.kernel(7, 100, duration, "gemm").annotation(0, 1000, "ProfilerStep#3");
  return rank;
}

} // namespace

TEST(Analysis, givesEveryRankItsOwnResults) {
  HandMadeJob job;
  job.add(0, rankWithKernel(10)).add(1, rankWithKernel(30));
  const Analysis analysis(job.build());
  EXPECT_EQ(analysis.activity(RankIndex(0)).busy.totalLength(), 10);
  EXPECT_EQ(analysis.statistics(RankIndex(1)).gpuBusy, 30);
  EXPECT_EQ(analysis.stepMean(RankIndex(1)), 1000);
  EXPECT_EQ(analysis.steps(RankIndex(1)).at(0).number, 3);
  EXPECT_EQ(analysis.kernels(RankIndex(1)).at(0).total, 30);
}

TEST(Analysis, roundsTheMeanOfSteps) {
  HandMadeJob job;
  HandMadeRank rank;
  rank.annotation(0, 100, "ProfilerStep#1").annotation(100, 101, "ProfilerStep#2").op(10, 5, "aten::mm");
  job.add(0, std::move(rank));
  const Analysis analysis(job.build());
  EXPECT_EQ(analysis.statistics(RankIndex(0)).steps, 2);
  EXPECT_EQ(analysis.stepMean(RankIndex(0)), 101) << "100.5, halves up";
}

// The first step is longer than 1.15 times the others: it is no part of any mean, of the devices neither.
TEST(Analysis, takesItsMeansOverKeptSteps) {
  HandMadeRank rank;
  rank.annotation(0, 400, "ProfilerStep#0").kernel(7, 0, 400, "gemm");
  for (int step = 1; step < 4; ++step)
    rank.annotation(300 + 100 * step, 90, "ProfilerStep#" + std::to_string(step))
        .kernel(7, 300 + 100 * step, 45, "gemm");
  HandMadeJob job;
  job.add(0, std::move(rank));
  const auto trace = job.build();
  const Analysis kept(trace);
  const RankIndex first(0);
  EXPECT_EQ(kept.countedSteps(first), (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_EQ(kept.stepStatus(first).front(), StepStatus::WarmUp);
  EXPECT_EQ(kept.stepMean(first), 90);
  EXPECT_DOUBLE_EQ(kept.gpuMetrics(first).utilizationPct.value(), 50) << "without the time between steps";

  const Analysis all(trace, nullptr, {.allSteps = true});
  EXPECT_EQ(all.stepMean(first), 168) << "(400 + 3 * 90) / 4, halves up";
  EXPECT_DOUBLE_EQ(all.gpuMetrics(first).utilizationPct.value(), 100 * 535.0 / 690)
      << "from the first step's begin to the last one's end";

  const Analysis part(kept, {{first}, {RankRange::of({0, 300})}});
  EXPECT_EQ(part.stepMean(first), 400) << "no other step begins there";
  EXPECT_DOUBLE_EQ(part.gpuMetrics(first).utilizationPct.value(), 100);
}

// Rank 0 arrives last, so the ranks that were there before change their index.
TEST(Analysis, aGrownJobKeepsTheResultsOfTheRanksThatWereThere) {
  HandMadeJob job;
  job.add(1, rankWithKernel(10)).add(2, rankWithKernel(20));
  const Analysis before(job.build());
  const DeviceActivity* const ofRankOne = &before.activity(RankIndex(0));
  job.add(0, rankWithKernel(5));
  const Analysis after(job.build(), &before);
  ASSERT_EQ(after.trace().ranks().size(), 3U);
  EXPECT_EQ(&after.activity(RankIndex(1)), ofRankOne);
  EXPECT_EQ(after.activity(RankIndex(0)).busy.totalLength(), 5);
  EXPECT_EQ(after.activity(RankIndex(2)).busy.totalLength(), 20) << "not computed before the job grew";
}

TEST(Analysis, manyThreadsSeeOneResult) {
  HandMadeJob job;
  job.add(0, rankWithKernel(10));
  const Analysis analysis(job.build());
  std::vector<const RankStatistics*> seen(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < seen.size(); ++i)
    threads.emplace_back([&, i] { seen[i] = &analysis.statistics(RankIndex(0)); });
  for (std::thread& thread : threads) thread.join();
  for (const RankStatistics* statistics : seen) EXPECT_EQ(statistics, seen[0]);
}

TEST(RankStatistics, overlapOfNoCommunicationIsNotKnown) {
  HandMadeJob job;
  job.add(0, rankWithKernel(10));
  HandMadeRank communicating;
  communicating.collective(8, 0, 30, "nccl").kernel(7, 0, 10, "gemm");
  job.add(1, std::move(communicating));
  const Analysis analysis(job.build());
  EXPECT_FALSE(analysis.statistics(RankIndex(0)).overlapPct);
  ASSERT_TRUE(analysis.statistics(RankIndex(1)).overlapPct);
  EXPECT_NEAR(*analysis.statistics(RankIndex(1)).overlapPct, 100.0 / 3, 1e-9);
  EXPECT_FALSE(analysis.stepMean(RankIndex(1)));
}

} // namespace rankscope
