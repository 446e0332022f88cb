// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/transfer_fit.h"

#include <gtest/gtest.h>
#include <vector>

namespace rankscope {

namespace {

std::vector<TransferPoint> line(TimeNs latency, std::int64_t bytesPerNs) {
  std::vector<TransferPoint> points;
  for (const std::int64_t megabytes : {1, 2, 4, 8, 16})
    points.push_back({megabytes * 1'000'000, latency + megabytes * 1'000'000 / bytesPerNs});
  return points;
}

} // namespace

TEST(TransferFit, findsTheLineThatTimesAreOn) {
  const auto fit = transferFit(line(18'000, 50));
  ASSERT_TRUE(fit.has_value());
  EXPECT_EQ(fit->latency, 18'000);
  EXPECT_NEAR(fit->bytesPerNs, 50, 1e-6);
  EXPECT_NEAR(fit->determination, 1, 1e-9);
}

TEST(TransferFit, saysHowMuchOfTheTimesItExplains) {
  auto points = line(10'000, 20);
  for (std::size_t i = 0; i < points.size(); ++i) points[i].time += i % 2 == 0 ? 30'000 : -30'000;
  const auto fit = transferFit(points);
  ASSERT_TRUE(fit.has_value());
  EXPECT_LT(fit->determination, 0.999);
  EXPECT_GT(fit->determination, 0.5);
}

TEST(TransferFit, takesMediansOfASize) {
  auto points = line(18'000, 50);
  const auto once = points;
  points.insert(points.end(), once.begin(), once.end());
  points.insert(points.end(), once.begin(), once.end());
  points[2].time *= 100; // one of three
  const auto fit = transferFit(points);
  ASSERT_TRUE(fit.has_value());
  EXPECT_EQ(fit->latency, 18'000);
}

TEST(TransferFit, aLatencyIsNeverNegative) {
  const std::vector<TransferPoint> bent{{1'000, 10}, {2'000, 15}, {4'000, 90}, {16'000, 400}};
  const auto fit = transferFit(bent);
  ASSERT_TRUE(fit.has_value());
  EXPECT_EQ(fit->latency, 0);
  EXPECT_GT(fit->bytesPerNs, 0);
}

TEST(TransferFit, isNotGuessedFromSizesThatDoNotTell) {
  EXPECT_FALSE(transferFit(std::vector<TransferPoint>(20, {4'000'000, 100'000})).has_value());
  EXPECT_FALSE(transferFit(std::vector<TransferPoint>{{1, 5}, {9, 8}, {20, 9}}).has_value()) << "too few";
  // Fifteen calls of three sizes.
  std::vector<TransferPoint> few;
  for (int i = 0; i < 15; ++i) few.push_back({8'000'000 + (i % 3) * 9'000'000, 3'000'000 + i * 1000});
  EXPECT_FALSE(transferFit(few).has_value()) << "three sizes";
  EXPECT_FALSE(transferFit(std::vector<TransferPoint>{{10, 10}, {20, 11}, {40, 12}, {100, 13}}).has_value())
      << "sizes are close to each other";
  EXPECT_FALSE(
      transferFit(std::vector<TransferPoint>{{10, 900}, {20, 600}, {40, 300}, {200, 20}}).has_value())
      << "larger ones are faster";
}

} // namespace rankscope
