// SPDX-License-Identifier: GPL-3.0-or-later
// What the host did, altogether (core/analysis/activity/host_activity), operator by operator
// (core/analysis/activity/host_compute) and thread by thread (core/analysis/activity/host_threads).
#include "core/analysis/activity/host_activity.h"
#include "core/analysis/activity/host_compute.h"
#include "core/analysis/activity/host_threads.h"
#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace rankscope {

namespace {

using Ranges = std::vector<TimeRange>;

Ranges rangesOf(const IntervalSet& set) {
  return {set.ranges().begin(), set.ranges().end()};
}

struct Host {
  std::shared_ptr<const RankTrace> trace;
  StringTable names;

  explicit Host(HandMadeRank rank) {
    StringInterner interner;
    trace = rank.build(interner);
    names = interner.snapshot();
  }
  [[nodiscard]] HostActivity activity() const {
    return hostActivity(*trace, names, stepWindows(*trace, names, stepsOf(*trace, names)));
  }
  [[nodiscard]] HostThreads threads() const { return hostThreads(*trace, names); }
  [[nodiscard]] std::string nameOf(EventIndex event) const {
    return event.valid() ? std::string(names[trace->events.name[event]]) : std::string();
  }
};

} // namespace

TEST(HostActivity, isTheUnionOfWhatThreadsDid) {
  HandMadeRank rank;
  rank.annotation(0, 1000, "ProfilerStep#1")
      .annotation(0, 100, "enumerate(DataLoader)#_Iter.__next__")
      .op(100, 200, "aten::linear")
      .op(150, 50, "aten::mm")
      .op(250, 150, "aten::add", "2")
      .runtime(160, 20, "cudaLaunchKernel", 1)
      .hostCollective(500, 100, "nccl:all_reduce")
      .hostCollective(520, 10, "c10d::allreduce_", "2");
  rank.kernel(7, 300, 100, "gemm");
  const HostActivity host = Host(std::move(rank)).activity();
  EXPECT_EQ(rangesOf(host.runtime), (Ranges{{160, 180}}));
  EXPECT_EQ(rangesOf(host.execution), (Ranges{{100, 400}, {520, 530}})) << "the step itself is no work";
  EXPECT_EQ(rangesOf(host.dataLoader), (Ranges{{0, 100}}));
  EXPECT_EQ(rangesOf(host.collectives), (Ranges{{500, 600}}));
  EXPECT_TRUE(host.compute.empty()) << "the device computes";
}

TEST(HostActivity, ofARankWithoutADeviceIsItsComputation) {
  HandMadeRank rank;
  rank.annotation(0, 1000, "ProfilerStep#1")
      .op(100, 200, "aten::mm")
      .op(400, 300, "DistributedDataParallel.forward") // may wait inside
      .op(450, 50, "aten::relu")
      .op(500, 100, "MulBackward0", "2") // autograd's thread
      .op(0, 1000, "aten::sort", "3");   // of somebody else
  const HostActivity host = Host(std::move(rank)).activity();
  EXPECT_EQ(rangesOf(host.compute), (Ranges{{100, 300}, {450, 600}}));
}

TEST(HostCompute, belongsToTheInnermostOperatorOfTheThreadThatBeganFirst) {
  HandMadeRank rank;
  rank.annotation(0, 1000, "ProfilerStep#1")
      .op(100, 300, "aten::linear")
      .op(150, 100, "aten::addmm")
      .op(200, 20, "aten::copy_")
      .op(300, 200, "MulBackward0", "2") // while aten::linear still runs
      .op(600, 50, "DistributedDataParallel.forward")
      .op(0, 1000, "aten::sort", "3"); // of somebody else
  const Host host(std::move(rank));
  std::vector<std::pair<std::string, TimeRange>> owned;
  for (const OwnedTime& one : ownedHostTimes(*host.trace, host.names))
    owned.emplace_back(host.nameOf(one.event), one.range);
  EXPECT_EQ(owned, (std::vector<std::pair<std::string, TimeRange>>{{"aten::linear", {100, 150}},
                                                                   {"aten::addmm", {150, 200}},
                                                                   {"aten::copy_", {200, 220}},
                                                                   {"aten::addmm", {220, 250}},
                                                                   {"aten::linear", {250, 400}},
                                                                   {"MulBackward0", {400, 500}}}));
}

TEST(HostCompute, isNothingWhereADeviceComputes) {
  HandMadeRank rank;
  rank.annotation(0, 1000, "ProfilerStep#1").op(100, 300, "aten::linear").kernel(7, 300, 100, "gemm");
  const Host host(std::move(rank));
  EXPECT_TRUE(ownedHostTimes(*host.trace, host.names).empty());
}

TEST(HostActivity, takesTheCallsWhereNothingLastsAsLongAsTheCollective) {
  HandMadeRank rank;
  rank.op(0, 10, "aten::mm").hostCollective(100, 50, "c10d::allreduce_");
  EXPECT_EQ(rangesOf(Host(std::move(rank)).activity().collectives), (Ranges{{100, 150}}));
}

TEST(HostActivity, ofARankWithoutADeviceIsNoCollectiveThatADeviceCarriesOut) {
  HandMadeRank rank;
  rank.op(0, 10, "aten::mm")
      .hostCollective(90, 70, "c10d::allreduce_")
      .hostCollective(100, 50, "nccl:all_reduce");
  const HostActivity host = Host(std::move(rank)).activity();
  EXPECT_TRUE(host.collectives.empty()) << "the span ends when the kernel is queued";
  EXPECT_EQ(rangesOf(host.execution), (Ranges{{0, 10}, {90, 160}}));
}

TEST(HostActivity, ofARankWithoutADeviceAreTheCollectivesOfItsHost) {
  HandMadeRank rank;
  rank.hostCollective(90, 70, "c10d::allreduce_").hostCollective(100, 50, "gloo:all_reduce");
  rank.hostCollective(200, 50, "nccl:all_reduce");
  EXPECT_EQ(rangesOf(Host(std::move(rank)).activity().collectives), (Ranges{{100, 150}}));
}

TEST(HostThreads, sayOfARangeWhatTheThreadDid) {
  HandMadeRank rank;
  rank.annotation(0, 1000, "ProfilerStep#1")
      .annotation(0, 50, "enumerate(DataLoader)#_Iter.__next__")
      .op(100, 100, "aten::mm")
      .runtime(300, 100, "cudaStreamSynchronize", 1)
      .runtime(450, 30, "cudaMalloc", 2)
      .python(0, 900, "train.py(1): step")
      .op(100, 10, "aten::add", "2");
  const Host host(std::move(rank));
  const HostThreads threads = host.threads();
  ASSERT_EQ(threads.threads.size(), 2U);
  ASSERT_NE(threads.main, HostThreads::kNone);
  const HostThread& main = threads.threads[threads.main];
  EXPECT_TRUE(main.mainThread);
  EXPECT_TRUE(main.annotations.valid() && main.operators.valid() && main.python.valid());
  EXPECT_EQ(threads.ofTrack[main.python.value], threads.main);
  EXPECT_EQ(rangesOf(main.work), (Ranges{{100, 200}, {300, 400}, {450, 480}}));
  EXPECT_EQ(rangesOf(main.inPython), (Ranges{{0, 900}}));
  EXPECT_EQ(main.waits.coveredWithin({350, 2000}), 50);
  EXPECT_EQ(main.allocations.coveredWithin({0, 2000}), 30);
  EXPECT_EQ(main.loads.coveredWithin({0, 2000}), 50);
  EXPECT_FALSE(threads.threads[1 - threads.main].annotations.valid());
}

TEST(HostThreads, nestingIsAsDeepAsItComes) {
  constexpr TimeNs kDepth = 100'000;
  HandMadeRank rank;
  for (TimeNs i = 0; i < kDepth; ++i) {
    rank.python(i, 4 * kDepth - 2 * i, "frame").op(i, 4 * kDepth - 2 * i, "aten::mm");
    rank.runtime(i, 4 * kDepth - 2 * i, "cudaDeviceSynchronize", 0, "2");
  }
  const HostThreads host = Host(std::move(rank)).threads();
  ASSERT_EQ(host.threads.size(), 2u);
  EXPECT_EQ(rangesOf(host.threads[0].work), (Ranges{{0, 4 * kDepth}}));
  EXPECT_EQ(rangesOf(host.threads[0].inPython), (Ranges{{0, 4 * kDepth}}));
  EXPECT_EQ(host.threads[1].waits.coveredWithin({10, 30}), 20);
  EXPECT_EQ(rangesOf(host.threads[1].work), (Ranges{{0, 4 * kDepth}}));
}

TEST(HostCalls, findTheOneThatTookMostAndTheOneThatRuns) {
  HandMadeRank rank;
  rank.runtime(100, 100, "cudaStreamSynchronize", 1)
      .runtime(200, 30, "cudaDeviceSynchronize", 2)
      .runtime(300, 50, "cudaEventSynchronize", 3);
  const Host host(std::move(rank));
  const HostThreads threads = host.threads();
  const HostCalls& waits = threads.threads.at(0).waits;
  const auto longestCallIn = [&](TimeRange range) {
    return host.nameOf(waits.longestCallIn(*host.trace, range));
  };
  EXPECT_EQ(longestCallIn({0, 1000}), "cudaStreamSynchronize");
  EXPECT_EQ(longestCallIn({190, 1000}), "cudaEventSynchronize");
  EXPECT_EQ(longestCallIn({190, 310}), "cudaDeviceSynchronize");
  EXPECT_EQ(longestCallIn({240, 290}), "");
  const auto runningAt = [&](TimeNs t) { return host.nameOf(waits.runningAt(*host.trace, t)); };
  EXPECT_EQ(runningAt(150), "cudaStreamSynchronize");
  EXPECT_EQ(runningAt(350), "cudaEventSynchronize") << "also as it ends";
  EXPECT_EQ(runningAt(260), "");
  EXPECT_EQ(runningAt(50), "");
}

} // namespace rankscope
