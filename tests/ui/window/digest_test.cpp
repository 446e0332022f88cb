// SPDX-License-Identifier: GPL-3.0-or-later
// A digest in the window: all ranks at once, tabs that say what they lack, and the events of a rank on
// demand. Covers ui/window/digest_cover, ui/window/digest_events, ui/timeline/ranks/rank_bands and
// ui/timeline/lanes/band_lane and ui/job/later_trace.
#include "core/io/digest/flight_image.h"
#include "core/io/load/job_loader.h"
#include "core/model/rank_digest.h"
#include "core/model/side_files.h"
#include "tests/support/digest_job.h"
#include "tests/support/training_snapshot.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/details/bottom_panel.h"
#include "ui/details/collective_panel.h"
#include "ui/findings/finding_card.h"
#include "ui/findings/findings_panel.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/efficiency/efficiency_panel.h"
#include "ui/tabs/efficiency/model_box.h"
#include "ui/tabs/hang/hang_panel.h"
#include "ui/tabs/memory/memory_panel.h"
#include "ui/tabs/tab_registry.h"
#include "ui/timeline/ranks/rank_bands.h"
#include "ui/timeline/tracks/track_layout.h"
#include "ui/timeline/view/timeline_view.h"
#include "ui/widgets/choice_row.h"
#include "ui/widgets/message_banner.h"
#include "ui/widgets/tab_row.h"
#include "ui/window/digest_cover.h"

#include <QLabel>
#include <QToolButton>

#include <algorithm>
#include <fstream>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

// The digest beside the traces.
std::string writeDigested(const std::filesystem::path& folder) {
  test::JobOptions options;
  options.ranks = 3;
  options.ranksPerNode = 1;
  options.steps = 2;
  options.layers = 1;
  options.clockOffsetNs = {0, 3'000'000, -2'000'000};
  test::generateJob(options, folder / "job");
  Progress progress;
  const auto job = loadJob({(folder / "job").string()}, {}, progress);
  if (!job.ok()) return {};
  const std::string to = (folder / "job.digest").string();
  return writeDigest(test::digestJob(Analysis(*job)), to) ? std::string() : to;
}

// A dump of a rank of two that has enqueued so many calls, of which it completed four.
QString dumpOfCalls(int enqueued) {
  const QString waiting =
      "{'record_id':5,'pg_id':0,'process_group':['0','default_pg'],'collective_seq_id':5,"
      "'profiling_name':'nccl:all_reduce','input_sizes':[[8]],'output_sizes':[[8]],'state':'scheduled',"
      "'retired':false,'is_p2p':false,'time_created_ns':1700000000000000000}";
  const QString dump = "{'version':'2.9','pg_config':{'0':{'name':'0','desc':'default_pg','ranks':'[0, 1]'}},"
                       "'pg_status':{'0':{'last_enqueued_collective':'%1','last_started_collective':'-1',"
                       "'last_completed_collective':'4'}},'entries':[%2]}";
  return QString(dump).arg(enqueued).arg(enqueued > 4 ? waiting : QString()).replace('\'', '"');
}

} // namespace

class DigestTest : public QObject {
  Q_OBJECT

 private slots:
  void showsAllRanksAndSaysWhatItLacks() {
    TestWindow test(loadJob);
    const std::string digest = writeDigested(test.folder.path());
    QVERIFY(!digest.empty());
    QVERIFY(test.opens(pathOf(digest)));
    TraceSession& session = test.window.session();
    QCOMPARE(timelineOf(test.window).trackLayout().shownRanks().size(), std::size_t(3));
    QVERIFY(!timelineOf(test.window).trackLayout().rankExpanded(RankIndex(0)));
    const JobReport& report = *test.window.tabs().scope().report();
    for (const char* tab : {"stacks", "query", "compare"}) {
      QVERIFY(!whyTabIsEmpty(tab, &report).isEmpty());
      QVERIFY(test.window.tabs().pageNamed(tab)->findChild<DigestCover*>()->isVisibleTo(
          test.window.tabs().pageNamed(tab)));
    }
    for (const char* tab :
         {"overview", "kernels", "distributed", "timeline", "memory", "parallelism", "efficiency"})
      QVERIFY(whyTabIsEmpty(tab, &report).isEmpty());
    QVERIFY(whyTabIsEmpty("stacks", nullptr).isEmpty());
    const auto* const message = test.window.tabs().findings().findChild<QLabel*>("emptyText");
    QVERIFY(message != nullptr && !message->text().contains("digest"));
    TestWindow traces(loadJob);
    QVERIFY(traces.opens(pathOf(test.folder.path() / "job")));
    const std::size_t findings = report.findings().size();
    QCOMPARE(findings, traces.window.tabs().scope().report()->findings().size());
    QCOMPARE(test.window.tabs().findings().findChildren<FindingCard*>().size(), qsizetype(findings));
    // The results of a range would need events.
    session.setRange(session.window());
    QVERIFY(test.settles());
    QVERIFY(!test.window.tabs().scope().limited());
    QVERIFY(!test.window.tabs().scopeButton().isEnabled());
  }

  // As of the traces, without fields for peaks and models that a digest does not know.
  void showsWhatWasComputedAndHowFast() {
    TestWindow test(loadJob);
    const std::string digest = writeDigested(test.folder.path());
    QVERIFY(!digest.empty());
    QVERIFY(test.opens(pathOf(digest)));
    QVERIFY(test.shows("efficiency"));
    QVERIFY(test.settles());
    TestWindow traces(loadJob);
    QVERIFY(traces.opens(pathOf(test.folder.path() / "job")));
    QVERIFY(traces.shows("efficiency"));
    QVERIFY(traces.settles());
    auto& shown = test.window.tabs().page<EfficiencyPanel>("efficiency");
    auto& whole = traces.window.tabs().page<EfficiencyPanel>("efficiency");
    QVERIFY(shown.data()->ofDigest && !whole.data()->ofDigest);
    QVERIFY(!shown.model().isVisibleTo(&shown) && whole.model().isVisibleTo(&whole));
    for (std::size_t i = 0; i < kEfficiencyFigureCount; ++i)
      QCOMPARE(shown.data()->figures[i].value, whole.data()->figures[i].value);
    QVERIFY(!shown.data()->roofline.dots.empty());
    QCOMPARE(shown.data()->roofline.dots.size(), whole.data()->roofline.dots.size());
    for (EfficiencyPanel* const panel : {&shown, &whole}) panel->grouping().choose(1); // operators
    QVERIFY(shown.points().shownRows() > 0);
    QCOMPARE(shown.points().shownRows(), whole.points().shownRows());
  }

  // Dumps are in a digest, memory snapshots are named with their path.
  void showsWhoHangsAndWhereSnapshotsLie() {
    TestWindow test(loadJob);
    const std::filesystem::path folder = test.folder.path() / "job";
    writeSmallJob(folder);
    for (int rank = 0; rank < 2; ++rank)
      std::ofstream(folder / ("nccl_trace_rank_" + std::to_string(rank) + ".json"))
          << dumpOfCalls(5 - rank).toStdString();
    std::ofstream(folder / "rank1_snapshot.pickle", std::ios::binary)
        << test::trainingSnapshot(test::TrainingShape());
    Progress progress;
    const auto job = loadJob({folder.string()}, {}, progress);
    QVERIFY(job.ok());
    QCOMPARE((*job)->side().flightRecords.size(), std::size_t(2));
    DigestJob digest = test::digestJob(Analysis(*job));
    for (const FlightRecord& record : (*job)->side().flightRecords)
      digest.flights.push_back(packedFlight(record));
    const std::string to = (test.folder.path() / "job.digest").string();
    QVERIFY(!writeDigest(digest, to));
    std::filesystem::remove_all(folder);
    QVERIFY(test.opens(pathOf(to)));
    QVERIFY(!test.window.tabRow().isAbsent(tabNamed(QStringLiteral("hang"))));
    QVERIFY(test.shows("hang"));
    QVERIFY(test.settles());
    auto& hang = test.window.tabs().page<HangPanel>("hang");
    QVERIFY2(hang.verdict().startsWith(QStringLiteral("Rank 1 never entered")), qPrintable(hang.verdict()));
    QVERIFY(test.shows("memory"));
    QVERIFY(test.settles());
    const auto* const elsewhere = memoryOf(test.window.tabs()).findChild<QLabel*>("snapshotsElsewhere");
    QVERIFY(elsewhere != nullptr && elsewhere->isVisible());
    QVERIFY2(elsewhere->text().contains("rank1_snapshot.pickle"), qPrintable(elsewhere->text()));
  }

  // What the timeline draws is where the events of the same rank are, also where a host's clock was
  // corrected.
  void drawsOnTheClockOfTheJob() {
    TestWindow test(loadJob);
    const std::string digest = writeDigested(test.folder.path());
    QVERIFY(test.opens(pathOf(digest)));
    const auto drawn = test.window.document().tables().drawnAnalysis;
    const auto traces = std::make_unique<TestWindow>();
    QVERIFY(traces->opens(pathOf(test.folder.path() / "job")));
    const auto expected = traces->window.document().tables().drawnAnalysis;
    for (std::size_t i = 0; i < 3; ++i) {
      const RankIndex rank(i);
      QCOMPARE(drawn->trace().rank(rank).trace->extent.begin,
               expected->trace().rank(rank).trace->extent.begin);
      QVERIFY(drawn->wholeActivity(rank).exposed.ranges().front() ==
              expected->wholeActivity(rank).exposed.ranges().front());
      QVERIFY(drawn->wholeStepWindows(rank).steps.back().range ==
              expected->wholeStepWindows(rank).steps.back().range);
    }
  }

  void loadsTheEventsOfAnExpandedRank() {
    TestWindow test(loadJob);
    const std::string digest = writeDigested(test.folder.path());
    QVERIFY(test.opens(pathOf(digest)));
    TraceSession& session = test.window.session();
    const double before = test.window.document().tables().report->keptAccount().stepTime;
    const std::size_t few = session.trace()->rank(RankIndex(1)).trace->events.size();
    timelineOf(test.window).setRankExpanded(RankIndex(1), true);
    QVERIFY(test.settles());
    const TraceSet& job = *test.window.document().recorded();
    QVERIFY(digestOf(job, RankIndex(0)) != nullptr);
    QVERIFY(digestOf(job, RankIndex(1)) == nullptr);
    QVERIFY(job.rank(RankIndex(1)).trace->events.size() > few);
    QVERIFY(timelineOf(test.window).trackLayout().rankExpanded(RankIndex(1)));
    QCOMPARE(test.window.document().tables().report->keptAccount().stepTime, before);
  }

  // What a finding is about stays selected while the events around it are read.
  void keepsTheSelectionWhenEventsAreLoaded() {
    TestWindow test(loadJob);
    const std::string digest = writeDigested(test.folder.path());
    QVERIFY(test.opens(pathOf(digest)));
    TraceSession& session = test.window.session();
    const RankIndex rank(1);
    const EventIndex call = test.window.document().tables().drawnAnalysis->collectiveCalls(rank).back().event;
    session.select({rank, call});
    BottomPanel& panel = bottomPanelOf(test.window);
    QCOMPARE(panel.currentPanel(), static_cast<QWidget*>(&collectiveOf(test.window)));
    const std::string name(session.trace()->names()[session.trace()->rank(rank).trace->events.name[call]]);
    const TimeRange range = session.rangeOf(session.selection());
    timelineOf(test.window).setRankExpanded(rank, true);
    QVERIFY(test.settles());
    QVERIFY(digestOf(*session.trace(), rank) == nullptr);
    const EventRef kept = session.selection();
    QCOMPARE(kept.rank, rank);
    QVERIFY(kept.event.valid() && kept.event != call);
    QCOMPARE(
        std::string(session.trace()->names()[session.trace()->rank(rank).trace->events.name[kept.event]]),
        name);
    QVERIFY(session.rangeOf(kept) == range);
    QVERIFY(collectiveOf(test.window).shows());
    QCOMPARE(panel.currentPanel(), static_cast<QWidget*>(&collectiveOf(test.window)));
    // A rank that stays a digest keeps its own.
    session.select({RankIndex(0), EventIndex(0)});
    timelineOf(test.window).setRankExpanded(RankIndex(2), true);
    QVERIFY(test.settles());
    QVERIFY(session.selection() == (EventRef{RankIndex(0), EventIndex(0)}));
  }

  void keepsTheGapWhenEventsAreLoaded() {
    TestWindow test(loadJob);
    const std::string digest = writeDigested(test.folder.path());
    QVERIFY(test.opens(pathOf(digest)));
    TraceSession& session = test.window.session();
    const RankIndex rank(1);
    const auto& gaps = session.highlights()->analysis().gaps(rank).ofDevices;
    QVERIFY(!gaps.empty());
    const auto longest =
        std::ranges::max_element(gaps, {}, [](const IdleGap& gap) { return gap.range.length(); });
    const GapRef gap{rank, session.highlights()->rangeOf(rank, *longest)};
    session.selectGap(gap);
    timelineOf(test.window).setRankExpanded(rank, true);
    QVERIFY(test.settles());
    QVERIFY(digestOf(*session.trace(), rank) == nullptr);
    QVERIFY(session.gap() == gap);
    const IdleGap* const later = session.highlights()->gapAt(rank, gap.range.begin + gap.range.length() / 2);
    QVERIFY(later != nullptr);
    QCOMPARE(later->range.length(), gap.range.length());
  }

  void bandsNameTheOddRank() {
    TestWindow test(loadJob);
    test::JobOptions options;
    options.ranks = static_cast<int>(kRanksForBands);
    options.steps = 1;
    options.layers = 1;
    options.straggler = {5, 4'000'000, 0, test::StragglerKind::Compute};
    test::generateJob(options, test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    const RankBands bands = rankBands(*test.window.document().tables().drawnAnalysis, 1);
    const RankBand& compute = bands.of(BandOf::Compute);
    for (std::size_t part = 0; part < RankBand::kParts; ++part) {
      QVERIFY(compute.least[part] <= compute.median[part]);
      QVERIFY(compute.median[part] <= compute.most[part]);
    }
    QVERIFY(!compute.odd.empty());
    QCOMPARE(compute.odd.front().rank, 5);
    QCOMPARE(bands.partAt(bands.recorded.hull().begin - 1), std::size_t(0));
    QCOMPARE(bands.partAt(bands.recorded.hull().end), RankBand::kParts - 1);
    const auto sections = timelineOf(test.window).trackLayout().sections();
    QVERIFY(std::ranges::any_of(sections, [](const Section& of) { return of.key.id == "band/compute"; }));
  }

  void saysWhereAMissingTraceLies() {
    TestWindow test(loadJob);
    const std::string digest = writeDigested(test.folder.path());
    std::filesystem::remove_all(test.folder.path() / "job");
    QVERIFY(test.opens(pathOf(digest)));
    timelineOf(test.window).setRankExpanded(RankIndex(2), true);
    QVERIFY(test.settles());
    QVERIFY(test.window.banner().text().contains("cannot be reached"));
    QVERIFY(test.window.banner().text().contains("job"));
    QVERIFY(!timelineOf(test.window).trackLayout().rankExpanded(RankIndex(2)));
  }
};

RANKSCOPE_UI_TEST(DigestTest)
#include "digest_test.moc"
