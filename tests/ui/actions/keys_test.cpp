// SPDX-License-Identifier: GPL-3.0-or-later
// The key table, a case for each row of it, and the keyboard, wheel and touch behind them.
#include "tests/ui/tab_pages.h"
#include "tests/ui/timeline_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/actions/actions.h"
#include "ui/actions/key_position.h"
#include "ui/actions/quick_pick.h"
#include "ui/details/bottom_panel.h"
#include "ui/details/details_panel.h"
#include "ui/timeline/strips/time_ruler.h"
#include "ui/window/main_window.h"

#include <QLineEdit>
#include <QPointingDevice>
#include <QSettings>
#include <QTemporaryDir>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

QKeyEvent keyEvent(int key, Qt::KeyboardModifiers modifiers = {}) {
  return QKeyEvent(QEvent::KeyPress, key, modifiers);
}

} // namespace

class KeysTest : public QObject {
  Q_OBJECT

 private slots:
  void wAndSZoomAboutTheMouseAndPlusAndMinusToo() {
    for (const auto& [in, out] : {std::pair(Qt::Key_W, Qt::Key_S), std::pair(Qt::Key_Plus, Qt::Key_Minus)}) {
      Shown shown(loadRanks(1));
      const TimeNs all = shown.window().length();
      shown.press(in);
      const TimeNs zoomed = shown.window().length();
      QVERIFY(zoomed < all);
      shown.press(out);
      QVERIFY(shown.window().length() > zoomed);
    }
  }

  void aAndDPanAndShiftDoesNotStopThem() {
    Shown shown(loadRanks(1));
    shown.session.setWindow({shown.origin() + 4 * kMs, shown.origin() + 6 * kMs});
    const TimeRange start = shown.window();
    shown.press(Qt::Key_D);
    QVERIFY(shown.window().begin > start.begin);
    shown.press(Qt::Key_A, Qt::ShiftModifier);
    QCOMPARE(shown.window(), start);
  }

  void pageKeysScrollTheTracks() {
    Shown shown(loadRanks(8));
    shown.view.setAllRanksExpanded(true);
    shown.press(Qt::Key_PageDown);
    const int down = shown.view.scrollBar().value();
    QVERIFY(down > 0);
    shown.press(Qt::Key_PageUp);
    QCOMPARE(shown.view.scrollBar().value(), 0);
  }

  void fCentersThenFitsAndHomeAndZeroFitEverything() {
    for (const Qt::Key everything : {Qt::Key_Home, Qt::Key_0}) {
      Shown shown(loadRanks(1));
      const EventRef event = shown.find("void elementwise<float>(int)");
      shown.session.setWindow({shown.origin(), shown.origin() + 4 * kMs});
      shown.session.select(event);
      const TimeRange range = shown.session.rangeOf(event);
      shown.press(Qt::Key_F);
      QCOMPARE(shown.window().begin + 2 * kMs, range.begin + range.length() / 2);
      shown.press(Qt::Key_F);
      QVERIFY(shown.window().length() < 2 * range.length());
      shown.press(everything);
      QCOMPARE(shown.window(), shown.session.limits());
    }
  }

  void backspaceAndAltArrowsGoThroughTheZoomHistory() {
    Shown shown(loadRanks(1));
    std::vector<TimeRange> windows{shown.window()};
    for (int i = 1; i <= 3; ++i) {
      shown.session.setWindow({shown.origin() + i * kMs, shown.origin() + (i + 1) * kMs});
      windows.push_back(shown.window());
    }
    shown.press(Qt::Key_Backspace);
    QCOMPARE(shown.window(), windows[2]);
    shown.press(Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(shown.window(), windows[1]);
    shown.press(Qt::Key_Right, Qt::AltModifier);
    shown.press(Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(shown.window(), windows[3]);
  }

  void dotCommaAndArrowsWalkSlices() {
    for (const auto& [next, previous] :
         {std::pair(Qt::Key_Period, Qt::Key_Comma), std::pair(Qt::Key_Right, Qt::Key_Left)}) {
      Shown shown(loadRanks(1));
      const EventRef first = shown.find("void ampere_sgemm<float>(int)");
      shown.session.select(first);
      shown.press(next);
      QCOMPARE(shown.session.selection(), shown.find("void elementwise<float>(int)"));
      shown.press(previous);
      QCOMPARE(shown.session.selection(), first);
    }
    Shown shown(loadRanks(1));
    shown.session.select(shown.find("aten::mm"));
    shown.press(Qt::Key_Up);
    QCOMPARE(shown.session.selection(), shown.find("aten::linear"));
    shown.press(Qt::Key_Down);
    QCOMPARE(shown.session.selection(), shown.find("aten::mm"));
  }

  void escapeDeselectsAndCtrlASelectsAllTime() {
    Shown shown(loadRanks(1));
    shown.session.select(shown.find("aten::mm"));
    shown.press(Qt::Key_A, Qt::ControlModifier);
    QCOMPARE(shown.session.range(), std::optional(shown.session.trace()->extent()));
    shown.press(Qt::Key_Escape);
    QVERIFY(!shown.session.selection().valid());
    QVERIFY(!shown.session.range());
  }

  void pPinsHHidesAndADoubleClickOnAHeaderFoldsOnce() {
    Shown shown(loadRanks(2));
    shown.session.select(shown.find("void elementwise<float>(int)"));
    shown.press(Qt::Key_P);
    QCOMPARE(shown.session.choice().pinned.size(), std::size_t{1});
    shown.press(Qt::Key_H);
    QCOMPARE(shown.session.choice().hidden.size(), std::size_t{1});
    QVERIFY(shown.view.trackLayout().rankExpanded(RankIndex(0)));
    const QPoint header(60, shown.view.trackLayout().rankLane(RankIndex(0)).top + 8);
    QTest::mouseClick(&shown.view.headers(), Qt::LeftButton, {}, header);
    QTest::mouseDClick(&shown.view.headers(), Qt::LeftButton, {}, header);
    QVERIFY(!shown.view.trackLayout().rankExpanded(RankIndex(0)));
  }

  void ctrlArrowsWalkTheSteps() {
    test::TraceText trace;
    trace.baseTime(kBase).distributedInfo(0, 1);
    for (int step = 0; step < 4; ++step) trace.addStep(step, step * 10 * kMs, 9 * kMs);
    trace.addCpuOp(kMainThread, 0, kMs, "aten::mm");
    Shown shown(load({trace.text()}));
    for (int i = 0; i < 4; ++i) shown.press(Qt::Key_Left, Qt::ControlModifier);
    for (int step = 0; step < 4; ++step) {
      const TimeRange range = shown.session.rangeOf(shown.find("ProfilerStep#" + std::to_string(step)));
      QVERIFY(shown.window().begin <= range.begin && range.end <= shown.window().end);
      QVERIFY(shown.window().length() < 2 * range.length());
      shown.press(Qt::Key_Right, Qt::ControlModifier);
    }
    // From a view of several steps the walk begins at its first, and backwards at its last.
    for (const auto& [key, name] :
         {std::pair{Qt::Key_Right, "ProfilerStep#0"}, {Qt::Key_Left, "ProfilerStep#3"}}) {
      shown.press(Qt::Key_Home);
      shown.press(key, Qt::ControlModifier);
      const TimeRange range = shown.session.rangeOf(shown.find(name));
      QVERIFY(shown.window().begin <= range.begin && range.end <= shown.window().end);
      QVERIFY(shown.window().length() < 2 * range.length());
    }
  }

  void ctrlGGoesToATimeAndCtrlPToATrack() {
    Shown shown(loadRanks(3));
    shown.session.setWindow({shown.origin(), shown.origin() + kMs});
    shown.press(Qt::Key_G, Qt::ControlModifier);
    QuickPick& pick = QuickPick::of(shown.view);
    QTest::keyClicks(&pick.field(), "7500us");
    QTest::keyClick(&pick.field(), Qt::Key_Return);
    QCOMPARE(shown.window(), (TimeRange{shown.origin() + 7 * kMs, shown.origin() + 8 * kMs}));
    shown.press(Qt::Key_P, Qt::ControlModifier);
    QVERIFY(pick.isVisible());
    QTest::keyClicks(&pick.field(), "rank 2 stream 7");
    QTest::keyClick(&pick.field(), Qt::Key_Return);
    QVERIFY(shown.view.trackLayout().rankExpanded(RankIndex(2)));
  }

  void theWindowsKeysWorkWhereverTheFocusIs() {
    QTemporaryDir folder;
    QSettings settings(folder.filePath("s.ini"), QSettings::IniFormat);
    MainWindow window(settings);
    window.resize(1100, 800);
    window.show();
    window.session().setTrace(loadRanks(1));
    window.showTab("kernels");
    window.showTab("timeline");
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window, kTimeoutMs));
    QTest::keyClick(&timelineOf(window), Qt::Key_Q);
    QVERIFY(bottomPanelOf(window).collapsed());
    QTest::keyClick(&timelineOf(window), Qt::Key_Q);
    QTest::keyClick(&detailsOf(window), Qt::Key_K, Qt::ControlModifier);
    QVERIFY(QuickPick::of(window.content()).isVisible());
    QTest::keyClick(&QuickPick::of(window.content()).field(), Qt::Key_Escape);
    QTest::keyClick(&timelineOf(window), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(QuickPick::of(window.content()).isVisible());
    QTest::keyClick(&QuickPick::of(window.content()).field(), Qt::Key_Escape);
    // A letter that the details have no use for moves the timeline.
    const TimeNs before = window.session().window().length();
    QTest::keyClick(&detailsOf(window), Qt::Key_W);
    QVERIFY(window.session().window().length() < before);
  }

  void theRulersFirstLabelFollowsTheUnit() {
    Shown shown(loadRanks(1));
    const QImage before = shown.view.ruler().grab().toImage();
    QVERIFY(shown.view.actions().run("unit.us"));
    QVERIFY(shown.view.ruler().grab().toImage() != before);
    QVERIFY(shown.view.actions().find("unit.us")->checked());
    QVERIFY(!shown.view.actions().find("unit.fitting")->checked());
  }

  void signsTypedWithShiftAreTheKeysTheyAreOn() {
    QCOMPARE(keyCombinationOf(keyEvent(Qt::Key_BraceLeft, Qt::ShiftModifier)),
             Qt::SHIFT | Qt::Key_BracketLeft);
    QCOMPARE(keyCombinationOf(keyEvent(Qt::Key_Greater, Qt::ShiftModifier)), Qt::SHIFT | Qt::Key_Period);
    QCOMPARE(keyCombinationOf(keyEvent(Qt::Key_Question, Qt::ShiftModifier)),
             QKeyCombination(Qt::Key_Question));
    QCOMPARE(keyCombinationOf(keyEvent(Qt::Key_Plus, Qt::ShiftModifier)), QKeyCombination(Qt::Key_Plus));
    QCOMPARE(keyCombinationOf(keyEvent(Qt::Key_Enter, Qt::KeypadModifier)), QKeyCombination(Qt::Key_Return));
    QCOMPARE(keyCombinationOf(keyEvent(Qt::Key_Backtab, Qt::ShiftModifier)), Qt::SHIFT | Qt::Key_Tab);
  }

  void aNotchGlidesOnAndAnyOtherMoveEndsIt() {
    Shown shown(loadRanks(1));
    Shown::wheel(shown.canvas(), {500, 60}, {0, 120});
    const TimeNs atOnce = shown.window().length();
    QVERIFY(atOnce < shown.session.limits().length());
    QTRY_VERIFY(shown.window().length() < atOnce);
    // A whole notch in the end, no more.
    const auto whole = static_cast<TimeNs>(static_cast<double>(shown.session.limits().length()) * 0.8);
    QTRY_VERIFY(std::abs(shown.window().length() - whole) <= whole / 200);
    Shown::wheel(shown.canvas(), {500, 60}, {0, 120});
    shown.press(Qt::Key_Home);
    for (int i = 0; i < 20; ++i) QApplication::processEvents(QEventLoop::AllEvents, 5);
    QCOMPARE(shown.window(), shown.session.limits());
  }

  void fingersPanStretchAndTap() {
    Shown shown(loadRanks(8));
    shown.view.setAllRanksExpanded(true);
    shown.session.setWindow({shown.origin() + 2 * kMs, shown.origin() + 4 * kMs});
    auto* const screen = QTest::createTouchDevice();
    TimelineCanvas* const canvas = &shown.canvas();
    QTest::touchEvent(canvas, screen).press(0, {500, 300}, canvas);
    QTest::touchEvent(canvas, screen).move(0, {450, 280}, canvas);
    QTest::touchEvent(canvas, screen).move(0, {400, 250}, canvas);
    QTest::touchEvent(canvas, screen).release(0, {400, 250}, canvas);
    QCOMPARE(shown.window().begin, shown.origin() + 2 * kMs + kMs / 5);
    QCOMPARE(shown.view.scrollBar().value(), 50);
    // Two fingers from 200 to 400 pixels apart: half the time, and what was between them stays there.
    const TimeNs middle = shown.canvas().timeAt(500);
    QTest::touchEvent(canvas, screen).press(0, {400, 200}, canvas).press(1, {600, 200}, canvas);
    QTest::touchEvent(canvas, screen).move(0, {300, 200}, canvas).move(1, {700, 200}, canvas);
    QTest::touchEvent(canvas, screen).release(0, {300, 200}, canvas).release(1, {700, 200}, canvas);
    QVERIFY(std::abs(shown.window().length() - kMs) <= 2000);
    QVERIFY(std::abs(shown.canvas().timeAt(500) - middle) <= 4000);
    shown.press(Qt::Key_Backspace);
    QCOMPARE(shown.window().length(), 2 * kMs);
    shown.view.scrollBar().setValue(0);
    const QPoint on = shown.pointOn(shown.find("forward"));
    shown.session.setWindow(shown.session.limits());
    const QPoint there = shown.pointOn(shown.find("forward"));
    QVERIFY(on != there);
    QTest::touchEvent(canvas, screen).press(0, there, canvas);
    QTest::touchEvent(canvas, screen).release(0, there, canvas);
    QCOMPARE(shown.session.selection(), shown.find("forward"));
  }
};

RANKSCOPE_UI_TEST(KeysTest)
#include "keys_test.moc"
