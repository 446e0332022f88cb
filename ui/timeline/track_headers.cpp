// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/track_headers.h"

#include "core/base/unit_text.h"
#include "ui/timeline/track_label.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

namespace rankscope::ui {
namespace {

constexpr int kArrowLeft = 12;
constexpr int kTextLeft = 30;
constexpr int kRightPadding = 10;

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
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  connect(&session, &TraceSession::themeChanged, this, qOverload<>(&QWidget::update));
  connect(&session, &TraceSession::selectionChanged, this, qOverload<>(&QWidget::update));
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
  if (const RankIndex sticky = stickyRank(); sticky.valid() && position.y() < TrackLayout::kHeaderHeight)
    return m_layout.sectionAt(m_layout.rankLane(sticky).top);
  return m_layout.sectionAt(static_cast<int>(position.y()) + m_scrollTop);
}

void TrackHeaders::paintEvent(QPaintEvent*) {
  const Theme& theme = m_session.theme();
  QPainter painter(this);
  painter.fillRect(rect(), theme.background);
  if (m_session.trace()) {
    for (const Section& section : m_layout.sectionsWithin(m_scrollTop, m_scrollTop + height())) {
      const QRect box(0, section.top - m_scrollTop, width(), section.height);
      const bool hovered = section.top == m_hoveredTop;
      if (section.kind == LaneKind::Rank)
        paintRank(painter, theme, section.rank, box, hovered);
      else
        paintTrack(painter, theme, section, box, hovered);
    }
    if (const RankIndex sticky = stickyRank(); sticky.valid())
      paintRank(painter, theme, sticky, QRect(0, 0, width(), TrackLayout::kHeaderHeight), false);
  }
  painter.fillRect(QRect(width() - 1, 0, 1, height()), theme.line);
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
  TextCache& titles = box.height() >= TrackLayout::kHeaderHeight ? m_titles : m_denseTitles;
  const QRect line = box.adjusted(kTextLeft, 1, -kRightPadding, 0);
  const TextCache::Text& title = titles.elided(rankTitle(traces, rank), line.width());
  painter.setPen(theme.text);
  titles.draw(painter, line, title);
  const QRect rest = line.adjusted(title.width + 11, 0, 0, 0);
  if (rest.width() < 20) return;
  QStringList facts;
  if (!entry.host.empty()) facts += utf8(entry.host);
  if (!entry.gpu.empty()) facts += shortGpu(entry.gpu);
  painter.setPen(theme.muted);
  m_texts.draw(painter, rest, m_texts.elided(facts.join(QStringLiteral(" · ")), rest.width()));
}

void TrackHeaders::paintTrack(QPainter& painter, const Theme& theme, const Section& section, const QRect& box,
                              bool hovered) const {
  if (hovered && section.foldable) painter.fillRect(box, theme.panel);
  painter.setPen(hovered ? theme.text : theme.muted);
  // Beside tall tracks the label stands at the first row, where what it names begins.
  const QRect line(kTextLeft, box.top() + 1, box.width() - kTextLeft - kRightPadding,
                   std::min(box.height(), 16));
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
  lines += tr("%1 events").arg(utf8(countText(static_cast<std::int64_t>(entry.trace->events.size()))));
  if (entry.file.valid() && entry.file.value < traces.files().size())
    lines += utf8(traces.file(entry.file).path);
  if (entry.trace->deviceBegin == entry.trace->deviceEnd)
    lines += tr("No GPU activity recorded: profile with ProfilerActivity.CUDA to see kernels, idle time and "
                "exposed communication.");
  return lines.join('\n');
}

bool TrackHeaders::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  const Section* const section = sectionAt(help->pos());
  QString tip;
  if (section && section->kind == LaneKind::Rank) {
    tip = describeRank(section->rank);
  } else if (section && section->kind == LaneKind::Row) {
    const RankTrace& trace = *m_session.trace()->rank(section->rank).trace;
    tip = trackDescription(trace, m_session.trace()->names(), trace.tracks[section->track.value]);
  } else if (section) {
    tip = section->hint.isEmpty() ? section->label : section->hint;
  }
  if (tip.isEmpty())
    QToolTip::hideText();
  else
    QToolTip::showText(help->globalPos(), tip, this);
  return true;
}

void TrackHeaders::mouseMoveEvent(QMouseEvent* event) {
  const Section* const section = sectionAt(event->position());
  const int top = section ? section->top : -1;
  setCursor(section && section->foldable ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (top == m_hoveredTop) return;
  m_hoveredTop = top;
  update();
}

void TrackHeaders::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !rect().contains(event->position().toPoint())) return;
  const Section* const section = sectionAt(event->position());
  if (!section || !section->foldable) return;
  if (section->kind == LaneKind::Rank)
    emit rankToggled(section->rank);
  else if (section->kind == LaneKind::More)
    emit moreToggled(section->rank);
  else
    emit trackToggled(section->rank, section->track);
}

void TrackHeaders::leaveEvent(QEvent* event) {
  m_hoveredTop = -1;
  update();
  QWidget::leaveEvent(event);
}

} // namespace rankscope::ui
