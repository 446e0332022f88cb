// SPDX-License-Identifier: GPL-3.0-or-later
// The parallelism tab on a job of replicas, on a labelled pipeline and on captures of FSDP, tensor and expert
// parallelism: figures and grid are those of the tables, a box follows its microbatch, a rank chosen in the
// grid is shown in charts and tables, and a typed layout changes the grid. Covers ui/charts/lane_chart,
// ui/charts/rank_cells, ui/tabs/parallelism/parallelism_charts, ui/tabs/parallelism/parallelism_columns,
// ui/tabs/parallelism/parallelism_data, ui/tabs/parallelism/parallelism_panel and
// ui/tabs/parallelism/pipeline_charts.
#include "ui/tabs/parallelism/parallelism_panel.h"

#include "core/analysis/parallel/job_parallel.h"
#include "core/base/unit_text.h"
#include "core/report/overview_figures.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_text.h"
#include "tests/ui/analysis_fixture.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/tables/table_card.h"
#include "ui/widgets/choice_row.h"

#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_analysis;

namespace {

// Two stages of 1F1B with four microbatches: each action takes 10 ms; stage 1 begins when stage 0 has ended.
void addStage(const QTemporaryDir& folder, int stage) {
  test::TraceText text;
  text.distributedInfo(stage, 2);
  text.addStep(1, 0, 200'000'000);
  const auto add = [&](char kind, int microbatch, int slot) {
    std::string name = "PP:";
    name += std::to_string(stage);
    name += kind;
    name += std::to_string(microbatch);
    constexpr TimeNs kSlot = 10'000'000;
    text.addAnnotation(1, kSlot * slot, kSlot, name);
    const bool forward = kind == 'F';
    text.addCpuOp(1, kSlot * slot, kSlot,
                  forward ? "aten::linear" : "autograd::engine::evaluate_function: AddmmBackward0");
  };
  if (stage == 0) {
    for (const auto& [kind, microbatch, slot] : std::vector<std::tuple<char, int, int>>{{'F', 0, 0},
                                                                                        {'F', 1, 1},
                                                                                        {'B', 0, 3},
                                                                                        {'F', 2, 4},
                                                                                        {'B', 1, 5},
                                                                                        {'F', 3, 6},
                                                                                        {'B', 2, 7},
                                                                                        {'B', 3, 9}})
      add(kind, microbatch, slot);
  } else {
    for (int m = 0; m < 4; ++m) {
      add('F', m, 2 * m + 1);
      add('B', m, 2 * m + 2);
    }
  }
  test::writeTraceFile(folder.filePath(QStringLiteral("rank%1.json").arg(stage)).toStdString(), text.text());
}

} // namespace

class ParallelismTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    for (const int stage : {0, 1}) addStage(m_folder, stage);
    m_job = std::make_unique<OpenJob>(m_folder.path(), QSize(1280, 800));
  }
  void cleanupTestCase() { m_job.reset(); }
  void init() {
    m_job->window.showTab("parallelism");
    QVERIFY(m_job->settles());
    QVERIFY(panel().data() != nullptr);
  }

  void figuresAndChartsAreThoseOfThePipeline() {
    QCOMPARE(panel().figure(ParallelismFigure::Layout).figure().value, QStringLiteral("PP 2"));
    QCOMPARE(panel().figure(ParallelismFigure::Bubble).figure().value, QStringLiteral("20.0 %"));
    const LaneContents& chart = panel().pipeline().contents();
    QCOMPARE(chart.lanes.size(), 2);
    QCOMPARE(chart.boxes.size(), 16U);
    QCOMPARE(chart.length, 1e8);
    QCOMPARE(panel().grid().contents().cells.size(), 2U);
    QVERIFY(panel().table(ParallelTable::Stages).shownRows() == 2);
    QVERIFY(!panel().fsdp().isVisibleTo(&panel()));
  }

  void aBoxFollowsItsMicrobatch() {
    LaneChart& chart = panel().pipeline();
    const QPoint place = chart.boxOf(2).center().toPoint();
    QTest::mouseClick(chart.viewport(), Qt::LeftButton, {}, place);
    QCOMPARE(chart.group(), chart.contents().boxes[2].group);
    QVERIFY(chart.tipAt(place).contains(QStringLiteral("microbatch")));
    QTest::mouseClick(chart.viewport(), Qt::LeftButton, {}, place);
    QCOMPARE(chart.group(), -1);
    chart.setFocus();
    QTest::keyClick(&chart, Qt::Key_Right);
    QTest::keyClick(&chart, Qt::Key_Space);
    QVERIFY(chart.group() >= 0);
    chart.highlight(-1);
  }

  void aBoxLeadsToTheTimeline() {
    LaneChart& chart = panel().pipeline();
    QSignalSpy wanted(&panel(), &TabPage::timelineWanted);
    QTest::mouseDClick(chart.viewport(), Qt::LeftButton, {}, chart.boxOf(3).center().toPoint());
    QCOMPARE(wanted.size(), 1);
    const JobRange place = panel().data()->pipelines.front().ranges[3];
    QVERIFY(m_job->session().window().contains(place.begin.ns()));
    m_job->window.showTab("parallelism");
  }

  void thePartsOfTheBubbleAddUp() {
    const PipelineChart& chart = panel().data()->pipelines.front();
    QCOMPARE(chart.bubble.rows.size(), 1U);
    double sum = 0;
    for (const double amount : chart.bubble.rows.front().amounts) sum += amount;
    QVERIFY(std::abs(sum - chart.times.bubblePct) < 1e-9);
  }

  void ranksAreColoredByTheChosenFigure() {
    panel().coloring().choose(static_cast<int>(GridFigure::Bubble));
    QCOMPARE(panel().grid().contents().unit, Unit::Percent);
    for (const RankCell& cell : panel().grid().contents().cells) QVERIFY(cell.value.has_value());
    panel().coloring().choose(0);
  }

  void aChosenRankIsShownInTables() {
    RankCells& grid = panel().grid();
    const QPoint place = grid.boxOf(1).center().toPoint();
    QVERIFY(grid.tipAt(place).contains(QStringLiteral("Rank 1")));
    QTest::mouseClick(grid.viewport(), Qt::LeftButton, {}, place);
    QCOMPARE(grid.selected(), std::optional(1));
    QCOMPARE(panel().table(ParallelTable::Stages).shownRows(), 1);
    panel().coloring().choose(1);
    QCOMPARE(grid.selected(), std::optional(1));
    panel().coloring().choose(0);
    QTest::mouseClick(grid.viewport(), Qt::LeftButton, {}, place);
    QVERIFY(!grid.selected());
    QCOMPARE(panel().table(ParallelTable::Stages).shownRows(), 2);
    QTest::keyClick(&grid, Qt::Key_Left);
    QTest::keyClick(&grid, Qt::Key_Right);
    QTest::keyClick(&grid, Qt::Key_Return);
    QCOMPARE(grid.selected(), std::optional(1));
    grid.select(std::nullopt);
  }

  void aGridOfThousandsOfRanksFitsTheWindow() {
    QCOMPARE(rankGridColumns(8), 16U);
    QCOMPARE(rankGridColumns(256), 16U);
    QCOMPARE(rankGridColumns(1000), 32U);
    QCOMPARE(rankGridColumns(4096), 64U);
    RankCellsContents contents;
    contents.color = &Theme::gemm;
    for (int row = 0; row < 64; ++row) {
      contents.rowNames << QString::number(64 * row);
      contents.columnNames << QString::number(row);
      for (int column = 0; column < 64; ++column) {
        RankCell cell;
        cell.rank = 64 * row + column;
        cell.row = row;
        cell.column = column;
        cell.value = cell.rank;
        contents.cells.push_back(std::move(cell));
      }
    }
    RankCells grid(m_job->window.session());
    grid.setContents(std::move(contents));
    QVERIFY(grid.sizeHint().height() <= 600);
    QVERIFY(grid.minimumSizeHint().height() <= grid.sizeHint().height());
    grid.setAttribute(Qt::WA_DontShowOnScreen);
    grid.resize(560, grid.sizeHint().height());
    grid.show();
    QVERIFY(grid.boxOf(4095).height() >= 6);
    QVERIFY(grid.boxOf(4095).bottom() <= grid.viewport()->height() + 1);
    QVERIFY(grid.boxOf(4095).right() <= grid.viewport()->width() + 1);
  }

  void aTypedLayoutReplacesTheRecognized() {
    panel().layoutField().setText(QStringLiteral("xp=2"));
    emit panel().layoutField().editingFinished();
    QVERIFY(!panel().layoutProblem().text().isEmpty());
    panel().layoutField().setText(QStringLiteral("dp=2"));
    emit panel().layoutField().editingFinished();
    QVERIFY(m_job->settles());
    QCOMPARE(panel().figure(ParallelismFigure::Layout).figure().value, QStringLiteral("DP 2"));
    panel().layoutField().clear();
    emit panel().layoutField().editingFinished();
    QVERIFY(m_job->settles());
    QCOMPARE(panel().figure(ParallelismFigure::Layout).figure().value, QStringLiteral("PP 2"));
  }

  void replicasHaveADataParallelGrid() {
    OpenJob job(jobWithFaults(), QSize(1280, 800));
    job.window.showTab("parallelism");
    QVERIFY(job.settles());
    auto& page = job.tabs().page<ParallelismPanel>("parallelism");
    QVERIFY(page.data() != nullptr);
    QCOMPARE(page.grid().contents().cells.size(), 4U);
    QCOMPARE(QString::fromStdString(layoutText(job.report().parallel().layout.degrees)),
             page.figure(ParallelismFigure::Layout).figure().value);
    QVERIFY(page.data()->pipelines.empty());
    QVERIFY(!page.pipeline().isVisibleTo(&page));
    // Exposed transfer and wait apart; ranks wait for the straggler.
    const BarRows& bars = page.dimensions().bars();
    QVERIFY(!bars.rows.empty());
    QCOMPARE(bars.parts.size(), 3U);
    QCOMPARE(bars.parts[1].name, QStringLiteral("exposed wait"));
    QVERIFY(bars.rows.front().amounts[1] > 0);
    double exposed = 0;
    for (const BarRow& row : bars.rows) exposed += row.amounts[0] + row.amounts[1];
    QCOMPARE(page.figure(ParallelismFigure::Exposed).figure().value,
             QString::fromStdString(durationText(static_cast<TimeNs>(exposed))));
    for (const RankCell& cell : page.grid().contents().cells) QCOMPARE(cell.outlier, cell.rank == 1);
    // In one row, numbers of columns would repeat the ranks.
    QCOMPARE(page.grid().contents().columnNames.join(QString()), QString());
    // Buckets of the chosen rank, in the order of their launches, within the step.
    QCOMPARE(page.data()->buckets.size(), 4U);
    page.grid().select(2);
    const LaneContents& chart = page.buckets().contents();
    QCOMPARE(chart.lanes.size(), 3);
    QCOMPARE(chart.boxes.size(), page.data()->buckets[2].contents.boxes.size());
    double last = -1;
    for (const LaneBox& box : chart.boxes) {
      QVERIFY(box.begin >= 0 && box.begin <= box.end && box.end <= chart.length);
      if (box.lane != 2) continue;
      QVERIFY(box.begin >= last);
      last = box.begin;
    }
    QVERIFY(last > 0);
  }

  // The other rank was not recorded: whether it was waited for is unknown.
  void waitsOfARankAloneAreUnknown() {
    QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("job").toStdString();
    test::JobOptions options;
    options.ranks = 2;
    options.layers = 2;
    options.missingRanks = {1};
    test::generateJob(options, path);
    OpenJob job(pathOf(path), QSize(1280, 800));
    job.window.showTab("parallelism");
    QVERIFY(job.settles());
    auto& page = job.tabs().page<ParallelismPanel>("parallelism");
    const BarRows& bars = page.dimensions().bars();
    QCOMPARE(bars.parts.size(), 2U);
    QCOMPARE(bars.parts[0].name, QStringLiteral("exposed, wait unknown"));
    const auto known = [&](GridFigure of) { return page.data()->gridKnown[static_cast<std::size_t>(of)]; };
    QVERIFY(known(GridFigure::Exposed));
    QVERIFY(!known(GridFigure::Waiting));
  }

  // Nothing was measured: that is no zero.
  void withoutCollectivesExposedCommunicationIsUnknown() {
    QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("job").toStdString();
    test::JobOptions options;
    options.ranks = 1;
    options.buckets = 0;
    options.layers = 2;
    test::generateJob(options, path);
    OpenJob job(pathOf(path), QSize(1280, 800));
    QVERIFY(job.analysis().collectives().match.instances.empty());
    job.window.showTab("parallelism");
    QVERIFY(job.settles());
    const Figure& shown =
        job.tabs().page<ParallelismPanel>("parallelism").figure(ParallelismFigure::Exposed).figure();
    QVERIFY2(shown.value.isEmpty(), qPrintable(shown.value));
    QCOMPARE(shown.note, QStringLiteral("no collective was recorded"));
  }

  // All ranks are there, and their files describe their only group.
  void ofTheGroupOfAllRanksNothingIsAskedThatIsThere() {
    const auto folder = test::sharedFolder() / "traces/p2p-4rank-t4";
    RANKSCOPE_QSKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
    OpenJob job(pathOf(folder), QSize(1280, 800));
    job.window.showTab("parallelism");
    QVERIFY(job.settles());
    auto& panel = job.tabs().page<ParallelismPanel>("parallelism");
    const QString why = panel.data()->whyUndivided;
    QVERIFY2(why.contains(QStringLiteral("only process group is that of all ranks")), qPrintable(why));
    QVERIFY2(!why.contains(QStringLiteral("PyTorch 2.3")), qPrintable(why));
  }

  // Also where ranks have different numbers of steps; inside a step figures are of the range.
  void startSkewIsToldApart() {
    const auto folder = test::sharedFolder() / "traces/dlrm-8rank-v100";
    RANKSCOPE_QSKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
    OpenJob job(pathOf(folder), QSize(1280, 800));
    job.window.showTab("parallelism");
    QVERIFY(job.settles());
    const QString note =
        job.tabs().page<ParallelismPanel>("parallelism").figure(ParallelismFigure::Exposed).figure().note;
    QVERIFY2(note.endsWith(" of it start skew of the recordings"), qPrintable(note));
  }

  void exposedCommunicationIsThatOfTheOverview() {
    QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("job").toStdString();
    test::JobOptions options;
    options.ranks = 3;
    options.captures = 2;
    options.steps = 4;
    options.layers = 2;
    test::generateJob(options, path);
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(path))
      if (entry.path().filename().string().starts_with("rank2")) files.push_back(entry.path());
    QCOMPARE(files.size(), 2U);
    std::filesystem::remove(std::max(files[0], files[1]));
    OpenJob job(pathOf(path), QSize(1280, 800));
    job.window.showTab("parallelism");
    QVERIFY(job.settles());
    auto& page = job.tabs().page<ParallelismPanel>("parallelism");
    const std::optional<StepPart> exposed = overviewFigures(job.analysis(), job.report().account()).exposed;
    QVERIFY(exposed.has_value());
    QCOMPARE(page.figure(ParallelismFigure::Exposed).figure().value,
             QString::fromStdString(durationText(exposed->mean)));
    QVERIFY(page.figure(ParallelismFigure::Exposed)
                .figure()
                .note.startsWith(QString::fromStdString(percentText(exposed->sharePct))));
    const TimeRange step = job.analysis().wholeStepWindows(RankIndex(0)).steps[1].range;
    QVERIFY(job.selects({step.begin + step.length() / 4, step.begin + step.length() / 2}));
    double inRange = 0;
    double recordings = 0;
    for (const RankIndex rank : page.analysis()->ranks()) {
      if (job.analysis().trace().rank(rank).capture != job.analysis().trace().rank(RankIndex(0)).capture)
        continue;
      inRange += static_cast<double>(page.analysis()->activity(rank).exposed.totalLength());
      ++recordings;
    }
    inRange /= recordings;
    const Figure& shown = page.figure(ParallelismFigure::Exposed).figure();
    QCOMPARE(shown.value, QString::fromStdString(durationText(static_cast<TimeNs>(inRange))));
    QVERIFY2(shown.note.contains(QStringLiteral("of the range")), qPrintable(shown.note));
    for (const GridFigure of :
         {GridFigure::Excluding, GridFigure::Exposed, GridFigure::Step, GridFigure::Idle}) {
      const RankCellsContents& grid = page.data()->grids[static_cast<std::size_t>(of)];
      QVERIFY(!grid.cells.empty());
      for (const RankCell& cell : grid.cells) QVERIFY(cell.value.has_value());
    }
    const auto quarter = static_cast<double>(step.length()) / 4;
    for (const RankCell& cell : page.data()->grids[static_cast<std::size_t>(GridFigure::Step)].cells)
      QVERIFY(std::abs(*cell.value - quarter) < 2);
  }

  void capturesShowTheirDimensions() {
    const std::filesystem::path folder = test::sharedFolder() / "captures" / "parallel";
    RANKSCOPE_QSKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
    const auto open = [&](const char* name) {
      return std::make_unique<OpenJob>(QString::fromStdString((folder / name).string()), QSize(1280, 800));
    };
    const auto pageOf = [](OpenJob& job) -> ParallelismPanel& {
      job.window.showTab("parallelism");
      if (!job.settles()) qFatal("the tab did not settle");
      return job.tabs().page<ParallelismPanel>("parallelism");
    };
    const auto fsdp = open("torch-2.14.1/fsdp2_api4");
    QCOMPARE(pageOf(*fsdp).data()->fsdp.size(), 4U);
    QCOMPARE(pageOf(*fsdp).fsdp().contents().lanes.size(), 3);
    const TableCard& stages = pageOf(*fsdp).table(ParallelTable::Zero);
    QCOMPARE(stages.shownRows(), 4);
    QCOMPARE(stages.model().textOf(3, "in_use"), QStringLiteral("1"));
    const auto tensor = open("torch-2.6.0/tp2_dp2");
    QCOMPARE(pageOf(*tensor).layers().bars().rows.size(), 4U);
    QCOMPARE(pageOf(*tensor).figure(ParallelismFigure::Layout).figure().value, QStringLiteral("TP 2 × DP 2"));
    const auto experts = open("torch-2.6.0/ep4_skewed");
    const SendMatrix& sent = pageOf(*experts).data()->traffic;
    QCOMPARE(sent.ranks, (std::vector<int>{0, 1, 2, 3}));
    // Routing weights are 4:1:1:2: rank 0 receives most from everyone.
    for (std::size_t from = 0; from < 4; ++from) {
      for (std::size_t to = 1; to < 4; ++to)
        QVERIFY(sent.heat.cells->at(0, from) > sent.heat.cells->at(to, from));
    }
  }

  // Two are members by the metadata, four took part; and each recorded all steps.
  void groupsThatContradictTheMetadataAreTold() {
    const std::filesystem::path folder = test::sharedFolder() / "traces" / "nccl-4ranks-derived";
    RANKSCOPE_QSKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
    OpenJob job(QString::fromStdString(folder.string()), QSize(1280, 800));
    for (const char* const tab : {"parallelism", "distributed"}) {
      job.window.showTab(tab);
      QVERIFY(job.settles());
    }
    auto& page = job.tabs().page<ParallelismPanel>("parallelism");
    QVERIFY(page.figure(ParallelismFigure::Layout).figure().note.contains("more ranks took part"));
    QVERIFY(page.figure(ParallelismFigure::Exposed).figure().note.contains("mean over ranks"));
    bool told = false;
    for (const QLabel* const caption : job.window.findChildren<QLabel*>("caption"))
      told = told || caption->text().contains("ranks 2, 3 took part in default_pg as well");
    QVERIFY(told);
  }

  // Collectives of gloo run at the same time.
  void noBucketCoversAnother() {
    const std::filesystem::path folder = test::captureFolder("torch-2.6.0/ddp4_straggler");
    RANKSCOPE_QSKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
    OpenJob job(QString::fromStdString(folder.string()), QSize(1280, 800));
    job.window.showTab("parallelism");
    QVERIFY(job.settles());
    const LaneContents& chart = job.tabs().page<ParallelismPanel>("parallelism").buckets().contents();
    std::map<int, std::vector<std::pair<double, double>>> ofLane;
    for (const LaneBox& box : chart.boxes) ofLane[box.lane].emplace_back(box.begin, box.end);
    for (auto& [lane, boxes] : ofLane) {
      std::ranges::sort(boxes);
      for (std::size_t i = 1; i < boxes.size(); ++i)
        QVERIFY2(boxes[i].first >= boxes[i - 1].second, qPrintable(chart.lanes[lane]));
    }
    QCOMPARE(ofLane.rbegin()->first, chart.lanes.size() - 1);
  }

 private:
  ParallelismPanel& panel() { return m_job->tabs().page<ParallelismPanel>("parallelism"); }

  QTemporaryDir m_folder;
  std::unique_ptr<OpenJob> m_job;
};

RANKSCOPE_UI_TEST(ParallelismTest)
#include "parallelism_test.moc"
