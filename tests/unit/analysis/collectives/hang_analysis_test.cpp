// SPDX-License-Identifier: GPL-3.0-or-later
// Flight Recorder dumps of real jobs, and made ones: who hangs. Covers core/model/flight_record,
// core/analysis/collectives/flight_groups, core/analysis/collectives/hang_verdicts.
#include "core/analysis/collectives/hang_analysis.h"

#include "core/io/pickle/plain_data.h"
#include "core/report/hang_tables.h"
#include "tests/support/shared_data.h"
#include "tests/unit/analysis/collectives/flight_dumps.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace rankscope {

namespace {

namespace fs = std::filesystem;
using test::dumpFolder;
using test::dumpsIn;
using test::flightCall;
using test::flightRank;
using test::resultsOfDumps;

std::vector<int> ranksIn(const ValueTree& values, ValueId list) {
  std::vector<int> ranks;
  values.eachItem(list, [&](ValueId item) { ranks.push_back(static_cast<int>(*values.integer(item))); });
  return ranks;
}

// "waits_for": {"0": [["default_pg", [2]]]}: for each rank the groups and ranks it waits for.
std::set<std::tuple<int, std::string, std::vector<int>>> waitsIn(const ValueTree& values, ValueId dict) {
  std::set<std::tuple<int, std::string, std::vector<int>>> waits;
  values.eachMember(dict, [&](ValueId rank, ValueId list) {
    values.eachItem(list, [&](ValueId pair) {
      waits.insert({std::stoi(std::string(values.text(rank))), std::string(values.text(values.item(pair, 0))),
                    ranksIn(values, values.item(pair, 1))});
    });
  });
  return waits;
}

std::map<int, std::int64_t> byRankIn(const ValueTree& values, ValueId dict) {
  std::map<int, std::int64_t> found;
  values.eachMember(dict, [&](ValueId rank, ValueId value) {
    found[std::stoi(std::string(values.text(rank)))] = *values.integer(value);
  });
  return found;
}

void compareGroup(const ValueTree& values, ValueId expected, const HangAnalysis& hang) {
  const std::string desc(values.text(values.member(expected, "group")));
  const std::vector<int> ranks = ranksIn(values, values.member(expected, "ranks"));
  const auto group = std::ranges::find_if(
      hang.groups, [&](const HangGroup& one) { return one.desc == desc && one.ranks() == ranks; });
  ASSERT_NE(group, hang.groups.end()) << desc;
  SCOPED_TRACE(desc + " " + rankListText(ranks));
  EXPECT_EQ(group->pointToPoint, values.truth(values.member(expected, "p2p")));
  EXPECT_EQ(group->inferred, values.truth(values.member(expected, "inferred_members")));
  EXPECT_EQ(group->withoutDump, ranksIn(values, values.member(expected, "no_dump")));
  const auto size = values.integer(values.member(expected, "size"));
  EXPECT_EQ(group->size, size);
  std::map<int, std::int64_t> enqueued, completed;
  for (const HangMember& member : group->members) {
    enqueued[member.rank] = member.enqueued;
    completed[member.rank] = member.completed;
  }
  EXPECT_EQ(enqueued, byRankIn(values, values.member(expected, "enqueued")));
  EXPECT_EQ(completed, byRankIn(values, values.member(expected, "completed")));
  if (group->pointToPoint) return;
  EXPECT_EQ(group->waiting, values.truth(values.member(expected, "waiting")));
  if (!group->waiting) return;
  EXPECT_EQ(group->firstUnfinished, values.integer(values.member(expected, "first_unfinished_seq")));
  EXPECT_EQ(group->missing, ranksIn(values, values.member(expected, "missing")));
  EXPECT_EQ(group->behind, ranksIn(values, values.member(expected, "behind_completed_peers")));
}

} // namespace

TEST(HangAnalysis, equalsTheFiguresOfRealDumps) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(test::sharedFolder() / "memory"), test::kNoRecordings);
  for (const std::string name : {"nccl_gpu_error_1st", "nccl_lock_gil_1st", "gloo_missing"}) {
    SCOPED_TRACE(name);
    const auto oracle =
        readPlainFile((test::sharedFolder() / "memory" / "oracles" / (name + ".oracle.json")).string());
    ASSERT_TRUE(oracle.ok());
    const ValueTree& values = oracle->values;
    const auto at = [&](std::string_view key) { return values.member(oracle->root, key); };
    const auto results = resultsOfDumps(dumpsIn(dumpFolder(name)));
    ASSERT_TRUE(results->hang);
    const HangAnalysis& hang = *results->hang;
    std::vector<int> ranks;
    std::map<int, std::int64_t> entries, oldest;
    for (const FlightRecord& record : results->files->flightRecords) {
      ranks.push_back(*record.rank);
      entries[*record.rank] = static_cast<std::int64_t>(record.entries.size());
      EXPECT_FALSE(record.json);
    }
    EXPECT_EQ(ranks, ranksIn(values, at("ranks")));
    EXPECT_EQ(entries, byRankIn(values, at("entries")));
    EXPECT_EQ(hang.culpritsWith(HangVerdict::HostNeverCame), ranksIn(values, at("culprits_never_enqueued")));
    EXPECT_EQ(hang.culpritsWith(HangVerdict::DeviceStopped), ranksIn(values, at("culprits_device_behind")));
    EXPECT_EQ(hang.culpritsWith(HangVerdict::Mismatch), std::vector<int>());
    EXPECT_EQ(hang.withoutDump, ranksIn(values, at("dumps_absent")));
    EXPECT_EQ(hang.state, HangState::Culprit);
    std::set<std::tuple<int, std::string, std::vector<int>>> waits;
    for (const HangWait& wait : hang.waits)
      waits.insert({wait.rank, hang.groups[wait.group].desc, wait.waitsFor});
    EXPECT_EQ(waits, waitsIn(values, at("waits_for")));
    EXPECT_EQ(static_cast<std::size_t>(values.size(at("groups"))), hang.groups.size());
    values.eachItem(at("groups"), [&](ValueId group) { compareGroup(values, group, hang); });
    for (const HangGroup& group : hang.groups) {
      for (const HangMember& member : group.members) {
        if (!member.dump || !member.entry) continue;
        const auto created = results->files->flightRecords[*member.dump].entries[*member.entry].created;
        if (!created) continue;
        const auto known = oldest.try_emplace(member.rank, *created).first;
        known->second = std::min(known->second, *created);
      }
    }
    EXPECT_EQ(oldest, byRankIn(values, at("oldest_unfinished_ns")));
  }
}

TEST(HangAnalysis, equalsTheFaultsThatWereInjected) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(test::sharedFolder() / "memory"), test::kNoRecordings);
  std::size_t compared = 0;
  for (const auto& folder : fs::directory_iterator(test::sharedFolder() / "memory" / "flight_recorder")) {
    std::ifstream log(folder.path() / "fault_injection.log");
    if (!log) continue;
    std::set<int> injected;
    for (std::string line; std::getline(log, line);) {
      if (line.starts_with("Rank ")) injected.insert(std::stoi(line.substr(5)));
    }
    const auto results = resultsOfDumps(dumpsIn(folder.path()));
    std::set<int> found;
    for (const HangCulprit& culprit : results->hang->culprits) found.insert(culprit.rank);
    EXPECT_EQ(found, injected) << folder.path();
    ++compared;
  }
  EXPECT_GE(compared, 2U);
}

// What it enqueued last may be missing in a dump that is cut, however complete the rest is.
TEST(HangAnalysis, aJobWithACutDumpIsNotHealthy) {
  std::vector<FlightRecord> records{flightRank(0, 2, 9, 9), flightRank(1, 2, 9, 9)};
  records.back().partial = true;
  const HangAnalysis hang = analyzeHang(records);
  EXPECT_EQ(hang.state, HangState::CannotSay);
  EXPECT_TRUE(hang.culprits.empty());
  EXPECT_EQ(hang.withoutDump, std::vector<int>{1});
  EXPECT_EQ(hang.groups.front().members.back().verdict, HangVerdict::Unknown);
  // A dump that is cut before its groups: the rank has one all the same.
  records.back().groups.clear();
  records.back().status.clear();
  const HangAnalysis early = analyzeHang(records);
  EXPECT_EQ(early.withoutDump, std::vector<int>{1});
  EXPECT_EQ(early.groups.front().members.back().verdict, HangVerdict::Unknown);
}

TEST(HangAnalysis, nobodyIsAccusedWhereNobodyWaits) {
  const std::vector<FlightRecord> records{flightRank(0, 2, 9, 9), flightRank(1, 2, 9, 9)};
  const HangAnalysis hang = analyzeHang(records);
  EXPECT_EQ(hang.state, HangState::Healthy);
  EXPECT_TRUE(hang.culprits.empty());
  EXPECT_EQ(hang.groups.front().members.front().verdict, HangVerdict::Ok);
}

TEST(HangAnalysis, aGroupThatStandsAsAWholeHasNoCulprit) {
  const std::vector<FlightRecord> records{flightRank(0, 2, 9, 8), flightRank(1, 2, 9, 8)};
  const HangAnalysis hang = analyzeHang(records);
  EXPECT_EQ(hang.state, HangState::CannotSay);
  EXPECT_TRUE(hang.culprits.empty());
  EXPECT_EQ(hang.groups.front().firstUnfinished, 9);
}

// All wait in the same call, however many each host has enqueued behind it.
TEST(HangAnalysis, hostsThatRanAheadOfOthersAccuseNobody) {
  const std::vector<FlightRecord> records{flightRank(0, 3, 14, 10), flightRank(1, 3, 14, 10),
                                          flightRank(2, 3, 12, 10)};
  const HangAnalysis hang = analyzeHang(records);
  EXPECT_EQ(hang.state, HangState::CannotSay);
  EXPECT_TRUE(hang.culprits.empty());
  EXPECT_EQ(hang.groups.front().firstUnfinished, 11);
  EXPECT_EQ(hang.groups.front().missing, std::vector<int>{2}) << "of the last call";
  auto files = std::make_shared<SideFiles>();
  files->flightRecords = records;
  const std::string sentence = hangSentences(*sideResults(files, 1)).front();
  EXPECT_NE(sentence.find("All ranks of the group enqueued"), std::string::npos) << sentence;
  // One that has not entered what the others wait in.
  const std::vector<FlightRecord> late{flightRank(0, 3, 14, 10), flightRank(1, 3, 14, 10),
                                       flightRank(2, 3, 10, 10)};
  EXPECT_EQ(analyzeHang(late).culpritsWith(HangVerdict::HostNeverCame), std::vector<int>{2});
}

// Dumps of a job that runs are not taken at one instant: a rank may be one call behind in them.
TEST(HangAnalysis, oneYoungCallIsNoHang) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const auto dumped = [&](std::int64_t ahead, std::int64_t after) {
    std::vector<FlightRecord> records{flightRank(0, 3, 10 + ahead, 10), flightRank(1, 3, 10 + ahead, 10),
                                      flightRank(2, 3, 10, 10)};
    for (FlightRecord& record : records) {
      for (FlightEntry& entry : record.entries) entry.created = 1000 * kSecond;
      record.written = 1000 * kSecond + after;
    }
    return records;
  };
  const HangAnalysis running = analyzeHang(dumped(1, 2 * kSecond));
  EXPECT_EQ(running.state, HangState::CannotSay);
  EXPECT_TRUE(running.culprits.empty());
  EXPECT_EQ(running.mayRun, 2 * kSecond);
  auto files = std::make_shared<SideFiles>();
  files->flightRecords = dumped(1, 2 * kSecond);
  EXPECT_EQ(
      hangSentences(*sideResults(files, 1)).front(),
      "The job may still run: the oldest unfinished call was 2.00 s old when its dump was written. If it "
      "does not: Rank 2 never entered all_reduce #11 of default_pg; 2 ranks wait for it.");
  // A suspect is named, but not accused, however many calls apart the ranks are.
  const HangAnalysis ahead = analyzeHang(dumped(3, 2 * kSecond));
  EXPECT_TRUE(ahead.culprits.empty());
  ASSERT_EQ(ahead.suspects.size(), 1U);
  EXPECT_EQ(ahead.suspects.front().rank, 2);
  // Archives keep whole seconds, so that a file may seem older than what it holds.
  EXPECT_EQ(analyzeHang(dumped(1, -kSecond / 2)).mayRun, 0);
  // Older, or of an unknown age: that rank did not come.
  std::vector<FlightRecord> unknown = dumped(1, 2 * kSecond);
  unknown.front().written.reset();
  for (const auto& records : {dumped(1, 11 * kSecond), unknown})
    EXPECT_EQ(analyzeHang(records).culpritsWith(HangVerdict::HostNeverCame), std::vector<int>{2});
}

// A host that waits for a send or receive does not call what others wait in, and is not why they wait.
TEST(HangAnalysis, ranksThatWaitInSendOrReceiveAreNotAccused) {
  std::vector<FlightRecord> records{flightRank(0, 3, 9, 8), flightRank(1, 3, 8, 8), flightRank(2, 3, 8, 8)};
  FlightEntry receive = flightCall(records[1], 4, "recv 1<-0", "[[8]]");
  receive.recordId = 100;
  receive.groupId = 1;
  receive.groupName = records[1].stacks.addText("1");
  receive.groupDesc = records[1].stacks.addText("PIPELINE");
  receive.p2p = true;
  receive.p2pSequence = 7;
  records[1].entries.push_back(receive);
  const HangAnalysis hang = analyzeHang(records);
  EXPECT_EQ(hang.culpritsWith(HangVerdict::HostNeverCame), std::vector<int>{2});
  const auto group =
      std::ranges::find_if(hang.groups, [](const HangGroup& of) { return of.desc == "PIPELINE"; });
  ASSERT_NE(group, hang.groups.end());
  EXPECT_EQ(group->members.front().firstUnfinished, 7) << "counted apart from collectives";
}

// The first collective of a group may be what a rank does not come to: its dump has nothing of the group.
TEST(HangAnalysis, aRankThatNeverCalledAGroupIsNamed) {
  std::vector<FlightRecord> records{flightRank(0, 3, 1, 0), flightRank(1, 3, 1, 0), flightRank(2, 3, 0, 0)};
  records[2].status.clear();
  auto files = std::make_shared<SideFiles>();
  files->flightRecords = records;
  const auto results = sideResults(files, 1);
  EXPECT_EQ(results->hang->culpritsWith(HangVerdict::HostNeverCame), std::vector<int>{2});
  EXPECT_TRUE(results->hang->withoutDump.empty());
  EXPECT_EQ(hangSentences(*results).front(),
            "Rank 2 never entered all_reduce #1 of default_pg; 2 ranks wait for it.");
  // PyTorch counts from -1 where nothing was called.
  records[2].status.push_back({0, -1, -1, -1});
  EXPECT_EQ(analyzeHang(records).groups.front().firstUnfinished, 1);
  // Counts of groups that the dump does not name may be of this one.
  records[2].status = {{5, 7, -1, 7}};
  records[2].groups.push_back({"9", "OTHER", {2}});
  files->flightRecords = records;
  const auto unclear = sideResults(files, 1);
  EXPECT_TRUE(unclear->hang->culprits.empty());
  EXPECT_EQ(missingDumps(*unclear).unclear, std::vector<int>{2});
  EXPECT_TRUE(missingDumps(*unclear).cut.empty());
}

// Gloo lists no members: those of the default group are numbered without holes.
TEST(HangAnalysis, aHoleInTheNumbersOfDumpsIsAMissingOne) {
  std::vector<FlightRecord> records{flightRank(0, 4, 9, 8), flightRank(1, 4, 9, 8), flightRank(3, 4, 9, 8)};
  for (FlightRecord& record : records) record.groups.clear();
  const HangAnalysis hang = analyzeHang(records);
  EXPECT_EQ(hang.withoutDump, std::vector<int>{2});
}

// Others wait in two groups; a peer recorded which of the calls is the first that the rank did not come to.
TEST(HangAnalysis, theFirstCallThatARankMissedIsNamed) {
  const auto with = [](int rank, std::int64_t tensor, std::int64_t data) {
    FlightRecord record;
    record.rank = rank;
    record.groups = {{"1", "TENSOR", {0, 1}}, {"2", "DATA", {0, 1, 2}}};
    const auto add = [&](int group, const char* desc, std::int64_t sequence, std::int64_t id) {
      FlightEntry entry = flightCall(record, sequence, "all_reduce", "[[8]]");
      entry.groupId = group;
      entry.groupName = record.stacks.addText(std::to_string(group));
      entry.groupDesc = record.stacks.addText(desc);
      entry.recordId = id;
      entry.created = 1'000'000'000 - id; // the later call seems older
      if (desc[0] == 'T' && sequence == 6) entry.state = FlightState::Completed;
      record.entries.push_back(entry);
    };
    if (rank < 2) {
      record.status.push_back({1, tensor, -1, 6});
      for (std::int64_t s = 6; s <= tensor; ++s) add(1, "TENSOR", s, 10 + s);
    } else {
      record.groups.erase(record.groups.begin());
    }
    record.status.push_back({2, data, -1, 1});
    for (std::int64_t s = 2; s <= data; ++s) add(2, "DATA", s, 20 + s);
    return record;
  };
  const std::vector<FlightRecord> records{with(0, 6, 1), with(1, 7, 2), with(2, 0, 2)};
  const HangAnalysis hang = analyzeHang(records);
  ASSERT_EQ(hang.culpritsWith(HangVerdict::HostNeverCame), std::vector<int>{0});
  EXPECT_EQ(hang.groups[hang.culprits.front().group].desc, "TENSOR");
}

// The rank stands in two groups; what it called first in one of them is what it stands in.
TEST(HangAnalysis, aRankIsNamedByTheGroupInWhichItStoppedFirst) {
  const auto pairOf = [](int rank, std::int64_t completed) {
    FlightRecord record = flightRank(rank, 2, 9, completed);
    FlightGroup large{"1", "EXPERT", {0, 1, 2}};
    record.groups.push_back(large);
    record.status.push_back({1, 5, -1, completed < 9 ? 4 : 5});
    for (FlightEntry& entry : record.entries) entry.created = 1000;
    if (completed < 9) {
      FlightEntry later = flightCall(record, 5, "all_to_all", "[[8]]");
      later.groupId = 1;
      later.groupName = record.stacks.addText("1");
      later.groupDesc = record.stacks.addText("EXPERT");
      later.created = 2000;
      record.entries.push_back(later);
    }
    return record;
  };
  FlightRecord third;
  third.rank = 2;
  third.groups.push_back({"1", "EXPERT", {0, 1, 2}});
  third.status.push_back({1, 5, -1, 5});
  const HangAnalysis hang = analyzeHang(std::vector<FlightRecord>{pairOf(0, 8), pairOf(1, 9), third});
  ASSERT_EQ(hang.culpritsWith(HangVerdict::DeviceStopped), std::vector<int>{0});
  EXPECT_EQ(hang.groups[hang.culprits.front().group].desc, "default_pg");
}

TEST(HangAnalysis, oldestDumpsHaveNoStatus) {
  std::vector<FlightRecord> records{flightRank(0, 2, 3, 2), flightRank(1, 2, 2, 2)};
  for (FlightRecord& record : records) {
    record.status.clear();
    FlightEntry done = flightCall(record, 2, "all_reduce", "[[8]]");
    done.state = FlightState::Completed;
    record.entries.push_back(done);
  }
  const HangAnalysis hang = analyzeHang(records);
  EXPECT_EQ(hang.culpritsWith(HangVerdict::HostNeverCame), std::vector<int>{1});
  EXPECT_EQ(hang.groups.front().members.front().completed, 2);
}

} // namespace rankscope
