// SPDX-License-Identifier: GPL-3.0-or-later
// Histogram of durations on a logarithmic scale, with percentiles as vertical lines. The bar under the mouse
// shows its range and count; a click selects it, and so do arrow keys and Enter. UI thread; O(bars), at most
// 60.
#pragma once

#include "core/analysis/kernels/duration_bins.h"
#include "ui/charts/plot_view.h"

#include <optional>
#include <vector>

class QAreaSeries;
class QCategoryAxis;

namespace rankscope::ui {

class Histogram : public PlotView {
  Q_OBJECT
 public:
  explicit Histogram(const TraceSession& session, QWidget* parent = nullptr);

  void setBins(DurationBins bins, ThemeColor color);
  [[nodiscard]] const DurationBins& bins() const { return m_bins; }
  // Marks the duration of the current call, or nothing.
  void markDuration(std::optional<TimeNs> duration);
  // Box of a bin's bar, in widget coordinates.
  [[nodiscard]] QRectF boxOf(std::size_t bin) const;
  struct Label {
    QString text;
    QRectF box;
  };
  // Of the lines of p50, p90 and p99: each over its line, below others in its way.
  [[nodiscard]] std::vector<Label> percentileLabels() const { return labelsAbove(plot()); }

  [[nodiscard]] QString tipAt(QPointF place) const override;
  [[nodiscard]] QSize sizeHint() const override { return {480, 240}; }
  [[nodiscard]] QSize minimumSizeHint() const override { return {240, 140}; }

 signals:
  void binClicked(int bin); // a bin with calls

 protected:
  void restyle() override;
  void placePlot() override;
  void drawForeground(QPainter* painter, const QRectF& rect) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  // Percentile labels above a plot, of which only left and right count.
  [[nodiscard]] std::vector<Label> labelsAbove(const QRectF& plot) const;
  [[nodiscard]] qreal placeIn(const QRectF& plot, TimeNs duration) const;
  [[nodiscard]] qreal placeOf(TimeNs duration) const { return placeIn(plot(), duration); }
  [[nodiscard]] QRectF spaceBelow(qreal top) const; // of bars and axes
  [[nodiscard]] int binAt(QPointF place) const;
  void hover(int bin);
  QAreaSeries* addBars(QColor color);
  void addAxes();
  void showBins();
  void showMarks();
  [[nodiscard]] QList<QPointF> outlineOf(const std::vector<std::size_t>& bins) const;
  void paintPercentiles(QPainter& painter) const;

  DurationBins m_bins;
  // Owned by the chart; null without bins. x is the logarithm of the duration.
  QAreaSeries* m_bars = nullptr;
  QAreaSeries* m_lit = nullptr;       // under the mouse
  QAreaSeries* m_pointedAt = nullptr; // of the marked duration
  QCategoryAxis* m_across = nullptr;
  QCategoryAxis* m_up = nullptr;
  ThemeColor m_color = &Theme::gemm;
  std::int64_t m_max = 1; // largest count of a bin
  std::optional<TimeNs> m_marked;
  int m_hovered = -1;
};

// Axis labels of a logarithmic scale, at most about `most`: 10, 30 and 100 µs; 10, 20 and 50 µs if there is
// space. REQUIRES: 0 <= from < to.
[[nodiscard]] std::vector<TimeNs> ratioMarks(TimeNs from, TimeNs to, int most);

} // namespace rankscope::ui
