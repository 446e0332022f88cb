// SPDX-License-Identifier: GPL-3.0-or-later
// Forward work that runs again within the backward pass, because activations were not kept (activation
// checkpointing, both kinds): operators that only a forward pass calls (linear, conv2d, layer_norm, ...)
// below a node of autograd. Everything that the node's thread did from the first of them to the end of the
// last is recomputation. Compiled graphs hide it. One pass over the operators.
#pragma once

#include "core/analysis/operators/operator_tree.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope {

// By device event, at its place behind deviceBegin: 1 when it was launched from recomputation. Empty when the
// recording has none.
[[nodiscard]] std::vector<std::uint8_t>
recomputedDeviceEvents(const RankTrace& trace, const StringTable& names, const OperatorTree& tree);

// By operator: 1 when it is recomputation. Empty when none of them is.
[[nodiscard]] std::vector<std::uint8_t> recomputedOperators(const RankTrace& trace, const StringTable& names,
                                                            const OperatorTree& tree,
                                                            std::span<const EventIndex> operators);

} // namespace rankscope
