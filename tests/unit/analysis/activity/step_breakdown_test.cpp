// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/activity/step_breakdown.h"

#include "core/analysis/job/analysis.h"
#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>
#include <numeric>

namespace rankscope {

namespace {

struct Found {
  std::vector<StepWindow> steps;
  std::vector<StepBreakdown> breakdown;
};

Found breakdownOf(HandMadeRank rank, TimeRange window = kAllTime) {
  HandMadeJob job;
  job.add(0, std::move(rank));
  const Analysis whole(job.build());
  const Analysis analysis(whole, {{RankIndex(0)}, {RankRange::of(window)}});
  return {analysis.stepWindows(RankIndex(0)).steps, analysis.stepBreakdown(RankIndex(0))};
}

HandMadeRank everyCategory() {
  HandMadeRank rank;
  rank.annotation(0, 1000, "ProfilerStep#4")
      .annotation(0, 200, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__")
      .op(150, 600, "aten::linear")
      .op(160, 100, "aten::addmm")
      .runtime(200, 100, "cudaLaunchKernel")
      .hostCollective(640, 70, "nccl:all_reduce")
      .hostCollective(630, 100, "record_param_comms")
      .python(0, 1000, "train.py(3): main");
  rank.kernel(7, 250, 150, "gemm")
      .collective(20, 350, 100, "ncclAllReduce")
      .device(EventKind::Copy, 9, 390, 80, "Memcpy")
      .device(EventKind::Set, 9, 480, 20, "Memset")
      .gpuAnnotation(7, 0, 1000, "ProfilerStep#4");
  return rank;
}

} // namespace

TEST(StepBreakdown, everyInstantCountsToTheFirstCategoryThatHoldsIt) {
  const Found found = breakdownOf(everyCategory());
  ASSERT_EQ(found.breakdown.size(), 1U);
  const StepBreakdown& b = found.breakdown[0];
  EXPECT_EQ(b.of(StepCategory::Kernel), 150);
  EXPECT_EQ(b.of(StepCategory::Memcpy), 70) << "from 400, where the kernel ends";
  EXPECT_EQ(b.of(StepCategory::Memset), 20);
  EXPECT_EQ(b.of(StepCategory::Communication), 70) << "the host's span; the kernel lies under the others";
  EXPECT_EQ(b.of(StepCategory::Runtime), 50);
  EXPECT_EQ(b.of(StepCategory::DataLoader), 200);
  EXPECT_EQ(b.of(StepCategory::CpuExec), 750 - 200 - 50 - 150 - 70 - 20 - 70);
  EXPECT_EQ(b.of(StepCategory::Other), 250);
  EXPECT_EQ(b.compute, 150);
  EXPECT_EQ(b.communication, 100);
  EXPECT_EQ(b.overlap, 50);
  EXPECT_EQ(b.exposedCommunication, 50);
  EXPECT_EQ(b.idle, 1000 - 220 - 20);
  EXPECT_EQ(b.dataLoader, 200);
}

TEST(StepBreakdown, aStepOfAWindowIsWholeEvenWhereItLeavesIt) {
  const Found all = breakdownOf(everyCategory());
  const Found part = breakdownOf(everyCategory(), {-10, 5});
  ASSERT_EQ(part.breakdown.size(), 1U);
  EXPECT_EQ(part.breakdown[0].categories, all.breakdown[0].categories);
  EXPECT_EQ(part.breakdown[0].dataLoader, 200);
  EXPECT_TRUE(breakdownOf(everyCategory(), {1, 900}).breakdown.empty());
}

TEST(StepBreakdown, phasesAreThoseOfTheHostsPartOfTheStep) {
  HandMadeRank rank;
  rank.annotation(0, 100'000, "ProfilerStep#1").annotation(100'000, 100'000, "ProfilerStep#2");
  rank.annotation(10'000, 20'000, "forward").annotation(110'000, 20'000, "forward");
  rank.launched(40'000, 7, 60'000, 80'000, "gemm");
  const Found found = breakdownOf(std::move(rank));
  ASSERT_EQ(found.breakdown.size(), 2U);
  EXPECT_EQ(found.steps[1].range.begin, 140'000);
  EXPECT_EQ(found.breakdown[0].forward, 20'000);
  EXPECT_EQ(found.breakdown[1].forward, 20'000);
}

TEST(StepBreakdown, aRankWithoutADeviceComputesAndCommunicatesOnTheHost) {
  HandMadeRank rank;
  rank.annotation(0, 1000, "ProfilerStep#4")
      .op(100, 500, "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad")
      .op(100, 200, "aten::mm")
      .op(0, 900, "aten::of_a_worker", "9")
      .hostCollective(110, 20, "c10d::allreduce_")
      .hostCollective(250, 350, "gloo:all_reduce", "2");
  const Found found = breakdownOf(std::move(rank));
  ASSERT_EQ(found.breakdown.size(), 1U);
  const StepBreakdown& b = found.breakdown[0];
  EXPECT_EQ(b.compute, 200) << "the operator around it waits, and the other thread does not train";
  EXPECT_EQ(b.communication, 350);
  EXPECT_EQ(b.overlap, 50);
  EXPECT_EQ(b.exposedCommunication, 300);
  EXPECT_FALSE(b.idle);
  EXPECT_EQ(b.of(StepCategory::Communication), 350);
  EXPECT_EQ(b.backward, 500);
  EXPECT_EQ(std::accumulate(b.categories.begin(), b.categories.end(), TimeNs{0}), 1000);
}

TEST(StepBreakdown, theAnnotationThatIsTheStepIsNoExecution) {
  HandMadeRank rank;
  for (int i = 0; i < 3; ++i) rank.annotation(100 * i, 90, "train_step").op(100 * i, 30, "aten::mm");
  const Found found = breakdownOf(std::move(rank));
  ASSERT_EQ(found.breakdown.size(), 3U);
  EXPECT_EQ(found.breakdown[1].of(StepCategory::CpuExec), 30);
  EXPECT_EQ(found.breakdown[1].of(StepCategory::Other), 60);
}

} // namespace rankscope
