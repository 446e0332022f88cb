// SPDX-License-Identifier: GPL-3.0-or-later
// What is said of Flight Recorder dumps of real jobs, whole, cut, damaged and missing, and of made ones.
// Covers core/report/hang_text, core/analysis/collectives/hang_advice, core/analysis/findings/finding_side
// and app/side_commands.
#include "core/report/hang_tables.h"

#include "core/analysis/collectives/hang_advice.h"
#include "core/io/load/job_loader.h"
#include "core/report/job_report.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/analysis/collectives/flight_dumps.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace rankscope {

namespace {

namespace fs = std::filesystem;
using test::dumpFolder;
using test::dumpsIn;
using test::flightCall;
using test::flightRank;
using test::resultsOfDumps;

} // namespace

TEST(HangAnalysis, picklesAndJsonOfOneMomentSayTheSame) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(test::sharedFolder() / "memory"), test::kNoRecordings);
  std::vector<std::string> pickles, json;
  for (const std::string& file : dumpsIn(dumpFolder("gloo_missing")))
    (file.ends_with(".json") ? json : pickles).push_back(file);
  const ResultTable left = flightRecorderTable(*resultsOfDumps(pickles));
  const ResultTable right = flightRecorderTable(*resultsOfDumps(json));
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
    for (const std::string& file : dumpsIn(dumpFolder("gloo_missing"))) {
      if (!file.ends_with("_" + std::to_string(gone)) && !file.ends_with(".json")) files.push_back(file);
    }
    const auto results = resultsOfDumps(files);
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
  for (const std::string& file : dumpsIn(dumpFolder("gloo_missing"))) {
    if (file.ends_with(".json")) continue;
    files.push_back(folder / fs::path(file).filename().string());
    fs::copy_file(file, files.back());
    if (file.ends_with("_2")) fs::resize_file(files.back(), 700);
    if (file.ends_with("_1")) fs::resize_file(files.back(), 40);
  }
  std::ofstream(folder / "gloo_trace_rank_3") << "not a dump";
  const auto results = resultsOfDumps(files);
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
  for (const std::string& file : dumpsIn(dumpFolder("gloo_missing"))) {
    if (file.ends_with(".json") || file.ends_with("_0")) continue;
    files.push_back(folder / fs::path(file).filename().string());
    fs::copy_file(file, files.back());
    if (file.ends_with("_2")) fs::resize_file(files.back(), 700);
    if (file.ends_with("_1")) fs::resize_file(files.back(), 40);
  }
  const auto results = resultsOfDumps(files);
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
    for (const std::string& file : dumpsIn(dumpFolder("gloo_missing"))) {
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

TEST(HangText, saysHowManyDumpsOfOtherJobsWereLeftOut) {
  auto files = std::make_shared<SideFiles>();
  files->flightRecords = {flightRank(0, 2, 9, 8), flightRank(1, 2, 9, 8)};
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
  files->flightRecords = {flightRank(0, 4, 9, 8)};
  const auto results = sideResults(files, 1);
  EXPECT_EQ(
      hangSentences(*results).front(),
      "Ranks 1-3 left no dump: their processes may have died first, and their groups do not tell which other "
      "rank stopped.");
}

TEST(HangText, namesRanksThatCallInAnotherOrder) {
  FlightRecord a = flightRank(0, 2, 9, 8);
  FlightRecord b = flightRank(1, 2, 8, 8);
  for (FlightRecord* record : {&a, &b}) {
    record->groups.push_back({"1", "OTHER", {0, 1}});
    record->status.push_back({1, record == &a ? 4 : 5, -1, 4});
  }
  FlightEntry other = flightCall(b, 5, "all_reduce", "[[8]]");
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

TEST(HangText, writesSendsAndReceivesInOneWay) {
  FlightRecord record = flightRank(0, 2, 9, 8);
  const auto nameOf = [&](const char* recorded) {
    return flightCallName(record, flightCall(record, 9, recorded, "[[8]]"));
  };
  EXPECT_EQ(nameOf("send 0->3"), "send 0→3");
  EXPECT_EQ(nameOf("recv 2<-3"), "recv 2←3");
  EXPECT_EQ(nameOf("coalesced"), "coalesced");
  EXPECT_EQ(nameOf("all_reduce"), "all_reduce");
}

TEST(RankList, joinsNeighbours) {
  EXPECT_EQ(rankListText({}), "");
  EXPECT_EQ(rankListText({3}), "3");
  EXPECT_EQ(rankListText({0, 1}), "0, 1");
  EXPECT_EQ(rankListText({0, 1, 2, 3, 8, 10, 11}), "0-3, 8, 10, 11");
}

} // namespace rankscope
