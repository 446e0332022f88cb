// SPDX-License-Identifier: GPL-3.0-or-later
// Memory against what synthetic jobs say of themselves and against a captured job that leaks on purpose.
#include "core/analysis/job/analysis.h"
#include "core/analysis/memory/memory_growth.h"
#include "core/io/load/trace_loader.h"
#include "tests/support/job_generator.h"
#include "tests/support/job_variants.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>
#include <stdexcept>

namespace rankscope {

namespace {

std::shared_ptr<const TraceSet> load(const std::filesystem::path& folder) {
  Progress progress;
  auto loaded = loadTraces({folder.string()}, {}, progress);
  if (!loaded.ok()) throw std::runtime_error(loaded.error().text());
  return *loaded;
}

std::optional<MemoryGrowth> growthOf(const Analysis& analysis, RankIndex rank, const DeviceMemory& memory) {
  std::vector<TimeRange> steps;
  for (const Step& step : analysis.steps(rank)) steps.push_back(step.range);
  return memoryGrowth(memoryBySteps(memory.levels, steps));
}

class SyntheticMemory : public testing::TestWithParam<test::JobVariant> {};

} // namespace

TEST_P(SyntheticMemory, peaksAreWhatTheJobSaysOfItself) {
  const test::TemporaryFolder folder;
  test::JobOptions options;
  options.steps = 3;
  options.layers = 2;
  GetParam().set(options);
  const test::JobTruth truth = generateJob(options, folder.path());
  const Analysis analysis(load(folder.path()));
  ASSERT_EQ(analysis.trace().ranks().size(), truth.files.size());
  for (std::size_t i = 0; i < truth.files.size(); ++i) {
    SCOPED_TRACE(truth.files[i].file);
    const MemoryProfile& memory = analysis.memory(RankIndex(i));
    if (!options.withMemory || options.vocabulary == test::Vocabulary::Legacy) {
      EXPECT_FALSE(memory.peakAllocatedBytes());
      continue;
    }
    EXPECT_EQ(memory.peakAllocatedBytes(), truth.files[i].peakAllocated);
    EXPECT_EQ(memory.peakReservedBytes(), truth.files[i].peakReserved);
    ASSERT_FALSE(memory.devices.empty());
    EXPECT_EQ(memory.devices[0].levels.back().allocated, truth.files[i].allocatedAtEnd);
    // Of a recording that began late there are too few steps to tell.
    const auto growth = growthOf(analysis, RankIndex(i), memory.devices[0]);
    EXPECT_FALSE(growth && growth->isLeak());
  }
}

INSTANTIATE_TEST_SUITE_P(All, SyntheticMemory, testing::ValuesIn(test::jobVariants()),
                         [](const auto& variant) { return std::string(variant.param.name); });

TEST(MemoryTruth, theRankThatLeaksIsFoundWithItsRate) {
  const test::TemporaryFolder folder;
  test::JobOptions options;
  options.steps = 4;
  options.leakBytesPerStep = 3 << 20;
  options.leakRank = 2;
  generateJob(options, folder.path());
  const Analysis analysis(load(folder.path()));
  for (const RankIndex rank : analysis.ranks()) {
    const auto growth = growthOf(analysis, rank, analysis.memory(rank).devices.at(0));
    ASSERT_TRUE(growth);
    EXPECT_EQ(growth->isLeak(), rank.value == 2);
    EXPECT_DOUBLE_EQ(growth->bytesPerStep, rank.value == 2 ? 3 << 20 : 0);
  }
}

TEST(MemoryTruth, aCapturedLeakIsFoundWithItsRate) {
  const Analysis analysis(load(test::captureFolder("torch-2.6.0/ddp2_leak")));
  ASSERT_EQ(analysis.ranks().size(), 2U);
  for (const RankIndex rank : analysis.ranks()) {
    const auto growth = growthOf(analysis, rank, analysis.memory(rank).devices.at(0));
    ASSERT_TRUE(growth);
    EXPECT_TRUE(growth->isLeak());
    EXPECT_NEAR(growth->bytesPerStep, 4 << 20, 64 << 10);
  }
}

} // namespace rankscope
