// SPDX-License-Identifier: GPL-3.0-or-later
// Which phase the devices worked for. Covers core/analysis/steps/phase_spans.
#include "core/analysis/steps/device_phases.h"

#include "core/analysis/steps/phase_spans.h"
#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

DevicePhases phasesIn(HandMadeRank rank) {
  StringInterner names;
  const auto trace = rank.build(names);
  return devicePhases(*trace, names.snapshot(), hostPhases(*trace, names.snapshot()));
}

IntervalSet setOf(std::vector<TimeRange> ranges) {
  return IntervalSet(std::move(ranges));
}

} // namespace

TEST(DevicePhases, workCountsToThePhaseThatLaunchedItWheneverItRuns) {
  HandMadeRank rank;
  rank.annotation(0, 100, "forward")
      .annotation(100, 100, "backward")
      .annotation(200, 50, "Optimizer.step#Adam.step")
      .launched(10, 7, 50, 100, "gemm")      // runs into the backward phase of the host
      .launched(110, 7, 150, 100, "gemm_bw") // launched by backward, runs in the optimizer's time
      .launched(210, 7, 300, 20, "adam")
      .launched(500, 7, 600, 40, "later")
      .kernel(8, 700, 10, "without a launch");
  const DevicePhases phases = phasesIn(std::move(rank));
  EXPECT_EQ(phases.of(Phase::Forward), setOf({{50, 150}}));
  EXPECT_EQ(phases.of(Phase::Backward), setOf({{150, 250}}));
  EXPECT_EQ(phases.of(Phase::Optimizer), setOf({{300, 320}}));
  EXPECT_EQ(phases.of(Phase::None), setOf({{600, 640}, {700, 710}}));
}

TEST(DevicePhases, theThreadOfTheLaunchDecidesThenWhatOthersDo) {
  HandMadeRank rank;
  rank.annotation(0, 1000, "forward", "1")
      .op(100, 200, "autograd::engine::evaluate_function: MmBackward0", "2")
      .annotation(500, 300, "enumerate(DataLoader)#_Iter.__next__", "4")
      .launched(150, 7, 200, 50, "of its own thread", "2")
      .launched(600, 7, 650, 50, "of a helper", "3")
      .launched(1500, 7, 1600, 50, "of nobody", "3");
  const DevicePhases phases = phasesIn(std::move(rank));
  EXPECT_EQ(phases.of(Phase::Backward), setOf({{200, 250}}));
  EXPECT_EQ(phases.of(Phase::Forward), setOf({{650, 700}}));
  EXPECT_EQ(phases.notAnnotated, setOf({{1600, 1650}}));
  EXPECT_TRUE(phases.of(Phase::DataLoader).empty()) << "its threads run beside all phases";
}

TEST(DevicePhases, aRankWithoutDevicesHasNone) {
  HandMadeRank rank;
  rank.annotation(0, 100, "forward");
  EXPECT_TRUE(phasesIn(std::move(rank)).notAnnotated.empty());
}

TEST(PhaseSpans, areGivenThreadByThreadWithoutOverlap) {
  HandMadeRank rank;
  rank.annotation(0, 100, "forward").annotation(20, 30, "loss").annotation(10, 10, "backward", "2");
  StringInterner names;
  const auto trace = rank.build(names);
  std::vector<std::vector<std::pair<TimeRange, Phase>>> threads;
  forEachThreadsPhases(*trace, names.snapshot(), [&](const ThreadPhases& thread) {
    EXPECT_LT(thread.firstTrack, thread.endTrack);
    std::vector<std::pair<TimeRange, Phase>> parts;
    for (const PhaseSpan& part : thread.parts) parts.emplace_back(part.range, part.phase);
    if (!parts.empty()) threads.push_back(parts);
  });
  ASSERT_EQ(threads.size(), 2U);
  EXPECT_EQ(threads[0],
            (std::vector<std::pair<TimeRange, Phase>>{
                {{0, 20}, Phase::Forward}, {{20, 50}, Phase::Loss}, {{50, 100}, Phase::Forward}}));
  EXPECT_EQ(threads[1].size(), 1U);
}

} // namespace rankscope
