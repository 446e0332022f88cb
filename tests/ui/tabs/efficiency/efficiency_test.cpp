// SPDX-License-Identifier: GPL-3.0-or-later
// The efficiency tab on a job with known products: its figures are those of the tables, a dot leads to its
// row, a row to the timeline, and what the user types changes MFU. Covers ui/charts/roofline,
// ui/tabs/efficiency/efficiency_columns, ui/tabs/efficiency/efficiency_data,
// ui/tabs/efficiency/efficiency_panel, ui/tabs/efficiency/flop_text and ui/tabs/efficiency/model_box.
#include "ui/tabs/efficiency/efficiency_panel.h"

#include "core/base/unit_text.h"
#include "core/report/leaf_texts.h"
#include "tests/support/trace_text.h"
#include "tests/ui/analysis_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/base/ui_text.h"
#include "ui/job/occurrences.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/efficiency/flop_text.h"
#include "ui/tabs/efficiency/model_box.h"
#include "ui/widgets/choice_row.h"

#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>

#include <cmath>
#include <filesystem>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_analysis;

namespace {

// Two products of 1000³ in half precision on an A100, one of them four times as fast.
QString productsJob(const QTemporaryDir& folder) {
  test::TraceText text;
  text.metadata(
      "deviceProperties",
      R"([{"id": 0, "name": "NVIDIA A100-SXM4-40GB", "totalGlobalMem": 42300000000, "computeMajor": 8,
                     "computeMinor": 0, "numSms": 108}])");
  text.addStep(1, 0, 1'000'000);
  const char* inputs = R"("Input Dims": [[1000, 1000], [1000, %]], "Input type": ["c10::Half", "c10::Half"])";
  for (int i = 0; i < 2; ++i) {
    std::string of = inputs;
    of.replace(of.find('%'), 1, i == 0 ? "1000" : "2000");
    text.addCpuOp(1, 1'000 + 100'000 * i, 50'000, "aten::mm", of);
    text.addRuntime(1, 2'000 + 100'000 * i, 1'000, "cudaLaunchKernel", i + 1);
    text.addKernel(0, 7, 300'000 + 100'000 * i, i == 0 ? 40'000 : 20'000,
                   "ampere_fp16_s16816gemm_fp16_128x128_tn", i + 1);
  }
  test::writeTraceFile(folder.filePath("rank0.json").toStdString(), text.text());
  return folder.path();
}

} // namespace

class EfficiencyTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { m_job = std::make_unique<OpenJob>(productsJob(m_folder), QSize(1280, 800)); }
  void cleanupTestCase() { m_job.reset(); }
  void init() {
    m_job->window.showTab("efficiency");
    QVERIFY(m_job->settles());
    QVERIFY(panel().data() != nullptr);
  }

  void figuresAreThoseOfTheView() {
    const EfficiencyView view = efficiencyView(m_job->report(), {});
    QVERIFY(view.mfuPct.has_value());
    const QString mfu = QString::fromStdString(percentText(*view.mfuPct));
    QVERIFY(panel().figure(EfficiencyFigure::Mfu).figure().value.contains(mfu));
    QCOMPARE(panel().figure(EfficiencyFigure::Coverage).figure().value, QStringLiteral("100 %"));
    double sum = 0;
    for (const WaterfallRow& row : panel().account().rows().rows) sum += row.amount;
    QVERIFY(std::abs(sum - view.stepTime) < 1);
  }

  // Convolutions of a third of the kernel time have no FLOPs: what follows from FLOPs is a lower bound.
  void aRateOfFlopsIsALowerBoundAsTheyAre() {
    const auto folder = test::sharedFolder() / "traces/resnet50-v100-workers0";
    RANKSCOPE_QSKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
    OpenJob job(QString::fromStdString(folder.string()), QSize(1280, 800));
    job.window.showTab("efficiency");
    QVERIFY(job.settles());
    auto& page = job.tabs().page<EfficiencyPanel>("efficiency");
    for (const EfficiencyFigure of : {EfficiencyFigure::Flops, EfficiencyFigure::Throughput})
      QVERIFY2(page.figure(of).figure().value.startsWith(QStringLiteral("≥ ")),
               qPrintable(page.figure(of).figure().value));
  }

  // As on the Gains tab, where the edges of a recording are no idle time.
  void edgesOfTheRecordingAreAPartOfTheirOwn() {
    const double edge = m_job->report().keptAccount().timeOf("capture.edge");
    QVERIFY(edge > 0);
    const auto amountOf = [&](const QString& label) {
      double amount = 0;
      for (const WaterfallRow& row : panel().account().rows().rows)
        if (row.label == label) amount += row.amount;
      return amount;
    };
    const QString title = textOf(leafTitle(Leaf::CaptureEdge));
    QVERIFY(std::abs(amountOf(title) - edge) < 1);
    const EfficiencyView view = efficiencyView(m_job->report(), {});
    QVERIFY(std::abs(amountOf(title) + amountOf("Idle") - view.part(EfficiencyPart::Idle)) < 1);
  }

  void smallNumbersOfOperationsAreReadable() {
    QCOMPARE(flopText(3.4e9), QStringLiteral("3.40 GFLOP"));
    QCOMPARE(flopText(81'920), QStringLiteral("81.9 kFLOP"));
    QCOMPARE(flopText(12), QStringLiteral("12 FLOP"));
    const ResultTableModel& points = panel().points().model();
    QCOMPARE(points.index(0, points.columnOf("flops")).data().toString().right(5), QStringLiteral("GFLOP"));
  }

  // Faster than the peak, as Winograd is, which computes less than counted.
  void dotsAboveTheRoofAreExplained() {
    QVERIFY(panel().data()->aboveRoof.isEmpty());
    QTemporaryDir folder;
    test::TraceText text;
    text.metadata("deviceProperties",
                  R"([{"id": 0, "name": "Tesla V100-SXM2-32GB", "totalGlobalMem": 34000000000,
                      "computeMajor": 7, "computeMinor": 0, "numSms": 80}])");
    text.addStep(1, 0, 1'000'000);
    text.addCpuOp(1, 1'000, 50'000, "aten::cudnn_convolution",
                  R"("Input Dims": [[32, 256, 28, 28], [256, 256, 3, 3], [], [], [], [], [], [], []],
                     "Input type": ["float", "float", "ScalarList", "ScalarList", "ScalarList", "Scalar",
                                    "Scalar", "Scalar", "Scalar"],
                     "Concrete Inputs": ["", "", "[1, 1]", "[1, 1]", "[1, 1]", "1", "False", "False", "True"])");
    text.addRuntime(1, 2'000, 1'000, "cudaLaunchKernel", 1);
    text.addKernel(0, 7, 300'000, 1'000'000, "volta_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1",
                   1);
    test::writeTraceFile(folder.filePath("rank0.json").toStdString(), text.text());
    OpenJob job(folder.path(), QSize(1280, 800));
    job.window.showTab("efficiency");
    QVERIFY(job.settles());
    auto& page = job.tabs().page<EfficiencyPanel>("efficiency");
    QVERIFY(page.data() != nullptr);
    QVERIFY2(page.data()->aboveRoof.contains("Winograd"), qPrintable(page.data()->whyEmpty));
    QVERIFY(page.roofline().contents().dots.front().tip.contains("Winograd"));
  }

  // As wide as the page of a window of 1920 pixels beside its findings.
  void definitionsOfTheAccountAreWholeInAnOrdinaryWindow() {
    Waterfall chart(m_job->session());
    chart.resize(1500, 300);
    WaterfallRows rows = panel().account().rows();
    QVERIFY(rows.rows.size() >= 3);
    // The longest definitions, which need not occur here.
    rows.rows.back().note = QStringLiteral(
        "GEMM, convolution, attention left of the ridge point: time × (1 − intensity / ridge)");
    rows.rows.front().note =
        QStringLiteral("GEMM, convolution, attention: time beyond what the peaks of compute and memory need");
    chart.setRows(rows);
    for (std::size_t row = 0; row < rows.rows.size(); ++row)
      QCOMPARE(chart.noteShown(static_cast<int>(row)), rows.rows[row].note);
    chart.resize(700, 300);
    QVERIFY(chart.noteShown(0) != rows.rows.front().note);
    for (const WaterfallRow& row : panel().account().rows().rows)
      QVERIFY2(row.tip.contains(row.note.toHtmlEscaped()), qPrintable(row.tip));
  }

  void allChecksAreInSightAtOnce() {
    const TableView& rows = panel().checklist().view();
    QVERIFY(panel().data() != nullptr);
    QCOMPARE(rows.model()->rowCount(), static_cast<int>(panel().data()->checks.size()));
    QTRY_COMPARE(rows.verticalScrollBar()->maximum(), 0);
  }

  void aDotLeadsToItsRowAndARowToTheTimeline() {
    QCOMPARE(panel().roofline().contents().dots.size(), 2U);
    QVERIFY(panel().roofline().radiusOf(0) > panel().roofline().radiusOf(1));
    QTest::mouseClick(&panel().roofline(), Qt::LeftButton, {}, panel().roofline().placeOf(0).toPoint());
    QCOMPARE(panel().grouping().chosen(), 1);
    const int row = panel().points().selectedRow();
    QCOMPARE(panel().points().model().textOf(row, "shapes"), QStringLiteral("[[1000, 1000], [1000, 1000]]"));
    QSignalSpy wanted(&panel(), &TabPage::timelineWanted);
    emit panel().points().rowActivated(row);
    QCOMPARE(wanted.count(), 1);
    QVERIFY(m_job->session().selection().valid());
    QTRY_VERIFY(panel().calls()->calls() != nullptr);
    QCOMPARE(panel().calls()->text(), QStringLiteral("1 of 1"));
    panel().grouping().choose(0);
  }

  void dotsHideNoTextOfALevel() {
    Roofline chart(m_job->session());
    chart.resize(500, 330);
    const Theme& theme = m_job->session().theme();
    RooflineContents contents;
    contents.gigabytes = 3352;
    contents.levels.push_back({QStringLiteral("best operator here"), 600, &Theme::bad, true});
    const auto distance = [](const QColor& a, const QColor& b) {
      return std::hypot(a.red() - b.red(), a.green() - b.green(), a.blue() - b.blue());
    };
    const auto letters = [&] {
      chart.setContents(contents);
      const QImage picture = chart.grab().toImage();
      const QRect box = chart.levelTexts().front().box.toAlignedRect();
      int count = 0;
      for (int y = box.top(); y <= box.bottom(); ++y)
        for (int x = box.left(); x <= box.right(); ++x)
          count += distance(picture.pixelColor(x, y), theme.bad) < distance(theme.panel, theme.bad) / 3;
      return count;
    };
    const int alone = letters();
    QVERIFY(alone > 20);
    for (const double intensity : {100.0, 200.0, 400.0, 700.0, 1000.0}) {
      RooflineDot dot;
      dot.intensity = intensity;
      dot.tflops = 600;
      dot.time = 1;
      dot.color = &Theme::accent;
      contents.dots.push_back(dot);
    }
    const int among = letters();
    QVERIFY2(10 * among > 8 * alone, qPrintable(QStringLiteral("%1 of %2").arg(among).arg(alone)));
    // Nor is a dot hidden by a text that has no place left of it.
    chart.resize(360, 330);
    contents.dots.resize(1);
    contents.dots.front().intensity = 700;
    chart.setContents(contents);
    chart.grab();
    QVERIFY(!chart.levelTexts().front().box.contains(chart.placeOf(0)));
    // Dots all along the line and below it leave room above.
    chart.resize(500, 330);
    contents.dots.clear();
    for (int i = 0; i < 20; ++i)
      contents.dots.push_back({190 * std::pow(1.2, i), 400, 1, &Theme::accent, {}});
    chart.setContents(contents);
    chart.grab();
    const QRectF text = chart.levelTexts().front().box;
    for (int i = 0; i < 20; ++i) QVERIFY(!text.adjusted(-4, -4, 4, 4).contains(chart.placeOf(i)));
  }

  void keysWalkOverTheDots() {
    panel().roofline().setFocus();
    QSignalSpy hovered(&panel().roofline(), &Roofline::dotHovered);
    QTest::keyClick(&panel().roofline(), Qt::Key_Right);
    QTest::keyClick(&panel().roofline(), Qt::Key_Right);
    QCOMPARE(hovered.count(), 2);
    QCOMPARE(hovered.last().first().toInt(), 1);
  }

  void aTypedPeakChangesMfuAndIsKept() {
    const double before = *panel().data()->view.mfuPct;
    QLineEdit* const peak = panel().model().field(QStringLiteral("peak-tflops"));
    QVERIFY(peak != nullptr);
    QCOMPARE(peak->placeholderText(), QStringLiteral("312"));
    peak->setFocus();
    QTest::keyClicks(peak, QStringLiteral("624"));
    QTest::keyClick(peak, Qt::Key_Return);
    QVERIFY(m_job->settles());
    QVERIFY(std::abs(*panel().data()->view.mfuPct - before / 2) < 1e-9);
    peak->selectAll();
    QTest::keyClick(peak, Qt::Key_Delete);
    QTest::keyClick(peak, Qt::Key_Return);
    QVERIFY(m_job->settles());
    QVERIFY(std::abs(*panel().data()->view.mfuPct - before) < 1e-9);
  }

  void whatIsNotPossibleIsNoHeadline() {
    QLineEdit* const peak = panel().model().field(QStringLiteral("peak-tflops"));
    peak->setFocus();
    QTest::keyClicks(peak, QStringLiteral("0.5"));
    QTest::keyClick(peak, Qt::Key_Return);
    QVERIFY(m_job->settles());
    QVERIFY(panel().data()->view.mfuPct.value_or(0) > 100);
    for (const EfficiencyFigure of : {EfficiencyFigure::Mfu, EfficiencyFigure::Hfu}) {
      QCOMPARE(panel().figure(of).figure().value, QString());
      QVERIFY(panel().figure(of).figure().note.contains(QStringLiteral("not possible: check peak")));
    }
    peak->selectAll();
    QTest::keyClick(peak, Qt::Key_Delete);
    QTest::keyClick(peak, Qt::Key_Return);
    QVERIFY(m_job->settles());
    QVERIFY(!panel().figure(EfficiencyFigure::Mfu).figure().value.isEmpty());
  }

  void whatTheRecordingSaysOfTheModelIsTakenOnRequest() {
    QTemporaryDir folder;
    test::TraceText text;
    text.metadata("deviceProperties", R"([{"id": 0, "name": "NVIDIA A100-SXM4-40GB"}])");
    text.addStep(1, 0, 1'000'000);
    text.addCpuOp(1, 1'000, 2'000, "aten::embedding",
                  R"("Input Dims": [[32000, 512], [4, 128], [], []], "Input type": ["float", "long int"])");
    text.addRuntime(1, 10'000, 1'000, "cudaLaunchKernel", 1);
    text.addKernel(0, 7, 300'000, 40'000, "ampere_fp16_s16816gemm_fp16_128x128_tn", 1);
    test::writeTraceFile(folder.filePath("rank0.json").toStdString(), text.text());
    OpenJob job(folder.path(), QSize(1280, 800));
    job.window.showTab("efficiency");
    QVERIFY(job.settles());
    auto& page = job.tabs().page<EfficiencyPanel>("efficiency");
    QCOMPARE(page.model().field(QStringLiteral("tokens-per-step"))->placeholderText(), QStringLiteral("512"));
    QVERIFY(page.model()
                .field(QStringLiteral("tokens-per-step"))
                ->toolTip()
                .contains(QStringLiteral("embedding")));
    QVERIFY2(!page.model().values().model.tokensPerStep, "a guess does not count by itself");
    QVERIFY(page.model().foundButton()->isVisible());
    QTest::mouseClick(page.model().foundButton(), Qt::LeftButton);
    QVERIFY(job.settles());
    QCOMPARE(page.model().values().model.tokensPerStep.value_or(0), 512.0);
    QCOMPARE(page.model().values().model.vocabulary.value_or(0), 32000.0);
    // Cleared, so that later tests find nothing kept.
    for (const char* name : {"tokens-per-step", "vocab", "hidden", "seq"}) {
      QLineEdit* const field = page.model().field(QString::fromLatin1(name));
      field->selectAll();
      QTest::keyClick(field, Qt::Key_Delete);
      QTest::keyClick(field, Qt::Key_Return);
    }
    QVERIFY(job.settles());
  }

  void iterationsOfInferenceHaveACardOfTheirOwn() {
    QVERIFY(!panel().iterations().isVisible());
    QTemporaryDir folder;
    test::TraceText text;
    for (int i = 0; i < 4; ++i) {
      const std::int64_t begin = std::int64_t{1'000'000} * i;
      text.addAnnotation(1, begin, 300'000, i == 0 ? "prefill[bs=1 tok=600]" : "decode[bs=4 tok=4]");
      text.addRuntime(1, begin + 10'000, 5'000, "cudaLaunchKernel", i + 1);
      text.addKernel(0, 7, begin + 100'000, 400'000, "gemm_kernel", i + 1);
    }
    test::writeTraceFile(folder.filePath("rank0.json").toStdString(), text.text());
    OpenJob job(folder.path(), QSize(1280, 800));
    job.window.showTab("efficiency");
    QVERIFY(job.settles());
    auto& page = job.tabs().page<EfficiencyPanel>("efficiency");
    QVERIFY(page.iterations().isVisible());
    QCOMPARE(page.iterations().shownRows(), 2);
    page.iterationGrouping().choose(2);
    QCOMPARE(page.iterations().shownRows(), 4);
    QSignalSpy wanted(&page, &TabPage::timelineWanted);
    emit page.iterations().rowActivated(1);
    QCOMPARE(wanted.count(), 1);
    QVERIFY(job.session().selection().valid());
  }

  void numbersAreReadAsPeopleWriteThem() {
    QCOMPARE(numberInField(QStringLiteral("7B")).value_or(0), 7e9);
    QCOMPARE(numberInField(QStringLiteral("1 048 576")).value_or(0), 1048576.0);
    QCOMPARE(numberInField(QStringLiteral("6.5e3")).value_or(0), 6500.0);
    for (const char* wrong : {"", "-1", "0", "seven", "nan", "inf"})
      QVERIFY(!numberInField(QString::fromLatin1(wrong)));
  }

  void withoutShapesThePageSaysWhatToRecord() {
    OpenJob job(jobWithFaults());
    job.window.showTab("efficiency");
    QVERIFY(job.settles());
    auto& page = job.tabs().page<EfficiencyPanel>("efficiency");
    QVERIFY(page.data() != nullptr);
    if (!page.data()->view.hasShapes)
      QVERIFY(page.data()->whyEmpty.contains(QStringLiteral("record_shapes")));
  }

 private:
  EfficiencyPanel& panel() { return m_job->tabs().page<EfficiencyPanel>("efficiency"); }

  QTemporaryDir m_folder;
  std::unique_ptr<OpenJob> m_job;
};

RANKSCOPE_UI_TEST(EfficiencyTest)

#include "efficiency_test.moc"
