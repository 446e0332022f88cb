// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/ui_test.h"
#include "ui/base/workers.h"
#include "ui/job/load_job.h"

#include <QSemaphore>
#include <QSignalSpy>
#include <QTest>

#include <atomic>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

std::shared_ptr<const TraceSet> jobNamed(std::string name) {
  return std::make_shared<const TraceSet>(std::move(name), StringTable{}, std::vector<RankEntry>{},
                                          std::vector<FileRecord>{});
}

// A load whose course the test decides: it tells when it began, waits for the gate, and gives up when told
// to.
struct ScriptedLoad {
  QSemaphore began;
  QSemaphore gate;
  std::atomic<int> sawCancel{0};

  LoadFunction function() {
    return [this](const std::vector<std::string>& paths, const LoadOptions&, Progress& progress,
                  const RanksArrived& ranksArrived) -> Result<std::shared_ptr<const TraceSet>> {
      progress.stage = LoadStage::Reading;
      progress.bytesTotal = 1000;
      progress.bytesDone = 250;
      progress.eventsDone = 77;
      progress.filesTotal = 4;
      progress.filesDone = 1;
      if (ranksArrived) ranksArrived(jobNamed("partial " + paths.front()));
      began.release();
      while (!gate.tryAcquire(1, 1)) {
        if (!progress.cancelled()) continue;
        ++sawCancel;
        return Error{ErrorKind::Cancelled, "cancelled", {}, {}};
      }
      if (paths.front() == "broken") return Error{ErrorKind::Format, "not a trace", "broken", 12};
      return jobNamed(paths.front());
    };
  }
};

} // namespace

class LoadJobTest : public QObject {
  Q_OBJECT
 private slots:
  // Two loads run at once in some tests, also where there is one core.
  void cleanup() { QVERIFY(Workers::ofProgram().waitForDone(kTimeoutMs)); }

  void reportsProgressThenRanksThenTheResult() {
    ScriptedLoad script;
    PendingWork pending;
    LoadJob job(pending, script.function());
    QSignalSpy progressed(&job, &LoadJob::progressed);
    QSignalSpy arrived(&job, &LoadJob::ranksArrived);
    QSignalSpy finished(&job, &LoadJob::finished);
    std::string arrivedName;
    connect(&job, &LoadJob::ranksArrived, &job, [&](const auto& traces) { arrivedName = traces->jobName(); });
    LoadSnapshot last;
    connect(&job, &LoadJob::progressed, &job, [&](const LoadSnapshot& snapshot) { last = snapshot; });
    std::string finishedName;
    connect(&job, &LoadJob::finished, &job, [&](const auto& traces) { finishedName = traces->jobName(); });

    job.start({"a"});
    QVERIFY(job.running());
    QTRY_COMPARE(arrived.count(), 1);
    QCOMPARE(arrivedName, std::string("partial a"));
    QCOMPARE(last.stage, LoadStage::Reading);
    QCOMPARE(last.bytesDone, 250u);
    QCOMPARE(last.bytesTotal, 1000u);
    QCOMPARE(last.eventsDone, 77u);
    QCOMPARE(last.filesDone, 1u);
    QCOMPARE(last.filesTotal, 4u);
    QCOMPARE(finished.count(), 0);

    script.gate.release();
    QTRY_COMPARE(finished.count(), 1);
    QCOMPARE(finishedName, std::string("a"));
    QVERIFY(!job.running());
  }

  void anErrorIsHandedOnWhole() {
    ScriptedLoad script;
    PendingWork pending;
    LoadJob job(pending, script.function());
    QSignalSpy failed(&job, &LoadJob::failed);
    Error error;
    connect(&job, &LoadJob::failed, &job, [&](const Error& e) { error = e; });
    script.gate.release();
    job.start({"broken"});
    QTRY_COMPARE(failed.count(), 1);
    QCOMPARE(error.text(), std::string("broken: byte 12: not a trace"));
  }

  void cancelIsReportedAtOnceAndReachesTheWorker() {
    ScriptedLoad script;
    PendingWork pending;
    LoadJob job(pending, script.function());
    QSignalSpy cancelled(&job, &LoadJob::cancelled);
    QSignalSpy failed(&job, &LoadJob::failed);
    QSignalSpy finished(&job, &LoadJob::finished);
    job.start({"a"});
    QVERIFY(script.began.tryAcquire(1, kTimeoutMs));
    job.cancel();
    QCOMPARE(cancelled.count(), 1);
    QVERIFY(!job.running());
    QVERIFY(Workers::ofProgram().waitForDone(kTimeoutMs));
    QCOMPARE(script.sawCancel.load(), 1);
    QCoreApplication::processEvents();
    QCOMPARE(failed.count(), 0);
    QCOMPARE(finished.count(), 0);
    job.cancel();
    QCOMPARE(cancelled.count(), 1);
  }

  void aSecondStartReplacesTheFirstAndNothingOfTheFirstIsHeard() {
    ScriptedLoad first;
    ScriptedLoad second;
    std::atomic<int> calls{0};
    PendingWork pending;
    LoadJob job(pending,
                [&](const auto& paths, const auto& options, Progress& progress, const auto& arrived) {
                  return (calls++ == 0 ? first : second).function()(paths, options, progress, arrived);
                });
    QSignalSpy cancelled(&job, &LoadJob::cancelled);
    std::vector<std::string> finished;
    connect(&job, &LoadJob::finished, &job,
            [&](const auto& traces) { finished.push_back(traces->jobName()); });

    job.start({"first"});
    QVERIFY(first.began.tryAcquire(1, kTimeoutMs));
    job.start({"second"});
    QVERIFY(second.began.tryAcquire(1, kTimeoutMs));
    second.gate.release();
    QTRY_COMPARE(finished.size(), 1u);
    QCOMPARE(finished.front(), std::string("second"));
    QVERIFY(Workers::ofProgram().waitForDone(kTimeoutMs));
    QCoreApplication::processEvents();
    QCOMPARE(finished.size(), 1u);
    QCOMPARE(first.sawCancel.load(), 1);
    QCOMPARE(cancelled.count(), 0);
  }

  void aFirstJobThatIgnoresTheCancelCannotOverwriteTheSecond() {
    QSemaphore firstGate;
    PendingWork pending;
    LoadJob job(pending,
                [&](const std::vector<std::string>& paths, const auto&, Progress&,
                    const auto&) -> Result<std::shared_ptr<const TraceSet>> {
                  if (paths.front() == "first") firstGate.acquire();
                  return jobNamed(paths.front());
                });
    std::vector<std::string> finished;
    connect(&job, &LoadJob::finished, &job,
            [&](const auto& traces) { finished.push_back(traces->jobName()); });
    job.start({"first"});
    job.start({"second"});
    QTRY_COMPARE(finished.size(), 1u);
    firstGate.release();
    QVERIFY(Workers::ofProgram().waitForDone(kTimeoutMs));
    QCoreApplication::processEvents();
    QCOMPARE(finished, std::vector<std::string>{"second"});
  }

  void destroyingWhileLoadingDoesNotWaitAndStopsTheWorker() {
    ScriptedLoad script;
    PendingWork pending;
    auto job = std::make_unique<LoadJob>(pending, script.function());
    job->start({"a"});
    QVERIFY(script.began.tryAcquire(1, kTimeoutMs));
    job.reset();
    QVERIFY(Workers::ofProgram().waitForDone(kTimeoutMs));
    QCOMPARE(script.sawCancel.load(), 1);
  }

  void runningOutOfMemoryIsAnErrorNotACrash() {
    PendingWork pending;
    LoadJob job(pending,
                [](const auto&, const auto&, Progress&,
                   const auto&) -> Result<std::shared_ptr<const TraceSet>> { throw std::bad_alloc(); });
    std::optional<ErrorKind> kind;
    connect(&job, &LoadJob::failed, &job, [&](const Error& error) { kind = error.kind; });
    job.start({"a"});
    QTRY_VERIFY(kind.has_value());
    QCOMPARE(*kind, ErrorKind::OutOfMemory);
  }
};

RANKSCOPE_UI_TEST(LoadJobTest)
#include "load_job_test.moc"
