// SPDX-License-Identifier: GPL-3.0-or-later
// Buckets of a generated job are replayed and put together again at other caps. Covers
// core/analysis/network/bucket_advice.
#include "core/analysis/network/bucket_advice.h"

#include "core/analysis/network/job_network.h"
#include "core/io/load/trace_loader.h"
#include "core/report/bandwidth_tables.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"

#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace rankscope {

namespace {

std::unique_ptr<const Analysis> generated(const test::JobOptions& options) {
  const test::TemporaryFolder folder;
  test::generateJob(options, folder.path());
  Progress progress;
  return std::make_unique<const Analysis>(*loadTraces({folder.path().string()}, {}, progress));
}

test::JobOptions dataParallel(int overlapPermille) {
  test::JobOptions options;
  options.ranks = 4;
  options.steps = 5;
  options.layers = 8;
  options.buckets = 4;
  options.overlapPermille = overlapPermille;
  return options;
}

std::vector<BucketAdvice> adviceOf(const Analysis& analysis, std::vector<double> caps = {}) {
  return bucketAdvice(analysis, jobBandwidth(analysis, jobNetwork(nullptr), {}), caps);
}

} // namespace

TEST(BucketAdvice, replaysTheRecordedBuckets) {
  for (const int overlap : {0, 600, 1000}) {
    const auto analysis = generated(dataParallel(overlap));
    const std::vector<BucketAdvice> all = adviceOf(*analysis);
    ASSERT_EQ(all.size(), 1U) << overlap;
    const BucketAdvice& advice = all.front();
    EXPECT_EQ(advice.refused, "") << overlap;
    EXPECT_EQ(advice.ranks, 4);
    EXPECT_GT(advice.steps, 2);
    EXPECT_LT(advice.replayErrorPct, 2) << overlap;
    ASSERT_EQ(advice.caps.size(), 8U) << "recorded and seven caps";
    EXPECT_FALSE(advice.caps.front().capMb.has_value());
    EXPECT_EQ(advice.caps.front().buckets, 4);
    for (std::size_t i = 1; i < advice.caps.size(); ++i) {
      const CapAdvice& cap = advice.caps[i];
      ASSERT_TRUE(cap.gainUs.has_value());
      EXPECT_NEAR(cap.stepUs + *cap.gainUs, advice.stepUs, 1e-6);
      EXPECT_GE(cap.exposedUs, 0);
      EXPECT_GT(cap.communicationUs, 0);
      if (i > 1) {
        EXPECT_LE(cap.buckets, advice.caps[i - 1].buckets) << "larger caps, fewer buckets";
      }
    }
    EXPECT_EQ(bucketAdviceTable(all).rowCount(), 8U);
    EXPECT_NE(bucketAdviceText(all).find("as recorded, replayed"), std::string::npos);
  }
}

TEST(BucketAdvice, oneBucketOfEverythingIsExposed) {
  const auto analysis = generated(dataParallel(1000));
  const std::vector<BucketAdvice> all = adviceOf(*analysis, {1, 100'000});
  ASSERT_EQ(all.size(), 1U);
  ASSERT_EQ(all.front().caps.size(), 3U);
  EXPECT_EQ(all.front().caps[2].buckets, 1);
  EXPECT_GT(all.front().caps[2].exposedUs, all.front().caps[0].exposedUs);
  EXPECT_LT(*all.front().caps[2].gainUs, 0);
}

TEST(BucketAdvice, thereIsNoneWithoutBucketsOrOtherRanks) {
  test::JobOptions sharded = dataParallel(1000);
  sharded.parallelism = test::Parallelism::FullySharded;
  EXPECT_TRUE(adviceOf(*generated(sharded)).empty());
  test::JobOptions alone = dataParallel(1000);
  alone.missingRanks = {1, 2, 3};
  const std::vector<BucketAdvice> all = adviceOf(*generated(alone));
  for (const BucketAdvice& advice : all) {
    EXPECT_NE(advice.refused, "");
    EXPECT_TRUE(advice.caps.empty());
  }
}

} // namespace rankscope
