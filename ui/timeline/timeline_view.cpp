// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_view.h"

#include "ui/actions.h"
#include "ui/event_finder.h"
#include "ui/panels/highlight_bar.h"
#include "ui/timeline/highlight_actions.h"
#include "ui/timeline/overview_strip.h"
#include "ui/timeline/time_ruler.h"
#include "ui/timeline/timeline_actions.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/track_headers.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr int kSmallestHeader = 120;
constexpr int kGripWidth = 7;
constexpr int kScrollBarWidth = 12;
constexpr int kScrollStep = 40;

} // namespace

TimelineView::TimelineView(TraceSession& session, QWidget* parent, ActionRegistry* actions)
    : QWidget(parent), m_session(session), m_actions(actions ? actions : new ActionRegistry(this)),
      m_overview(new OverviewStrip(session, m_summaries, this)),
      m_ruler(new TimeRuler(session, m_summaries, this)),
      m_headers(new TrackHeaders(session, m_layout, this)),
      m_canvas(new TimelineCanvas(session, m_layout, m_summaries, this)),
      m_scrollBar(new QScrollBar(Qt::Vertical, this)), m_highlightBar(new HighlightBar(session, this)),
      m_grip(new QWidget(this)) {
  setFocusProxy(m_canvas);
  setMinimumSize(360, 160);
  m_grip->setCursor(Qt::SplitHCursor);
  m_grip->installEventFilter(this);
  m_canvas->installEventFilter(this);
  m_scrollBar->setSingleStep(kScrollStep);

  connect(m_scrollBar, &QScrollBar::valueChanged, this, [this](int top) {
    m_canvas->setScrollTop(top);
    m_headers->setScrollTop(top);
  });
  connect(m_canvas, &TimelineCanvas::scrollRequested, m_scrollBar, &QScrollBar::setValue);
  connect(m_canvas, &TimelineCanvas::cursorMoved, m_ruler, &TimeRuler::setCursorTime);
  const auto toggleRank = [this](RankIndex rank) { setRankExpanded(rank, !m_layout.rankExpanded(rank)); };
  connect(m_canvas, &TimelineCanvas::rankToggled, this, toggleRank);
  connect(m_headers, &TrackHeaders::rankToggled, this, toggleRank);
  connect(m_headers, &TrackHeaders::trackToggled, this, [this](RankIndex rank, TrackIndex track) {
    m_layout.toggleTrack(rank, track);
    layoutChanged();
  });
  connect(m_headers, &TrackHeaders::moreToggled, this, [this](RankIndex rank) {
    m_layout.toggleMore(rank);
    layoutChanged();
  });
  connect(m_highlightBar, &HighlightBar::optionsChanged, m_canvas, &TimelineCanvas::setHighlights);
  connect(m_ruler, &TimeRuler::stepsShownChanged, this, &TimelineView::arrange);
  connect(&m_summaries, &RankSummaries::changed, this, [this] {
    m_canvas->summariesChanged();
    m_overview->summariesChanged();
    m_ruler->summariesChanged();
  });
  connect(&m_motion, &ViewMotion::started, m_canvas, &TimelineCanvas::beginGesture);
  connect(&m_motion, &ViewMotion::panned, m_canvas, &TimelineCanvas::pan);
  connect(&m_motion, &ViewMotion::zoomed, m_canvas, &TimelineCanvas::zoom);
  connect(&session, &TraceSession::traceChanged, this, &TimelineView::traceChanged);
  connect(&session, &TraceSession::selectionChanged, this, [this] {
    if (m_session.selection().valid()) m_ruler->setStepRank(m_session.selection().rank);
  });
  connect(&session, &TraceSession::revealRequested, this, &TimelineView::revealEvent);
  connect(&session, &TraceSession::revealRankRequested, this, &TimelineView::revealRank);
  connect(&session, &TraceSession::themeChanged, this, qOverload<>(&QWidget::update));
  addHighlightActions(*m_actions, *this, session);
  addTimelineActions(*m_actions, *this, session);
  traceChanged();
}

TimelineView::~TimelineView() = default;

void TimelineView::traceChanged() {
  m_layout.setTrace(m_session.trace());
  m_summaries.setAnalysis(m_session.analysis());
  m_canvas->summariesChanged();
  m_overview->summariesChanged();
  m_ruler->summariesChanged();
  layoutChanged();
}

void TimelineView::finishSummaries() {
  m_summaries.finish();
}

void TimelineView::setHighlights(const HighlightOptions& options) {
  m_highlightBar->setOptions(options);
}

void TimelineView::setFinder(const EventFinder* finder) {
  m_canvas->setFinder(finder);
  m_overview->setFinder(finder);
  m_ruler->setFinder(finder);
  if (!finder) return;
  connect(finder, &EventFinder::changed, this, [this] {
    for (QWidget* const part :
         {static_cast<QWidget*>(m_canvas), static_cast<QWidget*>(m_overview), static_cast<QWidget*>(m_ruler)})
      part->update();
  });
}

void TimelineView::setHeaderWidth(int width) {
  m_headerWidth = std::max(kSmallestHeader, width);
  arrange();
}

void TimelineView::setRankExpanded(RankIndex rank, bool expanded) {
  m_layout.setRankExpanded(rank, expanded);
  layoutChanged();
  // A header that stood at the top while its tracks scrolled by stays there.
  const int top = m_layout.rankLane(rank).top;
  if (top < m_scrollBar->value()) m_scrollBar->setValue(top);
}

void TimelineView::setAllRanksExpanded(bool expanded) {
  const RankIndex first = m_layout.rankAt(m_scrollBar->value());
  m_layout.setAllRanksExpanded(expanded);
  layoutChanged();
  if (first.valid()) m_scrollBar->setValue(m_layout.rankLane(first).top);
}

void TimelineView::layoutChanged() {
  updateScrollBar();
  m_canvas->layoutChanged();
  m_headers->update();
}

void TimelineView::arrange() {
  const int headerWidth = std::clamp(m_headerWidth, kSmallestHeader, std::max(kSmallestHeader, width() / 2));
  const int rulerHeight = TimeRuler::kTicksHeight + (m_ruler->hasSteps() ? TimeRuler::kStepsHeight : 0);
  const int top = OverviewStrip::kHeight + rulerHeight;
  const int canvasWidth = std::max(1, width() - headerWidth - kScrollBarWidth);
  const int barHeight = m_highlightBar->height();
  const int canvasHeight = std::max(0, height() - top - barHeight);
  m_overview->setGeometry(0, 0, width(), OverviewStrip::kHeight);
  m_ruler->setGeometry(0, OverviewStrip::kHeight, width(), rulerHeight);
  m_overview->setMargins(headerWidth, kScrollBarWidth);
  m_ruler->setMargins(headerWidth, kScrollBarWidth);
  m_headers->setGeometry(0, top, headerWidth, canvasHeight);
  m_canvas->setGeometry(headerWidth, top, canvasWidth, canvasHeight);
  m_scrollBar->setGeometry(headerWidth + canvasWidth, top, kScrollBarWidth, canvasHeight);
  m_highlightBar->setGeometry(0, height() - barHeight, width(), barHeight);
  m_grip->setGeometry(headerWidth - kGripWidth / 2 - 1, OverviewStrip::kHeight, kGripWidth,
                      rulerHeight + canvasHeight);
  m_grip->raise();
  updateScrollBar();
}

void TimelineView::updateScrollBar() {
  constexpr int kAir = 24; // below the last lane, so that it is seen to be the last
  const int page = std::max(1, m_canvas->height());
  m_scrollBar->setPageStep(page);
  m_scrollBar->setRange(0, std::max(0, m_layout.height() + kAir - page));
  m_scrollBar->setVisible(m_scrollBar->maximum() > 0);
}

void TimelineView::resizeEvent(QResizeEvent*) {
  arrange();
}

void TimelineView::paintEvent(QPaintEvent*) {
  QPainter(this).fillRect(rect(), m_session.theme().background);
}

bool TimelineView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_grip && event->type() == QEvent::MouseMove) {
    const auto* const mouse = static_cast<QMouseEvent*>(event);
    if (mouse->buttons() & Qt::LeftButton)
      setHeaderWidth(m_grip->mapToParent(mouse->position().toPoint()).x());
    return true;
  }
  // Keys that are held when the focus goes elsewhere are never seen to be released.
  if (watched == m_canvas && event->type() == QEvent::FocusOut) m_motion.stop();
  return QWidget::eventFilter(watched, event);
}

void TimelineView::wheelEvent(QWheelEvent* event) {
  // The canvas takes its own; here arrives what was turned over the headers or the ruler.
  const QPointF position = event->position();
  event->accept();
  if (position.x() >= m_canvas->x() && position.y() < m_canvas->y()) {
    QWheelEvent moved(m_canvas->mapFromParent(position), event->globalPosition(), event->pixelDelta(),
                      event->angleDelta(), event->buttons(), event->modifiers(), event->phase(),
                      event->inverted());
    QCoreApplication::sendEvent(m_canvas, &moved);
    return;
  }
  const int fine = event->pixelDelta().y();
  scrollBy(fine != 0 ? -fine : -event->angleDelta().y() * kScrollStep * 2 / 120);
}

void TimelineView::scrollBy(int pixels) {
  m_scrollBar->setValue(m_scrollBar->value() + pixels);
}

void TimelineView::scrollPages(double pages) {
  scrollBy(static_cast<int>(std::lround(m_canvas->height() * pages)));
}

bool TimelineView::pressKey(const QKeyEvent& event) {
  return m_actions->press(event);
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
  if (!pressKey(*event)) QWidget::keyPressEvent(event);
}

void TimelineView::keyReleaseEvent(QKeyEvent* event) {
  if (!m_actions->release(*event)) QWidget::keyReleaseEvent(event);
}

void TimelineView::bringIntoView(EventRef event) {
  const TimeRange window = m_session.window();
  const TimeRange wanted = m_session.rangeOf(event);
  if (!wanted.overlaps(window) && !window.contains(wanted.begin)) {
    m_canvas->beginGesture();
    const TimeNs begin = wanted.begin + wanted.length() / 2 - window.length() / 2;
    m_session.setWindow({begin, begin + window.length()}, false);
  }
  const Lane* const lane = m_layout.laneOf(event);
  if (!lane) return;
  const int top = m_scrollBar->value();
  const int head = TrackLayout::kHeaderHeight; // the sticky header must not lie over it
  if (lane->top - head < top)
    m_scrollBar->setValue(lane->top - head);
  else if (lane->bottom() > top + m_canvas->height())
    m_scrollBar->setValue(lane->bottom() - m_canvas->height() + head);
}

void TimelineView::revealEvent(EventRef event) {
  m_layout.setRankExpanded(event.rank, true);
  if (const Lane* const lane = m_layout.laneOf(event); lane && lane->kind == LaneKind::More)
    m_layout.toggleMore(event.rank);
  layoutChanged();
  bringIntoView(event);
}

void TimelineView::revealRank(RankIndex rank) {
  if (!rank.valid()) return;
  m_layout.setRankExpanded(rank, true);
  layoutChanged();
  m_scrollBar->setValue(m_layout.rankLane(rank).top);
}

} // namespace rankscope::ui
