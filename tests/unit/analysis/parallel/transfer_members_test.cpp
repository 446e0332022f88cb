// SPDX-License-Identifier: GPL-3.0-or-later
// Peers of sends and receives in groups of some of the ranks, as PyTorch writes them (ranks of the job), as
// backends are called with them (places in the group) and as Nsight Systems records them of NCCL (places).
#include "core/analysis/parallel/transfer_members.h"

#include "core/analysis/parallel/call_uses.h"
#include "core/analysis/parallel/context_rings.h"
#include "core/analysis/parallel/job_parallel.h"
#include "core/analysis/parallel/pipeline_host.h"
#include "tests/support/nsys_writer.h"
#include "tests/support/parallel_jobs.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"
#include "tests/unit/report_of.h"
#include "tests/unit/times.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace rankscope {

namespace {

namespace fs = std::filesystem;
using Ranks = std::vector<std::int32_t>;

// How the other rank of a transfer is recorded.
enum class Recorded { AsRank, AsPlace, AsBoth };

// Writes sends and receives of a rank in one group.
class TransferWriter {
 public:
  TransferWriter(test::TraceText& text, Ranks group, Recorded recorded)
      : m_text(text), m_group(std::move(group)), m_recorded(recorded) {}

  void add(std::int64_t begin, bool sends, std::int32_t peer) {
    const std::string operation = sends ? "send" : "recv";
    std::string args = fmt::format(
        R"("Collective name": "{}", "In msg nelems": 4096, "Out msg nelems": 4096, "Group size": {},
 "dtype": "BFloat16", "Process Group Name": "7", "Process Group Description": "undefined",
 "Process Group Ranks": "[{}]")",
        operation, m_group.size(), fmt::join(m_group, ", "));
    if (m_recorded != Recorded::AsPlace)
      args += fmt::format(R"(, "{} Rank": {})", sends ? "Dst" : "Src", peer);
    const auto place = std::ranges::find(m_group, peer) - m_group.begin();
    if (m_recorded != Recorded::AsRank)
      m_text.addCpuOp(1, begin, 40'000, sends ? "c10d::send" : "c10d::recv_",
                      fmt::format(R"("Concrete Inputs": ["", "", "{}", "0"])", place));
    m_text.addCpuOp(1, begin + 1'000, 38'000, "record_param_comms", args);
    m_text.addRuntime(1, begin + 2'000, 1'000, "cudaLaunchKernel", begin);
    m_text.addKernel(0, 20, begin + 100'000, 500'000, "ncclDevKernel_SendRecv(ncclDevKernelArgs)", begin,
                     args);
  }

 private:
  test::TraceText& m_text;
  Ranks m_group;
  Recorded m_recorded;
};

void writeRank(const fs::path& folder, int rank, const test::TraceText& text) {
  fs::create_directories(folder);
  test::writeTraceFile((folder / fmt::format("rank{}.json", rank)).string(), text.text());
}

// Each of the groups passes keys and values around, between calls of attention.
void writeRings(const fs::path& folder, const std::vector<Ranks>& rings, Recorded recorded) {
  const auto ranks = static_cast<int>(rings.size() * rings.front().size());
  for (const Ranks& ring : rings) {
    for (std::size_t place = 0; place < ring.size(); ++place) {
      test::TraceText text;
      text.distributedInfo(ring[place], ranks);
      text.addStep(1, 0, 200 * kMs);
      TransferWriter transfers(text, ring, recorded);
      for (int round = 0; round < 6; ++round) {
        const std::int64_t at = (2 + 10 * round) * kMs;
        text.addCpuOp(1, at, 2 * kMs, "aten::_scaled_dot_product_flash_attention");
        text.addRuntime(1, at + kMs, 1'000, "cudaLaunchKernel", at + kMs);
        text.addKernel(0, 7, at + kMs, 4 * kMs, "flash_fwd_kernel", at + kMs);
        transfers.add(at + 3 * kMs, true, ring[(place + 1) % ring.size()]);
        transfers.add(at + 4 * kMs, false, ring[(place + ring.size() - 1) % ring.size()]);
      }
      writeRank(folder, ring[place], text);
    }
  }
}

std::set<std::int32_t> peersOf(const JobReport& report, std::size_t rank, const Ranks& members) {
  const Analysis& analysis = report.analysis();
  const RankIndex index(rank);
  std::set<std::int32_t> peers;
  for (const HostTransfer& transfer :
       pipelineHost(analysis, index, callUses(analysis, index), members).transfers)
    peers.insert(transfer.peer);
  return peers;
}

} // namespace

// Rank 3 sends to rank 2. Both numbers of its peer, 2 and 1, are ranks of the group.
TEST(TransferPeers, areMatchedHoweverTheyWereRecorded) {
  const Ranks group{1, 2, 3};
  for (const Recorded recorded : {Recorded::AsRank, Recorded::AsPlace, Recorded::AsBoth}) {
    const test::TemporaryFolder folder;
    for (int rank = 0; rank < 4; ++rank) {
      test::TraceText text;
      text.distributedInfo(rank, 4);
      TransferWriter transfers(text, group, recorded);
      if (rank >= 2) transfers.add(kMs, rank == 3, rank == 3 ? 2 : 3);
      if (rank < 2) text.addCpuOp(1, kMs, kMs, "aten::linear");
      writeRank(folder.path(), rank, text);
    }
    const auto report = reportOf(folder.path());
    const CollectiveMatch& match = report->analysis().collectives().match;
    ASSERT_EQ(match.instances.size(), 1U) << "one transfer, recorded in form " << static_cast<int>(recorded);
    std::vector<std::size_t> ranks;
    for (const Participant& participant : match.of(match.instances.front()))
      ranks.push_back(participant.rank.value);
    EXPECT_EQ(ranks, (std::vector<std::size_t>{2, 3}));
    EXPECT_EQ(transferMembers(report->analysis(), RankIndex(3)), group);
    EXPECT_EQ(transferMembers(report->analysis(), RankIndex(0)), Ranks()) << "it sends nothing";
  }
}

// The ranks of a second pipeline are places in no group.
TEST(TransferPeers, ofAPipelineAreRanksOfTheJob) {
  test::PipelineJob job;
  job.replicas = 2;
  const test::TemporaryFolder folder;
  test::generatePipelineJob(job, folder.path());
  const auto report = reportOf(folder.path());
  const Ranks members{1, 3, 5, 7};
  EXPECT_EQ(peersOf(*report, 1, members), (std::set<std::int32_t>{3}));
  EXPECT_EQ(peersOf(*report, 3, members), (std::set<std::int32_t>{1, 5}));
  EXPECT_EQ(peersOf(*report, 7, members), (std::set<std::int32_t>{5}));
}

TEST(TransferPeers, ofAPipelineThatRecordsPlacesAreTheirRanks) {
  for (const Recorded recorded : {Recorded::AsPlace, Recorded::AsBoth}) {
    const Ranks group{1, 2, 3};
    const test::TemporaryFolder folder;
    test::TraceText text;
    text.distributedInfo(2, 4);
    text.addStep(1, 0, 200 * kMs);
    TransferWriter transfers(text, group, recorded);
    transfers.add(10 * kMs, false, 1);
    transfers.add(20 * kMs, true, 3);
    writeRank(folder.path(), 2, text);
    const auto report = reportOf(folder.path());
    EXPECT_EQ(peersOf(*report, 0, group), (std::set<std::int32_t>{1, 3}));
    if (recorded == Recorded::AsBoth) {
      EXPECT_EQ(peersOf(*report, 0, {}), (std::set<std::int32_t>{1, 3})) << "the rank was recorded, too";
    }
  }
}

TEST(TransferPeers, ofRingsAreFoundHoweverTheyWereRecorded) {
  const std::vector<Ranks> rings{{0, 2, 4}, {1, 3, 5}};
  for (const Recorded recorded : {Recorded::AsRank, Recorded::AsPlace, Recorded::AsBoth}) {
    const test::TemporaryFolder folder;
    writeRings(folder.path(), rings, recorded);
    const auto report = reportOf(folder.path());
    const std::vector<Ranks> found = contextRings(report->analysis());
    ASSERT_EQ(found.size(), 6U);
    for (std::size_t rank = 0; rank < found.size(); ++rank) EXPECT_EQ(found[rank], rings[rank % 2]) << rank;
  }
}

TEST(TransferPeers, ofRingsAreThoseOfTheCommunicatorInNsightSystems) {
  const std::vector<Ranks> rings{{0, 2, 4}, {1, 3, 5}};
  const test::TemporaryFolder folder;
  writeRings(folder.path() / "kineto", rings, Recorded::AsRank);
  for (const test::NsysReports reports : {test::NsysReports::OfRanks, test::NsysReports::OfHosts}) {
    fs::remove_all(folder.path() / "nsys");
    test::writeAsNsys(folder.path() / "kineto", folder.path() / "nsys", test::NsysFile::Version::New,
                      reports);
    const auto report = reportOf(folder.path() / "nsys");
    const std::vector<Ranks> found = contextRings(report->analysis());
    ASSERT_EQ(found.size(), 6U);
    for (std::size_t rank = 0; rank < found.size(); ++rank) EXPECT_EQ(found[rank], rings[rank % 2]) << rank;
  }
}

} // namespace rankscope
