// SPDX-License-Identifier: GPL-3.0-or-later
// Detects forward work repeated in the backward pass (activation checkpointing, both variants): operators
// that only a forward pass calls (linear, conv2d, layer_norm, ...) below an autograd node. Everything on that
// thread from the begin of the first to the end of the last of them is recomputation. Not visible in compiled
// graphs. One pass over the operators.
#pragma once

#include "core/analysis/operators/operator_tree.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope {

// By device event, relative to deviceBegin: 1 if it was launched by recomputation. Empty if there is none.
[[nodiscard]] std::vector<std::uint8_t>
recomputedDeviceEvents(const RankTrace& trace, const StringTable& names, const OperatorTree& tree);

// By operator: 1 when it is recomputation. Empty when none of them is.
[[nodiscard]] std::vector<std::uint8_t> recomputedOperators(const RankTrace& trace, const StringTable& names,
                                                            const OperatorTree& tree,
                                                            std::span<const EventIndex> operators);

} // namespace rankscope
