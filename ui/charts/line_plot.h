// SPDX-License-Identifier: GPL-3.0-or-later
// Curves over steps or time: lines, filled areas, and bands between two lines; highlighted ones have their
// name at the end. Marks (steps, a peak) are vertical lines with a text; a cursor follows the mouse. Input is
// already reduced to what a screen can show. UI thread; O(points).
#pragma once

#include "core/export/result_table.h"
#include "ui/charts/plot_view.h"

#include <QPointF>
#include <QString>

#include <functional>
#include <optional>
#include <vector>

class QLineSeries;
class QPen;

namespace rankscope::ui {

struct Curve {
  QString name;
  QList<QPointF> points = {}; // x ascending; an interruption needs a new curve; a single point is a dot
  ThemeColor color = &Theme::accent;
  bool dashed = false;
  bool filled = false;  // down to 0
  bool outlier = false; // highlighted: on top, thicker, with a name at its end
};

struct Band {
  QString name;
  QList<QPointF> upper = {};
  QList<QPointF> lower = {}; // at the same x
  ThemeColor color = &Theme::accent;
  qreal strength = 0.22;
};

struct PlotMark {
  double x = 0;
  QString text = {};
  ThemeColor color = &Theme::faint;
};

struct Curves {
  std::vector<Curve> curves;
  std::vector<Band> bands = {};
  std::vector<PlotMark> marks = {};
  Unit xUnit = Unit::Identity;
  Unit yUnit = Unit::Nanoseconds;
  double xBegin = 0;
  double xEnd = 1;
  bool fromZero = true;    // else from slightly below the smallest
  QStringList xTexts = {}; // labels of whole x from the first one in the range on, instead of numbers
  QString xPrefix = {};    // of numbers: "#"
};

class LinePlot : public PlotView {
  Q_OBJECT
 public:
  explicit LinePlot(const TraceSession& session, QWidget* parent = nullptr);

  void setCurves(Curves curves);
  [[nodiscard]] const Curves& curves() const { return m_curves; }
  // Highlights a curve that is hovered elsewhere; -1: none.
  void markCurve(int curve);
  // Additional tooltip text for a position; may be empty.
  void setTipAt(std::function<QString(double x)> tip) { m_tip = std::move(tip); }
  // A permanent vertical line, or none.
  void setCursor(std::optional<double> x);

  [[nodiscard]] QPointF placeOf(double x, double y) const;
  [[nodiscard]] double xAt(qreal place) const;
  struct MarkText {
    std::size_t mark = 0; // index in the curves
    QRectF box;
  };
  // Of the marks whose text has room: those of a color of their own before the others.
  [[nodiscard]] std::vector<MarkText> markTexts() const;

  [[nodiscard]] QString tipAt(QPointF place) const override;
  [[nodiscard]] QSize sizeHint() const override { return {480, 260}; }
  [[nodiscard]] QSize minimumSizeHint() const override { return {240, 140}; }

 signals:
  void curveHovered(int curve); // -1: none
  // x position of the mouse or the keyboard focus, if any.
  void placeHovered(std::optional<double> x);
  // x of a click, and the curve nearest to it; -1: none is near.
  void clicked(int curve, double x);

 protected:
  void restyle() override;
  void placePlot() override;
  void drawBackground(QPainter* painter, const QRectF& rect) override;
  void drawForeground(QPainter* painter, const QRectF& rect) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void measure();
  void addCurve(std::size_t index);
  void addAxes();
  [[nodiscard]] bool lit(std::size_t curve) const;
  [[nodiscard]] QPen penOf(std::size_t curve) const;
  void repaintCurves();
  [[nodiscard]] int curveNear(QPointF place) const;
  [[nodiscard]] std::optional<double> valueAt(const Curve& curve, double x) const;
  void paintAxes(QPainter& painter) const;
  void paintMarks(QPainter& painter) const;
  [[nodiscard]] bool isInPlot(qreal x) const;
  [[nodiscard]] int markHeight() const; // of their texts, above the plot
  void paintNames(QPainter& painter) const;
  void paintGround(QPainter& painter, QRectF box) const;
  // A free position for the name of a curve, if any.
  [[nodiscard]] std::optional<QRectF> nameBox(std::size_t index, const QList<QRectF>& taken) const;
  void paintDots(QPainter& painter) const;
  void paintCursors(QPainter& painter) const;
  [[nodiscard]] qreal dotRadius() const;
  [[nodiscard]] QString xText(double x, double step) const;
  void hover(int curve);
  void point(std::optional<double> x);
  // The next or previous point of the curve, or the curve above or below.
  void moveAlong(int points);
  void moveAcross(int curves);

  Curves m_curves;
  std::vector<QLineSeries*> m_lines; // by curve; null for a dot
  double m_low = 0;
  double m_high = 1;
  int m_hovered = -1;
  int m_marked = -1;
  std::optional<double> m_cursor;
  std::optional<double> m_pointer;
  std::function<QString(double)> m_tip;
};

} // namespace rankscope::ui
