// SPDX-License-Identifier: GPL-3.0-or-later
// Rendering of the timeline: pixels, hatches, labels, metrics, and lane positions. Covers
// ui/base/event_palette, ui/timeline/lanes/busy_lane, ui/timeline/lanes/row_lane,
// ui/timeline/lanes/rank_lane, ui/timeline/lanes/track_plan, ui/timeline/picture/highlight_hatches and
// ui/timeline/tracks/track_layout too.
#include "tests/ui/timeline_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/base/short_name.h"
#include "ui/timeline/picture/time_ticks.h"
#include "ui/timeline/ranks/rank_figures.h"

#include <algorithm>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

bool reddish(QRgb color) {
  return qRed(color) > qGreen(color) + 25 && qRed(color) > qBlue(color) + 10;
}

// Whether pixels [left, right) of a line alternate between two colors, as stripes do.
int colorChanges(const QImage& image, int y, int left, int right) {
  int changes = 0;
  for (int x = left + 1; x < right; ++x) changes += image.pixel(x, y) != image.pixel(x - 1, y);
  return changes;
}

} // namespace

class TimelineLookTest : public QObject {
  Q_OBJECT

 private slots:
  void hoverShowsATooltipAndHighlightsEqualNames();
  void selectionChangesPixelsOnlyAroundIt();
  void hoverAndSelectionLeaveThePictureAsItIs();
  void idleTimeIsHatchedUntilSwitchedOff();
  void exposedCommunicationIsHatched();
  void panDoesNotMoveColumns();
  void aFewRanksStartWithTheFirstOneOpenManyWithNone();
  void aTallViewIsFilledWithRanksThenWithTallerRows();
  void aTallViewExpandsTracksAndGivesCountersTheRest();
  void stragglersAreExpandedBeforeOtherRanks();
  void aStragglerAboveAllOthersIsExpandedIfMostOfItIsSeen();
  void whatWasFoldedStaysFoldedWhenRanksArrive();
  void theGpuIsNearTheTopHoweverDeepTheStacks();
  void lanesNeverOverlap();
  void figuresFollowTheDefinitions();
  void aRankWithoutDevicesReportsIt();
  void anEmptyTimelineSaysWhatToDo();
  void bothThemesPaintDifferently();
  void ticksAreOneTwoFiveAndFarEnoughApart();
  void labelsOfTicksNeverTouch();
  void kernelNamesRetainTheirDistinctPart();
  void phasesAndDeviceWorkHaveTheirColors();
};

void TimelineLookTest::hoverShowsATooltipAndHighlightsEqualNames() {
  Shown shown(loadRanks(1));
  const EventRef first = shown.find("void ampere_sgemm<float>(int)");
  const EventRef second = shown.find("void ampere_sgemm<float>(int)", 0, 1);
  const QPoint there = shown.pointOn(second, 0.9);
  const QRgb plain = shown.picture().pixel(there);
  shown.hover(shown.pointOn(first));
  const QString text = shown.canvas().hoverText();
  for (const char* fact : {"void ampere_sgemm<float>(int)", "2.00 ms", "kernel", "stream 7", "rank 0"})
    QVERIFY2(text.contains(fact), qPrintable(text));
  QCOMPARE(shown.session.trace()->names()[shown.session.hoveredName()],
           std::string_view("void ampere_sgemm<float>(int)"));
  QVERIFY(shown.picture().pixel(there) != plain);
  QEvent leave(QEvent::Leave);
  QApplication::sendEvent(&shown.canvas(), &leave);
  QVERIFY(shown.canvas().hoverText().isEmpty());
  QCOMPARE(shown.picture().pixel(there), plain);
}

void TimelineLookTest::selectionChangesPixelsOnlyAroundIt() {
  Shown shown(loadRanks(1));
  const QImage before = shown.picture();
  const EventRef event = shown.find("void elementwise<float>(int)");
  shown.session.select(event);
  const QImage after = shown.picture();
  const Lane& lane = *shown.view.trackLayout().laneOf(event);
  const TimeRange range = shown.session.rangeOf(event);
  const QRect around(static_cast<int>(shown.canvas().xOf(range.begin)) - 3, lane.top - 3,
                     static_cast<int>(shown.canvas().xOf(range.end) - shown.canvas().xOf(range.begin)) + 7,
                     lane.height + 6);
  int changed = 0;
  for (int y = 0; y < before.height(); ++y) {
    for (int x = 0; x < before.width(); ++x) {
      if (before.pixel(x, y) == after.pixel(x, y)) continue;
      ++changed;
      QVERIFY2(around.contains(x, y), qPrintable(QStringLiteral("%1,%2").arg(x).arg(y)));
    }
  }
  QVERIFY(changed > 100);
}

void TimelineLookTest::hoverAndSelectionLeaveThePictureAsItIs() {
  Shown shown(loadRanks(2));
  static_cast<void>(shown.picture());
  const std::uint64_t painted = shown.canvas().content().paintCount();
  for (int x = 0; x < 1000; x += 50) {
    shown.hover({x, 60});
    static_cast<void>(shown.picture());
  }
  shown.click(shown.pointOn(shown.find("backward")));
  shown.session.setRange(TimeRange{shown.origin(), shown.origin() + kMs});
  static_cast<void>(shown.picture());
  QCOMPARE(shown.canvas().content().paintCount(), painted);
  shown.press(Qt::Key_W);
  static_cast<void>(shown.picture());
  QVERIFY(shown.canvas().content().paintCount() > painted);
}

void TimelineLookTest::idleTimeIsHatchedUntilSwitchedOff() {
  Shown shown(loadRanks(1));
  const int y = shown.pointOn(shown.find("void elementwise<float>(int)")).y();
  // From 5.2 ms on no label lies over the stripes.
  const int left = static_cast<int>(shown.canvas().xOf(shown.origin() + 5 * kMs + kMs / 5));
  const int right = static_cast<int>(shown.canvas().xOf(shown.origin() + 6 * kMs)) - 2;
  const QImage hatched = shown.picture();
  QVERIFY(colorChanges(hatched, y, left, right) >= (right - left) / 6);
  int red = 0;
  for (int x = left; x < right; ++x) red += reddish(hatched.pixel(x, y));
  QVERIFY2(red > (right - left) / 8, qPrintable(QString::number(red)));
  shown.hover({(left + right) / 2, y});
  for (const char* fact :
       {"2.00 ms", "CPU activity during gap: cudaLaunchKernel", "1.00 ms before it began: the GPU waited"})
    QVERIFY2(shown.canvas().hoverText().contains(fact), qPrintable(shown.canvas().hoverText()));

  shown.session.setHighlightOptions({.idle = false});
  QEvent leave(QEvent::Leave);
  QApplication::sendEvent(&shown.canvas(), &leave);
  const QImage plain = shown.picture();
  for (int x = left; x < right; ++x) QVERIFY(!reddish(plain.pixel(x, y)));
}

void TimelineLookTest::exposedCommunicationIsHatched() {
  Shown shown(loadRanks(1));
  const RankTrace& trace = *shown.session.trace()->rank(RankIndex(0)).trace;
  const auto kinds = trace.events.kind.span();
  const auto at = std::ranges::find(kinds, EventKind::Collective);
  QVERIFY(at != kinds.end());
  const EventRef collective{RankIndex(0), EventIndex(static_cast<std::size_t>(at - kinds.begin()))};
  const int y = shown.pointOn(collective).y() - 7; // above the label
  const QImage picture = shown.picture();
  const auto x = [&](double ms) {
    return static_cast<int>(shown.canvas().xOf(shown.origin() + static_cast<TimeNs>(ms * 1e6)));
  };
  QCOMPARE(colorChanges(picture, y, x(6.1), x(6.9)), 0);
  QVERIFY(colorChanges(picture, y, x(7.1), x(8.9)) > 20);
  const QRgb orange = Theme::of(ThemeName::Dark).exposed.rgb();
  int count = 0;
  for (int i = x(7.1); i < x(8.9); ++i) count += picture.pixel(i, y) == orange;
  QVERIFY(count > 60);
}

void TimelineLookTest::panDoesNotMoveColumns() {
  Shown shown(load({denseText()}));
  shown.session.setHighlightOptions({.idle = false, .exposed = false});
  const TimeRange all = shown.session.limits();
  // Several kernels share a column, so different merging would be visible.
  shown.session.setWindow({all.begin + all.length() / 5, all.begin + all.length() * 4 / 5});
  const EventRef kernel = shown.find("gemm");
  const int y = shown.view.trackLayout().laneOf(kernel)->top + 8;
  const QImage before = shown.picture();
  constexpr int kMoved = 137;
  Shown::drag(shown.canvas(), {600, y + 200}, {600 - kMoved, y + 200});
  QApplication::processEvents();
  QEvent leave(QEvent::Leave);
  QApplication::sendEvent(&shown.canvas(), &leave);
  const QImage after = shown.picture();
  int colored = 0;
  for (int x = kMoved + 1; x < 1000; ++x) {
    QCOMPARE(after.pixel(x - kMoved, y), before.pixel(x, y));
    colored += before.pixel(x, y) != Theme::of(ThemeName::Dark).background.rgb();
  }
  QVERIFY(colored > 400);
}

void TimelineLookTest::aFewRanksStartWithTheFirstOneOpenManyWithNone() {
  TrackLayout layout;
  for (const auto& [ranks, open] : {std::pair(1, 1), std::pair(3, 1), std::pair(12, 0)}) {
    layout.update(loadRanks(ranks), {});
    int expanded = 0;
    for (int rank = 0; rank < ranks; ++rank)
      expanded += layout.rankExpanded(RankIndex(static_cast<std::size_t>(rank)));
    QCOMPARE(expanded, open);
  }
}

void TimelineLookTest::aTallViewIsFilledWithRanksThenWithTallerRows() {
  constexpr int kLines = 1900;
  for (const int ranks : {1, 2, 8, 24}) {
    const auto trace = loadRanks(ranks);
    TrackLayout layout;
    layout.update(trace, {});
    const int usual = layout.height();
    layout.updateFor(kLines / 4, trace, {});
    QCOMPARE(layout.height(), usual);
    layout.updateFor(kLines, trace, {});
    QVERIFY(layout.height() <= kLines);
    // Few ranks have few rows, which grow to twice their height and no further.
    QVERIFY2(layout.height() > std::min(usual * 3 / 2, kLines * 3 / 4),
             qPrintable(QString::number(layout.height())));
    if (ranks == 1) continue;
    // What the user does afterwards changes no other row.
    const int height = layout.rankLane(RankIndex(0)).height;
    TimelineChoice choice;
    choice.open[keyOf(*trace, RankIndex(static_cast<std::size_t>(ranks) - 1))] = false;
    layout.update(trace, choice);
    QCOMPARE(layout.rankLane(RankIndex(0)).height, height);
  }
}

void TimelineLookTest::aTallViewExpandsTracksAndGivesCountersTheRest() {
  constexpr int kDepth = 12;
  constexpr int kLines = 1900;
  test::TraceText text;
  text.baseTime(kBase).distributedInfo(0, 1);
  for (int depth = 0; depth < kDepth; ++depth)
    text.addCpuOp(kMainThread, kMs + TimeNs{1000} * depth, 8 * kMs - TimeNs{2000} * depth,
                  "aten::op" + std::to_string(depth));
  text.addKernel(0, 7, 2 * kMs, 3 * kMs, "gemm_kernel", 1);
  const auto trace = load({text.text()});
  TrackLayout layout;
  layout.update(trace, {});
  const auto deep = [&] {
    const auto sections = layout.sections();
    return std::ranges::find_if(sections,
                                [](const Section& each) { return each.foldable && each.track.valid(); });
  };
  QVERIFY(deep() != layout.sections().end() && deep()->folded);
  const auto heightOf = [&](std::string_view kind) {
    const auto lane = std::ranges::find_if(layout.lanes(),
                                           [&](const Lane& each) { return each.kind->traits().id == kind; });
    return lane == layout.lanes().end() ? 0 : lane->height;
  };
  const int row = heightOf("row");
  const int busy = heightOf("busy");
  QVERIFY(busy > 0);
  layout.updateFor(kLines, trace, {});
  QVERIFY(!deep()->folded);
  QVERIFY(layout.height() <= kLines);
  QVERIFY2(heightOf("busy") > busy * heightOf("row") / row, qPrintable(QString::number(heightOf("busy"))));
  // Collapsing it by hand holds.
  TimelineChoice choice;
  choice.open[deep()->key] = false;
  layout.update(trace, choice);
  QVERIFY(deep()->folded);
}

void TimelineLookTest::stragglersAreExpandedBeforeOtherRanks() {
  constexpr std::size_t kLate = 5;
  const auto trace = loadRanks(8);
  TrackLayout layout;
  layout.update(trace, {});
  const int usual = layout.height();
  const auto heightOf = [&](std::size_t rank) {
    return layout.rankBottom(RankIndex(rank)) - layout.rankLane(RankIndex(rank)).top;
  };
  const int more = heightOf(0) - heightOf(1);
  const auto expanded = [&] {
    std::vector<std::size_t> open;
    for (std::size_t rank = 0; rank < trace->ranks().size(); ++rank)
      if (layout.rankExpanded(RankIndex(rank))) open.push_back(rank);
    return open;
  };
  const std::vector<RankIndex> late{RankIndex(kLate)};
  // Where there is room for one more rank, in a view that is not tall too.
  layout.updateFor(usual + more, trace, {}, {}, late);
  QCOMPARE(expanded(), (std::vector<std::size_t>{0, kLate}));
  QCOMPARE(layout.height(), usual + more);
  layout.updateFor(usual + more - 1, trace, {}, {}, late);
  QCOMPARE(expanded(), std::vector<std::size_t>{0});
  layout.updateFor(usual + more, trace, {});
  QCOMPARE(expanded(), std::vector<std::size_t>{0});
  // A tall view without room for both expands the straggler.
  TimelineChoice high;
  high.lanePercent = kMaxLanePercent;
  layout.update(trace, high);
  const int lines = layout.height() + heightOf(0) - heightOf(1) - 1;
  QVERIFY2(lines >= 1000, qPrintable(QString::number(lines)));
  layout.updateFor(lines, trace, high, {}, late);
  QCOMPARE(expanded(), std::vector<std::size_t>{kLate});
  // It gives others what is left, from the top.
  const auto many = loadRanks(24);
  layout.updateFor(1200, many, {}, {}, std::vector{RankIndex(20)});
  QVERIFY(layout.height() <= 1200);
  QVERIFY(layout.rankExpanded(RankIndex(20)));
  QVERIFY(layout.rankExpanded(RankIndex(0)));
  QVERIFY(!layout.rankExpanded(RankIndex(19)));
}

void TimelineLookTest::aStragglerAboveAllOthersIsExpandedIfMostOfItIsSeen() {
  const auto trace = loadRanks(24);
  const RankIndex late(20);
  std::vector<RankGroup> groups{{.label = QStringLiteral("outliers"), .ranks = {late}},
                                {.label = QStringLiteral("others"), .ranks = {}}};
  for (std::size_t rank = 0; rank < 24; ++rank)
    if (RankIndex(rank) != late) groups.back().ranks.emplace_back(rank);
  const std::vector<RankIndex> stragglers{late};
  TrackLayout layout;
  TimelineChoice open;
  open.open[keyOf(*trace, late)] = true;
  layout.update(trace, open, groups);
  const int top = layout.rankLane(late).top;
  const int height = layout.rankBottom(late) - top;
  QVERIFY(layout.height() > top + height);
  layout.updateFor(top + height * 7 / 10, trace, {}, groups, stragglers);
  QVERIFY(layout.rankExpanded(late));
  QVERIFY(!layout.rankExpanded(RankIndex(0)));
  layout.updateFor(top + height * 5 / 10, trace, {}, groups, stragglers);
  QVERIFY(!layout.rankExpanded(late));
  // One among the others takes no room from them.
  layout.updateFor(top + height * 7 / 10, trace, {}, {}, stragglers);
  QVERIFY(!layout.rankExpanded(late));
}

void TimelineLookTest::whatWasFoldedStaysFoldedWhenRanksArrive() {
  const auto few = loadRanks(2);
  TrackLayout layout;
  TimelineChoice choice;
  choice.open[keyOf(*few, RankIndex(0))] = false;
  choice.open[keyOf(*few, RankIndex(1))] = true;
  layout.update(few, choice);
  layout.update(loadRanks(4), choice);
  QVERIFY(!layout.rankExpanded(RankIndex(0)));
  QVERIFY(layout.rankExpanded(RankIndex(1)));
}

void TimelineLookTest::theGpuIsNearTheTopHoweverDeepTheStacks() {
  Shown shown(load({deepText()}));
  const Lane* const stream = shown.view.trackLayout().laneOf(shown.find("gemm"));
  QVERIFY(stream);
  QVERIFY2(stream->top < 350, qPrintable(QString::number(stream->top)));
  // Every row is there all the same, and unfolding makes each readable.
  const Lane* const deepest = shown.view.trackLayout().laneOf(shown.find("aten::op49"));
  QVERIFY(deepest && deepest->thin);
  const auto sections = shown.view.trackLayout().sections();
  const auto folded =
      std::ranges::find_if(sections, [&](const Section& s) { return s.track == deepest->track; });
  QTest::mouseClick(&shown.view.headers(), Qt::LeftButton, {}, QPoint(60, folded->top + 5));
  QVERIFY(!shown.view.trackLayout().laneOf(shown.find("aten::op49"))->thin);
}

void TimelineLookTest::lanesNeverOverlap() {
  Shown shown(load({deepText()}));
  Shown ranks(loadRanks(5));
  ranks.view.setAllRanksExpanded(true);
  for (const TrackLayout* layout : {&shown.view.trackLayout(), &ranks.view.trackLayout()}) {
    int bottom = 0;
    for (const Lane& lane : layout->lanes()) {
      QVERIFY(lane.top >= bottom && lane.height > 0);
      bottom = lane.bottom();
    }
    QVERIFY(bottom <= layout->height());
    bottom = 0;
    for (const Section& section : layout->sections()) {
      QVERIFY(section.top >= bottom);
      bottom = section.bottom();
    }
    for (int y = 0; y < layout->height(); ++y) {
      const Lane* const lane = layout->laneAt(y);
      QVERIFY(!lane || (lane->top <= y && y < lane->bottom()));
      QVERIFY(layout->rankAt(y).valid());
    }
  }
}

void TimelineLookTest::figuresFollowTheDefinitions() {
  const auto trace = loadRanks(1);
  const DeviceActivity activity = deviceActivity(*trace->rank(RankIndex(0)).trace);
  const auto valueOf = [&](const char* label, TimeRange window) {
    for (const RankFigure& figure : rankFigures({0, &activity, window})) {
      if (figure.label == QLatin1String(label)) return figure.value;
    }
    return QString();
  };
  const TimeRange all = trace->extent();
  QCOMPARE(valueOf("compute", all), QStringLiteral("4.00 ms"));
  QCOMPARE(valueOf("comm", all), QStringLiteral("3.00 ms"));
  QCOMPARE(valueOf("overlap", all), QStringLiteral("33.3 %"));
  QCOMPARE(valueOf("exposed", all), QStringLiteral("2.00 ms"));
  QCOMPARE(valueOf("idle", all), QStringLiteral("2.00 ms"));
  const TimeRange part{all.begin + 3 * kMs, all.begin + 5 * kMs};
  QCOMPARE(valueOf("compute", part), QStringLiteral("1.00 ms"));
  QCOMPARE(valueOf("idle", part), QStringLiteral("1.00 ms"));
  QCOMPARE(valueOf("overlap", part), QStringLiteral("–"));
  // In a selected range, what is recorded counts, device activity or not, as in the tabs.
  const TimeRange late{activity.span.end - kMs, activity.span.end + kMs};
  const TimeRange recorded{all.begin, activity.span.end + 2 * kMs};
  const DeviceActivity within = deviceActivity(*trace->rank(RankIndex(0)).trace, late);
  QCOMPARE(rankFigures({0, &activity, late, recorded}).back().value,
           QString::fromStdString(durationText(late.length() - within.busy.totalLength())));
  QVERIFY(rankFigures({0, &activity, late}).back().value !=
          rankFigures({0, &activity, late, recorded}).back().value);
}

void TimelineLookTest::aRankWithoutDevicesReportsIt() {
  Shown shown(load({hostOnlyText()}));
  const DeviceActivity activity = deviceActivity(*shown.session.trace()->rank(RankIndex(0)).trace);
  const auto figures = rankFigures({0, &activity, shown.window()});
  QCOMPARE(figures.size(), std::size_t{1});
  QVERIFY(figures.front().label.contains("no GPU activity"));
  shown.click(shown.pointOn(shown.find("aten::linear")));
  QVERIFY(shown.session.selection().valid());
}

void TimelineLookTest::anEmptyTimelineSaysWhatToDo() {
  TraceSession session;
  TimelineView view(session);
  view.resize(900, 500);
  const QImage picture = view.grab().toImage().convertToFormat(QImage::Format_RGB32);
  const QRgb text = session.theme().text.rgb();
  int written = 0;
  for (int y = 0; y < picture.height(); ++y) {
    for (int x = 0; x < picture.width(); ++x) written += picture.pixel(x, y) == text;
  }
  QVERIFY(written > 100);
  // Nothing to move through, and nothing that fails for it.
  for (const auto key :
       {Qt::Key_W, Qt::Key_A, Qt::Key_F, Qt::Key_Home, Qt::Key_Backspace, Qt::Key_Period, Qt::Key_Space})
    QTest::keyClick(&view.canvas(), key);
  Shown::wheel(view.canvas(), {50, 50}, {0, 120});
  QTest::mouseClick(&view.canvas(), Qt::LeftButton, {}, QPoint(50, 50));
  QVERIFY(session.window().empty());
}

void TimelineLookTest::bothThemesPaintDifferently() {
  Shown shown(loadRanks(1));
  const QImage dark = shown.picture();
  shown.session.setTheme(ThemeName::Light);
  const QImage light = shown.picture();
  QCOMPARE(dark.pixel(0, 650 - 150), Theme::of(ThemeName::Dark).background.rgb());
  QCOMPARE(light.pixel(0, 650 - 150), Theme::of(ThemeName::Light).background.rgb());
}

void TimelineLookTest::ticksAreOneTwoFiveAndFarEnoughApart() {
  for (const TimeNs length : {TimeNs{10}, TimeNs{999}, TimeNs{12'345'678}, TimeNs{7'200'000'000'000}}) {
    for (const int width : {300, 1200, 3800}) {
      const TimeNs origin = kBase + 3;
      const TimeRange window{origin - 5, origin - 5 + length};
      const TimeTicks ticks = timeTicks(window, width, 90, origin);
      TimeNs step = ticks.step;
      while (step % 10 == 0) step /= 10;
      QVERIFY(step == 1 || step == 2 || step == 5);
      QVERIFY(static_cast<double>(ticks.step) * width / static_cast<double>(length) >= 90);
      for (const TimeNs t : ticks.times) QVERIFY(window.contains(t) && (t - origin) % ticks.step == 0);
    }
  }
}

void TimelineLookTest::labelsOfTicksNeverTouch() {
  QCOMPARE(labelEvery(80, 80), 1);
  QCOMPARE(labelEvery(81, 80), 2);
  QCOMPARE(labelEvery(161, 80), 5);
  QCOMPARE(labelEvery(401, 80), 10);
}

void TimelineLookTest::kernelNamesRetainTheirDistinctPart() {
  const auto kernel = [](const char* name) { return shortName(EventKind::Kernel, name); };
  QCOMPARE(
      kernel("void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float> >(int, float)"),
      std::string("AddFunctor · vectorized_elementwise_kernel"));
  QCOMPARE(kernel("void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<"
                  "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() "
                  "const::{lambda(c10::BFloat16)#1}>(at::TensorIteratorBase&)::{lambda(int)#1}>(int)"),
           std::string("direct_copy_kernel_cuda · elementwise_kernel"));
  QCOMPARE(
      kernel("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
             "at::native::func_wrapper_t<float, at::native::sum_functor<float, float, "
             "float>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, float, 4> "
             ">(float)"),
      std::string("sum_functor · reduce_kernel"));
  QCOMPARE(
      kernel("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8>("
             "cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8::Params)"),
      std::string("cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8"));
  QCOMPARE(kernel("reduce_kernel"), std::string("reduce_kernel"));
  QCOMPARE(kernel("reduce_kernel<512, float>(int)"), std::string("reduce_kernel"));
  QCOMPARE(kernel("std::enable_if<!(false), void>::type internal::gemvx::kernel<int, float, 7>(int)"),
           std::string("gemvx::kernel"));
  QCOMPARE(kernel("at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 2>(float*)"),
           std::string("CatArrayBatchedCopy"));
  QCOMPARE(kernel("ampere_sgemm_128x64_tn"), std::string("ampere_sgemm_128x64_tn"));
  QCOMPARE(kernel("_Z10vector_addPKfS0_Pfi"), std::string("vector_add"));
  QCOMPARE(shortName(EventKind::Collective, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm*)"),
           std::string("AllReduce_Sum_bf16_RING_LL"));
  QCOMPARE(shortName(EventKind::Copy, "Memcpy HtoD (Pageable -> Device)"),
           std::string("Memcpy HtoD (Pageable -> Device)"));
  QCOMPARE(shortName(EventKind::Python, "torch/nn/modules/module.py(1501): _call_impl"),
           std::string("_call_impl  module.py:1501"));
  QCOMPARE(shortName(EventKind::CpuOp, "aten::mm"), std::string("aten::mm"));
}

void TimelineLookTest::phasesAndDeviceWorkHaveTheirColors() {
  QVERIFY(colorRole(EventKind::Annotation, "forward") == &Theme::forward);
  QVERIFY(colorRole(EventKind::Annotation, "## backward ##") == &Theme::backward);
  QVERIFY(colorRole(EventKind::Annotation, "Optimizer.step#AdamW.step") == &Theme::optimizer);
  QVERIFY(colorRole(EventKind::CpuOp, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__") ==
          &Theme::dataLoader);
  QVERIFY(colorRole(EventKind::CpuOp, "aten::nll_loss_backward") == &Theme::cpuOp);
  QVERIFY(colorRole(EventKind::Kernel, "ampere_sgemm_128x64_tn") == &Theme::gemm);
  QVERIFY(colorRole(EventKind::Kernel, "flash_fwd_kernel") == &Theme::attention);
  QVERIFY(colorRole(EventKind::Collective, "ncclDevKernel_AllReduce") == &Theme::communication);
  // Numbers in a name change nothing, so that layer 3 and layer 12 look alike.
  StringInterner names;
  const NameId three = names.intern("triton_fused_add_3");
  const NameId twelve = names.intern("triton_fused_add_12");
  EventPalette palette(Theme::of(ThemeName::Dark), names.snapshot());
  QCOMPARE(palette.colorOf(EventKind::Kernel, three), palette.colorOf(EventKind::Kernel, twelve));
}

RANKSCOPE_UI_TEST(TimelineLookTest)
#include "timeline_look_test.moc"
