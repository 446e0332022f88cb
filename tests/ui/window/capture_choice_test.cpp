// SPDX-License-Identifier: GPL-3.0-or-later
// One recording of every rank, or all: the button, the timeline, the overview and the tables.
#include "tests/support/nsys_writer.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/actions/actions.h"
#include "ui/tables/table_view.h"
#include "ui/timeline/canvas/timeline_canvas.h"
#include "ui/timeline/headers/track_headers.h"
#include "ui/timeline/strips/figures_column.h"
#include "ui/timeline/strips/time_ruler.h"
#include "ui/timeline/tracks/track_layout.h"
#include "ui/timeline/view/timeline_view.h"
#include "ui/window/capture_choice.h"

#include <QAccessible>
#include <QComboBox>
#include <QMenu>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

void writeCaptures(const std::filesystem::path& folder, int captures) {
  test::JobOptions options;
  options.ranks = 2;
  options.steps = 2;
  options.layers = 1;
  options.captures = captures;
  test::generateJob(options, folder);
}

constexpr int kLate = 2;

// Three captures of four ranks, of which one is late in each step.
void writeLateCaptures(const std::filesystem::path& folder) {
  test::JobOptions options;
  options.ranks = 4;
  options.steps = 3;
  options.layers = 2;
  options.captures = 3;
  options.straggler = {kLate, 3'000'000, 0, test::StragglerKind::Compute};
  test::generateJob(options, folder);
}

} // namespace

class CaptureChoiceTest : public QObject {
  Q_OBJECT

 private slots:
  void aChosenCaptureHasOneRowARankInTimelineAndTables() {
    TestWindow test;
    writeCaptures(test.folder.path() / "job", 3);
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    TraceSession& session = test.window.session();
    const TrackLayout& layout = timelineOf(test.window).trackLayout();
    CaptureChoice& choice = test.window.tabs().captureChoice();
    QVERIFY(choice.isVisible());
    QVERIFY(choice.text().startsWith("All 3 captures"));
    // The first rank of a small job shows its captures, the other one has a row.
    QCOMPARE(layout.shownRanks().size(), std::size_t(3));
    emit choice.menu()->aboutToShow();
    QCOMPARE(choice.menu()->actions().size(), 6); // below a line, what compares captures
    choice.menu()->actions()[2]->trigger();
    QVERIFY(test.settles());
    QVERIFY(choice.text().startsWith("Capture 2 of 3"));
    QCOMPARE(layout.shownRanks().size(), std::size_t(2));
    // The times between the recordings are gone.
    QVERIFY(session.limits().length() < session.trace()->extent().length() / 2);
    QCOMPARE(session.window(), session.limits());
    QCOMPARE(session.trace()->rank(timelineOf(test.window).ruler().stepRank()).capture, 2);
    const JobReport& report = *test.window.tabs().scope().report();
    QCOMPARE(report.analysis().ranks().size(), std::size_t(2));
    for (const RankIndex rank : report.analysis().ranks()) QCOMPARE(session.trace()->rank(rank).capture, 2);
    // Revealing something of another capture shows that one.
    session.revealPlace(RankIndex(0), JobRange::of(session.trace()->rank(RankIndex(0)).trace->extent));
    QCOMPARE(session.choice().capture, 1);
    QVERIFY(test.window.actions().run("captures.all"));
    QVERIFY(test.settles());
    QCOMPARE(layout.shownRanks().size(), std::size_t(3));
    QCOMPARE(test.window.tabs().scope().report()->analysis().ranks().size(), std::size_t(6));
    QVERIFY(test.window.actions().run("captures.previous"));
    QCOMPARE(session.choice().capture, 3);
  }

  void allCapturesOfARankAreARowUntilItIsOpened() {
    TestWindow test;
    writeCaptures(test.folder.path() / "job", 5);
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    TimelineView& view = timelineOf(test.window);
    const TrackLayout& layout = view.trackLayout();
    std::vector<const Section*> rows;
    for (const Section& section : layout.sections())
      if (section.group != nullptr) rows.push_back(&section);
    QCOMPARE(rows.size(), std::size_t(2));
    QCOMPARE(layout.shownRanks().size(), std::size_t(0));
    QVERIFY2(rows[1]->label.startsWith("Rank 1") && rows[1]->label.endsWith("5 captures"),
             qPrintable(rows[1]->label));
    // A kernel is found where it was recorded, in any capture.
    const TraceSet& trace = *test.window.session().trace();
    const std::vector<RankIndex> captures = rows[0]->group->ranks;
    const int top = rows[0]->top;
    const int height = rows[0]->height;
    for (const RankIndex rank : captures) {
      const RankTrace& of = *trace.rank(rank).trace;
      const TimeRange range = of.events.range(of.deviceBegin);
      const TimeNs shift = test.window.session().shiftOf(rank);
      test.window.session().setWindow({range.begin + shift, range.end + shift});
      QVERIFY(test.settles());
      const double middle = view.canvas().width() / 2.0;
      const EventRef upper = view.canvas().hitAtPosition({middle, top + 4.0}).event;
      const EventRef lower = view.canvas().hitAtPosition({middle, top + height - 4.0}).event;
      QVERIFY(upper.valid() || lower.valid());
      QCOMPARE(upper.valid() ? upper.rank : lower.rank, rank);
    }
    // Revealing an event opens its rank.
    test.window.session().reveal({captures[3], trace.rank(captures[3]).trace->deviceBegin});
    QVERIFY(test.settles());
    QCOMPARE(layout.shownRanks().size(), std::size_t(5));
  }

  // By PyTorch's profiler and by Nsight Systems at the same time: nothing is added up.
  void theRowOfARankThatTwoProfilersRecordedCountsOnce() {
    TestWindow test;
    const std::filesystem::path folder = test.folder.path() / "job";
    test::JobOptions options;
    options.ranks = 2;
    options.steps = 2;
    options.layers = 1;
    options.withMemory = false;
    test::generateJob(options, folder);
    test::writeAsNsys(folder, test.folder.path() / "nsys", test::NsysFile::Version::New);
    for (const auto& file : std::filesystem::recursive_directory_iterator(test.folder.path() / "nsys"))
      if (file.is_regular_file()) std::filesystem::copy_file(file, folder / file.path().filename());
    QVERIFY(test.opens(pathOf(folder)));
    QVERIFY(test.settles());
    TimelineView& view = timelineOf(test.window);
    const TraceSet& trace = *test.window.session().trace();
    QCOMPARE(trace.ranks().size(), std::size_t(4));
    int rows = 0;
    for (const Section& section : view.trackLayout().sections()) {
      if (section.group == nullptr) continue;
      ++rows;
      QCOMPARE(section.group->ranks.size(), std::size_t(2));
      const QStringList alone = view.figures().textsOf(section.group->ranks.front());
      QVERIFY(!alone.isEmpty() && !alone.front().isEmpty());
      QCOMPARE(view.figures().textsOf(*section.group), alone);
    }
    QCOMPARE(rows, 2);
  }

  void theStepsOfTheRulerAreThoseOfEveryCapture() {
    TestWindow test;
    writeCaptures(test.folder.path() / "job", 3);
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    const auto& steps = timelineOf(test.window).ruler().steps();
    QCOMPARE(steps.size(), std::size_t(6));
    const TraceSet& trace = *test.window.session().trace();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      QCOMPARE(trace.rank(steps[i].rank).capture, static_cast<int>(i / 2) + 1);
      const NameId name = trace.rank(steps[i].rank).trace->events.name[steps[i].event];
      QVERIFY(
          QString::fromUtf8(trace.names()[name].data(), static_cast<qsizetype>(trace.names()[name].size()))
              .endsWith(QStringLiteral("#%1").arg(steps[i].number)));
    }
    test.window.tabs().captureChoice().choose(2);
    QVERIFY(test.settles());
    QCOMPARE(timelineOf(test.window).ruler().steps().size(), std::size_t(2));
  }

  void aSliceOfAClosedRowIsFramedThere() {
    TestWindow test;
    writeCaptures(test.folder.path() / "job", 5);
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    TimelineView& view = timelineOf(test.window);
    const Section* row = nullptr;
    for (const Section& section : view.trackLayout().sections())
      if (row == nullptr && section.group != nullptr) row = &section;
    QVERIFY(row != nullptr);
    const RankIndex rank = row->group->ranks[2];
    const RankTrace& of = *test.window.session().trace()->rank(rank).trace;
    const EventRef kernel{rank, of.deviceBegin};
    test.window.session().select(kernel);
    const Lane* const lane = view.trackLayout().laneOf(kernel);
    QVERIFY(lane != nullptr);
    QCOMPARE(lane->top, row->top);
    QCOMPARE(view.trackLayout().shownRanks().size(), std::size_t(0));
    // F keeps it in the picture.
    test.window.session().focusSelection();
    QVERIFY(test.settles());
    const TimeRange shown = test.window.session().window();
    QVERIFY(shown.overlaps(test.window.session().rangeOf(kernel)));
    QVERIFY(view.trackLayout().laneOf(kernel) != nullptr);
  }

  // All of them together, in whatever tab.
  void aRankIsOneRowInEveryTab() {
    TestWindow test;
    writeLateCaptures(test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    TabPages& tabs = test.window.tabs();
    QVERIFY(test.shows("distributed"));
    DistributedPanel& distributed = distributedOf(tabs);
    QCOMPARE(distributed.ranks().shownRows(), 4);
    QCOMPARE(distributed.ranks().model().columnOf("capture"), -1);
    for (int row = 0; row < 4; ++row)
      QCOMPARE(distributed.ranks().view().rowColor(row).isValid(), row == kLate);
    for (TableCard* const card : distributed.findChildren<TableCard*>())
      if (card->model().table() && card->model().table()->name() == "process_groups")
        QCOMPARE(card->shownRows(), 1);
    distributed.setCollectivesByRank(true);
    QCOMPARE(distributed.collectives().shownRows(), 4);
    QVERIFY(test.shows("gains"));
    const QComboBox& ranks = gainsOf(tabs).rankChoice();
    QCOMPARE(ranks.count(), 5);
    QCOMPARE(ranks.itemText(0), QString("Mean of 4 ranks"));
    QCOMPARE(ranks.itemText(1 + kLate), QString("Rank 2"));
    for (const HeatMap* const map : gainsOf(tabs).findChildren<HeatMap*>())
      if (map->contents().cells && map->contents().rowNames.front().startsWith("Rank"))
        QCOMPARE(map->contents().rowNames.size(), qsizetype{4});
    QVERIFY(test.shows("memory"));
    QCOMPARE(memoryOf(tabs).peaks().curves().xTexts, (QStringList{"Rank 0", "Rank 1", "Rank 2", "Rank 3"}));
    QVERIFY(test.shows("kernels"));
    const Curves& perStep = kernelsOf(tabs).perStep().curves();
    QCOMPARE(perStep.curves.size(), std::size_t{12}); // a line for each capture, of the name of its rank
    for (const Curve& curve : perStep.curves)
      QVERIFY2(!curve.name.contains("capture"), qPrintable(curve.name));
  }

  void aRankOfCapturesIsMarkedAsAStraggler() {
    TestWindow test;
    writeLateCaptures(test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    TimelineView& view = timelineOf(test.window);
    QAccessibleInterface* const tree = QAccessible::queryAccessibleInterface(&view.headers());
    QVERIFY(tree != nullptr && tree->childCount() > 0);
    int rows = 0;
    for (int i = 0; i < tree->childCount(); ++i) {
      const QString name = tree->child(i)->text(QAccessible::Name);
      if (!name.contains("3 captures")) continue;
      QCOMPARE(name.contains("straggler"), rows == kLate);
      ++rows;
    }
    QCOMPARE(rows, 4);
    // Groups count ranks, not recordings.
    test.window.session().editChoice([](TimelineChoice& choice) { choice.grouping = "host"; });
    QCOMPARE(view.trackLayout().sections().front().label, QString("node0  ·  4 ranks"));
  }

  void aTruncatedRankIsMarked() {
    constexpr int kTruncated = 0; // whose row is in view
    TestWindow test;
    test::JobOptions options;
    options.ranks = 4;
    options.steps = 3;
    options.layers = 1;
    options.damage.kind = test::DamageKind::Truncate;
    options.damage.rank = kTruncated;
    test::generateJob(options, test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    QAccessibleInterface* const tree =
        QAccessible::queryAccessibleInterface(&timelineOf(test.window).headers());
    QVERIFY(tree != nullptr);
    QStringList marked;
    for (int i = 0; i < tree->childCount(); ++i) {
      const QString name = tree->child(i)->text(QAccessible::Name);
      if (name.contains("truncated file")) marked << name;
    }
    QCOMPARE(marked.size(), 1);
    QVERIFY2(marked.front().startsWith(QString("Rank %1,").arg(kTruncated)), qPrintable(marked.front()));
  }

  void aJobOfOneRankHasOneRowForItsCaptures() {
    TestWindow test;
    test::JobOptions options;
    options.ranks = 1;
    options.steps = 2;
    options.layers = 1;
    options.captures = 3;
    test::generateJob(options, test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    const TrackLayout& layout = timelineOf(test.window).trackLayout();
    QStringList titles;
    for (const Section& section : layout.sections())
      if (section.group != nullptr || (section.rank.valid() && section.key.isRank()))
        titles << section.kind->title(*test.window.session().trace(), section);
    QCOMPARE(titles.mid(1), (QStringList{"Capture 1", "Capture 2", "Capture 3"}));
    const Section& first = layout.sections().front();
    QVERIFY(first.group != nullptr && first.label == "Rank 0  ·  3 captures");
    QVERIFY(!first.folded);
  }

  void aJobOfOneCaptureHasNoChoice() {
    TestWindow test;
    writeCaptures(test.folder.path() / "job", 1);
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    QVERIFY(!test.window.tabs().captureChoice().isVisible());
    QVERIFY(!test.window.actions().run("captures.next"));
    // A stored choice of a capture that is not there is none.
    test.window.session().editChoice([](TimelineChoice& choice) { choice.capture = 7; });
    QCOMPARE(test.window.session().choice().capture, 0);
  }
};

RANKSCOPE_UI_TEST(CaptureChoiceTest)
#include "capture_choice_test.moc"
