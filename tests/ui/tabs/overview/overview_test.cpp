// SPDX-License-Identifier: GPL-3.0-or-later
// The overview tab: its numbers equal the tables, for the whole job and a selection, and clicks show the
// timeline.
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "ui/tabs/overview/overview_panel.h"

#include "core/analysis/job/scope.h"
#include "core/base/unit_text.h"
#include "core/report/overview_figures.h"
#include "core/report/steps_table.h"
#include "core/report/tables.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"
#include "tests/ui/analysis_fixture.h"
#include "ui/base/ui_text.h"
#include "ui/findings/findings_panel.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/distributed/distributed_panel.h"
#include "ui/tabs/files/files_panel.h"
#include "ui/tabs/kernels/kernels_panel.h"
#include "ui/tabs/memory/memory_panel.h"
#include "ui/tabs/operators/operators_panel.h"
#include "ui/tabs/overview/overview_texts.h"
#include "ui/tabs/overview/phase_bars.h"
#include "ui/tabs/overview/steps_card.h"
#include "ui/widgets/figure_card.h"
#include "ui/widgets/wrapped_label.h"

#include <QComboBox>
#include <QLabel>
#include <QScrollBar>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_analysis;

namespace {

// Mean over steps of the mean over their ranks of a column of times, as a card writes it.
QString meanText(const ResultTable& table, std::string_view column) {
  const std::size_t at = *table.columnNamed(column);
  const std::size_t number = *table.columnNamed("step");
  std::map<std::int64_t, std::vector<double>> bySteps;
  for (std::size_t row = 0; row < table.rowCount(); ++row) {
    const Cell cell = table.at(row, at);
    if (const auto* time = std::get_if<std::int64_t>(&cell))
      bySteps[std::get<std::int64_t>(table.at(row, number))].push_back(static_cast<double>(*time));
  }
  double sum = 0;
  for (const auto& [step, times] : bySteps)
    sum += std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
  return QString::fromStdString(
      durationText(static_cast<TimeNs>(std::llround(sum / static_cast<double>(bySteps.size())))));
}

double sumOf(const ResultTable& table, std::string_view column) {
  const std::size_t at = *table.columnNamed(column);
  double sum = 0;
  for (std::size_t row = 0; row < table.rowCount(); ++row) {
    const Cell cell = table.at(row, at);
    if (const auto* time = std::get_if<std::int64_t>(&cell)) sum += static_cast<double>(*time);
  }
  return sum;
}

QString percent(double value) {
  return QString::fromStdString(percentText(value));
}

// What rankscope-cli writes for the same part of the job.
void compareWithTables(OverviewPanel& panel, const Analysis& analysis) {
  const auto value = [&](OverviewCard card) {
    return panel.figures().cards()[static_cast<std::size_t>(card)]->figure().value;
  };
  const auto note = [&](OverviewCard card) {
    return panel.figures().cards()[static_cast<std::size_t>(card)]->figure().note;
  };
  const ResultTable steps = stepsTable(analysis);
  QCOMPARE(value(OverviewCard::StepTime), meanText(steps, "duration_us"));
  QCOMPARE(value(OverviewCard::Exposed), meanText(steps, "exposed_communication_us"));
  // Compute and exposed communication together.
  QCOMPARE(value(OverviewCard::Utilization),
           percent(100 * (sumOf(steps, "compute_us") + sumOf(steps, "exposed_communication_us")) /
                   sumOf(steps, "duration_us")));
  const OverviewFigures figures = overviewFigures(analysis, jobAccount(analysis, 1));
  // The table has the edges of the recording too, which the card tells apart.
  const QString idle = textOf(durationText(idleOfJob(figures)->mean));
  QVERIFY2(note(OverviewCard::Idle).startsWith(idle), qPrintable(note(OverviewCard::Idle)));
  QCOMPARE(textOf(durationText(figures.idle->mean)), meanText(steps, "idle_us"));
  QCOMPARE(value(OverviewCard::SmEfficiency), percent(figures.smEfficiency->meanPct));
  QCOMPARE(value(OverviewCard::Occupancy), percent(figures.occupancy->meanPct));
}

} // namespace

class OverviewTest : public QObject {
  Q_OBJECT

 private slots:
  // Six cards stood beside each other where one of them was cut.
  void aLongFigureIsWholeInItsCard() {
    FigureRow row;
    std::vector<FigureCard*> cards;
    for (int i = 0; i < 6; ++i) {
      cards.push_back(new FigureCard(QStringLiteral("Throughput"), {}));
      cards.back()->setFigure(
          {i == 4 ? QString(60, QLatin1Char('0')) : QStringLiteral("19.1 %"), {}, FigureLevel::Fine});
      row.addCard(cards.back());
    }
    row.resize(1'230, 300);
    row.show();
    for (const FigureCard* card : cards) {
      const auto* value = card->findChild<QLabel*>(QStringLiteral("figureValue"));
      QVERIFY2(value->width() >= value->sizeHint().width(), qPrintable(value->text()));
    }
  }

  void initTestCase() { m_job = std::make_unique<OpenJob>(jobWithFaults()); }
  void cleanupTestCase() { m_job.reset(); }
  void init() {
    m_job->window.showTab("overview");
    QVERIFY(m_job->settles());
  }

  void cardsEqualTheTables() { compareWithTables(panel(), m_job->analysis()); }

  void aSelectedRangeShowsTheToolsValuesOfIt() {
    const Analysis& whole = m_job->analysis();
    const auto& steps = whole.stepWindows(RankIndex(0)).steps;
    const RankRange own = RankRange::of({steps[1].range.begin, steps[3].range.begin - 1});
    const JobRange range = whole.clocks().of(RankIndex(0)).toJob(own);
    const QString before = panel().figures().cards().front()->figure().note;
    // --from and --to make the same scope.
    const Analysis part(whole, scopeOfRange(whole, range));
    QVERIFY(m_job->selects(range.ns()));
    compareWithTables(panel(), part);
    QVERIFY(panel().figures().cards().front()->figure().note != before);
    QCOMPARE(panel().steps().shownSteps().size(), stepMeans(part).size());
    QVERIFY(stepMeans(part).size() < 5);
    m_job->session().setRange({});
    QVERIFY(m_job->settles());
    QCOMPARE(panel().figures().cards().front()->figure().note, before);
  }

  // No step begins there, but phases run.
  void aRangeWithinAStepHasItsPhases() {
    const Analysis& whole = m_job->analysis();
    const TimeRange step = whole.stepWindows(RankIndex(0)).steps[2].range;
    const RankRange own =
        RankRange::of({step.begin + step.length() / 4, step.begin + 3 * (step.length() / 4)});
    QVERIFY(m_job->selects(whole.clocks().of(RankIndex(0)).toJob(own).ns()));
    QVERIFY(!panel().phases().bars().empty());
    for (const PhaseBar& bar : panel().phases().bars()) QVERIFY(!bar.tip.contains("/step"));
    m_job->session().setRange({});
    QVERIFY(m_job->settles());
  }

  void stepsThatMeansLeaveOutArePale() {
    test::JobOptions options;
    options.ranks = 2;
    options.steps = 5;
    options.gaps = {{-1, 0, 200'000'000, test::GapCause::Python}};
    OpenJob job(options);
    job.window.showTab("overview");
    QVERIFY(job.settles());
    const auto& rows = overviewOf(job.tabs()).steps().bars().bars().rows;
    QCOMPARE(rows.size(), std::size_t{5});
    QVERIFY(rows.front().faded && rows.front().why.contains("first step"));
    QCOMPARE(std::ranges::count_if(rows, &BarRow::faded), 1);
  }

  void aStepsBarShowsTheStepInTheTimeline() {
    StackedBars& bars = panel().steps().bars();
    const std::vector<StepMean> shown = panel().steps().shownSteps();
    QCOMPARE(shown.size(), std::size_t{5});
    QTest::mouseClick(bars.viewport(), Qt::LeftButton, {}, bars.boxOf(2, 0).center().toPoint());
    QCOMPARE(m_job->window.currentTab(), QString("timeline"));
    const TimeRange window = m_job->session().window();
    QVERIFY(window.begin <= shown[2].place.begin.ns() && shown[2].place.end.ns() <= window.end);
    QVERIFY(window.length() < 2 * shown[2].place.length());
    QVERIFY(!m_job->session().range().has_value());
  }

  void eachRanksStepsCanBeChosen() {
    StepsCard& card = panel().steps();
    QCOMPARE(card.rankChoice().count(), 5);
    card.rankChoice().setCurrentIndex(2);
    const auto& breakdown = m_job->analysis().stepBreakdown(RankIndex(1));
    QCOMPARE(card.bars().bars().rows.size(), breakdown.size());
    QCOMPARE(card.bars().bars().rows[0].amounts[0],
             static_cast<double>(breakdown[0].of(StepCategory::Kernel)));
    card.rankChoice().setCurrentIndex(0);
  }

  // A finding of 0 to 11.8 ms has a share of 0 %: both say that they are lower bounds.
  void gainsAndSharesSayThatTheyAreLowerBounds() {
    const QAbstractItemModel& table = panel().costs().model();
    QStringList heads;
    for (int column = 0; column < table.columnCount(); ++column)
      heads << table.headerData(column, Qt::Horizontal).toString().remove(QChar(0x2191)).trimmed();
    for (const char* const head : {"Gain, at least", "At most", "Share, at least"})
      QVERIFY2(heads.contains(head), qPrintable(heads.join('|')));
  }

  void stepsThatWereDetectedSayFromWhat() {
    test::JobOptions options = jobWithFaults();
    options.withProfilerSteps = false;
    OpenJob job(options);
    job.window.showTab("overview");
    QVERIFY(job.settles());
    const FigureCard& card = *overviewOf(job.tabs()).figures().cards().front();
    QVERIFY2(card.figure().note.contains("detected steps"), qPrintable(card.figure().note));
    QVERIFY2(card.toolTip().contains("they were taken from"), qPrintable(card.toolTip()));
  }

  void aJobWithoutAGpuClaimsNoTimeOfOne() {
    constexpr TimeNs kStep = 10'000'000;
    const test::TemporaryFolder folder;
    test::TraceText text;
    text.baseTime(1'700'000'000'000'000'000).distributedInfo(0, 1);
    for (int step = 0; step < 3; ++step) {
      text.addStep(step + 1, step * kStep, kStep);
      text.addCpuOp(100, step * kStep + kStep / 10, kStep / 2, "aten::mm");
    }
    test::writeTraceFile(folder / "rank0.json", text.text());
    OpenJob job(QString::fromStdString(folder.path().string()), {1280, 800});
    job.window.showTab("overview");
    QVERIFY(job.settles());
    QStringList captions;
    for (const QLabel* const caption : overviewOf(job.tabs()).findChildren<QLabel*>("caption"))
      captions << caption->text();
    QVERIFY2(captions.contains("CPU activity; no GPU activity was recorded"), qPrintable(captions.join('|')));
    QVERIFY2(!captions.join('|').contains("alone"), qPrintable(captions.join('|')));
    QVERIFY2(captions.contains("CPU time as annotated, share of the step, phases may overlap"),
             qPrintable(captions.join('|')));
  }

  // Of a device and the host, while the card above has what is exposed on the device.
  void communicationAloneIsToldFromWhatIsExposed() {
    const auto captions = overviewOf(m_job->tabs()).steps().findChildren<QLabel*>("caption");
    QVERIFY(std::ranges::any_of(captions, [](const QLabel* caption) {
      return caption->text().contains("unlike exposed communication") ||
             caption->toolTip().contains("unlike exposed communication");
    }));
  }

  // There all of it is shown, for which the word of what is exposed would be wrong.
  void communicationOfAJobWithoutAGpuIsNotCalledAlone() {
    const test::TemporaryFolder folder;
    test::TraceText text;
    text.baseTime(1'700'000'000'000'000'000).distributedInfo(0, 1);
    constexpr TimeNs kStep = 10'000'000;
    for (int step = 0; step < 3; ++step) {
      text.addStep(step + 1, step * kStep, kStep);
      text.addCpuOp(100, step * kStep + kStep / 10, kStep / 2, "aten::mm");
      text.addCpuOp(200, step * kStep + kStep / 5, kStep / 2, "gloo:all_reduce");
    }
    test::writeTraceFile(folder / "rank0.json", text.text());
    OpenJob job(QString::fromStdString(folder.path().string()), {1280, 800});
    job.window.showTab("overview");
    QVERIFY(job.settles());
    QStringList names;
    for (const BarPart& part : overviewOf(job.tabs()).steps().bars().bars().parts) names << part.name;
    QVERIFY2(names.contains("Communication, also overlapped"), qPrintable(names.join('|')));
  }

  // With a single step the ranks are shown beside each other, and one rank may have several captures.
  void theChoiceOfRanksSaysWhatIsShown() {
    struct Case {
      int ranks;
      int steps;
      int captures;
      const char* text;
    };
    for (const Case& of : {Case{2, 1, 1, "Each rank"}, Case{2, 3, 1, "Mean of all ranks"},
                           Case{1, 3, 2, "Mean of all captures"}}) {
      test::JobOptions options;
      options.ranks = of.ranks;
      options.steps = of.steps;
      options.captures = of.captures;
      options.layers = 1;
      OpenJob job(options);
      job.window.showTab("overview");
      QVERIFY(job.settles());
      QCOMPARE(overviewOf(job.tabs()).steps().rankChoice().itemText(0), QLatin1String(of.text));
    }
  }

  void ofManyStepsRepresentativeOnesAreShownAndTheCaptionReportsIt() {
    test::JobOptions options;
    options.ranks = 2;
    options.steps = 30;
    options.layers = 1;
    OpenJob job(options);
    job.window.showTab("overview");
    QVERIFY(job.settles());
    StepsCard& card = overviewOf(job.tabs()).steps();
    QCOMPARE(card.shownSteps().size(), StepsCard::kMaxBars);
    QVERIFY(card.findChild<QLabel*>("caption")->text().contains("of 30 steps"));
    QVERIFY(card.kindChoice().isVisible());
    card.kindChoice().setCurrentIndex(1);
    QVERIFY(!card.bars().isVisible());
  }

  void phasesAreSharesOfTheStep() {
    const OverviewFigures figures = overviewFigures(m_job->analysis(), jobAccount(m_job->analysis(), 1));
    QCOMPARE(panel().phases().bars().size(), figures.phases.size());
    for (std::size_t i = 0; i < figures.phases.size(); ++i) {
      const PhasePart& of = figures.phases[i];
      const PhaseBar& bar = panel().phases().bars()[i];
      QCOMPARE(bar.pct, of.device ? of.device->sharePct : of.part.sharePct);
      QCOMPARE(bar.known, of.annotated);
      QVERIFY(of.annotated ? !of.device || bar.note.startsWith("CPU ") : bar.note == "not annotated");
    }
    const std::string late = lateRanksText(m_job->analysis().trace(), m_job->report().findings());
    QCOMPARE(panel().sentence().text(), QString::fromStdString(overviewSentence(figures, late)));
  }

  void aRowOfTheCostsOpensTheFinding() {
    TableCard& costs = panel().costs();
    QCOMPARE(costs.shownRows(), static_cast<int>(m_job->report().findings().size()));
    int row = 0;
    while (row < costs.shownRows() && !costs.model().textOf(row, "finding").endsWith("rank 1")) ++row;
    QVERIFY(row < costs.shownRows());
    m_job->session().fitAll();
    emit costs.rowActivated(row);
    QCOMPARE(m_job->window.currentTab(), QString("timeline"));
    QVERIFY(m_job->session().window() != m_job->session().limits());
  }

  void devicesAreListedWithTheirRanks() {
    QCOMPARE(panel().devices().shownRows(), 4);
    QVERIFY(!panel().devices().model().textOf(0, "name").isEmpty());
  }

  void costsFitTheWidthOfASmallWindow() {
    m_job->window.resize(1280, 720);
    QVERIFY(m_job->settles());
    QApplication::processEvents();
    TableCard& costs = panel().costs();
    QVERIFY(costs.shownRows() > 0);
    QCOMPARE(costs.view().horizontalScrollBar()->maximum(), 0);
    for (int column = 0; column < costs.model().columnCount(); ++column)
      if (!costs.view().isColumnHidden(column)) QVERIFY(costs.view().columnWidth(column) >= 60);
  }

  void manyDevicesAreGroupedAndTheOutlierIsSeparate() {
    test::JobOptions options;
    options.ranks = 24;
    options.steps = 5;
    options.layers = 1;
    options.straggler = {9, 4'000'000, 0, test::StragglerKind::Compute};
    OpenJob job(options);
    job.window.showTab("overview");
    QVERIFY(job.settles());
    OverviewPanel& overview = overviewOf(job.tabs());
    QVERIFY(overview.deviceChoice().isVisible());
    const TableCard& devices = overview.devices();
    QVERIFY(devices.shownRows() < 8);
    QCOMPARE(devices.model().textOf(0, "ranks"), QString("9"));
    int sum = 0;
    for (int row = 0; row < devices.shownRows(); ++row) sum += devices.model().textOf(row, "devices").toInt();
    QCOMPARE(sum, 24);
    emit overview.devices().rowActivated(0);
    QCOMPARE(job.window.currentTab(), QString("timeline"));
    job.window.showTab("overview");
    overview.deviceChoice().setCurrentIndex(1);
    QCOMPARE(devices.shownRows(), 24);
  }

  void capturesOfARankAreOneRank() {
    test::JobOptions options;
    options.ranks = 2;
    options.steps = 2;
    options.layers = 1;
    options.captures = 2;
    OpenJob job(options);
    job.window.showTab("overview");
    QVERIFY(job.settles());
    const auto& cards = overviewOf(job.tabs()).figures().cards();
    const QString note = cards[static_cast<std::size_t>(OverviewCard::Utilization)]->figure().note;
    QVERIFY2(note.startsWith("2 ranks, 4 recordings"), qPrintable(note));
    const auto captions = overviewOf(job.tabs()).findChildren<QLabel*>("caption");
    QVERIFY(std::ranges::any_of(captions, [](const QLabel* label) {
      return label->text().endsWith("mean of 2 ranks, 4 recordings");
    }));
  }

  void everyTableRemembersItsColumns() {
    TabPages& tabs = m_job->tabs();
    const std::vector<std::pair<QString, TableCard*>> cards{
        {"overview.costs", &overviewOf(tabs).costs()},
        {"overview.devices", &overviewOf(tabs).devices()},
        {"gains.account", &gainsOf(tabs).table()},
        {"distributed.ranks", &distributedOf(tabs).ranks()},
        {"distributed.collectives", &distributedOf(tabs).collectives()},
        {"distributed.groups", &distributedOf(tabs).groups()},
        {"operators", &operatorsOf(tabs).card()},
        {"kernels", &kernelsOf(tabs).card()},
        {"memory.operators", &memoryOf(tabs).operators()},
        {"memory.blocks", &memoryOf(tabs).blocks()},
        {"files.files", &filesOf(tabs).filesCard()}};
    tabs.prepareAll();
    m_job->window.showTab("files");
    QVERIFY(m_job->settles());
    for (const auto& [key, card] : cards) {
      const int column = card->model().columnCount() - 1;
      QVERIFY2(column > 0, qPrintable(key));
      const bool on = card->columns().isOn(column);
      card->columns().setOn(column, !on);
      const QString list = QStringLiteral("tables/%1/%2").arg(key, on ? "off" : "on");
      QCOMPARE(m_job->settings.value(list).toStringList(), QStringList{card->model().keyOf(column)});
      card->columns().showDefault();
    }
  }

  void cardsUseTwoRowsIfSpaceIsShort() {
    const auto& cards = panel().figures().cards();
    m_job->window.resize(1920, 1000);
    QApplication::processEvents();
    QCOMPARE(cards.front()->y(), cards.back()->y());
    m_job->window.resize(1100, 720);
    QApplication::processEvents();
    QVERIFY(cards.front()->y() < cards.back()->y());
    QVERIFY(cards.back()->geometry().bottom() < panel().figures().height());
    for (const FigureCard* card : cards) QVERIFY(card->height() >= card->heightForWidth(card->width()));
  }

  void unknownValuesShowAReason() {
    test::JobOptions options;
    options.ranks = 1;
    options.steps = 2;
    options.withProfilerSteps = false;
    options.withDeviceProperties = false;
    OpenJob job(options);
    job.window.showTab("overview");
    QVERIFY(job.settles());
    for (const FigureCard* card : overviewOf(job.tabs()).figures().cards()) {
      QVERIFY(!card->figure().note.isEmpty());
      QVERIFY(!card->toolTip().isEmpty());
      QCOMPARE(card->figure().value.isEmpty(), card->figure().level == FigureLevel::Unknown);
    }
  }

 private:
  [[nodiscard]] OverviewPanel& panel() { return overviewOf(m_job->tabs()); }

  std::unique_ptr<OpenJob> m_job;
};

RANKSCOPE_UI_TEST(OverviewTest)
#include "overview_test.moc"
