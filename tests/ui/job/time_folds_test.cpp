// SPDX-License-Identifier: GPL-3.0-or-later
// Long times without a recording, folded: their arithmetic, and the timeline of captures that are hours
// apart. Covers ui/timeline/picture/fold_marks and time_ticks too.
#include "core/base/unit_text.h"
#include "tests/ui/timeline_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/actions/actions.h"
#include "ui/job/time_folds.h"
#include "ui/timeline/picture/fold_marks.h"
#include "ui/timeline/picture/time_ticks.h"
#include "ui/timeline/strips/time_ruler.h"
#include "ui/timeline/strips/view_chips.h"
#include "ui/timeline/view/go_to_time.h"

#include <QToolButton>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

constexpr TimeNs kHour = 3'600'000'000'000;

std::string captureText(TimeNs after) {
  test::TraceText trace;
  trace.baseTime(kBase + after).distributedInfo(0, 2);
  trace.addStep(1, 0, 10 * kMs);
  trace.addKernel(0, 7, kMs, 8 * kMs, "gemm");
  return trace.text();
}

// Three captures of one rank: 10 ms each, three hours and two hours apart.
std::shared_ptr<const TraceSet> captures() {
  return load({captureText(0), captureText(3 * kHour), captureText(5 * kHour)});
}

} // namespace

class TimeFoldsTest : public QObject {
  Q_OBJECT

 private slots:
  void timesGoThereAndBack() {
    const TimeFolds folds({{{100, 1100}, 10}, {{2000, 3000}, 20}});
    QCOMPARE(folds.toDrawn(100), 100);
    QCOMPARE(folds.toDrawn(600), 105);
    QCOMPARE(folds.toDrawn(1100), 110);
    QCOMPARE(folds.toDrawn(2000), 1010);
    QCOMPARE(folds.toDrawn(3000), 1030);
    QCOMPARE(folds.drawnOf(1), (TimeRange{1010, 1030}));
    TimeNs before = -1000;
    for (TimeNs time = -10; time < 3100; ++time) {
      QVERIFY(folds.toDrawn(time) >= before);
      before = folds.toDrawn(time);
      const bool inside = (time > 100 && time < 1100) || (time > 2000 && time < 3000);
      if (!inside) QCOMPARE(folds.toJob(folds.toDrawn(time)), time);
    }
    // Twenty years in nanoseconds are no problem.
    const TimeNs years = 20 * 365 * 24 * kHour;
    const TimeFolds far({{{kBase, kBase + years}, 1000}});
    QCOMPARE(far.toDrawn(kBase + years / 2), kBase + 500);
    QCOMPARE(far.toJob(far.toDrawn(kBase + years + 7)), kBase + years + 7);
  }

  void onlyGapsThatDwarfTheRecordingsAreFolded() {
    const auto job = captures();
    QCOMPARE(job->ranks().size(), std::size_t(3));
    const TimeFolds folds = foldsOf(*job, {});
    QCOMPARE(folds.all().size(), std::size_t(2));
    QVERIFY(folds.all()[0].gap.length() > 2 * kHour);
    TimelineChoice off;
    off.foldGaps = false;
    QVERIFY(foldsOf(*job, off).empty());
    TimelineChoice one;
    one.capture = 2;
    QVERIFY(foldsOf(*job, one).empty());
    // Captures that are as far apart as they are long.
    QVERIFY(foldsOf(*load({captureText(0), captureText(20 * kMs)}), {}).empty());
    QVERIFY(foldsOf(*loadRanks(2), {}).empty());
  }

  void capturesHoursApartFillTheTimeline() {
    Shown shown(captures());
    TraceSession& session = shown.session;
    QVERIFY(session.limits().length() < 40 * kMs);
    const EventRef last = shown.find("gemm", 2);
    QVERIFY(session.window().contains(session.rangeOf(last).begin));
    const double wide =
        shown.canvas().xOf(session.rangeOf(last).end) - shown.canvas().xOf(session.rangeOf(last).begin);
    QVERIFY2(wide > 150, qPrintable(QString::number(wide)));
    // What a click finds there is the kernel of the third capture, at its own time.
    session.editChoice(
        [&](TimelineChoice& choice) { choice.open[keyOf(*session.trace(), RankIndex(2))] = true; });
    drawAll(shown.view, session);
    shown.click(shown.pointOn(last));
    QCOMPARE(session.selection(), last);
    const TimeNs begin = session.trace()->rank(RankIndex(2)).trace->events.begin[last.event];
    QCOMPARE(session.recorded(session.rangeOf(last).begin), begin);
    QVERIFY(begin - shown.origin() > 4 * kHour);
    // Times of the whole job go there too.
    const TimeRange whole = session.trace()->rank(RankIndex(2)).trace->extent;
    QCOMPARE(session.drawn({}, JobRange::of(whole)), session.drawn(RankIndex(2), JobRange::of(whole)));
    QCOMPARE(session.placeOf({}, session.drawn({}, JobRange::of(whole))), JobRange::of(whole));
    const auto there = windowAtText(session, "5h");
    if (there) QVERIFY(there->overlaps(session.rangeOf(last)));
  }

  void theMarkSaysHowLongItIsAndTheChipUnfolds() {
    Shown shown(captures());
    TraceSession& session = shown.session;
    const TimeFold& fold = session.folds().all()[0];
    const TimeRange drawn = session.folds().drawnOf(0);
    const TimeNs middle = drawn.begin + drawn.length() / 2;
    QCOMPARE(foldAt(session.folds(), middle), std::optional<std::size_t>(0));
    QVERIFY(!foldAt(session.folds(), drawn.end));
    QVERIFY(foldTip(fold).contains(QString::fromStdString(durationText(fold.gap.length()))));
    const auto marks = foldMarks(
        session.folds(), session.window(), [&](TimeNs t) { return shown.canvas().xOf(t); },
        shown.canvas().rect());
    QCOMPARE(marks.size(), std::size_t(2));
    // The mark is painted: its edge is not the color of the lanes beside it.
    const QImage with = shown.picture();
    const auto inMark = marks[0].band.toRect();
    QVERIFY(inMark.width() >= 4 && inMark.width() < 60);

    // A range stays where it is of the recording.
    const EventRef last = shown.find("gemm", 2);
    session.setRange(session.rangeOf(last));
    const TimeRange recorded = session.recorded(*session.range());
    QCOMPARE(shown.view.chips().texts(), QStringList{"2 gaps between captures folded"});
    QTest::mouseClick(shown.view.chips().findChild<QToolButton*>(), Qt::LeftButton);
    QApplication::processEvents();
    QVERIFY(session.folds().empty());
    QVERIFY(!session.shifted());
    QCOMPARE(session.range(), std::optional(recorded));
    QVERIFY(session.limits().length() > 5 * kHour);
    QCOMPARE(session.window(), session.limits());
    QVERIFY(with != shown.picture());
    QVERIFY(shown.view.actions().run("arrange.foldGaps"));
    QCOMPARE(session.recorded(*session.range()), recorded);
    QVERIFY(session.limits().length() < 40 * kMs);
  }

  void ticksAreAtRoundTimesOfTheJobAndNotInsideOfFolds() {
    const TimeFolds folds({{{1'000, 1'000'000}, 100}});
    const TimeTicks ticks = foldedTicks({0, 2'000}, 1000, 90, 0, folds);
    QCOMPARE(ticks.step, 200);
    QVERIFY(ticks.times.size() > 8);
    for (const TimeNs t : ticks.times) {
      QCOMPARE(folds.toJob(t) % ticks.step, 0);
      QVERIFY(t <= 1'000 || t >= 1'100);
    }
    QVERIFY(foldedTicks({0, 2'000}, 1000, 90, 0, {}).times == timeTicks({0, 2'000}, 1000, 90, 0).times);
  }

  void anAlignedStepReplacesTheFoldsUntilItIsOver() {
    Shown shown(captures());
    TraceSession& session = shown.session;
    session.setShifts({0, -3 * kHour, -5 * kHour});
    QVERIFY(session.folds().empty());
    QVERIFY(session.limits().length() < 20 * kMs);
    session.setShifts({});
    QCOMPARE(session.folds().all().size(), std::size_t(2));
    QVERIFY(session.limits().length() > 20 * kMs);
  }

  void choosingOneCaptureAndAllAgainShowsEverything() {
    Shown shown(captures());
    TraceSession& session = shown.session;
    session.editChoice([](TimelineChoice& choice) { choice.capture = 2; });
    QVERIFY(session.folds().empty());
    QCOMPARE(session.window(), session.limits());
    session.editChoice([](TimelineChoice& choice) { choice.capture = 0; });
    QCOMPARE(session.folds().all().size(), std::size_t(2));
    QCOMPARE(session.window(), session.limits());
    // A place in another capture.
    session.revealPlace(RankIndex(2), JobRange::of(session.trace()->rank(RankIndex(2)).trace->extent));
    QVERIFY(session.window().overlaps(session.rangeOf(shown.find("gemm", 2))));
  }
};

RANKSCOPE_UI_TEST(TimeFoldsTest)
#include "time_folds_test.moc"
