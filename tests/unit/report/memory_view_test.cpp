// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/memory_view.h"

#include "core/io/load/trace_loader.h"
#include "core/report/job_report.h"
#include "core/report/memory_role_tables.h"
#include "core/report/model_guesses.h"
#include "core/report/tables.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace rankscope {
namespace {

std::vector<MemoryLevel> randomLevels(std::size_t count, TimeNs end) {
  std::mt19937_64 random(7);
  std::vector<MemoryLevel> levels(count);
  for (MemoryLevel& level : levels)
    level = {static_cast<TimeNs>(random() % static_cast<std::uint64_t>(end)),
             static_cast<std::int64_t>(random() % 1'000'000), -1};
  std::ranges::stable_sort(levels, {}, &MemoryLevel::time);
  return levels;
}

TEST(ThinnedLevels, KeepTheEndsAndTheExtremesAndInventNothing) {
  const std::vector<MemoryLevel> levels = randomLevels(10'000, 1'000'003);
  const std::vector<MemoryLevel> thinned = thinnedLevels(levels, {0, 1'000'003}, 50);
  EXPECT_LE(thinned.size(), 200U);
  EXPECT_GE(thinned.size(), 150U);
  EXPECT_TRUE(std::ranges::is_sorted(thinned, {}, &MemoryLevel::time));
  for (const MemoryLevel& level : thinned) EXPECT_NE(std::ranges::find(levels, level), levels.end());
  EXPECT_EQ(thinned.front(), levels.front());
  EXPECT_EQ(thinned.back(), levels.back());
  const auto byLevel = [](const MemoryLevel& level) { return level.allocated; };
  EXPECT_EQ(std::ranges::max(thinned, {}, byLevel).allocated,
            std::ranges::max(levels, {}, byLevel).allocated);
  EXPECT_EQ(std::ranges::min(thinned, {}, byLevel).allocated,
            std::ranges::min(levels, {}, byLevel).allocated);
}

TEST(ThinnedLevels, FewLevelsStayAsTheyAre) {
  const std::vector<MemoryLevel> levels{{10, 5, -1}, {10, 9, -1}, {11, 1, -1}, {400, 3, -1}};
  EXPECT_EQ(thinnedLevels(levels, {0, 1000}, 100), levels);
}

TEST(ThinnedLevels, WhatLiesOutsideOfTheRangeIsLeftOut) {
  const std::vector<MemoryLevel> levels{{10, 5, -1}, {20, 9, -1}, {30, 1, -1}};
  EXPECT_EQ(thinnedLevels(levels, {20, 30}, 4), (std::vector<MemoryLevel>{{20, 9, -1}}));
  EXPECT_TRUE(thinnedLevels(levels, {31, 90}, 4).empty());
  EXPECT_TRUE(thinnedLevels({}, {0, 90}, 4).empty());
}

TEST(ThinnedLevels, MorePartsThanNanosecondsAreNoneTooMany) {
  const std::vector<MemoryLevel> levels{{1, 5, -1}, {2, 9, -1}, {3, 1, -1}};
  EXPECT_EQ(thinnedLevels(levels, {1, 4}, 1000), levels);
}

std::shared_ptr<const Analysis> openedAnalysis(const std::filesystem::path& path) {
  Progress progress;
  const auto trace = loadTraces({path.string()}, {}, progress);
  return trace ? std::make_shared<const Analysis>(*trace) : nullptr;
}

// The caching allocator is off: the profiler hears of the host alone.
TEST(PeakAllocated, OfARankWithADeviceIsNotThatOfItsHost) {
  for (const bool hasDevice : {true, false}) {
    const test::TemporaryFolder folder;
    test::TraceText text;
    text.distributedInfo(0, 1).addCpuOp(1, 0, 100'000, "aten::zeros");
    text.addMemory(1, 10'000, 8, 8, 0, -1).addMemory(1, 20'000, -8, 0, 0, -1);
    if (hasDevice) {
      text.addRuntime(1, 30'000, 1'000, "cudaLaunchKernel", 1);
      text.addKernel(0, 7, 40'000, 10'000, "gemm", 1);
    }
    test::writeTraceFile(folder.path() / "rank0.json", text.text());
    const auto analysis = openedAnalysis(folder.path());
    ASSERT_NE(analysis, nullptr);
    EXPECT_EQ(lacksDeviceMemory(*analysis, RankIndex(0)), hasDevice);
    EXPECT_EQ(peakAllocatedOf(*analysis, RankIndex(0)), hasDevice ? std::optional<std::int64_t>() : 8);
    const ResultTable ranks = ranksTable(*analysis);
    EXPECT_EQ(ranks.at(0, *ranks.columnNamed("peak_allocated_bytes")),
              hasDevice ? Cell() : Cell(std::int64_t{8}));
  }
}

// Weights of 16 bits and FlashAttention, without a backward pass.
TEST(ExpectedMemory, OfARecordedInference) {
  const auto folder = test::sharedFolder() / "traces" / "h100-bert-small";
  RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
  const auto analysis = openedAnalysis(folder);
  ASSERT_NE(analysis, nullptr);
  const JobReport report(analysis);
  const auto expected = expectedOf(report, RankIndex(0), {});
  ASSERT_TRUE(expected);
  EXPECT_EQ(expected->items.size(), 3U);
  EXPECT_EQ(expected->advice, "");
  EXPECT_EQ(largestRoleSentence(report.memoryRoles().front().devices.front()),
            "At the peak of 96.6 MiB, memory allocated before the recording takes most: 87.1 MiB (90.2 %).");
  const ModelGuesses guesses = modelGuesses(report);
  EXPECT_EQ(guesses.precision, "bf16");
  EXPECT_TRUE(guesses.batch && guesses.batch->value >= 1);
}

} // namespace
} // namespace rankscope
