// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks of files before they are read, and jobs opened with some of them.
#include "core/io/load/rank_choice.h"

#include "core/io/load/trace_loader.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace rankscope {
namespace {

std::vector<DiscoveredFile> filesIn(const test::TemporaryFolder& folder) {
  const std::vector<std::string> paths{folder.path().string()};
  return discoverTraceFiles(paths).files;
}

test::JobOptions smallJob(int ranks) {
  test::JobOptions options;
  options.ranks = ranks;
  options.steps = 1;
  options.layers = 1;
  return options;
}

std::vector<int> ranksOpened(const test::TemporaryFolder& folder, std::vector<int> ranks) {
  LoadOptions options;
  options.filter.ranks = std::move(ranks);
  Progress progress;
  const auto loaded = loadTraces({folder.path().string()}, options, progress);
  std::vector<int> opened;
  if (!loaded) return opened;
  opened.reserve(loaded.value()->ranks().size());
  for (const RankEntry& rank : loaded.value()->ranks()) opened.push_back(rank.rank);
  return opened;
}

TEST(RankChoice, isByMetadataNamesOrFoldersBeforeReading) {
  for (const char* const pattern :
       {"torch", "rank{rank}.json", "n{node}/rank{localrank}.json", "{rank}/trace.json"}) {
    for (const bool gzip : {false, true}) {
      const test::TemporaryFolder folder;
      test::JobOptions options = smallJob(4);
      options.ranksPerNode = 2;
      options.gzip = gzip;
      options.namePattern = test::namePatternOf(pattern);
      test::generateJob(options, folder.path());
      std::vector<int> ranks;
      ranks.reserve(4);
      for (const auto& rank : ranksBeforeReading(filesIn(folder), 2))
        if (rank) ranks.push_back(*rank); // ground_truth.json has none
      std::ranges::sort(ranks);
      EXPECT_EQ(ranks, (std::vector{0, 1, 2, 3})) << pattern;
      EXPECT_EQ(ranksOpened(folder, {1, 3}), (std::vector{1, 3})) << pattern;
    }
  }
}

// Ranks within a node: the place of the other node's files is known although they are not read.
TEST(RankChoice, keepsTheRanksThatTheWholeJobHas) {
  const test::TemporaryFolder folder;
  test::JobOptions options = smallJob(4);
  options.ranksPerNode = 2;
  options.withDistributedInfo = false;
  options.withCollectiveArgs = false;
  options.namePattern = "node{node}/rank{localrank}.json";
  test::generateJob(options, folder.path());
  ASSERT_EQ(ranksOpened(folder, {}), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(ranksOpened(folder, {2, 3}), (std::vector{2, 3}));
}

TEST(RankChoice, takesFilesThatNameNoRankForNone) {
  const test::TemporaryFolder folder;
  test::JobOptions options = smallJob(2);
  options.withDistributedInfo = false;
  options.namePattern = "host-{pid}.json";
  test::generateJob(options, folder.path());
  for (const auto& rank : ranksBeforeReading(filesIn(folder), 1)) EXPECT_FALSE(rank);
  std::set<int> leftOut;
  EXPECT_TRUE(filesOfRanks(filesIn(folder), std::vector{0, 1}, 1, traceReaders(), leftOut).empty());
  EXPECT_TRUE(leftOut.empty());
  LoadOptions some;
  some.filter.ranks = {0};
  Progress progress;
  const auto loaded = loadTraces({folder.path().string()}, some, progress);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().text().find("no file is of the ranks"), std::string::npos);
}

TEST(RankChoice, survivesAnyFile) {
  const test::TemporaryFolder folder;
  for (const char* const text :
       {"", "{", R"({"distributedInfo")", R"({"distributedInfo": {"rank": )",
        R"({"distributedInfo": {"rank": -3}})", R"({"distributedInfo": {"rank": 99999999999999}})",
        R"({"distributedInfo": {"rank": "5"}})", R"({"traceEvents": [], "distributedInfo": {"rank": 7}})"}) {
    test::writeTraceFile(folder / "rank.json", text);
    const auto ranks = ranksBeforeReading(filesIn(folder), 1);
    ASSERT_EQ(ranks.size(), 1U);
    const bool five = std::string_view(text).find("\"5\"") != std::string_view::npos;
    EXPECT_EQ(ranks[0], five ? std::optional(5) : std::nullopt) << text;
  }
}

TEST(RankChoice, isPartOfTheFiltersText) {
  EXPECT_NE(LoadFilter{.ranks = {1}}.text(), LoadFilter{.ranks = {2}}.text());
  EXPECT_FALSE(LoadFilter{.ranks = {1}}.everything());
}

} // namespace
} // namespace rankscope
