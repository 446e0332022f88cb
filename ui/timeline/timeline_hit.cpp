// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_hit.h"

#include "core/base/unit_text.h"
#include "ui/timeline/track_label.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace rankscope::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("Timeline", text);
}

QString text(std::string_view utf8) {
  return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

// A collapsed rank shows all its streams at once: the longest event of them at this column.
RowSpan longestOfStreams(const RankTrace& trace, const PixelScale& scale, std::int32_t column,
                         bool communication) {
  RowSpan longest;
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Stream) continue;
    for (std::uint32_t i = 0; i < track.rowCount; ++i) {
      const RowSpan span = spanAt(trace, RowIndex(track.firstRow.value + i), scale, column);
      if (span.count == 0 || (trace.events.kind[span.event] == EventKind::Collective) != communication)
        continue;
      if (longest.count == 0 || trace.events.duration[span.event] > trace.events.duration[longest.event])
        longest = span;
    }
  }
  return longest;
}

} // namespace

TrackIndex mainStreamOf(const RankTrace& trace) {
  TrackIndex best;
  auto bestKey = std::pair(false, 0u);
  for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
    const Track& track = trace.tracks[i];
    if (track.kind != TrackKind::Stream) continue;
    const auto key =
        std::pair(track.role == StreamRole::Compute, track.endEvent.value - track.firstEvent.value);
    if (best.valid() && key <= bestKey) continue;
    best = TrackIndex(i);
    bestKey = key;
  }
  return best;
}

TimelineHit hitAt(const TraceSet& traces, const TrackLayout& layout, const RankSummaries& summaries,
                  const PixelScale& scale, std::int32_t column, int contentY) {
  TimelineHit hit;
  hit.lane = layout.laneAt(contentY);
  if (!hit.lane) return hit;
  const Lane& lane = *hit.lane;
  const RankTrace& trace = *traces.rank(lane.rank).trace;
  RowSpan span;
  if (lane.kind == LaneKind::Row)
    span = spanAt(trace, lane.row, scale, column);
  else if (lane.kind == LaneKind::Rank && !layout.rankExpanded(lane.rank))
    span = longestOfStreams(trace, scale, column, contentY >= lane.top + lane.height / 2);
  if (span.count > 0) {
    hit.event = {lane.rank, span.event};
    hit.count = span.end - span.begin == 1 ? span.count : 1;
    return hit;
  }
  if (lane.kind != LaneKind::Row || lane.row != trace.tracks[lane.track.value].firstRow) return hit;
  const RankSummary* const summary = summaries.of(lane.rank);
  if (!summary || lane.track != mainStreamOf(trace)) return hit;
  if (const auto gap = summary->idle.indexAt(scale.timeAt(column))) hit.idle = summary->idle.ranges()[*gap];
  return hit;
}

QString describe(const TraceSet& traces, const RankSummaries& summaries, const TimelineHit& hit,
                 TimeRange window) {
  if (!hit.lane) return {};
  const RankEntry& rank = traces.rank(hit.lane->rank);
  const TimeNs origin = traces.extent().begin;
  const TimeNs step = std::max<TimeNs>(1, window.length() / 2000);
  const auto at = [&](TimeNs t) { return QString::fromStdString(timeText(t - origin, step)); };
  const auto lasting = [](TimeNs t) { return QString::fromStdString(durationText(t)); };
  if (hit.event.valid()) {
    const RankTrace& trace = *rank.trace;
    const EventIndex event = hit.event.event;
    const TimeRange range = trace.events.range(event);
    const Track& track = trace.tracks[trace.trackOf(event).value];
    QStringList lines{text(traces.names()[trace.events.name[event]])};
    QStringList facts;
    if (trace.events.kind[event] != EventKind::Instant) facts += lasting(range.length());
    facts += tr("at %1").arg(at(range.begin));
    facts += text(kindText(trace.events.kind[event]));
    lines += facts.join(QStringLiteral("  ·  "));
    if (trace.events.kind[event] == EventKind::Collective) {
      if (const DeviceActivity* const activity = summaries.activityOf(hit.lane->rank)) {
        const TimeNs exposed = activity->exposed.coveredWithin(range);
        lines += exposed > 0 ? tr("exposed %1: no computation beside it").arg(lasting(exposed))
                             : tr("hidden behind computation");
      }
    }
    lines += tr("rank %1").arg(rank.rank) + QStringLiteral("  ·  ") +
             trackLabel(trace, traces.names(), track, true).simplified();
    if (hit.count > 1)
      lines += tr("the longest of %1 events in this pixel").arg(QString::fromStdString(countText(hit.count)));
    return lines.join('\n');
  }
  if (hit.idle) {
    return QStringList{tr("GPU idle"),
                       lasting(hit.idle->length()) + QStringLiteral("  ·  ") +
                           tr("at %1").arg(at(hit.idle->begin)),
                       tr("no stream of rank %1 is at work").arg(rank.rank)}
        .join('\n');
  }
  return {};
}

} // namespace rankscope::ui
