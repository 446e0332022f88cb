// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/io/cache/cached_job.h"

namespace rankscope::test {
namespace {

class FileStatuses : public CachedJobTest {
 protected:
  static std::map<std::string, FileStatus> fatesOf(const TraceSet& traces) {
    std::map<std::string, FileStatus> fates;
    for (const FileRecord& file : traces.files()) {
      EXPECT_EQ(file.rank.has_value(), file.status == FileStatus::Shown) << file.path;
      fates[fs::path(file.path).filename().string()] = file.status;
    }
    return fates;
  }
};

TEST_F(FileStatuses, areReportedOfEveryFileAndKept) {
  makeJob([](JobOptions& options) { options.ranks = 3; });
  JobOptions other;
  other.ranks = 2;
  other.steps = 2;
  other.layers = 2;
  generateJob(other, jobFolder() / "other");
  fs::remove(jobFolder() / "other" / "ground_truth.json");
  write(jobFolder() / "notes.json", R"({"learning_rate": 0.1})");
  write(jobFolder() / "nccl_trace_rank_0", "dump");
  write(jobFolder() / "memory.pickle", "snapshot");
  write(jobFolder() / "rank6.pt.trace.json", "no JSON at all");
  write(jobFolder() / "rank7.pt.trace.json.gz", "\x1f\x8b\x08 cut");
  write(jobFolder() / "rank8.pt.trace.json", "");

  const auto traces = loadAndKeep();
  ASSERT_TRUE(traces);
  const std::map<std::string, FileStatus> fates = fatesOf(*traces);
  EXPECT_EQ(fates.at("notes.json"), FileStatus::NotATrace);
  EXPECT_EQ(fates.at("nccl_trace_rank_0"), FileStatus::NotATrace);
  EXPECT_EQ(fates.at("memory.pickle"), FileStatus::NotATrace);
  EXPECT_EQ(fates.at("rank6.pt.trace.json"), FileStatus::NotATrace);
  EXPECT_EQ(fates.at("rank7.pt.trace.json.gz"), FileStatus::LeftOut);
  EXPECT_EQ(fates.at("rank8.pt.trace.json"), FileStatus::LeftOut);
  std::map<FileStatus, int> counts;
  for (const FileRecord& file : traces->files()) ++counts[file.status];
  EXPECT_EQ(counts[FileStatus::Shown], 3);
  EXPECT_EQ(counts[FileStatus::OtherJob], 2);

  const auto again = load();
  ASSERT_TRUE(again && again->origin().cached);
  EXPECT_EQ(fatesOf(*again), fates);
}

} // namespace
} // namespace rankscope::test
