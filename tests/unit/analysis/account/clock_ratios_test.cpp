// SPDX-License-Identifier: GPL-3.0-or-later
// A device is slow only if the same work takes longer on it: not with more of the large sizes of one kernel,
// inputs of other shapes, or another stage of a pipeline. Covers core/analysis/account/kernel_pace and
// core/analysis/account/work_peers too.
#include "core/analysis/account/clock_ratios.h"

#include "core/analysis/account/work_peers.h"
#include "core/io/load/trace_loader.h"
#include "tests/support/parallel_jobs.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"
#include "tests/unit/times.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace rankscope {

namespace {

std::unique_ptr<Analysis> analysisOf(const test::TemporaryFolder& folder) {
  Progress progress;
  return std::make_unique<Analysis>(*loadTraces({folder.path().string()}, {}, progress));
}

std::vector<double> ratiosOf(const test::PipelineJob& job) {
  const test::TemporaryFolder folder;
  generatePipelineJob(job, folder.path());
  return clockRatios(*analysisOf(folder), 2);
}

bool noneIsSlow(const std::vector<double>& ratios) {
  return std::ranges::all_of(ratios, [](double ratio) { return ratio == 1; });
}

// Three ranks that launch 40 products of one name each.
std::vector<double> ratiosOf(const std::function<std::int64_t(int rank, int call)>& duration,
                             const std::function<int(int rank)>& rows) {
  const test::TemporaryFolder folder;
  for (int rank = 0; rank < 3; ++rank) {
    test::TraceText text;
    text.distributedInfo(rank, 3);
    std::int64_t begin = 0;
    for (int call = 0; call < 40; ++call, begin += 500 * kUs) {
      text.addCpuOp(1, begin, 20 * kUs, "aten::mm",
                    fmt::format("\"Input Dims\": [[{}, 512], [512, 512]]", rows(rank)));
      text.addRuntime(1, begin + 5 * kUs, 5 * kUs, "cudaLaunchKernel", call);
      text.addKernel(0, 7, begin + 30 * kUs, duration(rank, call), "ampere_bf16_gemm", call);
    }
    test::writeTraceFile((folder.path() / fmt::format("rank{}.json", rank)).string(), text.text());
  }
  return clockRatios(*analysisOf(folder), 2);
}

int sameRows(int) {
  return 512;
}

} // namespace

TEST(ClockRatios, aDeviceThatTakesLongerForTheSameWorkIsSlow) {
  const auto ratios = ratiosOf(
      [](int rank, int call) { return (call % 2 == 0 ? 100 : 300) * (rank == 1 ? 1'200 : 1'000); }, sameRows);
  EXPECT_EQ(ratios.at(0), 1);
  EXPECT_NEAR(ratios.at(1), 1.2, 0.001);
  EXPECT_EQ(ratios.at(2), 1);
}

TEST(ClockRatios, moreOfTheLargeSizesIsNotSlow) {
  const auto ratios = ratiosOf(
      [](int rank, int call) { return (call % 4 < (rank == 1 ? 1 : 2) ? 100 : 300) * kUs; }, sameRows);
  EXPECT_TRUE(noneIsSlow(ratios)) << ratios.at(1);
}

TEST(ClockRatios, inputsOfOtherShapesAreNotCompared) {
  const auto longer = [](int rank, int) { return rank == 1 ? 150 * kUs : 100 * kUs; };
  EXPECT_TRUE(noneIsSlow(ratiosOf(longer, [](int rank) { return rank == 1 ? 768 : 512; })));
  EXPECT_NEAR(ratiosOf(longer, sameRows).at(1), 1.5, 0.001);
}

TEST(ClockRatios, stagesOfAPipelineAreNotCompared) {
  for (const int replicas : {1, 2}) {
    test::PipelineJob job;
    job.replicas = replicas;
    job.steps = 4;
    EXPECT_TRUE(noneIsSlow(ratiosOf(job))) << "equal stages, " << replicas;
    job.slowStage = 1;
    job.slowPermille = 1'400;
    EXPECT_TRUE(noneIsSlow(ratiosOf(job))) << "a slow stage, " << replicas;
  }
}

TEST(WorkPeers, areTheSameStageOfOtherPipelines) {
  test::PipelineJob job;
  job.replicas = 2;
  job.steps = 2;
  const test::TemporaryFolder folder;
  generatePipelineJob(job, folder.path());
  const auto analysis = analysisOf(folder);
  const std::vector<std::uint32_t> peers = workPeers(*analysis);
  ASSERT_EQ(peers.size(), 8U);
  for (std::size_t rank = 0; rank < 8; ++rank)
    EXPECT_EQ(std::ranges::count(peers, peers[rank]), 2) << "ranks of one stage are neighbors";
  EXPECT_EQ(peers[2], peers[3]);
  EXPECT_NE(peers[1], peers[2]);
}

} // namespace rankscope
