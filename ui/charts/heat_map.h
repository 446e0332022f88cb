// SPDX-License-Identifier: GPL-3.0-or-later
// A table of amounts as colors: rows by columns, dark to light (light to dark in the light theme) from
// nothing to the scale's top. Where there are more rows or columns than pixels, a pixel has the largest of
// its cells, and the tooltip shows it. The cell under the pointer has a crosshair; arrow keys move it, Enter
// or a click picks it. The cells' image is kept: painting costs pixels, another size or other cells a pass
// over them. UI thread.
#pragma once

#include "core/export/result_table.h"
#include "ui/charts/heat_scale.h"

#include <QImage>
#include <QString>
#include <QStringList>
#include <QWidget>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace rankscope::ui {

class TraceSession;

struct HeatContents {
  std::shared_ptr<const HeatCells> cells; // null: nothing
  QStringList rowNames;                   // by row
  std::vector<bool> outlierRows;          // by row: stands out
  struct Mark {
    std::size_t column;
    QString text;
  };
  std::vector<Mark> marks; // where something begins, ascending
  double top = 1;          // of the scale, above 0; more than it has its color
  double largest = 0;
  Unit unit = Unit::Nanoseconds;
};

class HeatMap : public QWidget {
  Q_OBJECT
 public:
  explicit HeatMap(const TraceSession& session, QWidget* parent = nullptr);

  void setContents(HeatContents contents);
  [[nodiscard]] const HeatContents& contents() const { return m_contents; }
  // What a cell is; folded: how many columns and rows the pixel under the pointer stands for.
  void setTipOf(std::function<QString(std::size_t column, std::size_t row)> tip) { m_tip = std::move(tip); }
  // Highlights a row because something else points at it; -1: none.
  void markRow(int row);

  // Of the cells; what is left of the widget has texts.
  [[nodiscard]] QRect plot() const;
  // Where a cell is drawn; at least a pixel.
  [[nodiscard]] QRect boxOf(std::size_t column, std::size_t row) const;
  // The cell that a place shows: of those folded there the largest.
  [[nodiscard]] std::optional<HeatPeak> cellAt(QPointF place) const;
  [[nodiscard]] QString tipAt(QPointF place) const;
  // Cells that share a pixel.
  [[nodiscard]] QSize folding() const;

  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 signals:
  void rowHovered(int row); // -1: none
  void cellPicked(int column, int row);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Block {
    std::size_t firstColumn, endColumn, firstRow, endRow;
  };

  [[nodiscard]] bool empty() const;
  [[nodiscard]] Block blockAt(int x, int y) const;
  [[nodiscard]] const QImage& image() const;
  void paintCells(QPainter& painter) const;
  void paintNames(QPainter& painter) const;
  void paintMarks(QPainter& painter) const;
  void paintScale(QPainter& painter) const;
  void paintCrosshair(QPainter& painter) const;
  void hover(std::optional<HeatPeak> cell);
  void moveCell(int columns, int rows);

  const TraceSession& m_session;
  HeatContents m_contents;
  std::function<QString(std::size_t, std::size_t)> m_tip;
  int m_nameWidth = 0;
  int m_marked = -1;
  std::optional<HeatPeak> m_hovered;
  mutable QImage m_image;
};

} // namespace rankscope::ui
