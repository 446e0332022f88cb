// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline as a person uses it: real key, wheel and mouse events, assertions on the session's numbers and
// on pixels.
#include "core/io/trace_loader.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"
#include "ui/timeline/label_cache.h"
#include "ui/timeline/overview_strip.h"
#include "ui/timeline/rank_figures.h"
#include "ui/timeline/time_ruler.h"
#include "ui/timeline/time_ticks.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_view.h"
#include "ui/timeline/track_headers.h"

#include <QApplication>
#include <QMouseEvent>
#include <QScrollBar>
#include <QTest>
#include <QWheelEvent>

#include <algorithm>
#include <memory>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

constexpr TimeNs kMs = 1'000'000;
constexpr TimeNs kBase = 1'700'000'000'000'000'000;
constexpr int kMainThread = 100;

// Compute from 1 to 4 ms and from 6 to 7 ms; an AllReduce from 6 to 9 ms: exposed from 7 on. Idle from 4
// to 6.
std::string rankText(int rank, int worldSize) {
  test::TraceText trace;
  trace.baseTime(kBase).distributedInfo(rank, worldSize);
  trace.addStep(1, 0, 10 * kMs);
  trace.addAnnotation(kMainThread, kMs / 2, 3 * kMs, "forward");
  trace.addAnnotation(kMainThread, 4 * kMs, 4 * kMs, "backward");
  trace.addCpuOp(kMainThread, kMs / 2, 2 * kMs, "aten::linear");
  trace.addCpuOp(kMainThread, kMs / 2 + 1000, kMs, "aten::mm");
  trace.addRuntime(kMainThread, kMs / 2 + 2000, 20'000, "cudaLaunchKernel", 11);
  trace.addKernel(0, 7, kMs, 2 * kMs, "void ampere_sgemm<float>(int)", 11);
  trace.addKernel(0, 7, 3 * kMs, kMs, "void elementwise<float>(int)");
  trace.addKernel(0, 7, 6 * kMs, kMs, "void ampere_sgemm<float>(int)");
  trace.addCollective(0, 20, 6 * kMs, 3 * kMs, "allreduce", 1024, worldSize);
  return trace.text();
}

std::string hostOnlyText() {
  test::TraceText trace;
  trace.baseTime(kBase).distributedInfo(0, 1);
  trace.addCpuOp(kMainThread, 0, 2 * kMs, "aten::linear");
  return trace.text();
}

// A thousand short kernels with short pauses.
std::string denseText() {
  test::TraceText trace;
  trace.baseTime(kBase).distributedInfo(0, 1);
  for (int i = 0; i < 1000; ++i)
    trace.addKernel(0, 7, i * 10'000 + (i * 7919) % 3000, 4000 + (i * 104729) % 3000,
                    i % 3 == 0 ? "gemm" : "relu");
  return trace.text();
}

std::string deepText() {
  test::TraceText trace;
  trace.baseTime(kBase).distributedInfo(0, 1);
  for (int depth = 0; depth < 60; ++depth)
    trace.addPython(kMainThread, depth, 10 * kMs - 2 * depth,
                    "model.py(" + std::to_string(depth) + "): forward", depth, depth - 1);
  for (int depth = 0; depth < 50; ++depth)
    trace.addCpuOp(kMainThread, depth, 10 * kMs - 2 * depth, "aten::op" + std::to_string(depth));
  trace.addKernel(0, 7, kMs, kMs, "gemm");
  return trace.text();
}

std::shared_ptr<const TraceSet> load(const std::vector<std::string>& texts) {
  const test::TemporaryFolder folder;
  for (std::size_t i = 0; i < texts.size(); ++i)
    test::writeTraceFile(folder / ("rank" + std::to_string(i) + ".json"), texts[i]);
  Progress progress;
  const auto loaded = loadTraces({folder.path().string()}, {}, progress);
  if (!loaded) qFatal("%s", loaded.error().text().c_str());
  return loaded.value();
}

std::shared_ptr<const TraceSet> loadRanks(int count) {
  std::vector<std::string> texts;
  for (int rank = 0; rank < count; ++rank) texts.push_back(rankText(rank, count));
  return load(texts);
}

struct Shown {
  TraceSession session;
  TimelineView view{session};

  explicit Shown(std::shared_ptr<const TraceSet> trace) {
    view.resize(1230 + 12, 700); // with the headers' 230 and the scroll bar's 12 a canvas of 1000 pixels
    view.show();
    session.setTrace(std::move(trace));
    view.finishSummaries();
    QApplication::processEvents();
  }

  [[nodiscard]] TimelineCanvas& canvas() { return view.canvas(); }
  [[nodiscard]] TimeNs origin() const { return session.trace()->extent().begin; }
  [[nodiscard]] TimeRange window() const { return session.window(); }

  [[nodiscard]] EventRef find(std::string_view name, std::size_t rank = 0, int nth = 0) const {
    const RankTrace& trace = *session.trace()->rank(RankIndex(rank)).trace;
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      const std::string_view text = session.trace()->names()[trace.events.name[EventIndex(i)]];
      if (text == name && nth-- == 0) return {RankIndex(rank), EventIndex(i)};
    }
    return {};
  }
  // A point of the canvas in the row of an event, at a share of its length.
  [[nodiscard]] QPoint pointOn(EventRef event, double share = 0.5) {
    const TimeRange range = session.rangeOf(event);
    const auto t = range.begin + static_cast<TimeNs>(static_cast<double>(range.length()) * share);
    const Lane* const lane = view.trackLayout().laneOf(event);
    return {static_cast<int>(canvas().xOf(t)), lane->top + lane->height / 2 - canvas().scrollTop()};
  }
  void click(QPoint at, Qt::KeyboardModifiers modifiers = {}) {
    QTest::mouseClick(&canvas(), Qt::LeftButton, modifiers, at);
  }
  void hover(QPoint at) { send(canvas(), QEvent::MouseMove, at, Qt::NoButton); }
  static void send(QWidget& widget, QEvent::Type type, QPoint at, Qt::MouseButtons buttons,
                   Qt::KeyboardModifiers modifiers = {}) {
    QMouseEvent event(type, QPointF(at), QPointF(widget.mapToGlobal(at)),
                      type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton, buttons, modifiers);
    QApplication::sendEvent(&widget, &event);
  }
  static void drag(QWidget& widget, QPoint from, QPoint to, Qt::KeyboardModifiers modifiers = {}) {
    QTest::mousePress(&widget, Qt::LeftButton, modifiers, from);
    send(widget, QEvent::MouseMove, (from + to) / 2, Qt::LeftButton, modifiers);
    send(widget, QEvent::MouseMove, to, Qt::LeftButton, modifiers);
    QTest::mouseRelease(&widget, Qt::LeftButton, modifiers, to);
  }
  static void wheel(QWidget& widget, QPoint at, QPoint angle, Qt::KeyboardModifiers modifiers = {},
                    QPoint pixels = {}) {
    QWheelEvent event(QPointF(at), QPointF(widget.mapToGlobal(at)), pixels, angle, Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    // Only events from outside travel up to the parents of a widget that has no use for them.
    QSpontaneKeyEvent::setSpontaneous(&event);
    qApp->notify(&widget, &event);
  }
  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(&canvas(), key, modifiers);
  }
  [[nodiscard]] QImage picture() { return canvas().grab().toImage().convertToFormat(QImage::Format_RGB32); }
};

bool reddish(QRgb colour) {
  return qRed(colour) > qGreen(colour) + 25 && qRed(colour) > qBlue(colour) + 10;
}

// Whether pixels [left, right) of a line alternate between two colours, as stripes do.
int colourChanges(const QImage& image, int y, int left, int right) {
  int changes = 0;
  for (int x = left + 1; x < right; ++x) changes += image.pixel(x, y) != image.pixel(x - 1, y);
  return changes;
}

} // namespace

class TimelineTest : public QObject {
  Q_OBJECT

 private slots:
  void everythingIsShownAtFirst();
  void zoomKeepsTheTimeUnderTheCursor();
  void keysZoomAboutTheMouse();
  void aHeldKeyGoesOnMovingAndStopsWhenReleased();
  void theWindowIsNeverSmallerThanTenNanoseconds();
  void panDoesNotMoveColumns();
  void dragPansBothWays();
  void shiftWheelAndSidewaysWheelPan();
  void homeFitsEverythingAndBackspaceGoesBack();
  void aGestureIsOneStepOfTheHistory();
  void focusCentresThenFits();
  void clickSelectsTheEventUnderTheCursor();
  void clickOnAFoldSelectsTheLongestThere();
  void clickBesideDeselectsAndEscapeToo();
  void arrowsWalkTheRowAndTheStack();
  void bracketsFollowTheLinks();
  void doubleClickFitsAnEvent();
  void hoverTellsWhatIsThereAndLightsUpItsNamesakes();
  void selectionChangesPixelsOnlyAroundIt();
  void hoverAndSelectionLeaveThePictureAsItIs();
  void idleTimeIsHatchedUntilSwitchedOff();
  void exposedCommunicationIsHatched();
  void shiftDragSelectsARangeThatSnapsToEdges();
  void draggingTheRulerSelectsARange();
  void draggingTheOverviewMovesTheWindow();
  void aClickOnAHeaderFoldsTheRank();
  void aFewRanksStartWithTheFirstOneOpenManyWithNone();
  void whatWasFoldedStaysFoldedWhenRanksArrive();
  void theWindowAndTheSelectionStayWhenRanksArrive();
  void theGpuIsNearTheTopHoweverDeepTheStacks();
  void lanesNeverOverlap();
  void wheelOverTheHeadersScrolls();
  void aCollapsedRankAnswersClicksToo();
  void revealOpensTheRankAndShowsTheEvent();
  void figuresFollowTheDefinitions();
  void aRankWithoutDevicesSaysSo();
  void anEmptyTimelineSaysWhatToDo();
  void bothThemesPaintDifferently();
  void ticksAreOneTwoFiveAndFarEnoughApart();
  void kernelNamesKeepTheirUsefulEnd();
  void phasesAndDeviceWorkHaveTheirColours();
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
    // At the ends the limits of the window are in the way of zooming out, never of zooming in.
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

void TimelineTest::aHeldKeyGoesOnMovingAndStopsWhenReleased() {
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
  QCOMPARE(shown.window().length(), TraceSession::kSmallestWindow);
  QVERIFY(!shown.picture().isNull());
  for (int notch = 0; notch < 400; ++notch) Shown::wheel(shown.canvas(), {500, 60}, {0, -120});
  QCOMPARE(shown.window(), shown.session.limits());
}

void TimelineTest::panDoesNotMoveColumns() {
  Shown shown(load({denseText()}));
  shown.view.setHighlights(false, false);
  const TimeRange all = shown.session.limits();
  // Several kernels share a column, so folding differently would show.
  shown.session.setWindow({all.begin + all.length() / 5, all.begin + all.length() * 4 / 5});
  const EventRef kernel = shown.find("gemm");
  const int y = shown.view.trackLayout().laneOf(kernel)->top + 8;
  const QImage before = shown.picture();
  constexpr int kMoved = 137;
  Shown::drag(shown.canvas(), {600, y + 200}, {600 - kMoved, y + 200});
  QApplication::processEvents();
  QEvent leave(QEvent::Leave);
  QApplication::sendEvent(&shown.canvas(), &leave);
  const QImage after = shown.picture();
  int coloured = 0;
  for (int x = kMoved + 1; x < 1000; ++x) {
    QCOMPARE(after.pixel(x - kMoved, y), before.pixel(x, y));
    coloured += before.pixel(x, y) != Theme::of(ThemeName::Dark).background.rgb();
  }
  QVERIFY(coloured > 400);
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
  // A trackpad says how many pixels it moved.
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

void TimelineTest::focusCentresThenFits() {
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
  // What is walked to comes into view, at the same zoom.
  shown.session.setWindow({shown.origin(), shown.origin() + 100'000});
  shown.session.select(first);
  shown.press(Qt::Key_Right);
  QVERIFY(shown.session.rangeOf(second).overlaps(shown.window()));
  QCOMPARE(shown.window().length(), 100'000);
}

void TimelineTest::bracketsFollowTheLinks() {
  Shown shown(loadRanks(1));
  const EventRef kernel = shown.find("void ampere_sgemm<float>(int)");
  const EventRef launch = shown.find("cudaLaunchKernel");
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

void TimelineTest::hoverTellsWhatIsThereAndLightsUpItsNamesakes() {
  Shown shown(loadRanks(1));
  const EventRef first = shown.find("void ampere_sgemm<float>(int)");
  const EventRef second = shown.find("void ampere_sgemm<float>(int)", 0, 1);
  const QPoint there = shown.pointOn(second, 0.9);
  const QRgb plain = shown.picture().pixel(there);
  shown.hover(shown.pointOn(first));
  const QString text = shown.canvas().hoverText();
  for (const char* fact : {"void ampere_sgemm<float>(int)", "2.00 ms", "kernel", "stream 7", "rank 0"})
    QVERIFY2(text.contains(fact), qPrintable(text));
  QCOMPARE(shown.session.trace()->names()[shown.session.hoveredName()],
           std::string_view("void ampere_sgemm<float>(int)"));
  QVERIFY(shown.picture().pixel(there) != plain);
  QEvent leave(QEvent::Leave);
  QApplication::sendEvent(&shown.canvas(), &leave);
  QVERIFY(shown.canvas().hoverText().isEmpty());
  QCOMPARE(shown.picture().pixel(there), plain);
}

void TimelineTest::selectionChangesPixelsOnlyAroundIt() {
  Shown shown(loadRanks(1));
  const QImage before = shown.picture();
  const EventRef event = shown.find("void elementwise<float>(int)");
  shown.session.select(event);
  const QImage after = shown.picture();
  const Lane& lane = *shown.view.trackLayout().laneOf(event);
  const TimeRange range = shown.session.rangeOf(event);
  const QRect around(static_cast<int>(shown.canvas().xOf(range.begin)) - 3, lane.top - 3,
                     static_cast<int>(shown.canvas().xOf(range.end) - shown.canvas().xOf(range.begin)) + 7,
                     lane.height + 6);
  int changed = 0;
  for (int y = 0; y < before.height(); ++y) {
    for (int x = 0; x < before.width(); ++x) {
      if (before.pixel(x, y) == after.pixel(x, y)) continue;
      ++changed;
      QVERIFY2(around.contains(x, y), qPrintable(QStringLiteral("%1,%2").arg(x).arg(y)));
    }
  }
  QVERIFY(changed > 100);
}

void TimelineTest::hoverAndSelectionLeaveThePictureAsItIs() {
  Shown shown(loadRanks(2));
  static_cast<void>(shown.picture());
  const std::uint64_t painted = shown.canvas().content().paintCount();
  for (int x = 0; x < 1000; x += 50) {
    shown.hover({x, 60});
    static_cast<void>(shown.picture());
  }
  shown.click(shown.pointOn(shown.find("backward")));
  shown.session.setRange(TimeRange{shown.origin(), shown.origin() + kMs});
  static_cast<void>(shown.picture());
  QCOMPARE(shown.canvas().content().paintCount(), painted);
  shown.press(Qt::Key_W);
  static_cast<void>(shown.picture());
  QVERIFY(shown.canvas().content().paintCount() > painted);
}

void TimelineTest::idleTimeIsHatchedUntilSwitchedOff() {
  Shown shown(loadRanks(1));
  const int y = shown.pointOn(shown.find("void elementwise<float>(int)")).y();
  // From 5.2 ms on no label lies over the stripes.
  const int left = static_cast<int>(shown.canvas().xOf(shown.origin() + 5 * kMs + kMs / 5));
  const int right = static_cast<int>(shown.canvas().xOf(shown.origin() + 6 * kMs)) - 2;
  const QImage hatched = shown.picture();
  QVERIFY(colourChanges(hatched, y, left, right) >= (right - left) / 6);
  int red = 0;
  for (int x = left; x < right; ++x) red += reddish(hatched.pixel(x, y));
  QVERIFY2(red > (right - left) / 8, qPrintable(QString::number(red)));
  shown.hover({(left + right) / 2, y});
  QVERIFY2(shown.canvas().hoverText().contains("2.00 ms"), qPrintable(shown.canvas().hoverText()));

  shown.view.setHighlights(false, true);
  QEvent leave(QEvent::Leave);
  QApplication::sendEvent(&shown.canvas(), &leave);
  const QImage plain = shown.picture();
  for (int x = left; x < right; ++x) QVERIFY(!reddish(plain.pixel(x, y)));
}

void TimelineTest::exposedCommunicationIsHatched() {
  Shown shown(loadRanks(1));
  const RankTrace& trace = *shown.session.trace()->rank(RankIndex(0)).trace;
  const auto kinds = trace.events.kind.span();
  const auto at = std::ranges::find(kinds, EventKind::Collective);
  QVERIFY(at != kinds.end());
  const EventRef collective{RankIndex(0), EventIndex(static_cast<std::size_t>(at - kinds.begin()))};
  const int y = shown.pointOn(collective).y() - 7; // above the label
  const QImage picture = shown.picture();
  const auto x = [&](double ms) {
    return static_cast<int>(shown.canvas().xOf(shown.origin() + static_cast<TimeNs>(ms * 1e6)));
  };
  QCOMPARE(colourChanges(picture, y, x(6.1), x(6.9)), 0);
  QVERIFY(colourChanges(picture, y, x(7.1), x(8.9)) > 20);
  const QRgb orange = Theme::of(ThemeName::Dark).exposed.rgb();
  int count = 0;
  for (int i = x(7.1); i < x(8.9); ++i) count += picture.pixel(i, y) == orange;
  QVERIFY(count > 60);
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
  QTest::mouseClick(ruler, Qt::LeftButton, {}, QPoint(230 + 500, TimeRuler::kTicksHeight + 8));
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

void TimelineTest::aFewRanksStartWithTheFirstOneOpenManyWithNone() {
  TrackLayout layout;
  for (const auto& [ranks, open] : {std::pair(1, 1), std::pair(3, 1), std::pair(12, 0)}) {
    layout.setTrace(loadRanks(ranks));
    int expanded = 0;
    for (int rank = 0; rank < ranks; ++rank)
      expanded += layout.rankExpanded(RankIndex(static_cast<std::size_t>(rank)));
    QCOMPARE(expanded, open);
  }
}

void TimelineTest::whatWasFoldedStaysFoldedWhenRanksArrive() {
  const auto few = loadRanks(2);
  TrackLayout layout;
  layout.setTrace(few);
  layout.setRankExpanded(RankIndex(0), false);
  layout.setRankExpanded(RankIndex(1), true);
  layout.setTrace(loadRanks(4));
  QVERIFY(!layout.rankExpanded(RankIndex(0)));
  QVERIFY(layout.rankExpanded(RankIndex(1)));
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

void TimelineTest::theGpuIsNearTheTopHoweverDeepTheStacks() {
  Shown shown(load({deepText()}));
  const Lane* const stream = shown.view.trackLayout().laneOf(shown.find("gemm"));
  QVERIFY(stream);
  QVERIFY2(stream->top < 350, qPrintable(QString::number(stream->top)));
  // Every row is there all the same, and unfolding makes each readable.
  const Lane* const deepest = shown.view.trackLayout().laneOf(shown.find("aten::op49"));
  QVERIFY(deepest && deepest->thin);
  const auto sections = shown.view.trackLayout().sections();
  const auto folded =
      std::ranges::find_if(sections, [&](const Section& s) { return s.track == deepest->track; });
  QTest::mouseClick(&shown.view.headers(), Qt::LeftButton, {}, QPoint(60, folded->top + 5));
  QVERIFY(!shown.view.trackLayout().laneOf(shown.find("aten::op49"))->thin);
}

void TimelineTest::lanesNeverOverlap() {
  Shown shown(load({deepText()}));
  Shown ranks(loadRanks(5));
  ranks.view.setAllRanksExpanded(true);
  for (const TrackLayout* layout : {&shown.view.trackLayout(), &ranks.view.trackLayout()}) {
    int bottom = 0;
    for (const Lane& lane : layout->lanes()) {
      QVERIFY(lane.top >= bottom && lane.height > 0);
      bottom = lane.bottom();
    }
    QVERIFY(bottom <= layout->height());
    bottom = 0;
    for (const Section& section : layout->sections()) {
      QVERIFY(section.top >= bottom);
      bottom = section.bottom();
    }
    for (int y = 0; y < layout->height(); ++y) {
      const Lane* const lane = layout->laneAt(y);
      QVERIFY(!lane || (lane->top <= y && y < lane->bottom()));
      QVERIFY(layout->rankAt(y).valid());
    }
  }
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

void TimelineTest::figuresFollowTheDefinitions() {
  const auto trace = loadRanks(1);
  const DeviceActivity activity = deviceActivity(*trace->rank(RankIndex(0)).trace);
  const auto valueOf = [&](const char* label, TimeRange window) {
    for (const RankFigure& figure : rankFigures(activity, window)) {
      if (figure.label == QLatin1String(label)) return figure.value;
    }
    return QString();
  };
  const TimeRange all = trace->extent();
  QCOMPARE(valueOf("compute", all), QStringLiteral("4.00 ms"));
  QCOMPARE(valueOf("comm", all), QStringLiteral("3.00 ms"));
  QCOMPARE(valueOf("overlap", all), QStringLiteral("33.3 %"));
  QCOMPARE(valueOf("exposed", all), QStringLiteral("2.00 ms"));
  QCOMPARE(valueOf("idle", all), QStringLiteral("2.00 ms"));
  const TimeRange part{all.begin + 3 * kMs, all.begin + 5 * kMs};
  QCOMPARE(valueOf("compute", part), QStringLiteral("1.00 ms"));
  QCOMPARE(valueOf("idle", part), QStringLiteral("1.00 ms"));
  QCOMPARE(valueOf("overlap", part), QStringLiteral("–"));
}

void TimelineTest::aRankWithoutDevicesSaysSo() {
  Shown shown(load({hostOnlyText()}));
  const DeviceActivity activity = deviceActivity(*shown.session.trace()->rank(RankIndex(0)).trace);
  const auto figures = rankFigures(activity, shown.window());
  QCOMPARE(figures.size(), std::size_t{1});
  QVERIFY(figures.front().label.contains("no GPU activity"));
  shown.click(shown.pointOn(shown.find("aten::linear")));
  QVERIFY(shown.session.selection().valid());
}

void TimelineTest::anEmptyTimelineSaysWhatToDo() {
  TraceSession session;
  TimelineView view(session);
  view.resize(900, 500);
  const QImage picture = view.grab().toImage().convertToFormat(QImage::Format_RGB32);
  const QRgb text = session.theme().text.rgb();
  int written = 0;
  for (int y = 0; y < picture.height(); ++y) {
    for (int x = 0; x < picture.width(); ++x) written += picture.pixel(x, y) == text;
  }
  QVERIFY(written > 100);
  // Nothing to move through, and nothing that fails for it.
  for (const auto key :
       {Qt::Key_W, Qt::Key_A, Qt::Key_F, Qt::Key_Home, Qt::Key_Backspace, Qt::Key_Period, Qt::Key_Space})
    QTest::keyClick(&view.canvas(), key);
  Shown::wheel(view.canvas(), {50, 50}, {0, 120});
  QTest::mouseClick(&view.canvas(), Qt::LeftButton, {}, QPoint(50, 50));
  QVERIFY(session.window().empty());
}

void TimelineTest::bothThemesPaintDifferently() {
  Shown shown(loadRanks(1));
  const QImage dark = shown.picture();
  shown.session.setTheme(ThemeName::Light);
  const QImage light = shown.picture();
  QCOMPARE(dark.pixel(0, 650 - 150), Theme::of(ThemeName::Dark).background.rgb());
  QCOMPARE(light.pixel(0, 650 - 150), Theme::of(ThemeName::Light).background.rgb());
}

void TimelineTest::ticksAreOneTwoFiveAndFarEnoughApart() {
  for (const TimeNs length : {TimeNs{10}, TimeNs{999}, TimeNs{12'345'678}, TimeNs{7'200'000'000'000}}) {
    for (const int width : {300, 1200, 3800}) {
      const TimeNs origin = kBase + 3;
      const TimeRange window{origin - 5, origin - 5 + length};
      const TimeTicks ticks = timeTicks(window, width, 90, origin);
      TimeNs step = ticks.step;
      while (step % 10 == 0) step /= 10;
      QVERIFY(step == 1 || step == 2 || step == 5);
      QVERIFY(static_cast<double>(ticks.step) * width / static_cast<double>(length) >= 90);
      for (const TimeNs t : ticks.times) QVERIFY(window.contains(t) && (t - origin) % ticks.step == 0);
    }
  }
}

void TimelineTest::kernelNamesKeepTheirUsefulEnd() {
  const auto kernel = [](const char* name) { return shortName(EventKind::Kernel, name); };
  QCOMPARE(
      kernel("void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float> >(int, float)"),
      std::string("vectorized_elementwise_kernel"));
  QCOMPARE(kernel("at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 2>(float*)"),
           std::string("CatArrayBatchedCopy"));
  QCOMPARE(kernel("ampere_sgemm_128x64_tn"), std::string("ampere_sgemm_128x64_tn"));
  QCOMPARE(kernel("_Z10vector_addPKfS0_Pfi"), std::string("vector_add"));
  QCOMPARE(shortName(EventKind::Collective, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm*)"),
           std::string("AllReduce_Sum_bf16_RING_LL"));
  QCOMPARE(shortName(EventKind::Copy, "Memcpy HtoD (Pageable -> Device)"),
           std::string("Memcpy HtoD (Pageable -> Device)"));
  QCOMPARE(shortName(EventKind::Python, "torch/nn/modules/module.py(1501): _call_impl"),
           std::string("_call_impl  module.py:1501"));
  QCOMPARE(shortName(EventKind::CpuOp, "aten::mm"), std::string("aten::mm"));
}

void TimelineTest::phasesAndDeviceWorkHaveTheirColours() {
  QVERIFY(colourRole(EventKind::Annotation, "forward") == &Theme::forward);
  QVERIFY(colourRole(EventKind::Annotation, "## backward ##") == &Theme::backward);
  QVERIFY(colourRole(EventKind::Annotation, "Optimizer.step#AdamW.step") == &Theme::optimizer);
  QVERIFY(colourRole(EventKind::CpuOp, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__") ==
          &Theme::dataLoader);
  QVERIFY(colourRole(EventKind::CpuOp, "aten::nll_loss_backward") == &Theme::cpuOp);
  QVERIFY(colourRole(EventKind::Kernel, "ampere_sgemm_128x64_tn") == &Theme::gemm);
  QVERIFY(colourRole(EventKind::Kernel, "flash_fwd_kernel") == &Theme::attention);
  QVERIFY(colourRole(EventKind::Collective, "ncclDevKernel_AllReduce") == &Theme::communication);
  // Numbers in a name change nothing, so that layer 3 and layer 12 look alike.
  StringInterner names;
  const NameId three = names.intern("triton_fused_add_3");
  const NameId twelve = names.intern("triton_fused_add_12");
  EventPalette palette(Theme::of(ThemeName::Dark), names.snapshot());
  QCOMPARE(palette.colourOf(EventKind::Kernel, three), palette.colourOf(EventKind::Kernel, twelve));
}

QTEST_MAIN(TimelineTest)
#include "timeline_test.moc"
