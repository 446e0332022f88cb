// SPDX-License-Identifier: GPL-3.0-or-later
// Names of groups, labels of actions, schedules as orders, layouts as texts: without recordings. Covers
// core/analysis/collectives/group_names, core/analysis/parallel/pipeline_labels,
// core/analysis/parallel/pipeline_schedule, core/analysis/parallel/layout_settings.
#include "core/analysis/collectives/group_names.h"
#include "core/analysis/parallel/layout_settings.h"
#include "core/analysis/parallel/pipeline_labels.h"
#include "core/analysis/parallel/pipeline_rebuild.h"
#include "core/analysis/parallel/pipeline_schedule.h"
#include "core/analysis/parallel/rank_grid.h"
#include "core/analysis/parallel/tp_layers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rankscope {

TEST(GroupNames, areComparedByWholeWords) {
  const auto of = [](std::string_view name) {
    return std::string(dimensionText(dimensionOfGroupName(name)));
  };
  EXPECT_EQ(of("default_pg"), "world");
  EXPECT_EQ(of("mesh_dp"), "dp");
  EXPECT_EQ(of("mesh_dp_replicate"), "dp");
  EXPECT_EQ(of("mesh_dp_shard"), "fsdp");
  EXPECT_EQ(of("mesh_dp_shard_cp"), "fsdp");
  EXPECT_EQ(of("mesh_dp_shard_mod_ep"), "fsdp");
  EXPECT_EQ(of("mesh_fsdp"), "fsdp");
  EXPECT_EQ(of("mesh_dp_cp"), "dp");
  EXPECT_EQ(of("mesh_tp"), "tp");
  EXPECT_EQ(of("mesh_etp"), "etp");
  EXPECT_EQ(of("mesh_cp"), "cp");
  EXPECT_EQ(of("mesh_ulysses"), "cp");
  EXPECT_EQ(of("mesh_pp"), "pp");
  EXPECT_EQ(of("mesh_ep"), "ep");
  EXPECT_EQ(of("mesh_dim_0"), "");
  EXPECT_EQ(of("undefined"), "");
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("ctp"), "") << "two letters count as a word only";
  EXPECT_EQ(of("TENSOR_MODEL_PARALLEL_GROUP"), "tp");
  EXPECT_EQ(of("TENSOR_AND_CONTEXT_PARALLEL_GROUP"), "tp");
  EXPECT_EQ(of("PIPELINE_MODEL_PARALLEL_GROUP"), "pp");
  EXPECT_EQ(of("DATA_PARALLEL_GROUP_WITH_CP"), "dp");
  EXPECT_EQ(of("INTRA_PARTIAL_DATA_PARALLEL_GROUP_WITH_CP"), "dp");
  EXPECT_EQ(of("INTRA_DISTRIBUTED_OPTIMIZER_INSTANCE_GROUP"), "dp");
  EXPECT_EQ(of("CONTEXT_PARALLEL_GROUP"), "cp");
  EXPECT_EQ(of("EXPERT_MODEL_PARALLEL_GROUP"), "ep");
  EXPECT_EQ(of("EXPERT_TENSOR_AND_MODEL_PARALLEL_GROUP"), "ep");
  EXPECT_EQ(of("EXPERT_TENSOR_PARALLEL_GROUP"), "etp");
  EXPECT_EQ(of("EXPERT_DATA_PARALLEL_GROUP"), "edp");
  EXPECT_EQ(of("POSITION_EMBEDDING_GROUP"), "embedding");
  EXPECT_EQ(of("MODEL_PARALLEL_GROUP"), "model");
  EXPECT_EQ(of("GTP_WEIGHT_REMAT_GROUP"), "fsdp");
  EXPECT_EQ(of("mesh_tp:split:3"), "tp");
}

TEST(PipelineLabels, areActions) {
  EXPECT_EQ(actionsOfLabel("PP:2B1"), (std::vector<ActionLabel>{{ActionKind::Backward, 2, 1}}));
  EXPECT_EQ(actionsOfLabel("PP:0F0"), (std::vector<ActionLabel>{{ActionKind::Forward, 0, 0}}));
  EXPECT_EQ(actionsOfLabel("PP:12I3"), (std::vector<ActionLabel>{{ActionKind::InputGradient, 12, 3}}));
  EXPECT_EQ(actionsOfLabel("PP:0SEND_F0"), (std::vector<ActionLabel>{{ActionKind::SendForward, 0, 0}}));
  EXPECT_EQ(actionsOfLabel("PP:2UNSHARD"),
            (std::vector<ActionLabel>{{ActionKind::Unshard, 2, ActionLabel::kUnknown}}));
  EXPECT_EQ(actionsOfLabel("PP:(0F3;1B2)OVERLAP_F_B"),
            (std::vector<ActionLabel>{{ActionKind::Forward, 0, 3}, {ActionKind::Backward, 1, 2}}));
  EXPECT_EQ(actionsOfLabel("Forward 3"),
            (std::vector<ActionLabel>{{ActionKind::Forward, ActionLabel::kUnknown, 3}}));
  for (const char* const other :
       {"PP:", "PP:F0", "PP:1F", "PP:1X2", "PP:(0F3", "PP:1F2x", "Forward", "Forward pass", "Forward 3 of 4",
        "Backward -1", "PPF", "PP:99999999999999999999F0"})
    EXPECT_TRUE(actionsOfLabel(other).empty()) << other;
}

namespace {

std::string orderText(const ActionOrder& order) {
  std::string text;
  for (const PlannedAction& action : order) {
    text += actionKindText(action.kind);
    text += std::to_string(action.stage);
    text += '.';
    text += std::to_string(action.microbatch);
    text += ' ';
  }
  return text;
}

} // namespace

// The orders of PyTorch's own schedules.
TEST(PipelineSchedules, arePlannedAndRecognized) {
  const auto oneF = plannedSchedule(ScheduleKind::OneForwardOneBackward, 4, 1, 8);
  ASSERT_EQ(oneF.size(), 4U);
  EXPECT_EQ(orderText(oneF[0]),
            "F0.0 F0.1 F0.2 F0.3 B0.0 F0.4 B0.1 F0.5 B0.2 F0.6 B0.3 F0.7 B0.4 B0.5 B0.6 B0.7 ");
  EXPECT_EQ(orderText(oneF[3]),
            "F3.0 B3.0 F3.1 B3.1 F3.2 B3.2 F3.3 B3.3 F3.4 B3.4 F3.5 B3.5 F3.6 B3.6 F3.7 B3.7 ");
  const auto interleaved = plannedSchedule(ScheduleKind::Interleaved, 2, 2, 4);
  ASSERT_EQ(interleaved.size(), 2U);
  EXPECT_EQ(orderText(interleaved[0]),
            "F0.0 F0.1 F2.0 F2.1 F0.2 B2.0 F0.3 B2.1 F2.2 B0.0 F2.3 B0.1 B2.2 B2.3 B0.2 B0.3 ");
  EXPECT_EQ(orderText(interleaved[1]),
            "F1.0 F1.1 F3.0 B3.0 F3.1 B3.1 F1.2 B1.0 F1.3 B1.1 F3.2 B3.2 F3.3 B3.3 B1.2 B1.3 ");
  for (const std::int64_t ranks : std::vector<std::int64_t>{2, 3, 4, 8}) {
    for (const std::int64_t microbatches : std::vector<std::int64_t>{8, 16, 24}) {
      for (const ScheduleKind kind : {ScheduleKind::GPipe, ScheduleKind::OneForwardOneBackward})
        EXPECT_EQ(scheduleOf(plannedSchedule(kind, ranks, 1, microbatches)), kind);
      if (microbatches % ranks != 0) continue;
      for (const ScheduleKind kind : {ScheduleKind::Interleaved, ScheduleKind::LoopedBfs})
        EXPECT_EQ(scheduleOf(plannedSchedule(kind, ranks, 2, microbatches)), kind);
    }
  }
  auto custom = oneF;
  std::swap(custom[0][4], custom[0][5]);
  EXPECT_EQ(scheduleOf(custom), ScheduleKind::Custom);
  EXPECT_EQ(scheduleOf({}), ScheduleKind::Unknown);
  EXPECT_TRUE(plannedSchedule(ScheduleKind::GPipe, INT64_MAX, 1, INT64_MAX).empty());
}

TEST(PipelineSchedules, withWeightGradientsApartAreZeroBubble) {
  auto orders = plannedSchedule(ScheduleKind::OneForwardOneBackward, 2, 1, 4);
  for (ActionOrder& order : orders) {
    ActionOrder split;
    for (PlannedAction action : order) {
      if (action.kind == ActionKind::Backward) action.kind = ActionKind::InputGradient;
      split.push_back(action);
      if (action.kind == ActionKind::InputGradient)
        split.push_back({ActionKind::WeightGradient, action.stage, action.microbatch});
    }
    order = split;
  }
  EXPECT_EQ(scheduleOf(orders), ScheduleKind::ZeroBubble);
  // Two stages per rank, folded.
  const std::vector<ActionOrder> folded{{{ActionKind::Forward, 0, 0},
                                         {ActionKind::Forward, 3, 0},
                                         {ActionKind::InputGradient, 3, 0},
                                         {ActionKind::WeightGradient, 3, 0},
                                         {ActionKind::InputGradient, 0, 0},
                                         {ActionKind::WeightGradient, 0, 0}},
                                        {{ActionKind::Forward, 1, 0},
                                         {ActionKind::Forward, 2, 0},
                                         {ActionKind::InputGradient, 2, 0},
                                         {ActionKind::WeightGradient, 2, 0},
                                         {ActionKind::InputGradient, 1, 0},
                                         {ActionKind::WeightGradient, 1, 0}}};
  EXPECT_EQ(scheduleOf(folded), ScheduleKind::ZeroBubbleV);
}

// Equal stages without communication have exactly the bubble of the formula.
TEST(PipelineSchedules, replayedWithEqualStagesHaveTheIdealBubble) {
  const StageTimes times{10, 20, 0};
  for (const ScheduleKind kind : {ScheduleKind::GPipe, ScheduleKind::OneForwardOneBackward}) {
    const auto orders = plannedSchedule(kind, 4, 1, 8);
    const ReplayedPipeline replayed = replayedPipeline(orders, [](const PlannedAction& action) {
      return TimeNs{action.kind == ActionKind::Forward ? 10 : 20};
    });
    ASSERT_EQ(replayed.bubbles.size(), 4U);
    for (const double bubble : replayed.bubbles)
      EXPECT_NEAR(bubble, *idealBubble(kind, 4, 1, 8, times), 1e-12);
    EXPECT_EQ(replayed.window, 11 * 30);
  }
  const auto interleaved = plannedSchedule(ScheduleKind::Interleaved, 2, 2, 4);
  const ReplayedPipeline replayed =
      replayedPipeline(interleaved, [](const PlannedAction&) { return TimeNs{5}; });
  for (const double bubble : replayed.bubbles)
    EXPECT_NEAR(bubble, *idealBubble(ScheduleKind::Interleaved, 2, 2, 4, times), 1e-12);
  EXPECT_FALSE(idealBubble(ScheduleKind::Custom, 2, 1, 4, times));
  EXPECT_NEAR(*idealBubble(ScheduleKind::ZeroBubble, 4, 1, 8, {10, 10, 10}), 30.0 / 270, 1e-12);
  // Of a few ranks of many, an order may be that of several schedules.
  auto few = plannedSchedule(ScheduleKind::OneForwardOneBackward, 8, 1, 4);
  for (std::size_t r = 1; r < few.size(); ++r) few[r].clear();
  EXPECT_EQ(scheduleOf(few), ScheduleKind::Unknown) << "four microbatches on the first of eight ranks";
  auto second = plannedSchedule(ScheduleKind::OneForwardOneBackward, 4, 1, 8);
  for (const std::size_t r : {0U, 2U, 3U}) second[r].clear();
  EXPECT_EQ(scheduleOf(second), ScheduleKind::OneForwardOneBackward);
  // Orders that wait for each other have no replay.
  const std::vector<ActionOrder> circle{{{ActionKind::Backward, 0, 0}, {ActionKind::Forward, 0, 0}},
                                        {{ActionKind::Backward, 1, 0}, {ActionKind::Forward, 1, 0}}};
  EXPECT_EQ(replayedPipeline(circle, [](const PlannedAction&) { return TimeNs{1}; }).window, 0);
}

TEST(PipelineSchedules, areFoundFromTheDirectionsOfWork) {
  for (const std::int64_t stages : std::vector<std::int64_t>{1, 2}) {
    const auto planned = plannedSchedule(
        stages == 1 ? ScheduleKind::OneForwardOneBackward : ScheduleKind::Interleaved, 4, stages, 8);
    std::vector<std::vector<ActionKind>> kinds;
    for (const ActionOrder& order : planned) {
      kinds.emplace_back();
      for (const PlannedAction& action : order) kinds.back().push_back(action.kind);
    }
    EXPECT_EQ(orderOfKinds(kinds), planned);
    kinds[0].pop_back();
    EXPECT_TRUE(orderOfKinds(kinds).empty());
  }
}

// A ring sends on every rank before any has received: no rank is the first stage.
TEST(PipelineRebuild, doesNotTakeARingForAPipeline) {
  std::vector<RankWork> ring;
  for (int rank = 0; rank < 4; ++rank) {
    RankWork work;
    work.rank = rank;
    for (TimeNs i = 0; i < 4; ++i) {
      work.stretches.push_back({{i * 100, i * 100 + 50}, i >= 2, 0});
      work.transfers.push_back({i * 100 + 60, i * 100 + 61, (rank + 1) % 4, true, 0});
      work.transfers.push_back({i * 100 + 62, i * 100 + 90, (rank + 3) % 4, false, 0});
    }
    ring.push_back(work);
  }
  EXPECT_TRUE(rebuiltPipeline(ring).empty());
  EXPECT_TRUE(rebuiltPipeline({}).empty());
}

TEST(LayoutSettings, areReadFromText) {
  const auto layout = layoutSettingsOf("tp=2,pp=4");
  ASSERT_TRUE(layout.ok());
  ASSERT_TRUE(layout->given);
  EXPECT_EQ((*layout->given)[LayoutAxis::Tensor], 2);
  EXPECT_EQ((*layout->given)[LayoutAxis::Pipeline], 4);
  EXPECT_EQ(layout->given->product(), 8);
  EXPECT_EQ(layoutText(*layout->given), "TP 2 × PP 4");
  EXPECT_FALSE(layoutSettingsOf("")->given);
  for (const char* const wrong :
       {"tp", "tp=", "tp=0", "tp=-1", "xp=2", "tp=2;pp=4", "tp=2.5", "tp=99999999999999", "tp=2,tp=4"})
    EXPECT_FALSE(layoutSettingsOf(wrong).ok()) << wrong;
}

TEST(RankGrid, numbersRanksFromInnerToOuterAxes) {
  LayoutDegrees degrees;
  degrees[LayoutAxis::Tensor] = 2;
  degrees[LayoutAxis::Data] = 3;
  degrees[LayoutAxis::Pipeline] = 4;
  degrees[LayoutAxis::Expert] = 3;
  const auto at = placeInGrid(degrees, 2 * 6 + 1 * 2 + 1);
  EXPECT_EQ(at[static_cast<std::size_t>(LayoutAxis::Tensor)], 1);
  EXPECT_EQ(at[static_cast<std::size_t>(LayoutAxis::Data)], 1);
  EXPECT_EQ(at[static_cast<std::size_t>(LayoutAxis::Pipeline)], 2);
  EXPECT_EQ(at[static_cast<std::size_t>(LayoutAxis::Expert)], 1);
  EXPECT_EQ(at[static_cast<std::size_t>(LayoutAxis::Context)], std::nullopt);
}

TEST(LayerPeriods, areTheSmallestThatRepeat) {
  const std::vector<std::uint64_t> layers{1, 2, 1, 2, 1, 2, 1, 2, 9, 9, 8};
  const LayerPeriod period = layerPeriodOf(std::vector<std::uint64_t>{1, 2, 1, 2, 1, 2});
  EXPECT_EQ(period.length, 2U);
  EXPECT_EQ(period.count(), 3U);
  EXPECT_EQ(layerPeriodOf(std::vector<std::uint64_t>{7, 7, 7, 7}).count(), 4U);
  EXPECT_EQ(layerPeriodOf(std::vector<std::uint64_t>{1, 2, 3, 4}).length, 0U);
  EXPECT_EQ(layerPeriodOf({}).count(), 0U);
  EXPECT_LE(layerPeriodOf(layers).end, 9U) << "what comes last does not repeat";
}

} // namespace rankscope
