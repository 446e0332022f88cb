// SPDX-License-Identifier: GPL-3.0-or-later
// Details of a slice: arguments with units, statistics of calls with the same name, call stack.
#include "tests/support/stub_details.h"
#include "tests/ui/timeline_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/details/argument_text.h"
#include "ui/details/details_panel.h"
#include "ui/details/name_statistics.h"
#include "ui/details/source_opener.h"
#include "ui/details/stack_panel.h"
#include "ui/widgets/call_stack.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>
#include <QSettings>
#include <QTemporaryDir>

#include <numeric>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

constexpr const char* kArguments = "\"grid\": [128, 1, 1]";

// Ten kernels "relu" of 1 to 10 µs and one "gemm"; the fourth relu was launched in a Python frame.
std::string nameStatisticsText(int rank) {
  test::TraceText trace;
  trace.baseTime(kBase).distributedInfo(rank, 2);
  trace.addAnnotation(kMainThread, 0, 5 * kMs, "forward");
  trace.addPython(kMainThread, 100, 4 * kMs, "train.py(118): main", 1);
  trace.addPython(kMainThread, 200, 3 * kMs, "torch/nn/modules/module.py(1501): _call_impl", 2, 1);
  trace.addPython(kMainThread, 300, 2 * kMs, "<built-in method relu>", 3, 2);
  trace.addCpuOp(kMainThread, 400, kMs, "aten::relu");
  trace.addRuntime(kMainThread, 500, 5'000, "cudaLaunchKernel", 4);
  for (int i = 1; i <= 10; ++i)
    trace.addKernel(0, 7, kMs + i * 100'000, i * 1000, "relu", i == 4 ? 4 : -1, i == 4 ? kArguments : "");
  trace.addKernel(0, 7, 3 * kMs, 5000, "gemm");
  return trace.text();
}

} // namespace

class DetailsTest : public QObject {
  Q_OBJECT

 private slots:
  void argumentsHaveUnitsAndShapesAndTheRestStaysAsItWas() {
    const auto is = [](FieldMeaning meaning, const char* value, const char* shown) {
      QCOMPARE(argumentText({"key", value, meaning}), std::string(shown));
    };
    is(FieldMeaning::Shapes, "[[64, 3, 224], [], [10]]", "64×3×224, scalar, 10");
    is(FieldMeaning::Shapes, "[[2, \"x\"]]", "[[2, \"x\"]]");
    is(FieldMeaning::Shapes, "[1, 2]", "[1, 2]");
    is(FieldMeaning::Shape, "[128,1,1]", "128×1×1");
    is(FieldMeaning::Bytes, "61200000000", "57.0 GiB (61 200 000 000 B)");
    is(FieldMeaning::Bytes, "-512", "-512 B");
    is(FieldMeaning::Bytes, "many", "many");
    is(FieldMeaning::GigabytesPerSecond, "12.5", "12.5 GB/s");
    is(FieldMeaning::Percent, "31", "31.0 %");
    is(FieldMeaning::Count, "26214400", "26 214 400");
    is(FieldMeaning::Plain, "1234567", "1234567");
    is(FieldMeaning::Plain, "allreduce", "allreduce");
  }

  void aSliceIsComparedWithAllOfItsNameInTheJob() {
    Shown shown(load({nameStatisticsText(0), nameStatisticsText(1)}));
    const std::atomic<bool> cancel{false};
    const TraceSet& trace = *shown.session.trace();
    const NameStatistics fourth = nameStatistics(trace, shown.find("relu", 0, 3), cancel);
    QCOMPARE(fourth.count, std::size_t{20});
    QCOMPARE(fourth.countOnRank, std::size_t{10});
    QCOMPARE(fourth.shortest, TimeNs{1000});
    QCOMPARE(fourth.longest, TimeNs{10'000});
    QCOMPARE(fourth.total, TimeNs{110'000});
    // Of the 19 others 6 are shorter and one takes the same time.
    QCOMPARE(fourth.shorterPct, 100 * 6.5 / 19);
    QCOMPARE(std::accumulate(fourth.histogram.begin(), fourth.histogram.end(), 0u), 20u);
    QVERIFY(fourth.histogram[fourth.ownBucket] >= 2);
    QCOMPARE(shown.session.rangeOf(fourth.longestEvent).length(), TimeNs{10'000});
    const NameStatistics longest = nameStatistics(trace, shown.find("relu", 1, 9), cancel);
    QCOMPARE(longest.ownBucket, NameStatistics::kBuckets - 1);
    QVERIFY(longest.shorterPct > fourth.shorterPct);
    const NameStatistics alone = nameStatistics(trace, shown.find("forward", 0), cancel);
    QCOMPARE(alone.count, std::size_t{2});
    QCOMPARE(alone.shorterPct, 50.0);
  }

  void theStackOfAKernelIsThatOfItsLaunch() {
    Shown shown(load({nameStatisticsText(0)}));
    const TraceSet& trace = *shown.session.trace();
    const auto namesOf = [&](EventRef event) {
      QStringList names;
      for (const StackFrame& frame : callStackOf(trace, event)) {
        const auto& events = trace.rank(frame.event.rank).trace->events;
        names << QString::fromStdString(std::string(trace.names()[events.name[frame.event.event]]));
      }
      return names;
    };
    const QStringList stack{"cudaLaunchKernel",       "aten::relu",
                            "<built-in method relu>", "torch/nn/modules/module.py(1501): _call_impl",
                            "train.py(118): main",    "forward"};
    QCOMPARE(namesOf(shown.find("relu", 0, 3)), stack);
    QCOMPARE(namesOf(shown.find("aten::relu")), stack.mid(2));
    QVERIFY(namesOf(shown.find("gemm")).isEmpty()); // its launch was not recorded
  }

  void aFrameNamesItsSourceLine() {
    QCOMPARE(sourcePlaceOf("train.py(118): main"), (SourcePlace{"train.py", 118}));
    QCOMPARE(sourcePlaceOf("/a b/c(1)/d.py(7): f(x)"), (SourcePlace{"/a b/c(1)/d.py", 7}));
    QCOMPARE(sourcePlaceOf("File \"x.py\", line 12, in f"), (SourcePlace{"x.py", 12}));
    for (const char* none : {"<built-in method relu>", "<string>(1): f", "aten::mm", "", "f(x): y"})
      QVERIFY2(!sourcePlaceOf(none), none);
  }

  void theStackPanelRevealsAFrameAndAsksForItsSource() {
    Shown shown(load({nameStatisticsText(0)}));
    StackPanel panel(shown.session);
    QVERIFY(panel.toPlainText().contains("Nothing selected"));
    shown.session.select(shown.find("relu", 0, 3));
    QVERIFY(panel.toPlainText().contains("train.py:118"));
    std::optional<SourcePlace> wanted;
    connect(&panel, &StackPanel::sourceWanted, this, [&](const SourcePlace& place) { wanted = place; });
    emit panel.anchorClicked(QUrl("source:4"));
    QCOMPARE(wanted, (SourcePlace{"train.py", 118}));
    emit panel.anchorClicked(QUrl("frame:1"));
    QCOMPARE(shown.session.selection(), shown.find("aten::relu"));
    shown.session.select(shown.find("gemm"));
    QVERIFY(panel.toPlainText().contains("launch was not recorded"));
  }

  void aSourceOpensInTheEditorOrIsCopied() {
    QCOMPARE(editorCommand("code -g %f:%l", {"/a b/x.py", 7}), (QStringList{"code", "-g", "/a b/x.py:7"}));
    QVERIFY(editorCommand({}, {"x.py", 7}).isEmpty());
    QTemporaryDir folder;
    QSettings settings(folder.filePath("s.ini"), QSettings::IniFormat);
    QVERIFY(openSource(settings, {"nowhere/x.py", 7}).contains("nowhere/x.py:7"));
    QCOMPARE(QGuiApplication::clipboard()->text(), QString("nowhere/x.py:7"));
  }

  void theDetailsCanBeCopiedAsTextOrJson() {
    Shown shown(test::withDetails(*load({nameStatisticsText(0)}), [](SourceRef) {
      return std::vector<EventField>{{"grid", "[128,1,1]", FieldMeaning::Shape}, {"stream", "7"}};
    }));
    DetailsPanel panel(shown.session);
    panel.resize(900, 300);
    shown.session.select(shown.find("relu", 0, 3));
    QVERIFY(!shown.session.pending().idle());
    QVERIFY(settles(shown.session.pending()));
    QVERIFY(panel.statistics());
    QCOMPARE(panel.statistics()->count, std::size_t{10});
    const QString text = panel.toPlainText();
    for (const char* wanted : {"128×1×1", "Percentile", "4.00 µs", "All calls with this name"})
      QVERIFY2(text.contains(QString::fromUtf8(wanted)), qPrintable(text));
    QTest::keyClick(&panel, Qt::Key_C, Qt::ControlModifier);
    QVERIFY(QGuiApplication::clipboard()->text().contains("grid\t128×1×1"));
    QVERIFY(panel.asJson().contains("\"grid\": \"[128,1,1]\""));
  }

  void theNextAndPreviousOfANameAreFoundInOrderOfTime() {
    Shown shown(load({nameStatisticsText(0)}));
    for (int i = 0; i < 9; ++i) {
      shown.session.select(shown.find("relu", 0, i));
      shown.press(Qt::Key_BracketRight, Qt::ShiftModifier);
      QCOMPARE(shown.session.selection(), shown.find("relu", 0, i + 1));
      shown.press(Qt::Key_BraceLeft, Qt::ShiftModifier); // what a keyboard sends for Shift+[
      QCOMPARE(shown.session.selection(), shown.find("relu", 0, i));
    }
    shown.session.select(shown.find("relu", 0, 9));
    shown.press(Qt::Key_BracketRight, Qt::ShiftModifier);
    QCOMPARE(shown.session.selection(), shown.find("relu", 0, 9)); // there is none after it
  }
};

RANKSCOPE_UI_TEST(DetailsTest)
#include "details_test.moc"
