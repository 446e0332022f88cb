// SPDX-License-Identifier: GPL-3.0-or-later
// Schedules of pipelines as orders of actions per rank: what each known schedule would do with P ranks, v
// stages per rank and M microbatches, and which of them a recorded order is. Also the bubble that a schedule
// has with equal stages, and the bubble that given durations leave when nothing is waited for but other
// actions (replay). Definitions: the guide, Parallelism. Pure functions of small lists.
#pragma once

#include "core/analysis/parallel/pipeline_labels.h"
#include "core/base/time_range.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace rankscope {

enum class ScheduleKind : std::uint8_t {
  Unknown,
  GPipe,
  OneForwardOneBackward,
  Interleaved, // 1F1B with several stages per rank
  LoopedBfs,   // GPipe with several stages per rank
  ZeroBubble,  // 1F1B with weight gradients apart (ZB1P)
  InterleavedZeroBubble,
  ZeroBubbleV, // two stages per rank, r and 2P - 1 - r
  DualPipeV,
  DualPipe, // overlapped chunks, by their labels
  Custom,
};

// "GPipe", "1F1B", "interleaved 1F1B", ...; empty when unknown.
[[nodiscard]] std::string_view scheduleText(ScheduleKind kind);

// An action of a schedule: computation only. Stages are numbered over all ranks, from the input on.
struct PlannedAction {
  ActionKind kind = ActionKind::Forward;
  std::int64_t stage = 0;
  std::int64_t microbatch = 0;

  bool operator==(const PlannedAction&) const = default;
};

using ActionOrder = std::vector<PlannedAction>; // of one rank, by time

// The orders of all ranks; empty for schedules that are not planned here, and for sizes without sense.
[[nodiscard]] std::vector<ActionOrder> plannedSchedule(ScheduleKind kind, std::int64_t ranks,
                                                       std::int64_t stagesPerRank, std::int64_t microbatches);

// orders: of all ranks of the pipeline, from the first stage on; an empty order is a rank that was not
// recorded.
[[nodiscard]] ScheduleKind scheduleOf(std::span<const ActionOrder> orders);

// The order of a rank that has this sequence of forward (F) and backward (B) actions, whose stages and
// microbatches were not recorded: from the schedule that all ranks agree with. Empty when none does.
[[nodiscard]] std::vector<ActionOrder> orderOfKinds(std::span<const std::vector<ActionKind>> kinds);

// Mean durations of the actions of one stage and microbatch.
struct StageTimes {
  double forward = 0;
  double inputGradient = 0; // of the whole backward where it is not split
  double weightGradient = 0;
};

// Share of the window (0 to 1) with equal stages. Empty for schedules without a known formula.
[[nodiscard]] std::optional<double> idealBubble(ScheduleKind kind, std::int64_t ranks,
                                                std::int64_t stagesPerRank, std::int64_t microbatches,
                                                const StageTimes& times);

struct ReplayedPipeline {
  TimeNs window = 0;           // from the first begin to the last end; 0 if the orders contradict each other
  std::vector<double> bubbles; // share of the window, by rank
};

// Each action begins when the action before it on its rank and the actions that it needs have ended.
// duration: of an action, in nanoseconds.
template <class Duration>
[[nodiscard]] ReplayedPipeline replayedPipeline(std::span<const ActionOrder> orders, Duration&& duration);

// The same with durations listed in the order of the actions, and the time that results take to another rank.
[[nodiscard]] ReplayedPipeline replayOf(std::span<const ActionOrder> orders,
                                        std::span<const std::vector<TimeNs>> durations, TimeNs transfer = 0);

// Of recorded actions, in the order of the actions: the least time from the end of one to the begin of
// another that needs it on another rank; nothing where none does.
[[nodiscard]] std::optional<TimeNs> leastTransfer(std::span<const ActionOrder> orders,
                                                  std::span<const std::vector<TimeRange>> times);
// What recorded actions took since the one before on their rank had ended and what they need had arrived.
// Replayed with these durations, a pipeline takes as long as it took.
[[nodiscard]] std::vector<std::vector<TimeNs>> ownDurations(std::span<const ActionOrder> orders,
                                                            std::span<const std::vector<TimeRange>> times,
                                                            TimeNs transfer);
// From the first begin to the last end; empty without times.
[[nodiscard]] TimeRange hullOf(std::span<const std::vector<TimeRange>> times);

template <class Duration>
ReplayedPipeline replayedPipeline(std::span<const ActionOrder> orders, Duration&& duration) {
  std::vector<std::vector<TimeNs>> durations;
  durations.reserve(orders.size());
  for (const ActionOrder& order : orders) {
    std::vector<TimeNs>& of = durations.emplace_back();
    of.reserve(order.size());
    for (const PlannedAction& action : order) of.push_back(duration(action));
  }
  return replayOf(orders, durations);
}

} // namespace rankscope
