// SPDX-License-Identifier: GPL-3.0-or-later
// Ranges and regions as a person makes them: Shift+drag and Shift+click over lanes, M, the ruler, the panels.
#include "core/export/csv.h"
#include "tests/ui/timeline_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/actions/actions.h"
#include "ui/details/bottom_panel.h"
#include "ui/details/find_tools.h"
#include "ui/details/mark_tools.h"
#include "ui/details/range_panel.h"
#include "ui/details/regions_model.h"
#include "ui/details/regions_panel.h"
#include "ui/details/search_field.h"
#include "ui/details/search_panel.h"
#include "ui/job/event_finder.h"
#include "ui/tables/table_card.h"
#include "ui/timeline/strips/time_ruler.h"
#include "ui/timeline/tracks/range_tracks.h"

#include <QLineEdit>
#include <QMenu>
#include <QTableView>
#include <QUndoStack>

#include <array>
#include <map>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

struct Marking : Shown {
  BottomPanel bottom;
  EventFinder finder{session};
  SearchField field{session, finder};
  FindTools find{session, finder, field, view, bottom, view.actions()};
  MarkTools tools{session, view, bottom, find, view.actions()};

  explicit Marking(std::shared_ptr<const TraceSet> trace) : Shown(std::move(trace)) {
    bottom.resize(1200, 300);
    bottom.show();
  }

  [[nodiscard]] bool settles() { return ui::settles(session.pending()); }
  [[nodiscard]] EventRef event(std::string_view name, std::size_t rank = 0) {
    return Shown::find(name, rank);
  }
  // Of a name that the range panel lists; its cell in a column of the table.
  [[nodiscard]] QString cell(std::string_view name, std::string_view column) {
    const ResultTableModel& model = tools.rangePanel().card(RangePanel::kNames).model();
    for (int row = 0; row < model.rowCount(); ++row)
      if (model.textOf(row, "name") == QLatin1String(name.data(), static_cast<int>(name.size())))
        return model.textOf(row, column);
    return QStringLiteral("no such name");
  }
  [[nodiscard]] QStringList tracksOfRange() {
    QStringList names;
    for (const RankTracks& of : session.rangeTracks()) {
      const RankEntry& entry = session.trace()->rank(of.rank);
      for (const TrackIndex track : of.tracks)
        names << QStringLiteral("%1:%2")
                     .arg(entry.rank)
                     .arg(QString::fromStdString(markedTrackId(entry.trace->tracks[track.value])));
    }
    return names;
  }
};

} // namespace

class RangeTest : public QObject {
  Q_OBJECT

 private slots:
  void shiftDragMarksTheTracksThatItCovers();
  void aFoldedRankStandsForAllItsTracks();
  void theRulerMarksAllTracks();
  void shiftClickExtendsTheRange();
  void shiftClickExtendsFromTheSelectedSlice();
  void thePanelSumsWhatLiesWithin();
  void onlyTheTracksOfTheRangeAreSummed();
  void aDoubleClickOnANameGoesToItsLongestSlice();
  void sumsOfAllHitsOfASearch();
  void lanesOfTheRangeStandOut();
  void mMarksARegionAndDeleteRemovesIt();
  void mOnASliceNamesTheRegionAfterIt();
  void shiftMKeepsItAndAsksForANote();
  void everyChangeOfRegionsCanBeUndone();
  void pinsAndHidesCanBeUndoneAndFoldingIsNoStep();
  void shiftedRanksAreSummedWhereTheyAreDrawn();
  void aClickOnARegionInTheRulerMarksItsRange();
  void regionsAreExported();
  void theRangeStaysWithItsTracksWhenRanksArrive();
  void tPutsANoteAtTheTimeUnderTheMouseAndAsksForItsText();
  void aClickOnTheLowerEdgeOfTheRulerPutsANoteThere();
  void aNoteThatWasClickedIsRemovedByDeleteAndComesBackByUndo();
  void aClickOnItsColourGivesAMarkTheNextOne();
  void colorsOfMarksAreWhatTheyAreCalled();
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

void RangeTest::aFoldedRankStandsForAllItsTracks() {
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
  // With Alt to where the mouse is, not to the slice's end.
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
  QVERIFY(shown.tools.rangePanel().summary().startsWith(QStringLiteral("All hits of kind:kernel")));
}

void RangeTest::lanesOfTheRangeStandOut() {
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

void RangeTest::mMarksARegionAndDeleteRemovesIt() {
  Marking shown(loadRanks(1));
  const TimeRange range{shown.origin() + kMs, shown.origin() + 3 * kMs};
  shown.press(Qt::Key_M);
  QVERIFY(shown.session.marks().regions().empty());
  shown.session.setRange(range);
  shown.press(Qt::Key_M);
  QCOMPARE(shown.session.marks().regions().size(), 1u);
  QCOMPARE(shown.session.marks().regions()[0].range, range);
  QVERIFY(!shown.session.marks().regions()[0].kept);
  // Once is enough.
  shown.press(Qt::Key_M);
  QCOMPARE(shown.session.marks().regions().size(), 1u);
  shown.session.setRange(TimeRange{shown.origin(), shown.origin() + kMs});
  shown.press(Qt::Key_Delete);
  QCOMPARE(shown.session.marks().regions().size(), 1u);
  shown.session.setRange(range);
  shown.press(Qt::Key_Delete);
  QVERIFY(shown.session.marks().regions().empty());
}

void RangeTest::mOnASliceNamesTheRegionAfterIt() {
  Marking shown(loadRanks(1));
  const EventRef kernel = shown.event("void ampere_sgemm<float>(int)");
  shown.session.select(kernel);
  shown.press(Qt::Key_M);
  const Region& region = shown.session.marks().regions().at(0);
  QVERIFY(region.name.contains(QStringLiteral("ampere_sgemm")));
  QCOMPARE(region.range, shown.session.rangeOf(kernel));
  QCOMPARE(region.tracks.size(), 1u);
}

void RangeTest::shiftMKeepsItAndAsksForANote() {
  Marking shown(loadRanks(1));
  shown.session.setRange(TimeRange{shown.origin() + kMs, shown.origin() + 3 * kMs});
  shown.press(Qt::Key_M);
  shown.press(Qt::Key_M, Qt::ShiftModifier);
  QCOMPARE(shown.session.marks().regions().size(), 1u);
  QVERIFY(shown.session.marks().regions()[0].kept);
  QTableView& list = shown.tools.regionsPanel().list();
  auto* const line = list.viewport()->findChild<QLineEdit*>();
  QVERIFY(line);
  QTest::keyClicks(line, QStringLiteral("starts late"));
  QTest::keyClick(line, Qt::Key_Return);
  QTRY_COMPARE(shown.session.marks().regions()[0].note, QStringLiteral("starts late"));
}

void RangeTest::everyChangeOfRegionsCanBeUndone() {
  Marking shown(loadRanks(1));
  Marks& marks = shown.session.marks();
  marks.add({QStringLiteral("a"), {}, {shown.origin(), shown.origin() + 10}, {}, false});
  marks.add({QStringLiteral("b"), {}, {shown.origin() + 5, shown.origin() + 20}, {}, true});
  Region named = marks.regions()[0];
  named.name = QStringLiteral("c");
  marks.change(0, named);
  marks.remove(1);
  const auto& actions = shown.view.actions();
  QCOMPARE(marks.regions().size(), 1u);
  QVERIFY(actions.run(QStringLiteral("edit.undo")));
  QCOMPARE(marks.regions().size(), 2u);
  QVERIFY(actions.run(QStringLiteral("edit.undo")));
  QCOMPARE(marks.regions()[0].name, QStringLiteral("a"));
  QVERIFY(actions.run(QStringLiteral("edit.undo")));
  QVERIFY(actions.run(QStringLiteral("edit.undo")));
  QVERIFY(marks.regions().empty());
  QVERIFY(!actions.run(QStringLiteral("edit.undo")));
  for (int i = 0; i < 4; ++i) QVERIFY(actions.run(QStringLiteral("edit.redo")));
  QCOMPARE(marks.regions(), std::vector{named});
  // Another job has nothing to undo.
  shown.session.setTrace(load({hostOnlyText()}));
  QVERIFY(marks.regions().empty());
  QVERIFY(!actions.run(QStringLiteral("edit.undo")));
}

void RangeTest::pinsAndHidesCanBeUndoneAndFoldingIsNoStep() {
  Marking shown(loadRanks(2));
  TraceSession& session = shown.session;
  const TrackKey first = keyOf(*session.trace(), RankIndex(0), TrackIndex(0));
  const TrackKey second = keyOf(*session.trace(), RankIndex(1), TrackIndex(1));
  session.editChoice([&](TimelineChoice& choice) { choice.setPinned(first, true); });
  session.editChoice([&](TimelineChoice& choice) { choice.setHidden(second, true); });
  session.editChoice([&](TimelineChoice& choice) { choice.filter = QStringLiteral("stream"); });
  const auto& actions = shown.view.actions();
  QVERIFY(actions.run(QStringLiteral("edit.undo")));
  QVERIFY(session.choice().hidden.empty());
  QVERIFY(session.choice().isPinned(first));
  QCOMPARE(session.choice().filter, QStringLiteral("stream"));
  QVERIFY(actions.run(QStringLiteral("edit.undo")));
  QVERIFY(!session.choice().isPinned(first));
  QVERIFY(!actions.run(QStringLiteral("edit.undo")));
  QVERIFY(actions.run(QStringLiteral("edit.redo")));
  QVERIFY(session.choice().isPinned(first));
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

void RangeTest::aClickOnARegionInTheRulerMarksItsRange() {
  Marking shown(loadRanks(1));
  auto& ruler = *shown.view.findChild<TimeRuler*>();
  const int before = ruler.height();
  const TimeRange range{shown.origin() + 2 * kMs, shown.origin() + 4 * kMs};
  shown.session.marks().add({QStringLiteral("warm up"), {}, range, {}, true});
  QApplication::processEvents();
  QVERIFY(ruler.height() > before);
  const int x = 230 + static_cast<int>(shown.canvas().xOf(shown.origin() + 3 * kMs));
  QTest::mouseClick(&ruler, Qt::LeftButton, {}, QPoint(x, ruler.height() - 8));
  QCOMPARE(shown.session.range(), std::optional(range));
  shown.session.marks().remove(0);
  QApplication::processEvents();
  QCOMPARE(ruler.height(), before);
}

void RangeTest::regionsAreExported() {
  Marking shown(loadRanks(1));
  shown.session.marks().add({QStringLiteral("=warm, up"),
                             QStringLiteral("slow"),
                             {shown.origin() + kMs, shown.origin() + 3 * kMs},
                             {},
                             true});
  const QByteArray csv = shown.tools.regionsPanel().csv();
  QVERIFY2(csv.startsWith("name,begin_us,end_us,duration_us,tracks,kept,note"), csv.constData());
  QVERIFY2(csv.contains("\"'=warm, up\",1000,3000,2000,,yes,slow"), csv.constData());
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

void RangeTest::tPutsANoteAtTheTimeUnderTheMouseAndAsksForItsText() {
  Marking shown(loadRanks(1));
  const TimeNs time = shown.origin() + 3 * kMs;
  shown.hover({static_cast<int>(shown.canvas().xOf(time)), 40});
  shown.press(Qt::Key_T);
  const Marks& marks = shown.session.marks();
  QCOMPARE(marks.regions().size(), std::size_t{1});
  const Region note = marks.regions()[0];
  QVERIFY(note.isNote() && note.kept);
  QVERIFY(std::abs(note.range.begin - time) < shown.window().length() / 500);
  QCOMPARE(marks.chosenNote(), std::optional<std::size_t>(0));
  auto* const line = shown.tools.regionsPanel().list().viewport()->findChild<QLineEdit*>();
  QVERIFY(line);
  QTest::keyClicks(line, QStringLiteral("loss jumps"));
  QTest::keyClick(line, Qt::Key_Return);
  QTRY_COMPARE(marks.regions()[0].name, QStringLiteral("loss jumps"));
  QVERIFY(shown.tools.regionsPanel().csv().contains("loss jumps"));
  // Without a mouse it is where the selected slice begins.
  QEvent leave(QEvent::Leave);
  QApplication::sendEvent(&shown.canvas(), &leave);
  const EventRef kernel = shown.event("void elementwise<float>(int)");
  shown.session.select(kernel);
  shown.press(Qt::Key_T);
  QVERIFY(marks.find({shown.session.rangeOf(kernel).begin, shown.session.rangeOf(kernel).begin}));
}

void RangeTest::aClickOnTheLowerEdgeOfTheRulerPutsANoteThere() {
  Marking shown(loadRanks(1));
  TimeRuler& ruler = shown.view.ruler();
  const int x = 230 + static_cast<int>(shown.canvas().xOf(shown.origin() + 5 * kMs));
  QTest::mouseClick(&ruler, Qt::LeftButton, {}, {x, 6});
  QVERIFY(shown.session.marks().regions().empty());
  QTest::mouseClick(&ruler, Qt::LeftButton, {}, {x, TimeRuler::ticksHeight() - 4});
  QCOMPARE(shown.session.marks().regions().size(), std::size_t{1});
  const TimeRange range = shown.session.marks().regions()[0].range;
  QVERIFY(range.empty());
  QVERIFY(std::abs(range.begin - (shown.origin() + 5 * kMs)) < shown.window().length() / 500);
  // Its flag is drawn, and its time over the lanes.
  QApplication::processEvents();
  const QColor colour = markColour(shown.session.theme(), 0);
  const QImage lanes = shown.picture();
  QCOMPARE(lanes.pixelColor(x - 230, lanes.height() - 10), colour);
}

void RangeTest::aNoteThatWasClickedIsRemovedByDeleteAndComesBackByUndo() {
  Marking shown(loadRanks(1));
  Marks& marks = shown.session.marks();
  const TimeNs time = shown.origin() + 2 * kMs;
  marks.add({QStringLiteral("spike"), QStringLiteral("why?"), {time, time}, {}, true, 2});
  QApplication::processEvents();
  TimeRuler& ruler = shown.view.ruler();
  shown.press(Qt::Key_Delete);
  QCOMPARE(marks.regions().size(), std::size_t{1}); // nobody chose it
  const int x = 230 + static_cast<int>(shown.canvas().xOf(time)) + 8;
  QTest::mouseClick(&ruler, Qt::LeftButton, {}, {x, ruler.height() - 8});
  QCOMPARE(marks.chosenNote(), std::optional<std::size_t>(0));
  shown.session.select(shown.event("void elementwise<float>(int)"));
  QVERIFY(!marks.chosenNote()); // one thing at a time
  QTest::mouseClick(&ruler, Qt::LeftButton, {}, {x, ruler.height() - 8});
  shown.press(Qt::Key_Delete);
  QVERIFY(marks.regions().empty());
  QVERIFY(shown.view.actions().run(QStringLiteral("edit.undo")));
  QCOMPARE(marks.regions().at(0).colour, 2);
  QCOMPARE(marks.regions().at(0).note, QStringLiteral("why?"));
}

void RangeTest::aClickOnItsColourGivesAMarkTheNextOne() {
  Marking shown(loadRanks(1));
  Marks& marks = shown.session.marks();
  const TimeNs time = shown.origin() + 2 * kMs;
  marks.add({QStringLiteral("spike"), {}, {time, time}, {}, true});
  QTableView& list = shown.tools.regionsPanel().list();
  const QModelIndex cell = list.model()->index(0, RegionsModel::kColour);
  emit list.clicked(cell);
  QCOMPARE(marks.regions()[0].colour, 1);
  QCOMPARE(cell.data(Qt::DecorationRole).value<QColor>(), markColour(shown.session.theme(), 1));
  for (int i = 1; i < kMarkColours; ++i) emit list.clicked(cell);
  QCOMPARE(marks.regions()[0].colour, 0);
}

void RangeTest::colorsOfMarksAreWhatTheyAreCalled() {
  // Degrees of the circle of colors; red lies on both sides of 0.
  struct Hues {
    const char* name;
    int least;
    int most;
  };
  constexpr std::array<Hues, kMarkColours> kNamed{{{"Blue", 200, 230},
                                                   {"Green", 130, 162},
                                                   {"Amber", 30, 50},
                                                   {"Red", 345, 375},
                                                   {"Violet", 240, 270},
                                                   {"Teal", 165, 190}}};
  for (const ThemeName theme : {ThemeName::Dark, ThemeName::Light}) {
    for (int i = 0; i < kMarkColours; ++i) {
      const Hues& named = kNamed[static_cast<std::size_t>(i)];
      QCOMPARE(markColourName(i), QLatin1String(named.name));
      int hue = markColour(Theme::of(theme), i).hslHue();
      if (hue < named.least) hue += 360;
      QVERIFY2(named.least <= hue && hue <= named.most, named.name);
    }
  }
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
