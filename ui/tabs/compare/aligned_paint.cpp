// SPDX-License-Identifier: GPL-3.0-or-later
// How the aligned steps are drawn.
#include "core/analysis/classify/short_name.h"
#include "core/query/row_spans.h"
#include "ui/base/text_scale.h"
#include "ui/charts/axis_text.h"
#include "ui/charts/plot_view.h"
#include "ui/job/trace_session.h"
#include "ui/tabs/compare/aligned_metrics.h"
#include "ui/tabs/compare/aligned_steps.h"

#include <QFontMetrics>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace rankscope::ui {

struct AlignedSteps::PhaseLane {
  QString title;
  ThemeColor color = &Theme::faint;
  const IntervalSet* set = nullptr;
};

namespace {

constexpr int kTickDistance = 90;
constexpr int kLeastLabel = 28; // pixels of an event that has its name in it
constexpr int kLeastMarked = 3; // of one that is marked where only one side has it

// Of a step, in the window from its begin.
TimeRange windowOf(const AlignedSide& side, double from, double to) {
  const auto begin = side.range.begin + static_cast<TimeNs>(std::floor(from));
  return TimeRange{begin, side.range.begin + static_cast<TimeNs>(std::ceil(to))}.clippedTo(side.range);
}

// ground: behind the text, where the box is hatched.
void paintLabel(QPainter& painter, QRectF box, const QString& text, QColor color, QColor ground = {}) {
  if (box.width() < kLeastLabel) return;
  const QRectF room = box.adjusted(4, 0, -3, 0);
  const QString shown =
      QFontMetrics(painter.font()).elidedText(text, Qt::ElideRight, static_cast<int>(room.width()));
  if (shown.size() < 3 && shown != text) return;
  if (ground.isValid()) {
    const int wide = QFontMetrics(painter.font()).horizontalAdvance(shown);
    painter.fillRect(QRectF(room.left() - 2, box.top(), wide + 4, box.height()), ground);
  }
  painter.setPen(color);
  painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, shown);
}

} // namespace

void AlignedSteps::paintRuler(QPainter& painter) const {
  const Theme& theme = m_session.theme();
  const QFont font = numberFont(10);
  painter.setFont(font);
  const auto begin = static_cast<double>(m_view.begin);
  const auto end = static_cast<double>(m_view.end);
  const AxisMarks marks = axisMarks(begin, end, std::max(1, plotWidth() / scaledToText(kTickDistance)));
  for (const double mark : marks.at) {
    const int x = static_cast<int>(std::lround(xOf(mark)));
    painter.setPen(theme.line);
    painter.drawLine(x, scaledToText(kAlignedRuler) - 3, x, height());
    painter.setPen(theme.muted);
    const QString text = amountText(Unit::Nanoseconds, mark, marks.step);
    const int wide = QFontMetrics(font).horizontalAdvance(text) + 2;
    const int left = std::clamp(x - wide / 2, plotLeft(), std::max(plotLeft(), width() - wide));
    painter.drawText(QRect(left, 0, wide, scaledToText(kAlignedRuler) - 3), Qt::AlignLeft | Qt::AlignVCenter,
                     text);
  }
}

// Stretches of a phase; those of less than a pixel as one.
void AlignedSteps::paintPhase(QPainter& painter, const AlignedSide& side, const PhaseLane& lane,
                              int top) const {
  const Theme& theme = m_session.theme();
  std::vector<CoverSpan> spans;
  coverSpans(*lane.set, scaleOf(side), spans);
  for (const CoverSpan& span : spans) {
    const int left = std::max(0, span.begin);
    const int right = std::min(plotWidth(), span.end);
    if (right <= left) continue;
    const QRectF box(plotLeft() + left, top, right - left, scaledToText(kAlignedLane));
    const QColor color = chartFill(theme, lane.color, 0.35 + 0.65 * span.busy / 255.0);
    painter.fillRect(box, color);
    paintLabel(painter, box, lane.title, textOn(theme, theme.*lane.color));
  }
}

void AlignedSteps::paintPhases(QPainter& painter, const AlignedSide& side, int top) const {
  const HostPhases& phases = side.analysis->wholePhases(side.rank);
  painter.setFont(textFont(10));
  for (const PhaseLane& lane : {PhaseLane{tr("forward"), &Theme::forward, &phases.forward},
                                PhaseLane{tr("backward"), &Theme::backward, &phases.backward},
                                PhaseLane{tr("optimizer"), &Theme::optimizer, &phases.optimizer},
                                PhaseLane{tr("DataLoader"), &Theme::dataLoader, &phases.dataLoader}})
    paintPhase(painter, side, lane, top);
}

// Where communication is not overlapped by compute.
void AlignedSteps::paintExposed(QPainter& painter, const AlignedSide& side, int top) const {
  std::vector<CoverSpan> spans;
  coverSpans(side.analysis->wholeActivity(side.rank).exposed, scaleOf(side), spans);
  for (const CoverSpan& span : spans) {
    const int left = std::max(0, span.begin);
    const int right = std::min(plotWidth(), span.end);
    if (right > left)
      paintHatch(painter, QRectF(plotLeft() + left, top, right - left, scaledToText(kAlignedLane)),
                 m_session.theme().exposed);
  }
}

void AlignedSteps::paintLane(QPainter& painter, bool ofB, std::size_t lane, int top) {
  const Theme& theme = m_session.theme();
  const AlignedSide& side = m_pair.side(ofB);
  const RankTrace& trace = side.trace();
  const StringTable& names = side.analysis->trace().names();
  const int high = scaledToText(kAlignedLane);
  const PixelScale scale = scaleOf(side);
  std::vector<RowSpan> spans;
  struct Label {
    QRectF box;
    EventIndex event;
    QColor ink, ground;
  };
  std::vector<Label> labels; // above the hatching of exposed communication
  const bool hatched = side.lanes[lane].communication;
  for (const RowIndex row : side.lanes[lane].rows) {
    rowSpans(trace, row, scale, spans);
    for (const RowSpan& span : spans) {
      if (!side.range.contains(trace.events.begin[span.event])) continue;
      const QRectF box(plotLeft() + span.begin, top, span.end - span.begin, high);
      QColor color = QColor::fromRgb(
          (*m_colors)[ofB ? 1 : 0].colorOf(trace.events.kind[span.event], trace.events.name[span.event]));
      const QColor text = textOn(theme, color);
      color.setAlphaF(static_cast<float>(0.35 + 0.65 * span.busy / 255.0));
      // A gap between neighbors of one color, where there is room for it.
      painter.fillRect(span.end - span.begin > 3 ? box.adjusted(0, 0, -1, 0) : box, color);
      if (span.end - span.begin < kLeastMarked) continue;
      if (m_pair.calls && !m_pair.calls->tooMany && m_pair.calls->pairOf(ofB, span.event) == nullptr &&
          isAligned(side, span.event))
        painter.fillRect(QRectF(box.left(), top + high - 3, box.width(), 3), theme.warn);
      if (box.width() >= kLeastLabel) labels.push_back({box, span.event, text, hatched ? color : QColor()});
    }
  }
  if (hatched) paintExposed(painter, side, top);
  painter.setFont(textFont(10));
  for (const Label& label : labels)
    paintLabel(painter, label.box,
               QString::fromStdString(
                   shortName(trace.events.kind[label.event], names[trace.events.name[label.event]])),
               label.ink, label.ground);
}

void AlignedSteps::paintSide(QPainter& painter, bool ofB) {
  const Theme& theme = m_session.theme();
  const AlignedSide& side = m_pair.side(ofB);
  const int high = scaledToText(kAlignedLane);
  for (std::size_t i = 0; i <= side.lanes.size(); ++i) {
    painter.setFont(textFont(11));
    painter.setPen(theme.muted);
    const QRect room(scaledToText(22), laneTop(ofB, i), plotLeft() - scaledToText(28), high);
    const QString title = i == 0 ? tr("phases") : side.lanes[i - 1].title;
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(painter.font()).elidedText(title, Qt::ElideRight, room.width()));
  }
  painter.setFont(textFont(12, QFont::DemiBold));
  painter.setPen(theme.text);
  painter.drawText(QRect(0, sideTop(ofB), scaledToText(20), high), Qt::AlignLeft | Qt::AlignVCenter,
                   ofB ? QStringLiteral("B") : QStringLiteral("A"));
  const qreal end = xOf(static_cast<double>(side.range.length()));
  const int bottom = laneTop(ofB, side.lanes.size() + 1);
  painter.save();
  painter.setClipRect(QRectF(plotLeft(), 0, std::clamp<qreal>(end - plotLeft(), 0, plotWidth()), height()));
  paintPhases(painter, side, sideTop(ofB));
  for (std::size_t i = 0; i < side.lanes.size(); ++i) paintLane(painter, ofB, i, laneTop(ofB, i + 1));
  painter.restore();
  // Where the step ends.
  if (end > plotLeft() + plotWidth()) return;
  painter.setPen(QPen(theme.text, 1.5, ofB ? Qt::SolidLine : Qt::DashLine));
  painter.drawLine(QPointF(end, sideTop(ofB) - 2), QPointF(end, bottom));
}

void AlignedSteps::paintDifference(QPainter& painter) const {
  const Theme& theme = m_session.theme();
  const int top = sideTop(true) + sideHeight(true);
  const int high = scaledToText(kAlignedDifference) - 4;
  const int middle = top + high / 2;
  painter.setFont(textFont(11));
  painter.setPen(theme.muted);
  painter.drawText(QRect(0, top, plotLeft() - 6, high), Qt::AlignLeft | Qt::AlignVCenter, tr("busy B − A"));
  const auto hasDevice = [](const AlignedSide& side) {
    return !side.analysis->wholeActivity(side.rank).busy.empty();
  };
  if (!hasDevice(m_pair.a) && !hasDevice(m_pair.b)) {
    painter.drawText(QRect(plotLeft(), top, plotWidth(), high), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("no GPU activity recorded"));
    return;
  }
  painter.setPen(theme.line);
  painter.drawLine(plotLeft(), middle, plotLeft() + plotWidth(), middle);
  const auto busy = [&](const AlignedSide& side, double begin, double end) {
    const TimeRange window = windowOf(side, begin, end);
    if (window.empty()) return 0.0;
    return static_cast<double>(side.analysis->wholeActivity(side.rank).busy.coveredWithin(window)) /
           (end - begin);
  };
  constexpr int kStep = 3; // pixels, so that single kernels do not flicker
  for (int x = plotLeft(); x < plotLeft() + plotWidth(); x += kStep) {
    const auto begin = static_cast<double>(m_view.begin) +
                       (x - plotLeft()) * static_cast<double>(m_view.length()) / plotWidth();
    const double end = begin + kStep * static_cast<double>(m_view.length()) / plotWidth();
    const double difference = std::clamp(busy(m_pair.b, begin, end) - busy(m_pair.a, begin, end), -1.0, 1.0);
    const int bar = static_cast<int>(std::lround(difference * high / 2));
    if (bar > 0) painter.fillRect(x, middle - bar, kStep - 1, bar, theme.warn);
    if (bar < 0) painter.fillRect(x, middle, kStep - 1, -bar, theme.accent);
  }
}

// Both calls outlined, and a line between them.
void AlignedSteps::paintChosen(QPainter& painter) const {
  if (!m_chosen) return;
  const Theme& theme = m_session.theme();
  const QRectF a = boxOf(false, m_chosen->a);
  const QRectF b = boxOf(true, m_chosen->b);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme.text, 2));
  for (const QRectF& box : {a, b}) {
    if (!box.isNull()) painter.drawRect(box.adjusted(0, 0, -1, 0));
  }
  if (a.isNull() || b.isNull()) return;
  const QPointF from(a.center().x(), a.bottom());
  const QPointF to(b.center().x(), b.top());
  const qreal bend = std::max(8.0, (to.y() - from.y()) / 2);
  QPainterPath path(from);
  path.cubicTo(from + QPointF(0, bend), to - QPointF(0, bend), to);
  painter.setPen(QPen(theme.accent, 1.5));
  painter.drawPath(path);
}

void AlignedSteps::paintEvent(QPaintEvent*) {
  if (!m_pair.valid()) return;
  if (!m_colors)
    m_colors = std::array{EventPalette(m_session.theme(), m_pair.a.analysis->trace().names()),
                          EventPalette(m_session.theme(), m_pair.b.analysis->trace().names())};
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  paintRuler(painter);
  painter.setClipRect(rect());
  paintSide(painter, false);
  paintSide(painter, true);
  paintDifference(painter);
  paintChosen(painter);
  if (m_mouse >= plotLeft()) {
    painter.setPen(m_session.theme().muted);
    painter.drawLine(m_mouse, scaledToText(kAlignedRuler) - 3, m_mouse, height());
  }
  if (!hasFocus()) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(m_session.theme().accent);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

} // namespace rankscope::ui
