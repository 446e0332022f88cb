// SPDX-License-Identifier: GPL-3.0-or-later
// Sums under the columns of a card.
#include "core/base/unit_text.h"
#include "tests/ui/tables/card_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/tables/table_card.h"
#include "ui/tables/table_footer.h"

#include <QApplication>
#include <QImage>
#include <QScrollBar>
#include <QTableView>
#include <QTest>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_tables;

class TableFooterTest : public QObject {
  Q_OBJECT

 private slots:
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

  void theFooterScrollsWithItsColumns() {
    Card test;
    test.card.resize(330, 300);
    QApplication::processEvents();
    QScrollBar* bar = test.card.view().horizontalScrollBar();
    QVERIFY(bar->maximum() > 0);
    const auto spanAlpha = [&] { return test.card.footer().grab().toImage(); };
    const QImage before = spanAlpha();
    bar->setValue(40);
    const QImage after = spanAlpha();
    // Content moved from x + 40 to x.
    const QRect visible(0, 2, 100, before.height() - 4);
    QCOMPARE(after.copy(visible), before.copy(visible.translated(40, 0)));
  }
};

RANKSCOPE_UI_TEST(TableFooterTest)
#include "table_footer_test.moc"
