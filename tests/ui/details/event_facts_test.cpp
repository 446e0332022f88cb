// SPDX-License-Identifier: GPL-3.0-or-later
// Details of the clicked event: arguments read from its file, and links.
#include "tests/support/stub_details.h"
#include "tests/support/trace_text.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/base/workers.h"
#include "ui/details/details_panel.h"
#include "ui/details/event_facts.h"
#include "ui/job/trace_session.h"
#include "ui/timeline/canvas/timeline_canvas.h"
#include "ui/timeline/view/timeline_view.h"
#include "ui/window/screenshot.h"

#include <QSemaphore>
#include <QTest>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

EventRef firstLaunchedKernel(const TraceSet& traces) {
  const RankTrace& trace = *traces.ranks().front().trace;
  for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value)
    if (trace.deviceDetail(event).launch.valid()) return {RankIndex(std::size_t{0}), event};
  return {};
}

} // namespace

class EventFactsTest : public QObject {
  Q_OBJECT

 private slots:
  void cleanup() { QVERIFY(Workers::ofProgram().waitForDone(kTimeoutMs)); }

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
    // Self time excludes direct children: 50 - 30 - 2 of the launch outside of addmm.
    const RankTrace& rank = *(*traces)->ranks().front().trace;
    const EventRef linear = findEvent(**traces, EventQuery{0, "aten::linear"}, {INT64_MIN, INT64_MAX});
    QCOMPARE(selfTime(rank, linear.event), std::optional<TimeNs>(18'000));
  }

  void argumentsOfAnEarlierSelectionNeverShowUp() {
    QSemaphore gate;
    std::atomic<int> reads{0};
    const auto readFields = [&](SourceRef at) -> Result<std::vector<EventField>> {
      if (reads++ == 0) gate.acquire();
      return std::vector<EventField>{{"at", std::to_string(at.readerBits())}};
    };
    TestWindow test([&](const auto& paths, const auto& options, auto& progress,
                        const auto&) -> Result<std::shared_ptr<const TraceSet>> {
      const auto loaded = loadTraces(paths, options, progress);
      if (!loaded) return loaded.error();
      return test::withDetails(**loaded, readFields);
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
};

RANKSCOPE_UI_TEST(EventFactsTest)
#include "event_facts_test.moc"
