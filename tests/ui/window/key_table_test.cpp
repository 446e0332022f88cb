// SPDX-License-Identifier: GPL-3.0-or-later
// The key table in the whole window: a case for each of its rows, with a clause of the row a line or two,
// so that what another part of the window does with a key is seen too. A job of three ranks is open; real
// keys go to the focus widget, and the session's values are checked. Covers ui/tabs/timeline/timeline_tab
// too.
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
#include "ui/tabs/tab_registry.h"
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
  void markSaveAndRemove();
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
  UserSession userSession;
  const QPoint mouse(300, 60);
  const std::vector<std::function<void(bool)>> ways{
      [&](bool in) { userSession.press(in ? Qt::Key_W : Qt::Key_S); },
      [&](bool in) {
        Shown::wheel(userSession.canvas(), mouse, {0, in ? 120 : -120});
      },
      [&](bool in) {
        Shown::wheel(userSession.canvas(), mouse, {0, in ? 120 : -120}, Qt::ControlModifier);
      }};
  for (const auto& zoom : ways) {
    userSession.show(2 * kMs, 8 * kMs);
    Shown::send(userSession.canvas(), QEvent::MouseMove, mouse, Qt::NoButton);
    const TimeNs there = userSession.canvas().timeAt(mouse.x());
    const TimeNs whole = userSession.shown().length();
    zoom(true);
    const TimeNs part = userSession.shown().length();
    QVERIFY(part < whole);
    zoom(false);
    QVERIFY(userSession.shown().length() > part);
    const TimeNs pixel = userSession.shown().length() / userSession.canvas().width();
    QVERIFY(std::abs(userSession.canvas().timeAt(mouse.x()) - there) <= pixel + 1);
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
  UserSession userSession;
  QTest::keyPress(&userSession.canvas(), Qt::Key_W);
  const TimeNs atOnce = userSession.shown().length();
  QTRY_VERIFY(userSession.shown().length() < atOnce * 8 / 10);
  QTest::keyRelease(&userSession.canvas(), Qt::Key_W);
  QVERIFY(!userSession.timeline().motion().moving());
}

void KeyTableTest::panByKeysDragAndWheel() {
  UserSession userSession;
  userSession.timeline().setAllRanksExpanded(true);
  userSession.show(4 * kMs, 6 * kMs);
  const TimeRange start = userSession.shown();
  userSession.press(Qt::Key_D);
  QVERIFY(userSession.shown().begin > start.begin);
  userSession.press(Qt::Key_A);
  QCOMPARE(userSession.shown(), start);
  Shown::wheel(userSession.canvas(), {300, 60}, {0, -120}, Qt::ShiftModifier);
  QVERIFY(userSession.shown().begin > start.begin);
  QCOMPARE(userSession.shown().length(), start.length());
  Shown::wheel(userSession.canvas(), {300, 60}, {0, 120}, Qt::ShiftModifier);
  QCOMPARE(userSession.shown(), start);
  QVERIFY(userSession.timeline().scrollBar().maximum() >= 40);
  const TimeNs grasped = userSession.canvas().timeAt(400);
  Shown::drag(userSession.canvas(), {400, 240}, {300, 200});
  QCOMPARE(userSession.canvas().timeAt(300), grasped);
  QCOMPARE(userSession.timeline().scrollBar().value(), 40);
}

void KeyTableTest::scrollByWheelAndPageKeys() {
  UserSession userSession;
  userSession.window.resize(1400, 700);
  userSession.timeline().setAllRanksExpanded(true);
  const TimeRange before = userSession.shown();
  userSession.press(Qt::Key_PageDown);
  const int paged = userSession.timeline().scrollBar().value();
  QVERIFY(paged > 0);
  userSession.press(Qt::Key_PageUp);
  QCOMPARE(userSession.timeline().scrollBar().value(), 0);
  Shown::wheel(userSession.timeline().headers(), {40, 60}, {0, -120});
  const int wheeled = userSession.timeline().scrollBar().value();
  QVERIFY(0 < wheeled && wheeled < paged);
  Shown::wheel(userSession.timeline().headers(), {40, 60}, {0, 120});
  QCOMPARE(userSession.timeline().scrollBar().value(), 0);
  QCOMPARE(userSession.shown(), before);
}

void KeyTableTest::focusFitAndHistory() {
  UserSession userSession;
  const EventRef kernel = userSession.event("relu_kernel");
  const TimeRange range = userSession.session().rangeOf(kernel);
  userSession.show(0, 5 * kMs);
  const TimeRange first = userSession.shown();
  userSession.session().select(kernel);
  userSession.press(Qt::Key_F);
  const TimeRange centered = userSession.shown();
  QCOMPARE(centered.length(), first.length());
  QCOMPARE(centered.begin + centered.length() / 2, range.begin + range.length() / 2);
  userSession.press(Qt::Key_F);
  const TimeRange fitted = userSession.shown();
  QVERIFY(fitted.begin < range.begin && range.end < fitted.end && fitted.length() < 2 * range.length());
  userSession.press(Qt::Key_Home);
  QCOMPARE(userSession.shown(), userSession.session().limits());
  userSession.press(Qt::Key_Backspace);
  QCOMPARE(userSession.shown(), fitted);
  userSession.press(Qt::Key_0);
  QCOMPARE(userSession.shown(), userSession.session().limits());
  for (const TimeRange& before : {fitted, centered, first}) {
    userSession.press(Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(userSession.shown(), before);
  }
  for (const TimeRange& after : {centered, fitted, userSession.session().limits()}) {
    userSession.press(Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(userSession.shown(), after);
  }
}

void KeyTableTest::markSaveAndRemove() {
  UserSession userSession;
  const auto regions = [&]() -> const std::vector<Region>& {
    return userSession.session().marks().regions();
  };
  const EventRef kernel = userSession.event("gemm_kernel", 1);
  userSession.session().select(kernel);
  userSession.press(Qt::Key_M);
  QCOMPARE(regions().size(), 1u);
  QCOMPARE(regions()[0].range, userSession.session().rangeOf(kernel));
  QVERIFY(!regions()[0].saved);
  const TimeRange range{userSession.origin() + kMs, userSession.origin() + 2 * kMs};
  userSession.session().setRange(range);
  userSession.press(Qt::Key_M, Qt::ShiftModifier);
  QCOMPARE(regions().size(), 2u);
  const auto saved = std::ranges::find(regions(), true, &Region::saved);
  QVERIFY(saved != regions().end());
  QCOMPARE(saved->range, range);
  QTest::keyClicks(userSession.focus(), QStringLiteral("why"));
  userSession.press(Qt::Key_Return);
  QTRY_VERIFY(std::ranges::any_of(regions(), [](const Region& region) { return region.note == "why"; }));
  userSession.timeline().setFocus();
  userSession.press(Qt::Key_Delete);
  QCOMPARE(regions().size(), 1u);
  QVERIFY(!regions()[0].saved);
}

void KeyTableTest::searchByTextRegexAndField() {
  UserSession userSession;
  const auto look = [&](const char* text) {
    userSession.timeline().setFocus();
    userSession.press(Qt::Key_Slash);
    QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(&userSession.window.searchField()));
    userSession.window.searchField().selectAll();
    QTest::keyClicks(QApplication::focusWidget(), QLatin1String(text));
    QVERIFY(userSession.settles());
  };
  const auto count = [&] { return userSession.window.finder().sums().count; };
  look("gemm");
  QCOMPARE(count(), 3u);
  look("~^(gemm|relu)_k");
  QCOMPARE(count(), 6u);
  look("dur>2.6ms rank:0 kind:nccl");
  QCOMPARE(count(), 1u);
  look("kind:kernel");
  const QString sums = findOf(userSession.window).panel().summary();
  for (const char* fact : {"6 matches", "total 12.0 ms", "mean 2.00 ms"})
    QVERIFY2(sums.contains(QLatin1String(fact)), qPrintable(sums));
  userSession.press(Qt::Key_Return);
  const EventRef first = userSession.session().selection();
  QVERIFY(first.valid());
  userSession.press(Qt::Key_Return);
  QVERIFY(userSession.session().selection() != first);
  userSession.press(Qt::Key_Return, Qt::ShiftModifier);
  QCOMPARE(userSession.session().selection(), first);
  userSession.timeline().setFocus();
  userSession.press(Qt::Key_Return);
  QVERIFY(userSession.session().selection() != first);
  userSession.press(Qt::Key_Return, Qt::ShiftModifier);
  QCOMPARE(userSession.session().selection(), first);
}

void KeyTableTest::rangeBySnappingDragClickAndKey() {
  UserSession userSession;
  TraceSession& session = userSession.session();
  const EventRef relu = userSession.event("relu_kernel");
  const TimeRange range = session.rangeOf(relu);
  const int y = userSession.pointOn(relu).y();
  const QPoint from(static_cast<int>(userSession.canvas().xOf(range.begin)) + 3, y);
  const QPoint to(static_cast<int>(userSession.canvas().xOf(range.end)) - 4, y);
  Shown::drag(userSession.canvas(), from, to, Qt::ShiftModifier);
  QCOMPARE(session.range(), std::optional(range));
  QCOMPARE(session.rangeTracks(), trackOfEvent(*session.trace(), relu));
  QVERIFY(userSession.settles());
  const ResultTableModel& names = marksOf(userSession.window).rangePanel().card(RangePanel::kNames).model();
  QCOMPARE(names.rowCount(), 1);
  QCOMPARE(names.textOf(0, "total_us"), QStringLiteral("1000"));
  Shown::drag(userSession.canvas(), from, to, Qt::ShiftModifier | Qt::AltModifier);
  QCOMPARE(session.range(), std::optional(TimeRange{userSession.canvas().timeAt(from.x()),
                                                    userSession.canvas().timeAt(to.x())}));
  const EventRef gemm = userSession.event("gemm_kernel");
  session.select(gemm);
  userSession.press(Qt::Key_R);
  QCOMPARE(session.range(), std::optional(session.rangeOf(gemm)));
  QTest::mouseClick(&userSession.canvas(), Qt::LeftButton, Qt::ShiftModifier, userSession.pointOn(relu));
  QCOMPARE(session.range(), std::optional(session.rangeOf(gemm).unitedWith(range)));
}

void KeyTableTest::walkTheRowAndTheStack() {
  UserSession userSession;
  TraceSession& session = userSession.session();
  const EventRef gemm = userSession.event("gemm_kernel");
  const EventRef relu = userSession.event("relu_kernel");
  for (const auto& [next, previous] :
       {std::pair(Qt::Key_Period, Qt::Key_Comma), std::pair(Qt::Key_Right, Qt::Key_Left)}) {
    session.select(gemm);
    userSession.press(next);
    QCOMPARE(session.selection(), relu);
    userSession.press(previous);
    QCOMPARE(session.selection(), gemm);
  }
  session.select(userSession.event("aten::mm"));
  userSession.press(Qt::Key_Down);
  QCOMPARE(session.selection(), userSession.launchOf(gemm));
  userSession.press(Qt::Key_Up);
  QCOMPARE(session.selection(), userSession.event("aten::mm"));
}

void KeyTableTest::walkLinksNamesAndRanks() {
  UserSession userSession;
  TraceSession& session = userSession.session();
  const EventRef gemm = userSession.event("gemm_kernel");
  const EventRef relu = userSession.event("relu_kernel");
  session.select(gemm);
  userSession.press(Qt::Key_BracketLeft);
  QCOMPARE(session.selection(), userSession.launchOf(gemm));
  userSession.press(Qt::Key_BracketRight);
  QCOMPARE(session.selection(), gemm);
  session.select(userSession.launchOf(gemm));
  userSession.press(Qt::Key_BraceRight, Qt::ShiftModifier); // what a keyboard sends for Shift+]
  QCOMPARE(session.selection(), userSession.launchOf(relu));
  userSession.press(Qt::Key_BraceLeft, Qt::ShiftModifier);
  QCOMPARE(session.selection(), userSession.launchOf(gemm));
  const auto collective = [&](std::size_t rank) {
    return EventRef{RankIndex(rank), session.analysis()->collectiveCalls(RankIndex(rank))[0].event};
  };
  session.select(collective(0));
  for (const std::size_t rank : {1u, 2u, 0u}) {
    userSession.press(Qt::Key_Tab);
    QCOMPARE(session.selection(), collective(rank));
  }
  userSession.press(Qt::Key_Backtab, Qt::ShiftModifier);
  QCOMPARE(session.selection(), collective(2));
}

void KeyTableTest::pinHideFoldAndFind() {
  UserSession userSession;
  TraceSession& session = userSession.session();
  session.select(userSession.event("gemm_kernel"));
  const TrackKey key =
      keyOf(*session.trace(), RankIndex(0), trackOfEvent(*session.trace(), session.selection())[0].tracks[0]);
  userSession.press(Qt::Key_P);
  QCOMPARE(session.choice().pinned, std::vector<TrackKey>{key});
  userSession.press(Qt::Key_T, Qt::ShiftModifier);
  QVERIFY(session.choice().pinned.empty());
  userSession.press(Qt::Key_H);
  QVERIFY(session.choice().hidden.contains(key));
  const TrackLayout& layout = userSession.timeline().trackLayout();
  QVERIFY(!layout.sectionOf(key));
  userSession.press(Qt::Key_P, Qt::ControlModifier);
  QuickPick& pick = QuickPick::of(userSession.timeline());
  QVERIFY(pick.isVisible());
  QTest::keyClicks(&pick.field(), QStringLiteral("rank 0 stream 7"));
  QTest::keyClick(&pick.field(), Qt::Key_Return);
  QVERIFY(layout.sectionOf(key));
  const bool open = layout.rankExpanded(RankIndex(0));
  const QPoint header(60, layout.rankLane(RankIndex(0)).top + 8);
  QTest::mouseClick(&userSession.timeline().headers(), Qt::LeftButton, {}, header);
  QTest::mouseDClick(&userSession.timeline().headers(), Qt::LeftButton, {}, header);
  QCOMPARE(layout.rankExpanded(RankIndex(0)), !open);
}

void KeyTableTest::deselectPanelAndEverything() {
  UserSession userSession;
  userSession.session().select(userSession.event("gemm_kernel"));
  userSession.press(Qt::Key_A, Qt::ControlModifier);
  QCOMPARE(userSession.session().range(), std::optional(userSession.session().trace()->extent()));
  userSession.press(Qt::Key_Escape);
  QVERIFY(!userSession.session().selection().valid());
  QVERIFY(!userSession.session().range());
  QVERIFY(!bottomPanelOf(userSession.window).collapsed());
  const int height = userSession.timeline().height();
  userSession.press(Qt::Key_Q);
  QVERIFY(bottomPanelOf(userSession.window).collapsed());
  QTRY_VERIFY(userSession.timeline().height() > height + 100); // the timeline takes the space
  userSession.press(Qt::Key_Q);
  QVERIFY(!bottomPanelOf(userSession.window).collapsed());
  QTRY_COMPARE(userSession.timeline().height(), height);
}

void KeyTableTest::clickAndHover() {
  UserSession userSession;
  const EventRef gemm = userSession.event("gemm_kernel");
  QTest::mouseClick(&userSession.canvas(), Qt::LeftButton, {}, userSession.pointOn(gemm));
  QCOMPARE(userSession.session().selection(), gemm);
  QVERIFY(userSession.settles());
  const QString details = detailsOf(userSession.window).toPlainText();
  for (const char* fact : {"gemm_kernel", "3.00 ms", "stream 7", "Launched by", "cudaLaunchKernel"})
    QVERIFY2(details.contains(QLatin1String(fact)), qPrintable(details));
  const EventRef relu = userSession.event("relu_kernel");
  Shown::send(userSession.canvas(), QEvent::MouseMove, userSession.pointOn(relu), Qt::NoButton);
  QCOMPARE(userSession.session().trace()->names()[userSession.session().hoveredName()],
           std::string_view("relu_kernel"));
  QVERIFY(userSession.canvas().hoverText().contains(QStringLiteral("1.00 ms")));
}

void KeyTableTest::paletteAndKeySheet() {
  UserSession userSession;
  QuickPick& palette = QuickPick::of(userSession.window.content());
  for (const auto& [key, modifiers] :
       {std::pair(Qt::Key_K, Qt::KeyboardModifiers(Qt::ControlModifier)),
        std::pair(Qt::Key_P, Qt::KeyboardModifiers(Qt::ControlModifier | Qt::ShiftModifier))}) {
    userSession.press(key, modifiers);
    QVERIFY(palette.isVisible());
    QTest::keyClick(&palette.field(), Qt::Key_Escape);
    QVERIFY(!palette.isVisible());
  }
  userSession.press(Qt::Key_Question, Qt::ShiftModifier);
  QTRY_VERIFY(userSession.window.findChild<KeySheet*>());
  QTest::keyClick(userSession.window.findChild<KeySheet*>(), Qt::Key_Escape);
  QTRY_VERIFY(!userSession.window.findChild<KeySheet*>());
}

void KeyTableTest::tabsByNumberAndOneByOne() {
  UserSession userSession;
  userSession.press(Qt::Key_2, Qt::ControlModifier);
  QCOMPARE(userSession.window.currentTab(), QString("overview"));
  userSession.press(Qt::Key_1, Qt::ControlModifier);
  QCOMPARE(userSession.window.currentTab(), QString("timeline"));
  userSession.window.resize(1400, 700);
  userSession.timeline().setAllRanksExpanded(true);
  userSession.press(Qt::Key_PageDown, Qt::ControlModifier);
  QCOMPARE(userSession.window.currentTab(), QString("overview"));
  userSession.press(Qt::Key_PageUp, Qt::ControlModifier);
  userSession.press(Qt::Key_PageUp, Qt::ControlModifier);
  QCOMPARE(userSession.window.currentTab(), QString("files")); // without dumps there is no tab Hang
  userSession.press(Qt::Key_PageDown, Qt::ControlModifier);
  QCOMPARE(userSession.window.currentTab(), QString("timeline"));
  QCOMPARE(userSession.timeline().scrollBar().value(), 0); // none of these scrolled the tracks
  userSession.press(Qt::Key_PageDown);
  QVERIFY(userSession.timeline().scrollBar().value() > 0);
}

void KeyTableTest::theSameKeysWithTheFocusBelow() {
  UserSession userSession;
  userSession.session().select(userSession.event("gemm_kernel"));
  QVERIFY(userSession.settles());
  detailsOf(userSession.window).setFocus();
  QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(&detailsOf(userSession.window)));
  const TimeNs before = userSession.shown().length();
  userSession.press(Qt::Key_W);
  QVERIFY(userSession.shown().length() < before);
  userSession.press(Qt::Key_R);
  QCOMPARE(*userSession.session().range(), userSession.session().rangeOf(userSession.event("gemm_kernel")));
  detailsOf(userSession.window).setFocus();
  userSession.press(Qt::Key_Period);
  QCOMPARE(userSession.session().selection(), userSession.event("relu_kernel"));
}

RANKSCOPE_UI_TEST(KeyTableTest)
#include "key_table_test.moc"
