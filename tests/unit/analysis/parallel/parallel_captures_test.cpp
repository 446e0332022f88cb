// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings of pipelines, tensor parallelism, experts and FSDP against what their jobs measured outside of
// the profiler, and recordings without any of them. Covers core/analysis/parallel/call_uses,
// core/analysis/parallel/pipeline_host, core/analysis/parallel/pipeline_rebuild,
// core/analysis/parallel/pipelines, core/analysis/parallel/pipeline_stages,
// core/analysis/parallel/group_dimensions, core/analysis/parallel/rank_grid,
// core/analysis/parallel/dimension_times, core/analysis/parallel/job_parallel,
// core/analysis/parallel/bucket_times, core/analysis/parallel/fsdp_units, core/analysis/parallel/tp_layers,
// core/analysis/parallel/expert_traffic, core/report/parallel_tables, core/report/parallel_parts_tables,
// core/report/pipeline_tables.
#include "core/analysis/parallel/bucket_times.h"
#include "core/analysis/parallel/dimension_times.h"
#include "core/analysis/parallel/expert_traffic.h"
#include "core/analysis/parallel/fsdp_units.h"
#include "core/analysis/parallel/job_parallel.h"
#include "core/analysis/parallel/pipeline_stages.h"
#include "core/analysis/parallel/tp_layers.h"
#include "core/io/load/trace_loader.h"
#include "core/report/job_report.h"
#include "core/report/tables.h"
#include "tests/support/shared_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace rankscope {

namespace {

struct TrueAction {
  std::string kind;
  std::int64_t stage = 0;
  std::int64_t microbatch = 0;
  std::int64_t begin = 0; // ns of the wall clock
  std::int64_t end = 0;
};
using TrueSteps = std::vector<std::vector<TrueAction>>;

std::string textOf(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Actions by rank and step: ["F", stage, microbatch, begin, end] below "actions" of the rank's steps.
std::map<int, TrueSteps> trueActions(const std::filesystem::path& folder) {
  const std::string text = textOf(folder / "ground_truth.json");
  std::map<int, TrueSteps> ranks;
  TrueSteps* steps = nullptr;
  for (std::size_t at = text.find('"', text.find("\"ranks\"") + 7); at != std::string::npos;
       at = text.find('"', at)) {
    const std::size_t end = text.find('"', at + 1);
    if (end == std::string::npos) break;
    const std::string word = text.substr(at + 1, end - at - 1);
    at = end + 1;
    if (!word.empty() && std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c) != 0; }))
      steps = &ranks[std::stoi(word)];
    if (steps != nullptr && word == "actions") steps->emplace_back();
    if (steps == nullptr || steps->empty() || (word != "F" && word != "B" && word != "W")) continue;
    TrueAction action{word};
    const char* number = text.c_str() + at;
    for (std::int64_t* value : {&action.stage, &action.microbatch, &action.begin, &action.end}) {
      while (std::isdigit(static_cast<unsigned char>(*number)) == 0) ++number;
      char* after = nullptr;
      *value = std::strtoll(number, &after, 10);
      number = after;
    }
    steps->back().push_back(action);
  }
  return ranks;
}

struct Job {
  std::unique_ptr<JobReport> report;

  [[nodiscard]] const Analysis& analysis() const { return report->analysis(); }
  [[nodiscard]] const JobParallel& parallel() const { return report->parallel(); }
};

std::filesystem::path parallelFolder(const std::string& set) {
  return test::sharedFolder() / "captures" / "parallel" / set;
}

Job jobOf(const std::filesystem::path& folder, const LayoutSettings& layout = {}) {
  Progress progress;
  auto trace = loadTraces({folder.string()}, {}, progress);
  if (!trace.ok()) return {};
  return {std::make_unique<JobReport>(std::make_shared<const Analysis>(*trace), EfficiencySettings(),
                                      GainMethod::Formula, NetworkInput(), layout)};
}

bool haveCaptures() {
  return std::filesystem::exists(test::sharedFolder() / "captures" / "parallel");
}

std::string actionText(const std::string& kind, std::int64_t stage, std::int64_t microbatch) {
  return kind + std::to_string(stage) + "." + std::to_string(microbatch);
}

// Order, stages and microbatches exactly; begin and end within the tolerance.
void expectActions(const Job& job, const std::map<int, TrueSteps>& truth, TimeNs tolerance) {
  ASSERT_EQ(job.parallel().pipelines.pipelines.size(), 1U);
  for (const PipelineRank& of : job.parallel().pipelines.pipelines.front().ranks) {
    const TrueSteps& steps = truth.at(job.analysis().trace().rank(of.rank).rank);
    for (std::size_t step = 0; step < steps.size(); ++step) {
      std::vector<const PipelineAction*> found;
      for (const PipelineAction& action : of.actions) {
        if (action.step == step && isComputeAction(action.kind)) found.push_back(&action);
      }
      ASSERT_EQ(found.size(), steps[step].size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        const TrueAction& expected = steps[step][i];
        EXPECT_EQ(
            actionText(std::string(actionKindText(found[i]->kind)), found[i]->stage, found[i]->microbatch),
            actionText(expected.kind, expected.stage, expected.microbatch));
        EXPECT_LE(std::abs(found[i]->range.begin - expected.begin), tolerance) << i;
        EXPECT_LE(std::abs(found[i]->range.end - expected.end), tolerance) << i;
      }
    }
  }
}

// Mean over steps of the share of the window without an action, by rank.
std::map<int, double> trueBubbles(const std::map<int, TrueSteps>& truth) {
  std::map<int, double> bubbles;
  const std::size_t steps = truth.begin()->second.size();
  for (std::size_t step = 0; step < steps; ++step) {
    std::int64_t begin = INT64_MAX;
    std::int64_t end = 0;
    for (const auto& [rank, of] : truth) {
      for (const TrueAction& action : of[step]) {
        begin = std::min(begin, action.begin);
        end = std::max(end, action.end);
      }
    }
    for (const auto& [rank, of] : truth) {
      std::int64_t busy = 0;
      for (const TrueAction& action : of[step]) busy += action.end - action.begin;
      bubbles[rank] += 100 * (1 - static_cast<double>(busy) / static_cast<double>(end - begin)) /
                       static_cast<double>(steps);
    }
  }
  return bubbles;
}

void expectBubbles(const Job& job, const std::map<int, TrueSteps>& truth) {
  const std::map<int, double> expected = trueBubbles(truth);
  const PipelineTimes times = pipelineTimes(job.analysis(), job.parallel().pipelines.pipelines.front());
  EXPECT_FALSE(times.stages.empty());
  for (const StageTime& stage : times.stages) {
    EXPECT_NEAR(stage.bubblePct, expected.at(job.analysis().trace().rank(stage.rank).rank), 2.0);
    const TimeNs idle = stage.warmup + stage.steady + stage.cooldown;
    EXPECT_NEAR(100 * static_cast<double>(idle) / static_cast<double>(times.window), stage.bubblePct, 2.0);
    ASSERT_TRUE(stage.replayPct);
    EXPECT_LE(*stage.replayPct, stage.bubblePct + 3) << "communication only adds to it";
  }
}

struct PipelineCase {
  const char* set;
  TimeNs tolerance;
  ScheduleKind schedule;
  std::int64_t stages, ranks, microbatches;
  double idealPct;
};

class PipelineCaptures : public testing::TestWithParam<PipelineCase> {};

} // namespace

TEST_P(PipelineCaptures, haveTheActionsAndBubblesThatWereMeasured) {
  RANKSCOPE_SKIP_UNLESS(haveCaptures(), test::kNoRecordings);
  const PipelineCase& expected = GetParam();
  const Job job = jobOf(parallelFolder(expected.set));
  ASSERT_NE(job.report, nullptr);
  const auto truth = trueActions(parallelFolder(expected.set));
  ASSERT_EQ(static_cast<std::int64_t>(truth.size()), expected.ranks);
  expectActions(job, truth, expected.tolerance);
  ASSERT_FALSE(job.parallel().pipelines.empty());
  const Pipeline& pipeline = job.parallel().pipelines.pipelines.front();
  EXPECT_EQ(pipeline.schedule, expected.schedule);
  EXPECT_EQ(pipeline.stages, expected.stages);
  EXPECT_EQ(pipeline.rankCount, expected.ranks);
  EXPECT_EQ(pipeline.microbatches, expected.microbatches);
  const PipelineTimes times = pipelineTimes(job.analysis(), pipeline);
  ASSERT_TRUE(times.idealPct);
  EXPECT_NEAR(*times.idealPct, expected.idealPct, 1e-9);
  expectBubbles(job, truth);
  EXPECT_EQ(job.parallel().layout.degrees[LayoutAxis::Pipeline], expected.ranks);
  EXPECT_TRUE(job.parallel().layout.complete);
  for (const RankPlace& place : job.parallel().layout.ranks)
    EXPECT_EQ(place.along(LayoutAxis::Pipeline), place.rank);
}

INSTANTIATE_TEST_SUITE_P(All, PipelineCaptures,
                         testing::Values(PipelineCase{"torch-2.6.0/pp4_1f1b", 2'000'000,
                                                      ScheduleKind::OneForwardOneBackward, 4, 4, 8,
                                                      300.0 / 11},
                                         PipelineCase{"torch-2.6.0/pp2_interleaved", 2'000'000,
                                                      ScheduleKind::Interleaved, 4, 2, 4, 100.0 / 9},
                                         PipelineCase{"torch-2.14.1/pp2_interleaved", 1'000'000,
                                                      ScheduleKind::Interleaved, 4, 2, 4, 100.0 / 9}),
                         [](const auto& of) { return test::testNameOf(of.param.set); });

TEST(ParallelCaptures, tensorAndDataParallelRanksHaveTheirMeshCoordinates) {
  RANKSCOPE_SKIP_UNLESS(haveCaptures(), test::kNoRecordings);
  const Job job = jobOf(parallelFolder("torch-2.6.0/tp2_dp2"));
  ASSERT_NE(job.report, nullptr);
  const JobLayout& layout = job.parallel().layout;
  EXPECT_EQ(layoutText(layout.degrees), "TP 2 × DP 2");
  EXPECT_TRUE(layout.complete);
  ASSERT_EQ(layout.ranks.size(), 4U);
  for (const RankPlace& place : layout.ranks) {
    EXPECT_EQ(place.along(LayoutAxis::Data), place.rank / 2);
    EXPECT_EQ(place.along(LayoutAxis::Tensor), place.rank % 2);
    EXPECT_EQ(place.along(LayoutAxis::Pipeline), std::nullopt);
  }
  // Four layers forward; backward three, because the input of the first block needs no gradient.
  for (const RankIndex rank : job.analysis().ranks()) {
    std::set<std::pair<std::size_t, std::int64_t>> forward;
    std::set<std::pair<std::size_t, std::int64_t>> backward;
    for (const TpLayerCall& call : tpLayers(job.analysis(), rank, job.parallel().uses[rank.value],
                                            job.parallel().dimensions.ofCall[rank.value])) {
      ASSERT_TRUE(call.layer);
      EXPECT_EQ(call.calls, 1);
      EXPECT_EQ(call.bytes, 32 * 64 * 4);
      (call.backward ? backward : forward).emplace(call.step, *call.layer);
    }
    EXPECT_EQ(forward, (std::set<std::pair<std::size_t, std::int64_t>>{
                           {0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 0}, {1, 1}, {1, 2}, {1, 3}}));
    EXPECT_EQ(backward, (std::set<std::pair<std::size_t, std::int64_t>>{
                            {0, 1}, {0, 2}, {0, 3}, {1, 1}, {1, 2}, {1, 3}}));
  }
}

// 66,304 parameters in four units, each gathered forward and backward and reduced once, in two steps.
TEST(ParallelCaptures, fsdpUnitsAreGatheredTwiceAndAddUpToTheParameters) {
  RANKSCOPE_SKIP_UNLESS(haveCaptures(), test::kNoRecordings);
  const Job job = jobOf(parallelFolder("torch-2.14.1/fsdp2_api4"));
  ASSERT_NE(job.report, nullptr);
  EXPECT_EQ(job.parallel().layout.degrees[LayoutAxis::Sharded], 4);
  for (const RankIndex rank : job.analysis().ranks()) {
    const FsdpUnits units = fsdpUnits(job.analysis(), rank, job.parallel().uses[rank.value],
                                      job.parallel().dimensions.ofCall[rank.value]);
    ASSERT_EQ(units.units.size(), 8U);
    std::int64_t elements = 0;
    for (const FsdpUnit& unit : units.units) {
      EXPECT_EQ(unit.gathers, 2);
      EXPECT_EQ(unit.backwardGathers, 1);
      EXPECT_EQ(unit.reduces, 1);
      EXPECT_EQ(unit.reduced, unit.elements);
      EXPECT_GT(unit.copyIn, 0);
      EXPECT_GT(unit.copyOut, 0);
      EXPECT_LE(unit.exposed, unit.forwardGather + unit.backwardGather);
      if (unit.step == 0) elements += unit.elements;
    }
    EXPECT_EQ(units.units.front().unit, "0");
    EXPECT_EQ(elements, 66'304);
    EXPECT_EQ(zeroStageOf(units), ZeroStage::Parameters);
  }
}

// send_tokens and recv_tokens of ground_truth.json, 64 elements a token.
TEST(ParallelCaptures, expertTrafficIsWhatTheRoutingSent) {
  RANKSCOPE_SKIP_UNLESS(haveCaptures(), test::kNoRecordings);
  const Job job = jobOf(parallelFolder("torch-2.6.0/ep4_skewed"));
  ASSERT_NE(job.report, nullptr);
  EXPECT_EQ(job.parallel().layout.degrees[LayoutAxis::Expert], 4);
  std::map<int, std::vector<std::vector<std::int64_t>>> sent; // of the dispatches, by rank and step
  for (const RankIndex rank : job.analysis().ranks()) {
    const RankExperts experts =
        rankExperts(job.analysis(), rank, job.parallel().uses[rank.value], job.parallel().dimensions);
    EXPECT_EQ(experts.calls.size(), 12U) << "two forward, two backward, three steps; not the counts";
    for (const ExpertCall& call : experts.calls) {
      if (call.direction == ExpertDirection::Dispatch)
        sent[job.analysis().trace().rank(rank).rank].push_back(call.sent);
    }
  }
  ASSERT_EQ(sent.size(), 4U);
  EXPECT_EQ(sent[0][0], (std::vector<std::int64_t>{142 * 64, 27 * 64, 30 * 64, 57 * 64}));
  EXPECT_EQ(sent[1][0], (std::vector<std::int64_t>{123 * 64, 35 * 64, 29 * 64, 69 * 64}));
  EXPECT_EQ(sent[1][2], (std::vector<std::int64_t>{122 * 64, 41 * 64, 34 * 64, 59 * 64}));
  // What i sends to j, j receives from i.
  for (const RankIndex rank : job.analysis().ranks()) {
    const RankExperts experts =
        rankExperts(job.analysis(), rank, job.parallel().uses[rank.value], job.parallel().dimensions);
    std::size_t step = 0;
    for (const ExpertCall& call : experts.calls) {
      if (call.direction != ExpertDirection::Dispatch) continue;
      for (int from = 0; from < 4; ++from)
        EXPECT_EQ(call.received[static_cast<std::size_t>(from)],
                  sent[from][step][static_cast<std::size_t>(job.analysis().trace().rank(rank).rank)]);
      ++step;
    }
  }
  const auto steps = expertRankSteps(job.analysis(), job.parallel().uses, job.parallel().dimensions);
  ASSERT_EQ(steps.size(), 12U);
  EXPECT_NEAR(steps.front().imbalance.value_or(0), 4.0 * (142 + 123 + 137 + 131) / 1024, 1e-9);
}

TEST(ParallelCaptures, exposedTimeOfDimensionsAddsUp) {
  RANKSCOPE_SKIP_UNLESS(haveCaptures(), test::kNoRecordings);
  for (const char* const set : {"torch-2.6.0/tp2_dp2", "torch-2.6.0/pp4_1f1b", "torch-2.14.1/fsdp2_api4"}) {
    const Job job = jobOf(parallelFolder(set));
    ASSERT_NE(job.report, nullptr);
    for (const RankIndex rank : job.analysis().ranks()) {
      std::map<std::size_t, TimeNs> sums;
      for (const DimensionTime& time :
           dimensionTimes(job.analysis(), rank, job.parallel().dimensions.ofCall[rank.value])) {
        sums[time.step] += time.exposed;
        EXPECT_LE(time.exposed, time.total);
      }
      const StepWindows& steps = job.analysis().wholeStepWindows(rank);
      for (const auto& [step, sum] : sums)
        EXPECT_EQ(sum, job.analysis().exposedCommunication(rank).coveredWithin(steps.steps[step].range))
            << set;
    }
  }
}

// Names of what was recognized; "" for nothing.
TEST(ParallelCaptures, areRecognizedOnlyWhereTheyAre) {
  RANKSCOPE_SKIP_UNLESS(haveCaptures(), test::kNoRecordings);
  const std::map<std::string, std::string> expected{{"captures/torch-2.6.0/collectives4", ""},
                                                    {"captures/torch-2.14.1/collectives4", ""},
                                                    {"captures/torch-2.6.0/infer1", ""},
                                                    {"captures/torch-2.6.0/train1_minimal", ""},
                                                    {"captures/torch-2.6.0/train1_noschedule", ""},
                                                    {"captures/torch-2.6.0/ddp8_tiny", "DP 8"},
                                                    {"captures/torch-2.6.0/ddp4_straggler", "DP 4"},
                                                    {"captures/torch-2.6.0/fsdp2", "FSDP 2"},
                                                    {"captures/torch-2.14.1/fsdp2", "FSDP 2"},
                                                    {"captures/torch-1.13.1/legacy_ddp2", "DP 2"},
                                                    {"traces/p2p-4rank-t4", ""},
                                                    {"traces/h100-qwen", ""},
                                                    {"traces/pippy-pipeline", ""},
                                                    {"traces/dlrm-8rank-v100", "DP 8"},
                                                    {"traces/v100-rank1of2", "DP 2"},
                                                    {"traces/nccl-2ranks-derived", "DP 2"}};
  for (const auto& [set, layout] : expected) {
    const Job job = jobOf(test::sharedFolder() / set);
    ASSERT_NE(job.report, nullptr) << set;
    EXPECT_EQ(layoutText(job.parallel().layout.degrees), layout) << set;
    EXPECT_TRUE(job.parallel().pipelines.empty()) << set;
    EXPECT_EQ(tableSpec("parallel_ranks")->make(*job.report).rowCount() > 0, !layout.empty()) << set;
  }
}

TEST(ParallelCaptures, followTheLayoutThatIsGiven) {
  RANKSCOPE_SKIP_UNLESS(haveCaptures(), test::kNoRecordings);
  const auto given = layoutSettingsOf("dp=2,tp=2");
  ASSERT_TRUE(given.ok());
  const Job job = jobOf(parallelFolder("torch-2.6.0/ep4_skewed"), *given);
  ASSERT_NE(job.report, nullptr);
  const JobLayout& layout = job.parallel().layout;
  EXPECT_TRUE(layout.given);
  EXPECT_EQ(layoutText(layout.degrees), "TP 2 × DP 2");
  EXPECT_EQ(layout.ranks.at(3).along(LayoutAxis::Data), 1);
  EXPECT_EQ(layout.ranks.at(3).along(LayoutAxis::Tensor), 1);
  const auto part = layoutSettingsOf("tp=2");
  ASSERT_TRUE(part.ok());
  const Job rest = jobOf(parallelFolder("torch-2.6.0/ep4_skewed"), *part);
  ASSERT_NE(rest.report, nullptr);
  EXPECT_EQ(layoutText(rest.parallel().layout.degrees), "TP 2 × DP 2") << "what remains are replicas";
  EXPECT_TRUE(rest.parallel().layout.complete);
}

} // namespace rankscope
