// SPDX-License-Identifier: GPL-3.0-or-later
// Where the critical path runs over the lanes: a box for each segment that is in a lane, and lines between
// boxes of different lanes. Segments of a pixel are one box. Pure; O(segments in the window + width · log).
#pragma once

#include "core/query/pixel_scale.h"
#include "ui/job/timeline_path.h"

#include <QPointF>
#include <QRectF>

#include <cstddef>
#include <vector>

namespace rankscope::ui {

struct Lane;
class TrackLayout;
class TraceSession;

struct PathBox {
  QRectF box; // logical pixels of the canvas
  std::size_t segment = 0;
  const Lane* lane = nullptr; // of the layout
};

struct PathLine {
  QPointF from;
  QPointF to;
  std::size_t segment = 0; // that it leads to
  RankIndex fromRank;      // another one than that of the segment: the path jumps
  bool jump = false;
};

struct PathMarks {
  std::vector<PathBox> boxes;  // by time
  std::vector<PathLine> lines; // by time
};

// scale: of the canvas in device pixels, ratio of them to a logical one.
[[nodiscard]] PathMarks pathMarks(const TimelinePath& path, const TraceSession& session,
                                  const TrackLayout& layout, const PixelScale& scale, double ratio,
                                  int scrollTop);

// The lane in which a segment is drawn; null if it is not shown. A rank in a folded group is drawn in the
// group's lane.
[[nodiscard]] const Lane* laneOfSegment(const TimelinePath& path, const PathSegment& segment,
                                        const TrackLayout& layout);

} // namespace rankscope::ui
