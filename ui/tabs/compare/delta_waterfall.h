// SPDX-License-Identifier: GPL-3.0-or-later
// The way from A's step to B's: a bar for each part of the account, from where the sum stands to where it
// goes, with both times, the change and its interval beside it. One scale, which leaves out what all rows
// have in common. Rows are chosen by a click or with the arrows and Enter. UI thread; costs the rows.
#pragma once

#include "ui/charts/plot_view.h"

#include <QString>
#include <QWidget>

#include <cstddef>
#include <optional>
#include <vector>

namespace rankscope::ui {

struct DeltaRow {
  QString label;
  double a = 0; // nanoseconds of a step
  double b = 0;
  QString textA;
  QString textB;
  QString change;
  QString interval; // "± 1.1 ms"; empty: not known
  QString tip;
  std::vector<std::size_t> parts = {}; // of the account: classLeaf
};

struct DeltaRows {
  std::vector<DeltaRow> rows; // add up to the difference
  double a = 0;
  double b = 0;
  QString textA;
  QString textB;
  QString change;
  QString interval;
};

class DeltaWaterfall : public QWidget {
  Q_OBJECT
 public:
  explicit DeltaWaterfall(const TraceSession& session, QWidget* parent = nullptr);

  void setRows(DeltaRows rows);
  [[nodiscard]] const DeltaRows& rows() const { return m_rows; }
  void chooseRow(int row);
  [[nodiscard]] int chosenRow() const { return m_chosen; }
  [[nodiscard]] QRect rowBox(int row) const;

  // Explains the head at a place.
  [[nodiscard]] QString headTip(int x) const;

  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 signals:
  // -1: none any more.
  void rowChosen(int row);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct Columns {
    int label = 0;
    int plot = 0;
    int plotWidth = 0;
    int a = 0; // right edges
    int b = 0;
    int change = 0;
    int interval = 0; // 0: no room
    int number = 0;   // width of a number
  };

  [[nodiscard]] Columns columns() const;
  [[nodiscard]] int rowAt(QPointF place) const;
  [[nodiscard]] qreal xOf(double amount, const Columns& at) const;
  void paintHead(QPainter& painter, const Columns& at) const;
  void paintEnd(QPainter& painter, const Columns& at, bool ofB) const;
  void paintRow(QPainter& painter, const Columns& at, int row) const;
  void paintText(QPainter& painter, QRect box, int flags, const QString& text, QColor color,
                 const QFont& font) const;

  const TraceSession& m_session;
  DeltaRows m_rows;
  std::vector<double> m_begins; // where each row's bar begins
  double m_from = 0;
  double m_to = 1;
  int m_labelWidth = 0;
  int m_chosen = -1;
};

} // namespace rankscope::ui
