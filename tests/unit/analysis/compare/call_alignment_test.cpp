// SPDX-License-Identifier: GPL-3.0-or-later
// Single calls of two steps laid beside each other: nothing is lost, equal steps are all pairs, what was
// added is on one side only, and kernels of other hardware meet at the operator that launched them.
#include "core/analysis/compare/call_alignment.h"

#include "core/io/load/trace_loader.h"
#include "tests/support/job_generator.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>

namespace rankscope {

namespace {

std::shared_ptr<const Analysis> analyzed(const std::string& path) {
  Progress progress;
  auto loaded = loadTraces({path}, {}, progress);
  return loaded.ok() ? std::make_shared<const Analysis>(*loaded) : nullptr;
}

StepOfRank stepOf(const Analysis& analysis, std::size_t step, RankIndex rank = RankIndex(0)) {
  return {&analysis, rank, analysis.wholeStepWindows(rank).steps.at(step).range};
}

// Operators and device activity that begin in the step, counted over all events.
std::size_t callsIn(const StepOfRank& step) {
  const RankTrace& trace = *step.analysis->trace().rank(step.rank).trace;
  std::size_t count = 0;
  for (EventIndex event{0}; event.value < trace.events.size(); ++event.value) {
    if (!step.range.contains(trace.events.begin[event])) continue;
    const TrackKind track = trace.tracks[trace.trackOf(event).value].kind;
    const bool device = track == TrackKind::Stream && isDeviceActivity(trace.events.kind[event]);
    const bool host = track == TrackKind::Thread && isOperator(trace, step.analysis->trace().names(), event);
    count += device || host ? 1 : 0;
  }
  return count;
}

// Each call is in one pair or in one list, and found again by either side.
void expectWhole(const CallAlignment& calls, const StepOfRank& a, const StepOfRank& b) {
  std::set<EventIndex> ofA(calls.onlyA.begin(), calls.onlyA.end());
  std::set<EventIndex> ofB(calls.onlyB.begin(), calls.onlyB.end());
  EXPECT_EQ(ofA.size(), calls.onlyA.size());
  EXPECT_EQ(ofB.size(), calls.onlyB.size());
  for (const CallPair& pair : calls.pairs) {
    EXPECT_TRUE(ofA.insert(pair.a).second);
    EXPECT_TRUE(ofB.insert(pair.b).second);
    ASSERT_NE(calls.pairOf(false, pair.a), nullptr);
    ASSERT_NE(calls.pairOf(true, pair.b), nullptr);
    EXPECT_EQ(calls.pairOf(false, pair.a)->b, pair.b);
    EXPECT_EQ(calls.pairOf(true, pair.b)->a, pair.a);
  }
  for (const EventIndex event : calls.onlyA) EXPECT_EQ(calls.pairOf(false, event), nullptr);
  EXPECT_EQ(ofA.size(), callsIn(a));
  EXPECT_EQ(ofB.size(), callsIn(b));
}

test::JobOptions smallJob() {
  test::JobOptions options;
  options.ranks = 1;
  options.steps = 3;
  options.layers = 3;
  return options;
}

} // namespace

TEST(CallAlignment, aStepWithItselfIsAllPairs) {
  const test::TemporaryFolder folder;
  test::generateJob(smallJob(), folder.path());
  const auto job = analyzed(folder.path().string());
  ASSERT_NE(job, nullptr);
  const StepOfRank step = stepOf(*job, 1);
  const CallAlignment calls = alignedCalls(step, step);
  ASSERT_FALSE(calls.pairs.empty());
  EXPECT_TRUE(calls.onlyA.empty());
  EXPECT_TRUE(calls.onlyB.empty());
  for (const CallPair& pair : calls.pairs) EXPECT_EQ(pair.a, pair.b);
  expectWhole(calls, step, step);
}

TEST(CallAlignment, anotherStepHasTheSameCalls) {
  const test::TemporaryFolder folder;
  test::generateJob(smallJob(), folder.path());
  const auto job = analyzed(folder.path().string());
  ASSERT_NE(job, nullptr);
  const StepOfRank a = stepOf(*job, 1);
  const StepOfRank b = stepOf(*job, 2);
  const CallAlignment calls = alignedCalls(a, b);
  EXPECT_TRUE(calls.onlyA.empty());
  EXPECT_TRUE(calls.onlyB.empty());
  expectWhole(calls, a, b);
  const RankTrace& trace = *job->trace().rank(RankIndex(0)).trace;
  for (const CallPair& pair : calls.pairs) EXPECT_EQ(trace.events.name[pair.a], trace.events.name[pair.b]);
}

TEST(CallAlignment, whatWasAddedIsOnOneSideOnly) {
  const test::TemporaryFolder folder;
  test::JobOptions options = smallJob();
  test::generateJob(options, folder.path() / "a");
  options.layers = 4;
  test::generateJob(options, folder.path() / "b");
  const auto jobA = analyzed((folder.path() / "a").string());
  const auto jobB = analyzed((folder.path() / "b").string());
  ASSERT_TRUE(jobA != nullptr && jobB != nullptr);
  const StepOfRank a = stepOf(*jobA, 1);
  const StepOfRank b = stepOf(*jobB, 1);
  const CallAlignment calls = alignedCalls(a, b);
  expectWhole(calls, a, b);
  EXPECT_TRUE(calls.onlyA.empty());
  EXPECT_EQ(calls.onlyB.size(), callsIn(b) - callsIn(a));
  // Exchanged sides have the same pairs.
  const CallAlignment back = alignedCalls(b, a);
  EXPECT_EQ(back.pairs.size(), calls.pairs.size());
  EXPECT_EQ(back.onlyA.size(), calls.onlyB.size());
}

TEST(CallAlignment, kernelsOfOtherHardwareMeetAtTheirOperators) {
  RANKSCOPE_SKIP_UNLESS(!test::recordingsBelow(test::sharedFolder()).empty(), test::kNoRecordings);
  const auto h100 = analyzed((test::sharedFolder() / "traces" / "h100-bert-small").string());
  const auto mi300 = analyzed((test::sharedFolder() / "traces" / "mi300-bert-small").string());
  ASSERT_TRUE(h100 != nullptr && mi300 != nullptr);
  const auto whole = [](const Analysis& analysis) {
    return StepOfRank{&analysis, RankIndex(0), analysis.trace().rank(RankIndex(0)).trace->extent};
  };
  const CallAlignment calls = alignedCalls(whole(*h100), whole(*mi300));
  expectWhole(calls, whole(*h100), whole(*mi300));
  const RankTrace& a = *h100->trace().rank(RankIndex(0)).trace;
  const RankTrace& b = *mi300->trace().rank(RankIndex(0)).trace;
  TimeNs ofA = 0;
  TimeNs ofB = 0;
  TimeNs attentionA = 0;
  TimeNs attentionB = 0;
  for (const CallPair& pair : calls.pairs) {
    if (!a.isDeviceEvent(pair.a)) continue;
    ASSERT_TRUE(b.isDeviceEvent(pair.b));
    ofA += a.events.duration[pair.a];
    ofB += b.events.duration[pair.b];
    const EventIndex owner = h100->operatorTree(RankIndex(0)).owners[pair.a.value - a.deviceBegin.value];
    if (!owner.valid() || h100->trace().names()[a.events.name[owner]] != "aten::_flash_attention_forward")
      continue;
    attentionA += a.events.duration[pair.a];
    attentionB += b.events.duration[pair.b];
  }
  // No kernel name is shared; TraceLens finds the same two sums by merging the trees.
  EXPECT_EQ(attentionA, 37'408);
  EXPECT_EQ(attentionB, 113'656);
  EXPECT_GT(ofA, 9 * 309'437 / 10);
  EXPECT_GT(ofB, 9 * 390'748 / 10);
}

TEST(CallAlignment, tooManyCallsAreNotAligned) {
  CallAlignment none;
  none.tooMany = true;
  EXPECT_EQ(none.pairOf(false, EventIndex(0)), nullptr);
  EXPECT_EQ(none.pairOf(true, EventIndex(0)), nullptr);
}

} // namespace rankscope
