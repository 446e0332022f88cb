// SPDX-License-Identifier: GPL-3.0-or-later
// Events from the longest to the shortest, one at a time: "the ten longest" looks at a few blocks of events
// and at no other event. Among equally long ones, those of earlier slices and lower indices come first. One
// per cursor; not thread-safe. Takes 24 bytes for each block of 256 events and for each event of the blocks
// that were looked at, so it is for queries that end early.
#pragma once

#include "core/sql/event_filter.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankscope {

class LongestFirst {
 public:
  LongestFirst() = default;
  // The events of the slices that match. All arguments must outlive this. O(blocks).
  LongestFirst(const EventSource& source, const EventFilter& filter, std::span<const EventSlice> slices);

  struct Found {
    std::size_t slice;
    EventIndex event;
  };
  // Empty after the last one. O(log n), and the events of a block now and then.
  [[nodiscard]] std::optional<Found> next();

 private:
  static constexpr std::uint32_t kBlock = 256;

  struct Candidate {
    TimeNs duration;
    std::uint32_t slice;
    EventIndex event; // of a block: its first one
    bool block;

    // Whether it comes after other.
    bool operator<(const Candidate& other) const;
  };

  void pushBlock(std::uint32_t slice, EventIndex first);
  void openBlock(const Candidate& block);
  [[nodiscard]] EventIndex endOfBlock(std::uint32_t slice, EventIndex first) const;

  const EventSource* m_source = nullptr;
  const EventFilter* m_filter = nullptr;
  std::span<const EventSlice> m_slices;
  std::vector<Candidate> m_heap;
};

} // namespace rankscope
