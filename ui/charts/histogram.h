// SPDX-License-Identifier: GPL-3.0-or-later
// How long the calls of one thing took: a bar for each range of durations on a scale of equal ratios, with
// the usual percentiles as vertical lines. The bar under the pointer shows its range and how many
// calls it has; a click picks it, and so do the arrow keys with Enter. UI thread; costs bars, at most 60.
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
  // Points at a duration: that of the call one is at; none: at nothing.
  void markDuration(std::optional<TimeNs> duration);
  // The bar of a bin, in the widget.
  [[nodiscard]] QRectF boxOf(std::size_t bin) const;

  [[nodiscard]] QString tipAt(QPointF place) const override;
  [[nodiscard]] QSize sizeHint() const override { return {480, 240}; }
  [[nodiscard]] QSize minimumSizeHint() const override { return {240, 140}; }

 signals:
  void binClicked(int bin); // one that has calls

 protected:
  void restyle() override;
  void placePlot() override;
  void drawForeground(QPainter* painter, const QRectF& rect) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  [[nodiscard]] qreal placeOf(TimeNs duration) const;
  [[nodiscard]] int binAt(QPointF place) const;
  void hover(int bin);
  QAreaSeries* addBars(QColor color);
  void addAxes();
  void showBins();
  void showMarks();
  [[nodiscard]] QList<QPointF> outlineOf(const std::vector<std::size_t>& bins) const;
  void paintPercentiles(QPainter& painter) const;

  DurationBins m_bins;
  // The chart's; null without bins. Places across are logarithms of durations.
  QAreaSeries* m_bars = nullptr;
  QAreaSeries* m_lit = nullptr;       // under the pointer
  QAreaSeries* m_pointedAt = nullptr; // of the marked duration
  QCategoryAxis* m_across = nullptr;
  QCategoryAxis* m_up = nullptr;
  ThemeColor m_color = &Theme::gemm;
  std::int64_t m_max = 1; // of a bin
  std::optional<TimeNs> m_marked;
  int m_hovered = -1;
};

// Durations that a scale of equal ratios from `from` to `to` names, at most about so many: 10, 30 and 100 µs;
// 10, 20 and 50 µs where there is space for more. REQUIRES: 0 <= from < to.
[[nodiscard]] std::vector<TimeNs> ratioMarks(TimeNs from, TimeNs to, int most);

} // namespace rankscope::ui
