// SPDX-License-Identifier: GPL-3.0-or-later
// Paints table cells: text is elided at its less useful end, numbers have digits of equal width, shares are
// bars (the longest is the column's largest), unknown values are faint, numbers have the color of their row.
// Tooltips show elided texts and all digits. O(visible cells).
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
inline constexpr float kRowTint = 0.15F;      // of the color of a row
inline constexpr float kSelectedTint = 0.20F; // of the accent over a selected row
// A font with digits of equal width.
[[nodiscard]] const QFont& cellFont(bool figure);
// Width of a text in that font; cheap for numbers, whose characters have equal widths.
[[nodiscard]] int textWidth(const QString& text, bool figure);
// A name as a cell of this width shows it. sameStart: characters at the start that another row has too.
[[nodiscard]] QString elidedName(const QString& text, Qt::TextElideMode elision, int sameStart, int width);
} // namespace table_look

// A color for a row of the table; invalid: none.
using RowColor = std::function<QColor(int tableRow, const Theme& theme)>;

class TableCells : public QStyledItemDelegate {
 public:
  // The session provides the theme.
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

  void paintName(QPainter& painter, QRect inner, const QString& text, Qt::TextElideMode elision,
                 int sameStart) const;

  const ShownRows& m_rows;
  const TraceSession& m_session;
  RowColor m_barColor;
  RowColor m_rowColor;
  // Elided names, laid out by width, so that scrolling back is cheap.
  mutable QCache<std::pair<QString, qint64>, QStaticText> m_names;
};

} // namespace rankscope::ui
