// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/canvas/path_marks.h"

#include "ui/job/trace_session.h"
#include "ui/timeline/lanes/rank_lane.h"
#include "ui/timeline/picture/path_runs.h"
#include "ui/timeline/tracks/track_layout.h"

#include <algorithm>

namespace rankscope::ui {

namespace {

constexpr double kOutside = 40; // logical pixels beyond the canvas at which distant ends are drawn
// Lines closer than this would be one surface; those of boxes that are lines themselves say little.
constexpr double kLinesApart = 2;
constexpr double kThinLinesApart = 16;
constexpr double kJumpsApart = 1;
constexpr double kThin = 3;

bool isCommunication(PathCategory category) {
  return category == PathCategory::Transfer || category == PathCategory::CommunicationUnmatched;
}

// The part of a lane that shows a segment: a collapsed rank has communication below the rest.
std::pair<double, double> linesOf(const Lane& lane, const PathSegment& segment) {
  if (lane.kind->traits().shows != LaneShows::WholeRank)
    return {static_cast<double>(lane.top), static_cast<double>(lane.height)};
  const RankLaneParts parts = rankLaneParts(lane.height);
  return {lane.top + (isCommunication(segment.category) ? parts.lower : parts.upper),
          static_cast<double>(parts.height)};
}

} // namespace

const Lane* laneOfSegment(const TimelinePath& path, const PathSegment& segment, const TrackLayout& layout) {
  if (const Lane* const lane = layout.laneOf(path.placeOf(segment))) return lane;
  const auto group = layout.groupOf(segment.rank);
  const Section* const section = group ? layout.sectionOf(*group) : nullptr;
  if (section && !layout.sectionOf(keyOf(*layout.trace(), segment.rank))) return layout.laneAt(section->top);
  // What is recorded on no lane that is shown is drawn at the rank.
  const Lane& rank = layout.rankLane(segment.rank);
  return rank.height > 0 ? &rank : nullptr;
}

PathMarks pathMarks(const TimelinePath& path, const TraceSession& session, const TrackLayout& layout,
                    const PixelScale& scale, double ratio, int scrollTop) {
  PathMarks marks;
  const double most = scale.width() / ratio + kOutside;
  const PathBox* before = nullptr;
  double lastLine = -kOutside;
  const std::vector<PathRun> runs = pathRuns(path, session, scale);
  marks.boxes.reserve(runs.size());
  for (const PathRun& run : runs) {
    const PathSegment& segment = path.segments()[run.segment];
    if (!TimelinePath::isOwnTime(segment)) continue;
    const Lane* const lane = laneOfSegment(path, segment, layout);
    if (!lane) continue;
    const auto [top, height] = linesOf(*lane, segment);
    const double left = std::max(run.begin / ratio, -kOutside);
    const double right = std::min(run.end / ratio, most);
    const QRectF box(left, top - scrollTop, std::max(0.0, right - left), height);
    if (before && (before->lane != lane || before->box.top() != box.top())) {
      const RankIndex fromRank = path.segments()[before->segment].rank;
      const bool jump = fromRank != segment.rank;
      const bool thin = before->box.width() < kThin && box.width() < kThin;
      if (left - lastLine >= (jump ? kJumpsApart : thin ? kThinLinesApart : kLinesApart)) {
        marks.lines.push_back({{before->box.right(), before->box.center().y()},
                               {box.left(), box.center().y()},
                               run.segment,
                               fromRank,
                               jump});
        lastLine = left;
      }
    }
    marks.boxes.push_back({box, run.segment, lane});
    before = &marks.boxes.back(); // no box moves: there is room for all
  }
  return marks;
}

} // namespace rankscope::ui
