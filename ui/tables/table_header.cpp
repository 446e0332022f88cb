// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/table_header.h"

#include "ui/job/trace_session.h"
#include "ui/tables/shown_rows.h"
#include "ui/tables/table_cells.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QPainter>

#include <memory>
#include <utility>

namespace rankscope::ui {

using namespace table_look;

namespace {

std::unique_ptr<QMouseEvent> shifted(const QMouseEvent& event, int by) {
  return std::make_unique<QMouseEvent>(event.type(), event.position() + QPointF(by, 0),
                                       event.globalPosition(), event.button(), event.buttons(),
                                       event.modifiers());
}

} // namespace

TableHeader::TableHeader(const ShownRows& rows, const TraceSession& session, QWidget* parent)
    : QHeaderView(Qt::Horizontal, parent), m_rows(rows), m_session(session) {
  setSectionsClickable(true);
  setHighlightSections(false);
  setSortIndicatorClearable(false);
  setMouseTracking(true);
}

QSize TableHeader::sizeHint() const {
  return {QHeaderView::sizeHint().width(), headerHeight()};
}

int TableHeader::shiftAt(qreal x) const {
  if (!m_pinned) return 0;
  const auto [section, width] = m_pinned();
  // Its right edge is where one resizes it.
  return width > 0 && x < width + kCellMargin / 2.0 ? sectionViewportPosition(section) : 0;
}

void TableHeader::paintEvent(QPaintEvent* event) {
  QHeaderView::paintEvent(event);
  if (!m_pinned) return;
  const auto [section, width] = m_pinned();
  const QRect pinned(0, 0, width, height());
  if (width <= 0 || !pinned.intersects(event->rect())) return;
  QPainter painter(viewport());
  painter.fillRect(pinned, m_session.theme().panel);
  paintSection(&painter, pinned, section);
}

bool TableHeader::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QHeaderView::viewportEvent(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  QHelpEvent there(help->type(), help->pos() + QPoint(shiftAt(help->pos().x()), 0), help->globalPos());
  return QHeaderView::viewportEvent(&there);
}

void TableHeader::mousePressEvent(QMouseEvent* event) {
  m_pressedWidths.clear();
  for (int section = 0; section < count(); ++section) m_pressedWidths.push_back(sectionSize(section));
  m_shift = shiftAt(event->position().x());
  QHeaderView::mousePressEvent(shifted(*event, m_shift).get());
}

void TableHeader::mouseMoveEvent(QMouseEvent* event) {
  const int shift = event->buttons() == Qt::NoButton ? shiftAt(event->position().x()) : m_shift;
  QHeaderView::mouseMoveEvent(shifted(*event, shift).get());
}

void TableHeader::mouseReleaseEvent(QMouseEvent* event) {
  QHeaderView::mouseReleaseEvent(shifted(*event, m_shift).get());
  const std::vector<int> before = std::move(m_pressedWidths);
  m_pressedWidths.clear();
  if (before.size() != static_cast<std::size_t>(count())) return;
  for (int section = 0; section < count(); ++section)
    if (sectionSize(section) != before[static_cast<std::size_t>(section)] && !isSectionHidden(section))
      emit widthChosen(section, sectionSize(section));
}

void TableHeader::paintSection(QPainter* painter, const QRect& rect, int section) const {
  const Theme& theme = m_session.theme();
  const bool sorted = m_rows.sortColumn() == section;
  const bool hovered = underMouse() && rect.contains(mapFromGlobal(QCursor::pos()));
  const auto alignment =
      model()->headerData(section, Qt::Horizontal, Qt::TextAlignmentRole).value<Qt::Alignment>();
  const QRect inner = rect.adjusted(kCellMargin, 0, -kCellMargin, 0);
  const QString title = model()->headerData(section, Qt::Horizontal, Qt::DisplayRole).toString();
  painter->setFont(cellFont(false));
  painter->setPen(sorted || hovered ? theme.text : theme.muted);
  painter->drawText(inner, static_cast<int>(alignment) | Qt::TextSingleLine,
                    painter->fontMetrics().elidedText(title, Qt::ElideRight, inner.width()));
  painter->setPen(theme.line);
  painter->drawLine(rect.bottomLeft(), rect.bottomRight());
}

} // namespace rankscope::ui
