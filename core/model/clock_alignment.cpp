// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/clock_alignment.h"

#include "core/model/trace_builder.h"
#include "core/model/trace_set.h"

#include <algorithm>

namespace rankscope {

std::shared_ptr<const TraceSet> onJobClock(const std::shared_ptr<const TraceSet>& trace,
                                           const ClockAlignment& clocks) {
  const auto corrected = [](const RankClock& rank) { return !rank.correction.changesNothing(); };
  if (std::ranges::none_of(clocks.ranks, corrected)) return trace;
  std::vector<RankEntry> ranks = trace->ranks();
  std::vector<FileRecord> files = trace->files();
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const ClockCorrection& correction = clocks.of(RankIndex(i));
    if (correction.changesNothing()) continue;
    ranks[i].trace = timedBy(*ranks[i].trace, correction);
    FileRecord& file = files[ranks[i].file.value];
    if (!file.extent.empty()) file.extent = correction.toJob(file.extent);
  }
  return std::make_shared<const TraceSet>(trace->jobName(), trace->names(), std::move(ranks),
                                          std::move(files));
}

} // namespace rankscope
