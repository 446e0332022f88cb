// SPDX-License-Identifier: GPL-3.0-or-later
// The overlays of TimelineCanvas for highlights: the selected idle gap, and the selected collective
// on every rank.
#include "core/base/unit_text.h"
#include "ui/base/text_scale.h"
#include "ui/job/job_highlights.h"
#include "ui/timeline/canvas/timeline_canvas.h"
#include "ui/timeline/lanes/rank_lane.h"
#include "ui/timeline/lanes/track_plan.h"

#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace rankscope::ui {
namespace {

constexpr int kTagPadding = 8;
constexpr double kOutsideView = 20; // logical pixels beyond the canvas at which distant ends are drawn

QString later(TimeNs late) {
  return late > 0 ? QLatin1Char(' ') + QString::fromStdString(signedDurationText(late)) : QString();
}

} // namespace

void TimelineCanvas::paintGap(QPainter& painter, const Theme& theme) const {
  const auto gap = m_session.gap();
  if (!gap) return;
  const TimeRange drawn = m_session.drawn(gap->rank, gap->range);
  if (!drawn.overlaps(m_session.window())) return;
  const RankTrace& trace = *m_session.trace()->rank(gap->rank).trace;
  const TrackIndex stream = mainStreamOf(trace);
  if (!stream.valid()) return;
  const Lane* const lane = m_layout.laneOf({gap->rank, trace.tracks[stream.value].firstEvent});
  if (!lane) return;
  const RankLaneParts parts = rankLaneParts(lane->height);
  const bool folded = lane->kind == &foldedRankLanes();
  const double left = std::clamp(xOf(drawn.begin), -kOutsideView, width() + kOutsideView);
  const double right = std::clamp(xOf(drawn.end), left + 1, std::max(left + 1, width() + kOutsideView));
  const QRectF box(left, lane->top + (folded ? parts.upper : 0) - m_scrollTop, right - left,
                   folded ? parts.height : lane->height);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme.background, 1));
  painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
  painter.setPen(QPen(theme.bad, 2));
  painter.drawRect(box.adjusted(-1, -1, 1, 1));
}

// Without a collective, Tab moves the focus as usual; Esc deselects.
bool TimelineCanvas::focusNextPrevChild(bool next) {
  if (!m_session.highlights() || !m_session.highlights()->instanceOf(m_session.selection()))
    return QWidget::focusNextPrevChild(next);
  emit otherRankWanted(next);
  return true;
}

double TimelineCanvas::xWithin(TimeNs t) const {
  return std::clamp(xOf(t), -kOutsideView, width() + kOutsideView);
}

void TimelineCanvas::refreshCollective() {
  m_collective.reset();
  if (m_session.trace() && m_session.highlights() && m_session.highlightOptions().links)
    m_collective = collectiveMarks(*m_session.highlights(), m_layout, m_session.selection());
  if (m_collective) {
    for (CollectiveLabel& mark : m_collective->marks)
      mark.range = m_session.drawn(mark.event.rank, JobRange::of(mark.range));
  }
  update();
}

void TimelineCanvas::paintCollective(QPainter& painter, const Theme& theme) const {
  if (!m_collective) return;
  const auto& marks = m_collective->marks;
  // The visible marks, and one more on both sides for the lines that lead there.
  const auto top = [&](const CollectiveLabel& mark) { return mark.top - m_scrollTop; };
  auto begin = std::ranges::partition_point(
      marks, [&](const CollectiveLabel& mark) { return top(mark) + mark.height < 0; });
  auto end =
      std::ranges::partition_point(marks, [&](const CollectiveLabel& mark) { return top(mark) < height(); });
  if (begin != marks.begin()) --begin;
  if (end != marks.end()) ++end;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  QPolygonF begins, ends;
  for (auto mark = begin; mark < end; ++mark) {
    const double middle = top(*mark) + mark->height / 2.0;
    begins << QPointF(xWithin(mark->range.begin), middle);
    ends << QPointF(xWithin(mark->range.end), middle);
  }
  painter.setBrush(Qt::NoBrush);
  for (const QPolygonF& line : {begins, ends}) {
    painter.setPen(QPen(withAlpha(theme.background, 170), 3));
    painter.drawPolyline(line);
    painter.setPen(QPen(withAlpha(theme.communication, 230), 1.25));
    painter.drawPolyline(line);
  }
  painter.setRenderHint(QPainter::Antialiasing, false);
  QPen arrival(theme.exposed, 1);
  arrival.setDashPattern({4, 3});
  painter.setPen(arrival);
  const double x = std::floor(xWithin(marks[m_collective->last].range.begin)) + 0.5;
  painter.drawLine(QPointF(x, top(marks.front()) - 6),
                   QPointF(x, top(marks.back()) + marks.back().height + 6));
  // Where all arrive together, no rank keeps the others waiting.
  const auto earliest =
      std::ranges::min_element(marks, {}, [](const auto& mark) { return mark.range.begin; });
  const bool anyoneLate = marks[m_collective->last].range.begin > earliest->range.begin;
  for (auto mark = begin; mark < end; ++mark) {
    const double left = xWithin(mark->range.begin);
    const QRectF box(left, top(*mark), std::max(2.0, xWithin(mark->range.end) - left), mark->height);
    const bool isLast = anyoneLate && static_cast<std::size_t>(mark - marks.begin()) == m_collective->last;
    painter.setPen(QPen(isLast ? theme.bad : withAlpha(theme.text, 200), isLast ? 2 : 1));
    painter.drawRect(box.adjusted(-0.5, -0.5, 0.5, 0.5));
  }
  painter.restore();
  paintCollectiveTags(painter, theme);
}

std::vector<TimelineCanvas::CollectiveTag> TimelineCanvas::collectiveTags() const {
  std::vector<CollectiveTag> tags;
  if (!m_collective) return tags;
  const auto& all = *m_collective;
  if (all.marks[all.last].late == 0) return tags; // no rank is first if all arrive at the same time
  const std::array<std::pair<std::size_t, QString>, 3> wanted{
      {{all.first, tr("first")}, {all.median, tr("median")}, {all.last, tr("last")}}};
  const QRect selected = outlineOf(m_session.selection()).toAlignedRect().adjusted(-6, -2, 6, 2);
  const int tagHeight = scaledToText(20);
  constexpr int kApart = 4;
  // Tags are next to the headers, those of a side in one column: they stay there while the lanes scroll, and
  // cover little of them.
  const Lane* const lane = m_layout.laneAt(m_scrollTop + tagHeight / 2);
  const bool underHeader = // an expanded rank has text in its header
      stickyRank().valid() || (lane && lane->kind == &openRankLanes());
  const int top = kApart + (underHeader ? TrackLayout::headerHeight() : 0);
  QPoint above(kApart, top), below(kApart, height() - kApart - tagHeight);
  for (const auto& [position, what] : wanted) {
    const CollectiveLabel& mark = all.marks[position];
    const int y = mark.top - m_scrollTop;
    const bool isAbove = y < 0;
    if (!isAbove && y + mark.height <= height()) continue;
    CollectiveTag tag;
    tag.event = mark.event;
    tag.text = QStringLiteral("%1 %2 %3%4")
                   .arg(isAbove ? QStringLiteral("▲") : QStringLiteral("▼"), what,
                        tr("rank %1").arg(m_session.trace()->rank(mark.event.rank).rank), later(mark.late));
    const int room = std::min(m_texts.text(tag.text).width + 2 * kTagPadding, width() - 2 * kApart);
    QPoint& next = isAbove ? above : below;
    // What does not fit beside the others starts a line of its own.
    if (next.x() > kApart && next.x() + room + kApart > width())
      next = {kApart, next.y() + (isAbove ? 1 : -1) * (tagHeight + kApart)};
    tag.box = QRect(next, QSize(room, tagHeight));
    // Tags do not cover the selection: they move beyond it.
    if (tag.box.intersects(selected) && selected.right() + room + kApart < width())
      tag.box.moveLeft(selected.right() + 1);
    else if (tag.box.intersects(selected))
      tag.box.moveTop(isAbove ? selected.bottom() + 1 : selected.top() - tagHeight);
    next.setX(tag.box.right() + kApart);
    tags.push_back(std::move(tag));
  }
  return tags;
}

void TimelineCanvas::paintCollectiveTags(QPainter& painter, const Theme& theme) const {
  for (const CollectiveTag& tag : collectiveTags()) {
    painter.setPen(QPen(theme.communication, 1));
    painter.setBrush(theme.raised);
    painter.drawRect(tag.box.adjusted(0, 0, -1, -1));
    painter.setPen(theme.text);
    m_texts.draw(painter, tag.box.adjusted(kTagPadding, 0, 0, 0),
                 m_texts.elided(tag.text, tag.box.width() - 2 * kTagPadding));
  }
  painter.setBrush(Qt::NoBrush);
}

} // namespace rankscope::ui
