// SPDX-License-Identifier: GPL-3.0-or-later
// The compare tab: another job opened beside the first, two ranks of one job, both sides exchanged; what it
// shows adds up, its dots, rows and aligned steps lead to the timeline. Covers ui/job/compared_parts,
// ui/tabs/compare/aligned_lanes, ui/tabs/compare/aligned_metrics, ui/tabs/compare/aligned_paint,
// ui/tabs/compare/aligned_steps, ui/tabs/compare/compare_columns, ui/tabs/compare/compare_data,
// ui/tabs/compare/compare_links, ui/tabs/compare/compare_pages, ui/tabs/compare/compare_panel,
// ui/tabs/compare/compare_parts, ui/tabs/compare/compare_words, ui/tabs/compare/delta_waterfall,
// ui/tabs/compare/row_choice, ui/tabs/compare/step_dots, ui/tabs/compare/step_pairs, ui/widgets/compare_menu
// and ui/widgets/opens_beside.
#include "ui/tabs/compare/compare_panel.h"

#include "tests/ui/analysis_fixture.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/compare/compare_columns.h"
#include "ui/tabs/compare/compare_words.h"
#include "ui/tabs/compare/row_choice.h"
#include "ui/widgets/choice_row.h"
#include "ui/widgets/compare_menu.h"
#include "ui/widgets/wrapped_label.h"
#include "ui/window/offscreen_run.h"
#include "ui/window/screenshot.h"

#include <QComboBox>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileInfo>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QUrl>

#include <algorithm>
#include <cmath>
#include <set>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_analysis;

namespace {

constexpr std::int64_t kAdded = 8'000'000;

test::JobOptions beforeJob() {
  test::JobOptions options;
  options.ranks = 2;
  options.steps = 7;
  options.layers = 3;
  return options;
}

test::JobOptions afterJob() {
  test::JobOptions options = beforeJob();
  options.gaps.push_back({-1, -1, kAdded, test::GapCause::DataLoader});
  return options;
}

double changesOf(const DeltaWaterfall& waterfall) {
  double sum = 0;
  for (const DeltaRow& row : waterfall.rows().rows) sum += row.b - row.a;
  return sum;
}

} // namespace

class CompareTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    m_job = std::make_unique<OpenJob>(beforeJob());
    m_otherPath = m_job->folder.filePath("other");
    test::generateJob(afterJob(), m_otherPath.toStdString());
  }
  void cleanupTestCase() { m_job.reset(); }
  void init() {
    m_job->window.showTab("compare");
    QVERIFY(m_job->settles());
  }

  void withoutAnotherSideItSaysWhatToDo() {
    QVERIFY(panel().data());
    QVERIFY(!panel().data()->comparison);
    QVERIFY(!panel().waterfall().isVisible());
  }

  void anotherJobOpensBesideTheFirst() {
    panel().openBeside({m_otherPath}, {});
    QVERIFY(m_job->settles());
    QVERIFY(compared());
    QCOMPARE(data().comparison->verdict, Verdict::Regression);
    QVERIFY(panel().sentence().text().contains("slower"));
    // The first job stays open.
    QCOMPARE(m_job->session().trace()->ranks().size(), std::size_t{2});
    const DeltaRows& rows = panel().waterfall().rows();
    QVERIFY(std::abs(changesOf(panel().waterfall()) - (rows.b - rows.a)) < 1);
    QVERIFY(std::abs(rows.b - rows.a - kAdded) < 0.02 * kAdded);
    QCOMPARE(panel().dots().rows().a.size(), std::size_t{7});
    QCOMPARE(panel().dots().rows().b.size(), std::size_t{7});
    // The figures above are means.
    QVERIFY(panel().dots().legendWithin(2000).contains("strokes: medians"));
    QVERIFY(panel().dots().legendWithin(2000).contains("interval of B's mean"));
    QVERIFY(panel().dots().legendWithin(300).contains("strokes: medians"));
    QVERIFY(panel().aligned().pair().valid());
  }

  void everyTableShowsItsRows() {
    QVERIFY(compared());
    for (int which = 0; which < static_cast<int>(kCompareTableCount); ++which) {
      panel().tableChoice().choose(which);
      QVERIFY2(panel().table().shownRows() > 0, qPrintable(QString::number(which)));
      QVERIFY(panel().rowOrder().isVisible() && panel().rowFilter().isVisible());
    }
    panel().tableChoice().choose(static_cast<int>(CompareTable::Operators));
    panel().showOnly("no such operator");
    QCOMPARE(panel().table().shownRows(), 0);
    panel().showOnly({});
    QVERIFY(panel().table().shownRows() > 0);
  }

  // The tables are what needs room.
  void aVeryLargeWindowGivesTheTablesItsWholeWidth() {
    QVERIFY(compared());
    const QSize before = m_job->window.size();
    const auto widthOfTables = [&](QSize size) {
      m_job->window.resize(size);
      QApplication::processEvents();
      return static_cast<double>(panel().table().width()) / panel().width();
    };
    QVERIFY(widthOfTables({1920, 1080}) < 0.7);
    QVERIFY(widthOfTables({3840, 2160}) > 0.95);
    QVERIFY(panel().waterfall().mapTo(&panel(), QPoint()).y() <
            panel().table().mapTo(&panel(), QPoint()).y());
    QVERIFY(panel().aligned().isVisible());
    m_job->window.resize(before);
    QApplication::processEvents();
    QVERIFY(widthOfTables({1920, 1080}) < 0.7);
    m_job->window.resize(before);
  }

  // Also where only "B" stands, beside the column of A.
  void everyHeadExplainsItself() {
    QVERIFY(compared());
    for (int which = 0; which < static_cast<int>(kCompareTableCount); ++which) {
      panel().tableChoice().choose(which);
      const ResultTableModel& model = panel().table().model();
      std::set<QString> titles;
      for (int column = 0; column < model.columnCount(); ++column) {
        const ShownColumn& shown = model.column(column);
        QVERIFY2(shown.tip.size() > 5 && shown.tip != shown.title, shown.source.c_str());
        QVERIFY2(titles.insert(shown.wholeTitle()).second, qPrintable(shown.wholeTitle()));
      }
    }
    DeltaWaterfall& waterfall = panel().waterfall();
    QStringList tips;
    for (int x = 0; x < waterfall.width(); ++x)
      if (const QString tip = waterfall.headTip(x); tips.isEmpty() || tips.back() != tip) tips << tip;
    QVERIFY(tips.size() >= 5);
    for (const QString& tip : tips) QVERIFY2(tip.size() > 10, qPrintable(tip));
  }

  // A job on CPUs has no GPU time to compare.
  void columnsWithoutFiguresAreNotShown() {
    for (const std::int64_t time : {0, 5}) {
      ResultTable table(
          "compare_operators",
          {{"operator", Unit::Text}, {"a_device_us", Unit::Nanoseconds}, {"b_device_us", Unit::Nanoseconds}});
      table.addRow({Cell(std::string_view("aten::mm")), Cell(time), Cell(time)});
      ResultTableModel model(compareColumns(CompareTable::Operators));
      model.setTable(std::make_shared<const ResultTable>(std::move(table)));
      QCOMPARE(model.columnOf("a_device_us") >= 0, time > 0);
      QCOMPARE(model.columnOf("b_device_us") >= 0, time > 0);
    }
    ResultTable kernels("compare_kernels", {{"kernel_a", Unit::Text}, {"kernel_b", Unit::Text}});
    kernels.addRow({Cell(std::string_view("void cudnn::cnn::wgrad_alg0_engine<float>(int)")), Cell()});
    ResultTableModel model(compareColumns(CompareTable::Kernels));
    model.setTable(std::make_shared<const ResultTable>(std::move(kernels)));
    QCOMPARE(model.index(0, 0).data().toString(), QString("wgrad_alg0_engine<float>"));
    QVERIFY(model.index(0, 0).data(Qt::ToolTipRole).toString().contains("cudnn::cnn::wgrad_alg0_engine"));
  }

  // Ids are for tables in files.
  void noCellShowsAnId() {
    QVERIFY(compared());
    int cells = 0;
    for (int which = 0; which < static_cast<int>(kCompareTableCount); ++which) {
      panel().tableChoice().choose(which);
      const ResultTableModel& model = panel().table().model();
      for (const char* source : {"class", "leaf", "matched_by", "kind", "table", "figure"}) {
        const int column = model.columnOf(source);
        for (int row = 0; column >= 0 && row < model.rowCount(); ++row) {
          const QString text = model.index(row, column).data().toString();
          QVERIFY2(!text.contains('_') && !text.contains('.'), qPrintable(text));
          ++cells;
        }
      }
    }
    QVERIFY(cells > 20);
    QCOMPARE(matchWords("only_a"), QString("only in A"));
    QCOMPARE(causeTitle("host.input"), QString("DataLoader"));
    QCOMPARE(causeTitle("memory.near_limit"), QString("Memory: near limit"));
    QCOMPARE(figureTitle("exposed_wait_us"), QString("Exposed wait, µs"));
    QCOMPARE(figureTitle("busbw_gb_s"), QString("Bus bandwidth, GB/s"));
    QCOMPARE(figureTitle("size"), QString("Size"));
  }

  void swappedSidesNegate() {
    const double delta = data().comparison->delta();
    panel().swapSides();
    QVERIFY(m_job->settles());
    QCOMPARE(data().comparison->verdict, Verdict::Improvement);
    QVERIFY(std::abs(data().comparison->delta() + delta) < 1e-3);
    QVERIFY(panel().sentence().text().contains("faster"));
    panel().swapSides();
    QVERIFY(m_job->settles());
  }

  void theWaterfallChoosesTheClasses() {
    DeltaWaterfall& waterfall = panel().waterfall();
    QTest::mouseClick(&waterfall, Qt::LeftButton, {}, waterfall.rowBox(0).center());
    QCOMPARE(waterfall.chosenRow(), 0);
    QCOMPARE(panel().tableChoice().chosen(), static_cast<int>(CompareTable::Classes));
    // The step pair that shows the difference is laid beside each other; the row stays chosen.
    QVERIFY(m_job->settles());
    QCOMPARE(waterfall.chosenRow(), 0);
    const std::size_t pair = typicalPair(*data().comparison, waterfall.rows().rows.front().parts);
    QVERIFY(pair >= 1);
    const auto kept = std::ranges::find(data().comparison->a.samples, pair, &SideSample::position);
    QVERIFY(kept != data().comparison->a.samples.end());
    QCOMPARE(panel().aligned().pair().a.title, QString("rank 0, step %1").arg(kept->number));
    QTest::keyClick(&waterfall, Qt::Key_Down);
    QCOMPARE(waterfall.chosenRow(), 1);
    QVERIFY(m_job->settles());
  }

  void stepsZoomAndPanTogether() {
    AlignedSteps& steps = panel().aligned();
    const TimeRange all = steps.view();
    QTest::keyClick(&steps, Qt::Key_W);
    QVERIFY(steps.view().length() < all.length());
    const TimeRange zoomed = steps.view();
    QTest::keyClick(&steps, Qt::Key_D);
    QVERIFY(steps.view().begin > zoomed.begin);
    QCOMPARE(steps.view().length(), zoomed.length());
    QTest::keyClick(&steps, Qt::Key_Home);
    QCOMPARE(steps.view(), all);
  }

  void ctrlRightIsTheNextStepPair() {
    QKeyEvent back(QEvent::KeyPress, Qt::Key_Left, Qt::ControlModifier);
    for (std::size_t i = 0; i < data().steps.positions; ++i) {
      QVERIFY(panel().pressKey(back));
      QVERIFY(m_job->settles());
    }
    const TimeRange before = panel().aligned().pair().a.range;
    const auto comparison = data().comparison;
    QKeyEvent key(QEvent::KeyPress, Qt::Key_Right, Qt::ControlModifier);
    QVERIFY(panel().claimsKey(key));
    QVERIFY(panel().pressKey(key));
    QVERIFY(m_job->settles());
    QVERIFY(panel().aligned().pair().a.range.begin > before.begin);
    // Only other steps of it are looked at.
    QCOMPARE(data().comparison, comparison);
  }

  void aCallIsChosenWithItsPartner() {
    AlignedSteps& steps = panel().aligned();
    QVERIFY(steps.pair().calls);
    QVERIFY(!steps.pair().calls->pairs.empty());
    QVERIFY(panel().callStrip().isHidden());
    const EventIndex kernel = drawnKernel();
    QVERIFY(kernel.valid());
    steps.zoomTo(around(kernel));
    const QRectF box = steps.boxOf(false, kernel);
    QVERIFY(!box.isNull());
    QTest::mouseClick(&steps, Qt::LeftButton, {}, box.center().toPoint());
    QVERIFY(steps.chosen().has_value());
    QCOMPARE(steps.chosen()->a, kernel);
    QVERIFY(steps.chosen()->b.valid());
    QVERIFY(!panel().callStrip().isHidden());
    QVERIFY(panel().callText().contains("B − A"));
    // The open job's timeline has the same selection, and the other way round.
    QCOMPARE(m_job->session().selection().event, kernel);
    const CallPair other = *std::ranges::find_if(steps.pair().calls->pairs, [&](const CallPair& pair) {
      return pair.a != kernel && steps.pair().a.trace().isDeviceEvent(pair.a);
    });
    m_job->session().select({steps.pair().a.rank, other.a});
    QCOMPARE(steps.chosen()->a, other.a);
    QCOMPARE(steps.chosen()->b, other.b);
    // Along the lane, and out.
    QTest::keyClick(&steps, Qt::Key_Right);
    QVERIFY(steps.chosen()->a != other.a);
    QTest::keyClick(&steps, Qt::Key_Escape);
    QVERIFY(!steps.chosen());
    QVERIFY(panel().callStrip().isHidden());
    steps.showAll();
  }

  // With real clicks: one on the call in A, one on each button of the strip.
  void aClickLeadsToBothPlaces() {
    AlignedSteps& steps = panel().aligned();
    const EventIndex kernel = drawnKernel();
    QVERIFY(kernel.valid());
    steps.zoomTo(around(kernel));
    QTest::mouseClick(&steps, Qt::LeftButton, {}, steps.boxOf(false, kernel).center().toPoint());
    QVERIFY(steps.chosen() && steps.chosen()->b.valid());
    // Both are outlined, under one ruler.
    QVERIFY(!steps.boxOf(false, steps.chosen()->a).isNull());
    QVERIFY(!steps.boxOf(true, steps.chosen()->b).isNull());
    // B is another job: a window of its own, which selects the partner.
    QStringList asked;
    panel().startWindowsWith([&](const QStringList& arguments) { asked = arguments; });
    QVERIFY(panel().toTimeline(true).isVisible());
    QTest::mouseClick(&panel().toTimeline(true), Qt::LeftButton);
    QCOMPARE(asked.value(0), m_otherPath);
    const auto valueOf = [&](const char* option) {
      const qsizetype at = asked.indexOf(QLatin1String(option));
      return at >= 0 ? asked.value(at + 1) : QString();
    };
    ViewTarget target;
    target.at = rankPlaceFromText(valueOf("--at"));
    target.select = eventQueryFromText(valueOf("--select"));
    target.from = timeFromText(valueOf("--from"));
    target.to = timeFromText(valueOf("--to"));
    QVERIFY(target.at && target.select && target.from && target.to);
    const EventIndex partner = steps.chosen()->b;
    const int rank = steps.pair().b.analysis->trace().rank(steps.pair().b.rank).rank;
    {
      OpenJob second(m_otherPath, {1280, 800});
      QVERIFY(!showTarget(second.window, target));
      const EventRef selected = second.session().selection();
      QCOMPARE(selected.event, partner);
      QCOMPARE(second.session().trace()->rank(selected.rank).rank, rank);
      QVERIFY(second.session().window().length() < second.session().trace()->extent().length() / 10);
    }
    // A is the open job.
    QTest::mouseClick(&panel().toTimeline(false), Qt::LeftButton);
    QVERIFY(m_job->settles());
    QCOMPARE(m_job->window.currentTab(), QString("timeline"));
    QCOMPARE(m_job->session().selection().event, kernel);
    m_job->session().select({});
    m_job->window.showTab("compare");
    QVERIFY(m_job->settles());
    QTest::keyClick(&steps, Qt::Key_Escape);
    steps.showAll();
  }

  void slowerOrFasterRowsComeFirst() {
    panel().tableChoice().choose(static_cast<int>(CompareTable::Classes));
    const auto changeAt = [&](int place) {
      const ResultTable& table = *panel().table().model().table();
      const Cell cell = table.at(static_cast<std::size_t>(panel().table().tableRow(place)),
                                 table.columnNamed("delta_us").value());
      return std::get<std::int64_t>(cell);
    };
    const int last = panel().table().shownRows() - 1;
    pick(panel().rowOrder(), 1);
    QVERIFY(changeAt(0) > 0);
    for (int i = 1; i <= last; ++i) QVERIFY(changeAt(i) <= changeAt(i - 1));
    pick(panel().rowOrder(), 2);
    for (int i = 1; i <= last; ++i) QVERIFY(changeAt(i) >= changeAt(i - 1));
    // Other sides keep the order that was chosen.
    panel().swapSides();
    QVERIFY(m_job->settles());
    QVERIFY(changeAt(0) < 0);
    for (int i = 1; i <= last; ++i) QVERIFY(changeAt(i) >= changeAt(i - 1));
    panel().swapSides();
    QVERIFY(m_job->settles());
    pick(panel().rowOrder(), 0);
    QCOMPARE(panel().table().tableRow(0), 0);
    QCOMPARE(panel().table().tableRow(last), last);
  }

  void rowsOfOneSideAreShownAlone() {
    auto words = std::make_shared<ResultTable>("compare_kernels", std::vector<TableColumn>{{"matched_by"}});
    for (const char* word : {"only_a", "exact", "only_b", "family", "operator", "shape_changed", "only_b"})
      words->addRow({Cell(std::string_view(word))});
    QCOMPARE(filteredRows(words, RowFilter::All), words);
    QCOMPARE(filteredRows(words, RowFilter::OnlyA)->rowCount(), std::size_t{1});
    QCOMPARE(filteredRows(words, RowFilter::OnlyB)->rowCount(), std::size_t{2});
    QCOMPARE(filteredRows(words, RowFilter::KernelChanged)->rowCount(), std::size_t{2});
    QCOMPARE(filteredRows(words, RowFilter::ShapeChanged)->rowCount(), std::size_t{1});
    pick(panel().rowFilter(), 2);
    // All operators are on both sides.
    panel().tableChoice().choose(static_cast<int>(CompareTable::Operators));
    QCOMPARE(panel().table().shownRows(), 0);
    pick(panel().rowFilter(), 4);
    QCOMPARE(panel().table().shownRows(), 0);
    pick(panel().rowFilter(), 0);
    QVERIFY(panel().table().shownRows() > 0);
  }

  void aPlaceAndADotLeadToTheTimeline() {
    AlignedSteps& steps = panel().aligned();
    QTest::mouseDClick(&steps, Qt::LeftButton, {}, {steps.width() / 2, steps.height() / 4});
    QVERIFY(m_job->settles());
    QCOMPARE(m_job->window.currentTab(), QString("timeline"));
    m_job->window.showTab("compare");
    QVERIFY(m_job->settles());
    QTest::mouseClick(&panel().dots(), Qt::LeftButton, {}, panel().dots().centerOf(false, 2).toPoint());
    QVERIFY(m_job->settles());
    QCOMPARE(m_job->window.currentTab(), QString("timeline"));
  }

  void tablesAPageAndPicturesAreExported() {
    const QString folder = m_job->folder.filePath("exported");
    QVERIFY(QDir().mkpath(folder));
    QSignalSpy exported(&panel(), &ComparePanel::exported);
    panel().exportTo(folder);
    QVERIFY(m_job->settles());
    QCOMPARE(exported.size(), 1);
    QCOMPARE(exported.front().at(1).toString(), QString());
    for (const char* file :
         {"compare.html", "compare.json", "compare_classes.csv", "aligned-steps.png", "steps.png"})
      QVERIFY2(QFileInfo::exists(QDir(folder).filePath(file)), file);
  }

  void phasesOfTheRunAreSides() {
    std::vector<JobPart> halves;
    for (const PartOption& option : panel().data()->partsA) {
      if (option.part.kind == JobPart::Kind::Steps) halves.push_back(option.part);
    }
    QCOMPARE(halves.size(), std::size_t{2});
    // Chosen elsewhere.
    ComparedParts::of(m_job->session()).compare(halves[0], halves[1]);
    QVERIFY(m_job->settles());
    QVERIFY(compared());
    QCOMPARE(data().comparison->a.samples.size(), std::size_t{3});
    QCOMPARE(data().comparison->b.samples.size(), std::size_t{4});
    QCOMPARE(panel().partChoice(true).currentText(), partTitle(halves[1]));
  }

  void aRanksMenuComparesIt() {
    QMenu menu;
    addCompareEntriesOfRank(menu, m_job->session(), RankIndex(0));
    auto* const submenu = menu.findChild<QMenu*>("compareMenu");
    QVERIFY(submenu != nullptr);
    m_job->window.showTab("timeline");
    submenu->actions().back()->trigger(); // with the other rank
    QVERIFY(m_job->settles());
    QCOMPARE(m_job->window.currentTab(), QString("compare"));
    QVERIFY(compared());
    QCOMPARE(data().comparison->a.identity.ranks, (std::vector<int>{0}));
    QCOMPARE(data().comparison->b.identity.ranks, (std::vector<int>{1}));
  }

  void twoRanksOfTheJobAreSides() {
    panel().other().close();
    panel().choose({JobPart::Kind::Rank, 0, 0, {}}, {JobPart::Kind::Rank, 1, 0, {}});
    QVERIFY(m_job->settles());
    QVERIFY(compared());
    QCOMPARE(data().comparison->b.identity.ranks, (std::vector<int>{1}));
  }

  void aDroppedFolderIsSideB() {
    QMimeData mime;
    mime.setUrls({QUrl::fromLocalFile(m_otherPath)});
    QDragEnterEvent enter({10, 10}, Qt::CopyAction, &mime, Qt::LeftButton, {});
    QCoreApplication::sendEvent(&panel(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &mime, Qt::LeftButton, {});
    QCoreApplication::sendEvent(&panel(), &drop);
    QVERIFY(m_job->settles());
    QVERIFY(compared());
    QCOMPARE(data().comparison->verdict, Verdict::Regression);
  }

  void whatCannotBeOpenedIsSaid() {
    panel().openBeside({m_job->folder.filePath("nothing here")}, {});
    QVERIFY(m_job->settles());
    QVERIFY(!panel().waterfall().isVisible());
  }

 private:
  // A kernel of A's step that is in a lane and has a partner.
  [[nodiscard]] EventIndex drawnKernel() {
    AlignedSteps& steps = panel().aligned();
    for (const CallPair& pair : steps.pair().calls->pairs) {
      if (steps.pair().a.trace().isDeviceEvent(pair.a) && !steps.boxOf(false, pair.a).isNull()) return pair.a;
    }
    return {};
  }
  // As much as holds the event with some room.
  [[nodiscard]] TimeRange around(EventIndex event) {
    const AlignedSide& side = panel().aligned().pair().a;
    const TimeRange range = side.trace().events.range(event);
    const TimeNs room = 4 * range.length() + 1000;
    return {range.begin - side.range.begin - room, range.end - side.range.begin + room};
  }
  [[nodiscard]] ComparePanel& panel() { return m_job->tabs().page<ComparePanel>("compare"); }
  [[nodiscard]] const CompareData& data() { return *panel().data(); }
  // As a user does.
  static void pick(QComboBox& list, int row) {
    list.setCurrentIndex(row);
    emit list.activated(row);
  }
  [[nodiscard]] bool compared() { return panel().data() && panel().data()->comparison; }

  std::unique_ptr<OpenJob> m_job;
  QString m_otherPath;
};

RANKSCOPE_UI_TEST(CompareTest)
#include "compare_test.moc"
