// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels tab by mouse and keys: its rows equal those of rankscope-cli, and each opens its calls.
// Covers ui/job/occurrences, ui/job/reveal_step, ui/tables/table_rows, ui/tabs/kernels/kernel_charts and
// ui/tabs/kernels/kernel_columns too.
#include "core/analysis/job/scope.h"
#include "tests/support/trace_text.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/actions/key_sheet.h"
#include "ui/charts/histogram.h"
#include "ui/charts/line_plot.h"
#include "ui/charts/stacked_bars.h"
#include "ui/tables/occurrence_bar.h"
#include "ui/tabs/kernels/kernels_panel.h"
#include "ui/widgets/choice_row.h"
#include "ui/widgets/rank_choice.h"
#include "ui/widgets/wrapped_label.h"
#include "ui/window/tab_pages.h"

#include <QLabel>
#include <QMenu>
#include <QProcess>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QToolButton>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <set>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

struct KernelsTest : TestWindow {
  const QString job = pathOf(folder.path() / "job");

  KernelsTest() { writeSmallJob(folder.path() / "job"); }

  [[nodiscard]] bool looks() { return opens(job) && shows("kernels"); }
  [[nodiscard]] KernelsPanel& panel() { return kernelsOf(window.tabs()); }
  [[nodiscard]] TableCard& card() { return panel().card(); }
  [[nodiscard]] TraceSession& session() { return window.session(); }
  [[nodiscard]] int rowOf(const QString& part) {
    for (int row = 0; row < card().model().rowCount(); ++row)
      if (card().model().textOf(row, "kernel").contains(part)) return row;
    return -1;
  }
  [[nodiscard]] QPoint on(int tableRow) {
    TableView& view = card().view();
    const int place = view.rows().order().placeOf(tableRow);
    view.scrollTo(view.model()->index(place, 0));
    return {40, view.rowViewportPosition(place) + view.rowHeight(place) / 2};
  }
  [[nodiscard]] bool clicks(int tableRow) {
    QTest::mouseClick(card().view().viewport(), Qt::LeftButton, Qt::NoModifier, on(tableRow));
    return settles();
  }
  [[nodiscard]] qint64 number(int tableRow, const char* column) {
    const auto& table = *card().model().table();
    return std::get<std::int64_t>(table.at(static_cast<std::size_t>(tableRow), *table.columnNamed(column)));
  }
  [[nodiscard]] qint64 sum(const char* column) {
    qint64 all = 0;
    for (int row = 0; row < card().model().rowCount(); ++row) all += number(row, column);
    return all;
  }
  [[nodiscard]] std::string selectedName() {
    const EventRef event = session().selection();
    const TraceSet& traces = *session().trace();
    return std::string(traces.names()[traces.rank(event.rank).trace->events.name[event.event]]);
  }
  // The sum of a column of the rankscope-cli table.
  [[nodiscard]] double cliSum(const QString& table, const QString& column) {
    QProcess cli;
    cli.start(QStringLiteral(RANKSCOPE_CLI), {"table", table, job, "--quiet", "--no-cache"});
    if (!cli.waitForFinished(kTimeoutMs)) return -1;
    const QStringList lines =
        QString::fromUtf8(cli.readAllStandardOutput()).split("\r\n", Qt::SkipEmptyParts);
    const auto at = lines.front().split(',').indexOf(column);
    double all = 0;
    // From the end: names of kernels have commas.
    const auto fromEnd = lines.front().split(',').size() - at;
    for (qsizetype i = 1; i < lines.size(); ++i) {
      const QStringList cells = lines[i].split(',');
      all += cells[cells.size() - fromEnd].toDouble();
    }
    return all;
  }
};

} // namespace

class KernelsTests : public QObject {
  Q_OBJECT
 private slots:
  void rowsSumToTheHeadlessProgramsHoweverTheyAreGrouped() {
    KernelsTest test;
    QVERIFY(test.looks());
    const double calls = test.cliSum("kernels", "calls");
    const double total = test.cliSum("kernels", "total_us");
    QVERIFY(calls > 0 && total > 0);
    const auto sumsAreRight = [&] {
      QCOMPARE(static_cast<double>(test.sum("calls")), calls);
      QCOMPARE(static_cast<double>(test.sum("total_us")) / 1000, total);
    };
    sumsAreRight();
    const int names = test.card().model().rowCount();
    test.panel().ranks().setCurrentIndex(1);
    QVERIFY(test.settles());
    QCOMPARE(test.card().model().rowCount(), 3 * names);
    sumsAreRight();
    QTest::mouseClick(test.panel().grouping().findChildren<QPushButton*>().at(1), Qt::LeftButton);
    QVERIFY(test.settles());
    QVERIFY(test.card().model().columnOf("operator") >= 0);
    sumsAreRight();
    test.panel().ranks().setCurrentIndex(0);
    QVERIFY(test.settles());
    QVERIFY(test.card().model().rowCount() >= names);
    sumsAreRight();
  }

  void whatCannotBeGroupedByIsGroupedByNameWithTheReason() {
    KernelsTest test;
    QVERIFY(test.looks());
    const int names = test.card().shownRows();
    QVERIFY(names > 0);
    const auto& note = *test.panel().findChild<WrappedLabel*>("groupingNote");
    QVERIFY(!note.isVisible());
    std::filesystem::remove_all(test.folder.path() / "job"); // where grids and blocks are read
    test.panel().grouping().choose(2);
    QVERIFY(test.settles());
    QCOMPARE(test.panel().grouping().chosen(), 0);
    QCOMPARE(test.card().shownRows(), names);
    QVERIFY(note.isVisible());
    QVERIFY2(note.text().startsWith("No grid and block sizes were recorded") &&
                 note.text().endsWith("Grouped by name."),
             qPrintable(note.text()));
    test.panel().grouping().choose(1);
    QVERIFY(test.settles());
    QVERIFY(!note.isVisible());
  }

  void oneRanksRowsAreItsShareOfAll() {
    KernelsTest test;
    QVERIFY(test.looks());
    const qint64 all = test.sum("calls");
    qint64 summed = 0;
    for (int rank = 0; rank < 3; ++rank) {
      test.panel().ranks().setCurrentIndex(2 + rank);
      QVERIFY(test.settles());
      QCOMPARE(test.card().model().columnOf("rank"), -1);
      summed += test.sum("calls");
    }
    QCOMPARE(summed, all);
  }

  void nextAndPreviousWalkAllCallsInTheOrderOfTime() {
    KernelsTest test;
    QVERIFY(test.looks());
    const int row = test.rowOf("gemm") >= 0 ? test.rowOf("gemm") : 0;
    const std::string name = test.card().model().textOf(row, "kernel").toStdString();
    QVERIFY(test.clicks(row));
    const qint64 calls = test.number(row, "calls");
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    TimeNs before = std::numeric_limits<TimeNs>::min();
    for (qint64 i = 0; i < calls; ++i) {
      QTest::keyClick(&test.card().view(), Qt::Key_N);
      const EventRef at = test.session().selection();
      QVERIFY(at.valid());
      QCOMPARE(test.selectedName(), name);
      QVERIFY(test.session().rangeOf(at).begin >= before);
      before = test.session().rangeOf(at).begin;
      seen.insert({at.rank.value, at.event.value});
      QCOMPARE(test.panel().calls()->text(), QString("%1 of %2").arg(i + 1).arg(calls));
    }
    QCOMPARE(static_cast<qint64>(seen.size()), calls);
    QCOMPARE(test.window.currentTab(), QString("kernels"));
    const EventRef last = test.session().selection();
    QTest::keyClick(&test.card().view(), Qt::Key_N);
    QCOMPARE(test.session().selection(), last);
    QTest::keyClick(&test.card().view(), Qt::Key_N, Qt::ShiftModifier);
    QVERIFY(test.session().selection() != last);
    auto* on = test.panel().findChild<QToolButton*>("nextCall");
    QTest::mouseClick(on, Qt::LeftButton);
    QCOMPARE(test.session().selection(), last);
    QVERIFY(!on->isEnabled());
  }

  void aDoubleClickShowsTheFirstCallAndTheMenuTheLongest() {
    KernelsTest test;
    QVERIFY(test.looks());
    const int row = 1;
    const QPoint at = test.on(row);
    QTest::mouseClick(test.card().view().viewport(), Qt::LeftButton, Qt::NoModifier, at);
    QTest::mouseDClick(test.card().view().viewport(), Qt::LeftButton, Qt::NoModifier, at);
    QVERIFY(test.settles());
    QCOMPARE(test.window.currentTab(), QString("timeline"));
    const auto calls = test.panel().calls()->calls();
    QVERIFY(calls != nullptr);
    QCOMPARE(test.session().selection(), calls->calls.front());
    QVERIFY(test.session().window().contains(test.session().rangeOf(calls->calls.front()).begin));

    QVERIFY(test.shows("kernels"));
    QMenu menu;
    emit test.card().menuAboutToShow(&menu, row);
    const QList<QAction*> actions = menu.actions();
    const auto longest = std::ranges::find_if(
        actions, [](const QAction* action) { return action->text().contains("longest"); });
    QVERIFY(longest != actions.end());
    (*longest)->trigger();
    QCOMPARE(test.window.currentTab(), QString("timeline"));
    const EventRef shown = test.session().selection();
    const RankTrace& trace = *test.session().trace()->rank(shown.rank).trace;
    QCOMPARE(trace.events.duration[shown.event], test.number(row, "max_us"));
  }

  void whatIsSelectedInTheTimelineChoosesItsRow() {
    KernelsTest test;
    QVERIFY(test.looks());
    const int row = test.card().model().rowCount() - 1;
    QVERIFY(test.clicks(row));
    const EventRef call = test.panel().calls()->calls()->calls.front();
    QVERIFY(test.clicks(0));
    QVERIFY(test.shows("timeline"));
    test.session().select(call);
    QCOMPARE(test.card().selectedRow(), 0);
    QVERIFY(test.shows("kernels"));
    QCOMPARE(test.card().selectedRow(), row);
    QCOMPARE(test.panel().calls()->position(), std::optional<std::size_t>(0));
    QCOMPARE(test.session().selection(), call);
    // An operator is no kernel.
    test.session().select({RankIndex(0), EventIndex(0)});
    QCOMPARE(test.card().selectedRow(), row);
  }

  void theHistogramHasAllCallsAndABarShowsOneOfIts() {
    KernelsTest test;
    QVERIFY(test.looks());
    const int row = 0;
    QVERIFY(test.clicks(row));
    Histogram& chart = test.panel().durations();
    const DurationBins& bins = chart.bins();
    QCOMPARE(std::accumulate(bins.counts.begin(), bins.counts.end(), std::int64_t{0}),
             std::int64_t{test.number(row, "calls")});
    QCOMPARE(bins.shortest, TimeNs{test.number(row, "min_us")});
    QCOMPARE(bins.longest, TimeNs{test.number(row, "max_us")});
    const std::size_t bin = bins.counts.size() - 1;
    const QPoint middle = chart.boxOf(bin).center().toPoint();
    QVERIFY(chart.tipAt(middle).contains("call"));
    QSignalSpy clicked(&chart, &Histogram::binClicked);
    QTest::mouseClick(chart.viewport(), Qt::LeftButton, Qt::NoModifier, middle);
    QCOMPARE(clicked.size(), 1);
    QCOMPARE(test.window.currentTab(), QString("timeline"));
    const EventRef shown = test.session().selection();
    const TimeNs duration = test.session().trace()->rank(shown.rank).trace->events.duration[shown.event];
    QVERIFY(bins.bounds[bin] <= duration && duration < bins.bounds[bin + 1]);
  }

  void kindsOfAllRanksSumToTheTable() {
    KernelsTest test;
    QVERIFY(test.looks());
    double all = 0;
    QCOMPARE(test.panel().kinds().bars().rows.size(), std::size_t{3});
    for (const BarRow& row : test.panel().kinds().bars().rows)
      all = std::accumulate(row.amounts.begin(), row.amounts.end(), all);
    QCOMPARE(all, static_cast<double>(test.sum("total_us")));
    // Three ranks of two steps.
    const Curves& curves = test.panel().perStep().curves();
    QCOMPARE(curves.curves.size(), std::size_t{3});
    for (const Curve& curve : curves.curves) {
      QCOMPARE(curve.points.size(), 2);
      QVERIFY(curve.points.front().y() > 0);
    }
    const QPointF bar = test.panel().kinds().boxOf(2, 0).center();
    QTest::mouseClick(test.panel().kinds().viewport(), Qt::LeftButton, Qt::NoModifier, bar.toPoint());
    QVERIFY(test.settles());
    QCOMPARE(test.panel().ranks().rows().rank, std::optional<int>(2));
  }

  // Also those that do not say so by the usual words.
  void convolutionsAreOfTheCategoryOfProducts() {
    KernelsTest test;
    test::TraceText text;
    text.addStep(1, 0, 1'000'000);
    const char* const names[] = {"void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(int)",
                                 "void cudnn::cnn::wgrad_alg0_engine<float, 128, 6, 7, 3, 3, 5, false>(int)",
                                 "volta_sgemm_64x64_nt",
                                 "void at::native::vectorized_elementwise_kernel<4>()"};
    int correlation = 0;
    for (const char* const name : names) {
      ++correlation;
      text.addRuntime(1, 1'000 * correlation, 500, "cudaLaunchKernel", correlation);
      text.addKernel(0, 7, 100'000 * correlation, 10'000, name, correlation);
    }
    test::writeTraceFile((test.folder.path() / "rank0.json").string(), text.text());
    QVERIFY(test.opens(pathOf(test.folder.path() / "rank0.json")) && test.shows("kernels"));
    const BarRows& bars = test.panel().kinds().bars();
    QCOMPARE(bars.parts.size(), std::size_t{2});
    QCOMPARE(bars.parts[0].name, QString("GEMM, convolution"));
    QCOMPARE(bars.rows.front().amounts[0], 30'000.0);
    QCOMPARE(bars.rows.front().amounts[1], 10'000.0);
  }

  void aPointOfTheStepsGoesToTheStepAndPointsAtIt() {
    KernelsTest test;
    QVERIFY(test.looks());
    LinePlot& steps = test.panel().perStep();
    const Curve& curve = steps.curves().curves[1];
    const QPointF last = curve.points.back();
    const QPoint at = steps.placeOf(last.x(), last.y()).toPoint();
    const Analysis& analysis = *test.panel().analysis();
    const StepWindow& step = analysis.stepWindows(RankIndex(1)).steps.back();
    const JobRange place = analysis.clocks().of(RankIndex(1)).toJob(RankRange::of(step.range));
    QMouseEvent over(QEvent::MouseMove, QPointF(at), QPointF(steps.viewport()->mapToGlobal(at)), Qt::NoButton,
                     Qt::NoButton, {});
    QApplication::sendEvent(steps.viewport(), &over);
    QVERIFY(test.session().pointedPlace().has_value());
    QVERIFY(test.session().pointedPlace()->begin <= place.end &&
            place.begin <= test.session().pointedPlace()->end);
    QTest::mouseClick(steps.viewport(), Qt::LeftButton, Qt::NoModifier, at);
    QCOMPARE(test.window.currentTab(), QString("timeline"));
    const TimeRange window = test.session().window();
    QVERIFY(window.begin <= place.begin.ns() && place.end.ns() <= window.end);
    QVERIFY(window.length() < 2 * place.length());
  }

  void ofOneStepEachRankIsADotThatLeadsToIt() {
    TestWindow test;
    test::JobOptions options;
    options.ranks = 3;
    options.steps = 1;
    options.layers = 1;
    test::generateJob(options, test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")) && test.shows("kernels"));
    LinePlot& steps = kernelsOf(test.window.tabs()).perStep();
    QCOMPARE(steps.curves().curves.size(), std::size_t{3});
    const QPointF dot = steps.curves().curves[2].points.front();
    QCOMPARE(dot.x(), 2.0);
    QTest::mouseClick(steps.viewport(), Qt::LeftButton, Qt::NoModifier,
                      steps.placeOf(dot.x(), dot.y()).toPoint());
    QCOMPARE(test.window.currentTab(), QString("timeline"));
    QCOMPARE(test.window.session().selection().rank, RankIndex(2));
  }

  void ofManyRanksOutliersAndRepresentativesHaveBars() {
    TestWindow test;
    test::JobOptions options;
    options.ranks = 40;
    options.steps = 5;
    options.layers = 1;
    options.straggler = {7, 4'000'000, 0, test::StragglerKind::Compute};
    test::generateJob(options, test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")) && test.shows("kernels"));
    KernelsPanel& panel = kernelsOf(test.window.tabs());
    const std::vector<BarRow>& rows = panel.kinds().bars().rows;
    QVERIFY(rows.size() >= 6 && rows.size() <= 12);
    QCOMPARE(rows.front().label, QString("Rank 7"));
    QVERIFY(rows.front().outlier);
    QVERIFY(std::ranges::any_of(rows, [](const BarRow& row) { return row.label.endsWith("median"); }));
    const auto captions = panel.findChildren<QLabel*>("caption");
    QVERIFY(std::ranges::any_of(captions, [](const QLabel* l) { return l->text().contains("of 40 ranks"); }));
    // A click on a bar selects its rank.
    QTest::mouseClick(panel.kinds().viewport(), Qt::LeftButton, Qt::NoModifier,
                      panel.kinds().boxOf(0, 0).center().toPoint());
    QVERIFY(test.settles());
    QCOMPARE(panel.ranks().rows().rank, std::optional<int>(7));
  }

  void theWalkOfCallsIsAmongTheWindowsActions() {
    KernelsTest test;
    QVERIFY(test.looks());
    QVERIFY(test.clicks(0));
    QVERIFY(test.window.actions().run("tables.nextCall"));
    QCOMPARE(test.session().selection(), test.panel().calls()->calls()->calls.front());
    QVERIFY(test.window.actions().run("tables.nextCall"));
    QCOMPARE(test.session().selection(), test.panel().calls()->calls()->calls.at(1));
    QVERIFY(test.window.actions().run("tables.previousCall"));
    QCOMPARE(test.session().selection(), test.panel().calls()->calls()->calls.front());
    QVERIFY(KeySheet::plainText(test.window.actions()).contains("N\tNext call of the selected row"));
    QVERIFY(test.shows("timeline"));
    QVERIFY(!test.window.actions().run("tables.nextCall"));
  }

  void aSelectedRangeHasItsCallsAlone() {
    KernelsTest test;
    QVERIFY(test.looks());
    const TimeRange all = test.session().trace()->extent();
    const TimeRange range{all.begin, all.begin + all.length() / 2};
    test.session().setRange(range);
    QVERIFY(test.settles());
    QVERIFY(test.clicks(0));
    const auto calls = test.panel().calls()->calls();
    QCOMPARE(static_cast<qint64>(calls->calls.size()), test.number(0, "calls"));
    for (const EventRef call : calls->calls) {
      const TimeNs begin = test.session().rangeOf(call).begin;
      QVERIFY(range.begin <= begin && begin < range.end);
    }
  }

  void aSmallWindowScrollsInsteadOfSqueezing() {
    KernelsTest test;
    test.window.resize(1280, 720);
    QVERIFY(test.looks());
    QVERIFY(test.card().height() >= test.card().heightFor(6));
    QVERIFY(test.panel().durations().height() >= 120);
    QVERIFY(test.panel().findChild<QScrollArea*>()->verticalScrollBar()->maximum() > 0);
  }

  void aJobWithoutADeviceReportsIt() {
    TestWindow test;
    const auto folder = test.folder.path() / "cpu.json";
    QFile file(pathOf(folder));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        R"({"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":5}]})");
    file.close();
    QVERIFY(test.opens(pathOf(folder)));
    QVERIFY(test.shows("kernels"));
    QCOMPARE(kernelsOf(test.window.tabs()).card().shownRows(), 0);
    const QList<QLabel*> texts = kernelsOf(test.window.tabs()).card().findChildren<QLabel*>("emptyText");
    QVERIFY(texts.front()->text().contains("ProfilerActivity.CUDA"));
    // Empty charts would say nothing more.
    QVERIFY(!kernelsOf(test.window.tabs()).durations().isVisible());
  }

  // Regrouped, hidden and given another scope before the result is delivered: results of the first scope
  // must not be used for the second.
  void whatWasMadeOfAnotherScopeIsNotShownAgain() {
    KernelsTest test;
    QVERIFY(test.looks());
    const auto whole = test.window.tabs().scope().report();
    const auto& steps = whole->analysis().wholeStepWindows(RankIndex(0)).steps;
    QVERIFY(steps.size() > 1);
    const JobRange first =
        whole->analysis().clocks().of(RankIndex(0)).toJob(RankRange::of(steps.front().range));
    const auto half = std::make_shared<const JobReport>(
        std::make_shared<const Analysis>(whole->analysis(), scopeOfRange(whole->analysis(), first)));
    KernelsPanel panel(test.session(), test.settings);
    panel.resize(1200, 800);
    panel.show();
    panel.setReport(whole);
    QVERIFY(settles(test.session().pending()));
    panel.grouping().choose(1); // on its way when the page is hidden and its scope changes
    panel.hide();
    panel.setReport(half);
    QVERIFY(settles(test.session().pending()));
    QCOMPARE(panel.report(), whole); // what is still shown
    panel.grouping().choose(0);
    panel.show();
    QVERIFY(settles(test.session().pending()));
    QCOMPARE(panel.report(), half);

    KernelsPanel fresh(test.session(), test.settings);
    fresh.resize(1200, 800);
    fresh.show();
    fresh.setReport(half);
    QVERIFY(settles(test.session().pending()));
    const auto calls = [](KernelsPanel& of) {
      const ResultTable& table = *of.card().model().table();
      std::int64_t sum = 0;
      for (std::size_t row = 0; row < table.rowCount(); ++row)
        sum += std::get<std::int64_t>(table.at(row, *table.columnNamed("calls")));
      return sum;
    };
    QCOMPARE(calls(panel), calls(fresh));
    // At one size: the layout of a page that was hidden may still be on its way.
    const auto picture = [](QWidget& chart) {
      chart.setFixedSize(520, 160);
      return chart.grab().toImage();
    };
    QCOMPARE(picture(panel.kinds()), picture(fresh.kinds()));
    QCOMPARE(picture(panel.perStep()), picture(fresh.perStep()));
  }
};

RANKSCOPE_UI_TEST(KernelsTests)
#include "kernels_test.moc"
