// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/table_cells.h"

#include "ui/models/shown_rows.h"
#include "ui/panels/table_view.h"
#include "ui/trace_session.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace rankscope::ui {

namespace table_look {

const QFont& cellFont(bool figure) {
  static const QFont text = textFont(12);
  static const QFont digits = numberFont(12);
  return figure ? digits : text;
}

} // namespace table_look

namespace {

using namespace table_look;

constexpr int kShareWidth = 170;
constexpr int kShareText = 58; // beside the bar
constexpr int kBarHeight = 11;

const QFontMetrics& metricsOf(bool figure) {
  static const QFontMetrics text(cellFont(false));
  static const QFontMetrics digits(cellFont(true));
  return figure ? digits : text;
}

// Wider than any screen; laying out more would cost without showing.
constexpr qsizetype kLongestText = 1'000;

QString cutText(const QString& text, const QFontMetrics& metrics, Qt::TextElideMode elision, int width) {
  if (text.size() > kLongestText)
    return metrics.elidedText(elision == Qt::ElideLeft ? text.right(kLongestText) : text.left(kLongestText),
                              elision, width);
  return metrics.elidedText(text, elision, width);
}

} // namespace

TableCells::TableCells(const TableView& view, QObject* parent) : QStyledItemDelegate(parent), m_view(view) {}

void TableCells::paint(QPainter* painter, const QStyleOptionViewItem& option,
                       const QModelIndex& index) const {
  const Theme& theme = m_view.theme();
  const ShownRows& rows = m_view.rows();
  const int tableRow = rows.tableRow(index.row());
  const QVariant share = index.data(ResultTableModel::kShareRole);
  if (share.isValid()) paintBar(*painter, option.rect, share.toDouble(), tableRow);
  const bool figure = index.data(ResultTableModel::kFigureRole).toBool();
  const bool unknown = !index.data(ResultTableModel::kSortRole).isValid();
  const auto alignment = index.data(Qt::TextAlignmentRole).value<Qt::Alignment>();
  const auto elision =
      index.data(ResultTableModel::kElideStartRole).toBool() ? Qt::ElideLeft : Qt::ElideRight;
  // Figures take the colour of a row that stands out; names stay readable.
  const QColor own = alignment & Qt::AlignRight ? m_view.rowColour(tableRow) : QColor();
  const QRect inner = option.rect.adjusted(kCellMargin, 0, -kCellMargin, 0);
  painter->setFont(cellFont(figure));
  painter->setPen(unknown ? theme.faint : own.isValid() ? own : theme.text);
  painter->drawText(
      inner, static_cast<int>(alignment) | Qt::TextSingleLine,
      cutText(index.data(Qt::DisplayRole).toString(), metricsOf(figure), elision, inner.width()));
}

QSize TableCells::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
  if (index.data(ResultTableModel::kShareRole).isValid()) return {kShareWidth, rowHeight()};
  const bool figure = index.data(ResultTableModel::kFigureRole).toBool();
  const QString text = index.data(Qt::DisplayRole).toString().left(kLongestText);
  return {metricsOf(figure).horizontalAdvance(text) + 2 * kCellMargin + 2, rowHeight()};
}

bool TableCells::helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                           const QModelIndex& index) {
  if (event->type() != QEvent::ToolTip || !index.isValid()) return false;
  QString tip = index.data(Qt::ToolTipRole).toString();
  const QString shown = index.data(Qt::DisplayRole).toString();
  const bool figure = index.data(ResultTableModel::kFigureRole).toBool();
  const int width = metricsOf(figure).horizontalAdvance(shown.left(kLongestText));
  if (tip == shown && width <= option.rect.width() - 2 * kCellMargin) tip.clear();
  if (tip.isEmpty()) {
    QToolTip::hideText();
    return true;
  }
  if (!figure) {
    // As rich text it is broken into lines; names have no spaces to break at.
    const QString mayBreak(QChar(0x200b));
    tip = tip.toHtmlEscaped();
    tip.replace(QLatin1String("::"), mayBreak + QLatin1String("::"));
    tip.replace(QLatin1Char(','), QLatin1Char(',') + mayBreak);
    tip = QStringLiteral("<qt>%1</qt>").arg(tip);
  }
  QToolTip::showText(event->globalPos(), tip, view, option.rect);
  return true;
}

void TableCells::paintBar(QPainter& painter, QRect cell, double share, int tableRow) const {
  const Theme& theme = m_view.theme();
  QRectF track = QRectF(cell).adjusted(kCellMargin, 0, -kCellMargin - kShareText, 0);
  track.setTop(cell.center().y() + 0.5 - kBarHeight / 2.0);
  track.setHeight(kBarHeight);
  if (track.width() < 4) return;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme.line);
  painter.drawRoundedRect(track, 3, 3);
  const QColor own = m_barColour ? m_barColour(tableRow, theme) : QColor();
  QRectF bar = track;
  bar.setWidth(std::max(3.0, track.width() * std::clamp(share, 0.0, 1.0)));
  painter.setBrush(own.isValid() ? own : theme.gemm);
  painter.drawRoundedRect(bar, std::min(3.0, bar.width() / 2), 3);
  painter.restore();
}

} // namespace rankscope::ui
