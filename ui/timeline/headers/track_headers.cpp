// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/headers/track_headers.h"

#include "core/base/unit_text.h"
#include "ui/base/text_scale.h"
#include "ui/timeline/lanes/track_label.h"
#include "ui/timeline/view/timeline_interfaces.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr int kArrowLeft = 12;
constexpr int kTextLeft = 30;
constexpr int kRightPadding = 10;
constexpr int kButtonSize = 16;
constexpr int kLabelHeight = 16;
constexpr double kDragThreshold = 4;

// A triangle that points down when open, right when closed.
void drawFoldMark(QPainter& painter, QColor colour, QPointF middle, bool open) {
  QPainterPath path;
  const double r = 3.6;
  if (open) {
    path.moveTo(middle + QPointF(-r, -r * 0.6));
    path.lineTo(middle + QPointF(r, -r * 0.6));
    path.lineTo(middle + QPointF(0, r * 0.8));
  } else {
    path.moveTo(middle + QPointF(-r * 0.6, -r));
    path.lineTo(middle + QPointF(-r * 0.6, r));
    path.lineTo(middle + QPointF(r * 0.8, 0));
  }
  path.closeSubpath();
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillPath(path, colour);
  painter.restore();
}

// A pin seen from the side; filled where it holds something.
void drawPin(QPainter& painter, QColor colour, QPointF middle, bool filled) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(colour, 1.2));
  painter.setBrush(filled ? QBrush(colour) : Qt::NoBrush);
  painter.drawRect(QRectF(middle.x() - 2, middle.y() - 5, 4, 5));
  painter.drawLine(middle + QPointF(-4, 0.5), middle + QPointF(4, 0.5));
  painter.drawLine(middle + QPointF(0, 0.5), middle + QPointF(0, 5));
  painter.restore();
}

void drawCross(QPainter& painter, QColor colour, QPointF middle) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(colour, 1.3));
  painter.drawLine(middle + QPointF(-3, -3), middle + QPointF(3, 3));
  painter.drawLine(middle + QPointF(3, -3), middle + QPointF(-3, 3));
  painter.restore();
}

QString utf8(const std::string& text) {
  return QString::fromStdString(text);
}

// "NVIDIA H100 80GB HBM3" as "H100": what tells one GPU from another in a narrow column.
QString shortGpu(const std::string& name) {
  QString gpu = utf8(name);
  for (const char* word :
       {"NVIDIA ", "AMD ", "Instinct ", "Tesla ", "GeForce ", "Intel(R) ", "Data Center GPU "})
    gpu.remove(QLatin1String(word));
  return gpu.section(' ', 0, 0).section('-', 0, 0);
}

} // namespace

QString rankTitle(const TraceSet& traces, RankIndex rank) {
  const RankEntry& entry = traces.rank(rank);
  const QString title = TrackHeaders::tr("Rank %1").arg(entry.rank);
  return traces.severalCaptures() ? title + TrackHeaders::tr(" · capture %1").arg(entry.capture) : title;
}

TrackHeaders::TrackHeaders(TraceSession& session, const TrackLayout& layout, QWidget* parent)
    : QWidget(parent), m_session(session), m_layout(layout), m_titles(textFont(12, QFont::DemiBold)),
      m_denseTitles(textFont(11, QFont::DemiBold)), m_texts(textFont(11)) {
  installTimelineInterfaces(); // before anybody asks for one, which the name below does
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setFocusPolicy(Qt::TabFocus);
  setAccessibleName(tr("Tracks"));
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

const StragglerNote* TrackHeaders::stragglerOf(RankIndex rank) const {
  return m_session.highlights() && m_session.highlightOptions().stragglers
             ? m_session.highlights()->straggler(rank)
             : nullptr;
}

// What the rank costs the others in a step, in as many words as there is room for; the width that it took.
int TrackHeaders::paintBadge(QPainter& painter, const Theme& theme, const Straggler& straggler,
                             const QRect& room) const {
  const QString cost = utf8(signedDurationText(straggler.costPerStep));
  for (const QString& words : {tr("straggler %1/step").arg(cost), tr("%1/step").arg(cost), cost}) {
    const TextCache::Text& text = m_texts.text(words);
    const QRect box(room.left(), room.center().y() - 7, text.width + 14, 16);
    if (box.right() > room.right()) continue;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    QColor ground = theme.bad;
    ground.setAlpha(46);
    painter.setPen(QPen(theme.bad, 1));
    painter.setBrush(ground);
    painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
    painter.restore();
    painter.setPen(theme.bad);
    m_texts.draw(painter, box.adjusted(7, 0, 0, 0), text);
    return box.width();
  }
  return 0;
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

// A rank's header that stays in sight is where it is seen.
QRect TrackHeaders::boxOf(const Section& section) const {
  const RankIndex sticky = stickyRank();
  if (section.kind == LaneKind::Rank && sticky.valid() && section.rank == sticky)
    return {0, 0, width(), TrackLayout::headerHeight()};
  return {0, section.top - m_scrollTop, width(), section.height};
}

std::optional<TrackKey> TrackHeaders::current() const {
  if (m_hovered) return m_hovered;
  return hasFocus() ? m_focused : std::nullopt;
}

// A label stays in sight as long as any of its track does.
int TrackHeaders::labelTop(const Section& section) const {
  const int top = section.top - m_scrollTop;
  const int seenFrom = stickyRank().valid() ? TrackLayout::headerHeight() : 0;
  return std::clamp(seenFrom, top, std::max(top, top + section.height - scaledToText(kLabelHeight)));
}

QRect TrackHeaders::hideButton(const Section& section) const {
  const QRect box = boxOf(section);
  const bool rank = section.kind == LaneKind::Rank;
  const int size = scaledToText(kButtonSize);
  const int height = std::min(box.height(), rank ? box.height() : size);
  return {width() - kRightPadding - size + 4, (rank ? box.top() : labelTop(section)) + (height - size) / 2,
          size, size};
}

QRect TrackHeaders::pinButton(const Section& section) const {
  return hideButton(section).translated(-scaledToText(kButtonSize) - 2, 0);
}

void TrackHeaders::paintEvent(QPaintEvent*) {
  const Theme& theme = m_session.theme();
  QPainter painter(this);
  painter.fillRect(rect(), theme.background);
  if (m_session.trace()) {
    const Section* hovered = nullptr;
    for (const Section& section : m_layout.sectionsWithin(m_scrollTop, m_scrollTop + height())) {
      const QRect box(0, section.top - m_scrollTop, width(), section.height);
      const bool isHovered = section.key == m_hovered;
      if (isHovered) hovered = &section;
      if (section.kind == LaneKind::Rank)
        paintRank(painter, theme, section.rank, box, isHovered);
      else
        paintTrack(painter, theme, section, box, isHovered);
      if (hasFocus() && section.key == m_focused) {
        painter.setPen(QPen(theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(box.adjusted(1, 1, -2, -1));
      }
    }
    if (const RankIndex sticky = stickyRank(); sticky.valid()) {
      hovered = m_hovered ? m_layout.sectionOf(*m_hovered) : nullptr;
      const bool isHovered = hovered && hovered->kind == LaneKind::Rank && hovered->rank == sticky;
      paintRank(painter, theme, sticky, QRect(0, 0, width(), TrackLayout::headerHeight()), isHovered);
    }
    if (m_dragging)
      paintDrag(painter, theme);
    else if (hovered)
      paintButtons(painter, theme, *hovered);
  }
  painter.fillRect(QRect(width() - 1, 0, 1, height()), theme.line);
}

void TrackHeaders::paintButtons(QPainter& painter, const Theme& theme, const Section& section) const {
  if (section.kind == LaneKind::More || section.kind == LaneKind::Group) return;
  const QRect pin = pinButton(section);
  const QRect hide = hideButton(section);
  painter.fillRect(pin.united(hide).adjusted(-4, 0, 3, 0), theme.raised);
  const bool pinned = m_session.choice().isPinned(section.key);
  drawPin(painter, pinned ? theme.accent : theme.muted, QRectF(pin).center(), pinned);
  drawCross(painter, theme.muted, QRectF(hide).center());
}

// A line where what is dragged would come to stand.
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

void TrackHeaders::paintRank(QPainter& painter, const Theme& theme, RankIndex rank, const QRect& box,
                             bool hovered) const {
  const TraceSet& traces = *m_session.trace();
  const RankEntry& entry = traces.rank(rank);
  painter.fillRect(box, hovered ? theme.raised : theme.panel);
  painter.fillRect(QRect(box.left(), box.top(), box.width(), 1), theme.line);
  const bool selected = m_session.selection().valid() && m_session.selection().rank == rank;
  if (selected) painter.fillRect(QRect(0, box.top(), 3, box.height()), theme.accent);
  drawFoldMark(painter, hovered ? theme.text : theme.muted,
               {kArrowLeft + 4.0, box.top() + box.height() / 2.0 + 0.5}, m_layout.rankExpanded(rank));
  TextCache& titles = box.height() >= TrackLayout::headerHeight() ? m_titles : m_denseTitles;
  const QRect line = box.adjusted(kTextLeft, 1, -kRightPadding, 0);
  const TextCache::Text& title = titles.elided(rankTitle(traces, rank), line.width());
  painter.setPen(theme.text);
  titles.draw(painter, line, title);
  QRect rest = line.adjusted(title.width + 11, 0, 0, 0);
  if (const StragglerNote* const note = stragglerOf(rank)) {
    painter.fillRect(QRect(0, box.top() + 1, 3, box.height() - 1), theme.bad);
    if (const int used = paintBadge(painter, theme, note->straggler, rest); used > 0)
      rest.adjust(used + 8, 0, 0, 0);
  }
  if (rest.width() < 20) return;
  QStringList facts;
  if (!entry.host.empty()) facts += utf8(entry.host);
  if (!entry.gpu.empty()) facts += shortGpu(entry.gpu);
  painter.setPen(theme.muted);
  m_texts.draw(painter, rest, m_texts.elided(facts.join(QStringLiteral(" · ")), rest.width()));
}

void TrackHeaders::paintTrack(QPainter& painter, const Theme& theme, const Section& section, const QRect& box,
                              bool hovered) const {
  if (section.kind == LaneKind::Group)
    painter.fillRect(box, theme.raised);
  else if (hovered)
    painter.fillRect(box, theme.panel);
  painter.setPen(hovered ? theme.text : theme.muted);
  // Beside tall tracks the label stands at the first row, where what it names begins.
  const bool group = section.kind == LaneKind::Group;
  const QRect line(kTextLeft, (group ? box.top() : labelTop(section)) + 1,
                   box.width() - kTextLeft - kRightPadding,
                   group ? box.height() : std::min(box.height(), scaledToText(kLabelHeight)));
  if (section.foldable)
    drawFoldMark(painter, hovered ? theme.text : theme.faint, {kTextLeft - 9.0, line.center().y() + 0.5},
                 !section.folded);
  m_texts.draw(painter, line, m_texts.elided(section.label, line.width()));
}

QString TrackHeaders::describeRank(RankIndex rank) const {
  const TraceSet& traces = *m_session.trace();
  const RankEntry& entry = traces.rank(rank);
  QStringList lines{rankTitle(traces, rank)};
  if (!entry.host.empty()) lines += utf8(entry.host);
  if (!entry.gpu.empty()) lines += utf8(entry.gpu);
  if (const StragglerNote* const note = stragglerOf(rank))
    lines +=
        tr("straggler: the others wait %1 a step for it, %2 in all")
            .arg(utf8(durationText(note->straggler.costPerStep)), utf8(durationText(note->straggler.cost)));
  lines += tr("%1 events").arg(utf8(countText(static_cast<std::int64_t>(entry.trace->events.size()))));
  if (entry.file.valid() && entry.file.value < traces.files().size())
    lines += utf8(traces.file(entry.file).path);
  if (entry.trace->deviceBegin == entry.trace->deviceEnd)
    lines += tr("No GPU activity recorded: profile with ProfilerActivity.CUDA to see kernels, idle time and "
                "exposed communication.");
  return lines.join('\n');
}

QString TrackHeaders::describe(const Section& section) const {
  if (section.kind == LaneKind::Rank) return describeRank(section.rank);
  if (section.kind == LaneKind::Row) {
    const RankTrace& trace = *m_session.trace()->rank(section.rank).trace;
    return trackDescription(trace, m_session.trace()->names(), trace.tracks[section.track.value]);
  }
  return section.hint.isEmpty() ? section.label : section.label.simplified() + '\n' + section.hint;
}

bool TrackHeaders::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  const Section* const section = sectionAt(help->pos());
  QString tip = section ? describe(*section) : QString();
  if (section && section->kind != LaneKind::More && section->kind != LaneKind::Group) {
    if (pinButton(*section).contains(help->pos()))
      tip = m_session.choice().isPinned(section->key) ? tr("Unpin (P)") : tr("Pin to the top (P)");
    if (hideButton(*section).contains(help->pos())) tip = tr("Hide (H)");
  }
  if (tip.isEmpty())
    QToolTip::hideText();
  else
    QToolTip::showText(help->globalPos(), tip, this);
  return true;
}

bool TrackHeaders::canMove(const Section& section) const {
  return section.kind != LaneKind::More && section.kind != LaneKind::Group;
}

std::vector<const Section*> TrackHeaders::siblingsOf(const Section& section) const {
  std::vector<const Section*> siblings;
  const bool pinned = std::ranges::all_of(
      m_layout.sections(), [&](const Section& other) { return m_session.choice().isPinned(other.key); });
  for (const Section& other : m_layout.sections()) {
    if (!canMove(other)) continue;
    const bool sameKind = (other.kind == LaneKind::Rank) == (section.kind == LaneKind::Rank);
    const bool sameRank = section.kind == LaneKind::Rank || other.rank == section.rank;
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

// Its first click folded already; the second must not unfold again.
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
  // A window that comes to the front is nobody's step to a header.
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
