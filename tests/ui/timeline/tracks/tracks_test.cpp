// SPDX-License-Identifier: GPL-3.0-or-later
// Track arrangement: pinned, hidden, dragged, filtered, sorted, grouped, counted, saved. Covers
// ui/job/timeline_choice, ui/timeline/headers/track_headers, ui/timeline/lanes/queue_lane,
// ui/timeline/lanes/track_label, ui/timeline/picture/span_colors, ui/timeline/ranks/counter_curves,
// ui/timeline/tracks/rank_arrangement, ui/timeline/view/track_actions and ui/timeline/view/track_questions
// too.
#include "tests/ui/timeline_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/actions/actions.h"
#include "ui/actions/quick_pick.h"
#include "ui/job/timeline_settings.h"
#include "ui/timeline/ranks/step_alignment.h"
#include "ui/timeline/strips/time_ruler.h"
#include "ui/timeline/strips/view_chips.h"
#include "ui/timeline/tracks/track_edits.h"

#include <QLineEdit>
#include <QSettings>
#include <QTemporaryDir>
#include <QToolButton>

#include <algorithm>
#include <filesystem>
#include <memory>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

const Section* sectionNamed(const TrackLayout& layout, const QString& part, std::size_t rank = 0) {
  for (const Section& section : layout.sections())
    if (!section.key.isRank() && section.rank == RankIndex(rank) && section.label.contains(part))
      return &section;
  return nullptr;
}

std::vector<int> rankOrder(Shown& shown) {
  std::vector<int> order;
  for (const RankIndex rank : shown.view.trackLayout().shownRanks())
    order.push_back(shown.session.trace()->rank(rank).rank);
  return order;
}

QPoint inHeader(Shown& shown, const Section* section) {
  if (!section) return {-1, -1};
  return {60, section->top + std::min(section->height, 14) / 2 - shown.canvas().scrollTop()};
}

QPoint pinOf(const TrackHeaders& headers, const Section* section) {
  return section ? headers.pinButton(*section).center() : QPoint(-1, -1);
}

QPoint crossOf(const TrackHeaders& headers, const Section* section) {
  return section ? headers.hideButton(*section).center() : QPoint(-1, -1);
}

// Rank r begins its steps r ms later and takes r ms longer over each; blocks per SM as given.
std::string steppedText(int rank, int worldSize) {
  test::TraceText trace;
  trace.baseTime(kBase).distributedInfo(rank, worldSize);
  const TimeNs late = rank * kMs;
  const TimeNs length = (10 + rank) * kMs;
  for (int step = 0; step < 3; ++step) {
    const TimeNs begin = late + step * (length + kMs);
    trace.addStep(step + 5, begin, length);
    trace.addRuntime(kMainThread, begin + 1000, 10'000, "cudaLaunchKernel", 10 + step);
    trace.addKernel(0, 7, begin + kMs, 2 * kMs, "gemm", 10 + step);
  }
  return trace.text();
}

std::shared_ptr<const TraceSet> loadStepped(int count) {
  std::vector<std::string> texts;
  for (int rank = 0; rank < count; ++rank) texts.push_back(steppedText(rank, count));
  return load(texts);
}

} // namespace

class TracksTest : public QObject {
  Q_OBJECT

 private slots:
  void aPinnedTrackStaysAtTheTop() {
    Shown shown(loadRanks(8));
    shown.view.setAllRanksExpanded(true);
    const EventRef kernel = shown.find("void elementwise<float>(int)", 3);
    shown.session.select(kernel);
    shown.press(Qt::Key_P);
    const TrackLayout& pinned = shown.view.pinnedLayout();
    QCOMPARE(pinned.sections().size(), std::size_t{1});
    QVERIFY2(pinned.sections()[0].label.startsWith("R3"), qPrintable(pinned.sections()[0].label));
    QVERIFY(shown.view.pinnedCanvas().isVisible());
    QVERIFY(shown.canvas().y() > shown.view.pinnedCanvas().y());
    shown.view.scrollBar().setValue(shown.view.scrollBar().maximum());
    // It receives clicks at its position.
    shown.session.select({});
    const Lane* const lane = pinned.laneOf(kernel);
    QVERIFY(lane);
    const int x = static_cast<int>(shown.canvas().xOf(shown.session.rangeOf(kernel).begin + kMs / 2));
    QTest::mouseClick(&shown.view.pinnedCanvas(), Qt::LeftButton, {}, QPoint(x, lane->top + 4));
    QCOMPARE(shown.session.selection(), kernel);
    shown.press(Qt::Key_T, Qt::ShiftModifier);
    QVERIFY(pinned.sections().empty());
    QVERIFY(!shown.view.pinnedCanvas().isVisible());
  }

  void aHiddenTrackIsGoneUntilTheChipBringsItBack() {
    Shown shown(loadRanks(1));
    const Section* const section = sectionNamed(shown.view.trackLayout(), "NCCL");
    const Section* const stream = section ? section : sectionNamed(shown.view.trackLayout(), "stream 20");
    QVERIFY(stream);
    const TrackKey key = stream->key;
    // Under the mouse in the headers: that one, whatever is selected.
    shown.session.select(shown.find("forward"));
    Shown::send(shown.view.headers(), QEvent::MouseMove, inHeader(shown, stream), Qt::NoButton);
    shown.press(Qt::Key_H);
    QVERIFY(!shown.view.trackLayout().sectionOf(key));
    QVERIFY(shown.view.chips().hasAny());
    QCOMPARE(shown.view.chips().texts(), QStringList{"1 hidden"});
    QTest::mouseClick(shown.view.chips().findChild<QToolButton*>(), Qt::LeftButton);
    QTRY_VERIFY(shown.view.trackLayout().sectionOf(key));
    QVERIFY(!shown.view.chips().hasAny());
  }

  void aLabelStaysInSightAsLongAsItsTrack() {
    Shown shown(load({deepText()}));
    shown.view.resize(1242, 240);
    const auto sections = shown.view.trackLayout().sections();
    const Section& tall = *std::ranges::max_element(
        sections, {}, [](const Section& section) { return section.key.isRank() ? 0 : section.height; });
    const TrackHeaders& headers = shown.view.headers();
    const int end = tall.top + tall.height;
    const int maxValue = shown.view.scrollBar().maximum();
    for (const int scrolled : {tall.top + 10, std::min(tall.top + tall.height / 2, maxValue)}) {
      shown.view.scrollBar().setValue(scrolled);
      QCOMPARE(shown.view.scrollBar().value(), scrolled);
      QVERIFY(headers.pinButton(tall).top() >= TrackLayout::headerHeight());
      QVERIFY(headers.pinButton(tall).bottom() < end - scrolled);
    }
    shown.view.scrollBar().setValue(0);
    QCOMPARE(headers.pinButton(tall).top(), tall.top);
  }

  void theButtonsInAHeaderPinAndHide() {
    Shown shown(loadRanks(1));
    const auto section = [&] { return sectionNamed(shown.view.trackLayout(), "stream 7"); };
    TrackHeaders& headers = shown.view.headers();
    Shown::send(headers, QEvent::MouseMove, inHeader(shown, section()), Qt::NoButton);
    QTest::mouseClick(&headers, Qt::LeftButton, {}, pinOf(headers, section()));
    QCOMPARE(shown.session.choice().pinned.size(), std::size_t{1});
    Shown::send(headers, QEvent::MouseMove, inHeader(shown, section()), Qt::NoButton);
    QTest::mouseClick(&headers, Qt::LeftButton, {}, crossOf(headers, section()));
    QVERIFY(!section());
    // A pin is a copy: it stays when the track itself is hidden.
    QCOMPARE(shown.view.pinnedLayout().sections().size(), std::size_t{1});
  }

  void draggingAHeaderMovesTheTrackAmongItsRanks() {
    Shown shown(loadRanks(2));
    const auto topOf = [&](const char* label) {
      const Section* const section = sectionNamed(shown.view.trackLayout(), label);
      return section ? section->top : -1;
    };
    QVERIFY(topOf("stream 7") < topOf("stream 20"));
    const QPoint from = inHeader(shown, sectionNamed(shown.view.trackLayout(), "stream 20"));
    const QPoint to = inHeader(shown, sectionNamed(shown.view.trackLayout(), "main thread")) - QPoint(0, 6);
    Shown::drag(shown.view.headers(), from, to);
    QVERIFY(topOf("stream 20") < topOf("main thread"));
    QVERIFY(topOf("main thread") < topOf("stream 7"));
    QVERIFY(shown.view.trackLayout().rankExpanded(RankIndex(0))); // a drag is no click
  }

  void draggingARankSortsRanksByHand() {
    Shown shown(loadRanks(4));
    shown.view.setAllRanksExpanded(false);
    const auto middle = [&](std::size_t rank) {
      const Lane& lane = shown.view.trackLayout().rankLane(RankIndex(rank));
      return QPoint(60, lane.top + lane.height / 2);
    };
    Shown::drag(shown.view.headers(), middle(3), middle(1) - QPoint(0, 8));
    QCOMPARE(rankOrder(shown), (std::vector<int>{0, 3, 1, 2}));
    QCOMPARE(shown.session.choice().sort, RankSort::ByHand);
    // What is under a header is still that rank.
    QCOMPARE(shown.view.trackLayout().rankAt(middle(3).y()), RankIndex(3));
    QVERIFY(shown.view.actions().run("arrange.byRank"));
    QCOMPARE(rankOrder(shown), (std::vector<int>{0, 1, 2, 3}));
  }

  void aFilterShowsOnlyTracksOfThatNameOnEveryRank() {
    Shown shown(loadRanks(12)); // all folded
    shown.press(Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
    QuickPick& pick = QuickPick::of(shown.view);
    QVERIFY(pick.isVisible());
    QTest::keyClicks(&pick.field(), "compute");
    QVERIFY(pick.items().front().note.contains("12 ranks"));
    QTest::keyClick(&pick.field(), Qt::Key_Return);
    int tracks = 0;
    for (const Section& section : shown.view.trackLayout().sections()) {
      if (section.key.isRank()) continue;
      QVERIFY(section.label.contains("compute"));
      ++tracks;
    }
    QCOMPARE(tracks, 12);
    QVERIFY(shown.view.chips().texts().front().contains("compute"));
    QVERIFY(passesFilter("nccl, gpu BUSY", "GPU busy") && passesFilter("", "x") &&
            !passesFilter("nccl", "GPU"));
  }

  void ctrlPFindsATrackAndBringsItIntoSightWhateverHidesIt() {
    Shown shown(loadRanks(12));
    const TrackKey key = keyOf(*shown.session.trace(), RankIndex(9), "busy");
    shown.session.editChoice([&](TimelineChoice& choice) { choice.setHidden(key, true); });
    shown.press(Qt::Key_P, Qt::ControlModifier);
    QuickPick& pick = QuickPick::of(shown.view);
    QTest::keyClicks(&pick.field(), "rank 9 busy");
    QVERIFY2(pick.items().front().title.contains("Rank 9"), qPrintable(pick.items().front().title));
    QTest::keyClick(&pick.field(), Qt::Key_Return);
    const Section* const section = shown.view.trackLayout().sectionOf(key);
    QVERIFY(section);
    const int y = section->top - shown.canvas().scrollTop();
    QVERIFY(0 <= y && y < shown.canvas().height());
  }

  void ranksSortBySlowestStepsAndGroupByNode() {
    Shown shown(loadStepped(3)); // rank 2 has the longest steps
    QVERIFY(shown.view.actions().run("arrange.byStepTime"));
    QVERIFY(settles(shown.session.pending()));
    QCOMPARE(rankOrder(shown), (std::vector<int>{2, 1, 0}));
    QVERIFY(shown.view.chips().texts().front().contains("step time"));
    shown.session.editChoice([](TimelineChoice& choice) { choice.grouping = "host"; });
    const auto sections = shown.view.trackLayout().sections();
    QCOMPARE(sections.front().kind->traits().id, "group");
    QVERIFY(sections.front().label.contains("3 ranks"));
    QCOMPARE(rankOrder(shown), (std::vector<int>{2, 1, 0}));
    // Collapsing the group hides its ranks.
    QTest::mouseClick(&shown.view.headers(), Qt::LeftButton, {}, QPoint(60, sections.front().top + 8));
    QVERIFY(rankOrder(shown).empty());
    // Revealing an event of it brings the group back.
    shown.session.reveal(shown.find("gemm", 1));
    QVERIFY(shown.view.trackLayout().laneOf(shown.session.selection()));
  }

  void sortingRanksShowsTheFirstOnes() {
    Shown shown(loadStepped(12));
    shown.view.setAllRanksExpanded(true);
    shown.view.scrollBar().setValue(400);
    QVERIFY(shown.view.actions().run("arrange.byStepTime"));
    QVERIFY(settles(shown.session.pending()));
    QCOMPARE(shown.view.scrollBar().value(), 0);
    QCOMPARE(rankOrder(shown).front(), 11);
    // Collapsing a track below does not move the visible ones.
    shown.view.scrollBar().setValue(300);
    const Section* const before = shown.view.trackLayout().sectionAt(330);
    const TrackKey key = before->key;
    const int y = before->top - 300;
    shown.view.setRankExpanded(RankIndex(0), false); // the last one
    QCOMPARE(shown.view.trackLayout().sectionOf(key)->top - shown.view.scrollBar().value(), y);
  }

  void theLaneHeightFollowsTheKeysAndTheWheel() {
    Shown shown(loadRanks(1));
    const EventRef kernel = shown.find("void elementwise<float>(int)");
    const int before = shown.view.trackLayout().laneOf(kernel)->height;
    shown.press(Qt::Key_Plus, Qt::ControlModifier);
    const int taller = shown.view.trackLayout().laneOf(kernel)->height;
    QVERIFY(taller > before);
    Shown::wheel(shown.view.headers(), {40, 60}, {0, -120}, Qt::ControlModifier);
    QCOMPARE(shown.view.trackLayout().laneOf(kernel)->height, before);
    for (int i = 0; i < 30; ++i) shown.press(Qt::Key_Minus, Qt::ControlModifier);
    QVERIFY(shown.view.trackLayout().laneOf(kernel)->height >= before / 2);
    shown.press(Qt::Key_0, Qt::ControlModifier);
    QCOMPARE(shown.view.trackLayout().laneOf(kernel)->height, before);
  }

  void countersShowTheirValueUnderTheMouse() {
    Shown shown(loadRanks(1));
    const Section* const queue = sectionNamed(shown.view.trackLayout(), "launch queue depth");
    QVERIFY(queue);
    drawAll(shown.view, shown.session);
    // Launched at 0.502 ms, begun at 1 ms; in between one launch is in store, after it none.
    const auto hoverAt = [&](const Section* section, TimeNs t) {
      if (!section) return QString();
      shown.hover({static_cast<int>(shown.canvas().xOf(shown.origin() + t)) + 1, section->top + 8});
      return shown.canvas().hoverText();
    };
    QVERIFY2(hoverAt(queue, 700'000).endsWith("\n1"), qPrintable(shown.canvas().hoverText()));
    QVERIFY2(hoverAt(queue, 3 * kMs).endsWith("\n0"), qPrintable(shown.canvas().hoverText()));
    const Section* const busy = sectionNamed(shown.view.trackLayout(), "GPU busy");
    QVERIFY(hoverAt(busy, 2 * kMs).contains("100 %"));
    QVERIFY(hoverAt(busy, 5 * kMs).contains("0 %"));
  }

  // A panel that opens below moves the lanes.
  void theTooltipFollowsWhatMovesUnderTheMouse() {
    Shown shown(loadRanks(1));
    const Section* const busy = sectionNamed(shown.view.trackLayout(), "GPU busy");
    QVERIFY(busy);
    drawAll(shown.view, shown.session);
    const int x = static_cast<int>(shown.canvas().xOf(shown.origin() + 2 * kMs)) + 1;
    shown.hover({x, busy->top + 8});
    const QString ofBusy = shown.canvas().hoverText();
    QVERIFY(!ofBusy.isEmpty());
    const int above = 20;
    shown.hover({x, busy->top + 8 - above});
    QVERIFY(shown.canvas().hoverText() != ofBusy);
    shown.canvas().move(shown.canvas().pos() - QPoint(0, above));
    QCOMPARE(shown.canvas().hoverText(), ofBusy);
    // One that a key removed does not come back.
    shown.press(Qt::Key_Shift);
    QCOMPARE(shown.canvas().hoverText(), ofBusy);
    shown.press(Qt::Key_N);
    QVERIFY(shown.canvas().hoverText().isEmpty());
    shown.canvas().move(shown.canvas().pos() + QPoint(0, above));
    QVERIFY(shown.canvas().hoverText().isEmpty());
  }

  void curvesAnswerAnyRangeAsTheirSamples() {
    const LevelCurve level({10, 20, 30}, {1, 5, 2});
    QVERIFY(!level.over({0, 10}));
    QCOMPARE(level.over({0, 11})->max, 1.0);
    QCOMPARE(level.over({15, 16})->max, 1.0);
    QCOMPARE(level.over({15, 21})->max, 5.0);
    QCOMPARE(level.over({20, 25})->min, 5.0); // the value before ended when this one began
    QCOMPARE(level.over({25, 40})->min, 2.0);
    QCOMPARE(level.over({25, 40})->max, 5.0);
    QCOMPARE(level.over({100, 101})->max, 2.0);
    const MeanCurve mean({10, 20, 40}, {0.5F, 1.0F, 0.0F});
    QCOMPARE(mean.meanOver({0, 10}), 0.0);
    QCOMPARE(mean.meanOver({10, 20}), 0.5);
    QCOMPARE(mean.meanOver({0, 40}), (0.5 * 10 + 1.0 * 20) / 40);
    QCOMPARE(mean.meanOver({40, 90}), 0.0);
  }

  void stepsAreWalkedAndRanksLaidOverEachOther() {
    Shown shown(loadStepped(3));
    const auto beginOf = [&](std::size_t rank, const char* name) {
      return shown.session.rangeOf(shown.find(name, rank)).begin;
    };
    for (int i = 0; i < 3; ++i) shown.press(Qt::Key_Left, Qt::ControlModifier);
    const TimeRange first = shown.window();
    shown.press(Qt::Key_Right, Qt::ControlModifier);
    QVERIFY(shown.window().begin > first.begin);
    QVERIFY(shown.window().begin <= beginOf(0, "ProfilerStep#6") &&
            beginOf(0, "ProfilerStep#6") < shown.window().end);

    const TimeNs own = beginOf(2, "ProfilerStep#6");
    QVERIFY(own != beginOf(0, "ProfilerStep#6"));
    shown.press(Qt::Key_O);
    QVERIFY(shown.session.shifted());
    QVERIFY(shown.view.chips().texts().front().contains("step 6"));
    for (std::size_t rank = 0; rank < 3; ++rank)
      QCOMPARE(beginOf(rank, "ProfilerStep#6"), beginOf(0, "ProfilerStep#6"));
    // What is drawn is what is hit.
    shown.view.setAllRanksExpanded(true);
    const EventRef kernel = shown.find("gemm", 2, 1);
    const Lane* const lane = shown.view.trackLayout().laneOf(kernel);
    shown.view.scrollBar().setValue(lane->top - 200);
    shown.click(shown.pointOn(kernel));
    QCOMPARE(shown.session.selection(), kernel);
    shown.press(Qt::Key_O);
    QVERIFY(!shown.session.shifted());
    QCOMPARE(beginOf(2, "ProfilerStep#6"), own);
  }

  void colorsMeanWhatWasChosen() {
    Shown shown(loadRanks(1));
    const EventRef mm = shown.find("aten::mm");
    const EventRef kernel = shown.find("void ampere_sgemm<float>(int)");
    const RankTrace& trace = *shown.session.trace()->rank(RankIndex(0)).trace;
    const HostPhases phases = hostPhases(trace, shown.session.trace()->names());
    QCOMPARE(phaseOfEvent(trace, mm.event, phases), Phase::Forward);
    QCOMPARE(phaseOfEvent(trace, kernel.event, phases), Phase::Forward); // where it was launched
    const auto pixel = [&](EventRef event) { return shown.picture().pixel(shown.pointOn(event, 0.97)); };
    const QRgb byKind = pixel(kernel);
    QVERIFY(shown.view.actions().run("color.phase"));
    QCOMPARE(pixel(kernel), Theme::of(ThemeName::Dark).forward.rgb());
    QVERIFY(shown.view.actions().run("color.duration"));
    const QRgb twoMs = pixel(kernel);
    QVERIFY(twoMs != byKind);
    QVERIFY(shown.view.chips().texts().front().contains("duration"));
    // Every color bears text: black or white on it reads.
    for (const ThemeName name : {ThemeName::Dark, ThemeName::Light}) {
      const Theme& theme = Theme::of(name);
      for (const ColorMeaning& part : meaningsOf(ColorBy::Duration, theme)) QVERIFY(part.color.isValid());
    }
    QVERIFY(shown.view.actions().run("color.kind"));
    QCOMPARE(pixel(kernel), byKind);
  }

  void theRulerCountsInTheUnitThatWasChosen() {
    QCOMPARE(timeText(1'130'000'000, 50'000'000, TimeUnit::Seconds), std::string("1.13 s"));
    QCOMPARE(timeText(1'130'000'000, 2'500'000, TimeUnit::Seconds), std::string("1.1300 s"));
    QCOMPARE(timeText(1'130'000'000, 50'000'000, TimeUnit::Microseconds), std::string("1 130 000 µs"));
    QCOMPARE(timeText(12'345, 5, TimeUnit::Nanoseconds), std::string("12 345 ns"));
    QCOMPARE(timeText(12'345, 5, TimeUnit::Milliseconds), std::string("0.012345 ms"));
    QCOMPARE(timeText(-1'500'000, 100'000, TimeUnit::Fitting), timeText(-1'500'000, 100'000));
  }

  void whatWasChosenIsRememberedForTheJobAndForNoOther() {
    const test::TemporaryFolder jobs;
    for (const char* job : {"a", "b"}) {
      std::filesystem::create_directories(jobs.path() / job);
      test::writeTraceFile(jobs / (std::string(job) + "/rank0.json"), rankText(0, 1));
    }
    const auto open = [&](const char* job) {
      Progress progress;
      return loadTraces({(jobs.path() / job).string()}, {}, progress).value();
    };
    QTemporaryDir folder;
    QSettings settings(folder.filePath("kept.ini"), QSettings::IniFormat);
    TimelineChoice saved;
    {
      TraceSession session;
      TimelineSettings memory(session, settings);
      session.setTrace(open("a"));
      const auto& trace = *session.trace();
      session.editChoice([&](TimelineChoice& choice) {
        choice.setPinned(keyOf(trace, RankIndex(0), TrackIndex(0)), true);
        choice.setHidden(keyOf(trace, RankIndex(0), "busy"), true);
        choice.open[keyOf(trace, RankIndex(0), "more")] = true;
        choice.colorBy = ColorBy::Phase;
        choice.filter = "stream";
      });
      saved = session.choice();
      session.setTrace(open("b"));
      QVERIFY(session.choice().pinned.empty() && session.choice().filter.isEmpty());
      QCOMPARE(session.choice().colorBy, ColorBy::Phase); // a habit
      memory.saveNow();
    }
    TraceSession session;
    const TimelineSettings memory(session, settings);
    QCOMPARE(session.choice().colorBy, ColorBy::Phase);
    session.setTrace(open("a"));
    QVERIFY(session.choice() == saved);
    QVERIFY(timelineChoiceFromJson(toJson(saved)) == saved);
  }

  void headersAreNavigableByKeyboardAndReportTheirPosition() {
    Shown shown(loadRanks(8));
    shown.view.activateWindow();
    TrackHeaders& headers = shown.view.headers();
    headers.setFocus(Qt::TabFocusReason);
    QVERIFY(headers.hasFocus());
    QTest::keyClick(&headers, Qt::Key_Down);
    const QString second = headers.accessibleDescription();
    QVERIFY(!second.isEmpty() && second != "Rank 0");
    QTest::keyClick(&headers, Qt::Key_Up);
    QVERIFY2(headers.accessibleDescription().startsWith("Rank 0"),
             qPrintable(headers.accessibleDescription()));
    QTest::keyClick(&headers, Qt::Key_Return);
    QVERIFY(!shown.view.trackLayout().rankExpanded(RankIndex(0)));
    QTest::keyClick(&headers, Qt::Key_Right);
    QVERIFY(shown.view.trackLayout().rankExpanded(RankIndex(0)));
    QTest::keyClick(&headers, Qt::Key_Down);
    const auto key = headers.current();
    QTest::keyClick(&headers, Qt::Key_P);
    QCOMPARE(shown.session.choice().pinned, std::vector<TrackKey>{*key});
  }
};

RANKSCOPE_UI_TEST(TracksTest)
#include "tracks_test.moc"
