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
#include "tests/unit/analysis/findings/finding_jobs.h"
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
  JobOptions options = fourRanks();
  GetParam().inject(options);
  const auto report = reportOfJob(options);
  ASSERT_FALSE(report->findings().empty());
  const Finding& first = report->findings().front();
  EXPECT_EQ(findingKindText(first.kind), findingKindText(GetParam().kind)) << findingsText(*report);
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
    JobOptions options = fourRanks();
    options.ranks = 8;
    options.ranksPerNode = 4;
    options.parallelism = parallelism;
    const auto report = reportOfJob(options);
    for (const Finding& finding : report->findings())
      EXPECT_EQ(finding.severity, Severity::Info) << findingsText(*report);
  }
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
    JobOptions options = fourRanks();
    options.steps = 8;
    options.seed = seed;
    const double healthy = stepTimeOf(options);
    GetParam().inject(options);
    const auto report = reportOfJob(options);
    expectGainsWithinTheStep(*report);
    const auto found =
        std::ranges::find_if(report->findings(), [](const Finding& f) { return f.leaf == GetParam().leaf; });
    ASSERT_NE(found, report->findings().end()) << findingsText(*report);
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
  JobOptions options = fourRanks();
  options.steps = 8;
  options.seed = 7;
  const double healthy = stepTimeOf(options);
  options.straggler = {2, 4'000'000, 0, test::StragglerKind::Compute};
  options.gaps = {{-1, -1, 2'000'000, test::GapCause::Sync}};
  options.loaderNs = 3'000'000;
  const auto report = reportOfJob(options);
  double gains = 0;
  for (const Finding& finding : report->findings()) {
    if (finding.severity > Severity::Info && finding.leaf != "comm.transfer")
      gains += static_cast<double>(finding.gain->low);
  }
  const double truth = report->keptAccount().stepTime - healthy;
  EXPECT_NEAR(gains, truth, 0.05 * truth) << findingsText(*report);
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

TEST(Findings, ofAPartOfAJobAreThoseOfThatPart) {
  JobOptions options = fourRanks();
  options.gaps = {{-1, 1, 20'000'000, test::GapCause::Sync}};
  const auto whole = reportOfJob(options);
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
  EXPECT_EQ(findingKindText(first.kind), findingKindText(GetParam().kind)) << findingsText(*report);
  EXPECT_EQ(first.severity, Severity::Critical);
  expectGainsWithinTheStep(*report);
  EXPECT_EQ(first.rank.valid() ? report->analysis().trace().rank(first.rank).rank : -1, GetParam().rank);
  // A replay that has no answer leaves the formula's.
  const JobReport replayed(report->sharedAnalysis(), {}, GainMethod::Replay);
  ASSERT_FALSE(replayed.findings().empty());
  EXPECT_EQ(findingKindText(replayed.findings().front().kind), findingKindText(GetParam().kind))
      << findingsText(replayed);
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
  JobOptions options = fourRanks();
  options.ranks = 8;
  options.ranksPerNode = 1;
  for (int node = 0; node < options.ranks; ++node)
    options.clockOffsetNs.push_back(std::int64_t{node} * 50'000'000);
  const auto report = reportOfJob(options);
  std::vector<Finding> clocks;
  for (const Finding& finding : report->findings()) {
    if (finding.kind == FindingKind::ClockDisagreement) clocks.push_back(finding);
  }
  ASSERT_EQ(clocks.size(), 1U) << findingsText(*report);
  EXPECT_TRUE(clocks[0].title.starts_with("Clock offset: 7 hosts, up to 350 ms")) << clocks[0].title;
  EXPECT_NE(clocks[0].evidence.find("2 more in clock_offset_us of the ranks table"), std::string::npos)
      << clocks[0].evidence;
}

} // namespace rankscope
