// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lanes/busy_lane.h"

#include "core/base/unit_text.h"
#include "ui/base/ui_text.h"
#include "ui/timeline/lanes/lane_picture.h"

#include <QStringList>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {
namespace {

QString busyPercent(double share) {
  return QString::fromStdString(percentText(100 * share));
}

class BusyLanes : public LaneKind {
 public:
  BusyLanes() : LaneKind({.id = "busy"}) {}

  void addItems(const TraceSet& traces, RankIndex rank, std::vector<LaneItem>& items) const override {
    if (!rank.valid()) return;
    const RankTrace& trace = *traces.rank(rank).trace;
    if (trace.deviceBegin == trace.deviceEnd) return;
    items.push_back(
        {.kind = this,
         .place = LanePlace::Counters,
         .key = keyOf(traces, rank, "busy"),
         .label = tr("GPU busy"),
         .hint = tr("Light: share of the time with any stream of the rank busy. Dark: est. SM efficiency"),
         .track = {}});
  }

  int height() const override { return 22; }

  void prepare(const RankSummaries& summaries, const Lane& lane) const override {
    static_cast<void>(summaries.countersOf(lane.rank));
  }

  void paint(LanePicture& picture, const Lane& lane) const override {
    const DeviceActivity* const activity = picture.summaries.activityOf(lane.rank);
    if (!activity) return;
    const auto [top, bottom] = picture.linesOf(lane);
    const Theme& theme = picture.theme();
    std::vector<std::uint8_t>& values = picture.buffers.values;
    coverSpans(activity->busy, picture.scale, picture.buffers.cover);
    picture.clearValues();
    for (const CoverSpan& span : picture.buffers.cover)
      std::fill(values.begin() + std::max(span.begin, 0),
                values.begin() + std::min(span.end, picture.scale.width()),
                std::max<std::uint8_t>(span.busy, 1));
    picture.raster.drawArea(top, bottom - top, values, withAlpha(theme.good, 70).rgba(),
                            mixed(theme.background.rgb(), theme.good.rgb(), 150));
    const RankCounters* const counters = picture.summaries.countersOf(lane.rank);
    if (!counters || counters->smEfficiency.empty()) return;
    for (std::size_t x = 0; x < values.size(); ++x) {
      if (values[x] == 0) continue;
      TimeRange column = picture.scale.column(static_cast<std::int32_t>(x));
      if (column.empty()) column = {column.begin, column.begin + 1};
      values[x] = static_cast<std::uint8_t>(
          std::lround(std::clamp(counters->smEfficiency.meanOver(column), 0.0, 1.0) * 255));
    }
    picture.raster.drawArea(top, bottom - top, values, withAlpha(theme.good, 110).rgba(),
                            mixed(theme.background.rgb(), theme.good.rgb(), 220));
  }

  QString textAt(const LaneFacts& facts, const Lane& lane, TimeRange column) const override {
    const DeviceActivity* const activity = facts.summaries.activityOf(lane.rank);
    if (!activity || activity->busy.empty()) return {};
    const double busy =
        static_cast<double>(activity->busy.coveredWithin(column)) / static_cast<double>(column.length());
    QStringList lines{tr("GPU busy"), tr("%1 of this pixel's time").arg(busyPercent(busy))};
    const RankCounters* const counters = facts.summaries.countersOf(lane.rank);
    if (counters && !counters->smEfficiency.empty())
      lines += tr("est. SM efficiency %1").arg(busyPercent(counters->smEfficiency.meanOver(column)));
    else if (counters)
      lines += tr("blocks per SM not recorded: efficiency unknown");
    return lines.join('\n');
  }
};

} // namespace

const LaneKind& busyLanes() {
  static const BusyLanes kind;
  return kind;
}

} // namespace rankscope::ui
