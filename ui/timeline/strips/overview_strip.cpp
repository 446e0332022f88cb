// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/strips/overview_strip.h"

#include "core/base/unit_text.h"
#include "core/query/row_spans.h"
#include "ui/job/event_finder.h"
#include "ui/timeline/picture/search_marks.h"
#include "ui/timeline/picture/span_raster.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <set>

namespace rankscope::ui {
namespace {

constexpr int kPadding = 4;
constexpr int kHitsHeight = 4;
constexpr double kEdge = 5; // how near the mouse must be to the window's edge to hold it

} // namespace

OverviewStrip::OverviewStrip(TraceSession& session, const RankSummaries& summaries, QWidget* parent)
    : QWidget(parent), m_session(session), m_summaries(summaries) {
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setFixedHeight(kHeight);
  connect(&session, &TraceSession::windowChanged, this, qOverload<>(&QWidget::update));
  connect(&session, &TraceSession::rangeChanged, this, qOverload<>(&QWidget::update));
  connect(&session, &TraceSession::pointedPlaceChanged, this, qOverload<>(&QWidget::update));
  connect(&session, &TraceSession::traceChanged, this, &OverviewStrip::summariesChanged);
  connect(&session, &TraceSession::shiftsChanged, this, &OverviewStrip::summariesChanged);
  connect(&session, &TraceSession::themeChanged, this, &OverviewStrip::summariesChanged);
}

void OverviewStrip::setMargins(int left, int right) {
  m_leftMargin = left;
  m_rightMargin = right;
  summariesChanged();
}

void OverviewStrip::summariesChanged() {
  m_picture = {};
  update();
}

void OverviewStrip::resizeEvent(QResizeEvent* event) {
  m_picture = {};
  QWidget::resizeEvent(event);
}

QRect OverviewStrip::strip() const {
  return {m_leftMargin, 0, std::max(1, width() - m_leftMargin - m_rightMargin), height() - 1};
}

PixelScale OverviewStrip::pixelScale() const {
  return PixelScale(m_session.limits(), static_cast<int>(std::lround(strip().width() * devicePixelRatioF())));
}

double OverviewStrip::xOf(TimeNs t) const {
  return m_leftMargin + pixelScale().pixelAt(t) / devicePixelRatioF();
}

TimeNs OverviewStrip::timeAt(double x) const {
  return pixelScale().timeAt(static_cast<std::int32_t>(std::floor((x - m_leftMargin) * devicePixelRatioF())));
}

QRectF OverviewStrip::windowBox() const {
  const TimeRange window = m_session.window();
  const double left = xOf(window.begin);
  const double right = std::max(xOf(window.end), left + 2);
  return {left, 1, right - left, height() - 3.0};
}

void OverviewStrip::paintPicture() {
  const Theme& theme = m_session.theme();
  const double ratio = devicePixelRatioF();
  m_picture = QImage((QSizeF(strip().size()) * ratio).toSize(), QImage::Format_RGB32);
  m_picture.fill(theme.panel);
  const std::size_t rankCount = m_session.trace()->ranks().size();
  if (rankCount == 0) return;
  const int padding = static_cast<int>(std::lround(kPadding * ratio));
  const int room = m_picture.height() - 2 * padding;
  // A line is at least two pixels high, one of them the gap, as long as there is room for it.
  const auto lines = static_cast<int>(std::min<std::size_t>(rankCount, static_cast<std::size_t>(room)));
  for (int i = 0; i < lines; ++i) {
    const int top = padding + i * room / lines;
    const int bottom = padding + (i + 1) * room / lines;
    const int gap = bottom - top >= 3 ? std::max(1, (bottom - top) / 8) : 0;
    const auto rank = static_cast<std::size_t>(i) * rankCount / static_cast<std::size_t>(lines);
    paintRankLine(rank, top, bottom - top - gap);
  }
}

void OverviewStrip::paintRankLine(std::size_t index, int top, int height) {
  const Theme& theme = m_session.theme();
  const RankIndex rank(index);
  const RankSummary* const summary = m_summaries.of(rank);
  if (!summary) return;
  const DeviceActivity& activity = *m_summaries.activityOf(rank);
  SpanRaster raster(m_picture);
  std::vector<CoverSpan> cover;
  std::vector<ColorSpan> ink;
  const TimeRange all = m_session.limits();
  const TimeNs shift = m_session.shiftOf(rank);
  const auto add = [&](const IntervalSet& set, QColor color, std::uint8_t least) {
    coverSpans(set, PixelScale({all.begin - shift, all.end - shift}, m_picture.width()), cover);
    for (const CoverSpan& span : cover) {
      if (span.busy >= least) ink.push_back({span.begin, span.end, color.rgb(), span.busy});
    }
  };
  if (activity.busy.empty()) {
    add(summary->hostBusy, theme.cpuOp, 0);
    add(summary->hostCommunication, theme.communication, 64);
  } else {
    add(activity.memory, theme.memoryCopy, 0);
    add(activity.communication, theme.communication, 0);
    add(activity.compute, theme.kernel, 0);
    // What no computation hides is what costs: it is painted last.
    add(activity.exposed, theme.communication, 64);
  }
  constexpr int kNoSeparators = 1 << 30;
  raster.drawLaneOn(mixed(theme.panel.rgb(), theme.background.rgb(), 160), top, height, ink, kNoSeparators);
}

QString OverviewStrip::caption() const {
  const TraceSet& traces = *m_session.trace();
  std::set<std::int64_t> steps;
  for (std::size_t i = 0; i < traces.ranks().size(); ++i) {
    const auto* const marked = m_summaries.stepsOf(RankIndex(i));
    if (!marked) continue;
    std::set<std::int64_t> own;
    for (const Step& step : *marked) own.insert(step.number);
    if (own.size() > steps.size()) steps = std::move(own);
  }
  const QString length = QString::fromStdString(durationText(traces.extent().length()));
  if (steps.empty()) return length;
  return (steps.size() == 1 ? tr("1 step") : tr("%1 steps").arg(steps.size())) + QStringLiteral("  ·  ") +
         length;
}

void OverviewStrip::paintEvent(QPaintEvent*) {
  const Theme& theme = m_session.theme();
  QPainter painter(this);
  painter.fillRect(rect(), theme.panel);
  painter.fillRect(QRect(0, height() - 1, width(), 1), theme.line);
  if (!m_session.trace() || m_session.limits().empty()) return;
  painter.setFont(textFont(11));
  painter.setPen(theme.muted);
  painter.drawText(QRect(16, 0, m_leftMargin - 24, height() - 1), Qt::AlignLeft | Qt::AlignVCenter,
                   caption());
  if (m_picture.isNull()) paintPicture();
  painter.drawImage(QRectF(strip()), m_picture, QRectF(m_picture.rect()));

  painter.setClipRect(strip());
  if (m_finder)
    paintHitTimes(painter, theme, *m_finder, m_session.limits(), pixelScale(),
                  QRectF(strip().left(), height() - 1 - kHitsHeight, strip().width(), kHitsHeight));
  const QRectF window = windowBox();
  const bool everything = m_session.window() == m_session.limits();
  QColor veil = theme.panel;
  veil.setAlpha(120);
  if (!everything) {
    painter.fillRect(QRectF(strip().left(), 0, window.left() - strip().left(), height() - 1), veil);
    painter.fillRect(QRectF(window.right(), 0, strip().right() + 1 - window.right(), height() - 1), veil);
  }
  if (const auto range = m_session.range()) {
    QColor tint = theme.accent;
    tint.setAlpha(70);
    painter.fillRect(
        QRectF(xOf(range->begin), 1, std::max(1.0, xOf(range->end) - xOf(range->begin)), height() - 3), tint);
  }
  if (const auto place = m_session.pointedPlace()) {
    const TimeRange drawn = m_session.drawn({}, *place);
    const double left = xOf(drawn.begin);
    painter.fillRect(QRectF(left, 1, std::max(3.0, xOf(drawn.end) - left), height() - 3), theme.warn);
  }
  QColor glass = theme.accent;
  glass.setAlpha(everything ? 0 : 34);
  painter.setBrush(glass);
  painter.setPen(QPen(theme.accent, 1));
  if (!everything) painter.drawRect(window.adjusted(0.5, 0.5, -0.5, -0.5));
}

OverviewStrip::Grip OverviewStrip::gripAt(QPointF position) const {
  if (!m_session.trace() || !strip().contains(position.toPoint())) return Grip::None;
  const QRectF box = windowBox();
  const double x = position.x();
  // A narrow window keeps a middle to be held by.
  const double edge = std::min(kEdge, box.width() / 4);
  if (std::abs(x - box.left()) <= edge || (x < box.left() && box.left() - x <= kEdge)) return Grip::Begin;
  if (std::abs(x - box.right()) <= edge || (x > box.right() && x - box.right() <= kEdge)) return Grip::End;
  return box.left() < x && x < box.right() ? Grip::Window : Grip::New;
}

void OverviewStrip::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  m_grip = gripAt(event->position());
  // A window over everything cannot be moved: dragging there marks a new one.
  if (m_session.window() == m_session.limits() && m_grip != Grip::None) m_grip = Grip::New;
  m_pressedX = event->position().x();
  m_pressedWindow = m_session.window();
  if (m_grip != Grip::None) m_session.rememberWindow();
}

void OverviewStrip::mouseMoveEvent(QMouseEvent* event) {
  const double x = std::clamp<double>(event->position().x(), strip().left(), strip().right());
  const TimeNs t = m_session.trace() ? timeAt(x) : 0;
  switch (m_grip) {
  case Grip::None: {
    const Grip grip = gripAt(event->position());
    const bool edge = grip == Grip::Begin || grip == Grip::End;
    setCursor(edge ? Qt::SizeHorCursor : grip == Grip::Window ? Qt::OpenHandCursor : Qt::ArrowCursor);
    break;
  }
  case Grip::Window: {
    const TimeNs moved = t - timeAt(m_pressedX);
    m_session.setWindow({m_pressedWindow.begin + moved, m_pressedWindow.end + moved}, false);
    break;
  }
  case Grip::Begin:
    m_session.setWindow({std::min(t, m_pressedWindow.end - TraceSession::kMinWindow), m_pressedWindow.end},
                        false);
    break;
  case Grip::End:
    m_session.setWindow(
        {m_pressedWindow.begin, std::max(t, m_pressedWindow.begin + TraceSession::kMinWindow)}, false);
    break;
  case Grip::New: {
    const TimeNs from = timeAt(m_pressedX);
    if (std::abs(x - m_pressedX) >= 4) m_session.setWindow({std::min(from, t), std::max(from, t)}, false);
    break;
  }
  }
}

void OverviewStrip::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const Grip grip = std::exchange(m_grip, Grip::None);
  if (grip != Grip::New || std::abs(event->position().x() - m_pressedX) >= 4) return;
  // A click beside the window brings it there.
  const TimeNs length = m_session.window().length();
  const TimeNs begin = timeAt(m_pressedX) - length / 2;
  m_session.setWindow({begin, begin + length}, false);
}

void OverviewStrip::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) m_session.fitAll();
}

} // namespace rankscope::ui
