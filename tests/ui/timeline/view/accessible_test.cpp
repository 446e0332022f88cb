// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline for screen readers: headers and the selected slice as children with names, positions and
// states, and change notifications. Covers ui/timeline/view/timeline_accessible too.
#include "tests/ui/highlight_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/timeline/view/timeline_interfaces.h"

#include <QAccessible>

#include <vector>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

struct Heard {
  QObject* object;
  QAccessible::Event what;
  int child;
};

std::vector<Heard>& heard() {
  static std::vector<Heard> all;
  return all;
}

// Records accessibility events while it lives.
struct EventRecorder {
  EventRecorder() {
    heard().clear();
    setNotifyFunction([](QAccessibleEvent* event) {
      heard().push_back({event->object(), event->type(), event->child()});
    });
  }
  ~EventRecorder() { setNotifyFunction(nullptr); }

  [[nodiscard]] static bool received(QObject& object, QAccessible::Event what, int child) {
    for (const Heard& one : heard())
      if (one.object == &object && one.what == what && one.child == child) return true;
    return false;
  }
};

QAccessibleInterface& interfaceOf(QObject& object) {
  QAccessibleInterface* const found = QAccessible::queryAccessibleInterface(&object);
  Q_ASSERT(found);
  return *found;
}

QString nameOf(QAccessibleInterface* child) {
  return child ? child->text(QAccessible::Name) : QStringLiteral("no child");
}

} // namespace

class AccessibleTest : public QObject {
  Q_OBJECT

 private slots:
  void everyHeaderInSightIsAChildWithItsNameAndPlace();
  void aHeaderReportsItsStateAndCollapsesByItsAction();
  void theHeaderThatHasTheKeyboardIsTheFocusedChild();
  void theSelectedSliceIsTheChildOfTheLanes();
  void aNewSelectionIsReported();
  void childrenOfAJobThatIsGoneAreInvalid();
};

void AccessibleTest::everyHeaderInSightIsAChildWithItsNameAndPlace() {
  Highlighted shown(loadWaitingRanks(4, 5));
  TrackHeaders& headers = shown.view.headers();
  QAccessibleInterface& tree = interfaceOf(headers);
  QCOMPARE(tree.role(), QAccessible::Tree);
  const auto sections = shown.view.trackLayout().sectionsWithin(0, headers.height());
  QCOMPARE(tree.childCount(), static_cast<int>(sections.size()));
  QVERIFY(tree.childCount() > 4);
  int ranks = 0;
  for (int i = 0; i < tree.childCount(); ++i) {
    QAccessibleInterface* const child = tree.child(i);
    QVERIFY(child && child->isValid());
    QCOMPARE(child->role(), QAccessible::TreeItem);
    QCOMPARE(child->parent(), &tree);
    QCOMPARE(tree.indexOfChild(child), i);
    QCOMPARE(tree.child(i), child); // the same one whenever it is asked for
    const Section& section = sections[static_cast<std::size_t>(i)];
    const QRect place(headers.mapToGlobal(QPoint(0, section.top)), QSize(headers.width(), section.height));
    QCOMPARE(child->rect(), place);
    QCOMPARE(tree.childAt(place.center().x(), place.center().y()), child);
    if (!section.key.isRank()) continue;
    QVERIFY2(nameOf(child).startsWith(QStringLiteral("Rank %1").arg(ranks)), qPrintable(nameOf(child)));
    // The other ranks wait for the last one.
    QCOMPARE(nameOf(child).contains(QStringLiteral("straggler")), ranks == 3);
    ++ranks;
  }
  QCOMPARE(ranks, 4);
  QVERIFY(!tree.child(tree.childCount()) && !tree.child(-1));
}

void AccessibleTest::aHeaderReportsItsStateAndCollapsesByItsAction() {
  Highlighted shown(loadWaitingRanks(2));
  shown.view.setAllRanksExpanded(true);
  QAccessibleInterface* const first = interfaceOf(shown.view.headers()).child(0);
  QVERIFY(first->state().expandable && first->state().expanded && !first->state().collapsed);
  QAccessibleActionInterface* const actions = first->actionInterface();
  QVERIFY(actions);
  QVERIFY(actions->actionNames().contains(QAccessibleActionInterface::toggleAction()));
  EventRecorder listening;
  actions->doAction(QAccessibleActionInterface::toggleAction());
  QVERIFY(!shown.view.trackLayout().rankExpanded(RankIndex(0)));
  QVERIFY(first->isValid());
  QVERIFY(first->state().collapsed && !first->state().expanded);
  QVERIFY(EventRecorder::received(shown.view.headers(), QAccessible::ObjectReorder, -1));
}

void AccessibleTest::theHeaderThatHasTheKeyboardIsTheFocusedChild() {
  Highlighted shown(loadWaitingRanks(4));
  shown.view.activateWindow();
  TrackHeaders& headers = shown.view.headers();
  QAccessibleInterface& tree = interfaceOf(headers);
  QVERIFY(!tree.focusChild());
  headers.setFocus(Qt::TabFocusReason);
  QVERIFY(headers.hasFocus());
  QCOMPARE(tree.focusChild(), tree.child(0));
  EventRecorder listening;
  QTest::keyClick(&headers, Qt::Key_Down);
  QCOMPARE(tree.focusChild(), tree.child(1));
  QVERIFY(tree.child(1)->state().focused && !tree.child(0)->state().focused);
  QVERIFY(EventRecorder::received(headers, QAccessible::Focus, 1));
}

void AccessibleTest::theSelectedSliceIsTheChildOfTheLanes() {
  Highlighted shown(loadWaitingRanks(2));
  QAccessibleInterface& lanes = interfaceOf(shown.canvas());
  QCOMPARE(nameOf(&lanes), QStringLiteral("Timeline"));
  QCOMPARE(lanes.childCount(), 0);
  const EventRef kernel = shown.find("gemm_kernel");
  shown.session.select(kernel);
  QCOMPARE(lanes.childCount(), 1);
  QAccessibleInterface* const slice = lanes.child(0);
  QVERIFY2(nameOf(slice).startsWith(QStringLiteral("gemm_kernel, kernel, 3.00 ms, at ")),
           qPrintable(nameOf(slice)));
  QVERIFY2(nameOf(slice).contains(QStringLiteral("Rank 0")), qPrintable(nameOf(slice)));
  QVERIFY(slice->state().selected && !slice->state().offscreen);
  const QPoint on = shown.canvas().mapToGlobal(shown.pointOn(kernel));
  QVERIFY(slice->rect().contains(on));
  QCOMPARE(lanes.childAt(on.x(), on.y()), slice);
  // Outside of the window it is selected but not visible.
  shown.session.setWindow({shown.origin() + 5 * kMs, shown.origin() + 6 * kMs});
  QVERIFY(slice->state().selected && slice->state().offscreen);
}

void AccessibleTest::aNewSelectionIsReported() {
  Highlighted shown(loadWaitingRanks(2));
  shown.view.activateWindow();
  shown.canvas().setFocus();
  EventRecorder listening;
  shown.session.select(shown.find("gemm_kernel"));
  QVERIFY(EventRecorder::received(shown.canvas(), QAccessible::Selection, 0));
  QVERIFY(EventRecorder::received(shown.canvas(), QAccessible::Focus, 0));
  heard().clear();
  shown.press(Qt::Key_Period);
  QVERIFY(EventRecorder::received(shown.canvas(), QAccessible::Selection, 0));
  heard().clear();
  shown.session.select({});
  QVERIFY(!EventRecorder::received(shown.canvas(), QAccessible::Selection, 0));
}

void AccessibleTest::childrenOfAJobThatIsGoneAreInvalid() {
  Highlighted shown(loadWaitingRanks(2));
  shown.session.select(shown.find("gemm_kernel"));
  QAccessibleInterface* const header = interfaceOf(shown.view.headers()).child(1);
  QAccessibleInterface* const slice = interfaceOf(shown.canvas()).child(0);
  QVERIFY(header->isValid() && slice->isValid());
  shown.session.setTrace(nullptr);
  QVERIFY(!header->isValid() && !slice->isValid());
  QVERIFY(header->text(QAccessible::Name).isEmpty() && header->rect().isEmpty());
  QCOMPARE(interfaceOf(shown.view.headers()).childCount(), 0);
  QCOMPARE(interfaceOf(shown.canvas()).childCount(), 0);
}

RANKSCOPE_UI_TEST(AccessibleTest)
#include "accessible_test.moc"
