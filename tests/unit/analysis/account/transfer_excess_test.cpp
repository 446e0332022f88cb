// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/transfer_excess.h"

#include "core/analysis/account/attribution.h"
#include "core/io/load/trace_loader.h"
#include "tests/support/job_generator.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/times.h"

#include <gtest/gtest.h>

namespace rankscope {

namespace {

constexpr std::int64_t kMb = 1'000'000;

TimeNs timeIn(const JobAccount& account, Leaf leaf) {
  TimeNs sum = 0;
  for (const RankAccount& rank : account.ranks) {
    for (const StepAccount& step : rank.steps) sum += timeOf(step.times, leaf);
  }
  return sum;
}

std::shared_ptr<const TraceSet> loaded(const std::filesystem::path& path) {
  Progress progress;
  return *loadTraces({path.string()}, {}, progress);
}

} // namespace

TEST(SlowLinks, areThoseThatReachLessThanHalfOfTheOthersSpeed) {
  std::vector<TransferSample> samples;
  for (int i = 0; i < 5; ++i) {
    samples.push_back({1, 0, 20 * kMb, 200 * kUs});
    samples.push_back({1, 1, 20 * kMb, 200 * kUs});
    samples.push_back({1, 2, 20 * kMb, 500 * kUs});
    samples.push_back({2, 3, 20 * kMb, 900 * kUs}); // nobody to be compared with
  }
  const std::vector<TimeNs> excess = slowLinkExcess(samples);
  EXPECT_EQ(excess[0], 0);
  EXPECT_EQ(excess[2], 300 * kUs);
  EXPECT_EQ(excess[3], 0);
  // Too few to be sure, too small to say anything of bandwidth.
  EXPECT_EQ(slowLinkExcess(std::span(samples).first(16))[2], 0);
  for (TransferSample& sample : samples) sample.bytes = 2 * kMb;
  EXPECT_EQ(slowLinkExcess(samples)[2], 0);
}

TEST(Fragmentation, isTheLatencyOfCallsThatBucketsWouldSave) {
  TransferSeries series;
  series.steps = 2;
  // 10 us and 10^9 bytes a second; 200 calls a step of 4.8 MB in all, for which one bucket does.
  for (int i = 0; i < 400; ++i) {
    const std::int64_t bytes = std::int64_t{1000} << (i % 5 * 2);
    series.calls.push_back({bytes, 10 * kUs + bytes});
  }
  EXPECT_NEAR(static_cast<double>(fragmentationExcess(series)), 9'900, 50);
  series.calls.resize(6);
  EXPECT_EQ(fragmentationExcess(series), 0);
  EXPECT_EQ(fragmentationExcess({}), 0);
}

TEST(Fragmentation, isNotThatOfBuckets) {
  TransferSeries series;
  series.steps = 1;
  for (int i = 0; i < 20; ++i) series.calls.push_back({25 * kMb, 250 * kUs});
  EXPECT_EQ(fragmentationExcess(series), 0);
}

TEST(Fragmentation, isToldByTimesWhereSizesAreNotKnown) {
  TransferSeries series;
  series.steps = 1;
  for (int i = 0; i < 100; ++i) series.calls.push_back({std::nullopt, i % 10 == 0 ? 1000 * kUs : 10 * kUs});
  // As many as the longest ones, and one: 11 of 100 calls stay.
  EXPECT_EQ(fragmentationExcess(series), 8'900);
}

TEST(Fragmentation, isPartOfWhatIsExposed) {
  const std::filesystem::path path = test::sharedFolder() / "traces" / "v100-rank1of2";
  RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(path), test::kNoRecordings);
  // One AllReduce for each parameter, 404 a step.
  const auto job = loaded(path);
  const JobAccount account = jobAccount(Analysis(job), 2);
  const TimeNs fragmented = timeIn(account, Leaf::CommFragmented) / 5;
  EXPECT_GT(fragmented, 1'000 * kUs);
  EXPECT_LT(fragmented, 8'000 * kUs);
  EXPECT_NEAR(static_cast<double>(timeIn(account, Leaf::CommTransfer) / 5 + fragmented), 71'500 * kUs,
              1'000 * kUs);
}

TEST(Gathers, areLateWhereTheHostIs) {
  test::JobOptions options;
  options.steps = 6;
  options.seed = 7;
  options.parallelism = test::Parallelism::FullySharded;
  const test::TemporaryFolder healthy;
  test::generateJob(options, healthy.path());
  EXPECT_EQ(timeIn(jobAccount(Analysis(loaded(healthy.path())), 2), Leaf::CommUnlaunched), 0);
  options.gaps.push_back({-1, -1, 3'000 * kUs, test::GapCause::LaunchBound});
  const test::TemporaryFolder late;
  test::generateJob(options, late.path());
  EXPECT_GT(timeIn(jobAccount(Analysis(loaded(late.path())), 2), Leaf::CommUnlaunched), 0);
}

} // namespace rankscope
