// SPDX-License-Identifier: GPL-3.0-or-later
// What sort of step each step of a recording is, so that like is compared with like: training, accumulation
// of gradients (no optimizer), evaluation (no backward pass), checkpoint (the model was saved). Judged by the
// host's phases and names, and where neither was recorded all steps are training steps. Plain data, which
// holds no columns of events; a pass over the host's events and the device events.
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

// What a step is judged by.
struct StepFacts {
  std::int64_t number = Step::kUnknownNumber;
  TimeNs duration = 0;
  std::int64_t deviceEvents = 0; // launched within the host part
  bool backward = false;
  bool optimizer = false;
  bool saves = false;
  bool evaluates = false;
};

// One a step, in their order.
[[nodiscard]] std::vector<StepFacts> stepFacts(const RankTrace& trace, const StringTable& names,
                                               const StepWindows& steps, const HostPhases& phases);

// One a step. A step without a backward pass is an evaluation, and one without an optimizer accumulates, only
// among steps that have them.
[[nodiscard]] std::vector<StepKind> stepKinds(const std::vector<StepFacts>& steps);

// Whether two steps do the same amount of work: the numbers of their device events differ by 10 % at most.
[[nodiscard]] bool areAlike(const StepFacts& a, const StepFacts& b);

} // namespace rankscope
