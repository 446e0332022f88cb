// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/table_header.h"

#include "ui/job/trace_session.h"
#include "ui/tables/shown_rows.h"
#include "ui/tables/table_cells.h"

#include <QPainter>

#include <utility>

namespace rankscope::ui {

using namespace table_look;

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

void TableHeader::mousePressEvent(QMouseEvent* event) {
  m_pressedWidths.clear();
  for (int section = 0; section < count(); ++section) m_pressedWidths.push_back(sectionSize(section));
  QHeaderView::mousePressEvent(event);
}

void TableHeader::mouseReleaseEvent(QMouseEvent* event) {
  QHeaderView::mouseReleaseEvent(event);
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
