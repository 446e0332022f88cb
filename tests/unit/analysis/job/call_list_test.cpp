// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/job/call_list.h"

#include "core/analysis/job/scope.h"
#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>

namespace rankscope {

namespace {

std::shared_ptr<const TraceSet> twoRanks() {
  HandMadeRank first;
  first.kernel(8, 500, 20, "gemm")
      .kernel(7, 100, 30, "gemm")
      .kernel(7, 300, 90, "gemm")
      .kernel(7, 400, 5, "add");
  first.op(0, 50, "aten::mm").op(10, 20, "aten::mm").op(10, 5, "aten::mm", "2").annotation(60, 5, "aten::mm");
  HandMadeRank second;
  second.kernel(7, 200, 90, "gemm").device(EventKind::Copy, 7, 350, 5, "gemm");
  HandMadeJob job;
  return job.add(0, std::move(first)).add(1, std::move(second)).build();
}

std::vector<TimeNs> beginsOf(const Analysis& analysis, const std::vector<EventRef>& calls) {
  std::vector<TimeNs> begins;
  for (const EventRef call : calls)
    begins.push_back(analysis.trace().rank(call.rank).trace->events.begin[call.event]);
  return begins;
}

} // namespace

TEST(CallList, callsOfAKernelOnAllRanksAndStreamsInTheOrderOfTime) {
  const Analysis analysis(twoRanks());
  const CallList list =
      callListOf(analysis, deviceCalls(analysis, analysis.ranks(), "gemm", DeviceClass::Compute));
  EXPECT_EQ(beginsOf(analysis, list.calls), (std::vector<TimeNs>{100, 200, 300, 500}));
  EXPECT_EQ(list.longest, 1U); // the first of two that last as long
  EXPECT_EQ(list.durations.calls, 4);
  EXPECT_EQ(list.durations.longest, 90);
  for (std::size_t i = 0; i < list.calls.size(); ++i) EXPECT_EQ(positionOf(analysis, list, list.calls[i]), i);
  const auto other = deviceCalls(analysis, analysis.ranks(), "add", DeviceClass::Compute);
  ASSERT_EQ(other.size(), 1U);
  EXPECT_EQ(positionOf(analysis, list, other.front()), std::nullopt);
}

TEST(CallList, aNameOfAnotherKindOrOfNoEventHasOtherCalls) {
  const Analysis analysis(twoRanks());
  EXPECT_EQ(deviceCalls(analysis, analysis.ranks(), "gemm", DeviceClass::Memory).size(), 1U);
  EXPECT_TRUE(deviceCalls(analysis, analysis.ranks(), "gemm", DeviceClass::Communication).empty());
  EXPECT_TRUE(deviceCalls(analysis, analysis.ranks(), "nothing", DeviceClass::Compute).empty());
  EXPECT_TRUE(callListOf(analysis, {}).calls.empty());
}

TEST(CallList, thereAreAsManyAsTheTablesCount) {
  const Analysis analysis(twoRanks());
  for (const RankIndex rank : analysis.ranks()) {
    const std::vector<RankIndex> one{rank};
    for (const KernelStatistics& kernel : analysis.kernels(rank)) {
      const std::string_view name = analysis.trace().names()[kernel.name];
      EXPECT_EQ(deviceCalls(analysis, one, name, kernel.deviceClass).size(),
                static_cast<std::size_t>(kernel.calls));
    }
    for (const OperatorStatistics& op : analysis.operators(rank).operators) {
      EXPECT_EQ(operatorCalls(analysis, one, analysis.trace().names()[op.name]).size(),
                static_cast<std::size_t>(op.calls));
    }
  }
}

TEST(CallList, aScopeHasTheCallsThatBeginInIt) {
  const Analysis whole(twoRanks());
  AnalysisScope scope = wholeScope(whole);
  for (RankRange& window : scope.windows) window = RankRange::of({150, 350});
  const Analysis part(whole, scope);
  EXPECT_EQ(
      beginsOf(part, callListOf(part, deviceCalls(part, part.ranks(), "gemm", DeviceClass::Compute)).calls),
      (std::vector<TimeNs>{200, 300}));
  EXPECT_TRUE(operatorCalls(part, part.ranks(), "aten::mm").empty());
}

TEST(CallList, aFilterTellsCallsOfOneNameApart) {
  const Analysis analysis(twoRanks());
  const auto isShort = [&](RankIndex rank, EventIndex call) {
    return analysis.trace().rank(rank).trace->events.duration[call] < 10;
  };
  const auto calls = operatorCalls(analysis, analysis.ranks(), "aten::mm", isShort);
  EXPECT_EQ(beginsOf(analysis, calls), std::vector<TimeNs>{10});
}

} // namespace rankscope
