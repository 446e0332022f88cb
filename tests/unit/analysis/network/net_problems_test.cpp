// SPDX-License-Identifier: GPL-3.0-or-later
// Rules about links, on real logs and on logs made for one fault. Covers core/analysis/network/net_causes.
#include "core/analysis/network/net_problems.h"

#include "core/analysis/network/net_causes.h"
#include "core/io/nccl/nccl_files.h"
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

TEST(NetProblems, areInTheTextWithEvidenceAndFix) {
  const JobNetwork network =
      jobNetwork(std::make_shared<const NcclRecords>(readNcclText("nccl.log", init("a", 0, "Init START"))));
  const std::string text = networkText(network, netProblems(network, {}, {}));
  EXPECT_NE(text.find("[warning] Communicator 1 was not completed"), std::string::npos) << text;
  EXPECT_NE(text.find("nccl.log:1"), std::string::npos) << text;
  EXPECT_NE(text.find("Fix: "), std::string::npos) << text;
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
