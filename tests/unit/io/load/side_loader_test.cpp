// SPDX-License-Identifier: GPL-3.0-or-later
// Dumps of the Flight Recorder beside a job or alone. Covers core/io/flight_recorder/flight_reader and
// core/io/load/job_loader.
#include "core/io/load/side_loader.h"

#include "core/io/flight_recorder/flight_reader.h"
#include "core/io/load/job_loader.h"
#include "core/report/job_report.h"
#include "core/report/tables.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/analysis/collectives/flight_dumps.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

namespace {

namespace fs = std::filesystem;
using test::dumpFolder;
using test::dumpsIn;

} // namespace

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

// Files that are no traces are not lost where a dump can be shown.
TEST(SideLoader, aJobOfDumpsNamesWhatWasNotLoaded) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(test::sharedFolder() / "memory"), test::kNoRecordings);
  const test::TemporaryFolder folder;
  for (const fs::directory_entry& dump : fs::directory_iterator(dumpFolder("nccl_lock_gil_1st")))
    if (dump.is_regular_file()) fs::copy(dump.path(), folder.path());
  std::ofstream(folder / "other.json") << R"({"a": [1, 2]})";
  std::ofstream(folder / "page.json") << "<!DOCTYPE html><html></html>";
  // More than an error names.
  for (int i = 0; i < 150; ++i) std::ofstream(folder / ("x" + std::to_string(i) + ".json")) << "[]";
  Progress progress;
  const auto job = loadJob({folder.path().string()}, {}, progress);
  ASSERT_TRUE(job.ok());
  EXPECT_EQ((*job)->side().flightRecords.size(), 16U);
  EXPECT_EQ(std::ranges::count((*job)->files(), FileStatus::NotATrace, &FileRecord::status), 152);
  for (const char* const name : {"other.json", "page.json"}) {
    const auto record = std::ranges::find(
        (*job)->files(), name, [](const FileRecord& of) { return fs::path(of.path).filename().string(); });
    ASSERT_NE(record, (*job)->files().end()) << name;
    EXPECT_EQ(record->status, FileStatus::NotATrace);
    EXPECT_NE(record->note, "") << name;
  }
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
  std::vector<std::string> files = dumpsIn(dumpFolder("nccl_gpu_error_1st"));
  for (const std::string& file : dumpsIn(dumpFolder("nccl_lock_gil_1st"))) files.push_back(file);
  const Progress progress;
  const SideReading read = readSideFiles(files, 1, progress);
  EXPECT_EQ(read.files->flightRecords.size(), 16U);
  EXPECT_EQ(
      std::ranges::count(read.notes, "a dump of another job: open its folder separately", &SideNote::note),
      16);
}

} // namespace rankscope
