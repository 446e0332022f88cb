// SPDX-License-Identifier: GPL-3.0-or-later
// The tour: from the start page through the demo job to its end, by mouse and keys.
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/actions/actions.h"
#include "ui/opening/start_page.h"
#include "ui/opening/tour_bar.h"

#include <QPushButton>

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
};

RANKSCOPE_UI_TEST(TourTest)
#include "tour_test.moc"
