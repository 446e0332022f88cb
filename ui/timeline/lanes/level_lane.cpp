// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lanes/level_lane.h"

#include "core/base/unit_text.h"
#include "ui/base/ui_text.h"
#include "ui/timeline/lanes/lane_picture.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {
namespace {

QString between(const MinMax<double>& values) {
  return values.min == values.max
             ? levelText(values.min)
             : tr("%1 to %2 in this pixel").arg(levelText(values.min), levelText(values.max));
}

// The last value is not known to hold after the recording.
TimeNs endOf(const RankTrace& trace, const LevelCurve& curve) {
  return std::max(trace.extent.end, curve.lastChange() + 1);
}

} // namespace

void LevelLanes::prepare(const RankSummaries& summaries, const Lane& lane) const {
  static_cast<void>(summaries.countersOf(lane.rank));
}

void LevelLanes::paint(LanePicture& picture, const Lane& lane) const {
  const RankCounters* const counters = picture.summaries.countersOf(lane.rank);
  const LevelCurve* const curve = counters ? curveOf(*counters, lane.track, lane.number) : nullptr;
  if (!curve || curve->empty()) return;
  const auto [top, bottom] = picture.linesOf(lane);
  const double lowest = std::min(0.0, curve->lowest());
  const double span = std::max(curve->highest() - lowest, 1e-12);
  const auto part = [&](double value) {
    return static_cast<std::uint8_t>(std::lround(std::clamp((value - lowest) / span, 0.0, 1.0) * 255));
  };
  picture.clearValues();
  const std::size_t columns = picture.columnsUntil(endOf(picture.trace(lane.rank), *curve));
  for (std::size_t x = 0; x < columns; ++x) {
    const auto values = curve->over(picture.scale.column(static_cast<std::int32_t>(x)));
    if (!values) continue;
    picture.buffers.values[x] = part(values->max);
    picture.buffers.lowValues[x] = part(values->min);
  }
  const QColor color = picture.theme().*m_color;
  const QRgb ground = picture.theme().background.rgb();
  picture.raster.drawArea(top, bottom - top, picture.buffers.values, withAlpha(color, 110).rgba(),
                          mixed(ground, color.rgb(), 210));
  picture.raster.drawArea(top, bottom - top, picture.buffers.lowValues, withAlpha(color, 90).rgba(),
                          mixed(ground, color.rgb(), 120));
}

QString LevelLanes::textAt(const LaneFacts& facts, const Lane& lane, TimeRange column) const {
  const RankCounters* const counters = facts.summaries.countersOf(lane.rank);
  if (!counters) return {};
  const LevelCurve* const curve = curveOf(*counters, lane.track, lane.number);
  const bool recorded = curve && !curve->empty() && column.begin < endOf(facts.trace(lane.rank), *curve);
  const auto values = recorded ? curve->over(column) : std::nullopt;
  return nameOf(facts.trace(lane.rank), lane) + '\n' + (values ? between(*values) : tr("no data here"));
}

QString levelText(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15)
    return QString::fromStdString(groupedText(static_cast<std::int64_t>(value)));
  return QString::number(value, 'g', 6);
}

} // namespace rankscope::ui
