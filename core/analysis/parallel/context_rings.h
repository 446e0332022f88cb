// SPDX-License-Identifier: GPL-3.0-or-later
// Ring attention without names: ranks of context parallelism that pass keys and values around. A rank sends
// to one other rank only and receives from one other rank only, these links form a ring, and each step
// computes attention between the transfers. Sends without attention between them are no ring of this kind.
// One pass over the collectives and the names of host operators.
#pragma once

#include "core/analysis/job/analysis.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace rankscope {

// Members of the ring that a rank is in, ascending, by RankIndex; empty for ranks that are in none. A ring of
// which a member was not recorded is none.
[[nodiscard]] std::vector<std::vector<std::int32_t>> contextRings(const Analysis& analysis);

// The operators of attention: of PyTorch, FlashAttention, TransformerEngine.
[[nodiscard]] bool isAttentionOperator(std::string_view name);

} // namespace rankscope
