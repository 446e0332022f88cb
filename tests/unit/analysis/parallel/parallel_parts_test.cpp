// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of parallel jobs that no recording here has: rings of context parallelism, chunks of DualPipe,
// recomputation in units of FSDP; and what is sent by ZeRO stage, of made and of recorded jobs. Covers
// core/analysis/parallel/context_rings, core/analysis/parallel/recomputed_work and
// core/analysis/parallel/zero_model.
#include "core/analysis/job/scope.h"
#include "core/analysis/memory/expected_memory.h"
#include "core/analysis/parallel/context_rings.h"
#include "core/analysis/parallel/dimension_times.h"
#include "core/analysis/parallel/fsdp_units.h"
#include "core/analysis/parallel/job_parallel.h"
#include "core/analysis/parallel/pipeline_stages.h"
#include "core/analysis/parallel/recomputed_work.h"
#include "core/analysis/parallel/zero_model.h"
#include "core/io/load/trace_loader.h"
#include "core/report/job_report.h"
#include "core/report/tables.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"
#include "tests/unit/report_of.h"
#include "tests/unit/times.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

namespace rankscope {

namespace {

std::unique_ptr<JobReport> jobOf(int ranks, const std::function<void(test::TraceText&, int)>& write) {
  const test::TemporaryFolder folder;
  for (int rank = 0; rank < ranks; ++rank) {
    test::TraceText text;
    text.distributedInfo(rank, ranks);
    write(text, rank);
    test::writeTraceFile((folder.path() / fmt::format("rank{}.json", rank)).string(), text.text());
  }
  return reportOf(folder.path());
}

// Launched at `launch`; begins at `begin`.
void addKernel(test::TraceText& text, std::int64_t launch, std::int64_t begin, std::int64_t length,
               std::int64_t stream, const std::string& name, const std::string& args = {}) {
  const std::int64_t correlation = launch + 1;
  text.addRuntime(1, launch, 1'000, "cudaLaunchKernel", correlation);
  text.addKernel(0, stream, begin, length, name, correlation, args);
}

std::string transferArgs(const char* operation, int peer, int ranks) {
  return fmt::format(R"("Collective name": "{}", "In msg nelems": 4096, "Out msg nelems": 4096,
 "Group size": {}, "dtype": "BFloat16", "{} Rank": {}, "Process Group Name": "0",
 "Process Group Description": "undefined")",
                     operation, ranks, operation == std::string("send") ? "Dst" : "Src", peer);
}

struct Ring {
  int ranks = 4;
  bool attention = true;
  bool backAndForth = false; // neighbors exchange in both directions: no ring
};

// One step; in each round attention, a send to the next rank and a receive from the one before.
std::unique_ptr<JobReport> ringJob(const Ring& ring) {
  return jobOf(ring.ranks, [&](test::TraceText& text, int rank) {
    text.addStep(1, 0, 200 * kMs);
    const int next = (rank + 1) % ring.ranks;
    const int before = (rank + ring.ranks - 1) % ring.ranks;
    for (int round = 0; round < 2 * ring.ranks; ++round) {
      const std::int64_t at = (2 + 10 * round) * kMs;
      text.addCpuOp(1, at, 2 * kMs,
                    ring.attention ? "aten::_scaled_dot_product_flash_attention" : "aten::linear");
      addKernel(text, at + kMs, at + kMs, 4 * kMs, 7, "flash_fwd_kernel");
      const bool back = ring.backAndForth && round % 2 == 1;
      addKernel(text, at + 3 * kMs, at + 5 * kMs, kMs, 20, "ncclDevKernel_SendRecv(ncclDevKernelArgs)",
                transferArgs("send", back ? before : next, ring.ranks));
      addKernel(text, at + 4 * kMs, at + 6 * kMs, kMs, 20, "ncclDevKernel_SendRecv(ncclDevKernelArgs)",
                transferArgs("recv", back ? next : before, ring.ranks));
    }
  });
}

} // namespace

TEST(ContextRings, areSendsAroundARingBetweenAttention) {
  const auto report = ringJob({});
  const JobLayout& layout = report->parallel().layout;
  EXPECT_EQ(layoutText(layout.degrees), "CP 4");
  EXPECT_TRUE(layout.complete);
  EXPECT_NE(layout.evidence[static_cast<std::size_t>(LayoutAxis::Context)].find("ring"), std::string::npos);
  for (const RankPlace& place : layout.ranks) EXPECT_EQ(place.along(LayoutAxis::Context), place.rank);
  for (const std::vector<RankDimension>& dimensions : report->parallel().dimensions.ofCall) {
    EXPECT_EQ(dimensions.size(), 16U);
    for (const RankDimension dimension : dimensions) EXPECT_EQ(dimension, RankDimension::Context);
  }
  EXPECT_TRUE(report->parallel().pipelines.empty());
}

TEST(ContextRings, areNotOtherSends) {
  for (const Ring& other : {Ring{.attention = false}, Ring{.backAndForth = true}}) {
    const auto report = ringJob(other);
    for (const std::vector<std::int32_t>& ring : contextRings(report->analysis())) EXPECT_TRUE(ring.empty());
    EXPECT_EQ(layoutText(report->parallel().layout.degrees), "");
  }
  EXPECT_TRUE(isAttentionOperator("flash_attn::_flash_attn_forward"));
  EXPECT_FALSE(isAttentionOperator("aten::linear"));
}

namespace {

// The first or the second of four ranks, which alone was recorded: its group says how many there are.
std::unique_ptr<JobReport> oneStage(int stage, bool named) {
  test::TraceText text;
  text.metadata("distributedInfo",
                fmt::format(R"({{"backend": "nccl", "rank": {}, "world_size": 4, "pg_count": 1, "pg_config":
 [{{"pg_name": "1", "pg_desc": "{}", "backend_config": "cuda:nccl", "pg_size": 4, "ranks": [0, 1, 2, 3]}}]}})",
                            stage, named ? "mesh_pp" : "undefined"));
  text.addStep(1, 0, 200 * kMs);
  const std::string order =
      stage == 0 ? "F0F1F2F3B0F4B1F5B2F6B3F7B4B5B6B7" : "F0F1F2B0F3B1F4B2F5B3F6B4F7B5B6B7";
  std::int64_t at = 0;
  for (std::size_t i = 0; i < order.size(); i += 2) {
    text.addAnnotation(1, at, 10 * kMs, fmt::format("PP:{}{}", stage, order.substr(i, 2)));
    text.addCpuOp(1, at, 10 * kMs,
                  order[i] == 'F' ? "aten::linear" : "autograd::engine::evaluate_function: AddmmBackward0");
    at += 10 * kMs;
  }
  const test::TemporaryFolder folder;
  test::writeTraceFile((folder.path() / fmt::format("rank{}.json", stage)).string(), text.text());
  return reportOf(folder.path());
}

} // namespace

TEST(Pipelines, ofWhichOneRankWasRecordedHaveTheRanksOfTheirGroup) {
  for (const int stage : {0, 1}) {
    const auto report = oneStage(stage, true);
    const JobPipelines& pipelines = report->parallel().pipelines;
    ASSERT_EQ(pipelines.pipelines.size(), 1U) << stage;
    const Pipeline& pipeline = pipelines.pipelines.front();
    EXPECT_EQ(pipeline.rankCount, 4);
    EXPECT_EQ(pipeline.stages, 4);
    EXPECT_EQ(scheduleText(pipeline.schedule), "1F1B");
    const PipelineTimes times = pipelineTimes(report->analysis(), pipeline);
    ASSERT_TRUE(times.idealPct);
    EXPECT_NEAR(*times.idealPct, 300.0 / 11, 1e-9);
    EXPECT_FALSE(times.replayPct) << "the other stages are not known";
  }
  EXPECT_TRUE(oneStage(0, false)->parallel().pipelines.empty()) << "nothing tells of other stages";
}

// Two pairs of chunks: parts of a forward and of a backward chunk at the same time.
TEST(DualPipeLabels, arePartsOfOverlappedChunks) {
  const auto report = jobOf(1, [](test::TraceText& text, int) {
    text.addStep(1, 0, 100 * kMs);
    for (int pair = 0; pair < 2; ++pair) {
      const std::int64_t at = (10 + 40 * pair) * kMs;
      text.addAnnotation(1, at, 30 * kMs, "1F1B");
      std::int64_t begin = at;
      for (const char* const part : {"attn(F)", "attn(B)", "dispatch(F)", "mlp(B)", "mlp(W)", "combine(F)"}) {
        text.addAnnotation(1, begin, 4 * kMs, part);
        text.addCpuOp(1, begin, 3 * kMs, "aten::mm");
        addKernel(text, begin + kMs, begin + 2 * kMs, 4 * kMs, 7, "gemm");
        begin += 5 * kMs;
      }
    }
    text.addAnnotation(1, 95 * kMs, kMs, "attn(F)"); // of no pair
  });
  const JobPipelines& pipelines = report->parallel().pipelines;
  ASSERT_EQ(pipelines.pipelines.size(), 1U);
  const Pipeline& pipeline = pipelines.pipelines.front();
  EXPECT_EQ(scheduleText(pipeline.schedule), "DualPipe");
  EXPECT_EQ(pipeline.microbatches, 2);
  std::string actions;
  for (const PipelineAction& action : pipeline.ranks.front().actions)
    actions += fmt::format("{}{} ", actionKindText(action.kind), action.microbatch);
  EXPECT_EQ(actions, "F0 I0 F0 I0 W0 F0 F1 I1 F1 I1 W1 F1 ");
  const PipelineTimes times = pipelineTimes(report->analysis(), pipeline);
  EXPECT_EQ(times.idealPct, 0.0) << "pairs of chunks leave no bubble";
  EXPECT_FALSE(times.replayPct);
  // From the first kernel at 12 to the last end at 81 ms: twelve kernels of 4 ms.
  EXPECT_NEAR(times.bubblePct, 100 * (1 - 48.0 / 69), 0.1);
  EXPECT_EQ(layoutText(report->parallel().layout.degrees), "") << "one rank tells nothing of the others";
  EXPECT_EQ(chunkPartOfLabel("combine(B)"), ActionKind::Backward);
  for (const char* const other : {"attn", "attn(X)", "(F)", "attn (F)", "Attn(F)", "attn(F) 2"})
    EXPECT_FALSE(chunkPartOfLabel(other)) << other;
}

namespace {

constexpr std::int64_t kShard = 1'000'000; // elements of a unit on a rank

// Two units of FSDP2, checkpointed: the backward pass of each runs a product again, of 2 and of 1 ms. Each
// kernel begins half a millisecond after its launch.
std::unique_ptr<JobReport> checkpointedShards(int regathers = 0) {
  return jobOf(2, [&](test::TraceText& text, int) {
    text.addStep(1, 0, 100 * kMs);
    text.addCpuOp(1, 40 * kMs, 50 * kMs, "autograd::engine::evaluate_function: CheckpointBackward");
    const auto kernel = [&](std::int64_t launch, std::int64_t length, const char* name) {
      addKernel(text, launch, launch + kMs / 2, length, 7, name);
    };
    const auto call = [&](std::int64_t host, const std::string& label, bool gather) {
      text.addAnnotation(1, host, kMs, label);
      const std::int64_t launch = host + kMs / 10;
      addKernel(text, launch, launch + kMs / 2, 2 * kMs, 20,
                gather ? "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgs)"
                       : "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgs)",
                fmt::format(R"("Collective name": "{}", "In msg nelems": {}, "Out msg nelems": {},
 "Group size": 2, "dtype": "BFloat16", "Process Group Name": "0", "Process Group Description": "mesh_dp_shard",
 "Process Group Ranks": "[0, 1]")",
                            gather ? "_allgather_base" : "_reduce_scatter_base", gather ? kShard : 2 * kShard,
                            gather ? 2 * kShard : kShard));
    };
    for (int unit = 0; unit < 2; ++unit) {
      const std::string name = fmt::format(" (layers.{})", unit);
      call((2 + 8 * unit) * kMs, "FSDP::all_gather" + name, true);
      text.addAnnotation(1, (4 + 8 * unit) * kMs, kMs, "FSDP::pre_forward" + name);
      kernel((6 + 8 * unit) * kMs, 3 * kMs, "gemm");
    }
    for (const int unit : {1, 0}) {
      const std::string name = fmt::format(" (layers.{})", unit);
      const std::int64_t host = (unit == 1 ? 42 : 62) * kMs;
      text.addAnnotation(1, host, kMs, "FSDP::pre_backward" + name);
      call(host + 2 * kMs, "FSDP::all_gather" + name, true);
      for (int again = 0; again < regathers; ++again)
        call(host + (3 + again) * kMs + kMs / 2, "FSDP::all_gather" + name, true);
      text.addCpuOp(1, host + 6 * kMs, 2 * kMs, "aten::linear");
      kernel(host + 7 * kMs, (unit + 1) * kMs, "gemm");
      kernel(host + 9 * kMs, 3 * kMs, "gemm_backward");
      call(host + 12 * kMs, "FSDP::post_backward_reduce" + name, false);
    }
  });
}

FsdpUnits unitsOf(const JobReport& report, RankIndex rank) {
  return fsdpUnits(report.analysis(), rank, report.parallel().uses[rank.value],
                   report.parallel().dimensions.ofCall[rank.value]);
}

} // namespace

TEST(RecomputedWork, belongsToTheUnitWhoseHookRanBefore) {
  const auto report = checkpointedShards();
  const FsdpUnits units = unitsOf(*report, RankIndex(0));
  ASSERT_EQ(units.units.size(), 2U);
  for (const FsdpUnit& unit : units.units) {
    EXPECT_EQ(unit.gathers, 2);
    EXPECT_EQ(unit.recomputed, (unit.unit == "layers.1" ? 2 : 1) * kMs) << unit.unit;
  }
  TimeNs sum = 0;
  for (const RecomputedWork& work : recomputedWork(report->analysis(), RankIndex(0)))
    sum += work.range.length();
  EXPECT_EQ(sum, 3 * kMs);
}

// A recorded run with checkpointing of three blocks, on the host.
TEST(RecomputedWork, isFoundInARecording) {
  const auto folder = test::sharedFolder() / "captures" / "parallel" / "torch-2.6.0";
  RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
  const auto report = reportOf(folder / "recompute_causal");
  EXPECT_FALSE(recomputedWork(report->analysis(), RankIndex(0)).empty());
  const auto without = reportOf(folder / "tp2_dp2");
  EXPECT_TRUE(recomputedWork(without->analysis(), RankIndex(0)).empty());
}

TEST(ZeroModel, countsWhatAStageSends) {
  EXPECT_EQ(zeroVolume(ZeroScheme::Replicas, 4), 1.5);
  EXPECT_EQ(zeroVolume(ZeroScheme::Stage2, 4), 1.5);
  EXPECT_EQ(zeroVolume(ZeroScheme::Stage3, 4), 2.25);
  EXPECT_EQ(zeroVolume(ZeroScheme::Stage3, 1), 0);
  const auto report = checkpointedShards();
  const auto model = zeroModel(report->analysis(), report->parallel());
  ASSERT_TRUE(model.has_value());
  EXPECT_EQ(model->inUse, ZeroScheme::Stage3);
  EXPECT_EQ(model->ranks, 2);
  EXPECT_EQ(model->parameters, 4 * kShard);
  // Two gathers and a reduction of each unit, half of the elements each.
  EXPECT_EQ(model->measuredElements, 3 * 4 * kShard / 2);
  EXPECT_EQ(model->ratio(), 1);
  EXPECT_EQ(model->measuredBytes, 2 * model->measuredElements);
  EXPECT_EQ(zeroNote(*model), "");
  for (std::size_t s = 0; s < kZeroSchemeCount; ++s) {
    EXPECT_EQ(model->stages[s].factor, s == 3 ? 1.5 : 1) << s;
    EXPECT_EQ(model->stages[s].stateBytes, zeroBytes(4 * kShard, static_cast<int>(s), 2)) << s;
  }
  const ResultTable table = tableSpec("zero_stages")->make(*report);
  ASSERT_EQ(table.rowCount(), 4U);
  EXPECT_EQ(exactText(table, 3, *table.columnNamed("in_use")), "1");
  EXPECT_TRUE(table.isEmpty(0, *table.columnNamed("measured_elements")));
  const auto again = checkpointedShards(2);
  const auto more = zeroModel(again->analysis(), again->parallel());
  ASSERT_TRUE(more.has_value());
  EXPECT_NEAR(more->ratio(), 5.0 / 3, 1e-9);
  EXPECT_NE(zeroNote(*more).find("gathered 4.0 times"), std::string::npos) << zeroNote(*more);
}

TEST(ZeroModel, meetsRecordedJobs) {
  const auto captures = test::sharedFolder() / "captures" / "parallel";
  RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(captures), test::kNoRecordings);
  const auto shards = reportOf(captures / "torch-2.14.1" / "fsdp2_api4");
  const auto model = zeroModel(shards->analysis(), shards->parallel());
  ASSERT_TRUE(model.has_value());
  EXPECT_EQ(model->inUse, ZeroScheme::Stage3);
  EXPECT_EQ(model->ranks, 4);
  EXPECT_EQ(model->parameters, 66'304);
  EXPECT_NEAR(model->ratio(), 1, 1e-9);
  const auto replicas = reportOf(test::sharedFolder() / "traces" / "nccl-2ranks-derived");
  const auto ddp = zeroModel(replicas->analysis(), replicas->parallel());
  ASSERT_TRUE(ddp.has_value());
  EXPECT_EQ(ddp->inUse, ZeroScheme::Replicas);
  EXPECT_EQ(ddp->parameters, 25'557'032) << "ResNet-50";
  EXPECT_NEAR(ddp->ratio(), 1, 1e-9);
  const auto none = reportOf(captures / "torch-2.6.0" / "pp4_1f1b");
  EXPECT_FALSE(zeroModel(none->analysis(), none->parallel()));
}

namespace {

// An AllReduce until 20 ms, which rank 0 begins at 10 and rank 1 at 13 ms; rank 0 computes from 8 to 11 ms.
std::unique_ptr<JobReport> lateJob(int ranks) {
  return jobOf(ranks, [](test::TraceText& text, int rank) {
    text.addStep(1, 0, 30 * kMs);
    if (rank == 0) addKernel(text, 7 * kMs, 8 * kMs, 3 * kMs, 7, "gemm");
    const std::int64_t begin = (rank == 0 ? 10 : 13) * kMs;
    text.addRuntime(1, begin - kMs, kMs / 10, "cudaLaunchKernelExC", 5);
    text.addCollective(0, 20, begin, 20 * kMs - begin, "allreduce", 1000, 2, 5);
  });
}

} // namespace

TEST(DimensionTimes, divideWhatIsExposedIntoWaitsAndTransfers) {
  const auto both = lateJob(2);
  const auto timesOf = [](const JobReport& report, std::size_t rank) {
    return dimensionTimes(report.analysis(), RankIndex(rank), report.parallel().dimensions.ofCall[rank]);
  };
  const auto early = timesOf(*both, 0);
  ASSERT_EQ(early.size(), 1U);
  EXPECT_TRUE(early.front().partsKnown);
  EXPECT_EQ(early.front().exposed, 9 * kMs);
  EXPECT_EQ(early.front().exposedWait, 2 * kMs) << "computation covers the first of three";
  EXPECT_EQ(early.front().exposedTransfer, 7 * kMs);
  const auto late = timesOf(*both, 1);
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(late.front().exposedWait, 0);
  EXPECT_EQ(late.front().exposedTransfer, 7 * kMs);
  const auto alone = lateJob(1);
  const auto unknown = timesOf(*alone, 0);
  ASSERT_EQ(unknown.size(), 1U);
  EXPECT_FALSE(unknown.front().partsKnown);
  EXPECT_EQ(unknown.front().exposed, 9 * kMs);
  for (const bool known : {true, false}) {
    const ResultTable table = tableSpec("parallel_summary")->make(known ? *both : *alone);
    for (const char* const column : {"wait_us", "transfer_us", "exposed_wait_us", "exposed_transfer_us"})
      EXPECT_EQ(table.isEmpty(0, *table.columnNamed(column)), !known) << column;
  }
}

// A range that lies inside one step is measured as a part of it.
TEST(DimensionTimes, ofARangeInsideAStepAreOfTheRange) {
  const auto report = checkpointedShards();
  const Analysis& whole = report->analysis();
  const JobTime begin = whole.extent().begin;
  const auto part = [&](TimeNs from, TimeNs to) {
    const JobRange range{JobTime(begin.ns() + from), JobTime(begin.ns() + to)};
    return Analysis(whole, scopeOfRange(whole, range));
  };
  const std::vector<RankDimension>& dimensions = report->parallel().dimensions.ofCall[0];
  const auto timesIn = [&](const Analysis& analysis) {
    return dimensionTimes(analysis, RankIndex(0), dimensions);
  };
  const auto all = timesIn(whole);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().total, 12 * kMs) << "six collectives of 2 ms";
  // The first gather lasts from 2.6 to 4.6 ms, the second from 10.6 to 12.6 ms; the range holds half of both.
  const TimeNs from = 3'600'000;
  const TimeNs to = 11'600'000;
  const auto half = timesIn(part(from, to));
  ASSERT_EQ(half.size(), 1U);
  EXPECT_EQ(half.front().total, 2 * kMs);
  EXPECT_EQ(half.front().calls, 1) << "that began in it";
  EXPECT_EQ(scopedRange(part(from, to), RankIndex(0), 0).length(), to - from);
  EXPECT_TRUE(timesIn(part(99 * kMs, 100 * kMs)).empty()) << "nothing was sent then";
  // A range from before the step until within it has the whole step.
  const auto steps = timesIn(part(-kMs, to));
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps.front().total, all.front().total);
  EXPECT_EQ(steps.front().exposed, all.front().exposed);
  EXPECT_GT(all.front().exposed, 2 * kMs);
}

} // namespace rankscope
