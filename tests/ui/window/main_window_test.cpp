// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "ui/details/details_panel.h"
#include "ui/window/main_window.h"

#include "tests/support/job_generator.h"
#include "tests/support/told_details.h"
#include "tests/support/trace_text.h"
#include "tests/ui/window_fixture.h"
#include "ui/base/workers.h"
#include "ui/details/bottom_panel.h"
#include "ui/opening/drop_overlay.h"
#include "ui/opening/load_bar.h"
#include "ui/opening/start_page.h"
#include "ui/tabs/files/files_panel.h"
#include "ui/tabs/kernels/kernels_panel.h"
#include "ui/timeline/canvas/timeline_canvas.h"
#include "ui/timeline/view/timeline_view.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/offscreen_run.h"
#include "ui/window/tab_pages.h"
#include "ui/window/title_bar.h"

#include <QAction>
#include <QClipboard>
#include <QDropEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QSemaphore>
#include <QTableView>
#include <QTest>
#include <QWindow>

#include <atomic>
#include <filesystem>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

// What a drag of these paths over the middle of the window does, as the platform would deliver it.
struct Drag {
  QMimeData data;
  MainWindow& window;

  Drag(MainWindow& target, const QStringList& paths) : window(target) {
    QList<QUrl> urls;
    for (const QString& path : paths) urls << QUrl::fromLocalFile(path);
    data.setUrls(urls);
  }
  bool enter() {
    QDragEnterEvent event(window.rect().center(), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    event.ignore();
    QCoreApplication::sendEvent(window.windowHandle(), &event);
    return event.isAccepted();
  }
  void leave() {
    QDragLeaveEvent event;
    QCoreApplication::sendEvent(window.windowHandle(), &event);
  }
  bool drop() {
    QDropEvent event(window.rect().center(), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    event.ignore();
    QCoreApplication::sendEvent(window.windowHandle(), &event);
    return event.isAccepted();
  }
};

// Hands out one finished job after the test opened the gate; shows a part of it first.
struct GatedLoad {
  QSemaphore gate;
  std::atomic<int> cancelled{0};

  LoadFunction function() {
    return [this](const std::vector<std::string>& paths, const LoadOptions& options, Progress& progress,
                  const RanksArrived& arrived) -> Result<std::shared_ptr<const TraceSet>> {
      Progress own;
      auto whole = loadTraces(paths, options, own);
      if (!whole) return whole;
      const TraceSet& all = **whole;
      progress.stage = LoadStage::Reading;
      progress.filesTotal = static_cast<std::uint32_t>(all.ranks().size());
      progress.filesDone = 1;
      progress.bytesTotal = 2'000'000;
      progress.bytesDone = 500'000;
      arrived(std::make_shared<const TraceSet>(all.jobName(), all.names(),
                                               std::vector<RankEntry>{all.ranks().front()}, all.files()));
      while (!gate.tryAcquire(1, 1)) {
        if (!progress.cancelled()) continue;
        ++cancelled;
        return Error{ErrorKind::Cancelled, "cancelled", {}, {}};
      }
      return whole;
    };
  }
};

EventRef firstLaunchedKernel(const TraceSet& traces) {
  const RankTrace& trace = *traces.ranks().front().trace;
  for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value)
    if (trace.deviceDetail(event).launch.valid()) return {RankIndex(std::size_t{0}), event};
  return {};
}

} // namespace

class MainWindowTest : public QObject {
  Q_OBJECT
 private slots:
  void everyTextIsInTheFamilyOfTheProgramWhateverTheDesktopHas() {
    const QFont before = QApplication::font();
    QApplication::setFont(QFont("DejaVu Serif", 10));
    TestWindow test;
    const QString family = textFont(12).family();
    QVERIFY(family != "DejaVu Serif");
    for (const QWidget* const widget : test.window.findChildren<QWidget*>()) {
      const QString own = widget->font().family();
      QVERIFY2(
          own == family || own == numberFont(12).family(),
          qPrintable(
              QStringLiteral("%1 %2: %3").arg(widget->metaObject()->className(), widget->objectName(), own)));
    }
    QApplication::setFont(before);
  }

  void cleanup() { QVERIFY(Workers::ofProgram().waitForDone(kPatienceMs)); }

  void startsWithThePageThatSaysWhereToDropTraces() {
    TestWindow test;
    QVERIFY(test.window.findChild<StartPage*>()->isVisible());
    QVERIFY(!timelineOf(test.window).isVisible());
    QVERIFY(test.window.pending().idle());
  }

  void aDroppedFolderIsOpened() {
    TestWindow test;
    writeSmallJob(test.folder.path() / "job");
    Drag drag(test.window, {pathOf(test.folder.path() / "job")});
    auto* overlay = test.window.findChild<DropOverlay*>();
    QVERIFY(drag.enter());
    QVERIFY(overlay->isVisible());
    QCOMPARE(overlay->size(), test.window.content().size());
    QVERIFY(drag.drop());
    QVERIFY(!overlay->isVisible());
    QVERIFY(test.settles());
    QCOMPARE(test.window.session().trace()->ranks().size(), std::size_t{3});
    QVERIFY(timelineOf(test.window).isVisible());
    QVERIFY(timelineOf(test.window).hasFocus() ||
            timelineOf(test.window).isAncestorOf(test.window.focusWidget()));
    const QString summary = test.window.findChild<TitleBar*>()->summary();
    QVERIFY2(summary.startsWith("3 ranks · 1 node · 2 steps · "), qPrintable(summary));
    QVERIFY2(summary.contains(" · opened in "), qPrintable(summary));
  }

  void aDragThatLeavesOrHoldsNoFilesChangesNothing() {
    TestWindow test;
    auto* overlay = test.window.findChild<DropOverlay*>();
    Drag drag(test.window, {pathOf(test.folder.path())});
    QVERIFY(drag.enter());
    drag.leave();
    QVERIFY(!overlay->isVisible());
    Drag text(test.window, {});
    text.data.setText("no file");
    QVERIFY(!text.enter());
    QVERIFY(!overlay->isVisible());
    QVERIFY(test.window.pending().idle());
  }

  void ranksAppearAsTheyArriveAndProgressIsShown() {
    GatedLoad load;
    TestWindow test(load.function());
    writeSmallJob(test.folder.path() / "job");
    test.window.open({pathOf(test.folder.path() / "job")});
    QTRY_VERIFY_WITH_TIMEOUT(test.window.session().trace() != nullptr, kPatienceMs);
    QCOMPARE(test.window.session().trace()->ranks().size(), std::size_t{1});
    QVERIFY(timelineOf(test.window).isVisible());
    auto* bar = test.window.findChild<LoadBar*>();
    QVERIFY(bar->isVisible());
    QCOMPARE(bar->text(), QString("Reading · 1 of 3 files · 500.0 kB of 2.0 MB"));
    load.gate.release();
    QVERIFY(test.settles());
    QCOMPARE(test.window.session().trace()->ranks().size(), std::size_t{3});
    QVERIFY(!bar->isVisible());
  }

  void theCancelButtonStopsTheLoadAndKeepsWhatArrived() {
    GatedLoad load;
    TestWindow test(load.function());
    writeSmallJob(test.folder.path() / "job");
    test.window.open({pathOf(test.folder.path() / "job")});
    QTRY_VERIFY_WITH_TIMEOUT(test.window.session().trace() != nullptr, kPatienceMs);
    QTest::mouseClick(test.window.findChild<QPushButton*>("cancelLoad"), Qt::LeftButton);
    QVERIFY(!test.window.document().loading().running());
    QVERIFY(test.settles());
    QVERIFY(Workers::ofProgram().waitForDone(kPatienceMs));
    QCOMPARE(load.cancelled.load(), 1);
    QCOMPARE(test.window.session().trace()->ranks().size(), std::size_t{1});
    QVERIFY(test.window.banner().isVisible());
    QVERIFY(test.window.banner().text().contains("cancelled"));
    QVERIFY(!test.window.findChild<LoadBar*>()->isVisible());
  }

  void aSecondOpenReplacesTheFirstThatStillLoads() {
    GatedLoad first;
    std::atomic<int> calls{0};
    TestWindow test([&](const auto& paths, const auto& options, Progress& progress, const auto& arrived) {
      if (calls++ == 0) return first.function()(paths, options, progress, arrived);
      return loadTraces(paths, options, progress, arrived);
    });
    writeSmallJob(test.folder.path() / "first");
    writeSmallJob(test.folder.path() / "second", 2);
    test.window.open({pathOf(test.folder.path() / "first")});
    QTRY_VERIFY_WITH_TIMEOUT(test.window.session().trace() != nullptr, kPatienceMs);
    QVERIFY(test.opens(pathOf(test.folder.path() / "second")));
    QCOMPARE(test.window.session().trace()->jobName(), std::string("second"));
    QCOMPARE(test.window.session().trace()->ranks().size(), std::size_t{2});
    QVERIFY(Workers::ofProgram().waitForDone(kPatienceMs));
    QCOMPARE(first.cancelled.load(), 1);
    QVERIFY(test.settles());
    QCOMPARE(test.window.session().trace()->jobName(), std::string("second"));
  }

  void aJobIsKeptOnceItIsShownAndOpensFromTheCache() {
    Folder folder;
    writeSmallJob(folder.path() / "job");
    const TraceCacheSettings cache{folder / "cache", std::uint64_t{1} << 30, 0};
    QStringList summaries;
    for (const bool cached : {false, true}) {
      TestWindow test;
      test.window.document().setTraceCache(cache);
      QVERIFY(test.opens(pathOf(folder.path() / "job")));
      const QString summary = test.window.findChild<QLabel*>(QStringLiteral("jobSummary"))->text();
      QCOMPARE(summary.contains("from the cache"), cached);
      summaries << summary.section(QStringLiteral(" · opened"), 0, 0);
      QVERIFY(!std::filesystem::is_empty(folder / "cache"));
    }
    QCOMPARE(summaries[0], summaries[1]);
  }

  void withoutACacheNothingIsKept() {
    TestWindow test;
    writeSmallJob(test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    QVERIFY(test.window.session().trace() != nullptr);
    QVERIFY(!test.window.findChild<QLabel*>(QStringLiteral("jobSummary"))->text().contains("cache"));
  }

  void closingWhileTheJobIsBeingKeptLeavesNoDraft() {
    Folder folder;
    writeSmallJob(folder.path() / "job", 8);
    const TraceCacheSettings cache{folder / "cache", std::uint64_t{1} << 30, 0};
    {
      TestWindow test;
      test.window.document().setTraceCache(cache);
      test.window.open({pathOf(folder.path() / "job")});
      QTRY_VERIFY_WITH_TIMEOUT(test.window.session().trace() != nullptr, kPatienceMs);
      QVERIFY(test.window.close());
    }
    QVERIFY(Workers::ofProgram().waitForDone(kPatienceMs));
    if (!std::filesystem::exists(folder / "cache")) return;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "cache"))
      QVERIFY(entry.path().extension() == ".trace");
  }

  void closingWhileLoadingNeitherHangsNorCrashes() {
    GatedLoad load;
    {
      TestWindow test(load.function());
      writeSmallJob(test.folder.path() / "job");
      test.window.open({pathOf(test.folder.path() / "job")});
      QTRY_VERIFY_WITH_TIMEOUT(test.window.session().trace() != nullptr, kPatienceMs);
      QVERIFY(test.window.close());
    }
    QVERIFY(Workers::ofProgram().waitForDone(kPatienceMs));
    QCOMPARE(load.cancelled.load(), 1);
  }

  void anUnreadableFileIsNamedAndTheOthersOpen() {
    TestWindow test;
    writeSmallJob(test.folder.path() / "job");
    test::writeTraceFile((test.folder.path() / "job" / "rank7.1.pt.trace.json").string(),
                         "\x01\x02 not a trace");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    QCOMPARE(test.window.session().trace()->ranks().size(), std::size_t{3});
    QVERIFY(test.window.banner().isVisible());
    const QString text = test.window.banner().text();
    QVERIFY2(text.contains("rank7.1.pt.trace.json"), qPrintable(text));
    QVERIFY2(text.contains("1 file could not be read"), qPrintable(text));
    // One click away: all about it.
    for (QPushButton* button : test.window.banner().findChildren<QPushButton*>())
      if (button->isVisible()) QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(test.window.currentTab(), QString("files"));
    QVERIFY(test.settles());
    QVERIFY(filesOf(test.window.tabs()).filesCard().shownRows() >= 4);
  }

  void aDamagedFileNamesTheByte() {
    TestWindow test;
    test::JobOptions options;
    options.ranks = 2;
    options.steps = 2;
    options.layers = 2;
    options.damage.kind = test::DamageKind::Truncate;
    options.damage.rank = 1;
    test::generateJob(options, test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    QCOMPARE(test.window.session().trace()->ranks().size(), std::size_t{2});
    const QString text = test.window.banner().text();
    QVERIFY2(test.window.banner().isVisible() && text.contains("rank1") && text.contains("byte "),
             qPrintable(text));
    QVERIFY(test.shows("files"));
    QVERIFY(filesOf(test.window.tabs()).diagnosticsCard().shownRows() > 0);
  }

  void aFolderOfTwoJobsShowsOneAndOffersTheOther() {
    TestWindow test;
    test::JobOptions options;
    options.ranks = 2;
    options.steps = 2;
    options.layers = 2;
    test::generateJob(options, test.folder.path() / "jobs" / "a");
    options.ranks = 3;
    test::generateJob(options, test.folder.path() / "jobs" / "b");
    QVERIFY(test.opens(pathOf(test.folder.path() / "jobs")));
    const std::size_t shown = test.window.session().trace()->ranks().size();
    QVERIFY(shown == 2 || shown == 3);
    QVERIFY(test.window.banner().isVisible());
    const QString text = test.window.banner().text();
    QVERIFY2(text.contains(shown == 2 ? "3 files belong to other jobs" : "2 files belong to other jobs"),
             qPrintable(text));
    for (QPushButton* button : test.window.banner().findChildren<QPushButton*>())
      if (button->isVisible()) QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(test.settles());
    QCOMPARE(test.window.session().trace()->ranks().size(), 5 - shown);
    QVERIFY(!test.window.banner().isVisible());
  }

  void nothingReadableIsAnErrorAndWhatWasOpenStays() {
    TestWindow test;
    writeSmallJob(test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    test.window.open({pathOf(test.folder.path() / "nowhere")});
    QVERIFY(test.settles());
    QVERIFY(test.window.document().error().has_value());
    QVERIFY(test.window.banner().text().contains("nowhere"));
    QCOMPARE(test.window.session().trace()->jobName(), std::string("job"));
  }

  void theRecentListOutlivesTheWindow() {
    Folder folder;
    const QString file = QString::fromStdString(folder / "kept.ini");
    writeSmallJob(folder.path() / "job");
    const QStringList job{pathOf(folder.path() / "job")};
    {
      QSettings settings(file, QSettings::IniFormat);
      MainWindow window(settings);
      window.open(job);
      QVERIFY(settles(window.pending()));
    }
    QSettings settings(file, QSettings::IniFormat);
    MainWindow window(settings);
    QCOMPARE(RecentPaths(settings).entries(), QList<QStringList>{job});
    window.show();
    auto* row = window.findChild<QPushButton*>("recentRow");
    QVERIFY(row && row->isVisible() && row->isEnabled());
    QTest::mouseClick(row, Qt::LeftButton);
    QVERIFY(settles(window.pending()) && window.session().trace());
    QCOMPARE(window.session().trace()->jobName(), std::string("job"));
  }

  void recentEntriesAreUniqueNewestFirstAndGoneOnesCannotBeOpened() {
    Folder folder;
    QSettings settings(QString::fromStdString(folder / "kept.ini"), QSettings::IniFormat);
    RecentPaths recent(settings);
    for (const char* name : {"/a", "/b", "/a/"}) recent.add({QString::fromLatin1(name)});
    QCOMPARE(recent.entries(), (QList<QStringList>{{"/a"}, {"/b"}}));
    for (int i = 0; i < 2 * RecentPaths::kKept; ++i) recent.add({QStringLiteral("/n%1").arg(i)});
    QCOMPARE(recent.entries().size(), qsizetype{RecentPaths::kKept});
    MainWindow window(settings);
    window.show();
    QVERIFY(!window.findChild<QPushButton*>("recentRow")->isEnabled());
  }

  void theDetailsShowTheArgumentsOfTheClickedEvent() {
    TestWindow test;
    test::TraceText trace;
    trace.distributedInfo(0, 1)
        .addCpuOp(7, 1'000, 50'000, "aten::mm")
        .addRuntime(7, 5'000, 2'000, "cudaLaunchKernel", 42)
        .addKernel(0, 7, 20'000, 9'500, "void gemm_kernel<float, 128>(float*)", 42,
                   "\"marker in args\": \"found <it>\"");
    test::writeTraceFile(test.folder / "job/rank0.json", trace.text());
    QVERIFY(test.opens(QString::fromStdString(test.folder / "job")));
    const EventRef kernel = firstLaunchedKernel(*test.window.session().trace());
    QVERIFY(kernel.valid());
    test.window.session().reveal(kernel);
    test.window.session().select({});
    TimelineCanvas& canvas = timelineOf(test.window).canvas();
    const Lane* lane = timelineOf(test.window).trackLayout().laneOf(kernel);
    const TimeRange range = test.window.session().rangeOf(kernel);
    const QPoint at(static_cast<int>(canvas.xOf(range.begin + range.length() / 2)),
                    lane->top + lane->height / 2 - canvas.scrollTop());
    QTest::mouseClick(&canvas, Qt::LeftButton, Qt::NoModifier, at);
    QCOMPARE(test.window.session().selection(), kernel);
    QVERIFY(!test.window.session().pending().idle());
    QVERIFY(test.settles());
    const QString text = detailsOf(test.window).toPlainText();
    for (const char* wanted : {"void gemm_kernel<float, 128>(float*)", "9.50 µs", "marker in args",
                               "found <it>", "stream 7", "cudaLaunchKernel", "Launched by"})
      QVERIFY2(text.contains(QString::fromUtf8(wanted)), qPrintable(text));

    // Along the link to the launch, and from there back to the kernel.
    const EventIndex launch =
        test.window.session().trace()->ranks().front().trace->deviceDetail(kernel.event).launch;
    const auto follow = [&](EventRef target) {
      emit detailsOf(test.window)
          .anchorClicked(QUrl(QStringLiteral("event:%1/%2").arg(target.rank.value).arg(target.event.value)));
    };
    follow({kernel.rank, launch});
    QCOMPARE(test.window.session().selection(), (EventRef{kernel.rank, launch}));
    QVERIFY(test.settles());
    QVERIFY(detailsOf(test.window).toPlainText().contains("gemm_kernel"));
    QVERIFY(detailsOf(test.window)
                .toHtml()
                .contains(QStringLiteral("event:%1/%2").arg(kernel.rank.value).arg(kernel.event.value)));
  }

  void anOperatorLeadsToWhatWasLaunchedInsideItAndToNothingElse() {
    test::TraceText trace;
    trace.distributedInfo(0, 1)
        .addCpuOp(7, 1'000, 50'000, "aten::linear")
        .addCpuOp(7, 2'000, 30'000, "aten::addmm")
        .addRuntime(7, 5'000, 2'000, "cudaLaunchKernel", 1)
        .addRuntime(7, 40'000, 2'000, "cudaLaunchKernel", 2)
        .addRuntime(7, 60'000, 2'000, "cudaLaunchKernel", 3)
        .addKernel(0, 7, 20'000, 1'000, "in_addmm", 1)
        .addKernel(0, 7, 70'000, 1'000, "in_linear", 2)
        .addKernel(0, 7, 80'000, 1'000, "outside", 3);
    Folder folder;
    test::writeTraceFile(folder / "rank0.json", trace.text());
    Progress progress;
    const auto traces = loadTraces({folder / "rank0.json"}, {}, progress);
    QVERIFY(traces.ok());
    const auto launchesOf = [&](const char* name) {
      const EventRef event = findEvent(**traces, EventQuery{0, name}, {INT64_MIN, INT64_MAX});
      std::vector<std::string> names;
      if (!event.valid()) return names;
      for (const EventLink& link : eventFacts(**traces, event).links)
        if ((*traces)->ranks().front().trace->isDeviceEvent(link.target.event))
          names.push_back(link.name.toStdString());
      return names;
    };
    QCOMPARE(launchesOf("aten::linear"), (std::vector<std::string>{"in_addmm", "in_linear"}));
    QCOMPARE(launchesOf("aten::addmm"), std::vector<std::string>{"in_addmm"});
    // Self time is what the direct children leave: 50 - 30 - 2 of the launch that is not inside addmm.
    const RankTrace& rank = *(*traces)->ranks().front().trace;
    const EventRef linear = findEvent(**traces, EventQuery{0, "aten::linear"}, {INT64_MIN, INT64_MAX});
    QCOMPARE(selfTime(rank, linear.event), std::optional<TimeNs>(18'000));
  }

  void argumentsOfAnEarlierSelectionNeverShowUp() {
    QSemaphore gate;
    std::atomic<int> reads{0};
    const auto tell = [&](SourceRef at) -> Result<std::vector<EventField>> {
      if (reads++ == 0) gate.acquire();
      return std::vector<EventField>{{"at", std::to_string(at.readerBits()), true}};
    };
    TestWindow test([&](const auto& paths, const auto& options, auto& progress,
                        const auto&) -> Result<std::shared_ptr<const TraceSet>> {
      const auto loaded = loadTraces(paths, options, progress);
      if (!loaded) return loaded.error();
      return test::withDetails(**loaded, tell);
    });
    writeSmallJob(test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    TraceSession& session = test.window.session();
    const RankTrace& trace = *session.trace()->ranks().front().trace;
    const EventRef first{RankIndex(std::size_t{0}), EventIndex(std::size_t{0})};
    const EventRef last{RankIndex(std::size_t{0}), EventIndex(trace.events.size() - 1)};
    session.select(first);
    session.select(last);
    gate.release();
    QVERIFY(test.settles());
    const QString text = detailsOf(test.window).toPlainText();
    QVERIFY(text.contains(QString::number(trace.events.source[last.event].readerBits())));
    QVERIFY(
        !text.contains(QString::number(trace.events.source[first.event].readerBits()) + QLatin1Char('\n')));
    QCOMPARE(reads.load(), 2);
    session.select({});
    QVERIFY(test.window.pending().idle());
    QVERIFY(detailsOf(test.window).toPlainText().contains("Nothing selected"));
  }

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

  void aRunWithoutAWindowWritesThePictureAndSaysWhatFailed() {
    Folder folder;
    writeSmallJob(folder.path() / "job");
    OffscreenRun run;
    run.paths = {pathOf(folder.path() / "job")};
    run.size = QSize(900, 600);
    run.aim.tab = "kernels";
    const QString file = QString::fromStdString(folder / "picture.png");
    QCOMPARE(savePicture(run, file), 0);
    QCOMPARE(QImage(file).size(), QSize(900, 600));
    run.aim.select = EventQuery{0, "no such name anywhere"};
    QCOMPARE(savePicture(run, file), 1);
    run.paths = {pathOf(folder.path() / "nowhere")};
    QCOMPARE(savePicture(run, file), 2);
    run.paths = {pathOf(folder.path() / "job")};
    run.aim.select.reset();
    QCOMPARE(savePicture(run, QString::fromStdString(folder / "no/such/folder.png")), 1);
  }

  void theFilterNarrowsTheKernelsAsOneTypesAndCopyTakesWhatIsShown() {
    TestWindow test;
    writeSmallJob(test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    QVERIFY(test.shows("kernels"));
    TableCard& card = kernelsOf(test.window.tabs()).card();
    const int all = card.shownRows();
    QVERIFY(all > 3);
    QTest::keyClicks(&kernelsOf(test.window.tabs()).filterField(), "NCCL");
    const int filtered = card.shownRows();
    QVERIFY(0 < filtered && filtered < all);
    const QStringList lines = card.rowsAsText().split('\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), filtered + 1);
    QVERIFY(lines.front().startsWith("kernel\tkind\tcalls\t"));
    for (int i = 1; i < lines.size(); ++i) QVERIFY(lines[i].contains("nccl", Qt::CaseInsensitive));
    card.view().setFocus();
    QTest::keyClick(&card.view(), Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), card.rowsAsText());
    QTest::keyClicks(&kernelsOf(test.window.tabs()).filterField(), " nothing has this");
    QCOMPARE(card.shownRows(), 0);
  }

  void kernelsComeSortedByTotalAndAClickOnAHeaderSortsOtherwise() {
    TestWindow test;
    writeSmallJob(test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    QVERIFY(test.shows("kernels"));
    TableCard& card = kernelsOf(test.window.tabs()).card();
    const auto numbers = [&](const char* source) {
      std::vector<qint64> values;
      const int column = card.model().columnOf(source);
      for (int row = 0; row < card.shownRows(); ++row)
        values.push_back(
            card.view().model()->index(row, column).data(ResultTableModel::kSortRole).toLongLong());
      return values;
    };
    QVERIFY(std::ranges::is_sorted(numbers("total_us"), std::greater()));
    QHeaderView* header = card.view().horizontalHeader();
    const int calls = card.model().columnOf("calls");
    const QPoint at(header->sectionViewportPosition(calls) + header->sectionSize(calls) / 2,
                    header->height() / 2);
    QTest::mouseClick(header->viewport(), Qt::LeftButton, Qt::NoModifier, at);
    QVERIFY(std::ranges::is_sorted(numbers("calls"), std::greater()));
    QTest::mouseClick(header->viewport(), Qt::LeftButton, Qt::NoModifier, at);
    QVERIFY(std::ranges::is_sorted(numbers("calls")));
  }

  void qFoldsTheBottomPanelButNotWhileOneTypes() {
    TestWindow test;
    writeSmallJob(test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    test.window.activateWindow();
    QVERIFY(!bottomPanelOf(test.window).collapsed());
    QTest::keyClick(&timelineOf(test.window), Qt::Key_Q);
    QVERIFY(bottomPanelOf(test.window).collapsed());
    QVERIFY(!detailsOf(test.window).isVisible());
    QTest::keyClick(&timelineOf(test.window), Qt::Key_Q);
    QVERIFY(detailsOf(test.window).isVisible());
    test.window.showTab("kernels");
    kernelsOf(test.window.tabs()).filterField().setFocus();
    QTest::keyClick(&kernelsOf(test.window.tabs()).filterField(), Qt::Key_Q);
    QCOMPARE(kernelsOf(test.window.tabs()).filterField().text(), QString("q"));
    QVERIFY(!bottomPanelOf(test.window).collapsed());
  }

  void hostsOfDifferentClocksStandOnOneAxisUntilAligningIsSwitchedOff() {
    const Folder data;
    test::JobOptions options;
    options.ranks = 4;
    options.ranksPerNode = 2;
    options.steps = 2;
    options.layers = 2;
    options.clockOffsetNs = {0, 10'000'000'000};
    options.clockDriftPpb = {0, 20'000};
    test::generateJob(options, data.path());
    TestWindow test;
    QVERIFY(test.opens(pathOf(data.path())));
    TraceSession& session = test.window.session();
    QVERIFY(session.trace()->extent().length() < 1'000'000'000);
    const EventRef chosen{RankIndex(3), EventIndex(17)};
    session.select(chosen);

    auto* align = test.window.findChild<QAction*>(QStringLiteral("alignClocks"));
    QVERIFY(align != nullptr && align->isChecked());
    align->trigger();
    QVERIFY(test.settles());
    QVERIFY(session.trace()->extent().length() > 9'000'000'000);
    QCOMPARE(session.selection(), chosen);
    align->trigger();
    QVERIFY(test.settles());
    QVERIFY(session.trace()->extent().length() < 1'000'000'000);
    QCOMPARE(session.selection(), chosen);
  }

  void theChosenThemeIsPaintedAndKept() {
    TestWindow test;
    test.window.setThemeChoice(ThemeChoice::Light);
    QCOMPARE(test.window.session().themeName(), ThemeName::Light);
    const QColor light = picture(test.window.content(), {800, 600}).pixelColor(400, 2);
    test.window.setThemeChoice(ThemeChoice::Dark);
    const QColor dark = picture(test.window.content(), {800, 600}).pixelColor(400, 2);
    QCOMPARE(light, Theme::of(ThemeName::Light).panel);
    QCOMPARE(dark, Theme::of(ThemeName::Dark).panel);
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

RANKSCOPE_UI_TEST(MainWindowTest)
#include "main_window_test.moc"
