// SPDX-License-Identifier: GPL-3.0-or-later
// The order of a card's rows, and that the selected row stays selected in another order. Covers
// ui/tables/shown_rows too.
#include "tests/ui/tables/card_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/tables/table_card.h"

#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_tables;

class TableOrderTest : public QObject {
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
};

RANKSCOPE_UI_TEST(TableOrderTest)
#include "table_order_test.moc"
