// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks of a process group as recorded. Every rank of a job lists the same members of the world, so equal
// lists share their memory, whatever file they come from: it grows with the ranks of a job, not with their
// square. Immutable, cheap to copy. Thread-safe; making one is linear and takes a lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace rankscope {

class RankList {
 public:
  RankList() = default;
  explicit RankList(std::vector<std::int32_t> ranks);

  [[nodiscard]] std::span<const std::int32_t> span() const {
    return m_ranks ? std::span<const std::int32_t>(*m_ranks) : std::span<const std::int32_t>();
  }
  [[nodiscard]] std::size_t size() const { return span().size(); }
  [[nodiscard]] bool empty() const { return m_ranks == nullptr; }
  [[nodiscard]] bool contains(std::int32_t rank) const;
  [[nodiscard]] std::vector<std::int32_t> sorted() const;

  bool operator==(const RankList& other) const = default;

 private:
  std::shared_ptr<const std::vector<std::int32_t>> m_ranks; // null for no ranks; the same for equal lists
};

// The list as runs of equal distances: first rank, distance, number of ranks, of one run after the other.
[[nodiscard]] std::vector<std::int32_t> runsOf(const RankList& list);
// Empty if these are no runs of a list.
[[nodiscard]] RankList listOfRuns(std::span<const std::int32_t> runs);

} // namespace rankscope
