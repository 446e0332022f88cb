// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/activity/device_activity.h"

#include "tests/unit/hand_made_job.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace rankscope {

namespace {

std::shared_ptr<const RankTrace> built(HandMadeRank rank) {
  StringInterner names;
  return rank.build(names);
}

} // namespace

TEST(DeviceActivity, isEmptyWithoutDeviceEvents) {
  HandMadeRank rank;
  rank.op(0, 100, "aten::mm");
  const DeviceActivity activity = deviceActivity(*built(std::move(rank)));
  EXPECT_TRUE(activity.span.empty());
  EXPECT_TRUE(activity.busy.empty());
  EXPECT_EQ(activity.idle(), 0);
}

TEST(DeviceActivity, countsTimeOnSeveralStreamsOnce) {
  HandMadeRank rank;
  rank.kernel(7, 100, 50, "gemm").kernel(8, 120, 50, "gemm");
  const DeviceActivity activity = deviceActivity(*built(std::move(rank)));
  EXPECT_EQ(activity.span, (TimeRange{100, 170}));
  EXPECT_EQ(activity.compute.totalLength(), 70);
  EXPECT_EQ(activity.idle(), 0);
}

TEST(DeviceActivity, aCopyDoesNotHideCommunicationButAKernelDoes) {
  HandMadeRank rank;
  rank.collective(20, 0, 100, "ncclDevKernel_AllReduce")
      .device(EventKind::Copy, 22, 0, 60, "Memcpy HtoD")
      .kernel(7, 80, 40, "gemm");
  const DeviceActivity activity = deviceActivity(*built(std::move(rank)));
  EXPECT_EQ(activity.overlap.totalLength(), 20);
  EXPECT_EQ(activity.exposed.totalLength(), 80);
  EXPECT_EQ(activity.memory.totalLength(), 60);
  EXPECT_EQ(activity.busy.totalLength(), 120);
}

TEST(DeviceActivity, annotationsOnAStreamAreNoActivity) {
  HandMadeRank rank;
  rank.kernel(7, 100, 10, "gemm").gpuAnnotation(7, 0, 1000, "ProfilerStep#1");
  const DeviceActivity activity = deviceActivity(*built(std::move(rank)));
  EXPECT_EQ(activity.span, (TimeRange{100, 110}));
  EXPECT_EQ(activity.busy.totalLength(), 10);
}

TEST(DeviceActivity, anEventWithoutDurationStillMarksTheSpan) {
  HandMadeRank rank;
  rank.kernel(7, 100, 10, "gemm").device(EventKind::Set, 7, 200, 0, "Memset");
  const DeviceActivity activity = deviceActivity(*built(std::move(rank)));
  EXPECT_EQ(activity.span, (TimeRange{100, 200}));
  EXPECT_EQ(activity.idle(), 90);
}

// Against a bitmap of every nanosecond.
TEST(DeviceActivity, agreesWithCountingEveryNanosecond) {
  constexpr std::size_t kTime = 400;
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    HandMadeRank rank;
    std::vector<unsigned> active(kTime, 0); // bit 0 compute, 1 communication, 2 memory
    const auto number = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
    for (std::size_t i = 0; i < 30; ++i) {
      const EventKind kind = static_cast<EventKind>(number(4));
      const std::size_t begin = number(kTime - 40);
      const std::size_t duration = number(40);
      const unsigned bit = kind == EventKind::Kernel ? 1 : kind == EventKind::Collective ? 2 : 4;
      for (std::size_t t = begin; t < begin + duration; ++t) active[t] |= bit;
      rank.device(kind, static_cast<int>(number(4)), static_cast<TimeNs>(begin),
                  static_cast<TimeNs>(duration), "k");
    }
    const auto count = [&](auto&& holds) { return std::count_if(active.begin(), active.end(), holds); };
    const DeviceActivity a = deviceActivity(*built(std::move(rank)));
    EXPECT_EQ(a.busy.totalLength(), count([](unsigned m) { return m != 0; }));
    EXPECT_EQ(a.compute.totalLength(), count([](unsigned m) { return (m & 1) != 0; }));
    EXPECT_EQ(a.communication.totalLength(), count([](unsigned m) { return (m & 2) != 0; }));
    EXPECT_EQ(a.memory.totalLength(), count([](unsigned m) { return (m & 4) != 0; }));
    EXPECT_EQ(a.overlap.totalLength(), count([](unsigned m) { return (m & 3) == 3; }));
    EXPECT_EQ(a.exposed.totalLength(), count([](unsigned m) { return (m & 3) == 2; }));
    EXPECT_LE(a.busy.totalLength(), a.span.length());
  }
}

} // namespace rankscope
