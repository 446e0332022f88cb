// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lanes/row_highlights.h"

#include "core/analysis/classify/name_traits.h"
#include "core/base/unit_text.h"
#include "ui/base/ui_text.h"
#include "ui/timeline/lanes/track_plan.h"
#include "ui/timeline/picture/highlight_hatches.h"

#include <algorithm>

namespace rankscope::ui {
namespace {

constexpr int kMinIdlePixels = 2;
constexpr int kMinIdleLabelWidth = 60;
constexpr int kMinWaitPixels = 3;                // minimum width of a collective whose waiting part is drawn
constexpr std::uint8_t kDominantWaitShare = 128; // of 255: more than half of a column's time

QString lasting(TimeNs length) {
  return QString::fromStdString(durationText(length));
}

QRgb withBusyAlpha(QRgb color, std::uint8_t busy) {
  return qRgba(qRed(color), qGreen(color), qBlue(color), static_cast<int>(spanAlpha(busy)));
}

// "idle 4.20 ms: DataLoader", and shorter variants.
QStringList idleTexts(const JobHighlights* highlights, RankIndex rank, TimeRange idle) {
  const QString plain = tr("idle %1").arg(lasting(idle.length()));
  const JobTime middle(idle.begin + idle.length() / 2);
  const IdleGap* const gap = highlights ? highlights->gapAt(rank, middle) : nullptr;
  if (!gap) return {plain};
  const QString cause = tr("%1: %2");
  return {cause.arg(plain, gapCauseLabel(*highlights, rank, *gap, true)),
          cause.arg(plain, gapCauseLabel(*highlights, rank, *gap, false)), plain};
}

// This rank's part of the collective, if waits are shown.
const Participant* waitingPart(const LanePicture& picture, EventRef event) {
  const JobHighlights* const highlights = picture.view.shown.waits ? picture.view.highlights : nullptr;
  const CollectiveInstance* const instance = highlights ? highlights->instanceOf(event) : nullptr;
  return instance ? highlights->partOf(*instance, event.rank) : nullptr;
}

// End of the waiting part of a collective that is drawn wide enough; its begin if it did not wait.
std::int32_t waitEndOf(const LanePicture& picture, RankIndex rank, const RowSpan& span) {
  if (span.end - span.begin < kMinWaitPixels) return span.begin;
  const Participant* const part = waitingPart(picture, {rank, span.event});
  if (!part || part->wait == 0) return span.begin;
  return std::clamp(picture.scale.pixelAt((part->range.begin + part->wait).ns()), span.begin, span.end);
}

Hatch anchored(const LanePicture& picture, const Hatch& hatch) {
  return anchoredTo(hatch, picture.view.window, picture.view.size.width());
}

} // namespace

bool communicates(const TraceSet& traces, EventRef event) {
  const RankTrace& trace = *traces.rank(event.rank).trace;
  const EventKind kind = trace.events.kind[event.event];
  if (trace.hasDeviceEvents()) return kind == EventKind::Collective;
  return kind == EventKind::HostCollective &&
         isCollectiveOfHost(traces.names()[trace.events.name[event.event]]);
}

bool showsIdle(const RankTrace& trace, const Lane& lane) {
  return lane.row == trace.tracks[lane.track.value].firstRow && lane.track == mainStreamOf(trace);
}

std::optional<TimeRange> idleGapAt(const LaneFacts& facts, RankIndex rank, TimeNs time) {
  const RankSummary* const summary = facts.summaries.of(rank);
  const auto gap = summary ? summary->idle.indexAt(time) : std::nullopt;
  return gap ? std::optional(summary->idle.ranges()[*gap]) : std::nullopt;
}

void paintIdleGaps(LanePicture& picture, const Lane& lane) {
  const RankSummary* const summary = picture.summaries.of(lane.rank);
  if (!summary) return;
  const auto [top, bottom] = picture.linesOf(lane);
  const Hatch hatch = anchored(picture, idleHatch(picture.theme(), picture.view.scale));
  coverSpans(summary->idle, picture.scale, picture.buffers.cover);
  for (const CoverSpan& span : picture.buffers.cover) {
    if (span.end - span.begin < picture.px(kMinIdlePixels)) continue;
    picture.raster.hatch(top, bottom - top, span.begin, span.end, hatch);
    const int left = std::max(span.begin, 0);
    const int right = std::min(span.end, picture.scale.width());
    if (lane.thin || right - left < picture.px(kMinIdleLabelWidth)) continue;
    const auto gap = summary->idle.indexAt(picture.scale.timeAt((left + right) / 2));
    if (!gap) continue;
    picture.notes.push_back({QRect(left, top, right - left, bottom - top),
                             idleTexts(picture.view.highlights, lane.rank, summary->idle.ranges()[*gap]),
                             picture.theme().bad});
  }
}

void paintCollectiveParts(LanePicture& picture, LaneSpans& laneSpans) {
  const Lane& lane = laneSpans.lane;
  const DeviceActivity* const activity = picture.summaries.communicatingOf(lane.rank);
  if (!activity || activity->communication.empty()) return;
  const RankTrace& trace = picture.trace(lane.rank);
  const auto [top, bottom] = picture.linesOf(lane);
  const int height = bottom - top;
  const Theme& theme = picture.theme();
  const Hatch exposed = anchored(picture, exposedHatch(theme, picture.view.scale));
  const Hatch waiting = anchored(picture, waitHatch(theme, picture.view.scale, false));
  const Hatch exposedWaiting = anchored(picture, waitHatch(theme, picture.view.scale, true));
  std::vector<CoverSpan>& covered = picture.buffers.cover;
  covered.clear();
  if (picture.view.shown.exposed) coverSpans(activity->exposed, picture.scale, covered);
  auto cover = covered.begin();
  for (const RowSpan& visible : laneSpans.spans) {
    while (cover != covered.end() && cover->end <= visible.begin) ++cover;
    if (!communicates(*picture.view.trace, {lane.rank, visible.event})) continue;
    const RowSpan span = picture.whole(trace, visible);
    const std::int32_t waitEnd = waitEndOf(picture, lane.rank, span);
    const auto stripe = [&](std::int32_t begin, std::int32_t end, const Hatch& hatch) {
      if (begin >= end) return;
      picture.raster.hatch(top, height, begin, end, hatch);
      if (laneSpans.hatched.empty() || laneSpans.hatched.back().end <= begin)
        laneSpans.hatched.push_back({begin, end, hatch.ground | 0xff000000});
    };
    std::int32_t painted = span.begin; // the pixels before it are already hatched
    for (auto c = cover; c != covered.end() && c->begin < span.end; ++c) {
      if (c->busy < kDominantWaitShare) continue;
      const std::int32_t begin = std::max(span.begin, c->begin);
      const std::int32_t end = std::min(span.end, c->end);
      if (span.end - span.begin == 1) { // a single column has no space for stripes, so only the color changes
        Hatch plain = exposed;
        plain.ground = plain.color = withBusyAlpha(theme.exposed.rgb(), span.busy);
        stripe(begin, end, plain);
        continue;
      }
      stripe(painted, std::min(begin, waitEnd), waiting);
      stripe(begin, std::min(end, waitEnd), exposedWaiting);
      stripe(std::max(begin, waitEnd), end, exposed);
      painted = end;
    }
    stripe(painted, waitEnd, waiting);
  }
}

QStringList collectiveFacts(const LanePicture& picture, EventRef event) {
  const DeviceActivity* const activity = picture.summaries.communicatingOf(event.rank);
  const TimeRange range = picture.trace(event.rank).events.range(event.event);
  const bool exposes = activity && picture.view.shown.exposed;
  const TimeNs exposed = exposes ? activity->exposed.coveredWithin(range) : 0;
  const Participant* const part = waitingPart(picture, event);
  QStringList facts;
  if (exposed > 0) facts << tr("exposed %1").arg(lasting(exposed));
  if (part && part->wait > 0) facts << tr("waits %1").arg(lasting(part->wait));
  return facts;
}

} // namespace rankscope::ui
