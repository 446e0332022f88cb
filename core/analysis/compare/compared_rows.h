// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of two sides laid beside each other: operators, kernels, modules, collectives, ranks, findings. What
// stands on one side only is a row of its own, so that the rows of each side add up to its totals. Every
// matched row says what it was matched by. Rows are sorted by what they contribute, the largest first. Pure;
// O(n log n) in the rows.
#pragma once

#include "core/analysis/compare/compared_collectives.h"
#include "core/analysis/compare/row_match.h"
#include "core/analysis/compare/side_facts.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// How a difference splits: other calls at A's time each, and B's calls at another time each.
struct EffectSplit {
  double count = 0;
  double speed = 0;
};
[[nodiscard]] EffectSplit effectsOf(double callsA, double timeA, double callsB, double timeB);

struct ComparedOperator : ComparedRow<SideOperator> {
  std::optional<double> q; // false discovery rate; of rows that explain 1 % of the difference or more
};
using ComparedKernel = ComparedRow<SideKernel>;
using ComparedModule = ComparedRow<SideModule>;
using ComparedRank = ComparedRow<SideRank>;
using ComparedLayoutFigure = ComparedRow<SideFigure>;

enum class FindingState : std::uint8_t { New, Gone, More, Less, Same };
[[nodiscard]] std::string_view findingStateText(FindingState state);

struct ComparedFinding {
  FindingState state = FindingState::Same;
  std::optional<SideFinding> a;
  std::optional<SideFinding> b;
  [[nodiscard]] const SideFinding& any() const { return b ? *b : *a; }
  [[nodiscard]] double delta() const {
    return (b ? b->gainLow.value_or(0) : 0.0) - (a ? a->gainLow.value_or(0) : 0.0);
  }
};

struct ComparedRows {
  std::vector<ComparedOperator> operators;
  std::vector<ComparedKernel> kernels;
  std::vector<ComparedModule> modules;
  std::vector<ComparedCollective> collectives;
  std::vector<ComparedRank> ranks; // by number
  std::vector<ComparedFinding> findings;
  std::vector<ComparedLayoutFigure> parallel; // by relative change
};

[[nodiscard]] ComparedRows comparedRows(const SideFacts& a, const SideFacts& b);

} // namespace rankscope
