// SPDX-License-Identifier: GPL-3.0-or-later
// The query tab: a query runs, fails where it should and can be cancelled; its rows lead to the timeline and
// become regions and charts; own queries are kept. Covers ui/job/job_beside, ui/tabs/query/chart_points,
// ui/tabs/query/query_panel, ui/tabs/query/query_rows, ui/tabs/query/result_chart,
// ui/tabs/query/saved_queries, ui/tabs/query/sql_colors and ui/tabs/query/sql_editor.
#include "ui/tabs/query/query_panel.h"

#include "tests/ui/analysis_fixture.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/job/job_beside.h"
#include "ui/job/marks.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/query/result_chart.h"
#include "ui/tabs/query/sql_editor.h"
#include "ui/widgets/choice_row.h"
#include "ui/widgets/wrapped_label.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QCompleter>
#include <QLabel>
#include <QMenu>
#include <QTextBlock>
#include <QTextLayout>
#include <QTreeWidget>
#include <QUndoStack>

#include <algorithm>
#include <fstream>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_analysis;

class QueryTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { m_job = std::make_unique<OpenJob>(jobWithFaults()); }
  void cleanupTestCase() { m_job.reset(); }
  void init() {
    m_job->window.showTab("query");
    QVERIFY(m_job->settles());
  }

  void theFirstLookShowsAResult() {
    QVERIFY(panel().resultCard().shownRows() > 0);
    QVERIFY(panel().schema().topLevelItemCount() > 30);
    QVERIFY(panel().examples().actions().size() >= 12);
  }

  void theFirstLookAtAJobWithoutKernelsSaysWhereToGoOn() {
    TestWindow test;
    const auto file = test.folder.path() / "rank0.json";
    std::ofstream(file) << R"({"traceEvents":[
      {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":5}]})";
    QVERIFY(test.opens(pathOf(file)));
    QVERIFY(test.shows("query"));
    const TableCard& card = test.window.tabs().page<QueryPanel>("query").resultCard();
    QCOMPARE(card.shownRows(), 0);
    QVERIFY(card.findChild<QLabel*>("emptyText")->text().contains("Examples"));
  }

  void everyExampleRuns() {
    for (QAction* const example : panel().examples().actions()) {
      example->trigger();
      QVERIFY(m_job->settles());
      QVERIFY2(panel().status().text().contains(" in "),
               qPrintable(example->text() + ": " + panel().status().text()));
    }
  }

  void ctrlEnterRunsAndAnErrorShowsItsPlace() {
    panel().editor().setPlainText("SELECT rank,\n  missing\nFROM ranks");
    panel().editor().setFocus();
    QTest::keyClick(&panel().editor(), Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(m_job->settles());
    QVERIFY2(panel().status().text().startsWith("line 2, column 3"), qPrintable(panel().status().text()));
    QCOMPARE(panel().editor().textCursor().blockNumber(), 1);
    ask("SELECT rank, rank, host FROM ranks ORDER BY rank");
    QCOMPARE(panel().resultCard().shownRows(), 4);
    QVERIFY2(panel().status().text().startsWith("4 rows"), qPrintable(panel().status().text()));
  }

  void rowsThatTheLimitCutAreSaid() {
    const auto says = [&](const QString& sql) {
      ask(sql);
      return panel().status().text().contains("as many as LIMIT allows");
    };
    QVERIFY(says("SELECT rank FROM ranks ORDER BY rank LIMIT 2"));
    QVERIFY(says("SELECT rank FROM ranks limit 2 offset 1 ;\n"));
    QVERIFY(says("SELECT rank FROM ranks LIMIT 1, 2 -- the second and the third"));
    QVERIFY(!says("SELECT rank FROM ranks LIMIT 100"));
    QVERIFY(!says("SELECT rank FROM (SELECT rank FROM ranks LIMIT 2)"));
    QVERIFY(!says("SELECT rank FROM ranks -- LIMIT 4"));
  }

  void escCancels() {
    panel().editor().setPlainText(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n");
    panel().run();
    QVERIFY(panel().running());
    QTest::keyClick(&panel().editor(), Qt::Key_Escape);
    QVERIFY2(!panel().running(), "at once, whatever the worker is doing");
    QCOMPARE(panel().status().text(), QString("Canceled."));
    // The next query does not wait for what is left of the last one.
    ask("SELECT 7 AS seven");
    QVERIFY2(panel().status().text().startsWith("1 row"), qPrintable(panel().status().text()));
    QVERIFY(m_job->settles());
    QVERIFY2(panel().status().text().startsWith("1 row"), "a late result changes nothing");
  }

  void twoColumnsBecomeAChart() {
    ask("SELECT kernel, calls, total_us FROM kernels WHERE rank = 0 ORDER BY total_us DESC LIMIT 12");
    // Cells have units of their own.
    const QAbstractItemModel& shown = panel().resultCard().model();
    QCOMPARE(shown.headerData(2, Qt::Horizontal).toString(), QString("total"));
    QVERIFY(shown.headerData(2, Qt::Horizontal, Qt::ToolTipRole).toString().contains("total_us"));
    QCOMPARE(shown.headerData(1, Qt::Horizontal).toString(), QString("calls"));
    panel().resultForm().choose(1);
    QVERIFY(panel().chart().isVisible());
    QVERIFY(!panel().resultCard().isVisible());
    QCOMPARE(panel().chart().title(), QString("total_us by kernel"));
    const BarRows& bars = panel().chart().bars().bars();
    QCOMPARE(bars.unit, Unit::Nanoseconds);
    QCOMPARE(static_cast<int>(bars.rows.size()), panel().resultCard().shownRows());
    QCOMPARE(bars.rows.front().label, panel().resultCard().model().textOf(0, "kernel"));
    // It shows what the table shows.
    panel().resultCard().setFilterWords(bars.rows.front().label);
    QVERIFY(panel().chart().bars().bars().rows.size() < 12);
    panel().resultCard().clearFilter();
    panel().chart().upward().setCurrentText("calls");
    QCOMPARE(panel().chart().title(), QString("calls by kernel"));
    QCOMPARE(panel().chart().bars().bars().unit, Unit::Count);
    // Another result of the same columns keeps them.
    ask("SELECT kernel, calls, total_us FROM kernels WHERE rank = 1 ORDER BY total_us DESC LIMIT 5");
    QCOMPARE(panel().chart().title(), QString("calls by kernel"));
    QCOMPARE(panel().chart().bars().bars().rows.size(), std::size_t{5});
    panel().resultForm().choose(0);
    QVERIFY(panel().resultCard().isVisible());
  }

  void stepsOfRanksBecomeCurvesThatLeadToThem() {
    ask("SELECT rank, step, duration_us, begin_us FROM steps");
    panel().resultForm().choose(1);
    const Curves& curves = panel().chart().curves().curves();
    QCOMPARE(curves.curves.size(), std::size_t{4});
    QCOMPARE(curves.curves[2].name, QString("rank 2"));
    const auto step = static_cast<std::size_t>(1);
    const double x = curves.curves[2].points[1].x();
    const int row = panel().chart().points().rowOfPoint(2, x + 0.2);
    QCOMPARE(panel().resultCard().model().textOf(row, "rank"), QString("2"));
    emit const_cast<LinePlot&>(panel().chart().curves()).clicked(2, x);
    QCOMPARE(m_job->window.currentTab(), QString("timeline"));
    QCOMPARE(m_job->session().range()->length(),
             m_job->analysis().wholeStepWindows(RankIndex(2)).steps[step].range.length());
    m_job->session().setRange(std::nullopt);
    QVERIFY(m_job->settles());
    panel().resultForm().choose(0);
  }

  void rowsThatCannotBeDrawnSayWhy() {
    panel().resultForm().choose(1);
    ask("SELECT host FROM ranks");
    QVERIFY(!panel().chart().hasChart());
    ask("SELECT step, duration_us FROM steps WHERE step = -5");
    QVERIFY(!panel().chart().hasChart());
    panel().resultForm().choose(0);
  }

  void pointsKeepEveryRow() {
    ResultTable table("query",
                      {{"name", Unit::Text}, {"change_us", Unit::Nanoseconds}, {"x_ns", Unit::Count}});
    table.addRow({Cell(std::string_view("a")), Cell(std::int64_t{-5}), Cell(std::int64_t{30})});
    table.addRow({Cell(std::string_view("b")), Cell(), Cell(std::int64_t{10})});
    table.addRow({Cell(std::string_view("a")), Cell(std::int64_t{7}), Cell(std::int64_t{30})});
    const std::vector<int> rows{0, 1, 2};
    // Differences are dots, bars would hide their signs.
    const ChartPoints dots = chartPoints(table, rows, {0, 1});
    QCOMPARE(dots.shape, ChartPoints::Shape::Curves);
    QCOMPARE(dots.curves.curves.size(), std::size_t{2});
    QCOMPARE(dots.empty, std::size_t{1});
    QCOMPARE(dots.curves.xTexts, (QStringList{"a", "a"}));
    QCOMPARE(dots.rowOfPoint(1, 1), 2);
    // The same x twice, and no column that tells the rows apart.
    const ChartPoints same = chartPoints(table, rows, {2, 1});
    QCOMPARE(same.curves.curves.size(), std::size_t{2});
    QCOMPARE(same.curves.xUnit, Unit::Nanoseconds);
    QVERIFY(!same.by);
    const auto first = firstChartColumns(table);
    QVERIFY(first.has_value());
    QCOMPARE(*first, (ChartColumns{0, 1}));
    ResultTable many("query", {{"name", Unit::Text}, {"calls", Unit::Count}});
    std::vector<int> all;
    for (int i = 0; i < 300; ++i) {
      many.addRow({Cell(std::string_view("k")), Cell(std::int64_t{i})});
      all.push_back(299 - i);
    }
    const ChartPoints bars = chartPoints(many, all, {0, 1});
    QCOMPARE(bars.shape, ChartPoints::Shape::Bars);
    QCOMPARE(bars.bars.rows.size(), kMostBars);
    QCOMPARE(bars.left, std::size_t{100});
    QCOMPARE(bars.rowOfBar(0), 299);
    QCOMPARE(bars.rowOfBar(200), -1);
  }

  void aRowWithAnIdLeadsToItsEvent() {
    ask("SELECT name, id FROM kernel_events WHERE rank = 2 ORDER BY duration_ns DESC LIMIT 3");
    emit panel().resultCard().rowActivated(0);
    QVERIFY(m_job->session().selection().valid());
    QCOMPARE(m_job->session().trace()->rank(m_job->session().selection().rank).rank, 2);
    QCOMPARE(m_job->window.currentTab(), QString("timeline"));
  }

  void aRowWithTimesLeadsToItsRange() {
    m_job->session().setRange(std::nullopt);
    ask("SELECT rank, step, begin_us, duration_us FROM steps WHERE rank = 1 AND kept = 1");
    emit panel().resultCard().rowActivated(1);
    QVERIFY(m_job->session().range().has_value());
    const TimeNs length = m_job->session().range()->length();
    const auto& steps = m_job->analysis().wholeStepWindows(RankIndex(1)).steps;
    QVERIFY(
        std::ranges::any_of(steps, [&](const StepWindow& step) { return step.range.length() == length; }));
    m_job->session().setRange(std::nullopt);
    QVERIFY(m_job->settles());
  }

  // In the account, time_us is an amount.
  void anAmountOfTimeIsNoPlace() {
    ask("SELECT rank, step, leaf, time_us FROM attribution");
    QVERIFY2(!panel().status().text().contains("Double-click"), qPrintable(panel().status().text()));
  }

  // Numbers of findings are no events.
  void anIdOfAnotherKindLeadsNowhere() {
    ask("SELECT id, title FROM findings");
    QVERIFY(!panel().status().text().contains("Double-click"));
    m_job->session().select({});
    emit panel().resultCard().rowActivated(0);
    QVERIFY(!m_job->session().selection().valid());
  }

  void rowsBecomeRegionsInOneStep() {
    const std::size_t before = m_job->session().marks().regions().size();
    ask("SELECT name, begin_ns, end_ns FROM kernel_events WHERE rank = 0 ORDER BY duration_ns DESC LIMIT 5");
    panel().markRows();
    QCOMPARE(m_job->session().marks().regions().size(), before + 5);
    m_job->session().undoStack().undo();
    QCOMPARE(m_job->session().marks().regions().size(), before);
  }

  void aQueryWaitsForTheJob() {
    const QTemporaryDir folder;
    QSettings settings(folder.filePath("settings.ini"), QSettings::IniFormat);
    MainWindow window(settings);
    window.show();
    window.open({m_job->folder.filePath("job")});
    window.showTab("query");
    QueryPanel& page = window.tabs().page<QueryPanel>("query");
    page.editor().setPlainText("SELECT 5 AS five");
    page.run();
    QCOMPARE(page.status().text(), QString("The query runs when the job is open."));
    QVERIFY(settles(window.pending()));
    QVERIFY2(page.status().text().startsWith("1 row"), qPrintable(page.status().text()));
    QCOMPARE(page.resultCard().model().textOf(0, "five"), QString("5"));
  }

  void aJobBesideIsReadAsB() {
    QVERIFY(!panel().jobs().isVisible());
    const auto other = std::make_shared<const JobReport>(m_job->report().sharedAnalysis());
    JobBeside::of(m_job->session()).setReport(other);
    QVERIFY(m_job->settles());
    QVERIFY(panel().jobs().isVisible());
    ask("SELECT (SELECT count(*) FROM a.events) - (SELECT count(*) FROM b.events) AS difference");
    QCOMPARE(panel().resultCard().model().textOf(0, "difference"), QString("0"));
    // Places of the other job lead nowhere in this one.
    ask("SELECT id, begin_ns, end_ns FROM b.kernel_events LIMIT 3");
    QVERIFY2(!panel().status().text().contains("Double-click"), qPrintable(panel().status().text()));
    ask("SELECT a.id FROM a.kernel_events AS a JOIN b.kernel_events AS b ON a.id = b.id LIMIT 3");
    QVERIFY2(panel().status().text().contains("Double-click"), qPrintable(panel().status().text()));
    JobBeside::of(m_job->session()).setReport(nullptr);
    QVERIFY(m_job->settles());
    ask("SELECT count(*) FROM b.events");
    QVERIFY2(panel().status().text().contains("no schema b"), qPrintable(panel().status().text()));
  }

  void ownQueriesAreKeptByName() {
    panel().editor().setPlainText("SELECT 42 AS answer");
    panel().saveAs("Answer / 1");
    QCOMPARE(SavedQueries(m_job->settings).sql("Answer / 1"), QString("SELECT 42 AS answer"));
    panel().saved().remove("Answer / 1");
    QVERIFY(panel().saved().names().isEmpty());
    ask("SELECT 1");
    ask("SELECT 2");
    QCOMPARE(panel().saved().recent().mid(0, 2), (QStringList{"SELECT 2", "SELECT 1"}));
  }

  void partsOfSqlHaveTheirColors() {
    const Theme& theme = m_job->session().theme();
    panel().editor().setPlainText(
        "SELECT 42, 'a -- b' /* x\ny */ FROM ranks -- z\nWHERE host = 'c\nd' AND 1");
    const auto colorAt = [&](int line, int column) {
      const QTextBlock block = panel().editor().document()->findBlockByNumber(line);
      for (const QTextLayout::FormatRange& part : block.layout()->formats()) {
        if (part.start <= column && column < part.start + part.length)
          return part.format.foreground().color();
      }
      return QColor();
    };
    QCOMPARE(colorAt(0, 0), theme.accent);
    QCOMPARE(colorAt(0, 7), theme.warn);
    QCOMPARE(colorAt(0, 14), theme.good); // no comment within a string
    QCOMPARE(colorAt(0, 22), theme.muted);
    QCOMPARE(colorAt(1, 0), theme.muted); // the comment goes on
    QCOMPARE(colorAt(1, 5), theme.accent);
    QCOMPARE(colorAt(1, 10), QColor()); // a table
    QCOMPARE(colorAt(1, 17), theme.muted);
    QCOMPARE(colorAt(3, 0), theme.good); // the string goes on
    QCOMPARE(colorAt(3, 3), theme.accent);
  }

  void namesAreCompleted() {
    panel().editor().clear();
    panel().editor().setFocus();
    QTest::keyClicks(&panel().editor(), "SELECT * FROM kernel_ev");
    QVERIFY(panel().editor().completer().popup()->isVisible());
    QCOMPARE(panel().editor().completer().currentCompletion(), QString("kernel_events"));
    QTest::keyClick(panel().editor().completer().popup(), Qt::Key_Return);
    QCOMPARE(panel().editor().toPlainText(), QString("SELECT * FROM kernel_events"));
  }

 private:
  QueryPanel& panel() { return m_job->tabs().page<QueryPanel>("query"); }
  void ask(const QString& sql) {
    m_job->window.showTab("query");
    panel().editor().setPlainText(sql);
    panel().run();
    if (!m_job->settles()) qFatal("the query did not settle");
  }

  std::unique_ptr<OpenJob> m_job;
};

RANKSCOPE_UI_TEST(QueryTest)
#include "query_test.moc"
