// SPDX-License-Identifier: GPL-3.0-or-later
// One collective on all its ranks: what is drawn across them, the panel, and the keys that walk from rank to
// rank and from one collective to the next.
#include "tests/ui/highlight_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/details/collective_panel.h"
#include "ui/details/collective_table.h"
#include "ui/details/explanation_page.h"
#include "ui/timeline/canvas/collective_labels.h"

#include <QHelpEvent>
#include <QLineEdit>
#include <QSignalSpy>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

constexpr std::size_t kRanks = 4;

int differencesIn(const QImage& a, const QImage& b, const QRect& box) {
  int count = 0;
  for (int y = box.top(); y <= box.bottom(); ++y)
    for (int x = box.left(); x <= box.right(); ++x) count += a.pixel(x, y) != b.pixel(x, y);
  return count;
}

} // namespace

class CollectiveTest : public QObject {
  Q_OBJECT

 private slots:
  void selectingACollectiveOutlinesItOnEveryRank();
  void aLaunchShowsTheCollectiveOfItsKernel();
  void tabGoesToTheSameCollectiveOnTheNextRankAndRound();
  void tabWithoutACollectiveLeavesTheTimeline();
  void theKeyOfInstancesWalksTheCollectivesOfTheGroup();
  void thePanelShowsArrivalAndWaitOfEachRank();
  void ofACollectiveOfOneRankWaitAndTransferAreUnknown();
  void noRankIsFirstOrLastIfAllArriveTogether();
  void thePanelShowsTheLastRankAndItsPreviousActivity();
  void aLineOfThePanelGoesToItsRank();
  void ofManyRanksTheThreeExtremesStayVisible();
  void titlesSortTheRanks();
  void everyHeadExplainsItself();
  void withoutACollectiveThePanelSaysWhatToDo();
};

void CollectiveTest::selectingACollectiveOutlinesItOnEveryRank() {
  Highlighted shown(loadWaitingRanks(kRanks));
  const QImage before = shown.picture();
  shown.click(shown.pointOn(shown.collective(0)));
  QCOMPARE(shown.session.selection(), shown.collective(0));
  const QImage after = shown.picture();
  const auto marks = collectiveMarks(shown.highlights(), shown.view.trackLayout(), shown.session.selection());
  QVERIFY(marks.has_value());
  QCOMPARE(marks->marks.size(), kRanks);
  QCOMPARE(marks->marks[marks->last].late, 25 * kMs / 10);
  QCOMPARE(marks->marks[marks->first].event.rank, RankIndex(0));
  QCOMPARE(marks->marks[marks->last].event.rank, RankIndex(kRanks - 1));
  for (const CollectiveLabel& mark : marks->marks) {
    const int left = static_cast<int>(shown.canvas().xOf(mark.range.begin));
    const int right = static_cast<int>(shown.canvas().xOf(mark.range.end));
    const QRect box(left - 1, mark.top - shown.canvas().scrollTop() - 1, right - left + 2, mark.height + 2);
    QVERIFY2(differencesIn(before, after, box) > right - left,
             qPrintable(QString::number(mark.event.rank.value)));
  }
  // The line of the last arrival is drawn between the ranks.
  const int x = static_cast<int>(shown.canvas().xOf(marks->marks[marks->last].range.begin));
  const int top = marks->marks[1].top + marks->marks[1].height - shown.canvas().scrollTop() + 2;
  QVERIFY(differencesIn(before, after, QRect(x - 1, top, 3, marks->marks[2].top - marks->marks[1].top - 8)) >
          0);
  shown.press(Qt::Key_Escape);
  QEvent leave(QEvent::Leave);
  QApplication::sendEvent(&shown.canvas(), &leave);
  QVERIFY(shown.picture() == before);
}

void CollectiveTest::aLaunchShowsTheCollectiveOfItsKernel() {
  Highlighted shown(loadWaitingRanks(kRanks));
  const EventRef kernel = shown.collective(1);
  const RankTrace& trace = *shown.session.trace()->rank(RankIndex(1)).trace;
  const EventRef launch{RankIndex(1), trace.deviceDetail(kernel.event).launch};
  QVERIFY(launch.valid());
  QCOMPARE(shown.highlights().instanceOf(launch), shown.highlights().instanceOf(kernel));
  QVERIFY(!shown.highlights().instanceOf(shown.find("gemm_kernel")));
}

void CollectiveTest::tabGoesToTheSameCollectiveOnTheNextRankAndRound() {
  Highlighted shown(loadWaitingRanks(kRanks));
  shown.click(shown.pointOn(shown.collective(0, 1)));
  for (std::size_t rank = 1; rank <= kRanks; ++rank) {
    shown.press(Qt::Key_Tab);
    QCOMPARE(shown.session.selection(), shown.collective(rank % kRanks, 1));
  }
  shown.press(Qt::Key_Backtab, Qt::ShiftModifier);
  QCOMPARE(shown.session.selection(), shown.collective(kRanks - 1, 1));
  QVERIFY(!shown.view.trackLayout().rankExpanded(RankIndex(kRanks - 1)));
}

void CollectiveTest::tabWithoutACollectiveLeavesTheTimeline() {
  Highlighted shown(loadWaitingRanks(2));
  QLineEdit other(&shown.view);
  other.show();
  shown.view.activateWindow();
  shown.canvas().setFocus();
  QApplication::setActiveWindow(&shown.view);
  QVERIFY(shown.canvas().hasFocus());
  shown.click(shown.pointOn(shown.find("gemm_kernel")));
  shown.press(Qt::Key_Tab);
  QVERIFY(!shown.canvas().hasFocus());
  QCOMPARE(shown.session.selection(), shown.find("gemm_kernel"));
}

void CollectiveTest::theKeyOfInstancesWalksTheCollectivesOfTheGroup() {
  Highlighted shown(loadWaitingRanks(kRanks));
  shown.click(shown.pointOn(shown.collective(0)));
  shown.press(Qt::Key_I);
  QCOMPARE(shown.session.selection(), shown.collective(0, 1));
  shown.press(Qt::Key_I);
  QCOMPARE(shown.session.selection(), shown.collective(0, 1));
  shown.press(Qt::Key_I, Qt::ShiftModifier);
  QCOMPARE(shown.session.selection(), shown.collective(0));
}

void CollectiveTest::thePanelShowsArrivalAndWaitOfEachRank() {
  Highlighted shown(loadWaitingRanks(kRanks));
  CollectivePanel panel(shown.session);
  shown.session.select(shown.collective(2));
  QVERIFY(panel.shows());
  // 2^20 bfloat16 over four ranks in half a millisecond.
  for (const char* fact :
       {"AllReduce", "default_pg", "4 ranks", "2.0 MiB", "algbw 4.2 GB/s", "busbw 6.3 GB/s"})
    QVERIFY2(panel.title().contains(fact), qPrintable(panel.title()));
  const auto& lines = panel.table().lines();
  QCOMPARE(lines.size(), kRanks);
  for (const CollectiveLine& line : lines) {
    const bool last = line.rank == kRanks - 1;
    QCOMPARE(line.late, last ? 25 * kMs / 10 : line.rank * 10'000);
    QCOMPARE(line.wait, last ? 0 : 25 * kMs / 10 - line.rank * 10'000);
    QCOMPARE(line.transfer, kMs / 2);
    QCOMPARE(line.wait + line.transfer, line.range.length());
    QCOMPARE(line.role, line.rank == 0 ? "first" : last ? "last" : line.rank == 1 ? "median" : "");
    QVERIFY(line.algbw && std::abs(*line.algbw - 4.194304) < 1e-6);
    QVERIFY(line.busbw && std::abs(*line.busbw - 4.194304 * 1.5) < 1e-6);
    // Compute overlaps communication from 6 to 7 ms.
    QCOMPARE(line.exposed,
             line.range.length() - std::max<TimeNs>(0, shown.origin() + 7 * kMs - line.range.begin.ns()));
  }
}

void CollectiveTest::ofACollectiveOfOneRankWaitAndTransferAreUnknown() {
  Highlighted alone(loadWaitingRanks(1));
  alone.click(alone.pointOn(alone.collective(0)));
  const CollectiveInstance* const instance = alone.highlights().instanceOf(alone.session.selection());
  QVERIFY(instance != nullptr);
  const std::vector<CollectiveLine> lines = collectiveLines(alone.highlights(), *instance);
  QCOMPARE(lines.size(), std::size_t(1));
  const CollectiveTable table(alone.session);
  for (const auto column :
       {CollectiveTable::Column::Late, CollectiveTable::Column::Waits, CollectiveTable::Column::Transfer})
    QCOMPARE(table.textOf(lines.front(), column), "unknown");
  QVERIFY(table.textOf(lines.front(), CollectiveTable::Column::Rank) == "0");
}

void CollectiveTest::noRankIsFirstOrLastIfAllArriveTogether() {
  Highlighted shown(loadRanks(kRanks));
  CollectivePanel panel(shown.session);
  shown.session.select(shown.collective(1));
  QVERIFY(panel.shows());
  for (const CollectiveLine& line : panel.table().lines()) {
    QCOMPARE(line.late, 0);
    QVERIFY(line.role.isEmpty());
  }
}

void CollectiveTest::thePanelShowsTheLastRankAndItsPreviousActivity() {
  Highlighted shown(loadWaitingRanks(kRanks));
  CollectivePanel panel(shown.session);
  shown.session.select(shown.collective(0));
  QVERIFY(settles(shown.session.pending()));
  const Explanation& explanation = panel.explanation().explanation();
  QVERIFY2(explanation.summary.contains("Rank 3 arrived last, 2.50 ms after the first"),
           qPrintable(explanation.summary));
  QVERIFY2(panel.explanation().toPlainText().contains("Cause on rank 3"),
           qPrintable(panel.explanation().toPlainText()));
  // Nothing is known before a collective of one rank alone.
  shown.session.select(shown.find("gemm_kernel"));
  QVERIFY(!panel.shows());
}

void CollectiveTest::aLineOfThePanelGoesToItsRank() {
  Highlighted shown(loadWaitingRanks(kRanks));
  CollectivePanel panel(shown.session);
  QObject::connect(&panel, &CollectivePanel::eventWanted, &shown.view, &TimelineView::goTo);
  panel.resize(1200, 240);
  panel.show();
  shown.session.select(shown.collective(0));
  QApplication::processEvents();
  QTest::mouseClick(panel.table().viewport(), Qt::LeftButton, {}, panel.table().middleOfLine(2));
  QCOMPARE(shown.session.selection(), shown.collective(2));
  panel.table().setFocus();
  QTest::keyClick(&panel.table(), Qt::Key_Down);
  QCOMPARE(shown.session.selection(), shown.collective(3));
  for (QToolButton* const button : panel.findChildren<QToolButton*>())
    if (button->text().startsWith("Next")) QTest::mouseClick(button, Qt::LeftButton);
  QCOMPARE(shown.session.selection(), shown.collective(3, 1));
}

void CollectiveTest::ofManyRanksTheThreeExtremesStayVisible() {
  constexpr std::size_t kMany = 60;
  Highlighted shown(loadWaitingRanks(kMany));
  shown.view.resize(1242, 420);
  CollectivePanel panel(shown.session);
  panel.resize(1200, 240);
  panel.show();
  shown.session.select(shown.collective(30));
  QApplication::processEvents();
  QCOMPARE(panel.table().lines().size(), kMany);
  QVERIFY(panel.table().verticalScrollBar()->maximum() > 0);
  // Its last rank is out of view: a tag at the edge links to it.
  shown.view.scrollBar().setValue(0);
  const auto isShown = [&](std::size_t rank) {
    const Lane& lane = shown.view.trackLayout().rankLane(RankIndex(rank));
    return lane.top >= shown.canvas().scrollTop() &&
           lane.bottom() <= shown.canvas().scrollTop() + shown.canvas().height();
  };
  QVERIFY(!isShown(kMany - 1));
  // A tag never covers the selected slice.
  const int bottom = shown.view.trackLayout().rankLane(RankIndex(30)).bottom();
  shown.view.scrollBar().setValue(bottom - shown.canvas().height() + 2);
  const QRect selected(shown.pointOn(shown.collective(30), 0.02), shown.pointOn(shown.collective(30), 0.98));
  QVERIFY(shown.canvas().rect().contains(selected));
  QVERIFY(!shown.canvas().collectiveTags().empty());
  for (const TimelineCanvas::CollectiveTag& tag : shown.canvas().collectiveTags())
    QVERIFY2(!tag.box.intersects(selected), qPrintable(tag.text));
  shown.view.scrollBar().setValue(0);
  const auto tags = shown.canvas().collectiveTags();
  const auto last =
      std::ranges::find(tags, shown.collective(kMany - 1), &TimelineCanvas::CollectiveTag::event);
  QVERIFY(last != tags.end());
  QVERIFY2(last->text.contains("last") && last->text.contains("rank 59"), qPrintable(last->text));
  shown.click(last->box.center());
  QCOMPARE(shown.session.selection(), shown.collective(kMany - 1));
  QVERIFY(isShown(kMany - 1));
}

void CollectiveTest::titlesSortTheRanks() {
  Highlighted shown(loadWaitingRanks(kRanks));
  CollectivePanel panel(shown.session);
  shown.session.select(shown.collective(0));
  QCOMPARE(panel.table().shownRanks(), (std::vector<int>{0, 1, 2, 3}));
  panel.table().sortBy(CollectiveTable::Column::Late);
  QCOMPARE(panel.table().shownRanks(), (std::vector<int>{3, 2, 1, 0}));
  panel.table().sortBy(CollectiveTable::Column::Waits);
  QCOMPARE(panel.table().shownRanks(), (std::vector<int>{0, 1, 2, 3}));
}

void CollectiveTest::everyHeadExplainsItself() {
  Highlighted shown(loadWaitingRanks(kRanks));
  CollectiveTable table(shown.session);
  table.resize(1200, 300);
  table.show();
  const std::vector<CollectiveLine> lines =
      collectiveLines(shown.highlights(), *shown.highlights().instanceOf(shown.collective(0)));
  table.setLines(lines, shown.collective(0));
  using Column = CollectiveTable::Column;
  for (int column = static_cast<int>(Column::Rank); column <= static_cast<int>(Column::Bar); ++column)
    QVERIFY(CollectiveTable::headTip(static_cast<Column>(column)).size() > 20);
  const auto tipAt = [&](QPoint place) {
    QToolTip::hideText();
    QHelpEvent help(QEvent::ToolTip, place, table.viewport()->mapToGlobal(place));
    QApplication::sendEvent(table.viewport(), &help);
    return QToolTip::text();
  };
  QCOMPARE(tipAt({20, 5}), CollectiveTable::headTip(Column::Rank));
  QCOMPARE(tipAt({table.width() - 40, 5}), CollectiveTable::headTip(Column::Bar));
}

void CollectiveTest::withoutACollectiveThePanelSaysWhatToDo() {
  Highlighted shown(loadWaitingRanks(2));
  CollectivePanel panel(shown.session);
  QVERIFY(!panel.shows());
  shown.session.select(shown.collective(0));
  QVERIFY(panel.shows());
  shown.session.select({});
  QVERIFY(!panel.shows());
}

RANKSCOPE_UI_TEST(CollectiveTest)
#include "collective_test.moc"
