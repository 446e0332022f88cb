// SPDX-License-Identifier: GPL-3.0-or-later
// The files tab: the chart of what part of the job's time each recording covers. Its tables are also covered
// by tests/ui/opening/open_job_test. Covers ui/tabs/files/recorded_time.
#include "core/export/result_table.h"
#include "tests/support/nsys_writer.h"
#include "tests/support/trace_text.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/tabs/files/files_panel.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

struct FilesTab : TestWindow {
  [[nodiscard]] bool shows(const test::JobOptions& options) {
    test::generateJob(options, folder.path() / "job");
    return opens(pathOf(folder.path() / "job")) && TestWindow::shows("files");
  }
  [[nodiscard]] FilesPanel& panel() { return filesOf(window.tabs()); }
  [[nodiscard]] const LaneContents& chart() { return panel().timeChart().contents(); }
};

} // namespace

class FilesTest : public QObject {
  Q_OBJECT
 private slots:
  void eachRecordingIsABarAsLongAsItOnTheLaneOfItsRank() {
    FilesTab test;
    test::JobOptions options;
    options.ranks = 3;
    options.steps = 2;
    options.layers = 1;
    options.captures = 2;
    QVERIFY(test.shows(options));
    QVERIFY(test.panel().timeCard().isVisible());
    QCOMPARE(test.chart().lanes, (QStringList{"Rank 0", "Rank 1", "Rank 2"}));
    QCOMPARE(test.chart().boxes.size(), std::size_t{6});
    const TraceSet& trace = *test.window.document().recorded();
    double last = 0;
    for (std::size_t i = 0; i < trace.ranks().size(); ++i) {
      const LaneBox& box = test.chart().boxes[i];
      QCOMPARE(test.chart().lanes[box.lane], QStringLiteral("Rank %1").arg(trace.ranks()[i].rank));
      const auto length = static_cast<double>(trace.ranks()[i].trace->extent.length());
      QVERIFY(std::abs(box.end - box.begin - length) <= 1e-3 * length);
      QVERIFY(!box.hatched);
      last = std::max(last, box.end);
    }
    QCOMPARE(last, test.chart().length);
    // The long time between the captures is folded, so that they fill the chart.
    QCOMPARE(test.chart().folds.all().size(), std::size_t{1});
    const TimeRange fold = test.chart().folds.drawnOf(0);
    QVERIFY(static_cast<double>(fold.end - fold.begin) < 0.05 * test.chart().length);
    const LaneChart& drawn = test.panel().timeChart();
    const QRectF before = drawn.boxOf(0);
    const double x = before.left() + static_cast<double>(fold.begin + fold.end) / 2 * before.width() /
                                         (test.chart().boxes[0].end - test.chart().boxes[0].begin);
    QVERIFY(drawn.tipAt({x, before.center().y()}).startsWith("Nothing recorded for "));
  }

  void aTruncatedFileShowsWhatIsMissing() {
    FilesTab test;
    test::JobOptions options;
    options.ranks = 3;
    options.steps = 4;
    options.layers = 2;
    options.damage.kind = test::DamageKind::Truncate;
    options.damage.rank = 1;
    QVERIFY(test.shows(options));
    QCOMPARE(test.chart().outliers, (std::vector<bool>{false, true, false}));
    const auto& boxes = test.chart().boxes;
    QCOMPARE(boxes.size(), std::size_t{4});
    const auto missing = std::ranges::find_if(boxes, &LaneBox::hatched);
    QVERIFY(missing != boxes.end());
    QCOMPARE(missing->lane, 1);
    QVERIFY2(missing->tip.contains(QStringLiteral("of the job's time (")), qPrintable(missing->tip));
    QCOMPARE(missing->begin, std::prev(missing)->end);
    QVERIFY(missing->end > missing->begin);
    QVERIFY(missing->end <= test.chart().length);
  }

  void aBarLeadsToItsRankOnTheTimeline() {
    FilesTab test;
    test::JobOptions options;
    options.ranks = 2;
    options.steps = 2;
    options.layers = 1;
    options.captures = 2;
    QVERIFY(test.shows(options));
    LaneChart& chart = test.panel().timeChart();
    const QPoint place = chart.boxOf(0).center().toPoint();
    QTest::mouseDClick(chart.viewport(), Qt::LeftButton, {}, place);
    QCOMPARE(test.window.currentTab(), QString("timeline"));
    QVERIFY(test.settles());
    // The first of two captures, not all of the job.
    const TraceSession& session = test.window.session();
    const TimeRange shown = session.recorded(session.window());
    QVERIFY(shown.overlaps(session.trace()->ranks()[0].trace->extent));
    QVERIFY(shown.length() < session.trace()->extent().length());
  }

  // An export of Nsight Systems has all ranks of a host, and what it lacks is said once.
  void aFileOfSeveralRanksSaysOnceWhatAllOfThemLack() {
    TestWindow test;
    test::JobOptions options;
    options.ranks = 3;
    options.steps = 2;
    options.layers = 1;
    options.withShapes = false;
    test::generateJob(options, test.folder.path() / "kineto");
    test::writeAsNsys(test.folder.path() / "kineto", test.folder.path() / "nsys",
                      test::NsysFile::Version::New, test::NsysReports::OfHosts);
    QVERIFY(test.opens(pathOf(test.folder.path() / "nsys")));
    const TraceSet& trace = *test.window.document().recorded();
    QCOMPARE(trace.ranks().size(), std::size_t(3));
    const ResultTable table = diagnosticsTable(trace);
    int shapes = 0;
    for (std::size_t row = 0; row < table.rowCount(); ++row) {
      if (exactText(table, row, *table.columnNamed("text")).find("No input sizes") == std::string::npos)
        continue;
      ++shapes;
      QCOMPARE(exactText(table, row, *table.columnNamed("file")).find("rank"), std::string::npos);
    }
    QCOMPARE(shapes, 1);
  }

  void aGuessedRankIsListed() {
    TestWindow test;
    test::TraceText text;
    text.addCpuOp(1, 0, 10'000, "aten::add");
    const auto file = test.folder.path() / "trace.json";
    test::writeTraceFile(file, text.text());
    QVERIFY(test.opens(pathOf(file)));
    const ResultTable table = diagnosticsTable(*test.window.document().recorded());
    bool listed = false;
    for (std::size_t row = 0; row < table.rowCount(); ++row)
      listed = listed || (exactText(table, row, *table.columnNamed("kind")) == "note" &&
                          exactText(table, row, *table.columnNamed("text")).find("rank unknown") == 0);
    QVERIFY(listed);
  }

  void aSingleRecordingHasNoChart() {
    FilesTab test;
    test::JobOptions options;
    options.ranks = 1;
    options.steps = 1;
    options.layers = 1;
    QVERIFY(test.shows(options));
    QVERIFY(!test.panel().timeCard().isVisible());
  }
};

RANKSCOPE_UI_TEST(FilesTest)
#include "files_test.moc"
