// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/steps/step_list.h"

#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>

namespace rankscope {

namespace {

struct Found {
  std::shared_ptr<const RankTrace> trace;
  std::vector<Step> steps;
};

Found stepsIn(HandMadeRank rank) {
  StringInterner names;
  Found found;
  found.trace = rank.build(names);
  found.steps = stepsOf(*found.trace, names.snapshot());
  return found;
}

} // namespace

TEST(StepList, numbersAreThoseOfTheSchedule) {
  EXPECT_EQ(stepNumberOf("ProfilerStep#0"), 0);
  EXPECT_EQ(stepNumberOf("ProfilerStep#551"), 551);
  for (const char* name :
       {"ProfilerStep*", "ProfilerStep#", "ProfilerStep#abc", "ProfilerStep#-1", "ProfilerStep#1x",
        "ProfilerStep", "", "ProfilerStep#99999999999999999999", "Step#1"})
    EXPECT_EQ(stepNumberOf(name), Step::kUnknownNumber) << name;
}

TEST(StepList, stepsAreInOrderOfTimeAndTwinsOnTheDeviceAreNone) {
  HandMadeRank rank;
  rank.annotation(2000, 900, "ProfilerStep#11")
      .annotation(1000, 1000, "ProfilerStep#10")
      .annotation(1100, 100, "forward")
      .gpuAnnotation(7, 1500, 800, "ProfilerStep#10");
  const Found found = stepsIn(std::move(rank));
  ASSERT_EQ(found.steps.size(), 2U);
  EXPECT_EQ(found.steps[0].number, 10);
  EXPECT_EQ(found.steps[0].range, (TimeRange{1000, 2000}));
  EXPECT_EQ(found.steps[1].number, 11);
  EXPECT_EQ(found.trace->events.range(found.steps[1].event), (TimeRange{2000, 2900}));
}

TEST(StepList, oldRecordingsMarkStepsAmongTheOperators) {
  HandMadeRank rank;
  rank.op(0, 100, "ProfilerStep#5").op(10, 20, "aten::mm");
  ASSERT_EQ(stepsIn(std::move(rank)).steps.size(), 1U);
}

TEST(StepList, namesThatNoScheduleWritesAreStepsWithoutANumber) {
  HandMadeRank rank;
  rank.annotation(0, 10, "ProfilerStep*").annotation(20, 10, "ProfilerStep#abc");
  const Found found = stepsIn(std::move(rank));
  ASSERT_EQ(found.steps.size(), 2U);
  EXPECT_EQ(found.steps[0].number, Step::kUnknownNumber);
  EXPECT_EQ(found.steps[1].number, Step::kUnknownNumber);
}

TEST(StepList, aNameSeenTwiceCountsOnce) {
  HandMadeRank rank;
  rank.annotation(0, 10, "ProfilerStep#1", "1")
      .annotation(1, 8, "ProfilerStep#1", "2")
      .annotation(20, 10, "ProfilerStep#2");
  const Found found = stepsIn(std::move(rank));
  EXPECT_EQ(found.steps.size(), 3U);
  EXPECT_EQ(distinctStepCount(*found.trace, found.steps), 2);
}

} // namespace rankscope
