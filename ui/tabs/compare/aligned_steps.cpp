// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/compare/aligned_steps.h"

#include "core/query/row_spans.h"
#include "ui/base/text_scale.h"
#include "ui/charts/axis_text.h"
#include "ui/job/trace_session.h"
#include "ui/tabs/compare/aligned_metrics.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr TimeNs kLeastView = 1'000;
constexpr int kDragStart = 4;
constexpr int kReach = 2; // pixels beside an event that still hit it

bool sameStep(const AlignedSide& one, const AlignedSide& other) {
  return one.analysis && other.analysis && one.analysis->sharedTrace() == other.analysis->sharedTrace() &&
         one.rank == other.rank && one.range == other.range;
}

} // namespace

AlignedSteps::AlignedSteps(const TraceSession& session, QWidget* parent)
    : QWidget(parent), m_session(session) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Aligned steps"));
  connect(&session, &TraceSession::themeChanged, this, [this] {
    m_colors.reset();
    update();
  });
}

void AlignedSteps::setPair(AlignedPair pair) {
  const bool same = sameStep(m_pair.a, pair.a) && sameStep(m_pair.b, pair.b);
  m_pair = std::move(pair);
  m_colors.reset();
  if (!same) {
    setChosen({});
    showAll();
  }
  updateGeometry();
  update();
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
  return {700, sideTop(true) + sideHeight(true) + scaledToText(kAlignedDifference)};
}

QSize AlignedSteps::minimumSizeHint() const {
  return {scaledToText(300), sizeHint().height()};
}

int AlignedSteps::plotLeft() const {
  return scaledToText(kAlignedLabel);
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
  return scaledToText(kAlignedRuler) + (ofB ? sideHeight(false) : 0);
}

int AlignedSteps::sideHeight(bool ofB) const {
  const auto lanes = static_cast<int>(m_pair.side(ofB).lanes.size()) + 1;
  return lanes * scaledToText(kAlignedLane + kAlignedLaneGap) + scaledToText(kAlignedSideGap);
}

int AlignedSteps::laneTop(bool ofB, std::size_t lane) const {
  return sideTop(ofB) + static_cast<int>(lane) * scaledToText(kAlignedLane + kAlignedLaneGap);
}

PixelScale AlignedSteps::scaleOf(const AlignedSide& side) const {
  return {{side.range.begin + m_view.begin, side.range.begin + m_view.end}, plotWidth()};
}

// The innermost event under a place; the nearest one within reach.
std::optional<AlignedSteps::Hit> AlignedSteps::hitAt(QPointF place) const {
  if (!m_pair.valid() || place.x() < plotLeft()) return std::nullopt;
  const bool ofB = place.y() >= sideTop(true);
  const AlignedSide& side = m_pair.side(ofB);
  const PixelScale scale = scaleOf(side);
  const auto pixel = static_cast<std::int32_t>(place.x()) - plotLeft();
  for (std::size_t i = 0; i < side.lanes.size(); ++i) {
    const int top = laneTop(ofB, i + 1);
    if (place.y() < top || place.y() >= top + scaledToText(kAlignedLane + kAlignedLaneGap)) continue;
    for (int away = 0; away <= kReach; ++away) {
      for (auto row = side.lanes[i].rows.rbegin(); row != side.lanes[i].rows.rend(); ++row) {
        for (const int at : {pixel - away, pixel + away}) {
          const RowSpan span = spanAt(side.trace(), *row, scale, at);
          if (span.count > 0 && side.range.contains(side.trace().events.begin[span.event]))
            return Hit{ofB, span.event};
        }
      }
    }
  }
  return std::nullopt;
}

QRectF AlignedSteps::boxOf(bool ofB, EventIndex event) const {
  if (!m_pair.valid() || !event.valid()) return {};
  const AlignedSide& side = m_pair.side(ofB);
  const RowIndex row = side.trace().rowOf(event);
  for (std::size_t i = 0; i < side.lanes.size(); ++i) {
    if (std::ranges::find(side.lanes[i].rows, row) == side.lanes[i].rows.end()) continue;
    const TimeRange range = side.trace().events.range(event);
    const qreal left = std::max<qreal>(plotLeft(), xOf(static_cast<double>(range.begin - side.range.begin)));
    const qreal right =
        std::min<qreal>(plotLeft() + plotWidth(), xOf(static_cast<double>(range.end - side.range.begin)));
    if (right < plotLeft() || left > plotLeft() + plotWidth()) return {};
    return {left, static_cast<qreal>(laneTop(ofB, i + 1)), std::max(2.0, right - left),
            static_cast<qreal>(scaledToText(kAlignedLane))};
  }
  return {};
}

void AlignedSteps::setChosen(std::optional<AlignedCall> call) {
  if (m_chosen == call) return;
  m_chosen = call;
  update();
  emit callChosen();
}

void AlignedSteps::choose(bool ofB, EventIndex event) {
  if (!event.valid() || !m_pair.valid()) return setChosen({});
  setChosen(alignedCallOf(m_pair, ofB, event));
  bringIntoView();
}

// Both calls, if they are not seen: as much around them as before, or as much as holds both.
void AlignedSteps::bringIntoView() {
  if (!m_chosen) return;
  std::optional<TimeRange> places;
  for (const bool ofB : {false, true}) {
    const EventIndex event = m_chosen->of(ofB);
    if (!event.valid()) continue;
    const AlignedSide& side = m_pair.side(ofB);
    const TimeRange range = side.trace().events.range(event);
    const TimeRange place{range.begin - side.range.begin, range.end - side.range.begin};
    places = places ? places->unitedWith(place) : place;
  }
  if (!places || (places->begin >= m_view.begin && places->end <= m_view.end)) return;
  const TimeNs length = std::max(m_view.length(), places->length() + places->length() / 4);
  const TimeNs middle = places->begin + places->length() / 2;
  zoomTo({middle - length / 2, middle - length / 2 + length});
}

void AlignedSteps::zoomAround(qreal x, double factor) {
  const TimeNs at = timeAt(x);
  const auto scaled = [&](TimeNs edge) {
    return at + static_cast<TimeNs>(std::llround(static_cast<double>(edge - at) * factor));
  };
  zoomTo({scaled(m_view.begin), scaled(m_view.end)});
}

// The next call of the lane in which one was chosen.
void AlignedSteps::walk(int by) {
  if (!m_chosen) return;
  const bool ofB = m_chosen->chosenInB;
  if (const auto next = callBeside(m_pair.side(ofB), m_chosen->of(ofB), by)) choose(ofB, *next);
}

QString AlignedSteps::tipAt(QPointF place) const {
  if (const auto hit = hitAt(place))
    return alignedCallText(m_pair, alignedCallOf(m_pair, hit->ofB, hit->event));
  return tr("%1 after the begin of both steps<br>A: %2<br>B: %3<br>Click a call to find it on the other "
            "side; "
            "double-click to see the place on the timeline")
      .arg(amountText(Unit::Nanoseconds, static_cast<double>(timeAt(place.x()))),
           m_pair.a.title.toHtmlEscaped(), m_pair.b.title.toHtmlEscaped());
}

bool AlignedSteps::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  if (!m_pair.valid() || help->pos().x() < plotLeft()) return QWidget::event(event);
  QToolTip::showText(help->globalPos(), tipAt(help->pos()), this);
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
  const auto hit = hitAt(event->position());
  choose(hit && hit->ofB, hit ? hit->event : EventIndex());
}

void AlignedSteps::mouseDoubleClickEvent(QMouseEvent* event) {
  if (!m_pair.valid() || event->position().x() < plotLeft()) return;
  emit placeWanted(event->position().y() >= sideTop(true), timeAt(event->position().x()));
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
  case Qt::Key_Left:
  case Qt::Key_Right:
    if (!m_chosen) return event->ignore();
    return walk(event->key() == Qt::Key_Right ? 1 : -1);
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (!m_chosen) return event->ignore();
    emit placeWanted(m_chosen->chosenInB, 0);
    return;
  case Qt::Key_Escape:
    if (!m_chosen) return event->ignore();
    return setChosen({});
  default:
    return event->ignore();
  }
}

} // namespace rankscope::ui
