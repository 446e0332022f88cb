// SPDX-License-Identifier: GPL-3.0-or-later
// The main window: fonts, theme, panels, and use of an open job. Covers ui/base/theme and
// ui/window/window_style too.
#include "tests/support/job_generator.h"
#include "tests/support/trace_text.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/base/workers.h"
#include "ui/details/bottom_panel.h"
#include "ui/details/details_panel.h"
#include "ui/job/trace_session.h"
#include "ui/tables/result_table_model.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/kernels/kernels_panel.h"
#include "ui/timeline/view/timeline_view.h"
#include "ui/window/main_window.h"
#include "ui/window/screenshot.h"
#include "ui/window/tab_pages.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLineEdit>
#include <QTableView>
#include <QTest>
#include <QTreeView>

#include <algorithm>
#include <functional>
#include <vector>

using namespace rankscope;
using namespace rankscope::ui;

class MainWindowTest : public QObject {
  Q_OBJECT

 private slots:
  void cleanup() { QVERIFY(Workers::ofProgram().waitForDone(kTimeoutMs)); }

  void everyTextIsInTheFamilyOfTheProgramWhateverTheDesktopHas() {
    const QFont before = QApplication::font();
    QApplication::setFont(QFont("DejaVu Serif", 10));
    TestWindow test;
    const QString family = textFont(12).family();
    QVERIFY(family != "DejaVu Serif");
    for (const QWidget* const widget : test.window.findChildren<QWidget*>()) {
      const QString own = widget->font().family();
      QVERIFY2(
          own == family || own == numberFont(12).family(),
          qPrintable(
              QStringLiteral("%1 %2: %3").arg(widget->metaObject()->className(), widget->objectName(), own)));
    }
    QApplication::setFont(before);
  }

  void theFilterNarrowsTheKernelsAsOneTypesAndCopyTakesWhatIsShown() {
    TestWindow test;
    writeSmallJob(test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    QVERIFY(test.shows("kernels"));
    TableCard& card = kernelsOf(test.window.tabs()).card();
    const int all = card.shownRows();
    QVERIFY(all > 3);
    QTest::keyClicks(&kernelsOf(test.window.tabs()).filterField(), "NCCL");
    const int filtered = card.shownRows();
    QVERIFY(0 < filtered && filtered < all);
    const QStringList lines = card.rowsAsText().split('\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), filtered + 1);
    QVERIFY(lines.front().startsWith("kernel\tkind\tcalls\t"));
    for (int i = 1; i < lines.size(); ++i) QVERIFY(lines[i].contains("nccl", Qt::CaseInsensitive));
    card.view().setFocus();
    QTest::keyClick(&card.view(), Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), card.rowsAsText());
    QTest::keyClicks(&kernelsOf(test.window.tabs()).filterField(), " nothing has this");
    QCOMPARE(card.shownRows(), 0);
  }

  void kernelsComeSortedByTotalAndAClickOnAHeaderSortsOtherwise() {
    TestWindow test;
    writeSmallJob(test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    QVERIFY(test.shows("kernels"));
    TableCard& card = kernelsOf(test.window.tabs()).card();
    const auto numbers = [&](const char* source) {
      std::vector<qint64> values;
      const int column = card.model().columnOf(source);
      values.reserve(static_cast<std::size_t>(card.shownRows()));
      for (int row = 0; row < card.shownRows(); ++row)
        values.push_back(
            card.view().model()->index(row, column).data(ResultTableModel::kSortRole).toLongLong());
      return values;
    };
    QVERIFY(std::ranges::is_sorted(numbers("total_us"), std::greater()));
    QHeaderView* header = card.view().horizontalHeader();
    const int calls = card.model().columnOf("calls");
    const QPoint at(header->sectionViewportPosition(calls) + header->sectionSize(calls) / 2,
                    header->height() / 2);
    QTest::mouseClick(header->viewport(), Qt::LeftButton, Qt::NoModifier, at);
    QVERIFY(std::ranges::is_sorted(numbers("calls"), std::greater()));
    QTest::mouseClick(header->viewport(), Qt::LeftButton, Qt::NoModifier, at);
    QVERIFY(std::ranges::is_sorted(numbers("calls")));
  }

  void aLowWindowLeavesItsHeightToTheTimelineUntilSomethingIsSelected() {
    for (const int height : {720, 1080}) {
      TestWindow test;
      test.window.resize(1280, height);
      writeSmallJob(test.folder.path() / "job");
      QVERIFY(test.opens(QString::fromStdString(test.folder / "job")));
      QCOMPARE(bottomPanelOf(test.window).collapsed(), height == 720);
      test.window.session().select({RankIndex(0), EventIndex(0)});
      QVERIFY(!bottomPanelOf(test.window).collapsed());
    }
  }

  void qFoldsTheBottomPanelButNotWhileOneTypes() {
    TestWindow test;
    writeSmallJob(test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    test.window.activateWindow();
    QVERIFY(!bottomPanelOf(test.window).collapsed());
    QTest::keyClick(&timelineOf(test.window), Qt::Key_Q);
    QVERIFY(bottomPanelOf(test.window).collapsed());
    QVERIFY(!detailsOf(test.window).isVisible());
    QTest::keyClick(&timelineOf(test.window), Qt::Key_Q);
    QVERIFY(detailsOf(test.window).isVisible());
    test.window.showTab("kernels");
    kernelsOf(test.window.tabs()).filterField().setFocus();
    QTest::keyClick(&kernelsOf(test.window.tabs()).filterField(), Qt::Key_Q);
    QCOMPARE(kernelsOf(test.window.tabs()).filterField().text(), QString("q"));
    QVERIFY(!bottomPanelOf(test.window).collapsed());
  }

  void hostsOfDifferentClocksShareOneAxisUntilAligningIsSwitchedOff() {
    const Folder data;
    test::JobOptions options;
    options.ranks = 4;
    options.ranksPerNode = 2;
    options.steps = 2;
    options.layers = 2;
    options.clockOffsetNs = {0, 10'000'000'000};
    options.clockDriftPpb = {0, 20'000};
    test::generateJob(options, data.path());
    TestWindow test;
    QVERIFY(test.opens(pathOf(data.path())));
    TraceSession& session = test.window.session();
    QVERIFY(session.trace()->extent().length() < 1'000'000'000);
    const EventRef chosen{RankIndex(3), EventIndex(17)};
    session.select(chosen);

    auto* align = test.window.findChild<QAction*>(QStringLiteral("alignClocks"));
    QVERIFY(align != nullptr && align->isChecked());
    align->trigger();
    QVERIFY(test.settles());
    QVERIFY(session.trace()->extent().length() > 9'000'000'000);
    QCOMPARE(session.selection(), chosen);
    align->trigger();
    QVERIFY(test.settles());
    QVERIFY(session.trace()->extent().length() < 1'000'000'000);
    QCOMPARE(session.selection(), chosen);
  }

  // Qt's own dialog is what desktops show that have none.
  void theFileDialogShowsWholeDates() {
    TestWindow test;
    for (const char* name : {"a.json", "a_file_with_a_longer_name.pt.trace.json.gz"})
      test::writeTraceFile((test.folder.path() / "job" / name).string(), "{}");
    QFileDialog dialog(&test.window, {}, pathOf(test.folder.path() / "job"));
    dialog.setOption(QFileDialog::DontUseNativeDialog);
    dialog.setViewMode(QFileDialog::Detail);
    dialog.show();
    const auto& list = *dialog.findChild<QTreeView*>("treeView");
    QTRY_COMPARE_WITH_TIMEOUT(list.model()->rowCount(list.rootIndex()), 2, kTimeoutMs);
    for (int column = 1; column < list.header()->count(); ++column) {
      const int hint = static_cast<const QAbstractItemView&>(list).sizeHintForColumn(column);
      QVERIFY2(list.columnWidth(column) >= hint, qPrintable(QString::number(column)));
    }
    QVERIFY(list.header()->length() <= list.viewport()->width());
  }

  void theChosenThemeIsPaintedAndSaved() {
    TestWindow test;
    test.window.setThemeChoice(ThemeChoice::Light);
    QCOMPARE(test.window.session().themeName(), ThemeName::Light);
    const QColor light = picture(test.window.content(), {800, 600}).pixelColor(400, 2);
    test.window.setThemeChoice(ThemeChoice::Dark);
    const QColor dark = picture(test.window.content(), {800, 600}).pixelColor(400, 2);
    QCOMPARE(light, Theme::of(ThemeName::Light).panel);
    QCOMPARE(dark, Theme::of(ThemeName::Dark).panel);
  }
};

RANKSCOPE_UI_TEST(MainWindowTest)
#include "main_window_test.moc"
