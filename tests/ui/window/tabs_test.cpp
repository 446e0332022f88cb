// SPDX-License-Identifier: GPL-3.0-or-later
// The tab row: access to each tab, also if not all fit. Covers ui/widgets/tab_page and
// ui/widgets/tab_context too.
#include "tests/ui/larger_texts.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/actions/actions.h"
#include "ui/findings/finding_target.h"
#include "ui/findings/findings_panel.h"
#include "ui/opening/file_problems.h"
#include "ui/tables/table_view.h"
#include "ui/tabs/tab_registry.h"
#include "ui/widgets/tab_row.h"
#include "ui/window/tab_pages.h"

#include <QApplication>
#include <QComboBox>
#include <QMenu>
#include <QSet>
#include <QTabBar>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <utility>
#include <vector>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

// Many tabs and two buttons.
struct ManyTabs {
  static constexpr int kTabs = 15;
  TabRow row;
  QToolButton* scope = new QToolButton;

  explicit ManyTabs(int width) {
    for (int i = 0; i < kTabs; ++i) row.addTab(QStringLiteral("Parallelism %1").arg(i + 1));
    scope->setText(QStringLiteral("Whole trace"));
    row.addButton(scope);
    row.resize(width, row.sizeHint().height());
    row.show();
    QApplication::processEvents();
  }

  // Each is in the row before the buttons, or in the menu.
  [[nodiscard]] QString wrong() {
    QSet<int> found;
    for (const int position : row.hidden()) found << position;
    if (row.moreButton().isVisible() == found.isEmpty()) return QStringLiteral("a menu of nothing, or none");
    int right = 0;
    for (int i = 0; i < kTabs; ++i) {
      if (found.contains(i)) continue;
      const QRect place = row.bar().tabRect(i).translated(row.bar().pos());
      if (place.left() < right || place.isEmpty()) return QStringLiteral("tab %1 lies on another").arg(i);
      right = place.right();
    }
    if (row.moreButton().isVisible()) {
      if (row.moreButton().x() < right) return QStringLiteral("the menu's button lies on a tab");
      right = row.moreButton().geometry().right();
    }
    if (scope->x() < right || scope->geometry().right() > row.width())
      return QStringLiteral("no room for a button");
    if (row.hidden().size() + static_cast<std::size_t>(visible()) != kTabs)
      return QStringLiteral("one is gone");
    return found.contains(row.current()) ? QStringLiteral("the current one is hidden") : QString();
  }
  [[nodiscard]] int visible() {
    int count = 0;
    for (int i = 0; i < kTabs; ++i) count += row.bar().isTabVisible(i);
    return count;
  }
};

} // namespace

class TabsTest : public QObject {
  Q_OBJECT
 private slots:
  void tabsThatDoNotFitAreInTheMenu() {
    for (const int width : {3000, 1920, 1280, 640, 400}) {
      ManyTabs tabs(width);
      QVERIFY2(tabs.wrong().isEmpty(), qPrintable(QStringLiteral("%1 at %2").arg(tabs.wrong()).arg(width)));
      if (width == 3000 || width <= 640) QCOMPARE(tabs.row.hidden().empty(), width == 3000);
    }
  }

  void itFollowsTheWidthAndItsButtons() {
    ManyTabs tabs(1280);
    const int before = tabs.visible();
    tabs.row.resize(1600, tabs.row.height());
    QVERIFY(tabs.visible() > before);
    QVERIFY2(tabs.wrong().isEmpty(), qPrintable(tabs.wrong()));
    tabs.row.resize(1280, tabs.row.height());
    QCOMPARE(tabs.visible(), before);
    tabs.scope->setText(QStringLiteral("Selection: 1 380.2 to 1 581.2 ms · ranks 0-3"));
    QTRY_VERIFY(tabs.visible() < before);
    QVERIFY2(tabs.wrong().isEmpty(), qPrintable(tabs.wrong()));
  }

  void oneOfTheMenuGetsAPlaceWhenItIsChosen() {
    ManyTabs tabs(1280);
    QSignalSpy changed(&tabs.row, &TabRow::currentChanged);
    QSignalSpy chosen(&tabs.row, &TabRow::chosen);
    QMenu& menu = *tabs.row.moreButton().menu();
    emit menu.aboutToShow();
    const std::vector<int> hidden = tabs.row.hidden();
    QCOMPARE(menu.actions().size(), static_cast<qsizetype>(hidden.size()));
    QCOMPARE(menu.actions().back()->text(), QString("Parallelism 15"));
    menu.actions().back()->trigger();
    QCOMPARE(tabs.row.current(), 14);
    QCOMPARE(changed.count(), 1);
    QCOMPARE(chosen.count(), 1);
    QVERIFY2(tabs.wrong().isEmpty(), qPrintable(tabs.wrong()));
    QVERIFY(tabs.row.bar().isTabVisible(14));
    tabs.row.setCurrent(0);
    QVERIFY(!tabs.row.bar().isTabVisible(14));
    QVERIFY2(tabs.wrong().isEmpty(), qPrintable(tabs.wrong()));
  }

  void oneByOneAllAreReachedAroundTheEnds() {
    ManyTabs tabs(1280);
    for (const int by : {1, -1}) {
      QSet<int> reached;
      for (int i = 0; i < ManyTabs::kTabs; ++i) {
        tabs.row.step(by);
        reached << tabs.row.current();
        QVERIFY2(tabs.wrong().isEmpty(), qPrintable(tabs.wrong()));
      }
      QCOMPARE(reached.size(), qsizetype{ManyTabs::kTabs});
      QCOMPARE(tabs.row.current(), 0);
    }
  }

  void keysTurnToEveryTabOfTheWindow() {
    TestWindow test;
    writeSmallJob(test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    test.window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&test.window, kTimeoutMs));
    const auto press = [&](Qt::Key key) { QTest::keyClick(&test.window, key, Qt::ControlModifier); };
    const int count = static_cast<int>(tabIds().size());
    for (int i = std::min(count, 9) - 1; i >= 0; --i) {
      press(static_cast<Qt::Key>(Qt::Key_1 + i));
      QCOMPARE(test.window.currentTab(), tabIds()[i]);
      const QString tip = test.window.tabRow().bar().tabToolTip(i);
      QVERIFY2(tip.endsWith(QStringLiteral("(Ctrl+%1)").arg(i + 1)), qPrintable(tip));
    }
    QStringList present = tabIds(); // no dump is open
    present.removeOne(QStringLiteral("hang"));
    for (qsizetype i = 1; i <= present.size(); ++i) {
      press(Qt::Key_PageDown);
      QCOMPARE(test.window.currentTab(), present[i % present.size()]);
    }
    for (qsizetype i = present.size() - 1; i >= 0; --i) {
      press(Qt::Key_PageUp);
      QCOMPARE(test.window.currentTab(), present[i]);
    }
    QVERIFY(test.settles());
  }

  void keysAfterATurnChangeNoChoiceOfTheTab() {
    TestWindow test;
    writeSmallJob(test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    test.window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&test.window, kTimeoutMs));
    int choices = 0;
    for (const QString& tab : tabIds()) {
      QVERIFY(test.shows(tab));
      std::vector<std::pair<QComboBox*, int>> before;
      for (QComboBox* choice : test.window.findChildren<QComboBox*>())
        if (choice->isVisible()) before.emplace_back(choice, choice->currentIndex());
      choices += static_cast<int>(before.size());
      for (const Qt::Key key : {Qt::Key_Down, Qt::Key_Down, Qt::Key_PageDown})
        QTest::keyClick(QApplication::focusWidget(), key);
      for (const auto& [choice, index] : before) QVERIFY2(choice->currentIndex() == index, qPrintable(tab));
    }
    QVERIFY(choices > 10);
    // A table that had the focus has it again.
    QVERIFY(test.shows(QStringLiteral("kernels")));
    TableView* const table = &kernelsOf(test.window.tabs()).card().view();
    table->setFocus();
    QVERIFY(test.shows(QStringLiteral("timeline")));
    QVERIFY(!table->hasFocus());
    QVERIFY(test.shows(QStringLiteral("kernels")));
    QVERIFY(table->hasFocus());
    QVERIFY(test.settles());
  }

  void anAbsentTabIsNeitherInTheRowNorInTheMenuUnlessItIsTheCurrentOne() {
    for (const int width : {3000, 1280}) {
      ManyTabs tabs(width);
      constexpr int kLast = ManyTabs::kTabs - 1;
      tabs.row.setAbsent(kLast, true);
      QVERIFY(tabs.row.isAbsent(kLast));
      QVERIFY(!tabs.row.bar().isTabVisible(kLast));
      const std::vector<int> inMenu = tabs.row.hidden();
      QVERIFY(std::ranges::find(inMenu, kLast) == inMenu.end());
      tabs.row.step(-1);
      QCOMPARE(tabs.row.current(), kLast - 1);
      tabs.row.step(1);
      QCOMPARE(tabs.row.current(), 0);
      tabs.row.setCurrent(kLast);
      QVERIFY(tabs.row.bar().isTabVisible(kLast));
      tabs.row.setCurrent(0);
      QVERIFY(!tabs.row.bar().isTabVisible(kLast));
      tabs.row.setAbsent(kLast, false);
      QVERIFY2(tabs.wrong().isEmpty(), qPrintable(tabs.wrong()));
    }
  }

  void atASmallWindowWithLargeTextsNoTabIsGone() {
    const LargerTexts larger(1.5);
    TestWindow test;
    test.window.resize(1280, 720);
    writeSmallJob(test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    QApplication::processEvents();
    QCOMPARE(test.window.size(), QSize(1280, 720));
    TabRow& row = test.window.tabRow();
    for (int i = 0; i < row.bar().count(); ++i) {
      if (row.isAbsent(i)) continue; // Hang, without dumps
      const QRect place = row.bar().tabRect(i).translated(row.bar().pos());
      const bool fits = row.bar().isTabVisible(i) && row.rect().contains(place.marginsRemoved({0, 0, 6, 0}));
      const std::vector<int> hidden = row.hidden();
      QVERIFY2(fits || std::ranges::find(hidden, i) != hidden.end(), qPrintable(tabIds()[i]));
    }
    QVERIFY(test.window.tabs().findingsButton().geometry().right() < row.width());
  }

  void findingsLeaveASmallWindowOfLargeTextsToThePagesUntilTheyAreAskedFor() {
    for (const bool large : {false, true}) {
      const LargerTexts larger(large ? 2 : 1);
      TestWindow test;
      test.window.resize(1280, 720);
      writeSmallJob(test.folder.path() / "job");
      QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
      QCOMPARE(test.window.tabs().findings().isVisible(), !large);
      QTest::mouseClick(&test.window.tabs().findingsButton(), Qt::LeftButton);
      QCOMPARE(test.window.tabs().findings().isVisible(), large);
      // From now on it is the user's choice.
      QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
      QCOMPARE(test.window.tabs().findings().isVisible(), large);
    }
  }

  void idsAreUniqueAndWhatLeadsToATabNamesOneThatIsThere() {
    const QStringList ids = tabIds();
    QCOMPARE(QSet<QString>(ids.begin(), ids.end()).size(), ids.size());
    QVERIFY(tabNamed(QLatin1String(kProblemsTab)) >= 0);
    QCOMPARE(tabNamed(QStringLiteral("nowhere")), -1);
    int led = 0;
    for (int kind = 0; kind < kFindingKindCount; ++kind) {
      Finding finding;
      finding.kind = static_cast<FindingKind>(kind);
      const QString tab = targetOf(finding).tab;
      QVERIFY2(tab.isEmpty() || tabNamed(tab) >= 0, qPrintable(tab));
      led += !tab.isEmpty();
    }
    QVERIFY(led > 5);
  }
};

RANKSCOPE_UI_TEST(TabsTest)
#include "tabs_test.moc"
