// SPDX-License-Identifier: GPL-3.0-or-later
// What is worked out of ranks beside their events: whoever waits for pending work waits for it too.
#include "ui/timeline/ranks/rank_summaries.h"

#include "core/base/unit_text.h"
#include "tests/ui/timeline_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/timeline/ranks/rank_figures.h"

#include <QSignalSpy>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

constexpr TimeNs kHostEnd = 5 * kMs;
constexpr TimeNs kHostLast = kMs / 2; // of the operators beside the collective

// A rank that computes on its host until `begin` and communicates from there on.
std::string hostRankText(int rank, TimeNs begin) {
  test::TraceText text;
  text.baseTime(kBase).distributedInfo(rank, 2);
  text.addStep(1, 0, kHostEnd);
  text.addCpuOp(kMainThread, 0, begin - kHostLast, "aten::mm");
  text.addCpuOp(kMainThread, begin, kHostLast, "aten::add");
  text.addCpuOp(200, begin, kHostEnd - begin, "gloo:all_reduce");
  return text.text();
}

} // namespace

class RankSummariesTest : public QObject {
  Q_OBJECT

 private slots:
  void theyArePendingUntilAllRanksAreThere() {
    const auto analysis = std::make_shared<const Analysis>(loadRanks(3));
    PendingWork pending;
    RankSummaries summaries(pending);
    QSignalSpy changed(&summaries, &RankSummaries::changed);
    summaries.setAnalysis(analysis);
    QVERIFY(!pending.idle());
    QVERIFY(settles(pending));
    QVERIFY(changed.count() > 0);
    for (std::size_t rank = 0; rank < 3; ++rank) QVERIFY(summaries.of(RankIndex(rank)) != nullptr);
    summaries.setAnalysis(analysis); // nothing is to come
    QVERIFY(pending.idle());
  }

  void whatIsGivenUpIsNotPending() {
    PendingWork pending;
    RankSummaries summaries(pending);
    summaries.setAnalysis(std::make_shared<const Analysis>(loadRanks(3)));
    static_cast<void>(summaries.countersOf(RankIndex(0)));
    summaries.setAnalysis(nullptr);
    QVERIFY(pending.idle());
    summaries.setAnalysis(std::make_shared<const Analysis>(loadRanks(1)));
    QVERIFY(!pending.idle());
    QVERIFY(settles(pending)); // whatever arrives of what was given up
    QVERIFY(summaries.of(RankIndex(0)) != nullptr);
  }

  void countersArePendingFromTheQuestionOn() {
    PendingWork pending;
    RankSummaries summaries(pending);
    summaries.setAnalysis(std::make_shared<const Analysis>(loadRanks(2)));
    QVERIFY(settles(pending));
    QVERIFY(summaries.countersOf(RankIndex(1)) == nullptr);
    QVERIFY(!pending.idle());
    QVERIFY(settles(pending));
    QVERIFY(summaries.countersOf(RankIndex(1)) != nullptr);
    QVERIFY(pending.idle());
  }

  // Of two ranks on CPUs the first waits for the second, which computes three times as long.
  void ranksWithoutADeviceCommunicateOnTheirHost() {
    Shown shown(load({hostRankText(0, kMs), hostRankText(1, 3 * kMs)}));
    RankSummaries summaries(shown.session.pending());
    summaries.setAnalysis(shown.session.analysis());
    QVERIFY(settles(shown.session.pending()));
    for (const auto& [rank, begin] : {std::pair(RankIndex(0), kMs), std::pair(RankIndex(1), 3 * kMs)}) {
      QVERIFY(summaries.activityOf(rank)->busy.empty());
      const DeviceActivity& onHost = *summaries.communicatingOf(rank);
      QCOMPARE(onHost.compute.totalLength(), begin);
      QCOMPARE(onHost.communication.totalLength(), kHostEnd - begin);
      // Communication goes on beside the last operator.
      QCOMPARE(onHost.overlap.totalLength(), kHostLast);
      QCOMPARE(onHost.exposed.totalLength(), kHostEnd - begin - kHostLast);
      const auto valueOf = [&](int priority) {
        for (const RankFigure& figure : rankFigures({0, &onHost, shown.window()}))
          if (figure.priority == priority) return figure.value;
        return QString();
      };
      QCOMPARE(valueOf(kExposedFigure), QString::fromStdString(durationText(kHostEnd - begin - kHostLast)));
      QCOMPARE(valueOf(kComputeFigure), QString::fromStdString(durationText(begin)));
      QCOMPARE(valueOf(kIdleFigure), QStringLiteral("–"));
    }
    // Drawn as that of a device.
    const EventRef event = shown.find("gloo:all_reduce");
    const QPoint middle = shown.pointOn(event, 0.4);
    const QImage picture = shown.picture();
    int hatched = 0;
    for (int x = middle.x() - 50; x < middle.x() + 50; ++x)
      if (picture.pixel(x, middle.y()) == shown.session.theme().exposed.rgb()) ++hatched;
    QVERIFY(hatched > 10);
  }

  // Single records of the host say that as much is reserved as they allocate.
  void onlyDevicesReserveMemory() {
    for (const int device : {-1, 0}) {
      test::TraceText text;
      text.baseTime(kBase).distributedInfo(0, 1);
      text.addCpuOp(kMainThread, 0, 10 * kMs, "aten::empty");
      text.addMemory(kMainThread, kMs, 16384, 1'000'000, 16384, device);
      text.addMemory(kMainThread, 2 * kMs, 630'900, 1'630'900, 0, device);
      const auto trace = load({text.text()});
      const MemoryCurve memory = summaryOf(*trace->rank(RankIndex(0)).trace, DeviceActivity()).memory;
      QCOMPARE(memory.peak, std::int64_t{1'630'900});
      QCOMPARE(memory.reserved.empty(), device < 0);
    }
  }

  void aTimelineIsCompleteWhenNothingIsPending() {
    TraceSession session;
    TimelineView view(session);
    view.resize(1242, 700);
    view.show();
    session.setTrace(loadRanks(2));
    QVERIFY(!session.pending().idle());
    view.prepare();
    QVERIFY(settles(session.pending()));
    view.prepare(); // finds all of it there
    QVERIFY(session.pending().idle());
  }
};

RANKSCOPE_UI_TEST(RankSummariesTest)
#include "rank_summaries_test.moc"
