// SPDX-License-Identifier: GPL-3.0-or-later
// The critical path on the timeline: its lane, outlines and jumps over the ranks, what is faded, and the keys
// that walk along it. Covers ui/base/path_palette, ui/job/path_choice, ui/job/timeline_path,
// ui/timeline/picture/path_runs, ui/timeline/canvas/path_marks, ui/timeline/strips/path_strip and
// ui/timeline/view/path_actions, and of the page ui/details/path_panel, ui/details/path_rows and
// ui/details/path_sums.
#include "tests/ui/highlight_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/base/path_palette.h"
#include "ui/details/path_panel.h"
#include "ui/details/path_sums.h"
#include "ui/job/path_choice.h"
#include "ui/tables/table_card.h"
#include "ui/timeline/strips/figures_column.h"
#include "ui/timeline/strips/path_strip.h"

#include <QPushButton>
#include <QToolButton>

#include <set>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

constexpr int kRanks = 4;
constexpr int kSteps = 3;

// In each step another rank computes 4.5 ms, the others 2 ms; the AllReduce begins with the slow rank and
// takes 0.5 ms; the host waits for it, and the step ends.
std::string slowInTurnText(int rank) {
  constexpr TimeNs kUs = 1'000;
  constexpr TimeNs kStep = 5'630 * kUs;
  test::TraceText trace;
  trace.baseTime(kBase).distributedInfo(rank, kRanks);
  for (int step = 0; step < kSteps; ++step) {
    const TimeNs at = TimeNs{step} * kStep;
    const int launch = 100 * step + 11;
    const TimeNs computed = at + 520 * kUs + (step % kRanks == rank ? 4'500 : 2'000) * kUs;
    const TimeNs reduced = at + 5'522 * kUs;
    trace.addStep(step + 1, at, kStep);
    trace.addCpuOp(kMainThread, at + 500 * kUs, 100 * kUs, "aten::mm");
    trace.addRuntime(kMainThread, at + 502 * kUs, 20 * kUs, "cudaLaunchKernel", launch);
    trace.addKernel(0, kStream, at + 520 * kUs, computed - at - 520 * kUs, "gemm_kernel", launch);
    trace.addCpuOp(kMainThread, at + 640 * kUs, 40 * kUs, "nccl:all_reduce");
    trace.addRuntime(kMainThread, at + 650 * kUs, 20 * kUs, "cudaLaunchKernel", launch + 1);
    trace.addCollective(0, kNcclStream, computed + 2 * kUs, reduced - computed - 2 * kUs, "allreduce",
                        1 << 20, kRanks, launch + 1);
    trace.addRuntime(kMainThread, at + 700 * kUs, reduced + 5 * kUs - at - 700 * kUs, "cudaDeviceSynchronize",
                     launch + 2);
  }
  return trace.text();
}

std::shared_ptr<const TraceSet> slowInTurn() {
  std::vector<std::string> texts;
  texts.reserve(kRanks);
  for (int rank = 0; rank < kRanks; ++rank) texts.push_back(slowInTurnText(rank));
  return load(texts);
}

struct Lit : Highlighted {
  Lit() : Highlighted(slowInTurn()) {
    press(Qt::Key_C);
    settle();
  }

  PathChoice& path() { return PathChoice::of(session); }
  void settle() {
    if (!settles(session.pending())) qFatal("the path does not settle");
    QApplication::processEvents();
  }
  [[nodiscard]] const std::vector<PathSegment>& segments() { return path().path()->segments(); }
  // The first segment of a category on a rank.
  [[nodiscard]] std::size_t first(PathCategory category, std::size_t rank) {
    for (std::size_t i = 0; i < segments().size(); ++i)
      if (segments()[i].category == category && segments()[i].rank == RankIndex(rank)) return i;
    qFatal("no such segment");
  }
};

} // namespace

class PathTest : public QObject {
  Q_OBJECT

 private slots:
  void cShowsThePathInALaneOfItsOwnAndHidesItAgain();
  void thePathRunsOverTheRankThatTheOthersWaitFor();
  void shiftCFadesEverythingElse();
  void bracketsWalkAlongThePathWhileASegmentIsSelected();
  void bracketsFollowLinksElsewhere();
  void aClickOnTheLaneSelectsASegmentAndItsSlice();
  void thePathIsDrawnWhereARankIsCollapsed();
  void whatCouldEndLaterShowsItsSlack();
  void theRanksShowTheirTimeOnThePath();
  void thePageListsTheSegmentsInViewAndAddsUp();
  void aJobWithoutStepsHasOneWindowOrAReason();
  void everyCategoryHasATitleAndAColor();
};

void PathTest::cShowsThePathInALaneOfItsOwnAndHidesItAgain() {
  Lit shown;
  QVERIFY(shown.path().shown());
  QVERIFY(shown.view.pathStrip().isVisible());
  QVERIFY(!shown.segments().empty());
  QVERIFY(shown.path().whyNone().isEmpty());
  QVERIFY(!shown.canvas().pathMarksShown().boxes.empty());
  shown.press(Qt::Key_C);
  QVERIFY(!shown.path().shown());
  QVERIFY(!shown.view.pathStrip().isVisible());
  QVERIFY(shown.canvas().pathMarksShown().boxes.empty());
}

void PathTest::thePathRunsOverTheRankThatTheOthersWaitFor() {
  Lit shown;
  // The segments touch, in each step, and none is outside of the job.
  for (std::size_t i = 1; i < shown.segments().size(); ++i)
    QCOMPARE(shown.segments()[i].range.begin, shown.segments()[i - 1].range.end);
  // The kernel of the slow rank of each step is on it, those of the others are not.
  for (int step = 0; step < kSteps; ++step) {
    for (int rank = 0; rank < kRanks; ++rank) {
      const EventRef kernel = shown.find("gemm_kernel", static_cast<std::size_t>(rank), step);
      QCOMPARE(shown.path().path()->segmentOf(kernel).has_value(), step % kRanks == rank);
    }
  }
  const PathMarks& marks = shown.canvas().pathMarksShown();
  QVERIFY(!marks.lines.empty());
  for (const PathBox& mark : marks.boxes) QVERIFY(mark.lane != nullptr);
}

void PathTest::shiftCFadesEverythingElse() {
  Lit shown;
  shown.view.setAllRanksExpanded(true);
  QApplication::processEvents();
  const EventRef kernel = shown.find("gemm_kernel", 0, 1);
  const EventRef onPath = shown.find("gemm_kernel", 1, 1);
  QVERIFY(!shown.path().path()->segmentOf(kernel));
  QVERIFY(shown.path().path()->segmentOf(onPath));
  const auto colorOf = [&](EventRef event) {
    return shown.canvas().grab().toImage().pixelColor(shown.canvas().outlineOf(event).center().toPoint());
  };
  shown.view.goTo(kernel);
  shown.session.select({});
  const QColor before = colorOf(kernel);
  shown.press(Qt::Key_C, Qt::ShiftModifier);
  QVERIFY(shown.path().onlyCritical());
  const QColor faded = colorOf(kernel);
  const QColor ground = shown.session.theme().background;
  QVERIFY(std::abs(faded.green() - ground.green()) * 2 < std::abs(before.green() - ground.green()));
  shown.view.goTo(onPath);
  shown.session.select({});
  const QColor lit = colorOf(onPath);
  QVERIFY(std::abs(lit.green() - ground.green()) > 2 * std::abs(faded.green() - ground.green()));
  shown.press(Qt::Key_C, Qt::ShiftModifier);
  QVERIFY(!shown.path().onlyCritical());
  QVERIFY(shown.path().shown());
}

void PathTest::bracketsWalkAlongThePathWhileASegmentIsSelected() {
  Lit shown;
  shown.path().select(0);
  std::set<std::size_t> ranks;
  for (std::size_t i = 1; i < shown.segments().size(); ++i) {
    shown.press(Qt::Key_BracketRight);
    QCOMPARE(shown.path().selected(), std::optional(i));
    const PathSegment& here = shown.segments()[i];
    ranks.insert(here.rank.value);
    const EventRef event = here.event.valid() ? EventRef{here.rank, here.event} : EventRef();
    QCOMPARE(shown.session.selection(), event);
  }
  QVERIFY(ranks.size() > 1);
  QVERIFY(!shown.path().canStep(true));
  shown.press(Qt::Key_BracketLeft);
  QCOMPARE(shown.path().selected(), std::optional(shown.segments().size() - 2));
  shown.press(Qt::Key_Escape);
  QVERIFY(!shown.path().selected());
}

void PathTest::bracketsFollowLinksElsewhere() {
  Lit shown;
  // Off the path, the keys follow the links of the slice.
  const EventRef kernel = shown.find("gemm_kernel", 0, 1);
  shown.session.select(kernel);
  QVERIFY(!shown.path().selected());
  shown.press(Qt::Key_BracketLeft);
  const EventRef launch{kernel.rank,
                        shown.session.trace()->rank(kernel.rank).trace->deviceDetail(kernel.event).launch};
  QCOMPARE(shown.session.selection(), launch);
}

void PathTest::aClickOnTheLaneSelectsASegmentAndItsSlice() {
  Lit shown;
  const std::size_t wanted = shown.first(PathCategory::Compute, 1);
  const auto middle = shown.view.pathStrip().middleOf(wanted);
  QVERIFY(middle);
  QTest::mouseClick(&shown.view.pathStrip(), Qt::LeftButton, {}, *middle);
  QCOMPARE(shown.path().selected(), std::optional(wanted));
  QCOMPARE(shown.session.selection().event, shown.segments()[wanted].event);
  // A click on the slice of another one selects that.
  const EventRef other = shown.find("gemm_kernel", 2, 2);
  shown.session.select(other);
  QVERIFY(shown.path().selectedSegment() != nullptr);
  QCOMPARE(shown.path().selectedSegment()->event, other.event);
  QTest::mouseDClick(&shown.view.pathStrip(), Qt::LeftButton, {}, *middle);
  QVERIFY(shown.window().length() <= 4 * shown.segments()[wanted].duration());
}

void PathTest::thePathIsDrawnWhereARankIsCollapsed() {
  Lit shown;
  shown.view.setAllRanksExpanded(false);
  QApplication::processEvents();
  const PathMarks& marks = shown.canvas().pathMarksShown();
  QVERIFY(!marks.boxes.empty());
  bool jumps = false;
  for (const PathLine& line : marks.lines) jumps = jumps || line.jump;
  QVERIFY(jumps);
  const auto lines = marks.lines.size();
  shown.view.setAllRanksExpanded(true);
  QApplication::processEvents();
  QVERIFY(shown.canvas().pathMarksShown().lines.size() >= lines);
}

void PathTest::whatCouldEndLaterShowsItsSlack() {
  Lit shown;
  const EventRef early = shown.find("gemm_kernel", 0, 1);
  const auto slack = shown.path().path()->slackOf(early);
  QVERIFY(slack && *slack > 0);
  for (const PathSegment& segment : shown.segments()) {
    if (!segment.event.valid() || segment.category != PathCategory::Compute) continue;
    QCOMPARE(shown.path().path()->slackOf({segment.rank, segment.event}), std::optional(TimeNs{0}));
  }
  QVERIFY(!shown.path().path()->slackOf({}));
}

void PathTest::theRanksShowTheirTimeOnThePath() {
  Lit shown;
  shown.view.setFiguresShown(true);
  QApplication::processEvents();
  TimeNs all = 0;
  for (std::size_t rank = 0; rank < kRanks; ++rank)
    all += shown.path().path()->onPath(RankIndex(rank), JobRange::of(shown.window()));
  const TimeNs whole = shown.segments().back().range.end - shown.segments().front().range.begin;
  QCOMPARE(all, whole);
  QVERIFY(FiguresColumn::widthFor(1000, true) > FiguresColumn::widthFor(1000, false));
}

void PathTest::thePageListsTheSegmentsInViewAndAddsUp() {
  Highlighted shown(slowInTurn());
  PathPanel page(shown.session);
  page.resize(1000, 300);
  page.show();
  auto* const on = page.findChild<QPushButton*>("showPath");
  QVERIFY(on && on->isVisible());
  QTest::mouseClick(on, Qt::LeftButton);
  QVERIFY(settles(shown.session.pending()));
  const auto& path = PathChoice::of(shown.session).path();
  QVERIFY(path && page.canExport());
  QCOMPARE(page.table().model().rowCount(), static_cast<int>(path->segments().size()));
  QVERIFY(page.summary().contains("segments in view"));
  QVERIFY(page.summary().contains("between ranks"));
  QVERIFY(!page.sums().lines().isEmpty());
  const PathRows all = pathRows(*path, shown.window(), {}, 1000);
  QCOMPARE(all.times.total(), path->segments().back().range.end - path->segments().front().range.begin);
  const PathRows few = pathRows(*path, shown.window(), {}, 3);
  QCOMPARE(few.segments.size(), std::size_t{3});
  QCOMPARE(few.inView, all.inView);
  QCOMPARE(few.times.total(), all.times.total());
  // A row selects its segment, and a segment its row.
  PathChoice::of(shown.session).select(2);
  QCOMPARE(page.table().selectedRow(), 2);
  const int row = page.table().view().visualRect(page.table().view().model()->index(0, 0)).center().y();
  QTest::mouseClick(page.table().view().viewport(), Qt::LeftButton, {}, QPoint(20, row));
  QCOMPARE(PathChoice::of(shown.session).selected(), std::optional(std::size_t{0}));
}

void PathTest::aJobWithoutStepsHasOneWindowOrAReason() {
  Highlighted shown(load({hostOnlyText()}));
  shown.press(Qt::Key_C);
  QVERIFY(settles(shown.session.pending()));
  const PathChoice& path = PathChoice::of(shown.session);
  // One operator without a step is a path of one window, or none with a reason.
  QVERIFY(path.path() != nullptr);
  QCOMPARE(path.whyNone().isEmpty(), !path.path()->segments().empty());
  static_cast<void>(shown.view.grab());
}

void PathTest::everyCategoryHasATitleAndAColor() {
  std::set<QString> titles;
  for (std::size_t i = 0; i < kPathCategoryCount; ++i) {
    const auto category = static_cast<PathCategory>(i);
    titles.insert(pathCategoryTitle(category));
    for (const ThemeName theme : {ThemeName::Dark, ThemeName::Light})
      QVERIFY(pathCategoryColor(category, Theme::of(theme)) != Theme::of(theme).background);
  }
  QCOMPARE(titles.size(), kPathCategoryCount);
  for (std::size_t i = 0; i < kGraphEdgeCount; ++i)
    QVERIFY(!dependencyTitle(static_cast<GraphEdge>(i)).isEmpty());
  QVERIFY(dependencyTitle({}).isEmpty());
}

RANKSCOPE_UI_TEST(PathTest)
#include "path_test.moc"
