// SPDX-License-Identifier: GPL-3.0-or-later
// Rules that a comparison has to keep, for a build that fails where it does not: a figure of B may exceed
// that of A by so much. A rule fails when its limit is exceeded and the difference is no noise; where steps
// are too few to tell, it is undecided. Pure.
#pragma once

#include "core/analysis/compare/comparison.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

enum class FigureUnit : std::uint8_t { Nanoseconds, Bytes, Count };

struct GateRule {
  std::string figure;                // "step_median_us", "host.input", "kernel:ncclDevKernel*.mean_us"
  std::optional<double> maxPercent;  // of A
  std::optional<double> maxIncrease; // in the figure's unit; microseconds where it is a time
  bool mayBeMissing = false;
  bool plain = false; // compared without a test
};

struct Gate {
  double alpha = 0.05;
  std::size_t minSteps = 5;
  std::vector<GateRule> rules;
};

enum class RuleResult : std::uint8_t { Pass, Fail, Undecided, Missing, Skipped };

// "pass", "fail", "undecided", "missing", "skipped".
[[nodiscard]] std::string_view ruleResultText(RuleResult result);

struct RuleOutcome {
  GateRule rule;
  FigureUnit unit = FigureUnit::Nanoseconds;
  double a = 0;
  double b = 0;
  std::optional<double> limit; // the largest B that passes
  std::optional<double> p;
  RuleResult result = RuleResult::Pass;
};

[[nodiscard]] std::vector<RuleOutcome> judgedRules(const Comparison& comparison, const Gate& gate);

// Whether a verdict leaves open if B is worse.
[[nodiscard]] bool isUndecided(Verdict verdict);

// '*' stands for any text, '?' for any character.
[[nodiscard]] bool matchesPattern(std::string_view text, std::string_view pattern);

} // namespace rankscope
