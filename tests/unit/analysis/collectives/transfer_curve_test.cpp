// SPDX-License-Identifier: GPL-3.0-or-later
// Fits and interpolation against nccl-tests tables of several clusters, and what is refused.
#include "core/analysis/collectives/transfer_curve.h"

#include "core/io/nccl/nccl_files.h"
#include "tests/support/flat_json.h"
#include "tests/support/shared_data.h"

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace rankscope {

namespace {

namespace fs = std::filesystem;
using test::FlatJson;

std::vector<CurvePoint> pointsOf(const fs::path& table) {
  const NcclRecords records = readNcclFiles({table.string()});
  std::vector<CurveSample> samples;
  for (const NcclTestTable& of : records.tables)
    for (const NcclTestRow& row : of.rows) samples.push_back({row.bytes, row.timeUs});
  return curvePoints(samples);
}

std::vector<CurvePoint> onLine(double alpha, double gbS, const std::vector<double>& sizes) {
  std::vector<CurvePoint> points;
  points.reserve(sizes.size());
  for (const double bytes : sizes) points.push_back({bytes, alpha + bytes / (gbS * 1e3), 1});
  return points;
}

} // namespace

TEST(TransferCurve, fitsAreThoseOfTheIndependentScript) {
  const fs::path folder = test::sharedFolder() / "nccl";
  RANKSCOPE_SKIP_UNLESS(fs::exists(folder / "fits.json"), test::kNoRecordings);
  const FlatJson::Values fits = FlatJson::of(folder / "fits.json");
  std::size_t tables = 0;
  for (; fits.contains(std::to_string(tables) + "|file"); ++tables) {
    const std::string key = std::to_string(tables) + "|relative|";
    const std::string file = fits.at(std::to_string(tables) + "|file");
    const std::vector<CurvePoint> points = pointsOf(folder / "tests" / file);
    const CurveFit fit = fitOf(points, false);
    const auto expected = [&](const std::string& name) { return std::stod(fits.at(key + name)); };
    EXPECT_NEAR(fit.alphaUs / expected("alpha_us"), 1, 1e-3) << file;
    EXPECT_NEAR(fit.betaGbS / expected("beta_GBps"), 1, 1e-3) << file;
    EXPECT_NEAR(fit.r2, expected("r2"), 1e-3) << file;
    EXPECT_NEAR(fit.meanErrorPct, expected("mean_rel_err_pct"), 0.06) << file;
    EXPECT_NEAR(fit.maxErrorPct, expected("max_rel_err_pct"), 0.06) << file;
    EXPECT_EQ(fit.maxErrorBytes, expected("max_at_bytes")) << file;
    // Its pieces have their cuts where ours are.
    const std::vector<CurvePiece> pieces = threePieces(points);
    ASSERT_EQ(pieces.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string piece = std::to_string(tables) + "|segments_3|segments|" + std::to_string(i) + "|";
      if (!fits.contains(piece + "from")) continue;
      EXPECT_EQ(pieces[i].fromBytes, std::stod(fits.at(piece + "from"))) << file;
      EXPECT_NEAR(pieces[i].alphaUs, std::stod(fits.at(piece + "alpha_us")), 0.01 + 1e-3 * pieces[i].alphaUs)
          << file;
    }
  }
  EXPECT_EQ(tables, 15U);
}

TEST(TransferCurve, sizesLeftOutAreInterpolatedWithinATenth) {
  const fs::path folder = test::sharedFolder() / "nccl/tests";
  RANKSCOPE_SKIP_UNLESS(fs::exists(folder), test::kNoRecordings);
  double curveErrors = 0, lineErrors = 0;
  int tables = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::vector<CurvePoint> points = pointsOf(entry.path());
    std::vector<CurvePoint> kept;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (i % 2 == 0 || i + 1 == points.size()) kept.push_back(points[i]);
    const TransferCurve curve(kept, fitOf(kept, false));
    double curveError = 0, lineError = 0;
    int left = 0;
    for (std::size_t i = 1; i + 1 < points.size(); i += 2) {
      const auto at = curve.at(points[i].bytes);
      ASSERT_TRUE(at.has_value());
      EXPECT_FALSE(at->extrapolated);
      curveError += std::abs(at->us - points[i].us) / points[i].us;
      lineError += std::abs(*curve.fit().at(points[i].bytes) - points[i].us) / points[i].us;
      ++left;
    }
    curveErrors += curveError / left;
    lineErrors += lineError / left;
    ++tables;
  }
  ASSERT_EQ(tables, 15);
  EXPECT_LE(curveErrors / tables, 0.10);
  EXPECT_GT(lineErrors / tables, 0.15) << "a line errs more";
}

TEST(TransferCurve, modelsNeedEnoughSizesFarEnoughApart) {
  EXPECT_EQ(fitOf({}, true).model, FitModel::None);
  EXPECT_EQ(fitOf(onLine(10, 50, {1e6}), true).model, FitModel::None);
  EXPECT_EQ(fitVerdict(fitOf(onLine(10, 50, {1e6}), true)), "too few sizes");
  EXPECT_EQ(fitOf(onLine(10, 50, {1e6, 2e6, 3e6}), true).model, FitModel::None);
  EXPECT_EQ(fitVerdict(fitOf(onLine(10, 50, {1e6, 2e6, 3e6}), true)), "sizes too similar");
  const CurveFit bound = fitOf(onLine(0, 50, {1e6, 2e6, 5e6}), true);
  EXPECT_EQ(bound.model, FitModel::BetaOnly);
  EXPECT_NEAR(bound.betaGbS, 50, 1e-6);
  EXPECT_EQ(bound.alphaUs, 0);
  const CurveFit both = fitOf(onLine(20, 50, {1e5, 1e6, 1e7, 1e8}), true);
  EXPECT_EQ(both.model, FitModel::AlphaBeta);
  EXPECT_NEAR(both.alphaUs, 20, 1e-6);
  EXPECT_EQ(fitVerdict(both), "good");
}

// A bandwidth alone would make small messages free.
TEST(TransferCurve, aBandwidthAloneSaysNothingOfSmallMessages) {
  const std::vector<CurvePoint> points = onLine(0, 50, {1e6, 2e6, 5e6});
  const TransferCurve curve(points, fitOf(points, true));
  EXPECT_FALSE(curve.at(1e3).has_value());
  EXPECT_TRUE(curve.at(1e6).has_value());
  EXPECT_TRUE(curve.at(8e6).has_value());
}

// Sizes of three protocols, each with a line of its own.
TEST(TransferCurve, piecesEndWhereTheProtocolChanges) {
  std::vector<CurvePoint> points;
  for (double bytes = 1024; bytes <= 1024.0 * (1 << 18); bytes *= 2) {
    const double us = bytes <= 1 << 14   ? 8 + bytes / 1e3
                      : bytes <= 1 << 21 ? 20 + bytes / 20e3
                                         : 60 + bytes / 200e3;
    points.push_back({bytes, us, 1});
  }
  const std::vector<CurvePiece> pieces = threePieces(points);
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces[0].toBytes, 1 << 14);
  EXPECT_EQ(pieces[1].toBytes, 1 << 21);
  EXPECT_NEAR(pieces[0].alphaUs, 8, 0.01);
  EXPECT_NEAR(pieces[1].betaGbS, 20, 0.1);
  EXPECT_NEAR(pieces[2].alphaUs, 60, 0.1);
  EXPECT_NEAR(pieces[2].betaGbS, 200, 1);
  points.resize(11);
  EXPECT_TRUE(threePieces(points).empty());
}

TEST(TransferCurve, anOutlierIsLeftOutAndNamed) {
  std::vector<CurvePoint> points = onLine(20, 50, {1e4, 1e5, 1e6, 2e6, 4e6, 8e6, 1.6e7, 3.2e7});
  for (std::size_t i = 0; i < points.size(); ++i) points[i].us *= i % 2 == 0 ? 1.01 : 0.99;
  points[4].us *= 20;
  const CurveFit fit = fitOf(points, true);
  ASSERT_EQ(fit.dropped, std::vector<double>{4e6});
  EXPECT_NEAR(fit.alphaUs, 20, 1);
  EXPECT_NEAR(fit.betaGbS, 50, 2);
}

TEST(TransferCurve, timesNeverDecreaseWithSize) {
  std::vector<CurvePoint> points = onLine(20, 50, {1e3, 1e4, 1e5, 1e6, 1e7});
  points[2].us = 5; // measured too short
  const TransferCurve curve(points, fitOf(points, false));
  double before = 0;
  for (double bytes = 100; bytes < 1e9; bytes *= 1.3) {
    const auto at = curve.at(bytes);
    ASSERT_TRUE(at.has_value());
    EXPECT_GE(at->us, before) << bytes;
    before = at->us;
  }
  EXPECT_TRUE(curve.at(1e9)->extrapolated);
  EXPECT_FALSE(curve.at(1.5e7)->extrapolated);
  EXPECT_FALSE(TransferCurve(onLine(1, 1, {1e6}), {}).at(2e6).has_value()) << "no model beyond one size";
}

} // namespace rankscope
