// SPDX-License-Identifier: GPL-3.0-or-later
// Steps that a user chose to load, in what readers say of them. Pure.
#pragma once

#include "core/io/reader/load_filter.h"

#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

// "step 3", "steps 3 to 5".
[[nodiscard]] inline std::string stepsText(LoadFilter::Steps steps) {
  std::string text = steps.first == steps.last ? "step " : "steps ";
  text += std::to_string(steps.first);
  if (steps.first != steps.last) text.append(" to ").append(std::to_string(steps.last));
  return text;
}

inline constexpr std::string_view kUnmarkedSteps = ": everything was loaded";

// Of a file in which nothing marks these steps. mark: "NVTX range". marked: the steps that it has.
[[nodiscard]] inline std::string unmarkedStepsText(std::string_view mark, LoadFilter::Steps steps,
                                                   std::optional<LoadFilter::Steps> marked) {
  std::string text = "no ";
  text += mark;
  text += " marks " + stepsText(steps);
  text += kUnmarkedSteps;
  if (marked) text += "; marked are " + stepsText(*marked);
  return text;
}

[[nodiscard]] inline bool isUnmarkedStepsText(std::string_view text) {
  return text.starts_with("no ") && text.find(kUnmarkedSteps) != std::string_view::npos;
}

} // namespace rankscope
