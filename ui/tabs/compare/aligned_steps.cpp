// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/compare/aligned_steps.h"

#include "ui/base/text_scale.h"
#include "ui/charts/axis_text.h"
#include "ui/charts/plot_view.h"
#include "ui/job/trace_session.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kRuler = 20;
constexpr int kLane = 15;
constexpr int kLaneGap = 2;
constexpr int kSideGap = 10;
constexpr int kDifference = 30;
constexpr int kLabel = 118;
constexpr int kTickDistance = 90;
constexpr TimeNs kLeastView = 1'000;
constexpr int kDragStart = 4;

} // namespace

struct AlignedSteps::Lane {
  QString title;
  ThemeColor color;
  bool hatched = false;
  const IntervalSet* set = nullptr;
};

namespace {

QString phaseTitle(std::size_t lane) {
  const std::array<QString, 4> titles = {AlignedSteps::tr("phases"), AlignedSteps::tr("compute"),
                                         AlignedSteps::tr("communication"), AlignedSteps::tr("memcpy")};
  return titles[lane];
}

constexpr std::size_t kLanes = 4;

// Of a step, in the window from its begin.
TimeRange windowOf(const AlignedSide& side, double from, double to) {
  const auto begin = side.range.begin + static_cast<TimeNs>(std::floor(from));
  return TimeRange{begin, side.range.begin + static_cast<TimeNs>(std::ceil(to))}.clippedTo(side.range);
}

} // namespace

AlignedSteps::AlignedSteps(const TraceSession& session, QWidget* parent)
    : QWidget(parent), m_session(session) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Aligned steps"));
  connect(&session, &TraceSession::themeChanged, this, qOverload<>(&QWidget::update));
}

void AlignedSteps::setPair(AlignedPair pair) {
  m_pair = std::move(pair);
  showAll();
}

TimeRange AlignedSteps::whole() const {
  return {0, std::max<TimeNs>(kLeastView, std::max(m_pair.a.range.length(), m_pair.b.range.length()))};
}

void AlignedSteps::showAll() {
  m_view = whole();
  m_view.end += m_view.end / 50;
  update();
}

void AlignedSteps::zoomTo(TimeRange view) {
  TimeRange all = whole();
  all.end += all.end / 50;
  const TimeNs length = std::clamp<TimeNs>(view.length(), kLeastView, all.length());
  const TimeNs begin = std::clamp<TimeNs>(view.begin, 0, all.end - length);
  m_view = {begin, begin + length};
  update();
}

QSize AlignedSteps::sizeHint() const {
  const int side = static_cast<int>(kLanes) * scaledToText(kLane + kLaneGap);
  return {700, scaledToText(kRuler) + 2 * side + 2 * scaledToText(kSideGap) + scaledToText(kDifference)};
}

QSize AlignedSteps::minimumSizeHint() const {
  return {scaledToText(300), sizeHint().height()};
}

int AlignedSteps::plotLeft() const {
  return scaledToText(kLabel);
}

int AlignedSteps::plotWidth() const {
  return std::max(1, width() - plotLeft() - 4);
}

qreal AlignedSteps::xOf(double time) const {
  return plotLeft() +
         (time - static_cast<double>(m_view.begin)) / static_cast<double>(m_view.length()) * plotWidth();
}

TimeNs AlignedSteps::timeAt(qreal x) const {
  const double share = (x - plotLeft()) / plotWidth();
  return m_view.begin + static_cast<TimeNs>(std::llround(share * static_cast<double>(m_view.length())));
}

int AlignedSteps::sideTop(bool ofB) const {
  const int side = static_cast<int>(kLanes) * scaledToText(kLane + kLaneGap) + scaledToText(kSideGap);
  return scaledToText(kRuler) + (ofB ? side : 0);
}

void AlignedSteps::zoomAround(qreal x, double factor) {
  const TimeNs at = timeAt(x);
  const auto scaled = [&](TimeNs edge) {
    return at + static_cast<TimeNs>(std::llround(static_cast<double>(edge - at) * factor));
  };
  zoomTo({scaled(m_view.begin), scaled(m_view.end)});
}

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
    painter.drawLine(x, scaledToText(kRuler) - 3, x, height());
    painter.setPen(theme.muted);
    const QString text = amountText(Unit::Nanoseconds, mark, marks.step);
    const int wide = QFontMetrics(font).horizontalAdvance(text) + 2;
    const int left = std::clamp(x - wide / 2, plotLeft(), std::max(plotLeft(), width() - wide));
    painter.drawText(QRect(left, 0, wide, scaledToText(kRuler) - 3), Qt::AlignLeft | Qt::AlignVCenter, text);
  }
}

// Each pixel as dark as the time in it that is covered.
void AlignedSteps::paintLane(QPainter& painter, const AlignedSide& side, const Lane& lane, int top,
                             int high) const {
  const Theme& theme = m_session.theme();
  const int left = plotLeft();
  int from = -1; // of a run of full pixels
  const auto flush = [&](int to) {
    if (from < 0) return;
    const QRectF box(from, top, to - from, high);
    painter.fillRect(box, chartFill(theme, lane.color, lane.hatched ? 0.45 : 1));
    if (lane.hatched) paintHatch(painter, box, theme.*lane.color);
    from = -1;
  };
  for (int x = left; x < left + plotWidth(); ++x) {
    const double begin =
        static_cast<double>(m_view.begin) + (x - left) * static_cast<double>(m_view.length()) / plotWidth();
    const double end = begin + static_cast<double>(m_view.length()) / plotWidth();
    const TimeRange window = windowOf(side, begin, end);
    const TimeNs covered = window.empty() ? 0 : lane.set->coveredWithin(window);
    const double share =
        window.empty() ? 0 : static_cast<double>(covered) / static_cast<double>(window.length());
    if (share > 0.98) {
      if (from < 0) from = x;
      continue;
    }
    flush(x);
    if (share <= 0) continue;
    QColor color = theme.*lane.color;
    color.setAlphaF(static_cast<float>(0.2 + 0.8 * share));
    painter.fillRect(x, top, 1, high, color);
  }
  flush(left + plotWidth());
}

void AlignedSteps::paintSide(QPainter& painter, bool ofB) const {
  const Theme& theme = m_session.theme();
  const AlignedSide& side = ofB ? m_pair.b : m_pair.a;
  const HostPhases& phases = side.analysis->wholePhases(side.rank);
  const DeviceActivity& device = side.analysis->wholeActivity(side.rank);
  const std::array<std::vector<Lane>, kLanes> lanes = {
      std::vector<Lane>{{{}, &Theme::forward, false, &phases.forward},
                        {{}, &Theme::backward, false, &phases.backward},
                        {{}, &Theme::optimizer, false, &phases.optimizer},
                        {{}, &Theme::dataLoader, false, &phases.dataLoader}},
      std::vector<Lane>{{{}, &Theme::kernel, false, &device.compute}},
      std::vector<Lane>{{{}, &Theme::communication, false, &device.communication},
                        {{}, &Theme::exposed, true, &device.exposed}},
      std::vector<Lane>{{{}, &Theme::memoryCopy, false, &device.memory}}};
  int top = sideTop(ofB);
  const int high = scaledToText(kLane);
  for (std::size_t i = 0; i < kLanes; ++i) {
    painter.setFont(textFont(11));
    painter.setPen(theme.muted);
    painter.drawText(QRect(scaledToText(24), top, plotLeft() - scaledToText(30), high),
                     Qt::AlignLeft | Qt::AlignVCenter, phaseTitle(i));
    for (const Lane& lane : lanes[i]) paintLane(painter, side, lane, top, high);
    top += scaledToText(kLane + kLaneGap);
  }
  painter.setFont(textFont(12, QFont::DemiBold));
  painter.setPen(theme.text);
  painter.drawText(QRect(0, sideTop(ofB), scaledToText(20), high), Qt::AlignLeft | Qt::AlignVCenter,
                   ofB ? QStringLiteral("B") : QStringLiteral("A"));
  // Where the step ends.
  const qreal end = xOf(static_cast<double>(side.range.length()));
  painter.setPen(QPen(theme.text, 1.5, ofB ? Qt::SolidLine : Qt::DashLine));
  painter.drawLine(QPointF(end, sideTop(ofB) - 2), QPointF(end, top));
}

void AlignedSteps::paintDifference(QPainter& painter) const {
  const Theme& theme = m_session.theme();
  const int top = sideTop(true) + sideTop(true) - sideTop(false);
  const int high = scaledToText(kDifference) - 4;
  const int middle = top + high / 2;
  painter.setFont(textFont(11));
  painter.setPen(theme.muted);
  painter.drawText(QRect(0, top, plotLeft() - 6, high), Qt::AlignLeft | Qt::AlignVCenter, tr("busy B − A"));
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

void AlignedSteps::paintEvent(QPaintEvent*) {
  if (!m_pair.valid()) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  paintRuler(painter);
  painter.setClipRect(rect());
  paintSide(painter, false);
  paintSide(painter, true);
  paintDifference(painter);
  if (m_mouse >= plotLeft()) {
    painter.setPen(m_session.theme().muted);
    painter.drawLine(m_mouse, scaledToText(kRuler) - 3, m_mouse, height());
  }
  if (!hasFocus()) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(m_session.theme().accent);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

bool AlignedSteps::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  if (!m_pair.valid() || help->pos().x() < plotLeft()) return QWidget::event(event);
  const TimeNs time = timeAt(help->pos().x());
  QToolTip::showText(
      help->globalPos(),
      tr("%1 after the begin of both steps<br>A: %2<br>B: %3<br>Click to see it on the timeline")
          .arg(amountText(Unit::Nanoseconds, static_cast<double>(time)), m_pair.a.title.toHtmlEscaped(),
               m_pair.b.title.toHtmlEscaped()),
      this);
  return true;
}

void AlignedSteps::wheelEvent(QWheelEvent* event) {
  const QPoint turned = event->angleDelta();
  if (turned.y() == 0 || !m_pair.valid() || !(event->modifiers() & Qt::ControlModifier))
    return event->ignore();
  zoomAround(event->position().x(), turned.y() > 0 ? 0.8 : 1.25);
  event->accept();
}

void AlignedSteps::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return event->ignore();
  m_pressedAt = static_cast<int>(event->position().x());
  m_pressedView = m_view;
  m_dragged = false;
}

void AlignedSteps::mouseMoveEvent(QMouseEvent* event) {
  m_mouse = static_cast<int>(event->position().x());
  if (m_pressedAt >= 0 && std::abs(m_mouse - m_pressedAt) >= kDragStart) m_dragged = true;
  if (m_dragged) {
    const double moved = static_cast<double>(m_pressedAt - m_mouse) / plotWidth();
    const auto by = static_cast<TimeNs>(std::llround(moved * static_cast<double>(m_pressedView.length())));
    zoomTo({m_pressedView.begin + by, m_pressedView.end + by});
  }
  update();
}

void AlignedSteps::mouseReleaseEvent(QMouseEvent* event) {
  const bool clicked = m_pressedAt >= 0 && !m_dragged && event->button() == Qt::LeftButton;
  m_pressedAt = -1;
  m_dragged = false;
  if (!clicked || !m_pair.valid() || event->position().x() < plotLeft()) return;
  emit placeClicked(event->position().y() >= sideTop(true), timeAt(event->position().x()));
}

void AlignedSteps::mouseDoubleClickEvent(QMouseEvent*) {
  showAll();
}

void AlignedSteps::leaveEvent(QEvent*) {
  m_mouse = -1;
  update();
}

void AlignedSteps::keyPressEvent(QKeyEvent* event) {
  const TimeNs by = m_view.length() / 8;
  const qreal middle = plotLeft() + plotWidth() / 2.0;
  switch (event->key()) {
  case Qt::Key_W:
  case Qt::Key_Plus:
    return zoomAround(middle, 0.8);
  case Qt::Key_S:
  case Qt::Key_Minus:
    return zoomAround(middle, 1.25);
  case Qt::Key_A:
    return zoomTo({m_view.begin - by, m_view.end - by});
  case Qt::Key_D:
    return zoomTo({m_view.begin + by, m_view.end + by});
  case Qt::Key_Home:
  case Qt::Key_0:
    return showAll();
  default:
    return event->ignore();
  }
}

} // namespace rankscope::ui
