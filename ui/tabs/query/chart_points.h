// SPDX-License-Identifier: GPL-3.0-or-later
// Two columns of a query's result as a chart: bars where the first one is text, or dots if an amount is
// negative; else curves or dots. Nothing is summed up: each row is a bar or a point. Pure; O(rows x columns).
#pragma once

#include "core/export/result_table.h"
#include "ui/charts/line_plot.h"
#include "ui/charts/stacked_bars.h"

#include <QPoint>
#include <QString>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace rankscope::ui {

// The columns that a chart begins with; empty if the result has no numbers to draw.
struct ChartColumns {
  std::size_t x = 0;
  std::size_t y = 0;

  bool operator==(const ChartColumns&) const = default;
};

[[nodiscard]] std::optional<ChartColumns> firstChartColumns(const ResultTable& table);
// Whether a column can be drawn upward.
[[nodiscard]] bool isDrawable(const TableColumn& column);

struct ChartPoints {
  enum class Shape : std::uint8_t { None, Bars, Curves };
  Shape shape = Shape::None;
  BarRows bars;
  Curves curves;
  std::optional<std::size_t> by;           // column whose values have a curve each
  std::vector<std::vector<int>> tableRows; // of bars: one list; of curves: of their points
  std::size_t drawn = 0;                   // rows
  std::size_t left = 0;                    // rows beyond the most that are drawn
  std::size_t empty = 0;                   // rows without a value

  // The row of the table of a bar; -1 if there is none.
  [[nodiscard]] int rowOfBar(int bar) const;
  // Of the point of a curve that is nearest to x; -1 if there is none.
  [[nodiscard]] int rowOfPoint(int curve, double x) const;
};

inline constexpr std::size_t kMostBars = 200;
inline constexpr std::size_t kMostPoints = 2000;

// rows: of the table, in the order in which they are shown.
[[nodiscard]] ChartPoints chartPoints(const ResultTable& table, std::span<const int> rows,
                                      ChartColumns columns);

} // namespace rankscope::ui
