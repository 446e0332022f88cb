// SPDX-License-Identifier: GPL-3.0-or-later
// The ways to a comparison within one job of two hosts and two captures: the list of captures, the menu of a
// step and of a rank on the timeline, a selected range; and the mouse over the aligned steps. Covers
// ui/tabs/compare/compare_links, ui/widgets/compare_menu and ui/tabs/timeline/slice_menu.
#include "tests/ui/analysis_fixture.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "ui/tabs/compare/compare_panel.h"
#include "ui/tabs/timeline/slice_menu.h"
#include "ui/timeline/view/timeline_view.h"
#include "ui/widgets/compare_menu.h"

#include <QLabel>
#include <QMenu>
#include <QWheelEvent>

#include <memory>
#include <string>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_analysis;

namespace {

test::JobOptions twoHosts() {
  test::JobOptions options;
  options.ranks = 4;
  options.ranksPerNode = 2;
  options.captures = 2;
  options.steps = 6;
  options.layers = 2;
  return options;
}

// The entry of one of the menu's comparisons whose text has these words.
QAction* entryOf(QMenu& menu, const QString& words) {
  for (QMenu* const submenu : menu.findChildren<QMenu*>("compareMenu")) {
    for (QAction* const action : submenu->actions()) {
      if (action->text().contains(words)) return action;
    }
  }
  return nullptr;
}

} // namespace

class CompareOpeningsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { m_job = std::make_unique<OpenJob>(twoHosts()); }
  void cleanupTestCase() { m_job.reset(); }
  void init() { m_job->window.showTab("timeline"); }

  void aJobWithoutPartsOffersNone() {
    const auto offers = [](OpenJob& job) {
      job.window.showTab("compare");
      if (!job.settles()) return QString();
      QString all;
      for (const QLabel* label : job.window.tabs().page<ComparePanel>("compare").findChildren<QLabel*>())
        if (label->isVisible()) all += label->text();
      return all;
    };
    QVERIFY(offers(*m_job).contains("two captures, hosts, ranks or steps"));
    test::JobOptions options;
    options.ranks = 1;
    options.steps = 1;
    OpenJob one(options);
    const QString text = offers(one);
    QVERIFY2(text.contains("or choose another job") && !text.contains("of this one"), qPrintable(text));
  }

  void theFirstTwoCaptures() {
    QVERIFY(m_job->window.actions().run("compare.captures"));
    QVERIFY(compares());
    QCOMPARE(sideA().identity.ranks.size(), std::size_t{4});
    QCOMPARE(sideB().identity.ranks.size(), std::size_t{4});
    // Steps of the second capture follow those of the first.
    QVERIFY(sideA().samples.back().number < sideB().samples.front().number);
    QCOMPARE(sideA().samples.size(), std::size_t{6});
    QCOMPARE(sideB().samples.size(), std::size_t{6});
  }

  void aStepsMenu() {
    const EventRef step = stepEvent();
    QVERIFY(step.valid());
    m_job->session().select(step);
    QMenu menu;
    fillSliceMenu(menu,
                  {m_job->session(), *m_job->window.content().findChild<TimelineView*>(),
                   m_job->window.finder(), m_job->window.actions(), [] {},
                   [](const QString&, const QString&) {}},
                  step);
    const std::int64_t number = stepNumber();
    QAction* const next = entryOf(menu, QStringLiteral("With step %1").arg(number + 1));
    QVERIFY(next != nullptr);
    next->trigger();
    QVERIFY(compares());
    QCOMPARE(sideA().samples.size(), std::size_t{1});
    QCOMPARE(sideA().samples.front().number, number);
    QCOMPARE(sideB().samples.front().number, number + 1);
    // Of one step nobody knows what is chance.
    QCOMPARE(panel().data()->comparison->verdict, Verdict::NotEnoughSteps);
  }

  void aRanksMenuComparesItsHost() {
    QMenu menu;
    addCompareEntriesOfRank(menu, m_job->session(), RankIndex(0));
    const TraceSet& job = *m_job->session().trace();
    std::string other;
    for (const RankEntry& entry : job.ranks()) {
      if (entry.host != job.rank(RankIndex(0)).host) other = entry.host;
    }
    QVERIFY(!other.empty());
    QAction* const host = entryOf(menu, QString::fromStdString(other));
    QVERIFY(host != nullptr);
    host->trigger();
    QVERIFY(compares());
    QCOMPARE(sideA().identity.ranks, (std::vector<int>{0, 1}));
    QCOMPARE(sideB().identity.ranks, (std::vector<int>{2, 3}));
  }

  void aRankWithAllOthers() {
    QMenu menu;
    addCompareEntriesOfRank(menu, m_job->session(), RankIndex(0));
    QAction* const rest = entryOf(menu, "With all other ranks");
    QVERIFY(rest != nullptr);
    rest->trigger();
    QVERIFY(compares());
    QCOMPARE(sideA().identity.ranks, (std::vector<int>{1, 2, 3}));
    QCOMPARE(sideB().identity.ranks, (std::vector<int>{0}));
  }

  void theStepsOfARange() {
    const std::vector<StepWindow>& steps =
        m_job->tabs().scope().report()->analysis().wholeStepWindows(RankIndex(0)).steps;
    QVERIFY(steps.size() >= 6);
    const auto chooses = [&](std::size_t first, std::size_t last, const char* action) {
      m_job->session().setRange(TimeRange{steps[first].range.begin, steps[last].range.end});
      return m_job->settles() && m_job->window.actions().run(action);
    };
    QVERIFY(chooses(0, 1, "compare.rangeAsA"));
    QVERIFY(chooses(2, 4, "compare.rangeAsB"));
    m_job->session().setRange(std::nullopt);
    QVERIFY(compares());
    QVERIFY(sideA().samples.size() >= 2 && sideB().samples.size() >= 3);
    QVERIFY(sideA().samples.back().number < sideB().samples.front().number);
  }

  void theMouseZoomsAndPansBothSteps() {
    QVERIFY(m_job->window.actions().run("compare.captures"));
    QVERIFY(compares());
    AlignedSteps& steps = panel().aligned();
    steps.showAll();
    const TimeRange all = steps.view();
    const QPointF middle(steps.width() / 2.0, steps.height() / 2.0);
    const auto turn = [&](Qt::KeyboardModifiers keys) {
      QWheelEvent wheel(middle, steps.mapToGlobal(middle), {}, {0, 120}, Qt::NoButton, keys,
                        Qt::NoScrollPhase, false);
      QCoreApplication::sendEvent(&steps, &wheel);
      return wheel.isAccepted();
    };
    QVERIFY(!turn(Qt::NoModifier)); // the page scrolls
    QCOMPARE(steps.view(), all);
    QVERIFY(turn(Qt::ControlModifier));
    const TimeRange zoomed = steps.view();
    QVERIFY(zoomed.length() < all.length() && zoomed.begin > all.begin && zoomed.end < all.end);
    // A drag to the left shows what comes later; it chooses nothing.
    const QPoint from = middle.toPoint();
    QTest::mousePress(&steps, Qt::LeftButton, {}, from);
    QTest::mouseMove(&steps, from - QPoint(20, 0));
    QTest::mouseMove(&steps, from - QPoint(40, 0));
    QTest::mouseRelease(&steps, Qt::LeftButton, {}, from - QPoint(40, 0));
    QVERIFY(steps.view().begin > zoomed.begin);
    QCOMPARE(steps.view().length(), zoomed.length());
    QVERIFY(!steps.chosen());
    steps.showAll();
  }

 private:
  [[nodiscard]] ComparePanel& panel() { return m_job->tabs().page<ComparePanel>("compare"); }
  [[nodiscard]] const SideFacts& sideA() { return panel().data()->comparison->a; }
  [[nodiscard]] const SideFacts& sideB() { return panel().data()->comparison->b; }
  // The tab is shown with a comparison.
  [[nodiscard]] bool compares() {
    return m_job->settles() && m_job->window.currentTab() == "compare" && panel().data() &&
           panel().data()->comparison;
  }
  [[nodiscard]] std::int64_t stepNumber() {
    return m_job->tabs().scope().report()->analysis().wholeStepWindows(RankIndex(0)).steps.at(2).number;
  }
  [[nodiscard]] EventRef stepEvent() {
    const TraceSet& job = *m_job->session().trace();
    const RankTrace& trace = *job.rank(RankIndex(0)).trace;
    const std::string name = "ProfilerStep#" + std::to_string(stepNumber());
    for (EventIndex event(0); event.value < trace.events.size(); ++event.value) {
      if (job.names()[trace.events.name[event]] == name) return {RankIndex(0), event};
    }
    return {};
  }

  std::unique_ptr<OpenJob> m_job;
};

RANKSCOPE_UI_TEST(CompareOpeningsTest)
#include "compare_openings_test.moc"
