// SPDX-License-Identifier: GPL-3.0-or-later
// The key table in the whole window: a case for each of its rows, with a clause of the row a line or two, so
// that what another part of the window does with a key is seen too. A job of three ranks is open; real keys
// go to whatever has the focus, and the session's numbers are looked at.
#include "tests/ui/ui_test.h"
#include "tests/ui/window/key_fixture.h"
#include "ui/actions/key_sheet.h"
#include "ui/actions/quick_pick.h"
#include "ui/details/bottom_panel.h"
#include "ui/details/details_panel.h"
#include "ui/details/find_tools.h"
#include "ui/details/mark_tools.h"
#include "ui/details/range_panel.h"
#include "ui/details/search_field.h"
#include "ui/details/search_panel.h"
#include "ui/job/event_finder.h"
#include "ui/timeline/tracks/range_tracks.h"
#include "ui/timeline/view/view_motion.h"

#include <QApplication>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

class KeyTableTest : public QObject {
  Q_OBJECT

 private slots:
  void zoomByKeysAndWheelAboutTheCursor();
  void whatIsHeldGrowsFaster();
  void panByKeysDragAndWheel();
  void scrollByWheelAndPageKeys();
  void focusFitAndHistory();
  void markKeepAndRemove();
  void searchByTextRegexAndField();
  void rangeBySnappingDragClickAndKey();
  void walkTheRowAndTheStack();
  void walkLinksNamesAndRanks();
  void pinHideFoldAndFind();
  void deselectPanelAndEverything();
  void clickAndHover();
  void paletteAndKeySheet();
  void tabsByNumberAndOneByOne();
  void theSameKeysWithTheFocusBelow();
};

void KeyTableTest::zoomByKeysAndWheelAboutTheCursor() {
  Sitting sitting;
  const QPoint mouse(300, 60);
  const std::vector<std::function<void(bool)>> ways{
      [&](bool in) { sitting.press(in ? Qt::Key_W : Qt::Key_S); },
      [&](bool in) {
        Shown::wheel(sitting.canvas(), mouse, {0, in ? 120 : -120});
      },
      [&](bool in) {
        Shown::wheel(sitting.canvas(), mouse, {0, in ? 120 : -120}, Qt::ControlModifier);
      }};
  for (const auto& zoom : ways) {
    sitting.show(2 * kMs, 8 * kMs);
    Shown::send(sitting.canvas(), QEvent::MouseMove, mouse, Qt::NoButton);
    const TimeNs there = sitting.canvas().timeAt(mouse.x());
    const TimeNs whole = sitting.shown().length();
    zoom(true);
    const TimeNs part = sitting.shown().length();
    QVERIFY(part < whole);
    zoom(false);
    QVERIFY(sitting.shown().length() > part);
    const TimeNs pixel = sitting.shown().length() / sitting.canvas().width();
    QVERIFY(std::abs(sitting.canvas().timeAt(mouse.x()) - there) <= pixel + 1);
  }
}

void KeyTableTest::whatIsHeldGrowsFaster() {
  double before = 0;
  for (const double held : {0.0, 0.2, 0.5, 1.0}) {
    QVERIFY(ViewMotion::stepsPerSecond(held) > before);
    before = ViewMotion::stepsPerSecond(held);
  }
  QVERIFY(before > 3 * ViewMotion::stepsPerSecond(0));
  QCOMPARE(ViewMotion::stepsPerSecond(100), ViewMotion::stepsPerSecond(10)); // and not beyond control
  Sitting sitting;
  QTest::keyPress(&sitting.canvas(), Qt::Key_W);
  const TimeNs atOnce = sitting.shown().length();
  QTRY_VERIFY(sitting.shown().length() < atOnce * 8 / 10);
  QTest::keyRelease(&sitting.canvas(), Qt::Key_W);
  QVERIFY(!sitting.timeline().motion().moving());
}

void KeyTableTest::panByKeysDragAndWheel() {
  Sitting sitting;
  sitting.timeline().setAllRanksExpanded(true);
  sitting.show(4 * kMs, 6 * kMs);
  const TimeRange start = sitting.shown();
  sitting.press(Qt::Key_D);
  QVERIFY(sitting.shown().begin > start.begin);
  sitting.press(Qt::Key_A);
  QCOMPARE(sitting.shown(), start);
  Shown::wheel(sitting.canvas(), {300, 60}, {0, -120}, Qt::ShiftModifier);
  QVERIFY(sitting.shown().begin > start.begin);
  QCOMPARE(sitting.shown().length(), start.length());
  Shown::wheel(sitting.canvas(), {300, 60}, {0, 120}, Qt::ShiftModifier);
  QCOMPARE(sitting.shown(), start);
  QVERIFY(sitting.timeline().scrollBar().maximum() >= 40);
  const TimeNs grasped = sitting.canvas().timeAt(400);
  Shown::drag(sitting.canvas(), {400, 240}, {300, 200});
  QCOMPARE(sitting.canvas().timeAt(300), grasped);
  QCOMPARE(sitting.timeline().scrollBar().value(), 40);
}

void KeyTableTest::scrollByWheelAndPageKeys() {
  Sitting sitting;
  sitting.window.resize(1400, 700);
  sitting.timeline().setAllRanksExpanded(true);
  const TimeRange before = sitting.shown();
  sitting.press(Qt::Key_PageDown);
  const int paged = sitting.timeline().scrollBar().value();
  QVERIFY(paged > 0);
  sitting.press(Qt::Key_PageUp);
  QCOMPARE(sitting.timeline().scrollBar().value(), 0);
  Shown::wheel(sitting.timeline().headers(), {40, 60}, {0, -120});
  const int wheeled = sitting.timeline().scrollBar().value();
  QVERIFY(0 < wheeled && wheeled < paged);
  Shown::wheel(sitting.timeline().headers(), {40, 60}, {0, 120});
  QCOMPARE(sitting.timeline().scrollBar().value(), 0);
  QCOMPARE(sitting.shown(), before);
}

void KeyTableTest::focusFitAndHistory() {
  Sitting sitting;
  const EventRef kernel = sitting.event("relu_kernel");
  const TimeRange range = sitting.session().rangeOf(kernel);
  sitting.show(0, 5 * kMs);
  const TimeRange first = sitting.shown();
  sitting.session().select(kernel);
  sitting.press(Qt::Key_F);
  const TimeRange centred = sitting.shown();
  QCOMPARE(centred.length(), first.length());
  QCOMPARE(centred.begin + centred.length() / 2, range.begin + range.length() / 2);
  sitting.press(Qt::Key_F);
  const TimeRange fitted = sitting.shown();
  QVERIFY(fitted.begin < range.begin && range.end < fitted.end && fitted.length() < 2 * range.length());
  sitting.press(Qt::Key_Home);
  QCOMPARE(sitting.shown(), sitting.session().limits());
  sitting.press(Qt::Key_Backspace);
  QCOMPARE(sitting.shown(), fitted);
  sitting.press(Qt::Key_0);
  QCOMPARE(sitting.shown(), sitting.session().limits());
  for (const TimeRange& before : {fitted, centred, first}) {
    sitting.press(Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(sitting.shown(), before);
  }
  for (const TimeRange& after : {centred, fitted, sitting.session().limits()}) {
    sitting.press(Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(sitting.shown(), after);
  }
}

void KeyTableTest::markKeepAndRemove() {
  Sitting sitting;
  const auto regions = [&]() -> const std::vector<Region>& { return sitting.session().marks().regions(); };
  const EventRef kernel = sitting.event("gemm_kernel", 1);
  sitting.session().select(kernel);
  sitting.press(Qt::Key_M);
  QCOMPARE(regions().size(), 1u);
  QCOMPARE(regions()[0].range, sitting.session().rangeOf(kernel));
  QVERIFY(!regions()[0].kept);
  const TimeRange range{sitting.origin() + kMs, sitting.origin() + 2 * kMs};
  sitting.session().setRange(range);
  sitting.press(Qt::Key_M, Qt::ShiftModifier);
  QCOMPARE(regions().size(), 2u);
  const auto kept = std::ranges::find(regions(), true, &Region::kept);
  QVERIFY(kept != regions().end());
  QCOMPARE(kept->range, range);
  QTest::keyClicks(sitting.focus(), QStringLiteral("why"));
  sitting.press(Qt::Key_Return);
  QTRY_VERIFY(std::ranges::any_of(regions(), [](const Region& region) { return region.note == "why"; }));
  sitting.timeline().setFocus();
  sitting.press(Qt::Key_Delete);
  QCOMPARE(regions().size(), 1u);
  QVERIFY(!regions()[0].kept);
}

void KeyTableTest::searchByTextRegexAndField() {
  Sitting sitting;
  const auto look = [&](const char* text) {
    sitting.timeline().setFocus();
    sitting.press(Qt::Key_Slash);
    QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(&sitting.window.searchField()));
    sitting.window.searchField().selectAll();
    QTest::keyClicks(QApplication::focusWidget(), QLatin1String(text));
    QVERIFY(sitting.settles());
  };
  const auto count = [&] { return sitting.window.finder().sums().count; };
  look("gemm");
  QCOMPARE(count(), 3u);
  look("~^(gemm|relu)_k");
  QCOMPARE(count(), 6u);
  look("dur>2.6ms rank:0 kind:nccl");
  QCOMPARE(count(), 1u);
  look("kind:kernel");
  const QString sums = findOf(sitting.window).panel().summary();
  for (const char* fact : {"6 hits", "total 12.0 ms", "mean 2.00 ms"})
    QVERIFY2(sums.contains(QLatin1String(fact)), qPrintable(sums));
  sitting.press(Qt::Key_Return);
  const EventRef first = sitting.session().selection();
  QVERIFY(first.valid());
  sitting.press(Qt::Key_Return);
  QVERIFY(sitting.session().selection() != first);
  sitting.press(Qt::Key_Return, Qt::ShiftModifier);
  QCOMPARE(sitting.session().selection(), first);
  sitting.timeline().setFocus();
  sitting.press(Qt::Key_Return);
  QVERIFY(sitting.session().selection() != first);
  sitting.press(Qt::Key_Return, Qt::ShiftModifier);
  QCOMPARE(sitting.session().selection(), first);
}

void KeyTableTest::rangeBySnappingDragClickAndKey() {
  Sitting sitting;
  TraceSession& session = sitting.session();
  const EventRef relu = sitting.event("relu_kernel");
  const TimeRange range = session.rangeOf(relu);
  const int y = sitting.pointOn(relu).y();
  const QPoint from(static_cast<int>(sitting.canvas().xOf(range.begin)) + 3, y);
  const QPoint to(static_cast<int>(sitting.canvas().xOf(range.end)) - 4, y);
  Shown::drag(sitting.canvas(), from, to, Qt::ShiftModifier);
  QCOMPARE(session.range(), std::optional(range));
  QCOMPARE(session.rangeTracks(), trackOfEvent(*session.trace(), relu));
  QVERIFY(sitting.settles());
  const ResultTableModel& names = marksOf(sitting.window).rangePanel().card(RangePanel::kNames).model();
  QCOMPARE(names.rowCount(), 1);
  QCOMPARE(names.textOf(0, "total_us"), QStringLiteral("1000"));
  Shown::drag(sitting.canvas(), from, to, Qt::ShiftModifier | Qt::AltModifier);
  QCOMPARE(session.range(),
           std::optional(TimeRange{sitting.canvas().timeAt(from.x()), sitting.canvas().timeAt(to.x())}));
  const EventRef gemm = sitting.event("gemm_kernel");
  session.select(gemm);
  sitting.press(Qt::Key_R);
  QCOMPARE(session.range(), std::optional(session.rangeOf(gemm)));
  QTest::mouseClick(&sitting.canvas(), Qt::LeftButton, Qt::ShiftModifier, sitting.pointOn(relu));
  QCOMPARE(session.range(), std::optional(session.rangeOf(gemm).unitedWith(range)));
}

void KeyTableTest::walkTheRowAndTheStack() {
  Sitting sitting;
  TraceSession& session = sitting.session();
  const EventRef gemm = sitting.event("gemm_kernel");
  const EventRef relu = sitting.event("relu_kernel");
  for (const auto& [next, previous] :
       {std::pair(Qt::Key_Period, Qt::Key_Comma), std::pair(Qt::Key_Right, Qt::Key_Left)}) {
    session.select(gemm);
    sitting.press(next);
    QCOMPARE(session.selection(), relu);
    sitting.press(previous);
    QCOMPARE(session.selection(), gemm);
  }
  session.select(sitting.event("aten::mm"));
  sitting.press(Qt::Key_Down);
  QCOMPARE(session.selection(), sitting.launchOf(gemm));
  sitting.press(Qt::Key_Up);
  QCOMPARE(session.selection(), sitting.event("aten::mm"));
}

void KeyTableTest::walkLinksNamesAndRanks() {
  Sitting sitting;
  TraceSession& session = sitting.session();
  const EventRef gemm = sitting.event("gemm_kernel");
  const EventRef relu = sitting.event("relu_kernel");
  session.select(gemm);
  sitting.press(Qt::Key_BracketLeft);
  QCOMPARE(session.selection(), sitting.launchOf(gemm));
  sitting.press(Qt::Key_BracketRight);
  QCOMPARE(session.selection(), gemm);
  session.select(sitting.launchOf(gemm));
  sitting.press(Qt::Key_BraceRight, Qt::ShiftModifier); // what a keyboard sends for Shift+]
  QCOMPARE(session.selection(), sitting.launchOf(relu));
  sitting.press(Qt::Key_BraceLeft, Qt::ShiftModifier);
  QCOMPARE(session.selection(), sitting.launchOf(gemm));
  const auto collective = [&](std::size_t rank) {
    return EventRef{RankIndex(rank), session.analysis()->collectiveCalls(RankIndex(rank))[0].event};
  };
  session.select(collective(0));
  for (const std::size_t rank : {1u, 2u, 0u}) {
    sitting.press(Qt::Key_Tab);
    QCOMPARE(session.selection(), collective(rank));
  }
  sitting.press(Qt::Key_Backtab, Qt::ShiftModifier);
  QCOMPARE(session.selection(), collective(2));
}

void KeyTableTest::pinHideFoldAndFind() {
  Sitting sitting;
  TraceSession& session = sitting.session();
  session.select(sitting.event("gemm_kernel"));
  const TrackKey key =
      keyOf(*session.trace(), RankIndex(0), trackOfEvent(*session.trace(), session.selection())[0].tracks[0]);
  sitting.press(Qt::Key_P);
  QCOMPARE(session.choice().pinned, std::vector<TrackKey>{key});
  sitting.press(Qt::Key_T, Qt::ShiftModifier);
  QVERIFY(session.choice().pinned.empty());
  sitting.press(Qt::Key_H);
  QVERIFY(session.choice().hidden.contains(key));
  const TrackLayout& layout = sitting.timeline().trackLayout();
  QVERIFY(!layout.sectionOf(key));
  sitting.press(Qt::Key_P, Qt::ControlModifier);
  QuickPick& pick = QuickPick::of(sitting.timeline());
  QVERIFY(pick.isVisible());
  QTest::keyClicks(&pick.field(), QStringLiteral("rank 0 stream 7"));
  QTest::keyClick(&pick.field(), Qt::Key_Return);
  QVERIFY(layout.sectionOf(key));
  const bool open = layout.rankExpanded(RankIndex(0));
  const QPoint header(60, layout.rankLane(RankIndex(0)).top + 8);
  QTest::mouseClick(&sitting.timeline().headers(), Qt::LeftButton, {}, header);
  QTest::mouseDClick(&sitting.timeline().headers(), Qt::LeftButton, {}, header);
  QCOMPARE(layout.rankExpanded(RankIndex(0)), !open);
}

void KeyTableTest::deselectPanelAndEverything() {
  Sitting sitting;
  sitting.session().select(sitting.event("gemm_kernel"));
  sitting.press(Qt::Key_A, Qt::ControlModifier);
  QCOMPARE(sitting.session().range(), std::optional(sitting.session().trace()->extent()));
  sitting.press(Qt::Key_Escape);
  QVERIFY(!sitting.session().selection().valid());
  QVERIFY(!sitting.session().range());
  QVERIFY(!bottomPanelOf(sitting.window).collapsed());
  const int height = sitting.timeline().height();
  sitting.press(Qt::Key_Q);
  QVERIFY(bottomPanelOf(sitting.window).collapsed());
  QTRY_VERIFY(sitting.timeline().height() > height + 100); // the room is the timeline's
  sitting.press(Qt::Key_Q);
  QVERIFY(!bottomPanelOf(sitting.window).collapsed());
  QTRY_COMPARE(sitting.timeline().height(), height);
}

void KeyTableTest::clickAndHover() {
  Sitting sitting;
  const EventRef gemm = sitting.event("gemm_kernel");
  QTest::mouseClick(&sitting.canvas(), Qt::LeftButton, {}, sitting.pointOn(gemm));
  QCOMPARE(sitting.session().selection(), gemm);
  QVERIFY(sitting.settles());
  const QString details = detailsOf(sitting.window).toPlainText();
  for (const char* fact : {"gemm_kernel", "3.00 ms", "stream 7", "Launched by", "cudaLaunchKernel"})
    QVERIFY2(details.contains(QLatin1String(fact)), qPrintable(details));
  const EventRef relu = sitting.event("relu_kernel");
  Shown::send(sitting.canvas(), QEvent::MouseMove, sitting.pointOn(relu), Qt::NoButton);
  QCOMPARE(sitting.session().trace()->names()[sitting.session().hoveredName()],
           std::string_view("relu_kernel"));
  QVERIFY(sitting.canvas().hoverText().contains(QStringLiteral("1.00 ms")));
}

void KeyTableTest::paletteAndKeySheet() {
  Sitting sitting;
  QuickPick& palette = QuickPick::of(sitting.window.content());
  for (const auto& [key, modifiers] :
       {std::pair(Qt::Key_K, Qt::KeyboardModifiers(Qt::ControlModifier)),
        std::pair(Qt::Key_P, Qt::KeyboardModifiers(Qt::ControlModifier | Qt::ShiftModifier))}) {
    sitting.press(key, modifiers);
    QVERIFY(palette.isVisible());
    QTest::keyClick(&palette.field(), Qt::Key_Escape);
    QVERIFY(!palette.isVisible());
  }
  sitting.press(Qt::Key_Question, Qt::ShiftModifier);
  QTRY_VERIFY(sitting.window.findChild<KeySheet*>());
  QTest::keyClick(sitting.window.findChild<KeySheet*>(), Qt::Key_Escape);
  QTRY_VERIFY(!sitting.window.findChild<KeySheet*>());
}

void KeyTableTest::tabsByNumberAndOneByOne() {
  Sitting sitting;
  sitting.press(Qt::Key_2, Qt::ControlModifier);
  QCOMPARE(sitting.window.currentTab(), QString("overview"));
  sitting.press(Qt::Key_1, Qt::ControlModifier);
  QCOMPARE(sitting.window.currentTab(), QString("timeline"));
  sitting.window.resize(1400, 700);
  sitting.timeline().setAllRanksExpanded(true);
  sitting.press(Qt::Key_PageDown, Qt::ControlModifier);
  QCOMPARE(sitting.window.currentTab(), QString("overview"));
  sitting.press(Qt::Key_PageUp, Qt::ControlModifier);
  sitting.press(Qt::Key_PageUp, Qt::ControlModifier);
  QCOMPARE(sitting.window.currentTab(), QString("files"));
  sitting.press(Qt::Key_PageDown, Qt::ControlModifier);
  QCOMPARE(sitting.window.currentTab(), QString("timeline"));
  QCOMPARE(sitting.timeline().scrollBar().value(), 0); // none of these scrolled the tracks
  sitting.press(Qt::Key_PageDown);
  QVERIFY(sitting.timeline().scrollBar().value() > 0);
}

void KeyTableTest::theSameKeysWithTheFocusBelow() {
  Sitting sitting;
  sitting.session().select(sitting.event("gemm_kernel"));
  QVERIFY(sitting.settles());
  detailsOf(sitting.window).setFocus();
  QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(&detailsOf(sitting.window)));
  const TimeNs before = sitting.shown().length();
  sitting.press(Qt::Key_W);
  QVERIFY(sitting.shown().length() < before);
  sitting.press(Qt::Key_R);
  QCOMPARE(*sitting.session().range(), sitting.session().rangeOf(sitting.event("gemm_kernel")));
  detailsOf(sitting.window).setFocus();
  sitting.press(Qt::Key_Period);
  QCOMPARE(sitting.session().selection(), sitting.event("relu_kernel"));
}

RANKSCOPE_UI_TEST(KeyTableTest)
#include "key_table_test.moc"
