// SPDX-License-Identifier: GPL-3.0-or-later
// Regions and notes created by the user: M, T, the ruler, the list. Covers ui/details/regions_model,
// ui/details/mark_tools, ui/job/choice_undo, ui/job/marks and ui/timeline/strips/region_band too.
#include "tests/ui/details/marking_fixture.h"
#include "tests/ui/timeline_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/actions/actions.h"
#include "ui/details/regions_model.h"
#include "ui/details/regions_panel.h"
#include "ui/job/trace_session.h"
#include "ui/timeline/strips/time_ruler.h"
#include "ui/timeline/tracks/range_tracks.h"

#include <QApplication>
#include <QImage>
#include <QLineEdit>
#include <QTableView>
#include <QTest>

#include <array>
#include <optional>
#include <vector>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

class RegionsPanelTest : public QObject {
  Q_OBJECT

 private slots:
  void mMarksARegionAndDeleteRemovesIt();
  void mOnASliceNamesTheRegionAfterIt();
  void shiftMKeepsItAndAsksForANote();
  void everyChangeOfRegionsCanBeUndone();
  void pinsAndHidesCanBeUndoneAndFoldingIsNoStep();
  void aClickOnARegionInTheRulerMarksItsRange();
  void regionsAreExported();
  void tPutsANoteAtTheTimeUnderTheMouseAndAsksForItsText();
  void aClickOnTheLowerEdgeOfTheRulerPutsANoteThere();
  void aNoteThatWasClickedIsRemovedByDeleteAndComesBackByUndo();
  void aClickOnItsColorGivesAMarkTheNextOne();
  void colorsOfMarksAreWhatTheyAreCalled();
};

void RegionsPanelTest::mMarksARegionAndDeleteRemovesIt() {
  Marking shown(loadRanks(1));
  const TimeRange range{shown.origin() + kMs, shown.origin() + 3 * kMs};
  shown.press(Qt::Key_M);
  QVERIFY(shown.session.marks().regions().empty());
  shown.session.setRange(range);
  shown.press(Qt::Key_M);
  QCOMPARE(shown.session.marks().regions().size(), 1u);
  QCOMPARE(shown.session.marks().regions()[0].range, range);
  QVERIFY(!shown.session.marks().regions()[0].saved);
  // Once is enough.
  shown.press(Qt::Key_M);
  QCOMPARE(shown.session.marks().regions().size(), 1u);
  shown.session.setRange(TimeRange{shown.origin(), shown.origin() + kMs});
  shown.press(Qt::Key_Delete);
  QCOMPARE(shown.session.marks().regions().size(), 1u);
  shown.session.setRange(range);
  shown.press(Qt::Key_Delete);
  QVERIFY(shown.session.marks().regions().empty());
}

void RegionsPanelTest::mOnASliceNamesTheRegionAfterIt() {
  Marking shown(loadRanks(1));
  const EventRef kernel = shown.event("void ampere_sgemm<float>(int)");
  shown.session.select(kernel);
  shown.press(Qt::Key_M);
  const Region& region = shown.session.marks().regions().at(0);
  QVERIFY(region.name.contains(QStringLiteral("ampere_sgemm")));
  QCOMPARE(region.range, shown.session.rangeOf(kernel));
  QCOMPARE(region.tracks.size(), 1u);
}

void RegionsPanelTest::shiftMKeepsItAndAsksForANote() {
  Marking shown(loadRanks(1));
  shown.session.setRange(TimeRange{shown.origin() + kMs, shown.origin() + 3 * kMs});
  shown.press(Qt::Key_M);
  shown.press(Qt::Key_M, Qt::ShiftModifier);
  QCOMPARE(shown.session.marks().regions().size(), 1u);
  QVERIFY(shown.session.marks().regions()[0].saved);
  QTableView& list = shown.tools.regionsPanel().list();
  auto* const line = list.viewport()->findChild<QLineEdit*>();
  QVERIFY(line);
  QTest::keyClicks(line, QStringLiteral("starts late"));
  QTest::keyClick(line, Qt::Key_Return);
  QTRY_COMPARE(shown.session.marks().regions()[0].note, QStringLiteral("starts late"));
}

void RegionsPanelTest::everyChangeOfRegionsCanBeUndone() {
  Marking shown(loadRanks(1));
  Marks& marks = shown.session.marks();
  marks.add({QStringLiteral("a"), {}, {shown.origin(), shown.origin() + 10}, {}, false});
  marks.add({QStringLiteral("b"), {}, {shown.origin() + 5, shown.origin() + 20}, {}, true});
  Region named = marks.regions()[0];
  named.name = QStringLiteral("c");
  marks.change(0, named);
  marks.remove(1);
  const auto& actions = shown.view.actions();
  QCOMPARE(marks.regions().size(), 1u);
  QVERIFY(actions.run(QStringLiteral("edit.undo")));
  QCOMPARE(marks.regions().size(), 2u);
  QVERIFY(actions.run(QStringLiteral("edit.undo")));
  QCOMPARE(marks.regions()[0].name, QStringLiteral("a"));
  QVERIFY(actions.run(QStringLiteral("edit.undo")));
  QVERIFY(actions.run(QStringLiteral("edit.undo")));
  QVERIFY(marks.regions().empty());
  QVERIFY(!actions.run(QStringLiteral("edit.undo")));
  for (int i = 0; i < 4; ++i) QVERIFY(actions.run(QStringLiteral("edit.redo")));
  QCOMPARE(marks.regions(), std::vector{named});
  // Another job has nothing to undo.
  shown.session.setTrace(load({hostOnlyText()}));
  QVERIFY(marks.regions().empty());
  QVERIFY(!actions.run(QStringLiteral("edit.undo")));
}

void RegionsPanelTest::pinsAndHidesCanBeUndoneAndFoldingIsNoStep() {
  Marking shown(loadRanks(2));
  TraceSession& session = shown.session;
  const TrackKey first = keyOf(*session.trace(), RankIndex(0), TrackIndex(0));
  const TrackKey second = keyOf(*session.trace(), RankIndex(1), TrackIndex(1));
  session.editChoice([&](TimelineChoice& choice) { choice.setPinned(first, true); });
  session.editChoice([&](TimelineChoice& choice) { choice.setHidden(second, true); });
  session.editChoice([&](TimelineChoice& choice) { choice.filter = QStringLiteral("stream"); });
  const auto& actions = shown.view.actions();
  QVERIFY(actions.run(QStringLiteral("edit.undo")));
  QVERIFY(session.choice().hidden.empty());
  QVERIFY(session.choice().isPinned(first));
  QCOMPARE(session.choice().filter, QStringLiteral("stream"));
  QVERIFY(actions.run(QStringLiteral("edit.undo")));
  QVERIFY(!session.choice().isPinned(first));
  QVERIFY(!actions.run(QStringLiteral("edit.undo")));
  QVERIFY(actions.run(QStringLiteral("edit.redo")));
  QVERIFY(session.choice().isPinned(first));
}

void RegionsPanelTest::aClickOnARegionInTheRulerMarksItsRange() {
  Marking shown(loadRanks(1));
  auto& ruler = *shown.view.findChild<TimeRuler*>();
  const int before = ruler.height();
  const TimeRange range{shown.origin() + 2 * kMs, shown.origin() + 4 * kMs};
  shown.session.marks().add({QStringLiteral("warm up"), {}, range, {}, true});
  QApplication::processEvents();
  QVERIFY(ruler.height() > before);
  const int x = 230 + static_cast<int>(shown.canvas().xOf(shown.origin() + 3 * kMs));
  QTest::mouseClick(&ruler, Qt::LeftButton, {}, QPoint(x, ruler.height() - 8));
  QCOMPARE(shown.session.range(), std::optional(range));
  shown.session.marks().remove(0);
  QApplication::processEvents();
  QCOMPARE(ruler.height(), before);
}

void RegionsPanelTest::regionsAreExported() {
  Marking shown(loadRanks(1));
  shown.session.marks().add({QStringLiteral("=warm, up"),
                             QStringLiteral("slow"),
                             {shown.origin() + kMs, shown.origin() + 3 * kMs},
                             {},
                             true});
  const QByteArray csv = shown.tools.regionsPanel().csv();
  QVERIFY2(csv.startsWith("name,begin_us,end_us,duration_us,tracks,kept,note"), csv.constData());
  QVERIFY2(csv.contains("\"'=warm, up\",1000,3000,2000,,yes,slow"), csv.constData());
}

void RegionsPanelTest::tPutsANoteAtTheTimeUnderTheMouseAndAsksForItsText() {
  Marking shown(loadRanks(1));
  const TimeNs time = shown.origin() + 3 * kMs;
  shown.hover({static_cast<int>(shown.canvas().xOf(time)), 40});
  shown.press(Qt::Key_T);
  const Marks& marks = shown.session.marks();
  QCOMPARE(marks.regions().size(), std::size_t{1});
  const Region note = marks.regions()[0];
  QVERIFY(note.isNote() && note.saved);
  QVERIFY(std::abs(note.range.begin - time) < shown.window().length() / 500);
  QCOMPARE(marks.chosenNote(), std::optional<std::size_t>(0));
  auto* const line = shown.tools.regionsPanel().list().viewport()->findChild<QLineEdit*>();
  QVERIFY(line);
  QTest::keyClicks(line, QStringLiteral("loss jumps"));
  QTest::keyClick(line, Qt::Key_Return);
  QTRY_COMPARE(marks.regions()[0].name, QStringLiteral("loss jumps"));
  QVERIFY(shown.tools.regionsPanel().csv().contains("loss jumps"));
  // Without a mouse it is where the selected slice begins.
  QEvent leave(QEvent::Leave);
  QApplication::sendEvent(&shown.canvas(), &leave);
  const EventRef kernel = shown.event("void elementwise<float>(int)");
  shown.session.select(kernel);
  shown.press(Qt::Key_T);
  QVERIFY(marks.find({shown.session.rangeOf(kernel).begin, shown.session.rangeOf(kernel).begin}));
}

void RegionsPanelTest::aClickOnTheLowerEdgeOfTheRulerPutsANoteThere() {
  Marking shown(loadRanks(1));
  TimeRuler& ruler = shown.view.ruler();
  const int x = 230 + static_cast<int>(shown.canvas().xOf(shown.origin() + 5 * kMs));
  QTest::mouseClick(&ruler, Qt::LeftButton, {}, {x, 6});
  QVERIFY(shown.session.marks().regions().empty());
  QTest::mouseClick(&ruler, Qt::LeftButton, {}, {x, TimeRuler::ticksHeight() - 4});
  QCOMPARE(shown.session.marks().regions().size(), std::size_t{1});
  const TimeRange range = shown.session.marks().regions()[0].range;
  QVERIFY(range.empty());
  QVERIFY(std::abs(range.begin - (shown.origin() + 5 * kMs)) < shown.window().length() / 500);
  // Its flag is drawn, and its time over the lanes.
  QApplication::processEvents();
  const QColor color = markColor(shown.session.theme(), 0);
  const QImage lanes = shown.picture();
  QCOMPARE(lanes.pixelColor(x - 230, lanes.height() - 10), color);
}

void RegionsPanelTest::aNoteThatWasClickedIsRemovedByDeleteAndComesBackByUndo() {
  Marking shown(loadRanks(1));
  Marks& marks = shown.session.marks();
  const TimeNs time = shown.origin() + 2 * kMs;
  marks.add({QStringLiteral("spike"), QStringLiteral("why?"), {time, time}, {}, true, 2});
  QApplication::processEvents();
  TimeRuler& ruler = shown.view.ruler();
  shown.press(Qt::Key_Delete);
  QCOMPARE(marks.regions().size(), std::size_t{1}); // it was not selected
  const int x = 230 + static_cast<int>(shown.canvas().xOf(time)) + 8;
  QTest::mouseClick(&ruler, Qt::LeftButton, {}, {x, ruler.height() - 8});
  QCOMPARE(marks.chosenNote(), std::optional<std::size_t>(0));
  shown.session.select(shown.event("void elementwise<float>(int)"));
  QVERIFY(!marks.chosenNote()); // one thing at a time
  QTest::mouseClick(&ruler, Qt::LeftButton, {}, {x, ruler.height() - 8});
  shown.press(Qt::Key_Delete);
  QVERIFY(marks.regions().empty());
  QVERIFY(shown.view.actions().run(QStringLiteral("edit.undo")));
  QCOMPARE(marks.regions().at(0).color, 2);
  QCOMPARE(marks.regions().at(0).note, QStringLiteral("why?"));
}

void RegionsPanelTest::aClickOnItsColorGivesAMarkTheNextOne() {
  Marking shown(loadRanks(1));
  Marks& marks = shown.session.marks();
  const TimeNs time = shown.origin() + 2 * kMs;
  marks.add({QStringLiteral("spike"), {}, {time, time}, {}, true});
  QTableView& list = shown.tools.regionsPanel().list();
  const QModelIndex cell = list.model()->index(0, RegionsModel::kColor);
  emit list.clicked(cell);
  QCOMPARE(marks.regions()[0].color, 1);
  QCOMPARE(cell.data(Qt::DecorationRole).value<QColor>(), markColor(shown.session.theme(), 1));
  for (int i = 1; i < kMarkColors; ++i) emit list.clicked(cell);
  QCOMPARE(marks.regions()[0].color, 0);
}

void RegionsPanelTest::colorsOfMarksAreWhatTheyAreCalled() {
  // Degrees of the circle of colors; red lies on both sides of 0.
  struct Hues {
    const char* name;
    int minHue;
    int maxHue;
  };
  constexpr std::array<Hues, kMarkColors> kNamed{{{"Blue", 200, 230},
                                                  {"Green", 130, 162},
                                                  {"Amber", 30, 50},
                                                  {"Red", 345, 375},
                                                  {"Violet", 240, 270},
                                                  {"Teal", 165, 190}}};
  for (const ThemeName theme : {ThemeName::Dark, ThemeName::Light}) {
    for (int i = 0; i < kMarkColors; ++i) {
      const Hues& named = kNamed[static_cast<std::size_t>(i)];
      QCOMPARE(markColorName(i), QLatin1String(named.name));
      int hue = markColor(Theme::of(theme), i).hslHue();
      if (hue < named.minHue) hue += 360;
      QVERIFY2(named.minHue <= hue && hue <= named.maxHue, named.name);
    }
  }
}

RANKSCOPE_UI_TEST(RegionsPanelTest)
#include "regions_panel_test.moc"
