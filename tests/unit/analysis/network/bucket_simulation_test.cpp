// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/network/bucket_simulation.h"

#include "tests/support/flat_json.h"
#include "tests/support/shared_data.h"

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace rankscope {

namespace {

namespace fs = std::filesystem;
using test::FlatJson;

// Elements of ResNet-50's 161 parameters in order of definition.
std::vector<std::int64_t> resnet50() {
  std::vector<std::int64_t> sizes{64 * 3 * 49, 64, 64};
  std::int64_t in = 64;
  const std::vector<std::pair<int, std::int64_t>> stages{{3, 64}, {4, 128}, {6, 256}, {3, 512}};
  for (const auto& [blocks, width] : stages)
    for (int block = 0; block < blocks; ++block) {
      for (const std::int64_t parameters : {in * width, width, width, width * width * 9, width, width,
                                            width * width * 4, width * 4, width * 4})
        sizes.push_back(parameters);
      if (block == 0) sizes.insert(sizes.end(), {in * width * 4, width * 4, width * 4});
      in = width * 4;
    }
  sizes.insert(sizes.end(), {2048 * 1000, 1000});
  return sizes;
}

} // namespace

TEST(BucketSimulation, casesAreReproduced) {
  const fs::path path = test::sharedFolder() / "nccl/ddp_cases.json";
  RANKSCOPE_SKIP_UNLESS(fs::exists(path), test::kNoRecordings);
  const FlatJson::Values cases = FlatJson::of(path);
  std::size_t number = 0;
  for (; cases.contains(std::to_string(number) + "|name"); ++number) {
    const std::string key = std::to_string(number) + "|";
    const auto value = [&](const std::string& name) { return std::stod(cases.at(key + name)); };
    std::vector<ReadyGradient> gradients;
    for (std::size_t i = 0; cases.contains(key + "gradient_bytes|" + std::to_string(i)); ++i)
      gradients.push_back({static_cast<std::int64_t>(value("gradient_bytes|" + std::to_string(i))),
                           value("ready_us|" + std::to_string(i))});
    std::int64_t total = 0;
    for (const ReadyGradient& gradient : gradients) total += gradient.bytes;
    const auto transfer = [&](std::int64_t bytes) {
      return value("alpha_us") + static_cast<double>(bytes) / value("beta_bytes_per_us");
    };
    for (int i = 0; cases.contains(key + "expected|" + std::to_string(i) + "|buckets"); ++i) {
      const std::string expected = "expected|" + std::to_string(i) + "|";
      const BucketLimits limits = bucketLimits(value(expected + "bucket_cap_mb"));
      EXPECT_EQ(static_cast<double>(limits.first), value(expected + "first_bucket_bytes"));
      const BucketSimulation result =
          simulateBuckets(gradients, limits.first, limits.others, value("backward_end_us"), transfer);
      EXPECT_EQ(static_cast<double>(result.buckets.size()), value(expected + "buckets"));
      EXPECT_NEAR(result.communicationUs, value(expected + "communication_us"), 0.01);
      EXPECT_NEAR(result.endUs, value(expected + "end_us"), 0.01);
      EXPECT_NEAR(result.exposedUs, value(expected + "exposed_us"), 0.01);
      std::int64_t sum = 0;
      for (const SimulatedBucket& bucket : result.buckets) sum += bucket.bytes;
      EXPECT_EQ(sum, total) << "no gradient is lost";
    }
  }
  EXPECT_EQ(number, 5U);
}

TEST(BucketSimulation, resnet50HasItsFiveBuckets) {
  std::vector<ReadyGradient> gradients;
  std::vector<std::int64_t> sizes = resnet50();
  ASSERT_EQ(sizes.size(), 161U);
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) gradients.push_back({*size * 4, 0});
  const BucketLimits limits = bucketLimits(25);
  const BucketSimulation result =
      simulateBuckets(gradients, limits.first, limits.others, 0, [](std::int64_t) { return 1.0; });
  std::vector<std::int64_t> elements;
  for (const SimulatedBucket& bucket : result.buckets) elements.push_back(bucket.bytes / 4);
  EXPECT_EQ(elements, (std::vector<std::int64_t>{2'049'000, 7'875'584, 6'563'840, 6'637'568, 2'431'040}));
}

TEST(BucketSimulation, hostileSizesDoNoHarm) {
  const std::vector<ReadyGradient> gradients{
      {std::numeric_limits<std::int64_t>::max(), 1}, {std::numeric_limits<std::int64_t>::max(), 2}, {-5, 3}};
  const BucketSimulation result =
      simulateBuckets(gradients, std::numeric_limits<std::int64_t>::max(),
                      std::numeric_limits<std::int64_t>::max(), 0, [](std::int64_t) { return 1.0; });
  EXPECT_EQ(result.buckets.size(), 3U);
  EXPECT_EQ(simulateBuckets({}, 1, 1, 5, [](std::int64_t) { return 1.0; }).exposedUs, 0);
}

} // namespace rankscope
