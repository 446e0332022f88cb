// SPDX-License-Identifier: GPL-3.0-or-later
// Common base of charts: Qt Charts draws bars, lines and areas in the session's theme, without axes; texts
// are painted on top where they fit, so that they neither overlap nor are cut. Input is a summary of at most
// a few thousand points. UI thread.
#pragma once

#include "ui/base/theme.h"

#include <QChartView>

#include <vector>

namespace rankscope::ui {

class TraceSession;

// A color of the theme, by its meaning.
using ThemeColor = QColor Theme::*;

// Opacity of waits for other ranks, beside transfers of the same color.
inline constexpr qreal kWaitStrength = 0.5;
// strength: 0 to 1, for shades of one color.
[[nodiscard]] QColor chartFill(const Theme& theme, ThemeColor color, qreal strength = 1);

// Diagonal stripes as for exposed communication in the timeline; drawn as strokes, so that vector exports
// stay vector graphics.
void paintHatch(QPainter& painter, QRectF box, QColor color);

class PlotView : public QChartView {
  Q_OBJECT
 public:
  // The area with a tooltip; empty: none.
  [[nodiscard]] virtual QString tipAt(QPointF place) const = 0;

 protected:
  explicit PlotView(const TraceSession& session, QWidget* parent = nullptr);

  [[nodiscard]] const Theme& theme() const;
  // Margins for texts around the plot.
  void setGutters(QMargins gutters);
  [[nodiscard]] QRectF plot() const { return chart()->plotArea(); }
  // The layout of the plot changed.
  virtual void placePlot();
  // The theme changed: updates colors of the series.
  virtual void restyle() = 0;

  void paintText(QPainter& painter, QRectF box, int flags, const QString& text, QColor color,
                 bool figures = true) const;

  // A frame around the plot while it has the focus.
  void paintFocus(QPainter& painter, QRectF box) const;
  // A tooltip requested by the keyboard.
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
