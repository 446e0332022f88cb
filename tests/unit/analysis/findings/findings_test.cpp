// SPDX-License-Identifier: GPL-3.0-or-later
// What was done to a job is the first thing that is found in it, and in one that nothing was done to nothing
// is. How ranks become one finding is core/analysis/findings/finding_context.
#include "core/analysis/findings/findings.h"

#include "core/analysis/findings/finding_costs.h"
#include "core/analysis/job/analysis.h"
#include "core/base/unit_text.h"
#include "core/io/load/trace_loader.h"
#include "core/report/findings_table.h"
#include "tests/support/job_generator.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/hand_made_job.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

using test::JobOptions;

std::unique_ptr<JobReport> reportOf(const std::filesystem::path& folder) {
  Progress progress;
  auto loaded = loadTraces({folder.string()}, {}, progress);
  if (!loaded.ok()) throw std::runtime_error(loaded.error().text());
  return std::make_unique<JobReport>(std::make_shared<const Analysis>(*loaded));
}

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
    {"python", FindingKind::GpuIdle,
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
    {"pageable_copies", FindingKind::HostToDeviceCopy,
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

TEST(Findings, areNoneOnAHealthyJob) {
  for (const auto parallelism : {test::Parallelism::Data, test::Parallelism::FullySharded}) {
    JobOptions options = smallJob();
    options.ranks = 8;
    options.ranksPerNode = 4;
    options.parallelism = parallelism;
    const auto report = generated(options);
    EXPECT_TRUE(report->findings().empty()) << allTitles(*report);
  }
}

TEST(Findings, sayWhatWasLookedForWhenThereAreNone) {
  const auto report = generated(smallJob());
  const std::string text = findingsText(*report);
  EXPECT_NE(text.find("stragglers"), std::string::npos) << text;
}

// Copies of two threads at once, one that begins before the steps and one after them: a share of the steps'
// time cannot be more than all of it.
TEST(Findings, copiesCountOnceAndWithinTheStepsOnly) {
  HandMadeRank events;
  for (int step = 0; step < 2; ++step)
    events.annotation(100'000 + step * 100'000, 100'000, "ProfilerStep#" + std::to_string(step));
  events.op(10'000, 150'000, "aten::copy_", "2").op(120'000, 30'000, "aten::copy_", "3");
  events.op(210'000, 20'000, "aten::copy_", "2").op(500'000, 900'000, "aten::copy_", "2");
  HandMadeJob job;
  job.add(0, std::move(events));
  const JobReport report(std::make_shared<const Analysis>(job.build()));
  const auto found = std::ranges::find(report.findings(), FindingKind::CpuCopy, &Finding::kind);
  ASSERT_NE(found, report.findings().end()) << allTitles(report);
  EXPECT_EQ(found->cost, 60'000 + 20'000);
  EXPECT_EQ(found->title, "CPU copies: aten::copy_, 40 % of step time");
  EXPECT_EQ(found->step, 0);
  EXPECT_EQ(found->evidence.substr(0, 8), "2 calls,");
}

// Kernels that fill so many per cent of the one step.
std::vector<std::string> lowUtilizations(std::initializer_list<int> ranks) {
  HandMadeJob job;
  int number = 0;
  for (const int percent : ranks) {
    HandMadeRank events;
    events.annotation(0, 1'000'000, "ProfilerStep#1").kernel(7, 0, percent * 10'000, "gemm");
    job.add(number++, std::move(events));
  }
  const JobReport report(std::make_shared<const Analysis>(job.build()));
  std::vector<std::string> titles;
  for (const Finding& finding : report.findings())
    if (finding.kind == FindingKind::LowGpuUtilization) titles.push_back(finding.title);
  return titles;
}

TEST(Findings, lowUtilizationOfAllRanksIsTheMeanOfAll) {
  EXPECT_EQ(lowUtilizations({10, 20, 90}), std::vector<std::string>{"Low GPU utilization: 40 %"});
}

TEST(Findings, lowUtilizationOfSomeRanksSaysOfHowMany) {
  EXPECT_EQ(lowUtilizations({40, 42, 98}),
            std::vector<std::string>{"Low GPU utilization: 41 % on 2 of 3 ranks"});
  EXPECT_EQ(lowUtilizations({40, 95, 98}), std::vector<std::string>{"Low GPU utilization: 40 %"});
  EXPECT_TRUE(lowUtilizations({90, 95, 98}).empty());
}

TEST(Findings, costOfAStragglerPerStepIsOneFigure) {
  JobOptions options = smallJob();
  options.straggler = {2, 3'000'000, 0, test::StragglerKind::Compute};
  const auto report = generated(options);
  ASSERT_EQ(report->findings().front().kind, FindingKind::Straggler);
  const std::optional<TimeNs> perStep = findingCosts(report->analysis(), report->findings()).front().perStep;
  ASSERT_TRUE(perStep);
  EXPECT_EQ(report->analysis().stragglers().stragglers.front().costPerStep, *perStep);
  EXPECT_EQ(report->findings().front().title, "Straggler: rank 2, " + durationText(*perStep) + "/step");
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
    return std::ranges::count(findingsOf(part), FindingKind::Synchronization, &Finding::kind);
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
  EXPECT_EQ(first.rank.valid() ? report->analysis().trace().rank(first.rank).rank : -1, GetParam().rank);
}

INSTANTIATE_TEST_SUITE_P(Captures, FaultInCapture, testing::ValuesIn(kFaulty),
                         [](const auto& capture) { return test::testNameOf(capture.param.folder); });

TEST_P(HealthyCapture, hasNoCriticalFinding) {
  const auto report = reportOf(test::captureFolder(GetParam()));
  for (const Finding& finding : report->findings())
    EXPECT_NE(finding.severity, Severity::Critical) << finding.title << '\n' << finding.evidence;
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
