// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline on a display with two device pixels to a logical one, and with texts larger than usual.
#include "tests/ui/larger_texts.h"
#include "tests/ui/timeline_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/base/text_scale.h"
#include "ui/tables/table_card.h"
#include "ui/timeline/strips/time_ruler.h"

#include <QHeaderView>
#include <QTableView>

#include <array>
#include <cmath>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

int heightOf(const QFont& font) {
  return QFontMetrics(font).height();
}

} // namespace

class ScaledTest : public QObject {
  Q_OBJECT

 public:
  static void initMain() { qputenv("QT_SCALE_FACTOR", "2"); }

 private slots:
  void aSliceIsHitExactlyWhereItIsDrawn();
  void dragsAndZoomsKeepTheTimeUnderTheMouse();
  void onlyALargerDesktopFontMakesTextsLarger();
  void headerTextsFitTheirLanesHoweverLargeTheyAre();
  void rulerAndTablesGrowWithTheirTexts();
};

void ScaledTest::aSliceIsHitExactlyWhereItIsDrawn() {
  Shown shown(loadRanks(1));
  const TimelineCanvas& canvas = shown.canvas();
  QCOMPARE(canvas.devicePixelRatioF(), 2.0);
  // A window in which begins and ends fall between logical pixels.
  shown.session.setWindow({shown.origin() + kMs / 3, shown.origin() + 73 * kMs / 10});
  const std::array<EventRef, 3> kernels{shown.find("void ampere_sgemm<float>(int)"),
                                        shown.find("void elementwise<float>(int)"),
                                        shown.find("void ampere_sgemm<float>(int)", 0, 1)};
  const PixelScale scale = canvas.pixelScale();
  QCOMPARE(scale.width(), canvas.width() * 2);
  for (const EventRef kernel : kernels) {
    const TimeRange range = shown.session.rangeOf(kernel);
    const int y = shown.pointOn(kernel).y();
    const int first = scale.pixelAt(range.begin);
    const int end = std::min(scale.pixelAt(range.end), scale.width());
    QVERIFY(first >= 0 && end > first);
    // Half a logical pixel is one of the device.
    for (const int column : {first, (first + end) / 2, end - 1})
      QCOMPARE(canvas.hitAtPosition({column / 2.0, static_cast<double>(y)}).event, kernel);
    if (first > 0) QVERIFY(canvas.hitAtPosition({(first - 1) / 2.0, static_cast<double>(y)}).event != kernel);
    if (end < scale.width())
      QVERIFY(canvas.hitAtPosition({end / 2.0, static_cast<double>(y)}).event != kernel);
    shown.click({first / 2 + 1, y});
    QCOMPARE(shown.session.selection(), kernel);
    // The lane has the height of the layout.
    const Lane& lane = *shown.view.trackLayout().laneOf(kernel);
    const int top = lane.top - canvas.scrollTop();
    QCOMPARE(canvas.hitAtPosition({(first + end) / 4.0, static_cast<double>(top)}).event, kernel);
    QVERIFY(canvas.hitAtPosition({(first + end) / 4.0, static_cast<double>(top + lane.height)}).event !=
            kernel);
  }
}

void ScaledTest::dragsAndZoomsKeepTheTimeUnderTheMouse() {
  Shown shown(loadRanks(1));
  shown.session.setWindow({shown.origin() + kMs, shown.origin() + 5 * kMs});
  const QPoint at(333, 60);
  const TimeNs pixel = shown.window().length() / shown.canvas().width() + 1;
  const TimeNs before = shown.canvas().timeAt(at.x());
  shown.canvas().zoomAt(at.x(), 0.5);
  QVERIFY(std::abs(shown.canvas().timeAt(at.x()) - before) <= pixel);
  const TimeNs grabbed = shown.canvas().timeAt(at.x());
  Shown::drag(shown.canvas(), at, at + QPoint(100, 0));
  QVERIFY(std::abs(shown.canvas().timeAt(at.x() + 100) - grabbed) <= pixel);
  // The ruler is above the lanes.
  shown.hover(at);
  const auto cursor = shown.view.ruler().cursorTime();
  QVERIFY(cursor && std::abs(*cursor - shown.canvas().timeAt(at.x())) <= pixel);
}

void ScaledTest::onlyALargerDesktopFontMakesTextsLarger() {
  QFont font;
  font.setPixelSize(12);
  QCOMPARE(textScaleOf(font), 1.0);
  font.setPixelSize(15); // 11 points
  QCOMPARE(textScaleOf(font), 1.0);
  font.setPixelSize(21); // 16 points
  QVERIFY(textScaleOf(font) > 1.4 && textScaleOf(font) < 1.6);
  font.setPixelSize(300);
  QCOMPARE(textScaleOf(font), kMaxTextScale);
  const LargerTexts larger(0.2);
  QCOMPARE(textScale(), 1.0);
  QCOMPARE(textFont(12).pixelSize(), 12);
}

void ScaledTest::headerTextsFitTheirLanesHoweverLargeTheyAre() {
  for (const qreal scale : {1.0, 1.5, 2.5}) {
    const LargerTexts larger(scale);
    Shown shown(loadRanks(3));
    shown.view.setAllRanksExpanded(true);
    QCOMPARE(textFont(11).pixelSize(), qRound(11 * scale));
    // Ascenders and descenders, less what the font leaves free above and below them.
    const auto needs = [](const QFont& font) { return QFontMetrics(font).tightBoundingRect("Åg|").height(); };
    for (const Section& section : shown.view.trackLayout().sections()) {
      const bool rank = section.key.isRank();
      const int minHeight = rank ? heightOf(textFont(12, QFont::DemiBold)) : needs(textFont(11));
      QVERIFY2(section.height >= minHeight, qPrintable(QStringLiteral("%1 at %2: %3 of %4")
                                                           .arg(section.label)
                                                           .arg(scale)
                                                           .arg(section.height)
                                                           .arg(minHeight)));
    }
    for (const Lane& lane : shown.view.trackLayout().lanes())
      if (lane.row.valid() && !lane.thin) QVERIFY(lane.height >= needs(textFont(9)));
    shown.view.setAllRanksExpanded(false);
    for (const Section& section : shown.view.trackLayout().sections())
      QVERIFY(section.height >= needs(textFont(12, QFont::DemiBold)));
  }
}

void ScaledTest::rulerAndTablesGrowWithTheirTexts() {
  const LargerTexts larger(1.6);
  Shown shown(loadRanks(1));
  QVERIFY(shown.view.ruler().height() >= heightOf(numberFont(10.5)) + heightOf(textFont(10.5)));
  TableCard card({}, {{.source = "name", .title = QStringLiteral("Name")}}, shown.session);
  QVERIFY(card.view().verticalHeader()->defaultSectionSize() >= heightOf(textFont(12)) + 4);
  QVERIFY(withTextScale(
              QStringLiteral("a { font-size: 10px; } b { font-size:20px; padding: 10px; width: 20tp }")) ==
          QStringLiteral("a { font-size: 16px; } b { font-size: 32px; padding: 10px; width: 32px }"));
}

RANKSCOPE_UI_TEST(ScaledTest)
#include "scaled_test.moc"
