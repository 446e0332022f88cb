// SPDX-License-Identifier: GPL-3.0-or-later
// What findings say beside their figures: what includes them, how certain few steps are, which finding leads
// where several tell of one thing. Covers core/analysis/findings/finding_names,
// core/analysis/findings/finding_optimizer, core/analysis/findings/finding_answers and
// core/analysis/findings/small_gaps too.
#include "core/analysis/account/leaves.h"
#include "core/analysis/findings/finding_checks.h"
#include "core/analysis/findings/finding_names.h"
#include "core/analysis/findings/findings.h"
#include "core/io/load/trace_loader.h"
#include "core/report/findings_table.h"
#include "core/report/job_report.h"
#include "tests/support/job_generator.h"
#include "tests/support/parallel_jobs.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/analysis/findings/finding_jobs.h"
#include "tests/unit/report_of.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <regex>
#include <string>
#include <string_view>

namespace rankscope {

namespace {

using test::JobOptions;
using test::StragglerKind;

std::unique_ptr<JobReport> reportOfJob(const test::PipelineJob& job) {
  const test::TemporaryFolder folder;
  generatePipelineJob(job, folder.path());
  return reportOf(folder.path());
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// Ids of leaves are words of tables.
void expectNoIds(const JobReport& report) {
  for (const Finding& finding : report.findings()) {
    for (std::size_t i = 0; i < kLeafCount; ++i) {
      const std::string_view id = leafText(static_cast<Leaf>(i));
      if (id.find('.') == std::string_view::npos) continue;
      EXPECT_FALSE(has(finding.title + finding.evidence + finding.fix, id)) << finding.evidence;
    }
  }
}

test::PipelineJob slowStage(int replicas) {
  test::PipelineJob job;
  job.replicas = replicas;
  job.steps = 5;
  job.slowStage = 1;
  job.slowPermille = 1'400;
  return job;
}

} // namespace

TEST(FindingTexts, aSlowStageIsToldOnce) {
  for (const int replicas : {1, 2}) {
    const auto report = reportOfJob(slowStage(replicas));
    expectNoIds(*report);
    EXPECT_EQ(findingIn(*report, FindingKind::SlowClock), nullptr) << findingsText(*report);
    const Finding* const straggler = findingIn(*report, FindingKind::Straggler);
    EXPECT_EQ(straggler != nullptr, replicas == 1) << findingsText(*report);
    if (straggler != nullptr) {
      EXPECT_TRUE(has(straggler->fix, "Move layers")) << straggler->fix;
    }
    int leading = straggler != nullptr ? 1 : 0;
    for (const FindingKind kind : {FindingKind::PipelineImbalance, FindingKind::PipelineBubble,
                                   FindingKind::PipelineFewMicrobatches, FindingKind::PipelineSchedule}) {
      const Finding* const other = findingIn(*report, kind);
      if (other == nullptr) continue;
      EXPECT_EQ(other->severity, Severity::Info);
      if (!has(other->evidence, "the gains do not add up")) ++leading;
    }
    EXPECT_EQ(leading, 1) << findingsText(*report);
  }
}

// Its kernels begin 3 ms after their launch, and nothing says why.
TEST(FindingTexts, unexplainedIdleTimeIsThatOfTheAccount) {
  const test::TemporaryFolder folder;
  test::ShardedJob job;
  job.ranks = 4;
  job.tensorRanks = 2;
  generateShardedJob(job, folder.path());
  const auto report = reportOf(folder.path());
  const Finding* const found = findingIn(*report, FindingKind::UnexplainedIdle);
  ASSERT_NE(found, nullptr) << findingsText(*report);
  EXPECT_EQ(found->time, std::llround(report->keptAccount().timeOf("queue.unexplained")));
}

TEST(FindingTexts, aStragglerOfFewStepsIsLessCertain) {
  JobOptions options;
  options.ranks = 4;
  options.steps = 3;
  EXPECT_EQ(findingIn(*reportOfJob(options), FindingKind::Straggler), nullptr);
  options.straggler = {2, 6'000'000, 0, StragglerKind::Host};
  const auto report = reportOfJob(options);
  const Finding* const found = findingIn(*report, FindingKind::Straggler);
  ASSERT_NE(found, nullptr) << findingsText(*report);
  EXPECT_EQ(report->analysis().trace().rank(found->rank).rank, 2);
  EXPECT_EQ(found->confidence, found->steps == 3 ? Confidence::Likely : Confidence::Hint);
  options.steps = 6;
  EXPECT_EQ(findingIn(*reportOfJob(options), FindingKind::Straggler)->confidence, Confidence::Proven);
}

TEST(FindingTexts, aStragglerOfSeveralRecordingsCountsTheStepsOfAll) {
  JobOptions options;
  options.ranks = 4;
  options.steps = 6;
  options.captures = 2;
  options.straggler = {1, 6'000'000, 0, StragglerKind::Compute};
  const auto report = reportOfJob(options);
  const Finding* const found = findingIn(*report, FindingKind::Straggler);
  ASSERT_NE(found, nullptr) << findingsText(*report);
  EXPECT_TRUE(has(found->evidence, " of " + std::to_string(found->steps) + " kept steps")) << found->evidence;
  expectNoIds(*report);
}

TEST(FindingTexts, exposedCommunicationSaysWhatItIncludes) {
  JobOptions options;
  options.ranks = 4;
  options.overlapPermille = 0;
  const auto report = reportOfJob(options);
  const Finding* found = findingIn(*report, FindingKind::ExposedCommunication);
  if (found == nullptr) found = findingIn(*report, FindingKind::NoOverlap);
  ASSERT_NE(found, nullptr) << findingsText(*report);
  const double tail = report->keptAccount().timeOf("comm.tail");
  ASSERT_GT(tail, 0);
  EXPECT_NEAR(static_cast<double>(*found->time), report->keptAccount().timeOf("comm.transfer") + tail, 1'000);
  EXPECT_TRUE(has(found->evidence, "of last buckets and first gathers")) << found->evidence;
  for (const FindingKind kind : {FindingKind::LastBucket, FindingKind::DdpBucketsTooLarge}) {
    const Finding* const part = findingIn(*report, kind);
    if (part == nullptr) continue;
    EXPECT_TRUE(has(part->evidence, "Included in \"")) << part->evidence;
  }
}

TEST(FindingTexts, allToAllWaitsLeaveOutTheStartOfRecordings) {
  const std::filesystem::path folder = test::sharedFolder() / "traces" / "dlrm-8rank-v100";
  RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(folder), "no recordings");
  const auto report = reportOf(folder);
  const Finding* const found = findingIn(*report, FindingKind::AllToAllWait);
  ASSERT_NE(found, nullptr);
  EXPECT_LE(static_cast<double>(*found->time), report->keptAccount().timeOf("wait.rank"));
}

// The finding about eager dispatch may be about one phase only.
TEST(FindingTexts, partsOfDispatchAreIncludedInTheFindingAboutTheirPhase) {
  for (const bool isForward : {true, false}) {
    JobOptions options;
    options.ranks = 2;
    options.layers = 4;
    options.waste = {test::Waste::ZeroGrad, test::Waste::Optimizer};
    if (isForward) options.gaps = {{-1, -1, 6'000'000, test::GapCause::LaunchBound}};
    const auto report = reportOfJob(options);
    const Finding* const zeros = findingIn(*report, FindingKind::ZeroGrad);
    const Finding* const dispatch = findingIn(*report, FindingKind::LaunchBound);
    if (zeros == nullptr) continue;
    EXPECT_EQ(has(zeros->evidence, "Included in"),
              dispatch != nullptr && std::string_view("host.dispatch.optimizer").starts_with(dispatch->leaf))
        << findingsText(*report);
  }
}

TEST(FindingTexts, copiesSayTheirRate) {
  JobOptions options;
  options.ranks = 2;
  const auto report = reportOfJob(options);
  const Finding* const found = findingIn(*report, FindingKind::InputCopy);
  ASSERT_NE(found, nullptr) << findingsText(*report);
  EXPECT_TRUE(has(found->evidence, "The longest has 8.0 MiB, at ")) << found->evidence;
  EXPECT_TRUE(has(found->fix, "on a stream of their own")) << found->fix;
}

TEST(FindingTexts, optimizersGetTheOptionsTheyHave) {
  const auto fixFor = [](std::string_view annotation) { return optimizerFix(optimizerName(annotation)); };
  EXPECT_TRUE(has(fixFor("Optimizer.step#AdamW.step"), "AdamW(..., fused=True)"));
  EXPECT_TRUE(has(fixFor("Optimizer.step#Adagrad.step"), "Adagrad(..., foreach=True)"));
  EXPECT_EQ(shortKernelName("Memcpy HtoD (Pinned -> Device)"), "Memcpy HtoD");
}

TEST(FindingTexts, namesOfKernelsAreShortAndEndWithAWholeWord) {
  EXPECT_EQ(
      shortKernelName("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_warpgroupsize1x1x1_execute"),
      "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64…");
  EXPECT_EQ(shortKernelName("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x192x64_MI16x16x1_SN_LDSB1"),
            "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x192x64…");
  EXPECT_EQ(shortKernelName("void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>(Params)"),
            "cutlass_80_simt_sgemm_128x64_8x5_nn_align1");
  const std::string one(200, 'k');
  EXPECT_EQ(shortKernelName(one), std::string(60, 'k') + "…") << "no word ends before";
  std::string wide = "k";
  for (int i = 0; i < 60; ++i) wide += "µ";
  const std::string cut = shortKernelName(wide);
  EXPECT_TRUE(cut.ends_with("µ…")) << cut << ": no half of a character";
  EXPECT_LE(cut.size(), 63U);
}

TEST(FindingTexts, whatNeedsDumpsAndSnapshotsIsNotCheckedWithoutThem) {
  JobOptions options;
  options.ranks = 2;
  const auto report = reportOfJob(options);
  for (const FindingKind kind : {FindingKind::HangHost, FindingKind::HangDevice, FindingKind::HangMismatch,
                                 FindingKind::HangNoDump, FindingKind::OutOfMemory}) {
    const auto parts = uncheckedKinds(report->analysis());
    EXPECT_TRUE(std::ranges::any_of(parts, [&](const UncheckedKinds& part) {
      return std::ranges::find(part.kinds, kind) != part.kinds.end();
    })) << findingKindText(kind);
  }
}

// A batch that is copied as fast as the link allows is a cost only if it can be copied ahead.
TEST(FindingTexts, smallHealthyJobsHaveNothingAboveInfo) {
  for (const int layers : {1, 2}) {
    JobOptions options;
    options.layers = layers;
    options.ranks = 2;
    options.steps = 6;
    const auto report = reportOfJob(options);
    for (const Finding& finding : report->findings())
      EXPECT_EQ(finding.severity, Severity::Info) << layers << " layers\n" << findingsText(*report);
    const Finding* const copies = findingIn(*report, FindingKind::InputCopy);
    ASSERT_NE(copies, nullptr) << findingsText(*report);
    EXPECT_LT(copies->gain->low, copies->gain->high / 5) << findingsText(*report);
  }
}

// hipFree waits in each of its steps, which the profiler did not mark.
TEST(FindingTexts, whatIsAllocatedInEveryStepIsNoStartUp) {
  const std::filesystem::path folder = test::sharedFolder() / "traces" / "mi300-ddp-resnet18";
  RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
  const auto report = reportOf(folder);
  EXPECT_EQ(findingIn(*report, FindingKind::StartupRecorded), nullptr) << findingsText(*report);
  const auto found = std::ranges::find(report->findings(), "host.alloc", &Finding::leaf);
  ASSERT_NE(found, report->findings().end()) << findingsText(*report);
  EXPECT_EQ(found->severity, Severity::Critical);
  EXPECT_TRUE(has(found->evidence, "hipFree")) << found->evidence;
  // The allocator had no cache: each tensor is a hipMalloc. No device memory was recorded, but operators.
  EXPECT_EQ(found->kind, FindingKind::CachingOff) << found->title;
  for (const UncheckedKinds& part : uncheckedKinds(report->analysis()))
    EXPECT_EQ(std::ranges::count(part.kinds, FindingKind::CachingOff), 0) << part.reason;
}

// Two recordings of one script: the same launches, the same inclusion.
TEST(FindingTexts, zeroGradIsIncludedInDispatchHoweverItsPhasesAreShared) {
  for (const char* const set : {"resnet50-v100-workers0", "resnet50-v100-workers4"}) {
    const std::filesystem::path folder = test::sharedFolder() / "traces" / set;
    RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
    const auto report = reportOf(folder);
    const Finding* const dispatch = findingIn(*report, FindingKind::LaunchBound);
    const Finding* const zeros = findingIn(*report, FindingKind::ZeroGrad);
    ASSERT_NE(dispatch, nullptr) << findingsText(*report);
    ASSERT_NE(zeros, nullptr) << findingsText(*report);
    EXPECT_EQ(dispatch->leaf, "host.dispatch") << set;
    EXPECT_TRUE(has(zeros->evidence, "Included in \"Eager dispatch\".")) << zeros->evidence;
  }
}

// Counts are written as everywhere else in the program: "1 516 launches", "1 gap".
TEST(FindingTexts, countsAreGroupedAndSingularOrPlural) {
  const std::regex ungrouped("(^|[ (])[0-9]{4,} [a-z]");
  const std::regex oneOfMany(
      "(^|[ (])1 (ranks|steps|gaps|launches|copies|kernels|calls|collectives|links|events|rows)\\b");
  for (const char* const set : {"resnet50-v100-workers0", "mi300-resnet-checkpoint", "mi300-ddp-resnet18",
                                "h100-qwen", "cpu-only-rank34of300", "dlrm-8rank-v100", "a100-alexnet"}) {
    const std::filesystem::path folder = test::sharedFolder() / "traces" / set;
    RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
    const auto report = reportOf(folder);
    for (const Finding& finding : report->findings()) {
      for (const std::string& text : {finding.title, finding.evidence, finding.fix}) {
        EXPECT_FALSE(std::regex_search(text, ungrouped)) << set << ": " << text;
        EXPECT_FALSE(std::regex_search(text, oneOfMany)) << set << ": " << text;
      }
    }
  }
}

// Rank 2 sleeps 60 ms and multiplies more.
TEST(FindingTexts, aStragglerOfTwoCausesHasBoth) {
  const auto report = reportOf(test::captureFolder("torch-2.6.0/ddp4_straggler"));
  const Finding* const found = findingIn(*report, FindingKind::Straggler);
  ASSERT_NE(found, nullptr) << findingsText(*report);
  EXPECT_TRUE(has(found->evidence, "ms/step of computation and ")) << found->evidence;
  EXPECT_TRUE(has(found->evidence, "ms/step of a host thread that records nothing")) << found->evidence;
}

// Operators that run in the DataLoader are computation in the account and the DataLoader's in the steps.
TEST(FindingTexts, aStragglerHasOneCause) {
  const std::filesystem::path folder = test::captureFolder("torch-2.6.0") / "functional2_stack";
  RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
  const auto report = reportOf(folder);
  const Finding* const found = findingIn(*report, FindingKind::Straggler);
  ASSERT_NE(found, nullptr) << findingsText(*report);
  EXPECT_FALSE(has(found->evidence, "of computation") && has(found->evidence, "Cause: DataLoader"))
      << found->evidence;
  EXPECT_TRUE(has(found->evidence, " × the median rank's")) << found->evidence;
}

} // namespace rankscope
