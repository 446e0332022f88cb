// SPDX-License-Identifier: GPL-3.0-or-later
// Attention that is written out: a softmax over S x T scores with the batched product before it that made
// them and the one after it that uses them, and the scaling and masking between. In a backward pass two
// products before and two after. With shapes, the products' must fit the softmax's and scores be 256 x 256 at
// least; without them names and the order on the stream say it. One pass over each stream.
#pragma once

#include "core/analysis/classify/kernel_work.h"
#include "core/model/rank_trace.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace rankscope {

struct WrittenAttention {
  std::vector<EventIndex> kernels; // in order of time; device events
  EventIndex softmax;
  std::vector<EventIndex> products;
  bool backward = false;
};

// stream: its device events in order of time. isBatched: whether a product may be one of attention's.
[[nodiscard]] std::vector<WrittenAttention>
writtenAttention(std::span<const EventIndex> stream,
                 const std::function<const KernelTraits&(EventIndex)>& traitsOf,
                 const std::function<bool(EventIndex)>& isBatched);

// Shapes of a softmax's scores and of the operands of the products around it.
struct AttentionShapes {
  std::vector<std::int64_t> scores; // [..., S, T]
  std::vector<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>> products;
};

// Of the operations that fused attention would need, a product and a sum as two; nothing where the shapes are
// not those of attention, or scores are small.
[[nodiscard]] std::optional<double> attentionOperations(const AttentionShapes& shapes, bool backward);

} // namespace rankscope
