// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/timeline/timeline_tab.h"

#include "ui/actions/actions.h"
#include "ui/base/text_scale.h"
#include "ui/details/bottom_panel.h"
#include "ui/details/collective_panel.h"
#include "ui/details/details_panel.h"
#include "ui/details/find_tools.h"
#include "ui/details/gap_panel.h"
#include "ui/details/mark_tools.h"
#include "ui/details/path_panel.h"
#include "ui/details/source_opener.h"
#include "ui/details/stack_panel.h"
#include "ui/job/trace_session.h"
#include "ui/tabs/timeline/slice_menu.h"
#include "ui/timeline/canvas/timeline_canvas.h"
#include "ui/timeline/strips/highlight_bar.h"
#include "ui/timeline/view/timeline_view.h"

#include <QClipboard>
#include <QCursor>
#include <QGuiApplication>
#include <QMenu>
#include <QResizeEvent>
#include <QSettings>
#include <QSplitter>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kViewHeight = 670; // initial heights of the view and the panels below
constexpr int kBottomHeight = 230;
constexpr int kBottomPart = 7;       // in a tall window the panels below get one part of so many
constexpr int kBottomPartAtMost = 3; // with larger texts
constexpr int kLowHeight = 660; // of the tab: below, the timeline has the height until something is selected
constexpr int kLeastLanes = 38; // height: the panel does not open by itself if less is left to the lanes
const QString kSplitterKey = QStringLiteral("window/splitter");
const QString kFiguresKey = QStringLiteral("timeline/figures");
const QString kCollapsedKey = QStringLiteral("window/bottomCollapsed");

} // namespace

TimelineTab::TimelineTab(const TabContext& context)
    : m_session(context.session), m_settings(context.settings), m_actions(context.actions),
      m_view(new TimelineView(context.session, nullptr, &context.actions)), m_bottom(new BottomPanel),
      m_splitter(new QSplitter(Qt::Vertical)), m_openHeight(kBottomHeight) {
  addPanels(context);
  addActions();
  m_splitter->setChildrenCollapsible(false);
  m_splitter->setHandleWidth(1);
  m_splitter->addWidget(m_view);
  m_splitter->addWidget(m_bottom);
  m_splitter->setStretchFactor(0, 1);
  m_splitter->setStretchFactor(1, 0);
  m_splitter->setSizes({kViewHeight, kBottomHeight});
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(m_splitter);
  connect(m_bottom, &BottomPanel::collapsedChanged, this, &TimelineTab::shareHeight);
  m_splitter->restoreState(m_settings.value(kSplitterKey).toByteArray());
  m_bottom->setCollapsed(m_settings.value(kCollapsedKey, false).toBool());
  connect(m_bottom, &BottomPanel::collapsedChanged, this, [this] { m_opensWithSelection = false; });
  m_view->setFiguresShown(m_settings.value(kFiguresKey, true).toBool());
}

void TimelineTab::addPanels(const TabContext& context) {
  m_details = new DetailsPanel(m_session);
  const int selection = m_bottom->addPanel(tr("Selection"), m_details);
  m_collective = new CollectivePanel(m_session);
  const int collective = m_bottom->addPanel(tr("Collective across ranks"), m_collective);
  m_path = new PathPanel(m_session);
  const int path = m_bottom->addPanel(tr("Critical path"), m_path);
  const int gap = m_bottom->addPanel(tr("Idle gap"), new GapPanel(m_session));
  auto* stack = new StackPanel(m_session);
  m_bottom->addPanel(tr("Call stack"), stack);
  connect(stack, &StackPanel::sourceWanted, this, [this](const SourcePlace& place) {
    QToolTip::showText(QCursor::pos(), openSource(m_settings, place, this), m_bottom);
  });
  connect(m_collective, &CollectivePanel::eventWanted, m_view, &TimelineView::goTo);
  followSelection(selection, collective, gap, path);
  m_find = new FindTools(m_session, context.finder, context.search, *m_view, *m_bottom, m_actions, this);
  m_marks = new MarkTools(m_session, *m_view, *m_bottom, *m_find, m_actions, this);
}

void TimelineTab::addActions() {
  m_actions.add({.id = QStringLiteral("window.bottomPanel"),
                 .group = tr("Window"),
                 .title = tr("Show or hide the bottom panel"),
                 .keys = {Qt::Key_Q},
                 .scope = KeyScope::Window,
                 .run = [this] { m_bottom->toggle(); },
                 .enabled = [this] { return m_splitter->isVisibleTo(window()); }});
  m_actions.add({.id = QStringLiteral("details.copy"),
                 .group = tr("Select"),
                 .title = tr("Copy all details of the slice"),
                 .keys = {Qt::CTRL | Qt::Key_C},
                 .run = [this] { QGuiApplication::clipboard()->setText(m_details->asText()); },
                 .enabled = [this] { return m_session.selection().valid(); }});
}

// Shows the panel about what is selected. A collective has two, its slice and its ranks: the one that was
// chosen last for a collective is shown for the next ones. Segments of the critical path have their own,
// which stays while the path is walked. Other panels stay while keys walk; a click always leads to the
// clicked slice.
void TimelineTab::followSelection(int selection, int collective, int gap, int path) {
  m_panelOfCollectives = collective;
  connect(m_bottom, &BottomPanel::chosen, this, [this, selection, collective](int panel) {
    if (m_collective->shows() && (panel == selection || panel == collective)) m_panelOfCollectives = panel;
  });
  connect(m_details, &DetailsPanel::ranksWanted, this, [this, collective] {
    m_panelOfCollectives = collective;
    m_bottom->followTo(collective);
  });
  connect(&m_session, &TraceSession::gapChanged, m_bottom, [this, gap] {
    if (!m_session.gap()) return;
    openForSelection();
    m_bottom->followTo(gap);
  });
  connect(&PathChoice::of(m_session), &PathChoice::segmentWanted, m_bottom, [this, path] {
    openForSelection();
    m_bottom->followTo(path);
  });
  const auto follow = [this, selection] {
    m_bottom->followTo(m_collective->shows() ? m_panelOfCollectives : selection);
  };
  const auto followKind = [this, selection, collective, gap, follow] {
    const int current = m_bottom->current();
    if (m_session.selection().valid() && (current == selection || current == collective || current == gap))
      follow();
  };
  connect(&m_session, &TraceSession::selectionChanged, m_bottom, [this, followKind] {
    if (!m_session.selection().valid()) return;
    openForSelection();
    // While events are added to the job, it is not known which of them are collectives.
    m_followsLater = !m_session.highlights();
    if (!m_followsLater) followKind();
  });
  connect(&m_session, &TraceSession::highlightsChanged, m_bottom, [this, followKind] {
    if (m_session.highlights() && std::exchange(m_followsLater, false)) followKind();
  });
  connect(m_view, &TimelineView::eventClicked, m_bottom, [this, path, follow] {
    if (m_bottom->current() != path || !PathChoice::of(m_session).selected()) follow();
  });
  connect(m_view, &TimelineView::eventMenuWanted, this, &TimelineTab::showSliceMenu);
}

void TimelineTab::showEvent(QShowEvent* event) {
  TabPage::showEvent(event);
  if (std::exchange(m_wasShown, true)) return;
  if (!m_settings.contains(kSplitterKey)) {
    m_openHeight = std::max({kBottomHeight, height() / kBottomPart,
                             std::min(scaledToText(kBottomHeight), height() / kBottomPartAtMost)});
    if (!m_bottom->collapsed()) m_splitter->setSizes({std::max(0, height() - m_openHeight), m_openHeight});
  }
  if (m_settings.contains(kCollapsedKey)) return;
  if (height() >= scaledToText(kLowHeight)) return;
  m_bottom->setCollapsed(true);
  m_opensWithSelection = true;
}

// The bar of the tour, or a message, may leave room for either the lanes or the panel.
void TimelineTab::openForSelection() {
  if (m_opensWithSelection && lanesBeside(m_openHeight, height()) >= scaledToText(kLeastLanes))
    m_bottom->setCollapsed(false);
}

// The height of the lanes in a tab of this height, beside a bottom panel of that one.
int TimelineTab::lanesBeside(int bottom, int all) const {
  return all - bottom - (m_view->height() - m_view->canvas().height());
}

// When the tour begins while the panel is open, the lanes that it is about stay visible.
void TimelineTab::resizeEvent(QResizeEvent* event) {
  TabPage::resizeEvent(event);
  if (!m_wasShown || m_bottom->collapsed()) return;
  const int least = scaledToText(kLeastLanes);
  const int bottom = m_bottom->height();
  if (lanesBeside(bottom, event->oldSize().height()) < least || lanesBeside(bottom, height()) >= least)
    return;
  m_bottom->setCollapsed(true);
  m_opensWithSelection = true;
}

void TimelineTab::showSliceMenu(EventRef event, QPoint globalPosition) {
  auto* menu = new QMenu(this);
  menu->setObjectName(QStringLiteral("sliceMenu"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const SliceMenu parts{m_session,
                        *m_view,
                        m_find->finder(),
                        m_actions,
                        [this] { m_find->showPanel(); },
                        [this](const QString& tab, const QString& words) { emit tableWanted(tab, words); }};
  fillSliceMenu(*menu, parts, event);
  menu->popup(globalPosition);
}

void TimelineTab::prepare() {
  m_view->prepare();
}

void TimelineTab::takeFocus() {
  m_view->setFocus();
}

bool TimelineTab::claimsKey(const QKeyEvent& event) const {
  return m_actions.claimsByPosition(event);
}

bool TimelineTab::pressKey(const QKeyEvent& event) {
  return m_view->pressKey(event);
}

QWidget* TimelineTab::visibleTables() {
  return m_bottom->collapsed() ? nullptr : m_bottom->currentPanel();
}

// A splitter leaves the space of a collapsed panel empty, so it is given to the timeline until the panel
// opens.
void TimelineTab::shareHeight(bool folded) {
  if (folded == std::exchange(m_folded, folded)) return;
  const QList<int> sizes = m_splitter->sizes();
  const int all = std::accumulate(sizes.begin(), sizes.end(), 0);
  if (folded && all > 0) m_openHeight = sizes.back();
  const int bottom = folded ? m_bottom->maximumHeight() : m_openHeight;
  m_splitter->setSizes({std::max(0, (all > 0 ? all : height()) - bottom), bottom});
}

void TimelineTab::saveLayout() {
  if (!m_bottom->collapsed()) m_settings.setValue(kSplitterKey, m_splitter->saveState());
  if (!m_opensWithSelection) m_settings.setValue(kCollapsedKey, m_bottom->collapsed());
  m_settings.setValue(kFiguresKey, m_view->figuresShown());
}

namespace tabs {

TabPage* timeline(const TabContext& context) {
  return new TimelineTab(context);
}

} // namespace tabs

} // namespace rankscope::ui
