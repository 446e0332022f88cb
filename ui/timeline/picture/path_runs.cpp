// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/picture/path_runs.h"

#include "ui/job/trace_session.h"

#include <algorithm>
#include <array>

namespace rankscope::ui {

namespace {

// What a pixel holds of short segments.
struct PixelSums {
  std::int32_t pixel = 0;
  std::array<TimeNs, kPathCategoryCount> time{};
  std::array<TimeNs, kPathCategoryCount> longest{};
  std::array<std::size_t, kPathCategoryCount> segment{};
  bool any = false;

  void add(const PathSegment& of, std::size_t position) {
    const auto category = static_cast<std::size_t>(of.category);
    const TimeNs length = of.duration();
    any = true;
    time[category] += length;
    if (length < longest[category]) return;
    longest[category] = length;
    segment[category] = position;
  }
  [[nodiscard]] PathRun run() const {
    const auto largest = static_cast<std::size_t>(std::ranges::max_element(time) - time.begin());
    return {pixel, pixel + 1, segment[largest]};
  }
};

} // namespace

std::pair<std::size_t, std::size_t> pathInWindow(const TimelinePath& path, const TraceSession& session,
                                                 TimeRange window) {
  return session.shifted() ? std::pair(std::size_t{0}, path.segments().size())
                           : path.within(JobRange::of(window));
}

std::vector<PathRun> pathRuns(const TimelinePath& path, const TraceSession& session,
                              const PixelScale& scale) {
  std::vector<PathRun> runs;
  PixelSums sums;
  const auto close = [&] {
    if (sums.any) runs.push_back(sums.run());
    sums = {};
  };
  const auto [first, last] = pathInWindow(path, session, scale.window());
  for (std::size_t i = first; i < last; ++i) {
    const PathSegment& segment = path.segments()[i];
    if (segment.range.empty()) continue;
    const TimeRange drawn = session.drawn(segment.rank, JobRange::of(segment.range));
    const std::int32_t begin = scale.pixelAt(drawn.begin);
    const std::int32_t end = scale.pixelAt(drawn.end);
    if (end < 0 || begin >= scale.width()) continue;
    if (end > begin) {
      close();
      runs.push_back({begin, end, i});
      continue;
    }
    if (sums.any && sums.pixel != begin) close();
    sums.pixel = begin;
    sums.add(segment, i);
  }
  close();
  return runs;
}

} // namespace rankscope::ui
