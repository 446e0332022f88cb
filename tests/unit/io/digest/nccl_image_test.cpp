// SPDX-License-Identifier: GPL-3.0-or-later
// Logs of NCCL in a digest are the same records, and damaged bytes are refused or safe.
#include "core/io/digest/nccl_image.h"

#include "core/analysis/network/job_network.h"
#include "core/analysis/network/net_problems.h"
#include "core/base/deflated.h"
#include "core/export/csv.h"
#include "core/io/nccl/nccl_files.h"
#include "core/report/network_tables.h"
#include "core/report/network_text.h"
#include "tests/support/temporary_folder.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace rankscope {

namespace {

std::string logText() {
  std::string text;
  for (const char* const host : {"a", "b"}) {
    const std::string head = std::string(host) + ":1:1 [0] NCCL INFO ";
    const bool first = *host == 'a';
    text += head + "NCCL version 2.20.5+cuda12.4\n" + head + "NCCL_ALGO set by environment to Ring.\n" +
            head + "NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>\n" + head + "Using network IB\n";
    for (const char* const state : {"START", "COMPLETE"})
      text += head + "comm 0x1 rank " + (first ? "0" : "1") +
              " nranks 2 cudaDev 0 nvmlDev 0 busId 7000 commId 0x9 - Init " + state + "\n";
    text += head + "comm 0x1 rank " + (first ? "0" : "1") +
            " nRanks 2 nNodes 2 localRanks 1 localRank 0 MNNVL 0\n" + head +
            "Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0\n" + head + "Ring 00 : 1 -> 0 -> 1\n" + head +
            "Trees [0] 1/-1/-1->0->-1\n" + head +
            "AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x2 count 64 datatype 7 op 0 root 0 comm 0x1 "
            "[nranks=2] stream 0x4\n";
  }
  text += "a:1:1 [0] net_ib.cc:1 NCCL WARN NET/IB : Got completion from peer 10.0.0.2<1> with status=12\n";
  return text;
}

std::string tablesOf(const NcclRecords& records) {
  const JobNetwork network = jobNetwork(std::make_shared<const NcclRecords>(records));
  std::string text = networkText(network, netProblems(network, {}, {}));
  for (const auto table : {communicatorsTable, ncclLinksTable, ncclRingsTable, ncclTreesTable, ncclCallsTable,
                           ncclChoicesTable, ncclWarningsTable, ncclFilesTable})
    text += toCsv(table(network));
  return text;
}

NcclRecords someRecords() {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "nccl.log") << logText();
  std::ofstream(folder / "all_reduce.txt")
      << "# nThread 1 nGpus 2 minBytes 8 maxBytes 64\n"
         "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   "
         "algbw   busbw #wrong\n"
         "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  "
         "(GB/s)  (GB/s)\n"
         "          64            16     float     sum      -1    12.00    0.01    0.01      0    11.00    "
         "0.01    0.01      0\n";
  return readNcclFiles({folder / "nccl.log", folder / "all_reduce.txt"});
}

} // namespace

TEST(NcclImage, recordsComeBack) {
  const NcclRecords records = someRecords();
  ASSERT_EQ(records.log.instances.size(), 2U);
  ASSERT_FALSE(records.log.links.empty());
  ASSERT_FALSE(records.log.calls.empty());
  ASSERT_FALSE(records.tables.empty());
  const auto again = unpackedNccl(packedNccl(records));
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(tablesOf(*again), tablesOf(records));
  EXPECT_EQ(packedNccl(*again), packedNccl(records));
  EXPECT_EQ(again->tables.front().rows.front().timeUs, 12.0);
  EXPECT_EQ(packedNccl({}), "");
}

TEST(NcclImage, alteredBytesAreRefusedOrSafe) {
  const std::string right = inflated(packedNccl(someRecords())).value();
  std::size_t refused = 0;
  std::size_t safe = 0;
  for (std::size_t at = 0; at < right.size(); ++at) {
    std::string bytes = right;
    bytes[at] ^= static_cast<char>(1U << (at % 8));
    const auto records = unpackedNccl(deflated(bytes));
    if (records == nullptr) {
      ++refused;
      continue;
    }
    ++safe;
    EXPECT_FALSE(tablesOf(*records).empty());
  }
  EXPECT_GT(refused, 0U);
  EXPECT_GT(safe, 0U);
  EXPECT_EQ(unpackedNccl(""), nullptr);
  EXPECT_EQ(unpackedNccl(deflated(right + "x")), nullptr);
  EXPECT_EQ(unpackedNccl(deflated(right.substr(0, right.size() - 1))), nullptr);
}

} // namespace rankscope
