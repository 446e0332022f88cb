// SPDX-License-Identifier: GPL-3.0-or-later
// Rules about links, on real logs and on logs made for one fault. Covers core/analysis/network/link_ends,
// core/analysis/network/net_causes, core/analysis/network/slow_fabric,
// core/analysis/findings/finding_network, core/report/network_source.
#include "core/analysis/network/net_problems.h"

#include "core/analysis/findings/finding_checks.h"
#include "core/analysis/hardware/fabrics.h"
#include "core/analysis/network/net_causes.h"
#include "core/analysis/network/slow_fabric.h"
#include "core/io/load/job_loader.h"
#include "core/io/nccl/nccl_files.h"
#include "core/report/job_report.h"
#include "core/report/network_source.h"
#include "core/report/network_tables.h"
#include "core/report/network_text.h"
#include "tests/support/shared_data.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

std::vector<NetProblem> problemsOf(NcclRecords records, const std::vector<std::string>& gpus = {}) {
  return netProblems(jobNetwork(std::make_shared<const NcclRecords>(std::move(records))), {}, gpus);
}

std::vector<NetProblem> problemsOfText(const std::string& text, const std::vector<std::string>& gpus = {}) {
  return problemsOf(readNcclText("nccl.log", text), gpus);
}

const NetProblem* find(const std::vector<NetProblem>& problems, NetRule rule) {
  const auto found = std::ranges::find(problems, rule, &NetProblem::rule);
  return found == problems.end() ? nullptr : &*found;
}

std::string line(const std::string& host, const std::string& message) {
  return host + ":1:1 [0] NCCL INFO " + message + "\n";
}

std::string init(const std::string& host, int rank, const std::string& state) {
  return line(host, "comm 0x1 rank " + std::to_string(rank) +
                        " nranks 2 cudaDev 0 nvmlDev 0 busId 7000 commId 0xa - " + state);
}

} // namespace

TEST(NetProblems, aRealPairWithAndWithoutPlugin) {
  const fs::path logs = test::sharedFolder() / "nccl/logs";
  RANKSCOPE_SKIP_UNLESS(fs::exists(logs), test::kNoRecordings);
  const auto without = problemsOf(readNcclFiles({(logs / "v2.20.5-8r-socket-fallback.txt").string()}));
  const NetProblem* const socket = find(without, NetRule::Socket);
  ASSERT_NE(socket, nullptr);
  EXPECT_TRUE(socket->warning);
  EXPECT_NE(socket->evidence.find("NET/Socket"), std::string::npos);
  const auto with = problemsOf(readNcclFiles({(logs / "v2.20.5-8r-ofi.txt").string()}));
  EXPECT_EQ(find(with, NetRule::Socket), nullptr);
  EXPECT_EQ(find(with, NetRule::NoGdr), nullptr);
  EXPECT_NE(find(with, NetRule::Pinned), nullptr);
  const auto off = problemsOf(readNcclFiles({(logs / "v2.16.5-2r-ib-gdr-off-nccltests.txt").string()}));
  ASSERT_NE(find(off, NetRule::NoGdr), nullptr);
  const auto on = problemsOf(readNcclFiles({(logs / "v2.16.5-2r-ib-gdr-on-nccltests.txt").string()}));
  EXPECT_EQ(find(on, NetRule::NoGdr), nullptr);
  const auto failed = problemsOf(readNcclFiles({(logs / "v2.4.8-16r-ib-srun-l.txt").string()}));
  const NetProblem* const warning = find(failed, NetRule::Warning);
  ASSERT_NE(warning, nullptr);
  EXPECT_NE(warning->evidence.find("error 12"), std::string::npos);
  const auto died =
      problemsOf(readNcclFiles({(logs / "v2.21.5-8r-ofi-failed-libfabric-mixed.txt.gz").string()}));
  const NetProblem* const incomplete = find(died, NetRule::Incomplete);
  ASSERT_NE(incomplete, nullptr);
  EXPECT_NE(incomplete->evidence.find("8 of 8"), std::string::npos);
}

TEST(NetProblems, eachRuleOnItsFault) {
  const std::string two = init("a", 0, "Init START") + init("b", 1, "Init START");
  const std::string done = init("a", 0, "Init COMPLETE") + init("b", 1, "Init COMPLETE");
  EXPECT_EQ(find(problemsOfText(two + done), NetRule::Incomplete), nullptr);
  EXPECT_NE(find(problemsOfText(two), NetRule::Incomplete), nullptr);
  const std::string shm = line("a", "Channel 00/0 : 0[0] -> 1[1] via SHM/direct/direct");
  EXPECT_EQ(find(problemsOfText(two + shm + done), NetRule::Shm), nullptr) << "nothing better is known";
  const auto disabled =
      problemsOfText(two + line("a", "NCCL_P2P_DISABLE set by environment to 1.") + shm + done);
  ASSERT_NE(find(disabled, NetRule::Shm), nullptr);
  EXPECT_NE(find(disabled, NetRule::Pinned), nullptr);
  const auto versions =
      problemsOfText(line("a", "NCCL version 2.20.5+cuda12.4") + line("b", "NCCL version 2.21.5+cuda12.4"));
  EXPECT_NE(find(versions, NetRule::MixedVersion), nullptr);
  const auto slow = problemsOfText(
      two + done + line("a", "Init timings: rank 0 nranks 2 total 44.10 (kernels 0.39, bootstrap 40.20)"));
  ASSERT_NE(find(slow, NetRule::InitSlow), nullptr);
  EXPECT_NE(find(slow, NetRule::InitSlow)->evidence.find("bootstrap 40.20 s"), std::string::npos);
  const std::string net = line("a", "Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0");
  EXPECT_NE(find(problemsOfText(two + net + done), NetRule::NoGdr), nullptr);
  EXPECT_EQ(find(problemsOfText(two + net + done, {"NVIDIA GH200 480GB"}), NetRule::NoGdr), nullptr);
  EXPECT_TRUE(problemsOfText("").empty());
}

// A log without links cannot say that none of them is a socket.
TEST(NetProblems, whatNoLineTellsIsNotChecked) {
  const auto reasonOf = [](const std::string& text, FindingKind kind) {
    const Analysis analysis(std::make_shared<const TraceSet>("", StringTable(), std::vector<RankEntry>(),
                                                             std::vector<FileRecord>()));
    const JobNetwork network =
        jobNetwork(std::make_shared<const NcclRecords>(readNcclText("nccl.log", text)));
    for (const UncheckedKinds& part : uncheckedKinds(analysis, network))
      if (std::ranges::find(part.kinds, kind) != part.kinds.end()) return part.reason;
    return std::string();
  };
  const std::string begun = line("a", "NCCL version 2.16.2+cuda12.1") + init("a", 0, "Init START") +
                            init("b", 1, "Init START") + init("a", 0, "Init COMPLETE") +
                            init("b", 1, "Init COMPLETE");
  using enum FindingKind;
  for (const FindingKind kind : {NetSocket, NetNoGdr, NetShm, NetNicUnused})
    EXPECT_NE(reasonOf(begun, kind).find("no link"), std::string::npos) << findingKindTitle(kind);
  for (const FindingKind kind : {FewChannels, NetNvlsOff, NetPinned, NetChoice, NetInitSlow})
    EXPECT_NE(reasonOf(begun, kind), "") << findingKindTitle(kind);
  for (const FindingKind kind : {NetMixedVersion, NetWarning, NetIncomplete})
    EXPECT_EQ(reasonOf(begun, kind), "") << findingKindTitle(kind);
  const std::string linked = begun + line("a", "Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0");
  for (const FindingKind kind : {NetSocket, NetNoGdr, NetShm, NetNicUnused})
    EXPECT_EQ(reasonOf(linked, kind), "") << findingKindTitle(kind);
  // From 2.17 on settings are logged by default: none means that none is set.
  std::string newer = begun;
  newer.replace(newer.find("2.16.2"), 6, "2.20.5");
  EXPECT_EQ(reasonOf(newer, NetPinned), "");
  EXPECT_EQ(reasonOf(begun + line("a", "NCCL_ALGO set by environment to Ring."), NetPinned), "");
}

TEST(NetProblems, filesSayWhatIsWrongWithThem) {
  const JobNetwork network = jobNetwork(std::make_shared<const NcclRecords>(
      readNcclText("nccl.log", init("a", 0, "Init START") +
                                   "a:1:1 [0] NCCL INFO Channel 02/0 : 0xa:1:1 [0] NCCL INFO x\n")));
  const ResultTable files = ncclFilesTable(network);
  ASSERT_EQ(files.rowCount(), 1U);
  EXPECT_NE(files.at(0, *files.columnNamed("damaged_lines")), Cell(std::int64_t{0}));
  EXPECT_EQ(files.at(0, *files.columnNamed("first_damaged_line")), Cell(std::int64_t{2}));
  EXPECT_FALSE(files.isEmpty(0, *files.columnNamed("problem")));
}

TEST(NetProblems, areInTheTextWithEvidenceAndFix) {
  const JobNetwork network =
      jobNetwork(std::make_shared<const NcclRecords>(readNcclText("nccl.log", init("a", 0, "Init START"))));
  const std::string text = networkText(network, netProblems(network, {}, {}));
  EXPECT_NE(text.find("[warning] Communicator 1 was not completed"), std::string::npos) << text;
  EXPECT_NE(text.find("nccl.log:1"), std::string::npos) << text;
  EXPECT_NE(text.find("Fix: "), std::string::npos) << text;
}

TEST(NetProblems, eachRuleIsQuietWithoutItsFault) {
  const std::string two = init("a", 0, "Init START") + init("b", 1, "Init START") +
                          init("a", 0, "Init COMPLETE") + init("b", 1, "Init COMPLETE");
  const std::string link = "Channel 00/0 : 0[0] -> 1[0] [send] via ";
  // Healthy: InfiniBand with GPUDirect RDMA, one version, a quick start, nothing pinned.
  const std::string healthy =
      line("a", "NCCL version 2.20.5+cuda12.4") + line("b", "NCCL version 2.20.5+cuda12.4") +
      line("a", "NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>") + line("a", "Using network IB") +
      two + line("a", link + "NET/IB/0/GDRDMA") +
      line("a", "16 coll channels, 0 nvls channels, 16 p2p channels, 2 p2p channels per peer") +
      line("a", "Init timings: rank 0 nranks 2 total 0.90 (kernels 0.39, bootstrap 0.20)");
  for (const NetProblem& problem : problemsOfText(healthy, {"NVIDIA H100 80GB HBM3"}))
    ADD_FAILURE() << problem.title << ": " << problem.evidence;

  // Sockets are a fault where RDMA devices are there, or in a data center, and nowhere else.
  const std::string sockets = two + line("a", link + "NET/Socket/0");
  EXPECT_EQ(find(problemsOfText(sockets, {"NVIDIA GeForce RTX 3090"}), NetRule::Socket), nullptr);
  EXPECT_NE(find(problemsOfText(sockets, {"NVIDIA A100-SXM4-80GB"}), NetRule::Socket), nullptr);
  const std::string devices = line("a", "NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>");
  EXPECT_NE(find(problemsOfText(devices + sockets), NetRule::Socket), nullptr);

  const auto limited = problemsOfText(line("a", "NCCL_MAX_NCHANNELS set by environment to 2.") + two);
  ASSERT_NE(find(limited, NetRule::FewChannels), nullptr);
  EXPECT_NE(find(limited, NetRule::FewChannels)->fix.find("NCCL_MAX_NCHANNELS"), std::string::npos);

  // Two NICs of one network, of which one has all links.
  const std::string nics =
      line("a", "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.1<0>");
  const auto first = line("a", link + "NET/IB/0/GDRDMA");
  const auto second = line("a", "Channel 01/0 : 0[0] -> 1[0] [send] via NET/IB/1/GDRDMA");
  EXPECT_NE(find(problemsOfText(nics + two + first), NetRule::NicUnused), nullptr);
  EXPECT_EQ(find(problemsOfText(nics + two + first + second), NetRule::NicUnused), nullptr);

  // NVLink SHARP is of 8 Hopper GPUs or more.
  const std::string off = line("a", "NVLS multicast support is not available on dev 0");
  const std::string eight =
      two + line("a", "comm 0x1 rank 0 nRanks 2 nNodes 1 localRanks 8 localRank 0 MNNVL 0");
  EXPECT_NE(find(problemsOfText(off + eight, {"NVIDIA H100 80GB HBM3"}), NetRule::NvlsOff), nullptr);
  EXPECT_EQ(find(problemsOfText(off + eight, {"NVIDIA A100-SXM4-80GB"}), NetRule::NvlsOff), nullptr);
  EXPECT_EQ(find(problemsOfText(off + two, {"NVIDIA H100 80GB HBM3"}), NetRule::NvlsOff), nullptr);

  const std::string broken = "\na:1:1 [0] transport/net_ib.cc:1 NCCL WARN NET/IB : Got completion from peer "
                             "10.0.0.2<1> with status=12 opcode=0 len=0 vendor err 129\n";
  ASSERT_NE(find(problemsOfText(two + broken), NetRule::Warning), nullptr);
  EXPECT_TRUE(find(problemsOfText(two + broken), NetRule::Warning)->warning);
}

// Without lines about communicators, as with NCCL_DEBUG_SUBSYS=NET.
TEST(NetProblems, linksOfNoKnownCommunicatorAreJudged) {
  const std::string devices = line("a", "NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>");
  const std::string link = "Channel 00/0 : 0[0] -> 1[0] [send] via ";
  const auto socket = problemsOfText(devices + line("a", link + "NET/Socket/0"));
  ASSERT_NE(find(socket, NetRule::Socket), nullptr);
  const NetProblem& found = *find(socket, NetRule::Socket);
  EXPECT_NE(found.evidence.find("1 of 1 network links are NET/Socket."), std::string::npos) << found.evidence;
  EXPECT_NE(found.evidence.find("Of these links 1 belongs to no known communicator."), std::string::npos)
      << found.evidence;
  EXPECT_NE(found.evidence.find("nccl.log:2"), std::string::npos) << found.evidence;
  EXPECT_EQ(found.communicator, 0);
  const auto noGdr = problemsOfText(devices + line("a", link + "NET/IB/0"));
  ASSERT_NE(find(noGdr, NetRule::NoGdr), nullptr);
  EXPECT_NE(find(noGdr, NetRule::NoGdr)->evidence.find("(NIC 0; a)"), std::string::npos)
      << find(noGdr, NetRule::NoGdr)->evidence;
  const auto shm = problemsOfText(line("a", "Channel 00/0 : 0[0] -> 1[1] via SHM/direct/direct") +
                                  line("a", "Channel 00/0 : 1[1] -> 2[2] via P2P/CUMEM"));
  ASSERT_NE(find(shm, NetRule::Shm), nullptr);
  EXPECT_NE(find(shm, NetRule::Shm)->evidence.find("1 of 2 links are SHM (a)."), std::string::npos)
      << find(shm, NetRule::Shm)->evidence;
  EXPECT_EQ(find(problemsOfText(devices + line("a", link + "NET/IB/0/GDRDMA")), NetRule::NoGdr), nullptr);
}

TEST(NetProblems, aNicIsIdleIfNeitherEndUsesIt) {
  const std::string two = init("a", 0, "Init START") + init("b", 1, "Init START") +
                          init("a", 0, "Init COMPLETE") + init("b", 1, "Init COMPLETE");
  const std::string nics =
      line("a", "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.1<0>");
  const std::string out = line("a", "Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0/GDRDMA");
  const auto in = [&](const std::string& nic) {
    return line("b", "Channel 00/0 : 1[0] -> 0[0] [send] via NET/IB/0/GDRDMA") +
           line("a", "Channel 00/0 : 1[0] -> 0[0] [receive] via NET/IB/" + nic + "/GDRDMA");
  };
  EXPECT_EQ(find(problemsOfText(nics + two + out + in("1")), NetRule::NicUnused), nullptr)
      << "it receives through the other one";
  const auto idle = problemsOfText(nics + two + out + in("0"));
  ASSERT_NE(find(idle, NetRule::NicUnused), nullptr);
  EXPECT_EQ(find(idle, NetRule::NicUnused)->title, "Idle NICs on a");
  EXPECT_EQ(find(idle, NetRule::NicUnused)->evidence,
            "1 host: a. No link uses mlx5_1; one NIC carries 2 of 2 ends of links.");
  EXPECT_EQ(
      find(problemsOfText(nics + two + line("a", "Channel 00/0 : 0[0] -> 1[0] [send] via NET/Socket/0")),
           NetRule::NicUnused),
      nullptr)
      << "sockets have other devices";
}

TEST(NetProblems, allHostsWithIdleNicsAreNamed) {
  const auto job = [](int hosts, int busy) {
    std::string text;
    for (const char* state : {"Init START", "Init COMPLETE"})
      for (int rank = 0; rank < hosts; ++rank)
        text += line("h" + std::to_string(rank), "comm 0x1 rank " + std::to_string(rank) + " nranks " +
                                                     std::to_string(hosts) +
                                                     " cudaDev 0 nvmlDev 0 busId 7000 commId 0xa - " + state);
    for (int rank = 0; rank < hosts; ++rank) {
      const std::string host = "h" + std::to_string(rank);
      text += line(host, "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.1<0>");
      for (int channel = 0; channel < (rank < busy ? 2 : 1); ++channel)
        text +=
            line(host, "Channel 0" + std::to_string(channel) + "/0 : " + std::to_string(rank) + "[0] -> " +
                           std::to_string((rank + 1) % hosts) + "[0] [send] via NET/IB/0/GDRDMA");
    }
    return problemsOfText(text);
  };
  const auto alike = job(6, 0);
  ASSERT_NE(find(alike, NetRule::NicUnused), nullptr);
  EXPECT_EQ(find(alike, NetRule::NicUnused)->title, "Idle NICs on 6 hosts");
  EXPECT_EQ(find(alike, NetRule::NicUnused)->evidence,
            "6 hosts: h0, h1, h2, h3 and 2 more. No link uses mlx5_1; one NIC carries 1 of 1 ends of links.");
  EXPECT_EQ(std::ranges::count(alike, NetRule::NicUnused, &NetProblem::rule), 1);
  const auto differ = job(3, 1);
  ASSERT_NE(find(differ, NetRule::NicUnused), nullptr);
  EXPECT_EQ(find(differ, NetRule::NicUnused)->evidence,
            "3 hosts: h0, h1, h2. On h0 no link uses mlx5_1; one NIC carries 2 of 2 ends of links.");
}

TEST(NetProblems, settingsOfTransportsAndChannelsArePinned) {
  for (const char* name : {"NCCL_P2P_NET_CHUNKSIZE", "NCCL_P2P_LEVEL", "NCCL_MIN_NCHANNELS",
                           "NCCL_MIN_P2P_NCHANNELS", "NCCL_MAX_P2P_NCHANNELS"}) {
    const auto pinned = problemsOfText(line("a", std::string(name) + " set by environment to 4."));
    ASSERT_NE(find(pinned, NetRule::Pinned), nullptr) << name;
    EXPECT_EQ(find(pinned, NetRule::Pinned)->evidence, std::string(name) + "=4.");
    EXPECT_EQ(find(pinned, NetRule::FewChannels), nullptr) << name;
  }
  const auto most = problemsOfText(line("a", "NCCL_MAX_NCHANNELS set by environment to 4."));
  EXPECT_NE(find(most, NetRule::FewChannels), nullptr);
  EXPECT_EQ(find(most, NetRule::Pinned), nullptr) << "told once";
  EXPECT_EQ(find(problemsOfText(line("a", "NCCL_DEBUG_SUBSYS set by environment to INIT.")), NetRule::Pinned),
            nullptr);
}

TEST(NetProblems, aRealLogPinsTheChunkSizeOfP2p) {
  const fs::path log = test::sharedFolder() / "nccl/logs/v2.20.3-16r-h100-efa-mpirun.txt.gz";
  RANKSCOPE_SKIP_UNLESS(fs::exists(log), test::kNoRecordings);
  const auto problems = problemsOf(readNcclFiles({log.string()}));
  ASSERT_NE(find(problems, NetRule::Pinned), nullptr);
  EXPECT_NE(find(problems, NetRule::Pinned)->evidence.find("NCCL_P2P_NET_CHUNKSIZE=524288"),
            std::string::npos)
      << find(problems, NetRule::Pinned)->evidence;
}

// How many channels are few depends on the GPU; that others have more does not.
TEST(NetProblems, fewChannelsNeedAKnownGpu) {
  const auto communicator = [](int number, int ranks, int channels) {
    const std::string id = std::to_string(number);
    const std::string comm = "comm 0x" + id + " rank 0 nranks " + std::to_string(ranks) +
                             " cudaDev 0 nvmlDev 0 busId 7000 commId 0xa" + id + " - ";
    return line("a", comm + "Init START") +
           line("a", "comm 0x" + id + " rank 0 nRanks " + std::to_string(ranks) +
                         " nNodes 2 localRanks 8 localRank 0 MNNVL 0") +
           line("a", std::to_string(channels) + " coll channels, 0 nvls channels, 2 p2p channels") +
           line("a", comm + "Init COMPLETE");
  };
  const std::string two = communicator(1, 16, 2);
  EXPECT_EQ(find(problemsOfText(two), NetRule::FewChannels), nullptr) << "the GPU is not known";
  EXPECT_EQ(find(problemsOfText(two, {"NVIDIA GeForce RTX 3090"}), NetRule::FewChannels), nullptr);
  const auto few = problemsOfText(two, {"NVIDIA H100 80GB HBM3"});
  ASSERT_NE(find(few, NetRule::FewChannels), nullptr);
  EXPECT_EQ(find(few, NetRule::FewChannels)->evidence, "Communicators of 16 ranks have 2 channels.");
  const auto fewer = problemsOfText(communicator(1, 16, 3) + communicator(2, 16, 8) + communicator(3, 24, 1));
  ASSERT_NE(find(fewer, NetRule::FewChannels), nullptr);
  EXPECT_EQ(find(fewer, NetRule::FewChannels)->evidence,
            "Communicators of 16 ranks have 3 channels, of 24 ranks 1 channel.");
}

// By algorithm of the same group, operation and size.
TEST(NetProblems, slowerAlgorithmsNeedMoreThanATenth) {
  const auto series = [](const char* algorithm, double us) {
    BandwidthSeries made;
    made.group = "g";
    made.operation = CollectiveOperation::AllReduce;
    BandwidthSize& size = made.sizes.emplace_back();
    size.bytes = 1 << 26;
    size.samples = 5;
    size.medianUs = us;
    size.algorithm = algorithm;
    return made;
  };
  JobBandwidth slow, alike;
  slow.series = {series("RING", 150), series("NVLS", 100)};
  alike.series = {series("RING", 103), series("NVLS", 100)};
  EXPECT_NE(find(netProblems(jobNetwork(nullptr), slow, {}), NetRule::Choice), nullptr);
  EXPECT_EQ(find(netProblems(jobNetwork(nullptr), alike, {}), NetRule::Choice), nullptr);
}

TEST(NetProblems, areFindingsOfAJobWithoutTraces) {
  NetworkInput input;
  input.records = [] {
    return std::make_shared<const NcclRecords>(readNcclText("nccl.log", init("a", 0, "Init START")));
  };
  const JobReport report(std::make_shared<const Analysis>(std::make_shared<const TraceSet>(
                             "", StringTable(), std::vector<RankEntry>(), std::vector<FileRecord>())),
                         {}, GainMethod::Formula, input);
  const auto found = std::ranges::find(report.findings(), FindingKind::NetIncomplete, &Finding::kind);
  ASSERT_NE(found, report.findings().end());
  EXPECT_EQ(found->severity, Severity::Warning);
  EXPECT_FALSE(found->gain.has_value());
  EXPECT_EQ(findingRule(found->kind), "R160");
}

// A folder or a file of logs alone opens as a job without ranks, whose report has the findings.
TEST(NetProblems, logsOpenAlone) {
  const fs::path log = test::sharedFolder() / "nccl/logs/v2.20.5-8r-socket-fallback.txt";
  RANKSCOPE_SKIP_UNLESS(fs::exists(log), test::kNoRecordings);
  Progress progress;
  const auto job = loadJob({log.string()}, {}, progress);
  ASSERT_TRUE(job.ok());
  EXPECT_TRUE((*job)->ranks().empty());
  const JobReport report(std::make_shared<const Analysis>(*job), {}, GainMethod::Formula,
                         networkInputOf({log.string()}));
  const auto found = std::ranges::find(report.findings(), FindingKind::NetSocket, &Finding::kind);
  ASSERT_NE(found, report.findings().end());
  EXPECT_NE(found->evidence.find("NET/Socket"), std::string::npos);
  EXPECT_EQ(&report.network().log(), &report.networkInput().records()->log) << "read once";
}

TEST(NetProblems, largeCollectivesFarBelowTheirLinksAreASlowLink) {
  const auto of = [](std::int64_t samples, double reached) {
    BandwidthSize size;
    size.samples = samples;
    size.bytes = 26'214'400;
    size.busbwGbS = reached;
    size.expectedBusbwGbS = 369;
    size.efficiencyPct = 100 * reached / 369;
    BandwidthSize small = size; // says nothing of links
    small.bytes = 1'000'000;
    small.samples = 100;
    BandwidthSeries series;
    series.group = "default_pg";
    series.of = GroupIndex{0};
    series.operation = CollectiveOperation::AllReduce;
    series.nodes = 1;
    series.links.within = fabricNamed("nvlink4");
    series.sizes = {small, size};
    JobBandwidth bandwidth;
    bandwidth.series.push_back(series);
    series.of.reset(); // a table of nccl-tests is no part of the job
    bandwidth.series.push_back(series);
    return slowFabrics(bandwidth);
  };
  const auto slow = of(5, 37);
  ASSERT_EQ(slow.size(), 1U);
  EXPECT_EQ(slow.front().rule, NetRule::SlowFabric);
  EXPECT_FALSE(slow.front().warning);
  EXPECT_EQ(slow.front().title, "Slow link: default_pg, AllReduce at 10 % of the expected busbw");
  EXPECT_NE(slow.front().evidence.find("NVLink 4 (H100, H200) gives 369"), std::string::npos)
      << slow.front().evidence;
  EXPECT_TRUE(of(4, 37).empty()) << "too few to tell";
  EXPECT_TRUE(of(5, 150).empty()) << "messages of 26 MB do not reach what the links give";
}

TEST(NetProblems, causesAreExplained) {
  for (const char* cause : {"ib_completion", "ib_port", "ib_verbs", "plugin", "socket", "peer_gone",
                            "mismatch", "duplicate_gpu", "version", "cuda", "no_algorithm", "shared_memory",
                            "iommu", "numa_balancing", "watchdog_timeout", "system_error", "remote_error"}) {
    EXPECT_FALSE(netCause(cause).meaning.empty()) << cause;
    EXPECT_FALSE(netCause(cause).lookAt.empty()) << cause;
  }
  EXPECT_TRUE(netCause("").meaning.empty());
}

} // namespace rankscope
