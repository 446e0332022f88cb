// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/row_spans.h"

#include <algorithm>
#include <span>

namespace rankscope {
namespace {

// The columns of one row, and the level of detail of the whole rank.
struct RowColumns {
  std::span<const TimeNs> begins;
  std::span<const TimeNs> durations;
  std::span<const TimeNs> allDurations;
  const LongestPyramid& pyramid;
  std::size_t firstEvent;

  [[nodiscard]] std::size_t size() const { return begins.size(); }
  [[nodiscard]] TimeNs endOf(std::size_t i) const { return begins[i] + durations[i]; }
  [[nodiscard]] EventIndex event(std::size_t i) const { return EventIndex(firstEvent + i); }
  [[nodiscard]] std::size_t longestIn(std::size_t first, std::size_t last) const {
    if (last - first == 1) return first;
    return pyramid.longestIn(allDurations, firstEvent + first, firstEvent + last) - firstEvent;
  }
  [[nodiscard]] TimeNs busyIn(std::size_t first, std::size_t last) const {
    if (last - first == 1) return durations[first];
    return pyramid.busyIn(allDurations, firstEvent + first, firstEvent + last);
  }
};

RowColumns columnsOf(const RankTrace& trace, RowIndex index) {
  const Row& row = trace.rows[index.value];
  const auto durations = trace.events.duration.span();
  return {trace.events.begin.span().subspan(row.firstEvent.value, row.size()),
          durations.subspan(row.firstEvent.value, row.size()), durations, trace.pyramid,
          row.firstEvent.value};
}

// First index at or after `from` whose time is at least t. Exponential search, so that finding a near event
// costs two comparisons regardless of the row's length.
std::size_t exponentialSearch(std::span<const TimeNs> times, std::size_t from, TimeNs t) {
  std::size_t step = 1;
  std::size_t low = from;
  while (low + step <= times.size() && times[low + step - 1] < t) {
    low += step;
    step *= 2;
  }
  const auto end = times.begin() + static_cast<std::ptrdiff_t>(std::min(times.size(), low + step));
  return static_cast<std::size_t>(std::lower_bound(times.begin() + static_cast<std::ptrdiff_t>(low), end, t) -
                                  times.begin());
}

std::uint8_t shareOf(TimeNs busy, TimeNs length) {
  if (busy >= length) return 0xff;
  // Times of a column may be very long; a double is exact enough for a shade of color.
  return static_cast<std::uint8_t>(255.0 * static_cast<double>(busy) / static_cast<double>(length));
}

// The span of the events [first, last) that begin in one column; first < last.
RowSpan spanOf(const RowColumns& row, const PixelScale& scale, std::int32_t column, std::size_t first,
               std::size_t last) {
  const auto count = static_cast<std::uint32_t>(last - first);
  // Only the last event can extend beyond the column; it is then the longest event drawn here.
  const std::int32_t end = scale.pixelAt(row.endOf(last - 1));
  if (end > column) return {column, end, row.event(last - 1), count, 0xff};
  const TimeRange time = scale.column(column);
  TimeNs busy = row.busyIn(first, last);
  if (first > 0) busy += std::max<TimeNs>(0, row.endOf(first - 1) - time.begin);
  return {column, column + 1, row.event(row.longestIn(first, last)), count, shareOf(busy, time.length())};
}

} // namespace

void rowSpans(const RankTrace& trace, RowIndex index, const PixelScale& scale, std::vector<RowSpan>& spans) {
  spans.clear();
  const RowColumns row = columnsOf(trace, index);
  const auto width = static_cast<std::int32_t>(scale.width());
  std::size_t i = exponentialSearch(row.begins, 0, scale.columnBegin(0));
  if (i > 0) {
    const std::int32_t end = scale.pixelAt(row.endOf(i - 1));
    if (end > 0) spans.push_back({0, std::min(end, width), row.event(i - 1), 1, 0xff});
  }
  while (i < row.size()) {
    const std::int32_t column = scale.pixelAt(row.begins[i]);
    if (column >= width) break;
    const std::size_t next = std::max(i + 1, exponentialSearch(row.begins, i, scale.columnBegin(column + 1)));
    RowSpan span = spanOf(row, scale, column, i, next);
    span.end = std::min(span.end, width);
    spans.push_back(span);
    i = next;
  }
}

RowSpan spanAt(const RankTrace& trace, RowIndex index, const PixelScale& scale, std::int32_t pixel) {
  const RowColumns row = columnsOf(trace, index);
  const auto indexOf = [&](TimeNs t) {
    return static_cast<std::size_t>(std::ranges::lower_bound(row.begins, t) - row.begins.begin());
  };
  const std::size_t last = indexOf(scale.columnBegin(pixel + 1));
  if (last == 0) return {};
  const std::int32_t column = scale.pixelAt(row.begins[last - 1]);
  const std::size_t first = std::min(indexOf(scale.columnBegin(column)), last - 1);
  RowSpan span = spanOf(row, scale, column, first, last);
  if (pixel < span.begin || span.end <= pixel) return {};
  span.end = std::min(span.end, static_cast<std::int32_t>(scale.width()));
  if (span.begin < 0) span = {0, span.end, span.event, 1, 0xff};
  return span;
}

namespace {

constexpr std::size_t kColumnsAhead = 3;
constexpr std::size_t kNearRanges = 8; // per column; for more, hardware prefetching is not sufficient
constexpr std::size_t kRangesOfLine = 64 / sizeof(TimeRange);

} // namespace

void coverSpans(const IntervalSet& set, const PixelScale& scale, std::vector<CoverSpan>& spans) {
  spans.clear();
  const auto ranges = set.ranges();
  const auto width = static_cast<std::int32_t>(scale.width());
  TimeRange column = scale.column(0);
  std::int32_t pixel = 0;
  std::size_t i = set.lowerBound(column.begin);
  if (i < ranges.size() && ranges[i].begin < column.begin) {
    const std::int32_t end = scale.pixelAt(ranges[i].end);
    if (end > 0) spans.push_back({scale.pixelAt(ranges[i].begin), end, 0xff});
    ++i;
  }
  std::size_t held = 1; // number of ranges in the previous column
  while (i < ranges.size()) {
    const TimeRange range = ranges[i];
    // Most often the range begins in the next column, which costs a single division to find out.
    if (range.begin >= column.end && range.begin - column.length() <= column.end)
      column = {column.end, scale.columnBegin(++pixel + 1)};
    if (range.begin >= column.end) {
      const std::int32_t begin = scale.pixelAt(range.begin);
      if (begin >= width) break;
      const std::int32_t end = scale.pixelAt(range.end);
      if (end > begin) {
        spans.push_back({begin, end, 0xff});
        ++i;
        continue;
      }
      pixel = begin;
      column = scale.column(pixel);
    }
    if (pixel >= width) break;
    if (range.end >= column.end) {
      spans.push_back({pixel, scale.pixelAt(range.end), 0xff});
      ++i;
      continue;
    }
    // Adjacent columns have similar numbers of ranges.
    const std::size_t next = set.lowerBound(column.end - 1, i + 1, i + held);
    held = next - i;
    // With many ranges per column, every search causes cache misses, so prefetch the ranges some columns
    // ahead. Not a separate function, because compilers drop calls of a function that only prefetches.
    const std::size_t ahead = next + kColumnsAhead * held;
    if (held > kNearRanges && ahead + kRangesOfLine < ranges.size()) {
      __builtin_prefetch(&ranges[ahead - kRangesOfLine]);
      __builtin_prefetch(&ranges[ahead]);
      __builtin_prefetch(&ranges[ahead + kRangesOfLine]);
    }
    // A range that extends beyond this column is drawn exactly, on top of the share. Of earlier ranges only
    // the last can extend into the column; others would have been merged with it.
    if (next == ranges.size() || ranges[next].begin >= column.end) {
      const TimeNs before = i > 0 ? std::max<TimeNs>(0, ranges[i - 1].end - column.begin) : 0;
      spans.push_back({pixel, pixel + 1, shareOf(before + set.lengthOf(i, next), column.length())});
    }
    i = next;
  }
}

} // namespace rankscope
