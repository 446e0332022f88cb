// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/axis_text.h"

#include "core/base/byte_units.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <string>

namespace rankscope::ui {

namespace {

constexpr double kHeadroom = 1.06;

// "0.2 GiB" below "1.2 GiB", not "204.8 MiB": all marks in the unit in which their step has one decimal.
std::string bytesAtMark(double amount, double step) {
  constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB"};
  double size = 1024;
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && step >= 0.1 * 1024 * size) {
    size *= 1024;
    ++unit;
  }
  if (byteUnits() != ByteUnits::Binary || step < 0.1 * size) return bytesText(std::llround(amount));
  return fmt::format("{:.1f} {}", amount / size, kUnits[unit]);
}

} // namespace

AxisMarks axisMarks(double from, double to, int most, bool whole) {
  AxisMarks marks;
  if (!(to > from) || most < 1) return marks;
  const double least = (to - from) / most;
  double step = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {2.0, 5.0, 10.0}) {
    if (step >= least) break;
    step = factor * std::pow(10.0, std::floor(std::log10(least)));
  }
  if (whole) step = std::max(1.0, step);
  marks.step = step;
  // Multiples of the step: adding steps would accumulate rounding errors.
  for (double at = std::ceil(from / step - 1e-9); at * step <= to * (1 + 1e-12) + 1e-9 * step; at += 1)
    marks.at.push_back(at * step);
  return marks;
}

AxisMarks readableAxisMarks(double from, double to, int most) {
  constexpr int kMoreAtMost = 4; // by then each range has two multiples of a step
  AxisMarks marks = axisMarks(from, to, most);
  for (int more = std::max(1, most) + 1; marks.at.size() < 2 && more <= most + kMoreAtMost; ++more)
    marks = axisMarks(from, to, more);
  return marks;
}

AxisMarks unitAxisMarks(Unit unit, double from, double to, int most) {
  if (unit != Unit::Bytes) return axisMarks(from, to, most, unit == Unit::Count);
  double size = 1;
  if (byteUnits() == ByteUnits::Binary)
    while (to - from >= 1024 * size) size *= 1024;
  const AxisMarks in = axisMarks(from / size, to / size, most, size == 1);
  AxisMarks marks{in.step * size, {}};
  marks.at.reserve(in.at.size());
  for (const double at : in.at) marks.at.push_back(at * size);
  return marks;
}

QString amountText(Unit unit, double amount, double step) {
  const auto whole = static_cast<std::int64_t>(std::llround(amount));
  switch (unit) {
  case Unit::Nanoseconds:
    return QString::fromStdString(step > 0 ? timeText(whole, std::max<TimeNs>(1, std::llround(step)))
                                           : durationText(whole));
  case Unit::Bytes:
    return QString::fromStdString(step > 0 && whole != 0 ? bytesAtMark(amount, step) : bytesText(whole));
  case Unit::Percent:
    return QString::fromStdString(percentText(amount));
  case Unit::GigabytesPerSecond:
    return QString::fromStdString(rateText(amount * 1e9));
  case Unit::Count:
    return QString::fromStdString(countText(whole));
  case Unit::Ratio: {
    // Three digits, but no powers of ten up to where digits end.
    constexpr double kLeastGrouped = 999.5;
    constexpr double kMostGrouped = 1e15;
    const double size = std::abs(amount);
    if (size >= kLeastGrouped && size < kMostGrouped) return QString::fromStdString(groupedText(whole));
    return QString::number(amount, 'g', 3);
  }
  case Unit::Identity:
  case Unit::Text:
    break;
  }
  return QString::number(whole);
}

double spaceAbove(double largest) {
  return largest > 0 ? largest * kHeadroom : 1;
}

} // namespace rankscope::ui
