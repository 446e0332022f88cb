// SPDX-License-Identifier: GPL-3.0-or-later
// Frames of a snapshot or dump as stacks: in two steps, by node and by content, because thousands of entries
// share few stacks. For one thread.
#pragma once

#include "core/io/pickle/value_tree.h"
#include "core/model/stack_pool.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankscope {

class StackReader {
 public:
  // REQUIRES: the tree is complete.
  StackReader(const ValueTree& values, StackPool& pool) : m_values(values), m_pool(pool) {
    m_made.push(values.nodeCount(), kNotMade);
  }

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
  static constexpr std::size_t kRecent = 16384;
  static constexpr std::uint32_t kNotMade = UINT32_MAX;

  // Stacks by their frames: a table that is looked into for every entry.
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t stack = 0; // 0: empty
  };

  [[nodiscard]] std::uint32_t readFrame(ValueId frame);
  // Of the frames in m_found, with their hash.
  [[nodiscard]] std::uint32_t foundStack(std::uint64_t hash);
  void growSlots();

  const ValueTree& m_values;
  StackPool& m_pool;
  // The text, frame or stack of a node, by its kind. Not in a map: a snapshot has a list for each entry.
  BlockVector<std::uint32_t> m_made;
  std::vector<KnownFrame> m_recent = std::vector<KnownFrame>(kRecent);
  std::vector<Slot> m_slots = std::vector<Slot>(64); // a power of two
  std::size_t m_slotsUsed = 0;
  std::vector<std::uint32_t> m_found;
};

} // namespace rankscope
