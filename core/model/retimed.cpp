// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/retimed.h"

#include "core/model/rank_digest.h"
#include "core/model/side_files.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

// The recording with toNew applied to all times. toNew must be monotonic.
template <class ToNew> std::shared_ptr<RankTrace> retimed(const RankTrace& trace, ToNew toNew) {
  auto moved = std::make_shared<RankTrace>(trace);
  std::vector<TimeNs> begin(trace.events.size()), duration(trace.events.size());
  for (EventIndex e(0); e.value < trace.events.size(); ++e.value) {
    const TimeRange range = trace.events.range(e);
    begin[e.value] = toNew(range.begin);
    duration[e.value] = toNew(range.end) - begin[e.value];
  }
  moved->events.begin = Column(std::move(begin));
  moved->events.duration = Column(std::move(duration));
  moved->pyramid = LongestPyramid(moved->events.duration.span());
  std::vector<MemoryEvent> memory = moved->memory.take();
  for (MemoryEvent& event : memory) event.time = toNew(event.time);
  moved->memory = Column(std::move(memory));
  for (CounterSeries& series : moved->counters) {
    for (TimeNs& time : series.times) time = toNew(time);
  }
  if (!moved->extent.empty()) moved->extent = {toNew(trace.extent.begin), toNew(trace.extent.end)};
  return moved;
}

} // namespace

std::shared_ptr<const RankTrace> movedInTime(const RankTrace& trace, TimeNs shift) {
  auto moved = retimed(trace, [&](TimeNs time) { return time + shift; });
  moved->metadata.baseTime += shift;
  return moved;
}

namespace {

// The digests with results on the job's clock, as the recordings beside them.
std::shared_ptr<const SideFiles> onJobClock(const std::shared_ptr<const SideFiles>& side,
                                            const ClockAlignment& clocks) {
  if (side->digests.empty()) return side;
  auto moved = std::make_shared<SideFiles>(*side);
  for (std::size_t i = 0; i < moved->digests.size(); ++i) {
    const ClockCorrection& correction = clocks.of(RankIndex(i));
    if (moved->digests[i] == nullptr || correction.changesNothing()) continue;
    auto digest = std::make_shared<RankDigest>(*moved->digests[i]);
    digest->drawn = correction;
    moved->digests[i] = std::move(digest);
  }
  return moved;
}

} // namespace

std::shared_ptr<const TraceSet> onJobClock(const std::shared_ptr<const TraceSet>& trace,
                                           const ClockAlignment& clocks) {
  const auto corrected = [](const RankClock& rank) { return !rank.correction.changesNothing(); };
  if (std::ranges::none_of(clocks.ranks, corrected)) return trace;
  std::vector<RankEntry> ranks = trace->ranks();
  std::vector<FileRecord> files = trace->files();
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const ClockCorrection& correction = clocks.of(RankIndex(i));
    if (correction.changesNothing()) continue;
    ranks[i].trace =
        retimed(*ranks[i].trace, [&](TimeNs time) { return correction.toJob(RankTime(time)).ns(); });
    FileRecord& file = files[ranks[i].file.value];
    if (!file.extent.empty()) file.extent = correction.toJob(RankRange::of(file.extent)).ns();
  }
  return std::make_shared<const TraceSet>(trace->jobName(), trace->names(), std::move(ranks),
                                          std::move(files), TraceOrigin(),
                                          onJobClock(trace->sharedSide(), clocks));
}

} // namespace rankscope
