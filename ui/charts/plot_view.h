// SPDX-License-Identifier: GPL-3.0-or-later
// What all charts have in common: Qt Charts draws bars, lines and areas, in the session's theme and without
// axes of its own; texts are painted over it where they fit, so that none overlap or are cut. A chart
// is fed a summary of at most a few thousand points. UI thread.
#pragma once

#include "ui/base/theme.h"

#include <QChartView>

#include <vector>

namespace rankscope::ui {

class TraceSession;

// A color by what it means, in either theme.
using ThemeColor = QColor Theme::*;

// strength: 0 to 1, shades of one meaning.
[[nodiscard]] QColor chartFill(const Theme& theme, ThemeColor color, qreal strength = 1);

// Diagonal stripes over what is filled with the color, as the timeline's exposed communication has them; as
// strokes, so that a drawing stays one.
void paintHatch(QPainter& painter, QRectF box, QColor color);

class PlotView : public QChartView {
  Q_OBJECT
 public:
  // The area in which the pointer has a tooltip; empty: none.
  [[nodiscard]] virtual QString tipAt(QPointF place) const = 0;

 protected:
  explicit PlotView(const TraceSession& session, QWidget* parent = nullptr);

  [[nodiscard]] const Theme& theme() const;
  // Room for texts around the plot.
  void setGutters(QMargins gutters);
  [[nodiscard]] QRectF plot() const { return chart()->plotArea(); }
  // The plot was laid out again, in a widget of this size.
  virtual void placePlot();
  // Another theme: colors of the series.
  virtual void restyle() = 0;

  void paintText(QPainter& painter, QRectF box, int flags, const QString& text, QColor color,
                 bool figures = true) const;

  // Around the plot, while keys go to it.
  void paintFocus(QPainter& painter, QRectF box) const;
  // A tip that keys asked for.
  void showTip(QPointF place);

  void resizeEvent(QResizeEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  const TraceSession& m_session;
  QMargins m_gutters;
};

} // namespace rankscope::ui
