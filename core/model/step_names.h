// SPDX-License-Identifier: GPL-3.0-or-later
// Names with which programs mark training steps themselves, where no profiler marks them: "step_12",
// "iteration 16", "train.training_step_12". Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rankscope {

struct StepName {
  std::string_view family;  // the name without its number
  std::int64_t number = -1; // -1 if the name has none
};

// Empty if the name marks no step. The profiler's own marks (ProfilerStep#12) are one of the families.
[[nodiscard]] std::optional<StepName> stepNameOf(std::string_view name);

} // namespace rankscope
