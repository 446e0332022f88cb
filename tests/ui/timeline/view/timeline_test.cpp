// SPDX-License-Identifier: GPL-3.0-or-later
// Use of the timeline by keys, wheel and mouse, and their effect on the session. Covers
// ui/timeline/lanes/more_lane and ui/timeline/view/slice_steps too.
#include "tests/ui/timeline_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/timeline/strips/overview_strip.h"
#include "ui/timeline/strips/time_ruler.h"

#include <algorithm>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

class TimelineTest : public QObject {
  Q_OBJECT

 private slots:
  void everythingIsShownAtFirst();
  void zoomKeepsTheTimeUnderTheCursor();
  void keysZoomAboutTheMouse();
  void aHeldKeyMovesUntilReleased();
  void theWindowIsNeverSmallerThanTenNanoseconds();
  void dragPansBothWays();
  void shiftWheelAndSidewaysWheelPan();
  void homeFitsEverythingAndBackspaceGoesBack();
  void aGestureIsOneStepOfTheHistory();
  void focusCentersThenFits();
  void clickSelectsTheEventUnderTheCursor();
  void clickOnAFoldSelectsTheLongestThere();
  void clickBesideDeselectsAndEscapeToo();
  void arrowsWalkTheRowAndTheStack();
  void bracketsFollowTheLinks();
  void doubleClickFitsAnEvent();
  void shiftDragSelectsARangeThatSnapsToEdges();
  void draggingTheRulerSelectsARange();
  void draggingTheOverviewMovesTheWindow();
  void aClickOnAHeaderFoldsTheRank();
  void theWindowAndTheSelectionStayWhenRanksArrive();
  void wheelOverTheHeadersScrolls();
  void aCollapsedRankAnswersClicksToo();
  void revealOpensTheRankAndShowsTheEvent();
  void tracksFoldedAwayComeBackWhenAskedFor();
};

void TimelineTest::everythingIsShownAtFirst() {
  Shown shown(loadRanks(1));
  QCOMPARE(shown.canvas().width(), 1000);
  QCOMPARE(shown.window(), shown.session.limits());
  const TimeRange extent = shown.session.trace()->extent();
  QVERIFY(shown.window().begin < extent.begin && extent.end < shown.window().end);
  QCOMPARE(extent.length(), 10 * kMs);
}

void TimelineTest::zoomKeepsTheTimeUnderTheCursor() {
  Shown shown(loadRanks(1));
  for (const int x : {1, 137, 500, 731, 998}) {
    shown.press(Qt::Key_Home);
    // The limits of the window restrict zooming out, never zooming in.
    const TimeNs t = shown.canvas().timeAt(x);
    for (int notch = 0; notch < 40; ++notch) {
      Shown::wheel(shown.canvas(), {x, 60}, {0, 120});
      const double onePixel = static_cast<double>(shown.window().length()) / 1000;
      QVERIFY(std::abs(static_cast<double>(shown.canvas().timeAt(x) - t)) <= onePixel + 1);
    }
    for (int notch = 0; notch < 20; ++notch)
      Shown::wheel(shown.canvas(), {x, 60}, {0, -120}, Qt::ControlModifier);
    const double onePixel = static_cast<double>(shown.window().length()) / 1000;
    QVERIFY(std::abs(static_cast<double>(shown.canvas().timeAt(x) - t)) <= onePixel + 1);
  }
}

void TimelineTest::keysZoomAboutTheMouse() {
  Shown shown(loadRanks(1));
  shown.hover({250, 60});
  const TimeNs t = shown.canvas().timeAt(250);
  const TimeRange before = shown.window();
  shown.press(Qt::Key_W);
  QVERIFY(shown.window().length() < before.length());
  const double onePixel = static_cast<double>(shown.window().length()) / 1000;
  QVERIFY(std::abs(static_cast<double>(shown.canvas().timeAt(250) - t)) <= onePixel + 1);
  const TimeRange zoomed = shown.window();
  shown.press(Qt::Key_D);
  QVERIFY(shown.window().begin > zoomed.begin);
  QCOMPARE(shown.window().length(), zoomed.length());
  shown.press(Qt::Key_S);
  QVERIFY(shown.window().length() > zoomed.length());
}

void TimelineTest::aHeldKeyMovesUntilReleased() {
  Shown shown(loadRanks(1));
  QTest::keyPress(&shown.canvas(), Qt::Key_W);
  const TimeNs afterThePress = shown.window().length();
  QTRY_VERIFY(shown.window().length() < afterThePress * 8 / 10);
  QTest::keyRelease(&shown.canvas(), Qt::Key_W);
  const TimeRange released = shown.window();
  for (int i = 0; i < 10; ++i) QApplication::processEvents(QEventLoop::AllEvents, 5);
  QCOMPARE(shown.window(), released);
}

void TimelineTest::theWindowIsNeverSmallerThanTenNanoseconds() {
  Shown shown(loadRanks(1));
  for (int notch = 0; notch < 200; ++notch) Shown::wheel(shown.canvas(), {500, 60}, {0, 120});
  QCOMPARE(shown.window().length(), TraceSession::kMinWindow);
  QVERIFY(!shown.picture().isNull());
  for (int notch = 0; notch < 400; ++notch) Shown::wheel(shown.canvas(), {500, 60}, {0, -120});
  QCOMPARE(shown.window(), shown.session.limits());
}

void TimelineTest::dragPansBothWays() {
  Shown shown(loadRanks(8));
  shown.view.setAllRanksExpanded(true);
  shown.session.setWindow({shown.origin() + 2 * kMs, shown.origin() + 4 * kMs});
  shown.view.scrollBar().setValue(100);
  Shown::drag(shown.canvas(), {500, 300}, {400, 250});
  QCOMPARE(shown.view.scrollBar().value(), 150);
  QCOMPARE(shown.window(),
           (TimeRange{shown.origin() + 2 * kMs + kMs / 5, shown.origin() + 4 * kMs + kMs / 5}));
  // A pan selects nothing.
  QVERIFY(!shown.session.selection().valid());
}

void TimelineTest::shiftWheelAndSidewaysWheelPan() {
  Shown shown(loadRanks(1));
  shown.session.setWindow({shown.origin() + 4 * kMs, shown.origin() + 6 * kMs});
  const TimeRange start = shown.window();
  Shown::wheel(shown.canvas(), {500, 60}, {0, -120}, Qt::ShiftModifier);
  QVERIFY(shown.window().begin > start.begin);
  QCOMPARE(shown.window().length(), start.length());
  Shown::wheel(shown.canvas(), {500, 60}, {120, 0});
  QCOMPARE(shown.window(), start);
  // Trackpads report pixel deltas.
  Shown::wheel(shown.canvas(), {500, 60}, {40, 0}, {}, {10, 0});
  QCOMPARE(shown.window().begin, start.begin - start.length() / 100);
}

void TimelineTest::homeFitsEverythingAndBackspaceGoesBack() {
  Shown shown(loadRanks(1));
  const TimeRange part{shown.origin() + kMs, shown.origin() + 2 * kMs};
  shown.session.setWindow(part);
  shown.press(Qt::Key_Home);
  QCOMPARE(shown.window(), shown.session.limits());
  shown.press(Qt::Key_Backspace);
  QCOMPARE(shown.window(), part);
  shown.press(Qt::Key_Right, Qt::AltModifier);
  QCOMPARE(shown.window(), shown.session.limits());
  shown.press(Qt::Key_Left, Qt::AltModifier);
  QCOMPARE(shown.window(), part);
  shown.press(Qt::Key_0);
  QCOMPARE(shown.window(), shown.session.limits());
}

void TimelineTest::aGestureIsOneStepOfTheHistory() {
  Shown shown(loadRanks(1));
  for (int notch = 0; notch < 5; ++notch) Shown::wheel(shown.canvas(), {500, 60}, {0, 120});
  QVERIFY(shown.window() != shown.session.limits());
  shown.press(Qt::Key_Backspace);
  QCOMPARE(shown.window(), shown.session.limits());
}

void TimelineTest::focusCentersThenFits() {
  Shown shown(loadRanks(1));
  const EventRef kernel = shown.find("void elementwise<float>(int)");
  shown.session.setWindow({shown.origin(), shown.origin() + 4 * kMs});
  shown.session.select(kernel);
  shown.press(Qt::Key_F);
  const TimeRange range = shown.session.rangeOf(kernel);
  QCOMPARE(shown.window().length(), 4 * kMs);
  QCOMPARE(shown.window().begin + 2 * kMs, range.begin + range.length() / 2);
  shown.press(Qt::Key_F);
  QVERIFY(shown.window().begin <= range.begin && range.end <= shown.window().end);
  QVERIFY(shown.window().length() < 2 * range.length());
}

void TimelineTest::clickSelectsTheEventUnderTheCursor() {
  Shown shown(loadRanks(1));
  for (const char* name :
       {"forward", "backward", "aten::linear", "aten::mm", "void elementwise<float>(int)"}) {
    const EventRef event = shown.find(name);
    QVERIFY2(event.valid(), name);
    shown.click(shown.pointOn(event));
    QCOMPARE(shown.session.selection(), event);
  }
  const EventRef first = shown.find("void ampere_sgemm<float>(int)");
  shown.click(shown.pointOn(first, 0.01));
  QCOMPARE(shown.session.selection(), first);
  shown.click(shown.pointOn(first, 0.98));
  QCOMPARE(shown.session.selection(), first);
}

void TimelineTest::clickOnAFoldSelectsTheLongestThere() {
  test::TraceText trace;
  trace.baseTime(kBase).distributedInfo(0, 1);
  trace.addKernel(0, 7, 0, 1000, "first").addKernel(0, 7, 1'000'000'000, 1000, "last");
  trace.addKernel(0, 7, 500'000'000, 1000, "short").addKernel(0, 7, 500'002'000, 3000, "long");
  trace.addKernel(0, 7, 500'006'000, 1000, "short again");
  Shown shown(load({trace.text()}));
  const EventRef longest = shown.find("long");
  shown.click(shown.pointOn(longest));
  QCOMPARE(shown.session.selection(), longest);
  shown.hover(shown.pointOn(longest));
  QVERIFY2(shown.canvas().hoverText().contains("3 events"), qPrintable(shown.canvas().hoverText()));
}

void TimelineTest::clickBesideDeselectsAndEscapeToo() {
  Shown shown(loadRanks(1));
  const EventRef kernel = shown.find("void elementwise<float>(int)");
  shown.click(shown.pointOn(kernel));
  QVERIFY(shown.session.selection().valid());
  shown.click({shown.pointOn(kernel).x(), shown.canvas().height() - 20});
  QVERIFY(!shown.session.selection().valid());
  shown.session.select(kernel);
  shown.session.setRange(TimeRange{shown.origin(), shown.origin() + kMs});
  shown.press(Qt::Key_Escape);
  QVERIFY(!shown.session.selection().valid());
  QVERIFY(!shown.session.range());
}

void TimelineTest::arrowsWalkTheRowAndTheStack() {
  Shown shown(loadRanks(1));
  const EventRef first = shown.find("void ampere_sgemm<float>(int)");
  const EventRef second = shown.find("void elementwise<float>(int)");
  shown.session.select(first);
  shown.press(Qt::Key_Period);
  QCOMPARE(shown.session.selection(), second);
  shown.press(Qt::Key_Comma);
  QCOMPARE(shown.session.selection(), first);
  shown.press(Qt::Key_Comma);
  QCOMPARE(shown.session.selection(), first);
  shown.session.select(shown.find("aten::mm"));
  shown.press(Qt::Key_Up);
  QCOMPARE(shown.session.selection(), shown.find("aten::linear"));
  shown.press(Qt::Key_Down);
  QCOMPARE(shown.session.selection(), shown.find("aten::mm"));
  // Navigation scrolls the target into view at the same zoom.
  shown.session.setWindow({shown.origin(), shown.origin() + 100'000});
  shown.session.select(first);
  shown.press(Qt::Key_Right);
  QVERIFY(shown.session.rangeOf(second).overlaps(shown.window()));
  QCOMPARE(shown.window().length(), 100'000);
}

void TimelineTest::bracketsFollowTheLinks() {
  Shown shown(loadRanks(1));
  const EventRef kernel = shown.find("void ampere_sgemm<float>(int)");
  // Of the two launches the deepest in the stack comes last.
  const EventRef launch = shown.find("cudaLaunchKernel", 0, 1);
  shown.session.select(kernel);
  shown.press(Qt::Key_BracketLeft);
  QCOMPARE(shown.session.selection(), launch);
  shown.press(Qt::Key_BracketRight);
  QCOMPARE(shown.session.selection(), kernel);
}

void TimelineTest::doubleClickFitsAnEvent() {
  Shown shown(loadRanks(1));
  const EventRef event = shown.find("backward");
  const QPoint at = shown.pointOn(event, 0.3);
  QTest::mouseDClick(&shown.canvas(), Qt::LeftButton, {}, at);
  const TimeRange range = shown.session.rangeOf(event);
  QVERIFY(shown.window().begin < range.begin && range.end < shown.window().end);
  QVERIFY(shown.window().length() < 2 * range.length());
}

void TimelineTest::shiftDragSelectsARangeThatSnapsToEdges() {
  Shown shown(loadRanks(1));
  const EventRef event = shown.find("void elementwise<float>(int)");
  const TimeRange range = shown.session.rangeOf(event);
  const int y = shown.pointOn(event).y();
  const int left = static_cast<int>(shown.canvas().xOf(range.begin));
  const int right = static_cast<int>(shown.canvas().xOf(range.end));
  Shown::drag(shown.canvas(), {left + 3, y}, {right - 4, y}, Qt::ShiftModifier);
  QCOMPARE(shown.session.range(), std::optional(range));
  QCOMPARE(shown.window(), shown.session.limits());
  Shown::drag(shown.canvas(), {left + 3, y}, {right - 4, y}, Qt::ShiftModifier | Qt::AltModifier);
  QCOMPARE(shown.session.range(),
           std::optional(TimeRange{shown.canvas().timeAt(left + 3), shown.canvas().timeAt(right - 4)}));
  shown.session.select(event);
  shown.press(Qt::Key_R);
  QCOMPARE(shown.session.range(), std::optional(range));
}

void TimelineTest::draggingTheRulerSelectsARange() {
  Shown shown(loadRanks(1));
  auto* const ruler = shown.view.findChild<TimeRuler*>();
  Shown::drag(*ruler, {230 + 200, 10}, {230 + 300, 10});
  const auto range = shown.session.range();
  QVERIFY(range.has_value());
  QCOMPARE(range->begin, shown.canvas().timeAt(200));
  QCOMPARE(range->end, shown.canvas().timeAt(300));
  QVERIFY(ruler->hasSteps());
  QTest::mouseClick(ruler, Qt::LeftButton, {}, QPoint(230 + 500, TimeRuler::ticksHeight() + 8));
  QCOMPARE(shown.session.selection(), shown.find("ProfilerStep#1"));
}

void TimelineTest::draggingTheOverviewMovesTheWindow() {
  Shown shown(loadRanks(2));
  const TimeRange all = shown.session.limits();
  shown.session.setWindow({all.begin + all.length() / 4, all.begin + all.length() / 2});
  const TimeRange before = shown.window();
  auto* const strip = shown.view.findChild<OverviewStrip*>();
  Shown::drag(*strip, {230 + 375, 20}, {230 + 475, 20});
  QCOMPARE(shown.window().length(), before.length());
  QVERIFY(std::abs(static_cast<double>(shown.window().begin - before.begin - all.length() / 10)) <
          static_cast<double>(all.length()) / 900);
  // Beside the window a drag marks a new one.
  Shown::drag(*strip, {230 + 50, 20}, {230 + 150, 20});
  QVERIFY(std::abs(static_cast<double>(shown.window().length() - all.length() / 10)) <
          static_cast<double>(all.length()) / 400);
}

void TimelineTest::aClickOnAHeaderFoldsTheRank() {
  Shown shown(loadRanks(2));
  const TrackLayout& layout = shown.view.trackLayout();
  QVERIFY(layout.rankExpanded(RankIndex(0)));
  const auto clickHeader = [&](std::size_t rank) {
    const Lane& lane = layout.rankLane(RankIndex(rank));
    QTest::mouseClick(&shown.view.headers(), Qt::LeftButton, {}, QPoint(60, lane.top + lane.height / 2));
  };
  clickHeader(0);
  QVERIFY(!layout.rankExpanded(RankIndex(0)));
  clickHeader(1);
  QVERIFY(layout.rankExpanded(RankIndex(1)));
  // A double click on the header's part over the lanes does the same.
  const Lane& lane = layout.rankLane(RankIndex(1));
  QTest::mouseDClick(&shown.canvas(), Qt::LeftButton, {}, QPoint(5, lane.top + 3));
  QVERIFY(!layout.rankExpanded(RankIndex(1)));
  shown.press(Qt::Key_Space, Qt::ShiftModifier);
  QVERIFY(layout.rankExpanded(RankIndex(0)) && layout.rankExpanded(RankIndex(1)));
  shown.session.select(shown.find("forward", 1));
  shown.press(Qt::Key_Space);
  QVERIFY(layout.rankExpanded(RankIndex(0)) && !layout.rankExpanded(RankIndex(1)));
}

void TimelineTest::theWindowAndTheSelectionStayWhenRanksArrive() {
  const auto all = loadRanks(3);
  const auto some = std::make_shared<const TraceSet>(all->jobName(), all->names(),
                                                     std::vector{all->ranks()[1]}, all->files());
  TraceSession session;
  session.setTrace(some);
  QCOMPARE(session.window(), session.limits());
  const EventRef event{RankIndex(0), EventIndex(2)};
  session.select(event);
  const TimeRange range = session.rangeOf(event);
  session.setWindow({range.begin, range.begin + 2 * kMs});
  const TimeRange window = session.window();
  session.setTrace(all);
  QCOMPARE(session.window(), window);
  QCOMPARE(session.selection().rank, RankIndex(1));
  QCOMPARE(session.rangeOf(session.selection()), range);
  // Another job starts afresh.
  session.setTrace(loadRanks(1));
  QVERIFY(!session.selection().valid());
  QCOMPARE(session.window(), session.limits());
  QVERIFY(!session.canGoBack());
}

void TimelineTest::wheelOverTheHeadersScrolls() {
  Shown shown(loadRanks(8));
  shown.view.setAllRanksExpanded(true);
  const TimeRange window = shown.window();
  Shown::wheel(shown.view.headers(), {50, 50}, {0, -120});
  QVERIFY(shown.view.scrollBar().value() > 0);
  QCOMPARE(shown.canvas().scrollTop(), shown.view.scrollBar().value());
  QCOMPARE(shown.window(), window);
  const int scrolled = shown.view.scrollBar().value();
  shown.press(Qt::Key_PageDown);
  QVERIFY(shown.view.scrollBar().value() > scrolled);
}

void TimelineTest::aCollapsedRankAnswersClicksToo() {
  Shown shown(loadRanks(2));
  const EventRef kernel = shown.find("void ampere_sgemm<float>(int)", 1);
  const Lane& lane = shown.view.trackLayout().rankLane(RankIndex(1));
  const int x = static_cast<int>(shown.canvas().xOf(shown.session.rangeOf(kernel).begin + kMs));
  shown.click({x, lane.top + 6});
  QCOMPARE(shown.session.selection(), kernel);
  const int later = static_cast<int>(shown.canvas().xOf(shown.origin() + 8 * kMs));
  shown.click({later, lane.bottom() - 6});
  const RankTrace& trace = *shown.session.trace()->rank(RankIndex(1)).trace;
  QCOMPARE(trace.events.kind[shown.session.selection().event], EventKind::Collective);
}

void TimelineTest::revealOpensTheRankAndShowsTheEvent() {
  Shown shown(loadRanks(12));
  shown.session.setWindow({shown.origin(), shown.origin() + 1000});
  const EventRef event = shown.find("backward", 11);
  shown.session.reveal(event);
  QCOMPARE(shown.session.selection(), event);
  QVERIFY(shown.view.trackLayout().rankExpanded(RankIndex(11)));
  const TimeRange range = shown.session.rangeOf(event);
  QVERIFY(shown.window().begin <= range.begin && range.end <= shown.window().end);
  const int y = shown.view.trackLayout().laneOf(event)->top - shown.canvas().scrollTop();
  QVERIFY(0 <= y && y < shown.canvas().height());
}

void TimelineTest::tracksFoldedAwayComeBackWhenAskedFor() {
  test::TraceText trace;
  trace.baseTime(kBase).distributedInfo(0, 1);
  trace.addKernel(0, 7, 0, kMs, "gemm").addGpuAnnotation(0, 7, 0, kMs, "forward on the GPU");
  Shown shown(load({trace.text()}));
  const TrackLayout& layout = shown.view.trackLayout();
  const EventRef annotation = shown.find("forward on the GPU");
  QCOMPARE(layout.laneOf(annotation)->kind->traits().id, "more");
  shown.session.reveal(annotation);
  QVERIFY(layout.laneOf(annotation)->row.valid());
  // The mark in the headers folds them away again.
  const auto more = std::ranges::find_if(
      layout.sections(), [](const Section& section) { return section.kind->traits().id == "more"; });
  QTest::mouseClick(&shown.view.headers(), Qt::LeftButton, {}, QPoint(60, more->top + 5));
  QCOMPARE(layout.laneOf(annotation)->kind->traits().id, "more");
  // A track that is hidden is nowhere, though others stay folded away.
  const TrackKey kernels =
      keyOf(*shown.session.trace(), RankIndex(0),
            shown.session.trace()->rank(RankIndex(0)).trace->trackOf(shown.find("gemm").event));
  shown.session.editChoice([&](TimelineChoice& choice) { choice.setHidden(kernels, true); });
  QVERIFY(!layout.laneOf(shown.find("gemm")));
}

RANKSCOPE_UI_TEST(TimelineTest)
#include "timeline_test.moc"
