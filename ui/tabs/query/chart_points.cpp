// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/query/chart_points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr std::size_t kMostCurves = 24;
// With more curves than colors, all have one color, and pointing at a curve shows its name.
constexpr std::array<ThemeColor, 6> kColors{&Theme::accent, &Theme::exposed, &Theme::communication,
                                            &Theme::good,   &Theme::warn,    &Theme::memoryCopy};

// Columns of raw tables are whole numbers; what they count is in their name.
Unit drawnUnit(const TableColumn& column) {
  return column.unit == Unit::Count && column.name.ends_with("_ns") ? Unit::Nanoseconds : column.unit;
}

std::optional<double> numberAt(const ResultTable& table, std::size_t row, std::size_t column) {
  const Cell cell = table.at(row, column);
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return std::nullopt;
}

QString textAt(const ResultTable& table, std::size_t row, std::size_t column) {
  return QString::fromStdString(exactText(table, row, column));
}

// When something was, rather than how much of it there was.
bool isPlace(const TableColumn& column) {
  constexpr std::array<std::string_view, 5> kPlaces{"begin_", "end_", "time_ns", "first_begin_",
                                                    "last_begin_"};
  return column.unit == Unit::Identity ||
         std::ranges::any_of(kPlaces, [&](std::string_view place) { return column.name.starts_with(place); });
}

struct Point {
  double x = 0;
  double y = 0;
  int row = 0;
};

bool differ(const std::vector<Point>& sorted) {
  return std::ranges::adjacent_find(sorted, {}, &Point::x) == sorted.end();
}

// Points by the values of a column, if that leaves each curve one point for each x.
std::optional<std::map<std::string, std::vector<Point>>>
curvesBy(const ResultTable& table, const std::vector<Point>& points, std::size_t column) {
  std::map<std::string, std::vector<Point>> curves;
  for (const Point& point : points) {
    curves[exactText(table, static_cast<std::size_t>(point.row), column)].push_back(point);
    if (curves.size() > kMostCurves) return std::nullopt;
  }
  for (const auto& [value, own] : curves) {
    if (!differ(own)) return std::nullopt;
  }
  return curves;
}

void addCurve(ChartPoints& chart, const QString& name, std::span<const Point> points) {
  Curve& curve = chart.curves.curves.emplace_back();
  curve.name = name;
  std::vector<int>& rows = chart.tableRows.emplace_back();
  rows.reserve(points.size());
  for (const Point& point : points) {
    curve.points.append({point.x, point.y});
    rows.push_back(point.row);
  }
}

ChartPoints barsOf(const ResultTable& table, std::vector<Point> points, ChartColumns columns) {
  ChartPoints chart;
  chart.shape = ChartPoints::Shape::Bars;
  chart.left = points.size() - std::min(points.size(), kMostBars);
  points.resize(points.size() - chart.left);
  chart.bars.unit = drawnUnit(table.columns()[columns.y]);
  chart.bars.parts.push_back({QString::fromStdString(table.columns()[columns.y].name), &Theme::accent});
  chart.tableRows.emplace_back();
  for (const Point& point : points) {
    const QString label = textAt(table, static_cast<std::size_t>(point.row), columns.x);
    chart.bars.rows.push_back({label.isEmpty() ? QStringLiteral("–") : label, {point.y}});
    chart.tableRows.front().push_back(point.row);
  }
  chart.drawn = points.size();
  return chart;
}

void setExtent(Curves& curves, std::span<const Point> points) {
  const auto [least, most] = std::ranges::minmax(points, {}, &Point::x);
  curves.xBegin = least.x;
  curves.xEnd = most.x;
  // Whole numbers stand in the middle of their place.
  if (curves.xUnit == Unit::Identity || curves.xEnd <= curves.xBegin) {
    curves.xBegin -= 0.5;
    curves.xEnd += 0.5;
  }
}

// Where names stand below and amounts may be negative, as differences are.
void addNamedDots(ChartPoints& chart, const ResultTable& table, std::span<const Point> points,
                  ChartColumns columns) {
  chart.curves.xUnit = Unit::Identity;
  for (const Point& point : points) {
    const QString name = textAt(table, static_cast<std::size_t>(point.row), columns.x);
    chart.curves.xTexts << name;
    addCurve(chart, name, std::span(&point, 1));
  }
  setExtent(chart.curves, points);
}

ChartPoints curvesOf(const ResultTable& table, std::vector<Point> points, ChartColumns columns) {
  ChartPoints chart;
  chart.shape = ChartPoints::Shape::Curves;
  chart.left = points.size() - std::min(points.size(), kMostPoints);
  points.resize(points.size() - chart.left);
  std::ranges::stable_sort(points, {}, &Point::x);
  chart.curves.xUnit = drawnUnit(table.columns()[columns.x]);
  chart.curves.yUnit = drawnUnit(table.columns()[columns.y]);
  chart.drawn = points.size();
  if (table.columns()[columns.x].unit == Unit::Text) {
    addNamedDots(chart, table, points, columns);
    return chart;
  }
  setExtent(chart.curves, points);
  const QString name = QString::fromStdString(table.columns()[columns.y].name);
  if (differ(points)) {
    addCurve(chart, name, points);
    return chart;
  }
  for (std::size_t column = 0; column < table.columns().size(); ++column) {
    if (column == columns.x || column == columns.y) continue;
    const auto curves = curvesBy(table, points, column);
    if (!curves) continue;
    chart.by = column;
    const TableColumn& by = table.columns()[column];
    for (const auto& [value, own] : *curves) {
      QString text = QString::fromStdString(value);
      if (by.unit != Unit::Text) text = QString::fromStdString(by.name) + QLatin1Char(' ') + text;
      addCurve(chart, text.isEmpty() ? QStringLiteral("–") : text, own);
    }
    for (std::size_t i = 0; i < chart.curves.curves.size() && chart.curves.curves.size() <= kColors.size();
         ++i)
      chart.curves.curves[i].color = kColors[i];
    return chart;
  }
  for (const Point& point : points) addCurve(chart, name, std::span(&point, 1));
  return chart;
}

} // namespace

bool isDrawable(const TableColumn& column) {
  return column.unit != Unit::Text && column.unit != Unit::Identity;
}

std::optional<ChartColumns> firstChartColumns(const ResultTable& table) {
  const auto& columns = table.columns();
  const auto first = [&](auto&& accepts) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (accepts(i)) return i;
    }
    return std::nullopt;
  };
  const auto several = [&](std::size_t column) {
    for (std::size_t row = 1; row < table.rowCount(); ++row) {
      if (table.at(row, column) != table.at(0, column)) return true;
    }
    return false;
  };
  // Amounts before counts, and both before places.
  auto y = first([&](std::size_t i) {
    return isDrawable(columns[i]) && drawnUnit(columns[i]) != Unit::Count && !isPlace(columns[i]);
  });
  if (!y) y = first([&](std::size_t i) { return isDrawable(columns[i]) && !isPlace(columns[i]); });
  if (!y) y = first([&](std::size_t i) { return isDrawable(columns[i]); });
  if (!y) return std::nullopt;
  auto x = first([&](std::size_t i) { return i != *y && columns[i].name == "step" && several(i); });
  if (!x) x = first([&](std::size_t i) { return columns[i].unit == Unit::Text && several(i); });
  if (!x) x = first([&](std::size_t i) { return i != *y && isPlace(columns[i]) && several(i); });
  if (!x) x = first([&](std::size_t i) { return i != *y && several(i); });
  if (!x) x = first([&](std::size_t i) { return i != *y; });
  if (!x) return std::nullopt;
  return ChartColumns{*x, *y};
}

ChartPoints chartPoints(const ResultTable& table, std::span<const int> rows, ChartColumns columns) {
  const bool named = table.columns()[columns.x].unit == Unit::Text;
  std::vector<Point> points;
  points.reserve(rows.size());
  std::size_t empty = 0;
  for (const int row : rows) {
    const auto at = static_cast<std::size_t>(row);
    const auto y = numberAt(table, at, columns.y);
    const auto x = named ? std::optional(static_cast<double>(points.size())) : numberAt(table, at, columns.x);
    if (x && y)
      points.push_back({*x, *y, row});
    else
      ++empty;
  }
  ChartPoints chart;
  const bool negative = std::ranges::any_of(points, [](const Point& point) { return point.y < 0; });
  if (!points.empty()) {
    chart = named && !negative ? barsOf(table, std::move(points), columns)
                               : curvesOf(table, std::move(points), columns);
  }
  chart.empty = empty;
  return chart;
}

int ChartPoints::rowOfBar(int bar) const {
  if (shape != Shape::Bars || bar < 0 || static_cast<std::size_t>(bar) >= tableRows.front().size()) return -1;
  return tableRows.front()[static_cast<std::size_t>(bar)];
}

int ChartPoints::rowOfPoint(int curve, double x) const {
  if (shape != Shape::Curves || curve < 0 || static_cast<std::size_t>(curve) >= tableRows.size()) return -1;
  const QList<QPointF>& points = curves.curves[static_cast<std::size_t>(curve)].points;
  const auto nearest =
      std::ranges::min_element(points, {}, [&](const QPointF& point) { return std::abs(point.x() - x); });
  return tableRows[static_cast<std::size_t>(curve)][static_cast<std::size_t>(nearest - points.begin())];
}

} // namespace rankscope::ui
