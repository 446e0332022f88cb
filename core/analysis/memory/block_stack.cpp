// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/memory/block_stack.h"

#include "core/base/exact_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace rankscope {

namespace {

// Bytes of the blocks that are alive, by their order (a binary indexed tree). Damaged sizes may add up to
// more than 64 bits: sums wrap.
class AliveBytes {
 public:
  AliveBytes(const std::vector<BlockLife>& lives, std::int32_t entry) : m_sums(lives.size() + 1) {
    for (std::size_t i = 0; i < lives.size(); ++i) {
      if (!lives[i].aliveAt(entry)) continue;
      m_sums[i + 1] += static_cast<std::uint64_t>(lives[i].bytes);
      m_total += static_cast<std::uint64_t>(lives[i].bytes);
    }
    for (std::size_t i = 1; i < m_sums.size(); ++i) {
      const std::size_t parent = i + (i & (0 - i));
      if (parent < m_sums.size()) m_sums[parent] += m_sums[i];
    }
  }

  void add(std::size_t life, std::int64_t bytes) {
    m_total += static_cast<std::uint64_t>(bytes);
    for (std::size_t i = life + 1; i < m_sums.size(); i += i & (0 - i))
      m_sums[i] += static_cast<std::uint64_t>(bytes);
  }

  // The block at a height below total().
  [[nodiscard]] StackedBlock at(std::int64_t height) const {
    std::size_t before = 0;
    std::uint64_t below = 0;
    for (std::size_t step = std::bit_floor(m_sums.size()); step > 0; step /= 2) {
      const std::size_t next = before + step;
      if (next >= m_sums.size() || below + m_sums[next] > static_cast<std::uint64_t>(height)) continue;
      before = next;
      below += m_sums[next];
    }
    return {static_cast<std::uint32_t>(before), static_cast<std::int64_t>(below)};
  }

  [[nodiscard]] std::int64_t total() const { return static_cast<std::int64_t>(m_total); }

 private:
  std::vector<std::uint64_t> m_sums;
  std::uint64_t m_total = 0;
};

} // namespace

BlockStack::BlockStack(const DeviceReplay& replay) : m_replay(replay) {
  const std::size_t entries = replay.active.size();
  m_firstChange.assign(entries + 1, 0);
  const auto each = [&](auto&& take) {
    for (std::uint32_t i = 0; i < replay.lives.size(); ++i) {
      const BlockLife& life = replay.lives[i];
      if (life.recorded()) take(static_cast<std::size_t>(life.allocated), Change{i, false});
      if (life.freed != kNeverFreed && life.freed >= 0)
        take(static_cast<std::size_t>(life.freed), Change{i, true});
    }
  };
  each([&](std::size_t entry, Change) { ++m_firstChange[entry + 1]; });
  for (std::size_t i = 1; i <= entries; ++i) m_firstChange[i] += m_firstChange[i - 1];
  m_changes.resize(m_firstChange.back());
  std::vector<std::uint32_t> next(m_firstChange.begin(), m_firstChange.end());
  each([&](std::size_t entry, Change change) { m_changes[next[entry]++] = change; });
}

std::span<const BlockStack::Change> BlockStack::changesOf(std::int32_t entry) const {
  const auto at = static_cast<std::size_t>(entry);
  return std::span(m_changes).subspan(m_firstChange[at], m_firstChange[at + 1] - m_firstChange[at]);
}

std::vector<BlockColumn> BlockStack::columns(std::int32_t begin, std::span<const std::int32_t> ends,
                                             double bytesPerPixel) const {
  const std::vector<BlockLife>& lives = m_replay.lives;
  std::int32_t now = begin - 1;
  AliveBytes alive(lives, now);
  const auto advance = [&](std::int32_t to) {
    for (; now < to; ++now) {
      for (const Change& change : changesOf(now + 1)) {
        const std::int64_t bytes = lives[change.life].bytes;
        alive.add(change.life, change.freed ? -bytes : bytes);
      }
    }
  };
  std::vector<BlockColumn> all;
  all.reserve(ends.size());
  for (const std::int32_t given : ends) {
    const std::int32_t end = std::min(given, m_replay.last());
    std::int32_t fullest = now;
    for (std::int32_t entry = now + 1; entry <= end; ++entry) {
      if (m_replay.activeAt(entry) > m_replay.activeAt(fullest)) fullest = entry;
    }
    advance(fullest);
    BlockColumn& column = all.emplace_back();
    column.entry = fullest;
    column.active = alive.total();
    double pixel = 0;
    while ((pixel + 0.5) * bytesPerPixel < static_cast<double>(column.active)) {
      const StackedBlock block = alive.at(static_cast<std::int64_t>((pixel + 0.5) * bytesPerPixel));
      if (block.life >= lives.size()) break; // damaged sizes
      column.blocks.push_back(block);
      const double top = static_cast<double>(block.below) + static_cast<double>(lives[block.life].bytes);
      pixel = std::max(pixel + 1, std::ceil(top / bytesPerPixel - 0.5));
    }
    advance(end);
  }
  return all;
}

std::optional<StackedBlock> BlockStack::at(std::int32_t entry, std::int64_t height) const {
  if (height < 0) return std::nullopt;
  ExactSum below;
  for (std::uint32_t i = 0; i < m_replay.lives.size(); ++i) {
    const BlockLife& life = m_replay.lives[i];
    if (!life.aliveAt(entry)) continue;
    const std::int64_t under = below;
    below += life.bytes;
    if (height < std::int64_t{below}) return StackedBlock{i, under};
  }
  return std::nullopt;
}

} // namespace rankscope
