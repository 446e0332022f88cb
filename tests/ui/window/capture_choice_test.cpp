// SPDX-License-Identifier: GPL-3.0-or-later
// One recording of every rank, or all: the button, the timeline, the overview and the tables.
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/actions/actions.h"
#include "ui/timeline/strips/time_ruler.h"
#include "ui/timeline/tracks/track_layout.h"
#include "ui/timeline/view/timeline_view.h"
#include "ui/window/capture_choice.h"

#include <QMenu>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

void writeCaptures(const std::filesystem::path& folder, int captures) {
  test::JobOptions options;
  options.ranks = 2;
  options.steps = 2;
  options.layers = 1;
  options.captures = captures;
  test::generateJob(options, folder);
}

} // namespace

class CaptureChoiceTest : public QObject {
  Q_OBJECT

 private slots:
  void aChosenCaptureHasOneRowARankInTimelineAndTables() {
    TestWindow test;
    writeCaptures(test.folder.path() / "job", 3);
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    TraceSession& session = test.window.session();
    const TrackLayout& layout = timelineOf(test.window).trackLayout();
    CaptureChoice& choice = test.window.tabs().captureChoice();
    QVERIFY(choice.isVisible());
    QVERIFY(choice.text().startsWith("All 3 captures"));
    QCOMPARE(layout.shownRanks().size(), std::size_t(6));
    emit choice.menu()->aboutToShow();
    QCOMPARE(choice.menu()->actions().size(), 4);
    choice.menu()->actions()[2]->trigger();
    QVERIFY(test.settles());
    QVERIFY(choice.text().startsWith("Capture 2 of 3"));
    QCOMPARE(layout.shownRanks().size(), std::size_t(2));
    // The times between the recordings are gone.
    QVERIFY(session.limits().length() < session.trace()->extent().length() / 2);
    QCOMPARE(session.window(), session.limits());
    QCOMPARE(session.trace()->rank(timelineOf(test.window).ruler().stepRank()).capture, 2);
    const JobReport& report = *test.window.tabs().scope().report();
    QCOMPARE(report.analysis().ranks().size(), std::size_t(2));
    for (const RankIndex rank : report.analysis().ranks()) QCOMPARE(session.trace()->rank(rank).capture, 2);
    // Revealing something of another capture shows that one.
    session.revealPlace(RankIndex(0), JobRange::of(session.trace()->rank(RankIndex(0)).trace->extent));
    QCOMPARE(session.choice().capture, 1);
    QVERIFY(test.window.actions().run("captures.all"));
    QVERIFY(test.settles());
    QCOMPARE(layout.shownRanks().size(), std::size_t(6));
    QCOMPARE(test.window.tabs().scope().report()->analysis().ranks().size(), std::size_t(6));
    QVERIFY(test.window.actions().run("captures.previous"));
    QCOMPARE(session.choice().capture, 3);
  }

  void aJobOfOneCaptureHasNoChoice() {
    TestWindow test;
    writeCaptures(test.folder.path() / "job", 1);
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    QVERIFY(!test.window.tabs().captureChoice().isVisible());
    QVERIFY(!test.window.actions().run("captures.next"));
    // A stored choice of a capture that is not there is none.
    test.window.session().editChoice([](TimelineChoice& choice) { choice.capture = 7; });
    QCOMPARE(test.window.session().choice().capture, 0);
  }
};

RANKSCOPE_UI_TEST(CaptureChoiceTest)
#include "capture_choice_test.moc"
