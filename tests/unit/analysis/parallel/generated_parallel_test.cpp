// SPDX-License-Identifier: GPL-3.0-or-later
// Generated pipelines and a job of 64 ranks against what the generator knows: layout, schedule, bubble,
// exposed time by dimension, and the stage that was made slow. Covers tests/support/parallel_jobs,
// core/analysis/parallel/pipeline_schedule and core/analysis/parallel/pipeline_stages.
#include "tests/support/parallel_jobs.h"

#include "core/analysis/parallel/dimension_times.h"
#include "core/analysis/parallel/expert_traffic.h"
#include "core/analysis/parallel/fsdp_units.h"
#include "core/analysis/parallel/job_parallel.h"
#include "core/analysis/parallel/pipeline_stages.h"
#include "core/analysis/parallel/tp_layers.h"
#include "core/io/load/trace_loader.h"
#include "core/report/findings_table.h"
#include "core/report/job_report.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"
#include "tests/unit/report_of.h"
#include "tests/unit/times.h"

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace rankscope {

namespace {

using test::PipelineJob;
using test::PipelineOrder;

struct ScheduleCase {
  const char* name;
  PipelineOrder order;
  int stagesPerRank;
  ScheduleKind kind;
};

std::ostream& operator<<(std::ostream& out, const ScheduleCase& of) {
  return out << of.name;
}

class GeneratedPipeline : public testing::TestWithParam<ScheduleCase> {};

} // namespace

TEST_P(GeneratedPipeline, isRecognizedWithItsBubble) {
  const test::TemporaryFolder folder;
  PipelineJob job;
  job.order = GetParam().order;
  job.stagesPerRank = GetParam().stagesPerRank;
  job.replicas = 2;
  const test::PipelineTruth truth = generatePipelineJob(job, folder.path());
  const auto report = reportOf(folder.path());
  const JobParallel& parallel = report->parallel();
  EXPECT_EQ(layoutText(parallel.layout.degrees, "x"), "DP 2xPP 4");
  ASSERT_EQ(parallel.pipelines.pipelines.size(), 2U);
  for (const Pipeline& pipeline : parallel.pipelines.pipelines) {
    EXPECT_EQ(pipeline.rankCount, 4);
    EXPECT_EQ(pipeline.stages, 4 * job.stagesPerRank);
    EXPECT_EQ(pipeline.microbatches, 8);
    EXPECT_EQ(scheduleText(pipeline.schedule), scheduleText(GetParam().kind));
    const PipelineTimes times = pipelineTimes(report->analysis(), pipeline);
    EXPECT_EQ(times.window, truth.windowNs);
    EXPECT_NEAR(times.bubblePct, truth.bubblePct(), 1e-6);
    ASSERT_TRUE(times.idealPct.has_value());
    // Equal stages: only the transfers lie between the ideal and the measured bubble.
    EXPECT_GE(times.bubblePct, *times.idealPct - 0.1);
    EXPECT_LE(times.bubblePct, *times.idealPct + 8);
    ASSERT_TRUE(times.replayPct.has_value());
    EXPECT_NEAR(*times.replayPct, *times.idealPct, 2);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Schedules, GeneratedPipeline,
    testing::Values(ScheduleCase{"gpipe", PipelineOrder::GPipe, 1, ScheduleKind::GPipe},
                    ScheduleCase{"one_forward_one_backward", PipelineOrder::OneForwardOneBackward, 1,
                                 ScheduleKind::OneForwardOneBackward},
                    ScheduleCase{"interleaved", PipelineOrder::InterleavedOneForwardOneBackward, 2,
                                 ScheduleKind::Interleaved},
                    ScheduleCase{"zero_bubble", PipelineOrder::ZeroBubble, 1, ScheduleKind::ZeroBubble}),
    [](const auto& of) { return std::string(of.param.name); });

TEST(GeneratedParallel, aSlowStageIsNamed) {
  const test::TemporaryFolder folder;
  PipelineJob job;
  job.slowStage = 2;
  job.slowPermille = 1500;
  generatePipelineJob(job, folder.path());
  const auto report = reportOf(folder.path());
  bool found = false;
  for (const Finding& finding : report->findings()) {
    if (finding.kind != FindingKind::PipelineImbalance) continue;
    found = true;
    EXPECT_EQ(report->analysis().trace().rank(finding.rank).rank, 2);
    ASSERT_TRUE(finding.gain.has_value());
    EXPECT_GT(finding.gain->high, 0);
  }
  EXPECT_TRUE(found) << findingsText(*report);
}

// Two layers on two ranks, forward and backward; the experts of rank 1 compute twice as long. Kernels of
// DeepEP have no arguments: what they do stands in their names.
TEST(GeneratedParallel, kernelsOfDeepEpAreDispatchesAndCombines) {
  const test::TemporaryFolder folder;
  for (const int rank : {0, 1}) {
    test::TraceText text;
    text.distributedInfo(rank, 2);
    text.addStep(1, 0, 10'000 * kUs);
    text.addCpuOp(1, 2'000 * kUs, 2'000 * kUs, "autograd::engine::evaluate_function: FusedDispatchBackward");
    std::int64_t correlation = 0;
    std::int64_t host = 10 * kUs;
    std::int64_t device = 100 * kUs;
    const auto kernel = [&](std::int64_t stream, std::int64_t length, const char* name) {
      text.addRuntime(1, host, kUs, "cudaLaunchKernelExC", ++correlation);
      text.addKernel(0, stream, device, length, name, correlation);
      host += 5 * kUs;
      device += length;
    };
    const std::int64_t experts = std::int64_t{rank + 1} * 200 * kUs;
    for (int pass = 0; pass < 2; ++pass) {
      for (int layer = 0; layer < 2; ++layer) {
        kernel(20, 10 * kUs, "void deep_ep::intranode::notify_dispatch<8>(int const*, int*, int)");
        kernel(20, 50 * kUs, "void deep_ep::intranode::dispatch<8, 768>(int4*, float*, int*)");
        kernel(7, experts, "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64");
        kernel(20, 10 * kUs, "void deep_ep::intranode::cached_notify_combine<8>(void**, int*)");
        kernel(20, 50 * kUs, "void deep_ep::intranode::combine<__nv_bfloat16, 8, 768>(int4*, float*)");
      }
      host = 2'100 * kUs;
    }
    test::writeTraceFile((folder.path() / ("rank" + std::to_string(rank) + ".json")).string(), text.text());
  }
  const auto report = reportOf(folder.path());
  const JobParallel& parallel = report->parallel();
  for (const std::vector<RankDimension>& dimensions : parallel.dimensions.ofCall) {
    EXPECT_EQ(dimensions.size(), 16U);
    for (const RankDimension dimension : dimensions) EXPECT_EQ(dimension, RankDimension::Expert);
  }
  const RankExperts experts =
      rankExperts(report->analysis(), RankIndex(0), parallel.uses[0], parallel.dimensions);
  std::string calls;
  for (const ExpertCall& call : experts.calls) {
    calls += std::to_string(call.layer);
    calls += expertDirectionText(call.direction);
    calls += ' ';
  }
  EXPECT_EQ(calls, "0dispatch 0combine 1dispatch 1combine 1combine_backward 1dispatch_backward "
                   "0combine_backward 0dispatch_backward ");
  for (const ExpertRankStep& of : expertRankSteps(report->analysis(), parallel.uses, parallel.dimensions)) {
    ASSERT_TRUE(of.imbalance.has_value());
    EXPECT_NEAR(*of.imbalance, of.rank.value == 0 ? 2.0 / 3 : 4.0 / 3, 0.01);
  }
}

TEST(GeneratedParallel, unevenExpertsHaveTheirLoadAndWaits) {
  const test::TemporaryFolder folder;
  const test::ExpertJob job;
  const test::ExpertTruth truth = generateExpertJob(job, folder.path());
  const auto report = reportOf(folder.path());
  const JobParallel& parallel = report->parallel();
  EXPECT_EQ(layoutText(parallel.layout.degrees), "EP 4");
  const auto full = static_cast<std::size_t>(job.fullRank);
  EXPECT_EQ(truth.sent[full], job.tokens * 3 / 8) << "1.5 times the mean";
  for (const RankIndex rank : report->analysis().ranks()) {
    const RankExperts experts =
        rankExperts(report->analysis(), rank, parallel.uses[rank.value], parallel.dimensions);
    EXPECT_EQ(experts.calls.size(), static_cast<std::size_t>(4 * job.layers * job.steps));
    for (const ExpertCall& call : experts.calls) {
      if (call.direction != ExpertDirection::Dispatch) continue;
      for (std::size_t to = 0; to < truth.sent.size(); ++to)
        EXPECT_EQ(call.sent.at(to), truth.sent[to] * job.width);
    }
  }
  const auto steps = expertRankSteps(report->analysis(), parallel.uses, parallel.dimensions);
  ASSERT_EQ(steps.size(), static_cast<std::size_t>(job.ranks * job.steps));
  for (const ExpertRankStep& of : steps) {
    const std::size_t rank = of.rank.value;
    EXPECT_EQ(of.of.received, job.layers * job.ranks * truth.sent[rank] * job.width);
    EXPECT_EQ(of.of.experts, truth.expertNs[rank]);
    EXPECT_EQ(of.of.wait, truth.combineWaitNs[rank]);
    ASSERT_TRUE(of.imbalance);
    if (rank == full) {
      EXPECT_NEAR(*of.imbalance, truth.imbalance, 1e-9);
      EXPECT_EQ(of.of.wait, 0) << "the others wait for it";
    }
  }
  bool found = false;
  for (const Finding& finding : report->findings()) found |= finding.kind == FindingKind::ExpertImbalance;
  EXPECT_TRUE(found) << findingsText(*report);
}

TEST(GeneratedParallel, sixtyFourRanksAreDividedAsTheyWereGenerated) {
  const test::TemporaryFolder folder;
  const test::ShardedJob job;
  const test::ShardedTruth truth = generateShardedJob(job, folder.path());
  const auto report = reportOf(folder.path());
  const Analysis& analysis = report->analysis();
  const JobParallel& parallel = report->parallel();
  EXPECT_EQ(layoutText(parallel.layout.degrees, "x"), "TP 4xFSDP 16");
  ASSERT_EQ(parallel.layout.ranks.size(), 64U);
  for (const RankPlace& place : parallel.layout.ranks) {
    EXPECT_EQ(place.along(LayoutAxis::Tensor), place.rank % 4);
    EXPECT_EQ(place.along(LayoutAxis::Sharded), place.rank / 4);
  }
  for (const RankIndex rank : analysis.ranks()) {
    const std::vector<RankDimension>& dimensions = parallel.dimensions.ofCall[rank.value];
    for (const DimensionTime& time : dimensionTimes(analysis, rank, dimensions)) {
      const bool tensor = time.dimension == RankDimension::Tensor;
      ASSERT_TRUE(tensor || time.dimension == RankDimension::Sharded);
      EXPECT_EQ(time.exposed, tensor ? truth.tensorExposedNs : truth.shardedExposedNs);
    }
    const FsdpUnits units = fsdpUnits(analysis, rank, parallel.uses[rank.value], dimensions);
    EXPECT_EQ(units.units.size(), static_cast<std::size_t>(job.layers * job.steps));
    for (const FsdpUnit& unit : units.units) EXPECT_EQ(unit.gathers, 2);
    EXPECT_EQ(zeroStageOf(units), ZeroStage::Parameters);
    std::set<std::int64_t> layers;
    for (const TpLayerCall& call : tpLayers(analysis, rank, parallel.uses[rank.value], dimensions)) {
      if (call.layer) layers.insert(*call.layer);
    }
    EXPECT_EQ(layers.size(), static_cast<std::size_t>(job.layers));
  }
}

} // namespace rankscope
