// SPDX-License-Identifier: GPL-3.0-or-later
// The gains tab: what it shows adds up to the step, follows the selected range and the choice of rank and
// step, and its rows lead to findings and to the timeline. Covers ui/charts/waterfall,
// ui/tabs/gains/gains_data, ui/tabs/gains/gap_card, ui/base/capitalized and ui/tabs/gains/gains_panel.
#include "ui/tabs/gains/gains_panel.h"

#include "core/analysis/activity/idle_gap.h"
#include "core/base/unit_text.h"
#include "core/base/whole_number.h"
#include "core/report/findings_table.h"
#include "core/report/leaf_texts.h"
#include "tests/ui/analysis_fixture.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "ui/base/highlight_choice.h"
#include "ui/base/ui_text.h"
#include "ui/charts/chart_card.h"
#include "ui/findings/findings_panel.h"
#include "ui/job/acceptances.h"
#include "ui/tables/model_parts.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/gains/gap_card.h"
#include "ui/tabs/gains/what_if_data.h"
#include "ui/widgets/wrapped_label.h"

#include <QComboBox>
#include <QTemporaryDir>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <filesystem>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_analysis;

namespace {

double sumOf(const Waterfall& waterfall) {
  double sum = 0;
  for (const WaterfallRow& row : waterfall.rows().rows) sum += row.amount;
  return sum;
}

} // namespace

class GainsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { m_job = std::make_unique<OpenJob>(jobWithFaults()); }
  void cleanupTestCase() { m_job.reset(); }
  void init() {
    m_job->window.showTab("gains");
    QVERIFY(m_job->settles());
  }

  // However they are split, gaps add up to the idle time of all devices.
  void idleGapsAddUpByCauseAndPartOfTheModel() {
    GapCard& gaps = panel().gaps();
    QVERIFY(gaps.isVisible());
    std::int64_t idle = 0;
    for (const RankIndex rank : m_job->analysis().ranks()) {
      const IdleGaps& of = m_job->analysis().gaps(rank);
      for (const IdleGap& gap : of.ofDevices) idle += gap.range.length();
      idle += std::int64_t{of.shorter.time};
    }
    QVERIFY(idle > 0);
    const auto sum = [&] {
      const ResultTable& table = *gaps.model().table();
      std::int64_t all = 0;
      for (std::size_t row = 0; row < table.rowCount(); ++row)
        all += std::get<std::int64_t>(table.at(row, table.columnNamed("idle_us").value()));
      return all;
    };
    QCOMPARE(sum(), idle);
    const int causes = gaps.shownRows();
    gaps.parts().choice().choose(CallGrouping::Phase);
    QVERIFY(m_job->settles());
    QCOMPARE(sum(), idle);
    QVERIFY(gaps.model().table()->columnNamed("phase").has_value());
    QVERIFY(gaps.shownRows() >= causes);
    int row = 0;
    while (gaps.model().textOf(row, "cause") == "short") {
      const int column = gaps.model().columnOf("cause");
      QCOMPARE(gaps.model().index(row++, column).data().toString(), QStringLiteral("Shorter than 5.00 µs"));
    }
    emit gaps.rowActivated(row);
    QVERIFY(m_job->settles());
    QCOMPARE(m_job->window.currentTab(), QString("timeline"));
    QVERIFY(m_job->session().gap().has_value());
    gaps.parts().choice().choose(std::nullopt);
    QVERIFY(m_job->settles());
  }

  // A gap's own cause and a leaf of the account differ: one name for two figures would be a riddle.
  void causesOfGapsAreNotNamedAsOtherLeaves() {
    const ResultTableModel& model = panel().gaps().model();
    const ShownColumn& cause = model.column(model.columnOf("cause"));
    QVERIFY(cause.tip.contains("Time by cause"));
    for (const GapCause of : {GapCause::LaunchLatency, GapCause::NotRecorded, GapCause::Untraced}) {
      const std::string_view id = gapCauseText(of);
      const QString title = cause.display(QString::fromLatin1(id.data(), static_cast<qsizetype>(id.size())));
      QVERIFY(!title.isEmpty() && !title.contains("latency") && !title.contains("Untraced"));
      for (std::size_t leaf = 0; leaf < kLeafCount; ++leaf)
        QVERIFY2(title != textOf(leafTitle(static_cast<Leaf>(leaf))), qPrintable(title));
    }
  }

  void barsAndTableAddUpToTheStep() {
    const double step = m_job->report().keptAccount().stepTime;
    QVERIFY(step > 0);
    QVERIFY(std::abs(sumOf(panel().waterfall()) - step) < 1);
    QCOMPARE(panel().waterfall().rows().amount, accountView(m_job->report(), {}).stepTime);
    QCOMPARE(panel().sentence().text(),
             QString::fromStdString(accountSentence(accountView(m_job->report(), {}))));
    QVERIFY(panel().notes().text().contains("do not add up"));
    const auto& table = panel().table().model().table();
    QCOMPARE(table->rowCount(), accountView(m_job->report(), {}).leaves.size());
    const TimeNs whole = rounded(step);
    QVERIFY(panel().sentence().text().contains(QString::fromStdString(durationText(whole))));
  }

  void aRangeWithinAStepIsNotCalledAStep() {
    const Analysis& whole = m_job->analysis();
    const TimeRange step = whole.stepWindows(RankIndex(0)).steps[1].range;
    const RankRange own = RankRange::of({step.begin + step.length() / 4, step.begin + step.length() / 2});
    QVERIFY(m_job->selects(whole.clocks().of(RankIndex(0)).toJob(own).ns()));
    QVERIFY2(panel().sentence().text().startsWith("Range "), qPrintable(panel().sentence().text()));
    QVERIFY(!panel().notes().text().contains("add up to the step"));
    const auto cards = panel().findChildren<ChartCard*>();
    QVERIFY(
        std::ranges::any_of(cards, [](ChartCard* card) { return card->title() == "Where the range goes"; }));
    m_job->session().setRange({});
    QVERIFY(m_job->settles());
    QVERIFY(
        std::ranges::any_of(cards, [](ChartCard* card) { return card->title() == "Where the step goes"; }));
  }

  void barsBeginWhereTheOneBeforeEnds() {
    Waterfall& waterfall = panel().waterfall();
    for (int row = 1; row < static_cast<int>(waterfall.rows().rows.size()); ++row) {
      const QRectF before = waterfall.barOf(row - 1);
      QVERIFY(waterfall.barOf(row).left() <= before.right() + 0.01);
      QVERIFY(waterfall.barOf(row).left() >= before.left());
      QVERIFY(waterfall.rowBox(row).top() > waterfall.rowBox(row - 1).top());
    }
  }

  void everyHeadOfTheWaterfallExplainsItself() {
    Waterfall& waterfall = panel().waterfall();
    QStringList tips;
    for (int x = 0; x < waterfall.width(); ++x)
      if (const QString tip = waterfall.headTip(x); tips.isEmpty() || tips.back() != tip) tips << tip;
    QCOMPARE(tips.size(), 5);
    for (const QString& tip : tips) QVERIFY2(tip.size() > 10, qPrintable(tip));
  }

  void acceptedFindingsAreMarkedHereAndInTheOverview() {
    const auto marked = [this] {
      const auto& rows = panel().waterfall().rows().rows;
      return std::ranges::count_if(rows,
                                   [](const WaterfallRow& row) { return row.note.endsWith("(accepted)"); });
    };
    QCOMPARE(marked(), 0);
    const int row = rowWhere([this](const AccountLeaf& leaf) {
      return !leaf.findings.empty() && !leaf.ofBranch &&
             m_job->report().findings()[leaf.findings.front()].gain.has_value();
    });
    QVERIFY(row >= 0);
    const std::size_t leaf = panel().bars()[static_cast<std::size_t>(row)].leaves.front();
    const std::size_t id = accountView(m_job->report(), {}).leaves[leaf].findings.front();
    const Finding& finding = m_job->report().findings()[id];
    m_job->session().acceptances().accept(m_job->report(), finding, QStringLiteral("known, until release 2"));
    QVERIFY(marked() > 0);
    QVERIFY(panel().waterfall().rows().rows[static_cast<std::size_t>(row)].note.endsWith("(accepted)"));
    m_job->window.showTab("overview");
    QVERIFY(m_job->settles());
    const auto& costs = overviewOf(m_job->window.tabs()).costs().model();
    bool noted = false;
    for (int i = 0; i < costs.rowCount(); ++i)
      noted = noted || costs.textOf(i, "accepted") == QLatin1String("known, until release 2");
    QVERIFY(noted);
    m_job->session().acceptances().withdraw(m_job->report(), finding);
    for (int i = 0; i < costs.rowCount(); ++i) QVERIFY(costs.textOf(i, "accepted").isEmpty());
    QCOMPARE(marked(), 0);
  }

  void aClickOnABarWithoutFindingShowsItsLongestPlace() {
    const int row = rowWhere([](const AccountLeaf& leaf) {
      return (leaf.findings.empty() || leaf.ofBranch) && leaf.timeClass == TimeClass::Idle;
    });
    QVERIFY(row >= 0);
    const AccountLeaf& leaf = leafOf(row);
    m_job->session().fitAll();
    click(row);
    QCOMPARE(m_job->window.currentTab(), QString("timeline"));
    const auto gap = m_job->session().gap();
    QVERIFY(gap.has_value());
    QCOMPARE(gap->rank, leaf.longest.rank);
    const ClockCorrection& clock = m_job->analysis().clocks().of(leaf.longest.rank);
    const JobRange longest = clock.toJob(RankRange::of(leaf.longest.range));
    QVERIFY(gap->range.begin <= longest.begin && longest.end <= gap->range.end);
    const TimeRange window = m_job->session().window();
    QVERIFY(window.begin <= longest.begin.ns() && longest.end.ns() <= window.end);
  }

  void aClickOnABarWithAFindingOpensIt() {
    const int row =
        rowWhere([](const AccountLeaf& leaf) { return !leaf.findings.empty() && !leaf.ofBranch; });
    QVERIFY(row >= 0);
    QSignalSpy opened(&panel(), &TabPage::findingOpened);
    click(row);
    QCOMPARE(opened.count(), 1);
    QVERIFY(panel().waterfall().rows().rows[static_cast<std::size_t>(row)].note.size() > 0);
    QVERIFY(m_job->window.currentTab() != QString("gains"));
  }

  void computeOfOneRankShowsItsLongestKernel() {
    choose(panel().rankChoice(), 3);
    const int row = rowWhere([](const AccountLeaf& leaf) { return leaf.leaf == Leaf::Ideal; });
    const LongestPiece longest = leafOf(row).longest;
    QCOMPARE(longest.rank, RankIndex(2));
    click(row);
    QCOMPARE(m_job->window.currentTab(), QString("timeline"));
    QCOMPARE(m_job->session().selection(), (EventRef{longest.rank, longest.event}));
    m_job->window.showTab("gains");
    choose(panel().rankChoice(), 0);
  }

  void oneRankAndOneStepCanBeChosen() {
    QComboBox& ranks = panel().rankChoice();
    QComboBox& steps = panel().stepChoice();
    QCOMPARE(ranks.count(), 5);
    QCOMPARE(steps.count(), 6);
    choose(ranks, 2);
    choose(steps, 4);
    const RankIndex rank(1);
    const std::size_t place = accountSteps(m_job->report(), rank)[3];
    const AccountView view = accountView(m_job->report(), {rank, place});
    QCOMPARE(panel().waterfall().rows().amount, view.stepTime);
    QVERIFY(std::abs(sumOf(panel().waterfall()) - view.stepTime) < 1);
    QCOMPARE(ranks.currentIndex(), 2);
    QCOMPARE(steps.currentIndex(), 4);
    choose(steps, 0);
    QCOMPARE(panel().waterfall().rows().amount, accountView(m_job->report(), {rank, {}}).stepTime);
    choose(ranks, 0);
    QCOMPARE(panel().waterfall().rows().amount, accountView(m_job->report(), {}).stepTime);
  }

  void aSelectedRangeHasItsOwnAccount() {
    const auto& steps = m_job->analysis().stepWindows(RankIndex(0)).steps;
    const RankRange own = RankRange::of({steps[1].range.begin, steps[3].range.begin - 1});
    const QString before = panel().sentence().text();
    QVERIFY(m_job->selects(m_job->analysis().clocks().of(RankIndex(0)).toJob(own).ns()));
    QVERIFY(panel().stepChoice().count() < 6);
    QCOMPARE(panel().waterfall().rows().amount, m_job->report().keptAccount().stepTime);
    QVERIFY(std::abs(sumOf(panel().waterfall()) - panel().waterfall().rows().amount) < 1);
    m_job->session().setRange({});
    QVERIFY(m_job->settles());
    QCOMPARE(panel().sentence().text(), before);
  }

  void smallPartsAreListedByAClick() {
    const auto collected = [this] {
      return static_cast<int>(
          std::ranges::find_if(panel().bars(), [](const AccountBar& bar) { return bar.leaves.size() > 1; }) -
          panel().bars().begin());
    };
    const auto count = static_cast<int>(panel().bars().size());
    const int row = collected();
    QVERIFY(row < count);
    const std::size_t small = panel().bars()[static_cast<std::size_t>(row)].leaves.size();
    // Some names have a comma.
    const QString names = panel().waterfall().rows().rows[static_cast<std::size_t>(row)].note;
    QCOMPARE(static_cast<std::size_t>(names.count(QStringLiteral(" · "))), small - 1);
    click(row);
    QCOMPARE(m_job->window.currentTab(), QString("gains"));
    QCOMPARE(panel().bars().size(), static_cast<std::size_t>(count) + small - 1);
  }

  void keysChooseARow() {
    Waterfall& waterfall = panel().waterfall();
    waterfall.setFocus();
    QSignalSpy clicked(&waterfall, &Waterfall::rowClicked);
    QTest::keyClick(&waterfall, Qt::Key_Down);
    QTest::keyClick(&waterfall, Qt::Key_Return);
    QCOMPARE(clicked.count(), 1);
    QVERIFY(clicked.front().front().toInt() >= 0);
  }

  void aRowOfTheTablePointsAtItsBarAndOpensIt() {
    TableCard& table = panel().table();
    const QModelIndex index = table.view().model()->index(0, 0);
    table.view().scrollTo(index);
    const QPoint at = table.view().visualRect(index).center();
    QTest::mouseClick(table.view().viewport(), Qt::LeftButton, Qt::NoModifier, at);
    const int row = table.selectedRow();
    QVERIFY(row >= 0);
    const std::size_t marked = static_cast<std::size_t>(panel().waterfall().markedRow());
    QVERIFY(std::ranges::find(panel().bars()[marked].leaves, static_cast<std::size_t>(row)) !=
            panel().bars()[marked].leaves.end());
    QTest::mouseDClick(table.view().viewport(), Qt::LeftButton, Qt::NoModifier, at);
    QVERIFY(m_job->window.currentTab() != QString("gains"));
  }

  void tipsExplainTheLeafWithItsSource() {
    for (const WaterfallRow& row : panel().waterfall().rows().rows) QVERIFY(!row.tip.isEmpty());
    const int row = rowWhere([](const AccountLeaf& leaf) { return leaf.leaf == Leaf::Ideal; });
    const QString& tip = panel().waterfall().rows().rows[static_cast<std::size_t>(row)].tip;
    QVERIFY(tip.contains("From: ") && tip.contains("per step"));
  }

  void detectedStepsHaveAnAccountEach() {
    test::JobOptions options;
    options.ranks = 2;
    options.steps = 2;
    options.withProfilerSteps = false;
    OpenJob job(options);
    job.window.showTab("gains");
    QVERIFY(job.settles());
    GainsPanel& gains = gainsOf(job.tabs());
    QVERIFY2(gains.notes().text().startsWith("Mean of 2 kept steps and 2 ranks"),
             qPrintable(gains.notes().text()));
    QVERIFY(std::abs(sumOf(gains.waterfall()) - gains.waterfall().rows().amount) < 1);
  }

  // Else a mean below the minimum over ranks looks wrong.
  void ranksThatRecordedDifferentStepsAreTold() {
    namespace fs = std::filesystem;
    const QTemporaryDir folder;
    const fs::path all = folder.filePath("all").toStdString();
    const fs::path fewer = folder.filePath("fewer").toStdString();
    test::JobOptions options;
    options.ranks = 2;
    test::generateJob(options, all);
    options.steps = 3;
    test::generateJob(options, fewer);
    const auto fileOfRank1 = [](const fs::path& job) {
      for (const auto& entry : fs::directory_iterator(job))
        if (entry.path().filename().string().starts_with("rank1.")) return entry.path();
      return fs::path();
    };
    for (const bool mixed : {false, true}) {
      if (mixed) fs::copy_file(fileOfRank1(fewer), fileOfRank1(all), fs::copy_options::overwrite_existing);
      OpenJob job(QString::fromStdString(all.string()), {1280, 800});
      job.window.showTab("gains");
      QVERIFY(job.settles());
      QCOMPARE(gainsOf(job.tabs()).notes().text().contains("recorded different steps"), mixed);
    }
  }

  // Of one step nothing repeats, so none is detected.
  void aJobWithoutStepsSaysSo() {
    test::JobOptions options;
    options.ranks = 2;
    options.steps = 1;
    options.withProfilerSteps = false;
    OpenJob job(options);
    job.window.showTab("gains");
    QVERIFY(job.settles());
    GainsPanel& gains = gainsOf(job.tabs());
    QVERIFY2(gains.notes().text().contains("call profiler.step() after each step or iteration"),
             qPrintable(gains.notes().text()));
    QVERIFY(!gains.stepChoice().isVisible());
    QVERIFY(std::abs(sumOf(gains.waterfall()) - gains.waterfall().rows().amount) < 1);
    // Nor is the recording called a step beside what it could become.
    KnownAnswers known;
    const WhatIfView view = whatIfView(job.report(), {}, known);
    QVERIFY2(view.caption.startsWith("recording "), qPrintable(view.caption));
  }

  void theOverviewLeadsHere() {
    m_job->window.showTab("overview");
    QVERIFY(m_job->settles());
    auto* all = overviewOf(m_job->tabs()).findChild<QToolButton*>("allGains");
    QVERIFY(all != nullptr && all->isVisible());
    QTest::mouseClick(all, Qt::LeftButton);
    QCOMPARE(m_job->window.currentTab(), QString("gains"));
  }

  void theOverviewHasTheFindingsInTheirOrderWithTheirGains() {
    m_job->window.showTab("overview");
    QVERIFY(m_job->settles());
    const TableCard& costs = overviewOf(m_job->tabs()).costs();
    const int column = costs.model().columnOf("gain_low_us");
    QVERIFY(column >= 0);
    int row = 0;
    for (const Finding& finding : m_job->report().findings()) {
      if (!finding.gain && !finding.costBytes) continue;
      QCOMPARE(costs.tableRow(row), row);
      const std::string title =
          titleWithoutCost(finding.title, finding.gain ? gainText(*finding.gain) : std::string());
      QCOMPARE(costs.model().textOf(row, "finding"), QString::fromStdString(title));
      if (finding.gain)
        QCOMPARE(costs.model().textOf(row, "gain_low_us"),
                 QString::fromStdString(microsecondsText(finding.gain->low)));
      ++row;
    }
    QCOMPARE(costs.shownRows(), row);
  }

 private:
  [[nodiscard]] GainsPanel& panel() { return gainsOf(m_job->tabs()); }
  [[nodiscard]] AccountLeaf leafOf(int row) {
    AccountPart part;
    const int rank = panel().rankChoice().currentIndex();
    if (rank > 0) part.rank = RankIndex(static_cast<std::size_t>(rank - 1));
    return accountView(m_job->report(), part)
        .leaves[panel().bars()[static_cast<std::size_t>(row)].leaves.front()];
  }
  // The first bar of one leaf of which it holds; -1: none.
  template <class Holds> int rowWhere(Holds holds) {
    for (int row = 0; row < static_cast<int>(panel().bars().size()); ++row) {
      if (panel().bars()[static_cast<std::size_t>(row)].leaves.size() == 1 && holds(leafOf(row))) return row;
    }
    return -1;
  }
  void click(int row) {
    QTest::mouseClick(&panel().waterfall(), Qt::LeftButton, {}, panel().waterfall().rowBox(row).center());
    QVERIFY(m_job->settles());
  }
  // With the keys, as one who sits in front of it.
  void choose(QComboBox& choice, int index) {
    choice.setFocus();
    while (choice.currentIndex() != index)
      QTest::keyClick(&choice, choice.currentIndex() < index ? Qt::Key_Down : Qt::Key_Up);
    QVERIFY(m_job->settles());
  }

  std::unique_ptr<OpenJob> m_job;
};

RANKSCOPE_UI_TEST(GainsTest)
#include "gains_test.moc"
