// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison as text for a terminal and as JSON for a program.
#pragma once

#include "core/analysis/compare/comparison.h"

#include <string>
#include <string_view>

namespace rankscope {

// "step 5: first step of its recording": what means leave out; empty: nothing.
[[nodiscard]] std::string stepsLeftOut(const SideFacts& side);

// What was compared, what of it differs beforehand, whether the difference is real and what to know before
// believing it.
[[nodiscard]] std::string comparisonHead(const Comparison& comparison);

// The same, then the waterfall and the largest contributions; the last line is the verdict's word.
// by: "class", "module", "operator", "kernel", "collective", "rank": the table that is shown.
[[nodiscard]] std::string comparisonText(const Comparison& comparison, std::string_view by);

// Everything in one object: schema, both sides, facts, verdict, waterfall, tables.
[[nodiscard]] std::string comparisonJson(const Comparison& comparison);

} // namespace rankscope
