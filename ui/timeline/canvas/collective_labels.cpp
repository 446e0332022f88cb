// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/canvas/collective_labels.h"

#include "core/base/statistics.h"
#include "ui/job/job_highlights.h"
#include "ui/timeline/lanes/rank_lane.h"
#include "ui/timeline/tracks/track_layout.h"

#include <algorithm>
#include <numeric>

namespace rankscope::ui {

std::optional<CollectiveLabels> collectiveMarks(const JobHighlights& highlights, const TrackLayout& layout,
                                                EventRef event) {
  const CollectiveInstance* const instance = highlights.instanceOf(event);
  if (!instance || !instance->matched()) return std::nullopt;
  CollectiveLabels result;
  for (const Participant& part : highlights.participants(*instance)) {
    const EventRef own = highlights.eventOf(part);
    const Lane* const lane = layout.laneOf(own);
    if (!lane) continue;
    const TimeNs late = part.range.begin - instance->firstBegin;
    CollectiveLabel mark{own, part.range.ns(), part.wait, late, lane->top, lane->height};
    if (lane->kind == &foldedRankLanes()) {
      const RankLaneParts parts = rankLaneParts(lane->height);
      mark.top += parts.lower;
      mark.height = parts.height;
    }
    result.marks.push_back(mark);
  }
  if (result.marks.empty()) return std::nullopt;
  std::ranges::sort(result.marks, {}, &CollectiveLabel::top);
  std::vector<std::size_t> byBegin(result.marks.size());
  std::iota(byBegin.begin(), byBegin.end(), std::size_t{0});
  std::ranges::stable_sort(byBegin, {}, [&](std::size_t i) { return result.marks[i].range.begin; });
  result.first = byBegin.front();
  result.median = byBegin[medianPlace(byBegin.size())];
  result.last = byBegin.back();
  return result;
}

} // namespace rankscope::ui
