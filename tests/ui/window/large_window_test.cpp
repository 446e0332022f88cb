// SPDX-License-Identifier: GPL-3.0-or-later
// Large windows: pages use their height.
#include "tests/ui/larger_texts.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/findings/findings_panel.h"
#include "ui/timeline/canvas/timeline_canvas.h"
#include "ui/timeline/view/timeline_view.h"
#include "ui/window/tab_pages.h"

#include <QFrame>
#include <QScrollArea>

#include <algorithm>

using namespace rankscope;
using namespace rankscope::ui;

class LargeWindowTest : public QObject {
  Q_OBJECT

 private slots:
  void pagesAreFilledAtFourK() {
    TestWindow test;
    test.window.resize(3840, 2160);
    writeSmallJob(test.folder.path() / "job", 4);
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    for (const char* const tab : {"overview", "gains", "efficiency"}) {
      QVERIFY(test.shows(QString::fromLatin1(tab)));
      QApplication::processEvents();
      const auto* const scroll = test.window.tabs().currentPage()->findChild<QScrollArea*>();
      QVERIFY2(scroll, tab);
      int bottom = 0;
      for (const QFrame* const card : scroll->widget()->findChildren<QFrame*>("card"))
        if (card->isVisible())
          bottom = std::max(bottom, card->mapTo(scroll->widget(), card->rect().bottomLeft()).y());
      const double filled = static_cast<double>(bottom) / scroll->viewport()->height();
      QVERIFY2(filled > 0.7, qPrintable(QStringLiteral("%1: %2").arg(QLatin1String(tab)).arg(filled)));
    }
  }

  // One rank has few rows: its tracks are expanded and its counters are high.
  void theTimelineOfOneRankUsesMostOfFourK() {
    TestWindow test;
    test.window.resize(3840, 2160);
    test::JobOptions options;
    options.ranks = 1;
    options.steps = 2;
    options.withStack = true;
    test::generateJob(options, test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    QApplication::processEvents();
    const TimelineView& view = timelineOf(test.window);
    const int lines = timelineOf(test.window).canvas().height();
    const int height = view.trackLayout().height();
    QVERIFY2(height > lines * 2 / 3 && height <= lines,
             qPrintable(QStringLiteral("%1 of %2").arg(height).arg(lines)));
  }

  void findingsAreWiderWithLargerTextsWhereThereIsRoom() {
    TestWindow test;
    test.window.resize(3840, 2160);
    const int usual = test.window.tabs().findings().sizeHint().width();
    const LargerTexts larger(1.5);
    const int large = test.window.tabs().findings().sizeHint().width();
    test.window.resize(1280, 800);
    const int narrow = test.window.tabs().findings().sizeHint().width();
    QCOMPARE(large, usual * 3 / 2);
    QCOMPARE(narrow, usual);
  }

  // Also where the job comes before the timeline has its place, as at every start.
  void theTimelineIsFilledAtFourK() {
    TestWindow test;
    test.window.resize(3840, 2160);
    writeSmallJob(test.folder.path() / "job", 8);
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    QApplication::processEvents();
    TimelineView& view = timelineOf(test.window);
    const int lines = view.canvas().height();
    QVERIFY(lines > 1400);
    const int height = view.trackLayout().height();
    QVERIFY2(height > lines * 3 / 4 && height <= lines,
             qPrintable(QStringLiteral("%1 of %2").arg(height).arg(lines)));
    // What was seen stays as it is.
    test.window.resize(3840, 1200);
    QApplication::processEvents();
    QCOMPARE(view.trackLayout().height(), height);
  }
};

RANKSCOPE_UI_TEST(LargeWindowTest)
#include "large_window_test.moc"
