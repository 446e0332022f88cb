// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a leaf's time that has one cause: pieces of the account that a rule chooses. Private to the
// findings.
#pragma once

#include "core/analysis/findings/finding_context.h"

#include <functional>
#include <vector>

namespace rankscope {

// Whether a piece of the leaf belongs to the part.
using ChoosePiece = std::function<bool(TimeRange, const TimePieces::Piece&)>;
// For a rank.
using ChooseOf = std::function<ChoosePiece(RankIndex)>;

// The costs of whole (of the ranks of a leaf) as far as the pieces are chosen: the lower gain in proportion.
// of: what is chosen, in the words of rankAnswer's questions.
[[nodiscard]] std::vector<RankCost> partOfCosts(const FindingContext& context, std::vector<RankCost> whole,
                                                const LeafRule& rule, std::string_view of,
                                                const ChooseOf& choose);

// Nanoseconds of a kept step, mean over the ranks.
[[nodiscard]] double meanTime(const std::vector<RankCost>& costs);

} // namespace rankscope
