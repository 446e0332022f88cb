// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of a card: visibility, width, and what is saved. Covers ui/tables/table_header too.
#include "tests/ui/tables/card_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/tables/result_table_model.h"
#include "ui/tables/table_card.h"
#include "ui/tables/table_columns.h"
#include "ui/tables/table_view.h"

#include <QAction>
#include <QApplication>
#include <QHeaderView>
#include <QHelpEvent>
#include <QMenu>
#include <QScrollBar>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolTip>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_tables;

namespace {

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

} // namespace

class TableColumnsTest : public QObject {
  Q_OBJECT

 private slots:
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
    // Another card has its own saved state.
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
    QTRY_COMPARE(test.card.view().horizontalScrollBar()->maximum(), 0);
  }

  void aBarThatAppearsTakesItsWidthFromTheColumns() {
    ResultTable table = emptyTable();
    for (int row = 0; row < 60; ++row)
      table.addRow({Cell(std::int64_t{row}), Cell(std::string_view("a_name_of_some_length")),
                    Cell(std::int64_t{1}), Cell(std::int64_t{kUs}), Cell(), Cell()});
    Card test;
    test.card.setTable(std::make_shared<const ResultTable>(std::move(table)), {});
    QApplication::processEvents();
    QTRY_VERIFY(test.card.view().verticalScrollBar()->maximum() > 0);
    QCOMPARE(test.card.view().horizontalHeader()->length(), test.card.view().viewport()->width());
    QTRY_COMPARE(test.card.view().horizontalScrollBar()->maximum(), 0);
  }

  void theStretchedColumnGivesWayAfterOthers() {
    ResultTable table("things", {{"measured", Unit::Text}, {"finding", Unit::Text}});
    table.addRow({textCell(std::string(45, 'm')), textCell(std::string(60, 'f'))});
    TraceSession session;
    TableCard card(QStringLiteral("Things"),
                   {{.source = "measured", .title = "Measured"}, {.source = "finding", .title = "Finding"}},
                   session);
    card.setStretchColumn("measured");
    card.resize(560, 200);
    card.show();
    card.setTable(std::make_shared<const ResultTable>(std::move(table)), {});
    QApplication::processEvents();
    QTRY_COMPARE(card.view().horizontalScrollBar()->maximum(), 0);
    QVERIFY(card.view().columnWidth(0) >= 280);
    QVERIFY(card.view().columnWidth(1) >= 170 && card.view().columnWidth(1) < card.view().columnWidth(0));
  }

  void longNamesGiveWayBeforeOneHasToScroll() {
    ResultTable table = emptyTable();
    const std::string name(90, 'n');
    table.addRow({Cell(std::int64_t{0}), Cell(std::string_view(name)), Cell(std::int64_t{1}),
                  Cell(std::int64_t{kUs}), Cell(), Cell()});
    Card test(std::make_shared<const ResultTable>(std::move(table)));
    test.card.resize(640, 360);
    QApplication::processEvents();
    QTRY_COMPARE(test.card.view().horizontalScrollBar()->maximum(), 0);
    QVERIFY(test.card.findChildren<QScrollBar*>().size() >= 2);
    for (const QScrollBar* bar : test.card.findChildren<QScrollBar*>(QString(), Qt::FindDirectChildrenOnly))
      QVERIFY(bar->isHidden());
    // Too narrow: names stay readable beside a figure, and the rest scrolls.
    test.card.resize(380, 360);
    QApplication::processEvents();
    QTRY_VERIFY(test.card.view().horizontalScrollBar()->maximum() > 0);
    QVERIFY(test.card.view().columnWidth(test.section("Name")) >= 200);
    // The last column in view is whole.
    const QHeaderView* const header = test.card.view().horizontalHeader();
    const int cut = header->logicalIndexAt(test.card.view().viewport()->width());
    QVERIFY(cut > 0);
    QCOMPARE(header->sectionViewportPosition(cut), test.card.view().viewport()->width());
  }

  // Several texts of which each is long, as a kernel, its shapes and its module.
  void figuresStayInViewBesideLongTexts() {
    std::vector<TableColumn> columns{
        {"operator", Unit::Text}, {"shapes", Unit::Text}, {"module", Unit::Text}};
    std::vector<ShownColumn> shown{{.source = "operator", .title = "Operator"},
                                   {.source = "shapes", .title = "Input shapes"},
                                   {.source = "module", .title = "Module"}};
    // A cell has the text until a table copies it.
    const std::array<std::string, 3> texts{std::string(30, 'o'), std::string(40, 's'), std::string(90, 'm')};
    std::vector<Cell> row(texts.begin(), texts.end());
    for (const char* name : {"a_us", "b_us", "c_us", "d_us", "e_us", "f_us"}) {
      columns.push_back({name, Unit::Nanoseconds});
      shown.push_back({.source = name, .title = QString("Time %1").arg(QLatin1Char(*name))});
      row.emplace_back(std::int64_t{400 * kUs});
    }
    ResultTable table("things", std::move(columns));
    table.addRow(row);
    TraceSession session;
    TableCard card(QStringLiteral("Things"), shown, session);
    card.setStretchColumn("operator");
    card.show();
    card.setTable(std::make_shared<const ResultTable>(std::move(table)), {});
    for (const int width : {780, 700, 560}) {
      card.resize(width, 200);
      QApplication::processEvents();
      const QTableView& view = card.view();
      // Qt sets the range of the bar with a timer, after the columns have their widths.
      QTRY_VERIFY2(view.horizontalScrollBar()->maximum() > 0, qPrintable(QString::number(width)));
      QVERIFY2(view.columnViewportPosition(4) + view.columnWidth(4) <= view.viewport()->width(),
               qPrintable(QString::number(width)));
      QVERIFY(view.columnWidth(0) >= 64);
    }
  }

  // As in any spreadsheet: one still sees whose figures they are.
  void theNamesStayWhereOneScrollsSideways() {
    Card test;
    test.card.resize(380, 360);
    test.card.columns().setOn(test.card.model().columnOf("occupancy_pct"), true);
    QTRY_VERIFY(test.card.view().horizontalScrollBar()->maximum() > 0);
    TableView& view = test.card.view();
    const int name = test.section("Name");
    const int y = view.rowViewportPosition(1) + 5;
    QCOMPARE(view.pinnedWidth(), 0);
    QCOMPARE(view.indexAt({3, y}).column(), test.section("Rank"));
    view.horizontalScrollBar()->setValue(view.horizontalScrollBar()->maximum());
    QVERIFY(view.pinnedWidth() > 0);
    QCOMPARE(view.indexAt({3, y}), view.model()->index(1, name));
    QVERIFY(view.indexAt({view.pinnedWidth() + 3, y}).column() > name);
    // Its head is there too, and sorts by it.
    QHeaderView* const header = view.horizontalHeader();
    QTest::mouseClick(header->viewport(), Qt::LeftButton, Qt::NoModifier, {10, 10});
    QCOMPARE(header->sortIndicatorSection(), name);
    QHelpEvent help(QEvent::ToolTip, {10, 10}, header->viewport()->mapToGlobal(QPoint(10, 10)));
    QCoreApplication::sendEvent(header->viewport(), &help);
    QCOMPARE(QToolTip::text(), view.model()->headerData(name, Qt::Horizontal, Qt::ToolTipRole).toString());
    QToolTip::hideText();
  }

  // With one row, all of its values are the same; its times are what one looks for.
  void theTimesOfASingleRowAreShown() {
    Card test;
    ResultTable table("things", {{"rank", Unit::Identity}, {"total_us", Unit::Nanoseconds}});
    table.addRow({Cell(std::int64_t{0}), Cell(std::int64_t{400 * kUs})});
    TableCard card("Things",
                   {{.source = "rank", .title = "Rank", .hide = Hide::AllSame},
                    {.source = "total_us", .title = "Total", .hide = Hide::AllSame}},
                   test.session);
    card.setTable(std::make_shared<const ResultTable>(std::move(table)), {});
    QCOMPARE(columnTitles(card), QString("Total"));
  }

  void emptyColumnsAreHidden() {
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
};

RANKSCOPE_UI_TEST(TableColumnsTest)
#include "table_columns_test.moc"
