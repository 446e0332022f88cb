// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/device_ids.h"

#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rankscope {

namespace {

RawDevice onDevice(int device) {
  RawDevice detail;
  detail.device = device;
  return detail;
}

} // namespace

TEST(DeviceIds, asManyAsAHostMayHaveAreKept) {
  HandMadeRank rank;
  for (int d = 0; d < static_cast<int>(kMaxDevices); ++d)
    rank.device(EventKind::Kernel, d, 10 * d, 5, "kernel", onDevice(d));
  StringInterner names;
  const auto trace = rank.build(names);
  EXPECT_EQ(trace->devices.size(), kMaxDevices);
  EXPECT_EQ(trace->diagnostics.count(DiagnosticKind::Repaired), 0U);
}

TEST(DeviceIds, thoseBeyondAreReportedAndTheirEventsKept) {
  constexpr int kBeyond = 300;
  const int maximum = static_cast<int>(kMaxDevices);
  HandMadeRank rank;
  for (int d = maximum + kBeyond; d-- > 0;) { // the lowest are kept, whatever comes first
    rank.device(EventKind::Kernel, d, 10 * d, 5, "kernel", onDevice(d));
    rank.memory(10 * d, {.bytes = 512, .address = 1, .deviceType = 1, .device = d});
  }
  StringInterner names;
  const auto trace = rank.build(names);
  ASSERT_EQ(trace->devices.size(), kMaxDevices + 1);
  EXPECT_EQ(trace->devices.front(), -1);
  EXPECT_EQ(trace->devices.back(), maximum - 1);
  EXPECT_EQ(trace->deviceDetails.size(), static_cast<std::size_t>(maximum + kBeyond));
  const auto notRecorded = [](const auto& record) { return record.device == -1; };
  EXPECT_EQ(std::ranges::count_if(trace->deviceDetails, notRecorded), kBeyond);
  EXPECT_EQ(std::ranges::count_if(trace->memory, notRecorded), kBeyond);
  EXPECT_EQ(std::ranges::count_if(trace->tracks, [](const Track& t) { return t.device >= maximum; }), 0);
  EXPECT_EQ(trace->diagnostics.count(DiagnosticKind::Repaired), 2U * kBeyond);
  ASSERT_FALSE(trace->diagnostics.items().empty());
  EXPECT_NE(trace->diagnostics.items().front().text.find("device"), std::string::npos);
}

} // namespace rankscope
