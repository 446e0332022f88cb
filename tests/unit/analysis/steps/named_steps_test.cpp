// SPDX-License-Identifier: GPL-3.0-or-later
// Steps marked by the names of a program's own ranges. Covers core/analysis/job/step_notes too.
#include "core/analysis/steps/named_steps.h"

#include "core/analysis/job/step_notes.h"
#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>

namespace rankscope {

namespace {

std::vector<std::pair<std::int64_t, TimeRange>> namedStepsIn(HandMadeRank rank) {
  StringInterner names;
  const auto trace = rank.build(names);
  std::vector<std::pair<std::int64_t, TimeRange>> found;
  for (const Step& step : stepsOfNames(*trace, names.snapshot())) found.emplace_back(step.number, step.range);
  return found;
}

using Steps = std::vector<std::pair<std::int64_t, TimeRange>>;

} // namespace

TEST(NamedSteps, numbersAreThoseOfTheNames) {
  HandMadeRank rank;
  rank.annotation(0, 90, "train.training_step_12").annotation(100, 80, "train.training_step_13");
  rank.annotation(10, 20, "forward").annotation(110, 20, "forward");
  EXPECT_EQ(namedStepsIn(std::move(rank)), (Steps{{12, {0, 90}}, {13, {100, 180}}}));
}

TEST(NamedSteps, aNameWithoutNumberCountsItsRanges) {
  HandMadeRank rank;
  rank.annotation(0, 90, "train_step").annotation(100, 80, "train_step").annotation(200, 80, "train_step");
  EXPECT_EQ(namedStepsIn(std::move(rank)), (Steps{{0, {0, 90}}, {1, {100, 180}}, {2, {200, 280}}}));
}

TEST(NamedSteps, aNameWithoutNumberHasToLaunchHalfOfTheWork) {
  const auto stepsBeside = [](TimeNs outside) {
    HandMadeRank rank;
    rank.annotation(0, 90'000, "train_step").annotation(100'000, 90'000, "train_step");
    rank.launched(10'000, 7, 20'000, 30'000, "gemm").launched(110'000, 7, 120'000, 30'000, "gemm");
    rank.launched(92'000, 9, 95'000, outside, "gemm");
    return namedStepsIn(std::move(rank)).size();
  };
  EXPECT_EQ(stepsBeside(50'000), 2u);
  EXPECT_EQ(stepsBeside(70'000), 0u);
}

TEST(NamedSteps, numberedNamesComeFirst) {
  HandMadeRank rank;
  rank.annotation(0, 100, "train_step").annotation(100, 100, "train_step");
  rank.annotation(5, 90, "iteration 7").annotation(105, 90, "iteration 8");
  EXPECT_EQ(namedStepsIn(std::move(rank)), (Steps{{7, {5, 95}}, {8, {105, 195}}}));
}

TEST(NamedSteps, overlapDescendingNumbersAndLittleTimeAreRefused) {
  const auto refused = [](const char* first, const char* second) {
    HandMadeRank rank;
    rank.annotation(0, 90, first).annotation(100, 80, second);
    return namedStepsIn(std::move(rank)).empty();
  };
  EXPECT_FALSE(refused("step 1", "step 2"));
  EXPECT_TRUE(refused("step 2", "step 1"));
  EXPECT_TRUE(refused("step 2", "step 2"));
  EXPECT_TRUE(refused("step 2", "epoch 3"));
  HandMadeRank nested;
  nested.annotation(0, 200, "step 1").annotation(50, 100, "step 2");
  EXPECT_EQ(namedStepsIn(std::move(nested)), Steps());
  HandMadeRank rare;
  rare.annotation(0, 10, "step 1").annotation(20, 10, "step 2").launched(5, 7, 8, 1000, "gemm");
  EXPECT_EQ(namedStepsIn(std::move(rare)), Steps());
}

} // namespace rankscope
