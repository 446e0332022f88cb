// SPDX-License-Identifier: GPL-3.0-or-later
// The critical path in pixels: of a pixel that holds many segments, the category that takes most of its time
// counts, with its longest segment. Pure; O(segments in the window + width).
#pragma once

#include "core/query/pixel_scale.h"
#include "ui/job/timeline_path.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankscope::ui {

class TraceSession;

struct PathRun {
  std::int32_t begin = 0; // pixels [begin, end), not clipped to the width
  std::int32_t end = 0;
  std::size_t segment = 0;
};

// Ascending, without overlaps unless ranks are shifted.
[[nodiscard]] std::vector<PathRun> pathRuns(const TimelinePath& path, const TraceSession& session,
                                            const PixelScale& scale);

// Positions of the segments that may be in the window.
[[nodiscard]] std::pair<std::size_t, std::size_t> pathInWindow(const TimelinePath& path,
                                                               const TraceSession& session, TimeRange window);

} // namespace rankscope::ui
