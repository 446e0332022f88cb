// SPDX-License-Identifier: GPL-3.0-or-later
// Charts by themselves: which cell or bar is under a point, that maxima are visible where cells share a
// pixel, pictures, keys and themes. Covers ui/charts/axis_text and ui/charts/plot_view too.
#include "tests/ui/settling.h"
#include "tests/ui/ui_test.h"
#include "ui/base/save_file.h"
#include "ui/charts/axis_text.h"
#include "ui/charts/chart_card.h"
#include "ui/charts/heat_map.h"
#include "ui/charts/heat_scale.h"
#include "ui/charts/histogram.h"
#include "ui/charts/lane_chart.h"
#include "ui/charts/line_plot.h"
#include "ui/charts/roofline.h"
#include "ui/charts/stacked_bars.h"
#include "ui/job/trace_session.h"

#include <QAreaSeries>
#include <QChart>
#include <QFile>
#include <QLineSeries>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

HeatContents heat(std::size_t columns, std::size_t rows, float fill) {
  auto cells = std::make_shared<HeatCells>();
  cells->columns = columns;
  cells->rows = rows;
  cells->values.assign(columns * rows, fill);
  HeatContents contents;
  for (std::size_t row = 0; row < rows; ++row) contents.rowNames << QStringLiteral("Rank %1").arg(row);
  contents.outlierRows.assign(rows, false);
  contents.top = 100;
  contents.largest = 100;
  contents.cells = std::move(cells);
  return contents;
}

HeatContents withCell(HeatContents contents, std::size_t column, std::size_t row, float value) {
  auto cells = std::make_shared<HeatCells>(*contents.cells);
  cells->values[column * cells->rows + row] = value;
  contents.cells = std::move(cells);
  return contents;
}

BarRows bars(int rows) {
  BarRows made;
  made.parts = {{QStringLiteral("compute"), &Theme::gemm},
                {QStringLiteral("exposed"), &Theme::exposed, true},
                {QStringLiteral("waiting"), &Theme::communication, false, 0.45}};
  for (int row = 0; row < rows; ++row)
    made.rows.push_back({QStringLiteral("Rank %1").arg(row), {40e6 + row * 1e6, 20e6, 10e6}});
  return made;
}

Curves dots(int ranks) {
  Curves curves;
  curves.xBegin = -0.5;
  curves.xEnd = ranks - 0.5;
  for (int rank = 0; rank < ranks; ++rank) {
    curves.xTexts << QStringLiteral("Rank %1").arg(rank);
    curves.curves.push_back({.name = QStringLiteral("Rank %1").arg(rank),
                             .points = {{static_cast<double>(rank), 10e6 + (rank % 3) * 1e6}}});
  }
  return curves;
}

double brightness(QColor color) {
  const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

template <class Chart> void showChart(Chart& chart, QSize size) {
  chart.resize(size);
  chart.show();
  QApplication::processEvents();
}

} // namespace

class ChartsTest : public QObject {
  Q_OBJECT

 private slots:
  void aCellIsUnderEachPointOfItsBox();
  void whereCellsShareAPixelTheLargestIsSeen();
  void cellsAreFoldedByAPassOverThem();
  void colorsOfTheScaleChangeBrightnessOneWay();
  void anotherThemeColorsTheCellsAnew();
  void keysMoveFromCellToCellAndPickOne();
  void keysMoveFromBarToBarAndPickAPart();
  void aDotIsFoundByItsPlaceAndKeysGoToTheNext();
  void axisTextsOfStepsHaveTheirSign();
  void largeAmountsAreNoPowersOfTen();
  void aMissingStepHasNoValue();
  void differencesBelowZeroAreDrawn();
  void aPictureHasAlsoWhatIsScrolledAway();
  void anSvgIsMadeOfShapesAndTexts();
  void anSvgOfAHeatMapHasItsCellsAsShapes();
  void barsGrowApartButNotFat();
  void theNameOfADotCoversNoOther();
  void withoutAChartThereIsNoLegend();
  void theBarsOfAHistogramAreItsChartsSeries();
  void lengthsOfFoldsNextToEachOtherDoNotOverlap();
  void eachPercentileHasItsLabel();
  void namesOfMarksCoverNoCurve();
  void textsOfARooflineHaveAGround();
  void textsOfARooflineCoverNoDots();
};

void ChartsTest::aCellIsUnderEachPointOfItsBox() {
  TraceSession session;
  HeatMap map(session);
  map.setContents(heat(31, 7, 5));
  showChart(map, {643, 251});
  int covered = 0;
  for (std::size_t column = 0; column < 31; ++column)
    for (std::size_t row = 0; row < 7; ++row) {
      const QRect box = map.boxOf(column, row);
      covered += box.width() * box.height();
      for (const QPoint at : {box.topLeft(), box.bottomRight(), box.center()}) {
        const auto cell = map.cellAt(at);
        QVERIFY(cell.has_value());
        QCOMPARE(cell->column, column);
        QCOMPARE(cell->row, row);
      }
    }
  QCOMPARE(covered, map.plot().width() * map.plot().height());
  QVERIFY(!map.cellAt(map.plot().topLeft() - QPoint(1, 0)).has_value());
}

void ChartsTest::whereCellsShareAPixelTheLargestIsSeen() {
  TraceSession session;
  HeatMap map(session);
  showChart(map, {700, 300});
  for (const auto& [column, row] : {std::pair(0, 0), std::pair(12'345, 300), std::pair(19'999, 511)}) {
    map.setContents(
        withCell(heat(20'000, 512, 1), static_cast<std::size_t>(column), static_cast<std::size_t>(row), 100));
    const QPoint at = map.boxOf(static_cast<std::size_t>(column), static_cast<std::size_t>(row)).topLeft();
    const auto cell = map.cellAt(at);
    QVERIFY(cell.has_value());
    QCOMPARE(cell->value, 100.0F);
    QCOMPARE(cell->column, static_cast<std::size_t>(column));
    QCOMPARE(cell->row, static_cast<std::size_t>(row));
    QCOMPARE(map.grab().toImage().pixelColor(at), QColor(heatColor(session.theme(), 1).rgb()));
    map.setTipOf([](std::size_t, std::size_t) { return QStringLiteral("it"); });
    QVERIFY(map.tipAt(at).contains(QStringLiteral("Maximum of")));
  }
  QVERIFY(map.folding().width() > 1);
}

void ChartsTest::cellsAreFoldedByAPassOverThem() {
  const HeatContents contents = withCell(heat(50, 20, 1), 13, 4, 80);
  const HeatPeak peak = largestIn(*contents.cells, 10, 20, 0, 10);
  QCOMPARE(peak.value, 80.0F);
  QCOMPARE(peak.column, 13U);
  QCOMPARE(peak.row, 4U);
  QCOMPARE(largestIn(*contents.cells, 20, 30, 0, 10).value, 1.0F);
}

void ChartsTest::colorsOfTheScaleChangeBrightnessOneWay() {
  for (const ThemeName name : {ThemeName::Dark, ThemeName::Light}) {
    const Theme& theme = Theme::of(name);
    const double sign = name == ThemeName::Dark ? 1 : -1;
    double before = brightness(heatColor(theme, 0));
    for (int i = 1; i <= 64; ++i) {
      const double now = brightness(heatColor(theme, i / 64.0));
      QVERIFY2(sign * (now - before) > 0, qPrintable(QString::number(i)));
      before = now;
    }
  }
}

void ChartsTest::anotherThemeColorsTheCellsAnew() {
  TraceSession session;
  HeatMap map(session);
  map.setContents(heat(10, 4, 0));
  showChart(map, {400, 200});
  const QPoint at = map.boxOf(5, 2).center();
  QCOMPARE(map.grab().toImage().pixelColor(at), QColor(heatColor(Theme::of(ThemeName::Dark), 0).rgb()));
  session.setTheme(ThemeName::Light);
  QCOMPARE(map.grab().toImage().pixelColor(at), QColor(heatColor(Theme::of(ThemeName::Light), 0).rgb()));
}

void ChartsTest::keysMoveFromCellToCellAndPickOne() {
  TraceSession session;
  HeatMap map(session);
  map.setContents(heat(10, 4, 5));
  showChart(map, {400, 200});
  QSignalSpy picked(&map, &HeatMap::cellPicked);
  QSignalSpy hovered(&map, &HeatMap::rowHovered);
  for (const int key : {Qt::Key_Down, Qt::Key_Down, Qt::Key_Right, Qt::Key_Right, Qt::Key_Up, Qt::Key_Return})
    QTest::keyClick(&map, static_cast<Qt::Key>(key));
  QCOMPARE(picked.size(), 1);
  QCOMPARE(picked.front().at(0).toInt(), 2);
  QCOMPARE(picked.front().at(1).toInt(), 0);
  QCOMPARE(hovered.back().front().toInt(), 0);
}

void ChartsTest::keysMoveFromBarToBarAndPickAPart() {
  TraceSession session;
  StackedBars chart(session);
  chart.setBars(bars(4));
  showChart(chart, {500, 200});
  QSignalSpy picked(&chart, &StackedBars::partClicked);
  for (const int key : {Qt::Key_Down, Qt::Key_Down, Qt::Key_Right, Qt::Key_Right, Qt::Key_Return})
    QTest::keyClick(&chart, static_cast<Qt::Key>(key));
  QCOMPARE(picked.size(), 1);
  QCOMPARE(picked.front().at(0).toInt(), 1);
  QCOMPARE(picked.front().at(1).toInt(), 1);
}

void ChartsTest::aDotIsFoundByItsPlaceAndKeysGoToTheNext() {
  TraceSession session;
  LinePlot plot(session);
  plot.setCurves(dots(8));
  showChart(plot, {500, 240});
  QSignalSpy clicked(&plot, &LinePlot::clicked);
  const QPointF at = plot.placeOf(5, 12e6);
  QTest::mouseClick(plot.viewport(), Qt::LeftButton, {}, at.toPoint());
  QCOMPARE(clicked.size(), 1);
  QCOMPARE(clicked.front().front().toInt(), 5);
  QVERIFY(plot.tipAt(at).contains(QStringLiteral("Rank 5")));
  QVERIFY(plot.grab().toImage().pixelColor(at.toPoint()) != plot.grab().toImage().pixelColor(0, 0));
  for (const int key : {Qt::Key_Right, Qt::Key_Right, Qt::Key_Return})
    QTest::keyClick(&plot, static_cast<Qt::Key>(key));
  QCOMPARE(clicked.back().front().toInt(), 2);
}

void ChartsTest::axisTextsOfStepsHaveTheirSign() {
  TraceSession session;
  LinePlot plot(session);
  Curves curves;
  curves.xPrefix = QStringLiteral("#");
  curves.xBegin = 10.7;
  curves.xEnd = 13.3;
  curves.curves.push_back({.name = QStringLiteral("Rank 0"), .points = {{11, 5e6}, {12, 6e6}, {13, 5e6}}});
  plot.setCurves(curves);
  showChart(plot, {500, 240});
  QVERIFY(plot.tipAt(plot.placeOf(12, 6e6)).startsWith(QStringLiteral("#12")));
}

// Amounts of a query have no unit. They are grouped like all numbers, not written as "4.66e+03".
void ChartsTest::largeAmountsAreNoPowersOfTen() {
  const auto text = [](double amount) {
    return amountText(Unit::Ratio, amount).remove(QLatin1Char(' ')).remove(QChar::Nbsp);
  };
  QCOMPARE(text(4658.5), QString("4659"));
  QCOMPARE(text(-1211), QString("-1211"));
  QCOMPARE(text(999.7), QString("1000"));
  QCOMPARE(text(466.2), QString("466"));
  QCOMPARE(text(1.042), QString("1.04"));
  QCOMPARE(text(0.00042), QString("0.00042"));
  // Marks of an axis have one unit.
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  const AxisMarks marks = unitAxisMarks(Unit::Bytes, 0, 2.7 * kGiB, 15);
  QStringList texts;
  for (const double at : marks.at) texts << amountText(Unit::Bytes, at, marks.step);
  QCOMPARE(texts.mid(0, 3), (QStringList{"0 B", "0.2 GiB", "0.4 GiB"}));
  QCOMPARE(texts.back(), QString("2.6 GiB"));
}

void ChartsTest::aMissingStepHasNoValue() {
  TraceSession session;
  LinePlot plot(session);
  Curves curves;
  curves.xBegin = 9.5;
  curves.xEnd = 16.5;
  curves.curves.push_back({.name = QStringLiteral("Idle"), .points = {{10, 5e6}, {16, 7e6}}});
  plot.setCurves(curves);
  showChart(plot, {500, 240});
  QVERIFY(plot.tipAt(plot.placeOf(10, 5e6)).contains(QStringLiteral("Idle")));
  QVERIFY(!plot.tipAt(plot.placeOf(13, 6e6)).contains(QStringLiteral("Idle")));
}

void ChartsTest::differencesBelowZeroAreDrawn() {
  TraceSession session;
  LinePlot plot(session);
  Curves curves;
  curves.xBegin = -0.5;
  curves.xEnd = 1.5;
  curves.curves.push_back({.name = QStringLiteral("Change"), .points = {{0, -5e6}, {1, 3e6}}});
  plot.setCurves(curves);
  showChart(plot, {500, 240});
  QVERIFY(plot.placeOf(0, -5e6).y() < plot.height());
  QVERIFY(plot.placeOf(0, -5e6).y() > plot.placeOf(0, 0).y());
  QVERIFY(plot.tipAt(plot.placeOf(0, -5e6)).contains(QStringLiteral("-5.00 ms")));
}

void ChartsTest::aPictureHasAlsoWhatIsScrolledAway() {
  TraceSession session;
  auto* chart = new StackedBars(session);
  chart->setBars(bars(40));
  ChartCard card(QStringLiteral("Bars"), chart, session);
  showChart(card, {600, 200});
  const QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("bars.png"));
  QSignalSpy saved(&card, &ChartCard::saved);
  card.savePicture(path);
  QVERIFY(saved.isEmpty() && !session.pending().idle()); // nobody waits for the disk
  QVERIFY(settles(session.pending()));
  QCOMPARE(saved.count(), 1);
  QCOMPARE(saved.front().at(1).toString(), QString());
  QVERIFY(savePng(path, QImage()));
  const QImage picture(path);
  QVERIFY(picture.height() >= chart->minimumSizeHint().height());
  QCOMPARE(card.size(), QSize(600, 200));
  // The last bar is in it.
  int green = 0;
  const int y = picture.height() - 24;
  for (int x = 0; x < picture.width(); ++x) green += picture.pixelColor(x, y) == session.theme().gemm ? 1 : 0;
  QVERIFY(green > 50);
}

void ChartsTest::anSvgIsMadeOfShapesAndTexts() {
  TraceSession session;
  auto* chart = new StackedBars(session);
  chart->setBars(bars(4));
  ChartCard card(QStringLiteral("Bars"), chart, session);
  card.setLegend({{QStringLiteral("compute"), &Theme::gemm}});
  showChart(card, {600, 300});
  const QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("bars.svg"));
  card.savePicture(path);
  QVERIFY(settles(session.pending()));
  QFile file(path);
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QString text = QString::fromUtf8(file.readAll());
  for (const char* word : {"Rank 3", "compute", "Bars"}) QVERIFY2(text.contains(QLatin1String(word)), word);
  QVERIFY(text.contains(session.theme().gemm.name()));
  QVERIFY(!text.contains(QStringLiteral("<image")));
  // Whatever the mouse is over.
  const QByteArray still = card.svg();
  QSignalSpy hovered(chart, &StackedBars::rowHovered);
  QTest::mouseMove(chart, chart->boxOf(1, 0).center().toPoint());
  QVERIFY(!hovered.isEmpty());
  QCOMPARE(card.svg(), still);
}

void ChartsTest::anSvgOfAHeatMapHasItsCellsAsShapes() {
  TraceSession session;
  const auto drawn = [&](HeatContents contents) {
    auto* map = new HeatMap(session);
    map->setContents(std::move(contents));
    ChartCard card(QStringLiteral("Arrival"), map, session);
    showChart(card, {900, 500});
    return QString::fromUtf8(card.svg());
  };
  const QString few = drawn(withCell(heat(5, 4, 10), 2, 3, 100));
  QVERIFY(!few.contains(QStringLiteral("<image")));
  QVERIFY(few.contains(heatColor(session.theme(), 1).name()));
  // Large matrices are drawn as an image.
  QVERIFY(drawn(heat(2'000, 300, 10)).contains(QStringLiteral("<image")));
}

void ChartsTest::barsGrowApartButNotFat() {
  TraceSession session;
  StackedBars chart(session);
  chart.setBars(bars(4));
  showChart(chart, {600, 80});
  const QRectF small = chart.boxOf(0, 0);
  const qreal smallStep = chart.boxOf(1, 0).top() - small.top();
  showChart(chart, {600, 400});
  const qreal step = chart.boxOf(1, 0).top() - chart.boxOf(0, 0).top();
  QVERIFY(step > 3 * smallStep);
  QVERIFY(chart.boxOf(0, 0).height() > small.height());
  QVERIFY(chart.boxOf(0, 0).height() < step / 2);
  QVERIFY(chart.boxOf(3, 0).bottom() > 300);
  showChart(chart, {600, 2000});
  QVERIFY(chart.boxOf(3, 0).bottom() <= chart.largestHeight());
}

void ChartsTest::theNameOfADotCoversNoOther() {
  TraceSession session;
  LinePlot plot(session);
  Curves curves = dots(8);
  for (Curve& curve : curves.curves) curve.points.front().setY(10e6);
  curves.curves.back().outlier = true;
  plot.setCurves(curves);
  showChart(plot, {420, 220});
  const QImage picture = plot.grab().toImage();
  // Each of the others is whole.
  for (int rank = 0; rank < 7; ++rank) {
    const QPoint middle = plot.placeOf(rank, 10e6).toPoint();
    QCOMPARE(picture.pixelColor(middle), session.theme().accent);
    QCOMPARE(picture.pixelColor(middle + QPoint(2, 0)), session.theme().accent);
    QCOMPARE(picture.pixelColor(middle - QPoint(2, 0)), session.theme().accent);
  }
}

void ChartsTest::withoutAChartThereIsNoLegend() {
  TraceSession session;
  ChartCard card(QStringLiteral("Bars"), new StackedBars(session), session);
  card.setLegend({{QStringLiteral("compute"), &Theme::gemm}});
  showChart(card, {600, 300});
  const QPoint swatch(23, 50);
  const auto colored = [&] {
    const QImage picture = card.grab().toImage();
    int count = 0;
    for (int y = 30; y < 90; ++y)
      for (int x = 10; x < 60; ++x) count += picture.pixelColor(x, y) == session.theme().gemm ? 1 : 0;
    return count;
  };
  QVERIFY(colored() > 20);
  card.setEmptyText(QStringLiteral("Nothing was recorded."));
  QCOMPARE(colored(), 0);
}

// What is drawn lies where it is clicked, at any size, and what is pointed at is drawn apart.
void ChartsTest::theBarsOfAHistogramAreItsChartsSeries() {
  TraceSession session;
  Histogram chart(session);
  std::vector<TimeNs> durations;
  durations.reserve(400);
  for (int i = 0; i < 400; ++i) durations.push_back(10'000 + i * i * 50);
  chart.setBins(durationBins(durations, 20), &Theme::gemm);
  const auto areas = [&] {
    std::vector<QAreaSeries*> found;
    for (QAbstractSeries* const series : chart.chart()->series())
      if (auto* const area = qobject_cast<QAreaSeries*>(series)) found.push_back(area);
    return found;
  };
  for (const QSize size : {QSize(600, 300), QSize(320, 180)}) {
    showChart(chart, size);
    QCOMPARE(areas().size(), std::size_t{3});
    const QAreaSeries& bars = *areas().front();
    const QList<QPointF> points = bars.upperSeries()->points();
    std::size_t at = 0;
    for (std::size_t bin = 0; bin < chart.bins().counts.size(); ++bin) {
      if (chart.bins().counts[bin] == 0) continue;
      const QRectF box = chart.boxOf(bin);
      const QPointF top =
          chart.chart()->mapToPosition(points[static_cast<qsizetype>(at) + 1], areas().front());
      QVERIFY(std::abs(top.y() - box.top()) <= 1);
      QVERIFY(top.x() >= box.left() - 1 && top.x() <= box.left() + 2);
      at += 4;
    }
    QCOMPARE(static_cast<qsizetype>(at), points.size());
  }
  const qsizetype all = areas().front()->upperSeries()->count();
  chart.markDuration(durations[200]);
  QCOMPARE(areas().front()->upperSeries()->count(), all - 4);
  QCOMPARE(areas().back()->upperSeries()->count(), qsizetype{4});
  QCOMPARE(areas().back()->brush().color(), session.theme().accent);
  session.setTheme(ThemeName::Light);
  QCOMPARE(areas().front()->brush().color(), Theme::of(ThemeName::Light).gemm);
  // No call took any time: one bar over all of the plot.
  chart.setBins(durationBins({0, 0}), &Theme::gemm);
  QCOMPARE(chart.boxOf(0).width(), chart.chart()->plotArea().width());
  chart.setBins({}, &Theme::gemm);
  QVERIFY(chart.chart()->series().isEmpty() && chart.chart()->axes().isEmpty());
}

void ChartsTest::eachPercentileHasItsLabel() {
  TraceSession session;
  Histogram chart(session);
  std::vector<TimeNs> durations(100, 1'000'000);
  for (int i = 0; i < 40; ++i) durations[static_cast<std::size_t>(i)] = 900'000 + i;
  chart.setBins(durationBins(durations, 20), &Theme::gemm);
  for (const int width : {260, 320, 600}) {
    showChart(chart, {width, 200});
    const std::vector<Histogram::Label> labels = chart.percentileLabels();
    // All calls but the first 40 take 1 ms.
    QCOMPARE(labels.size(), std::size_t{1});
    QCOMPARE(labels[0].text, QStringLiteral("p50, p90, p99 1.00 ms"));
  }
  // Two lines as good as one, and one near them.
  durations.assign(100, 316'000'000);
  for (std::size_t i = 0; i < 60; ++i) durations[i] = i < 10 ? 1'000'000 : 81'500'000;
  for (std::size_t i = 97; i < 100; ++i) durations[i] = 317'000'000;
  chart.setBins(durationBins(durations, 20), &Theme::gemm);
  const auto lines = [&] { // of the percentiles, across
    std::vector<qreal> found;
    for (QAbstractSeries* const series : chart.chart()->series())
      if (auto* const line = qobject_cast<QLineSeries*>(series))
        found.push_back(chart.chart()->mapToPosition(line->at(0), line).x());
    return found;
  };
  for (const int width : {260, 320, 600, 1200}) {
    showChart(chart, {width, 200});
    const std::vector<Histogram::Label> labels = chart.percentileLabels();
    QCOMPARE(labels.size(), std::size_t{3});
    QCOMPARE(labels[1].text, QStringLiteral("p90 316 ms"));
    QCOMPARE(lines().size(), std::size_t{3});
    for (std::size_t i = 0; i < labels.size(); ++i) {
      QVERIFY(labels[i].box.left() >= 0 && labels[i].box.right() <= chart.width());
      // Over its own line, and over no other label and no bar.
      QVERIFY(labels[i].box.left() <= lines()[i] && lines()[i] <= labels[i].box.right());
      QVERIFY(labels[i].box.bottom() <= chart.chart()->plotArea().top());
      for (std::size_t j = 0; j < i; ++j) QVERIFY(!labels[i].box.intersects(labels[j].box));
    }
  }
}

void ChartsTest::namesOfMarksCoverNoCurve() {
  TraceSession session;
  LinePlot plot(session);
  Curves curves{.curves = {{.name = QStringLiteral("allocated"), .points = {{0, 100}, {10, 100}}}},
                .marks = {{5, QStringLiteral("Step 1")}},
                .yUnit = Unit::Bytes,
                .xEnd = 10};
  plot.setCurves(curves);
  showChart(plot, {400, 200});
  const qreal withMarks = plot.placeOf(5, 100).y();
  // The peak has its name, whatever comes before it.
  curves.marks = {
      {4.9, QStringLiteral("Step 1")}, {9, QStringLiteral("2")}, {5, QStringLiteral("peak"), &Theme::bad}};
  plot.setCurves(curves);
  const auto texts = plot.markTexts();
  QCOMPARE(texts.size(), std::size_t{2});
  QCOMPARE(texts[0].mark, std::size_t{2});
  QCOMPARE(texts[1].mark, std::size_t{1});
  for (const auto& text : texts) QVERIFY(text.box.bottom() <= plot.placeOf(5, 100).y());
  curves.marks.clear();
  plot.setCurves(curves);
  const qreal without = plot.placeOf(5, 100).y();
  QVERIFY2(withMarks - without >= QFontMetrics(numberFont(11)).height() / 2.0,
           qPrintable(QStringLiteral("%1 %2").arg(withMarks).arg(without)));
  QVERIFY(withMarks > QFontMetrics(numberFont(11)).height());
}

void ChartsTest::textsOfARooflineHaveAGround() {
  TraceSession session;
  Roofline plot(session);
  RooflineContents contents;
  contents.gigabytes = 900;
  contents.levels = {{QStringLiteral("best operator here"), 17.5, &Theme::good, true},
                     {QStringLiteral("fp32"), 15.7, &Theme::text, false}};
  plot.setContents(contents);
  showChart(plot, {500, 300});
  const QImage picture = plot.grab().toImage();
  const auto levels = plot.levelTexts();
  QCOMPARE(levels.size(), std::size_t{2});
  // The lines of both levels end at the texts.
  for (const auto& level : levels)
    for (int y = static_cast<int>(level.box.top()) + 1; y < static_cast<int>(level.box.bottom()) - 1; ++y)
      QCOMPARE(picture.pixelColor(static_cast<int>(level.box.left()) + 1, y), session.theme().panel);
}

void ChartsTest::textsOfARooflineCoverNoDots() {
  TraceSession session;
  Roofline plot(session);
  RooflineContents contents;
  contents.gigabytes = 900;
  contents.levels = {{QStringLiteral("best operator here"), 17.5, &Theme::good, true}};
  plot.setContents(contents);
  showChart(plot, {700, 300});
  const QRectF alone = plot.levelTexts().front().box;
  // A dot at the right end of the line, where the text would be.
  contents.dots = {{90, 17.5, 1, &Theme::gemm, {}}};
  plot.setContents(contents);
  const QRectF beside = plot.levelTexts().front().box;
  QVERIFY(beside.right() < alone.right() && beside.top() == alone.top());
  const QImage picture = plot.grab().toImage();
  const QPointF dot = plot.placeOf(0);
  QVERIFY(!beside.contains(dot));
  QVERIFY(picture.pixelColor(dot.toPoint()) != session.theme().panel);
}

void ChartsTest::lengthsOfFoldsNextToEachOtherDoNotOverlap() {
  const TraceSession session;
  LaneContents contents;
  contents.lanes << QStringLiteral("Rank 0");
  constexpr TimeNs kSecond = 1'000'000'000;
  constexpr TimeNs kDrawn = kSecond / 10;
  std::vector<TimeFold> folds;
  for (const TimeNs begin : {1, 12, 23, 60}) // the first three are drawn within half a second
    folds.push_back({{begin * kSecond, (begin + 10) * kSecond + 900'000'000}, kDrawn});
  contents.folds = TimeFolds(folds);
  contents.length = static_cast<double>(contents.folds.toDrawn(80 * kSecond));
  LaneChart chart(session);
  chart.resize(500, 100);
  chart.setContents(contents);
  const std::vector<LaneChart::FoldLabel> labels = chart.foldLabels();
  QCOMPARE(labels.size(), std::size_t{2});
  QCOMPARE(labels[0].text, QStringLiteral("10.9 s gap"));
  QVERIFY(labels[0].box.right() <= labels[1].box.left());
}

RANKSCOPE_UI_TEST(ChartsTest)
#include "charts_test.moc"
