// SPDX-License-Identifier: GPL-3.0-or-later
// Frames of a snapshot or dump as stacks: in two steps, by node and by content, because thousands of entries
// share few stacks. For one thread.
#pragma once

#include "core/io/pickle/value_tree.h"
#include "core/model/stack_pool.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace rankscope {

class StackReader {
 public:
  StackReader(const ValueTree& values, StackPool& pool) : m_values(values), m_pool(pool) {}

  // frames: a list of {filename, name, line}, innermost first; anything else: the stack without frames.
  [[nodiscard]] std::uint32_t stack(ValueId frames);
  [[nodiscard]] std::uint32_t text(ValueId text);

 private:
  [[nodiscard]] std::uint32_t frame(ValueId frame);

  const ValueTree& m_values;
  StackPool& m_pool;
  std::unordered_map<ValueId, std::uint32_t> m_stacks;
  std::unordered_map<ValueId, std::uint32_t> m_frames;
  std::unordered_map<ValueId, std::uint32_t> m_texts;
  std::vector<std::uint32_t> m_found;
};

} // namespace rankscope
