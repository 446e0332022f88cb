// SPDX-License-Identifier: GPL-3.0-or-later
// The ranks of a job as a grid of cells, colored by one figure: rows and columns are two axes of its layout.
// Cells show the rank and its figure where they fit. Ranks that were not recorded are empty. A click or Enter
// selects a rank, or none if it was selected; arrow keys move. UI thread; painting is O(cells).
#pragma once

#include "core/export/result_table.h"
#include "ui/charts/plot_view.h"

#include <QString>
#include <QStringList>

#include <cstddef>
#include <optional>
#include <vector>

namespace rankscope::ui {

struct RankCell {
  int rank = -1;
  int row = 0;
  int column = 0;
  std::optional<double> value; // empty: not recorded
  bool outlier = false;
  QString tip = {};
};

struct RankCellsContents {
  QStringList rowNames;
  QStringList columnNames;
  std::vector<RankCell> cells;
  Unit unit = Unit::Nanoseconds;
  ThemeColor color = &Theme::exposed;
};

// Columns of a grid of ranks that one axis divides: at least 16, and about as many as there are rows, so that
// thousands of ranks fit the window.
[[nodiscard]] std::size_t rankGridColumns(std::size_t ranks);

class RankCells : public PlotView {
  Q_OBJECT
 public:
  explicit RankCells(const TraceSession& session, QWidget* parent = nullptr);

  void setContents(RankCellsContents contents);
  [[nodiscard]] const RankCellsContents& contents() const { return m_contents; }
  [[nodiscard]] QRectF boxOf(int cell) const;
  // Of the known values; both 0 without any.
  [[nodiscard]] double least() const { return m_least; }
  [[nodiscard]] double most() const { return m_most; }
  // The rank that is selected; it stays so with other contents.
  [[nodiscard]] std::optional<int> selected() const { return m_selected; }
  void select(std::optional<int> rank);

  [[nodiscard]] QString tipAt(QPointF place) const override;
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 signals:
  void selectionChanged();

 protected:
  void restyle() override {}
  void drawForeground(QPainter* painter, const QRectF& rect) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  [[nodiscard]] int cellAt(QPointF place) const;
  [[nodiscard]] QSizeF cellSize() const;
  [[nodiscard]] int heightOfRows(int each) const;
  void paintNames(QPainter& painter) const;
  void paintCell(QPainter& painter, int cell) const;
  [[nodiscard]] double shadeOf(double value) const;
  void toggle(int cell);
  [[nodiscard]] int cellBeside(int by) const;

  RankCellsContents m_contents;
  double m_least = 0;
  double m_most = 0;
  int m_nameWidth = 0;
  int m_focused = -1; // the cell that keys move from
  std::optional<int> m_selected;
};

} // namespace rankscope::ui
