// SPDX-License-Identifier: GPL-3.0-or-later
// Covers core/io/nccl/nccl_line, core/io/nccl/nccl_messages.
#include "core/io/nccl/nccl_messages.h"

#include "core/io/nccl/nccl_line.h"

#include <string>

#include <gtest/gtest.h>

namespace rankscope {

TEST(NcclLine, theLastHeadOfALineCounts) {
  const auto head =
      ncclHead("a:1:2 [0] NCCL INFO Channel 00/0 : 2[2] -> 1[1] via P2P/Cb:3:4 [5] NCCL INFO x y");
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->heads, 2);
  EXPECT_EQ(head->host, "Cb");
  EXPECT_EQ(head->pid, 3);
  EXPECT_EQ(head->device, 5);
  EXPECT_EQ(head->message, "x y");
}

TEST(NcclLine, warningsHaveAPlaceInTheSource) {
  const auto head = ncclHead("[2026-07-14 23:27:16] smc-31:39:39 [0] /w/a.cc:229 NCCL WARN failed with 4107");
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->level, NcclLevel::Warn);
  EXPECT_EQ(head->host, "smc-31");
  EXPECT_EQ(head->place, "/w/a.cc:229");
  EXPECT_FALSE(ncclHead("NCCL INFO nothing before it").has_value());
  EXPECT_TRUE(mentionsNcclLevel("3134361 [2] NCCL INFO x"));
  EXPECT_TRUE(ncclHead("h:1:2 NCCL CALL ncclGroupStart()").has_value());
}

TEST(NcclMessages, transportsHaveNameDeviceAndFlags) {
  const auto net = ncclLinkOf("Channel 00/0 : 4[0] -> 0[0] [receive] via NET/IBext_v10/2/GDRDMA");
  ASSERT_TRUE(net.has_value());
  EXPECT_EQ(net->kind, "NET/IBext_v10");
  EXPECT_EQ(net->link.nic, 2);
  EXPECT_TRUE(net->link.gdr);
  EXPECT_EQ(net->link.direction, NcclDirection::Receive);
  const auto old = ncclLinkOf("Ring 11 : 10 -> 2 [send] via NET/IB/6");
  ASSERT_TRUE(old.has_value());
  EXPECT_EQ(old->link.connection, -1);
  const auto peer = ncclLinkOf("Channel 02/1 : 1[46000] -> 0[7000] via P2P/CUMEM/read");
  ASSERT_TRUE(peer.has_value());
  EXPECT_TRUE(peer->link.read);
  EXPECT_EQ(peer->link.connection, 1);
  const auto rccl = ncclLinkOf("Channel 02 : 1[46000] -> 0[7000] via SHM/direct/direct comm 0x55 nRanks 08");
  ASSERT_TRUE(rccl.has_value());
  EXPECT_EQ(rccl->comm, "0x55");
  EXPECT_EQ(rccl->kind, "SHM/direct");
  EXPECT_FALSE(ncclLinkOf("Channel 00/0 : 2[2] -> 1[1] via P2P/C").has_value());
  EXPECT_TRUE(isCutNcclLink("Channel 00/0 : 2[2] -> 1[1] via P2P/C"));
}

TEST(NcclMessages, treesHaveThreeForms) {
  const auto v24 = ncclTreesOf("Trees [0] 14->13->9/-1/-1 [1] -1->13->2/3/4", false);
  const auto v27 = ncclTreesOf("Trees [0] 15/10/18->14->22|22->14->15/10/18", false);
  const auto v28 = ncclTreesOf("Trees [0] 9/-1/-1->13->14 [1] 2/3/4->13->-1", false);
  ASSERT_EQ(v24.size(), 2U);
  ASSERT_EQ(v27.size(), 1U);
  ASSERT_EQ(v28.size(), 2U);
  EXPECT_EQ(v24[0].up, 14);
  EXPECT_EQ(v24[0].down, v28[0].down);
  EXPECT_EQ(v24[1].up, v28[1].up);
  EXPECT_EQ(v27[0].up, 22);
  EXPECT_EQ(v27[0].down[2], 18);
  EXPECT_EQ(ncclTreesOf("Trees [0] 9/-1/-1->13->14 [1] 2/3/4->13->1", true).size(), 1U) << "the last is cut";
}

TEST(NcclMessages, choicesHaveNumbersOrNames) {
  const auto named = ncclChoiceOf("AllReduce: 4 Bytes -> Algo TREE proto LL channel{Lo..Hi}={0..15}");
  ASSERT_TRUE(named.has_value());
  EXPECT_EQ(named->channels, 16);
  const auto numbered = ncclChoiceOf("1024 Bytes -> Algo 4 proto 2 time 31.250000");
  ASSERT_TRUE(numbered.has_value());
  EXPECT_EQ(numbered->algorithm, "NVLS");
  EXPECT_EQ(numbered->predictedUs, 31.25);
  const auto kernel =
      ncclChoiceOf("AllReduce [Symmetric]: 8 Bytes -> Kernel AllReduce_LL nchannels 4 nthreads 512");
  ASSERT_TRUE(kernel.has_value());
  EXPECT_EQ(kernel->operation, "AllReduce");
  EXPECT_EQ(kernel->channels, 4);
}

TEST(NcclMessages, theTuningTableIsReadByItsHeader) {
  const auto header = ncclTuningHeaderOf("Algorithm   |     Tree      |      Ring     |");
  ASSERT_TRUE(header.has_value());
  ASSERT_EQ(header->columns.size(), 6U);
  const auto cells =
      ncclTuningOf("AllReduce |  20.4/   9.6 | 38.5/  62.4 | 60.4/  70.4 | 36.0/  12.9 |", *header);
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_EQ(cells[3].algorithm, "Ring");
  EXPECT_EQ(cells[3].protocol, "LL");
  EXPECT_DOUBLE_EQ(cells[3].gbS, 12.9);
}

TEST(NcclMessages, versionsEndWhereAnotherBegins) {
  EXPECT_EQ(ncclVersionsOf("NCCL version 2.7.8+cuda10.2NCCL version 2.7.8+cuda10.2").size(), 2U);
  EXPECT_EQ(ncclVersionsOf("RCCL version : 2.28.9-HEAD:d34cbb6"), std::vector<std::string>{"RCCL 2.28.9"});
  EXPECT_TRUE(ncclVersionsOf("NCCL version unknown").empty());
}

} // namespace rankscope
