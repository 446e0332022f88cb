// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lanes/row_lane.h"

#include "ui/timeline/lanes/lane_picture.h"
#include "ui/timeline/lanes/row_highlights.h"
#include "ui/timeline/lanes/track_label.h"
#include "ui/timeline/lanes/track_plan.h"

namespace rankscope::ui {
namespace {

// How rows of a kind of track are drawn, and how many remain readable when it is collapsed.
struct RowStyle {
  int height;
  int gap;
  std::uint32_t readableRows;
};

// In comparisons, a rank shows only what distinguishes ranks.
RowStyle styleOf(TrackKind kind, bool oneOfSeveral) {
  switch (kind) {
  case TrackKind::Annotations:
    return {17, 1, 3};
  case TrackKind::Thread:
    return {14, 1, oneOfSeveral ? 3u : 4u};
  case TrackKind::Python:
    return {14, 1, oneOfSeveral ? 0u : 3u};
  case TrackKind::Stream:
    return {17, 1, 4};
  case TrackKind::GpuAnnotations:
  case TrackKind::Sync:
  case TrackKind::Instants:
  case TrackKind::Overhead:
  case TrackKind::Other:
    break;
  }
  return {14, 1, 0};
}

RowStyle styleOf(const TraceSet& traces, const Track& track) {
  return styleOf(track.kind, traces.ranks().size() > 1);
}

// Item number of a thread whose first row contains only ProfilerSteps.
constexpr std::uint32_t kStepsOnTop = 1;

class RowLanes : public LaneKind {
 public:
  RowLanes() : LaneKind({.id = "row", .shows = LaneShows::Row, .hasNamesakes = true}) {}

  void addItems(const TraceSet& traces, RankIndex rank, std::vector<LaneItem>& items) const override {
    if (!rank.valid()) return;
    for (PlannedTrack& planned : planTracks(*traces.rank(rank).trace, traces.names()))
      items.push_back({.kind = this,
                       .place = planned.place,
                       .key = keyOf(traces, rank, planned.track),
                       .label = std::move(planned.label),
                       .hint = {},
                       .track = planned.track,
                       .number = planned.stepsOnTop ? kStepsOnTop : 0});
  }

  bool foldable(const TraceSet& traces, RankIndex rank, const LaneItem& item) const override {
    const Track& track = traces.rank(rank).trace->tracks[item.track.value];
    return item.number == kStepsOnTop || track.rowCount > styleOf(traces, track).readableRows;
  }

  void addLanes(const TraceSet& traces, RankIndex rank, const LaneItem& item, bool folded,
                LaneStack& stack) const override {
    const Track& track = traces.rank(rank).trace->tracks[item.track.value];
    const RowStyle style = styleOf(traces, track);
    const bool stepsOnTop = item.number == kStepsOnTop;
    for (std::uint32_t i = 0; i < track.rowCount; ++i) {
      const bool thin = folded && (stepsOnTop ? i == 0 || i > style.readableRows : i >= style.readableRows);
      const RowIndex row(track.firstRow.value + i);
      stack.add({.kind = this, .thin = thin, .rank = rank, .track = item.track, .row = row},
                thin ? kThinLaneHeight : stack.scaled(style.height), thin && i > 0 ? 0 : style.gap);
    }
  }

  void paint(LanePicture& picture, const Lane& lane) const override {
    const RankTrace& trace = picture.trace(lane.rank);
    const auto [top, bottom] = picture.linesOf(lane);
    LaneSpans& laneSpans = picture.addSpans(lane);
    rowSpans(trace, lane.row, picture.scale, laneSpans.spans);

    std::vector<ColorSpan>& ink = picture.buffers.ink;
    ink.clear();
    const HostPhases* const phases =
        picture.view.colorBy == ColorBy::Phase ? picture.summaries.phasesOf(lane.rank) : nullptr;
    for (const RowSpan& span : laneSpans.spans) {
      const QRgb color = picture.colors.of(trace, span.event, phases);
      laneSpans.colors.push_back(color);
      const RowSpan whole = picture.whole(trace, span);
      ink.push_back({whole.begin, whole.end, color, span.busy});
    }
    picture.raster.drawLane(top, bottom - top, ink, picture.px(3));

    const Track& track = trace.tracks[lane.track.value];
    const bool onHost = trace.deviceBegin == trace.deviceEnd;
    if (track.kind != (onHost ? TrackKind::Thread : TrackKind::Stream)) return;
    if (picture.view.shown.idle && showsIdle(trace, lane)) paintIdleGaps(picture, lane);
    paintCollectiveParts(picture, laneSpans);
  }

  void paintHits(LanePicture& picture, const Lane& lane) const override {
    const RankTrace& trace = picture.trace(lane.rank);
    const auto [top, bottom] = picture.linesOf(lane);
    std::vector<MarkSpan>& marks = picture.buffers.marks;
    marks.clear();
    if (const RankHits* const found = picture.view.hits->of(lane.rank)) {
      const Row& row = trace.rows[lane.row.value];
      markSpans(trace, found->within(row.firstEvent, row.endEvent), picture.scale, marks);
    }
    paintMarks(picture.raster, picture.theme(), top, bottom - top, picture.view.size.width(),
               std::max(1, picture.px(lane.thin ? 1 : 2)), marks);
  }

  LaneHit hitAt(const LaneFacts& facts, const Lane& lane, const PixelScale& scale, std::int32_t column,
                int) const override {
    const RankTrace& trace = facts.trace(lane.rank);
    const RowSpan span = spanAt(trace, lane.row, scale, column);
    if (span.count > 0)
      return {&lane, {lane.rank, span.event}, span.end - span.begin == 1 ? span.count : 1, std::nullopt};
    const bool idle = showsIdle(trace, lane);
    return {&lane, {}, 0, idle ? idleGapAt(facts, lane.rank, scale.timeAt(column)) : std::nullopt};
  }

  QString describe(const LaneFacts& facts, const Section& section) const override {
    const RankTrace& trace = facts.trace(section.rank);
    return trackDescription(trace, facts.traces.names(), trace.tracks[section.track.value]);
  }
};

} // namespace

const LaneKind& rowLanes() {
  static const RowLanes kind;
  return kind;
}

} // namespace rankscope::ui
