// SPDX-License-Identifier: GPL-3.0-or-later
// A set of times, stored as sorted half-open ranges that neither overlap nor touch, with prefix sums of their
// lengths. The covered length of a window takes O(log n); union, intersection and difference are linear.
// Immutable and thread-safe. 24 bytes per range.
#pragma once

#include "core/base/time_range.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankscope {

class IntervalSet {
 public:
  IntervalSet() = default;
  // From ranges in any order, which may overlap. Touching ranges are joined, empty ones dropped. O(n) if the
  // begins ascend, else O(n log n).
  explicit IntervalSet(std::vector<TimeRange> ranges);

  [[nodiscard]] std::span<const TimeRange> ranges() const { return m_ranges; }
  [[nodiscard]] bool empty() const { return m_ranges.empty(); }
  [[nodiscard]] std::size_t size() const { return m_ranges.size(); }

  // From the first begin to the last end; empty for an empty set.
  [[nodiscard]] TimeRange hull() const;
  // Nanoseconds in the set.
  [[nodiscard]] TimeNs totalLength() const;
  // Nanoseconds of the set inside the window.
  [[nodiscard]] TimeNs coveredWithin(TimeRange window) const;
  // First begin to last end of the part inside the window.
  [[nodiscard]] TimeRange hullWithin(TimeRange window) const;

  // Index of the first range that ends after t: it contains t or is the next one. size() if there is none.
  [[nodiscard]] std::size_t lowerBound(TimeNs t) const;
  // The same if the result is known to be at least `from` (at most size()) and expected near `guess`. O(log
  // distance from the guess).
  [[nodiscard]] std::size_t lowerBound(TimeNs t, std::size_t from, std::size_t guess) const;
  // Total nanoseconds of ranges [first, last). first <= last <= size(). O(1).
  [[nodiscard]] TimeNs lengthOf(std::size_t first, std::size_t last) const {
    return lengthBefore(last) - lengthBefore(first);
  }
  // Index of the range that contains t.
  [[nodiscard]] std::optional<std::size_t> indexAt(TimeNs t) const;
  [[nodiscard]] bool contains(TimeNs t) const { return indexAt(t).has_value(); }

  // Calls visit(TimeRange) for each maximal uncovered range of the window, in time order.
  template <class Visit> void forEachGap(TimeRange window, Visit&& visit) const;
  [[nodiscard]] std::vector<TimeRange> gapsWithin(TimeRange window) const;
  // The part of the set inside the window.
  [[nodiscard]] IntervalSet clippedTo(TimeRange window) const;

  bool operator==(const IntervalSet& other) const { return m_ranges == other.m_ranges; }

 private:
  [[nodiscard]] TimeNs coveredBefore(TimeNs t) const;
  [[nodiscard]] TimeNs lengthBefore(std::size_t index) const {
    return index < m_ranges.size() ? m_lengthBefore[index] : totalLength();
  }

  std::vector<TimeRange> m_ranges;
  std::vector<TimeNs> m_lengthBefore; // total length of all earlier ranges
};

[[nodiscard]] IntervalSet unionOf(const IntervalSet& a, const IntervalSet& b);
[[nodiscard]] IntervalSet intersectionOf(const IntervalSet& a, const IntervalSet& b);
// The part of a that is not in b.
[[nodiscard]] IntervalSet differenceOf(const IntervalSet& a, const IntervalSet& b);
// Length of the intersection, computed without building it.
[[nodiscard]] TimeNs commonLength(const IntervalSet& a, const IntervalSet& b);

template <class Visit> void IntervalSet::forEachGap(TimeRange window, Visit&& visit) const {
  TimeNs uncovered = window.begin;
  for (std::size_t i = lowerBound(window.begin); i < m_ranges.size() && m_ranges[i].begin < window.end; ++i) {
    if (uncovered < m_ranges[i].begin) visit(TimeRange{uncovered, m_ranges[i].begin});
    uncovered = m_ranges[i].end;
  }
  if (uncovered < window.end) visit(TimeRange{uncovered, window.end});
}

} // namespace rankscope
