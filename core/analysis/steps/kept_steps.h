// SPDX-License-Identifier: GPL-3.0-or-later
// Decides which steps of a job are included in means, shares and comparisons. Excluded are: the first step of
// a recording if it takes longer than 1.15 times the median of the others (warm-up of caches and autotuning);
// evaluation and checkpoint steps among training steps; truncated steps; and what a second profiler recorded
// of steps that another capture has. The decision is made per step of the
// job, so all ranks keep the same steps. Plain data without event columns; O(steps · log) over all ranks.
#pragma once

#include "core/analysis/steps/step_kinds.h"
#include "core/analysis/steps/step_window.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace rankscope {

enum class StepStatus : std::uint8_t {
  Kept,
  WarmUp,
  OtherKind,
  Cut,
  Twice, // the same time of the same rank is a step of an earlier capture
};

// Reason for the user: "kept", "first step of its recording", ...
[[nodiscard]] std::string_view stepStatusText(StepStatus status);

// Steps of one rank in one recording.
struct RankSteps {
  int capture = 1;
  std::vector<StepFacts> steps;
};

// A step over all ranks that recorded it.
struct JobStep {
  int capture = 1;
  std::int64_t number = Step::kUnknownNumber;
  std::size_t occurrence = 0; // index among steps with the same number in a recording, from 0
  StepKind kind = StepKind::Training;
  StepStatus status = StepStatus::Kept;
  TimeNs total = 0; // sum over ranks
  std::int64_t ranks = 0;

  [[nodiscard]] bool kept() const { return status == StepStatus::Kept; }
  // Mean over ranks.
  [[nodiscard]] double time() const { return static_cast<double>(total) / static_cast<double>(ranks); }
};

struct KeptSteps {
  std::vector<JobStep> steps;                       // by capture, then in time order
  std::vector<std::vector<std::size_t>> stepOfRank; // by rank and step of the rank: index in `steps`
  // By rank and step of the rank: the end of its truncated file cuts the step, which other ranks may have in
  // full. Empty for whole recordings.
  std::vector<std::vector<bool>> cutOfRank;

  [[nodiscard]] std::size_t keptCount() const;
  // Mean time of the kept steps; 0 without steps.
  [[nodiscard]] double meanTime() const;
  // Of a step of the rank: that of the job's step, unless the rank's file cuts it.
  [[nodiscard]] StepStatus status(std::size_t rank, std::size_t step) const;
  // By index in `asked`, which are some of all steps of a recording, in order: the status of its step.
  [[nodiscard]] std::vector<StepStatus> statusOf(std::size_t rank, std::span<const StepWindow> all,
                                                 std::span<const StepWindow> asked) const;
};

// Whether the step has less than 80 % of the device events of a whole one: the recording cuts it.
[[nodiscard]] bool lacksWork(const StepFacts& step, std::int64_t wholeDeviceEvents);

// Sets the status of steps that consist only of times that are steps in an earlier capture of the same rank:
// two profilers recorded them. windows: by rank as in `kept`; recordings: of each rank, by capture.
void leaveOutTwice(std::span<const std::vector<StepWindow>* const> windows,
                   std::span<const std::vector<std::size_t>> recordings, KeptSteps& kept);

// One entry for each recording of a rank, in any order. all: keep every step.
[[nodiscard]] KeptSteps keptSteps(std::span<const RankSteps> ranks, bool all = false);

} // namespace rankscope
