// SPDX-License-Identifier: GPL-3.0-or-later
// Ruler and overview over the lanes: they paint again what changed and no more, and the overview shows every
// rank however many there are.
#include "tests/ui/larger_texts.h"
#include "tests/ui/timeline/fractional_scale.h"
#include "tests/ui/timeline_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/timeline/strips/figures_column.h"
#include "ui/timeline/strips/highlight_bar.h"
#include "ui/timeline/strips/overview_strip.h"
#include "ui/timeline/strips/time_ruler.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QPaintEvent>
#include <QSignalSpy>
#include <QToolButton>
#include <QToolTip>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

// What a widget was asked to paint while this lives.
class Painted : public QObject {
 public:
  explicit Painted(QWidget& widget) : m_widget(widget) { widget.installEventFilter(this); }

  // Since the last call.
  QRegion take() {
    QApplication::processEvents();
    return std::exchange(m_region, {});
  }
  [[nodiscard]] int columns(const QRegion& region) const {
    int count = 0;
    for (int x = 0; x < m_widget.width(); ++x)
      count += region.intersects(QRect(x, 0, 1, m_widget.height())) ? 1 : 0;
    return count;
  }

 protected:
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::Paint) m_region += static_cast<QPaintEvent*>(event)->region();
    return false;
  }

 private:
  QWidget& m_widget;
  QRegion m_region;
};

OverviewStrip& stripOf(Shown& shown) {
  return *shown.view.findChild<OverviewStrip*>();
}

// What the corner beside the strip says.
QString captionOf(Shown& shown) {
  OverviewStrip& strip = stripOf(shown);
  QHelpEvent help(QEvent::ToolTip, {20, 6}, strip.mapToGlobal(QPoint(20, 6)));
  QApplication::sendEvent(&strip, &help);
  return QToolTip::text();
}

} // namespace

class StripsTest : public QObject {
  Q_OBJECT
 private slots:
  void theRulersCursorPaintsWhereItWasAndIs() {
    Shown shown(loadRanks(2));
    TimeRuler& ruler = shown.view.ruler();
    Painted painted(ruler);
    const auto at = [&](double share) {
      return shown.window().begin + static_cast<TimeNs>(share * static_cast<double>(shown.window().length()));
    };
    ruler.setCursorTime(at(0.2));
    painted.take();
    ruler.setCursorTime(at(0.8));
    const QRegion region = painted.take();
    QVERIFY(!region.isEmpty());
    QVERIFY(painted.columns(region) < ruler.width() / 2);
    const int middle = 230 + 500; // between the two
    QVERIFY(!region.intersects(QRect(middle - 100, 0, 200, ruler.height())));
    QVERIFY(region.intersects(QRect(230 + 200, 0, 2, ruler.height())));
    QVERIFY(region.intersects(QRect(230 + 800, 0, 2, ruler.height())));
    ruler.setCursorTime(at(0.8));
    QVERIFY(painted.take().isEmpty());
  }

  // The step of the tables goes on until the work on the device ends; the band has the annotation.
  void aStepSaysWhichOfItsTwoTimesTheTabsShow() {
    test::TraceText text;
    text.baseTime(kBase).distributedInfo(0, 1);
    for (int step = 0; step < 2; ++step) {
      const TimeNs begin = step * 20 * kMs;
      text.addStep(step + 1, begin, 10 * kMs);
      text.addRuntime(kMainThread, begin + kMs, 20'000, "cudaLaunchKernel", 11 + step);
      text.addKernel(0, 7, begin + 2 * kMs, 12 * kMs, "gemm", 11 + step);
    }
    Shown shown(load({text.text()}));
    const TimeRuler& ruler = shown.view.ruler();
    QCOMPARE(ruler.steps().size(), std::size_t{2});
    QCOMPARE(ruler.stepText(ruler.steps()[1]),
             QString("ProfilerStep#2\nrank 0\n10.0 ms on the host: its annotation\n"
                     "14.0 ms with its device work: the step time of this rank in the tabs"));
    // Of a host alone there is one time.
    Shown alone(load({hostOnlyText()}));
    QVERIFY(alone.view.ruler().steps().empty());
  }

  void stepsThatWereDetectedAreStepsAsWell() {
    test::TraceText text;
    text.baseTime(kBase).distributedInfo(0, 1);
    for (int step = 0; step < 3; ++step) {
      const TimeNs begin = step * 20 * kMs;
      text.addAnnotation(kMainThread, begin, 10 * kMs, "train_step");
      text.addRuntime(kMainThread, begin + kMs, 20'000, "cudaLaunchKernel", 11 + step);
      text.addKernel(0, 7, begin + 2 * kMs, 12 * kMs, "gemm", 11 + step);
    }
    Shown shown(load({text.text()}));
    const TimeRuler& ruler = shown.view.ruler();
    QCOMPARE(ruler.steps().size(), std::size_t{3});
    QCOMPARE(ruler.stepName(ruler.steps()[2]), QString("step 2"));
    QCOMPARE(ruler.stepText(ruler.steps()[2]),
             QString("step 2\nrank 0\ndetected from a repeating annotation: the profiler marked no steps\n"
                     "10.0 ms on the host\n"
                     "14.0 ms with its device work: the step time of this rank in the tabs"));
    QVERIFY2(captionOf(shown).contains(QString::fromUtf8("3 steps  ·  ")), qPrintable(QToolTip::text()));
    // A click selects the annotation.
    const int x = 230 + 100;
    QTest::mouseClick(&shown.view.ruler(), Qt::LeftButton, {}, {x, TimeRuler::ticksHeight() + 5});
    QCOMPARE(shown.session.selection(), shown.find("train_step"));
  }

  // The period of collectives has no annotation: a click selects the time.
  void aStepWithoutAnEventIsSelectedAsARange() {
    test::TraceText text;
    text.baseTime(kBase).distributedInfo(0, 2);
    for (int step = 0; step < 4; ++step)
      for (int call = 0; call < 3; ++call)
        text.addCollective(0, 20, step * 20 * kMs + call * 2 * kMs, kMs, "allreduce", 1000 + call, 2);
    Shown shown(load({text.text()}));
    TimeRuler& ruler = shown.view.ruler();
    QVERIFY(ruler.hasSteps());
    const TimeRuler::RankStep& first = ruler.steps().front();
    QVERIFY(!first.event.valid());
    QVERIFY2(ruler.stepText(first).contains("detected from the period of the collectives"),
             qPrintable(ruler.stepText(first)));
    QTest::mouseClick(&ruler, Qt::LeftButton, {}, {230 + 20, TimeRuler::ticksHeight() + 5});
    QVERIFY(shown.session.range() == first.range);
  }

  void theCornerSaysWhatIsVisible() {
    Shown shown(loadRanks(1));
    shown.session.setWindow({shown.origin() + 4 * kMs, shown.origin() + 6 * kMs});
    QCOMPARE(shown.view.ruler().windowText(), QString("2.00 ms from +4.000 ms"));
  }

  // Half of it would read as another number.
  void theLabelOfATickGivesWayToTheCursors() {
    Shown shown(loadRanks(1));
    TimeRuler& ruler = shown.view.ruler();
    const auto inked = [&](int x) {
      const QImage picture = ruler.grab().toImage();
      for (int y = 4; y < TimeRuler::ticksHeight() - 11; ++y)
        if (picture.pixel(x, y) != shown.session.theme().background.rgb()) return true;
      return false;
    };
    int begin = 230 + 300; // inside the axis
    while (begin < ruler.width() && inked(begin)) ++begin;
    while (begin < ruler.width() && !inked(begin)) ++begin;
    QVERIFY(begin < ruler.width() - 100); // where a label begins
    constexpr int kInto = 12;
    const double perPixel = static_cast<double>(shown.window().length()) / 1000;
    ruler.setCursorTime(shown.window().begin + static_cast<TimeNs>((begin - 230 + kInto) * perPixel));
    for (int x = begin; x < begin + kInto - 2; ++x) QVERIFY(!inked(x));
    ruler.setCursorTime({});
    QVERIFY(inked(begin));
  }

  // A range larger than the window is a thin bar with its length in the middle.
  void aRangeLeavesTheRulersTicksReadable() {
    Shown shown(loadRanks(1));
    TimeRuler& ruler = shown.view.ruler();
    const TimeNs from = shown.origin();
    shown.session.setWindow({from + 4 * kMs, from + 6 * kMs});
    shown.session.setRange(TimeRange{from, from + 10 * kMs});
    const QImage picture = ruler.grab().toImage();
    const QRgb accent = shown.session.theme().accent.rgb();
    const auto marked = [&](int y) {
      int count = 0;
      for (int x = 0; x < picture.width(); ++x) count += picture.pixel(x, y) == accent ? 1 : 0;
      return count;
    };
    QVERIFY(marked(TimeRuler::ticksHeight() - 4) > picture.width() / 2);
    QVERIFY(marked(6) > 20);
    QVERIFY(marked(6) < 150);
  }

  void theOverviewPaintsTheEdgesThatMoved() {
    Shown shown(loadRanks(3));
    OverviewStrip& strip = stripOf(shown);
    const TimeNs from = shown.origin();
    shown.session.setWindow({from + 4 * kMs, from + 6 * kMs});
    Painted painted(strip);
    painted.take();
    shown.session.setWindow({from + 4 * kMs, from + 7 * kMs});
    const QRegion region = painted.take();
    QVERIFY(!region.isEmpty());
    QVERIFY(painted.columns(region) < strip.width() / 4);
    const int left = 230; // headers and what is said beside the picture
    QVERIFY(!region.intersects(QRect(0, 0, left, strip.height())));
    // Nothing moved, nothing is painted.
    shown.session.setWindow({from + 4 * kMs, from + 7 * kMs});
    QVERIFY(painted.take().isEmpty());
    shown.session.setRange(TimeRange{from + 5 * kMs, from + 11 * kMs / 2});
    const QRegion range = painted.take();
    QVERIFY(!range.isEmpty() && painted.columns(range) < strip.width() / 4);
  }

  void whatIsPaintedInPartsIsWhatIsPaintedAtOnce() { checkPartialPainting(); }

  void manyRanksMakeTheOverviewOfATallTimelineTaller() {
    const auto heightOf = [](int ranks, int timeline) {
      Shown shown(loadRanks(ranks));
      shown.view.resize(shown.view.width(), timeline);
      QApplication::processEvents();
      return stripOf(shown).height();
    };
    const int usual = heightOf(3, 700);
    QCOMPARE(heightOf(40, 700), usual);
    QVERIFY(heightOf(3, 400) < usual); // lanes need the room
    QCOMPARE(heightOf(3, 2000), usual);
    const int tall = heightOf(40, 2000);
    QVERIFY2(tall > usual && tall <= 2000 / 16, qPrintable(QString::number(tall)));
  }

  // On a small screen the strips around the lanes leave most of the height to these.
  void largeTextsLeaveRoomForLanes() {
    const LargerTexts larger(2);
    Shown shown(loadRanks(2));
    shown.view.resize(1280, 540);
    QApplication::processEvents();
    const auto names = shown.view.highlightBar().findChildren<QToolButton*>(QStringLiteral("legend"));
    for (const QToolButton* const name : names)
      if (name->isCheckable() && !name->isHidden())
        QCOMPARE(name->toolButtonStyle(), Qt::ToolButtonTextBesideIcon);
    const int line = scaledToText(16) + 10;
    QCOMPARE(shown.view.highlightBar().height(), line); // in one line
    QVERIFY2(shown.canvas().height() >= 540 * 2 / 3, qPrintable(QString::number(shown.canvas().height())));
    // A swatch that is off is pale.
    QToolButton* const idle = names.front();
    const auto icon = [&] {
      return idle->icon()
          .pixmap(idle->iconSize(), QIcon::Normal, idle->isChecked() ? QIcon::On : QIcon::Off)
          .toImage();
    };
    const QImage on = icon();
    QTest::mouseClick(idle, Qt::LeftButton);
    QVERIFY(!shown.session.highlightOptions().idle && icon() != on);
  }

  void theOverviewSaysWhatIsUnderTheMouse() {
    Shown shown(loadRanks(3));
    OverviewStrip& strip = stripOf(shown);
    const auto tipAt = [&](QPoint at) {
      QHelpEvent help(QEvent::ToolTip, at, strip.mapToGlobal(at));
      QApplication::sendEvent(&strip, &help);
      return QToolTip::text();
    };
    const int half = 230 + 500;
    QVERIFY2(tipAt({half, 6}).startsWith(QStringLiteral("Rank 0 at 4.99")), qPrintable(QToolTip::text()));
    QVERIFY2(tipAt({half, strip.height() - 6}).startsWith(QStringLiteral("Rank 2 at 4.99")),
             qPrintable(QToolTip::text()));
  }

  void theOverviewTellsTheStepsFromTheTimeThatWasRecorded() {
    Shown once(loadRanks(2));
    QVERIFY2(captionOf(once).endsWith(QStringLiteral(" recorded")), qPrintable(QToolTip::text()));
    const auto capture = [](TimeNs after) {
      test::TraceText trace;
      trace.baseTime(kBase + after).distributedInfo(0, 2);
      trace.addStep(1, 0, 10 * kMs);
      trace.addKernel(0, 7, kMs, 8 * kMs, "gemm");
      return trace.text();
    };
    Shown twice(load({capture(0), capture(3'600'000 * kMs)}));
    QVERIFY2(captionOf(twice).endsWith(QString::fromUtf8("20.0 ms recorded within 3 600 s")),
             qPrintable(QToolTip::text()));
  }

  // The only column of a small window is one that the job has.
  void aSingleColumnHasAFigureOfTheJob() {
    test::TraceText alone; // without communication; idle for 2 ms
    alone.baseTime(kBase).distributedInfo(0, 1);
    alone.addKernel(0, 7, 0, 4 * kMs, "gemm").addKernel(0, 7, 6 * kMs, 4 * kMs, "gemm");
    for (const auto& [text, figure] : {std::pair(alone.text(), "2.00 ms"),
                                       std::pair(rankText(0, 1), "2.00 ms"), std::pair(hostOnlyText(), "")}) {
      Shown shown(load({text}));
      shown.view.resize(640, 500);
      shown.view.setFiguresShown(true);
      QApplication::processEvents();
      QCOMPARE(shown.view.figures().textsOf(RankIndex(0)), QStringList{figure});
    }
  }

  void aRightClickOnAStepOpensItsMenuAndBesideItThatOfTheView() {
    Shown shown(loadRanks(2));
    TimeRuler& ruler = shown.view.ruler();
    QVERIFY(ruler.hasSteps());
    const auto rightClick = [](QWidget& widget, QPoint at) {
      QContextMenuEvent event(QContextMenuEvent::Mouse, at, widget.mapToGlobal(at));
      QSpontaneKeyEvent::setSpontaneous(&event); // as from the mouse: parents get what is ignored
      qApp->notify(&widget, &event);
    };
    const QSignalSpy clicks(&shown.view, &TimelineView::eventClicked);
    const QSignalSpy menus(&shown.view, &TimelineView::eventMenuWanted);
    rightClick(ruler, {230 + 500, TimeRuler::ticksHeight() + 5});
    QCOMPARE(menus.count(), 1);
    QCOMPARE(clicks.count(), 1); // so that the panel below shows the step
    QCOMPARE(shown.session.selection(), shown.find("ProfilerStep#1"));
    const auto menu = [&] { return shown.view.findChild<QMenu*>(QStringLiteral("timeMenu")); };
    QVERIFY(!menu());
    for (QWidget* const widget : {static_cast<QWidget*>(&ruler), static_cast<QWidget*>(&stripOf(shown))}) {
      rightClick(*widget, {230 + 500, 5});
      QVERIFY(menu() && menu()->isVisible());
      delete menu();
    }
    QCOMPARE(menus.count(), 1);
  }

  // More ranks than the strip has pixels: each is seen in one of its lines.
  void everyRankIsInTheOverview() {
    constexpr std::size_t kRanks = 120;
    Shown shown(loadRanks(kRanks));
    OverviewStrip& strip = stripOf(shown);
    QVERIFY(static_cast<int>(kRanks) > 2 * strip.height());
    // The first and the last rank lie so that nothing else changes what the strip is about.
    std::vector<TimeNs> shifts(kRanks, 0);
    shifts.front() = -2 * kMs;
    shifts.back() = 2 * kMs;
    shown.session.setShifts(shifts);
    const TimeRange limits = shown.session.limits();
    const QImage alike = strip.grab().toImage();
    for (std::size_t rank = 1; rank + 1 < kRanks; rank += 3) {
      std::vector<TimeNs> moved = shifts;
      moved[rank] = kMs;
      shown.session.setShifts(moved);
      QCOMPARE(shown.session.limits(), limits);
      QVERIFY2(strip.grab().toImage() != alike, qPrintable(QStringLiteral("rank %1").arg(rank)));
    }
  }
};

RANKSCOPE_UI_TEST(StripsTest)
#include "strips_test.moc"
