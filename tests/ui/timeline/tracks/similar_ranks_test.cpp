// SPDX-License-Identifier: GPL-3.0-or-later
// Many ranks: outliers first, like ones as one lane, places that stay, and all of it undone. Covers
// ui/timeline/lanes/group_lane and ui/timeline/ranks/rank_figures too.
#include "tests/support/job_generator.h"
#include "tests/ui/highlight_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/actions/actions.h"
#include "ui/timeline/ranks/rank_figures.h"
#include "ui/timeline/strips/view_chips.h"
#include "ui/timeline/tracks/rank_arrangement.h"
#include "ui/timeline/tracks/similar_ranks.h"

#include <QToolButton>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

RankProfile profile(double compute, double idle = 0.1) {
  return {1, 1, compute, 0.3, 0.1, 0.01, idle};
}

// Operators in each other.
std::string deepRankText(int rank, int ranks) {
  test::TraceText text;
  text.baseTime(kBase).distributedInfo(rank, ranks);
  for (int depth = 0; depth < 12; ++depth)
    text.addCpuOp(kMainThread, kMs + TimeNs{1000} * depth, 8 * kMs - TimeNs{2000} * depth,
                  "aten::op" + std::to_string(depth));
  text.addKernel(0, kStream, 2 * kMs, 3 * kMs, "gemm_kernel", 1);
  return text.text();
}

const Section* groupNamed(const TrackLayout& layout, const QString& part) {
  for (const Section& section : layout.sections())
    if (section.group && section.label.contains(part)) return &section;
  return nullptr;
}

} // namespace

class SimilarRanksTest : public QObject {
  Q_OBJECT

 private slots:
  void likeRanksAreFoundAroundTheMedianAndTheRestAreOutliers() {
    std::vector<RankProfile> profiles;
    profiles.reserve(82);
    for (int i = 0; i < 60; ++i) profiles.push_back(profile(0.5 + 0.0005 * i)); // 3 % apart
    for (int i = 0; i < 20; ++i) profiles.push_back(profile(0.8));
    profiles.push_back(profile(0.5, 0.4));
    profiles.push_back(profile(0.2));
    const std::vector<RankIndex> stragglers{RankIndex(7)};
    const SimilarRanks similar = similarRanks(profiles, stragglers);
    QCOMPARE(similar.groups.size(), std::size_t(2));
    QCOMPARE(similar.groups[0].size(), std::size_t(59)); // without the straggler
    QCOMPARE(similar.groups[1].size(), std::size_t(20));
    QCOMPARE(similar.outliers.size(), std::size_t(3));
    QCOMPARE(similar.outliers.front(), RankIndex(7));
    // Every rank is somewhere, once.
    std::vector<RankIndex> all = similar.outliers;
    for (const auto& group : similar.groups) all.insert(all.end(), group.begin(), group.end());
    std::ranges::sort(all);
    for (std::size_t i = 0; i < profiles.size(); ++i) QCOMPARE(all[i], RankIndex(i));
    QVERIFY(similarRanks({}, {}).groups.empty());
  }

  // Ranks are counted, not recordings, and a rank is as a whole in one group.
  void capturesOfARankStayTogether() {
    constexpr std::size_t kCaptures = 3;
    for (const std::size_t ranks : {2, 8}) {
      test::JobOptions options;
      options.ranks = static_cast<int>(ranks);
      options.steps = 2;
      options.captures = static_cast<int>(kCaptures);
      const test::TemporaryFolder folder;
      test::generateJob(options, folder.path());
      Progress progress;
      const auto loaded = loadTraces({folder.path().string()}, {}, progress);
      QVERIFY(loaded);
      const SimilarRanks similar = similarRanks(Analysis(loaded.value()));
      if (ranks == 2) QVERIFY(similar.groups.empty()); // too few to fold, in six recordings
      std::vector<std::vector<RankIndex>> lists = similar.groups;
      lists.push_back(similar.outliers);
      std::size_t all = 0;
      for (const std::vector<RankIndex>& list : lists) {
        all += list.size();
        QCOMPARE(list.size() % kCaptures, std::size_t{0});
        for (std::size_t i = 0; i < list.size(); ++i)
          QCOMPARE(loaded.value()->rank(list[i]).rank, loaded.value()->rank(list[i - i % kCaptures]).rank);
      }
      QCOMPARE(all, ranks * kCaptures);
    }
  }

  void manyRanksAreFoldedOnceAndTheChipUnfoldsThem() {
    Highlighted shown(loadWaitingRanks(static_cast<int>(kRanksToArrange)));
    QVERIFY(settles(shown.session.pending()));
    QCOMPARE(shown.session.choice().grouping, kSimilarGrouping);
    const Section* const folded = groupNamed(shown.view.trackLayout(), "similar ranks");
    QVERIFY(folded && folded->folded);
    QVERIFY(shown.view.trackLayout().shownRanks().size() < kRanksToArrange / 2);
    // The last rank begins its collectives later than all others.
    const std::vector<RankIndex> first = shown.view.trackLayout().shownRanks();
    QVERIFY(std::ranges::find(first, RankIndex(kRanksToArrange - 1)) != first.end());
    // The lane has a picture of its own.
    const Lane* const lane = shown.view.trackLayout().laneAt(folded->top);
    const QImage picture = shown.picture();
    const QRgb ground = shown.session.theme().raised.rgb();
    int painted = 0;
    for (int x = 0; x < picture.width(); ++x)
      if (picture.pixel(x, lane->top + lane->height / 2 - 3 - shown.canvas().scrollTop()) != ground)
        ++painted;
    QVERIFY(painted > picture.width() / 10);
    // Revealing a rank of it opens it.
    shown.session.reveal(shown.find("gemm_kernel", 1));
    QVERIFY(shown.view.trackLayout().laneOf(shown.session.selection()));
    auto* const chip = shown.view.chips().findChild<QToolButton*>();
    QVERIFY(chip);
    QTest::mouseClick(chip, Qt::LeftButton);
    QTRY_COMPARE(shown.view.trackLayout().shownRanks().size(), kRanksToArrange);
    // It stays as the user wants it.
    shown.session.setHighlights(shown.session.highlights());
    QVERIFY(shown.session.choice().grouping.isEmpty());
  }

  void fewRanksStayAsTheyAre() {
    Highlighted shown(loadWaitingRanks(4));
    QVERIFY(shown.session.choice().grouping.isEmpty());
    QCOMPARE(shown.view.trackLayout().shownRanks().size(), std::size_t(4));
  }

  void regroupingKeepsTheSelectionWhereItIs() {
    Highlighted shown(loadWaitingRanks(30));
    shown.session.reveal(shown.find("gemm_kernel", 20));
    QVERIFY(settles(shown.session.pending()));
    const auto y = [&] {
      return shown.view.trackLayout().laneOf(shown.session.selection())->top - shown.canvas().scrollTop();
    };
    const int before = y();
    const EventRef selected = shown.session.selection();
    QVERIFY(shown.view.actions().run("arrange.byHost"));
    QVERIFY(settles(shown.session.pending()));
    QCOMPARE(shown.session.choice().grouping, kHostGrouping);
    QCOMPARE(shown.session.selection(), selected);
    QCOMPARE(y(), before);
  }

  void theHostOfAnOutlierIsTheFirst() {
    test::JobOptions options;
    options.ranks = 6;
    options.steps = 1;
    options.ranksPerNode = 2;
    const test::TemporaryFolder folder;
    test::generateJob(options, folder.path());
    Progress progress;
    const auto loaded = loadTraces({folder.path().string()}, {}, progress);
    QVERIFY(loaded);
    RankFiguresForOrder figures;
    figures.similar.outliers = {RankIndex(3)};
    TimelineChoice choice;
    choice.grouping = QStringLiteral("host");
    choice.sort = RankSort::Outliers;
    const std::vector<RankGroup> groups = arrangeRanks(*loaded.value(), &figures, choice);
    QCOMPARE(groups.size(), std::size_t(3));
    QCOMPARE(groups[0].ranks, (std::vector<RankIndex>{RankIndex(3), RankIndex(2)}));
    QCOMPARE(groups[1].ranks.front(), RankIndex(0));
    choice.sort = RankSort::Rank;
    QCOMPARE(arrangeRanks(*loaded.value(), &figures, choice)[0].ranks.front(), RankIndex(0));
  }

  // Before anybody opens the list, which is shown at once.
  void groupingsByProcessGroupAreKnownWithTheHighlights() {
    test::JobOptions options;
    options.ranks = 4;
    options.steps = 2;
    options.parallelism = test::Parallelism::Tensor;
    options.tensorRanks = 2;
    const test::TemporaryFolder folder;
    test::generateJob(options, folder.path());
    Progress progress;
    const auto loaded = loadTraces({folder.path().string()}, {}, progress);
    QVERIFY(loaded);
    Highlighted shown(loaded.value());
    QVERIFY(settles(shown.session.pending()));
    const std::vector<QString> groupings = shown.view.groupings();
    QVERIFY(std::ranges::any_of(groupings, [](const QString& each) { return each.startsWith("group:"); }));
  }

  void aRankInUseStaysOpenWhenOthersArrive() {
    const std::shared_ptr<const TraceSet> whole = loadWaitingRanks(12);
    const auto first = std::make_shared<const TraceSet>(
        whole->jobName(), whole->names(), std::vector<RankEntry>{whole->ranks().front()}, whole->files());
    for (const bool used : {false, true}) {
      Shown shown(first);
      QVERIFY(shown.view.trackLayout().rankExpanded(RankIndex(0)));
      if (used) shown.session.select(shown.find("gemm_kernel"));
      shown.session.setTrace(whole);
      QCOMPARE(shown.view.trackLayout().rankExpanded(RankIndex(0)), used);
    }
  }

  // A tall timeline expands the tracks of one rank; those of twelve have no room.
  void theTrackOfTheSelectionStaysOpenWhenOthersArrive() {
    std::vector<std::string> texts;
    texts.reserve(12);
    for (int rank = 0; rank < 12; ++rank) texts.push_back(deepRankText(rank, 12));
    const std::shared_ptr<const TraceSet> whole = load(texts);
    const auto first = std::make_shared<const TraceSet>(
        whole->jobName(), whole->names(), std::vector<RankEntry>{whole->ranks().front()}, whole->files());
    for (const bool used : {false, true}) {
      Shown shown(nullptr);
      shown.view.resize(shown.view.width(), 2000);
      shown.session.setTrace(first);
      const EventRef event = shown.find("aten::op11");
      const TrackKey key = keyOf(*first, event.rank, first->rank(event.rank).trace->trackOf(event.event));
      const TrackLayout& layout = shown.view.trackLayout();
      QVERIFY(layout.sectionOf(key) && !layout.sectionOf(key)->folded);
      if (used) shown.session.select(event);
      shown.session.setTrace(whole);
      QVERIFY(!used || layout.sectionOf(key));
      const bool open = layout.sectionOf(key) && !layout.sectionOf(key)->folded;
      QCOMPARE(open, used);
    }
  }

  void meansOfRanksAreMeans() {
    Shown shown(loadRanks(2));
    const Analysis& analysis = *shown.session.analysis();
    const TimeRange window = shown.session.trace()->extent();
    const RankInWindow one{0, &analysis.activity(RankIndex(0)), window};
    const std::vector<RankInWindow> twice{one, {1, one.activity, window}};
    const std::vector<RankFigure> alone = rankFigures(one);
    const std::vector<RankFigure> both = meanFigures(twice);
    QCOMPARE(both.size(), alone.size());
    for (std::size_t i = 0; i < both.size(); ++i) QCOMPARE(both[i].value, alone[i].value);
    // Captures of a rank are summed.
    const std::vector<RankInWindow> captures{one, one};
    const std::vector<RankInWindow> ofTwoRanks{one, one, twice[1], twice[1]};
    const std::vector<RankFigure> sums = meanFigures(captures);
    QVERIFY(sums[0].value != alone[0].value);
    const std::vector<RankFigure> means = meanFigures(ofTwoRanks);
    for (std::size_t i = 0; i < sums.size(); ++i) QCOMPARE(means[i].value, sums[i].value);
  }
};

RANKSCOPE_UI_TEST(SimilarRanksTest)
#include "similar_ranks_test.moc"
