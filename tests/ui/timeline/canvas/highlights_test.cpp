// SPDX-License-Identifier: GPL-3.0-or-later
// Highlights: idle gaps and their explanation, parts of collectives, the legend, navigation through
// hotspots. Covers ui/base/highlight_choice, ui/timeline/lanes/row_highlights and
// ui/timeline/view/highlight_actions too.
#include "core/report/leaf_texts.h"
#include "tests/support/job_generator.h"
#include "tests/ui/highlight_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/details/explanation_page.h"
#include "ui/details/gap_panel.h"
#include "ui/timeline/strips/figures_column.h"
#include "ui/timeline/strips/highlight_bar.h"

#include <QToolButton>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

const ExplanationRow* rowOf(const Explanation& explanation, const QString& key) {
  const auto row = std::ranges::find(explanation.rows, key, &ExplanationRow::key);
  return row == explanation.rows.end() ? nullptr : &*row;
}

QToolButton* buttonNamed(HighlightBar& bar, const QString& text) {
  for (QToolButton* const button : bar.findChildren<QToolButton*>())
    if (button->text() == text) return button;
  return nullptr;
}

constexpr std::size_t kLate = 2;

std::shared_ptr<const TraceSet> loadJobWithStraggler() {
  const test::TemporaryFolder folder;
  test::JobOptions options;
  options.ranks = 4;
  options.steps = 5;
  options.straggler = {static_cast<int>(kLate), 3'000'000, 0, test::StragglerKind::Compute};
  test::generateJob(options, folder.path());
  Progress progress;
  const auto loaded = loadTraces({folder.path().string()}, {}, progress);
  if (!loaded) qFatal("%s", loaded.error().text().c_str());
  return loaded.value();
}

// How many pixels of a line differ.
int differences(const QImage& a, const QImage& b, int y, int left, int right) {
  int count = 0;
  for (int x = left; x < right; ++x) count += a.pixel(x, y) != b.pixel(x, y);
  return count;
}

} // namespace

class HighlightsTest : public QObject {
  Q_OBJECT

 private slots:
  void aClickOnIdleTimeSelectsTheGapAndAnotherClickAnEvent();
  void theExplanationOfAGapNamesTheHostWhatRanNextAndItsLaunch();
  void idleTimeBeforeTheFirstKernelHasTheCauseOfTheAccount();
  void aLinkInTheExplanationRevealsItsEvent();
  void theWaitingPartOfACollectiveLooksDifferentFromItsTransfer();
  void nAndShiftNStepThroughHotspots();
  void eachHighlightIsSwitchedOffInTheLegend();
  void withoutHighlightsTheTimelineWorksAsEver();
  void aStragglerWearsABadgeWithItsCostUntilSwitchedOff();
  void aStragglerIsExpandedUnlessTheTimelineWasUsed();
  void rankMetricsAreShownNextToTheLanes();
  void theTooltipOfAGapShowsItsCause();
};

void HighlightsTest::aClickOnIdleTimeSelectsTheGapAndAnotherClickAnEvent() {
  Highlighted shown(loadWaitingRanks(2));
  shown.click(shown.pointInGap(5 * kMs));
  QVERIFY(shown.session.gap().has_value());
  QCOMPARE(shown.session.gap()->rank, RankIndex(0));
  const JobRange expected = JobRange::of({shown.origin() + 4 * kMs, shown.origin() + 6 * kMs});
  QCOMPARE(shown.session.gap()->range, expected);
  QVERIFY(!shown.session.selection().valid());

  shown.click(shown.pointOn(shown.find("gemm_kernel")));
  QVERIFY(!shown.session.gap().has_value());
  QCOMPARE(shown.session.selection(), shown.find("gemm_kernel"));

  shown.click(shown.pointInGap(5 * kMs));
  shown.press(Qt::Key_Escape);
  QVERIFY(!shown.session.gap().has_value());

  // A collapsed rank shows its gaps above, its communication below.
  const Lane& folded = shown.view.trackLayout().rankLane(RankIndex(1));
  shown.click({static_cast<int>(shown.canvas().xOf(shown.origin() + 5 * kMs)),
               folded.top + 6 - shown.canvas().scrollTop()});
  QCOMPARE(shown.session.gap(), (std::optional<GapRef>{{RankIndex(1), expected}}));
}

void HighlightsTest::theExplanationOfAGapNamesTheHostWhatRanNextAndItsLaunch() {
  Highlighted shown(loadWaitingRanks(2));
  shown.click(shown.pointInGap(5 * kMs));
  const Explanation explanation =
      gapExplanation(shown.highlights(), *shown.session.trace(), *shown.session.gap());
  QVERIFY2(explanation.title.contains("2.00 ms") && explanation.title.contains("DataLoader"),
           qPrintable(explanation.title));
  const ExplanationRow* const host = rowOf(explanation, "CPU activity during gap");
  QVERIFY(host && host->text.startsWith("enumerate(DataLoader)"));
  const ExplanationRow* const next = rowOf(explanation, "Next GPU event");
  QVERIFY(next && next->target == shown.find("relu_kernel"));
  const ExplanationRow* const launch = rowOf(explanation, "Launched by");
  QVERIFY(launch != nullptr);
  QCOMPARE(launch->text, QStringLiteral("cudaLaunchKernel"));
  // Launched at 5.7 ms, 1.7 ms into the gap.
  QVERIFY2(launch->note.contains("1.70 ms after the gap began"), qPrintable(launch->note));
  const ExplanationRow* const caller = rowOf(explanation, "Called from");
  QVERIFY(caller && caller->target == shown.find("aten::relu"));
  QVERIFY(rowOf(explanation, "All ranks")->text.startsWith("2 of 2"));
}

// It is no gap between two kernels, and yet the account says what it is.
void HighlightsTest::idleTimeBeforeTheFirstKernelHasTheCauseOfTheAccount() {
  Highlighted shown(loadWaitingRanks(2));
  const JobReport& report = shown.highlights().report();
  const RankIndex rank(0);
  const TimePieces& pieces = report.account().of(rank).pieces;
  std::size_t first = 0;
  while (first < pieces.size() && pieces[first].timeClass != TimeClass::Idle) ++first;
  QVERIFY(first < pieces.size());
  const JobRange place = report.analysis().clocks().of(rank).toJob(RankRange::of(pieces.rangeOf(first)));
  const Explanation explanation =
      gapExplanation(shown.highlights(), *shown.session.trace(), GapRef{rank, place});
  const auto title = leafTitle(pieces[first].leaf);
  QVERIFY2(explanation.title.contains(QString::fromUtf8(title.data(), static_cast<qsizetype>(title.size()))),
           qPrintable(explanation.title));
  QVERIFY(explanation.summary != "Cause not recorded.");
  QVERIFY(rowOf(explanation, "Same cause on this rank") != nullptr);
}

void HighlightsTest::aLinkInTheExplanationRevealsItsEvent() {
  Highlighted shown(loadWaitingRanks(2));
  GapPanel panel(shown.session);
  QVERIFY2(panel.toPlainText().contains("Click idle time"), qPrintable(panel.toPlainText()));
  shown.click(shown.pointInGap(5 * kMs));
  QVERIFY(panel.toPlainText().contains("DataLoader"));
  const EventRef target = rowOf(panel.explanation(), "Next GPU event")->target;
  emit panel.anchorClicked(
      QUrl(QStringLiteral("event:%1/%2").arg(target.rank.value).arg(target.event.value)));
  QCOMPARE(shown.session.selection(), target);
  QVERIFY(!shown.session.gap().has_value());
}

void HighlightsTest::theWaitingPartOfACollectiveLooksDifferentFromItsTransfer() {
  Highlighted shown(loadWaitingRanks(2));
  const EventRef early = shown.collective(0);
  const Participant* const part =
      shown.highlights().partOf(*shown.highlights().instanceOf(early), early.rank);
  QCOMPARE(part->wait, 25 * kMs / 10);
  QCOMPARE(part->transfer, kMs / 2);
  const QImage with = shown.picture();
  HighlightOptions options;
  options.waits = false;
  shown.session.setHighlightOptions(options);
  const QImage without = shown.picture();
  const int y = shown.pointOn(early).y() + 7; // below the label
  const auto x = [&](TimeNs t) { return static_cast<int>(shown.canvas().xOf(shown.origin() + t)); };
  QVERIFY(differences(with, without, y, x(7 * kMs) + 2, x(85 * kMs / 10) - 2) > 50);
  QCOMPARE(differences(with, without, y, x(85 * kMs / 10) + 2, x(9 * kMs) - 2), 0);
  // The last rank does not wait.
  shown.view.setRankExpanded(RankIndex(1), true);
  const QImage lastWithout = shown.picture();
  shown.session.setHighlightOptions({});
  const QImage lastWith = shown.picture();
  const QPoint last = shown.pointOn(shown.collective(1));
  QCOMPARE(differences(lastWith, lastWithout, last.y() + 7, x(85 * kMs / 10), x(9 * kMs)), 0);
}

void HighlightsTest::nAndShiftNStepThroughHotspots() {
  Highlighted shown(loadWaitingRanks(2));
  const auto places = shown.highlights().places();
  QVERIFY(places.size() >= 2);
  std::set<std::pair<TimeNs, TimeNs>> windows;
  TimeNs before = 0;
  bool single = false;
  for (std::size_t i = 0; i < places.size(); ++i) {
    shown.press(Qt::Key_N);
    QCOMPARE(shown.view.highlightBar().place(), std::optional(i));
    const TimeRange place = places[i].range.ns();
    QVERIFY(place.overlaps(shown.window()));
    QVERIFY(shown.window().begin <= place.begin && place.end <= shown.window().end);
    windows.insert({shown.window().begin, shown.window().end});
    // What was found in all steps comes first, then places, each by cost.
    const bool startsAnew = !single && places[i].kind != PlaceKind::Finding;
    if (i > 0 && !startsAnew) QVERIFY(places[i].cost <= before);
    single = places[i].kind != PlaceKind::Finding;
    before = places[i].cost;
  }
  QVERIFY(windows.size() >= 2);
  shown.press(Qt::Key_N);
  QCOMPARE(shown.view.highlightBar().place(), std::optional<std::size_t>(0));
  shown.press(Qt::Key_N, Qt::ShiftModifier);
  QCOMPARE(shown.view.highlightBar().place(), std::optional(places.size() - 1));
  // The gap of all ranks occurs once.
  const JobRange stall = JobRange::of({shown.origin() + 4 * kMs, shown.origin() + 6 * kMs});
  QCOMPARE(std::ranges::count(places, stall, &CostlyPlace::range), 1);
  const QString text = std::ranges::find(places, stall, &CostlyPlace::range)->text;
  QVERIFY2(text.contains("idle", Qt::CaseInsensitive), qPrintable(text));
}

void HighlightsTest::eachHighlightIsSwitchedOffInTheLegend() {
  Highlighted shown(loadWaitingRanks(2));
  for (const char* name : {"Idle", "Exposed", "Wait | transfer"}) {
    const QImage on = shown.picture();
    QToolButton* const button = buttonNamed(shown.view.highlightBar(), name);
    QVERIFY2(button, name);
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY2(shown.picture() != on, name);
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY2(shown.picture() == on, name);
  }
}

void HighlightsTest::withoutHighlightsTheTimelineWorksAsEver() {
  Shown shown(loadWaitingRanks(2));
  shown.press(Qt::Key_N);
  QVERIFY(!shown.view.highlightBar().place().has_value());
  const EventRef kernel = shown.find("gemm_kernel");
  shown.click({static_cast<int>(shown.canvas().xOf(shown.origin() + 5 * kMs)), shown.pointOn(kernel).y()});
  QVERIFY(shown.session.gap().has_value());
  GapPanel panel(shown.session);
  QVERIFY(panel.toPlainText().contains("Computing"));
}

void HighlightsTest::aStragglerWearsABadgeWithItsCostUntilSwitchedOff() {
  Highlighted shown(loadJobWithStraggler());
  const StragglerNote* const note = shown.highlights().straggler(RankIndex(2));
  QVERIFY(note && note->straggler.gainLow > kMs);
  QCOMPARE(note->cause.part, LatePart::Kernels);
  QVERIFY(!shown.highlights().straggler(RankIndex(1)));
  // The gain is that of the finding.
  const std::vector<Finding>& findings = shown.highlights().report().findings();
  const auto finding = std::ranges::find(findings, FindingKind::Straggler, &Finding::kind);
  QVERIFY(finding != findings.end() && finding->gain);
  QCOMPARE(note->gain, *finding->gain);
  const auto headerOf = [&](std::size_t rank) {
    const Lane& lane = shown.view.trackLayout().rankLane(RankIndex(rank));
    const QRect box(0, lane.top - shown.canvas().scrollTop(), shown.view.headers().width(), lane.height);
    return shown.view.headers().grab(box).toImage();
  };
  const QImage with = headerOf(2);
  const QImage other = headerOf(1);
  shown.session.setHighlightOptions({.stragglers = false});
  QVERIFY(headerOf(2) != with);
  QVERIFY(headerOf(1) == other);
  // Expanded, its header shows the text above the lanes.
  shown.view.setRankExpanded(RankIndex(2), true);
  const QImage plain = shown.picture();
  shown.session.setHighlightOptions({});
  QVERIFY(shown.picture() != plain);
}

void HighlightsTest::aStragglerIsExpandedUnlessTheTimelineWasUsed() {
  const auto trace = loadJobWithStraggler();
  enum class Use : std::uint8_t { None, Selection, Zoom, Fold };
  for (const Use use : {Use::None, Use::Selection, Use::Zoom, Use::Fold}) {
    Shown shown(trace);
    shown.view.resize(shown.view.width(), 1000); // room for two ranks
    QApplication::processEvents();
    const TrackLayout& layout = shown.view.trackLayout();
    QVERIFY(layout.rankExpanded(RankIndex(0)) && !layout.rankExpanded(RankIndex(kLate)));
    if (use == Use::Selection) shown.session.select({RankIndex(0), EventIndex(0)});
    if (use == Use::Zoom) shown.session.setWindow({shown.origin(), shown.origin() + kMs});
    if (use == Use::Fold) shown.view.setRankExpanded(RankIndex(1), true);
    shown.session.setHighlights(
        std::make_shared<const JobHighlights>(std::make_shared<const JobReport>(shown.session.analysis())));
    QVERIFY(layout.rankExpanded(RankIndex(0)));
    QCOMPARE(layout.rankExpanded(RankIndex(kLate)), use == Use::None);
  }
}

void HighlightsTest::rankMetricsAreShownNextToTheLanes() {
  Highlighted shown(loadWaitingRanks(3));
  shown.view.setFiguresShown(true);
  QApplication::processEvents();
  const FiguresColumn& column = shown.view.figures();
  QVERIFY(column.isVisible());
  QVERIFY(column.x() >= shown.canvas().x() + shown.canvas().width());
  QVERIFY(column.x() + column.width() <= shown.view.width());
  // At least exposed and idle are shown.
  const QStringList all = column.textsOf(RankIndex(0));
  QVERIFY(all.size() >= 2);
  QCOMPARE(all.last(), QStringLiteral("2.20 ms"));
  shown.session.setRange(TimeRange{shown.origin() + 4 * kMs, shown.origin() + 5 * kMs});
  QCOMPARE(column.textsOf(RankIndex(0)).last(), QStringLiteral("1.00 ms"));
  QVERIFY(FiguresColumn::widthFor(3600, false) > FiguresColumn::widthFor(900, false));
  const int narrow = shown.canvas().width();
  shown.view.setFiguresShown(false);
  QVERIFY(shown.canvas().width() > narrow);
}

void HighlightsTest::theTooltipOfAGapShowsItsCause() {
  Highlighted shown(loadWaitingRanks(2));
  shown.hover(shown.pointInGap(5 * kMs));
  for (const char* fact : {"GPU idle", "2.00 ms", "DataLoader"})
    QVERIFY2(shown.canvas().hoverText().contains(fact), qPrintable(shown.canvas().hoverText()));
}

RANKSCOPE_UI_TEST(HighlightsTest)
#include "highlights_test.moc"
