// SPDX-License-Identifier: GPL-3.0-or-later
// A job without a window: its signals and their order, and the independence of two jobs. Covers
// ui/job/job_tables too.
#include "ui/job/job_document.h"

#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/base/workers.h"
#include "ui/job/trace_session.h"

#include <QSignalSpy>
#include <QTest>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

// A document with a session, and its signals in order.
struct Observer {
  JobDocument document;
  TraceSession session;
  QStringList emitted;

  explicit Observer(LoadFunction load = loadTraces) : document(std::move(load)) {
    follow(session, document);
    const auto note = [this](const char* what) { emitted << QString::fromLatin1(what); };
    QObject::connect(&document, &JobDocument::leaving, &document, [note] { note("leaving"); });
    QObject::connect(&document, &JobDocument::tracesChanged, &document,
                     [note](bool other) { note(other ? "other job" : "same job"); });
    QObject::connect(&document, &JobDocument::opened, &document, [note] { note("opened"); });
    QObject::connect(&document, &JobDocument::analyzed, &document, [note] { note("analysed"); });
    QObject::connect(&document, &JobDocument::failed, &document, [note] { note("failed"); });
  }
  [[nodiscard]] bool settles() { return ui::settles(document.pending()); }
};

} // namespace

class JobDocumentTest : public QObject {
  Q_OBJECT
 private slots:
  void cleanup() { QVERIFY(Workers::ofProgram().waitForDone(kTimeoutMs)); }

  void itReportsTheStatesOfAJobInOrder() {
    const Folder folder;
    writeSmallJob(folder.path() / "job");
    Observer observer;
    QVERIFY(observer.document.pending().idle());
    QVERIFY(observer.document.summary().isEmpty());
    observer.document.open({pathOf(folder.path() / "job")});
    QVERIFY(!observer.document.pending().idle());
    QVERIFY(observer.settles());
    QCOMPARE(observer.emitted, (QStringList{"leaving", "other job", "opened", "analysed"}));
    QVERIFY(observer.document.complete());
    QCOMPARE(observer.document.opening().paths, QStringList{pathOf(folder.path() / "job")});
    QCOMPARE(observer.session.trace(), observer.document.tables().drawn);
    QCOMPARE(observer.session.highlights(), observer.document.tables().highlights);
    QVERIFY(observer.document.summary().startsWith("3 ranks · 1 host · 2 steps · "));
  }

  void clocksAreAlignedAgainOnlyWhereSomethingIsOpen() {
    const Folder folder;
    writeSmallJob(folder.path() / "job");
    Observer observer;
    observer.document.setClocksAligned(false);
    QVERIFY(observer.document.pending().idle());
    observer.document.open({pathOf(folder.path() / "job")});
    QVERIFY(observer.settles());
    const auto before = observer.document.tables().report;
    observer.emitted.clear();
    observer.document.setClocksAligned(true);
    QVERIFY(observer.settles());
    QCOMPARE(observer.emitted, QStringList{"analysed"});
    QVERIFY(observer.document.tables().report != before);
  }

  void closingLeavesNothingOfTheJob() {
    const Folder folder;
    writeSmallJob(folder.path() / "job");
    Observer observer;
    observer.document.open({pathOf(folder.path() / "job")});
    QVERIFY(observer.settles());
    observer.emitted.clear();
    observer.document.close();
    QCOMPARE(observer.emitted, (QStringList{"leaving", "other job"}));
    QVERIFY(!observer.document.recorded() && !observer.document.tables().report && !observer.session.trace());
    QVERIFY(!observer.document.complete());
    observer.document.close();
    QCOMPARE(observer.emitted.size(), qsizetype{2});
  }

  // Closed while its tables are computed: they are discarded.
  void tablesOfAClosedJobNeverArrive() {
    const Folder folder;
    writeSmallJob(folder.path() / "job");
    Observer observer;
    QObject::connect(&observer.document, &JobDocument::opened, &observer.document,
                     [&] { observer.document.close(); });
    observer.document.open({pathOf(folder.path() / "job")});
    QVERIFY(observer.settles());
    QVERIFY(Workers::ofProgram().waitForDone(kTimeoutMs));
    QCoreApplication::processEvents();
    QVERIFY(!observer.emitted.contains("analysed"));
    QVERIFY(!observer.document.recorded());
  }

  void whatCannotBeOpenedLeavesWhatIsOpen() {
    const Folder folder;
    writeSmallJob(folder.path() / "job");
    Observer observer;
    observer.document.open({pathOf(folder.path() / "job")});
    QVERIFY(observer.settles());
    observer.document.open({pathOf(folder.path() / "nowhere")});
    QVERIFY(observer.settles());
    QVERIFY(observer.document.error().has_value());
    QCOMPARE(observer.emitted.back(), QString("failed"));
    QCOMPARE(observer.document.recorded()->jobName(), std::string("job"));
    observer.document.open({pathOf(folder.path() / "job")});
    QVERIFY(!observer.document.error());
    QVERIFY(observer.settles());
  }

  void ranksThatMemorySufficedForAreOpenThoughTheLoadFailed() {
    const Folder folder;
    writeSmallJob(folder.path() / "job");
    Observer observer([](const std::vector<std::string>& paths, const LoadOptions& options,
                         Progress& progress,
                         const RanksArrived& arrived) -> Result<std::shared_ptr<const TraceSet>> {
      const auto all = loadTraces(paths, options, progress);
      arrived(std::make_shared<const TraceSet>((*all)->jobName(), (*all)->names(),
                                               std::vector<RankEntry>{(*all)->ranks().front()},
                                               (*all)->files()));
      return Error{ErrorKind::OutOfMemory, "not enough memory to read this file", "rank2.json", {}};
    });
    QSignalSpy failed(&observer.document, &JobDocument::failed);
    observer.document.open({pathOf(folder.path() / "job")});
    QVERIFY(observer.settles());
    QCOMPARE(observer.emitted, (QStringList{"leaving", "other job", "failed", "analysed"}));
    QVERIFY(failed.front().back().toBool());
    QVERIFY(!observer.document.complete());
    QCOMPARE(observer.document.tables().report->analysis().trace().ranks().size(), std::size_t{1});
  }

  void twoJobsAreOpenSideBySide() {
    const Folder folder;
    writeSmallJob(folder.path() / "a", 2);
    writeSmallJob(folder.path() / "b", 3);
    Observer a;
    Observer b;
    a.document.open({pathOf(folder.path() / "a")});
    b.document.open({pathOf(folder.path() / "b")});
    QVERIFY(a.settles() && b.settles());
    QCOMPARE(a.session.trace()->ranks().size(), std::size_t{2});
    QCOMPARE(b.session.trace()->ranks().size(), std::size_t{3});
    const TimeRange window = b.session.window();
    a.session.setWindow({a.session.limits().begin, a.session.limits().begin + 1000});
    QCOMPARE(b.session.window(), window);
    a.document.close();
    QVERIFY(!a.session.trace());
    QCOMPARE(b.session.trace()->jobName(), std::string("b"));
    QVERIFY(b.document.tables().report != nullptr);
  }
};

RANKSCOPE_UI_TEST(JobDocumentTest)
#include "job_document_test.moc"
