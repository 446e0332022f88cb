// SPDX-License-Identifier: GPL-3.0-or-later
// Which steps the end of a truncated file cuts. Covers core/analysis/steps/truncated_steps.
#include "core/analysis/steps/truncated_steps.h"

#include <gtest/gtest.h>
#include <string>

namespace rankscope {

namespace {

RankSteps recording(std::initializer_list<std::int64_t> deviceEvents, std::int64_t first = 1) {
  RankSteps made;
  for (const std::int64_t events : deviceEvents)
    made.steps.push_back({first++, 100, events, true, true, false, false});
  return made;
}

// By step of rank 1, whose file is truncated: "k" of a kept step, "c" of a cut one.
std::string statusOf(const RankSteps& whole, const RankSteps& truncated, bool all = false) {
  const std::vector<RankSteps> wholeOnes{whole, {}}, truncatedOnes{{}, truncated};
  KeptSteps kept = keptSteps(wholeOnes, all);
  addTruncatedSteps(wholeOnes, truncatedOnes, all, kept);
  std::string text;
  for (std::size_t i = 0; i < truncated.steps.size(); ++i) {
    EXPECT_EQ(kept.stepOfRank[1][i], i);
    text += kept.status(1, i) == StepStatus::Kept ? "k" : kept.status(1, i) == StepStatus::Cut ? "c" : "?";
  }
  for (std::size_t i = 0; i < whole.steps.size(); ++i) EXPECT_EQ(kept.status(0, i), StepStatus::Kept);
  return text;
}

} // namespace

TEST(TruncatedSteps, lackDeviceWorkThatWholeRanksHave) {
  const RankSteps whole = recording({100, 100, 100, 100});
  EXPECT_EQ(statusOf(whole, recording({100, 100, 79})), "kkc");
  EXPECT_EQ(statusOf(whole, recording({100, 100, 80})), "kkk");
  EXPECT_EQ(statusOf(whole, recording({100, 40, 0})), "kcc");
  EXPECT_EQ(statusOf(whole, recording({0, 0, 0})), "ccc"); // the file ends before its device events
  EXPECT_EQ(statusOf(whole, recording({100, 100, 0}), true), "kkk");
}

TEST(TruncatedSteps, ofAStageWithLessWorkThanOthersAreKept) {
  EXPECT_EQ(statusOf(recording({100, 100, 100}), recording({50, 50, 30})), "kkc");
}

TEST(TruncatedSteps, withoutDeviceEventsTheLastIsCut) {
  EXPECT_EQ(statusOf(recording({0, 0, 0}), recording({0, 0})), "kc");
}

TEST(TruncatedSteps, thatNoWholeRecordingHasAreCut) {
  EXPECT_EQ(statusOf(recording({100, 100}), recording({100, 100, 100})), "kkc");
}

} // namespace rankscope
