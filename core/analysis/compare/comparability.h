// SPDX-License-Identifier: GPL-3.0-or-later
// Whether two sides are recordings of programs that can be compared: facts about both, and how much of their
// kernel time and of their operator calls they share. Pure.
#pragma once

#include "core/analysis/compare/side_facts.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// Below this share of kernel time and of operator calls, sides look like different programs.
inline constexpr double kMinShared = 0.5;

enum class FactState : std::uint8_t { Same, Differs, Unknown };

// "same", "differs", "unknown".
[[nodiscard]] std::string_view factStateText(FactState state);

struct ComparedFact {
  std::string name;
  FactState state = FactState::Same;
  std::string a;
  std::string b;
};

// What both sides have in common, 0 to 1; nothing where a side has none.
struct SharedShares {
  std::optional<double> kernels;   // sum over names of the smaller share of the time of compute kernels
  std::optional<double> operators; // calls a step that both have, of those of the larger side
};
[[nodiscard]] SharedShares sharedShares(const SideFacts& a, const SideFacts& b);

// Kernels alone differ on other hardware: then operators decide.
[[nodiscard]] bool isComparable(const SharedShares& shared);

[[nodiscard]] std::vector<ComparedFact> comparedFacts(const SideFacts& a, const SideFacts& b,
                                                      const SharedShares& shared);

} // namespace rankscope
