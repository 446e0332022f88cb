// SPDX-License-Identifier: GPL-3.0-or-later
// Jobs in archives give the same tables as their folders.
#include "core/io/load/archived_traces.h"

#include "core/io/load/job_loader.h"
#include "core/io/load/trace_loader.h"
#include "core/report/network_source.h"
#include "core/report/report_files.h"
#include "core/report/tables.h"
#include "tests/support/archive_writer.h"
#include "tests/support/job_generator.h"
#include "tests/support/job_variants.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

Result<std::shared_ptr<const TraceSet>> opened(const fs::path& path, Progress& progress) {
  return loadTraces({path.string()}, {2, std::nullopt}, progress);
}

std::shared_ptr<const TraceSet> opened(const fs::path& path) {
  Progress progress;
  const auto loaded = opened(path, progress);
  if (loaded) return *loaded;
  ADD_FAILURE() << loaded.error().text();
  return nullptr;
}

// All tables but the one of files, whose paths differ.
std::string tablesOf(const std::shared_ptr<const TraceSet>& set) {
  if (set == nullptr) return {};
  const JobReport report(std::make_shared<const Analysis>(set));
  std::string text;
  for (const char* const name :
       {"ranks", "steps", "collective_instances", "operators", "kernels", "gaps", "findings"})
    text += formattedTable(tableSpec(name)->make(report), TableFormat::Csv);
  return text;
}

class ArchivedTraces : public testing::Test {
 protected:
  ArchivedTraces() {
    test::generateJob(test::smallJob(), m_job);
    fs::remove(m_job / "ground_truth.json");
  }

  TemporaryFolder m_folder;
  fs::path m_job = m_folder.path() / "job";
};

} // namespace

TEST_F(ArchivedTraces, anArchiveOpensAsItsFolder) {
  const std::string expected = tablesOf(opened(m_job));
  for (const char* const name : {"job.tar", "job.tar.gz", "job.tar.zst", "job.tar.xz", "job.zip"}) {
    const fs::path archive = m_folder.path() / name;
    test::writeArchive(archive, test::membersOf(m_job));
    EXPECT_EQ(tablesOf(opened(archive)), expected) << name;
  }
}

TEST_F(ArchivedTraces, anArchiveWithTheNameOfATraceOpensToo) {
  const std::string expected = tablesOf(opened(m_job));
  for (const auto& [written, name] : {std::pair("job.tar.gz", "job.pt.trace.json.gz"),
                                      std::pair("job.zip", "job.json"), std::pair("job.tar", "rank0.json")}) {
    test::writeArchive(m_folder.path() / written, test::membersOf(m_job));
    fs::rename(m_folder.path() / written, m_folder.path() / name);
    EXPECT_EQ(tablesOf(opened(m_folder.path() / name)), expected) << name;
  }
}

// Of recorded jobs with several ranks, captures or formats.
TEST_F(ArchivedTraces, anArchiveOfARecordedJobOpensAsItsFolder) {
  RANKSCOPE_SKIP_UNLESS(!test::sharedTraceSets().front().empty(), test::kNoRecordings);
  for (const char* const set : {"p2p-4rank-t4", "dlrm-8rank-v100", "pippy-pipeline"}) {
    const fs::path folder = test::sharedFolder() / "traces" / set;
    const std::string expected = tablesOf(opened(folder));
    const std::vector<test::ArchiveMember> members = test::membersOf(folder);
    for (const char* const ending : {".tar", ".tar.gz", ".tar.zst", ".zip"}) {
      const fs::path archive = m_folder.path() / (set + std::string(ending));
      test::writeArchive(archive, members);
      EXPECT_EQ(tablesOf(opened(archive)), expected) << archive;
      fs::remove(archive);
    }
  }
}

TEST_F(ArchivedTraces, compressedFilesAndArchivesOfRanksOpenTogether) {
  const std::string expected = tablesOf(opened(m_job));
  const fs::path zst = m_folder.path() / "zst";
  const fs::path tars = m_folder.path() / "tars";
  const fs::path outer = m_folder.path() / "outer.tar";
  fs::create_directory(zst);
  fs::create_directory(tars);
  for (const test::ArchiveMember& rank : test::membersOf(m_job)) {
    test::writeCompressed(zst / (rank.name + ".zst"), rank.text);
    test::writeArchive(tars / (fs::path(rank.name).stem().string() + ".tar.gz"), {rank});
  }
  test::writeArchive(outer, test::membersOf(zst));
  EXPECT_EQ(tablesOf(opened(zst)), expected);
  EXPECT_EQ(tablesOf(opened(tars)), expected);
  EXPECT_EQ(tablesOf(opened(outer)), expected);
}

TEST_F(ArchivedTraces, anArchiveBesideTracesStaysClosed) {
  const std::string expected = tablesOf(opened(m_job));
  test::writeArchive(m_job / "job.tar.gz", test::membersOf(m_job));
  const auto set = opened(m_job);
  EXPECT_EQ(tablesOf(set), expected);
  const auto record = std::ranges::find_if(
      set->files(), [](const FileRecord& file) { return file.path.ends_with("job.tar.gz"); });
  ASSERT_NE(record, set->files().end());
  EXPECT_NE(record->note.find("open it by itself"), std::string::npos) << record->note;
}

TEST_F(ArchivedTraces, logsBesideAndInsideArchivesBelongToTheJob) {
  constexpr const char* kLog = "node0:1:1 [0] NCCL INFO NCCL version 2.21.5+cuda12.4\n";
  const std::string expected = tablesOf(opened(m_job));
  const fs::path folder = m_folder.path() / "archives";
  fs::create_directory(folder);
  std::vector<test::ArchiveMember> members = test::membersOf(m_job);
  members.push_back({"logs/nccl.node1.log", kLog, {}});
  test::writeArchive(folder / "job.tar.gz", members);
  std::ofstream(folder / "nccl.log") << kLog;
  Progress progress;
  const std::vector<std::string> paths{folder.string()};
  const auto job = loadJob(paths, {2, std::nullopt}, progress);
  ASSERT_TRUE(job) << job.error().text();
  EXPECT_EQ(tablesOf(*job), expected);
  const auto records = networkInputOf(paths).records();
  ASSERT_NE(records, nullptr);
  EXPECT_EQ(records->paths.size(), 2U);
}

TEST_F(ArchivedTraces, logsAloneInAnArchiveAreAJob) {
  const fs::path archive = m_folder.path() / "logs.tar.gz";
  test::writeArchive(archive, {{"nccl.log", "node0:1:1 [0] NCCL INFO NCCL version 2.21.5+cuda12.4\n", {}}});
  Progress progress;
  const std::vector<std::string> paths{archive.string()};
  const auto job = loadJob(paths, {2, std::nullopt}, progress);
  ASSERT_TRUE(job) << job.error().text();
  EXPECT_TRUE((*job)->ranks().empty());
  const auto records = networkInputOf(paths).records();
  ASSERT_NE(records, nullptr);
  EXPECT_EQ(records->paths.size(), 1U);
}

TEST_F(ArchivedTraces, logsDoNotHideADamagedArchive) {
  const fs::path folder = m_folder.path() / "damaged";
  fs::create_directory(folder);
  std::ofstream(folder / "job.tar.gz") << "no archive at all";
  std::ofstream(folder / "nccl.log") << "node0:1:1 [0] NCCL INFO NCCL version 2.21.5+cuda12.4\n";
  Progress progress;
  const auto job = loadJob({folder.string()}, {2, std::nullopt}, progress);
  ASSERT_FALSE(job);
  EXPECT_NE(job.error().text().find("job.tar.gz"), std::string::npos) << job.error().text();
}

TEST_F(ArchivedTraces, damageIsAProblemOfTheArchiveOnly) {
  const fs::path archive = m_folder.path() / "job.tar.gz";
  test::writeArchive(archive, test::membersOf(m_job));
  fs::resize_file(archive, fs::file_size(archive) * 3 / 4);
  const auto set = opened(archive);
  ASSERT_NE(set, nullptr);
  EXPECT_GT(set->ranks().size(), 0U);
  const auto record = std::ranges::find_if(
      set->files(), [&](const FileRecord& file) { return file.path == archive.string(); });
  ASSERT_NE(record, set->files().end());
  EXPECT_TRUE(record->note.starts_with("read in part: the archive is not whole: byte ")) << record->note;
}

TEST_F(ArchivedTraces, anArchiveWithoutTracesSaysWhatItHoldsAndWhatWasLookedFor) {
  const fs::path archive = m_folder.path() / "photos.zip";
  test::writeArchive(archive, {{"a/photo.png", "no trace", {}}, {"notes.txt", "step 1", {}}});
  Progress progress;
  const auto loaded = opened(archive, progress);
  ASSERT_FALSE(loaded);
  const std::string text = loaded.error().text();
  EXPECT_NE(text.find("an archive without traces: it holds photo.png, notes.txt; looked for *.json"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("none of its"), std::string::npos) << text;
}

TEST_F(ArchivedTraces, cancelWhileUnpackingIsACancel) {
  const fs::path archive = m_folder.path() / "job.tar";
  test::writeArchive(archive, test::membersOf(m_job));
  Progress progress;
  progress.cancel = true;
  const auto loaded = opened(archive, progress);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().kind, ErrorKind::Cancelled);
}

} // namespace rankscope
