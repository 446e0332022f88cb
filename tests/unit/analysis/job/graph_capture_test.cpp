// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/job/graph_capture.h"

#include "core/report/job_report.h"
#include "core/report/overview_figures.h"
#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>
#include <memory>

namespace rankscope {

namespace {

// Three launches in a capture, which run nothing, and one kernel before it.
HandMadeRank capturing() {
  HandMadeRank rank;
  rank.launched(100, 7, 200, 50, "gemm").runtime(1'000, 10, "hipStreamBeginCapture");
  for (int i = 0; i < 3; ++i) rank.runtime(2'000 + 100 * i, 10, "hipModuleLaunchKernel");
  rank.runtime(5'000, 10, "hipStreamEndCapture");
  return rank;
}

Analysis analysisOf(HandMadeRank rank) {
  HandMadeJob job;
  job.add(0, std::move(rank));
  return Analysis(job.build());
}

} // namespace

TEST(GraphCapture, countsLaunchesThatRunNothing) {
  const Analysis analysis = analysisOf(capturing());
  const GraphCapture capture = graphCapture(analysis);
  EXPECT_EQ(capture.captured, 3);
  EXPECT_EQ(capture.ran, 1);
  EXPECT_TRUE(capture.most());
  EXPECT_TRUE(graphCaptureText(capture).starts_with("CUDA graph capture: 3 kernel launches"));
}

TEST(GraphCapture, isToldInsteadOfABound) {
  const Analysis analysis = analysisOf(capturing());
  const OverviewFigures figures = overviewFigures(analysis, jobAccount(analysis, 1));
  EXPECT_TRUE(overviewSentence(figures).starts_with("CUDA graph capture")) << overviewSentence(figures);
  EXPECT_EQ(idleCauseText(figures), "CUDA graph capture");
  EXPECT_EQ(idleSeverity(figures), std::nullopt);
  EXPECT_EQ(utilizationSeverity(figures), std::nullopt);
}

TEST(GraphCapture, ofAFewLaunchesIsNotWhatTheRecordingIs) {
  HandMadeRank rank = capturing();
  for (int i = 0; i < 5; ++i) rank.launched(10'000 + 200 * i, 7, 10'100 + 200 * i, 50, "gemm");
  const Analysis analysis = analysisOf(std::move(rank));
  EXPECT_FALSE(graphCapture(analysis).most());
  EXPECT_EQ(graphCaptureText(graphCapture(analysis)), "");
}

// Launches whose kernels were not recorded are no capture.
TEST(GraphCapture, needsACapture) {
  HandMadeRank rank;
  rank.launched(100, 7, 200, 50, "gemm");
  for (int i = 0; i < 3; ++i) rank.runtime(2'000 + 100 * i, 10, "cudaLaunchKernel");
  const Analysis analysis = analysisOf(std::move(rank));
  EXPECT_EQ(graphCapture(analysis).captured, 0);
}

} // namespace rankscope
