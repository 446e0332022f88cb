// SPDX-License-Identifier: GPL-3.0-or-later
// Classifies steps, so that only similar steps are compared: training, gradient accumulation (no optimizer),
// evaluation (no backward pass), checkpoint (model was saved). Based on host phases and names; without these,
// all steps are training steps. Plain data without event columns; a pass over host and device events.
#pragma once

#include "core/analysis/steps/phases.h"
#include "core/analysis/steps/step_window.h"
#include "core/model/string_table.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace rankscope {

enum class StepKind : std::uint8_t { Training, Accumulation, Evaluation, Checkpoint };

// "training", "accumulation", "evaluation", "checkpoint".
[[nodiscard]] std::string_view stepKindText(StepKind kind);

// Properties of a step for classification.
struct StepFacts {
  std::int64_t number = Step::kUnknownNumber;
  TimeNs duration = 0;
  std::int64_t deviceEvents = 0; // launched within the host part
  bool backward = false;
  bool optimizer = false;
  bool saves = false;
  bool evaluates = false;
};

// One per step, in order.
[[nodiscard]] std::vector<StepFacts> stepFacts(const RankTrace& trace, const StringTable& names,
                                               const StepWindows& steps, const HostPhases& phases);

// One per step. A step without a backward pass is evaluation, and one without an optimizer is accumulation,
// only if other steps have them.
[[nodiscard]] std::vector<StepKind> stepKinds(const std::vector<StepFacts>& steps);

// Whether two steps do the same amount of work: their numbers of device events differ by at most 10 %.
[[nodiscard]] bool areAlike(const StepFacts& a, const StepFacts& b);

} // namespace rankscope
