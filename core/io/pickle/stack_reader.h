// SPDX-License-Identifier: GPL-3.0-or-later
// Frames of a snapshot or dump as stacks: in two steps, by node and by content, because thousands of entries
// share few stacks. For one thread.
#pragma once

#include "core/io/pickle/value_tree.h"
#include "core/model/stack_pool.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankscope {

class StackReader {
 public:
  // REQUIRES: the tree is complete.
  StackReader(const ValueTree& values, StackPool& pool)
      : m_values(values), m_pool(pool), m_made(values.nodeCount(), kNotMade) {}

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
  static constexpr std::uint32_t kNotMade = UINT32_MAX;

  [[nodiscard]] std::uint32_t readFrame(ValueId frame);

  const ValueTree& m_values;
  StackPool& m_pool;
  // The text, frame or stack of a node, by its kind. Not in a map: a snapshot has a list for each entry.
  std::vector<std::uint32_t> m_made;
  std::array<KnownFrame, kRecent> m_recent{};
  std::vector<std::uint32_t> m_found;
};

} // namespace rankscope
