// SPDX-License-Identifier: GPL-3.0-or-later
// Findings of stragglers: what they gain is what others wait for them, also in replicas, and nothing is
// charged twice.
#include "core/analysis/findings/findings.h"

#include "core/analysis/job/analysis.h"
#include "core/base/unit_text.h"
#include "core/io/load/trace_loader.h"
#include "core/report/findings_table.h"
#include "tests/support/job_generator.h"
#include "tests/support/shared_data.h"
#include "tests/unit/analysis/findings/finding_jobs.h"
#include "tests/unit/hand_made_job.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace rankscope {

namespace {

using test::JobOptions;

constexpr double kTwinNoise = 150'000; // nanoseconds of a step

// Of what the others expose, the straggler cannot give back what it exposes itself.
void expectStragglersWithinWaits(const JobReport& report) {
  double longest = 0, least = 1e18;
  const KeptAccount& kept = report.keptAccount();
  for (const RankIndex rank : report.analysis().ranks()) {
    double exposed = 0;
    for (const KeptWindow& window : kept.windows[rank.value])
      exposed += static_cast<double>(
          timeOf(report.account().of(rank).pieces.within(window.range), TimeClass::ExposedCommunication));
    exposed /= static_cast<double>(kept.windows[rank.value].size());
    longest = std::max(longest, exposed);
    least = std::min(least, exposed);
  }
  for (const Finding& finding : report.findings()) {
    if (finding.kind != FindingKind::Straggler) continue;
    // The least of each step is less than the least mean.
    EXPECT_LE(static_cast<double>(finding.gain->high), 1.02 * (longest - least) + kTwinNoise)
        << finding.title;
  }
}

// Two tensor-parallel groups of two ranks that never wait for each other.
JobOptions twoReplicas() {
  JobOptions options = fourRanks();
  options.parallelism = test::Parallelism::Tensor;
  options.reducesGradients = false;
  options.ranks = 4;
  options.steps = 8;
  options.seed = 7;
  return options;
}

} // namespace

// Transfers that begin late because a rank does are exposed on all others, and cost the job nothing.
TEST(Findings, chargeTransfersThatAStragglerDelaysToTheStraggler) {
  JobOptions options = fourRanks();
  options.steps = 8;
  options.seed = 7;
  for (const auto kind : {test::StragglerKind::Compute, test::StragglerKind::DataLoader}) {
    options.straggler = {2, 6'000'000, 0, kind};
    options.communicationPermille = 1;
    const double withoutTransfers = stepTimeOf(options);
    options.communicationPermille = 350;
    const auto report = reportOfJob(options);
    const double truth = report->keptAccount().stepTime - withoutTransfers;
    const Finding* const found = findingOn(*report, "comm.transfer");
    ASSERT_NE(found, nullptr) << findingsText(*report);
    EXPECT_LE(static_cast<double>(found->gain->low), truth + kTwinNoise) << found->title;
    EXPECT_NEAR(static_cast<double>(found->gain->high), truth, kTwinNoise) << found->title;
    EXPECT_EQ(found->severity, Severity::Info);
  }
}

// Three ranks lose 6 ms to their host, the fourth 4 ms in its kernels: it gains what they gain.
TEST(Findings, ofMostRanksAreGainedByTheOthersToo) {
  JobOptions options = fourRanks();
  options.ranks = 4;
  options.steps = 8;
  options.seed = 7;
  options.straggler = {3, 4'000'000, 0, test::StragglerKind::Compute};
  const double without = stepTimeOf(options);
  for (const int rank : {0, 1, 2}) options.gaps.push_back({rank, -1, 6'000'000, test::GapCause::Python});
  const auto report = reportOfJob(options);
  const double truth = report->keptAccount().stepTime - without;
  const Finding* const found = findingOn(*report, "host.python");
  ASSERT_NE(found, nullptr) << findingsText(*report);
  EXPECT_NEAR(static_cast<double>(found->gain->low), truth, kTwinNoise) << found->title;
}

TEST(Findings, ofAStragglerReturnNoMoreThanIsWaitedForIt) {
  JobOptions options = fourRanks();
  options.steps = 8;
  options.straggler = {2, 6'000'000, 0, test::StragglerKind::Host};
  expectStragglersWithinWaits(*reportOfJob(options));
  Progress progress;
  const auto loaded =
      loadTraces({test::captureFolder("torch-2.6.0/functional2_stack").string()}, {}, progress);
  ASSERT_TRUE(loaded.ok());
  const JobReport report(std::make_shared<const Analysis>(*loaded));
  ASSERT_NE(std::ranges::find(report.findings(), FindingKind::Straggler, &Finding::kind),
            report.findings().end());
  expectStragglersWithinWaits(report);
}

TEST(Findings, ofAReplicaAreNotLimitedByAnother) {
  JobOptions options = twoReplicas();
  options.straggler = {3, 8'000'000, 0, test::StragglerKind::Compute};
  const double slowHalf = stepTimeOf(options);
  options.gaps = {{0, -1, 3'000'000, test::GapCause::Python}, {1, -1, 3'000'000, test::GapCause::Python}};
  const auto report = reportOfJob(options);
  expectGainsWithinTheStep(*report);
  const double truth = report->keptAccount().stepTime - slowHalf;
  const Finding* const found = findingOn(*report, "host.python");
  ASSERT_NE(found, nullptr) << findingsText(*report);
  EXPECT_NEAR(static_cast<double>(found->gain->low), truth, kTwinNoise) << found->title;
  EXPECT_NE(found->evidence.find("50 % of the ranks do not communicate with ranks 0 and 1"),
            std::string::npos)
      << found->evidence;
}

TEST(Findings, ofStragglersInTwoReplicasAreOneEach) {
  JobOptions options = twoReplicas();
  const double healthy = stepTimeOf(options);
  options.straggler = {3, 8'000'000, 0, test::StragglerKind::Compute};
  options.gaps = {{0, -1, 3'000'000, test::GapCause::Python}};
  const auto report = reportOfJob(options);
  expectGainsWithinTheStep(*report);
  double gains = 0;
  int stragglers = 0;
  for (const Finding& finding : report->findings()) {
    if (finding.kind != FindingKind::Straggler) continue;
    gains += static_cast<double>(finding.gain->low);
    ++stragglers;
  }
  EXPECT_EQ(stragglers, 2) << findingsText(*report);
  const double truth = report->keptAccount().stepTime - healthy;
  EXPECT_NEAR(gains, truth, kTwinNoise) << findingsText(*report);
}

// What both of two ranks do is a fault of both, also where one of them is late for another reason.
TEST(Findings, ofAStragglersLeavesAreThoseThatOtherRanksHaveToo) {
  JobOptions options = fourRanks();
  options.ranks = 2;
  options.steps = 8;
  options.seed = 7;
  options.straggler = {1, 4'000'000, 0, test::StragglerKind::Compute};
  const auto withFaults = [&](std::int64_t loader, std::int64_t sync) {
    options.loaderNs = loader;
    options.gaps = {};
    if (sync > 0) options.gaps = {{-1, -1, sync, test::GapCause::Sync}};
    return reportOfJob(options);
  };
  constexpr std::int64_t kReady = 150'000; // of a loader without a fault
  for (const auto kind : {test::StragglerKind::Compute, test::StragglerKind::DataLoader}) {
    options.straggler.kind = kind;
    const auto report = withFaults(3'000'000, 2'000'000);
    const std::pair<const char*, double> cases[] = {
        {"host.input", withFaults(kReady, 2'000'000)->keptAccount().stepTime},
        {"host.sync", withFaults(3'000'000, 0)->keptAccount().stepTime}};
    for (const auto& [leaf, without] : cases) {
      const double truth = report->keptAccount().stepTime - without;
      const Finding* const found = findingOn(*report, leaf);
      ASSERT_NE(found, nullptr) << leaf << '\n' << findingsText(*report);
      EXPECT_TRUE(found->ranks.empty()) << found->title << ": both ranks have it";
      EXPECT_FALSE(found->rank.valid()) << found->title;
      EXPECT_NEAR(static_cast<double>(found->gain->low), truth, kTwinNoise) << found->title;
      EXPECT_GE(found->severity, Severity::Warning) << found->title;
    }
    expectGainsWithinTheStep(*report);
  }
}

// Of one rank of several it is not known whether it transfers or waits.
TEST(Findings, promiseNothingOfCommunicationThatOneRankRecorded) {
  JobOptions options = fourRanks();
  options.communicationPermille = 2000;
  options.overlapPermille = 0;
  const auto all = reportOfJob(options);
  const Finding* const proven = findingOn(*all, "comm.transfer");
  ASSERT_NE(proven, nullptr);
  EXPECT_EQ(proven->confidence, Confidence::Proven);
  options.missingRanks = {1, 2, 3};
  const auto alone = reportOfJob(options);
  ASSERT_NE(findingOn(*alone, "comm.transfer"), nullptr) << findingsText(*alone);
  for (const Finding& finding : alone->findings()) {
    if (!std::string_view(finding.leaf).starts_with("comm")) continue;
    EXPECT_EQ(finding.confidence, Confidence::Hint) << finding.title;
    EXPECT_EQ(finding.severity, Severity::Info) << finding.title;
    EXPECT_EQ(finding.gain.value_or(Gain{}).low, 0) << finding.title;
  }
  // Most of the step may be it, so it is told first.
  EXPECT_EQ(std::string_view(alone->findings().front().leaf).substr(0, 4), "comm") << findingsText(*alone);
}

// A rank that is late in each step is late in the first one too; recordings that begin late are late once.
TEST(Findings, tellAStragglerFromRecordingsThatBeginLate) {
  JobOptions options = fourRanks();
  options.straggler = {2, 6'000'000, 0, test::StragglerKind::Compute};
  const auto straggler = reportOfJob(options);
  EXPECT_EQ(straggler->keptAccount().timeOf("wait.start"), 0);
  EXPECT_GT(straggler->keptAccount().timeOf("wait.rank"), 3e6);
  EXPECT_EQ(findingOn(*straggler, "wait.start"), nullptr) << findingsText(*straggler);
}

TEST(Findings, ofStartSkewHaveTheMeanOfTheAccount) {
  HandMadeJob job;
  for (int rank = 0; rank < 4; ++rank) {
    HandMadeRank events;
    for (int step = 0; step < 4; ++step) {
      const TimeNs begin = TimeNs{step} * 1'000'000;
      const TimeNs wait = step == 0 ? rank * 100'000 : 1'000;
      events.annotation(begin, 1'000'000, "ProfilerStep#" + std::to_string(step));
      events.annotation(begin + 980'000, 9'000, "Optimizer.step#SGD.step");
      events.launched(begin, 7, begin + 10'000, 390'000 - wait, "gemm");
      events.collective(20, begin + 400'000 - wait, 500'000 + wait, "ncclDevKernel_AllReduce_Sum_f32");
    }
    job.add(rank, std::move(events));
  }
  const JobReport report(std::make_shared<const Analysis>(job.build()));
  const Finding* const found = findingOn(report, "wait.start");
  ASSERT_NE(found, nullptr) << findingsText(report);
  EXPECT_EQ(found->time, std::llround(report.keptAccount().timeOf("wait.start")));
  EXPECT_TRUE(found->ranks.empty());
  EXPECT_NE(found->evidence.find(durationText(*found->time)), std::string::npos) << found->evidence;
}

TEST(Findings, gainOfAStragglerIsOneFigure) {
  JobOptions options = fourRanks();
  options.straggler = {2, 3'000'000, 0, test::StragglerKind::Compute};
  const auto report = reportOfJob(options);
  const Finding& first = report->findings().front();
  ASSERT_EQ(first.kind, FindingKind::Straggler);
  const Straggler& straggler = report->analysis().stragglers().stragglers.front();
  EXPECT_EQ(first.gain, (Gain{straggler.gainLow, straggler.gainHigh}));
  EXPECT_EQ(first.title, "Straggler: rank 2, " + gainText(*first.gain) + "/step");
}

} // namespace rankscope
