// SPDX-License-Identifier: GPL-3.0-or-later
// Frames of a snapshot or dump as stacks: in two steps, by node and by content, because thousands of entries
// share few stacks. For one thread.
#pragma once

#include "core/io/pickle/value_tree.h"
#include "core/model/stack_pool.h"

#include <array>
#include <cstddef>
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
  // The frames that come most often are found without a look-up: a snapshot names each of a few hundred
  // frames a million times.
  struct KnownFrame {
    ValueId id = kNoValue;
    std::uint32_t frame = 0;
  };
  static constexpr std::size_t kRecent = 4096;

  [[nodiscard]] std::uint32_t frame(ValueId frame);
  [[nodiscard]] std::uint32_t readFrame(ValueId frame);

  const ValueTree& m_values;
  StackPool& m_pool;
  std::unordered_map<ValueId, std::uint32_t> m_stacks;
  std::unordered_map<ValueId, std::uint32_t> m_frames;
  std::unordered_map<ValueId, std::uint32_t> m_texts;
  std::array<KnownFrame, kRecent> m_recent{};
  std::vector<std::uint32_t> m_found;
};

} // namespace rankscope
