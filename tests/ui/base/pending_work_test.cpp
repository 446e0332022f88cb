// SPDX-License-Identifier: GPL-3.0-or-later
// What is under way is counted until it ends, in whichever way it does.
#include "ui/base/pending_work.h"

#include "tests/ui/settling.h"
#include "tests/ui/ui_test.h"
#include "ui/base/latest_task.h"
#include "ui/base/workers.h"

#include <QSemaphore>
#include <QSignalSpy>
#include <QTest>

#include <memory>
#include <stdexcept>
#include <vector>

using namespace rankscope::ui;

class PendingWorkTest : public QObject {
  Q_OBJECT
 private slots:
  void cleanup() { QVERIFY(Workers::ofProgram().waitForDone(kTimeoutMs)); }

  void itIsSettledWhenTheLastTokenIsGone() {
    PendingWork work;
    QSignalSpy settled(&work, &PendingWork::settled);
    QVERIFY(work.idle());
    auto first = work.begin();
    auto second = work.begin();
    first.release();
    first.release();
    QVERIFY(!work.idle());
    QCoreApplication::processEvents();
    QCOMPARE(settled.count(), 0);
    second = {};
    QVERIFY(work.idle());
    QCOMPARE(settled.count(), 0); // from the event loop only
    QCoreApplication::processEvents();
    QCOMPARE(settled.count(), 1);
  }

  void aMovedTokenCountsOnce() {
    PendingWork work;
    auto token = work.begin();
    auto moved = std::move(token);
    QVERIFY(!token && moved);
    moved = work.begin(); // the former one ends
    QVERIFY(!work.idle());
    moved.release();
    QVERIFY(work.idle());
  }

  void aTokenIsReleasedByAnException() {
    PendingWork work;
    try {
      const auto token = work.begin();
      throw std::runtime_error("the worker failed");
    } catch (const std::runtime_error&) {
      QVERIFY(work.idle());
    }
  }

  void aTokenMayOutliveWhatItCountsFor() {
    auto work = std::make_unique<PendingWork>();
    auto token = work->begin();
    work.reset();
    QVERIFY(!token);
  }

  void aStepBetweenTwoOthersIsNoEnd() {
    PendingWork work;
    QSignalSpy settled(&work, &PendingWork::settled);
    auto token = work.begin();
    token.release();
    token = work.begin();
    QCoreApplication::processEvents();
    QCOMPARE(settled.count(), 0);
  }

  // What a part's end leads to is begun before its whole is said to have settled.
  void aPartCountsForItsWholeAndSettlesFirst() {
    PendingWork whole;
    PendingWork part(&whole);
    PendingWork other(&whole);
    PendingWork::Token then;
    connect(&part, &PendingWork::settled, this, [&] {
      if (!then) then = whole.begin();
    });
    QSignalSpy settled(&whole, &PendingWork::settled);
    auto a = part.begin();
    auto b = part.begin();
    a.release();
    QVERIFY(other.idle() && !part.idle() && !whole.idle());
    b.release();
    QVERIFY(part.idle() && whole.idle());
    QCoreApplication::processEvents();
    QVERIFY(then);
    QCOMPARE(settled.count(), 0);
    then.release();
    QVERIFY(settles(whole));
  }

  void aTaskIsPendingUntilWhatFollowsFromItsAnswerHasBegun() {
    PendingWork work;
    LatestTask<int> first(work);
    LatestTask<int> second(work);
    std::vector<int> answers;
    bool between = true;
    first.ask([] { return 1; },
              [&](int answer) {
                answers.push_back(answer);
                second.ask([] { return 2; }, [&](int other) { answers.push_back(other); });
                between = work.idle();
              });
    QVERIFY(settles(work));
    QCOMPARE(answers, (std::vector<int>{1, 2}));
    QVERIFY(!between);
  }

  void aTaskThatNobodyWantsAnyMoreIsNotPending() {
    PendingWork work;
    QSemaphore gate;
    LatestTask<int> task(work);
    const auto never = [](int) { QFAIL("nobody wants it"); };
    task.ask(
        [&] {
          gate.acquire();
          return 1;
        },
        never);
    QVERIFY(task.pending() && !work.idle());
    task.drop();
    QVERIFY(!task.pending() && work.idle());
    {
      LatestTask<int> other(work);
      other.ask([] { return 2; }, never);
      QVERIFY(!work.idle());
    }
    QVERIFY(work.idle());
    gate.release();
    QVERIFY(Workers::ofProgram().waitForDone(kTimeoutMs));
    QCoreApplication::processEvents();
  }
};

RANKSCOPE_UI_TEST(PendingWorkTest)
#include "pending_work_test.moc"
