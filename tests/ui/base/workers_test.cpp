// SPDX-License-Identifier: GPL-3.0-or-later
// Background work: every result is delivered, and no caller blocks forever. Covers ui/base/work_failures
// and ui/window/application too.
#include "ui/base/workers.h"

#include "tests/support/failing_memory.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/base/latest_task.h"
#include "ui/job/event_finder.h"
#include "ui/job/session_store.h"
#include "ui/job/table_scope.h"
#include "ui/tables/table_order.h"
#include "ui/timeline/ranks/rank_summaries.h"
#include "ui/widgets/analysis_page.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/report_export.h"
#include "ui/window/tab_pages.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QThread>

#include <new>
#include <stdexcept>
#include <system_error>
#include <vector>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

std::thread startNone(const std::function<void()>&) {
  throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
}

// What was reported while it lives.
struct Reports {
  std::vector<Error> errors;
  QObject here;

  Reports() {
    QObject::connect(&WorkFailures::ofProgram(), &WorkFailures::reported, &here,
                     [this](const Error& error) { errors.push_back(error); });
  }
};

// All threads but this one have no memory while it lives.
struct NoMemoryElsewhere {
  NoMemoryElsewhere() { test::endMemoryOfOtherThreads(); }
  ~NoMemoryElsewhere() { test::letMemoryLast(); }
};

// Until work has ended for want of memory: a worker that has none to say so tries again and again, which
// work itself does not.
bool workEnds() {
  constexpr std::int64_t kMoreThanWorkTries = 200;
  return QTest::qWaitFor([] { return test::refusedRequests() > kMoreThanWorkTries; }, kTimeoutMs);
}

// The job of a window, with all of its tables.
struct OpenWindow : TestWindow {
  explicit OpenWindow() {
    writeSmallJob(folder.path() / "job");
    if (!opens(QString::fromStdString(folder / "job"))) qFatal("the job did not open");
  }
};

class Page : public AnalysisPage {
 public:
  explicit Page(PendingWork& pending) : AnalysisPage(pending, nullptr) {}
  using AnalysisPage::setContents;
};

class Thrower : public QObject {
 public:
  bool event(QEvent* event) override {
    if (event->type() == QEvent::User) throw std::bad_alloc();
    return QObject::event(event);
  }
};

} // namespace

class WorkersTest : public QObject {
  Q_OBJECT

 private slots:
  void cleanup() {
    test::letMemoryLast();
    setThreadStarter(nullptr);
    QVERIFY(Workers::ofProgram().waitForDone(kTimeoutMs));
  }

  // The first one, so that there is no thread yet.
  void withoutAThreadWorkIsDoneAllTheSame() {
    setThreadStarter(&startNone);
    PendingWork pending;
    LatestTask<int> task(pending);
    int answer = 0;
    task.ask([] { return 7; }, [&](int value) { answer = value; });
    QVERIFY(task.pending());
    QCOMPARE(answer, 0); // it arrives as from a thread
    QTRY_COMPARE(answer, 7);
    QVERIFY(!task.pending());
  }

  void resultsAreDeliveredOnTheCallingThread() {
    PendingWork pending;
    LatestTask<QThread*> task(pending);
    QThread* worked = nullptr;
    QThread* received = nullptr;
    task.ask([] { return QThread::currentThread(); },
             [&](QThread* on) {
               worked = on;
               received = QThread::currentThread();
             });
    QTRY_VERIFY(received != nullptr);
    QVERIFY(worked != received);
    QCOMPARE(received, QThread::currentThread());
  }

  void whatWorkThrowsArrivesAsAnError() {
    Reports reports;
    PendingWork pending;
    LatestTask<int> task(pending);
    std::vector<ErrorKind> kinds;
    const auto done = [](int) { QFAIL("there is no answer"); };
    const auto failed = [&](const Error& error) { kinds.push_back(error.kind); };
    task.ask([]() -> int { throw std::bad_alloc(); }, done, failed);
    QTRY_COMPARE(kinds.size(), 1u);
    QVERIFY(!task.pending());
    task.ask([]() -> int { throw std::runtime_error("no"); }, done, failed);
    QTRY_COMPARE(kinds.size(), 2u);
    QCOMPARE(kinds, (std::vector{ErrorKind::OutOfMemory, ErrorKind::Fault}));
    QVERIFY(reports.errors.empty());
    // Without an error handler the window reports it.
    task.ask([]() -> int { throw std::bad_alloc(); }, done);
    QTRY_COMPARE(reports.errors.size(), 1u);
    QVERIFY(!task.pending());
  }

  void aTaskOfAResultHearsOfWhatWasThrown() {
    PendingWork pending;
    LatestTask<Result<int>> task(pending);
    std::optional<Error> error;
    task.ask([]() -> Result<int> { throw std::length_error("too long"); },
             [&](const Result<int>& answer) { error = answer.error(); });
    QTRY_VERIFY(error.has_value());
    QCOMPARE(error->kind, ErrorKind::OutOfMemory);
  }

  void anAnswerToAnOlderRequestIsDroppedAlsoWhenItThrows() {
    Reports reports;
    PendingWork pending;
    LatestTask<int> task(pending);
    std::vector<int> answers;
    const auto done = [&](int value) { answers.push_back(value); };
    task.ask([]() -> int { throw std::bad_alloc(); }, done);
    task.ask([] { return 2; }, done);
    QTRY_COMPARE(answers, std::vector{2});
    QVERIFY(reports.errors.empty());
  }

  void aTaskThatIsGoneHearsNothing() {
    PendingWork pending;
    auto task = std::make_unique<LatestTask<int>>(pending);
    int received = 0;
    task->ask([] { return 1; }, [&](int) { ++received; });
    task.reset();
    QVERIFY(Workers::ofProgram().waitForDone(kTimeoutMs));
    QCoreApplication::processEvents();
    QCOMPARE(received, 0);
  }

  void manyWorkItemsAreAllDelivered() {
    constexpr int kTasks = 200;
    PendingWork pending;
    std::vector<std::unique_ptr<LatestTask<int>>> tasks;
    int sum = 0;
    for (int i = 0; i < kTasks; ++i) {
      tasks.push_back(std::make_unique<LatestTask<int>>(pending));
      tasks.back()->ask([i] { return i; }, [&](int value) { sum += value; });
    }
    QTRY_COMPARE(sum, kTasks * (kTasks - 1) / 2);
  }

  void exceptionsOfEventHandlersAreReported() {
    Reports reports;
    Thrower thrower;
    QCoreApplication::postEvent(&thrower, new QEvent(QEvent::User));
    QTRY_COMPARE(reports.errors.size(), 1u);
    QCOMPARE(reports.errors.front().kind, ErrorKind::OutOfMemory);
  }

  void aPageWhoseContentsCannotBeMadeIsSettledAndTriesAgainWhenLookedAt() {
    Reports reports;
    PendingWork pending;
    Page page(pending);
    int tries = 0;
    bool shown = false;
    page.setContents<int>(
        [&](const Analysis&) {
          if (++tries == 1) throw std::bad_alloc();
          return 7;
        },
        [&](const std::shared_ptr<const int>& data) { shown = data != nullptr; });
    const auto traces = std::make_shared<const TraceSet>("job", StringTable(), std::vector<RankEntry>(),
                                                         std::vector<FileRecord>());
    page.setReport(std::make_shared<const JobReport>(std::make_shared<const Analysis>(traces)));
    page.show();
    QVERIFY(!pending.idle());
    QVERIFY(settles(pending));
    QVERIFY(!shown && !page.upToDate());
    QCOMPARE(reports.errors.size(), 1u);
    page.hide();
    page.show();
    QVERIFY(!page.upToDate());
    QTRY_VERIFY(shown);
    QVERIFY(page.upToDate());
  }

  void theSearchEndsWithAMessageWhenMemoryDoes() {
    OpenWindow open;
    EventFinder finder(open.window.session());
    {
      const NoMemoryElsewhere none;
      finder.setText(QStringLiteral("a"));
      QTRY_VERIFY(!finder.running());
    }
    QVERIFY(finder.problem());
    QVERIFY(finder.problem()->what.contains(QStringLiteral("memory"))); // which the words need as well
    finder.setText(QStringLiteral("nccl"));
    QVERIFY(open.settles());
    QVERIFY(!finder.problem());
    QVERIFY(finder.sums().count > 0);
  }

  void summariesOfRanksEndWhenMemoryDoes() {
    OpenWindow open;
    Reports reports;
    PendingWork pending;
    RankSummaries summaries(pending);
    const auto analysis = std::make_shared<const Analysis>(open.window.session().trace());
    {
      const NoMemoryElsewhere none;
      summaries.setAnalysis(analysis);
      QVERIFY(workEnds());
    }
    QVERIFY(settles(pending));
    QCOMPARE(reports.errors.size(), 1u);
    // A failed computation is repeated on the next request.
    summaries.setAnalysis(std::make_shared<const Analysis>(open.window.session().trace(), analysis.get()));
    QVERIFY(settles(pending));
    QVERIFY(summaries.of(RankIndex(0)) != nullptr);
  }

  void countersEndWhenMemoryDoes() {
    OpenWindow open;
    Reports reports;
    PendingWork pending;
    CounterCurves curves(pending);
    curves.setTrace(open.window.session().trace());
    {
      const NoMemoryElsewhere none;
      QVERIFY(curves.of(RankIndex(0)) == nullptr);
      QVERIFY(workEnds());
    }
    QVERIFY(settles(pending));
    QCOMPARE(reports.errors.size(), 1u);
  }

  void aRangeThatCannotBeAnalyzedLeavesTheWholeTraceAndReportsIt() {
    OpenWindow open;
    TraceSession& session = open.window.session();
    const auto whole = open.window.tabs().scope().report();
    const TimeRange all = session.limits();
    session.setRange(TimeRange{all.begin, all.begin + all.length() / 2});
    QVERIFY(open.settles());
    TableScope scope(session);
    {
      const NoMemoryElsewhere none;
      scope.setWhole(whole);
      QVERIFY(!session.pending().idle());
      QTRY_VERIFY(test::refusedRequests() > 0);
    }
    QVERIFY(open.settles());
    QCOMPARE(scope.report(), whole);
    QCOMPARE(scope.text(), QStringLiteral("Whole trace"));
    QVERIFY(open.window.banner().isVisible());
    QVERIFY(open.window.banner().text().startsWith(QStringLiteral("Not enough memory")));
  }

  void aSessionThatCannotBeReadIsNotWrittenOver() {
    OpenWindow open;
    TraceSession& session = open.window.session();
    EventFinder finder(session);
    const QStringList traces{QString::fromStdString(open.folder / "job")};
    const QDir folder(QString::fromStdString(open.folder / "sessions"));
    const auto kept = [&] {
      QFile file(folder.filePath(folder.entryList(QDir::Files).value(0)));
      return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const auto begin = [&](SessionStore& sessionStore) {
      sessionStore.setFolder(folder.path());
      sessionStore.begin(traces, {}, std::nullopt);
      return open.settles();
    };
    const TimeRange all = session.limits();
    const TimeRange half{all.begin, all.begin + all.length() / 2};
    {
      SessionStore sessionStore(session, finder);
      QVERIFY(begin(sessionStore));
      session.setWindow(half);
      sessionStore.saveNow();
    }
    const QByteArray before = kept();
    QVERIFY(!before.isEmpty());
    session.setWindow(all);
    Reports reports;
    SessionStore sessionStore(session, finder);
    {
      const NoMemoryElsewhere none;
      sessionStore.setFolder(folder.path());
      sessionStore.begin(traces, {}, std::nullopt);
      QVERIFY(workEnds());
    }
    QVERIFY(open.settles());
    QCOMPARE(reports.errors.size(), 1u);
    QCOMPARE(reports.errors[0].kind, ErrorKind::OutOfMemory);
    QCOMPARE(session.window(), all);
    session.setWindow({all.begin, all.begin + all.length() / 4});
    sessionStore.saveNow();
    QCOMPARE(kept(), before);
    QVERIFY(begin(sessionStore)); // and read when there is memory again
    QCOMPARE(session.window(), half);
  }

  void aReportThatCannotBeMadeReportsIt() {
    OpenWindow open;
    ReportExport& report = open.window.reportExport();
    QSignalSpy finished(&report, &ReportExport::finished);
    {
      const NoMemoryElsewhere none;
      report.write({QString::fromStdString(open.folder / "report"), TableFormat::Csv, std::nullopt, false});
      QTRY_VERIFY(test::refusedRequests() > 0);
    }
    QTRY_COMPARE(finished.count(), 1);
    QVERIFY(finished.front().at(2).toString().contains(QStringLiteral("memory")));
    QVERIFY(!report.working());
  }
};

RANKSCOPE_UI_TEST(WorkersTest)
#include "workers_test.moc"
