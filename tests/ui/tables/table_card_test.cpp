// SPDX-License-Identifier: GPL-3.0-or-later
// The one table of the program, by mouse and keys: what is shown is the table's rows, sorted, filtered,
// summed and copied as they stand there.
#include "core/base/unit_text.h"
#include "core/export/csv.h"
#include "tests/ui/ui_test.h"
#include "ui/base/readable_kernel.h"
#include "ui/job/trace_session.h"
#include "ui/tables/table_card.h"
#include "ui/tables/table_footer.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <numeric>
#include <random>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

constexpr TimeNs kUs = 1'000;

std::vector<ShownColumn> someColumns() {
  return {
      {.source = "rank", .title = "Rank"},
      {.source = "name", .title = "Name"},
      {.source = "calls", .title = "Calls", .footer = Footer::Sum},
      {.source = "total_us", .title = "Share", .share = true, .footer = Footer::Sum},
      {.source = "total_us", .title = "Total", .footer = Footer::Sum},
      {.source = "occupancy_pct", .title = "Occup.", .footer = Footer::Mean, .hidden = true},
      {.source = "tensor_cores", .title = "TC", .words = yesOrNo},
  };
}

ResultTable emptyTable() {
  return {"things",
          {{"rank", Unit::Identity},
           {"name", Unit::Text},
           {"calls", Unit::Count},
           {"total_us", Unit::Nanoseconds},
           {"occupancy_pct", Unit::Percent},
           {"tensor_cores", Unit::Count}}};
}

std::shared_ptr<const ResultTable> someTable() {
  ResultTable table = emptyTable();
  const auto add = [&](std::int64_t rank, const char* name, std::int64_t calls, Cell total, Cell tensor) {
    table.addRow({Cell(rank), Cell(std::string_view(name)), Cell(calls), total, Cell(12.5), tensor});
  };
  add(0, "gemm_2", 10, Cell(1'625'483'125), Cell(std::int64_t{1}));
  add(0, "gemm_10", 20, Cell(std::int64_t{400 * kUs}), Cell(std::int64_t{0}));
  add(1, "Gemm_1", 30, Cell(), Cell());
  add(1, "ncclDevKernel_AllReduce", 1234, Cell(std::int64_t{2 * kUs}), Cell());
  add(2, "copy", 40, Cell(std::int64_t{400 * kUs}), Cell(std::int64_t{0}));
  return std::make_shared<const ResultTable>(std::move(table));
}

struct Card {
  TraceSession session;
  TableCard card{"Things", someColumns(), session};

  explicit Card(std::shared_ptr<const ResultTable> table = someTable(), bool withField = false) {
    if (withField) card.setFilterHint("Filter things");
    card.setStretchColumn("name");
    card.setTable(std::move(table), "There are no things.");
    card.resize(900, 360);
    card.show();
    QApplication::setActiveWindow(&card);
    QVERIFY(QTest::qWaitForWindowActive(&card));
  }
  [[nodiscard]] int section(const char* title) const {
    for (int column = 0; column < card.model().columnCount(); ++column)
      if (card.model().column(column).title == QLatin1String(title)) return column;
    return -1;
  }
  void clickHeader(const char* title) {
    QHeaderView* header = card.view().horizontalHeader();
    const int column = section(title);
    const QPoint at(header->sectionViewportPosition(column) + header->sectionSize(column) / 2, 10);
    QTest::mouseClick(header->viewport(), Qt::LeftButton, Qt::NoModifier, at);
  }
  [[nodiscard]] QPoint onRow(int tableRow) {
    const int place = card.view().rows().order().placeOf(tableRow);
    return {60, card.view().rowViewportPosition(place) + card.view().rowHeight(place) / 2};
  }
  void clickRow(int tableRow) {
    QTest::mouseClick(card.view().viewport(), Qt::LeftButton, Qt::NoModifier, onRow(tableRow));
  }
  void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QTest::keyClick(&card.view(), key, modifiers);
  }
  [[nodiscard]] std::vector<int> rows() const {
    std::vector<int> shown;
    for (int place = 0; place < card.shownRows(); ++place) shown.push_back(card.tableRow(place));
    return shown;
  }
  [[nodiscard]] QString caption() const { return card.findChild<QLabel*>("caption")->text(); }
};

QString columnTitles(TableCard& card) {
  QStringList titles;
  for (int column = 0; column < card.model().columnCount(); ++column)
    if (!card.view().isColumnHidden(column)) titles << card.model().column(column).title;
  return titles.join(' ');
}

QAction* actionNamed(QMenu& menu, const QString& title) {
  for (QAction* action : menu.actions())
    if (action->text() == title) return action;
  return nullptr;
}

int sumOf(const QSignalSpy& spy) {
  return spy.empty() ? -2 : spy.back().front().toInt();
}

} // namespace

using Rows = std::vector<int>;

class TableCardTest : public QObject {
  Q_OBJECT

 private slots:
  void aClickOnATitleSortsAndTiesKeepTheTablesOrder() {
    Card test;
    QCOMPARE(test.rows(), (Rows{0, 1, 2, 3, 4}));
    test.clickHeader("Total");
    QCOMPARE(test.rows(), (Rows{0, 1, 4, 3, 2})); // the empty one last
    test.clickHeader("Total");
    QCOMPARE(test.rows(), (Rows{3, 1, 4, 0, 2}));
    QVERIFY(
        test.card.view().model()->headerData(test.section("Total"), Qt::Horizontal).toString().endsWith("↑"));
    test.clickHeader("Name"); // as people read them: 2 before 10, case aside
    QCOMPARE(test.rows(), (Rows{4, 2, 0, 1, 3}));
    test.clickHeader("Name");
    QCOMPARE(test.rows(), (Rows{3, 1, 0, 2, 4}));
  }

  void typingFiltersAndEscapeShowsAllAgain() {
    Card test(someTable(), true);
    test.card.setCaption("of the job");
    QCOMPARE(test.caption(), QString("of the job"));
    QLineEdit* field = test.card.filterField();
    QTest::keyClicks(field, "GEMM 1");
    QCOMPARE(test.rows(), (Rows{1, 2}));
    QCOMPARE(test.caption(), QString("2 of 5 · of the job"));
    QTest::keyClick(field, Qt::Key_Escape);
    QCOMPARE(test.rows().size(), std::size_t{5});
    QVERIFY(field->text().isEmpty());
    QCOMPARE(test.caption(), QString("of the job"));
  }

  void aFilterThatLeavesNothingSaysSoAndCanBeCleared() {
    Card test(someTable(), true);
    QPushButton* clear = test.card.findChild<QPushButton*>("clearFilter");
    QTest::keyClicks(test.card.filterField(), "nothing of the kind");
    QCOMPARE(test.card.shownRows(), 0);
    QVERIFY(clear->isVisible());
    QSignalSpy cleared(&test.card, &TableCard::filterCleared);
    QTest::mouseClick(clear, Qt::LeftButton);
    QCOMPARE(test.card.shownRows(), 5);
    QVERIFY(test.card.filterField()->text().isEmpty());
    QCOMPARE(cleared.size(), 1);
    test.card.setTable(std::make_shared<const ResultTable>(emptyTable()), "There are no things.");
    QVERIFY(!clear->isVisible());
    QCOMPARE(test.card.findChild<QLabel*>("emptyText")->text(), QString("There are no things."));
  }

  void footersSumTheRowsThatAreShown() {
    Card test;
    const TableFooter& footer = test.card.footer();
    QVERIFY(footer.isVisible());
    QCOMPARE(footer.text(test.section("Rank")), QString("5 rows"));
    QCOMPARE(footer.text(test.section("Calls")), QString("1 334"));
    QCOMPARE(footer.text(test.section("Total")), QString::fromStdString(durationText(1'626'285'125)));
    QCOMPARE(footer.text(test.section("Share")), QString("100 %"));
    QCOMPARE(footer.text(test.section("Occup.")), QString("12.5 %"));
    QVERIFY(footer.text(test.section("Name")).isEmpty());
    test.card.setFilterWords("gemm");
    QCOMPARE(footer.text(test.section("Rank")), QString("3 of 5 rows"));
    QCOMPARE(footer.text(test.section("Calls")), QString("60"));
    QCOMPARE(footer.text(test.section("Total")), QString::fromStdString(durationText(1'625'883'125)));
    test.card.setFilterWords("Gemm_1 ");
    test.card.setFilterRank(1);
    QCOMPARE(footer.text(test.section("Rank")), QString("1 of 2 rows"));
    QVERIFY(footer.text(test.section("Total")).isEmpty()); // not known, which is not 0
  }

  void columnsThatOneChoosesAreRemembered() {
    QTemporaryDir folder;
    const QString file = folder.filePath("settings.ini");
    int dragged = 0;
    {
      QSettings settings(file, QSettings::IniFormat);
      Card test;
      test.card.setMemoryKey(settings, "things");
      QCOMPARE(columnTitles(test.card), QString("Rank Name Calls Share Total TC"));
      QMenu menu;
      test.card.columns().fillMenu(menu);
      QVERIFY(!actionNamed(menu, "Occup.")->isChecked());
      actionNamed(menu, "Occup.")->trigger();
      actionNamed(menu, "Rank")->trigger();
      test.clickHeader("Calls");
      QHeaderView* header = test.card.view().horizontalHeader();
      const QPoint edge(header->sectionViewportPosition(test.section("Calls")) +
                            header->sectionSize(test.section("Calls")) - 1,
                        10);
      dragged = header->sectionSize(test.section("Calls")) + 40;
      QTest::mousePress(header->viewport(), Qt::LeftButton, Qt::NoModifier, edge);
      QTest::mouseMove(header->viewport(), edge + QPoint(20, 0));
      QTest::mouseMove(header->viewport(), edge + QPoint(40, 0));
      QTest::mouseRelease(header->viewport(), Qt::LeftButton, Qt::NoModifier, edge + QPoint(40, 0));
    }
    QSettings settings(file, QSettings::IniFormat);
    Card test;
    const int width = test.card.view().columnWidth(test.section("Calls"));
    test.card.setMemoryKey(settings, "things");
    QCOMPARE(columnTitles(test.card), QString("Name Calls Share Total Occup. TC"));
    QCOMPARE(test.rows(), (Rows{3, 4, 2, 1, 0}));
    QCOMPARE(test.card.view().columnWidth(test.section("Calls")), dragged);
    // Another card has a memory of its own.
    Card other;
    other.card.setMemoryKey(settings, "other things");
    QCOMPARE(columnTitles(other.card), QString("Rank Name Calls Share Total TC"));
    QMenu menu;
    test.card.columns().fillMenu(menu);
    actionNamed(menu, "All")->trigger();
    QCOMPARE(columnTitles(test.card), QString("Rank Name Calls Share Total Occup. TC"));
    actionNamed(menu, "Default")->trigger();
    QCOMPARE(columnTitles(test.card), QString("Rank Name Calls Share Total TC"));
    QCOMPARE(test.card.view().columnWidth(test.section("Calls")), width);
  }

  void barsOfPercentagesArePartsOfAHundred() {
    ResultTable table("things", {{"name", Unit::Text}, {"share_pct", Unit::Percent}});
    for (const double share : {60.0, 40.0, 38.0}) table.addRow({Cell(std::string_view("row")), Cell(share)});
    ResultTableModel model(
        {{.source = "name", .title = "Name"}, {.source = "share_pct", .title = "Share", .share = true}});
    model.setTable(std::make_shared<const ResultTable>(std::move(table)));
    QCOMPARE(model.index(0, 1).data(ResultTableModel::kBarRole).toDouble(), 0.6);
    QCOMPARE(model.index(2, 1).data(ResultTableModel::kBarRole).toDouble(), 0.38);
  }

  void columnsFillTheWidthAndNamesTakeNoMoreThanTheyNeed() {
    Card test;
    const auto sum = [&] { return test.card.view().horizontalHeader()->length(); };
    const int name = test.card.view().columnWidth(test.section("Name"));
    const int calls = test.card.view().columnWidth(test.section("Calls"));
    test.card.resize(2400, 360);
    QApplication::processEvents();
    QCOMPARE(sum(), test.card.view().viewport()->width());
    QVERIFY(test.card.view().columnWidth(test.section("Calls")) > calls);
    QVERIFY(test.card.view().columnWidth(test.section("Name")) < name + 600);
    QCOMPARE(test.card.view().horizontalScrollBar()->maximum(), 0);
  }

  void aBarThatAppearsTakesItsWidthFromTheColumns() {
    ResultTable table = emptyTable();
    for (int row = 0; row < 60; ++row)
      table.addRow({Cell(std::int64_t{row}), Cell(std::string_view("a_name_of_some_length")),
                    Cell(std::int64_t{1}), Cell(std::int64_t{kUs}), Cell(), Cell()});
    Card test;
    test.card.setTable(std::make_shared<const ResultTable>(std::move(table)), {});
    QApplication::processEvents();
    QVERIFY(test.card.view().verticalScrollBar()->maximum() > 0);
    QCOMPARE(test.card.view().horizontalHeader()->length(), test.card.view().viewport()->width());
    QCOMPARE(test.card.view().horizontalScrollBar()->maximum(), 0);
  }

  void longNamesGiveWayBeforeOneHasToScroll() {
    ResultTable table = emptyTable();
    const std::string name(90, 'n');
    table.addRow({Cell(std::int64_t{0}), Cell(std::string_view(name)), Cell(std::int64_t{1}),
                  Cell(std::int64_t{kUs}), Cell(), Cell()});
    Card test(std::make_shared<const ResultTable>(std::move(table)));
    test.card.resize(640, 360);
    QApplication::processEvents();
    QCOMPARE(test.card.view().horizontalScrollBar()->maximum(), 0);
    QVERIFY(test.card.findChildren<QScrollBar*>().size() >= 2);
    for (const QScrollBar* bar : test.card.findChildren<QScrollBar*>(QString(), Qt::FindDirectChildrenOnly))
      QVERIFY(bar->isHidden());
    // Nothing helps here: names are read, and the rest is scrolled to.
    test.card.resize(380, 360);
    QApplication::processEvents();
    QVERIFY(test.card.view().horizontalScrollBar()->maximum() > 0);
    QVERIFY(test.card.view().columnWidth(test.section("Name")) >= 250);
  }

  void columnsThatSayNothingStayAway() {
    const auto tableOf = [](bool more) {
      ResultTable table("things",
                        {{"name", Unit::Text}, {"capture", Unit::Identity}, {"skipped", Unit::Count}});
      table.addRow({Cell(std::string_view("a")), Cell(std::int64_t{1}), Cell(std::int64_t{0})});
      table.addRow({Cell(std::string_view("b")), Cell(), Cell()});
      if (more) table.addRow({Cell(std::string_view("c")), Cell(std::int64_t{2}), Cell(std::int64_t{3})});
      return std::make_shared<const ResultTable>(std::move(table));
    };
    ResultTableModel model({{.source = "name", .title = "Name"},
                            {.source = "capture", .title = "Capture", .hide = Hide::AllSame},
                            {.source = "skipped", .title = "Skipped", .hide = Hide::AllZero},
                            {.source = "name", .title = "Of skipped", .needs = "skipped"}});
    model.setTable(tableOf(false));
    QCOMPARE(model.columnCount(), 1);
    model.setTable(tableOf(true));
    QCOMPARE(model.columnCount(), 4);
  }

  void oneColumnAlwaysStays() {
    Card test;
    TableColumns& columns = test.card.columns();
    for (int column = 0; column < test.card.model().columnCount(); ++column) columns.setOn(column, false);
    QCOMPARE(columnTitles(test.card), QString("TC"));
    QMenu menu;
    columns.fillMenu(menu);
    QVERIFY(!actionNamed(menu, "TC")->isEnabled());
  }

  void copyGivesExactValuesOfTheChosenRowsInTheirOrder() {
    Card test;
    test.clickHeader("Calls");
    test.clickRow(3);
    QTest::mouseClick(test.card.view().viewport(), Qt::LeftButton, Qt::ControlModifier, test.onRow(0));
    test.key(Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(),
             QString("rank\tname\tcalls\ttotal_us\toccupancy_pct\ttensor_cores\n"
                     "1\tncclDevKernel_AllReduce\t1234\t2\t12.5\t\n"
                     "0\tgemm_2\t10\t1625483.125\t12.5\t1\n"));
    QCOMPARE(test.card.rowsAsMarkdown(),
             QString("| Rank | Name | Calls | Share | Total | TC |\n"
                     "| --- | --- | ---: | ---: | ---: | ---: |\n"
                     "| 1 | `ncclDevKernel_AllReduce` | 1 234 | 0.0 % | 2.00 µs | – |\n"
                     "| 0 | `gemm_2` | 10 | 100.0 % | 1.63 s | yes |\n"));
  }

  void allRowsAsCsvAreTheExportedFile() {
    Card test;
    QCOMPARE(test.card.rowsAsCsv(), QString::fromStdString(toCsv(*test.card.model().table())));
  }

  void tooltipsTellTheLastDigit() {
    Card test;
    const auto tip = [&](const char* title, int row) {
      return test.card.model().index(row, test.section(title)).data(Qt::ToolTipRole).toString();
    };
    QCOMPARE(tip("Total", 0), QString("1 625 483.125 µs"));
    QCOMPARE(tip("Share", 0), QString("1 625 483.125 µs"));
    QCOMPARE(tip("Calls", 3), QString("1 234"));
    QCOMPARE(tip("Total", 2), QString());
  }

  void rowsAreToldByMouseAndKeys() {
    Card test;
    test.clickHeader("Calls"); // 3 4 2 1 0
    QSignalSpy selected(&test.card, &TableCard::rowSelected);
    QSignalSpy activated(&test.card, &TableCard::rowActivated);
    test.clickRow(4);
    QCOMPARE(selected.size(), 1);
    QCOMPARE(sumOf(selected), 4);
    test.key(Qt::Key_Down);
    QCOMPARE(sumOf(selected), 2);
    test.key(Qt::Key_End);
    QCOMPARE(sumOf(selected), 0);
    test.key(Qt::Key_Home);
    QCOMPARE(sumOf(selected), 3);
    QCOMPARE(selected.size(), 4);
    test.key(Qt::Key_Return);
    QCOMPARE(activated.size(), 1);
    QCOMPARE(sumOf(activated), 3);
    QTest::mouseDClick(test.card.view().viewport(), Qt::LeftButton, Qt::NoModifier, test.onRow(1));
    QCOMPARE(activated.size(), 2);
    QCOMPARE(sumOf(activated), 1);
  }

  void sortingAndFilteringKeepTheSelectedRow() {
    Card test;
    test.clickRow(1);
    QSignalSpy selected(&test.card, &TableCard::rowSelected);
    test.clickHeader("Name");
    test.card.setFilterWords("gemm");
    QCOMPARE(test.card.selectedRow(), 1);
    QVERIFY(selected.empty());
    test.card.setFilterWords("copy");
    QCOMPARE(selected.size(), 1);
    QCOMPARE(sumOf(selected), -1);
  }

  void aRowThatTheProgramSelectsIsNotToldBack() {
    Card test;
    QSignalSpy selected(&test.card, &TableCard::rowSelected);
    // As a chart would: what is told is selected again.
    connect(&test.card, &TableCard::rowSelected, &test.card, &TableCard::selectRow);
    test.card.selectRow(3);
    QCOMPARE(test.card.selectedRow(), 3);
    QVERIFY(selected.empty());
    test.card.selectRow(-1);
    QCOMPARE(test.card.selectedRow(), -1);
    QVERIFY(selected.empty());
    test.clickRow(2);
    QCOMPARE(selected.size(), 1);
    QCOMPARE(test.card.selectedRow(), 2);
    test.card.setFilterWords("gemm");
    test.card.selectRow(4); // which the filter hides
    QCOMPARE(test.card.selectedRow(), -1);
    QCOMPARE(selected.size(), 1);
  }

  void theRowUnderTheMouseIsToldAndForgottenWhenItLeaves() {
    Card test;
    QSignalSpy hovered(&test.card, &TableCard::rowHovered);
    test.clickHeader("Calls");
    QTest::mouseMove(test.card.view().viewport(), test.onRow(4));
    QCOMPARE(sumOf(hovered), 4);
    QTest::mouseMove(test.card.view().viewport(), test.onRow(4) + QPoint(40, 2));
    QCOMPARE(hovered.size(), 1);
    QTest::mouseMove(test.card.view().viewport(), test.onRow(0));
    QCOMPARE(sumOf(hovered), 0);
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(test.card.view().viewport(), &leave);
    QCOMPARE(sumOf(hovered), -1);
  }

  void rowsThatStandOutAndRowsThatAreMarkedLookSo() {
    Card test;
    const auto colourAt = [&](int row) {
      // Between two columns, where no text is.
      const QPoint at(test.card.view().viewport()->width() - 3, test.onRow(row).y());
      return test.card.view().viewport()->grab().toImage().pixelColor(at);
    };
    const QColor plain = colourAt(1);
    QCOMPARE(colourAt(3), plain);
    test.card.setRowColour([](int row, const Theme& theme) { return row == 3 ? theme.bad : QColor(); });
    QVERIFY(colourAt(3).red() - colourAt(3).blue() > plain.red() - plain.blue() + 8);
    QCOMPARE(colourAt(1), plain);
    test.card.markRow(1);
    QVERIFY(colourAt(1) != plain);
    test.clickHeader("Name"); // the mark goes with its row
    QVERIFY(colourAt(1) != plain);
    test.card.markRow(-1);
    QCOMPARE(colourAt(1), plain);
  }

  void theFooterStandsUnderItsColumnsHoweverFarOneScrolls() {
    Card test;
    test.card.resize(330, 300);
    QApplication::processEvents();
    QScrollBar* bar = test.card.view().horizontalScrollBar();
    QVERIFY(bar->maximum() > 0);
    const auto inkOf = [&] { return test.card.footer().grab().toImage(); };
    const QImage before = inkOf();
    bar->setValue(40);
    const QImage after = inkOf();
    // What stood at x + 40 stands at x.
    const QRect kept(0, 2, 100, before.height() - 4);
    QCOMPARE(after.copy(kept), before.copy(kept.translated(40, 0)));
  }

  void aHundredThousandRowsSortAsAStableSortWithEmptyCellsLast() {
    std::mt19937 random(7);
    ResultTable table = emptyTable();
    constexpr int kRows = 100'000;
    std::vector<std::optional<std::int64_t>> numbers;
    std::vector<std::string> names;
    for (int row = 0; row < kRows; ++row) {
      const auto number = static_cast<std::int64_t>(random() % 5'000) - 2'500;
      numbers.push_back(random() % 10 == 0 ? std::nullopt : std::optional(number));
      names.push_back("void at::native::kernel_with_a_long_name_" + std::to_string(random() % 30'000));
      table.addRow({Cell(std::int64_t{0}), Cell(std::string_view(names.back())), Cell(std::int64_t{row}),
                    cellOf(numbers.back()), Cell(), Cell()});
    }
    Card test(std::make_shared<const ResultTable>(std::move(table)));
    const auto expected = [&](auto less) {
      Rows rows(kRows);
      std::iota(rows.begin(), rows.end(), 0);
      std::ranges::stable_sort(rows, less);
      return rows;
    };
    const auto number = [&](int row) { return numbers[static_cast<std::size_t>(row)]; };
    const auto value = [&](int row) { return std::stoi(names[static_cast<std::size_t>(row)].substr(41)); };
    test.clickHeader("Total");
    QVERIFY(test.rows() ==
            expected([&](int a, int b) { return number(a) && (!number(b) || *number(a) > *number(b)); }));
    test.clickHeader("Total");
    QVERIFY(test.rows() ==
            expected([&](int a, int b) { return number(a) && (!number(b) || *number(a) < *number(b)); }));
    test.clickHeader("Name");
    QVERIFY(test.rows() == expected([&](int a, int b) { return value(a) < value(b); }));
    test.clickHeader("Name");
    QVERIFY(test.rows() == expected([&](int a, int b) { return value(a) > value(b); }));
    test.card.setFilterWords("NAME_77");
    const auto matching = std::ranges::count_if(
        names, [](const std::string& name) { return name.find("name_77") != name.npos; });
    QCOMPARE(test.card.shownRows(), static_cast<int>(matching));
  }

  void namesOfKernelsKeepWhatTellsThemApart() {
    const auto readable = [](const char* name) { return readableKernel(QString::fromLatin1(name)); };
    QCOMPARE(readable("void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
                      "at::detail::Array<char*, 1> >(int, at::native::FillFunctor<float>)"),
             QString("vectorized_elementwise_kernel<4, FillFunctor<float>, Array<char*, 1> >"));
    QCOMPARE(readable("void at::native::(anonymous "
                      "namespace)::softmax<at::native::elementwise_cuda::F>(float*) [clone .kd]"),
             QString("softmax<F>"));
    QCOMPARE(readable("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"),
             QString("ncclDevKernel_AllReduce_Sum_bf16_RING_LL"));
    QCOMPARE(
        readable("void at::native::vectorized_elementwise_kernel<4, at::native::sqrt_kernel_cuda("
                 "at::TensorIteratorBase&)::{lambda()#2}::operator()() const::{lambda()#7}::operator()() "
                 "const::{lambda(float)#1}, at::detail::Array<char*, 2> >(int)"),
        QString("vectorized_elementwise_kernel<4, sqrt_kernel_cuda::{lambda(float)#1}, Array<char*, 2> >"));
    for (const char* kept :
         {"Memcpy HtoD (Pageable -> Device)", "Memset (Device)", "sm90_xmma_gemm_bf16bf16", "at::", ""})
      QCOMPARE(readable(kept), QString::fromLatin1(kept));
  }
};

RANKSCOPE_UI_TEST(TableCardTest)
#include "table_card_test.moc"
