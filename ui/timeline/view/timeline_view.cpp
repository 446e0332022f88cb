// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/view/timeline_view.h"

#include "ui/actions/actions.h"
#include "ui/job/event_finder.h"
#include "ui/timeline/canvas/timeline_canvas.h"
#include "ui/timeline/headers/track_headers.h"
#include "ui/timeline/strips/figures_column.h"
#include "ui/timeline/strips/highlight_bar.h"
#include "ui/timeline/strips/overview_strip.h"
#include "ui/timeline/strips/path_strip.h"
#include "ui/timeline/strips/time_ruler.h"
#include "ui/timeline/strips/view_chips.h"
#include "ui/timeline/view/highlight_actions.h"
#include "ui/timeline/view/path_actions.h"
#include "ui/timeline/view/timeline_accessible.h"
#include "ui/timeline/view/timeline_actions.h"
#include "ui/timeline/view/track_actions.h"

#include <QContextMenuEvent>
#include <QCoreApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr int kMinHeaderWidth = 120;
constexpr int kGripWidth = 7;
constexpr int kScrollBarWidth = 12;
constexpr int kScrollStep = 40;
constexpr int kPinnedBottomMargin = 4; // below the last pinned lane
constexpr int kPinnedLine = 2;         // between the pinned lanes and the others

} // namespace

TimelineView::TimelineView(TraceSession& session, QWidget* parent, ActionRegistry* actions)
    : QWidget(parent), m_session(session), m_actions(actions ? actions : new ActionRegistry(this)),
      m_figuresTask(session.pending()), m_overview(new OverviewStrip(session, m_summaries, this)),
      m_ruler(new TimeRuler(session, m_summaries, this)), m_chips(new ViewChips(session, m_layout, this)),
      m_pathStrip(new PathStrip(session, this)),
      m_pinnedHeaders(new TrackHeaders(session, m_pinnedLayout, m_summaries, this)),
      m_pinnedCanvas(new TimelineCanvas(session, m_pinnedLayout, m_summaries, this)),
      m_headers(new TrackHeaders(session, m_layout, m_summaries, this)),
      m_canvas(new TimelineCanvas(session, m_layout, m_summaries, this)),
      m_figuresColumn(new FiguresColumn(session, m_layout, m_summaries, this)),
      m_scrollBar(new QScrollBar(Qt::Vertical, this)), m_highlightBar(new HighlightBar(session, this)),
      m_grip(new QWidget(this)) {
  setFocusProxy(m_canvas);
  setTabOrder(m_canvas, m_headers);
  setTabOrder(m_headers, m_pinnedHeaders);
  setMinimumSize(360, 160);
  m_grip->setCursor(Qt::SplitHCursor);
  m_grip->installEventFilter(this);
  m_canvas->installEventFilter(this);
  m_pinnedCanvas->installEventFilter(this);
  m_scrollBar->setSingleStep(kScrollStep);

  connect(m_scrollBar, &QScrollBar::valueChanged, this, [this](int top) {
    m_canvas->setScrollTop(top);
    m_headers->setScrollTop(top);
    m_figuresColumn->setScrollTop(top);
    m_pinnedCanvas->update(); // its links lead to this canvas
    noteScrollPlace();
  });
  m_canvas->setNeighbor(m_pinnedCanvas, false);
  m_pinnedCanvas->setNeighbor(m_canvas, true);
  connect(m_canvas, &TimelineCanvas::scrollRequested, m_scrollBar, &QScrollBar::setValue);
  connectCanvas(*m_canvas, *m_pinnedCanvas);
  connectCanvas(*m_pinnedCanvas, *m_canvas);
  connectHeaders(*m_headers);
  connectHeaders(*m_pinnedHeaders);
  connect(m_ruler, &TimeRuler::stepsShownChanged, this, &TimelineView::arrange);
  connect(m_ruler, &TimeRuler::stepClicked, this, &TimelineView::eventClicked);
  connect(m_ruler, &TimeRuler::stepMenuWanted, this, &TimelineView::eventMenuWanted);
  connect(&m_summaries, &RankSummaries::changed, this, &TimelineView::summariesChanged);
  connect(m_highlightBar, &HighlightBar::heightChanged, this, &TimelineView::arrange);
  connect(&m_motion, &ViewMotion::started, m_canvas, &TimelineCanvas::beginGesture);
  connect(&m_motion, &ViewMotion::panned, m_canvas, &TimelineCanvas::pan);
  connect(&m_motion, &ViewMotion::zoomed, this,
          [this](double factor) { (m_pinnedCanvas->hasMouse() ? m_pinnedCanvas : m_canvas)->zoom(factor); });
  connect(&session, &TraceSession::traceChanged, this, &TimelineView::traceChanged);
  connect(&session, &TraceSession::choiceChanged, this, &TimelineView::choiceChanged);
  connect(&session, &TraceSession::highlightsChanged, this, &TimelineView::highlightsChanged);
  connect(&session, &TraceSession::selectionChanged, this, [this] {
    if (m_session.selection().valid()) m_ruler->setStepRank(m_session.selection().rank);
  });
  connect(&session, &TraceSession::scrollRequested, this, [this](const ScrollPlace& place) {
    m_sortPending = false; // the place is of the order that is asked for
    returnTo({place.section, place.offset, false, {}});
  });
  connect(&session, &TraceSession::revealRequested, this, &TimelineView::revealEvent);
  connect(&session, &TraceSession::revealRankRequested, this, &TimelineView::revealRank);
  connect(&session, &TraceSession::themeChanged, this, [this] {
    m_chips->refresh();
    update();
  });
  PathChoice& path = PathChoice::of(session);
  connect(&path, &PathChoice::changed, this, [this] {
    if (m_pathStrip->isHidden() == PathChoice::of(m_session).shown()) arrange();
    m_figuresColumn->update();
  });
  connect(m_pathStrip, &PathStrip::ranksWanted, this,
          [this] { m_actions->run(QStringLiteral("path.ranks")); });
  connect(&path, &PathChoice::segmentWanted, this, &TimelineView::revealSegment);
  addHighlightActions(*m_actions, *this, session);
  addPathActions(*m_actions, session);
  addTimelineActions(*m_actions, *this, session);
  addTrackActions(*m_actions, *this, session);
  new TimelineAccessible({*this, *m_canvas, *m_pinnedCanvas, *m_headers, *m_pinnedHeaders, *m_ruler},
                         session);
  traceChanged();
}

TimelineView::~TimelineView() = default;

void TimelineView::traceChanged() {
  keepUsedRanksOpen();
  m_figures.reset();
  m_figuresTask.drop();
  m_summaries.setAnalysis(m_session.analysis());
  layOut();
  summariesChanged();
}

void TimelineView::summariesChanged() {
  applyAlignment();
  m_canvas->summariesChanged();
  m_pinnedCanvas->summariesChanged();
  m_overview->summariesChanged();
  m_ruler->summariesChanged();
}

void TimelineView::prepare() {
  for (const TrackLayout* const layout : {&m_layout, &m_pinnedLayout})
    for (const Lane& lane : layout->lanes()) lane.kind->prepare(m_summaries, lane);
}

void TimelineView::setFiguresShown(bool shown) {
  m_figuresShown = shown;
  arrange();
}

void TimelineView::setFinder(const EventFinder* finder) {
  m_canvas->setFinder(finder);
  m_pinnedCanvas->setFinder(finder);
  m_overview->setFinder(finder);
  m_ruler->setFinder(finder);
  if (!finder) return;
  connect(finder, &EventFinder::changed, this, [this] {
    for (QWidget* const part : {static_cast<QWidget*>(m_canvas), static_cast<QWidget*>(m_pinnedCanvas),
                                static_cast<QWidget*>(m_overview), static_cast<QWidget*>(m_ruler)})
      part->update();
  });
}

void TimelineView::setHeaderWidth(int width) {
  m_headerWidth = std::max(kMinHeaderWidth, width);
  arrange();
}

void TimelineView::arrange() {
  const int headerWidth = std::clamp(m_headerWidth, kMinHeaderWidth, std::max(kMinHeaderWidth, width() / 2));
  const int overviewHeight = m_overview->wantedHeight(height());
  const int rulerHeight = m_ruler->wantedHeight();
  const int chipsTop = overviewHeight + rulerHeight;
  const int chipsHeight = m_chips->hasAny() ? ViewChips::wantedHeight() : 0;
  const bool path = PathChoice::of(m_session).shown();
  const int pathTop = chipsTop + chipsHeight;
  const int pinnedTop = pathTop + (path ? PathStrip::wantedHeight() : 0);
  // Pinned tracks always leave space for scrolling ones.
  const int wanted = m_pinnedLayout.height() > 0 ? m_pinnedLayout.height() + kPinnedBottomMargin : 0;
  const int pinnedHeight = std::clamp(wanted, 0, std::max(0, (height() - pinnedTop) / 2));
  const int top = pinnedTop + pinnedHeight + (pinnedHeight > 0 ? kPinnedLine : 0);
  const int lanesWidth = std::max(1, width() - headerWidth - kScrollBarWidth);
  const int figuresWidth = m_figuresShown ? FiguresColumn::widthFor(lanesWidth, path) : 0;
  const int canvasWidth = std::max(1, lanesWidth - figuresWidth);
  m_highlightBar->resize(width(), m_highlightBar->height()); // which decides how high it is
  const int barHeight = m_highlightBar->height();
  const int canvasHeight = std::max(0, height() - top - barHeight);
  m_overview->setGeometry(0, 0, width(), overviewHeight);
  m_ruler->setGeometry(0, overviewHeight, width(), rulerHeight);
  m_overview->setMargins(headerWidth, kScrollBarWidth + figuresWidth);
  m_ruler->setMargins(headerWidth, kScrollBarWidth + figuresWidth);
  m_figuresColumn->setVisible(m_figuresShown);
  m_figuresColumn->setTitleHeight(top - overviewHeight);
  // It extends below the scroll bar, so that ranks end at the window's edge.
  m_figuresColumn->setGeometry(headerWidth + canvasWidth, overviewHeight, figuresWidth + kScrollBarWidth,
                               top - overviewHeight + canvasHeight);
  m_figuresColumn->raise();
  m_scrollBar->raise();
  m_chips->setVisible(chipsHeight > 0);
  m_chips->setGeometry(0, chipsTop, width(), chipsHeight);
  m_pathStrip->setVisible(path);
  m_pathStrip->setGeometry(0, pathTop, headerWidth + canvasWidth, PathStrip::wantedHeight());
  m_pathStrip->setMargins(headerWidth, 0);
  for (QWidget* const part : {static_cast<QWidget*>(m_pinnedHeaders), static_cast<QWidget*>(m_pinnedCanvas)})
    part->setVisible(pinnedHeight > 0);
  m_pinnedHeaders->setGeometry(0, pinnedTop, headerWidth, pinnedHeight);
  m_pinnedCanvas->setGeometry(headerWidth, pinnedTop, canvasWidth, pinnedHeight);
  m_headers->setGeometry(0, top, headerWidth, canvasHeight);
  m_canvas->setGeometry(headerWidth, top, canvasWidth, canvasHeight);
  m_scrollBar->setGeometry(headerWidth + canvasWidth + figuresWidth, top, kScrollBarWidth, canvasHeight);
  m_highlightBar->setGeometry(0, height() - barHeight, width(), barHeight);
  m_grip->setGeometry(headerWidth - kGripWidth / 2 - 1, overviewHeight, kGripWidth,
                      rulerHeight + canvasHeight);
  m_grip->raise();
  updateScrollBar();
}

void TimelineView::updateScrollBar() {
  constexpr int kBottomMargin = 24; // space below the last lane, which shows that it is the last
  const int page = std::max(1, m_canvas->height());
  m_scrollBar->setPageStep(page);
  m_scrollBar->setRange(0, std::max(0, m_layout.height() + kBottomMargin - page));
  m_scrollBar->setVisible(m_scrollBar->maximum() > 0);
}

void TimelineView::resizeEvent(QResizeEvent*) {
  arrange();
  if (m_fitPending && m_layout.trace() != nullptr) layOut();
}

void TimelineView::paintEvent(QPaintEvent*) {
  m_fitPending = false;
  QPainter painter(this);
  painter.fillRect(rect(), m_session.theme().background);
  if (m_pinnedCanvas->isVisible()) // the separator between pinned and scrolling lanes
    painter.fillRect(
        QRect(0, m_pinnedCanvas->geometry().bottom() + 1, m_canvas->geometry().right() + 1, kPinnedLine),
        m_session.theme().accent);
}

bool TimelineView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_grip && event->type() == QEvent::MouseMove) {
    const auto* const mouse = static_cast<QMouseEvent*>(event);
    if (mouse->buttons() & Qt::LeftButton)
      setHeaderWidth(m_grip->mapToParent(mouse->position().toPoint()).x());
    return true;
  }
  // The release of a held key is not reported after the focus has moved.
  if ((watched == m_canvas || watched == m_pinnedCanvas) && event->type() == QEvent::FocusOut)
    m_motion.stop();
  return QWidget::eventFilter(watched, event);
}

void TimelineView::wheelEvent(QWheelEvent* event) {
  // The canvas handles its own wheel events; these come from the headers and the ruler.
  const QPointF position = event->position();
  event->accept();
  if (position.x() >= m_canvas->x() && position.y() < m_canvas->y()) {
    QWheelEvent moved(m_canvas->mapFromParent(position), event->globalPosition(), event->pixelDelta(),
                      event->angleDelta(), event->buttons(), event->modifiers(), event->phase(),
                      event->inverted());
    QCoreApplication::sendEvent(m_canvas, &moved);
    return;
  }
  if (event->modifiers() & Qt::ControlModifier) {
    if (event->angleDelta().y() != 0)
      static_cast<void>(m_actions->run(event->angleDelta().y() > 0 ? QStringLiteral("tracks.taller")
                                                                   : QStringLiteral("tracks.lower")));
    return;
  }
  const int fine = event->pixelDelta().y();
  scrollBy(fine != 0 ? -fine : -event->angleDelta().y() * kScrollStep * 2 / 120);
}

// Of the overview and the ruler; lanes, headers, steps and regions have menus of their own.
void TimelineView::contextMenuEvent(QContextMenuEvent* event) {
  const bool time = event->pos().y() < m_ruler->geometry().bottom();
  if (!m_session.trace() || !time) return QWidget::contextMenuEvent(event);
  auto* menu = new QMenu(this);
  menu->setObjectName(QStringLiteral("timeMenu"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  for (const char* const id : {"move.fitAll", "move.focus", "move.back", "move.forward", "move.goToTime"})
    menu->addAction(m_actions->menuAction(QLatin1String(id)));
  menu->addAction(tr("Deselect the range"), &m_session, [this] { m_session.setRange({}); })
      ->setEnabled(m_session.range().has_value());
  menu->addSeparator();
  for (const char* const id : {"unit.fitting", "unit.s", "unit.ms", "unit.us", "unit.ns"})
    menu->addAction(m_actions->menuAction(QLatin1String(id)));
  menu->popup(event->globalPos());
}

void TimelineView::scrollBy(int pixels) {
  m_scrollBar->setValue(m_scrollBar->value() + pixels);
}

void TimelineView::showPlace(bool next) {
  if (next)
    m_highlightBar->showNextPlace();
  else
    m_highlightBar->showPreviousPlace();
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
  const int head = TrackLayout::headerHeight(); // the sticky header must not cover it
  if (lane->top - head < top)
    m_scrollBar->setValue(lane->top - head);
  else if (lane->bottom() > top + m_canvas->height())
    m_scrollBar->setValue(lane->bottom() - m_canvas->height() + head);
}

void TimelineView::goTo(EventRef event) {
  if (!event.valid()) return;
  m_session.select(event);
  bringIntoView(event);
}

} // namespace rankscope::ui
