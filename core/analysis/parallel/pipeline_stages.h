// SPDX-License-Identifier: GPL-3.0-or-later
// What each stage of a pipeline costs: its share without work (bubble) of the window from the first forward
// to the last backward action of any rank, and where that time is. Compared with the bubble of equal stages
// (ideal) and with a replay of the measured durations in the same order without communication. Means over the
// kept steps that begin in the window of the analysis.
#pragma once

#include "core/analysis/parallel/pipelines.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace rankscope {

struct StageTime {
  RankIndex rank;
  std::int64_t stage = 0;
  TimeNs warmup = 0;   // idle before the first own action
  TimeNs steady = 0;   // idle between own actions
  TimeNs cooldown = 0; // idle after the last own action
  TimeNs busy = 0;     // of the rank
  TimeNs work = 0;     // of the stage
  double bubblePct = 0;
  std::optional<double> replayPct;
};

struct PipelineTimes {
  std::vector<StageTime> stages; // by rank, then stage
  TimeNs window = 0;
  std::size_t steps = 0;              // that the means are of
  std::optional<double> idealPct;     // with equal stages; of a schedule without formula, its order replayed
  std::optional<double> replayPct;    // mean over ranks
  double bubblePct = 0;               // mean over ranks
  double balancedGainPct = 0;         // of the window, if all ranks were as busy as their mean
  std::optional<std::size_t> slowest; // index of stages
  std::optional<TimeNs> replayWindow; // without communication
  std::map<std::pair<std::int64_t, ActionKind>, TimeNs> durations; // medians, by stage and kind

  // Replay without ideal: what unequal stages cost.
  [[nodiscard]] std::optional<double> imbalancePct() const {
    if (!idealPct || !replayPct) return std::nullopt;
    return *replayPct - *idealPct;
  }
};

[[nodiscard]] PipelineTimes pipelineTimes(const Analysis& analysis, const Pipeline& pipeline);

} // namespace rankscope
