// SPDX-License-Identifier: GPL-3.0-or-later
// A job without a window: what it says when, and that two of them know nothing of each other. Covers
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

// A document, somebody who looks at it, and what was said of it in which order.
struct Looked {
  JobDocument document;
  TraceSession session;
  QStringList said;

  explicit Looked(LoadFunction load = loadTraces) : document(std::move(load)) {
    follow(session, document);
    const auto note = [this](const char* what) { said << QString::fromLatin1(what); };
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

  void itSaysWhatBecomesOfAJobInOrder() {
    const Folder folder;
    writeSmallJob(folder.path() / "job");
    Looked looked;
    QVERIFY(looked.document.pending().idle());
    QVERIFY(looked.document.summary().isEmpty());
    looked.document.open({pathOf(folder.path() / "job")});
    QVERIFY(!looked.document.pending().idle());
    QVERIFY(looked.settles());
    QCOMPARE(looked.said, (QStringList{"leaving", "other job", "opened", "analysed"}));
    QVERIFY(looked.document.complete());
    QCOMPARE(looked.document.opening().paths, QStringList{pathOf(folder.path() / "job")});
    QCOMPARE(looked.session.trace(), looked.document.tables().drawn);
    QCOMPARE(looked.session.highlights(), looked.document.tables().highlights);
    QVERIFY(looked.document.summary().startsWith("3 ranks · 1 node · 2 steps · "));
  }

  void clocksAreAlignedAgainOnlyWhereSomethingIsOpen() {
    const Folder folder;
    writeSmallJob(folder.path() / "job");
    Looked looked;
    looked.document.setClocksAligned(false);
    QVERIFY(looked.document.pending().idle());
    looked.document.open({pathOf(folder.path() / "job")});
    QVERIFY(looked.settles());
    const auto before = looked.document.tables().report;
    looked.said.clear();
    looked.document.setClocksAligned(true);
    QVERIFY(looked.settles());
    QCOMPARE(looked.said, QStringList{"analysed"});
    QVERIFY(looked.document.tables().report != before);
  }

  void closingLeavesNothingOfTheJob() {
    const Folder folder;
    writeSmallJob(folder.path() / "job");
    Looked looked;
    looked.document.open({pathOf(folder.path() / "job")});
    QVERIFY(looked.settles());
    looked.said.clear();
    looked.document.close();
    QCOMPARE(looked.said, (QStringList{"leaving", "other job"}));
    QVERIFY(!looked.document.recorded() && !looked.document.tables().report && !looked.session.trace());
    QVERIFY(!looked.document.complete());
    looked.document.close();
    QCOMPARE(looked.said.size(), qsizetype{2});
  }

  // Closed while its tables are made: they go nowhere.
  void tablesOfAClosedJobNeverArrive() {
    const Folder folder;
    writeSmallJob(folder.path() / "job");
    Looked looked;
    QObject::connect(&looked.document, &JobDocument::opened, &looked.document,
                     [&] { looked.document.close(); });
    looked.document.open({pathOf(folder.path() / "job")});
    QVERIFY(looked.settles());
    QVERIFY(Workers::ofProgram().waitForDone(kTimeoutMs));
    QCoreApplication::processEvents();
    QVERIFY(!looked.said.contains("analysed"));
    QVERIFY(!looked.document.recorded());
  }

  void whatCannotBeOpenedLeavesWhatIsOpen() {
    const Folder folder;
    writeSmallJob(folder.path() / "job");
    Looked looked;
    looked.document.open({pathOf(folder.path() / "job")});
    QVERIFY(looked.settles());
    looked.document.open({pathOf(folder.path() / "nowhere")});
    QVERIFY(looked.settles());
    QVERIFY(looked.document.error().has_value());
    QCOMPARE(looked.said.back(), QString("failed"));
    QCOMPARE(looked.document.recorded()->jobName(), std::string("job"));
    looked.document.open({pathOf(folder.path() / "job")});
    QVERIFY(!looked.document.error());
    QVERIFY(looked.settles());
  }

  void ranksThatMemorySufficedForAreOpenThoughTheLoadFailed() {
    const Folder folder;
    writeSmallJob(folder.path() / "job");
    Looked looked([](const std::vector<std::string>& paths, const LoadOptions& options, Progress& progress,
                     const RanksArrived& arrived) -> Result<std::shared_ptr<const TraceSet>> {
      const auto all = loadTraces(paths, options, progress);
      arrived(std::make_shared<const TraceSet>((*all)->jobName(), (*all)->names(),
                                               std::vector<RankEntry>{(*all)->ranks().front()},
                                               (*all)->files()));
      return Error{ErrorKind::OutOfMemory, "not enough memory to read this file", "rank2.json", {}};
    });
    QSignalSpy failed(&looked.document, &JobDocument::failed);
    looked.document.open({pathOf(folder.path() / "job")});
    QVERIFY(looked.settles());
    QCOMPARE(looked.said, (QStringList{"leaving", "other job", "failed", "analysed"}));
    QVERIFY(failed.front().back().toBool());
    QVERIFY(!looked.document.complete());
    QCOMPARE(looked.document.tables().report->analysis().trace().ranks().size(), std::size_t{1});
  }

  void twoJobsStandBesideEachOther() {
    const Folder folder;
    writeSmallJob(folder.path() / "a", 2);
    writeSmallJob(folder.path() / "b", 3);
    Looked a;
    Looked b;
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
