// SPDX-License-Identifier: GPL-3.0-or-later
// Input shapes of selected operators (record_shapes=True), read from the recording in one pass over its file:
// a microsecond per operator, plus decompression. Request only the few operators that are needed. Shapes that
// were not recorded or are unreadable are unknown.
#pragma once

#include "core/base/progress.h"
#include "core/model/trace_set.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rankscope {

// Shape of a tensor; empty for a scalar, a list of tensors, or none.
using TensorShape = std::vector<std::int64_t>;

// Parses shapes by argument. "[[16, 5185, 64], [], [[2, 3], [4]]]" has three; the last one is a list.
[[nodiscard]] std::optional<std::vector<TensorShape>> shapesInText(std::string_view text);

// Number of elements; empty if it overflows.
[[nodiscard]] std::optional<std::int64_t> elementsOf(const TensorShape& shape);

class OperatorShapes {
 public:
  // operators: in any order, may contain duplicates.
  OperatorShapes(const RankEntry& rank, std::vector<EventIndex> operators,
                 const Progress* progress = nullptr);

  // Shapes by argument; null if unknown.
  [[nodiscard]] const std::vector<TensorShape>* of(EventIndex op) const;
  [[nodiscard]] bool empty() const { return m_operators.empty(); }

 private:
  std::vector<EventIndex> m_operators; // ascending; those with known shapes
  std::vector<std::vector<TensorShape>> m_shapes;
};

} // namespace rankscope
