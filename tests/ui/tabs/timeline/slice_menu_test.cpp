// SPDX-License-Identifier: GPL-3.0-or-later
// What a click, a right click and a resting mouse do to a slice, in the whole window.
#include "tests/ui/ui_test.h"
#include "tests/ui/window/key_fixture.h"
#include "ui/details/bottom_panel.h"
#include "ui/details/collective_panel.h"
#include "ui/details/details_panel.h"
#include "ui/details/explanation_page.h"
#include "ui/details/find_tools.h"
#include "ui/details/search_panel.h"
#include "ui/job/event_finder.h"
#include "ui/tabs/timeline/slice_menu.h"
#include "ui/timeline/strips/highlight_bar.h"
#include "ui/timeline/strips/time_ruler.h"
#include "ui/widgets/tab_row.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QLineEdit>
#include <QMenu>
#include <QTabBar>
#include <QToolButton>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

struct Menu {
  UserSession user;

  QMenu* open(EventRef event) {
    const QPoint at = user.pointOn(event);
    QContextMenuEvent request(QContextMenuEvent::Mouse, at, user.canvas().mapToGlobal(at));
    QApplication::sendEvent(&user.canvas(), &request);
    return timelineTabOf(user.window).findChild<QMenu*>(QStringLiteral("sliceMenu"));
  }
  // Opens the menu of an event and takes the item that begins with this title.
  bool take(EventRef event, const QString& title) {
    QMenu* const menu = open(event);
    if (menu == nullptr) return false;
    QAction* const action = itemOf(*menu, title);
    if (action == nullptr || !action->isEnabled()) return false;
    action->trigger();
    menu->close();
    QApplication::sendPostedEvents(menu, QEvent::DeferredDelete);
    return true;
  }
  static QAction* itemOf(const QMenu& menu, const QString& title) {
    for (QAction* action : menu.actions()) {
      if (action->text().startsWith(title)) return action;
      if (const QMenu* const inner = action->menu())
        if (QAction* const found = itemOf(*inner, title)) return found;
    }
    return nullptr;
  }
  void click(EventRef event) { QTest::mouseClick(&user.canvas(), Qt::LeftButton, {}, user.pointOn(event)); }
};

} // namespace

class SliceMenuTest : public QObject {
  Q_OBJECT

 private slots:
  void aClickShowsTheSliceWhateverPanelWasOpen() {
    Menu menu;
    BottomPanel& bottom = bottomPanelOf(menu.user.window);
    const EventRef kernel = menu.user.event("gemm_kernel");
    menu.click(kernel);
    QCOMPARE(bottom.currentPanel(), static_cast<QWidget*>(&detailsOf(menu.user.window)));
    findOf(menu.user.window).showPanel();
    QVERIFY(bottom.currentPanel() != &detailsOf(menu.user.window));
    menu.click(menu.user.event("relu_kernel"));
    QCOMPARE(bottom.currentPanel(), static_cast<QWidget*>(&detailsOf(menu.user.window)));
    // Also if it was selected already.
    findOf(menu.user.window).showPanel();
    menu.click(menu.user.event("relu_kernel"));
    QCOMPARE(bottom.currentPanel(), static_cast<QWidget*>(&detailsOf(menu.user.window)));
    findOf(menu.user.window).showPanel();
    const EventRef collective{RankIndex(0),
                              menu.user.session().analysis()->collectiveCalls(RankIndex(0))[0].event};
    menu.click(collective);
    QCOMPARE(bottom.currentPanel(), static_cast<QWidget*>(&collectiveOf(menu.user.window)));
    // Keys leave the panel that was chosen.
    findOf(menu.user.window).showPanel();
    QWidget* const search = bottom.currentPanel();
    menu.user.press(Qt::Key_Period);
    QCOMPARE(bottom.currentPanel(), search);
  }

  // A collective has two panels: the one that was chosen last for a collective is shown for the next.
  void aCollectiveIsShownInThePanelThatWasChosenForTheLast() {
    Menu menu;
    MainWindow& window = menu.user.window;
    BottomPanel& bottom = bottomPanelOf(window);
    QWidget* const details = &detailsOf(window);
    QWidget* const ranks = &collectiveOf(window);
    const auto choose = [&](int tab) {
      QTabBar& tabs = bottom.findChild<TabRow*>(QStringLiteral("bottomTabs"))->bar();
      QTest::mouseClick(&tabs, Qt::LeftButton, {}, tabs.tabRect(tab).center());
    };
    const auto calls = menu.user.session().analysis()->collectiveCalls(RankIndex(0));
    const auto clickCollective = [&](std::size_t at) { menu.click({RankIndex(0), calls[at].event}); };
    clickCollective(0);
    QCOMPARE(bottom.currentPanel(), ranks);
    choose(0);
    QCOMPARE(bottom.currentPanel(), details);
    clickCollective(1);
    QCOMPARE(bottom.currentPanel(), details);
    menu.click(menu.user.event("gemm_kernel"));
    clickCollective(0);
    QCOMPARE(bottom.currentPanel(), details);
    // The details lead to the ranks.
    QVERIFY(
        detailsOf(window).toPlainText().contains(collectiveOf(window).explanation().explanation().summary));
    emit detailsOf(window).anchorClicked(QUrl(QStringLiteral("ranks:")));
    QCOMPARE(bottom.currentPanel(), ranks);
    menu.click(menu.user.event("gemm_kernel"));
    QCOMPARE(bottom.currentPanel(), details);
    clickCollective(1);
    QCOMPARE(bottom.currentPanel(), ranks);
    // Keys that walk through results of a search leave it open.
    menu.click(menu.user.event("gemm_kernel"));
    findOf(window).showPanel();
    QWidget* const search = bottom.currentPanel();
    menu.user.session().select({RankIndex(0), calls[0].event});
    QCOMPARE(bottom.currentPanel(), search);
  }

  void theMenuSelectsTheSliceAndCopiesItsName() {
    Menu menu;
    const EventRef kernel = menu.user.event("gemm_kernel");
    QVERIFY(menu.take(kernel, "Copy name"));
    QCOMPARE(menu.user.session().selection(), kernel);
    QCOMPARE(QApplication::clipboard()->text(), QString("gemm_kernel"));
    QVERIFY(menu.take(kernel, "Fit"));
    QVERIFY(menu.user.shown().length() < 2 * menu.user.session().rangeOf(kernel).length());
  }

  void theMenuLeadsToCallsTablesAndLinks() {
    Menu menu;
    const EventRef kernel = menu.user.event("gemm_kernel");
    QVERIFY(menu.take(kernel, "Find all calls"));
    QVERIFY(menu.user.settles());
    EventFinder& finder = findOf(menu.user.window).finder();
    QCOMPARE(finder.sums().count, std::uint64_t(UserSession::kRanks));
    QVERIFY(menu.take(kernel, "Show in Kernels"));
    QCOMPARE(menu.user.window.currentTab(), QString("kernels"));
    QVERIFY(menu.user.settles());
    menu.user.window.showTab("timeline");
    QVERIFY(menu.take(menu.user.event("aten::mm"), "Show in Operators"));
    QCOMPARE(menu.user.window.currentTab(), QString("operators"));
    menu.user.window.showTab("timeline");
    QVERIFY(menu.take(kernel, "Launched by"));
    QCOMPARE(menu.user.session().selection(), menu.user.launchOf(kernel));
  }

  void theMenuPinsHidesAndMarks() {
    Menu menu;
    TraceSession& session = menu.user.session();
    const EventRef kernel = menu.user.event("gemm_kernel");
    QVERIFY(menu.take(kernel, "Pin track"));
    QCOMPARE(session.choice().pinned.size(), std::size_t(1));
    QVERIFY(menu.take(kernel, "Unpin track"));
    QVERIFY(session.choice().pinned.empty());
    QVERIFY(menu.take(kernel, "Mark as region"));
    QCOMPARE(session.marks().regions().size(), std::size_t(1));
    QCOMPARE(session.marks().regions().front().range, session.rangeOf(kernel));
    QVERIFY(menu.take(kernel, "Select as range"));
    QCOMPARE(session.range(), std::optional(session.rangeOf(kernel)));
    // Main threads have other numbers on other ranks, streams have the same.
    QVERIFY(menu.take(kernel, "Hide this track on all ranks"));
    QCOMPARE(session.choice().hidden.size(), UserSession::kRanks);
    const EventRef host = menu.user.event("aten::mm");
    QVERIFY(menu.take(host, "Hide this track on all ranks"));
    QCOMPARE(session.choice().hidden.size(), 2 * UserSession::kRanks);
  }

  void anEmptyPlaceHasTheMenuOfItsTrack() {
    Menu menu;
    const EventRef kernel = menu.user.event("gemm_kernel");
    const QPoint at(1, menu.user.pointOn(kernel).y());
    QContextMenuEvent request(QContextMenuEvent::Mouse, at, menu.user.canvas().mapToGlobal(at));
    QApplication::sendEvent(&menu.user.canvas(), &request);
    auto menus = menu.user.timeline().findChildren<QMenu*>();
    menus.removeIf([](const QMenu* of) { return qobject_cast<const QMenu*>(of->parent()) != nullptr; });
    QCOMPARE(menus.size(), 1);
    QVERIFY(Menu::itemOf(*menus.front(), "Hide"));
    menus.front()->close();
  }

  void theTooltipGoesWithKeysAndFollowsTheLanes() {
    UserSession user;
    const EventRef kernel = user.event("gemm_kernel");
    user.show(0, 10 * kMs);
    const QPoint at = user.pointOn(kernel);
    Shown::send(user.canvas(), QEvent::MouseMove, at, Qt::NoButton);
    QVERIFY(user.canvas().hoverText().startsWith("gemm_kernel"));
    user.press(Qt::Key_Period);
    QVERIFY(user.canvas().hoverText().isEmpty());
    Shown::send(user.canvas(), QEvent::MouseMove, at + QPoint(1, 0), Qt::NoButton);
    QVERIFY(!user.canvas().hoverText().isEmpty());
    // The lanes move under the mouse: it is over idle time now.
    user.show(4 * kMs, 6 * kMs);
    QVERIFY(!user.canvas().hoverText().startsWith("gemm_kernel"));
    QCOMPARE(user.timeline().ruler().cursorTime(), std::optional(user.canvas().timeAt(at.x() + 1)));
    user.window.showTab("overview");
    QVERIFY(user.canvas().hoverText().isEmpty());
    QVERIFY(!user.timeline().ruler().cursorTime());
  }

  void theLegendTurnsHighlightsOffAndAllOnAgain() {
    UserSession user;
    HighlightBar& bar = user.timeline().highlightBar();
    auto* const allOn = bar.findChild<QToolButton*>("allOn");
    QVERIFY(allOn && allOn->isHidden());
    QToolButton* const idle = bar.findChildren<QToolButton*>("legend").front();
    const auto icon = [&] {
      return idle->icon()
          .pixmap(idle->iconSize(), QIcon::Normal, idle->isChecked() ? QIcon::On : QIcon::Off)
          .toImage();
    };
    const QImage on = icon();
    QTest::mouseClick(idle, Qt::LeftButton);
    QVERIFY(!user.session().highlightOptions().idle);
    QVERIFY(icon() != on);
    QVERIFY(!allOn->isHidden());
    QTest::mouseClick(allOn, Qt::LeftButton);
    QCOMPARE(user.session().highlightOptions(), HighlightOptions());
    QVERIFY(allOn->isHidden());
  }

  void theFindingsButtonCountsWhileThePanelIsHidden() {
    UserSession user;
    QToolButton& button = user.window.tabs().findingsButton();
    const QString before = button.text();
    QVERIFY(before.back().isDigit());
    if (button.isChecked()) QTest::mouseClick(&button, Qt::LeftButton);
    user.window.open({user.folder.path()});
    QVERIFY(user.settles());
    QCOMPARE(button.text(), before);
  }
};

RANKSCOPE_UI_TEST(SliceMenuTest)
#include "slice_menu_test.moc"
