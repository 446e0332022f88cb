// SPDX-License-Identifier: GPL-3.0-or-later
// The window with texts up to twice as large as usual, on small screens: it asks for no more room than there
// is, and no text is cut.
#include "tests/ui/cut_texts.h"
#include "tests/ui/larger_texts.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/actions/key_sheet.h"
#include "ui/flames/flame_view.h"
#include "ui/opening/start_page.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/stacks/stacks_panel.h"
#include "ui/tabs/tab_registry.h"
#include "ui/widgets/flow_layout.h"

#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QTableView>

#include <cmath>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

// Who of a widget's parts asks for so much, from the outermost to the innermost.
QString whoNeeds(const QWidget& widget, bool wide) {
  QStringList chain;
  const QWidget* at = &widget;
  while (at != nullptr) {
    const QSize least = at->minimumSizeHint().expandedTo(at->minimumSize());
    chain << QStringLiteral("%1 %2").arg(nameOf(*at)).arg(wide ? least.width() : least.height());
    const QWidget* next = nullptr;
    int most = 0;
    for (const QObject* child : at->children()) {
      const auto* const part = qobject_cast<const QWidget*>(child);
      if (part == nullptr || part->isHidden() || part->isWindow()) continue;
      const QSize needs = part->minimumSizeHint().expandedTo(part->minimumSize());
      const int needed = wide ? needs.width() : needs.height();
      if (needed <= most) continue;
      most = needed;
      next = part;
    }
    at = next;
  }
  return chain.join(QStringLiteral(" > "));
}

} // namespace

class TextSizeTest : public QObject {
  Q_OBJECT
 private slots:
  void theSearchFieldGivesWayToWhatTheJobIs() {
    const LargerTexts larger(1.5);
    TestWindow shown;
    shown.window.resize(1300, 800);
    writeSmallJob(shown.folder.path() / "job");
    QVERIFY(shown.opens(pathOf(shown.folder.path() / "job")));
    QApplication::processEvents();
    const auto* const name = shown.window.findChild<QLabel*>("jobName");
    const auto* const summary = shown.window.findChild<QLabel*>("jobSummary");
    const auto* const search = shown.window.findChild<QWidget*>("searchField");
    QVERIFY(summary->width() >= summary->sizeHint().width());
    QVERIFY(name->width() <= name->fontMetrics().horizontalAdvance(name->text()) + 4);
    QVERIFY(search->width() < search->sizeHint().width() && search->width() > 200);
    shown.window.resize(2400, 800);
    QApplication::processEvents();
    QCOMPARE(search->width(), search->sizeHint().width());
  }

  void theWindowFitsItsScreen_data() {
    QTest::addColumn<double>("scale");
    QTest::addColumn<QSize>("screen");
    QTest::newRow("usual texts") << 1.0 << QSize(800, 600);
    QTest::newRow("one and a half") << 1.5 << QSize(1280, 720);
    QTest::newRow("twice as large") << 2.0 << QSize(1280, 720);
    QTest::newRow("twice as large with room") << 2.0 << QSize(1920, 1080);
  }
  void theWindowFitsItsScreen() {
    QFETCH(double, scale);
    QFETCH(QSize, screen);
    const LargerTexts larger(scale);
    TestWindow shown;
    writeSmallJob(shown.folder.path() / "job");
    QVERIFY(shown.opens(pathOf(shown.folder.path() / "job")));
    shown.window.resize(screen);
    for (const TabSpec& tab : tabSpecs()) {
      QVERIFY(shown.shows(tab.name()));
      QApplication::processEvents();
      const QSize least = shown.window.minimumSizeHint();
      QVERIFY2(least.width() <= screen.width(),
               qPrintable(tab.name() + QStringLiteral(": ") + whoNeeds(shown.window.content(), true)));
      QVERIFY2(least.height() <= screen.height(),
               qPrintable(tab.name() + QStringLiteral(": ") + whoNeeds(shown.window.content(), false)));
      QCOMPARE(shown.window.size(), screen);
      const QStringList cut = cutTexts(shown.window.content());
      QVERIFY2(cut.isEmpty(), qPrintable(tab.name() + QStringLiteral(": ") + cut.join(u'\n')));
      // A page that is scrolled up and down is as wide as what is seen of it.
      for (const QScrollArea* const area : shown.window.content().findChildren<QScrollArea*>())
        if (area->isVisible() && area->widget() && area->widgetResizable())
          QVERIFY2(area->widget()->width() <= area->viewport()->width(),
                   qPrintable(tab.name() + QStringLiteral(": ") + whoNeeds(*area->widget(), true)));
    }
  }

  // A table of names beside a picture says nothing: where it would be too narrow for figures, it is below.
  void modulesAreNeverShownWithoutTheirTimes() {
    for (const double scale : {1.0, 1.5, 2.0}) {
      const LargerTexts larger(scale);
      TestWindow shown;
      shown.window.resize(1280, 720);
      test::JobOptions options;
      options.ranks = 1;
      options.steps = 2;
      options.withStack = true;
      test::generateJob(options, shown.folder.path() / "job");
      QVERIFY(shown.opens(pathOf(shown.folder.path() / "job")));
      QVERIFY(shown.shows("stacks"));
      QApplication::processEvents();
      auto& stacks = shown.window.tabs().page<StacksPanel>("stacks");
      TableCard& modules = stacks.modules();
      QVERIFY(modules.isVisible());
      const int device = modules.model().columnOf("total_us");
      QVERIFY(device > 0);
      const QTableView& view = modules.view();
      QVERIFY2(view.columnViewportPosition(device) + view.columnWidth(device) <= view.viewport()->width(),
               qPrintable(QString::number(scale)));
      QVERIFY(view.viewport()->height() >= 2 * view.rowHeight(0));
      QVERIFY(stacks.flames().height() >= scaledToText(100));
    }
  }

  void theKeySheetHasAsManyColumnsAsFit_data() {
    QTest::addColumn<double>("scale");
    QTest::addColumn<QSize>("screen");
    QTest::newRow("usual texts") << 1.0 << QSize(1280, 720);
    QTest::newRow("usual texts with room") << 1.0 << QSize(1920, 1080);
    QTest::newRow("twice as large") << 2.0 << QSize(1280, 720);
    QTest::newRow("twice as large with room") << 2.0 << QSize(3840, 2160);
  }
  void theKeySheetHasAsManyColumnsAsFit() {
    QFETCH(double, scale);
    QFETCH(QSize, screen);
    const LargerTexts larger(scale);
    TestWindow shown;
    shown.window.resize(screen);
    auto* const sheet = new KeySheet(shown.window.actions(), shown.window.session().theme(), &shown.window);
    sheet->open();
    QApplication::processEvents();
    const auto* const area = sheet->findChild<QScrollArea*>();
    QVERIFY(area->widget()->width() <= area->viewport()->width());
    QVERIFY(sheet->width() <= screen.width());
    QCOMPARE(area->widget()->findChildren<QLabel*>().size() == 3, screen.width() > 1280);
    delete sheet;
  }

  void theStartPageIsNeverWiderThanItsWindow() {
    const LargerTexts larger(2);
    TestWindow shown;
    shown.window.resize(1280, 720);
    auto* const page = shown.window.findChild<StartPage*>();
    QVERIFY(page);
    page->setDemoThere(true);
    page->setRecent({{QString(80, QLatin1Char('x'))}});
    QApplication::processEvents();
    const auto* const area = page->findChild<QScrollArea*>();
    QVERIFY2(area->widget()->width() <= area->viewport()->width(),
             qPrintable(whoNeeds(*area->widget(), true)));
    const QStringList cut = cutTexts(*page);
    QVERIFY2(cut.isEmpty(), qPrintable(cut.join(u'\n')));
  }

  void controlsThatDoNotFitStandInAnotherLine() {
    QWidget bar;
    auto* const flow = new FlowLayout(&bar, 10);
    std::vector<QWidget*> parts;
    for (int i = 0; i < 3; ++i) {
      auto* const part = new QWidget;
      part->setFixedSize(100, 20);
      parts.push_back(part);
      flow->addWidget(part);
    }
    auto* const field = new QLineEdit;
    flow->addFilling(field);
    const int own = field->sizeHint().width();
    QCOMPARE(flow->minimumSize().width(), std::max(100, field->minimumSizeHint().width()));
    bar.resize(330 + own + 50, flow->heightForWidth(330 + own + 50));
    flow->activate();
    for (const QWidget* const part : parts)
      QCOMPARE(part->geometry().center().y(), parts[0]->geometry().center().y());
    QCOMPARE(field->geometry().right(), bar.width() - 1); // takes what is left
    QVERIFY(flow->heightForWidth(210) > flow->heightForWidth(1000));
    bar.resize(210, flow->heightForWidth(210));
    flow->activate();
    QCOMPARE(parts[1]->geometry().topLeft(), QPoint(110, parts[0]->y()));
    QVERIFY(parts[2]->y() > parts[0]->geometry().bottom());
    QCOMPARE(parts[2]->x(), 0);
    QVERIFY(bar.rect().contains(field->geometry()));
  }
};

RANKSCOPE_UI_TEST(TextSizeTest)
#include "text_size_test.moc"
