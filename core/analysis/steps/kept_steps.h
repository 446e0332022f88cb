// SPDX-License-Identifier: GPL-3.0-or-later
// Which steps of a job its means, shares and comparisons are made of. Left out are: the first step of a
// recording when it is longer than 1.15 times the median of the others, as it is while caches fill and
// kernels are tuned; evaluation and checkpoint steps among training steps; steps that the recording cut.
// Decided once for a step of the job, so that all ranks keep the same. Plain data in and out, which holds no
// columns of events; O(steps · log) over all ranks.
#pragma once

#include "core/analysis/steps/step_kinds.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace rankscope {

enum class StepStatus : std::uint8_t { Kept, WarmUp, OtherKind, Cut };

// "kept", "first step of its recording", ...: a reason for people.
[[nodiscard]] std::string_view stepStatusText(StepStatus status);

// The steps of one rank in one recording.
struct RankSteps {
  int capture = 1;
  std::vector<StepFacts> steps;
};

// A step of all ranks that recorded it.
struct JobStep {
  int capture = 1;
  std::int64_t number = Step::kUnknownNumber;
  std::size_t occurrence = 0; // of steps of one number in a recording: the how manieth, from 0 on
  StepKind kind = StepKind::Training;
  StepStatus status = StepStatus::Kept;
  TimeNs total = 0; // sum over its ranks
  std::int64_t ranks = 0;

  [[nodiscard]] bool kept() const { return status == StepStatus::Kept; }
  // The mean over its ranks.
  [[nodiscard]] double time() const { return static_cast<double>(total) / static_cast<double>(ranks); }
};

struct KeptSteps {
  std::vector<JobStep> steps;                       // by capture, then in order of time
  std::vector<std::vector<std::size_t>> stepOfRank; // by rank and step of it: position in `steps`

  [[nodiscard]] std::size_t keptCount() const;
  // Mean of the kept steps' times; 0 without steps.
  [[nodiscard]] double meanTime() const;
};

// One for each recording of a rank, in any order. all: nothing is left out.
[[nodiscard]] KeptSteps keptSteps(std::span<const RankSteps> ranks, bool all = false);

} // namespace rankscope
