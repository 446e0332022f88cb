// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/canvas/timeline_canvas.h"

#include "ui/job/event_finder.h"
#include "ui/job/link_choice.h"
#include "ui/timeline/picture/fold_marks.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QTouchEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {
namespace {

constexpr double kDragThreshold = 4;
constexpr double kSnapDistance = 8;
constexpr double kWheelStep = 120; // angle of one notch
constexpr double kZoomPerNotch = 0.8;
constexpr double kPanPerNotch = 100; // logical pixels
constexpr qint64 kGestureMs = 500;   // wheel events closer than this belong together

} // namespace

TimelineCanvas::TimelineCanvas(TraceSession& session, const TrackLayout& layout,
                               const RankSummaries& summaries, QWidget* parent)
    : QWidget(parent), m_session(session), m_path(PathChoice::of(session)), m_layout(layout),
      m_summaries(summaries), m_content(layout, summaries), m_texts(nameFont(10)) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_AcceptTouchEvents);
  // Any other change of the window stops the animation.
  connect(&m_zoomAnimation, &ZoomAnimation::zoomed, this, [this](double x, double steps) {
    if (m_zoomAnimation.animating() && m_zoomAnchor && m_zoomAnchor->window != m_session.window())
      return m_zoomAnimation.stop();
    zoomAbout(x, std::pow(kZoomPerNotch, steps));
  });
  setAttribute(Qt::WA_OpaquePaintEvent);
  connect(&session, &TraceSession::windowChanged, this, [this] {
    hoverAgain();
    refreshHighlight();
    update();
  });
  connect(&session, &TraceSession::themeChanged, this, qOverload<>(&QWidget::update));
  connect(&session, &TraceSession::choiceChanged, this, qOverload<>(&QWidget::update));
  connect(&session, &TraceSession::shiftsChanged, this, &TimelineCanvas::refreshCollective);
  connect(&session, &TraceSession::rangeChanged, this, qOverload<>(&QWidget::update));
  connect(&session.marks(), &Marks::changed, this, qOverload<>(&QWidget::update));
  connect(&session, &TraceSession::selectionChanged, this, &TimelineCanvas::refreshSelection);
  connect(&session, &TraceSession::highlightsChanged, this, &TimelineCanvas::refreshSelection);
  connect(&session, &TraceSession::highlightOptionsChanged, this, &TimelineCanvas::refreshCollective);
  connect(&session.links(), &LinkChoice::changed, this, qOverload<>(&QWidget::update));
  connect(&session, &TraceSession::gapChanged, this, qOverload<>(&QWidget::update));
  connect(&m_path, &PathChoice::changed, this, qOverload<>(&QWidget::update));
  connect(&m_path, &PathChoice::selectedChanged, this, qOverload<>(&QWidget::update));
  connect(&session, &TraceSession::hoverChanged, this, &TimelineCanvas::refreshHighlight);
  connect(&session, &TraceSession::traceChanged, this, [this] {
    endHover();
    refreshSelection();
    update();
  });
}

void TimelineCanvas::setScrollTop(int top) {
  if (top == m_scrollTop) return;
  m_scrollTop = top;
  hoverAgain();
  refreshHighlight();
  update();
}

void TimelineCanvas::summariesChanged() {
  ++m_summariesRevision;
  update();
}

void TimelineCanvas::layoutChanged() {
  refreshCollective();
  hoverAgain();
  refreshHighlight();
  update();
}

ContentView TimelineCanvas::contentView() const {
  ContentView view;
  view.trace = m_session.trace().get();
  view.traceRevision = m_session.traceRevision();
  view.window = m_session.window();
  view.scale = devicePixelRatioF();
  view.size = (QSizeF(size()) * view.scale).toSize();
  view.scrollTop = m_scrollTop;
  view.theme = &m_session.theme();
  view.themeRevision = m_session.appearance().themeRevision();
  view.layoutRevision = m_layout.revision();
  view.summariesRevision = m_summariesRevision;
  view.shown = m_session.highlightOptions();
  view.highlights = m_session.highlights().get();
  view.highlightsRevision = m_session.highlightsRevision();
  if (m_finder && m_finder->sums().count > 0) {
    view.hits = m_finder->hits().get();
    view.hitsRevision = m_finder->revision();
  }
  view.colorBy = m_session.choice().colorBy;
  view.rulerUnit = m_session.choice().rulerUnit;
  view.shiftsRevision = m_session.shiftsRevision();
  view.shifts = &m_session.shifts();
  view.folds = &m_session.folds();
  return view;
}

PixelScale TimelineCanvas::pixelScale() const {
  return PixelScale(m_session.window(), static_cast<int>(std::lround(width() * devicePixelRatioF())));
}

int TimelineCanvas::deviceX(double x) const {
  return static_cast<int>(std::floor(x * devicePixelRatioF()));
}

double TimelineCanvas::xOf(TimeNs t) const {
  return pixelScale().pixelAt(t) / devicePixelRatioF();
}

TimeNs TimelineCanvas::timeAt(double x) const {
  return pixelScale().timeAt(deviceX(x));
}

void TimelineCanvas::beginGesture() {
  if (!m_sinceGesture.isValid() || m_sinceGesture.elapsed() > kGestureMs) m_session.rememberWindow();
  m_sinceGesture.start();
}

void TimelineCanvas::setGuestCursor(std::optional<TimeNs> time) {
  if (time == m_guestCursor) return;
  for (const auto& t : {m_guestCursor, time})
    if (t) update(cursorLine(xOf(*t)));
  m_guestCursor = time;
}

void TimelineCanvas::zoom(double factor) {
  zoomAbout(m_mouse ? m_mouse->x() : width() / 2.0, factor);
}

void TimelineCanvas::zoomAbout(double x, double factor) {
  const TimeRange window = m_session.window();
  if (window.empty() || width() <= 0) return;
  if (!m_zoomAnchor || m_zoomAnchor->x != x || m_zoomAnchor->window != window)
    m_zoomAnchor = ZoomAnchor{x, timeAt(x), window};
  const long double share = static_cast<long double>(std::clamp(x / width(), 0.0, 1.0));
  const TimeNs most = m_session.limits().length();
  // A zoom step never rounds to no change.
  auto length = static_cast<TimeNs>(std::llround(static_cast<double>(window.length()) * factor));
  if (length == window.length()) length += factor < 1 ? -1 : 1;
  length = std::clamp(length, TraceSession::kMinWindow, most);
  const TimeNs begin =
      m_zoomAnchor->time - static_cast<TimeNs>(std::llround(share * static_cast<long double>(length)));
  m_session.setWindow({begin, begin + length}, false);
  m_zoomAnchor->window = m_session.window();
}

void TimelineCanvas::zoomAt(double x, double factor) {
  zoomAbout(x, factor);
}

void TimelineCanvas::pan(double pixels) {
  const auto columns = static_cast<std::int32_t>(std::lround(pixels * devicePixelRatioF()));
  if (columns != 0) m_session.setWindow(pixelScale().windowPannedBy(columns), false);
}

LaneHit TimelineCanvas::hitAtPosition(QPointF position) const {
  if (!m_session.trace() || m_session.window().empty()) return {};
  if (!rect().contains(position.toPoint())) return {};
  if (stickyRank().valid() && position.y() < TrackLayout::headerHeight()) return {};
  const int line = static_cast<int>(std::floor(position.y())) + m_scrollTop;
  const std::int32_t column = deviceX(position.x());
  const Lane* const lane = m_layout.laneAt(line);
  if (lane && lane->group && lane->group->captures) return captureHit(*lane, column, line - lane->top);
  return hitAt(facts(), m_layout, pixelScaleOf(m_layout.rankAt(line)), column, line);
}

// The event of the capture that recorded this time: their lane is no rank's, and each has its own shift.
LaneHit TimelineCanvas::captureHit(const Lane& lane, std::int32_t column, int y) const {
  for (const RankIndex rank : lane.group->ranks) {
    const PixelScale scale = pixelScaleOf(rank);
    if (!m_session.trace()->rank(rank).trace->extent.contains(scale.timeAt(column))) continue;
    Lane recording = lane;
    recording.rank = rank;
    const LaneHit hit = lane.kind->hitAt(facts(), recording, scale, column, y);
    if (hit.event.valid()) return {&lane, hit.event, hit.count, std::nullopt};
  }
  return {&lane, {}, 0, std::nullopt};
}

PixelScale TimelineCanvas::pixelScaleOf(RankIndex rank) const {
  const TimeRange window = m_session.window();
  const TimeNs shift = rank.valid() ? m_session.shiftOf(rank) : 0;
  return PixelScale({window.begin - shift, window.end - shift}, pixelScale().width());
}

void TimelineCanvas::animateZoom(double x, double notches) {
  if (m_zoomAnchor && m_zoomAnchor->window != m_session.window()) {
    m_zoomAnimation.stop();
    m_zoomAnchor.reset();
  }
  m_zoomAnimation.add(x, notches);
}

bool TimelineCanvas::followTouch(const QTouchEvent& event) {
  if (!m_session.trace()) return false;
  const auto motion = m_touch.follow(event);
  if (!motion) return true;
  if (motion->tapped) {
    setFocus(Qt::MouseFocusReason);
    m_session.select(hitAtPosition(motion->center).event);
    return true;
  }
  if (motion->begins) m_session.rememberWindow();
  if (motion->stretch != 1) zoomAbout(motion->center.x(), 1 / motion->stretch);
  pan(-motion->moved.x());
  emit scrollRequested(m_scrollTop - static_cast<int>(std::lround(motion->moved.y())));
  return true;
}

bool TimelineCanvas::event(QEvent* event) {
  switch (event->type()) {
  case QEvent::TouchBegin:
  case QEvent::TouchUpdate:
  case QEvent::TouchEnd:
  case QEvent::TouchCancel:
    if (followTouch(*static_cast<QTouchEvent*>(event))) return event->accept(), true;
    break;
  default:
    break;
  }
  if (event->type() == QEvent::NativeGesture) {
    const auto* const gesture = static_cast<QNativeGestureEvent*>(event);
    if (gesture->gestureType() == Qt::ZoomNativeGesture) {
      beginGesture();
      zoomAbout(gesture->position().x(), std::exp(-gesture->value()));
      return true;
    }
  }
  return QWidget::event(event);
}

void TimelineCanvas::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !m_session.trace()) return QWidget::mousePressEvent(event);
  m_pressedAt = event->position();
  m_pressedWindow = m_session.window();
  m_pressedScroll = m_scrollTop;
  m_drag = Drag::Undecided;
  if (event->modifiers() & Qt::ShiftModifier) {
    m_drag = Drag::Range;
    m_rangeAnchor = snapped(event->position(), event->modifiers());
  }
}

void TimelineCanvas::mouseMoveEvent(QMouseEvent* event) {
  if (m_drag == Drag::Undecided && (event->position() - m_pressedAt).manhattanLength() >= kDragThreshold) {
    m_drag = Drag::Pan;
    m_session.rememberWindow();
    setCursor(Qt::ClosedHandCursor);
    endHover();
  }
  if (m_drag == Drag::Range && (event->position() - m_pressedAt).manhattanLength() < kDragThreshold) return;
  if (m_drag == Drag::Pan || m_drag == Drag::Range) return dragTo(event->position(), event->modifiers());
  hoverAt(event->position());
}

void TimelineCanvas::dragTo(QPointF position, Qt::KeyboardModifiers modifiers) {
  const QPointF moved = position - m_pressedAt;
  if (m_drag == Drag::Range) return dragRange(position, modifiers);
  const PixelScale scale(m_pressedWindow, pixelScale().width());
  const auto columns = static_cast<std::int32_t>(std::lround(-moved.x() * devicePixelRatioF()));
  m_session.setWindow(scale.windowPannedBy(columns), false);
  emit scrollRequested(m_pressedScroll - static_cast<int>(std::lround(moved.y())));
}

TimeNs TimelineCanvas::snapped(QPointF position, Qt::KeyboardModifiers modifiers) const {
  const TimeNs t = timeAt(position.x());
  if (modifiers & Qt::AltModifier) return t;
  const Lane* const lane = m_layout.laneAt(static_cast<int>(position.y()) + m_scrollTop);
  if (!lane || !lane->row.valid()) return t;
  const RankTrace& trace = *m_session.trace()->rank(lane->rank).trace;
  const Row& row = trace.rows[lane->row.value];
  const TimeNs shift = m_session.shiftOf(lane->rank);
  const EventIndex before = trace.lastBeginningBy(lane->row, t - shift);
  TimeNs best = t;
  double bestDistance = kSnapDistance;
  const auto consider = [&](TimeNs edge) {
    const double distance = std::abs(xOf(edge) - position.x());
    if (distance >= bestDistance) return;
    best = edge;
    bestDistance = distance;
  };
  const EventIndex first = before.valid() ? before : row.firstEvent;
  for (EventIndex event = first; event < row.endEvent && event.value < first.value + 2; ++event.value) {
    consider(trace.events.range(event).begin + shift);
    consider(trace.events.range(event).end + shift);
  }
  return best;
}

void TimelineCanvas::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QWidget::mouseReleaseEvent(event);
  const Drag drag = std::exchange(m_drag, Drag::None);
  unsetCursor();
  if (drag == Drag::Undecided) clickAt(event->position());
  if (drag == Drag::Range && (event->position() - m_pressedAt).manhattanLength() < kDragThreshold)
    extendRange(event->position(), event->modifiers());
  hoverAt(event->position());
}

// The menu key opens the menu of the selection, at its place.
void TimelineCanvas::contextMenuEvent(QContextMenuEvent* event) {
  event->accept();
  if (!m_session.trace()) return;
  if (event->reason() == QContextMenuEvent::Keyboard) {
    const EventRef selected = m_session.selection();
    const QRect box = outlineOf(selected).toAlignedRect() & rect();
    if (selected.valid())
      emit eventMenuWanted(selected, mapToGlobal(box.isEmpty() ? rect().center() : box.center()));
    return;
  }
  const LaneHit hit = hitAtPosition(event->pos());
  dropTip();
  if (!hit.event.valid()) return emit laneMenuWanted(event->pos().y() + m_scrollTop, event->globalPos());
  m_session.select(hit.event);
  emit eventClicked(hit.event);
  emit eventMenuWanted(hit.event, event->globalPos());
}

void TimelineCanvas::clickAt(QPointF position) {
  for (const CollectiveTag& tag : collectiveTags()) {
    if (tag.box.contains(position.toPoint())) return emit eventWanted(tag.event);
  }
  const LaneHit hit = hitAtPosition(position);
  m_session.select(hit.event);
  if (!hit.event.valid()) m_path.select({});
  m_session.selectGap(hit.idle ? std::optional(GapRef{hit.lane->rank, JobRange::of(*hit.idle)})
                               : std::nullopt);
  if (hit.event.valid()) emit eventClicked(hit.event);
}

void TimelineCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !m_session.trace()) return;
  const LaneHit hit = hitAtPosition(event->position());
  if (hit.event.valid() && hit.lane->row.valid()) {
    m_session.select(hit.event);
    m_session.focusSelection();
    m_session.focusSelection();
  } else if (const RankIndex sticky = stickyRank();
             sticky.valid() && event->position().y() < TrackLayout::headerHeight()) {
    emit rankToggled(sticky);
  } else if (hit.lane && hit.lane->kind->traits().rankHeader) {
    emit rankToggled(hit.lane->rank);
  } else if (hit.idle) {
    const TimeNs margin = hit.idle->length() / 8 + 1;
    m_session.setWindow({hit.idle->begin - margin, hit.idle->end + margin});
  }
}

void TimelineCanvas::wheelEvent(QWheelEvent* event) {
  event->accept();
  if (!m_session.trace()) return;
  m_mouse = event->position();
  m_mouseOnScreen = mapToGlobal(event->position());
  const bool fine = !event->pixelDelta().isNull();
  QPointF notches = QPointF(event->angleDelta()) / kWheelStep;
  double panPixels = fine ? event->pixelDelta().x() : notches.x() * kPanPerNotch;
  const bool shift = event->modifiers() & Qt::ShiftModifier;
  // Some platforms already turn Shift+wheel into a horizontal scroll.
  if (shift && panPixels == 0) {
    panPixels = fine ? event->pixelDelta().y() : notches.y() * kPanPerNotch;
    notches = {};
  }
  const bool sideways = shift || std::abs(event->angleDelta().x()) > std::abs(event->angleDelta().y());
  beginGesture();
  if (sideways && !(event->modifiers() & Qt::ControlModifier))
    pan(-panPixels);
  else if (fine && notches.y() != 0)
    zoomAbout(event->position().x(), std::pow(kZoomPerNotch, notches.y()));
  else if (notches.y() != 0)
    animateZoom(event->position().x(), notches.y());
  hoverAt(event->position());
}

void TimelineCanvas::leaveEvent(QEvent* event) {
  endHover();
  QWidget::leaveEvent(event);
}

void TimelineCanvas::resizeEvent(QResizeEvent* event) {
  m_zoomAnchor.reset();
  QWidget::resizeEvent(event);
  hoverAgain();
}

void TimelineCanvas::moveEvent(QMoveEvent* event) {
  QWidget::moveEvent(event);
  hoverAgain();
}

void TimelineCanvas::hoverAt(QPointF position) {
  if (!rect().contains(position.toPoint())) return endHover();
  QRegion dirty;
  if (m_mouse) dirty += cursorLine(m_mouse->x());
  const QRect tipBefore = tipBox();
  if (m_mouse && m_mouse->x() != position.x()) m_zoomAnchor.reset();
  const QPointF onScreen = mapToGlobal(position);
  if (!m_mouse || m_mouseOnScreen != onScreen) m_tipDropped = false;
  m_mouse = position;
  m_mouseOnScreen = onScreen;
  dirty += cursorLine(position.x());
  NameId name;
  if (m_session.trace()) {
    const LaneHit hit = hitAtPosition(position);
    if (hit.event.valid()) name = m_session.trace()->rank(hit.event.rank).trace->events.name[hit.event.event];
    const RankIndex rank = hit.lane ? hit.lane->rank : RankIndex();
    m_hoverText =
        m_tipDropped ? QString() : describe(facts(), hit, pixelScaleOf(rank), deviceX(position.x()));
    const auto fold = foldAt(m_session.folds(), timeAt(position.x()));
    if (fold && !m_tipDropped) m_hoverText = foldTip(m_session.folds().all()[*fold]);
  }
  // While there is a tooltip, every key of the application removes it, wherever the focus is.
  if (!m_hoverText.isEmpty()) qApp->installEventFilter(this);
  dirty += tipBefore;
  dirty += tipBox();
  update(dirty);
  m_session.setHoveredName(name);
  emit cursorMoved(timeAt(position.x()));
}

void TimelineCanvas::endHover() {
  if (!m_mouse) return;
  m_mouse.reset();
  m_hoverText.clear();
  m_tipDropped = false;
  qApp->removeEventFilter(this);
  m_session.setHoveredName({});
  update();
  emit cursorMoved({});
}

void TimelineCanvas::hoverAgain() {
  if (m_mouse && m_drag != Drag::Pan) hoverAt(mapFromGlobal(m_mouseOnScreen));
}

void TimelineCanvas::dropTip() {
  qApp->removeEventFilter(this);
  if (m_tipDropped || !m_mouse) return;
  update(tipBox());
  m_tipDropped = true;
  m_hoverText.clear();
}

bool TimelineCanvas::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    const bool modifier =
        key == Qt::Key_Shift || key == Qt::Key_Control || key == Qt::Key_Alt || key == Qt::Key_Meta;
    if (!modifier) dropTip();
  }
  return QWidget::eventFilter(watched, event);
}

void TimelineCanvas::hideEvent(QHideEvent* event) {
  endHover();
  QWidget::hideEvent(event);
}

const Lane* TimelineCanvas::laneUnderMouse() const {
  return m_mouse ? m_layout.laneAt(static_cast<int>(m_mouse->y()) + m_scrollTop) : nullptr;
}

QRect TimelineCanvas::cursorLine(double x) const {
  return {static_cast<int>(std::floor(x)) - 1, 0, 3, height()};
}

void TimelineCanvas::refreshHighlight() {
  const double scale = devicePixelRatioF();
  const auto logical = [&](const QRect& device) {
    return QRectF(device.left() / scale, device.top() / scale, device.width() / scale,
                  device.height() / scale)
        .toAlignedRect()
        .adjusted(-1, -1, 1, 1);
  };
  QRegion dirty;
  // Repainting a region of thousands of small rectangles costs more than repainting the pixels between them
  // too.
  QRect all;
  for (const Highlight& highlight : m_highlight) all |= logical(highlight.box);
  m_highlight.clear();
  const NameId name = m_session.hoveredName();
  if (name.valid() && m_session.trace()) {
    m_content.picture(contentView());
    for (const auto& laneSpans : m_content.laneSpans()) {
      const RankTrace& trace = *m_session.trace()->rank(laneSpans.lane.rank).trace;
      const auto [top, bottom] = m_content.linesOf(laneSpans.lane);
      for (const RowSpan& span : laneSpans.spans) {
        if (trace.events.name[span.event] != name) continue;
        const auto pattern =
            std::ranges::upper_bound(laneSpans.hatched, span.begin, {}, &LaneSpans::Striped::end);
        const bool hatched = pattern != laneSpans.hatched.end() && pattern->begin < span.end;
        m_highlight.push_back({QRect(span.begin, top, span.end - span.begin, bottom - top), hatched});
        all |= logical(m_highlight.back().box);
      }
    }
  }
  if (!all.isEmpty()) update(all);
}

void TimelineCanvas::refreshSelection() {
  refreshCollective();
  update();
}

} // namespace rankscope::ui
