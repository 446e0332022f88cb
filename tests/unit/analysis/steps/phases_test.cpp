// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/steps/phases.h"

#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>

namespace rankscope {

namespace {

HostPhases phasesIn(HandMadeRank rank, TimeRange window = kAllTime) {
  StringInterner names;
  const auto trace = rank.build(names);
  return hostPhases(*trace, names.snapshot(), window);
}

IntervalSet setOf(std::vector<TimeRange> ranges) {
  return IntervalSet(std::move(ranges));
}

} // namespace

TEST(Phases, theInnermostNameThatTellsAPhaseWins) {
  HandMadeRank rank;
  rank.annotation(0, 1000, "ProfilerStep#1")
      .annotation(100, 400, "forward")
      .annotation(150, 100, "attention")
      .annotation(300, 50, "loss")
      .annotation(500, 300, "train backward and optimizer")
      .annotation(700, 50, "Optimizer.step#Adam.step");
  const HostPhases phases = phasesIn(std::move(rank));
  EXPECT_EQ(phases.forward, setOf({{100, 300}, {350, 500}}));
  EXPECT_EQ(phases.loss, setOf({{300, 350}}));
  EXPECT_EQ(phases.backward, setOf({{500, 700}, {750, 800}}));
  EXPECT_EQ(phases.optimizer, setOf({{700, 750}}));
  EXPECT_TRUE(phases.dataLoader.empty());
  EXPECT_EQ(phases.of(Phase::Loss), phases.loss);
  EXPECT_TRUE(phases.of(Phase::Step).empty());
}

TEST(Phases, autogradsThreadIsBackwardBesideWhatTheMainThreadDoes) {
  HandMadeRank rank;
  rank.annotation(0, 100, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__")
      .op(100, 100, "DistributedDataParallel.forward")
      .op(120, 10, "aten::nll_loss_forward")
      .op(210, 40, "autograd::engine::evaluate_function: AddmmBackward0", "2")
      .op(215, 20, "AddmmBackward0", "2")
      .op(260, 10, "CudnnConvolutionBackward", "2")
      .annotation(200, 30, "backward");
  const HostPhases phases = phasesIn(std::move(rank));
  EXPECT_EQ(phases.dataLoader, setOf({{0, 100}}));
  EXPECT_EQ(phases.forward, setOf({{100, 200}}));
  EXPECT_TRUE(phases.loss.empty()) << "operators' names are no free text";
  EXPECT_EQ(phases.backward, setOf({{200, 250}, {260, 270}}));
}

TEST(Phases, areClippedToTheWindow) {
  HandMadeRank rank;
  rank.annotation(0, 100, "forward").annotation(150, 100, "forward");
  EXPECT_EQ(phasesIn(std::move(rank), {50, 160}).forward, setOf({{50, 100}, {150, 160}}));
}

TEST(Phases, spansThatCrossLoseNothing) {
  HandMadeRank rank;
  rank.annotation(0, 100, "forward").annotation(50, 100, "backward");
  const HostPhases phases = phasesIn(std::move(rank));
  EXPECT_EQ(phases.forward, setOf({{0, 50}}));
  EXPECT_EQ(phases.backward, setOf({{50, 150}}));
}

} // namespace rankscope
