// SPDX-License-Identifier: GPL-3.0-or-later
// Horizontal bars, one a row, each made of the same parts: where a step's or a rank's time went. Rows are
// named at the left and summed at the right; a part shows its amount where that fits into it. Rows grow with
// the room up to a height; what does not fit is scrolled to by the card around. UI thread; costs rows times
// parts.
#pragma once

#include "core/export/result_table.h"
#include "ui/charts/plot_view.h"

#include <QString>

#include <functional>
#include <vector>

class QHorizontalStackedBarSeries;

namespace rankscope::ui {

struct BarPart {
  QString name;
  ThemeColor color = &Theme::faint;
  bool hatched = false;
  qreal strength = 1; // of the color: shades of one meaning
};

struct BarRow {
  QString label;
  std::vector<double> amounts; // by part
  QString note = {};           // at the right; empty: the sum
  bool outlier = false;        // stands out: it is what is wrong
};

struct BarRows {
  std::vector<BarPart> parts;
  std::vector<BarRow> rows;
  Unit unit = Unit::Nanoseconds;
};

class StackedBars : public PlotView {
  Q_OBJECT
 public:
  explicit StackedBars(const TraceSession& session, QWidget* parent = nullptr);

  void setBars(BarRows bars);
  [[nodiscard]] const BarRows& bars() const { return m_bars; }
  // Highlights a row because something else points at it; -1: none.
  void markRow(int row);
  // Of a part of a row, in the widget.
  [[nodiscard]] QRectF boxOf(int row, int part) const;

  // More than this its rows have no use for.
  [[nodiscard]] int largestHeight() const;

  [[nodiscard]] QString tipAt(QPointF place) const override;
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 signals:
  void rowHovered(int row); // -1: none
  void partClicked(int row, int part);

 protected:
  void restyle() override;
  void drawBackground(QPainter* painter, const QRectF& rect) override;
  void drawForeground(QPainter* painter, const QRectF& rect) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Place {
    int row = -1;
    int part = -1;
  };

  [[nodiscard]] Place placeAt(QPointF at) const;
  [[nodiscard]] qreal rowHeight() const;
  [[nodiscard]] qreal barShare() const;
  void makeRoom();
  void hover(int row);
  void paintAmounts(QPainter& painter, int row) const;

  BarRows m_bars;
  QHorizontalStackedBarSeries* m_series = nullptr;
  double m_longest = 1;
  int m_labelWidth = 0;
  int m_noteWidth = 0;
  int m_hovered = -1;
  int m_part = -1; // that keys are at
  int m_marked = -1;
};

} // namespace rankscope::ui
