// SPDX-License-Identifier: GPL-3.0-or-later
// Collectives of two sides beside each other. Groups are paired by name, then by the size and stride of their
// ranks, then by their order. Within a pair of groups the calls of a step are matched in sequence: the first
// with the first, and so on, where operations and sizes agree, else as many in order as possible. A row is an
// operation and size of a pair of groups; what has no partner on the other side is a row of its own, so that
// the rows of each side add up to its totals. Where a side does not know the order of its calls (a baseline,
// or very many calls), rows are matched as a whole. Pure; O(calls of a step · differences).
#pragma once

#include "core/analysis/compare/row_match.h"
#include "core/analysis/compare/side_facts.h"

#include <vector>

namespace rankscope {

using ComparedCollective = ComparedRow<SideCollective>;

// By what they changed, the largest first.
[[nodiscard]] std::vector<ComparedCollective> comparedCollectives(const std::vector<SideCollective>& a,
                                                                  const std::vector<SideCollective>& b);

} // namespace rankscope
