// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison as figures with names, and what they say as sentences.
#pragma once

#include "core/analysis/compare/comparison.h"

#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct CompareFigure {
  std::string_view name;
  std::string value; // as machines read it, empty: not known
};

// n_a, mean_a_us, ... welch_p, ... verdict: the rows of the table compare_statistics.
[[nodiscard]] std::vector<CompareFigure> compareFigures(const Comparison& comparison);

// "B is 36.5 ms (20.6 %) faster a step; 95 % between 9.9 ms and 63.1 ms; 6 and 6 steps." Nothing is claimed
// where the verdict does not allow it.
[[nodiscard]] std::string verdictSentence(const Comparison& comparison);
// What the verdict means, and what to record where it cannot be given: a sentence.
[[nodiscard]] std::string verdictExplanation(const Comparison& comparison);

} // namespace rankscope
