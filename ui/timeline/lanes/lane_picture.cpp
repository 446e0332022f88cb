// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lanes/lane_picture.h"

#include <algorithm>

namespace rankscope::ui {

void LanePicture::turnTo(RankIndex rank) {
  if (!view.shifts || view.shifts->empty()) return;
  const TimeNs shift = rank.value < view.shifts->size() ? (*view.shifts)[rank.value] : 0;
  scale = PixelScale({view.window.begin - shift, view.window.end - shift}, view.size.width());
}

LaneSpans& LanePicture::addSpans(const Lane& lane) {
  if (buffers.laneSpanCount == buffers.laneSpans.size()) buffers.laneSpans.emplace_back();
  LaneSpans& spans = buffers.laneSpans[buffers.laneSpanCount++];
  spans.lane = lane;
  spans.spans.clear();
  spans.colors.clear();
  spans.hatched.clear();
  return spans;
}

void LanePicture::cover(const IntervalSet& set, QColor color) {
  coverSpans(set, scale, buffers.cover);
  for (const CoverSpan& span : buffers.cover)
    buffers.ink.push_back({span.begin, span.end, color.rgb(), span.busy});
}

void LanePicture::clearValues() {
  const auto width = static_cast<std::size_t>(view.size.width());
  buffers.values.assign(width, 0);
  buffers.lowValues.assign(width, 0);
}

std::size_t LanePicture::columnsUntil(TimeNs end) const {
  const std::int32_t past = scale.columnBegin(scale.pixelAt(end)) < end ? 1 : 0;
  return static_cast<std::size_t>(std::clamp(scale.pixelAt(end) + past, 0, scale.width()));
}

} // namespace rankscope::ui
