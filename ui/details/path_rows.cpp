// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/path_rows.h"

#include "ui/base/path_palette.h"
#include "ui/base/short_name.h"
#include "ui/base/ui_text.h"
#include "ui/timeline/lanes/track_label.h"

#include <algorithm>

namespace rankscope::ui {

namespace {

std::string nameOf(const TraceSet& trace, RankIndex rank, EventIndex event) {
  const EventColumns& events = trace.rank(rank).trace->events;
  return shortName(events.kind[event], trace.names()[events.name[event]]);
}

std::string trackOf(const TimelinePath& path, const PathSegment& segment) {
  const TraceSet& trace = path.report().analysis().trace();
  const RankTrace& rank = *trace.rank(segment.rank).trace;
  const GraphLane* const lane = path.laneOf(segment);
  if (!lane || !lane->track.valid()) return {};
  return trackLabel(rank, trace.names(), rank.tracks[lane->track.value], true).simplified().toStdString();
}

std::string eventOf(const TraceSet& trace, const PathSegment& segment) {
  if (!segment.event.valid()) return {};
  std::string name = nameOf(trace, segment.rank, segment.event);
  if (TimelinePath::isOwnTime(segment)) return name;
  return tr("before %1").arg(QString::fromStdString(name)).toStdString();
}

std::string dependencyOf(const TimelinePath& path, std::size_t position) {
  const PathSegment& segment = path.segments()[position];
  if (segment.category == PathCategory::Transfer && path.isJump(position))
    return tr("rank %1 began last")
        .arg(path.report().analysis().trace().rank(path.segments()[position - 1].rank).rank)
        .toStdString();
  return dependencyTitle(segment.edge).toStdString();
}

void addRow(const TimelinePath& path, std::size_t position, ResultTable& table) {
  const Analysis& analysis = path.report().analysis();
  const TraceSet& trace = analysis.trace();
  const PathSegment& segment = path.segments()[position];
  const std::string category = pathCategoryTitle(segment.category).toStdString();
  const std::string track = trackOf(path, segment);
  const std::string event = eventOf(trace, segment);
  const EventIndex owner = operatorOfSegment(analysis, segment);
  const std::string of =
      owner.valid() && owner != segment.event ? nameOf(trace, segment.rank, owner) : std::string();
  const std::string depends = dependencyOf(path, position);
  table.addRow({cellOf(path.stepOf(position)), Cell(static_cast<std::int64_t>(path.positionOf(position))),
                Cell(segment.range.begin - analysis.extent().begin.ns()), Cell(segment.duration()),
                Cell(std::string_view(category)), Cell(std::int64_t{trace.rank(segment.rank).rank}),
                textCell(track), textCell(event), textCell(of), textCell(depends)});
}

} // namespace

PathRows pathRows(const TimelinePath& path, TimeRange window, const std::vector<TimeNs>& shifts,
                  std::size_t mostRows) {
  PathRows rows;
  const auto shiftOf = [&](RankIndex rank) { return rank.value < shifts.size() ? shifts[rank.value] : 0; };
  const auto [first, last] =
      shifts.empty() ? path.within(JobRange::of(window)) : std::pair(std::size_t{0}, path.segments().size());
  for (std::size_t i = first; i < last; ++i) {
    const PathSegment& segment = path.segments()[i];
    const TimeNs shift = shiftOf(segment.rank);
    const TimeRange drawn{movedTime(segment.range.begin, shift), movedTime(segment.range.end, shift)};
    if (!drawn.empty() && !drawn.overlaps(window)) continue;
    rows.segments.push_back(i);
    const auto category = static_cast<std::size_t>(segment.category);
    rows.times.of[category] += drawn.empty() ? drawn.end - drawn.begin : drawn.clippedTo(window).length();
    if (!path.isJump(i) || i == first) continue;
    ++rows.jumps;
    rows.clockError += path.clockErrorOf(i, i + 1);
  }
  rows.inView = rows.segments.size();
  if (rows.inView > mostRows) {
    const auto end = rows.segments.begin() + static_cast<std::ptrdiff_t>(mostRows);
    std::ranges::nth_element(rows.segments, end, std::greater<>(),
                             [&](std::size_t i) { return path.segments()[i].duration(); });
    rows.segments.erase(end, rows.segments.end());
    std::ranges::sort(rows.segments);
  }
  ResultTable table("critical_path", {{"step", Unit::Identity},
                                      {"position", Unit::Identity},
                                      {"begin_us", Unit::Nanoseconds},
                                      {"duration_us", Unit::Nanoseconds},
                                      {"category", Unit::Text},
                                      {"rank", Unit::Identity},
                                      {"track", Unit::Text},
                                      {"event", Unit::Text},
                                      {"operator", Unit::Text},
                                      {"bound_by", Unit::Text}});
  for (const std::size_t i : rows.segments) addRow(path, i, table);
  rows.table = std::make_shared<const ResultTable>(std::move(table));
  return rows;
}

} // namespace rankscope::ui
