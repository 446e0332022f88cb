// SPDX-License-Identifier: GPL-3.0-or-later
// The shapes that chosen operators were called with, read again from the recording (record_shapes=True) in
// one pass over its file: a microsecond an operator, and once through the inflater for a compressed file. Ask
// for the few that a question needs, never for all. What was not recorded, or cannot be read, is not known.
#pragma once

#include "core/base/progress.h"
#include "core/model/trace_set.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rankscope {

// Of one tensor; empty: a scalar, a list of tensors, or none.
using TensorShape = std::vector<std::int64_t>;

// By argument. "[[16, 5185, 64], [], [[2, 3], [4]]]" has three, the last of which is a list.
[[nodiscard]] std::optional<std::vector<TensorShape>> shapesInText(std::string_view text);

// The number of elements; nothing where it does not fit.
[[nodiscard]] std::optional<std::int64_t> elementsOf(const TensorShape& shape);

class OperatorShapes {
 public:
  // In any order, doubles allowed.
  OperatorShapes(const RankEntry& rank, std::vector<EventIndex> operators,
                 const Progress* progress = nullptr);

  // By argument; null where they are not known.
  [[nodiscard]] const std::vector<TensorShape>* of(EventIndex op) const;
  [[nodiscard]] bool empty() const { return m_operators.empty(); }

 private:
  std::vector<EventIndex> m_operators; // ascending; whose shapes are known
  std::vector<std::vector<TensorShape>> m_shapes;
};

} // namespace rankscope
