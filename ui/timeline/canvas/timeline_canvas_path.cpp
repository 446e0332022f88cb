// SPDX-License-Identifier: GPL-3.0-or-later
// How TimelineCanvas draws the critical path: its segments outlined in their lanes, lines where it goes to
// another one, names where it jumps to another rank; what could end later without lengthening a step; and all
// else faded, if that is wanted.
#include "ui/base/text_scale.h"
#include "ui/timeline/canvas/timeline_canvas.h"

#include <QLinearGradient>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {
namespace {

constexpr int kFadingAlpha = 191; // leaves a quarter of the color
constexpr int kFillAlpha = 46;
constexpr double kMinFilled = 4; // narrower boxes are a line only
constexpr double kMinSlack = 5;  // logical pixels
constexpr int kSlackAlpha = 210;
constexpr double kSlackShare = 0.3; // of the lane's height
constexpr double kKnot = 2.5;       // radius of the ends of a line
constexpr int kNamePadding = 7;
constexpr int kNameHeight = 17;
constexpr int kNameApart = 6; // from the line

} // namespace

const PathMarks& TimelineCanvas::pathMarksShown() const {
  static const PathMarks kNone;
  if (!m_path.path() || !m_session.trace() || m_session.window().empty()) return kNone;
  const PathKey key{m_session.window(),        size(),
                    devicePixelRatioF(),       m_scrollTop,
                    m_path.revision(),         m_layout.revision(),
                    m_session.shiftsRevision()};
  if (!(key == m_pathKey)) {
    m_pathKey = key;
    m_pathMarks =
        pathMarks(*m_path.path(), m_session, m_layout, pixelScale(), devicePixelRatioF(), m_scrollTop);
  }
  return m_pathMarks;
}

// Everything is covered but the segments of the path, which are drawn again from the picture.
void TimelineCanvas::paintFading(QPainter& painter, const QImage& picture, const Theme& theme) const {
  if (!m_path.onlyCritical() || !m_path.path()) return;
  painter.fillRect(rect(), withAlpha(theme.background, kFadingAlpha));
  const double ratio = devicePixelRatioF();
  for (const PathBox& mark : pathMarksShown().boxes) {
    const QRectF box = mark.box & QRectF(rect());
    if (box.isEmpty()) continue;
    painter.drawImage(
        box, picture,
        QRectF(box.left() * ratio, box.top() * ratio, box.width() * ratio, box.height() * ratio));
  }
}

// From the end of an activity to where it could end, as far as nothing follows it.
void TimelineCanvas::paintSlack(QPainter& painter, const Theme& theme) const {
  if (!m_path.path() || m_path.path()->segments().empty()) return;
  const double ratio = devicePixelRatioF();
  for (const LaneSpans& lane : m_content.laneSpans()) {
    const RankTrace& trace = *m_session.trace()->rank(lane.lane.rank).trace;
    const PixelScale scale = pixelScaleOf(lane.lane.rank);
    for (std::size_t i = 0; i < lane.spans.size(); ++i) {
      const RowSpan& span = lane.spans[i];
      if (!trace.isDeviceEvent(span.event)) continue;
      const std::int32_t next = i + 1 < lane.spans.size() ? lane.spans[i + 1].begin : scale.width();
      if ((next - span.end) / ratio < kMinSlack) continue;
      const auto slack = m_path.path()->slackOf({lane.lane.rank, span.event});
      if (!slack || *slack == 0) continue;
      const TimeNs end = trace.events.range(span.event).end;
      const double begin = span.end / ratio;
      const double until = std::min(next, scale.pixelAt(movedTime(end, *slack))) / ratio;
      if (until - begin < kMinSlack) continue;
      // Below what the gap itself shows: its cause, waiting.
      const double high = std::max(2.0, lane.lane.height * kSlackShare);
      const QRectF box(begin, lane.lane.bottom() - m_scrollTop - high, until - begin, high);
      QLinearGradient gradient(box.topLeft(), box.topRight());
      gradient.setColorAt(0, withAlpha(theme.accent, kSlackAlpha));
      gradient.setColorAt(1, withAlpha(theme.accent, 0));
      painter.fillRect(box, gradient);
    }
  }
}

void TimelineCanvas::paintPath(QPainter& painter, const Theme& theme) const {
  const PathMarks& marks = pathMarksShown();
  if (marks.boxes.empty()) return;
  painter.save();
  for (const PathBox& mark : marks.boxes) {
    if (!mark.box.intersects(QRectF(rect()).adjusted(-2, -2, 2, 2))) continue;
    painter.setBrush(Qt::NoBrush);
    if (mark.box.width() < kMinFilled) {
      painter.fillRect(QRectF(mark.box.left(), mark.box.top(), std::max(1.0, mark.box.width()), 2),
                       theme.accent);
      painter.fillRect(QRectF(mark.box.left(), mark.box.bottom() - 2, std::max(1.0, mark.box.width()), 2),
                       theme.accent);
      continue;
    }
    painter.fillRect(mark.box, withAlpha(theme.accent, kFillAlpha));
    QPen pen(theme.accent, 2);
    pen.setJoinStyle(Qt::MiterJoin);
    painter.setPen(pen);
    painter.drawRect(mark.box.adjusted(1, 1, -1, -1));
  }
  painter.setRenderHint(QPainter::Antialiasing);
  for (const PathLine& line : marks.lines) {
    if (std::max(line.from.y(), line.to.y()) < 0 || std::min(line.from.y(), line.to.y()) > height()) continue;
    QPainterPath curve(line.from);
    const double across = line.to.x() - line.from.x();
    // A step across time bends, so that it does not look like a slice.
    curve.cubicTo(line.from + QPointF(across / 2, 0), line.to - QPointF(across / 2, 0), line.to);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(withAlpha(theme.background, 200), line.jump ? 4.5 : 3.5));
    painter.drawPath(curve);
    painter.setPen(QPen(theme.accent, line.jump ? 2 : 1.5));
    painter.drawPath(curve);
    if (!line.jump) continue;
    painter.setBrush(theme.background);
    for (const QPointF& end : {line.from, line.to}) painter.drawEllipse(end, kKnot, kKnot);
  }
  const auto selected = m_path.selected();
  const auto box =
      std::ranges::find_if(marks.boxes, [&](const PathBox& mark) { return selected == mark.segment; });
  if (box != marks.boxes.end()) {
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.text, 2));
    painter.drawRect(box->box.adjusted(-1, -1, 1, 1));
  }
  painter.restore();
}

// "from rank 36" where a jump arrives, "to rank 37" where it leaves, unless another name is there already.
void TimelineCanvas::paintJumpNames(QPainter& painter, const Theme& theme) const {
  const PathMarks& marks = pathMarksShown();
  std::vector<QRect> taken;
  const int high = scaledToText(kNameHeight);
  const auto paint = [&](QPointF at, const QString& name, bool leftOf) {
    const TextCache::Text& text = m_texts.text(name);
    const int wide = text.width + 2 * kNamePadding;
    const auto x = static_cast<int>(std::lround(at.x()));
    const QRect box(leftOf ? x - kNameApart - wide : x + kNameApart,
                    static_cast<int>(std::lround(at.y())) - high / 2, wide, high);
    if (!rect().contains(box)) return;
    if (std::ranges::any_of(taken, [&](const QRect& other) { return other.intersects(box); })) return;
    taken.push_back(box);
    painter.setPen(QPen(theme.accent, 1));
    painter.setBrush(theme.background);
    painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), high / 2.0, high / 2.0);
    painter.setPen(theme.accent);
    m_texts.draw(painter, box.adjusted(kNamePadding, 0, 0, 0), text);
  };
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  const auto number = [&](RankIndex rank) { return m_session.trace()->rank(rank).rank; };
  for (const PathLine& line : marks.lines)
    if (line.jump) paint(line.to, tr("from rank %1").arg(number(line.fromRank)), true);
  for (const PathLine& line : marks.lines) {
    if (!line.jump) continue;
    paint(line.from, tr("to rank %1").arg(number(m_path.path()->segments()[line.segment].rank)), false);
  }
  painter.restore();
}

} // namespace rankscope::ui
