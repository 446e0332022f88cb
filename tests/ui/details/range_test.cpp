// SPDX-License-Identifier: GPL-3.0-or-later
// Range selection by the user: Shift+drag and Shift+click over lanes, the ruler, and what the panel sums.
#include "core/export/csv.h"
#include "tests/ui/details/marking_fixture.h"
#include "tests/ui/timeline_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/details/range_panel.h"
#include "ui/details/search_panel.h"
#include "ui/job/event_finder.h"
#include "ui/tables/result_table_model.h"
#include "ui/tables/table_card.h"
#include "ui/timeline/strips/time_ruler.h"
#include "ui/timeline/tracks/range_tracks.h"

#include <QImage>
#include <QTableView>
#include <QTest>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

class RangeTest : public QObject {
  Q_OBJECT

 private slots:
  void shiftDragMarksTheTracksThatItCovers();
  void aCollapsedRankRepresentsAllItsTracks();
  void theRulerMarksAllTracks();
  void shiftClickExtendsTheRange();
  void shiftClickExtendsFromTheSelectedSlice();
  void thePanelSumsWhatLiesWithin();
  void onlyTheTracksOfTheRangeAreSummed();
  void aDoubleClickOnANameGoesToItsLongestSlice();
  void sumsOfAllHitsOfASearch();
  void lanesOfTheRangeAreHighlighted();
  void shiftedRanksAreSummedWhereTheyAreDrawn();
  void theRangeStaysWithItsTracksWhenRanksArrive();
  void namesAreDividedByRankAndAddUp();
  void onlyTheChosenNamesAreDividedByRank();
  void hitsOfASearchAreDividedByRank();
};

void RangeTest::shiftDragMarksTheTracksThatItCovers() {
  Marking shown(loadRanks(1));
  const QPoint from = shown.pointOn(shown.event("void elementwise<float>(int)"), 0.5);
  Shown::drag(shown.canvas(), from, from + QPoint(200, 0), Qt::ShiftModifier | Qt::AltModifier);
  QCOMPARE(shown.tracksOfRange(), QStringList{QStringLiteral("0:stream|0|7")});
  const RankTrace& trace = *shown.session.trace()->rank(RankIndex(0)).trace;
  const auto kinds = trace.events.kind.span();
  const auto at = std::ranges::find(kinds, EventKind::Collective) - kinds.begin();
  const QPoint to = shown.pointOn({RankIndex(0), EventIndex(static_cast<std::size_t>(at))});
  Shown::drag(shown.canvas(), from, {from.x() + 200, to.y()}, Qt::ShiftModifier);
  QCOMPARE(shown.tracksOfRange(),
           (QStringList{QStringLiteral("0:stream|0|7"), QStringLiteral("0:stream|0|20")}));
  // Upwards as well.
  Shown::drag(shown.canvas(), {from.x() + 200, to.y()}, from, Qt::ShiftModifier);
  QCOMPARE(shown.tracksOfRange().size(), 2);
}

void RangeTest::aCollapsedRankRepresentsAllItsTracks() {
  Marking shown(loadRanks(3));
  shown.view.setAllRanksExpanded(false);
  const Lane& lane = shown.view.trackLayout().rankLane(RankIndex(1));
  const int y = lane.top + lane.height / 2;
  Shown::drag(shown.canvas(), {100, y}, {400, y}, Qt::ShiftModifier);
  QCOMPARE(shown.session.rangeTracks(), std::vector{allTracksOf(*shown.session.trace(), RankIndex(1))});
}

void RangeTest::theRulerMarksAllTracks() {
  Marking shown(loadRanks(1));
  auto& ruler = *shown.view.findChild<TimeRuler*>();
  Shown::drag(ruler, {400, 10}, {600, 10});
  QVERIFY(shown.session.range());
  QVERIFY(shown.session.rangeTracks().empty());
}

void RangeTest::shiftClickExtendsTheRange() {
  Marking shown(loadRanks(1));
  const EventRef kernel = shown.event("void elementwise<float>(int)"); // 3 to 4 ms
  shown.session.setRange(TimeRange{shown.origin() + 2 * kMs, shown.origin() + 2 * kMs + 100});
  shown.click(shown.pointOn(kernel), Qt::ShiftModifier);
  QCOMPARE(*shown.session.range(), (TimeRange{shown.origin() + 2 * kMs, shown.origin() + 4 * kMs}));
  QVERIFY(shown.session.rangeTracks().empty());
  // With Alt up to the mouse position, not to the slice's end.
  shown.session.setRange(TimeRange{shown.origin() + 2 * kMs, shown.origin() + 2 * kMs + 100});
  shown.click(shown.pointOn(kernel), Qt::ShiftModifier | Qt::AltModifier);
  QVERIFY(shown.session.range()->end < shown.origin() + 4 * kMs);
  QVERIFY(shown.session.range()->end > shown.origin() + 3 * kMs);
}

void RangeTest::shiftClickExtendsFromTheSelectedSlice() {
  Marking shown(loadRanks(1));
  const EventRef first = shown.event("aten::mm");
  const EventRef last = shown.event("void elementwise<float>(int)");
  shown.session.select(first);
  shown.click(shown.pointOn(last), Qt::ShiftModifier);
  QCOMPARE(*shown.session.range(), shown.session.rangeOf(first).unitedWith(shown.session.rangeOf(last)));
  QCOMPARE(shown.tracksOfRange(),
           (QStringList{QStringLiteral("0:thread|100|100"), QStringLiteral("0:stream|0|7")}));
  QCOMPARE(shown.session.selection(), first);
}

void RangeTest::thePanelSumsWhatLiesWithin() {
  Marking shown(loadRanks(2));
  shown.session.setRange(TimeRange{shown.origin() + 2 * kMs, shown.origin() + 7 * kMs});
  QVERIFY(shown.settles());
  QCOMPARE(shown.cell("void ampere_sgemm<float>(int)", "count"), QStringLiteral("4"));
  QCOMPARE(shown.cell("void ampere_sgemm<float>(int)", "total_us"), QStringLiteral("4000"));
  QCOMPARE(shown.cell("void ampere_sgemm<float>(int)", "cut"), QStringLiteral("2"));
  QCOMPARE(shown.cell("backward", "max_us"), QStringLiteral("3000"));
  const QString line = shown.tools.rangePanel().summary();
  for (const char* fact : {"5.00 ms from", "all tracks", "2 ranks", "device 60.0 %"})
    QVERIFY2(line.contains(QLatin1String(fact)), qPrintable(line));
  const ResultTableModel& ranks = shown.tools.rangePanel().card(RangePanel::kRanks).model();
  QCOMPARE(ranks.rowCount(), 2);
  QCOMPARE(ranks.textOf(0, "compute_us"), QStringLiteral("3000"));
  QCOMPARE(ranks.textOf(0, "exposed_us"), QStringLiteral("0"));
  shown.session.setRange({});
  QVERIFY(shown.settles());
  QCOMPARE(shown.tools.rangePanel().card(RangePanel::kNames).model().rowCount(), 0);
}

void RangeTest::onlyTheTracksOfTheRangeAreSummed() {
  Marking shown(loadRanks(2));
  const TimeRange all{shown.origin(), shown.origin() + 10 * kMs};
  shown.session.setRange(
      all, trackOfEvent(*shown.session.trace(), shown.event("void elementwise<float>(int)", 1)));
  QVERIFY(shown.settles());
  QCOMPARE(shown.cell("void ampere_sgemm<float>(int)", "count"), QStringLiteral("2"));
  QCOMPARE(shown.cell("backward", "count"), QStringLiteral("no such name"));
  QVERIFY(shown.tools.rangePanel().summary().contains(QStringLiteral("1 track ")));
}

void RangeTest::aDoubleClickOnANameGoesToItsLongestSlice() {
  Marking shown(loadRanks(1));
  shown.session.setRange(TimeRange{shown.origin(), shown.origin() + 10 * kMs});
  QVERIFY(shown.settles());
  TableCard& card = shown.tools.rangePanel().card(RangePanel::kNames);
  for (int row = 0; row < card.model().rowCount(); ++row)
    if (card.model().textOf(row, "name") == QLatin1String("void ampere_sgemm<float>(int)"))
      emit card.rowActivated(row);
  QCOMPARE(shown.session.selection(), shown.event("void ampere_sgemm<float>(int)"));
}

void RangeTest::sumsOfAllHitsOfASearch() {
  Marking shown(loadRanks(2));
  shown.finder.setText(QStringLiteral("kind:kernel dur>1ms"));
  QVERIFY(shown.settles());
  emit shown.find.panel().statisticsWanted();
  QVERIFY(shown.settles());
  QCOMPARE(shown.cell("void ampere_sgemm<float>(int)", "count"), QStringLiteral("2"));
  QCOMPARE(shown.cell("void elementwise<float>(int)", "count"), QStringLiteral("no such name"));
  QVERIFY(shown.tools.rangePanel().summary().startsWith(QStringLiteral("All matches of kind:kernel")));
}

void RangeTest::lanesOfTheRangeAreHighlighted() {
  Marking shown(loadRanks(1));
  const EventRef kernel = shown.event("void elementwise<float>(int)");
  const QPoint onTrack = shown.pointOn(kernel, 0.98);
  const QPoint elsewhere = shown.pointOn(shown.event("aten::linear"), 0.98);
  const QImage before = shown.picture();
  shown.session.setRange(TimeRange{shown.origin(), shown.origin() + 5 * kMs},
                         trackOfEvent(*shown.session.trace(), kernel));
  const QImage after = shown.picture();
  const auto change = [&](QPoint at) {
    const QColor a = before.pixelColor(at);
    const QColor b = after.pixelColor(at);
    return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue());
  };
  QVERIFY2(change(onTrack) > 2 * change(elsewhere),
           qPrintable(QStringLiteral("%1 %2").arg(change(onTrack)).arg(change(elsewhere))));
}

void RangeTest::shiftedRanksAreSummedWhereTheyAreDrawn() {
  Marking shown(loadRanks(2));
  shown.session.setShifts({0, 5 * kMs});
  // The second rank's first kernel, of 1 to 3 ms, is drawn from 6 to 8 ms.
  shown.session.setRange(
      TimeRange{shown.origin() + 6 * kMs, shown.origin() + 8 * kMs},
      trackOfEvent(*shown.session.trace(), shown.event("void elementwise<float>(int)", 1)));
  QVERIFY(shown.settles());
  QCOMPARE(shown.cell("void ampere_sgemm<float>(int)", "total_us"), QStringLiteral("2000"));
}

void RangeTest::theRangeStaysWithItsTracksWhenRanksArrive() {
  const auto all = loadRanks(3);
  const auto part = std::make_shared<const TraceSet>(
      all->jobName(), all->names(), std::vector(all->ranks().begin() + 2, all->ranks().end()), all->files());
  Marking shown(part);
  const EventRef kernel = shown.event("void elementwise<float>(int)");
  shown.session.setRange(TimeRange{shown.origin(), shown.origin() + kMs}, trackOfEvent(*part, kernel));
  const QStringList before = shown.tracksOfRange();
  shown.session.setTrace(all);
  QCOMPARE(shown.tracksOfRange(), before);
  QCOMPARE(shown.session.rangeTracks()[0].rank, RankIndex(2));
}

void RangeTest::namesAreDividedByRankAndAddUp() {
  Marking shown(loadRanks(3));
  shown.session.setRange(TimeRange{shown.origin(), shown.origin() + 10 * kMs});
  QVERIFY(shown.settles());
  RangePanel& panel = shown.tools.rangePanel();
  panel.showTable(RangePanel::kNamesByRank);
  QVERIFY(shown.settles());
  const ResultTableModel& names = panel.card(RangePanel::kNames).model();
  const ResultTableModel& divided = panel.card(RangePanel::kNamesByRank).model();
  std::map<QString, double> totals;
  std::map<QString, int> ranks;
  for (int row = 0; row < divided.rowCount(); ++row) {
    totals[divided.textOf(row, "name")] += divided.textOf(row, "total_us").toDouble();
    ++ranks[divided.textOf(row, "name")];
  }
  QCOMPARE(static_cast<int>(totals.size()), names.rowCount());
  for (int row = 0; row < names.rowCount(); ++row) {
    const QString name = names.textOf(row, "name");
    QCOMPARE(totals[name], names.textOf(row, "total_us").toDouble());
    QCOMPARE(ranks[name], 3);
  }
  QVERIFY(panel.canExport());
  const std::string csv = toCsv(*divided.table());
  QVERIFY2(csv.starts_with("name,kind,rank,capture,count,total_us"), csv.c_str());
}

void RangeTest::onlyTheChosenNamesAreDividedByRank() {
  Marking shown(loadRanks(3));
  shown.session.setRange(TimeRange{shown.origin(), shown.origin() + 10 * kMs});
  QVERIFY(shown.settles());
  RangePanel& panel = shown.tools.rangePanel();
  panel.card(RangePanel::kNames).view().selectRow(0);
  const QString chosen = panel.card(RangePanel::kNames)
                             .model()
                             .textOf(panel.card(RangePanel::kNames).selectedRows().at(0), "name");
  panel.showTable(RangePanel::kNamesByRank);
  QVERIFY(shown.settles());
  const ResultTableModel& divided = panel.card(RangePanel::kNamesByRank).model();
  QCOMPARE(divided.rowCount(), 3);
  for (int row = 0; row < 3; ++row) QCOMPARE(divided.textOf(row, "name"), chosen);
  // A double click goes to the rank's own slice.
  emit panel.card(RangePanel::kNamesByRank).rowActivated(2);
  QCOMPARE(shown.session.selection().rank, RankIndex(2));
}

void RangeTest::hitsOfASearchAreDividedByRank() {
  Marking shown(loadRanks(2));
  shown.finder.setText(QStringLiteral("kind:kernel rank:1"));
  QVERIFY(shown.settles());
  emit shown.find.panel().statisticsWanted();
  QVERIFY(shown.settles());
  RangePanel& panel = shown.tools.rangePanel();
  panel.showTable(RangePanel::kNamesByRank);
  QVERIFY(shown.settles());
  const ResultTableModel& divided = panel.card(RangePanel::kNamesByRank).model();
  QCOMPARE(divided.rowCount(), 2); // two names
  for (int row = 0; row < divided.rowCount(); ++row)
    QCOMPARE(divided.textOf(row, "rank"), QStringLiteral("1"));
}

RANKSCOPE_UI_TEST(RangeTest)
#include "range_test.moc"
