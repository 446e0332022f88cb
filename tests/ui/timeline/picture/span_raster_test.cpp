// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/ui_test.h"
#include "ui/timeline/picture/span_raster.h"

#include <QTest>

#include <array>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

constexpr QRgb kGround = qRgb(10, 20, 30);
constexpr QRgb kGrid = qRgb(70, 70, 70);
constexpr QRgb kRed = qRgb(200, 0, 0);
constexpr QRgb kGreen = qRgb(0, 200, 0);
constexpr int kNoSeparators = 1 << 20;

QImage cleared(int width, int height, std::vector<std::int32_t> grid = {}) {
  QImage image(width, height, QImage::Format_RGB32);
  SpanRaster(image).clear(kGround, kGrid, grid);
  return image;
}

std::vector<QRgb> lineOf(const QImage& image, int y) {
  std::vector<QRgb> line;
  for (int x = 0; x < image.width(); ++x) line.push_back(image.pixel(x, y));
  return line;
}

} // namespace

class SpanRasterTest : public QObject {
  Q_OBJECT

 private slots:
  void gridLinesLieUnderTheSpansAndShowBetweenThem();
  void aLaneCoversItsLinesAndNoOthers();
  void whatReachesOutOfThePictureIsCut();
  void neighborsOfOneColorAreDistinguishable();
  void lessBusyIsLessInkAndNeverNone();
  void aCollapsedLaneKeepsColorsUnblended();
  void stripesAreDiagonalAndMoveWithTheirPhase();
  void anAreaIsAsHighAsItsValue();
};

void SpanRasterTest::gridLinesLieUnderTheSpansAndShowBetweenThem() {
  QImage image(6, 1, QImage::Format_RGB32);
  SpanRaster raster(image);
  raster.clear(kGround, kGrid, std::array<std::int32_t, 4>{-1, 1, 4, 6});
  raster.drawLane(0, 1, std::array{ColorSpan{3, 6, kRed, 255}}, kNoSeparators);
  QCOMPARE(lineOf(image, 0), (std::vector<QRgb>{kGround, kGrid, kGround, kRed, kRed, kRed}));
}

void SpanRasterTest::aLaneCoversItsLinesAndNoOthers() {
  QImage image = cleared(3, 5);
  SpanRaster raster(image);
  raster.clear(kGround, kGrid, {});
  raster.drawLane(1, 2, std::array{ColorSpan{0, 3, kRed, 255}}, kNoSeparators);
  for (int y = 0; y < 5; ++y) QCOMPARE(image.pixel(1, y), y == 1 || y == 2 ? kRed : kGround);
}

void SpanRasterTest::whatReachesOutOfThePictureIsCut() {
  QImage image = cleared(4, 4);
  SpanRaster raster(image);
  raster.clear(kGround, kGrid, {});
  raster.drawLane(-3, 4, std::array{ColorSpan{-5, 2, kRed, 255}, ColorSpan{3, 9, kGreen, 255}}, 3);
  QCOMPARE(lineOf(image, 0)[0], kRed);
  // The green one ends outside, so there is no separator.
  QCOMPARE(lineOf(image, 0)[3], kGreen);
  QCOMPARE(lineOf(image, 1), std::vector<QRgb>(4, kGround));
  raster.drawLane(3, 10, std::array{ColorSpan{0, 4, kGreen, 255}}, kNoSeparators);
  QCOMPARE(lineOf(image, 3), std::vector<QRgb>(4, kGreen));
  raster.hatch(-5, 100, -5, 100, Hatch{0, qRgba(0, 0, 0, 255), 4, 2, 0});
  raster.drawArea(-2, 3, std::vector<std::uint8_t>(50, 255), qRgba(255, 255, 255, 255), kRed);
}

void SpanRasterTest::neighborsOfOneColorAreDistinguishable() {
  QImage image = cleared(8, 1);
  SpanRaster raster(image);
  raster.clear(kGround, kGrid, {});
  raster.drawLane(0, 1, std::array{ColorSpan{0, 4, kRed, 255}, ColorSpan{4, 8, kRed, 255}}, 3);
  const auto line = lineOf(image, 0);
  QCOMPARE(line[2], kRed);
  QVERIFY(line[3] != kRed && line[3] != kGround);
  QCOMPARE(line[4], kRed);
  // Of narrow ones nothing is taken away.
  raster.drawLane(0, 1, std::array{ColorSpan{0, 2, kRed, 255}, ColorSpan{2, 4, kRed, 255}}, 3);
  QCOMPARE(lineOf(image, 0)[1], kRed);
}

void SpanRasterTest::lessBusyIsLessInkAndNeverNone() {
  QImage image = cleared(4, 1);
  SpanRaster raster(image);
  raster.clear(kGround, kGrid, {});
  raster.drawLane(0, 1,
                  std::array{ColorSpan{0, 1, kRed, 0}, ColorSpan{1, 2, kRed, 128}, ColorSpan{2, 3, kRed, 254},
                             ColorSpan{3, 4, kRed, 255}});
  const auto line = lineOf(image, 0);
  QVERIFY(qRed(line[0]) > qRed(kGround) + 40);
  QVERIFY(qRed(line[0]) < qRed(line[1]));
  QVERIFY(qRed(line[1]) < qRed(line[2]));
  QCOMPARE(line[3], kRed);
}

void SpanRasterTest::aCollapsedLaneKeepsColorsUnblended() {
  QImage image = cleared(3, 1);
  SpanRaster raster(image);
  raster.clear(qRgb(0, 0, 0), kGrid, {});
  raster.drawLane(
      0, 1, std::array{ColorSpan{0, 1, kRed, 90}, ColorSpan{1, 2, kGreen, 90}, ColorSpan{2, 3, kRed, 90}});
  const auto line = lineOf(image, 0);
  QCOMPARE(qGreen(line[0]), 0);
  QCOMPARE(qRed(line[1]), 0);
  QCOMPARE(line[0], line[2]);
}

void SpanRasterTest::stripesAreDiagonalAndMoveWithTheirPhase() {
  QImage image = cleared(8, 3);
  SpanRaster raster(image);
  raster.clear(kGround, kGrid, {});
  Hatch hatch{0, qRgba(255, 255, 255, 255), 4, 1, 0};
  raster.hatch(0, 3, 0, 8, hatch);
  const auto striped = [&](int x, int y) { return image.pixel(x, y) == qRgb(255, 255, 255); };
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 8; ++x) QCOMPARE(striped(x, y), (x + y) % 4 == 0);
  }
  raster.clear(kGround, kGrid, {});
  hatch.phase = 1;
  raster.hatch(0, 1, 2, 8, hatch);
  for (int x = 0; x < 8; ++x) QCOMPARE(striped(x, 0), x >= 2 && (x - 1) % 4 == 0);
}

void SpanRasterTest::anAreaIsAsHighAsItsValue() {
  QImage image = cleared(4, 10);
  SpanRaster raster(image);
  raster.clear(kGround, kGrid, {});
  const std::array<std::uint8_t, 4> values{0, 1, 128, 255};
  raster.drawArea(0, 10, values, qRgba(0, 200, 0, 255), kRed);
  const auto edgeAt = [&](int x) {
    for (int y = 0; y < 10; ++y) {
      if (image.pixel(x, y) == kRed) return y;
    }
    return -1;
  };
  QCOMPARE(edgeAt(0), -1);
  QCOMPARE(edgeAt(1), 9);
  QCOMPARE(edgeAt(2), 5);
  QCOMPARE(edgeAt(3), 0);
  QCOMPARE(image.pixel(2, 4), kGround);
  QCOMPARE(image.pixel(2, 6), kGreen);
}

RANKSCOPE_UI_TEST(SpanRasterTest)
#include "span_raster_test.moc"
