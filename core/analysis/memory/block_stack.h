// SPDX-License-Identifier: GPL-3.0-or-later
// The blocks of a snapshot as a picture shows them: stacked in the order of their allocation, over entries.
// A column of pixels holds the blocks at the middles of its pixels, so that a picture costs the same for a
// thousand blocks and a million. Immutable; thread-safe. Cost: O(entries) once, and for each picture
// O((visible entries + pixels) · log blocks).
#pragma once

#include "core/analysis/memory/snapshot_replay.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankscope {

struct StackedBlock {
  std::uint32_t life = 0; // in DeviceReplay::lives
  std::int64_t below = 0; // bytes of the blocks under it
  bool operator==(const StackedBlock&) const = default;
};

struct BlockColumn {
  std::int32_t entry = kBeforeFirst; // after which the column is as shown: the fullest one
  std::int64_t active = 0;           // bytes of all blocks
  std::vector<StackedBlock> blocks;  // at the middle of at least one pixel, from the bottom up
};

class BlockStack {
 public:
  // The replay must outlive this.
  explicit BlockStack(const DeviceReplay& replay);

  // Column i shows the entries after ends[i - 1] (of the first: from `begin` on) up to ends[i], and what held
  // before them; a pixel is so many bytes high. REQUIRES: ends ascend; begin - 1 <= ends[0]; bytesPerPixel >
  // 0.
  [[nodiscard]] std::vector<BlockColumn> columns(std::int32_t begin, std::span<const std::int32_t> ends,
                                                 double bytesPerPixel) const;

  // The block at this height after an entry; none above the stack.
  [[nodiscard]] std::optional<StackedBlock> at(std::int32_t entry, std::int64_t height) const;

 private:
  struct Change {
    std::uint32_t life;
    bool freed;
  };

  [[nodiscard]] std::span<const Change> changesOf(std::int32_t entry) const;

  const DeviceReplay& m_replay;
  std::vector<std::uint32_t> m_firstChange; // by entry, and one more
  std::vector<Change> m_changes;
};

} // namespace rankscope
