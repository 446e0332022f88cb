// SPDX-License-Identifier: GPL-3.0-or-later
// How much longer steps take than they would if everything took its typical time, and who and what that is
// due to, by the rules of "Understanding Stragglers in Large Model Training Using What-if Analysis"
// (OSDI'25): the ideal replay with one part's own times put back, divided by the ideal. All replays are
// without residuals. The first half takes any graph; the second is that of a recorded job.
#pragma once

#include "core/analysis/graph/what_if.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope {

// A time that can be put back: an edge of the graph.
struct SlowdownItem {
  std::uint32_t edge = 0;
  std::uint32_t type = 0;
  std::uint32_t dp = 0;    // data-parallel rank, or the rank where no layout is known
  std::uint32_t stage = 0; // of the pipeline
};

struct SlowdownInput {
  explicit SlowdownInput(const MaxPlusGraph& of) : graph(of) {}

  const MaxPlusGraph& graph;
  GraphLags recorded; // without delays
  GraphLags ideal;
  std::vector<SlowdownItem> items;
  std::function<double(std::span<const TimeNs>)> meanStep; // of replayed times
  std::uint32_t types = 0;
  std::uint32_t dps = 0;
  std::uint32_t stages = 0;
};

struct SlowdownResult {
  double recorded = 0; // mean step without delays, nanoseconds
  double ideal = 0;
  double job = 1; // S
  std::vector<double> ofType;
  std::vector<double> ofDp;
  std::vector<double> ofStage;
  // What making the worst 3 % of workers, or the last stage, ideal takes of the loss: near 1, it is their
  // fault. A worker is as slow as the less of its rank's and its stage's slowdown.
  std::optional<double> worstWorkers;
  std::optional<double> lastStage;
};

// Of one value for each type: the mean, or the median where medianOfType says so.
void setIdealByType(SlowdownInput& input, const std::vector<bool>& medianOfType);

// parts: also what needs a replay for each type, rank and stage.
[[nodiscard]] SlowdownResult slowdownOf(const SlowdownInput& input, bool parts, unsigned threadCount);

// A row of the table.
struct SlowdownRow {
  std::string by;  // job, step, rank, dp, stage, worker, type, worst_workers, last_stage
  std::string key; // the rank's number, "dp,stage" of a worker, ...
  std::optional<double> slowdown;
  // The part of the loss that goes if these were as the others, as published: it can lie somewhat outside of
  // 0 to 1. shownShare is for people.
  std::optional<double> explained;
};

// Where a rank is in the layout of the job: the caller knows that.
struct RankCoordinates {
  std::uint32_t dp = 0;    // among the ranks with the same part of the model
  std::uint32_t stage = 0; // of the pipeline
};

struct JobSlowdown {
  std::string refused;
  std::vector<SlowdownRow> rows;
  // By rank and kept window: of the step with this rank's own times; 1 where it was not computed.
  std::vector<std::vector<double>> ofRankAndStep;
  // By stage, then data-parallel rank: the less of the slowdowns of both; empty where no layout is known or
  // nothing is attributed.
  std::vector<std::vector<double>> ofStageAndDp;
};

// 0 to 1.
[[nodiscard]] constexpr double shownShare(double explained) {
  return std::clamp(explained, 0.0, 1.0);
}

// Below this, nothing is attributed.
inline constexpr double kMinSlowdown = 1.03;

// How many ranks are the slowest 3 %: one of up to 33.
[[nodiscard]] std::size_t worstRankCount(std::size_t ranks);

// asPublished: with means over all ranks, stages and steps in place of the medians of peers, to compare.
// coordinates: by rank; empty: not known, or the same as the ranks.
[[nodiscard]] JobSlowdown jobSlowdown(const WhatIf& whatIf, bool asPublished,
                                      std::span<const RankCoordinates> coordinates, unsigned threadCount);

} // namespace rankscope
