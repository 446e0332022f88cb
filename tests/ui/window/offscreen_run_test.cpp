// SPDX-License-Identifier: GPL-3.0-or-later
// Offscreen screenshots of the window, and their command line syntax.
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/base/workers.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/offscreen_run.h"
#include "ui/window/screenshot.h"

#include <QImage>
#include <QTest>

#include <optional>

using namespace rankscope;
using namespace rankscope::ui;

class OffscreenRunTest : public QObject {
  Q_OBJECT

 private slots:
  void cleanup() { QVERIFY(Workers::ofProgram().waitForDone(kTimeoutMs)); }

  void aPictureHasTheSizeThatWasAskedFor() {
    TestWindow test;
    writeSmallJob(test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    const QSize before = test.window.content().size();
    for (const QSize size : {QSize(1280, 720), QSize(3840, 2160), QSize(640, 480)}) {
      const QImage image = picture(test.window.content(), size);
      QCOMPARE(image.size(), size);
      QCOMPARE(test.window.content().size(), before);
      // The title row's background reaches the far corner: the layout followed the size.
      QCOMPARE(image.pixelColor(size.width() - 2, 2), test.window.session().theme().panel);
    }
  }

  void aRunWithoutAWindowWritesThePictureOrReportsTheError() {
    Folder folder;
    writeSmallJob(folder.path() / "job");
    OffscreenRun run;
    run.paths = {pathOf(folder.path() / "job")};
    run.size = QSize(900, 600);
    run.target.tab = "kernels";
    const QString file = QString::fromStdString(folder / "picture.png");
    QCOMPARE(savePicture(run, file), 0);
    QCOMPARE(QImage(file).size(), QSize(900, 600));
    run.target.select = EventQuery{0, "no such name anywhere"};
    QCOMPARE(savePicture(run, file), 1);
    run.paths = {pathOf(folder.path() / "nowhere")};
    QCOMPARE(savePicture(run, file), 2);
    run.paths = {pathOf(folder.path() / "job")};
    run.target.select.reset();
    QCOMPARE(savePicture(run, QString::fromStdString(folder / "no/such/folder.png")), 1);
    run.load.capture = 9;
    QCOMPARE(savePicture(run, file), 1);
  }

  void aRankAndATimeAreShown() {
    TestWindow test;
    writeSmallJob(test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    test.window.showTab("kernels");
    const TraceSession& session = test.window.session();
    const TimeRange all = session.trace()->extent();
    const TimeNs time = all.length() / 2;
    ViewTarget target;
    target.at = RankPlace{2, time};
    QVERIFY(!showTarget(test.window, target));
    QVERIFY(test.settles());
    QCOMPARE(test.window.currentTab(), QString("timeline"));
    QCOMPARE(session.window().begin + session.window().length() / 2, all.begin + time);
    QVERIFY(session.window().length() <= 2'000'000);
    for (const RankPlace& nowhere : {RankPlace{9, 0}, RankPlace{0, all.length() + 1}}) {
      target.at = nowhere;
      QVERIFY(showTarget(test.window, target));
    }
    const auto place = rankPlaceFromText("rank=3,ts=1.2s");
    QVERIFY(place && place->rank == 3 && place->time == 1'200'000'000);
    for (const char* wrong : {"", "rank=3", "ts=1s", "rank=x,ts=1s", "rank=3,ts=1", "rank=3,ts=1s,name=x"})
      QVERIFY2(!rankPlaceFromText(QString::fromUtf8(wrong)), wrong);
  }

  void aRangeOfSomeRanksIsSelected() {
    TestWindow test;
    writeSmallJob(test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    const TraceSession& session = test.window.session();
    const TimeRange all = session.trace()->extent();
    ViewTarget target;
    target.range = TimeRange{all.length() / 4, all.length() / 2};
    target.ranks = {1};
    QVERIFY(showsPlace(target) && !showsPlace(ViewTarget()));
    QVERIFY(!showTarget(test.window, target));
    QVERIFY(test.settles());
    QVERIFY(session.range());
    QCOMPARE(session.recorded(*session.range()),
             (TimeRange{all.begin + all.length() / 4, all.begin + all.length() / 2}));
    QCOMPARE(session.rangeTracks().size(), 1U);
    QVERIFY(test.window.tabs().scope().limited());
    target.ranks = {9};
    QVERIFY(showTarget(test.window, target));
    target.ranks = {};
    target.range = TimeRange{all.length() + 1, all.length() + 2};
    QVERIFY(showTarget(test.window, target));
    target.range.reset();
    target.from = all.length() + 1; // after the end of the job
    target.to = all.length() + 5;
    QVERIFY(showTarget(test.window, target));
  }

  void stepsThatCannotBeLoadedAreTold() {
    TestWindow test;
    writeSmallJob(test.folder.path() / "job");
    LoadOptions options;
    options.filter.steps = LoadFilter::Steps{70, 70};
    test.window.open({pathOf(test.folder.path() / "job")}, options);
    QVERIFY(test.settles());
    QVERIFY(test.window.banner().isVisibleTo(&test.window));
    QVERIFY2(test.window.banner().text().contains("not step 70"), qPrintable(test.window.banner().text()));
    QVERIFY2(!test.window.document().summary().contains("step 70"),
             qPrintable(test.window.document().summary()));
  }

  void timesAndSizesOfTheCommandLineAreExactOrRefused() {
    QCOMPARE(timeFromText("1.234s"), std::optional<TimeNs>(1'234'000'000));
    QCOMPARE(timeFromText("12ms"), std::optional<TimeNs>(12'000'000));
    QCOMPARE(timeFromText("350us"), std::optional<TimeNs>(350'000));
    QCOMPARE(timeFromText("0.000000001s"), std::optional<TimeNs>(1));
    QCOMPARE(timeFromText("7.5µs"), std::optional<TimeNs>(7'500));
    for (const char* wrong : {"", "12", "-1ms", "1.5ns", "1e3ms", "ms", "1.2.3s", "0.0001us"})
      QVERIFY2(!timeFromText(QString::fromUtf8(wrong)), wrong);
    QCOMPARE(sizeFromText("1920x1080"), std::optional(QSize(1920, 1080)));
    for (const char* wrong : {"", "1920", "0x0", "100x100", "99999x99999", "ax1", "1920x1080x2"})
      QVERIFY2(!sizeFromText(QString::fromUtf8(wrong)), wrong);
    const auto query = eventQueryFromText("rank=3,name=a<b, c>");
    QVERIFY(query && query->rank == 3 && query->name == "a<b, c>");
    QVERIFY(eventQueryFromText("name=x") && !eventQueryFromText("name=x")->rank);
    for (const char* wrong : {"", "rank=3", "rank=x,name=y", "ncclAllReduce"})
      QVERIFY2(!eventQueryFromText(QString::fromUtf8(wrong)), wrong);
  }
};

RANKSCOPE_UI_TEST(OffscreenRunTest)
#include "offscreen_run_test.moc"
