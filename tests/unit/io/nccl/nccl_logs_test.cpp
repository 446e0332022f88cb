// SPDX-License-Identifier: GPL-3.0-or-later
// Real logs of NCCL 2.4 to 2.29 and RCCL, counted by an independent script; rings and trees of all of them;
// damaged logs. Covers core/io/nccl/nccl_log_reader, core/io/nccl/nccl_assignment, core/io/nccl/nccl_files,
// core/analysis/network/communicators, core/analysis/network/rings, core/model/nccl_log,
// core/model/nccl_records, core/model/nccl_tests, core/report/network_tables.
#include "core/analysis/network/job_network.h"
#include "core/analysis/network/rings.h"
#include "core/io/nccl/nccl_files.h"
#include "core/report/network_text.h"
#include "tests/support/flat_json.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace rankscope {

namespace {

namespace fs = std::filesystem;
using test::FlatJson;
using Counts = std::map<std::string, std::uint64_t>;

std::vector<std::string> logNames() {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(test::sharedFolder() / "nccl/logs", failed))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  if (names.empty()) names.emplace_back();
  return names;
}

Counts numbers(const FlatJson::Values& values) {
  Counts counts;
  for (const auto& [name, value] : values) counts[name] = std::stoull(value);
  return counts;
}

Counts filled(Counts counts) {
  std::erase_if(counts, [](const auto& entry) { return entry.second == 0; });
  return counts;
}

std::uint64_t sumOf(const Counts& counts) {
  std::uint64_t sum = 0;
  for (const auto& [name, count] : counts) sum += count;
  return sum;
}

JobNetwork networkOf(const std::string& path) {
  return jobNetwork(std::make_shared<const NcclRecords>(readNcclFiles({path})));
}

class NcclOracle : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    RANKSCOPE_SKIP_UNLESS(!GetParam().empty(), test::kNoRecordings);
    std::string name = GetParam();
    if (name.ends_with(".gz")) name.resize(name.size() - 3);
    oracle = FlatJson::of(test::sharedFolder() / "nccl/oracles" / (name + ".json"));
    network = networkOf((test::sharedFolder() / "nccl/logs" / GetParam()).string());
  }

  [[nodiscard]] Counts expected(const std::string& object) const {
    return filled(numbers(FlatJson::below(oracle, object)));
  }
  [[nodiscard]] std::uint64_t number(const std::string& name) const { return std::stoull(oracle.at(name)); }

  FlatJson::Values oracle;
  JobNetwork network;
};

void expectLines(const NcclLog& log, const FlatJson::Values& oracle) {
  const NcclFile& file = log.files.front();
  EXPECT_EQ(std::to_string(file.bytes), oracle.at("bytes"));
  EXPECT_EQ(std::to_string(file.lines), oracle.at("lines"));
  EXPECT_EQ(std::to_string(file.twoHeads), oracle.at("lines_with_two_heads"));
  EXPECT_EQ(file.levels, numbers(FlatJson::below(oracle, "nccl_lines")));
  // The script lists the six most common ones.
  const Counts shapes = numbers(FlatJson::below(oracle, "prefix_shapes"));
  for (const auto& [shape, count] : shapes) EXPECT_EQ(file.prefixes.at(shape), count) << shape;
  if (shapes.size() < 6) {
    EXPECT_EQ(file.prefixes.size(), shapes.size());
  }
}

Counts commFigures(const NcclLog& log) {
  struct Comm {
    std::uint64_t ranks = 0, complete = 0;
    std::set<std::int64_t> distinct;
    std::set<std::uint32_t> processes;
  };
  std::map<std::string, Comm> comms;
  for (const NcclInstance& instance : log.instances) {
    if (!instance.started && !instance.completed) continue;
    Comm& comm =
        comms[instance.commId.empty() ? "anon:n" + std::to_string(instance.ranks) : "id:" + instance.commId];
    comm.ranks = static_cast<std::uint64_t>(instance.ranks);
    comm.complete += instance.completed ? 1 : 0;
    comm.distinct.insert(instance.rank);
    comm.processes.insert(instance.process);
  }
  Counts figures;
  for (const auto& [name, comm] : comms) {
    figures[name + "|nranks"] = comm.ranks;
    figures[name + "|init_complete"] = comm.complete;
    figures[name + "|distinct_ranks"] = comm.distinct.size();
    figures[name + "|processes"] = comm.processes.size();
  }
  return figures;
}

bool isTree(const NetTree& tree, std::int64_t ranks) {
  if (static_cast<std::int64_t>(tree.nodes.size()) != ranks) return false;
  std::map<std::int32_t, const NcclTreeNode*> nodes;
  std::int64_t roots = 0;
  for (const NcclTreeNode& node : tree.nodes) {
    nodes[node.rank] = &node;
    roots += node.up < 0 ? 1 : 0;
  }
  if (roots != 1) return false;
  for (const NcclTreeNode& node : tree.nodes) {
    // Up and down agree, and every rank leads to the root.
    if (node.up >= 0 && std::ranges::count(nodes.at(node.up)->down, node.rank) != 1) return false;
    std::int32_t at = node.rank;
    for (std::int64_t steps = 0; at >= 0; at = nodes.at(at)->up)
      if (++steps > ranks) return false;
  }
  return true;
}

} // namespace

TEST_P(NcclOracle, linesAndProcessesAreCounted) {
  const NcclLog& log = network.log();
  ASSERT_EQ(log.files.size(), 1U);
  expectLines(log, oracle);
  EXPECT_EQ(log.versionLines, expected("versions"));
  std::set<std::string> hosts;
  for (const NcclProcess& process : log.processes) hosts.insert(process.host);
  EXPECT_EQ(hosts.size(), number("hosts"));
  EXPECT_EQ(log.processes.size(), number("processes"));
  EXPECT_EQ(log.threads, number("threads"));
}

TEST_P(NcclOracle, communicatorsAreAsCounted) {
  const NcclLog& log = network.log();
  EXPECT_EQ(log.initLines, expected("init"));
  EXPECT_EQ(commFigures(log), numbers(FlatJson::below(oracle, "comms")));
  EXPECT_EQ(log.nodeLines, expected("nodes_lines"));
  EXPECT_EQ(log.channelLines, expected("channel_summary"));
  EXPECT_EQ(log.connectedRings, number("connected|rings"));
  EXPECT_EQ(log.connectedTrees, number("connected|trees"));
  EXPECT_EQ(log.connectedNvls, number("connected|nvls"));
  std::map<std::string, std::string> environment;
  for (const NcclProcess& process : log.processes)
    for (const auto& [name, value] : process.environment) environment[name] = value;
  EXPECT_EQ(environment, FlatJson::below(oracle, "environment"));
}

TEST_P(NcclOracle, linksRingsAndTreesAreAsCounted) {
  const NcclLog& log = network.log();
  Counts kinds;
  for (const auto& [kind, count] : log.linkLines) kinds[log.kinds[static_cast<std::size_t>(kind)]] = count;
  EXPECT_EQ(kinds, expected("links_strict"));
  EXPECT_GE(sumOf(kinds), number("links_strict_total"));
  EXPECT_LE(sumOf(kinds), number("links_loose_total"));
  EXPECT_EQ(filled(log.linkFlags), expected("link_flags"));
  Counts directions{
      {"none", log.linkDirections[0]}, {"send", log.linkDirections[1]}, {"receive", log.linkDirections[2]}};
  EXPECT_EQ(filled(directions), expected("link_direction"));
  Counts connections;
  for (const auto& [connection, count] : log.linkConnections)
    connections[connection < 0 ? "-" : std::to_string(connection)] = count;
  EXPECT_EQ(connections, expected("link_connection_index"));
  std::set<std::tuple<int, int, int>> edges;
  std::int64_t channel = -1;
  for (const NcclLink& link : log.links) {
    edges.emplace(link.channel, link.from, link.to);
    channel = std::max<std::int64_t>(channel, link.channel);
  }
  EXPECT_EQ(edges.size(), number("distinct_edges"));
  EXPECT_EQ(std::to_string(channel), oracle.at("max_channel"));
  Counts headers, lengths;
  for (const NcclRingLine& ring : log.rings) {
    const std::string channels = std::to_string(ring.channels);
    ++headers[ring.channels < 0 ? "?" : (channels.size() < 2 ? "0" : "") + channels];
    ++lengths[std::to_string(ring.ranks.size())];
  }
  EXPECT_EQ(headers, expected("ring_headers_by_channel_count"));
  EXPECT_EQ(lengths, expected("ring_header_lengths"));
  EXPECT_EQ(log.ringStepLines, number("ring_next_lines"));
  EXPECT_EQ(log.treeLines, number("tree_lines"));
}

// The script leaves out lines whose thread it cannot tell; ours may know them by other evidence.
TEST_P(NcclOracle, linksBelongToTheCommunicatorOfTheirThread) {
  const Counts expectedLinks = expected("links_by_nranks_of_the_thread");
  if (expectedLinks.empty()) return;
  Counts ours;
  for (const NcclLink& link : network.log().links) {
    ASSERT_NE(link.instance, kNoNcclIndex);
    ++ours[std::to_string(network.log().instances[link.instance].ranks) + "|" +
           network.log().kinds[link.kind]];
  }
  for (const auto& [name, count] : expectedLinks) EXPECT_GE(ours[name], count) << name;
  EXPECT_EQ(sumOf(ours), sumOf(expectedLinks) + number("links_of_other_threads"));
}

TEST_P(NcclOracle, callsChoicesAndWarningsAreAsCounted) {
  const NcclLog& log = network.log();
  Counts calls, choices, warnings;
  for (const NcclCall& call : log.calls) {
    std::string name = log.operations[call.operation];
    name += " dt" + std::to_string(call.dtype) + " op" + std::to_string(call.reduction);
    ++calls[name + " n" + std::to_string(log.instances[call.instance].ranks)];
  }
  EXPECT_EQ(calls, expected("collective_calls"));
  for (const NcclChoice& choice : log.choices)
    choices[choice.operation + " " + std::to_string(choice.bytes) + " B " + choice.algorithm + "/" +
            choice.protocol] += static_cast<std::uint64_t>(choice.count);
  EXPECT_EQ(choices, expected("algorithm_choices"));
  for (const NcclWarning& warning : log.warnings)
    if (warning.ofNccl) warnings[warning.text] += static_cast<std::uint64_t>(warning.count);
  EXPECT_EQ(warnings, expected("warnings"));
}

TEST_P(NcclOracle, ringsArePermutationsAndTreesConnected) {
  for (const NetCommunicator& communicator : network.topology.communicators) {
    if (communicator.ranks < 2) continue;
    const bool whole = communicator.membersKnown == communicator.ranks;
    for (const NetRing& ring : communicator.rings) {
      const std::set<std::int32_t> once(ring.ranks.begin(), ring.ranks.end());
      EXPECT_EQ(once.size(), ring.ranks.size()) << "a rank twice";
      if (!whole) continue;
      EXPECT_TRUE(ring.closed) << "communicator " << communicator.number << " channel " << ring.channel;
      EXPECT_EQ(static_cast<std::int64_t>(ring.ranks.size()), communicator.ranks);
    }
    for (const NetTree& tree : communicator.trees) {
      if (static_cast<std::int64_t>(tree.nodes.size()) != communicator.ranks) continue;
      EXPECT_TRUE(isTree(tree, communicator.ranks))
          << "communicator " << communicator.number << " channel " << tree.channel;
    }
  }
  EXPECT_FALSE(networkText(network).empty());
}

INSTANTIATE_TEST_SUITE_P(All, NcclOracle, testing::ValuesIn(logNames()),
                         [](const auto& log) { return test::testNameOf(log.param); });

TEST(NcclLogs, aMegatronJobHasTheCommunicatorsOfItsGroups) {
  const std::string name = "v2.7.8-64r-megatron-ib-multicomm.txt.gz";
  RANKSCOPE_SKIP_UNLESS(fs::exists(test::sharedFolder() / "nccl/logs" / name), test::kNoRecordings);
  const JobNetwork network = networkOf((test::sharedFolder() / "nccl/logs" / name).string());
  std::map<std::int64_t, std::int64_t> bySize;
  for (const NetCommunicator& communicator : network.topology.communicators) {
    ++bySize[communicator.ranks];
    EXPECT_EQ(communicator.membersKnown, communicator.ranks);
  }
  EXPECT_EQ(bySize, (std::map<std::int64_t, std::int64_t>{{1, 64}, {2, 64}, {4, 16}, {16, 1}, {64, 2}}));
}

namespace {

NcclRecords readText(const std::string& text) {
  return readNcclText("nccl.log", text);
}

} // namespace

TEST(NcclLogs, prefixesOfLaunchersAreTaskNumbers) {
  for (const auto& [prefix, rank] : std::map<std::string, int>{{" 8: ", 8},
                                                               {"10: ", 10},
                                                               {"[1,3]<stdout>:", 3},
                                                               {"[1,12]<stderr>:", 12},
                                                               {"[rank5]:", 5},
                                                               {"[default7]:", 7}}) {
    const NcclRecords records = readText(prefix + "node1:12:34 [0] NCCL INFO Using network IB\n");
    ASSERT_EQ(records.log.processes.size(), 1U) << prefix;
    EXPECT_EQ(records.log.processes.front().launcherRank, rank) << prefix;
    EXPECT_EQ(records.log.processes.front().host, "node1");
  }
  const NcclRecords ray = readText("(RayWorkerWrapper pid=927) node1:12:34 [0] NCCL INFO Using network IB\n");
  EXPECT_EQ(ray.log.processes.front().launcherRank, std::nullopt);
  EXPECT_EQ(ray.log.processes.front().network, "IB");
}

TEST(NcclLogs, colorsAndCarriageReturnsDoNotHideALine) {
  const NcclRecords records =
      readText("\x1b[32m[2026-01-02 03:04:05] \x1b[0mgpu-7:1:2 [3] NCCL INFO Using network Socket\r\n");
  ASSERT_EQ(records.log.processes.size(), 1U);
  EXPECT_EQ(records.log.processes.front().host, "gpu-7");
  EXPECT_EQ(records.log.processes.front().network, "Socket");
}

TEST(NcclLogs, anyPieceOfALogIsReadWithoutHarm) {
  const std::string whole =
      "n1:1:1 [0] NCCL INFO comm 0x1 rank 0 nranks 2 cudaDev 0 busId 7000 commId 0xa - Init START\n"
      "n1:1:1 [0] NCCL INFO Channel 00/02 : 0 1\n"
      "n1:1:1 [0] NCCL INFO Trees [0] 1/-1/-1->0->-1 [1] -1/-1/-1->0->1\n"
      "n1:1:1 [0] NCCL INFO Channel 00/0 : 0[7000] -> 1[7000] [send] via NET/AWS "
      "Libfabric/1(2)/GDRDMA(PCI)/Shared\n"
      "n1:1:1 [0] NCCL INFO 2 coll channels, 2 p2p channels, 1 p2p channels per peer\n"
      "n1:1:1 [0] NCCL INFO comm 0x1 rank 0 nranks 2 cudaDev 0 busId 7000 commId 0xa - Init COMPLETE\n"
      "n1:1:1 [0] NCCL INFO AllGather: opCount 1a sendbuff 0x2 recvbuff 0x3 count 5 datatype 9 op 0 root 0 "
      "comm "
      "0x1 [nranks=2] stream 0x4\n"
      "n1:1:1 [0] NCCL INFO AllGather: 10 Bytes -> Algo 1 proto 2 time 12.5\n"
      "n1:1:1 [0] misc/x.cc:12 NCCL WARN Cuda failure 'out of memory'\n";
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    const NcclRecords head = readText(whole.substr(0, cut));
    const NcclRecords tail = readText(whole.substr(cut));
    EXPECT_FALSE(networkText(jobNetwork(std::make_shared<const NcclRecords>(head))).empty());
    EXPECT_FALSE(networkText(jobNetwork(std::make_shared<const NcclRecords>(tail))).empty());
  }
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string changed = whole;
    for (int i = 0; i < 8; ++i) changed[random() % changed.size()] = static_cast<char>(random() % 256);
    EXPECT_FALSE(networkText(jobNetwork(std::make_shared<const NcclRecords>(readText(changed)))).empty());
  }
  const JobNetwork network = jobNetwork(std::make_shared<const NcclRecords>(readText(whole)));
  const NcclLog& log = network.log();
  ASSERT_EQ(network.topology.communicators.size(), 1U);
  const NetCommunicator& communicator = network.topology.communicators.front();
  ASSERT_EQ(communicator.links.size(), 1U);
  EXPECT_EQ(log.kinds[communicator.links[0].kind], "NET/AWS Libfabric");
  EXPECT_EQ(communicator.links[0].nic, 1);
  EXPECT_EQ(communicator.links[0].viaRank, 2);
  EXPECT_TRUE(communicator.links[0].gdr);
  EXPECT_TRUE(communicator.links[0].shared);
  ASSERT_EQ(log.calls.size(), 1U);
  EXPECT_EQ(log.calls.front().opCount, 0x1aU);
  EXPECT_EQ(bytesOfNcclCall(log, log.calls.front()), 5 * 2 * 2);
  ASSERT_EQ(log.choices.size(), 1U);
  EXPECT_EQ(log.choices[0].algorithm, "RING");
  EXPECT_EQ(bytesOfNcclChoice(log, log.choices[0]), 20);
  EXPECT_EQ(log.warnings.at(0).cause, "cuda");
}

TEST(NcclLogs, aRankOutsideOfItsCommunicatorIsDamage) {
  const auto damaged = [](const std::string& rank, const std::string& ranks) {
    const NcclRecords records =
        readText("n1:1:1 [0] NCCL INFO Using network IB\nn1:1:1 [0] NCCL INFO comm 0x9 rank " + rank +
                 " nranks " + ranks + " cudaDev 0 busId 1 commId 0xa - Init START\n");
    const NcclFile& file = records.log.files.at(0);
    EXPECT_EQ(file.damage.size(), file.damagedLines);
    for (const NcclDamage& damage : file.damage) EXPECT_EQ(damage.line, 2U);
    return file.damagedLines;
  };
  EXPECT_EQ(damaged("3", "4"), 0U);
  EXPECT_EQ(damaged("-1", "4"), 1U);
  EXPECT_EQ(damaged("9", "4"), 1U);
  EXPECT_EQ(damaged("4", "4"), 1U);
  EXPECT_EQ(damaged("x", "4"), 1U);
  EXPECT_EQ(damaged("0", "x"), 1U);
}

TEST(NcclLogs, aPointerIsUsedAgainForAnotherCommunicator) {
  std::string text;
  for (const char* id : {"0xa", "0xb"}) {
    text += std::string("n1:1:1 [0] NCCL INFO comm 0x9 rank 0 nranks 1 cudaDev 0 busId 1 commId ") + id +
            " - Init START\n";
    text += std::string("n1:1:1 [0] NCCL INFO comm 0x9 rank 0 nranks 1 cudaDev 0 busId 1 commId ") + id +
            " - Init COMPLETE\n";
    text += "n1:1:1 [0] NCCL INFO comm 0x9 rank 0 nranks 1 cudaDev 0 busId 1 - Destroy COMPLETE\n";
  }
  EXPECT_EQ(jobNetwork(std::make_shared<const NcclRecords>(readText(text))).topology.communicators.size(),
            2U);
}

TEST(NcclFiles, aFolderIsSearchedForLogsByNameAndContent) {
  const test::TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder.path() / name, std::ios::binary) << text;
  };
  const std::string line = "n1:1:1 [0] NCCL INFO Using network IB\n";
  write("nccl.n1.7", line);
  write("job.out", "hello\n" + line);
  write("notes.txt", "nothing of interest\n");
  write("weights.bin", line);
  write("trace.json", line);
  write("table.txt", "# size count type redop root time algbw busbw\n 8 2 float sum -1 10.0 0.1 0.2 0\n");
  const std::vector<std::string> given{folder.path().string()};
  std::vector<std::string> found;
  for (const std::string& path : findNcclFiles(given)) found.push_back(fs::path(path).filename().string());
  EXPECT_EQ(found, (std::vector<std::string>{"job.out", "nccl.n1.7", "table.txt"}));
  const std::vector<std::string> named{(folder.path() / "weights.bin").string(), folder.path().string()};
  EXPECT_EQ(findNcclFiles(named).size(), 4U) << "a file that is named is looked at";
  EXPECT_EQ(withoutNcclFiles(named), given);
  const NcclRecords none = readNcclFiles({(folder.path() / "gone.log").string()});
  EXPECT_FALSE(none.log.files.at(0).problem.empty());
}

} // namespace rankscope
