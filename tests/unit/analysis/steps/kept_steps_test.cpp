// SPDX-License-Identifier: GPL-3.0-or-later
// Which steps means are made of. Covers core/analysis/steps/step_kinds.
#include "core/analysis/steps/kept_steps.h"

#include "core/analysis/steps/step_windows.h"
#include "tests/unit/hand_made_job.h"
#include "tests/unit/times.h"

#include <gtest/gtest.h>
#include <string>

namespace rankscope {

namespace {

StepFacts training(std::int64_t number, TimeNs duration, std::int64_t deviceEvents = 100) {
  return {number, duration, deviceEvents, true, true, false, false};
}

RankSteps rankOf(std::initializer_list<StepFacts> steps, int capture = 1) {
  return {capture, steps};
}

// "k" of a kept step, "w" warm-up, "o" another kind, "c" cut, "t" recorded twice; by step of the job.
std::string statusOf(const KeptSteps& kept) {
  std::string text;
  for (const JobStep& step : kept.steps) text += "kwoct"[static_cast<std::size_t>(step.status)];
  return text;
}

std::string statusOf(const std::vector<RankSteps>& ranks) {
  return statusOf(keptSteps(ranks));
}

} // namespace

TEST(KeptSteps, leaveOutALongFirstStep) {
  EXPECT_EQ(statusOf({rankOf({training(1, 116), training(2, 100), training(3, 100)})}), "wkk");
  EXPECT_EQ(statusOf({rankOf({training(1, 115), training(2, 100), training(3, 100)})}), "kkk");
  // The median of the others; a later long step stays.
  EXPECT_EQ(statusOf({rankOf({training(1, 116), training(2, 100), training(3, 200)})}), "kkk");
  EXPECT_EQ(statusOf({rankOf({training(1, 90), training(2, 100), training(3, 500)})}), "kkk");
  EXPECT_EQ(statusOf({rankOf({training(1, 500), training(2, 100)})}), "kk");
}

TEST(KeptSteps, aRecordingHasAFirstStepOfItsOwn) {
  const KeptSteps kept =
      keptSteps(std::vector<RankSteps>{rankOf({training(1, 200), training(2, 100), training(3, 100)}, 1),
                                       rankOf({training(11, 300), training(12, 100), training(13, 100)}, 2)});
  EXPECT_EQ(statusOf(kept), "wkkwkk");
  EXPECT_EQ(kept.keptCount(), 4U);
  EXPECT_EQ(kept.meanTime(), 100);
}

// Captures 1 and 2 of a rank overlap: two profilers recorded it. A step that another rank has in the second
// capture alone stays, and one that the first capture does not cover.
TEST(KeptSteps, leaveOutWhatTwoProfilersRecorded) {
  const auto windows = [](std::initializer_list<TimeNs> begins) {
    std::vector<StepWindow> made;
    for (const TimeNs begin : begins) made.emplace_back().range = {begin, begin + 100};
    return made;
  };
  const std::vector<StepWindow> first = windows({0, 100, 200}), second = windows({1, 101, 201, 301}),
                                other = windows({2, 102});
  const std::vector<RankSteps> ranks{
      rankOf({training(1, 100), training(2, 100), training(3, 100)}, 1),
      rankOf({training(1, 100), training(2, 100), training(3, 100), training(4, 100)}, 2),
      rankOf({training(1, 100), training(2, 100)}, 2)};
  const std::vector<const std::vector<StepWindow>*> all{&first, &second, &other};
  const auto left = [&](const std::vector<std::vector<std::size_t>>& recordings) {
    KeptSteps kept = keptSteps(ranks);
    leaveOutTwice(all, recordings, kept);
    return statusOf(kept);
  };
  EXPECT_EQ(left({{0, 1}, {2}}), "kkkkktk"); // steps 1 and 2 of capture 2 are those of another rank, too
  EXPECT_EQ(left({{0, 1, 2}}), "kkktttk");
  EXPECT_EQ(left({{0}, {1}, {2}}), "kkkkkkk");
}

TEST(KeptSteps, areTheSameForAllRanks) {
  // The mean over the ranks decides: 130 on the job's first step.
  const std::vector<RankSteps> ranks{rankOf({training(1, 100), training(2, 100), training(3, 100)}),
                                     rankOf({training(1, 160), training(2, 100), training(3, 100)})};
  const KeptSteps kept = keptSteps(ranks);
  EXPECT_EQ(statusOf(kept), "wkk");
  EXPECT_EQ(kept.steps[0].time(), 130);
  EXPECT_EQ(kept.steps[0].ranks, 2);
  ASSERT_EQ(kept.stepOfRank.size(), 2U);
  EXPECT_EQ(kept.stepOfRank[1], (std::vector<std::size_t>{0, 1, 2}));
}

TEST(KeptSteps, aRankThatBeganLateLacksTheFirst) {
  for (const bool lateFirst : {false, true}) {
    const RankSteps whole = rankOf({training(1, 300), training(2, 100), training(3, 100), training(4, 100)});
    const RankSteps late = rankOf({training(2, 100), training(3, 100), training(4, 100)});
    const KeptSteps kept =
        keptSteps(lateFirst ? std::vector<RankSteps>{late, whole} : std::vector<RankSteps>{whole, late});
    EXPECT_EQ(statusOf(kept), "wkkk");
    EXPECT_EQ(kept.steps[0].number, 1);
    EXPECT_EQ(kept.stepOfRank[lateFirst ? 0 : 1], (std::vector<std::size_t>{1, 2, 3}));
  }
}

TEST(KeptSteps, leaveOutEvaluationAndCheckpointAmongTrainingSteps) {
  StepFacts evaluation = training(3, 50);
  evaluation.backward = evaluation.optimizer = false;
  StepFacts saving = training(4, 400);
  saving.saves = true;
  StepFacts accumulation = training(2, 80);
  accumulation.optimizer = false;
  const KeptSteps kept = keptSteps(
      std::vector<RankSteps>{rankOf({training(1, 100), accumulation, evaluation, saving, training(5, 100)})});
  EXPECT_EQ(statusOf(kept), "kkook");
  EXPECT_EQ(kept.steps[1].kind, StepKind::Accumulation);
  EXPECT_EQ(kept.steps[2].kind, StepKind::Evaluation);
  EXPECT_EQ(kept.steps[3].kind, StepKind::Checkpoint);
}

TEST(KeptSteps, aJobThatOnlyEvaluatesKeepsItsSteps) {
  StepFacts evaluation = training(1, 50);
  evaluation.backward = evaluation.optimizer = false;
  evaluation.evaluates = true;
  EXPECT_EQ(statusOf({rankOf({evaluation, evaluation, evaluation})}), "kkk");
}

TEST(KeptSteps, leaveOutAStepThatTheRecordingCut) {
  EXPECT_EQ(statusOf({rankOf({training(1, 100), training(2, 100), training(3, 100, 79)})}), "kkc");
  EXPECT_EQ(statusOf({rankOf({training(1, 100), training(2, 100), training(3, 100, 80)})}), "kkk");
  EXPECT_EQ(statusOf({rankOf({training(1, 100, 10), training(2, 100), training(3, 100)})}), "ckk");
}

TEST(KeptSteps, allStepsAreKeptWhenAskedFor) {
  const std::vector<RankSteps> ranks{rankOf({training(1, 900), training(2, 100), training(3, 100, 1)})};
  EXPECT_EQ(statusOf(keptSteps(ranks, true)), "kkk");
  EXPECT_EQ(keptSteps({}).keptCount(), 0U);
  EXPECT_EQ(keptSteps({}).meanTime(), 0);
}

TEST(StepKinds, comeFromPhasesAndNamesOfTheHost) {
  HandMadeRank rank;
  const auto step = [&](int number, TimeNs begin) {
    rank.annotation(begin, 10 * kMs, "ProfilerStep#" + std::to_string(number));
  };
  step(1, 0);
  rank.annotation(1 * kMs, kMs, "backward").annotation(3 * kMs, kMs, "Optimizer.step#SGD.step");
  step(2, 10 * kMs);
  rank.annotation(11 * kMs, kMs, "backward");
  step(3, 20 * kMs);
  rank.python(21 * kMs, kMs, "train.py(20): evaluate");
  step(4, 30 * kMs);
  rank.annotation(31 * kMs, kMs, "backward").annotation(33 * kMs, kMs, "Optimizer.step#SGD.step");
  rank.python(35 * kMs, kMs, "torch/serialization.py(892): save");
  step(5, 40 * kMs);
  rank.annotation(41 * kMs, kMs, "backward").annotation(43 * kMs, kMs, "Optimizer.step#SGD.step");
  rank.python(45 * kMs, kMs, "torch/optim/lr_scheduler.py(70): state_dict");
  StringInterner interner;
  const auto trace = rank.build(interner);
  const StringTable names = interner.snapshot();
  const StepWindows steps = stepWindows(*trace, names, stepsOf(*trace, names));
  const std::vector<StepFacts> facts = stepFacts(*trace, names, steps, hostPhases(*trace, names));
  EXPECT_EQ(stepKinds(facts), (std::vector{StepKind::Training, StepKind::Accumulation, StepKind::Evaluation,
                                           StepKind::Checkpoint, StepKind::Training}));
}

TEST(StepKinds, stepsAreAlikeWhoseWorkDiffersByATenth) {
  EXPECT_TRUE(areAlike(training(1, 1, 100), training(2, 1, 90)));
  EXPECT_FALSE(areAlike(training(1, 1, 100), training(2, 1, 89)));
  EXPECT_TRUE(areAlike(training(1, 1, 0), training(2, 1, 0)));
}

} // namespace rankscope
