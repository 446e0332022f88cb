// SPDX-License-Identifier: GPL-3.0-or-later
// The account as a table and a waterfall: it adds up to the step for any choice of ranks and steps, agrees
// with the account that findings are measured against, and leads to the longest place of each leaf. Covers
// core/report/leaf_texts.
#include "core/report/account_table.h"

#include "core/analysis/job/scope.h"
#include "core/base/whole_number.h"
#include "core/io/load/trace_loader.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/hand_made_job.h"
#include "tests/unit/times.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>

namespace rankscope {

namespace {

JobReport reportOf(const test::JobOptions& options) {
  const test::TemporaryFolder folder;
  test::generateJob(options, folder.path());
  Progress progress;
  auto loaded = loadTraces({folder.path().string()}, {}, progress);
  if (!loaded.ok()) throw std::runtime_error(loaded.error().text());
  return JobReport(std::make_shared<const Analysis>(*loaded));
}

// Its first step loads for 40 ms more, and rank 2 computes 3 ms longer in each.
test::JobOptions faults() {
  test::JobOptions options;
  options.ranks = 3;
  options.steps = 5;
  options.straggler = {2, 3 * kMs, 0, test::StragglerKind::Compute};
  options.gaps.push_back({-1, 0, 40 * kMs, test::GapCause::DataLoader});
  return options;
}

double sumOf(const AccountView& view) {
  return std::accumulate(view.leaves.begin(), view.leaves.end(), 0.0,
                         [](double sum, const AccountLeaf& leaf) { return sum + leaf.time; });
}

std::int64_t columnSum(const ResultTable& table, std::string_view name) {
  const std::size_t column = *table.columnNamed(name);
  std::int64_t sum = 0;
  for (std::size_t row = 0; row < table.rowCount(); ++row) {
    const Cell cell = table.at(row, column);
    if (const auto* time = std::get_if<std::int64_t>(&cell)) sum += *time;
  }
  return sum;
}

void expectAddsUp(const JobReport& report, const AccountView& view) {
  EXPECT_NEAR(sumOf(view), view.stepTime, 1);
  EXPECT_NEAR(std::accumulate(view.classTimes.begin(), view.classTimes.end(), 0.0), view.stepTime, 1);
  EXPECT_EQ(columnSum(accountTable(report, view), "time_us"), rounded(view.stepTime));
  for (const bool expanded : {false, true}) {
    std::array<bool, kLeafGroupCount> groups{};
    groups.fill(expanded);
    double end = 0;
    std::size_t leaves = 0;
    for (const AccountBar& bar : accountBars(view, groups)) {
      EXPECT_NEAR(bar.begin, end, 1e-3);
      end = bar.begin + bar.time;
      for (const std::size_t leaf : bar.leaves) EXPECT_EQ(leaf, leaves++);
      EXPECT_TRUE(!expanded || bar.leaves.size() == 1);
    }
    EXPECT_NEAR(end, view.stepTime, 1);
    EXPECT_EQ(leaves, view.leaves.size());
  }
}

} // namespace

TEST(AccountTable, meansAreThoseThatFindingsAreMeasuredAgainst) {
  const JobReport report = reportOf(faults());
  const AccountView view = accountView(report, {});
  const KeptAccount& kept = report.keptAccount();
  EXPECT_NEAR(view.stepTime, kept.stepTime, 1);
  EXPECT_EQ(view.steps, kept.steps);
  EXPECT_EQ(view.steps, 4u);
  EXPECT_EQ(view.ranks, 3u);
  for (std::size_t leaf = 0; leaf < kLeafCount; ++leaf) {
    double time = 0;
    for (const AccountLeaf& of : view.leaves) time += static_cast<std::size_t>(of.leaf) == leaf ? of.time : 0;
    EXPECT_NEAR(time, kept.leafTimes[leaf], 1) << leafText(static_cast<Leaf>(leaf));
  }
  expectAddsUp(report, view);
}

TEST(AccountTable, oneStepOfOneRankIsItsRowOfTheAccount) {
  const JobReport report = reportOf(faults());
  const Analysis& analysis = report.analysis();
  const RankIndex rank(1);
  for (const std::size_t place : accountSteps(report, rank)) {
    const AccountView view = accountView(report, {rank, place});
    expectAddsUp(report, view);
    const std::vector<std::size_t>& ofRank = analysis.keptSteps().stepOfRank[rank.value];
    const auto at = static_cast<std::size_t>(std::ranges::find(ofRank, place) - ofRank.begin());
    const StepAccount& step = report.account().of(rank).steps[at];
    EXPECT_EQ(rounded(view.stepTime), step.range.length());
    ASSERT_EQ(view.leaves.size(), step.times.size());
    for (const AccountLeaf& leaf : view.leaves) {
      const auto same = std::ranges::find_if(step.times, [&](const LeafTime& part) {
        return part.leaf == leaf.leaf && part.timeClass == leaf.timeClass;
      });
      ASSERT_NE(same, step.times.end());
      EXPECT_EQ(rounded(leaf.time), same->time);
      EXPECT_EQ(leaf.longest.rank, rank);
      EXPECT_TRUE(step.range.clippedTo(leaf.longest.range) == leaf.longest.range);
      EXPECT_LE(leaf.longest.range.length(), same->time);
    }
  }
}

TEST(AccountTable, allChoicesAddUpAndLieBetweenTheRanks) {
  const JobReport report = reportOf(faults());
  std::vector<RankIndex> ranks{RankIndex()};
  ranks.insert(ranks.end(), report.analysis().ranks().begin(), report.analysis().ranks().end());
  for (const RankIndex rank : ranks) {
    const AccountView mean = accountView(report, {rank, {}});
    expectAddsUp(report, mean);
    for (const AccountLeaf& leaf : mean.leaves) {
      EXPECT_LE(leaf.lowest, leaf.time + 1);
      EXPECT_LE(leaf.time, leaf.highest + 1);
    }
    for (const std::size_t place : accountSteps(report, rank))
      expectAddsUp(report, accountView(report, {rank, place}));
  }
}

TEST(AccountTable, stepsLeftOutAreNamedWithTheReason) {
  const JobReport report = reportOf(faults());
  const JobStep& first = report.analysis().keptSteps().steps.front();
  ASSERT_FALSE(first.kept());
  const std::string text = leftOutText(report);
  EXPECT_TRUE(text.starts_with("step " + std::to_string(first.number) + " (first step of its recording"))
      << text;
  test::JobOptions options = faults();
  options.gaps.clear();
  EXPECT_EQ(leftOutText(reportOf(options)), "");
}

TEST(AccountTable, theFindingOfALeafIsTheOneAboutItOrTheSmallestBranch) {
  const JobReport report = reportOf(faults());
  const AccountView view = accountView(report, {});
  const ResultTable table = accountTable(report, view);
  std::size_t some = 0;
  for (std::size_t i = 0; i < view.leaves.size(); ++i) {
    const AccountLeaf& leaf = view.leaves[i];
    for (const std::size_t at : leaf.findings) {
      EXPECT_TRUE(isUnder(leaf.leaf, report.findings()[at].leaf));
      EXPECT_EQ(leaf.ofBranch, report.findings()[at].leaf != leafText(leaf.leaf));
    }
    some += leaf.findings.empty() ? 0 : 1;
    EXPECT_EQ(table.isEmpty(i, *table.columnNamed("finding")), leaf.findings.empty());
    if (leaf.findings.empty() || leaf.ofBranch) {
      EXPECT_TRUE(table.isEmpty(i, *table.columnNamed("gain_low_us")));
    }
  }
  EXPECT_GT(some, 0u);
}

TEST(AccountTable, smallLeavesOfAGroupAreCollected) {
  AccountView view;
  view.stepTime = 1000;
  const auto add = [&](Leaf leaf, TimeClass timeClass, double time) {
    AccountLeaf of;
    of.leaf = leaf;
    of.timeClass = timeClass;
    of.time = time;
    view.leaves.push_back(of);
  };
  add(Leaf::Ideal, TimeClass::Compute, 900);
  add(Leaf::ComputeCast, TimeClass::Compute, 71);
  add(Leaf::ComputeNorm, TimeClass::Compute, 8);
  add(Leaf::ComputeLayout, TimeClass::Compute, 7);
  add(Leaf::HostSync, TimeClass::Idle, 9);
  add(Leaf::QueueLatency, TimeClass::Idle, 5);
  const std::vector<AccountBar> bars = accountBars(view);
  ASSERT_EQ(bars.size(), 5u);
  EXPECT_EQ(bars[2].leaves, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(bars[2].time, 15);
  EXPECT_EQ(bars[3].begin, 986);
  std::array<bool, kLeafGroupCount> expanded{};
  expanded[static_cast<std::size_t>(LeafGroup::Kernels)] = true;
  EXPECT_EQ(accountBars(view, expanded).size(), 6u);
  // What a finding warns of has a bar of its own.
  view.leaves[2].warns = true;
  EXPECT_EQ(accountBars(view).size(), 6u);
}

TEST(AccountTable, stepsThatWereDetectedHaveAnAccountEach) {
  test::JobOptions options = faults();
  options.withProfilerSteps = false;
  const JobReport report = reportOf(options);
  const Analysis& analysis = report.analysis();
  ASSERT_NE(analysis.wholeStepWindows(RankIndex(0)).found, StepSource::Marked);
  ASSERT_TRUE(analysis.wholeStepWindows(RankIndex(0)).areSteps());
  const AccountView view = accountView(report, {});
  EXPECT_TRUE(view.areSteps);
  EXPECT_EQ(view.steps, analysis.keptSteps().keptCount());
  EXPECT_EQ(accountSteps(report, {}).size(), analysis.keptSteps().steps.size());
  EXPECT_TRUE(accountSentence(view).starts_with("Step ")) << accountSentence(view);
  expectAddsUp(report, view);
}

TEST(AccountTable, aJobWithoutStepsIsAWindowPerRecording) {
  test::JobOptions options = faults();
  options.withProfilerSteps = false;
  options.steps = 1; // nothing repeats
  const JobReport report = reportOf(options);
  ASSERT_FALSE(report.analysis().wholeStepWindows(RankIndex(0)).areSteps());
  const AccountView view = accountView(report, {});
  EXPECT_FALSE(view.areSteps);
  EXPECT_FALSE(view.ofRange);
  EXPECT_EQ(view.steps, 1u);
  EXPECT_TRUE(accountSteps(report, {}).empty());
  EXPECT_TRUE(accountSentence(view).starts_with("Recording ")) << accountSentence(view);
  expectAddsUp(report, view);
}

TEST(AccountTable, aRangeHasItsOwnAccount) {
  const JobReport whole = reportOf(faults());
  const Analysis& analysis = whole.analysis();
  const auto& steps = analysis.stepWindows(RankIndex(0)).steps;
  const JobRange range =
      analysis.clocks().of(RankIndex(0)).toJob(RankRange::of({steps[1].range.begin, steps[3].range.begin}));
  const JobReport report(std::make_shared<const Analysis>(analysis, scopeOfRange(analysis, range)));
  const AccountView view = accountView(report, {});
  EXPECT_LT(accountSteps(report, {}).size(), accountSteps(whole, {}).size());
  EXPECT_NEAR(view.stepTime, report.keptAccount().stepTime, 1);
  expectAddsUp(report, view);
}

TEST(AccountTable, transfersOfOneOfManyRanksHoldWaiting) {
  const test::TemporaryFolder folder;
  test::JobOptions options;
  options.ranks = 3;
  test::generateJob(options, folder.path());
  const auto textOf = [&](LoadOptions load) {
    Progress progress;
    const JobReport report(
        std::make_shared<const Analysis>(*loadTraces({folder.path().string()}, load, progress)));
    return unknownWaitText(report.analysis(), accountView(report, {}));
  };
  EXPECT_EQ(textOf({}), "");
  LoadOptions one;
  one.filter.ranks = {1};
  const std::string text = textOf(one);
  EXPECT_TRUE(text.starts_with("Transfers hold waiting too: of ")) << text;
}

TEST(AccountTable, aRankWithoutADeviceIsAccountedByItsHost) {
  HandMadeRank rank;
  rank.annotation(0, 10 * kMs, "ProfilerStep#1").annotation(10 * kMs, 10 * kMs, "ProfilerStep#2");
  rank.op(0, 7 * kMs, "aten::mm").op(10 * kMs, 7 * kMs, "aten::mm");
  HandMadeJob job;
  job.add(0, std::move(rank));
  const JobReport report(std::make_shared<const Analysis>(job.build()));
  const AccountView view = accountView(report, {});
  EXPECT_FALSE(view.hasDevices);
  EXPECT_EQ(accountSentence(view), "Step 10.0 ms = 7.00 ms compute + 3.00 ms idle");
  expectAddsUp(report, view);
}

// What is before the first launch of the recording is no idle time of the job.
TEST(AccountTable, edgesOfTheRecordingAreNoIdleTimeInTheSentence) {
  HandMadeRank rank;
  rank.annotation(0, 10 * kMs, "ProfilerStep#1").launched(6 * kMs, 7, 7 * kMs, 3 * kMs, "gemm");
  HandMadeJob job;
  job.add(0, std::move(rank));
  const JobReport report(std::make_shared<const Analysis>(job.build()));
  const AccountView view = accountView(report, {});
  ASSERT_TRUE(std::ranges::any_of(view.leaves,
                                  [](const AccountLeaf& leaf) { return leaf.leaf == Leaf::CaptureEdge; }));
  EXPECT_EQ(accountSentence(view), "Step 10.0 ms = 3.00 ms compute + 7.00 ms at the edges of the recording");
}

TEST(AccountTable, nothingRecordedHasNoLeaves) {
  HandMadeJob job;
  job.add(0, HandMadeRank());
  const JobReport report(std::make_shared<const Analysis>(job.build()));
  const AccountView view = accountView(report, {});
  EXPECT_TRUE(view.leaves.empty());
  EXPECT_EQ(accountSentence(view), "");
  EXPECT_EQ(accountTable(report, view).rowCount(), 0u);
  EXPECT_TRUE(accountBars(view).empty());
}

TEST(LeafTexts, everyLeafHasATitleOfItsOwnAndASentence) {
  std::set<std::string_view> titles;
  for (std::size_t i = 0; i < kLeafCount; ++i) {
    const auto leaf = static_cast<Leaf>(i);
    EXPECT_TRUE(titles.insert(leafTitle(leaf)).second) << leafTitle(leaf);
    EXPECT_TRUE(leafDefinition(leaf).ends_with('.')) << leafText(leaf);
    EXPECT_FALSE(leafSource(leaf).empty()) << leafText(leaf);
    EXPECT_FALSE(leafGroupTitle(leafGroup(leaf)).empty());
  }
  EXPECT_EQ(leafGroup(Leaf::Ideal), LeafGroup::Ideal);
  EXPECT_EQ(leafGroup(Leaf::ComputeClock), LeafGroup::Kernels);
  EXPECT_EQ(leafGroup(Leaf::CommTail), LeafGroup::Transfer);
  EXPECT_EQ(leafGroup(Leaf::WaitStart), LeafGroup::Wait);
  EXPECT_EQ(leafGroup(Leaf::CopyP2p), LeafGroup::Memcpy);
  EXPECT_EQ(leafGroup(Leaf::DispatchDdp), LeafGroup::Host);
  EXPECT_EQ(leafGroup(Leaf::QueueDependency), LeafGroup::Queue);
  EXPECT_EQ(leafGroup(Leaf::CaptureInit), LeafGroup::Recording);
}

} // namespace rankscope
