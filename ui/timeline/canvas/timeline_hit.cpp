// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/canvas/timeline_hit.h"

#include "core/base/unit_text.h"
#include "ui/base/short_name.h"
#include "ui/base/ui_text.h"
#include "ui/job/job_highlights.h"
#include "ui/timeline/lanes/row_highlights.h"
#include "ui/timeline/lanes/track_label.h"

#include <QStringList>

#include <algorithm>

namespace rankscope::ui {
namespace {

QString lasting(TimeNs length) {
  return QString::fromStdString(durationText(length));
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

// CPU activity during the gap, the event after it, and when that one was launched.
QStringList explainIdle(const TraceSet& traces, const RankTrace& trace, TimeRange idle) {
  QStringList lines;
  const auto nameOf = [&](EventIndex event) {
    const QString name =
        textOf(shortName(trace.events.kind[event], traces.names()[trace.events.name[event]]));
    constexpr int kMaxLength = 60;
    return name.size() > kMaxLength ? name.left(kMaxLength - 1) + QStringLiteral("…") : name;
  };
  const EventIndex host = hostEventAt(trace, idle.begin + idle.length() / 2);
  lines += host.valid() ? tr("CPU activity during gap: %1").arg(nameOf(host))
                        : tr("CPU activity during gap: not recorded");
  const EventIndex next = deviceEventFrom(trace, idle.end);
  if (!next.valid()) return lines;
  lines += tr("next GPU event: %1").arg(nameOf(next));
  const EventIndex launch = trace.deviceDetail(next).launch;
  if (!launch.valid()) return lines;
  const TimeNs launched = trace.events.begin[launch];
  const QString ago = QString::fromStdString(durationText(trace.events.begin[next] - launched));
  lines += idle.contains(launched) ? tr("launched %1 before it began: the GPU waited for the CPU").arg(ago)
                                   : tr("launched %1 before it began").arg(ago);
  return lines;
}

// Formats a time with the precision of a pixel.
QString timeOf(const LaneFacts& facts, const PixelScale& scale, TimeNs t) {
  const TimeNs step = std::max<TimeNs>(1, scale.window().length() / 2000);
  return QString::fromStdString(timeText(t - facts.traces.extent().begin, step));
}

QString describeEvent(const LaneFacts& facts, const LaneHit& hit, const PixelScale& scale) {
  const RankEntry& rank = facts.traces.rank(hit.event.rank);
  const RankTrace& trace = *rank.trace;
  const EventIndex event = hit.event.event;
  const TimeRange range = trace.events.range(event);
  const EventKind kind = trace.events.kind[event];
  const Track& track = trace.tracks[trace.trackOf(event).value];
  QStringList lines{textOf(facts.traces.names()[trace.events.name[event]])};
  QStringList words;
  if (kind != EventKind::Instant) words += lasting(range.length());
  words += tr("at %1").arg(timeOf(facts, scale, range.begin));
  words += textOf(kindText(kind));
  lines += words.join(QStringLiteral("  ·  "));
  const DeviceActivity* const activity =
      communicates(facts.traces, hit.event) ? facts.summaries.communicatingOf(hit.event.rank) : nullptr;
  if (activity) {
    const TimeNs exposed = activity->exposed.coveredWithin(range);
    lines += exposed > 0 ? tr("exposed %1 (not overlapped by compute)").arg(lasting(exposed))
                         : tr("fully overlapped by compute");
  }
  lines += tr("rank %1").arg(rank.rank) + QStringLiteral("  ·  ") +
           trackLabel(trace, facts.traces.names(), track, true).simplified();
  if (hit.count > 1)
    lines += tr("longest of %1 events in this pixel").arg(QString::fromStdString(countText(hit.count)));
  return lines.join('\n');
}

QString describeIdle(const LaneFacts& facts, RankIndex rank, TimeRange idle, const PixelScale& scale) {
  QStringList lines{tr("GPU idle"), lasting(idle.length()) + QStringLiteral("  ·  ") +
                                        tr("at %1").arg(timeOf(facts, scale, idle.begin))};
  const JobTime middle(idle.begin + idle.length() / 2);
  if (const IdleGap* const gap = facts.highlights ? facts.highlights->gapAt(rank, middle) : nullptr)
    lines += gapCauseLabel(*facts.highlights, rank, *gap, true);
  lines += explainIdle(facts.traces, facts.trace(rank), idle);
  return lines.join('\n');
}

} // namespace

LaneHit hitAt(const LaneFacts& facts, const TrackLayout& layout, const PixelScale& scale, std::int32_t column,
              int contentY) {
  const Lane* const lane = layout.laneAt(contentY);
  return lane ? lane->kind->hitAt(facts, *lane, scale, column, contentY - lane->top) : LaneHit();
}

QString describe(const LaneFacts& facts, const LaneHit& hit, const PixelScale& scale, std::int32_t column) {
  if (!hit.lane) return {};
  if (hit.event.valid()) return describeEvent(facts, hit, scale);
  if (hit.idle) return describeIdle(facts, hit.lane->rank, *hit.idle, scale);
  TimeRange time = scale.column(column);
  if (time.empty()) time.end = time.begin + 1;
  return hit.lane->kind->textAt(facts, *hit.lane, time);
}

} // namespace rankscope::ui
