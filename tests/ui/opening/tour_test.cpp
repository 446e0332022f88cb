// SPDX-License-Identifier: GPL-3.0-or-later
// The tour: from the start page through the demo job to its end, by mouse and keys.
#include "tests/ui/larger_texts.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/actions/actions.h"
#include "ui/base/text_scale.h"
#include "ui/details/bottom_panel.h"
#include "ui/findings/findings_panel.h"
#include "ui/opening/start_page.h"
#include "ui/opening/tour_bar.h"
#include "ui/timeline/canvas/timeline_canvas.h"
#include "ui/timeline/view/timeline_view.h"

#include <QPushButton>
#include <QToolButton>

using namespace rankscope;
using namespace rankscope::ui;

class TourTest : public QObject {
  Q_OBJECT

 private slots:
  void everyStopHasAnActionThatExists() {
    TestWindow test;
    for (const TourStop& stop : tourStops()) {
      QVERIFY2(test.window.actions().find(stop.action), qPrintable(stop.action));
      QVERIFY(!stop.title.isEmpty() && !stop.text.isEmpty());
    }
  }

  void theStartPageOpensTheDemoAndTheTourShowsTheTabs() {
    TestWindow test;
    auto* const take = test.window.findChild<StartPage*>()->findChild<QPushButton*>("takeTour");
    auto& tour = *test.window.findChild<TourBar*>();
    test.window.setDemoJob({});
    QVERIFY(!take->isVisible());
    writeSmallJob(test.folder.path() / "demo");
    test.window.setDemoJob(pathOf(test.folder.path() / "demo"));
    QVERIFY(take->isVisible());
    QTest::mouseClick(take, Qt::LeftButton);
    QVERIFY(test.settles());
    QTRY_VERIFY(tour.isVisible());
    QCOMPARE(tour.at(), 0);
    QCOMPARE(test.window.currentTab(), QString("overview"));
    auto* const next = tour.findChild<QPushButton*>("primary");
    QTest::mouseClick(next, Qt::LeftButton);
    QTest::mouseClick(next, Qt::LeftButton);
    QCOMPARE(test.window.currentTab(), QString("timeline"));
    QTest::mouseClick(tour.findChild<QPushButton*>("backTour"), Qt::LeftButton);
    QCOMPARE(tour.at(), 1);
    QCOMPARE(test.window.currentTab(), QString("overview"));
    for (int stop = 1; stop < static_cast<int>(tourStops().size()); ++stop) {
      QVERIFY(tour.isVisible());
      QTest::keyClick(next, Qt::Key_Space);
      QVERIFY(test.settles());
    }
    QVERIFY(!tour.isVisible());
    QVERIFY(!tour.running());
    // From the menu, on the job that is open.
    QVERIFY(test.window.actions().run("help.tour"));
    QVERIFY(tour.isVisible());
    QTest::keyClick(next, Qt::Key_Escape);
    QVERIFY(!tour.isVisible());
  }

  // The findings are shown for their stop only, and the lanes keep a height in which something can be seen.
  void aLowWindowWithLargeTextsShowsWhatEachStopIsAbout() {
    const LargerTexts larger(2);
    for (const bool panelOpen : {false, true}) {
      TestWindow test;
      test.window.resize(1280, 720);
      writeSmallJob(test.folder.path() / "job");
      QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
      const FindingsPanel& findings = test.window.tabs().findings();
      QVERIFY(!findings.isVisible());
      QVERIFY(test.shows("timeline"));
      const BottomPanel& bottom = bottomPanelOf(test.window);
      QVERIFY(bottom.collapsed());
      if (panelOpen) QVERIFY(test.window.actions().run("highlights.next"));
      QCOMPARE(bottom.collapsed(), !panelOpen);
      QVERIFY(test.window.actions().run("help.tour"));
      auto& tour = *test.window.findChild<TourBar*>();
      auto* const next = tour.findChild<QPushButton*>("primary");
      for (; tour.running(); next->click()) {
        QVERIFY(test.settles());
        QCOMPARE(findings.isVisible(), tour.at() == 1);
        if (test.window.currentTab() != QString("timeline")) continue;
        QVERIFY(bottom.collapsed());
        const int lanes = timelineOf(test.window).canvas().height();
        QVERIFY2(lanes >= scaledToText(50), qPrintable(QString::number(lanes)));
      }
      QVERIFY(!test.settings.contains("window/findingsShown"));
      QVERIFY(test.shows("timeline"));
    }
  }

  // Findings that were open stay open.
  void theTourClosesNoFindingsThatItDidNotOpen() {
    TestWindow test;
    writeSmallJob(test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    QVERIFY(test.window.tabs().findings().isVisible());
    QVERIFY(test.window.actions().run("help.tour"));
    auto& tour = *test.window.findChild<TourBar*>();
    for (auto* const next = tour.findChild<QPushButton*>("primary"); tour.running(); next->click())
      QVERIFY(test.window.tabs().findings().isVisible());
    QVERIFY(test.window.tabs().findings().isVisible());
  }
};

RANKSCOPE_UI_TEST(TourTest)
#include "tour_test.moc"
