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
  for (std::size_t i = 0; i < points.size(); ++i) points[i].time += i % 2 == 0 ? 60'000 : -60'000;
  const auto fit = transferFit(points);
  ASSERT_TRUE(fit.has_value());
  EXPECT_LT(fit->determination, 0.99);
  EXPECT_GT(fit->determination, 0.5);
}

TEST(TransferFit, aLatencyIsNeverNegative) {
  const std::vector<TransferPoint> bent{{1'000, 10}, {2'000, 15}, {4'000, 90}, {8'000, 200}};
  const auto fit = transferFit(bent);
  ASSERT_TRUE(fit.has_value());
  EXPECT_EQ(fit->latency, 0);
  EXPECT_GT(fit->bytesPerNs, 0);
}

TEST(TransferFit, isNotGuessedFromSizesThatDoNotTell) {
  EXPECT_FALSE(transferFit(std::vector<TransferPoint>(20, {4'000'000, 100'000})).has_value());
  EXPECT_FALSE(transferFit(std::vector<TransferPoint>{{1, 5}, {9, 8}, {20, 9}}).has_value()) << "too few";
  EXPECT_FALSE(transferFit(std::vector<TransferPoint>{{10, 900}, {20, 600}, {40, 300}, {80, 0}}).has_value())
      << "larger ones are faster";
}

} // namespace rankscope
