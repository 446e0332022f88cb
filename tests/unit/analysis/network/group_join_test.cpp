// SPDX-License-Identifier: GPL-3.0-or-later
// Communicators of a log made for a generated job find their process groups, calls and algorithms; what fits
// in several ways stays unknown. Covers core/analysis/network/group_join, core/analysis/network/nccl_calls,
// core/report/network_view.
#include "core/analysis/network/group_join.h"

#include "core/analysis/account/kept_account.h"
#include "core/analysis/findings/findings.h"
#include "core/analysis/network/bandwidth.h"
#include "core/analysis/network/job_network.h"
#include "core/analysis/network/net_problems.h"
#include "core/io/load/trace_loader.h"
#include "core/io/nccl/nccl_files.h"
#include "core/report/network_tables.h"
#include "core/report/network_view.h"
#include "tests/support/job_generator.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

// Four ranks on two hosts, in tensor-parallel pairs and groups across them.
class GroupJoinTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    test::JobOptions options;
    options.ranks = 4;
    options.ranksPerNode = 2;
    options.steps = 3;
    options.layers = 2;
    options.parallelism = test::Parallelism::Tensor;
    const test::TemporaryFolder folder;
    test::generateJob(options, folder.path());
    Progress progress;
    s_analysis = std::make_unique<const Analysis>(*loadTraces({folder.path().string()}, {}, progress));
  }
  static void TearDownTestSuite() { s_analysis.reset(); }

  static const Analysis& analysis() { return *s_analysis; }

  // As the process of a rank writes it.
  static std::string line(int rank, const std::string& message) {
    const RankEntry& entry = analysis().trace().ranks()[static_cast<std::size_t>(rank)];
    for (const Track& track : entry.trace->tracks)
      if (track.device < 0 && !track.process.empty())
        return fmt::format("{}:{}:{} [0] NCCL INFO {}\n", entry.host, track.process, track.process, message);
    return {};
  }
  // A communicator of these ranks.
  static std::string communicator(const std::string& id, const std::vector<int>& ranks) {
    std::string text;
    for (const char* state : {"Init START", "Init COMPLETE"})
      for (std::size_t i = 0; i < ranks.size(); ++i)
        text +=
            line(ranks[i],
                 fmt::format("comm 0x{} rank {} nranks {} cudaDev 0 nvmlDev {} busId 7000 commId 0x{} - {}",
                             id, i, ranks.size(), ranks[i] % 2, id, state));
    return text;
  }
  static JobNetwork joined(const std::string& text) {
    return jobNetwork(std::make_shared<const NcclRecords>(readNcclText("nccl.log", text)), analysis());
  }
  static GroupIndex groupOf(const std::vector<std::int32_t>& members) {
    const auto& groups = analysis().collectives().match.groups;
    const auto found = std::ranges::find(groups, members, &JobGroup::members);
    return found == groups.end() ? GroupIndex()
                                 : GroupIndex(static_cast<std::size_t>(found - groups.begin()));
  }

 private:
  static inline std::unique_ptr<const Analysis> s_analysis;
};

} // namespace

TEST_F(GroupJoinTest, equalRanksAreTheGroup) {
  const GroupIndex pair = groupOf({2, 3});
  ASSERT_TRUE(pair.valid());
  const JobNetwork network = joined(communicator("a", {2, 3}) + communicator("b", {0, 3}));
  ASSERT_EQ(network.join.communicators.size(), 2U);
  const JoinedCommunicator& found = network.join.communicators[0];
  EXPECT_EQ(found.ranks, (std::vector<int>{2, 3}));
  EXPECT_EQ(found.from, RanksFrom::Process);
  EXPECT_TRUE(std::ranges::find(found.groups, pair) != found.groups.end());
  EXPECT_FALSE(found.name.empty());
  EXPECT_TRUE(network.join.communicators[1].groups.empty()) << "no group has ranks 0 and 3";
  const ResultTable table = communicatorsTable(network);
  EXPECT_EQ(table.at(0, *table.columnNamed("group")), Cell(std::string_view(found.name)));
  EXPECT_EQ(table.at(0, *table.columnNamed("matched_by")), Cell(std::string_view("comm_id+process")));
  EXPECT_EQ(table.at(1, *table.columnNamed("group")), Cell());
  EXPECT_EQ(table.at(1, *table.columnNamed("matched_by")), Cell(std::string_view("comm_id")));
}

TEST_F(GroupJoinTest, aProcessThatTheTracesDoNotKnowIsNoRank) {
  std::string text = communicator("a", {2, 3});
  for (std::size_t at = text.find(":2"); at != std::string::npos; at = text.find(":2", at + 1))
    text[at + 1] = '9';
  const JobNetwork network = joined(text);
  ASSERT_EQ(network.join.communicators.size(), 1U);
  EXPECT_TRUE(network.join.communicators[0].groups.empty());
  EXPECT_EQ(network.join.communicators[0].from, RanksFrom::Unknown);
}

TEST_F(GroupJoinTest, callsAreFoundWhereTheirOrderFitsOnce) {
  const GroupIndex pair = groupOf({2, 3});
  ASSERT_TRUE(pair.valid());
  const CollectiveMatch& match = analysis().collectives().match;
  const StringTable& names = analysis().trace().names();
  std::vector<std::string> calls;
  std::vector<InstanceIndex> instances;
  for (const InstanceIndex index : match.instanceOfCall[2]) {
    const CollectiveInstance& instance = match.instance(index);
    if (instance.group != pair) continue;
    ASSERT_EQ(instance.operation, CollectiveOperation::AllReduce) << names[instance.dtype];
    ASSERT_EQ(*instance.bytes % 2, 0);
    calls.push_back(
        line(2, fmt::format("AllReduce: opCount {:x} sendbuff 0x1 recvbuff 0x1 count {} datatype 6 op 0 "
                            "root 0 comm 0xa [nranks=2] stream 0x2",
                            calls.size(), *instance.bytes / 2)));
    instances.push_back(index);
  }
  ASSERT_GT(calls.size(), 2U);
  const std::string init = communicator("a", {2, 3});
  // A call before and after the recording: the only place.
  const std::string other =
      line(2, "AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x1 count 4 datatype 7 op 0 root 0 comm "
              "0xa [nranks=2] stream 0x2");
  std::string all;
  for (const std::string& call : calls) all += call;
  const JobNetwork network = joined(init + other + all + other);
  ASSERT_EQ(network.log().calls.size(), calls.size() + 2);
  EXPECT_EQ(network.join.instanceOfCall.size(), instances.size());
  for (std::size_t i = 0; i < instances.size(); ++i)
    EXPECT_EQ(network.join.instanceOfCall.at(i + 1), instances[i]);
  const ResultTable table = ncclCallsTable(network);
  EXPECT_EQ(table.at(0, *table.columnNamed("instance")), Cell());
  EXPECT_EQ(table.at(1, *table.columnNamed("instance")),
            Cell(static_cast<std::int64_t>(instances.front().value) + 1));
  // The same calls twice could be either; and a second communicator of these ranks could be meant.
  EXPECT_TRUE(joined(init + all + all).join.instanceOfCall.empty());
  EXPECT_TRUE(joined(init + communicator("c", {2, 3}) + all).join.instanceOfCall.empty());
}

TEST_F(GroupJoinTest, algorithmsOfTheLogAreInTheBandwidthOfTheGroup) {
  const GroupIndex pair = groupOf({2, 3});
  const JobBandwidth before = jobBandwidth(analysis(), jobNetwork(nullptr), {});
  const auto series = std::ranges::find(before.series, std::optional(pair), &BandwidthSeries::of);
  ASSERT_NE(series, before.series.end());
  ASSERT_FALSE(series->sizes.empty());
  const std::int64_t bytes = series->sizes.back().bytes;
  const std::string choice =
      line(2, fmt::format("AllReduce: {} Bytes -> Algo RING proto SIMPLE channel{{Lo..Hi}}={{0..7}}", bytes));
  const JobNetwork network = joined(communicator("a", {2, 3}) + choice);
  const JobBandwidth after = jobBandwidth(analysis(), network, {});
  const auto same = std::ranges::find(after.series, std::optional(pair), &BandwidthSeries::of);
  ASSERT_NE(same, after.series.end());
  EXPECT_EQ(same->sizes.back().algorithm, "RING");
  for (const BandwidthSeries& other : after.series)
    for (const BandwidthSize& size : other.sizes) {
      if (other.of != pair) {
        EXPECT_EQ(size.algorithm, "");
      }
    }
  const AlgorithmsView view = algorithmsView(network, after);
  bool found = false;
  for (std::size_t row = 0; row < view.sizes.size(); ++row) {
    if (view.table.at(row, *view.table.columnNamed("algorithm")) != Cell(std::string_view("RING"))) continue;
    found = true;
    EXPECT_EQ(view.table.at(row, *view.table.columnNamed("bytes")), Cell(bytes));
    EXPECT_EQ(view.table.at(row, *view.table.columnNamed("channels")), Cell(std::int64_t{8}));
    EXPECT_EQ(view.table.at(row, *view.table.columnNamed("protocol")), Cell(std::string_view("SIMPLE")));
  }
  EXPECT_TRUE(found);
}

// Sockets although the log lists InfiniBand: what the transfers of the joined group take beyond its speed.
TEST_F(GroupJoinTest, slowTransportsOfAGroupHaveAGain) {
  const GroupIndex across = groupOf({0, 2});
  ASSERT_TRUE(across.valid());
  const std::string nic = line(0, "NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>") +
                          line(0, "NET/IB : Made virtual device [0] name=mlx5_0 speed=400000 ndevs=1");
  const std::string links = line(0, "Channel 00/0 : 0[0] -> 1[0] [send] via NET/Socket/0");
  // 460 MB in 40 ms; at the 46 GB/s that InfiniBand gives they take 10 ms.
  JobBandwidth bandwidth;
  BandwidthSeries& series = bandwidth.series.emplace_back();
  series.of = across;
  series.operation = CollectiveOperation::AllReduce;
  series.ranks = 2;
  series.nodes = 2;
  BandwidthSize& size = series.sizes.emplace_back();
  size.bytes = 460'000'000;
  size.samples = 3;
  size.medianUs = 40'000;
  size.efficiencyPct = 25;
  const CollectiveMatch& match = analysis().collectives().match;
  for (std::size_t i = 0; i < match.instances.size(); ++i)
    if (match.instances[i].group == across) size.instances.emplace_back(i);
  ASSERT_FALSE(size.instances.empty());
  const auto socketsOf = [&](const std::string& text) {
    std::vector<NetProblem> problems = netProblems(joined(text), bandwidth, {"NVIDIA A100-SXM4-80GB"});
    std::erase_if(problems, [](const NetProblem& problem) { return problem.rule != NetRule::Socket; });
    return problems;
  };
  const std::vector<NetProblem> problems = socketsOf(nic + communicator("a", {0, 2}) + links);
  ASSERT_EQ(problems.size(), 1U);
  ASSERT_EQ(problems[0].saved.size(), size.instances.size());
  for (const SavedTransfer& of : problems[0].saved) EXPECT_DOUBLE_EQ(of.share, 0.75);
  EXPECT_TRUE(socketsOf(communicator("a", {0, 2}) + links)[0].saved.empty()) << "of no known speed";
  EXPECT_TRUE(socketsOf(nic + communicator("a", {0, 3}) + links)[0].saved.empty()) << "of no group";

  const JobAccount account = jobAccount(analysis(), 1);
  const std::vector<Finding> findings = findingsOf(analysis(), account, {}, nullptr, &problems);
  const auto found = std::ranges::find(findings, FindingKind::NetSocket, &Finding::kind);
  ASSERT_NE(found, findings.end());
  ASSERT_TRUE(found->gain && found->time);
  EXPECT_EQ(found->severity, Severity::Warning);
  EXPECT_EQ(found->leaf, "comm.transfer");
  EXPECT_GT(*found->time, 0);
  EXPECT_NEAR(static_cast<double>(found->gain->high), 0.75 * static_cast<double>(*found->time), 2);
  EXPECT_NEAR(static_cast<double>(found->gain->low), 0.5 * static_cast<double>(found->gain->high), 2);
  EXPECT_NE(found->title.find("/step"), std::string::npos) << found->title;
  // No more than all exposed transfers of the job.
  const KeptAccount kept = keptAccount(analysis(), account);
  EXPECT_LE(static_cast<double>(*found->time), kept.timeOf("comm") + kept.timeOf("wait") + 1);
}

// Tables of nccl-tests in a log have the algorithms of that log.
TEST(NetworkView, aLogWithATableTellsTheAlgorithmOfEachSize) {
  const fs::path log = test::sharedFolder() / "nccl/logs/v2.29.2-4r-nvls-auto.txt";
  RANKSCOPE_SKIP_UNLESS(fs::exists(log), test::kNoRecordings);
  const Analysis none(std::make_shared<const TraceSet>("", StringTable(), std::vector<RankEntry>(),
                                                       std::vector<FileRecord>()));
  const JobNetwork network =
      jobNetwork(std::make_shared<const NcclRecords>(readNcclFiles({log.string()})), none);
  EXPECT_TRUE(network.join.empty());
  const JobBandwidth bandwidth = jobBandwidth(none, network, {});
  ASSERT_FALSE(bandwidth.series.empty());
  std::size_t known = 0;
  for (const BandwidthSize& size : bandwidth.series.front().sizes)
    if (!size.algorithm.empty()) ++known;
  EXPECT_EQ(known, bandwidth.series.front().sizes.size());
  const AlgorithmsView view = algorithmsView(network, bandwidth);
  EXPECT_GE(view.table.rowCount(), view.sizes.size());
  EXPECT_EQ(communicatorsView(network).rowCount(), network.topology.communicators.size());
}

TEST(NetworkView, nicsSettingsAndProblemsOfARealLog) {
  const fs::path log = test::sharedFolder() / "nccl/logs/v2.20.5-8r-ofi.txt";
  RANKSCOPE_SKIP_UNLESS(fs::exists(log), test::kNoRecordings);
  const JobNetwork network = jobNetwork(std::make_shared<const NcclRecords>(readNcclFiles({log.string()})));
  const ResultTable nics = nicsView(network);
  std::int64_t ends = 0;
  for (std::size_t row = 0; row < nics.rowCount(); ++row)
    ends += std::get<std::int64_t>(nics.at(row, *nics.columnNamed("links")));
  std::int64_t links = 0;
  for (const NetCommunicator& of : network.topology.communicators)
    for (const NetLink& link : of.links) {
      if (!network.log().kinds[link.kind].starts_with("NET/")) continue;
      if (link.nic >= 0) ++links;
      if (link.receiverNic >= 0) ++links;
    }
  EXPECT_GT(links, 0);
  EXPECT_EQ(ends, links);
  EXPECT_GT(settingsView(network).rowCount(), 0U);
  const std::vector<NetProblem> problems = netProblems(network, {}, {});
  EXPECT_EQ(problemsView(problems).rowCount(), problems.size());
}

} // namespace rankscope
