// SPDX-License-Identifier: GPL-3.0-or-later
// All menus that a click with the right button or a button opens, of all tabs: none begins or ends with a
// separator, none has two in a row. Covers ui/timeline/tracks/track_edits, ui/widgets/compare_menu.
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/findings/findings_panel.h"
#include "ui/tabs/tab_registry.h"
#include "ui/timeline/canvas/timeline_canvas.h"
#include "ui/timeline/headers/track_headers.h"
#include "ui/timeline/view/timeline_view.h"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QContextMenuEvent>
#include <QMenu>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>

#include <set>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

QString wrongIn(const QMenu& menu) {
  QList<QAction*> shown;
  for (QAction* const action : menu.actions())
    if (action->isVisible()) shown << action;
  if (shown.isEmpty()) return QStringLiteral("empty");
  if (shown.front()->isSeparator()) return QStringLiteral("begins with a separator");
  if (shown.back()->isSeparator()) return QStringLiteral("ends with a separator");
  for (qsizetype i = 1; i < shown.size(); ++i)
    if (shown[i]->isSeparator() && shown[i - 1]->isSeparator()) return QStringLiteral("two separators");
  return {};
}

// Looks at every menu that opens, and at those inside of it, and closes it.
class MenuWatch : public QObject {
 public:
  MenuWatch() { qApp->installEventFilter(this); }

  QStringList wrong;
  std::set<QString> seen; // what their entries are

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    auto* const menu = qobject_cast<QMenu*>(watched);
    if (menu == nullptr || event->type() != QEvent::Show) return false;
    look(*menu);
    QTimer::singleShot(0, menu, &QMenu::close);
    return false;
  }

 private:
  void look(const QMenu& menu) {
    QStringList entries;
    for (const QAction* const action : menu.actions())
      entries << (action->isSeparator() ? QStringLiteral("-") : action->text());
    const QString all = entries.join(QStringLiteral(" | "));
    if (!seen.insert(all).second) return;
    if (const QString problem = wrongIn(menu); !problem.isEmpty()) wrong << problem + ": " + all;
    for (const QAction* const action : menu.actions())
      if (action->menu() && action->isEnabled()) look(*action->menu());
  }
};

void clickRight(QWidget& widget, QPoint place) {
  QContextMenuEvent event(QContextMenuEvent::Mouse, place, widget.mapToGlobal(place));
  QApplication::sendEvent(&widget, &event);
  QApplication::processEvents();
}

// Every place of the widgets below this one: the middle, and along the left side.
void clickRightAll(QWidget& window) {
  for (QPointer<QWidget> widget : window.findChildren<QWidget*>()) {
    if (!widget || !widget->isVisible() || widget->window() != &window) continue;
    if (widget->contextMenuPolicy() == Qt::NoContextMenu) continue;
    clickRight(*widget, widget->rect().center());
    if (widget) clickRight(*widget, {widget->width() / 4, std::min(20, widget->height() / 2)});
  }
}

void openButtons(QWidget& window) {
  for (QPointer<QWidget> widget : window.findChildren<QWidget*>()) {
    if (!widget || !widget->isVisible() || widget->window() != &window) continue;
    QMenu* menu = nullptr;
    if (const auto* const tool = qobject_cast<QToolButton*>(widget)) menu = tool->menu();
    if (const auto* const push = qobject_cast<QPushButton*>(widget)) menu = push->menu();
    if (menu == nullptr) continue;
    menu->popup(widget->mapToGlobal(QPoint(0, widget->height())));
    QApplication::processEvents();
  }
}

} // namespace

class MenusTest : public QObject {
  Q_OBJECT
 private slots:
  void noMenuHasASeparatorWithoutEntriesOnBothSides() {
    for (const int ranks : {1, 3}) {
      TestWindow test;
      writeSmallJob(test.folder.path() / "job", ranks);
      QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
      test.window.resize(1600, 1000);
      MenuWatch watch;
      for (const TabSpec& tab : tabSpecs()) {
        if (!test.window.actions().run("window." + tab.name())) continue;
        QVERIFY(test.settles());
        clickRightAll(test.window);
        openButtons(test.window);
      }
      QVERIFY2(watch.wrong.isEmpty(), qPrintable(watch.wrong.join('\n')));
      QVERIFY2(watch.seen.size() > 10, qPrintable(QString::number(watch.seen.size())));
    }
  }

  // The lanes of counters have a menu of their track, as its header does; it begins with the track's name.
  void theMenuOfEveryLaneBeginsWithItsName() {
    TestWindow test;
    writeSmallJob(test.folder.path() / "job", 2);
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    QVERIFY(test.shows("timeline"));
    test.window.resize(1600, 1000);
    QVERIFY(test.settles());
    MenuWatch watch;
    TimelineView& view = timelineOf(test.window);
    QList<QWidget*> columns{&view.canvas()};
    for (TrackHeaders* const headers : view.findChildren<TrackHeaders*>()) columns << headers;
    for (QWidget* const lanes : columns)
      for (int y = 4; y < lanes->height(); y += 8) clickRight(*lanes, {lanes->width() / 2, y});
    QVERIFY2(watch.wrong.isEmpty(), qPrintable(watch.wrong.join('\n')));
    const auto ofTracks =
        std::ranges::count_if(watch.seen, [](const QString& menu) { return menu.contains("Copy name | -"); });
    QVERIFY2(ofTracks >= 3, qPrintable(QStringList(watch.seen.begin(), watch.seen.end()).join('\n')));
  }
};

RANKSCOPE_UI_TEST(MenusTest)
#include "menus_test.moc"
