// SPDX-License-Identifier: GPL-3.0-or-later
// A sum as a waterfall: a bar for each of its parts that begins where the one before ends, with texts beside
// it, and the whole as a stacked bar in the last row. Rows are chosen by a click, or with arrows and Enter.
// UI thread; costs the rows.
#pragma once

#include "ui/charts/plot_view.h"

#include <QString>
#include <QWidget>

#include <optional>
#include <vector>

namespace rankscope::ui {

struct WaterfallFill {
  ThemeColor color = &Theme::faint;
  bool hatched = false;
  qreal strength = 1;
};

struct WaterfallRow {
  QString label;
  double begin = 0; // nanoseconds
  double amount = 0;
  WaterfallFill fill;
  QString value; // of the amount
  QString share;
  QString note;                            // on the right, as far as there is room
  std::optional<ThemeColor> noteMark = {}; // a dot in front of it
  QString tip;                             // rich text
  bool strong = false;                     // stands out among the labels
};

struct WaterfallRows {
  std::vector<WaterfallRow> rows;
  QString total; // label of the last row
  double amount = 0;
  QString value;
  QString partTip; // what the parts are, for the head of the labels
  QString noteTitle;
  QString noteTip;
};

class Waterfall : public QWidget {
  Q_OBJECT
 public:
  explicit Waterfall(const TraceSession& session, QWidget* parent = nullptr);

  void setRows(WaterfallRows rows);
  [[nodiscard]] const WaterfallRows& rows() const { return m_rows; }
  // Points at a row that is hovered elsewhere; -1: none.
  void markRow(int row);
  [[nodiscard]] int markedRow() const { return m_marked; }
  // A row's bar, and all of the row.
  [[nodiscard]] QRectF barOf(int row) const;
  [[nodiscard]] QRect rowBox(int row) const;

  // What the column at this place is, with its unit.
  [[nodiscard]] QString headTip(int x) const;
  // A row's note as drawn: elided where there is too little room.
  [[nodiscard]] QString noteShown(int row) const;

  // With the highest rows.
  [[nodiscard]] int largestHeight() const;
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 signals:
  void rowClicked(int row);
  // -1: none.
  void rowHovered(int row);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  [[nodiscard]] int heightOfRows(int row) const;
  [[nodiscard]] int rowHeight() const;
  // Left edges and widths of the columns.
  struct Columns {
    int plot = 0;
    int plotWidth = 0;
    int value = 0;
    int valueWidth = 0;
    int share = 0;
    int shareWidth = 0;
    int note = 0;
    int noteWidth = 0; // 0: no room
  };

  [[nodiscard]] Columns columns() const;
  [[nodiscard]] int rowAt(QPointF place) const;
  [[nodiscard]] qreal xOf(double amount) const;
  void hover(int row);
  void paintAxis(QPainter& painter, const Columns& at) const;
  void paintRow(QPainter& painter, const Columns& at, int row) const;
  void paintTotal(QPainter& painter, const Columns& at) const;
  void paintBar(QPainter& painter, QRectF box, const WaterfallFill& fill) const;
  void paintText(QPainter& painter, QRect box, int flags, const QString& text, QColor color,
                 const QFont& font) const;

  const TraceSession& m_session;
  WaterfallRows m_rows;
  int m_labelWidth = 0;
  int m_noteWidth = 0; // of the longest note; 0: there is none
  int m_hovered = -1;
  int m_marked = -1;
};

} // namespace rankscope::ui
