// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/io/cache/cached_job.h"

namespace rankscope::test {
namespace {

class FileFates : public CachedJobTest {
 protected:
  static std::map<std::string, FileFate> fatesOf(const TraceSet& traces) {
    std::map<std::string, FileFate> fates;
    for (const FileRecord& file : traces.files()) {
      EXPECT_EQ(file.rank.has_value(), file.fate == FileFate::Shown) << file.path;
      fates[fs::path(file.path).filename().string()] = file.fate;
    }
    return fates;
  }
};

TEST_F(FileFates, areToldOfEveryFileAndKept) {
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
  const std::map<std::string, FileFate> fates = fatesOf(*traces);
  EXPECT_EQ(fates.at("notes.json"), FileFate::NotATrace);
  EXPECT_EQ(fates.at("nccl_trace_rank_0"), FileFate::NotATrace);
  EXPECT_EQ(fates.at("memory.pickle"), FileFate::NotATrace);
  EXPECT_EQ(fates.at("rank6.pt.trace.json"), FileFate::NotATrace);
  EXPECT_EQ(fates.at("rank7.pt.trace.json.gz"), FileFate::LeftOut);
  EXPECT_EQ(fates.at("rank8.pt.trace.json"), FileFate::LeftOut);
  std::map<FileFate, int> counts;
  for (const FileRecord& file : traces->files()) ++counts[file.fate];
  EXPECT_EQ(counts[FileFate::Shown], 3);
  EXPECT_EQ(counts[FileFate::OtherJob], 2);

  const auto again = load();
  ASSERT_TRUE(again && again->origin().cached);
  EXPECT_EQ(fatesOf(*again), fates);
}

} // namespace
} // namespace rankscope::test
