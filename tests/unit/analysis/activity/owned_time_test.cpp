// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/activity/owned_time.h"

#include "core/analysis/activity/device_activity.h"
#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>
#include <random>
#include <string>

namespace rankscope {

namespace {

// The union of what is owned; each piece once.
IntervalSet unionOfOwned(const std::vector<OwnedTime>& owned) {
  std::vector<TimeRange> ranges;
  for (std::size_t i = 0; i < owned.size(); ++i) {
    EXPECT_FALSE(owned[i].range.empty());
    if (i > 0) {
      EXPECT_LE(owned[i - 1].range.end, owned[i].range.begin);
    }
    ranges.push_back(owned[i].range);
  }
  return IntervalSet(std::move(ranges));
}

TimeNs sumOf(const std::vector<OwnedTime>& owned) {
  TimeNs sum = 0;
  for (const OwnedTime& part : owned) sum += part.range.length();
  return sum;
}

} // namespace

TEST(OwnedTime, theOneThatBeganFirstOwnsWhatTwoShare) {
  HandMadeRank rank;
  rank.kernel(7, 0, 100, "first").kernel(8, 60, 100, "second").kernel(9, 70, 20, "hidden");
  StringInterner names;
  const auto trace = rank.build(names);
  const std::vector<OwnedTime> owned = ownedTimes(*trace).compute;
  ASSERT_EQ(owned.size(), 2U);
  EXPECT_EQ(owned[0].range, (TimeRange{0, 100}));
  EXPECT_EQ(owned[1].range, (TimeRange{100, 160}));
  EXPECT_EQ(names[trace->events.name[owned[1].event]], "second");
}

TEST(OwnedTime, ofEqualBeginsTheLowerIndexOwns) {
  const std::vector<OwnedTime> owned =
      ownedTimesOf({{{10, 30}, EventIndex(5)}, {{10, 20}, EventIndex(2)}, {{40, 40}, EventIndex(1)}});
  EXPECT_EQ(owned, (std::vector<OwnedTime>{{{10, 20}, EventIndex(2)}, {{20, 30}, EventIndex(5)}}));
}

TEST(OwnedTime, addsUpToTheUnionOfEachClass) {
  std::mt19937 random(20);
  const auto upTo = [&](int maximum) { return std::uniform_int_distribution<int>(0, maximum)(random); };
  for (int round = 0; round < 50; ++round) {
    HandMadeRank rank;
    for (int i = 0; i < 200; ++i) {
      const EventKind kinds[] = {EventKind::Kernel, EventKind::Collective, EventKind::Copy, EventKind::Set};
      rank.device(kinds[upTo(3)], upTo(5), upTo(4000), upTo(60), "work " + std::to_string(upTo(9)));
    }
    StringInterner names;
    const auto trace = rank.build(names);
    const DeviceActivity activity = deviceActivity(*trace);
    const OwnedTimes owned = ownedTimes(*trace);
    EXPECT_EQ(unionOfOwned(owned.compute), activity.compute);
    EXPECT_EQ(unionOfOwned(owned.communication), activity.communication);
    EXPECT_EQ(unionOfOwned(owned.memory), activity.memory);
    EXPECT_EQ(sumOf(owned.compute), activity.compute.totalLength());
    for (const OwnedTime& part : owned.compute) {
      const TimeRange event = trace->events.range(part.event);
      EXPECT_EQ(part.range.clippedTo(event), part.range);
    }
  }
}

} // namespace rankscope
