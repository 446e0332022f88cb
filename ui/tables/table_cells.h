// SPDX-License-Identifier: GPL-3.0-or-later
// How the cells of a table look: text that is cut at its useless end, figures in digits of one width, shares
// as bars (the longest is the column's largest), what is not known faint, figures in the color of their row.
// A tooltip shows what a cell leaves out: the whole of a cut text, the last digit of a figure. Costs what is
// visible.
#pragma once

#include "ui/base/text_scale.h"
#include "ui/base/theme.h"

#include <QCache>
#include <QStaticText>
#include <QStyledItemDelegate>

#include <functional>
#include <utility>

namespace rankscope::ui {

class ShownRows;
class TraceSession;

namespace table_look {
[[nodiscard]] inline int rowHeight() {
  return scaledToText(28);
}
[[nodiscard]] inline int headerHeight() {
  return scaledToText(30);
}
inline constexpr int kCellMargin = 8;
// Digits of one width for figures.
[[nodiscard]] const QFont& cellFont(bool figure);
// Of a text in that font; cheap for figures, whose characters all have one width.
[[nodiscard]] int textWidth(const QString& text, bool figure);
} // namespace table_look

// A color for a row of the table; an invalid one: none.
using RowColor = std::function<QColor(int tableRow, const Theme& theme)>;

class TableCells : public QStyledItemDelegate {
 public:
  // The session lends the theme.
  TableCells(const ShownRows& rows, const TraceSession& session, QObject* parent = nullptr);

  void setBarColor(RowColor color) { m_barColor = std::move(color); }
  void setRowColor(RowColor color) { m_rowColor = std::move(color); }
  [[nodiscard]] QColor rowColor(int tableRow) const;

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  bool helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                 const QModelIndex& index) override;

 private:
  void paintBar(QPainter& painter, QRect cell, double share, int tableRow) const;

  void paintName(QPainter& painter, QRect inner, const QString& text, Qt::TextElideMode elision) const;

  const ShownRows& m_rows;
  const TraceSession& m_session;
  RowColor m_barColor;
  RowColor m_rowColor;
  // Names as they were cut and laid out for a width: what scrolls back into view costs nothing again.
  mutable QCache<std::pair<QString, int>, QStaticText> m_names;
};

} // namespace rankscope::ui
