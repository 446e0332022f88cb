// SPDX-License-Identifier: GPL-3.0-or-later
// What was done to a job is the first finding, its gain is what the same job without it takes less, and a job
// that nothing was done to has no finding above info. Covers core/analysis/findings/finding_context,
// core/analysis/findings/finding_checks, core/analysis/findings/finding_kinds and
// core/analysis/findings/leaf_use too.
#include "core/analysis/findings/findings.h"

#include "core/analysis/job/analysis.h"
#include "core/base/unit_text.h"
#include "core/io/load/trace_loader.h"
#include "core/report/findings_table.h"
#include "tests/support/job_generator.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/hand_made_job.h"
#include "tests/unit/report_of.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

using test::JobOptions;

std::unique_ptr<JobReport> generated(const JobOptions& options) {
  const test::TemporaryFolder folder;
  generateJob(options, folder.path());
  return reportOf(folder.path());
}

JobOptions smallJob() {
  JobOptions options;
  options.ranks = 4;
  options.steps = 5;
  return options;
}

std::string allTitles(const JobReport& report) {
  return findingsText(report);
}

struct Fault {
  const char* name;
  FindingKind kind;
  void (*inject)(JobOptions&);
};

std::ostream& operator<<(std::ostream& out, const Fault& fault) {
  return out << fault.name;
}

constexpr std::int64_t kGap = 5'000'000;

const Fault kFaults[] = {
    {"slow_kernels", FindingKind::Straggler,
     [](JobOptions& o) {
       o.straggler = {2, 3'000'000, 0, test::StragglerKind::Compute};
     }},
    {"slow_loader_on_one_rank", FindingKind::Straggler,
     [](JobOptions& o) {
       o.straggler = {1, 3'000'000, 0, test::StragglerKind::DataLoader};
     }},
    {"slow_host_on_one_rank", FindingKind::Straggler,
     [](JobOptions& o) {
       o.straggler = {3, 3'000'000, 0, test::StragglerKind::Host};
     }},
    {"slow_loader", FindingKind::DataLoaderStall,
     [](JobOptions& o) {
       o.gaps = {{-1, -1, kGap, test::GapCause::DataLoader}};
     }},
    {"synchronising", FindingKind::Synchronization,
     [](JobOptions& o) {
       o.gaps = {{-1, -1, kGap, test::GapCause::Sync}};
     }},
    {"allocating", FindingKind::DeviceAllocation,
     [](JobOptions& o) {
       o.gaps = {{-1, -1, kGap, test::GapCause::CudaMalloc}};
     }},
    {"python", FindingKind::Python,
     [](JobOptions& o) {
       o.gaps = {{-1, -1, kGap, test::GapCause::Python}};
     }},
    {"tiny_kernels", FindingKind::LaunchBound,
     [](JobOptions& o) {
       o.gaps = {{-1, -1, kGap, test::GapCause::LaunchBound}};
     }},
    {"leak", FindingKind::MemoryGrowth, [](JobOptions& o) { o.leakBytesPerStep = 8 << 20; }},
    {"no_overlap", FindingKind::NoOverlap, [](JobOptions& o) { o.overlapPermille = 0; }},
    {"slow_network", FindingKind::ExposedCommunication,
     [](JobOptions& o) { o.communicationPermille = 1500; }},
    {"pageable_copies", FindingKind::PageableCopy,
     [](JobOptions& o) {
       o.pinnedCopies = false;
       o.inputBytes = 64 << 20;
     }},
};

class FaultIn : public testing::TestWithParam<Fault> {};

struct Capture {
  const char* folder;
  FindingKind kind;
  int rank; // -1: all
};

std::ostream& operator<<(std::ostream& out, const Capture& capture) {
  return out << capture.folder;
}

// Recorded with a fault, by the README beside them.
const Capture kFaulty[] = {
    {"torch-2.6.0/ddp4_straggler", FindingKind::Straggler, 2},
    {"torch-2.6.0/ddp4_dataloader_bound", FindingKind::DataLoaderStall, -1},
    {"torch-2.6.0/ddp2_leak", FindingKind::MemoryGrowth, -1},
    {"torch-1.13.1/legacy_ddp2", FindingKind::Straggler, 1},
};

const char* const kHealthy[] = {"torch-2.6.0/collectives4",
                                "torch-2.6.0/ddp2_repeat2",
                                "torch-2.6.0/ddp4_healthy",
                                "torch-2.6.0/ddp4_mlp_nogzip",
                                "torch-2.6.0/ddp8_tiny",
                                "torch-2.6.0/fsdp2",
                                "torch-2.6.0/infer1",
                                "torch-2.6.0/train1_minimal",
                                "torch-2.6.0/train1_noschedule",
                                "torch-2.6.0/functional2_stack",
                                "torch-2.14.1/collectives4",
                                "torch-2.14.1/ddp2_repeat2",
                                "torch-2.14.1/ddp2_stack",
                                "torch-2.14.1/fsdp2",
                                "torch-2.14.1/functional2_stack",
                                "torch-2.14.1/infer1",
                                "torch-2.14.1/train1_noschedule",
                                "torch-1.13.1/legacy_autograd"};

class FaultInCapture : public testing::TestWithParam<Capture> {};
class HealthyCapture : public testing::TestWithParam<const char*> {};

} // namespace

TEST_P(FaultIn, isTheFirstFinding) {
  JobOptions options = smallJob();
  GetParam().inject(options);
  const auto report = generated(options);
  ASSERT_FALSE(report->findings().empty());
  const Finding& first = report->findings().front();
  EXPECT_EQ(findingKindText(first.kind), findingKindText(GetParam().kind)) << allTitles(*report);
  EXPECT_TRUE(first.cost.value_or(0) > 0 || first.costBytes.value_or(0) > 0);
  EXPECT_FALSE(first.place.empty());
  if (options.straggler.rank >= 0) {
    ASSERT_TRUE(first.rank.valid());
    EXPECT_EQ(report->analysis().trace().rank(first.rank).rank, options.straggler.rank);
  }
}

INSTANTIATE_TEST_SUITE_P(Jobs, FaultIn, testing::ValuesIn(kFaults),
                         [](const auto& fault) { return std::string(fault.param.name); });

TEST(Findings, areAtMostInfoOnAHealthyJob) {
  for (const auto parallelism : {test::Parallelism::Data, test::Parallelism::FullySharded}) {
    JobOptions options = smallJob();
    options.ranks = 8;
    options.ranksPerNode = 4;
    options.parallelism = parallelism;
    const auto report = generated(options);
    for (const Finding& finding : report->findings())
      EXPECT_EQ(finding.severity, Severity::Info) << allTitles(*report);
  }
}

// What is wrong in no finding: gains above the step or their leaf, leaves that add up to more than the step.
void expectGainsWithinTheStep(const JobReport& report) {
  const double step = report.keptAccount().stepTime;
  double leaves = 0;
  for (const double time : report.keptAccount().leafTimes) leaves += time;
  EXPECT_NEAR(leaves, step, 1e-9 * step + 1);
  for (const Finding& finding : report.findings()) {
    if (!finding.gain) continue;
    EXPECT_LE(0, finding.gain->low) << finding.title;
    EXPECT_LE(finding.gain->low, finding.gain->high) << finding.title;
    EXPECT_LE(static_cast<double>(finding.gain->high), step + 1) << finding.title;
    ASSERT_TRUE(finding.time) << finding.title;
    EXPECT_LE(finding.gain->high, *finding.time + 1) << finding.title;
    EXPECT_EQ(finding.cost, finding.gain->low * finding.steps) << finding.title;
    EXPECT_FALSE(finding.leaf.empty()) << finding.title;
    const bool isParent = finding.leaf == "host" || finding.leaf == "host.dispatch" ||
                          finding.leaf == "comm" || finding.leaf == "compute";
    EXPECT_TRUE(isParent || leafNamed(finding.leaf)) << finding.title << ": " << finding.leaf;
    if (finding.confidence == Confidence::Hint) {
      EXPECT_EQ(finding.gain->low, 0) << finding.title;
    }
  }
}

// The mean over ranks and steps of the extended windows.
double stepTimeOf(const JobOptions& options) {
  return generated(options)->keptAccount().stepTime;
}

struct Twin {
  const char* name;
  const char* leaf;
  bool lowIsBound; // not more than the truth; else within the tolerance of it
  void (*inject)(JobOptions&);
};

const Twin kTwins[] = {
    {"slow_kernels", "wait.rank", false,
     [](JobOptions& o) {
       o.straggler = {2, 6'000'000, 0, test::StragglerKind::Compute};
     }},
    {"slow_loader_on_one_rank", "wait.rank", false,
     [](JobOptions& o) {
       o.straggler = {2, 6'000'000, 0, test::StragglerKind::DataLoader};
     }},
    {"slow_host_on_one_rank", "wait.rank", false,
     [](JobOptions& o) {
       o.straggler = {2, 6'000'000, 0, test::StragglerKind::Host};
     }},
    {"becomes_slow", "wait.rank", false,
     [](JobOptions& o) {
       o.straggler = {2, 6'000'000, 4, test::StragglerKind::Compute};
     }},
    {"python_on_one_rank", "wait.rank", false,
     [](JobOptions& o) {
       o.gaps = {{1, -1, 3'000'000, test::GapCause::Python}};
     }},
    {"synchronizing", "host.sync", false,
     [](JobOptions& o) {
       o.gaps = {{-1, -1, 3'000'000, test::GapCause::Sync}};
     }},
    {"allocating", "host.alloc", false,
     [](JobOptions& o) {
       o.gaps = {{-1, -1, 3'000'000, test::GapCause::CudaMalloc}};
     }},
    {"python", "host.python", false,
     [](JobOptions& o) {
       o.gaps = {{-1, -1, 3'000'000, test::GapCause::Python}};
     }},
    {"slow_loader", "host.input", false, [](JobOptions& o) { o.loaderNs = 8'000'000; }},
    {"no_overlap", "comm.transfer", true, [](JobOptions& o) { o.overlapPermille = 0; }},
    {"slow_network", "comm.transfer", true, [](JobOptions& o) { o.communicationPermille = 2000; }},
};

std::ostream& operator<<(std::ostream& out, const Twin& twin) {
  return out << twin.name;
}

class GainOf : public testing::TestWithParam<Twin> {};

TEST_P(GainOf, isWhatTheSameJobWithoutTheFaultTakesLess) {
  for (const std::uint64_t seed : {7U, 11U}) {
    JobOptions options = smallJob();
    options.steps = 8;
    options.seed = seed;
    const double healthy = stepTimeOf(options);
    GetParam().inject(options);
    const auto report = generated(options);
    expectGainsWithinTheStep(*report);
    const auto found =
        std::ranges::find_if(report->findings(), [](const Finding& f) { return f.leaf == GetParam().leaf; });
    ASSERT_NE(found, report->findings().end()) << allTitles(*report);
    ASSERT_TRUE(found->gain);
    // Where ranks wait for each other the mean of the steps is shorter by what the longest is.
    const double truth = report->keptAccount().stepTime - healthy;
    const double tolerance = std::max(0.05 * truth, 150'000.0);
    if (!GetParam().lowIsBound) {
      EXPECT_NEAR(static_cast<double>(found->gain->low), truth, tolerance);
    }
    EXPECT_LE(static_cast<double>(found->gain->low), truth + tolerance);
    EXPECT_GE(1.05 * static_cast<double>(found->gain->high), truth - tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Jobs, GainOf, testing::ValuesIn(kTwins),
                         [](const auto& twin) { return std::string(twin.param.name); });

TEST(Findings, ofSeveralFaultsGainWhatAllOfThemCost) {
  JobOptions options = smallJob();
  options.steps = 8;
  options.seed = 7;
  const double healthy = stepTimeOf(options);
  options.straggler = {2, 4'000'000, 0, test::StragglerKind::Compute};
  options.gaps = {{-1, -1, 2'000'000, test::GapCause::Sync}};
  options.loaderNs = 3'000'000;
  const auto report = generated(options);
  double gains = 0;
  for (const Finding& finding : report->findings()) {
    if (finding.severity > Severity::Info && finding.leaf != "comm.transfer")
      gains += static_cast<double>(finding.gain->low);
  }
  const double truth = report->keptAccount().stepTime - healthy;
  EXPECT_NEAR(gains, truth, 0.05 * truth) << allTitles(*report);
}

const Finding* findingOn(const JobReport& report, std::string_view leaf) {
  const auto found = std::ranges::find(report.findings(), leaf, &Finding::leaf);
  return found != report.findings().end() ? &*found : nullptr;
}

constexpr double kTwinNoise = 150'000; // nanoseconds of a step

// Transfers that begin late because a rank does are exposed on all others, and cost the job nothing.
TEST(Findings, chargeTransfersThatAStragglerDelaysToTheStraggler) {
  JobOptions options = smallJob();
  options.steps = 8;
  options.seed = 7;
  for (const auto kind : {test::StragglerKind::Compute, test::StragglerKind::DataLoader}) {
    options.straggler = {2, 6'000'000, 0, kind};
    options.communicationPermille = 1;
    const double withoutTransfers = stepTimeOf(options);
    options.communicationPermille = 350;
    const auto report = generated(options);
    const double truth = report->keptAccount().stepTime - withoutTransfers;
    const Finding* const found = findingOn(*report, "comm.transfer");
    ASSERT_NE(found, nullptr) << allTitles(*report);
    EXPECT_LE(static_cast<double>(found->gain->low), truth + kTwinNoise) << found->title;
    EXPECT_NEAR(static_cast<double>(found->gain->high), truth, kTwinNoise) << found->title;
    EXPECT_EQ(found->severity, Severity::Info);
  }
}

// Three ranks lose 6 ms to their host, the fourth 4 ms in its kernels: it gains what they gain.
TEST(Findings, ofMostRanksAreGainedByTheOthersToo) {
  JobOptions options = smallJob();
  options.ranks = 4;
  options.steps = 8;
  options.seed = 7;
  options.straggler = {3, 4'000'000, 0, test::StragglerKind::Compute};
  const double without = stepTimeOf(options);
  for (const int rank : {0, 1, 2}) options.gaps.push_back({rank, -1, 6'000'000, test::GapCause::Python});
  const auto report = generated(options);
  const double truth = report->keptAccount().stepTime - without;
  const Finding* const found = findingOn(*report, "host.python");
  ASSERT_NE(found, nullptr) << allTitles(*report);
  EXPECT_NEAR(static_cast<double>(found->gain->low), truth, kTwinNoise) << found->title;
}

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

TEST(Findings, ofAStragglerReturnNoMoreThanIsWaitedForIt) {
  JobOptions options = smallJob();
  options.steps = 8;
  options.straggler = {2, 6'000'000, 0, test::StragglerKind::Host};
  expectStragglersWithinWaits(*generated(options));
  Progress progress;
  const auto loaded =
      loadTraces({test::captureFolder("torch-2.6.0/functional2_stack").string()}, {}, progress);
  ASSERT_TRUE(loaded.ok());
  const JobReport report(std::make_shared<const Analysis>(*loaded));
  ASSERT_NE(std::ranges::find(report.findings(), FindingKind::Straggler, &Finding::kind),
            report.findings().end());
  expectStragglersWithinWaits(report);
}

// Two tensor-parallel groups of two ranks that never wait for each other.
JobOptions twoReplicas() {
  JobOptions options = smallJob();
  options.parallelism = test::Parallelism::Tensor;
  options.reducesGradients = false;
  options.ranks = 4;
  options.steps = 8;
  options.seed = 7;
  return options;
}

TEST(Findings, ofAReplicaAreNotLimitedByAnother) {
  JobOptions options = twoReplicas();
  options.straggler = {3, 8'000'000, 0, test::StragglerKind::Compute};
  const double slowHalf = stepTimeOf(options);
  options.gaps = {{0, -1, 3'000'000, test::GapCause::Python}, {1, -1, 3'000'000, test::GapCause::Python}};
  const auto report = generated(options);
  expectGainsWithinTheStep(*report);
  const double truth = report->keptAccount().stepTime - slowHalf;
  const Finding* const found = findingOn(*report, "host.python");
  ASSERT_NE(found, nullptr) << allTitles(*report);
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
  const auto report = generated(options);
  expectGainsWithinTheStep(*report);
  double gains = 0;
  int stragglers = 0;
  for (const Finding& finding : report->findings()) {
    if (finding.kind != FindingKind::Straggler) continue;
    gains += static_cast<double>(finding.gain->low);
    ++stragglers;
  }
  EXPECT_EQ(stragglers, 2) << allTitles(*report);
  const double truth = report->keptAccount().stepTime - healthy;
  EXPECT_NEAR(gains, truth, kTwinNoise) << allTitles(*report);
}

// What both of two ranks do is a fault of both, also where one of them is late for another reason.
TEST(Findings, ofAStragglersLeavesAreThoseThatOtherRanksHaveToo) {
  JobOptions options = smallJob();
  options.ranks = 2;
  options.steps = 8;
  options.seed = 7;
  options.straggler = {1, 4'000'000, 0, test::StragglerKind::Compute};
  const auto withFaults = [&](std::int64_t loader, std::int64_t sync) {
    options.loaderNs = loader;
    options.gaps = {};
    if (sync > 0) options.gaps = {{-1, -1, sync, test::GapCause::Sync}};
    return generated(options);
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
      ASSERT_NE(found, nullptr) << leaf << '\n' << allTitles(*report);
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
  JobOptions options = smallJob();
  options.communicationPermille = 2000;
  options.overlapPermille = 0;
  const auto all = generated(options);
  const Finding* const proven = findingOn(*all, "comm.transfer");
  ASSERT_NE(proven, nullptr);
  EXPECT_EQ(proven->confidence, Confidence::Proven);
  options.missingRanks = {1, 2, 3};
  const auto alone = generated(options);
  ASSERT_NE(findingOn(*alone, "comm.transfer"), nullptr) << allTitles(*alone);
  for (const Finding& finding : alone->findings()) {
    if (!std::string_view(finding.leaf).starts_with("comm")) continue;
    EXPECT_EQ(finding.confidence, Confidence::Hint) << finding.title;
    EXPECT_EQ(finding.severity, Severity::Info) << finding.title;
    EXPECT_EQ(finding.gain.value_or(Gain{}).low, 0) << finding.title;
  }
  // Most of the step may be it, so it is told first.
  EXPECT_EQ(std::string_view(alone->findings().front().leaf).substr(0, 4), "comm") << allTitles(*alone);
}

// A rank that is late in each step is late in the first one too; recordings that begin late are late once.
TEST(Findings, tellAStragglerFromRecordingsThatBeginLate) {
  JobOptions options = smallJob();
  options.straggler = {2, 6'000'000, 0, test::StragglerKind::Compute};
  const auto straggler = generated(options);
  EXPECT_EQ(straggler->keptAccount().timeOf("wait.start"), 0);
  EXPECT_GT(straggler->keptAccount().timeOf("wait.rank"), 3e6);
  EXPECT_EQ(findingOn(*straggler, "wait.start"), nullptr) << allTitles(*straggler);
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
  ASSERT_NE(found, nullptr) << allTitles(report);
  EXPECT_EQ(found->time, std::llround(report.keptAccount().timeOf("wait.start")));
  EXPECT_TRUE(found->ranks.empty());
  EXPECT_NE(found->evidence.find(durationText(*found->time)), std::string::npos) << found->evidence;
}

TEST(Findings, sayWhatWasLookedForWhenThereAreNone) {
  HandMadeRank events;
  events.annotation(0, 1'000'000, "ProfilerStep#1")
      .op(0, 900'000, "aten::mm")
      .op(900'000, 90'000, "backward");
  HandMadeJob job;
  job.add(0, std::move(events));
  const JobReport report(std::make_shared<const Analysis>(job.build()));
  const std::string text = findingsText(report);
  EXPECT_TRUE(report.findings().empty()) << text;
  EXPECT_NE(text.find("DataLoader stalls"), std::string::npos) << text;
  EXPECT_EQ(text.find("stragglers"), std::string::npos) << "one rank cannot be compared: " << text;
}

TEST(Findings, gainOfAStragglerIsOneFigure) {
  JobOptions options = smallJob();
  options.straggler = {2, 3'000'000, 0, test::StragglerKind::Compute};
  const auto report = generated(options);
  const Finding& first = report->findings().front();
  ASSERT_EQ(first.kind, FindingKind::Straggler);
  const Straggler& straggler = report->analysis().stragglers().stragglers.front();
  EXPECT_EQ(first.gain, (Gain{straggler.gainLow, straggler.gainHigh}));
  EXPECT_EQ(first.title, "Straggler: rank 2, " + gainText(*first.gain) + "/step");
}

TEST(Findings, ofAPartOfAJobAreThoseOfThatPart) {
  JobOptions options = smallJob();
  options.gaps = {{-1, 1, 20'000'000, test::GapCause::Sync}};
  const auto whole = generated(options);
  const auto within = [&](std::int64_t first, std::int64_t last) {
    AnalysisScope scope;
    for (std::size_t i = 0; i < whole->analysis().trace().ranks().size(); ++i) {
      TimeRange window;
      for (const StepWindow& step : whole->analysis().stepWindows(RankIndex(i)).steps) {
        if (first <= step.number && step.number <= last) window = window.unitedWith(step.range);
      }
      scope.ranks.emplace_back(i);
      scope.windows.push_back(RankRange::of(window));
    }
    const Analysis part(whole->analysis(), scope);
    return std::ranges::count(findingsOf(part, jobAccount(part, 1)), FindingKind::Synchronization,
                              &Finding::kind);
  };
  const std::int64_t firstStep = whole->analysis().stepWindows(RankIndex(0)).steps.front().number;
  EXPECT_EQ(within(firstStep + 1, firstStep + 1), 1);
  EXPECT_EQ(within(firstStep + 2, firstStep + 4), 0);
}

TEST_P(FaultInCapture, isTheFirstFinding) {
  const auto report = reportOf(test::captureFolder(GetParam().folder));
  ASSERT_FALSE(report->findings().empty());
  const Finding& first = report->findings().front();
  EXPECT_EQ(findingKindText(first.kind), findingKindText(GetParam().kind)) << allTitles(*report);
  EXPECT_EQ(first.severity, Severity::Critical);
  expectGainsWithinTheStep(*report);
  EXPECT_EQ(first.rank.valid() ? report->analysis().trace().rank(first.rank).rank : -1, GetParam().rank);
}

INSTANTIATE_TEST_SUITE_P(Captures, FaultInCapture, testing::ValuesIn(kFaulty),
                         [](const auto& capture) { return test::testNameOf(capture.param.folder); });

TEST_P(HealthyCapture, hasNoFindingAboveInfo) {
  const auto report = reportOf(test::captureFolder(GetParam()));
  for (const Finding& finding : report->findings())
    EXPECT_EQ(finding.severity, Severity::Info) << finding.title << '\n' << finding.evidence;
  expectGainsWithinTheStep(*report);
}

INSTANTIATE_TEST_SUITE_P(Captures, HealthyCapture, testing::ValuesIn(kHealthy),
                         [](const auto& folder) { return test::testNameOf(folder.param); });

TEST(Findings, theClocksOfManyHostsAreOneFinding) {
  JobOptions options = smallJob();
  options.ranks = 8;
  options.ranksPerNode = 1;
  for (int node = 0; node < options.ranks; ++node)
    options.clockOffsetNs.push_back(std::int64_t{node} * 50'000'000);
  const auto report = generated(options);
  std::vector<Finding> clocks;
  for (const Finding& finding : report->findings()) {
    if (finding.kind == FindingKind::ClockDisagreement) clocks.push_back(finding);
  }
  ASSERT_EQ(clocks.size(), 1U) << allTitles(*report);
  EXPECT_TRUE(clocks[0].title.starts_with("Clock offset: 7 hosts, up to 350 ms")) << clocks[0].title;
  EXPECT_NE(clocks[0].evidence.find("2 more in clock_offset_us of the ranks table"), std::string::npos)
      << clocks[0].evidence;
}

} // namespace rankscope
