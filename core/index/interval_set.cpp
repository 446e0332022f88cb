// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/index/interval_set.h"

#include <algorithm>
#include <utility>

namespace rankscope {

namespace {

// Calls visit(TimeRange) for each common range in time order.
template <class Visit>
void forEachCommonRange(std::span<const TimeRange> a, std::span<const TimeRange> b, Visit&& visit) {
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const TimeRange common = a[i].clippedTo(b[j]);
    if (!common.empty()) visit(common);
    if (a[i].end < b[j].end) {
      ++i;
    } else {
      ++j;
    }
  }
}

} // namespace

IntervalSet::IntervalSet(std::vector<TimeRange> ranges) : m_ranges(std::move(ranges)) {
  std::erase_if(m_ranges, [](TimeRange range) { return range.empty(); });
  const auto earlier = [](TimeRange a, TimeRange b) { return a.begin < b.begin; };
  if (!std::is_sorted(m_ranges.begin(), m_ranges.end(), earlier)) {
    std::sort(m_ranges.begin(), m_ranges.end(), earlier);
  }
  std::size_t kept = 0;
  for (const TimeRange range : m_ranges) {
    if (kept > 0 && range.begin <= m_ranges[kept - 1].end) {
      m_ranges[kept - 1].end = std::max(m_ranges[kept - 1].end, range.end);
    } else {
      m_ranges[kept++] = range;
    }
  }
  m_ranges.resize(kept);
  m_ranges.shrink_to_fit();

  m_lengthBefore.reserve(kept);
  TimeNs sum = 0;
  for (const TimeRange range : m_ranges) {
    m_lengthBefore.push_back(sum);
    sum += range.length();
  }
}

TimeRange IntervalSet::hull() const {
  if (m_ranges.empty()) return {};
  return {m_ranges.front().begin, m_ranges.back().end};
}

TimeNs IntervalSet::totalLength() const {
  return m_ranges.empty() ? 0 : m_lengthBefore.back() + m_ranges.back().length();
}

std::size_t IntervalSet::lowerBound(TimeNs t) const {
  const auto it = std::upper_bound(m_ranges.begin(), m_ranges.end(), t,
                                   [](TimeNs time, TimeRange range) { return time < range.end; });
  return static_cast<std::size_t>(it - m_ranges.begin());
}

std::size_t IntervalSet::lowerBound(TimeNs t, std::size_t from, std::size_t guess) const {
  // Exponential search from the guess until [from, end] contains the result.
  std::size_t end = std::clamp(guess, from, m_ranges.size());
  std::size_t step = 1;
  if (end > from && m_ranges[end - 1].end > t) {
    for (; end - from > step && m_ranges[end - 1 - step].end > t; step *= 2) end -= step;
    from = std::max(from, end - std::min(end, step + 1));
  } else {
    from = end;
    while (end < m_ranges.size() && m_ranges[end].end <= t) {
      from = end + 1;
      end = std::min(m_ranges.size(), end + step);
      step *= 2;
    }
  }
  const auto at = [&](std::size_t i) { return m_ranges.begin() + static_cast<std::ptrdiff_t>(i); };
  const auto it =
      std::upper_bound(at(from), at(end), t, [](TimeNs time, TimeRange range) { return time < range.end; });
  return static_cast<std::size_t>(it - m_ranges.begin());
}

std::optional<std::size_t> IntervalSet::indexAt(TimeNs t) const {
  const std::size_t i = lowerBound(t);
  if (i == m_ranges.size() || t < m_ranges[i].begin) return std::nullopt;
  return i;
}

TimeNs IntervalSet::coveredBefore(TimeNs t) const {
  const std::size_t i = lowerBound(t);
  if (i == m_ranges.size()) return totalLength();
  return m_lengthBefore[i] + std::max<TimeNs>(0, t - m_ranges[i].begin);
}

TimeNs IntervalSet::coveredWithin(TimeRange window) const {
  window = window.clippedTo(hull());
  return window.empty() ? 0 : coveredBefore(window.end) - coveredBefore(window.begin);
}

TimeRange IntervalSet::hullWithin(TimeRange window) const {
  const std::size_t first = lowerBound(window.begin);
  const std::size_t last = lowerBound(window.end);
  const bool reaches = last < m_ranges.size() && m_ranges[last].begin < window.end;
  if (window.empty() || (first == last && !reaches)) return {};
  return {std::max(window.begin, m_ranges[first].begin), reaches ? window.end : m_ranges[last - 1].end};
}

std::vector<TimeRange> IntervalSet::gapsWithin(TimeRange window) const {
  std::vector<TimeRange> gaps;
  forEachGap(window, [&](TimeRange gap) { gaps.push_back(gap); });
  return gaps;
}

IntervalSet IntervalSet::clippedTo(TimeRange window) const {
  std::vector<TimeRange> inside;
  for (std::size_t i = lowerBound(window.begin); i < m_ranges.size() && m_ranges[i].begin < window.end; ++i) {
    inside.push_back(m_ranges[i].clippedTo(window));
  }
  return IntervalSet(std::move(inside));
}

IntervalSet unionOf(const IntervalSet& a, const IntervalSet& b) {
  std::vector<TimeRange> all(a.size() + b.size());
  std::merge(a.ranges().begin(), a.ranges().end(), b.ranges().begin(), b.ranges().end(), all.begin(),
             [](TimeRange left, TimeRange right) { return left.begin < right.begin; });
  return IntervalSet(std::move(all));
}

IntervalSet intersectionOf(const IntervalSet& a, const IntervalSet& b) {
  std::vector<TimeRange> common;
  forEachCommonRange(a.ranges(), b.ranges(), [&](TimeRange range) { common.push_back(range); });
  return IntervalSet(std::move(common));
}

TimeNs commonLength(const IntervalSet& a, const IntervalSet& b) {
  TimeNs length = 0;
  forEachCommonRange(a.ranges(), b.ranges(), [&](TimeRange range) { length += range.length(); });
  return length;
}

IntervalSet differenceOf(const IntervalSet& a, const IntervalSet& b) {
  std::vector<TimeRange> left;
  const std::span<const TimeRange> removed = b.ranges();
  std::size_t j = 0;
  for (const TimeRange range : a.ranges()) {
    TimeNs begin = range.begin;
    while (j < removed.size() && removed[j].end <= begin) ++j;
    for (std::size_t k = j; k < removed.size() && removed[k].begin < range.end; ++k) {
      if (begin < removed[k].begin) left.push_back({begin, removed[k].begin});
      begin = removed[k].end;
      j = k;
    }
    if (begin < range.end) left.push_back({begin, range.end});
  }
  return IntervalSet(std::move(left));
}

} // namespace rankscope
