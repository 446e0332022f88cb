// SPDX-License-Identifier: GPL-3.0-or-later
// The rules behind findings, one hand-made job each, with the cost that follows from it. Together with
// findings_test, which injects faults into whole jobs, and the golden tables they cover
// core/analysis/findings/finding_communication, core/analysis/findings/finding_host,
// core/analysis/findings/finding_idle, core/analysis/findings/finding_kernels,
// core/analysis/findings/finding_memory, core/analysis/findings/finding_quality and
// core/analysis/findings/finding_stragglers.
#include "core/analysis/findings/finding_rules.h"

#include "core/analysis/findings/finding_kinds.h"
#include "core/analysis/findings/findings.h"
#include "core/analysis/job/scope.h"
#include "tests/unit/hand_made_job.h"
#include "tests/unit/io/opened_trace.h"

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr TimeNs kUs = 1'000;
constexpr std::int64_t kGiB = std::int64_t{1} << 30;

std::vector<Finding> findingsOfKind(FindingKind kind, std::shared_ptr<const TraceSet> traces) {
  const Analysis analysis(std::move(traces));
  std::vector<Finding> found;
  for (Finding& finding : findingsOf(analysis))
    if (finding.kind == kind) found.push_back(std::move(finding));
  return found;
}

std::vector<Finding> findingsOfKind(FindingKind kind, HandMadeRank rank) {
  HandMadeJob job;
  job.add(0, std::move(rank));
  return findingsOfKind(kind, job.build());
}

HandMadeRank oneStep(TimeNs duration = 1000 * kUs) {
  HandMadeRank rank;
  rank.annotation(0, duration, "ProfilerStep#1");
  return rank;
}

RawMemory allocated(std::int64_t bytes, std::int64_t total, std::int64_t reserved) {
  RawMemory record;
  record.bytes = bytes;
  record.totalAllocated = total;
  record.totalReserved = reserved;
  record.deviceType = 1;
  record.device = 0;
  return record;
}

} // namespace

TEST(FindingRules, aRankWithLessOverlapThanTheMedianIsFound) {
  HandMadeJob job;
  int number = 0;
  for (const bool overlapped : {true, true, false}) {
    HandMadeRank rank = oneStep();
    // The collective is at the same time on all ranks, so that nobody is late.
    rank.collective(20, 100 * kUs, 400 * kUs, "ncclDevKernel_AllReduce");
    rank.kernel(7, overlapped ? 0 : 500 * kUs, 500 * kUs, "gemm");
    job.add(number++, std::move(rank));
  }
  const auto found = findingsOfKind(FindingKind::LowOverlapRank, job.build());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rank, RankIndex(2));
  EXPECT_EQ(found[0].cost, 400 * kUs);
  EXPECT_EQ(found[0].severity, Severity::Critical);
}

TEST(FindingRules, moreCommunicationThanComputeIsFoundByTheDifference) {
  const auto job = [](TimeNs communication) {
    HandMadeRank rank = oneStep();
    rank.kernel(7, 0, 200 * kUs, "gemm");
    rank.collective(20, 200 * kUs, communication, "ncclDevKernel_AllReduce");
    return rank;
  };
  const auto found = findingsOfKind(FindingKind::CommunicationDominates, job(600 * kUs));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cost, 400 * kUs);
  EXPECT_TRUE(findingsOfKind(FindingKind::CommunicationDominates, job(200 * kUs)).empty());
}

TEST(FindingRules, aGapBetweenBackwardAndOptimizerIsFoundApartFromOtherIdleTime) {
  HandMadeRank rank = oneStep();
  rank.annotation(100 * kUs, 300 * kUs, "backward")
      .annotation(600 * kUs, 300 * kUs, "Optimizer.step#SGD.step");
  rank.launched(150 * kUs, 7, 200 * kUs, 200 * kUs, "backward_kernel");
  rank.op(410 * kUs, 240 * kUs, "aten::norm");
  rank.launched(655 * kUs, 7, 660 * kUs, 200 * kUs, "optimizer_kernel");
  const auto found = findingsOfKind(FindingKind::IdleAfterBackward, std::move(rank));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cost, 260 * kUs);
  EXPECT_EQ(found[0].place.length(), 260 * kUs);
  EXPECT_EQ(found[0].step, 1);
}

TEST(FindingRules, matrixProductsWithoutTensorCoresCostHalfTheirTime) {
  const auto job = [](const char* kernel, int major) {
    test::TraceText text;
    text.metadata("deviceProperties",
                  R"([{"id": 0, "name": "GPU", "computeMajor": )" + std::to_string(major) + "}]");
    text.addStep(1, 0, 1000 * kUs).addCpuOp(1, 10 * kUs, 100 * kUs, "aten::mm");
    text.addRuntime(1, 20 * kUs, 5 * kUs, "cudaLaunchKernel", 11);
    text.addKernel(0, 7, 100 * kUs, 400 * kUs, kernel, 11);
    const test::Opened file(text.text());
    return findingsOfKind(FindingKind::NoTensorCores, file.set);
  };
  const auto found = job("ampere_sgemm_128x64_nn", 8);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cost, 200 * kUs);
  EXPECT_EQ(found[0].subject, "aten::mm");
  EXPECT_TRUE(job("sm80_xmma_gemm_bf16bf16_tensor16x8x16", 8).empty()) << "uses them";
  EXPECT_TRUE(job("ampere_sgemm_128x64_nn", 6).empty()) << "has none";
}

TEST(FindingRules, fewBlocksCostTheMultiprocessorsThatStayEmpty) {
  const auto job = [](float blocksPerSm) {
    RawDevice detail;
    detail.blocksPerSm = blocksPerSm;
    HandMadeRank rank = oneStep();
    rank.device(EventKind::Kernel, 7, 0, 400 * kUs, "small_grid", detail);
    return rank;
  };
  const auto found = findingsOfKind(FindingKind::FewBlocks, job(0.25F));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cost, 300 * kUs);
  EXPECT_EQ(found[0].subject, "small_grid");
  EXPECT_TRUE(findingsOfKind(FindingKind::FewBlocks, job(1.0F)).empty());
}

TEST(FindingRules, fragmentationIsWhatIsReservedAndUnusedAtThePeak) {
  const auto job = [](std::int64_t reserved) {
    HandMadeRank rank = oneStep();
    rank.kernel(7, 0, 1000 * kUs, "gemm");
    rank.memory(10 * kUs, allocated(kGiB, kGiB, reserved));
    rank.memory(20 * kUs, allocated(-kGiB / 2, kGiB / 2, 4 * kGiB));
    return rank;
  };
  const auto found = findingsOfKind(FindingKind::Fragmentation, job(2 * kGiB));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].costBytes, kGiB) << "later, when less is allocated, it does not matter";
  EXPECT_EQ(found[0].rank, RankIndex(0));
  EXPECT_TRUE(findingsOfKind(FindingKind::Fragmentation, job(kGiB + kGiB / 8)).empty());
}

TEST(FindingRules, fragmentationIsNotJudgedOnAPartOfTheRecording) {
  HandMadeRank rank = oneStep();
  rank.kernel(7, 0, 1000 * kUs, "gemm");
  rank.memory(10 * kUs, allocated(2 * kGiB, 2 * kGiB, 2 * kGiB));
  rank.memory(600 * kUs, allocated(-kGiB, kGiB, 2 * kGiB));
  HandMadeJob job;
  job.add(0, std::move(rank));
  const Analysis whole(job.build());
  const Analysis part(whole, scopeOfRange(whole, JobRange{JobTime(500 * kUs), JobTime(900 * kUs)}));
  for (const Analysis* analysis : {&whole, &part}) {
    for (const Finding& finding : findingsOf(*analysis))
      EXPECT_NE(finding.kind, FindingKind::Fragmentation) << finding.title;
  }
}

TEST(FindingRules, devicesThatHardlyWorkAreOneFindingWhateverTheLengthOfCaptures) {
  HandMadeJob job;
  for (int capture = 1; capture <= 6; ++capture) {
    HandMadeRank rank;
    const TimeNs length = capture == 1 ? 20'000 * kUs : 100 * kUs * capture;
    rank.kernel(7, 0, kUs, "gemm").kernel(7, length, kUs, "gemm");
    job.add(0, std::move(rank), capture);
  }
  const auto found = findingsOfKind(FindingKind::LowGpuUtilization, job.build());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].title.starts_with("Low GPU utilization: ")) << found[0].title;
  EXPECT_FALSE(found[0].rank.valid());
}

TEST(FindingRules, ofCapturesThatAreBusyAndOthersTheOthersAreOneFinding) {
  HandMadeJob job;
  for (int capture = 1; capture <= 6; ++capture) {
    HandMadeRank rank;
    rank.kernel(7, 0, capture > 2 ? 1000 * kUs : kUs, "gemm");
    if (capture <= 2) rank.kernel(7, 1000 * kUs, kUs, "gemm");
    job.add(0, std::move(rank), capture);
  }
  const auto found = findingsOfKind(FindingKind::LowGpuUtilization, job.build());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].title, "Low GPU utilization: 0 % on 2 of 6 captures");
}

TEST(FindingRules, aStepThatNeedsMuchMoreMemoryIsFoundWithTheExcess) {
  HandMadeRank rank;
  for (int step = 0; step < 5; ++step) {
    const TimeNs begin = step * 1000 * kUs;
    const std::int64_t peak = step == 3 ? 3 * kGiB : kGiB;
    rank.annotation(begin, 1000 * kUs, "ProfilerStep#" + std::to_string(step));
    rank.kernel(7, begin, 1000 * kUs, "gemm");
    rank.memory(begin + 10 * kUs, allocated(peak, peak, peak))
        .memory(begin + 20 * kUs, allocated(-peak, 0, peak));
  }
  const auto found = findingsOfKind(FindingKind::MemorySpike, std::move(rank));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].costBytes, 2 * kGiB);
  EXPECT_EQ(found[0].step, 3);
}

TEST(FindingRules, aKernelBeforeItsLaunchMeansThatClocksDisagree) {
  const auto job = [](TimeNs begin) {
    HandMadeRank rank = oneStep();
    rank.launched(200 * kUs, 7, begin, 300 * kUs, "gemm");
    return rank;
  };
  const auto found = findingsOfKind(FindingKind::ClockDisagreement, job(150 * kUs));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cost, 50 * kUs);
  EXPECT_EQ(found[0].rank, RankIndex(0));
  EXPECT_TRUE(found[0].event.valid());
  EXPECT_TRUE(findingsOfKind(FindingKind::ClockDisagreement, job(197 * kUs)).empty()) << "within tolerance";
}

TEST(FindingKinds, severityFollowsTheShare) {
  constexpr Shares shares{0.1, 0.2, 0.4};
  EXPECT_EQ(severityOf(0.099, shares), std::nullopt);
  EXPECT_EQ(severityOf(0.1, shares), Severity::Info);
  EXPECT_EQ(severityOf(0.2, shares), Severity::Warning);
  EXPECT_EQ(severityOf(0.4, shares), Severity::Critical);
}

TEST(FindingKinds, haveAWordAndATitleEach) {
  std::set<std::string_view> words;
  std::set<std::string_view> titles;
  for (int kind = 0; kind < kFindingKindCount; ++kind) {
    words.insert(findingKindText(static_cast<FindingKind>(kind)));
    titles.insert(findingKindTitle(static_cast<FindingKind>(kind)));
  }
  EXPECT_EQ(words.size(), static_cast<std::size_t>(kFindingKindCount));
  EXPECT_EQ(titles.size(), static_cast<std::size_t>(kFindingKindCount));
  for (const Severity severity : {Severity::Info, Severity::Warning, Severity::Critical})
    EXPECT_EQ(severityOf(severityText(severity)), severity);
  EXPECT_EQ(severityOf("fatal"), std::nullopt);
}

} // namespace rankscope
