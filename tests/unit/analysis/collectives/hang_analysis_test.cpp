// SPDX-License-Identifier: GPL-3.0-or-later
// Flight Recorder dumps of real jobs, and made ones: who hangs. Covers core/io/flight_recorder/flight_reader,
// core/model/flight_record, core/analysis/collectives/flight_groups, core/report/hang_tables,
// core/report/hang_text, core/analysis/collectives/hang_advice, core/analysis/findings/finding_side,
// core/io/load/side_loader, core/io/load/job_loader, app/side_commands.
#include "core/analysis/collectives/hang_analysis.h"

#include "core/analysis/collectives/hang_advice.h"
#include "core/io/flight_recorder/flight_reader.h"
#include "core/io/load/job_loader.h"
#include "core/io/load/side_loader.h"
#include "core/report/hang_tables.h"
#include "core/report/job_report.h"
#include "core/report/tables.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

fs::path dumpFolder(const std::string& name) {
  return test::sharedFolder() / "memory" / "flight_recorder" / name;
}

std::vector<std::string> filesIn(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path().string());
  return files;
}

std::shared_ptr<const SideResults> resultsOf(const std::vector<std::string>& files) {
  const Progress progress;
  return sideResults(readSideFiles(files, 2, progress).files, 2);
}

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

FlightEntry call(FlightRecord& record, std::int64_t sequence, const char* operation, const char* sizes) {
  FlightEntry entry;
  entry.recordId = sequence;
  entry.groupName = record.stacks.addText("0");
  entry.groupDesc = record.stacks.addText("default_pg");
  entry.sequence = sequence;
  entry.operation = record.stacks.addText(operation);
  entry.inputSizes = entry.outputSizes = record.stacks.addText(sizes);
  entry.created = 1'000'000'000 * sequence;
  return entry;
}

// A rank of a group of `size` that enqueued and completed so much; what is open calls the operation.
FlightRecord rankOf(int rank, int size, std::int64_t enqueued, std::int64_t completed,
                    const char* operation = "all_reduce", const char* sizes = "[[8]]") {
  FlightRecord record;
  record.rank = rank;
  FlightGroup group{"0", "default_pg", {}};
  for (int i = 0; i < size; ++i) group.ranks.push_back(i);
  record.groups.push_back(group);
  record.status.push_back({0, enqueued, -1, completed});
  for (std::int64_t sequence = completed + 1; sequence <= enqueued; ++sequence)
    record.entries.push_back(call(record, sequence, operation, sizes));
  return record;
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
    const auto results = resultsOf(filesIn(dumpFolder(name)));
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
    const auto results = resultsOf(filesIn(folder.path()));
    std::set<int> found;
    for (const HangCulprit& culprit : results->hang->culprits) found.insert(culprit.rank);
    EXPECT_EQ(found, injected) << folder.path();
    ++compared;
  }
  EXPECT_GE(compared, 2U);
}

TEST(HangAnalysis, picklesAndJsonOfOneMomentSayTheSame) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(test::sharedFolder() / "memory"), test::kNoRecordings);
  std::vector<std::string> pickles, json;
  for (const std::string& file : filesIn(dumpFolder("gloo_missing")))
    (file.ends_with(".json") ? json : pickles).push_back(file);
  const ResultTable left = flightRecorderTable(*resultsOf(pickles));
  const ResultTable right = flightRecorderTable(*resultsOf(json));
  ASSERT_EQ(left.rowCount(), right.rowCount());
  for (std::size_t row = 0; row < left.rowCount(); ++row) {
    for (std::size_t column = 0; column + 1 < left.columns().size(); ++column) // JSON has no frames
      EXPECT_EQ(exactText(left, row, column), exactText(right, row, column)) << left.columns()[column].name;
  }
  EXPECT_NE(exactText(left, 0, *left.columnNamed("frame")).find("fr.py"), std::string::npos);
}

TEST(HangAnalysis, aMissingDumpIsTheFirstSuspect) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(test::sharedFolder() / "memory"), test::kNoRecordings);
  for (const int gone : {2, 0}) {
    std::vector<std::string> files;
    for (const std::string& file : filesIn(dumpFolder("gloo_missing"))) {
      if (!file.ends_with("_" + std::to_string(gone)) && !file.ends_with(".json")) files.push_back(file);
    }
    const auto results = resultsOf(files);
    EXPECT_EQ(results->hang->withoutDump, std::vector<int>{gone});
    EXPECT_EQ(results->hang->state, HangState::CannotSay);
    EXPECT_NE(hangSentences(*results).front().find("left no dump"), std::string::npos);
  }
}

// A process whose dump is cut or damaged need not have died, and nobody is accused for what the dump lacks.
TEST(HangAnalysis, aDamagedDumpIsToldAsThat) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(test::sharedFolder() / "memory"), test::kNoRecordings);
  const test::TemporaryFolder folder;
  std::vector<std::string> files;
  for (const std::string& file : filesIn(dumpFolder("gloo_missing"))) {
    if (file.ends_with(".json")) continue;
    files.push_back(folder / fs::path(file).filename().string());
    fs::copy_file(file, files.back());
    if (file.ends_with("_2")) fs::resize_file(files.back(), 700);
    if (file.ends_with("_1")) fs::resize_file(files.back(), 40);
  }
  std::ofstream(folder / "gloo_trace_rank_3") << "not a dump";
  const auto results = resultsOf(files);
  EXPECT_EQ(results->hang->withoutDump, (std::vector<int>{1, 2, 3}));
  EXPECT_TRUE(results->hang->culprits.empty());
  std::string all;
  for (const std::string& sentence : hangSentences(*results)) all += sentence + "\n";
  EXPECT_NE(all.find("Rank 2 left a dump that is cut"), std::string::npos) << all;
  EXPECT_NE(all.find("Ranks 1, 3 left dumps that cannot be read"), std::string::npos) << all;
  EXPECT_EQ(all.find("died"), std::string::npos) << all;
  const ResultTable table = flightRecorderTable(*results);
  for (std::size_t row = 0; row < table.rowCount(); ++row) {
    if (exactText(table, row, *table.columnNamed("rank")) != "2") continue;
    const std::string verdict = exactText(table, row, *table.columnNamed("verdict"));
    EXPECT_TRUE(verdict == "unknown" || verdict == "no_dump") << verdict;
  }
  // The files are named, the readable ones are not.
  Progress progress;
  std::set<std::string> notUsed;
  for (const SideNote& note : readSideFiles(files, 1, progress).notes) {
    if (note.use == SideUse::None || note.use == SideUse::Part)
      notUsed.insert(fs::path(note.path).filename().string());
  }
  EXPECT_EQ(notUsed, (std::set<std::string>{"gloo_trace_rank_1", "gloo_trace_rank_2", "gloo_trace_rank_3"}));
}

// In text, JSON and table: only a rank that left nothing may have died.
TEST(HangAnalysis, damagedCutAndMissingDumpsAreToldApart) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(test::sharedFolder() / "memory"), test::kNoRecordings);
  const test::TemporaryFolder folder;
  std::vector<std::string> files;
  for (const std::string& file : filesIn(dumpFolder("gloo_missing"))) {
    if (file.ends_with(".json") || file.ends_with("_0")) continue;
    files.push_back(folder / fs::path(file).filename().string());
    fs::copy_file(file, files.back());
    if (file.ends_with("_2")) fs::resize_file(files.back(), 700);
    if (file.ends_with("_1")) fs::resize_file(files.back(), 40);
  }
  const auto results = resultsOf(files);
  const MissingDumps missing = missingDumps(*results);
  EXPECT_EQ(missing.none, std::vector<int>{0});
  EXPECT_EQ(missing.damaged, std::vector<int>{1});
  EXPECT_EQ(missing.cut, std::vector<int>{2});
  const ResultTable table = flightRecorderTable(*results);
  const std::map<std::string, std::string> expected{{"0", "no_dump"}, {"1", "unknown"}, {"2", "unknown"}};
  for (std::size_t row = 0; row < table.rowCount(); ++row) {
    EXPECT_FALSE(exactText(table, row, *table.columnNamed("group")).starts_with("group ")) << "of a cut call";
    const std::string rank = exactText(table, row, *table.columnNamed("rank"));
    if (!expected.contains(rank)) continue;
    EXPECT_EQ(exactText(table, row, *table.columnNamed("verdict")), expected.at(rank)) << rank;
  }
  std::string all;
  for (const std::string& sentence : hangSentences(*results)) all += sentence + "\n";
  EXPECT_NE(all.find("Rank 0 left no dump: its process may have died first"), std::string::npos) << all;
  EXPECT_NE(all.find("Rank 1 left a dump that cannot be read"), std::string::npos) << all;
  EXPECT_NE(all.find("Rank 2 left a dump that is cut: what it did last may be missing"), std::string::npos)
      << all;
  const std::string json = hangJson(*results);
  for (const char* part : {"\"no_dump\": [\n    0\n  ]", "\"damaged_dump\": [\n    1\n  ]",
                           "\"cut_dump\": [\n    2\n  ]", "\"state\": \"cannot_say\""})
    EXPECT_NE(json.find(part), std::string::npos) << part << '\n' << json;
  Progress progress;
  for (const SideNote& note : readSideFiles(files, 1, progress).notes) {
    if (note.path.ends_with("_1")) {
      EXPECT_EQ(note.note, "a Python pickle that ends too early, at byte 40");
    }
  }
}

// The finding of ranks without a whole dump says what to do about theirs.
TEST(HangFindings, adviseByWhatBecameOfTheDump) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(test::sharedFolder() / "memory"), test::kNoRecordings);
  const auto fixWithout = [](const std::string& rank, std::uintmax_t bytes) {
    const test::TemporaryFolder folder;
    for (const std::string& file : filesIn(dumpFolder("gloo_missing"))) {
      if (file.ends_with(".json") || (bytes == 0 && file.ends_with(rank))) continue;
      const std::string copy = folder / fs::path(file).filename().string();
      fs::copy_file(file, copy);
      if (file.ends_with(rank)) fs::resize_file(copy, bytes);
    }
    Progress progress;
    const auto job = loadJob({folder.path().string()}, {}, progress);
    EXPECT_TRUE(job.ok());
    if (!job.ok()) return std::string();
    const JobReport report(std::make_shared<const Analysis>(*job));
    for (const Finding& finding : report.findings())
      if (finding.kind == FindingKind::HangNoDump) return finding.fix;
    return std::string();
  };
  EXPECT_EQ(fixWithout("_1", 0), hangAdvice(HangVerdict::NoDump));
  EXPECT_EQ(fixWithout("_1", 700), damagedDumpAdvice()) << "cut";
  EXPECT_EQ(fixWithout("_1", 40), damagedDumpAdvice()) << "damaged";
}

// What it enqueued last may be missing in a dump that is cut, however complete the rest is.
TEST(HangAnalysis, aJobWithACutDumpIsNotHealthy) {
  std::vector<FlightRecord> records{rankOf(0, 2, 9, 9), rankOf(1, 2, 9, 9)};
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

TEST(HangText, saysHowManyDumpsOfOtherJobsWereLeftOut) {
  auto files = std::make_shared<SideFiles>();
  files->flightRecords = {rankOf(0, 2, 9, 8), rankOf(1, 2, 9, 8)};
  const auto results = sideResults(files, 1);
  EXPECT_EQ(hangText(*results).find("other job"), std::string::npos);
  EXPECT_NE(hangText(*results, 1).find("1 dump of another job was left out: open its folder separately.\n"),
            std::string::npos);
  EXPECT_NE(hangText(*results, 32)
                .find("32 dumps of other jobs were left out: open each of their folders separately.\n"),
            std::string::npos);
  EXPECT_NE(hangJson(*results, 32).find("\"dumps_of_other_jobs\": 32"), std::string::npos);
}

TEST(HangText, namesSeveralRanksWithoutDumpInThePlural) {
  auto files = std::make_shared<SideFiles>();
  files->flightRecords = {rankOf(0, 4, 9, 8)};
  const auto results = sideResults(files, 1);
  EXPECT_EQ(
      hangSentences(*results).front(),
      "Ranks 1-3 left no dump: their processes may have died first, and their groups do not tell which other "
      "rank stopped.");
}

TEST(HangAnalysis, nobodyIsAccusedWhereNobodyWaits) {
  const std::vector<FlightRecord> records{rankOf(0, 2, 9, 9), rankOf(1, 2, 9, 9)};
  const HangAnalysis hang = analyzeHang(records);
  EXPECT_EQ(hang.state, HangState::Healthy);
  EXPECT_TRUE(hang.culprits.empty());
  EXPECT_EQ(hang.groups.front().members.front().verdict, HangVerdict::Ok);
}

TEST(HangAnalysis, aGroupThatStandsAsAWholeHasNoCulprit) {
  const std::vector<FlightRecord> records{rankOf(0, 2, 9, 8), rankOf(1, 2, 9, 8)};
  const HangAnalysis hang = analyzeHang(records);
  EXPECT_EQ(hang.state, HangState::CannotSay);
  EXPECT_TRUE(hang.culprits.empty());
  EXPECT_EQ(hang.groups.front().firstUnfinished, 9);
}

// All wait in the same call, however many each host has enqueued behind it.
TEST(HangAnalysis, hostsThatRanAheadOfOthersAccuseNobody) {
  const std::vector<FlightRecord> records{rankOf(0, 3, 14, 10), rankOf(1, 3, 14, 10), rankOf(2, 3, 12, 10)};
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
  const std::vector<FlightRecord> late{rankOf(0, 3, 14, 10), rankOf(1, 3, 14, 10), rankOf(2, 3, 10, 10)};
  EXPECT_EQ(analyzeHang(late).culpritsWith(HangVerdict::HostNeverCame), std::vector<int>{2});
}

// Dumps of a job that runs are not taken at one instant: a rank may be one call behind in them.
TEST(HangAnalysis, oneYoungCallIsNoHang) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const auto dumped = [&](std::int64_t ahead, std::int64_t after) {
    std::vector<FlightRecord> records{rankOf(0, 3, 10 + ahead, 10), rankOf(1, 3, 10 + ahead, 10),
                                      rankOf(2, 3, 10, 10)};
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
  std::vector<FlightRecord> records{rankOf(0, 3, 9, 8), rankOf(1, 3, 8, 8), rankOf(2, 3, 8, 8)};
  FlightEntry receive = call(records[1], 4, "recv 1<-0", "[[8]]");
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
  std::vector<FlightRecord> records{rankOf(0, 3, 1, 0), rankOf(1, 3, 1, 0), rankOf(2, 3, 0, 0)};
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
  std::vector<FlightRecord> records{rankOf(0, 4, 9, 8), rankOf(1, 4, 9, 8), rankOf(3, 4, 9, 8)};
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
      FlightEntry entry = call(record, sequence, "all_reduce", "[[8]]");
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

TEST(HangText, namesRanksThatCallInAnotherOrder) {
  FlightRecord a = rankOf(0, 2, 9, 8);
  FlightRecord b = rankOf(1, 2, 8, 8);
  for (FlightRecord* record : {&a, &b}) {
    record->groups.push_back({"1", "OTHER", {0, 1}});
    record->status.push_back({1, record == &a ? 4 : 5, -1, 4});
  }
  FlightEntry other = call(b, 5, "all_reduce", "[[8]]");
  other.groupId = 1;
  other.groupName = b.stacks.addText("1");
  other.groupDesc = b.stacks.addText("OTHER");
  b.entries.push_back(other);
  auto files = std::make_shared<SideFiles>();
  files->flightRecords = {a, b};
  EXPECT_EQ(hangSentences(*sideResults(files, 1)).front(),
            "Ranks 0 and 1 wait for each other in different groups: they call collectives in a different "
            "order.");
}

// The rank stands in two groups; what it called first in one of them is what it stands in.
TEST(HangAnalysis, aRankIsNamedByTheGroupInWhichItStoppedFirst) {
  const auto pairOf = [](int rank, std::int64_t completed) {
    FlightRecord record = rankOf(rank, 2, 9, completed);
    FlightGroup large{"1", "EXPERT", {0, 1, 2}};
    record.groups.push_back(large);
    record.status.push_back({1, 5, -1, completed < 9 ? 4 : 5});
    for (FlightEntry& entry : record.entries) entry.created = 1000;
    if (completed < 9) {
      FlightEntry later = call(record, 5, "all_to_all", "[[8]]");
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

TEST(HangAnalysis, namesCallsThatDoNotMatch) {
  const auto mismatch = [](FlightRecord odd) {
    const std::vector<FlightRecord> records{rankOf(0, 3, 9, 8), rankOf(1, 3, 9, 8), std::move(odd)};
    const HangAnalysis hang = analyzeHang(records);
    EXPECT_EQ(hang.culpritsWith(HangVerdict::Mismatch), std::vector<int>{2});
    return hang.groups.front().mismatch;
  };
  EXPECT_EQ(mismatch(rankOf(2, 3, 9, 8, "broadcast")), "all_reduce on ranks 0, 1; broadcast on rank 2");
  EXPECT_EQ(mismatch(rankOf(2, 3, 9, 8, "all_reduce", "[[9]]")),
            "inputs [[8]] on ranks 0, 1; inputs [[9]] on rank 2");
  FlightRecord type = rankOf(2, 3, 9, 8);
  type.entries.front().inputTypes = type.stacks.addText("BFloat16");
  std::vector<FlightRecord> types{rankOf(0, 3, 9, 8), rankOf(1, 3, 9, 8), std::move(type)};
  // What a dump does not say is no difference.
  EXPECT_TRUE(analyzeHang(types).culprits.empty());
  for (int i = 0; i < 2; ++i) types[i].entries.front().inputTypes = types[i].stacks.addText("Float");
  EXPECT_EQ(analyzeHang(types).groups.front().mismatch, "BFloat16 on rank 2; Float on ranks 0, 1");
  // Each rank may send what it likes.
  const std::vector<FlightRecord> any{rankOf(0, 2, 9, 8, "all_to_all", "[[8]]"),
                                      rankOf(1, 2, 9, 8, "all_to_all", "[[9]]")};
  EXPECT_TRUE(analyzeHang(any).culprits.empty());
}

TEST(HangAnalysis, oldestDumpsHaveNoStatus) {
  std::vector<FlightRecord> records{rankOf(0, 2, 3, 2), rankOf(1, 2, 2, 2)};
  for (FlightRecord& record : records) {
    record.status.clear();
    FlightEntry done = call(record, 2, "all_reduce", "[[8]]");
    done.state = FlightState::Completed;
    record.entries.push_back(done);
  }
  const HangAnalysis hang = analyzeHang(records);
  EXPECT_EQ(hang.culpritsWith(HangVerdict::HostNeverCame), std::vector<int>{1});
  EXPECT_EQ(hang.groups.front().members.front().completed, 2);
}

TEST(FlightReader, takesTheRankFromTheName) {
  const auto ranks = [](std::vector<std::string> names) { return ranksOfDumpNames(names); };
  using Ranks = std::vector<std::optional<int>>;
  EXPECT_EQ(ranks({"_dump_0", "_dump_12"}), (Ranks{0, 12}));
  EXPECT_EQ(ranks({"nccl_trace_rank_7"}), (Ranks{7}));
  EXPECT_EQ(ranks({"rank_0.json", "rank_1.json"}), (Ranks{0, 1}));
  EXPECT_EQ(ranks({"gpu07_rank_3_v2", "gpu08_rank_4_v2"}), (Ranks{3, 4}));
  EXPECT_EQ(ranks({"dump"}), (Ranks{std::nullopt}));
}

TEST(SideLoader, aJobMayHaveNothingButDumps) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(test::sharedFolder() / "memory"), test::kNoRecordings);
  Progress progress;
  const auto job = loadJob({dumpFolder("nccl_lock_gil_1st").string()}, {}, progress);
  ASSERT_TRUE(job.ok());
  EXPECT_TRUE((*job)->ranks().empty());
  EXPECT_EQ((*job)->side().flightRecords.size(), 16U);
  const JobReport report(std::make_shared<const Analysis>(*job));
  EXPECT_EQ(tableSpec("flight_recorder")->make(report).rowCount(), 208U);
  const auto beside = std::ranges::count((*job)->files(), FileStatus::Beside, &FileRecord::status);
  EXPECT_EQ(beside, 16);
}

// Each with its own reason, not that it is no trace.
TEST(SideLoader, saysOfEachDumpWhyItCannotBeRead) {
  const test::TemporaryFolder folder;
  const auto write = [&](const char* name, const std::string& bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
  };
  write("nccl_trace_rank_0", "\x80\x02}q\x01(X");
  write("nccl_trace_rank_1", "\x80\x02"
                             "cos\nsystem\n.");
  Progress progress;
  const auto job = loadJob({folder.path().string()}, {}, progress);
  ASSERT_FALSE(job.ok());
  const std::string text = job.error().text();
  EXPECT_NE(text.find("nccl_trace_rank_0: not loaded: a Python pickle that ends too early"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("contains code (GLOBAL), not opened"), std::string::npos) << text;
  EXPECT_EQ(text.find("not a profiler trace"), std::string::npos) << text;
  const auto alone = loadJob({folder / "nccl_trace_rank_0"}, {}, progress);
  ASSERT_FALSE(alone.ok());
  EXPECT_NE(alone.error().text().find("ends too early"), std::string::npos) << alone.error().text();
}

TEST(SideLoader, looksAtFilesByName) {
  for (const char* name : {"nccl_trace_rank_0", "comm_lib_trace_rank_12", "_dump_3", "hccl_trace_rank_1",
                           "_dump_3.gz", "gloo_trace_rank_0.gz", "rank_1.gz", "a.pickle", "b.pkl",
                           "snapshot.html", "rank0.5.memory_snapshot", "x.raw.gz"})
    EXPECT_TRUE(mayBeSideFile(name)) << name;
  for (const char* name : {"model.pt", "train.py", "0001", ".hidden.pickle", "events.out.tfevents.1"})
    EXPECT_FALSE(mayBeSideFile(name)) << name;
}

TEST(SideLoader, leavesOutDumpsOfAnotherJob) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(test::sharedFolder() / "memory"), test::kNoRecordings);
  std::vector<std::string> files = filesIn(dumpFolder("nccl_gpu_error_1st"));
  for (const std::string& file : filesIn(dumpFolder("nccl_lock_gil_1st"))) files.push_back(file);
  const Progress progress;
  const SideReading read = readSideFiles(files, 1, progress);
  EXPECT_EQ(read.files->flightRecords.size(), 16U);
  EXPECT_EQ(
      std::ranges::count(read.notes, "a dump of another job: open its folder separately", &SideNote::note),
      16);
}

TEST(RankList, joinsNeighbours) {
  EXPECT_EQ(rankListText({}), "");
  EXPECT_EQ(rankListText({3}), "3");
  EXPECT_EQ(rankListText({0, 1}), "0, 1");
  EXPECT_EQ(rankListText({0, 1, 2, 3, 8, 10, 11}), "0-3, 8, 10, 11");
}

} // namespace rankscope
