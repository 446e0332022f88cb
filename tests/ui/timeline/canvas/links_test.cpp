// SPDX-License-Identifier: GPL-3.0-or-later
// Links of the selected event, drawn and followed: launches, operators, Python frames, backward, waits.
// Covers ui/job/selection_links too.
#include "tests/ui/highlight_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/actions/actions.h"
#include "ui/details/details_panel.h"
#include "ui/job/link_choice.h"

#include <algorithm>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

constexpr int kProcess = 100; // of the host's threads in a TraceText

// A forward and a backward operator with a kernel each, a frame around the forward one, a memcpy on another
// stream that the third kernel waits for, and a call that waits for everything.
std::string linkedText() {
  test::TraceText trace;
  trace.baseTime(kBase).distributedInfo(0, 1);
  trace.addPython(kMainThread, 0, 10 * kMs, "train.py(10): main", 1, -1);
  trace.addPython(kMainThread, kMs / 2, 2 * kMs, "model.py(20): forward", 2, 1);
  trace.addCpuOp(kMainThread, kMs, kMs, "aten::linear");
  trace.addCpuOp(kMainThread, kMs + 100'000, kMs / 2, "aten::mm");
  trace.addRuntime(kMainThread, kMs + 200'000, 20'000, "cudaLaunchKernel", 11);
  trace.addKernel(0, kStream, 2 * kMs, kMs, "gemm_kernel", 11);
  trace.addCpuOp(kMainThread, 3 * kMs, kMs, "LinearBackward0");
  trace.addRuntime(kMainThread, 3 * kMs + 100'000, 20'000, "cudaLaunchKernel", 12);
  trace.addKernel(0, kStream, 4 * kMs, kMs, "backward_kernel", 12);
  trace.addFlow('s', 7, kProcess, kMainThread, kMs, "fwdbwd");
  trace.addFlow('f', 7, kProcess, kMainThread, 3 * kMs, "fwdbwd");
  trace.addCpuOp(kMainThread, 44 * kMs / 10, kMs / 2, "aten::add");
  trace.addRuntime(kMainThread, 45 * kMs / 10, 20'000, "cudaLaunchKernel", 13);
  trace.addRuntime(kMainThread, 46 * kMs / 10, 20'000, "cudaLaunchKernel", 14);
  trace.addKernel(0, 9, 48 * kMs / 10, 12 * kMs / 10, "side_kernel", 13);
  trace.addKernel(0, kStream, 6 * kMs + 3000, kMs, "add_kernel", 14);
  trace.addRuntime(kMainThread, 65 * kMs / 10, kMs, "cudaDeviceSynchronize", 15);
  return trace.text();
}

// Stream 9 waits by an event for the first kernel of stream 7; the second one is unrelated. The times do
// not reveal it: there is no gap.
std::string eventText() {
  test::TraceText trace;
  trace.baseTime(kBase).distributedInfo(0, 1);
  trace.addCpuOp(kMainThread, kMs / 2, 3 * kMs, "aten::step");
  trace.addRuntime(kMainThread, kMs, 20'000, "cudaLaunchKernel", 11);
  trace.addKernel(0, kStream, 2 * kMs, kMs, "produce_kernel", 11);
  trace.addRuntime(kMainThread, 11 * kMs / 10, 20'000, "cudaEventRecord", 12);
  trace.addRuntime(kMainThread, 12 * kMs / 10, 20'000, "cudaLaunchKernel", 13);
  trace.addKernel(0, kStream, 3 * kMs, kMs, "unrelated_kernel", 13);
  trace.addRuntime(kMainThread, 13 * kMs / 10, 20'000, "cudaStreamWaitEvent", 14);
  trace.addSlice("cuda_sync", 0, 9, 131 * kMs / 100, 2'000, "Stream Wait Event",
                 R"("cuda_sync_kind": "Stream Wait Event", "wait_on_stream": 7, )"
                 R"("wait_on_cuda_event_record_corr_id": 12, "stream": 9, "correlation": 14, "device": 0)");
  trace.addRuntime(kMainThread, 14 * kMs / 10, 20'000, "cudaLaunchKernel", 15);
  trace.addKernel(0, 9, 32 * kMs / 10, kMs, "consume_kernel", 15);
  return trace.text();
}

bool holds(const std::vector<SelectionLink>& links, LinkKind kind, EventRef from, EventRef to) {
  return std::ranges::find(links, SelectionLink{kind, from, to}) != links.end();
}

EventRef launchOf(const Shown& shown, std::string_view kernel) {
  const EventRef event = shown.find(kernel);
  return {event.rank, shown.session.trace()->rank(event.rank).trace->deviceDetail(event.event).launch};
}

} // namespace

class LinksTest : public QObject {
  Q_OBJECT

 private slots:
  void aKernelIsLinkedToItsLaunchItsOperatorAndItsPythonFrame();
  void bracketsWalkFromThePythonFrameToTheKernelAndBack();
  void forwardLeadsToBackwardAndBack();
  void aKernelIsLinkedToTheWorkOfAnotherStreamThatItWaitedFor();
  void aSynchronizingCallIsLinkedToTheWorkThatEndedLast();
  void linksAreDrawnForTheSelectionUntilSwitchedOff();
  void aKernelIsLinkedToTheWorkThatItsStreamWaitedForByAnEvent();
  void bracketsWalkFromTheRecordedEventToWhatWaitedForIt();
  void ctrlBracketsChooseAmongSeveralLinksAndDetailsNamesTheChosenOne();
  void theChosenLinkIsDrawnStrongerThanTheOthers();
  void linksLeadFromPinnedLanesToThoseThatScroll();
};

void LinksTest::aKernelIsLinkedToItsLaunchItsOperatorAndItsPythonFrame() {
  Highlighted shown(load({linkedText()}));
  const EventRef kernel = shown.find("gemm_kernel");
  const auto links = selectionLinks(*shown.session.trace(), &shown.highlights(), kernel);
  const EventRef launch = launchOf(shown, "gemm_kernel");
  const EventRef op = shown.find("aten::mm");
  QVERIFY(holds(links, LinkKind::Launch, launch, kernel));
  QVERIFY(holds(links, LinkKind::Caller, op, launch));
  QVERIFY(holds(links, LinkKind::Python, shown.find("model.py(20): forward"), op));
  // An operator knows what was launched within the ones below it.
  const auto ofOperator = selectionLinks(*shown.session.trace(), nullptr, shown.find("aten::linear"));
  QVERIFY(holds(ofOperator, LinkKind::Launch, launch, kernel));
}

void LinksTest::bracketsWalkFromThePythonFrameToTheKernelAndBack() {
  Highlighted shown(load({linkedText()}));
  shown.session.select(shown.find("model.py(20): forward"));
  const std::vector<EventRef> way{shown.find("aten::linear"), launchOf(shown, "gemm_kernel"),
                                  shown.find("gemm_kernel")};
  for (const EventRef& event : way) {
    shown.press(Qt::Key_BracketRight);
    QCOMPARE(shown.session.selection(), event);
  }
  shown.press(Qt::Key_BracketLeft);
  QCOMPARE(shown.session.selection(), launchOf(shown, "gemm_kernel"));
  shown.press(Qt::Key_BracketLeft);
  QCOMPARE(shown.session.selection(), shown.find("aten::mm"));
  shown.press(Qt::Key_BracketLeft);
  QCOMPARE(shown.session.selection(), shown.find("model.py(20): forward"));
}

void LinksTest::forwardLeadsToBackwardAndBack() {
  Highlighted shown(load({linkedText()}));
  const EventRef forward = shown.find("aten::linear");
  const EventRef backward = shown.find("LinearBackward0");
  QVERIFY(
      holds(selectionLinks(*shown.session.trace(), nullptr, forward), LinkKind::Backward, forward, backward));
  shown.session.select(backward);
  // A worker looks through the arrows; the selection does not wait for it.
  QVERIFY(!holds(shown.session.links().links(), LinkKind::Backward, forward, backward));
  QVERIFY(settles(shown.session.pending()));
  QVERIFY(holds(shown.session.links().links(), LinkKind::Backward, forward, backward));
  shown.press(Qt::Key_BracketLeft);
  QCOMPARE(shown.session.selection(), forward);
  // The backward's kernel shows the arrow too.
  const auto links = selectionLinks(*shown.session.trace(), nullptr, shown.find("backward_kernel"));
  QVERIFY(holds(links, LinkKind::Backward, forward, backward));
}

void LinksTest::aKernelIsLinkedToTheWorkOfAnotherStreamThatItWaitedFor() {
  Highlighted shown(load({linkedText()}));
  const EventRef kernel = shown.find("add_kernel");
  const auto links = selectionLinks(*shown.session.trace(), &shown.highlights(), kernel);
  QVERIFY(holds(links, LinkKind::Wait, shown.find("side_kernel"), kernel));
  const auto without = selectionLinks(*shown.session.trace(), nullptr, kernel);
  QVERIFY(std::ranges::find(without, LinkKind::Wait, &SelectionLink::kind) == without.end());
}

void LinksTest::aSynchronizingCallIsLinkedToTheWorkThatEndedLast() {
  Highlighted shown(load({linkedText()}));
  const EventRef call = shown.find("cudaDeviceSynchronize");
  const auto links = selectionLinks(*shown.session.trace(), nullptr, call);
  QVERIFY(holds(links, LinkKind::Wait, shown.find("add_kernel"), call));
  shown.session.select(call);
  shown.press(Qt::Key_BracketLeft);
  QCOMPARE(shown.session.selection(), shown.find("add_kernel"));
}

void LinksTest::linksAreDrawnForTheSelectionUntilSwitchedOff() {
  Highlighted shown(load({linkedText()}));
  const auto pixelsThatDiffer = [&](EventRef event) {
    shown.session.select({});
    const QImage before = shown.picture();
    shown.session.select(event);
    const QImage after = shown.picture();
    int count = 0;
    for (int y = 0; y < before.height(); ++y)
      for (int x = 0; x < before.width(); ++x) count += before.pixel(x, y) != after.pixel(x, y);
    return count;
  };
  const int with = pixelsThatDiffer(shown.find("gemm_kernel"));
  shown.session.setHighlightOptions({.links = false});
  const int without = pixelsThatDiffer(shown.find("gemm_kernel"));
  QVERIFY2(with > without + 50, qPrintable(QStringLiteral("%1 %2").arg(with).arg(without)));
}

void LinksTest::aKernelIsLinkedToTheWorkThatItsStreamWaitedForByAnEvent() {
  Shown shown(load({eventText()}));
  const TraceSet& traces = *shown.session.trace();
  const EventRef consumer = shown.find("consume_kernel");
  const EventRef producer = shown.find("produce_kernel");
  QVERIFY(holds(selectionLinks(traces, nullptr, consumer), LinkKind::Wait, producer, consumer));
  QVERIFY(holds(selectionLinks(traces, nullptr, producer), LinkKind::Wait, producer, consumer));
  for (const SelectionLink& link : selectionLinks(traces, nullptr, shown.find("unrelated_kernel")))
    QVERIFY(link.kind != LinkKind::Wait && link.kind != LinkKind::Event);
  const EventRef row = shown.find("Stream Wait Event");
  const auto ofRow = selectionLinks(traces, nullptr, row);
  QVERIFY(holds(ofRow, LinkKind::Wait, producer, row));
  QVERIFY(holds(ofRow, LinkKind::Wait, row, consumer));
  QVERIFY(holds(ofRow, LinkKind::Event, shown.find("cudaEventRecord"), row));
}

void LinksTest::bracketsWalkFromTheRecordedEventToWhatWaitedForIt() {
  Shown shown(load({eventText()}));
  shown.session.select(shown.find("cudaEventRecord"));
  shown.press(Qt::Key_BracketRight);
  QCOMPARE(shown.session.selection(), shown.find("Stream Wait Event"));
  shown.press(Qt::Key_BracketRight);
  QCOMPARE(shown.session.selection(), shown.find("consume_kernel"));
  shown.session.select(shown.find("cudaStreamWaitEvent"));
  shown.press(Qt::Key_BracketLeft);
  QCOMPARE(shown.session.selection(), shown.find("produce_kernel"));
}

void LinksTest::ctrlBracketsChooseAmongSeveralLinksAndDetailsNamesTheChosenOne() {
  Shown shown(load({eventText()}));
  DetailsPanel details(shown.session);
  const EventRef consumer = shown.find("consume_kernel");
  const LinkChoice& links = shown.session.links();
  shown.session.select(consumer);
  const std::size_t count = links.count(false);
  QVERIFY(count >= 2); // its launch, and what it waited for
  QCOMPARE(links.target(false), launchOf(shown, "consume_kernel"));
  QVERIFY(!details.toPlainText().contains("produce_kernel\n") ||
          details.toPlainText().contains(QStringLiteral("1 of %1").arg(count)));
  shown.press(Qt::Key_BracketLeft, Qt::ControlModifier);
  QCOMPARE(links.target(false), shown.find("produce_kernel"));
  const QString panelText = details.toPlainText();
  const qsizetype at = panelText.indexOf(QStringLiteral("Key [ goes to"));
  QVERIFY(at >= 0);
  QVERIFY2(panelText.mid(at, 120).contains("produce_kernel"), qPrintable(panelText));
  QVERIFY2(panelText.mid(at, 160).contains(QStringLiteral("2 of %1").arg(count)), qPrintable(panelText));
  shown.press(Qt::Key_BracketLeft);
  QCOMPARE(shown.session.selection(), shown.find("produce_kernel"));
  // Round to the first again, and only where there is a choice.
  shown.session.select(consumer);
  for (std::size_t i = 0; i < count; ++i) shown.press(Qt::Key_BracketLeft, Qt::ControlModifier);
  QCOMPARE(links.target(false), launchOf(shown, "consume_kernel"));
  QCOMPARE(links.count(true), std::size_t{0});
  QVERIFY(!shown.view.actions().run(QStringLiteral("select.chooseLinkForward")));
}

void LinksTest::theChosenLinkIsDrawnStrongerThanTheOthers() {
  Shown shown(load({eventText()}));
  shown.session.select(shown.find("consume_kernel"));
  QApplication::processEvents();
  const QColor launch = shown.session.theme().warn;
  const auto pixelsOf = [&](QColor color) {
    const QImage picture = shown.picture();
    int count = 0;
    for (int y = 0; y < picture.height(); ++y)
      for (int x = 0; x < picture.width(); ++x) count += picture.pixelColor(x, y) == color;
    return count;
  };
  const int chosen = pixelsOf(launch);
  shown.press(Qt::Key_BracketLeft, Qt::ControlModifier);
  const int other = pixelsOf(launch);
  QVERIFY2(chosen > other + 20, qPrintable(QStringLiteral("%1 %2").arg(chosen).arg(other)));
}

void LinksTest::linksLeadFromPinnedLanesToThoseThatScroll() {
  Shown shown(load({eventText()}));
  const EventRef consumer = shown.find("consume_kernel");
  const EventRef launch = launchOf(shown, "consume_kernel");
  const auto& trace = shown.session.trace();
  const TrackKey stream =
      keyOf(*trace, consumer.rank, trace->rank(consumer.rank).trace->trackOf(consumer.event));
  shown.session.editChoice([&](TimelineChoice& choice) {
    choice.setPinned(stream, true);
    choice.setHidden(stream, true); // among the others it is out of sight
  });
  QApplication::processEvents();
  const TimelineCanvas& pinned = shown.view.pinnedCanvas();
  QVERIFY(pinned.isVisible() && !pinned.outlineOf(consumer).isNull());
  // Both canvases know both ends, in their own pixels.
  const QPointF apart(shown.canvas().pos() - pinned.pos());
  for (const EventRef event : {consumer, launch}) {
    QVERIFY(!pinned.linkEnd(event).isNull());
    QCOMPARE(pinned.linkEnd(event), shown.canvas().linkEnd(event).translated(apart));
  }
  QVERIFY(pinned.linkEnd(launch).top() > pinned.height());
  const auto bottomOf = [&] { // what a link crosses on its way down
    return shown.view.pinnedCanvas().grab().toImage().copy(0, pinned.height() - 3, pinned.width(), 3);
  };
  const QImage before = bottomOf();
  shown.session.select(consumer);
  QApplication::processEvents();
  QVERIFY(bottomOf() != before);
}

RANKSCOPE_UI_TEST(LinksTest)
#include "links_test.moc"
