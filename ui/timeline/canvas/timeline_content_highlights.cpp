// SPDX-License-Identifier: GPL-3.0-or-later
// The highlights of TimelineContent: idle gaps with their causes, the parts of collectives that wait and
// those that nothing hides.
#include "core/base/unit_text.h"
#include "ui/timeline/canvas/content_frame.h"
#include "ui/timeline/canvas/timeline_hit.h"
#include "ui/timeline/picture/highlight_hatches.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {
namespace {

constexpr int kSmallestIdlePixels = 2;
constexpr int kSmallestIdleLabel = 60;
constexpr int kSmallestWaitPixels = 3; // of a collective whose parts are told apart
constexpr std::uint8_t kMostly = 128;  // of 255: more than half of a column's time

QString tr(const char* text) {
  return QCoreApplication::translate("Timeline", text);
}

QString lasting(TimeNs length) {
  return QString::fromStdString(durationText(length));
}

QRgb inked(QRgb colour, std::uint8_t busy) {
  return qRgba(qRed(colour), qGreen(colour), qBlue(colour), static_cast<int>(inkOf(busy)));
}

// "idle 4.20 ms: DataLoader", shorter and shorter.
QStringList idleTexts(const JobHighlights* highlights, RankIndex rank, TimeRange idle) {
  const QString plain = tr("idle %1").arg(lasting(idle.length()));
  const TimeNs middle = idle.begin + idle.length() / 2;
  const IdleGap* const gap = highlights ? highlights->gapAt(rank, middle) : nullptr;
  if (!gap) return {plain};
  const QString cause = tr("%1: %2");
  return {cause.arg(plain, gapCauseLabel(*highlights, rank, *gap, true)),
          cause.arg(plain, gapCauseLabel(*highlights, rank, *gap, false)), plain};
}

} // namespace

void TimelineContent::paintRankHighlights(Frame& frame, RankIndex rank, int upper, int lower, int height) {
  const ContentView& view = frame.view;
  const int width = view.size.width();
  const auto lay = [&](const IntervalSet& set, int top, const Hatch& hatch, int smallest) {
    coverSpans(set, frame.scale, m_cover);
    const Hatch anchored = anchoredTo(hatch, view.window, width);
    for (const CoverSpan& span : m_cover) {
      if (span.busy >= kMostly && span.end - span.begin >= smallest)
        frame.raster.hatch(top, height, span.begin, span.end, anchored);
    }
  };
  const DeviceActivity& activity = *m_summaries.activityOf(rank);
  if (view.shown.idle && !activity.busy.empty())
    lay(m_summaries.of(rank)->idle, upper, idleHatch(frame.theme, view.scale), frame.px(4));
  if (view.shown.waits && view.highlights)
    lay(view.highlights->waits(rank), lower, waitHatch(frame.theme, view.scale, false), 1);
  if (!view.shown.exposed) return;
  lay(activity.exposed, lower, exposedHatch(frame.theme, view.scale), 1);
  if (view.shown.waits && view.highlights)
    lay(view.highlights->exposedWaits(rank), lower, waitHatch(frame.theme, view.scale, true), 1);
}

void TimelineContent::paintIdle(Frame& frame, const Lane& lane) {
  const RankSummary* const summary = m_summaries.of(lane.rank);
  if (!summary) return;
  const auto [top, bottom] = linesOf(lane);
  const Hatch hatch =
      anchoredTo(idleHatch(frame.theme, frame.view.scale), frame.view.window, frame.view.size.width());
  coverSpans(summary->idle, frame.scale, m_cover);
  for (const CoverSpan& span : m_cover) {
    if (span.end - span.begin < frame.px(kSmallestIdlePixels)) continue;
    frame.raster.hatch(top, bottom - top, span.begin, span.end, hatch);
    const int left = std::max(span.begin, 0);
    const int right = std::min(span.end, frame.scale.width());
    if (lane.thin || right - left < frame.px(kSmallestIdleLabel)) continue;
    const auto gap = summary->idle.indexAt(frame.scale.timeAt((left + right) / 2));
    if (!gap) continue;
    frame.notes.push_back({QRect(left, top, right - left, bottom - top),
                           idleTexts(frame.view.highlights, lane.rank, summary->idle.ranges()[*gap]),
                           frame.theme.bad});
  }
}

// Where the waiting part of a collective ends that is drawn wide enough; its begin when nothing of it waits.
std::int32_t TimelineContent::waitEndOf(const Frame& frame, RankIndex rank, const RowSpan& span) const {
  const JobHighlights* const highlights = frame.view.highlights;
  if (!highlights || !frame.view.shown.waits || span.end - span.begin < kSmallestWaitPixels)
    return span.begin;
  const CollectiveInstance* const instance = highlights->instanceOf({rank, span.event});
  const Participant* const part = instance ? highlights->partOf(*instance, rank) : nullptr;
  if (!part || part->wait == 0) return span.begin;
  return std::clamp(frame.scale.pixelAt(part->range.begin + part->wait), span.begin, span.end);
}

void TimelineContent::paintCollectiveParts(Frame& frame, LaneSpans& laneSpans) {
  const Lane& lane = laneSpans.lane;
  const ContentView& view = frame.view;
  const DeviceActivity* const activity = m_summaries.activityOf(lane.rank);
  if (!activity || activity->communication.empty()) return;
  const RankTrace& trace = *view.trace->rank(lane.rank).trace;
  const auto [top, bottom] = linesOf(lane);
  const int height = bottom - top;
  const auto anchored = [&](const Hatch& hatch) { return anchoredTo(hatch, view.window, view.size.width()); };
  const Hatch exposed = anchored(exposedHatch(frame.theme, view.scale));
  const Hatch waiting = anchored(waitHatch(frame.theme, view.scale, false));
  const Hatch exposedWaiting = anchored(waitHatch(frame.theme, view.scale, true));
  m_cover.clear();
  if (view.shown.exposed) coverSpans(activity->exposed, frame.scale, m_cover);
  auto cover = m_cover.begin();
  for (const RowSpan& visible : laneSpans.spans) {
    while (cover != m_cover.end() && cover->end <= visible.begin) ++cover;
    if (trace.events.kind[visible.event] != EventKind::Collective) continue;
    const RowSpan span = frame.whole(trace, visible);
    const std::int32_t waitEnd = waitEndOf(frame, lane.rank, span);
    const auto stripe = [&](std::int32_t begin, std::int32_t end, const Hatch& hatch) {
      if (begin >= end) return;
      frame.raster.hatch(top, height, begin, end, hatch);
      if (laneSpans.hatched.empty() || laneSpans.hatched.back().end <= begin)
        laneSpans.hatched.push_back({begin, end, hatch.ground | 0xff000000});
    };
    std::int32_t painted = span.begin; // pixels before it have their stripes
    for (auto c = cover; c != m_cover.end() && c->begin < span.end; ++c) {
      if (c->busy < kMostly) continue;
      const std::int32_t begin = std::max(span.begin, c->begin);
      const std::int32_t end = std::min(span.end, c->end);
      if (span.end - span.begin == 1) { // one column shows no stripes: its colour alone says it
        Hatch plain = exposed;
        plain.ground = plain.colour = inked(frame.theme.exposed.rgb(), span.busy);
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

// How much of a collective no computation hides and how long it waits, behind its label where there is room.
void TimelineContent::paintCollectiveNote(QPainter& painter, Frame& frame, EventRef event, QRgb ground,
                                          const QRect& room) {
  const DeviceActivity* const activity = m_summaries.activityOf(event.rank);
  const TimeRange range = frame.view.trace->rank(event.rank).trace->events.range(event.event);
  const TimeNs exposed = frame.view.shown.exposed ? activity->exposed.coveredWithin(range) : 0;
  const JobHighlights* const highlights = frame.view.shown.waits ? frame.view.highlights : nullptr;
  const CollectiveInstance* const instance = highlights ? highlights->instanceOf(event) : nullptr;
  const Participant* const part = instance ? highlights->partOf(*instance, event.rank) : nullptr;
  QStringList facts;
  if (exposed > 0) facts << tr("exposed %1").arg(lasting(exposed));
  if (part && part->wait > 0) facts << tr("waits %1").arg(lasting(part->wait));
  const int padding = frame.px(kContentLabelPadding);
  for (; !facts.isEmpty(); facts.removeLast()) {
    const TextCache::Text& note = m_notes->text(facts.join(QStringLiteral(" · ")));
    if (note.width + 2 * padding > room.width()) continue;
    const QRect plate(room.left(), room.top() + padding / 2, note.width + padding, room.height() - padding);
    const QColor colour = QColor::fromRgb(ground);
    painter.fillRect(plate, colour);
    painter.setPen(textOn(frame.theme, colour));
    m_notes->draw(painter, plate.adjusted(padding / 2, 0, 0, 0), note);
    return;
  }
}

} // namespace rankscope::ui
