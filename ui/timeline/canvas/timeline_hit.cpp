// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/canvas/timeline_hit.h"

#include "core/base/unit_text.h"
#include "ui/base/short_name.h"
#include "ui/job/job_highlights.h"
#include "ui/timeline/lanes/track_label.h"

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

// The innermost event of the main thread that runs at t: operators and calls before annotations.
EventIndex hostEventAt(const RankTrace& trace, TimeNs t) {
  for (const TrackKind kind : {TrackKind::Thread, TrackKind::Annotations}) {
    for (const Track& track : trace.tracks) {
      if (track.kind != kind || !track.mainThread) continue;
      for (std::uint32_t row = track.firstRow.value + track.rowCount; row-- > track.firstRow.value;) {
        const EventIndex event = trace.lastBeginningBy(RowIndex(row), t);
        if (event.valid() && trace.events.range(event).contains(t)) return event;
      }
    }
  }
  return {};
}

// The first device event of any stream that begins at or after t.
EventIndex deviceEventFrom(const RankTrace& trace, TimeNs t) {
  EventIndex first;
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Stream) continue;
    for (std::uint32_t i = 0; i < track.rowCount; ++i) {
      const Row& row = trace.rows[track.firstRow.value + i];
      const auto begins = trace.events.begin.span().subspan(row.firstEvent.value, row.size());
      const auto at = std::ranges::lower_bound(begins, t);
      if (at == begins.end()) continue;
      const EventIndex event(row.firstEvent.value + static_cast<std::size_t>(at - begins.begin()));
      if (!first.valid() || *at < trace.events.begin[first]) first = event;
    }
  }
  return first;
}

// What the host did meanwhile, what came next, and when that had been launched.
QStringList describeIdle(const TraceSet& traces, const RankTrace& trace, TimeRange idle) {
  QStringList lines;
  const auto nameOf = [&](EventIndex event) {
    const QString name = text(shortName(trace.events.kind[event], traces.names()[trace.events.name[event]]));
    constexpr int kLongest = 60;
    return name.size() > kLongest ? name.left(kLongest - 1) + QStringLiteral("…") : name;
  };
  const EventIndex host = hostEventAt(trace, idle.begin + idle.length() / 2);
  lines += host.valid() ? tr("host, halfway: %1").arg(nameOf(host)) : tr("host, halfway: nothing recorded");
  const EventIndex next = deviceEventFrom(trace, idle.end);
  if (!next.valid()) return lines;
  lines += tr("then: %1").arg(nameOf(next));
  const EventIndex launch = trace.deviceDetail(next).launch;
  if (!launch.valid()) return lines;
  const TimeNs launched = trace.events.begin[launch];
  const QString ago = QString::fromStdString(durationText(trace.events.begin[next] - launched));
  lines += idle.contains(launched) ? tr("launched %1 before it began: the GPU waited for the host").arg(ago)
                                   : tr("launched %1 before it began").arg(ago);
  return lines;
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
  const bool ofFolded =
      lane.kind == LaneKind::Rank && !layout.rankExpanded(lane.rank) && contentY < lane.top + lane.height / 2;
  const bool ofStream = lane.kind == LaneKind::Row && lane.row == trace.tracks[lane.track.value].firstRow &&
                        lane.track == mainStreamOf(trace);
  const RankSummary* const summary = summaries.of(lane.rank);
  if (!summary || (!ofFolded && !ofStream)) return hit;
  if (const auto gap = summary->idle.indexAt(scale.timeAt(column))) hit.idle = summary->idle.ranges()[*gap];
  return hit;
}

QString describe(const TraceSet& traces, const RankSummaries& summaries, const TimelineHit& hit,
                 TimeRange window, const JobHighlights* highlights) {
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
    QStringList lines{tr("GPU idle"), lasting(hit.idle->length()) + QStringLiteral("  ·  ") +
                                          tr("at %1").arg(at(hit.idle->begin))};
    const TimeNs middle = hit.idle->begin + hit.idle->length() / 2;
    if (const IdleGap* const gap = highlights ? highlights->gapAt(hit.lane->rank, middle) : nullptr)
      lines += gapCauseLabel(*highlights, hit.lane->rank, *gap, true);
    lines += describeIdle(traces, *rank.trace, *hit.idle);
    return lines.join('\n');
  }
  return {};
}

} // namespace rankscope::ui
