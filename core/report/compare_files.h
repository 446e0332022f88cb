// SPDX-License-Identifier: GPL-3.0-or-later
// Files of Compare: the rules of a gate, a side that was kept as a baseline, and all tables of a comparison
// in a folder. A gate is {"schema": 1, "alpha": 0.05, "min_steps": 5, "rules": [{"figure": "step_median_us",
// "max_increase_pct": 3}]}. A baseline has the steps and the largest rows of a side in less than 100 kB; it
// replaces the recordings. Whole files or none.
#pragma once

#include "core/analysis/compare/comparison.h"
#include "core/analysis/compare/gate.h"
#include "core/base/result.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rankscope {

struct ReportPicture;

inline constexpr std::size_t kMaxBaselineBytes = 100'000;

[[nodiscard]] Result<Gate> readGate(const std::string& path);
// One line a rule: figure, A, B, difference, limit, p, result.
[[nodiscard]] std::string gateText(std::span<const RuleOutcome> outcomes);

// Without rows that would make it longer than kMaxBaselineBytes: the smallest go first.
[[nodiscard]] std::string baselineText(const SideFacts& side);
[[nodiscard]] Result<SideFacts> baselineFrom(std::string_view text, const std::string& path);

[[nodiscard]] std::optional<Error> writeBaseline(const SideFacts& side, const std::string& path);
[[nodiscard]] Result<SideFacts> readBaseline(const std::string& path);

// Every table as CSV, compare.json and compare.html. REQUIRES: the folder is there.
// pictures: charts that a window drew, for the page.
[[nodiscard]] std::optional<Error> writeComparison(const Comparison& comparison, const std::string& folder,
                                                   std::span<const ReportPicture> pictures = {},
                                                   bool dark = false);

} // namespace rankscope
