// SPDX-License-Identifier: GPL-3.0-or-later
// What is missing of a rank whose file ends too early, and where it is left out. Covers core/model/cut_text,
// core/analysis/job/truncated_ranks.
#include "core/analysis/job/cut_ranks.h"

#include "core/io/load/trace_loader.h"
#include "core/report/account_table.h"
#include "core/report/findings_table.h"
#include "core/report/overview_figures.h"
#include "core/report/rank_shares.h"
#include "core/report/step_means.h"
#include "core/report/summary_text.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"
#include "tests/unit/times.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

namespace rankscope {
namespace {

constexpr int kSteps = 5;

// Steps of 10 ms with an operator and a kernel each, in the order of time.
std::string rankText(int rank) {
  test::TraceText text;
  text.distributedInfo(rank, 4).baseTime(1'700'000'000'000'000'000);
  for (int step = 0; step < kSteps; ++step) {
    const TimeNs begin = 10 * kMs * step;
    text.addStep(step, begin, 10 * kMs)
        .addCpuOp(1, begin, 2 * kMs, "aten::mm")
        .addRuntime(1, begin, kMs, "cudaLaunchKernel", 100 + step)
        .addKernel(rank, 7, begin + kMs, 8 * kMs, "gemm", 100 + step);
  }
  return text.text();
}

std::unique_ptr<JobReport> reportOf(const test::TemporaryFolder& folder) {
  Progress progress;
  const auto loaded = loadTraces({folder.path().string()}, {}, progress);
  EXPECT_TRUE(loaded) << loaded.error().text();
  return std::make_unique<JobReport>(std::make_shared<const Analysis>(*loaded));
}

class CutJob : public testing::Test {
 protected:
  // Three ranks that are whole and one that ends with its second step.
  CutJob() {
    for (int rank = 0; rank < 4; ++rank) {
      std::string text = rankText(rank);
      if (rank == 2) text.resize(text.find("ProfilerStep#2") - 20);
      std::ofstream(m_folder / ("rank" + std::to_string(rank) + ".json")) << text;
    }
    m_report = reportOf(m_folder);
  }

  test::TemporaryFolder m_folder;
  std::unique_ptr<JobReport> m_report;
};

TEST_F(CutJob, itIsKnownHowMuchOfTheJobIsMissing) {
  const std::vector<CutRank> cut = cutRanks(m_report->analysis());
  ASSERT_EQ(cut.size(), 1U);
  EXPECT_EQ(cut[0].rank, RankIndex(2));
  EXPECT_EQ(cut[0].missingTime, 30 * kMs);
  EXPECT_DOUBLE_EQ(cut[0].missingTimePct, 60);
  EXPECT_DOUBLE_EQ(cut[0].missingEventsPct, 55) << "9 of 20: the last one is cut in two";
  EXPECT_EQ(missingText(cut[0]), "30.0 ms of the job's time (60.0 %) and 55.0 % of the events are missing");
}

// PyTorch writes what ran on the device behind what ran on the host: a cut takes that first.
TEST(CutRanks, deviceTimeThatIsMissingCounts) {
  for (const auto& [kernel, missing] : {std::pair("gemm_5", 50 * kMs), std::pair("gemm_0", 95 * kMs)}) {
    const test::TemporaryFolder folder;
    for (int rank = 0; rank < 4; ++rank) {
      test::TraceText trace;
      trace.distributedInfo(rank, 4).baseTime(1'700'000'000'000'000'000).addStep(1, 0, 100 * kMs);
      for (int i = 0; i < 10; ++i) trace.addRuntime(1, 10 * kMs * i, kMs, "cudaLaunchKernel", 100 + i);
      for (int i = 0; i < 10; ++i)
        trace.addKernel(rank, 7, 10 * kMs * i + 2 * kMs, 5 * kMs, "gemm_" + std::to_string(i), 100 + i);
      std::string text = trace.text();
      if (rank == 2) text.resize(text.find(kernel) + 3);
      std::ofstream(folder / ("rank" + std::to_string(rank) + ".json")) << text;
    }
    const auto report = reportOf(folder);
    const std::vector<CutRank> cut = cutRanks(report->analysis());
    ASSERT_EQ(cut.size(), 1U) << kernel;
    EXPECT_EQ(cut[0].missingTime, missing) << kernel;
  }
}

// What is decided of a step of the job, and every mean over ranks, is that of the others.
TEST_F(CutJob, keptStepsAccountAndPaceAreOfTheOthers) {
  const Analysis& analysis = m_report->analysis();
  const KeptSteps& kept = analysis.keptSteps();
  ASSERT_EQ(kept.steps.size(), static_cast<std::size_t>(kSteps));
  for (const JobStep& step : kept.steps) {
    EXPECT_EQ(step.ranks, 3) << step.number;
    EXPECT_EQ(step.total, 30 * kMs) << step.number;
    EXPECT_TRUE(step.kept()) << step.number;
  }
  EXPECT_EQ(kept.stepOfRank[2], (std::vector<std::size_t>{0, 1})) << "its steps are known all the same";
  EXPECT_TRUE(m_report->keptAccount().windows[2].empty());
  EXPECT_EQ(m_report->keptAccount().windows[0].size(), static_cast<std::size_t>(kSteps));
  EXPECT_DOUBLE_EQ(m_report->keptAccount().stepTime, 10 * kMs);
  EXPECT_EQ(accountView(*m_report, {}).ranks, 3U);
  EXPECT_EQ(accountView(*m_report, {RankIndex(2), std::nullopt}).ranks, 1U) << "asked for, it is shown";
  const StragglerAnalysis& pace = analysis.stragglers();
  EXPECT_FALSE(pace.ranks[2].slowdown);
  EXPECT_FALSE(pace.ranks[2].zScore);
  EXPECT_TRUE(pace.ranks[0].slowdown);
  for (const RankStep& step : pace.ranks[0].steps) EXPECT_DOUBLE_EQ(step.slowdown, 1);
}

TEST_F(CutJob, meansOverRanksLeaveItOutAndNameIt) {
  const Analysis& analysis = m_report->analysis();
  EXPECT_EQ(wholeRanks(analysis), (std::vector{RankIndex(0), RankIndex(1), RankIndex(3)}));
  for (const StepMean& step : stepMeans(analysis)) EXPECT_EQ(step.ranks, 3U) << step.number;
  EXPECT_EQ(stepMeans(analysis, RankIndex(2)).size(), 2U) << "asked for, it is shown";
  const OverviewFigures figures = overviewFigures(analysis, m_report->account());
  ASSERT_EQ(figures.leftOut.size(), 1U);
  EXPECT_EQ(figures.stepMean, 10 * kMs);
  EXPECT_EQ(figures.ranks.ranks, 3U);
  EXPECT_EQ(figures.ranks.captures, 3U);
  EXPECT_NE(overviewSentence(figures).find("Rank 2 is left out: its file is truncated."), std::string::npos)
      << overviewSentence(figures);
  EXPECT_NE(summaryText(*m_report).find("Truncated files, left out of means over ranks\n  rank 2: 30.0 ms"),
            std::string::npos)
      << summaryText(*m_report);
  std::vector<RankShare> shares = rankShares(analysis, ShareOver::Sum);
  for (const RankShare& share : shares) EXPECT_EQ(share.truncated, share.rank == RankIndex(2));
  EXPECT_TRUE(outlierRanks(shares).empty()) << "less was recorded of it, that is all";
  const std::string findings = findingsText(*m_report);
  EXPECT_NE(findings.find("Truncated file: rank 2, 60 % of the job's time missing"), std::string::npos)
      << findings;
  EXPECT_EQ(findings.find("Unreadable events"), std::string::npos) << findings;
}

// The last step of such a rank is no measure for its others.
TEST(CutRanks, aStepWithoutItsKernelIsCut) {
  const test::TemporaryFolder folder;
  for (int rank = 0; rank < 3; ++rank) {
    std::string text = rankText(rank);
    if (rank == 2) text.resize(text.find("gemm", text.find("ProfilerStep#1")));
    std::ofstream(folder / ("rank" + std::to_string(rank) + ".json")) << text;
  }
  const auto report = reportOf(folder);
  const Analysis& analysis = report->analysis();
  EXPECT_EQ(analysis.stepStatus(RankIndex(2)), (std::vector{StepStatus::Kept, StepStatus::Cut}));
  EXPECT_EQ(analysis.countedSteps(RankIndex(2)), (std::vector<std::size_t>{0}));
  EXPECT_EQ(analysis.countedSteps(RankIndex(0)).size(), static_cast<std::size_t>(kSteps));
  EXPECT_EQ(analysis.keptSteps().keptCount(), static_cast<std::size_t>(kSteps)) << "whole on the others";
  EXPECT_EQ(accountView(*report, {RankIndex(2), std::nullopt}).steps, 1U);
}

TEST(CutRanks, aLostEndWithoutEventsChangesNothing) {
  const test::TemporaryFolder folder;
  for (int rank = 0; rank < 2; ++rank) {
    std::string text = rankText(rank);
    if (rank == 1) text.resize(text.rfind(']'));
    std::ofstream(folder / ("rank" + std::to_string(rank) + ".json")) << text;
  }
  const auto report = reportOf(folder);
  EXPECT_TRUE(cutRanks(report->analysis()).empty());
  EXPECT_EQ(wholeRanks(report->analysis()), report->analysis().ranks());
}

TEST(CutRanks, whereAllAreCutNoneIsLeftOut) {
  const test::TemporaryFolder folder;
  const std::string text = rankText(0);
  std::ofstream(folder / "rank0.json") << text.substr(0, text.size() / 2);
  const auto report = reportOf(folder);
  const std::vector<CutRank> cut = cutRanks(report->analysis());
  ASSERT_EQ(cut.size(), 1U);
  EXPECT_EQ(missingText(cut[0]), "what is missing cannot be told from other ranks");
  EXPECT_EQ(wholeRanks(report->analysis()), report->analysis().ranks());
  EXPECT_TRUE(overviewFigures(report->analysis(), report->account()).leftOut.empty());
  const std::string findings = findingsText(*report);
  EXPECT_NE(findings.find("Truncated file: rank 0"), std::string::npos) << findings;
  EXPECT_EQ(findings.find("0 % of"), std::string::npos) << "unknown is no zero: " << findings;
}

} // namespace
} // namespace rankscope
