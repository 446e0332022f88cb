// SPDX-License-Identifier: GPL-3.0-or-later
// Horizontal bars, one per row, made of the same parts: where the time of a step or rank was spent. Names are
// at the left and sums at the right; a part shows its amount if it fits. Rows grow with the available space
// up to a maximum; the surrounding card scrolls. UI thread; O(rows x parts).
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
  qreal strength = 1; // opacity, for shades of one color
};

struct BarRow {
  QString label;
  std::vector<double> amounts; // by part
  QString note = {};           // at the right; empty: the sum
  bool outlier = false;        // highlighted as a problem
  bool faded = false;          // not part of what the other rows are summed up to
  QString why = {};            // in the tooltip
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
  // Highlights a row that is hovered elsewhere; -1: none.
  void markRow(int row);
  // Box of a part of a row, in widget coordinates.
  [[nodiscard]] QRectF boxOf(int row, int part) const;

  // The maximum useful height.
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
  int m_part = -1; // the part focused by the keyboard
  int m_marked = -1;
};

} // namespace rankscope::ui
