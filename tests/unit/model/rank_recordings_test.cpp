// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/rank_recordings.h"

#include "core/io/load/trace_loader.h"
#include "core/model/recorded_once.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"

#include <cstdint>
#include <filesystem>
#include <gtest/gtest.h>

namespace rankscope {

namespace {

std::uint64_t bytesIn(const std::filesystem::path& folder) {
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename() != "ground_truth.json") bytes += entry.file_size();
  return bytes;
}

} // namespace

TEST(RankRecordings, everyRankHasItsCapturesInOrder) {
  const test::TemporaryFolder folder;
  test::JobOptions options;
  options.ranks = 3;
  options.steps = 1;
  options.layers = 1;
  options.captures = 2;
  generateJob(options, folder.path());
  Progress progress;
  const auto loaded = loadTraces({folder.path().string()}, {}, progress);
  ASSERT_TRUE(loaded.ok());
  const TraceSet& traces = **loaded;
  const auto recordings = recordingsByRank(traces);
  ASSERT_EQ(recordings.size(), 3U);
  for (std::size_t rank = 0; rank < recordings.size(); ++rank) {
    ASSERT_EQ(recordings[rank].size(), 2U);
    for (int capture = 1; const RankIndex recording : recordings[rank]) {
      EXPECT_EQ(traces.rank(recording).rank, static_cast<int>(rank));
      EXPECT_EQ(traces.rank(recording).capture, capture++);
    }
  }
  // Of some recordings: rows are in their order.
  const std::vector<RankIndex> some{recordings[2][1], recordings[0][0], recordings[2][0]};
  const RankRows rows = rankRows(traces, some);
  EXPECT_EQ(rows.first, (std::vector{some[0], some[1]}));
  EXPECT_EQ(rows.rowOf, (std::vector<std::size_t>{0, 1, 0}));
  EXPECT_TRUE(rows.joins());
  EXPECT_FALSE(rankRows(traces, std::span(some).first(2)).joins());
  EXPECT_EQ(rankRows(traces, {}).count(), 0U);
  EXPECT_EQ(traces.shownBytes(), bytesIn(folder.path()));
  LoadOptions second;
  second.capture = 2;
  const auto part = loadTraces({folder.path().string()}, second, progress);
  ASSERT_TRUE(part.ok());
  ASSERT_EQ((*part)->ranks().size(), 3U);
  std::uint64_t bytes = 0;
  for (const RankEntry& entry : (*part)->ranks()) bytes += (*part)->file(entry.file).bytes;
  EXPECT_EQ((*part)->shownBytes(), bytes) << "of the capture that was chosen";
  EXPECT_LT(bytes, traces.shownBytes());
  // Captures one after another are different times; NsysTruth has ranks that two profilers recorded.
  EXPECT_EQ(recordedOnce(traces, some), some);
}

} // namespace rankscope
