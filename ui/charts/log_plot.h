// SPDX-License-Identifier: GPL-3.0-or-later
// Curves over message sizes on two logarithmic axes: measured points joined by lines, dashed models, bands of
// predictions, and levels such as what a link can do at best. A point is chosen by a click, or with arrows
// and Enter. Without points that are above 0 there is nothing to draw. UI thread; O(points), at most some
// thousands.
#pragma once

#include "core/export/result_table.h"
#include "ui/charts/plot_view.h"

#include <QPointF>
#include <QString>

#include <optional>
#include <vector>

namespace rankscope::ui {

struct LogCurve {
  QString name;               // at its end, where there is room; may be empty
  QList<QPointF> points = {}; // x ascending, all above 0
  ThemeColor color = &Theme::accent;
  bool dashed = false;         // a model: no dots
  bool loose = false;          // single points: no line
  std::vector<QString> tips{}; // by point; rich text
  std::vector<bool> warned{};  // by point: marked as slow
};

struct LogBand {
  QList<QPointF> upper = {}, lower = {}; // at the same x
  ThemeColor color = &Theme::accent;
};

struct LogLevel {
  QString text;
  double y = 0;
  ThemeColor color = &Theme::faint;
};

struct LogCurves {
  std::vector<LogCurve> curves;
  std::vector<LogBand> bands = {};
  std::vector<LogLevel> levels = {};
  Unit yUnit = Unit::GigabytesPerSecond; // x is bytes
  QString yTitle = {}, xTitle = {};

  [[nodiscard]] bool empty() const;
};

class LogPlot : public PlotView {
  Q_OBJECT
 public:
  explicit LogPlot(const TraceSession& session, QWidget* parent = nullptr);

  void setCurves(LogCurves curves);
  [[nodiscard]] const LogCurves& curves() const { return m_curves; }
  [[nodiscard]] QPointF placeOf(QPointF point) const;
  // Where the name of a curve stands; null: it has none, or there was no free place for it.
  [[nodiscard]] QRectF nameBox(std::size_t curve) const;

  [[nodiscard]] QString tipAt(QPointF place) const override;
  [[nodiscard]] QSize sizeHint() const override { return {560, 340}; }
  [[nodiscard]] QSize minimumSizeHint() const override { return {260, 200}; }

 signals:
  void pointClicked(int curve, int point);

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
  struct Place {
    int curve = -1, point = -1;
    bool operator==(const Place&) const = default;
  };

  void measure();
  [[nodiscard]] std::optional<Place> pointNear(QPointF place) const;
  void hover(Place place);
  // A level and its text.
  struct LevelPlace {
    std::size_t level = 0;
    qreal y = 0;
    QRectF text; // null: no room for it
  };
  [[nodiscard]] std::vector<LevelPlace> levelPlaces() const;
  // Of names by curve, that no dot and no line crosses; null: there is no such place.
  [[nodiscard]] std::vector<QRectF> freeNameBoxes() const;
  void paintLevels(QPainter& painter) const;
  void paintDots(QPainter& painter) const;
  void paintNames(QPainter& painter) const;
  [[nodiscard]] QString yText(double y) const;

  LogCurves m_curves;
  // log10 of the ends of the axes.
  double m_left = 0, m_right = 1, m_low = 0, m_high = 1;
  Place m_hovered;
  mutable std::vector<QRectF> m_nameBoxes; // by curve
  mutable QRectF m_namesFor;               // the plot that they were placed in; null: not yet
};

} // namespace rankscope::ui
