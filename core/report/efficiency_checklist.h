// SPDX-License-Identifier: GPL-3.0-or-later
// Why MFU is low: the usual questions, each answered from the recording with a figure, and the finding that
// says more. Answers, not findings: what costs is judged by the findings' own rules. Pure.
#pragma once

#include "core/export/result_table.h"
#include "core/report/efficiency_view.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

enum class CheckAnswer : std::uint8_t { Good, Bad, Unknown };

// "ok", "look", "unknown".
[[nodiscard]] std::string_view checkAnswerText(CheckAnswer answer);

struct EfficiencyCheck {
  std::string title;
  CheckAnswer answer = CheckAnswer::Unknown;
  std::string measured;
  std::optional<double> time;         // ns of a step that it is about
  std::optional<std::size_t> finding; // a position in JobReport::findings()
  std::string rule;                   // when the answer is bad, and what helps
};

[[nodiscard]] std::vector<EfficiencyCheck> efficiencyChecklist(const JobReport& report,
                                                               const EfficiencyView& view);

} // namespace rankscope
