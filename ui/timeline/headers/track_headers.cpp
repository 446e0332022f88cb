// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/headers/track_headers.h"

#include "ui/base/text_scale.h"
#include "ui/timeline/lanes/lane_header.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr int kButtonSize = 16;
constexpr double kDragThreshold = 4;

// A pin from the side; filled if something is pinned.
void drawPin(QPainter& painter, QColor color, QPointF middle, bool filled) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.translate(middle);
  painter.scale(textScale(), textScale());
  painter.setPen(QPen(color, 1.2));
  painter.setBrush(filled ? QBrush(color) : Qt::NoBrush);
  painter.drawRect(QRectF(-2, -5, 4, 5));
  painter.drawLine(QPointF(-4, 0.5), QPointF(4, 0.5));
  painter.drawLine(QPointF(0, 0.5), QPointF(0, 5));
  painter.restore();
}

void drawCross(QPainter& painter, QColor color, QPointF middle) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.translate(middle);
  painter.scale(textScale(), textScale());
  painter.setPen(QPen(color, 1.3));
  painter.drawLine(QPointF(-3, -3), QPointF(3, 3));
  painter.drawLine(QPointF(3, -3), QPointF(-3, 3));
  painter.restore();
}

} // namespace

TrackHeaders::TrackHeaders(TraceSession& session, const TrackLayout& layout, const RankSummaries& summaries,
                           QWidget* parent)
    : QWidget(parent), m_session(session), m_layout(layout), m_summaries(summaries),
      m_titles(textFont(12, QFont::DemiBold)), m_denseTitles(textFont(11, QFont::DemiBold)),
      m_texts(textFont(11)) {
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setFocusPolicy(Qt::TabFocus);
  connect(&session, &TraceSession::themeChanged, this, qOverload<>(&QWidget::update));
  connect(&session, &TraceSession::choiceChanged, this, qOverload<>(&QWidget::update));
  connect(&session, &TraceSession::selectionChanged, this, qOverload<>(&QWidget::update));
  connect(&session, &TraceSession::highlightsChanged, this, qOverload<>(&QWidget::update));
  connect(&session, &TraceSession::highlightOptionsChanged, this, qOverload<>(&QWidget::update));
}

void TrackHeaders::setScrollTop(int top) {
  if (top == m_scrollTop) return;
  m_scrollTop = top;
  update();
}

RankIndex TrackHeaders::stickyRank() const {
  return m_layout.stickyRank(m_scrollTop);
}

const Section* TrackHeaders::sectionAt(QPointF position) const {
  if (!m_session.trace()) return nullptr;
  if (const RankIndex sticky = stickyRank(); sticky.valid() && position.y() < TrackLayout::headerHeight())
    return m_layout.sectionAt(m_layout.rankLane(sticky).top);
  return m_layout.sectionAt(static_cast<int>(position.y()) + m_scrollTop);
}

bool TrackHeaders::isSticky(const Section& section) const {
  const RankIndex sticky = stickyRank();
  return section.kind->traits().rankHeader && sticky.valid() && section.rank == sticky;
}

// The sticky header of a rank is at its visible position.
QRect TrackHeaders::boxOf(const Section& section) const {
  if (isSticky(section)) return {0, 0, width(), TrackLayout::headerHeight()};
  return {0, section.top - m_scrollTop, width(), section.height};
}

std::optional<TrackKey> TrackHeaders::current() const {
  if (m_hovered) return m_hovered;
  return hasFocus() ? m_focused : std::nullopt;
}

// A label stays visible as long as any part of its track is.
int TrackHeaders::labelTop(const Section& section) const {
  const int top = section.top - m_scrollTop;
  const int seenFrom = stickyRank().valid() ? TrackLayout::headerHeight() : 0;
  return std::clamp(seenFrom, top, std::max(top, top + section.height - scaledToText(kHeaderLabelHeight)));
}

QRect TrackHeaders::hideButton(const Section& section) const {
  const QRect box = boxOf(section);
  const bool rank = section.kind->traits().rankHeader;
  const int size = scaledToText(kButtonSize);
  const int height = std::min(box.height(), rank ? box.height() : size);
  return {width() - kHeaderRightPadding - size + 4,
          (rank ? box.top() : labelTop(section)) + (height - size) / 2, size, size};
}

QRect TrackHeaders::pinButton(const Section& section) const {
  return hideButton(section).translated(-scaledToText(kButtonSize) - 2, 0);
}

void TrackHeaders::paintEvent(QPaintEvent*) {
  const Theme& theme = m_session.theme();
  QPainter painter(this);
  painter.fillRect(rect(), theme.background);
  if (m_session.trace()) {
    paintSections(painter, theme);
    const Section* const hovered = m_hovered ? m_layout.sectionOf(*m_hovered) : nullptr;
    if (m_dragging)
      paintDrag(painter, theme);
    else if (hovered)
      paintButtons(painter, theme, *hovered);
  }
  painter.fillRect(QRect(width() - 1, 0, 1, height()), theme.line);
}

void TrackHeaders::paintSections(QPainter& painter, const Theme& theme) const {
  const LaneFacts known = facts();
  HeaderPicture picture{painter, theme, known, m_session.selection(), m_titles, m_denseTitles, m_texts};
  for (const Section& section : m_layout.sectionsWithin(m_scrollTop, m_scrollTop + height())) {
    const QRect box(0, section.top - m_scrollTop, width(), section.height);
    picture.hovered = section.key == m_hovered;
    section.kind->paintHeader(picture, section, box, labelTop(section));
    if (hasFocus() && section.key == m_focused) {
      painter.setPen(QPen(theme.accent, 2));
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(box.adjusted(1, 1, -2, -1));
    }
  }
  const RankIndex sticky = stickyRank();
  const Section* const header = sticky.valid() ? m_layout.sectionAt(m_layout.rankLane(sticky).top) : nullptr;
  if (!header) return;
  picture.hovered = header->key == m_hovered;
  header->kind->paintHeader(picture, *header, boxOf(*header), 0);
}

void TrackHeaders::paintButtons(QPainter& painter, const Theme& theme, const Section& section) const {
  if (!canMove(section)) return;
  const QRect pin = pinButton(section);
  const QRect hide = hideButton(section);
  painter.fillRect(pin.united(hide).adjusted(-4, 0, 3, 0), theme.raised);
  const bool pinned = m_session.choice().isPinned(section.key);
  drawPin(painter, pinned ? theme.accent : theme.muted, QRectF(pin).center(), pinned);
  drawCross(painter, theme.muted, QRectF(hide).center());
}

// A line at the position where a dragged rank would be dropped.
void TrackHeaders::paintDrag(QPainter& painter, const Theme& theme) const {
  const Section* const section = m_layout.sectionOf(*m_pressed);
  if (!section) return;
  QColor veil = theme.accent;
  veil.setAlpha(40);
  painter.fillRect(boxOf(*section), veil);
  int y = -1;
  for (const Section* const sibling : siblingsOf(*section)) {
    const QRect box = boxOf(*sibling);
    if (y < 0 || m_dragY > box.center().y()) y = m_dragY > box.center().y() ? box.bottom() + 1 : box.top();
  }
  painter.fillRect(QRect(0, y - 1, width(), 2), theme.accent);
}

bool TrackHeaders::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  const Section* const section = sectionAt(help->pos());
  QString tip = section ? section->kind->describe(facts(), *section) : QString();
  if (section && canMove(*section)) {
    if (pinButton(*section).contains(help->pos()))
      tip = m_session.choice().isPinned(section->key) ? tr("Unpin (P)") : tr("Pin to the top (P)");
    if (hideButton(*section).contains(help->pos())) tip = tr("Hide (H)");
  }
  QToolTip::showText(help->globalPos(), tip, this); // an empty one hides what is shown
  return true;
}

bool TrackHeaders::canMove(const Section& section) const {
  return section.kind->traits().movable;
}

std::vector<const Section*> TrackHeaders::siblingsOf(const Section& section) const {
  std::vector<const Section*> siblings;
  const bool pinned = std::ranges::all_of(
      m_layout.sections(), [&](const Section& other) { return m_session.choice().isPinned(other.key); });
  for (const Section& other : m_layout.sections()) {
    if (!canMove(other)) continue;
    const bool sameKind = other.key.isRank() == section.key.isRank();
    const bool sameRank = section.key.isRank() || other.rank == section.rank;
    if (pinned || (sameKind && sameRank)) siblings.push_back(&other);
  }
  return siblings;
}

void TrackHeaders::mousePressEvent(QMouseEvent* event) {
  m_pressed.reset();
  if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  if (const Section* const section = sectionAt(event->position())) {
    m_pressed = section->key;
    m_pressedAt = event->position();
  }
}

void TrackHeaders::mouseMoveEvent(QMouseEvent* event) {
  if (m_pressed && (event->buttons() & Qt::LeftButton)) {
    const Section* const section = m_layout.sectionOf(*m_pressed);
    if (!m_dragging && section && canMove(*section) &&
        std::abs(event->position().y() - m_pressedAt.y()) >= kDragThreshold) {
      m_dragging = true;
      setCursor(Qt::ClosedHandCursor);
    }
    m_dragY = event->position().y();
    if (m_dragging) update();
    return;
  }
  const Section* const section = sectionAt(event->position());
  const auto hovered = section ? std::optional(section->key) : std::nullopt;
  setCursor(section && section->foldable ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (hovered == m_hovered) return;
  m_hovered = hovered;
  update();
}

void TrackHeaders::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const auto pressed = std::exchange(m_pressed, std::nullopt);
  if (std::exchange(m_ignoreRelease, false) || !pressed) return;
  if (std::exchange(m_dragging, false)) {
    unsetCursor();
    update();
    const Section* const section = m_layout.sectionOf(*pressed);
    if (!section) return;
    std::optional<TrackKey> before;
    for (const Section* const sibling : siblingsOf(*section)) {
      if (boxOf(*sibling).center().y() < event->position().y()) continue;
      before = sibling->key;
      break;
    }
    if (before != pressed) emit moved(*pressed, before);
    return;
  }
  const Section* const section = sectionAt(event->position());
  if (!section || section->key != *pressed || !rect().contains(event->position().toPoint())) return;
  const bool buttons = m_hovered == section->key && canMove(*section);
  if (buttons && pinButton(*section).contains(event->position().toPoint()))
    emit pinToggled(*pressed);
  else if (buttons && hideButton(*section).contains(event->position().toPoint()))
    emit hideWanted(*pressed);
  else if (section->foldable)
    emit toggled(*pressed);
}

// The first click has already collapsed it; the second must not expand it again.
void TrackHeaders::mouseDoubleClickEvent(QMouseEvent*) {
  m_ignoreRelease = true;
}

void TrackHeaders::contextMenuEvent(QContextMenuEvent* event) {
  const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
  const Section* const section =
      byKey && m_focused ? m_layout.sectionOf(*m_focused) : sectionAt(QPointF(event->pos()));
  if (!section) return;
  const QPoint place = byKey ? mapToGlobal(boxOf(*section).bottomLeft() + QPoint(30, 0)) : event->globalPos();
  emit menuWanted(section->key, place);
}

void TrackHeaders::moveFocus(int steps) {
  const auto sections = m_layout.sections();
  if (sections.empty()) return;
  const Section* const now = m_focused ? m_layout.sectionOf(*m_focused) : nullptr;
  std::ptrdiff_t next = 0;
  if (now)
    next = now - sections.data() + steps;
  else if (const Section* const first = m_layout.sectionAt(m_scrollTop))
    next = first - sections.data();
  next = std::clamp<std::ptrdiff_t>(next, 0, std::ssize(sections) - 1);
  const Section& section = sections[static_cast<std::size_t>(next)];
  m_focused = section.key;
  emit focusMoved(section.top, section.bottom());
  update();
}

void TrackHeaders::keyPressEvent(QKeyEvent* event) {
  const Section* const section = m_focused ? m_layout.sectionOf(*m_focused) : nullptr;
  const bool foldable = section && section->foldable;
  switch (event->key()) {
  case Qt::Key_Up:
    return moveFocus(-1);
  case Qt::Key_Down:
    return moveFocus(1);
  case Qt::Key_Left:
    if (foldable && !section->folded) emit toggled(section->key);
    return;
  case Qt::Key_Right:
    if (foldable && section->folded) emit toggled(section->key);
    return;
  case Qt::Key_Return:
  case Qt::Key_Enter:
  case Qt::Key_Space:
    if (foldable) emit toggled(section->key);
    return;
  default:
    QWidget::keyPressEvent(event);
  }
}

void TrackHeaders::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  // Activating the window does not move the focus to a header.
  if (event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason) moveFocus(0);
}

void TrackHeaders::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  update();
}

void TrackHeaders::leaveEvent(QEvent* event) {
  m_hovered.reset();
  update();
  QWidget::leaveEvent(event);
}

} // namespace rankscope::ui
