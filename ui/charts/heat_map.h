// SPDX-License-Identifier: GPL-3.0-or-later
// A matrix of amounts as colors, from dark to light (light to dark in the light theme). If there are more
// rows or columns than pixels, a pixel shows the largest of its cells, and so does the tooltip. The cell
// under the mouse has a crosshair; arrow keys move it, Enter or a click selects the cell. The image is
// cached: painting is O(pixels), another size or other cells take one pass. UI thread.
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
  std::shared_ptr<const HeatCells> cells; // null: none
  QStringList rowNames;                   // by row
  std::vector<bool> outlierRows;          // by row: highlighted as a problem
  struct Mark {
    std::size_t column;
    QString text;
  };
  std::vector<Mark> marks;    // labels of the columns, ascending
  std::vector<QString> texts; // by cell: column, then row; written where they fit; none: no texts
  double top = 1;             // of the scale, above 0; larger values get its color
  double largest = 0;
  Unit unit = Unit::Nanoseconds;
  QString missing; // what a cell without a value means: these are striped and explained; empty: blank

  [[nodiscard]] bool explainsMissing() const;
};

class HeatMap : public QWidget {
  Q_OBJECT
 public:
  explicit HeatMap(const TraceSession& session, QWidget* parent = nullptr);

  void setContents(HeatContents contents);
  [[nodiscard]] const HeatContents& contents() const { return m_contents; }
  // Text of a cell; folded: the number of columns and rows that the pixel combines.
  void setTipOf(std::function<QString(std::size_t column, std::size_t row)> tip) { m_tip = std::move(tip); }
  // Highlights a row that is hovered elsewhere; -1: none.
  void markRow(int row);

  // The area of the cells; texts are around it.
  [[nodiscard]] QRect plot() const;
  // Box of a cell, at least one pixel.
  [[nodiscard]] QRect boxOf(std::size_t column, std::size_t row) const;
  // The cell shown at a position: the largest of those combined there.
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
  void paintTexts(QPainter& painter) const;
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
