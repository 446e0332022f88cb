// SPDX-License-Identifier: GPL-3.0-or-later
// Which rank is slow, by how much and why, against jobs in which it was made slow; and that jobs without
// a slow rank have no straggler. Covers core/analysis/job/late_parts too.
#include "core/analysis/findings/findings.h"
#include "core/analysis/job/analysis.h"
#include "core/analysis/job/late_arrival.h"
#include "core/analysis/job/late_cause.h"
#include "core/analysis/job/scope.h"
#include "core/io/load/trace_loader.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>

namespace rankscope {

namespace {

using test::JobOptions;
using test::JobTruth;
using test::StragglerKind;

struct Job {
  JobTruth truth;
  std::shared_ptr<const TraceSet> trace;
  std::unique_ptr<Analysis> analysis;
};

Job jobOf(const JobOptions& options) {
  const test::TemporaryFolder folder;
  Job job;
  job.truth = generateJob(options, folder.path());
  Progress progress;
  auto loaded = loadTraces({folder.path().string()}, {}, progress);
  if (!loaded.ok()) throw std::runtime_error(loaded.error().text());
  job.trace = *loaded;
  job.analysis = std::make_unique<Analysis>(job.trace);
  return job;
}

JobOptions sixSteps() {
  JobOptions options;
  options.ranks = 8;
  options.ranksPerNode = 4;
  options.steps = 6;
  options.layers = 3;
  return options;
}

void expectNear(TimeNs ours, TimeNs truth, double share) {
  EXPECT_LE(std::abs(static_cast<double>(ours - truth)), share * static_cast<double>(truth));
}

struct Shape {
  const char* name;
  StragglerKind kind;
  LatePart part;
  void (*set)(JobOptions&);
};

const Shape kShapes[] = {
    {"compute", StragglerKind::Compute, LatePart::Kernels, [](JobOptions&) {}},
    {"loader", StragglerKind::DataLoader, LatePart::DataLoader, [](JobOptions&) {}},
    {"sharded", StragglerKind::Compute, LatePart::Kernels,
     [](JobOptions& o) { o.parallelism = test::Parallelism::FullySharded; }},
    {"tensor_parallel", StragglerKind::Compute, LatePart::Kernels,
     [](JobOptions& o) { o.parallelism = test::Parallelism::Tensor; }},
    {"no_arguments", StragglerKind::Compute, LatePart::Kernels,
     [](JobOptions& o) { o.withCollectiveArgs = false; }},
    {"clocks_apart", StragglerKind::Compute, LatePart::Kernels,
     [](JobOptions& o) {
       o.clockOffsetNs = {0, -10'000'000'000};
       o.clockDriftPpb = {0, 20'000};
     }},
};

// What operators or kernels took in the straggler's slow steps on a rank, step by step.
std::map<NameId, TimeNs> timeByName(const Analysis& analysis, const Straggler& straggler, RankIndex rank,
                                    bool onDevice) {
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  const StringTable& names = analysis.trace().names();
  const auto& own = analysis.wholeStepWindows(straggler.rank).steps;
  const auto& steps = analysis.wholeStepWindows(rank).steps;
  std::map<NameId, TimeNs> times;
  for (const std::size_t slow : straggler.slowSteps) {
    const auto same = std::ranges::find(steps, own[slow].number, &StepWindow::number);
    if (same == steps.end()) continue;
    if (onDevice) {
      for (const KernelStatistics& kernel : kernelStatistics(trace, names, same->range))
        if (kernel.deviceClass == DeviceClass::Compute) times[kernel.name] += kernel.total;
    } else {
      for (const OperatorStatistics& op :
           operatorProfile(trace, analysis.operatorTree(rank), names, same->range).operators)
        times[op.name] += op.hostSelf;
    }
  }
  return times;
}

class StragglerIn : public testing::TestWithParam<Shape> {};

} // namespace

TEST_P(StragglerIn, isFoundWithItsCostAndItsCause) {
  JobOptions options = sixSteps();
  options.straggler = {5, 3'000'000, 0, GetParam().kind};
  GetParam().set(options);
  const Job job = jobOf(options);
  const StragglerAnalysis& found = job.analysis->stragglers();
  ASSERT_EQ(found.stragglers.size(), 1U);
  const Straggler& straggler = found.stragglers.front();
  EXPECT_EQ(job.trace->rank(straggler.rank).rank, 5);
  EXPECT_FALSE(straggler.becameSlow);
  EXPECT_EQ(straggler.costs.size(), straggler.slowSteps.size());
  EXPECT_EQ(straggler.cost, std::accumulate(straggler.costs.begin(), straggler.costs.end(), TimeNs{0}));
  EXPECT_LE(straggler.gainLow, straggler.gainHigh);
  const auto& delays = job.truth.straggler.delayNs;
  const TimeNs delay =
      std::accumulate(delays.begin(), delays.end(), TimeNs{0}) / static_cast<TimeNs>(delays.size());
  expectNear(straggler.gainLow, delay, 0.05);
  expectNear(straggler.gainHigh, delay, 0.05);
  EXPECT_EQ(lateCauseOf(*job.analysis, straggler).part, GetParam().part);
  const auto& instances = job.analysis->collectives().match.instances;
  const auto arrival =
      lateArrivalOf(*job.analysis, *std::ranges::max_element(instances, {}, &CollectiveInstance::skew));
  ASSERT_TRUE(arrival.has_value());
  EXPECT_EQ(job.trace->rank(arrival->rank).rank, 5);
  EXPECT_EQ(arrival->part, GetParam().part);
  EXPECT_GT(arrival->excess, arrival->late / 2);
  const std::vector<Finding> findings = findingsOf(*job.analysis, jobAccount(*job.analysis, 1));
  ASSERT_FALSE(findings.empty());
  const Finding& first = findings.front();
  EXPECT_EQ(first.kind, FindingKind::Straggler);
  EXPECT_EQ(first.severity, Severity::Critical);
  EXPECT_EQ(job.trace->rank(first.rank).rank, 5);
}

INSTANTIATE_TEST_SUITE_P(Jobs, StragglerIn, testing::ValuesIn(kShapes),
                         [](const auto& shape) { return std::string(shape.param.name); });

TEST(Stragglers, areLateByTheNameWithTheLargestExcessOverAllSlowSteps) {
  for (const StragglerKind kind : {StragglerKind::Compute, StragglerKind::Host}) {
    JobOptions options = sixSteps();
    options.steps = 8;
    options.straggler = {2, 3'000'000, 4, kind};
    const Job job = jobOf(options);
    ASSERT_EQ(job.analysis->stragglers().stragglers.size(), 1U);
    const Straggler& straggler = job.analysis->stragglers().stragglers.front();
    ASSERT_GT(straggler.slowSteps.size(), 1U);
    const LateCause cause = lateCauseOf(*job.analysis, straggler);
    EXPECT_EQ(cause.onDevice, kind == StragglerKind::Compute);
    ASSERT_TRUE(cause.reference.valid());
    auto excess = timeByName(*job.analysis, straggler, straggler.rank, cause.onDevice);
    for (const auto& [name, time] : timeByName(*job.analysis, straggler, cause.reference, cause.onDevice))
      excess[name] -= time;
    const auto worst = std::ranges::max_element(excess, {}, [](const auto& of) { return of.second; });
    EXPECT_EQ(cause.nameExcess, worst->second / static_cast<TimeNs>(straggler.slowSteps.size()));
    EXPECT_GT(cause.nameExcess, 0);
    if (cause.name.valid()) {
      EXPECT_EQ(cause.name, worst->first);
    }
  }
}

TEST(Stragglers, thatBecomeSlowAreFoundWithTheStepFromWhichOn) {
  JobOptions options = sixSteps();
  options.steps = 8;
  options.straggler = {2, 3'000'000, 4, StragglerKind::Compute};
  const Job job = jobOf(options);
  const StragglerAnalysis& found = job.analysis->stragglers();
  ASSERT_EQ(found.stragglers.size(), 1U);
  const Straggler& straggler = found.stragglers.front();
  EXPECT_TRUE(straggler.becameSlow);
  EXPECT_EQ(found.ranks[straggler.rank.value].steps[straggler.slowSteps.front()].number,
            job.truth.straggler.steps.front());
  const std::vector<Finding> findings = findingsOf(*job.analysis, jobAccount(*job.analysis, 1));
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings.front().kind, FindingKind::LateStraggler);
}

TEST(Stragglers, ofAPartOfAJobCostWhatTheyCostThereAndKeepTheirCause) {
  JobOptions options = sixSteps();
  options.straggler = {5, 3'000'000, 0, StragglerKind::Compute};
  const Job job = jobOf(options);
  const JobRange all = job.analysis->extent();
  const RankIndex slow = job.analysis->stragglers().stragglers.front().rank;
  const std::vector<StepWindow>& steps = job.analysis->stepWindows(slow).steps;
  const auto costWithin = [&](const AnalysisScope& scope) {
    const Analysis part(*job.analysis, scope);
    const std::vector<Finding> findings = findingsOf(part, jobAccount(part, 1));
    const auto found = std::ranges::find(findings, FindingKind::Straggler, &Finding::kind);
    if (found == findings.end()) return TimeNs{0};
    EXPECT_NE(found->evidence.find("kernels"), std::string::npos) << found->evidence;
    return *found->cost;
  };
  const std::vector<TimeNs>& costs = job.analysis->stragglers().stragglers.front().costs;
  const auto& slow2 = job.analysis->stragglers().stragglers.front();
  ASSERT_EQ(slow2.slowSteps.size(), steps.size()) << "slow in every step";
  const TimeNs mean = (costs[2] + costs[3]) / 2;
  const TimeNs within = costWithin(scopeOfSteps(*job.analysis, steps[2].number, steps[3].number));
  EXPECT_NEAR(static_cast<double>(within), static_cast<double>(2 * mean), 2);
  // A window in which no step begins has no straggler, and one with other ranks only has the same.
  EXPECT_EQ(costWithin(scopeOfRange(*job.analysis, {all.begin + 5'000, all.begin + 6'000})), 0);
  const std::vector<int> alone{5};
  EXPECT_EQ(costWithin(onlyRanks(*job.analysis, wholeScope(*job.analysis), alone)),
            costWithin(wholeScope(*job.analysis)));
}

TEST(Stragglers, areNoneWhereNoRankIsSlow) {
  const Job job = jobOf(sixSteps());
  EXPECT_TRUE(job.analysis->stragglers().stragglers.empty());
  for (const RankPace& pace : job.analysis->stragglers().ranks) EXPECT_FALSE(pace.straggler);
}

TEST(Stragglers, needTwoKeptStepsAndALargerMarginInFew) {
  JobOptions options = sixSteps();
  options.straggler = {5, 3'000'000, 0, StragglerKind::Compute};
  options.steps = 1;
  EXPECT_TRUE(jobOf(options).analysis->stragglers().stragglers.empty());
  options.steps = 3;
  EXPECT_EQ(jobOf(options).analysis->stragglers().stragglers.size(), 1U);
  // Above 2 % of a step, below twice as much.
  const Job job = jobOf(options);
  const TimeNs step = job.analysis->stragglers().ranks[0].steps[1].range.length();
  options.straggler.extraNs = step * 3 / 100;
  EXPECT_TRUE(jobOf(options).analysis->stragglers().stragglers.empty());
  options.steps = 6;
  EXPECT_EQ(jobOf(options).analysis->stragglers().stragglers.size(), 1U);
}

TEST(Stragglers, ofSeveralCapturesAreJudgedByAllSteps) {
  JobOptions options = sixSteps();
  options.steps = 3;
  options.captures = 2;
  options.straggler = {5, 3'000'000, 0, StragglerKind::Compute};
  const Job job = jobOf(options);
  ASSERT_EQ(job.analysis->stragglers().stragglers.size(), 2U) << "one for each recording";
  for (const Straggler& straggler : job.analysis->stragglers().stragglers)
    EXPECT_EQ(job.trace->rank(straggler.rank).rank, 5);
  const std::vector<Finding> findings = findingsOf(*job.analysis, jobAccount(*job.analysis, 1));
  EXPECT_EQ(std::ranges::count(findings, FindingKind::Straggler, &Finding::kind), 1)
      << "one finding for both";
}

TEST(Stragglers, marginIsOverTheNextSlowestRank) {
  const Job job = jobOf(sixSteps());
  const StragglerAnalysis& found = job.analysis->stragglers();
  const std::size_t steps = found.ranks.front().steps.size();
  for (std::size_t i = 0; i < steps; ++i) {
    std::vector<TimeNs> own;
    for (const RankPace& pace : found.ranks) own.push_back(pace.steps[i].own);
    std::ranges::sort(own, std::greater<>());
    for (const RankPace& pace : found.ranks)
      EXPECT_EQ(pace.steps[i].margin, pace.steps[i].own - (pace.steps[i].own == own[0] ? own[1] : own[0]));
  }
}

TEST(Stragglers, areNotMadeByOneBadStep) {
  JobOptions options = sixSteps();
  options.gaps = {{3, 2, 8'000'000, test::GapCause::Python}};
  const Job job = jobOf(options);
  for (const Finding& finding : findingsOf(*job.analysis, jobAccount(*job.analysis, 1))) {
    EXPECT_NE(finding.kind, FindingKind::Straggler) << finding.title;
    EXPECT_NE(finding.kind, FindingKind::LateStraggler) << finding.title;
  }
}

} // namespace rankscope
