// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/transfer_peer.h"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>

namespace rankscope {

TEST(TransferPeer, isARankOfTheJobOrAPlaceInTheGroup) {
  constexpr std::array<std::int32_t, 3> kMembers{1, 3, 5};
  EXPECT_EQ(TransferPeer::of(1, PeerNumbering::Job).rankAmong(kMembers), 1);
  EXPECT_EQ(TransferPeer::of(1, PeerNumbering::Group).rankAmong(kMembers), 3);
  EXPECT_EQ(TransferPeer::of(3, PeerNumbering::Group).rankAmong(kMembers), -1) << "no such place";
  EXPECT_EQ(TransferPeer::of(3, PeerNumbering::Group).rankAmong({}), 3) << "the group of all ranks";
  EXPECT_EQ(TransferPeer().rankAmong(kMembers), -1);
}

TEST(TransferPeer, isNotKnownWhereItCannotBeARank) {
  for (const std::int64_t number : {std::int64_t{-1}, std::int64_t{-8}, std::int64_t{1} << 40})
    EXPECT_EQ(TransferPeer::of(number, PeerNumbering::Job), TransferPeer());
  EXPECT_FALSE(TransferPeer().known());
  EXPECT_TRUE(TransferPeer::of(0, PeerNumbering::Group).known());
}

} // namespace rankscope
