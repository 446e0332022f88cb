// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/canvas/timeline_content.h"

#include "ui/base/text_scale.h"
#include "ui/timeline/canvas/collective_marks.h"
#include "ui/timeline/canvas/content_frame.h"
#include "ui/timeline/canvas/timeline_hit.h"
#include "ui/timeline/picture/search_marks.h"
#include "ui/timeline/picture/time_ticks.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr int kOperatorFont = 10;
constexpr int kPhaseFont = 11;
constexpr int kTallRow = 16; // rows from this height on carry the larger font

QRgb withAlpha(QColor colour, int alpha) {
  colour.setAlpha(alpha);
  return colour.rgba();
}

} // namespace

TimelineContent::TimelineContent(const TrackLayout& layout, const RankSummaries& summaries)
    : m_layout(layout), m_summaries(summaries) {}

const QImage& TimelineContent::picture(const ContentView& view) {
  if (m_key == view) return m_image;
  const bool otherTrace = !m_key || m_key->traceRevision != view.traceRevision;
  const bool otherColours =
      otherTrace || m_key->themeRevision != view.themeRevision || m_key->colourBy != view.colourBy;
  const bool otherTexts = otherTrace || m_key->scale != view.scale;
  m_key = static_cast<const ContentKey&>(view);
  if (m_image.size() != view.size) m_image = QImage(view.size, QImage::Format_RGB32);
  if (view.trace && otherColours) m_colours = SpanColours(*view.theme, view.trace->names(), view.colourBy);
  if (view.trace && otherTexts) {
    m_labels.emplace(textFont(kOperatorFont * view.scale), view.trace->names());
    m_phaseLabels.emplace(textFont(kPhaseFont * view.scale, QFont::Medium), view.trace->names());
    m_notes.emplace(textFont(kPhaseFont * view.scale));
  }
  if (!m_image.isNull()) paint(view);
  return m_image;
}

std::pair<int, int> TimelineContent::linesOf(const Lane& lane) const {
  const auto line = [&](int y) {
    return static_cast<int>(std::lround((y - m_key->scrollTop) * m_key->scale));
  };
  return {line(lane.top), line(lane.bottom())};
}

void TimelineContent::paint(const ContentView& view) {
  ++m_paintCount;
  const Theme& theme = *view.theme;
  Frame frame{view, theme, PixelScale(view.window, view.size.width()), SpanRaster(m_image), {}};
  m_laneSpanCount = 0;

  std::vector<std::int32_t> grid;
  if (view.trace) {
    const TimeTicks ticks = timeTicks(view.window, view.size.width(), frame.px(tickGapOf(view.rulerUnit)),
                                      view.trace->extent().begin);
    for (const TimeNs t : ticks.times) grid.push_back(frame.scale.pixelAt(t));
  }
  frame.raster.clear(theme.background.rgb(), mixed(theme.background.rgb(), theme.line.rgb(), 150), grid);
  if (!view.trace) return;

  const int bottom = view.scrollTop + static_cast<int>(std::ceil(view.size.height() / view.scale));
  for (const Lane& lane : m_layout.lanesWithin(view.scrollTop, bottom)) {
    frame.turnTo(lane.rank);
    switch (lane.kind) {
    case LaneKind::Rank:
      paintRank(frame, lane);
      break;
    case LaneKind::Row:
      paintRow(frame, lane);
      break;
    case LaneKind::Busy:
      paintBusy(frame, lane);
      break;
    case LaneKind::Memory:
      paintMemory(frame, lane);
      break;
    case LaneKind::Queue: {
      const RankCounters* const counters = m_summaries.countersOf(lane.rank);
      paintLevels(frame, lane, counters ? counters->queueOf(lane.track) : nullptr, theme.runtime);
      break;
    }
    case LaneKind::File: {
      const RankCounters* const counters = m_summaries.countersOf(lane.rank);
      paintLevels(frame, lane, counters ? &counters->file[lane.counter] : nullptr, theme.annotation);
      break;
    }
    case LaneKind::Group:
      paintGroup(frame, lane);
      break;
    case LaneKind::More:
      break;
    }
  }
  QPainter painter(&m_image);
  paintLabels(painter, frame);
  painter.end();
  if (view.hitsRevision != 0) paintHits(frame, m_layout.lanesWithin(view.scrollTop, bottom));
}

void TimelineContent::paintHits(Frame& frame, std::span<const Lane> lanes) {
  const SearchHits& hits = *frame.view.hits;
  std::vector<MarkSpan> spans;
  for (const Lane& lane : lanes) {
    if (lane.kind != LaneKind::Rank && lane.kind != LaneKind::Row) continue;
    if (lane.kind == LaneKind::Rank && m_layout.rankExpanded(lane.rank)) continue;
    const RankHits* const found = hits.of(lane.rank);
    frame.turnTo(lane.rank);
    const auto [laneTop, bottom] = linesOf(lane);
    // A rank's first line parts it from the one above, and its figures lie over the rest.
    const int top = laneTop + (lane.kind == LaneKind::Rank ? std::max(1, frame.px(1)) : 0);
    const RankTrace& trace = *frame.view.trace->rank(lane.rank).trace;
    spans.clear();
    if (found && lane.kind == LaneKind::Row) {
      const Row& row = trace.rows[lane.row.value];
      markSpans(trace, found->within(row.firstEvent, row.endEvent), frame.scale, spans);
    } else if (found) {
      markSpans(trace, found->byTime, frame.scale, spans);
    }
    paintMarks(frame.raster, frame.theme, top, bottom - top, frame.view.size.width(),
               std::max(1, frame.px(lane.thin ? 1 : 2)), spans);
  }
}

void TimelineContent::paintRank(Frame& frame, const Lane& lane) {
  const auto [top, bottom] = linesOf(lane);
  const QRgb ground = frame.theme.panel.rgb();
  frame.raster.fillLines(top, bottom - top, ground);
  frame.raster.fillLines(top, std::max(1, frame.px(1)), frame.theme.line.rgb());
  if (m_layout.rankExpanded(lane.rank)) return;
  const RankSummary* const summary = m_summaries.of(lane.rank);
  if (!summary) return;
  const DeviceActivity& activity = *m_summaries.activityOf(lane.rank);
  const RankLaneParts parts = rankLaneParts(lane.height);
  const int height = frame.px(parts.height);
  const int upper = top + frame.px(parts.upper);
  const int lower = top + frame.px(parts.lower);

  const auto cover = [&](const IntervalSet& set, QColor colour) {
    coverSpans(set, frame.scale, m_cover);
    for (const CoverSpan& span : m_cover) m_ink.push_back({span.begin, span.end, colour.rgb(), span.busy});
  };
  constexpr int kNoSeparators = 1 << 30;
  const bool onDevice = !activity.busy.empty();
  m_ink.clear();
  if (onDevice) {
    cover(activity.memory, frame.theme.memoryCopy);
    cover(activity.compute, frame.theme.kernel);
  } else {
    cover(summary->hostBusy, frame.theme.cpuOp);
  }
  frame.raster.drawLaneOn(ground, upper, height, m_ink, kNoSeparators);
  m_ink.clear();
  cover(onDevice ? activity.communication : summary->hostCommunication, frame.theme.communication);
  frame.raster.drawLaneOn(ground, lower, height, m_ink, kNoSeparators);
  paintRankHighlights(frame, lane.rank, upper, lower, height);
}

void TimelineContent::paintRow(Frame& frame, const Lane& lane) {
  const RankTrace& trace = *frame.view.trace->rank(lane.rank).trace;
  const auto [top, bottom] = linesOf(lane);
  if (m_laneSpanCount == m_laneSpans.size()) m_laneSpans.emplace_back();
  LaneSpans& laneSpans = m_laneSpans[m_laneSpanCount++];
  laneSpans.lane = lane;
  laneSpans.hatched.clear();
  rowSpans(trace, lane.row, frame.scale, laneSpans.spans);

  m_ink.clear();
  const HostPhases* const phases =
      frame.view.colourBy == ColourBy::Phase ? m_summaries.phasesOf(lane.rank) : nullptr;
  laneSpans.colours.clear();
  for (const RowSpan& span : laneSpans.spans) {
    const QRgb colour = m_colours.of(trace, span.event, phases);
    laneSpans.colours.push_back(colour);
    const RowSpan whole = frame.whole(trace, span);
    m_ink.push_back({whole.begin, whole.end, colour, span.busy});
  }
  frame.raster.drawLane(top, bottom - top, m_ink, frame.px(3));

  const Track& track = trace.tracks[lane.track.value];
  if (track.kind != TrackKind::Stream) return;
  if (frame.view.shown.idle && lane.row == track.firstRow && lane.track == mainStreamOf(trace))
    paintIdle(frame, lane);
  paintCollectiveParts(frame, laneSpans);
}

void TimelineContent::paintBusy(Frame& frame, const Lane& lane) {
  const DeviceActivity* const activity = m_summaries.activityOf(lane.rank);
  if (!activity) return;
  const auto [top, bottom] = linesOf(lane);
  coverSpans(activity->busy, frame.scale, m_cover);
  m_values.assign(static_cast<std::size_t>(frame.view.size.width()), 0);
  for (const CoverSpan& span : m_cover)
    std::fill(m_values.begin() + std::max(span.begin, 0),
              m_values.begin() + std::min(span.end, frame.scale.width()),
              std::max<std::uint8_t>(span.busy, 1));
  frame.raster.drawArea(top, bottom - top, m_values, withAlpha(frame.theme.good, 70),
                        mixed(frame.theme.background.rgb(), frame.theme.good.rgb(), 150));
  const RankCounters* const counters = m_summaries.countersOf(lane.rank);
  if (!counters || counters->smEfficiency.empty()) return;
  for (std::size_t x = 0; x < m_values.size(); ++x) {
    if (m_values[x] == 0) continue;
    TimeRange column = frame.scale.column(static_cast<std::int32_t>(x));
    if (column.empty()) column = {column.begin, column.begin + 1};
    m_values[x] = static_cast<std::uint8_t>(
        std::lround(std::clamp(counters->smEfficiency.meanOver(column), 0.0, 1.0) * 255));
  }
  frame.raster.drawArea(top, bottom - top, m_values, withAlpha(frame.theme.good, 110),
                        mixed(frame.theme.background.rgb(), frame.theme.good.rgb(), 220));
}

// The band between the smallest and the largest value of each pixel, over what is always reached.
void TimelineContent::paintLevels(Frame& frame, const Lane& lane, const LevelCurve* curve, QColor colour) {
  if (!curve || curve->empty()) return;
  const auto [top, bottom] = linesOf(lane);
  const double lowest = std::min(0.0, curve->lowest());
  const double span = std::max(curve->highest() - lowest, 1e-12);
  const auto width = static_cast<std::size_t>(frame.view.size.width());
  m_values.assign(width, 0);
  m_lowValues.assign(width, 0);
  const auto part = [&](double value) {
    return static_cast<std::uint8_t>(std::lround(std::clamp((value - lowest) / span, 0.0, 1.0) * 255));
  };
  for (std::size_t x = 0; x < width; ++x) {
    const auto values = curve->over(frame.scale.column(static_cast<std::int32_t>(x)));
    if (!values) continue;
    m_values[x] = part(values->max);
    m_lowValues[x] = part(values->min);
  }
  const QRgb ground = frame.theme.background.rgb();
  frame.raster.drawArea(top, bottom - top, m_values, withAlpha(colour, 110),
                        mixed(ground, colour.rgb(), 210));
  frame.raster.drawArea(top, bottom - top, m_lowValues, withAlpha(colour, 90),
                        mixed(ground, colour.rgb(), 120));
}

void TimelineContent::paintGroup(Frame& frame, const Lane& lane) {
  const auto [top, bottom] = linesOf(lane);
  frame.raster.fillLines(top, bottom - top, frame.theme.raised.rgb());
  frame.raster.fillLines(top, std::max(1, frame.px(1)), frame.theme.line.rgb());
}

void TimelineContent::paintMemory(Frame& frame, const Lane& lane) {
  const RankSummary* const summary = m_summaries.of(lane.rank);
  if (!summary || summary->memory.peak <= 0) return;
  const MemoryCurve& memory = summary->memory;
  const auto [top, bottom] = linesOf(lane);
  const auto width = static_cast<std::size_t>(frame.view.size.width());
  const auto full = static_cast<double>(std::max(memory.peak, memory.peakReserved));
  m_values.assign(width, 0);
  m_lowValues.assign(width, 0);
  const auto indexAt = [&](TimeNs t) {
    return static_cast<std::size_t>(std::ranges::lower_bound(memory.times, t) - memory.times.begin());
  };
  const auto part = [&](std::int64_t bytes) {
    const double share = static_cast<double>(std::max<std::int64_t>(bytes, 0)) / full;
    return static_cast<std::uint8_t>(std::lround(share * 255));
  };
  const bool reserves = !memory.reserved.empty();
  std::size_t from = indexAt(frame.scale.columnBegin(0));
  for (std::size_t x = 0; x < width; ++x) {
    const TimeNs columnEnd = frame.scale.columnBegin(static_cast<std::int32_t>(x) + 1);
    std::size_t to = from;
    if (to < memory.times.size() && memory.times[to] < columnEnd) to = indexAt(columnEnd);
    const std::size_t first = from > 0 && to == from ? from - 1 : from;
    if (to > from || from > 0) {
      const std::size_t last = std::max(to, first + 1);
      m_values[x] = part(memory.pyramid.over(memory.allocated, first, last).max);
      if (reserves) m_lowValues[x] = part(memory.reservedPyramid.over(memory.reserved, first, last).max);
    }
    from = to;
  }
  if (reserves)
    frame.raster.drawArea(top, bottom - top, m_lowValues, withAlpha(frame.theme.muted, 26),
                          mixed(frame.theme.background.rgb(), frame.theme.muted.rgb(), 130));
  frame.raster.drawArea(top, bottom - top, m_values, withAlpha(frame.theme.accent, 56),
                        mixed(frame.theme.background.rgb(), frame.theme.accent.rgb(), 150));
}

void TimelineContent::paintLabels(QPainter& painter, Frame& frame) {
  for (const LaneSpans& laneSpans : this->laneSpans()) {
    if (!laneSpans.lane.thin) paintLaneLabels(painter, frame, laneSpans);
  }
  painter.setFont(textFont(kOperatorFont * frame.view.scale, QFont::Medium));
  const QFontMetrics metrics = painter.fontMetrics();
  QColor ground = frame.theme.background;
  ground.setAlpha(200);
  for (const Frame::Note& note : frame.notes) {
    for (const QString& text : note.texts) {
      const int width = metrics.horizontalAdvance(text) + frame.px(8);
      if (width > note.box.width() - frame.px(6)) continue;
      const QRect plate(note.box.left() + frame.px(5), note.box.top() + frame.px(2), width,
                        note.box.height() - frame.px(4));
      painter.fillRect(plate, ground);
      painter.setPen(note.colour);
      painter.drawText(plate, Qt::AlignCenter, text);
      break;
    }
  }
}

void TimelineContent::paintLaneLabels(QPainter& painter, Frame& frame, const LaneSpans& laneSpans) {
  const RankTrace& trace = *frame.view.trace->rank(laneSpans.lane.rank).trace;
  const auto [top, bottom] = linesOf(laneSpans.lane);
  LabelCache& labels = laneSpans.lane.height >= scaledToText(kTallRow) ? *m_phaseLabels : *m_labels;
  painter.setFont(labels.font());
  const QFontMetrics metrics(labels.font());
  const int y = top + (bottom - top - metrics.height() + 1) / 2;
  const int smallest = frame.px(LabelCache::kSmallestWidth);
  const int padding = frame.px(kContentLabelPadding);
  auto hatched = laneSpans.hatched.begin();
  QRgb penFor = 0;
  for (std::size_t i = 0; i < laneSpans.spans.size(); ++i) {
    const RowSpan& span = laneSpans.spans[i];
    const int room = span.end - span.begin;
    if (room < smallest) continue;
    const EventKind kind = trace.events.kind[span.event];
    const NameId name = trace.events.name[span.event];
    const QStaticText* const label = labels.label(kind, name, room - 2 * padding);
    if (!label) continue;
    const QRgb colour = laneSpans.colours[i];
    if (penFor != colour) painter.setPen(textOn(frame.theme, QColor::fromRgb(colour)));
    penFor = colour;
    const int x = span.begin + padding;
    while (hatched != laneSpans.hatched.end() && hatched->end <= x) ++hatched;
    if (hatched != laneSpans.hatched.end() && hatched->begin < x + padding) {
      // Stripes behind letters make both unreadable.
      const int width = static_cast<int>(std::ceil(label->size().width())) + padding;
      painter.fillRect(x - padding / 2, top + padding / 2, width, bottom - top - padding,
                       QColor::fromRgb(hatched->ground));
      const QRect rest(x + width, top, span.end - x - width - padding, bottom - top);
      paintCollectiveNote(painter, frame, {laneSpans.lane.rank, span.event}, hatched->ground, rest);
      painter.setFont(labels.font());
      painter.setPen(textOn(frame.theme, QColor::fromRgb(hatched->ground)));
      penFor = 0;
    }
    painter.drawStaticText(x, y, *label);
  }
}

} // namespace rankscope::ui
