// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/gap_leaf.h"

#include <gtest/gtest.h>

namespace rankscope {

TEST(GapLeaf, isTheOneWithTheMostIdleTime) {
  TimePieces pieces(0);
  pieces.addUntil(10, TimeClass::Compute, Leaf::Ideal, {});
  pieces.addUntil(14, TimeClass::Idle, Leaf::HostSync, {});
  pieces.addUntil(20, TimeClass::Idle, Leaf::HostInput, {});
  const auto largest = largestIdleLeaf(pieces, {0, 20});
  ASSERT_TRUE(largest.has_value());
  EXPECT_EQ(largest->leaf, Leaf::HostInput);
  EXPECT_EQ(largest->time, 6);
  EXPECT_EQ(largestIdleLeaf(pieces, {10, 15})->leaf, Leaf::HostSync);
  EXPECT_EQ(largestIdleLeaf(pieces, {0, 10}), std::nullopt);
}

TEST(GapLeaf, agreesWithTheCausesOfItsGaps) {
  EXPECT_TRUE(agrees(Leaf::HostInput, GapCause::DataLoader));
  EXPECT_TRUE(agrees(Leaf::DispatchForward, GapCause::HostOperators));
  EXPECT_TRUE(agrees(Leaf::WaitRank, GapCause::CollectiveWait));
  EXPECT_TRUE(agrees(Leaf::HostPython, GapCause::Untraced));
  EXPECT_FALSE(agrees(Leaf::HostInput, GapCause::NotRecorded));
  EXPECT_FALSE(agrees(Leaf::CaptureEdge, GapCause::NotRecorded));
  EXPECT_FALSE(agrees(Leaf::QueueUnexplained, GapCause::HostOperators));
}

} // namespace rankscope
