// SPDX-License-Identifier: GPL-3.0-or-later
// What a step would be shorter by if some ranks of pipelines worked no longer than others. Stages wait for
// each other by the schedule, so the difference of their times is not the gain: the actions of each kept step
// are replayed in their order, with transfers as short as they were at best and other delays of an action as
// time of its rank, unless it waited for a receive. Unedited, the replay takes as long as the recording.
// O(actions).
#pragma once

#include "core/analysis/parallel/pipelines.h"

#include <optional>
#include <span>

namespace rankscope {

// Nanoseconds of a kept step.
struct StageGain {
  RankIndex next;    // works longest in the pipeline of the first rank, but for that rank
  TimeNs asNext = 0; // each of the ranks works as long as the next in its pipeline, also beside the pipeline
  TimeNs balanced = 0; // the work of each of these pipelines is divided equally
};

// ranks: at most one of each pipeline. Nothing where a rank of their pipelines was not recorded, or no step
// is kept.
[[nodiscard]] std::optional<StageGain> stageGain(const Analysis& analysis, const JobPipelines& pipelines,
                                                 std::span<const RankIndex> ranks);

} // namespace rankscope
