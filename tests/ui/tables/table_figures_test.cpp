// SPDX-License-Identifier: GPL-3.0-or-later
// What heads of columns say, and sums per step. Covers ui/tables/column_definitions, ui/tables/table_figures.
#include "core/analysis/account/leaves.h"
#include "core/base/byte_units.h"
#include "core/report/tables.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/actions/quick_pick.h"
#include "ui/tables/column_definitions.h"
#include "ui/tables/rank_columns.h"
#include "ui/tables/result_table_model.h"
#include "ui/tables/table_card.h"
#include "ui/tables/table_figures.h"
#include "ui/tabs/tab_registry.h"
#include "ui/widgets/rank_choice.h"
#include "ui/window/tab_pages.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QTableView>

#include <algorithm>
#include <array>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

QString headOf(const ResultTableModel& model, int column, int role) {
  return model.headerData(column, Qt::Horizontal, role).toString();
}

} // namespace

class TableFiguresTest : public QObject {
  Q_OBJECT
 private slots:
  void cleanup() { TableFigures::ofProgram().setPerStep(false); }

  void everyColumnOfEveryTableIsDefined() {
    TestWindow test;
    writeSmallJob(test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    for (const TableSpec& spec : tableSpecs()) {
      const ResultTable table = spec.make(*test.window.tabs().scope().report());
      for (const TableColumn& column : table.columns())
        QVERIFY2(!columnDefinition(table.name(), column.name).isEmpty(),
                 (table.name() + "." + column.name).c_str());
    }
  }

  void everyHeadExplainsItselfWithItsUnit() {
    TestWindow test;
    writeSmallJob(test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    test.window.tabs().prepareAll();
    QVERIFY(test.settles());
    int heads = 0;
    QStringList unexplained;
    for (const TableCard* const card : test.window.findChildren<TableCard*>()) {
      const ResultTableModel& model = card->model();
      for (int column = 0; column < model.columnCount(); ++column) {
        const QString tip = headOf(model, column, Qt::ToolTipRole);
        // Numbers have a unit, also if they are written in a way of their own; yes and no have none.
        const Unit unit = model.table()->columns()[model.sourceOf(column)].unit;
        const bool number = unit != Unit::Text && model.column(column).words != yesOrNo;
        QStringList lines = tip.split('\n');
        const qsizetype units = lines.removeIf([](const QString& line) { return line.startsWith("Unit: "); });
        const QString what =
            QString::fromStdString(model.table()->name() + "." + model.column(column).source);
        if (units != (number || model.column(column).share ? 1 : 0)) unexplained << what + " (unit)";
        if (unit == Unit::Nanoseconds && !model.column(column).share && !tip.contains(unitNote(unit)))
          unexplained << what + " (time)";
        const QString title = headOf(model, column, Qt::DisplayRole);
        if (lines.isEmpty() || lines.front().size() < 4 ||
            lines.front().compare(title, Qt::CaseInsensitive) == 0)
          unexplained << what;
        ++heads;
      }
    }
    // Tables that are no cards: regions, search hits.
    for (const QTableView* const view : test.window.findChildren<QTableView*>()) {
      if (view->model() == nullptr || view->horizontalHeader()->isHidden()) continue;
      for (int column = 0; column < view->model()->columnCount(); ++column) {
        const QString title = view->model()->headerData(column, Qt::Horizontal).toString();
        const QString tip = view->model()->headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString();
        if (tip.size() < 4 || tip == title) unexplained << view->metaObject()->className() + (" " + title);
      }
    }
    QVERIFY2(unexplained.isEmpty(), qPrintable(unexplained.join(' ')));
    QVERIFY2(heads > 60, qPrintable(QString::number(heads)));
  }

  void aFigureOfItsOwnKindSaysItsUnit() {
    ResultTable table("ranks", {{"z_score", Unit::Ratio},
                                {"slowdown", Unit::Ratio},
                                {"lateness_mean_us", Unit::Nanoseconds},
                                {"last_arrivals", Unit::Ratio}});
    table.addRow({Cell(1.5), Cell(1.2), Cell(std::int64_t{5000}), Cell(0.5)});
    ResultTableModel model(rankColumns());
    model.setTable(std::make_shared<const ResultTable>(std::move(table)));
    const auto unit = [&](const char* column) {
      return headOf(model, model.columnOf(column), Qt::ToolTipRole).split('\n').back();
    };
    QCOMPARE(unit("z_score"), QString("Unit: standard deviations"));
    QCOMPARE(unit("slowdown"), QString("Unit: none, a ratio"));
    QCOMPARE(unit("lateness_mean_us"), QString("Unit: time; µs in exports"));
    QCOMPARE(unit("last_arrivals"), QString("Unit: %; a ratio from 0 to 1 in exports"));
  }

  // Ids of leaves are for tables in files; people read their titles.
  void noCellShowsTheIdOfACause() {
    TestWindow test;
    writeSmallJob(test.folder.path() / "job", 4);
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    test.window.tabs().prepareAll();
    QVERIFY(test.settles());
    int cells = 0;
    for (const TableCard* const card : test.window.findChildren<TableCard*>()) {
      const ResultTableModel& model = card->model();
      for (int column = 0; column < model.columnCount(); ++column) {
        if (model.column(column).hidden) continue;
        for (int row = 0; row < std::min(model.rowCount(), 50); ++row) {
          const QString text = model.index(row, column).data().toString();
          for (std::size_t leaf = 0; leaf < kLeafCount; ++leaf) {
            const std::string_view id = leafText(static_cast<Leaf>(leaf));
            if (id.find('.') == std::string_view::npos) continue;
            QVERIFY2(!text.contains(QLatin1String(id.data(), static_cast<qsizetype>(id.size()))),
                     qPrintable(text));
          }
          ++cells;
        }
      }
    }
    QVERIFY(cells > 200);
  }

  void sumsArePerStepInAllTablesAtOnce() {
    TestWindow test;
    // The first step is long, and left out of means.
    test::JobOptions options;
    options.ranks = 3;
    options.steps = 4;
    options.layers = 2;
    options.gaps.push_back({-1, 0, 20'000'000, test::GapCause::Python});
    test::generateJob(options, test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    QVERIFY(test.shows("kernels"));
    const Analysis& analysis = test.window.tabs().scope().report()->analysis();
    const StepCounts steps = stepCounts(analysis);
    QCOMPARE(steps.all, std::int64_t{9}); // 3 of each of 3 ranks
    QCOMPARE(steps.kept, steps.all);
    TableCard* kernels = nullptr;
    for (TableCard* const card : test.window.findChildren<TableCard*>())
      if (card->model().table() && card->model().columnOf("total_us") >= 0 && card->isVisible())
        kernels = card;
    QVERIFY(kernels != nullptr);
    const ResultTableModel& model = kernels->model();
    const int total = model.columnOf("total_us");
    const QString title = headOf(model, total, Qt::DisplayRole);
    const QModelIndex first = model.index(0, total);
    const auto before = first.data(ResultTableModel::kSortRole).toLongLong();
    auto* const basis = kernels->findChild<QComboBox*>("tableBasis");
    QVERIFY(basis != nullptr && basis->isVisible());
    QCOMPARE(basis->currentText(), QString("in total"));
    const auto choices = test.window.findChildren<RankChoice*>();
    const auto ranks = std::ranges::find_if(choices, [](const RankChoice* of) { return of->isVisible(); });
    QVERIFY(ranks != choices.end());
    QCOMPARE((*ranks)->currentText(), QString("Sum over ranks"));
    QTest::keyClick(basis, Qt::Key_Down);
    QVERIFY(test.settles());
    QCOMPARE(basis->currentText(), QString("per step"));
    QCOMPARE((*ranks)->currentText(), QString("Mean over ranks"));
    QCOMPARE(headOf(model, total, Qt::DisplayRole), title + "/step");
    QVERIFY(headOf(model, total, Qt::ToolTipRole).contains("over the kept steps"));
    // Copies have the figures as shown, so also the head.
    QVERIFY(kernels->rowsAsMarkdown().section('\n', 0, 0).contains(title + "/step"));
    const std::string name = model.textOf(0, "kernel").toStdString();
    std::int64_t sum = 0;
    for (const RankIndex rank : analysis.ranks())
      for (const KernelStatistics& kernel : analysis.ofKeptSteps()->kernels(rank))
        if (analysis.trace().names()[kernel.name] == name) sum += kernel.total;
    QVERIFY(0 < sum && sum < before);
    QCOMPARE(first.data(ResultTableModel::kSortRole).toLongLong(),
             std::llround(static_cast<double>(sum) / static_cast<double>(steps.all)));
    QVERIFY(first.data(Qt::ToolTipRole).toString().endsWith("in total"));
    QTest::keyClick(basis, Qt::Key_Up);
    QVERIFY(test.settles());
    QCOMPARE(headOf(model, total, Qt::DisplayRole), title);
    QCOMPARE(first.data(ResultTableModel::kSortRole).toLongLong(), before);
    // Where an evaluation interrupts the training, sums are of one run of steps.
    StepCounts interrupted = steps;
    interrupted.kept += 6;
    TableFigures::ofProgram().setSteps(interrupted);
    QCOMPARE(basis->itemText(1), QString("per step, 9 of 15 steps"));
    TableFigures::ofProgram().setSteps(steps);
    QCOMPARE(basis->itemText(1), QString("per step"));
  }

  void aMeanOverRanksIsDividedByTheStepsOfARank() {
    StepCounts steps;
    steps.ofRecording = {{{0, 1}, 5}, {{0, 2}, 5}, {{1, 1}, 5}, {{1, 2}, 5}};
    steps.all = 20;
    ResultTable sums("kernel_totals", {{"total_us", Unit::Nanoseconds}});
    sums.addRow({Cell(std::int64_t{100})});
    ResultTable means("collective_totals", {{"total_us", Unit::Nanoseconds}});
    means.addRow({Cell(std::int64_t{100})});
    ResultTable each("kernels", {{"rank", Unit::Identity}, {"capture", Unit::Identity}});
    each.addRow({Cell(std::int64_t{1}), Cell(std::int64_t{2})});
    QCOMPARE(steps.ofRow(sums, 0), 20.0);
    QCOMPARE(steps.ofRow(means, 0), 10.0);
    QCOMPARE(steps.ofRow(each, 0), 5.0);
    ResultTable ofRanks("ranks", {{"rank", Unit::Identity}}); // all captures of a rank
    ofRanks.addRow({Cell(std::int64_t{1})});
    QCOMPARE(steps.ofRow(ofRanks, 0), 10.0);
  }

  // A sum over ranks could be longer than the step.
  void theFooterOfRanksPerStepIsTheirMean() {
    ResultTable kernels(
        "kernels", {{"rank", Unit::Identity}, {"capture", Unit::Identity}, {"total_us", Unit::Nanoseconds}});
    for (const int rank : {0, 1})
      for (const int time : {100, 300})
        kernels.addRow({Cell(std::int64_t{rank}), Cell(std::int64_t{1}), Cell(std::int64_t{time} * 1000)});
    ResultTableModel model({{.source = "rank", .title = "Rank"},
                            {.source = "total_us", .title = "Total", .tip = "Sum", .footer = Footer::Sum}});
    model.setTable(std::make_shared<const ResultTable>(std::move(kernels)));
    const StepCounts before = TableFigures::ofProgram().steps();
    TableFigures::ofProgram().setSteps({.ofRecording = {{{0, 1}, 2}, {{1, 1}, 2}}, .all = 4});
    const std::array<std::uint32_t, 4> all{0, 1, 2, 3};
    const std::array<std::uint32_t, 2> ofOne{2, 3};
    QCOMPARE(model.footerText(1, all), QString("800 µs"));
    QCOMPARE(model.ranksOfMeans(all), std::size_t{0});
    TableFigures::ofProgram().setPerStep(true);
    QCOMPARE(model.footerText(1, all), QString("200 µs"));
    QCOMPARE(model.ranksOfMeans(all), std::size_t{2});
    QCOMPARE(model.footerText(1, ofOne), QString("200 µs"));
    QCOMPARE(model.ranksOfMeans(ofOne), std::size_t{0});
    TableFigures::ofProgram().setSteps(before);
  }

  void idleGapsFollowTheSameChoice() {
    TestWindow test;
    writeSmallJob(test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    QVERIFY(test.shows("gains"));
    TableCard* gaps = nullptr;
    for (TableCard* const card : test.window.findChildren<TableCard*>())
      if (card->model().table() && card->model().columnOf("gaps") >= 0) gaps = card;
    QVERIFY(gaps != nullptr);
    const ResultTableModel& model = gaps->model();
    const int idle = model.columnOf("idle_us");
    const QString title = headOf(model, idle, Qt::DisplayRole);
    QVERIFY(headOf(model, idle, Qt::ToolTipRole).contains("In total"));
    const auto total = model.index(0, idle).data(ResultTableModel::kSortRole).toLongLong();
    const std::int64_t steps = TableFigures::ofProgram().steps().all;
    QVERIFY(total > 0 && steps > 1);
    TableFigures::ofProgram().setPerStep(true);
    QVERIFY(test.settles());
    QCOMPARE(headOf(model, idle, Qt::DisplayRole), title + "/step");
    QCOMPARE(headOf(model, model.columnOf("gaps"), Qt::DisplayRole), QString("Gaps/step"));
    QCOMPARE(model.index(0, idle).data(ResultTableModel::kSortRole).toLongLong(),
             std::llround(static_cast<double>(total) / static_cast<double>(steps)));
    auto* const basis = gaps->findChild<QComboBox*>("tableBasis");
    QVERIFY(basis != nullptr && basis->isVisibleTo(gaps));
    QCOMPARE(basis->currentText(), QString("per step"));
    // What they are of stands beside them.
    const auto says = [&](const char* words) {
      const auto labels = gaps->findChildren<QLabel*>("caption");
      return std::ranges::any_of(labels, [&](const QLabel* label) {
        return label->text().contains(QLatin1String(words)) ||
               label->toolTip().contains(QLatin1String(words));
      });
    };
    QVERIFY(says("in kept steps, mean over ranks"));
    TableFigures::ofProgram().setPerStep(false);
    QVERIFY(test.settles());
    QVERIFY(says("of all ranks, also outside of steps"));
  }

  void theSettingOfSizesIsFoundByTheWordBytes() {
    TestWindow test;
    const std::vector<PickItem> all = paletteItems(test.window.actions());
    for (const char* const word : {"bytes", "GiB", "units"}) {
      const std::vector<PickItem> found = fittingItems(all, QString::fromLatin1(word));
      const bool listed = std::ranges::any_of(
          found, [](const PickItem& item) { return item.title.contains("GB and MB instead of GiB"); });
      QVERIFY2(listed, word);
    }
  }

  void sizesFollowTheSetting() {
    TestWindow test;
    writeSmallJob(test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    QVERIFY(test.shows("files"));
    const auto cells = [&] {
      QString text;
      for (const TableCard* const card : test.window.findChildren<TableCard*>()) {
        const int column = card->model().columnOf("bytes");
        if (card->isVisible() && column >= 0) text += card->model().index(0, column).data().toString();
      }
      return text;
    };
    QVERIFY2(cells().contains("iB"), qPrintable(cells()));
    QVERIFY(test.window.actions().run("tables.decimalBytes"));
    QVERIFY(test.settles());
    QVERIFY2(cells().endsWith("B") && !cells().contains("iB"), qPrintable(cells()));
    QVERIFY(test.window.actions().run("tables.decimalBytes"));
    QVERIFY(test.settles());
    QVERIFY(byteUnits() == ByteUnits::Binary && cells().contains("iB"));
  }
};

RANKSCOPE_UI_TEST(TableFiguresTest)
#include "table_figures_test.moc"
