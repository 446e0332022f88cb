// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/job/truncated_ranks.h"

#include "core/base/statistics.h"
#include "core/model/cut_text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace rankscope {

namespace {

bool isReportedCut(const TraceSet& trace, RankIndex rank) {
  const FileRecord& file = trace.file(trace.rank(rank).file);
  return std::ranges::any_of(file.diagnostics.items(),
                             [](const Diagnostic& item) { return endsTooEarly(item.text); });
}

JobRange extentOf(const TraceSet& trace, const ClockAlignment& clocks, RankIndex rank) {
  return clocks.of(rank).toJob(RankRange::of(trace.rank(rank).trace->extent));
}

// From the first to the last device event; empty without any. Files have these behind the host's, so that a
// cut takes them first. O(rows): events of a stream follow each other.
JobRange deviceExtentOf(const TraceSet& trace, const ClockAlignment& clocks, RankIndex rank) {
  const RankTrace& of = *trace.rank(rank).trace;
  TimeRange extent;
  for (const Row& row : of.rows) {
    if (row.size() == 0 || !of.isDeviceEvent(row.firstEvent)) continue;
    extent = extent.unitedWith(of.events.range(row.firstEvent));
    extent = extent.unitedWith(of.events.range(EventIndex(row.endEvent.value - 1)));
  }
  return extent.empty() ? JobRange() : clocks.of(rank).toJob(RankRange::of(extent));
}

double percentOf(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

// What a rank lacks of what the others of its profiling cycle have; nothing when there are none.
std::optional<CutRank> against(const TraceSet& trace, const ClockAlignment& clocks, RankIndex rank,
                               std::span<const RankIndex> others) {
  const RankEntry& own = trace.rank(rank);
  JobRange job;
  std::vector<TimeNs> ends, deviceBegins, deviceEnds;
  std::vector<std::int64_t> events; // of the same profiler: another one records more or fewer
  bool any = false;
  for (const RankIndex other : others) {
    const RankEntry& entry = trace.rank(other);
    if (entry.capture != own.capture) continue;
    any = true;
    const JobRange extent = extentOf(trace, clocks, other);
    job = job.unitedWith(extent);
    ends.push_back(extent.end.ns());
    if (const JobRange device = deviceExtentOf(trace, clocks, other); !device.empty()) {
      deviceBegins.push_back(device.begin.ns());
      deviceEnds.push_back(device.end.ns());
    }
    if (trace.recordedByNsight(other) == trace.recordedByNsight(rank))
      events.push_back(static_cast<std::int64_t>(entry.trace->fileEvents));
  }
  if (!any) return std::nullopt;
  CutRank cut{rank};
  TimeNs missing = wholeMedian(std::move(ends)) - extentOf(trace, clocks, rank).end.ns();
  if (!deviceEnds.empty()) {
    const JobRange device = deviceExtentOf(trace, clocks, rank);
    const TimeNs until = device.empty() ? wholeMedian(std::move(deviceBegins)) : device.end.ns();
    missing = std::max(missing, wholeMedian(std::move(deviceEnds)) - until);
  }
  cut.missingTime = std::clamp<TimeNs>(missing, 0, job.length());
  cut.missingTimePct = percentOf(cut.missingTime, job.length());
  if (events.empty()) return cut;
  const std::int64_t typical = wholeMedian(std::move(events));
  cut.missingEvents = std::max<std::int64_t>(0, typical - static_cast<std::int64_t>(own.trace->fileEvents));
  cut.missingEventsPct = percentOf(cut.missingEvents, typical);
  return cut;
}

} // namespace

std::vector<CutRank> truncatedRanks(const TraceSet& trace, const ClockAlignment& clocks,
                                    std::span<const RankIndex> ranks) {
  constexpr double kLeastPct = 1;
  std::vector<RankIndex> reported, others;
  for (const RankIndex rank : ranks) (isReportedCut(trace, rank) ? reported : others).push_back(rank);
  std::vector<CutRank> found;
  for (const RankIndex rank : reported) {
    const std::optional<CutRank> cut = against(trace, clocks, rank, others);
    if (!cut)
      found.push_back({rank});
    else if (cut->missingTimePct >= kLeastPct || cut->missingEventsPct >= kLeastPct)
      found.push_back(*cut);
  }
  return found;
}

std::vector<bool> leftOutRanks(const TraceSet& trace, const ClockAlignment& clocks) {
  std::vector<RankIndex> all;
  all.reserve(trace.ranks().size());
  for (std::size_t i = 0; i < trace.ranks().size(); ++i) all.emplace_back(i);
  std::vector<bool> leftOut(all.size());
  for (const CutRank& cut : truncatedRanks(trace, clocks, all)) leftOut[cut.rank.value] = true;
  std::map<int, bool> wholeIn; // by capture: whether a recording of it is whole
  for (std::size_t i = 0; i < all.size(); ++i)
    wholeIn[trace.ranks()[i].capture] = wholeIn[trace.ranks()[i].capture] || !leftOut[i];
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!wholeIn[trace.ranks()[i].capture]) leftOut[i] = false;
  return leftOut;
}

} // namespace rankscope
