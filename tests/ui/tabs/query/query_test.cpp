// SPDX-License-Identifier: GPL-3.0-or-later
// The query tab: a query runs, fails where it should and can be cancelled; its rows lead to the timeline and
// become regions; own queries are kept. Covers ui/tabs/query/query_panel, ui/tabs/query/query_rows,
// ui/tabs/query/saved_queries and ui/tabs/query/sql_editor.
#include "ui/tabs/query/query_panel.h"

#include "tests/ui/analysis_fixture.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "ui/job/marks.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/query/sql_editor.h"
#include "ui/widgets/wrapped_label.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QMenu>
#include <QTreeWidget>
#include <QUndoStack>

#include <algorithm>

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

  void escCancels() {
    panel().editor().setPlainText(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n");
    panel().run();
    QVERIFY(panel().running());
    QTest::keyClick(&panel().editor(), Qt::Key_Escape);
    QVERIFY(m_job->settles());
    QCOMPARE(panel().status().text(), QString("Cancelled."));
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
