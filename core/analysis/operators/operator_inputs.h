// SPDX-License-Identifier: GPL-3.0-or-later
// What chosen operators were called with: shapes, types, the values of what is no tensor, and what a compiler
// noted of their work. Read again from the recording in one pass over its file (record_shapes=True), like
// OperatorShapes. Ask for operators whose work is counted, never for all. What was not recorded, or cannot be
// read, is not known.
#pragma once

#include "core/analysis/operators/operator_shapes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct OperatorInputs {
  bool shapesKnown = false;
  std::vector<TensorShape> shapes; // by argument
  std::vector<std::string> types;  // "float", "c10::BFloat16", "ScalarList"; empty of None
  std::vector<std::string> values; // "[2, 2]", "True"; empty of tensors and of recordings before PyTorch 2.1
  std::int64_t sequence = -1;      // that a node of autograd shares with its operator; -1 not recorded
  std::int64_t flops = 0;          // that a compiler noted of its kernel; 0 none
  std::optional<double> gigabytes; // the same of its traffic
};

// Of a text of EventArgument::OperatorInputs.
[[nodiscard]] OperatorInputs operatorInputsInText(std::string_view text);

// The strings of a list: ["", "[2, 2]", "True"].
[[nodiscard]] std::vector<std::string> stringsInText(std::string_view text);

// The integers of "[2, 2]", or of "3".
[[nodiscard]] std::optional<std::vector<std::int64_t>> integersInText(std::string_view text);

class OperatorInputsOf {
 public:
  // In any order, doubles allowed.
  OperatorInputsOf(const RankEntry& rank, std::vector<EventIndex> operators,
                   const Progress* progress = nullptr);

  // Null where nothing was recorded.
  [[nodiscard]] const OperatorInputs* of(EventIndex op) const;
  [[nodiscard]] bool empty() const { return m_operators.empty(); }

 private:
  std::vector<EventIndex> m_operators; // ascending; what is known
  std::vector<OperatorInputs> m_inputs;
};

} // namespace rankscope
