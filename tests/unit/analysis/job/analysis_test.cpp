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
  EXPECT_EQ(analysis.statistics(RankIndex(1)).stepMean, 1000);
  EXPECT_EQ(analysis.steps(RankIndex(1)).at(0).number, 3);
  EXPECT_EQ(analysis.kernels(RankIndex(1)).at(0).total, 30);
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
  EXPECT_FALSE(analysis.statistics(RankIndex(1)).stepMean);
}

} // namespace rankscope
