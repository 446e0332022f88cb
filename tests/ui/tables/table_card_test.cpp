// SPDX-License-Identifier: GPL-3.0-or-later
// The table card by mouse and keys: rows, filter, selection and copies. Covers ui/tables/table_cells and
// ui/tables/table_text too.
#include "core/export/csv.h"
#include "tests/ui/tables/card_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/tables/result_table_model.h"
#include "ui/tables/table_card.h"

#include <QApplication>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include <memory>
#include <utility>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_tables;

class TableCardTest : public QObject {
  Q_OBJECT

 private slots:
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

  void aFilterThatLeavesNothingReportsItAndCanBeCleared() {
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

  void barsOfPercentagesArePartsOfAHundred() {
    ResultTable table("things", {{"name", Unit::Text}, {"share_pct", Unit::Percent}});
    for (const double share : {60.0, 40.0, 38.0}) table.addRow({Cell(std::string_view("row")), Cell(share)});
    ResultTableModel model(
        {{.source = "name", .title = "Name"}, {.source = "share_pct", .title = "Share", .share = true}});
    model.setTable(std::make_shared<const ResultTable>(std::move(table)));
    QCOMPARE(model.index(0, 1).data(ResultTableModel::kBarRole).toDouble(), 0.6);
    QCOMPARE(model.index(2, 1).data(ResultTableModel::kBarRole).toDouble(), 0.38);
  }

  void aCutNameKeepsWhatDistinguishesItsRow() {
    const std::array<QString, 3> names{
        QStringLiteral("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT64x32"),
        QStringLiteral("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT64x96"),
        QStringLiteral("attn_fwd_with_a_name_that_is_cut_as_well_as_others_are")};
    ResultTable table("things", {{"name", Unit::Text}});
    for (const QString& name : names) table.addRow({textCell(name.toStdString())});
    ResultTableModel model({{.source = "name", .title = "Name", .elideSame = true}});
    model.setTable(std::make_shared<const ResultTable>(std::move(table)));
    const auto sameStart = [&](int row) {
      return model.index(row, 0).data(ResultTableModel::kSameStartRole).toInt();
    };
    QCOMPARE(sameStart(0), static_cast<int>(names[0].indexOf("32")));
    QCOMPARE(sameStart(1), sameStart(0));
    QCOMPARE(sameStart(2), 0);
    constexpr int kWidth = 200;
    const auto shown = [&](int row) {
      return table_look::elidedName(names[static_cast<std::size_t>(row)], Qt::ElideRight, sameStart(row),
                                    kWidth);
    };
    QVERIFY2(shown(0).startsWith("Cijk") && shown(0).endsWith("MT64x32"), qPrintable(shown(0)));
    QVERIFY2(shown(1).startsWith("Cijk") && shown(1).endsWith("MT64x96"), qPrintable(shown(1)));
    QVERIFY2(shown(2).startsWith("attn_fwd_with_a"), qPrintable(shown(2)));
    for (int row = 0; row < 3; ++row) QVERIFY(table_look::textWidth(shown(row), false) <= kWidth);
    QCOMPARE(table_look::elidedName(names[0], Qt::ElideRight, sameStart(0), 2000), names[0]);
    // A shorter beginning rather than a second cut.
    const QString engine = QStringLiteral("wgrad_alg0_engine_of_convolutions<float, 128, 6, 7>");
    const int differs = static_cast<int>(engine.indexOf("128"));
    const int width = table_look::textWidth(engine.mid(differs - 6), false) * 3 / 2;
    const QString once = table_look::elidedName(engine, Qt::ElideRight, differs, width);
    QVERIFY2(once.count(QChar(0x2026)) == 1 && once.endsWith("128, 6, 7>"), qPrintable(once));
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

  void tooltipsShowAllDigits() {
    Card test;
    const auto tip = [&](const char* title, int row) {
      return test.card.model().index(row, test.section(title)).data(Qt::ToolTipRole).toString();
    };
    QCOMPARE(tip("Total", 0), QString("1 625 483.125 µs"));
    QCOMPARE(tip("Share", 0), QString("1 625 483.125 µs"));
    QCOMPARE(tip("Calls", 3), QString("1 234"));
    QCOMPARE(tip("Total", 2), QString());
  }

  void rowsAreReportedByMouseAndKeys() {
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

  void aRowSelectedByTheProgramEmitsNoSignal() {
    Card test;
    QSignalSpy selected(&test.card, &TableCard::rowSelected);
    // As a chart does: the reported row is selected again.
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

  void theRowUnderTheMouseIsReportedAndForgottenWhenItLeaves() {
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

  void outlierRowsAndMarkedRowsAreHighlighted() {
    Card test;
    const auto colorAt = [&](int row) {
      // Between two columns, where no text is.
      const QPoint at(test.card.view().viewport()->width() - 3, test.onRow(row).y());
      return test.card.view().viewport()->grab().toImage().pixelColor(at);
    };
    const QColor plain = colorAt(1);
    QCOMPARE(colorAt(3), plain);
    test.card.setRowColor([](int row, const Theme& theme) { return row == 3 ? theme.bad : QColor(); });
    QVERIFY(colorAt(3).red() - colorAt(3).blue() > plain.red() - plain.blue() + 8);
    QCOMPARE(colorAt(1), plain);
    test.card.markRow(1);
    QVERIFY(colorAt(1) != plain);
    test.clickHeader("Name"); // the mark goes with its row
    QVERIFY(colorAt(1) != plain);
    test.card.markRow(-1);
    QCOMPARE(colorAt(1), plain);
  }
};

RANKSCOPE_UI_TEST(TableCardTest)
#include "table_card_test.moc"
