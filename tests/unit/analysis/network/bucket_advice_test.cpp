// SPDX-License-Identifier: GPL-3.0-or-later
// Buckets of a generated job are replayed and put together again at other caps, with sizes of gradients where
// they were recorded. Covers core/analysis/network/bucket_advice and core/analysis/network/bucket_passes.
#include "core/analysis/network/bucket_advice.h"

#include "core/analysis/network/job_network.h"
#include "core/io/load/trace_loader.h"
#include "core/report/bandwidth_tables.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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

// Elements, of 2 bytes, of gradients in the order in which they become ready, and of the buckets that DDP
// makes of them.
constexpr std::int64_t kGradients[] = {5'242'880, 5'242'880, 10'485'760, 2'097'152, 18'874'368};
constexpr std::int64_t kBuckets[] = {5'242'880, 15'728'640, 20'971'520};

// By which kernels of equal grid and block are known.
constexpr std::string_view kGrid = R"("blocks per SM": 2.0, "est. achieved occupancy %": 50)";

// A rank of two that trains one step of 100 ms after another: gradients are copied into buckets while the
// backward pass runs on the device, and each bucket is sent when it is full.
std::string rankOfTwo(int rank, bool shapes, double besideSlower, int steps) {
  test::TraceText text;
  text.distributedInfo(rank, 2).hostProcess(100 + rank);
  std::int64_t correlation = 0;
  const auto launch = [&](std::int64_t at) {
    text.addRuntime(1, at, 1'000, "cudaLaunchKernel", ++correlation);
    return correlation;
  };
  for (int step = 0; step < steps; ++step) {
    const std::int64_t begin = 1'000'000 + step * std::int64_t{100'000'000};
    text.addStep(step + 3, begin, 99'000'000);
    text.addAnnotation(1, begin + 10'000, 1'000'000, "DistributedDataParallel.forward");
    text.addKernel(0, 7, begin + 100'000, 9'000'000, "forward_gemm", launch(begin + 20'000));
    std::int64_t host = begin + 2'000'000, device = begin + 10'000'000, sent = device, filled = 0;
    std::size_t bucket = 0;
    for (const std::int64_t elements : kGradients) {
      text.addCpuOp(1, host, 900'000, "autograd::engine::evaluate_function: AddmmBackward0");
      const bool beside = device < sent;
      const auto length = static_cast<std::int64_t>(beside ? 8'000'000 * besideSlower : 8'000'000);
      text.addKernel(0, 7, device, length, "backward_gemm", launch(host + 10'000), kGrid);
      device += length;
      text.addCpuOp(1, host + 100'000, 50'000, "torch::distributed::reducer::mul_out",
                    shapes ? "\"Input Dims\": [[" + std::to_string(elements / 1024) + ", 1024], [" +
                                 std::to_string(elements / 1024) + ", 1024], []]"
                           : std::string());
      text.addKernel(0, 7, device, 100'000, "mul", launch(host + 110'000));
      device += 100'000;
      filled += elements;
      if (filled == kBuckets[bucket]) {
        const std::int64_t from = std::max(device, sent);
        // Some 1.3 GB/s: the next gradients are computed beside it.
        const std::int64_t takes = 50'000 + filled * 3 / 2;
        text.addCollective(0, 20, from, takes, "allreduce", filled, 2, launch(host + 500'000));
        sent = from + takes;
        filled = 0;
        ++bucket;
      }
      host += 1'000'000;
    }
  }
  return text.text();
}

// Shapes are read from the files when they are asked for, so these stay.
class TwoRanks {
 public:
  explicit TwoRanks(bool shapes, double besideSlower = 1, int steps = 5) {
    for (const int rank : {0, 1})
      test::writeTraceFile(m_folder / ("rank" + std::to_string(rank) + ".json"),
                           rankOfTwo(rank, shapes, besideSlower, steps));
    Progress progress;
    m_analysis = std::make_unique<const Analysis>(*loadTraces({m_folder.path().string()}, {}, progress));
  }
  [[nodiscard]] const Analysis& operator*() const { return *m_analysis; }

 private:
  test::TemporaryFolder m_folder;
  std::unique_ptr<const Analysis> m_analysis;
};

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
    EXPECT_LT(advice.replayErrorPct.value_or(100), 2) << overlap;
    ASSERT_EQ(advice.caps.size(), 8U) << "recorded and seven caps";
    EXPECT_FALSE(advice.caps.front().capMb.has_value());
    EXPECT_EQ(advice.caps.front().buckets, 4);
    for (std::size_t i = 1; i < advice.caps.size(); ++i) {
      const CapAdvice& cap = advice.caps[i];
      ASSERT_TRUE(cap.gainUs.has_value());
      EXPECT_NEAR(cap.stepUs + *cap.gainUs, advice.caps.front().stepUs, 1e-6)
          << "the error of the replay is no gain";
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

TEST(BucketAdvice, recordedSizesOfGradientsMakeTheBucketsOfEachCap) {
  const TwoRanks job(true);
  const std::vector<BucketAdvice> all = adviceOf(*job);
  ASSERT_EQ(all.size(), 1U);
  const BucketAdvice& advice = all.front();
  ASSERT_EQ(advice.refused, "");
  EXPECT_FALSE(advice.coarse);
  EXPECT_DOUBLE_EQ(advice.slowdown, 1);
  EXPECT_LT(advice.replayErrorPct.value_or(100), 0.5);
  const auto bucketsAt = [&](double cap) {
    const auto found = std::ranges::find(advice.caps, std::optional(cap), &CapAdvice::capMb);
    return found == advice.caps.end() ? -1 : found->buckets;
  };
  // 10, 10, 20, 4 and 36 MiB: a gradient is never split, a bucket is closed once it has its cap.
  EXPECT_EQ(advice.caps.front().buckets, 3);
  EXPECT_EQ(bucketsAt(1), 5);
  EXPECT_EQ(bucketsAt(5), 4);
  EXPECT_EQ(bucketsAt(10), 4);
  EXPECT_EQ(bucketsAt(25), 3) << "as recorded";
  EXPECT_EQ(bucketsAt(50), 1) << "44 MiB and 36 more";
  EXPECT_EQ(bucketsAt(100), 1);
}

TEST(BucketAdvice, withoutSizesOfGradientsItIsCoarse) {
  const TwoRanks job(false);
  const std::vector<BucketAdvice> all = adviceOf(*job);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().refused, "");
  EXPECT_TRUE(all.front().coarse);
}

// What is replayed is what was measured: of one step that says nothing.
TEST(BucketAdvice, oneStepProvesNothing) {
  const TwoRanks job(true, 1, 1);
  const std::vector<BucketAdvice> all = adviceOf(*job, {1, 25, 100});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().steps, 1);
  EXPECT_FALSE(all.front().replayErrorPct.has_value());
  EXPECT_FALSE(all.front().best.has_value());
  EXPECT_EQ(all.front().caps.size(), 4U);
  EXPECT_NE(bucketAdviceText(all).find("record two steps or more"), std::string::npos);
  const ResultTable table = bucketAdviceTable(all);
  EXPECT_TRUE(table.isEmpty(0, *table.columnNamed("replay_error_pct")));
  EXPECT_EQ(table.at(0, *table.columnNamed("steps")), Cell(std::int64_t{1}));
}

// A rank that is late by 3 ms lets the others wait, whatever the cap is.
TEST(BucketAdvice, waitingForALateRankIsToldApart) {
  test::JobOptions options = dataParallel(1000);
  const std::vector<BucketAdvice> even = adviceOf(*generated(options));
  options.straggler = {2, 3'000'000, 0, test::StragglerKind::Compute};
  const std::vector<BucketAdvice> late = adviceOf(*generated(options));
  ASSERT_EQ(even.size(), 1U);
  ASSERT_EQ(late.size(), 1U);
  ASSERT_EQ(even.front().caps.size(), late.front().caps.size());
  for (std::size_t i = 0; i < late.front().caps.size(); ++i) {
    const CapAdvice& cap = late.front().caps[i];
    EXPECT_LE(cap.waitingUs, cap.exposedUs);
    // Three of four ranks wait.
    EXPECT_GT(cap.waitingUs, even.front().caps[i].waitingUs + 1'500) << i;
  }
}

// Kernels beside communication take 1.25 times as long: hiding less communication makes compute faster.
TEST(BucketAdvice, computeIsAsSlowBesideCommunicationAsWasMeasured) {
  const TwoRanks job(true, 1.25);
  const std::vector<BucketAdvice> all = adviceOf(*job, {1, 100});
  ASSERT_EQ(all.size(), 1U);
  const BucketAdvice& advice = all.front();
  ASSERT_EQ(advice.refused, "");
  EXPECT_GT(advice.slowdown, 1);
  EXPECT_LT(advice.replayErrorPct.value_or(100), 2);
  ASSERT_EQ(advice.caps.size(), 3U);
  // One bucket of everything is exposed; less its time the step is shorter than recorded.
  EXPECT_LT(advice.caps[2].stepUs - advice.caps[2].exposedUs, advice.stepUs - advice.caps[0].exposedUs);
}

} // namespace rankscope
