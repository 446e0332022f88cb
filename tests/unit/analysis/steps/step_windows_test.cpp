// SPDX-License-Identifier: GPL-3.0-or-later
// How steps are found, and where they begin and end. Covers core/analysis/steps/step_window too.
#include "core/analysis/steps/step_windows.h"

#include "core/analysis/steps/step_search.h"
#include "tests/unit/hand_made_job.h"
#include "tests/unit/times.h"

#include <gtest/gtest.h>

namespace rankscope {

namespace {

StepWindows stepsIn(HandMadeRank rank, TimeRange window = kAllTime, StepRules rules = {}) {
  StringInterner names;
  const auto trace = rank.build(names);
  const StringTable table = names.snapshot();
  return stepWindows(*trace, table, stepsOf(*trace, table), window, rules);
}

std::vector<TimeRange> rangesOf(const StepWindows& steps) {
  std::vector<TimeRange> ranges;
  for (const StepWindow& step : steps.steps) ranges.push_back(step.range);
  return ranges;
}

using Ranges = std::vector<TimeRange>;

// Two steps of 100 us on the host whose kernels run 60 us into what follows.
HandMadeRank twoLateSteps() {
  HandMadeRank rank;
  rank.annotation(0, 100 * kUs, "ProfilerStep#5").annotation(100 * kUs, 100 * kUs, "ProfilerStep#6");
  rank.launched(10 * kUs, 7, 40 * kUs, 120 * kUs, "gemm").launched(110 * kUs, 7, 170 * kUs, 90 * kUs, "gemm");
  return rank;
}

} // namespace

TEST(StepWindows, aKernelCountsToTheStepInWhichItRunsAndStepsNeverOverlap) {
  const StepWindows steps = stepsIn(twoLateSteps());
  EXPECT_EQ(steps.found, StepSource::Marked);
  EXPECT_EQ(rangesOf(steps), (Ranges{{0, 160 * kUs}, {160 * kUs, 260 * kUs}}));
  EXPECT_EQ(steps.steps[1].number, 6);
  EXPECT_EQ(steps.steps[1].host, (TimeRange{100 * kUs, 200 * kUs}));
  EXPECT_EQ(steps.steps[1].deviceEvents, 1);
  EXPECT_EQ(steps.hull(), (TimeRange{0, 260 * kUs}));
}

TEST(StepWindows, workOfBeforeTheFirstStepIsNotItsOwn) {
  HandMadeRank rank = twoLateSteps();
  rank.launched(-50 * kUs, 7, -20 * kUs, 45 * kUs, "of the step before");
  EXPECT_EQ(stepsIn(std::move(rank)).steps[0].range, (TimeRange{25 * kUs, 160 * kUs}));
}

TEST(StepWindows, aLaunchThatCrossesTheEndOfItsStepBelongsToNone) {
  HandMadeRank rank;
  rank.annotation(0, 100 * kUs, "ProfilerStep#5").annotation(100 * kUs, 100 * kUs, "ProfilerStep#6");
  rank.launched(99 * kUs, 7, 140 * kUs, 500 * kUs, "gemm");
  EXPECT_EQ(rangesOf(stepsIn(std::move(rank))), (Ranges{{0, 100 * kUs}, {100 * kUs, 200 * kUs}}));
}

TEST(StepWindows, aStepMarkedByTwoThreadsIsOneAndTheMainThreadSaysHowLong) {
  HandMadeRank rank;
  rank.annotation(0, 100, "ProfilerStep#1", "1").annotation(100, 100, "ProfilerStep#2", "1");
  rank.annotation(10, 150, "ProfilerStep#1", "2");
  EXPECT_EQ(rangesOf(stepsIn(std::move(rank))), (Ranges{{0, 100}, {100, 200}}));
}

TEST(StepWindows, aStepInsideAnotherIsLeftWithoutTimeAndNotDropped) {
  HandMadeRank rank;
  rank.annotation(0, 100, "ProfilerStep#1")
      .annotation(10, 20, "ProfilerStep#2")
      .annotation(90, 60, "ProfilerStep#3");
  const StepWindows steps = stepsIn(std::move(rank));
  EXPECT_EQ(rangesOf(steps), (Ranges{{0, 100}, {100, 100}, {100, 150}}));
  EXPECT_EQ(steps.indexAt(100), 2U);
  EXPECT_EQ(steps.indexAt(99), 0U);
  EXPECT_FALSE(steps.indexAt(150));
}

TEST(StepWindows, theTailIsKeptUnlessThePluginsRuleIsAskedFor) {
  HandMadeRank rank = twoLateSteps();
  rank.annotation(300 * kUs, 50 * kUs, "ProfilerStep#7");
  EXPECT_EQ(stepsIn(std::move(rank)).steps.size(), 3U);
  HandMadeRank same = twoLateSteps();
  same.annotation(300 * kUs, 50 * kUs, "ProfilerStep#7");
  EXPECT_EQ(stepsIn(std::move(same), kAllTime, {.dropTail = true}).steps.size(), 2U);
  HandMadeRank few = twoLateSteps();
  few.launched(20 * kUs, 7, 161 * kUs, kUs, "gemm");
  EXPECT_EQ(stepsIn(std::move(few), kAllTime, {.dropTail = true}).steps.size(), 1U) << "1 event after 2";
}

TEST(StepWindows, aStepBelongsToTheWindowInWhichItBegins) {
  const StepWindows steps = stepsIn(twoLateSteps(), {100 * kUs, 170 * kUs});
  EXPECT_EQ(rangesOf(steps), (Ranges{{160 * kUs, 260 * kUs}}));
  EXPECT_EQ(steps.steps[0].number, 6);
}

TEST(StepWindows, anAnnotationThatRepeatsIsTheStepWhenNothingWasMarked) {
  HandMadeRank rank;
  rank.annotation(0, 1000, "train");
  for (int i = 0; i < 3; ++i)
    rank.annotation(300 * i, 250, "iteration " + std::to_string(i + 8))
        .annotation(300 * i + 10, 100, "forward")
        .annotation(300 * i + 120, 100, "backward");
  const StepWindows steps = stepsIn(std::move(rank));
  EXPECT_EQ(steps.found, StepSource::Annotation);
  EXPECT_EQ(rangesOf(steps), (Ranges{{0, 250}, {300, 550}, {600, 850}}));
  EXPECT_EQ(steps.steps[2].number, 2);
  EXPECT_TRUE(steps.steps[2].event.valid());
}

TEST(StepWindows, layersAndMicrobatchesAndRangesOfTorchAreNoSteps) {
  for (const char* const name :
       {"layer %d", "FSDP::pre_forward (blocks.%d)", "microbatch %d", "FSDP::unshard", "blocks.%d.forward"}) {
    HandMadeRank rank;
    for (int i = 0; i < 4; ++i) {
      std::string of = name;
      if (const std::size_t number = of.find("%d"); number != std::string::npos)
        of.replace(number, 2, std::to_string(i));
      rank.annotation(i * 100, 90, of);
    }
    EXPECT_EQ(stepsIn(std::move(rank)).found, StepSource::Whole) << name;
  }
}

// An iteration of inference whose layers have one name: they repeat and fill their time like steps.
TEST(StepWindows, rangesThatLaunchLessThanHalfOfTheWorkAreNoSteps) {
  const auto found = [](TimeNs workOutside) {
    HandMadeRank rank;
    for (int layer = 0; layer < 23; ++layer)
      rank.annotation(100 * kUs * layer, 95 * kUs, "DecoderLayer")
          .launched(100 * kUs * layer + 10 * kUs, 7, 100 * kUs * layer + 20 * kUs, 10 * kUs, "gemm");
    rank.launched(2400 * kUs, 7, 2410 * kUs, workOutside, "replayed graph");
    return stepsIn(std::move(rank)).found;
  };
  EXPECT_EQ(found(240 * kUs), StepSource::Whole);
  EXPECT_EQ(found(220 * kUs), StepSource::Annotation);
}

TEST(StepWindows, whereOnlyPhasesAreAnnotatedTheOptimizerEndsTheStep) {
  HandMadeRank rank;
  for (int i = 0; i < 3; ++i)
    rank.annotation(300 * i, 40, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__")
        .annotation(300 * i + 50, 5, "Optimizer.zero_grad#SGD.zero_grad")
        .annotation(300 * i + 60, 200, "forward")
        .annotation(300 * i + 270, 20, "Optimizer.step#SGD.step");
  const StepWindows steps = stepsIn(std::move(rank));
  EXPECT_EQ(steps.found, StepSource::Annotation);
  EXPECT_EQ(rangesOf(steps), (Ranges{{0, 290}, {290, 590}, {590, 890}}));
}

TEST(StepWindows, theCollectivesPeriodTellsStepsWhenNothingElseDoes) {
  HandMadeRank rank;
  rank.collective(20, 5, 3, "ncclBroadcast");
  for (int i = 0; i < 6; ++i) {
    const TimeNs begin = 100 + 1000 * i;
    rank.collective(20, begin, 50, "ncclAllReduceSmall")
        .collective(20, begin + 100, 50, "ncclAllReduceLarge")
        .collective(20, begin + 200, 50, "ncclAllReduceLarge");
  }
  const StepWindows steps = stepsIn(std::move(rank));
  EXPECT_EQ(steps.found, StepSource::Collectives);
  ASSERT_EQ(steps.steps.size(), 6U);
  EXPECT_EQ(steps.steps[0].range, (TimeRange{100, 1100}));
  EXPECT_EQ(steps.steps[5].range, (TimeRange{5100, 5350}));
}

TEST(StepWindows, withoutAnythingThatRepeatsEverythingIsOneStep) {
  HandMadeRank rank;
  rank.op(10, 40, "aten::mm").kernel(7, 30, 100, "gemm");
  const StepWindows steps = stepsIn(std::move(rank));
  EXPECT_EQ(steps.found, StepSource::Whole);
  EXPECT_FALSE(steps.areSteps());
  EXPECT_EQ(rangesOf(steps), (Ranges{{10, 130}}));
  EXPECT_TRUE(stepsIn(HandMadeRank()).steps.empty());
}

TEST(StepSearch, periodsAreThoseOfTheEnd) {
  EXPECT_EQ(periodOf(std::vector<std::uint64_t>{1, 2, 3, 1, 2, 3}), 3U);
  EXPECT_EQ(periodOf(std::vector<std::uint64_t>{1, 2, 3, 1, 2}), 0U) << "not twice";
  EXPECT_EQ(periodOf(std::vector<std::uint64_t>{7, 7, 7}), 1U);
  EXPECT_EQ(periodOf(std::vector<std::uint64_t>{}), 0U);
  EXPECT_EQ(periodOf(std::vector<std::uint64_t>{9, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2}), 2U)
      << "one odd at the begin";
  EXPECT_EQ(periodOf(std::vector<std::uint64_t>{1, 2, 1, 2, 1, 2, 9}), 0U);
}

} // namespace rankscope
