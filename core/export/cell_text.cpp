// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/cell_text.h"

#include "core/base/unit_text.h"

#include <cmath>
#include <fmt/format.h>
#include <string>

namespace rankscope {

namespace {

std::string wholeText(std::int64_t value, Unit unit) {
  switch (unit) {
  case Unit::Count:
    return groupedText(value);
  case Unit::Nanoseconds:
    return durationText(value);
  case Unit::Bytes:
    return bytesText(value);
  default:
    return std::to_string(value);
  }
}

// Two decimals below 10: a slowdown of 1.04 must not be shown as 1.0. Large numbers are grouped.
std::string ratioText(double value) {
  constexpr double kMostGrouped = 1e15; // more digits than these are not known
  std::string text = fmt::format("{:.{}f}", value, std::abs(value) < 10 ? 2 : 1);
  if (!(std::abs(value) >= 1000 && std::abs(value) < kMostGrouped)) return text;
  const std::size_t point = text.find('.');
  return groupedText(std::stoll(text.substr(0, point))) + text.substr(point);
}

std::string numberText(double value, Unit unit) {
  switch (unit) {
  case Unit::Percent:
    return percentText(value);
  case Unit::GigabytesPerSecond:
    return rateText(value * 1e9);
  default:
    return ratioText(value);
  }
}

} // namespace

std::string cellText(const Cell& cell, Unit unit) {
  if (const auto* text = std::get_if<std::string_view>(&cell)) return std::string(*text);
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return wholeText(*whole, unit);
  if (const auto* number = std::get_if<double>(&cell)) return numberText(*number, unit);
  return "–";
}

std::string cellText(const ResultTable& table, std::size_t row, std::size_t column) {
  return cellText(table.at(row, column), table.columns()[column].unit);
}

} // namespace rankscope
