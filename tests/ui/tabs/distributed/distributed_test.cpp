// SPDX-License-Identifier: GPL-3.0-or-later
// The distributed tab with jobs whose slow rank is known: metrics equal the tables, charts and tables are
// linked, and clicks show the timeline. Covers ui/tables/rank_columns, ui/widgets/rank_names,
// ui/tabs/distributed/distributed_columns, ui/tabs/distributed/distributed_data,
// ui/tabs/distributed/distributed_links and ui/tabs/distributed/step_curves too.
#include "core/analysis/job/scope.h"
#include "core/io/load/trace_loader.h"
#include "core/report/collective_totals_table.h"
#include "core/report/tables.h"
#include "tests/support/job_generator.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"
#include "tests/ui/settling.h"
#include "tests/ui/ui_test.h"
#include "ui/charts/chart_card.h"
#include "ui/job/trace_session.h"
#include "ui/tables/table_view.h"
#include "ui/tabs/distributed/distributed_panel.h"

#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QMouseEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <fstream>
#include <string>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

constexpr int kSlow = 5;

std::shared_ptr<const TraceSet> jobOf(test::JobOptions options) {
  const test::TemporaryFolder folder;
  options.layers = 2;
  options.straggler = {.rank = options.ranks > kSlow ? kSlow : -1,
                       .extraNs = 3'000'000,
                       .fromStep = 0,
                       .kind = test::StragglerKind::Compute};
  generateJob(options, folder.path());
  Progress progress;
  const auto loaded = loadTraces({folder.path().string()}, {}, progress);
  if (!loaded) qFatal("%s", loaded.error().text().c_str());
  return loaded.value();
}

std::shared_ptr<const TraceSet> jobOf(const test::TraceText& text) {
  const test::TemporaryFolder folder;
  test::writeTraceFile(folder / "rank0.json", text.text());
  Progress progress;
  const auto loaded = loadTraces({folder.path().string()}, {}, progress);
  if (!loaded) qFatal("%s", loaded.error().text().c_str());
  return loaded.value();
}

std::shared_ptr<const TraceSet> eightRanks() {
  test::JobOptions options;
  options.ranks = 8;
  options.steps = 5;
  return jobOf(options);
}

struct Tab {
  TraceSession session;
  std::shared_ptr<const Analysis> whole;
  QTemporaryDir folder;
  QSettings settings{folder.filePath("settings.ini"), QSettings::IniFormat};
  DistributedPanel panel{session, settings};
  QSignalSpy wanted{&panel, &AnalysisPage::timelineWanted};

  explicit Tab(const std::shared_ptr<const TraceSet>& trace, QSize size = {1500, 1400}) {
    whole = std::make_shared<const Analysis>(trace);
    session.setTrace(trace, whole);
    panel.resize(size);
    panel.show();
    show(whole);
  }

  void show(std::shared_ptr<const Analysis> analysis) {
    panel.setReport(std::make_shared<const JobReport>(std::move(analysis)));
    QVERIFY(settles(session.pending()) && panel.data() != nullptr);
    QApplication::processEvents();
  }
  static void hover(QWidget& widget, QPoint at) {
    QMouseEvent event(QEvent::MouseMove, QPointF(at), QPointF(widget.mapToGlobal(at)), Qt::NoButton,
                      Qt::NoButton, {});
    QApplication::sendEvent(&widget, &event);
  }
  [[nodiscard]] TimeRange extentOf(std::size_t rank) const {
    return session.trace()->rank(RankIndex(rank)).trace->extent;
  }
  [[nodiscard]] bool windowHolds(TimeRange range) const {
    return session.window().begin <= range.begin && range.end <= session.window().end;
  }
};

qint64 wholeAt(const ResultTable& table, std::size_t row, std::string_view column) {
  const Cell cell = table.at(row, *table.columnNamed(column));
  return std::holds_alternative<std::int64_t>(cell) ? std::get<std::int64_t>(cell) : 0;
}

double sumOf(const BarRow& row) {
  double sum = 0;
  for (const double amount : row.amounts) sum += amount;
  return sum;
}

void expectBarsOfTheTable(Tab& tab, const Analysis& analysis) {
  const ResultTable table = ranksTable(analysis);
  const BarRows& shares = tab.panel.shares().bars();
  const BarRows& waits = tab.panel.waits().bars();
  QCOMPARE(shares.rows.size(), table.rowCount());
  for (std::size_t row = 0; row < table.rowCount(); ++row) {
    QCOMPARE(qint64(sumOf(shares.rows[row])), wholeAt(table, row, "gpu_span_us"));
    QCOMPARE(qint64(shares.rows[row].amounts[1]), wholeAt(table, row, "overlap_us"));
    QCOMPARE(qint64(shares.rows[row].amounts[2]), wholeAt(table, row, "exposed_communication_us"));
    QCOMPARE(qint64(waits.rows[row].amounts[0] + waits.rows[row].amounts[1]), wholeAt(table, row, "wait_us"));
    QCOMPARE(qint64(waits.rows[row].amounts[2]), wholeAt(table, row, "transfer_us"));
  }
}

} // namespace

class DistributedTest : public QObject {
  Q_OBJECT

 private slots:
  void barsHaveTheFiguresOfTheRanksTable();
  void aSelectedRangeHasTheFiguresOfItsTables();
  void theSlowRankIsMarkedEverywhere();
  void equalArrivalsAreASentence();
  void aBarGoesToItsRank();
  void aPointOfALineGoesToThatStepOnThatRank();
  void ownTimeIsTheStepWithoutWaiting();
  void ofOneStepEachRankIsADot();
  void aCellGoesToTheCollectiveOnItsRank();
  void whatIsHoveredIsMarkedEverywhere();
  void aRowOfTheRanksGoesToItsRank();
  void collectivesAreWalkedFromTheirRow();
  void collectivesAreOfAllRanksOrByRank();
  void ofManyRanksRepresentativeOnesAreShown();
  void groupsOfOneKindAreChosenTogether();
  void aSingleRankShowsWhyWaitsAreUnknown();
  void aRankWithoutCollectivesIsNotToldToRecordDevices();
  void startSkewIsToldApartWhereItIsShown();
  void concurrentCollectivesAreSaidToCountTwice();
  void aSmallPageScrollsAndItsTablesHaveRows();
};

void DistributedTest::barsHaveTheFiguresOfTheRanksTable() {
  Tab tab(eightRanks());
  tab.panel.setShareOver(ShareOver::Sum);
  expectBarsOfTheTable(tab, *tab.whole);
  tab.panel.setShareOver(ShareOver::StepMean);
  const ResultTable table = ranksTable(*tab.whole);
  for (std::size_t row = 0; row < 8; ++row)
    QVERIFY(std::abs(sumOf(tab.panel.shares().bars().rows[row]) -
                     static_cast<double>(wholeAt(table, row, "step_mean_us"))) <= 2);
}

void DistributedTest::aSelectedRangeHasTheFiguresOfItsTables() {
  Tab tab(eightRanks());
  const JobRange all = tab.whole->extent();
  const JobRange half{all.begin, all.begin + all.length() / 2};
  const auto part = std::make_shared<const Analysis>(*tab.whole, scopeOfRange(*tab.whole, half));
  tab.panel.setShareOver(ShareOver::Sum);
  tab.show(part);
  expectBarsOfTheTable(tab, *part);
  const ResultTable totals = collectiveTotalsTable(*part);
  QCOMPARE(tab.panel.collectives().model().textOf(0, "calls"),
           QString::fromStdString(exactText(totals, 0, *totals.columnNamed("calls"))));
  QVERIFY(wholeAt(totals, 0, "calls") < wholeAt(collectiveTotalsTable(*tab.whole), 0, "calls"));
}

void DistributedTest::theSlowRankIsMarkedEverywhere() {
  Tab tab(eightRanks());
  for (std::size_t rank = 0; rank < 8; ++rank) {
    const bool slow = rank == kSlow;
    QCOMPARE(tab.panel.shares().bars().rows[rank].outlier, slow);
    QCOMPARE(tab.panel.waits().bars().rows[rank].outlier, slow);
    QCOMPARE(tab.panel.stepTimes().curves().curves[rank].outlier, slow);
    QCOMPARE(bool(tab.panel.arrivals().contents().outlierRows[rank]), slow);
    QCOMPARE(tab.panel.ranks().view().rowColor(static_cast<int>(rank)).isValid(), slow);
  }
}

// A map of zeros alone would look like one that was not drawn.
void DistributedTest::equalArrivalsAreASentence() {
  const auto folder = test::sharedFolder() / "traces" / "nccl-4ranks-derived";
  RANKSCOPE_QSKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
  Progress progress;
  const auto loaded = loadTraces({folder.string()}, {}, progress);
  QVERIFY(loaded.ok());
  Tab tab(loaded.value());
  const auto says = [](const Tab& of) {
    const auto labels = of.panel.findChildren<QLabel*>();
    return std::ranges::any_of(labels, [](const QLabel* label) {
      return label->text().startsWith(QStringLiteral("All ranks arrived at the same time")) &&
             label->text().endsWith(QStringLiteral("with a residual of 0 ns."));
    });
  };
  QVERIFY(says(tab));
  QVERIFY(!says(Tab(eightRanks())));
}

void DistributedTest::aBarGoesToItsRank() {
  Tab tab(eightRanks());
  QSignalSpy revealed(&tab.session, &TraceSession::revealRankRequested);
  StackedBars& bars = tab.panel.shares();
  QTest::mouseClick(bars.viewport(), Qt::LeftButton, {}, bars.boxOf(3, 0).center().toPoint());
  QCOMPARE(tab.wanted.size(), 1);
  QCOMPARE(revealed.back().front().value<RankIndex>(), RankIndex(3));
  QVERIFY(tab.windowHolds(tab.extentOf(3)));
  QVERIFY2(!tab.session.range(), "a rank that is looked at does not limit the tables");
}

void DistributedTest::aPointOfALineGoesToThatStepOnThatRank() {
  Tab tab(eightRanks());
  LinePlot& plot = tab.panel.stepTimes();
  const QPointF point = plot.curves().curves[kSlow].points[1];
  QTest::mouseClick(plot.viewport(), Qt::LeftButton, {}, plot.placeOf(point.x(), point.y()).toPoint());
  QCOMPARE(tab.wanted.size(), 1);
  const StepWindow& step = tab.whole->stepWindows(RankIndex(kSlow)).steps[1];
  QVERIFY(tab.windowHolds(step.range));
  QVERIFY(tab.session.window().length() < 2 * step.range.length());
  QCOMPARE(tab.session.selection().event,
           tab.whole->stepWindows(tab.session.selection().rank).steps[1].event);
}

void DistributedTest::ownTimeIsTheStepWithoutWaiting() {
  Tab tab(eightRanks());
  tab.panel.setStepFigure(StepFigure::ExcludingCommunication);
  const auto& curves = tab.panel.stepTimes().curves().curves;
  for (std::size_t rank = 0; rank < 8; ++rank)
    for (qsizetype i = 0; i < 3; ++i) {
      const RankStep& step = tab.whole->stragglers().ranks[rank].steps[static_cast<std::size_t>(i)];
      QCOMPARE(qint64(curves[rank].points[i].y()), step.own);
      if (rank != kSlow) QVERIFY(curves[kSlow].points[i].y() > curves[rank].points[i].y() + 2e6);
    }
}

void DistributedTest::ofOneStepEachRankIsADot() {
  test::JobOptions options;
  options.ranks = 8;
  options.steps = 1;
  Tab tab(jobOf(options));
  LinePlot& plot = tab.panel.stepTimes();
  QCOMPARE(plot.curves().curves.size(), 8U);
  const QPointF point = plot.curves().curves[6].points.front();
  QCOMPARE(point.x(), 6.0);
  QTest::mouseClick(plot.viewport(), Qt::LeftButton, {}, plot.placeOf(point.x(), point.y()).toPoint());
  QCOMPARE(tab.session.selection().rank, RankIndex(6));
}

void DistributedTest::aCellGoesToTheCollectiveOnItsRank() {
  Tab tab(eightRanks());
  HeatMap& map = tab.panel.arrivals();
  QTest::mouseClick(&map, Qt::LeftButton, {}, map.boxOf(4, kSlow).center());
  const EventRef selected = tab.session.selection();
  QCOMPARE(selected.rank, RankIndex(kSlow));
  const CollectiveMatch& match = tab.whole->collectives().match;
  QCOMPARE(match.instanceAt(selected.rank, selected.event), &match.instances[4]);
  QCOMPARE(tab.wanted.size(), 1);
  const QString tip = map.tipAt(map.boxOf(4, kSlow).center());
  for (const char* word : {"AllReduce", "Rank 5", "last of 8 ranks", "wait "})
    QVERIFY2(tip.contains(QLatin1String(word)), qPrintable(tip));
}

void DistributedTest::whatIsHoveredIsMarkedEverywhere() {
  Tab tab(eightRanks());
  StackedBars& bars = tab.panel.waits();
  Tab::hover(*bars.viewport(), bars.boxOf(2, 2).center().toPoint());
  QCOMPARE(tab.panel.ranks().view().markedRow(), 2);
  HeatMap& map = tab.panel.arrivals();
  Tab::hover(map, map.boxOf(1, 6).center());
  QCOMPARE(tab.panel.ranks().view().markedRow(), 6);
  QEvent left(QEvent::Leave);
  QApplication::sendEvent(&map, &left);
  QCOMPARE(tab.panel.ranks().view().markedRow(), -1);
}

void DistributedTest::aRowOfTheRanksGoesToItsRank() {
  Tab tab(eightRanks());
  QSignalSpy revealed(&tab.session, &TraceSession::revealRankRequested);
  emit tab.panel.ranks().rowActivated(7);
  QCOMPARE(revealed.back().front().value<RankIndex>(), RankIndex(7));
  QVERIFY(tab.windowHolds(tab.extentOf(7)));
}

void DistributedTest::collectivesAreWalkedFromTheirRow() {
  Tab tab(eightRanks());
  TableCard& card = tab.panel.collectives();
  const auto all = occurrencesOf(*tab.whole, collectiveRowKey(*card.model().table(), 0));
  QVERIFY(all.size() > 3);
  emit card.rowActivated(0);
  QCOMPARE(tab.session.selection(), (EventRef{all[0].rank, all[0].event}));
  card.selectRow(0);
  card.view().setFocus();
  QTest::keyClick(&card.view(), Qt::Key_N);
  QTest::keyClick(&card.view(), Qt::Key_N);
  QCOMPARE(tab.session.selection(), (EventRef{all[2].rank, all[2].event}));
  for (int i = 0; i < 3; ++i) QTest::keyClick(&card.view(), Qt::Key_N, Qt::ShiftModifier);
  QCOMPARE(tab.session.selection(), (EventRef{all.back().rank, all.back().event}));
}

void DistributedTest::collectivesAreOfAllRanksOrByRank() {
  Tab tab(eightRanks());
  TableCard& card = tab.panel.collectives();
  QCOMPARE(card.model().rowCount(), 1);
  QVERIFY(std::ranges::any_of(card.findChildren<QComboBox*>(),
                              [](const QComboBox* box) { return box->currentText() == "mean over ranks"; }));
  tab.panel.setCollectivesByRank(true);
  QCOMPARE(card.model().rowCount(), 8);
  emit card.rowActivated(3);
  QCOMPARE(tab.session.selection().rank, RankIndex(3));
}

void DistributedTest::ofManyRanksRepresentativeOnesAreShown() {
  test::JobOptions options;
  options.ranks = 40;
  options.steps = 5;
  Tab tab(jobOf(options));
  const auto& rows = tab.panel.shares().bars().rows;
  QVERIFY(rows.size() <= kChosenBars);
  QVERIFY(rows.front().outlier);
  QCOMPARE(rows.front().label, QStringLiteral("Rank 5"));
  const Curves& curves = tab.panel.stepTimes().curves();
  QCOMPARE(curves.bands.size(), 1U);
  QVERIFY(
      std::ranges::any_of(curves.curves, [](const Curve& c) { return c.outlier && c.name == u"Rank 5"; }));
  QCOMPARE(tab.panel.arrivals().contents().rowNames.size(), 40);
  // The slow rank is visible without scrolling.
  QCOMPARE(tab.panel.ranks().tableRow(0), 5);
}

void DistributedTest::groupsOfOneKindAreChosenTogether() {
  test::JobOptions options;
  options.ranks = 8;
  options.steps = 2;
  options.parallelism = test::Parallelism::Tensor;
  options.tensorRanks = 2;
  Tab tab(jobOf(options));
  const std::vector<GroupCategory> categories = tab.panel.data()->categories;
  QCOMPARE(categories.size(), 2U);
  const std::size_t columns = tab.panel.arrivals().contents().cells->columns;
  tab.panel.setGroupCategory(groupCategoryName(categories[1]));
  QVERIFY(settles(tab.session.pending()) && tab.panel.arrivals().contents().cells->columns != columns);
  QCOMPARE(tab.panel.arrivals().contents().cells->columns,
           ArrivalMatrix(*tab.whole, categories[1]).columnCount());
}

void DistributedTest::aSingleRankShowsWhyWaitsAreUnknown() {
  test::TraceText text;
  text.distributedInfo(0, 2).baseTime(1'700'000'000'000'000'000);
  text.addCollective(0, 20, 0, 1'000'000, "allreduce", 1000, 2);
  Tab tab(jobOf(text));
  const QString waits = whyNoWaits(*tab.panel.data());
  const QString arrivals = whyNoArrivals(*tab.panel.data());
  QVERIFY2(waits.contains("wait and transfer cannot be separated"), qPrintable(waits));
  QVERIFY2(arrivals.startsWith("Arrivals") && !arrivals.contains("wait"), qPrintable(arrivals));
  QCOMPARE(tab.panel.shares().bars().rows.size(), 1U);
  QVERIFY(!tab.panel.arrivals().isVisible());
}

// Its devices were recorded: no option of the profiler would show a collective.
void DistributedTest::aRankWithoutCollectivesIsNotToldToRecordDevices() {
  test::TraceText text;
  text.distributedInfo(0, 1).baseTime(1'700'000'000'000'000'000);
  text.addKernel(0, 7, 0, 1'000'000, "gemm");
  const Tab tab(jobOf(text));
  QCOMPARE(whyNoWaits(*tab.panel.data()), QString("One rank was recorded, and no collective."));
  QCOMPARE(whyNoArrivals(*tab.panel.data()), QString("No arrivals: no collective was recorded."));
}

void DistributedTest::startSkewIsToldApartWhereItIsShown() {
  const test::TemporaryFolder folder;
  for (int rank = 0; rank < 2; ++rank) {
    test::TraceText text;
    text.distributedInfo(rank, 2).baseTime(1'700'000'000'000'000'000);
    for (int call = 0; call < 4; ++call) {
      const std::int64_t late = rank == 0 ? 0 : call == 0 ? 300'000 : 1'000;
      text.addCollective(rank, 20, std::int64_t{1'000'000} * call + late, 500'000 - late, "allreduce", 1000,
                         2);
    }
    test::writeTraceFile(folder / ("rank" + std::to_string(rank) + ".json"), text.text());
  }
  Progress progress;
  const auto loaded = loadTraces({folder.path().string()}, {}, progress);
  QVERIFY(loaded);
  Tab tab(loaded.value());
  const auto captionOf = [](const QWidget& card) {
    const auto* const caption = card.findChild<QLabel*>("caption");
    return caption->text() + caption->toolTip();
  };
  const QString waits = captionOf(tab.panel.card(tab.panel.waits()));
  QVERIFY2(
      waits.contains(QString::fromUtf8("of the exposed wait, 150 µs is start skew of the recordings (mean "
                                       "of ranks; rank 0: 300 µs)")),
      qPrintable(waits));
  const QString arrivals = captionOf(tab.panel.card(tab.panel.arrivals()));
  QVERIFY2(arrivals.contains(QString::fromUtf8("at the first up to 300 µs, start skew of the recordings")),
           qPrintable(arrivals));
  QVERIFY(captionOf(tab.panel.ranks()).contains("start skew"));
  const DistributedData& data = *tab.panel.data();
  for (std::size_t column = 0; column < 4; ++column)
    QCOMPARE(arrivalTip(*data.analysis, *data.arrivals, column, 0).contains("start skew"), column == 0);

  Tab slow(eightRanks());
  QVERIFY(!captionOf(slow.panel.card(slow.panel.waits())).contains("start skew"));
}

// Their waits and transfers may add up to more than the time of communication.
void DistributedTest::concurrentCollectivesAreSaidToCountTwice() {
  for (const int streams : {1, 2}) {
    const test::TemporaryFolder folder;
    for (int rank = 0; rank < 2; ++rank) {
      test::TraceText text;
      text.distributedInfo(rank, 2).baseTime(1'700'000'000'000'000'000);
      for (int call = 0; call < 3; ++call)
        for (int stream = 0; stream < streams; ++stream)
          text.addCollective(rank, 20 + stream, std::int64_t{1'000'000} * call, 500'000, "allreduce",
                             1000 + stream, 2);
      std::ofstream(folder / ("rank" + std::to_string(rank) + ".json")) << text.text();
    }
    Progress progress;
    const auto loaded = loadTraces({folder.path().string()}, {}, progress);
    QVERIFY(loaded);
    Tab tab(loaded.value());
    const auto* const caption = tab.panel.card(tab.panel.waits()).findChild<QLabel*>("caption");
    QVERIFY(caption != nullptr && tab.panel.waits().bars().rows.size() == 2);
    QCOMPARE(caption->text().contains("count twice") || caption->toolTip().contains("count twice"),
             streams == 2);
    for (const TableCard* const table : {&tab.panel.ranks(), &tab.panel.collectives(), &tab.panel.groups()}) {
      const auto* const line = table->findChild<QLabel*>("caption");
      QVERIFY(line != nullptr);
      const QString text = line->text() + line->toolTip();
      QVERIFY2(text.contains("count twice") == (streams == 2), qPrintable(text));
    }
  }
}

void DistributedTest::aSmallPageScrollsAndItsTablesHaveRows() {
  Tab tab(eightRanks(), {960, 620});
  const QScrollArea* page = tab.panel.findChild<QScrollArea*>();
  QVERIFY(page->verticalScrollBar()->maximum() > 0);
  QVERIFY2(page->widget()->width() <= page->viewport()->width(), "nothing is cut at the right");
  QVERIFY(tab.panel.ranks().height() >= tab.panel.ranks().heightFor(8));
  QVERIFY(tab.panel.shares().height() > 150);
  QVERIFY(tab.panel.arrivals().height() > 150);
}

RANKSCOPE_UI_TEST(DistributedTest)
#include "distributed_test.moc"
