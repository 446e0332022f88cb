// SPDX-License-Identifier: GPL-3.0-or-later
// A set of instants, kept as sorted half-open ranges that neither overlap nor touch, with a running sum of
// their lengths. It answers "how much of this window is covered" in O(log n); union, intersection and
// difference walk both sets once. Constant after building: any number of threads may read it. 24 bytes a
// range.
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
  // From ranges in any order, overlapping or not. Touching ranges join, empty ones are dropped.
  // O(n) when the begins already increase, else O(n log n).
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
  // The hull of the part inside the window, without making it.
  [[nodiscard]] TimeRange hullWithin(TimeRange window) const;

  // Index of the first range that ends after t: the one that contains t, or the next one. size() when none
  // does.
  [[nodiscard]] std::size_t lowerBound(TimeNs t) const;
  // The same when it is known not to lie before `from`, at most size(), and expected at `guess`.
  // O(log of how far it is from there).
  [[nodiscard]] std::size_t lowerBound(TimeNs t, std::size_t from, std::size_t guess) const;
  // Nanoseconds of the ranges [first, last). first <= last <= size(). O(1).
  [[nodiscard]] TimeNs lengthOf(std::size_t first, std::size_t last) const {
    return lengthBefore(last) - lengthBefore(first);
  }
  // Index of the range that contains t.
  [[nodiscard]] std::optional<std::size_t> indexAt(TimeNs t) const;
  [[nodiscard]] bool contains(TimeNs t) const { return indexAt(t).has_value(); }

  // Calls visit(TimeRange) for each maximal uncovered range of the window, in order of time.
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
  std::vector<TimeNs> m_lengthBefore; // of all ranges before the one with this index
};

[[nodiscard]] IntervalSet unionOf(const IntervalSet& a, const IntervalSet& b);
[[nodiscard]] IntervalSet intersectionOf(const IntervalSet& a, const IntervalSet& b);
// What is in a and not in b.
[[nodiscard]] IntervalSet differenceOf(const IntervalSet& a, const IntervalSet& b);
// Length of the intersection, without making it.
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
