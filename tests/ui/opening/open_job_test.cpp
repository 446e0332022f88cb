// SPDX-License-Identifier: GPL-3.0-or-later
// Opening a job in the window: dropped, chosen again, canceled, replaced, from the cache, and files that
// cannot be read. Covers ui/job/cache_writer, ui/opening/file_problems and ui/opening/problem_list
// too.
#include "tests/support/job_generator.h"
#include "tests/support/trace_text.h"
#include "tests/ui/gated_load.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/base/workers.h"
#include "ui/opening/drop_overlay.h"
#include "ui/opening/load_bar.h"
#include "ui/opening/recent_paths.h"
#include "ui/opening/start_page.h"
#include "ui/tabs/files/files_panel.h"
#include "ui/timeline/view/timeline_view.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/main_window.h"
#include "ui/window/tab_pages.h"
#include "ui/window/title_bar.h"

#include <QDialog>
#include <QDropEvent>
#include <QLabel>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QTest>
#include <QWindow>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

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

} // namespace

class OpenJobTest : public QObject {
  Q_OBJECT

 private slots:
  void cleanup() { QVERIFY(Workers::ofProgram().waitForDone(kTimeoutMs)); }

  void startsWithTheStartPage() {
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
    QVERIFY2(summary.startsWith("3 ranks · 1 host · 2 steps · "), qPrintable(summary));
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
    QTRY_VERIFY_WITH_TIMEOUT(test.window.session().trace() != nullptr, kTimeoutMs);
    QCOMPARE(test.window.session().trace()->ranks().size(), std::size_t{1});
    QVERIFY(timelineOf(test.window).isVisible());
    auto* bar = test.window.findChild<LoadBar*>();
    QVERIFY(bar->isVisible());
    QCOMPARE(bar->text(), QString("Reading · 1 of 3 files · 488.3 KiB of 1.9 MiB"));
    load.gate.release();
    QVERIFY(test.settles());
    QCOMPARE(test.window.session().trace()->ranks().size(), std::size_t{3});
    QVERIFY(!bar->isVisible());
  }

  void theCancelButtonStopsTheLoadAndRetainsLoadedRanks() {
    GatedLoad load;
    TestWindow test(load.function());
    writeSmallJob(test.folder.path() / "job");
    test.window.open({pathOf(test.folder.path() / "job")});
    QTRY_VERIFY_WITH_TIMEOUT(test.window.session().trace() != nullptr, kTimeoutMs);
    QTest::mouseClick(test.window.findChild<QPushButton*>("cancelLoad"), Qt::LeftButton);
    QVERIFY(!test.window.document().loading().running());
    QVERIFY(test.settles());
    QVERIFY(Workers::ofProgram().waitForDone(kTimeoutMs));
    QCOMPARE(load.cancelled.load(), 1);
    QCOMPARE(test.window.session().trace()->ranks().size(), std::size_t{1});
    QVERIFY(test.window.banner().isVisible());
    QVERIFY(test.window.banner().text().contains("canceled"));
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
    QTRY_VERIFY_WITH_TIMEOUT(test.window.session().trace() != nullptr, kTimeoutMs);
    QVERIFY(test.opens(pathOf(test.folder.path() / "second")));
    QCOMPARE(test.window.session().trace()->jobName(), std::string("second"));
    QCOMPARE(test.window.session().trace()->ranks().size(), std::size_t{2});
    QVERIFY(Workers::ofProgram().waitForDone(kTimeoutMs));
    QCOMPARE(first.cancelled.load(), 1);
    QVERIFY(test.settles());
    QCOMPARE(test.window.session().trace()->jobName(), std::string("second"));
  }

  void aJobIsCachedOnceShownAndOpensFromTheCache() {
    Folder folder;
    writeSmallJob(folder.path() / "job");
    const TraceCacheSettings cache{folder / "cache", std::uint64_t{1} << 30, 0};
    QStringList summaries;
    for (const bool cached : {false, true}) {
      TestWindow test;
      test.window.document().setTraceCache(cache);
      QVERIFY(test.opens(pathOf(folder.path() / "job")));
      const QString summary = test.window.findChild<QLabel*>(QStringLiteral("jobSummary"))->text();
      QCOMPARE(summary.contains("from cache"), cached);
      summaries << summary.section(QStringLiteral(" · opened"), 0, 0);
      QVERIFY(!std::filesystem::is_empty(folder / "cache"));
    }
    QCOMPARE(summaries[0], summaries[1]);
  }

  void withoutACacheNothingIsStored() {
    TestWindow test;
    writeSmallJob(test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    QVERIFY(test.window.session().trace() != nullptr);
    QVERIFY(!test.window.findChild<QLabel*>(QStringLiteral("jobSummary"))->text().contains("cache"));
  }

  void closingWhileTheJobIsBeingCachedLeavesNoTemporaryFile() {
    Folder folder;
    writeSmallJob(folder.path() / "job", 8);
    const TraceCacheSettings cache{folder / "cache", std::uint64_t{1} << 30, 0};
    {
      TestWindow test;
      test.window.document().setTraceCache(cache);
      test.window.open({pathOf(folder.path() / "job")});
      QTRY_VERIFY_WITH_TIMEOUT(test.window.session().trace() != nullptr, kTimeoutMs);
      QVERIFY(test.window.close());
    }
    QVERIFY(Workers::ofProgram().waitForDone(kTimeoutMs));
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
      QTRY_VERIFY_WITH_TIMEOUT(test.window.session().trace() != nullptr, kTimeoutMs);
      QVERIFY(test.window.close());
    }
    QVERIFY(Workers::ofProgram().waitForDone(kTimeoutMs));
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
    QVERIFY2(text.contains("1 file was not loaded"), qPrintable(text));
    // One click opens the details.
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
    // What is missing is known from the analysis, which comes later.
    QVERIFY2(text.contains("of the job's time (") && text.contains("are missing"), qPrintable(text));
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
    QCOMPARE(test.window.windowTitle(),
             QStringLiteral("jobs: %1 (1 of 2 jobs) – Rankscope").arg(shown == 2 ? "a" : "b"));
    for (QPushButton* button : test.window.banner().findChildren<QPushButton*>())
      if (button->isVisible()) QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(test.settles());
    QCOMPARE(test.window.session().trace()->ranks().size(), 5 - shown);
    QVERIFY(!test.window.banner().isVisible());
  }

  void ofManyFilesThatCannotBeReadAllAreShownByOneClick() {
    TestWindow test;
    for (int i = 0; i < 14; ++i)
      test::writeTraceFile((test.folder.path() / "job" / ("rank" + std::to_string(i) + ".json")).string(),
                           "\x01\x02 not a trace");
    QVERIFY(!test.opens(pathOf(test.folder.path() / "job")));
    MessageBanner& banner = test.window.banner();
    QVERIFY2(banner.text().contains("and 4 more") && !banner.text().contains("rank13.json"),
             qPrintable(banner.text()));
    auto* const all = banner.findChild<QPushButton*>("bannerAction");
    QCOMPARE(all->text(), QString("Show all"));
    QTest::mouseClick(all, Qt::LeftButton);
    const auto* const list = test.window.findChild<QDialog*>("problemList");
    QVERIFY(list != nullptr && list->isVisible());
    const QString text = list->findChild<QPlainTextEdit*>()->toPlainText();
    for (int i = 0; i < 14; ++i)
      QVERIFY2(text.contains(QString("rank%1.json: not a trace").arg(i)), qPrintable(text));
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
    for (int i = 0; i < 2 * RecentPaths::kMaxEntries; ++i) recent.add({QStringLiteral("/n%1").arg(i)});
    QCOMPARE(recent.entries().size(), qsizetype{RecentPaths::kMaxEntries});
    MainWindow window(settings);
    window.show();
    QVERIFY(!window.findChild<QPushButton*>("recentRow")->isEnabled());
  }
};

RANKSCOPE_UI_TEST(OpenJobTest)
#include "open_job_test.moc"
