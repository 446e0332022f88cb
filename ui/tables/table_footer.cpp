// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/table_footer.h"

#include "core/base/unit_text.h"
#include "ui/tables/shown_rows.h"
#include "ui/tables/table_view.h"

#include <QHeaderView>
#include <QHelpEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <array>

namespace rankscope::ui {

namespace {

using namespace table_look;

constexpr int kFooterHeight = 30;

QString grouped(int number) {
  return QString::fromStdString(groupedText(number));
}

} // namespace

TableFooter::TableFooter(TableView& view, const ResultTableModel& model, QWidget* parent)
    : QWidget(parent), m_view(view), m_model(model) {
  setObjectName(QStringLiteral("tableFooter"));
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  const auto repaint = [this] { update(); };
  connect(view.horizontalHeader(), &QHeaderView::sectionResized, this, repaint);
  connect(view.horizontalHeader(), &QHeaderView::geometriesChanged, this, repaint);
  connect(view.horizontalScrollBar(), &QScrollBar::valueChanged, this, repaint);
}

QSize TableFooter::sizeHint() const {
  return {100, scaledToText(kFooterHeight)};
}

void TableFooter::countAgain() {
  const std::vector<std::uint32_t>& rows = m_view.rows().order().rows();
  m_texts.clear();
  for (int column = 0; column < m_model.columnCount(); ++column) m_texts << m_model.footerText(column, rows);
  const int all = m_view.rows().order().rowsOfRank();
  const auto shown = static_cast<int>(rows.size());
  QString count = all == 1 ? tr("1 row") : tr("%1 rows").arg(grouped(all));
  if (shown != all) count = tr("%1 of %2").arg(grouped(shown), count);
  m_ranks = static_cast<int>(m_model.ranksOfMeans(rows));
  if (m_ranks > 0) count = tr("%1 · mean over %2 ranks").arg(count, grouped(m_ranks));
  for (int column = 0; column < m_texts.size(); ++column) {
    if (m_view.isColumnHidden(column)) continue;
    if (m_texts[column].isEmpty()) m_texts[column] = count;
    break;
  }
  QStringList spoken;
  for (int column = 0; column < m_texts.size(); ++column)
    if (!m_view.isColumnHidden(column) && !m_texts[column].isEmpty())
      spoken << m_model.column(column).title + QLatin1Char(' ') + m_texts[column];
  setAccessibleName(tr("Totals"));
  setAccessibleDescription(spoken.join(QStringLiteral(", ")));
  update();
}

QString TableFooter::text(int column) const {
  return m_texts.value(column);
}

int TableFooter::spaceFor(int column) const {
  const QHeaderView& header = *m_view.horizontalHeader();
  int space = header.sectionSize(column);
  // A count may be wider than the column of ranks above it.
  for (int next = column + 1;
       next < m_texts.size() && (m_texts[next].isEmpty() || header.isSectionHidden(next)); ++next)
    space += header.sectionSize(next);
  return space;
}

void TableFooter::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& theme = m_view.theme();
  const QHeaderView& header = *m_view.horizontalHeader();
  const int pinnedWidth = m_view.pinnedWidth();
  painter.setPen(theme.line);
  painter.drawLine(0, 0, m_view.viewport()->width() - 1, 0);
  painter.setClipRect(pinnedWidth, 0, m_view.viewport()->width() - pinnedWidth, height());
  for (int column = 0; column < m_texts.size(); ++column) {
    if (!header.isSectionHidden(column) && column != m_view.pinnedColumn())
      paintText(painter, column, header.sectionViewportPosition(column));
  }
  if (pinnedWidth > 0) painter.setClipRect(0, 0, pinnedWidth, height());
  if (const int pinned = m_view.pinnedColumn(); pinned >= 0 && !header.isSectionHidden(pinned))
    paintText(painter, pinned, pinnedWidth > 0 ? 0 : header.sectionViewportPosition(pinned));
}

void TableFooter::paintText(QPainter& painter, int column, int left) const {
  const QString text = this->text(column);
  if (text.isEmpty()) return;
  const Theme& theme = m_view.theme();
  const bool figure = m_model.column(column).footer != Footer::None;
  const auto alignment =
      m_model.headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).value<Qt::Alignment>();
  const int width = figure ? m_view.columnWidth(column) : spaceFor(column);
  const QRect inner = QRect(left, 0, width, height()).adjusted(kCellMargin, 1, -kCellMargin, 0);
  painter.setFont(cellFont(figure));
  painter.setPen(figure ? theme.text : theme.muted);
  painter.drawText(inner, static_cast<int>(figure ? alignment : Qt::AlignLeft | Qt::AlignVCenter),
                   painter.fontMetrics().elidedText(text, Qt::ElideRight, inner.width()));
}

bool TableFooter::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const bool pinned = help->pos().x() < m_view.pinnedWidth();
  const int column =
      pinned ? m_view.pinnedColumn() : m_view.horizontalHeader()->logicalIndexAt(help->pos().x());
  static constexpr std::array<const char*, 5> kWhat{
      "", QT_TR_NOOP("Sum of the visible rows"), QT_TR_NOOP("Mean of the visible rows"),
      QT_TR_NOOP("Min of the visible rows"), QT_TR_NOOP("Max of the visible rows")};
  const Footer footer = column < 0 ? Footer::None : m_model.column(column).footer;
  if (footer == Footer::None)
    QToolTip::hideText();
  else
    QToolTip::showText(help->globalPos(),
                       footer == Footer::Sum && m_ranks > 0
                           ? tr("Sum of the visible rows per step, mean over ranks; calls and sizes too")
                           : tr(kWhat[static_cast<std::size_t>(footer)]),
                       this);
  return true;
}

} // namespace rankscope::ui
