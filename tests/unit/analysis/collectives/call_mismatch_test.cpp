// SPDX-License-Identifier: GPL-3.0-or-later
// What ranks call differently, in made records of the Flight Recorder and in a made dump.
#include "core/analysis/collectives/call_mismatch.h"

#include "core/analysis/collectives/hang_analysis.h"
#include "core/report/hang_tables.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/analysis/collectives/flight_dumps.h"

#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

using test::flightRank;

// A transfer of a rank, in the order of its calls.
struct Moved {
  const char* operation;
  std::int64_t elements;
  bool finished = false;
  const char* type = "Float";
};

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

// Ranks of a group "PIPELINE" of `ranks`. first: number of the first call that the dump has.
FlightRecord transfersOf(int rank, const std::vector<int>& ranks, const std::vector<Moved>& calls,
                         std::int64_t first = 0) {
  FlightRecord record;
  record.rank = rank;
  record.groups.push_back({"1", "PIPELINE", ranks});
  for (std::size_t i = 0; i < calls.size(); ++i) {
    FlightEntry entry;
    entry.recordId = first + static_cast<std::int64_t>(i);
    entry.groupId = 1;
    entry.groupName = record.stacks.addText("1");
    entry.groupDesc = record.stacks.addText("PIPELINE");
    entry.operation = record.stacks.addText(calls[i].operation);
    entry.inputElements = entry.outputElements = calls[i].elements;
    entry.inputSizes = entry.outputSizes = record.stacks.addText(fmt::format("[[{}]]", calls[i].elements));
    entry.inputTypes = entry.outputTypes = record.stacks.addText(calls[i].type);
    entry.created = (100 + entry.recordId) * kNsPerSecond;
    entry.p2p = true;
    entry.p2pSequence = entry.recordId + 1;
    if (calls[i].finished) entry.state = FlightState::Completed;
    record.entries.push_back(entry);
  }
  return record;
}

// Of ranks 4 and 6, the first of which sends to the other.
HangAnalysis endsOf(const std::vector<Moved>& sent, const std::vector<Moved>& received,
                    std::int64_t first = 0) {
  const std::vector<FlightRecord> records{transfersOf(4, {4, 6}, sent, first),
                                          transfersOf(6, {4, 6}, received, first)};
  return analyzeHang(records);
}

} // namespace

TEST(CallMismatch, namesCallsThatDoNotMatch) {
  const auto mismatch = [](FlightRecord odd) {
    const std::vector<FlightRecord> records{flightRank(0, 3, 9, 8), flightRank(1, 3, 9, 8), std::move(odd)};
    const HangAnalysis hang = analyzeHang(records);
    EXPECT_EQ(hang.culpritsWith(HangVerdict::Mismatch), std::vector<int>{2});
    return hang.groups.front().mismatch;
  };
  EXPECT_EQ(mismatch(flightRank(2, 3, 9, 8, "broadcast")), "all_reduce on ranks 0, 1; broadcast on rank 2");
  EXPECT_EQ(mismatch(flightRank(2, 3, 9, 8, "all_reduce", "[[9]]")),
            "inputs [[8]] on ranks 0, 1; inputs [[9]] on rank 2");
  FlightRecord type = flightRank(2, 3, 9, 8);
  type.entries.front().inputTypes = type.stacks.addText("BFloat16");
  std::vector<FlightRecord> types{flightRank(0, 3, 9, 8), flightRank(1, 3, 9, 8), std::move(type)};
  // What a dump does not say is no difference.
  EXPECT_TRUE(analyzeHang(types).culprits.empty());
  for (int i = 0; i < 2; ++i) types[i].entries.front().inputTypes = types[i].stacks.addText("Float");
  EXPECT_EQ(analyzeHang(types).groups.front().mismatch, "BFloat16 on rank 2; Float on ranks 0, 1");
  // Each rank may send what it likes.
  const std::vector<FlightRecord> any{flightRank(0, 2, 9, 8, "all_to_all", "[[8]]"),
                                      flightRank(1, 2, 9, 8, "all_to_all", "[[9]]")};
  EXPECT_TRUE(analyzeHang(any).culprits.empty());
}

TEST(CallMismatch, namesEndsOfATransferThatDiffer) {
  const HangAnalysis hang =
      endsOf({{"send 0->1", 8, true}, {"send 0->1", 16}}, {{"recv 1<-0", 8, true}, {"recv 1<-0", 32}});
  EXPECT_EQ(hang.state, HangState::Culprit);
  EXPECT_EQ(hang.culpritsWith(HangVerdict::Mismatch), (std::vector<int>{4, 6}));
  EXPECT_EQ(hang.groups.front().mismatch, "rank 4 sends [[16]] Float to rank 6, which receives [[32]] Float");
  EXPECT_EQ(hang.groups.front().members.front().verdict, HangVerdict::Mismatch);
  const HangAnalysis types = endsOf({{"send 0->1", 8, false, "BFloat16"}}, {{"recv 1<-0", 8}});
  EXPECT_EQ(types.groups.front().mismatch,
            "rank 4 sends [[8]] BFloat16 to rank 6, which receives [[8]] Float");
}

TEST(CallMismatch, comparesTheSameCallOfBothEnds) {
  // What is sent to others, received from them or back is no pair.
  EXPECT_TRUE(
      endsOf({{"send 0->1", 8}, {"recv 0<-1", 16}}, {{"send 1->0", 16}, {"recv 1<-0", 8}}).culprits.empty());
  // The sender is ahead: a small send is finished before it is received.
  EXPECT_TRUE(endsOf({{"send 0->1", 8, true}, {"send 0->1", 16}}, {{"recv 1<-0", 8}, {"recv 1<-0", 16}})
                  .culprits.empty());
  EXPECT_EQ(endsOf({{"send 0->1", 8, true}, {"send 0->1", 16}}, {{"recv 1<-0", 16}, {"recv 1<-0", 8}})
                .groups.front()
                .mismatch,
            "rank 4 sends [[8]] Float to rank 6, which receives [[16]] Float");
  // One end alone says nothing.
  EXPECT_TRUE(endsOf({{"send 0->1", 8}}, {}).culprits.empty());
}

// A dump that begins late does not number its calls: the sender may be ahead by any that are open at the
// receiver.
TEST(CallMismatch, accusesNobodyWhereCallsCanBePairedOtherwise) {
  const std::vector<Moved> sent{{"send 0->1", 8, true}, {"send 0->1", 16, true}, {"send 0->1", 8}};
  EXPECT_TRUE(
      endsOf(sent, {{"recv 1<-0", 8, true}, {"recv 1<-0", 16}, {"recv 1<-0", 8}}, 50).culprits.empty());
  const HangAnalysis hang = endsOf(sent, {{"recv 1<-0", 16, true}, {"recv 1<-0", 32}}, 50);
  EXPECT_EQ(hang.culpritsWith(HangVerdict::Mismatch), (std::vector<int>{4, 6})) << "32 was never sent";
}

// Dumps are not taken at one instant: of young calls, one may be the next of the other.
TEST(CallMismatch, doesNotAccuseEndsOfYoungTransfers) {
  const auto dumped = [](std::int64_t after) {
    std::vector<FlightRecord> records{
        transfersOf(4, {4, 6}, {{"send 0->1", 8, true}, {"send 0->1", 8}}, 50),
        transfersOf(6, {4, 6}, {{"recv 1<-0", 8, true}, {"recv 1<-0", 16}}, 50)};
    for (FlightRecord& record : records) record.written = *record.entries.back().created + after;
    return analyzeHang(records);
  };
  const HangAnalysis young = dumped(2 * kNsPerSecond);
  EXPECT_TRUE(young.culprits.empty());
  EXPECT_EQ(young.mayRun, 2 * kNsPerSecond);
  EXPECT_EQ(young.suspects.size(), 2U);
  EXPECT_EQ(young.groups.front().members.front().verdict, HangVerdict::Unknown);
  EXPECT_EQ(dumped(20 * kNsPerSecond).culpritsWith(HangVerdict::Mismatch), (std::vector<int>{4, 6}));
}

// As PyTorch writes it without frames: rank 0 sends twice what rank 1 receives.
TEST(CallMismatch, isSaidOfADump) {
  const test::TemporaryFolder folder;
  std::vector<std::string> files;
  for (const int rank : {0, 1}) {
    std::string entries;
    for (const int id : {0, 1}) {
      const int elements = id == 1 && rank == 0 ? 8192 : 4096;
      entries += fmt::format(
          R"({}{{"record_id": {}, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 0,
 "p2p_seq_id": {}, "op_id": {}, "profiling_name": "nccl:{}", "input_sizes": [[{}, 2]], "input_dtypes": ["BFloat16"],
 "output_sizes": [[{}, 2]], "output_dtypes": ["BFloat16"], "state": "{}", "time_created_ns": 1700000000{}00000000,
 "retired": {}, "timeout_ms": 600000, "is_p2p": true}})",
          id == 0 ? "" : ",", id, id + 1, id + 1, rank == 0 ? "send 0->1" : "recv 1<-0", elements, elements,
          id == 0 ? "completed" : "scheduled", id, id == 0);
    }
    files.push_back(folder / fmt::format("nccl_trace_rank_{}.json", rank));
    std::ofstream(files.back()) << fmt::format(
        R"({{"version": "2.10", "pg_config": {{"0": {{"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}}}},
 "pg_status": {{"0": {{"last_enqueued_collective": "-1", "last_started_collective": "-1",
 "last_completed_collective": "-1"}}}}, "entries": [{}]}})",
        entries);
  }
  const auto results = test::resultsOfDumps(files);
  ASSERT_TRUE(results->hang);
  EXPECT_EQ(
      hangSentences(*results).front(),
      "Sends and receives of default_pg do not match: rank 0 sends [[8192, 2]] BFloat16 to rank 1, which "
      "receives [[4096, 2]] BFloat16.");
  EXPECT_NE(hangJson(*results).find("\"state\": \"culprit\""), std::string::npos) << hangJson(*results);
}

} // namespace rankscope
